// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.sun.jna.Pointer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jhal.HalException;
import org.jhal.Status;

/**
 * The memory of one type of a device. Small ranges are cut from blocks, as a device allows few
 * allocations; larger ones have blocks of their own. One empty block is kept.
 *
 * <p>Thread-safe.
 */
final class MemoryBlocks {
  private static final long ALIGNMENT = 256;
  private static final long BLOCK_BYTES = 32L << 20;

  /** A VkBuffer over memory of its own, and the free ranges in it: lengths by offsets. */
  private static final class Block {
    private final NativeBuffer buffer;
    private final boolean isShared; // by several ranges
    private final TreeMap<Long, Long> free = new TreeMap<>();

    Block(NativeBuffer made, boolean isShared) {
      this.buffer = made;
      this.isShared = isShared;
      free.put(0L, made.size());
    }

    boolean isEmpty() {
      Map.Entry<Long, Long> first = free.firstEntry();
      return first != null && first.getValue() == buffer.size();
    }

    /** Takes the first range that is large enough; -1 if there is none. */
    long take(long bytes) {
      for (Map.Entry<Long, Long> range : free.entrySet()) {
        long length = range.getValue();
        if (length >= bytes) {
          long offset = range.getKey();
          free.remove(offset);
          if (length > bytes) {
            free.put(offset + bytes, length - bytes);
          }
          return offset;
        }
      }
      return -1;
    }

    void giveBack(long offset, long bytes) {
      long from = offset;
      long length = bytes;
      Map.Entry<Long, Long> before = free.lowerEntry(offset);
      if (before != null && before.getKey() + before.getValue() == offset) {
        from = before.getKey();
        length += before.getValue();
      }
      Long after = free.remove(offset + bytes);
      if (after != null) {
        length += after;
      }
      free.put(from, length);
    }
  }

  /** A part of a block. */
  static final class Range {
    private final MemoryBlocks owner;
    private final Block block;
    private final long offset;
    private final long bytes;

    private Range(MemoryBlocks owner, Block block, long offset, long bytes) {
      this.owner = owner;
      this.block = block;
      this.offset = offset;
      this.bytes = bytes;
    }

    /** The VkBuffer. */
    long buffer() {
      return block.buffer.handle();
    }

    /** The same object for all ranges of the VkBuffer. */
    Object identity() {
      return block.buffer;
    }

    /** Where it starts in the VkBuffer, in bytes. */
    long offset() {
      return offset;
    }

    /** The device's address of its first byte. */
    long address() {
      return block.buffer.address() + offset;
    }

    /** Its first byte for the host; only of memory that is mapped. */
    Pointer host() {
      return new Pointer(block.buffer.hostAddress() + offset);
    }

    /** Frees it. */
    void free() {
      owner.free(this);
    }
  }

  private final LogicalDevice device;
  private final int typeIndex;
  private final boolean isMapped;

  @GuardedBy("this")
  private final List<Block> blocks = new ArrayList<>();

  /**
   * Memory of a type, without a block.
   *
   * @param isMapped whether the host accesses it
   */
  MemoryBlocks(LogicalDevice device, int typeIndex, boolean isMapped) {
    this.device = device;
    this.typeIndex = typeIndex;
    this.isMapped = isMapped;
  }

  /**
   * Allocates a range.
   *
   * @param size at least 1
   * @throws HalException RESOURCE_EXHAUSTED if there is not enough memory
   */
  synchronized Range allocate(long size) {
    long bytes = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    boolean isLarge = bytes > BLOCK_BYTES / 2;
    if (!isLarge) {
      for (Block block : blocks) {
        long offset = block.isShared ? block.take(bytes) : -1;
        if (offset >= 0) {
          return new Range(this, block, offset, bytes);
        }
      }
    }
    Block made = new Block(allocateBlock(isLarge ? bytes : BLOCK_BYTES, bytes), !isLarge);
    blocks.add(made);
    return new Range(this, made, made.take(bytes), bytes);
  }

  /** Allocates a block, a smaller one if there is not enough memory. */
  private NativeBuffer allocateBlock(long wanted, long least) {
    try {
      return allocateNow(wanted);
    } catch (HalException e) {
      if (wanted == least || e.status() != Status.RESOURCE_EXHAUSTED) {
        throw e;
      }
      return allocateNow(least);
    }
  }

  private NativeBuffer allocateNow(long bytes) {
    NativeBuffer made = NativeBuffer.allocate(device, bytes, typeIndex, isMapped);
    if (isMapped) {
      device.mapped().add(made);
    }
    return made;
  }

  private void free(Block block) {
    if (isMapped) {
      device.mapped().remove(block.buffer);
    }
    block.buffer.free();
  }

  private synchronized void free(Range range) {
    Block block = range.block;
    block.giveBack(range.offset, range.bytes);
    if (block.isEmpty() && (!block.isShared || hasOtherEmpty(block))) {
      blocks.remove(block);
      free(block);
    }
  }

  @GuardedBy("this")
  private boolean hasOtherEmpty(Block block) {
    for (Block other : blocks) {
      if (other != block && other.isEmpty()) {
        return true;
      }
    }
    return false;
  }

  /** Frees everything. */
  synchronized void close() {
    blocks.forEach(this::free);
    blocks.clear();
  }
}
