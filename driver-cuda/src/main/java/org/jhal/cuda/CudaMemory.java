package org.jhal.cuda;

import org.jhal.utils.DeviceMemory;

/** Memory that the device reaches at one address. */
interface CudaMemory extends DeviceMemory {
  /** Where the device finds its first byte. */
  long address();

  /** Whether the bytes lie in the host's memory. */
  boolean isOnHost();
}
