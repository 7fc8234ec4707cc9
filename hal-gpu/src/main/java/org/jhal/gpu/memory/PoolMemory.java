package org.jhal.gpu.memory;

import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.MappedRange;
import org.jhal.gpu.runtime.GpuMemory;

/** Device memory from a {@link MemoryPool}. */
public final class PoolMemory implements GpuMemory {
  private final MemoryPool pool;
  private final long address;
  private final long size;

  PoolMemory(MemoryPool pool, long address, long size) {
    this.pool = pool;
    this.address = address;
    this.size = size;
  }

  @Override
  public long address() {
    return address;
  }

  @Override
  public int place() {
    return pool.place();
  }

  @Override
  public long size() {
    return size;
  }

  @Override
  public MappedRange map(long offset, int length) {
    throw new HalException(Status.UNIMPLEMENTED, "device memory cannot be mapped");
  }

  @Override
  public void free() {
    pool.free(this);
  }
}
