// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.memory;

import com.sun.jna.Pointer;
import java.lang.ref.Cleaner;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.atomic.AtomicInteger;
import org.jhal.driver.MappedRange;
import org.jhal.driver.support.FreeThread;
import org.jhal.gpu.natives.Undo;
import org.jhal.gpu.runtime.GpuMemory;
import org.jhal.gpu.runtime.GpuRuntime;
import org.jhal.gpu.runtime.HostPinning;

/**
 * Write-combined host memory as a buffer: fast for the device to read, slow for the host to read.
 * Only the runtime can allocate such memory, so it is freed with the device; while a view of it is
 * reachable, the native device is kept open.
 */
public final class UploadMemory implements GpuMemory {
  private static final Cleaner CLEANER = Cleaner.create();

  /** The number of closed buffers of the process whose views are not collected. */
  private static final AtomicInteger WAITING = new AtomicInteger();

  private final GpuRuntime runtime; // retained by this object
  private final FreeThread frees;
  private final long size;
  private final long hostAddress;
  private final long deviceAddress;
  private final AtomicInteger users = new AtomicInteger(1); // the buffer, and reachable views

  /** Allocates memory; the device is bound. */
  UploadMemory(GpuRuntime runtime, FreeThread frees, long size) {
    this.runtime = runtime;
    this.frees = frees;
    this.size = size;
    runtime.retain();
    HostPinning pinning = runtime.pinning();
    long host =
        Undo.onFailure(
            () -> frees.allocate(() -> pinning.allocate(Math.max(1, size))), runtime::release);
    hostAddress = host;
    deviceAddress =
        Undo.onFailure(
            () -> pinning.deviceAddress(host),
            () -> {
              pinning.forget(host);
              pinning.freeHost(host);
              runtime.release();
            });
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
    return size;
  }

  /** The device sees the host's writes at the next launch without a flush. */
  @Override
  public MappedRange map(long offset, int length) {
    if (length == 0) {
      ByteBuffer empty = ByteBuffer.allocateDirect(0);
      return () -> empty;
    }
    ByteBuffer view =
        new Pointer(hostAddress + offset).getByteBuffer(0, length).order(ByteOrder.nativeOrder());
    users.incrementAndGet();
    CLEANER.register(view, this::userIsGone);
    return () -> view;
  }

  @Override
  public void free() {
    WAITING.incrementAndGet();
    userIsGone();
  }

  /** Drops a user. The last one, perhaps the cleaner, frees the memory. */
  private void userIsGone() {
    if (users.decrementAndGet() == 0) {
      runtime.pinning().forget(hostAddress); // before another thread can get the same address
      frees.free(
          () -> runtime.pinning().freeHost(hostAddress),
          () -> {
            runtime.release();
            WAITING.decrementAndGet();
          });
    }
  }

  /** How many freed buffers still have uncollected views. */
  public static int waiting() {
    return WAITING.get();
  }
}
