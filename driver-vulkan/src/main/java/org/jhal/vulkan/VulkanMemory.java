// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan;

import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.DeviceMemory;
import org.jhal.driver.MappedRange;

/** Memory that work on a device may use: a part of a VkBuffer. Thread-safe. */
interface VulkanMemory extends DeviceMemory {
  /** The VkBuffer; 0 for memory of no bytes. */
  long buffer();

  /** The same object for all memory of the same VkBuffer. */
  Object identity();

  /** Where it starts in the VkBuffer, in bytes; any number. */
  long bufferOffset();

  /** The address of the first byte for kernels; 0 for memory of no bytes. */
  long address();

  @Override
  default MappedRange map(long offset, int length) {
    throw new HalException(Status.UNIMPLEMENTED, "the host does not see this memory");
  }
}
