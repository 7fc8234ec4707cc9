// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Host memory that the commands of one command buffer read: arguments and patterns. It is used
 * again when the command buffer is.
 *
 * <p>Used by the thread that issues.
 */
final class ScratchMemory {
  private static final int CHUNK_BYTES = 16 << 10;
  private static final int ALIGNMENT = 16;

  /** A piece: the host's view, and the same place for the device. */
  record Piece(ByteBuffer bytes, long buffer, long bufferOffset, long address) {}

  private record Chunk(StagingRange range, ByteBuffer bytes) {}

  private final MemoryBlocks blocks;
  private final List<Chunk> chunks = new ArrayList<>();
  private int used; // of the last chunk

  ScratchMemory(MemoryBlocks blocks) {
    this.blocks = blocks;
  }

  /** A piece of any size. */
  Piece take(int size) {
    int bytes = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (chunks.isEmpty() || used + bytes > last().bytes.capacity()) {
      StagingRange range = new StagingRange(blocks, Math.max(CHUNK_BYTES, bytes));
      chunks.add(new Chunk(range, range.map(0, (int) range.size()).bytes()));
      used = 0;
    }
    Chunk chunk = last();
    Piece piece =
        new Piece(
            chunk.bytes.slice(used, bytes).order(chunk.bytes.order()),
            chunk.range.buffer(),
            chunk.range.bufferOffset() + used,
            chunk.range.address() + used);
    used += bytes;
    return piece;
  }

  private Chunk last() {
    return chunks.get(chunks.size() - 1);
  }

  /** Makes all pieces free; all memory but one chunk is given back. */
  void reset() {
    while (chunks.size() > 1) {
      chunks.remove(chunks.size() - 1).range.free();
    }
    used = 0;
  }

  void close() {
    chunks.forEach(chunk -> chunk.range.free());
    chunks.clear();
  }
}
