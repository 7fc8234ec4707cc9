// SPDX-License-Identifier: Apache-2.0
package org.jhal.cuda;

import java.lang.invoke.MethodHandles;
import java.nio.ByteBuffer;
import org.jhal.gpu.natives.DeviceCalls;
import org.jhal.gpu.natives.GraphApi;
import org.jhal.gpu.natives.GraphSetup;
import org.jhal.gpu.natives.NativeBlock;
import org.jhal.gpu.natives.NativeFunctions;
import org.jhal.gpu.natives.SharedLibrary;
import org.jhal.gpu.runtime.GraphLayout;
import org.jhal.gpu.runtime.GraphRuntime;

/** The graphs of a device. The layouts of structures are those of cuda.h. */
final class CudaGraphs extends GraphRuntime {
  /** CUDA_KERNEL_NODE_PARAMS_v2. */
  private static final GraphLayout KERNEL = new GraphLayout(72, 0, 8, 20, 32, 48, 64);

  // CUDA_MEMCPY3D. All other members are zero.
  private static final int COPY_BYTES = 200;
  private static final int SOURCE_TYPE = 32;
  private static final int SOURCE_DEVICE = 48;
  private static final int TARGET_TYPE = 120;
  private static final int TARGET_DEVICE = 136;
  private static final int COPY_WIDTH = 176;
  private static final int COPY_HEIGHT = 184;
  private static final int COPY_DEPTH = 192;

  // CUmemorytype.
  private static final int DEVICE = 2;
  private static final int UNIFIED = 4;

  /** The functions that make nodes in a context. */
  interface Setup extends GraphSetup {
    int graphAddMemsetNode(
        long node, long graph, long dependencies, long count, long parameters, long context);

    int graphAddMemcpyNode(
        long node, long graph, long dependencies, long count, long parameters, long context);
  }

  /** The functions for graphs that operations call. */
  interface Table extends GraphApi {
    int graphExecMemsetNodeSetParams(long instance, long node, long parameters, long context);

    int graphExecMemcpyNodeSetParams(long instance, long node, long parameters, long context);
  }

  /**
   * The functions for graphs. The driver's own binding is JNA here: JCuda's functions make new
   * objects in each call and copy structures field by field.
   */
  static final class Api extends NativeFunctions<Table, Setup> implements Table {
    static final Api API = new Api();

    private Api() {
      super(MethodHandles.lookup(), Table.class, Setup.class);
    }

    /** Those for kernels with {@code _v2} came with CUDA 12. */
    @Override
    protected String symbol(String function) {
      String name = SharedLibrary.function("cu", function);
      boolean isSecond = function.contains("Kernel") || function.equals("streamBeginCapture");
      return isSecond ? name + "_v2" : name;
    }

    @Override
    public native int graphExecKernelNodeSetParams(long instance, long node, long parameters);

    @Override
    public native int graphLaunch(long instance, long stream);

    @Override
    public native int graphExecMemsetNodeSetParams(
        long instance, long node, long parameters, long context);

    @Override
    public native int graphExecMemcpyNodeSetParams(
        long instance, long node, long parameters, long context);
  }

  private final Setup setup = Api.API.setup();
  private final Table calls;
  private final long context;

  CudaGraphs(DeviceCalls device, Table calls, long context) {
    super(device, calls, Api.API.setup(), KERNEL, "");
    this.calls = calls;
    this.context = context;
  }

  /** According to cuda.h, setting parameters does not affect launches in a stream. */
  @Override
  public boolean mayBeSetInFlight() {
    return true;
  }

  @Override
  protected int addFill(NativeBlock scratch, long node, long graph, long dependencies, int count) {
    return setup.graphAddMemsetNode(
        node, graph, dependencies, count, scratch.address(0), contextOf(scratch));
  }

  @Override
  protected int setFill(NativeBlock scratch, long instance, long node) {
    return calls.graphExecMemsetNodeSetParams(
        instance, node, scratch.address(0), contextOf(scratch));
  }

  private long contextOf(NativeBlock scratch) {
    long own = context(scratch);
    return own == 0 ? context : own;
  }

  @Override
  public void describeCopy(
      NativeBlock scratch, long target, boolean isTo, long source, boolean isFrom, long bytes) {
    ByteBuffer out = scratch.bytes();
    for (int i = 0; i < COPY_BYTES; i += Long.BYTES) {
      out.putLong(i, 0);
    }
    out.putInt(SOURCE_TYPE, isFrom ? UNIFIED : DEVICE)
        .putLong(SOURCE_DEVICE, source)
        .putInt(TARGET_TYPE, isTo ? UNIFIED : DEVICE)
        .putLong(TARGET_DEVICE, target)
        .putLong(COPY_WIDTH, bytes)
        .putLong(COPY_HEIGHT, 1)
        .putLong(COPY_DEPTH, 1);
  }

  @Override
  protected int addCopy(NativeBlock scratch, long node, long graph, long dependencies, int count) {
    return setup.graphAddMemcpyNode(
        node, graph, dependencies, count, scratch.address(0), contextOf(scratch));
  }

  @Override
  protected int setCopy(NativeBlock scratch, long instance, long node) {
    return calls.graphExecMemcpyNodeSetParams(
        instance, node, scratch.address(0), contextOf(scratch));
  }
}
