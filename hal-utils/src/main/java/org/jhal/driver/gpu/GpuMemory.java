package org.jhal.driver.gpu;

import org.jhal.driver.DeviceMemory;

/** Memory that the device reaches at one address. */
public interface GpuMemory extends DeviceMemory {
  /** Where the device finds its first byte. */
  long address();

  /** Whether the bytes lie in the host's memory. */
  boolean isOnHost();
}
