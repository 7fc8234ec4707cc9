package org.jhal.gpu.memory;

import java.nio.ByteBuffer;
import org.jhal.driver.MappedRange;
import org.jhal.driver.support.FreeThread;
import org.jhal.gpu.runtime.GpuMemory;
import org.jhal.gpu.runtime.GpuRuntime;

/** Cached, page-locked host memory as a buffer. */
final class PinnedMemory implements GpuMemory {
  private final HostBlock block;
  private final FreeThread frees;

  PinnedMemory(GpuRuntime runtime, FreeThread frees, long size) {
    this.frees = frees;
    this.block = new HostBlock(runtime, size);
  }

  @Override
  public long address() {
    return block.deviceAddress();
  }

  @Override
  public int place() {
    return HOST;
  }

  @Override
  public long size() {
    return block.size();
  }

  /** The device and the host see each other's writes without a flush. */
  @Override
  public MappedRange map(long offset, int length) {
    ByteBuffer view = block.view(offset, length);
    return () -> view;
  }

  @Override
  public void free() {
    block.release(frees);
  }
}
