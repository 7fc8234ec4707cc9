package org.jhal.gpu.runtime;

import com.sun.jna.Memory;
import org.jhal.gpu.natives.GpuSetup;

/** The structures that calls on memory pools take. */
final class PoolLayout {
  private PoolLayout() {}

  static Memory properties(int ordinal) {
    Memory properties = new Memory(GpuSetup.POOL_BYTES);
    properties.clear();
    properties.setInt(GpuSetup.POOL_ALLOCATION_TYPE, GpuSetup.POOL_TYPE_PINNED);
    properties.setInt(GpuSetup.POOL_LOCATION_TYPE, GpuSetup.POOL_LOCATION_DEVICE);
    properties.setInt(GpuSetup.POOL_LOCATION_ID, ordinal);
    return properties;
  }

  static Memory access(int ordinal) {
    Memory access = new Memory(GpuSetup.ACCESS_BYTES);
    access.setInt(GpuSetup.ACCESS_LOCATION_TYPE, GpuSetup.POOL_LOCATION_DEVICE);
    access.setInt(GpuSetup.ACCESS_LOCATION_ID, ordinal);
    access.setInt(GpuSetup.ACCESS_FLAGS, GpuSetup.ACCESS_READ_WRITE);
    return access;
  }
}
