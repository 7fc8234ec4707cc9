package org.jhal.cuda;

import com.sun.jna.Memory;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUmemoryPool;
import jcuda.driver.CUstream;
import jcuda.driver.JCudaDriver;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.utils.MemoryBudget;

/**
 * The device memory of one {@link CudaDevice}: a native pool of its own, so that the settings of
 * the device's default pool stay what other users of CUDA expect. What is freed stays in the pool
 * for later allocations until the device closes.
 *
 * <p>Allocating and freeing on a stream never waits for the device, other than cuMemAlloc and
 * cuMemFree, which wait for all that runs.
 *
 * <p>Thread-safe; the context is current on the calling thread.
 */
final class MemoryPool {
  // From cuda.h: struct CUmemPoolProps and enum CUmemPool_attribute.
  private static final int PROPERTIES_BYTES = 88;
  private static final int ALLOCATION_TYPE = 0; // offsets
  private static final int LOCATION_TYPE = 8;
  private static final int LOCATION_ID = 12;
  private static final int TYPE_PINNED = 1; // what all pools are of
  private static final int LOCATION_DEVICE = 1;
  private static final int RELEASE_THRESHOLD = 4;

  private final CudaContext context;
  private final MemoryBudget budget;
  private final CUstream stream = new CUstream(); // orders what no queue does
  private final CUmemoryPool handle = new CUmemoryPool();

  MemoryPool(CudaContext context, int ordinal, MemoryBudget budget) {
    this.context = context;
    this.budget = budget;
    Memory properties = new Memory(PROPERTIES_BYTES);
    properties.clear();
    properties.setInt(ALLOCATION_TYPE, TYPE_PINNED);
    properties.setInt(LOCATION_TYPE, LOCATION_DEVICE);
    properties.setInt(LOCATION_ID, ordinal);
    long[] out = new long[1];
    context.check("cuMemPoolCreate", CudaExtras.cuMemPoolCreate(out, properties));
    Handles.set(handle, out[0]);
    try {
      out[0] = -1L; // the largest value: the pool keeps everything
      context.check(
          "cuMemPoolSetAttribute",
          CudaExtras.cuMemPoolSetAttribute(Handles.get(handle), RELEASE_THRESHOLD, out));
      context.check("cuStreamCreate", JCudaDriver.cuStreamCreate(stream, CudaStream.NON_BLOCKING));
    } catch (Throwable t) {
      int ignored = CudaExtras.cuMemPoolDestroy(Handles.get(handle));
      throw t;
    }
  }

  /** Memory that can be used at once. */
  PoolMemory allocate(long bytes) {
    CUdeviceptr out = new CUdeviceptr();
    PoolMemory memory;
    try {
      memory = allocate(bytes, stream, out);
    } catch (HalException e) {
      if (e.status() != Status.RESOURCE_EXHAUSTED) {
        throw e;
      }
      synchronizeStream(); // what was freed on it is there for sure then
      memory = allocate(bytes, stream, out);
    }
    try {
      synchronizeStream();
    } catch (HalException e) {
      if (!context.isLost()) {
        free(memory);
      }
      throw e;
    }
    return memory;
  }

  private void synchronizeStream() {
    context.check("cuStreamSynchronize", JCudaDriver.cuStreamSynchronize(stream));
  }

  /**
   * Memory that can be used behind what {@code on} holds now.
   *
   * @param out of the caller, which is overwritten
   * @throws HalException RESOURCE_EXHAUSTED if the budget or the device has not enough
   */
  PoolMemory allocate(long bytes, CUstream on, CUdeviceptr out) {
    budget.reserve(bytes);
    if (bytes == 0) {
      return new PoolMemory(this, 0, 0);
    }
    int code = JCudaDriver.cuMemAllocFromPoolAsync(out, bytes, handle, on);
    if (code != CudaResult.SUCCESS) {
      budget.giveBack(bytes);
      throw context.failure("cuMemAllocFromPoolAsync", code, "cannot allocate " + bytes + " bytes");
    }
    return new PoolMemory(this, Handles.get(out), bytes);
  }

  /** Frees memory that nothing uses. */
  void free(PoolMemory memory) {
    free(memory, stream, new CUdeviceptr());
  }

  /**
   * Frees memory behind what {@code on} holds now.
   *
   * @param in of the caller, which is overwritten
   */
  void free(PoolMemory memory, CUstream on, CUdeviceptr in) {
    if (memory.size() > 0) {
      int code = JCudaDriver.cuMemFreeAsync(Handles.set(in, memory.address()), on);
      if (code != CudaResult.SUCCESS) {
        HalException failure = context.failure("cuMemFreeAsync", code, "");
        if (!context.isLost()) {
          throw failure;
        }
      }
    }
    budget.giveBack(memory.size());
  }

  /** Gives the memory back to the system. */
  void close() {
    context.checkFreed("cuStreamSynchronize", JCudaDriver.cuStreamSynchronize(stream));
    context.checkFreed("cuStreamDestroy", JCudaDriver.cuStreamDestroy(stream));
    context.checkFreed("cuMemPoolDestroy", CudaExtras.cuMemPoolDestroy(Handles.get(handle)));
  }
}
