// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.hazard;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;
import org.jhal.HostMemory;

/** A number that differs, almost certainly, if the bytes of host memory differ. */
final class SourceDigest {
  /** Of memory that cannot be read. */
  static final long UNKNOWN = -1;

  private static final int BLOCK = 64 << 10;

  /** Of a larger memory, so many blocks are looked at, from the first to the last one. */
  private static final int BLOCKS = 16;

  private SourceDigest() {}

  static long of(HostMemory memory) {
    long size = memory.size();
    long last = Math.max(0, size - BLOCK);
    long count = Math.min(BLOCKS, (size + BLOCK - 1) / BLOCK);
    ByteBuffer block =
        ByteBuffer.allocate((int) Math.min(size, BLOCK)).order(ByteOrder.nativeOrder());
    CRC32C digest = new CRC32C();
    try {
      for (long i = 0; i < count; i++) {
        // On an element's boundary, like the size.
        long from = count == 1 ? 0 : i == count - 1 ? last : last / (count - 1) * i & -8L;
        memory.read(from, block.clear());
        digest.update(block.flip());
      }
    } catch (RuntimeException e) {
      return UNKNOWN; // such as an arena that was closed
    }
    return digest.getValue();
  }
}
