// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.stream;

import java.util.function.LongSupplier;
import org.jhal.driver.DeviceMemory;
import org.jhal.gpu.memory.HostBlock;
import org.jhal.gpu.runtime.GpuCore;
import org.jhal.gpu.runtime.GpuMemory;
import org.jhal.gpu.runtime.GpuRuntime;
import org.jhal.gpu.transfer.CopyStream;

/** The copies of a native stream. What marks are, subclasses say. */
public abstract class GpuCopyStream implements CopyStream {
  private final GpuCore core;
  private final GpuRuntime runtime;
  private final LongSupplier stream; // the native one, which may change

  /** For a native stream, which is used no more once this is closed. */
  protected GpuCopyStream(GpuCore core, LongSupplier stream) {
    this.core = core;
    this.runtime = core.runtime();
    this.stream = stream;
  }

  @Override
  public final DeviceMemory allocate(int bytes, boolean isPinned) {
    return isPinned ? HostBlock.pinned(core, bytes) : HostBlock.pageable(core, bytes);
  }

  @Override
  public final void upload(
      DeviceMemory staging, long from, DeviceMemory target, long to, long bytes) {
    runtime.copyToDevice(
        stream.getAsLong(), address(target) + to, hostAddress(staging) + from, bytes);
  }

  @Override
  public final void readback(
      DeviceMemory source, long from, DeviceMemory staging, long to, long bytes) {
    runtime.copyToHost(
        stream.getAsLong(), hostAddress(staging) + to, address(source) + from, bytes);
  }

  @Override
  public final Milestone milestone() {
    long event = runtime.createEvent(false);
    return new Milestone() {
      @Override
      public void set() {
        runtime.recordEvent(event, stream.getAsLong());
      }

      @Override
      public boolean isPassed() {
        return runtime.queryEvent(event);
      }

      @Override
      public void close() {
        runtime.destroyEvent(event);
      }
    };
  }

  private static long address(DeviceMemory memory) {
    return ((GpuMemory) memory).address();
  }

  private static long hostAddress(DeviceMemory staging) {
    return ((HostBlock) staging).hostAddress();
  }

  @Override
  public final void synchronize() {
    runtime.synchronizeStream(stream.getAsLong());
  }
}
