// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.memory;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.MappedRange;
import org.jhal.driver.support.FreeThread;
import org.jhal.driver.support.PlatformThreads;
import org.jhal.gpu.natives.NativeBlock;
import org.jhal.gpu.runtime.GpuMemory;
import org.jhal.gpu.runtime.GpuRuntime;

/** The caller's host memory as a buffer, registered with the device while the buffer lives. */
public final class ImportedMemory implements GpuMemory {
  private final GpuRuntime runtime;
  private final FreeThread frees;
  private final ByteBuffer memory; // keeps the memory alive
  private final long hostAddress;
  private final long deviceAddress;

  /** Registers {@code memory}; the device is bound. */
  public ImportedMemory(GpuRuntime runtime, FreeThread frees, ByteBuffer memory) {
    this.runtime = runtime;
    this.frees = frees;
    this.memory = memory;
    this.hostAddress = NativeBlock.addressOf(memory);
    this.deviceAddress = memory.capacity() == 0 ? 0 : register();
  }

  private long register() {
    try {
      return runtime.pinning().register(hostAddress, memory.capacity());
    } catch (HalException e) {
      if (e.status() != Status.FAILED_PRECONDITION) {
        throw e;
      }
      // Releasing an earlier import may wait until the device is idle.
      PlatformThreads.waitUnlimited();
      frees.await();
      return runtime.pinning().register(hostAddress, memory.capacity());
    }
  }

  @Override
  public long address() {
    return deviceAddress;
  }

  @Override
  public int place() {
    return HOST;
  }

  @Override
  public long size() {
    return memory.capacity();
  }

  @Override
  public MappedRange map(long offset, int length) {
    ByteBuffer view = memory.slice((int) offset, length).order(ByteOrder.nativeOrder());
    return () -> view;
  }

  @Override
  public void free() {
    free(() -> {});
  }

  @Override
  public void free(Runnable then) {
    if (memory.capacity() == 0) {
      frees.freeSoon(() -> {}, then);
      return;
    }
    frees.freeSoon(
        () -> runtime.pinning().pageUnlock(hostAddress),
        () -> {
          runtime.pinning().forget(hostAddress); // also if the device could not be bound
          then.run();
        });
  }
}
