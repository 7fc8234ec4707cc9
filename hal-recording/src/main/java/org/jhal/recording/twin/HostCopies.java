// SPDX-License-Identifier: Apache-2.0
package org.jhal.recording.twin;

import java.nio.ByteBuffer;
import java.util.List;
import org.jhal.HostMemory;
import org.jhal.recording.compare.Side;
import org.jhal.recording.format.Range;

/**
 * Copies between the memory of the program and that of the devices. It goes through arrays, so that
 * both devices get the same bytes, and neither borrows memory of the program.
 */
final class HostCopies {
  private static final int CHUNK = 1 << 24;

  private HostCopies() {}

  /** Writes host memory to a range of the same length on all sides. */
  static void write(HostMemory source, Range target, List<Side> sides) throws InterruptedException {
    for (long at = 0; at < target.length(); at += CHUNK) {
      byte[] chunk = new byte[(int) Math.min(CHUNK, target.length() - at)];
      source.read(at, ByteBuffer.wrap(chunk));
      for (Side side : sides) {
        side.write(part(target, at, chunk.length), chunk);
      }
    }
  }

  /** Reads a range into host memory of the same length. */
  static void read(Side side, Range source, HostMemory target) throws InterruptedException {
    for (long at = 0; at < source.length(); at += CHUNK) {
      int length = (int) Math.min(CHUNK, source.length() - at);
      target.write(at, ByteBuffer.wrap(side.read(part(source, at, length))));
    }
  }

  private static Range part(Range range, long at, int length) {
    return new Range(range.memory(), range.offset() + at, length);
  }
}
