// SPDX-License-Identifier: Apache-2.0
package org.jhal.hip;

import static org.jhal.hip.jna.HipApi.API;

import java.lang.System.Logger.Level;
import java.util.List;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.gpu.compile.KernelLoader;
import org.jhal.gpu.natives.GpuApi;
import org.jhal.gpu.natives.GpuProperties;
import org.jhal.gpu.natives.NativeBinding;
import org.jhal.gpu.natives.ResultCodes;
import org.jhal.gpu.runtime.ComputeSplit;
import org.jhal.gpu.runtime.GpuRuntime;
import org.jhal.gpu.runtime.GraphRuntime;
import org.jhal.hip.jna.HipConstants;
import org.jhal.hip.jna.HipGraphApi;
import org.jhal.hip.jna.HipTable;
import org.jspecify.annotations.Nullable;

/**
 * An open device. It is the calling thread's current device only between {@link #bindToThread} and
 * {@link #unbindFromThread}, so a program's own use of HIP is undisturbed. HIP keeps a device's
 * state for the life of the process, so nothing is released at the end.
 *
 * <p>Thread-safe as {@link GpuRuntime} requires.
 */
final class HipRuntime extends GpuRuntime {
  /** Each thread's array for results of calls, to save an array per submission. */
  private static final ThreadLocal<int[]> OUT = ThreadLocal.withInitial(() -> new int[1]);

  private static final System.Logger LOG = System.getLogger(HipRuntime.class.getName());

  private final @Nullable NativeBinding binding; // null for the driver's own
  private final HipTable calls;

  /**
   * Opens a device.
   *
   * @throws HalException UNIMPLEMENTED if it has no memory pools
   */
  HipRuntime(GpuProperties properties, @Nullable NativeBinding binding) {
    super(properties.ordinal(), HipDriver.library(), API.calls(binding)); // in this order
    this.binding = binding;
    calls = API.calls(binding);
    int[] hasPools = new int[1];
    check(
        "deviceGetAttribute",
        API.setup()
            .deviceGetAttribute(
                hasPools, HipConstants.hipDeviceAttributeMemoryPoolsSupported, ordinal()));
    if (hasPools[0] == 0) {
      throw new HalException(
          Status.UNIMPLEMENTED,
          properties.info().name() + " has no stream-ordered memory, which JHAL needs");
    }
  }

  /** Returns the thread's previous device, which {@link #unbindFromThread} restores. */
  @Override
  public long bindToThread() {
    int before = current();
    if (before != ordinal()) {
      bindAgain();
    }
    return before;
  }

  private int current() {
    int[] out = OUT.get();
    check("getDevice", calls.getDevice(out));
    return out[0];
  }

  /** A failure to restore the thread's previous device does not mean the loss of this one. */
  @Override
  public void unbindFromThread(long token) {
    if (token != ordinal()) {
      int code = calls.setDevice((int) token);
      if (code != ResultCodes.SUCCESS) {
        LOG.log(
            Level.WARNING,
            "device %s cannot be made current again: hipSetDevice returned %s"
                .formatted(token, HipResult.CODES.describe(code)));
      }
    }
  }

  @Override
  public @Nullable ComputeSplit makeSplit() {
    return HipSplit.missing(library().library()).isEmpty() ? HipSplit.of(this, ordinal()) : null;
  }

  @Override
  public String noSplit() {
    List<String> missing = HipSplit.missing(library().library());
    return missing.isEmpty()
        ? "the GPU has too few compute units"
        : library().library().path() + " lacks " + String.join(", ", missing);
  }

  @Override
  protected int enablePeerAccess(GpuRuntime owner) {
    return API.setup().deviceEnablePeerAccess(((HipRuntime) owner).ordinal(), 0);
  }

  @Override
  protected int copyAnywhere(long target, long source, long bytes, long stream) {
    return calls.memcpyAsync(target, source, bytes, GpuApi.MEMCPY_DEFAULT, stream);
  }

  @Override
  public KernelLoader makeKernels(GpuProperties device) {
    return new HipKernels(this, device);
  }

  @Override
  public GraphRuntime makeGraphs() {
    return new HipGraphs(this, HipGraphApi.API.calls(binding));
  }

  /** A pool reuses freed memory only for allocations of nearly the same size, so it is trimmed. */
  @Override
  public void trimPool() {
    checkFreed("memPoolTrimTo", API.setup().memPoolTrimTo(pool(), 0));
  }

  @Override
  public Object view() {
    return new HipNative(ordinal());
  }

  @Override
  public void bindAgain() {
    check("setDevice", calls.setDevice(ordinal()));
  }

  @Override
  public boolean isCurrent() {
    return current() == ordinal();
  }

  /** HIP always has a current device, so another one is made current. */
  @Override
  public boolean makeNoneCurrent() {
    int count = library().countDevices();
    if (count < 2) {
      return false;
    }
    check("setDevice", calls.setDevice((ordinal() + 1) % count));
    return true;
  }
}
