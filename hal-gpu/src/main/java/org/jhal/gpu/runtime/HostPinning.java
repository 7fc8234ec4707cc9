// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.runtime;

import org.jhal.HalException;
import org.jhal.gpu.natives.DeviceCalls;
import org.jhal.gpu.natives.GpuApi;
import org.jhal.gpu.natives.GpuSetup;
import org.jhal.gpu.natives.PinnedRanges;
import org.jhal.gpu.natives.ResultCodes;
import org.jhal.gpu.natives.Undo;

/**
 * Page-locks host memory for a device, and records it.
 *
 * <p>Thread-safe. Called with the device bound.
 */
public final class HostPinning {
  private static final int ALLOCATE_FLAGS =
      GpuApi.HOST_ALLOC_PORTABLE | GpuApi.HOST_ALLOC_MAPPED | GpuApi.HOST_ALLOC_WRITE_COMBINED;
  private static final int REGISTER_FLAGS =
      GpuApi.HOST_REGISTER_PORTABLE | GpuApi.HOST_REGISTER_MAPPED;

  private final DeviceCalls calls;
  private final GpuSetup setup;
  private final PinnedRanges pinned;

  HostPinning(DeviceCalls calls) {
    this.calls = calls;
    this.setup = calls.setup();
    this.pinned = calls.library().pinned();
  }

  /**
   * Page-locks host memory for all devices; returns its address on the device.
   *
   * @throws HalException FAILED_PRECONDITION if some of it is page-locked already
   */
  public long register(long hostAddress, long bytes) {
    pinned.add(this, hostAddress, bytes);
    return Undo.onFailure(
        () -> {
          calls.gate().run(() -> pageLock(hostAddress, bytes));
          return Undo.onFailure(
              () -> deviceAddress(hostAddress),
              () -> calls.gate().run(() -> pageUnlock(hostAddress)));
        },
        () -> forget(hostAddress));
  }

  /**
   * Removes memory from the record, even if the runtime could not release it, before the address
   * can be used for other memory.
   */
  public void forget(long hostAddress) {
    pinned.remove(this, hostAddress);
  }

  /** Removes all memory of this device from the record. Called when it closes. */
  public void forget() {
    pinned.removeAll(this);
  }

  private void pageLock(long hostAddress, long bytes) {
    int code = setup.hostRegister(hostAddress, bytes, REGISTER_FLAGS);
    if (code != ResultCodes.SUCCESS) {
      throw calls.failure("hostRegister", code, "cannot page-lock " + bytes + " bytes");
    }
  }

  /** Undoes the registration of memory; may wait until the device is idle. Never throws. */
  public void pageUnlock(long hostAddress) {
    calls.checkFreed("hostUnregister", setup.hostUnregister(hostAddress));
  }

  /**
   * Allocates write-combined, page-locked host memory for the device; returns its host address. It
   * is released by {@link #forget(long)} and then {@link #freeHost}.
   */
  public long allocate(long bytes) {
    long address = calls.gate().call(() -> allocateHost(bytes));
    pinned.add(this, address, bytes);
    return address;
  }

  private long allocateHost(long bytes) {
    long[] out = new long[1];
    int code = setup.hostMalloc(out, bytes, ALLOCATE_FLAGS);
    if (code != ResultCodes.SUCCESS) {
      throw calls.failure("hostMalloc", code, "cannot page-lock " + bytes + " bytes");
    }
    return out[0];
  }

  /** The device's address of page-locked host memory. */
  public long deviceAddress(long hostAddress) {
    long[] out = new long[1];
    calls.check("hostGetDevicePointer", setup.hostGetDevicePointer(out, hostAddress, 0));
    return out[0];
  }

  /** Frees memory from {@link #allocate}; may wait until the device is idle. Never throws. */
  public void freeHost(long hostAddress) {
    calls.checkFreed("hostFree", setup.hostFree(hostAddress));
  }

  /** Whether the driver has page-locked all from {@code first} to {@code last}. */
  public boolean has(long first, long last) {
    return pinned.contains(first, last);
  }
}
