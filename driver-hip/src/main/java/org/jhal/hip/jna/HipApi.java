package org.jhal.hip.jna;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jhal.gpu.natives.GpuApi;
import org.jhal.gpu.natives.SharedLibrary;
import org.jspecify.annotations.Nullable;

/**
 * The functions of the HIP runtime that operations call.
 *
 * <p>{@link #bind} must be called first.
 */
public final class HipApi implements GpuApi {
  public static final HipApi API = new HipApi();

  /** The prefix of the functions' names. */
  public static final String PREFIX = "hip";

  private volatile @Nullable HipSetup setup; // null until the functions are bound

  private HipApi() {}

  /** The names of all functions; ROCm 5.2 has them. */
  public static List<String> symbols() {
    List<String> all = new ArrayList<>(SharedLibrary.functions(HipApi.class));
    all.addAll(SharedLibrary.functions(HipSetup.class));
    return all.stream().map(API::functionName).sorted().toList();
  }

  /** Binds the functions to a library that has them all. */
  public static void bind(SharedLibrary library) {
    library.bind(HipApi.class, API::functionName);
    API.setup = library.map(HipSetup.class, PREFIX);
  }

  @Override
  public HipSetup setup() {
    return Objects.requireNonNull(setup, "HipApi.bind has not been called");
  }

  @Override
  public String functionName(String function) {
    return SharedLibrary.function(PREFIX, function);
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

  public native int getDevice(int[] device);

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
