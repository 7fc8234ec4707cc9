// SPDX-License-Identifier: Apache-2.0
package org.jhal.cuda;

import com.sun.jna.Library;
import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import java.util.BitSet;
import java.util.List;
import org.jhal.gpu.natives.GpuApi;
import org.jhal.gpu.natives.SharedLibrary;
import org.jhal.gpu.runtime.ComputeSplit;
import org.jspecify.annotations.Nullable;

/**
 * The multiprocessors of a device, divided by green contexts. All of them are divided once, since
 * only results of one division can be put together again to the descriptor of a context.
 */
final class CudaSplit implements ComputeSplit {
  // CUdevResource, and within it CUdevSmResource.
  private static final int BYTES = 144;
  private static final int COUNT = 96;
  private static final int LEAST = 100;
  private static final int ALIGNMENT = 104;

  private static final int TYPE_SM = 1; // CU_DEV_RESOURCE_TYPE_SM
  private static final int DEFAULT_STREAM = 1; // CU_GREEN_CTX_DEFAULT_STREAM

  /** The functions, which came with CUDA 12.4 and 12.5. */
  interface Functions extends Library {
    int cuDeviceGetDevResource(int device, Pointer resource, int type);

    int cuDevSmResourceSplitByCount(
        @Nullable Pointer result,
        int[] groups,
        Pointer input,
        @Nullable Pointer remaining,
        int flags,
        int least);

    int cuDevResourceGenerateDesc(long[] descriptor, Pointer resources, int count);

    int cuGreenCtxCreate(long[] context, long descriptor, int device, int flags);

    int cuGreenCtxDestroy(long context);

    int cuGreenCtxStreamCreate(long[] stream, long context, int flags, int priority);

    int cuCtxFromGreenCtx(long[] context, long green);
  }

  private final CudaRuntime runtime;
  private final Functions functions;
  private final int device;
  private final int units;
  private final int granule;
  private final int granules;
  private final Memory resources; // those of the granules, and last what is in none

  private CudaSplit(CudaRuntime runtime, Functions functions, int device, Memory whole, int size) {
    this.runtime = runtime;
    this.functions = functions;
    this.device = device;
    this.units = whole.getInt(COUNT);
    int[] count = {units / size};
    resources = new Memory((long) BYTES * (count[0] + 1));
    resources.clear();
    Memory remaining = new Memory(BYTES);
    remaining.clear();
    runtime.check(
        "devSmResourceSplitByCount",
        functions.cuDevSmResourceSplitByCount(resources, count, whole, remaining, 0, size));
    granules = count[0];
    granule = granules == 0 ? units : resources.getInt(COUNT);
    resources.write((long) BYTES * granules, remaining.getByteArray(0, BYTES), 0, BYTES);
  }

  /** The functions that a library lacks; none if it can divide multiprocessors. */
  static List<String> missing(SharedLibrary library) {
    return library.missing(SharedLibrary.functions(Functions.class));
  }

  /** Divides a device; null if it has too few multiprocessors. */
  static @Nullable CudaSplit of(CudaRuntime runtime, int device) {
    Functions functions = runtime.library().library().map(Functions.class);
    Memory whole = new Memory(BYTES);
    whole.clear();
    runtime.check("deviceGetDevResource", functions.cuDeviceGetDevResource(device, whole, TYPE_SM));
    int size = Math.max(1, Math.max(whole.getInt(LEAST), whole.getInt(ALIGNMENT)));
    if (whole.getInt(COUNT) < 2 * size) {
      return null;
    }
    CudaSplit made = new CudaSplit(runtime, functions, device, whole, size);
    return made.granules < 2 ? null : made;
  }

  @Override
  public int units() {
    return units;
  }

  @Override
  public int granule() {
    return granule;
  }

  @Override
  public int granules() {
    return granules;
  }

  @Override
  public long makePlace(BitSet which, boolean hasRemainder) {
    boolean isRemainder = hasRemainder && resources.getInt((long) BYTES * granules) == TYPE_SM;
    int count = which.cardinality() + (isRemainder ? 1 : 0);
    Memory chosen = new Memory((long) BYTES * count);
    int at = 0;
    for (int i = which.nextSetBit(0); i >= 0; i = which.nextSetBit(i + 1)) {
      copy(i, chosen, at++);
    }
    if (isRemainder) {
      copy(granules, chosen, at);
    }
    return runtime
        .gate()
        .call(
            () -> {
              long[] descriptor = new long[1];
              check(
                  "devResourceGenerateDesc",
                  functions.cuDevResourceGenerateDesc(descriptor, chosen, count));
              long[] context = new long[1];
              check(
                  "greenCtxCreate",
                  functions.cuGreenCtxCreate(context, descriptor[0], device, DEFAULT_STREAM));
              return context[0];
            });
  }

  private void copy(int from, Memory to, int at) {
    to.write((long) BYTES * at, resources.getByteArray((long) BYTES * from, BYTES), 0, BYTES);
  }

  private void check(String function, int code) {
    runtime.check(function, code);
  }

  @Override
  public long contextOf(long place) {
    long[] context = new long[1];
    check("ctxFromGreenCtx", functions.cuCtxFromGreenCtx(context, place));
    return context[0];
  }

  @Override
  public boolean hasGraphs() {
    return true;
  }

  @Override
  public boolean bindsCooperative() {
    return true;
  }

  @Override
  public boolean hasPriorities() {
    return true;
  }

  @Override
  public long openStream(long place, int priority) {
    return runtime
        .gate()
        .call(
            () -> {
              long[] stream = new long[1];
              check(
                  "greenCtxStreamCreate",
                  functions.cuGreenCtxStreamCreate(
                      stream, place, GpuApi.STREAM_NON_BLOCKING, priority));
              return stream[0];
            });
  }

  @Override
  public void endPlace(long place) {
    runtime
        .gate()
        .run(() -> runtime.checkFreed("greenCtxDestroy", functions.cuGreenCtxDestroy(place)));
  }
}
