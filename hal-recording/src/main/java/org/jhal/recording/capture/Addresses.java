// SPDX-License-Identifier: Apache-2.0
package org.jhal.recording.capture;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import org.jhal.HostMemory;

/** Whether host memory overlaps, as far as Java tells: it gives addresses modulo a large number. */
final class Addresses {
  private static final int MODULUS = 1 << 30; // the largest that a buffer takes

  private static final long UNKNOWN = -1;

  private Addresses() {}

  /** Whether host memory may have bytes in common with a direct buffer; true if unknown. */
  static boolean mayOverlap(ByteBuffer bytes, HostMemory memory) {
    if (memory.isOnHeap() || memory.size() == 0 || bytes.capacity() == 0) {
      return false;
    }
    long at = address(memory);
    return at == UNKNOWN
        || mayOverlap(bytes.alignmentOffset(0, MODULUS), bytes.capacity(), at, memory.size());
  }

  /** Whether two direct buffers may have bytes in common. */
  static boolean mayOverlap(ByteBuffer a, ByteBuffer b) {
    return a.capacity() > 0
        && b.capacity() > 0
        && mayOverlap(
            a.alignmentOffset(0, MODULUS),
            a.capacity(),
            b.alignmentOffset(0, MODULUS),
            b.capacity());
  }

  /** Whether two ranges of host memory may have bytes in common; true if unknown. */
  static boolean mayOverlap(HostMemory a, HostMemory b) {
    if (a == b) {
      return true;
    } else if (a.size() == 0 || b.size() == 0 || a.isOnHeap() != b.isOnHeap()) {
      return false;
    } else if (a.isOnHeap()) {
      boolean isKnown = a.base() != a && b.base() != b; // else it is its own base
      return !isKnown
          || a.base() == b.base()
              && a.baseOffset() < b.baseOffset() + b.size()
              && b.baseOffset() < a.baseOffset() + a.size();
    }
    long first = address(a);
    long second = address(b);
    return first == UNKNOWN || second == UNKNOWN || mayOverlap(first, a.size(), second, b.size());
  }

  private static boolean mayOverlap(long a, long aSize, long b, long bSize) {
    long distance = Math.floorMod(b - a, MODULUS);
    return distance < aSize || MODULUS - distance < bSize;
  }

  private static long address(HostMemory memory) {
    Buffer direct = memory.direct();
    if (direct instanceof ByteBuffer buffer) {
      return buffer.alignmentOffset(0, MODULUS);
    }
    return memory.address() == 0 ? UNKNOWN : memory.address();
  }
}
