// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.memory;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import org.jhal.BufferParams;
import org.jhal.HalException;
import org.jhal.MemoryType;
import org.jhal.Status;
import org.jhal.driver.DeviceMemory;
import org.jhal.driver.options.MemoryBudget;
import org.jhal.gpu.natives.Undo;
import org.jhal.gpu.runtime.GpuCore;
import org.jhal.gpu.runtime.GpuMemory;
import org.jhal.gpu.runtime.GpuRuntime;

/**
 * Allocates memory of each type for one {@code GpuDevice}. Freed device memory stays in the native
 * pool for later allocations until the device closes.
 *
 * <p>Allocating and freeing in stream order does not wait for the device unless the runtime itself
 * does. Allocating memory for immediate use waits only for the pool's own stream.
 *
 * <p>Thread-safe; the device is bound to the calling thread.
 */
public final class MemoryPool {
  /** Memory that is kept for later allocations, though no buffer uses it. */
  public interface Reserve {
    /**
     * Frees some of it, if there is any: in stream {@code on} what no work uses any more, else
     * behind the work that uses it. Neither the caller nor {@code on} waits for that work. Called
     * by the thread that puts work into {@code on}, with the device bound.
     *
     * @return whether anything was freed
     */
    boolean giveBack(long on);
  }

  /** Device memory from a pool. */
  public record PoolMemory(MemoryPool pool, long address, long size) implements GpuMemory {
    @Override
    public int place() {
      return pool.core.place();
    }

    @Override
    public void free() {
      pool.free(this, pool.stream);
    }
  }

  private final GpuCore core;
  private final GpuRuntime runtime;
  private final MemoryBudget budget;
  private final BooleanSupplier onShortage;
  private final List<Reserve> reserves = new CopyOnWriteArrayList<>();
  private long stream; // orders allocations and frees outside any queue; 0 when it is closed

  /**
   * Creates an empty pool.
   *
   * @param onShortage gives back some memory that the device could do without, and returns whether
   *     there was any; called with the device bound each time that an allocation has failed
   */
  public MemoryPool(GpuCore core, MemoryBudget budget, BooleanSupplier onShortage) {
    this.core = core;
    this.runtime = core.runtime();
    this.budget = budget;
    this.onShortage = onShortage;
    runtime.createPool();
    this.stream = Undo.onFailure(runtime::openStream, runtime::destroyPool);
  }

  /** From now on memory that is scarce is also taken from {@code reserve}. */
  public void add(Reserve reserve) {
    reserves.add(reserve);
  }

  private boolean giveBackKept(long on) {
    for (Reserve reserve : reserves) {
      if (reserve.giveBack(on)) {
        return true;
      }
    }
    return false;
  }

  /** Allocates memory for immediate use; of any type but SHARED. */
  public DeviceMemory allocate(long bytes, BufferParams params) {
    return switch (params.type()) {
      case DEVICE -> allocate(bytes);
      case HOST -> HostBlock.pinned(core, bytes);
      case HOST_UPLOAD -> new UploadMemory(runtime, core.frees(), bytes);
      default -> throw new HalException(Status.UNIMPLEMENTED, "no memory of type " + params.type());
    };
  }

  /**
   * Allocates memory for use behind the work that is now in stream {@code on}; host memory is not
   * possible in stream order.
   *
   * @throws HalException RESOURCE_EXHAUSTED if the budget or the device has not enough memory
   */
  public DeviceMemory allocate(long bytes, BufferParams params, long on) {
    return params.type() == MemoryType.DEVICE ? allocate(bytes, on) : allocate(bytes, params);
  }

  private PoolMemory allocate(long bytes) {
    PoolMemory memory = allocateOrWait(bytes);
    try {
      runtime.synchronizeStream(stream);
    } catch (HalException e) {
      runtime.giveBack(memory::free);
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

  private PoolMemory allocate(long bytes, long on) {
    reserve(bytes, on);
    if (bytes == 0) {
      return new PoolMemory(this, 0, 0);
    }
    boolean isDone = false;
    try {
      PoolMemory memory = new PoolMemory(this, allocateOrTrim(bytes, on), bytes);
      isDone = true;
      return memory;
    } finally {
      if (!isDone) {
        budget.giveBack(bytes);
      }
    }
  }

  private void reserve(long bytes, long on) {
    while (true) {
      try {
        budget.reserve(bytes);
        return;
      } catch (HalException e) {
        if (!giveBackKept(on)) {
          throw e;
        }
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
        if (!giveBackKept(on) && !onShortage.getAsBoolean()) {
          break;
        }
      }
    }
    runtime.gate().run(runtime::trimPool);
    return runtime.allocate(bytes, on);
  }

  /**
   * Frees device memory behind the work that is now in stream {@code on}. Returns false for memory
   * of the host, which it does not free.
   */
  public boolean free(DeviceMemory memory, long on) {
    if (!(memory instanceof PoolMemory own)) {
      return false;
    }
    free(own, on);
    return true;
  }

  /** As {@link #free(DeviceMemory, long)}, for memory of this pool. */
  public void free(PoolMemory own, long on) {
    if (own.size() > 0) {
      try {
        runtime.free(own.address(), on);
      } catch (HalException e) {
        if (!runtime.isLost()) {
          throw e;
        }
      }
    }
    budget.giveBack(own.size());
  }

  /**
   * Asks the device for a sign of life.
   *
   * @throws HalException UNAVAILABLE if it is lost
   */
  public void checkWorks() {
    runtime.isIdle(stream);
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
