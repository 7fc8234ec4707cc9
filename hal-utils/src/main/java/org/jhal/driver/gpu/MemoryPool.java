package org.jhal.driver.gpu;

import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.options.MemoryBudget;

/**
 * The device memory of one {@link GpuDevice}. What is freed stays in the native pool for later
 * allocations until the device closes.
 *
 * <p>Allocating and freeing in the order of a stream never waits for the device where the runtime
 * does not; memory that is to be there at once waits for the pool's own stream, and for nothing
 * else.
 *
 * <p>Thread-safe; the device is bound to the calling thread.
 *
 * @param <S> a native stream
 */
final class MemoryPool<S> {
  private final GpuRuntime<S, ?, ?> runtime;
  private final MemoryBudget budget;
  private final S stream; // orders what no queue does

  MemoryPool(GpuRuntime<S, ?, ?> runtime, MemoryBudget budget) {
    this.runtime = runtime;
    this.budget = budget;
    runtime.createPool();
    try {
      this.stream = runtime.createStream();
    } catch (Throwable t) {
      runtime.destroyPool();
      throw t;
    }
  }

  /** Memory that can be used at once. */
  PoolMemory allocate(long bytes) {
    PoolMemory memory = allocateOrWait(bytes);
    try {
      runtime.synchronizeStream(stream);
    } catch (HalException e) {
      runtime.giveBack(() -> free(memory));
      throw e;
    }
    return memory;
  }

  private PoolMemory allocateOrWait(long bytes) {
    try {
      return allocate(bytes, stream);
    } catch (HalException e) {
      if (e.status() != Status.RESOURCE_EXHAUSTED) {
        throw e;
      }
      runtime.synchronizeStream(stream); // what was freed on it is there for sure then
      return allocate(bytes, stream);
    }
  }

  /**
   * Memory that can be used behind what {@code on} holds now.
   *
   * @throws HalException RESOURCE_EXHAUSTED if the budget or the device has not enough
   */
  PoolMemory allocate(long bytes, S on) {
    budget.reserve(bytes);
    if (bytes == 0) {
      return new PoolMemory(this, 0, 0);
    }
    try {
      return new PoolMemory(this, allocateOrTrim(bytes, on), bytes);
    } catch (Throwable t) {
      budget.giveBack(bytes);
      throw t;
    }
  }

  private long allocateOrTrim(long bytes, S on) {
    try {
      return runtime.allocate(bytes, on);
    } catch (HalException e) {
      if (e.status() != Status.RESOURCE_EXHAUSTED) {
        throw e;
      }
      runtime.trimPool();
      return runtime.allocate(bytes, on);
    }
  }

  /** Frees memory that nothing uses. */
  void free(PoolMemory memory) {
    free(memory, stream);
  }

  /** Frees memory behind what {@code on} holds now. */
  void free(PoolMemory memory, S on) {
    if (memory.size() > 0) {
      try {
        runtime.free(memory.address(), on);
      } catch (HalException e) {
        if (!runtime.isLost()) {
          throw e;
        }
      }
    }
    budget.giveBack(memory.size());
  }

  /** Gives the memory back to the system. */
  void close() {
    runtime.giveBack(() -> runtime.synchronizeStream(stream));
    runtime.destroyStream(stream);
    runtime.destroyPool();
  }
}
