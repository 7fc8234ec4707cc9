// SPDX-License-Identifier: Apache-2.0
package org.jhal.hip.jna;

import java.lang.invoke.MethodHandles;
import org.jhal.gpu.natives.GpuFunctions;
import org.jhal.gpu.natives.NativeFunctions;
import org.jhal.gpu.natives.SharedLibrary;
import org.jspecify.annotations.Nullable;

/** The functions of the HIP runtime. The driver's own binding is JNA. */
public final class HipApi extends NativeFunctions<HipTable, HipSetup>
    implements HipTable, GpuFunctions {
  public static final HipApi API = new HipApi();

  private HipApi() {
    super(MethodHandles.lookup(), HipTable.class, HipSetup.class);
  }

  @Override
  protected String symbol(String function) {
    return functionName(function);
  }

  @Override
  public String functionName(String function) {
    return function.equals("streamPriorityRange")
        ? "hipDeviceGetStreamPriorityRange"
        : SharedLibrary.function("hip", function);
  }

  @Override
  public @Nullable String errorName(int code) {
    String name = setup().getErrorName(code);
    return name.equals("hipErrorUnknown") && code != HipConstants.hipErrorUnknown ? null : name;
  }

  @Override
  public String errorText(int code) {
    return errorName(code) == null ? "" : setup().getErrorString(code);
  }

  @Override
  public native int getDevice(int[] device);

  @Override
  public native int setDevice(int device);

  @Override
  public native int streamSynchronize(long stream);

  @Override
  public native int streamQuery(long stream);

  @Override
  public native int streamWaitEvent(long stream, long event, int flags);

  @Override
  public native int eventRecord(long event, long stream);

  @Override
  public native int eventElapsedTime(float[] millis, long from, long to);

  @Override
  public native int eventQuery(long event);

  @Override
  public native int eventSynchronize(long event);

  @Override
  public native int mallocFromPoolAsync(long[] address, long bytes, long pool, long stream);

  @Override
  public native int freeAsync(long address, long stream);

  @Override
  public native int memcpyAsync(long target, long source, long bytes, int kind, long stream);

  @Override
  public native int memcpyHtoDAsync(long target, long source, long bytes, long stream);

  @Override
  public native int memcpyDtoHAsync(long target, long source, long bytes, long stream);

  @Override
  public native int memcpyDtoDAsync(long target, long source, long bytes, long stream);

  @Override
  public native int memsetD8Async(long target, byte value, long count, long stream);

  @Override
  public native int memsetD16Async(long target, short value, long count, long stream);

  @Override
  public native int memsetD32Async(long target, int value, long count, long stream);

  @Override
  public native int moduleLaunchKernel(
      long kernel,
      int groupsX,
      int groupsY,
      int groupsZ,
      int itemsX,
      int itemsY,
      int itemsZ,
      int sharedBytes,
      long stream,
      long parameters,
      long extra);
}
