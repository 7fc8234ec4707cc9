// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.transfer;

import java.nio.ByteBuffer;
import org.jhal.HalException;
import org.jhal.driver.DeviceMemory;
import org.jhal.driver.MappedRange;

/**
 * Memory of the host through which bytes go, with the view of the whole of it.
 *
 * @param bytes those of {@code range}; its user sets position and limit
 */
record StagingMemory(DeviceMemory whole, MappedRange range, ByteBuffer bytes) {
  /**
   * Allocates and maps memory of a stream. If this throws, nothing is left.
   *
   * @throws HalException RESOURCE_EXHAUSTED if there is not enough of it
   */
  static StagingMemory make(CopyStream stream, int size, boolean isPinned) {
    DeviceMemory whole = stream.allocate(size, isPinned);
    boolean isMade = false;
    try {
      MappedRange range = whole.map(0, size);
      StagingMemory made = new StagingMemory(whole, range, range.bytes());
      isMade = true;
      return made;
    } finally {
      if (!isMade) {
        whole.free();
      }
    }
  }
}
