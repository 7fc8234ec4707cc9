package org.jhal.gpu.memory;

import java.util.function.BooleanSupplier;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.options.MemoryBudget;
import org.jhal.gpu.natives.Undo;
import org.jhal.gpu.runtime.GpuMemory;
import org.jhal.gpu.runtime.GpuRuntime;

/**
 * The device memory of one {@code GpuDevice}. Freed memory stays in the native pool for later
 * allocations until the device closes.
 *
 * <p>Allocating and freeing in stream order does not wait for the device unless the runtime itself
 * does. Allocating memory for immediate use waits only for the pool's own stream.
 *
 * <p>Thread-safe; the device is bound to the calling thread.
 */
public final class MemoryPool {
  private final GpuRuntime runtime;
  private final int place;
  private final MemoryBudget budget;
  private final BooleanSupplier onShortage;
  private long stream; // orders allocations and frees outside any queue; 0 when it is closed

  /**
   * Creates an empty pool.
   *
   * @param place the {@link GpuMemory#place} of its memory
   * @param onShortage gives back some memory that the device could do without, and returns whether
   *     there was any; called with the device bound each time that an allocation has failed
   */
  public MemoryPool(
      GpuRuntime runtime, int place, MemoryBudget budget, BooleanSupplier onShortage) {
    this.runtime = runtime;
    this.place = place;
    this.budget = budget;
    this.onShortage = onShortage;
    runtime.createPool();
    this.stream = Undo.onFailure(runtime::openStream, runtime::destroyPool);
  }

  /** The {@link GpuMemory#place} of its memory. */
  int place() {
    return place;
  }

  /** Allocates memory that can be used immediately. */
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
      runtime.synchronizeStream(stream); // so that memory freed on it is available
      return allocate(bytes, stream);
    }
  }

  /**
   * Allocates memory that can be used behind the work that is now in stream {@code on}.
   *
   * @throws HalException RESOURCE_EXHAUSTED if the budget or the device has not enough memory
   */
  PoolMemory allocate(long bytes, long on) {
    budget.reserve(bytes);
    if (bytes == 0) {
      return new PoolMemory(this, 0, 0);
    }
    boolean isDone = false;
    try { // no lambdas: the stack may be about to run out
      PoolMemory memory = new PoolMemory(this, allocateOrTrim(bytes, on), bytes);
      isDone = true;
      return memory;
    } finally {
      if (!isDone) {
        budget.giveBack(bytes);
      }
    }
  }

  private long allocateOrTrim(long bytes, long on) {
    while (true) {
      try {
        return runtime.allocate(bytes, on);
      } catch (HalException e) {
        if (e.status() != Status.RESOURCE_EXHAUSTED) {
          throw e;
        }
        if (!onShortage.getAsBoolean()) {
          break;
        }
      }
    }
    runtime.gate().run(runtime::trimPool);
    return runtime.allocate(bytes, on);
  }

  /** Frees memory that nothing uses. */
  void free(PoolMemory memory) {
    free(memory, stream);
  }

  /** Frees memory behind the work that is now in stream {@code on}. */
  void free(PoolMemory memory, long on) {
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

  /**
   * Asks the device for a sign of life.
   *
   * @throws HalException UNAVAILABLE if it is lost
   */
  public void checkWorks() {
    boolean ignored = runtime.isIdle(stream);
  }

  /** Releases all memory to the system. */
  public void close() {
    runtime.giveBack(() -> runtime.synchronizeStream(stream));
    long ended = stream;
    stream = 0;
    runtime.closeStream(ended);
    runtime.destroyPool();
  }
}
