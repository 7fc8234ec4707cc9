package org.jhal.driver.gpu;

import org.jhal.driver.DeviceMemory;

/** Memory that the device can access at one address. */
public interface GpuMemory extends DeviceMemory {
  /** The device's address of its first byte. */
  long address();

  /** Whether the bytes are in host memory. */
  boolean isOnHost();
}
