package org.jhal.utils.gpu;

import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.utils.MemoryBudget;

/**
 * The device memory of one {@link GpuDevice}. What is freed stays in the native pool for later
 * allocations until the device closes.
 *
 * <p>Allocating and freeing never waits for the device, other than the plain calls of the runtimes,
 * which wait for all that runs.
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
      return new PoolMemory(this, runtime.allocate(bytes, on), bytes);
    } catch (Throwable t) {
      budget.giveBack(bytes);
      throw t;
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
