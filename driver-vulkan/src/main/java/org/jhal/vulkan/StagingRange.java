// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jhal.driver.MappedRange;

/** Host memory of the driver's own, whose views are not used any more once it is freed. */
final class StagingRange implements VulkanMemory {
  private final MemoryBlocks.Range range;
  private final long size;

  /**
   * Allocates memory.
   *
   * @throws org.jhal.HalException RESOURCE_EXHAUSTED if there is not enough
   */
  StagingRange(MemoryBlocks blocks, long size) {
    this.range = blocks.allocate(size);
    this.size = size;
  }

  @Override
  public long size() {
    return size;
  }

  @Override
  public long buffer() {
    return range.buffer();
  }

  @Override
  public long bufferOffset() {
    return range.offset();
  }

  @Override
  public long address() {
    return range.address();
  }

  @Override
  public MappedRange map(long offset, int length) {
    ByteBuffer view = range.host().getByteBuffer(offset, length).order(ByteOrder.nativeOrder());
    return () -> view;
  }

  @Override
  public void free() {
    range.free();
  }
}
