// SPDX-License-Identifier: Apache-2.0
package org.jhal.recording.capture;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import org.jhal.HostMemory;

/** Where host memory lies, as far as Java tells it: modulo a large number. */
final class Addresses {
  private static final int MODULUS = 1 << 30; // the largest that a buffer takes

  private Addresses() {}

  /** Whether host memory may have bytes in common with a direct buffer; true if unknown. */
  static boolean mayOverlap(ByteBuffer bytes, HostMemory memory) {
    if (memory.isOnHeap() || memory.size() == 0 || bytes.capacity() == 0) {
      return false;
    }
    Buffer direct = memory.direct();
    long at;
    if (direct instanceof ByteBuffer buffer) {
      at = buffer.alignmentOffset(0, MODULUS);
    } else if (memory.address() != 0) {
      at = memory.address();
    } else {
      return true;
    }
    long distance = Math.floorMod(at - bytes.alignmentOffset(0, MODULUS), MODULUS);
    return distance < bytes.capacity() || MODULUS - distance < memory.size();
  }
}
