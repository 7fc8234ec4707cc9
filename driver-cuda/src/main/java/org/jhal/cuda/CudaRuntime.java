// SPDX-License-Identifier: Apache-2.0
package org.jhal.cuda;

import static org.jhal.cuda.JCudaApi.API;

import java.util.List;
import org.jhal.gpu.compile.KernelLoader;
import org.jhal.gpu.natives.GpuProperties;
import org.jhal.gpu.natives.NativeBinding;
import org.jhal.gpu.natives.NativeBlock;
import org.jhal.gpu.natives.ResultCodes;
import org.jhal.gpu.runtime.ComputeSplit;
import org.jhal.gpu.runtime.GpuRuntime;
import org.jhal.gpu.runtime.GraphRuntime;
import org.jspecify.annotations.Nullable;

/**
 * An open device: its primary context, which all users of the device in this process share,
 * including those of the CUDA runtime. It is current on a thread only between {@link #bindToThread}
 * and {@link #unbindFromThread}, so a program's own use of CUDA is undisturbed.
 *
 * <p>cuMemFreeHost, cuMemHostUnregister and cuModuleUnload wait until the device is idle;
 * cuStreamDestroy does not.
 *
 * <p>Thread-safe as {@link GpuRuntime} requires.
 */
final class CudaRuntime extends GpuRuntime {
  /** Each thread's memory for the context that a call pops. */
  private static final ThreadLocal<NativeBlock> POPPED =
      ThreadLocal.withInitial(() -> new NativeBlock(Long.BYTES));

  private final @Nullable NativeBinding binding; // null for the driver's own
  private final CudaTable calls;
  private final long context;

  CudaRuntime(GpuProperties properties, @Nullable NativeBinding binding) {
    super(properties.ordinal(), CudaDriver.library(), API.calls(binding)); // in this order
    this.binding = binding;
    calls = API.calls(binding);
    context = retainContext();
  }

  /** Returns the address for the popped context, so that unbinding never allocates it. */
  @Override
  public long bindToThread() {
    long popped = POPPED.get().address(0);
    check("ctxPushCurrent", calls.ctxPushCurrent(context));
    return popped;
  }

  @Override
  public void unbindFromThread(long token) {
    int code = calls.ctxPopCurrent(token);
    if (code != ResultCodes.SUCCESS) {
      popAgain(token);
    }
    if (!isLost()) {
      check("ctxPopCurrent", code);
    }
  }

  /**
   * A pop that has failed may have left the context where it is. Then each further call of the
   * thread, which may be one of another device, would be a call for this device.
   */
  private void popAgain(long token) {
    long[] current = new long[1];
    if (API.setup().ctxGetCurrent(current) == ResultCodes.SUCCESS && current[0] == context) {
      calls.ctxPopCurrent(token); // the first failure is reported
    }
  }

  private long retainContext() {
    long[] out = new long[1];
    check("devicePrimaryCtxRetain", API.setup().devicePrimaryCtxRetain(out, ordinal()));
    return out[0];
  }

  @Override
  public void retain() {
    retainContext();
  }

  @Override
  public void release() {
    checkFreed("devicePrimaryCtxRelease", API.setup().devicePrimaryCtxRelease(ordinal()));
  }

  @Override
  public @Nullable ComputeSplit makeSplit() {
    return CudaSplit.missing(library().library()).isEmpty() ? CudaSplit.of(this, ordinal()) : null;
  }

  @Override
  public String noSplit() {
    List<String> missing = CudaSplit.missing(library().library());
    return missing.isEmpty()
        ? "the GPU has too few multiprocessors"
        : library().library().path()
            + " lacks "
            + String.join(", ", missing)
            + ", which came with CUDA 12.5";
  }

  @Override
  protected int enablePeerAccess(GpuRuntime owner) {
    return API.setup().deviceEnablePeerAccess(((CudaRuntime) owner).context, 0);
  }

  @Override
  protected int copyAnywhere(long target, long source, long bytes, long stream) {
    return calls.memcpyAsync(target, source, bytes, stream);
  }

  @Override
  public KernelLoader makeKernels(GpuProperties device) {
    return new CudaKernels(this, device);
  }

  @Override
  public GraphRuntime makeGraphs() {
    return new CudaGraphs(this, CudaGraphs.Api.API.calls(binding), context);
  }

  /**
   * Both ends must be in one allocation or registration, since a copy across a boundary is refused.
   */
  @Override
  protected boolean isPinnedByOthers(long first, long last) {
    PointerAttributes known = PointerAttributes.of(calls, first);
    if (!known.isHostMemory()) {
      return false;
    }
    long id = known.bufferId();
    known = PointerAttributes.of(calls, last);
    return known.isHostMemory() && known.bufferId() == id;
  }

  @Override
  public Object view() {
    return new CudaNative(context, ordinal());
  }

  /** Replaces the top of the thread's stack of contexts, which {@link #unbindFromThread} pops. */
  @Override
  public void bindAgain() {
    check("ctxSetCurrent", calls.ctxSetCurrent(context));
  }

  @Override
  public boolean isCurrent() {
    long[] current = new long[1];
    check("ctxGetCurrent", API.setup().ctxGetCurrent(current));
    return current[0] == context;
  }

  @Override
  public boolean makeNoneCurrent() {
    check("ctxSetCurrent", calls.ctxSetCurrent(0));
    return true;
  }

  @Override
  protected @Nullable String noOwnMemory(long address) {
    PointerAttributes known = PointerAttributes.of(calls, address);
    if (!known.isDeviceMemory()) {
      return "the runtime knows no device memory there";
    }
    return known.ordinal() != ordinal() ? "it belongs to device " + known.ordinal() : null;
  }
}
