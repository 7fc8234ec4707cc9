package org.jhal.gpu.memory;

import org.jhal.gpu.runtime.GpuMemory;

/** Device memory from a {@link MemoryPool}. */
public record PoolMemory(MemoryPool pool, long address, long size) implements GpuMemory {
  @Override
  public int place() {
    return pool.place();
  }

  @Override
  public void free() {
    pool.free(this);
  }
}
