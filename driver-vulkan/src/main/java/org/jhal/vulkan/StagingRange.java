// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;
import org.jhal.driver.MappedRange;

/** Host memory of the driver's own, whose views are not used any more once it is freed. */
final class StagingRange extends BlockMemory {
  /**
   * Allocates memory.
   *
   * @throws org.jhal.HalException RESOURCE_EXHAUSTED if there is not enough
   */
  StagingRange(MemoryBlocks blocks, long size) {
    super(blocks.allocate(size), size);
  }

  @Override
  public MappedRange map(long offset, int length) {
    ByteBuffer view =
        Objects.requireNonNull(range())
            .host()
            .getByteBuffer(offset, length)
            .order(ByteOrder.nativeOrder());
    return () -> view;
  }

  @Override
  public void free() {
    freeRange();
  }
}
