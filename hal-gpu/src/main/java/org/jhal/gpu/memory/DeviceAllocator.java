package org.jhal.gpu.memory;

import org.jhal.BufferParams;
import org.jhal.HalException;
import org.jhal.MemoryType;
import org.jhal.Status;
import org.jhal.driver.DeviceMemory;
import org.jhal.gpu.runtime.GpuCore;

/**
 * Allocates memory of each type for a device.
 *
 * <p>Thread-safe. Called with the device bound.
 */
public final class DeviceAllocator {
  private final GpuCore core;
  private final MemoryPool pool;

  public DeviceAllocator(GpuCore core, MemoryPool pool) {
    this.core = core;
    this.pool = pool;
  }

  public static boolean supports(MemoryType type) {
    return type != MemoryType.SHARED;
  }

  /** Allocates memory for immediate use. */
  public DeviceMemory allocate(long bytes, BufferParams params) {
    return switch (params.type()) {
      case DEVICE -> pool.allocate(bytes);
      case HOST -> HostBlock.pinned(core, bytes);
      case HOST_UPLOAD -> new UploadMemory(core.runtime(), core.frees(), bytes);
      default -> throw new HalException(Status.UNIMPLEMENTED, "no memory of type " + params.type());
    };
  }

  /**
   * Allocates memory for use behind the present work in the stream; host memory is not possible.
   */
  public DeviceMemory allocate(long bytes, BufferParams params, long stream) {
    return params.type() == MemoryType.DEVICE
        ? pool.allocate(bytes, stream)
        : allocate(bytes, params);
  }

  public void free(PoolMemory memory, long stream) {
    pool.free(memory, stream);
  }
}
