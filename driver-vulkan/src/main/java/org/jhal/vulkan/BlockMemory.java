// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan;

import org.jspecify.annotations.Nullable;

/** Memory that is a range of a block, or no memory at all. */
abstract class BlockMemory implements VulkanMemory {
  private final MemoryBlocks.@Nullable Range range; // null for no bytes
  private final long size;

  BlockMemory(MemoryBlocks.@Nullable Range range, long size) {
    this.range = range;
    this.size = size;
  }

  final MemoryBlocks.@Nullable Range range() {
    return range;
  }

  /** Gives the range back to its block. */
  final void freeRange() {
    if (range != null) {
      range.free();
    }
  }

  @Override
  public final long size() {
    return size;
  }

  @Override
  public final long buffer() {
    return range == null ? 0 : range.buffer();
  }

  @Override
  public final Object identity() {
    return range == null ? this : range.identity();
  }

  @Override
  public final long bufferOffset() {
    return range == null ? 0 : range.offset();
  }

  @Override
  public final long address() {
    return range == null ? 0 : range.address();
  }
}
