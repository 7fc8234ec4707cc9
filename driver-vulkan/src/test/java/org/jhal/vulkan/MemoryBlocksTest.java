// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.jhal.Device;
import org.jhal.MemoryType;
import org.jhal.engine.EngineDevice;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The ranges of a block: they do not overlap, and become one again. */
@Timeout(60)
class MemoryBlocksTest {
  private static final long ALIGNMENT = 256;
  private static final long HALF_BLOCK = 16L << 20;

  private record Taken(MemoryBlocks.Range range, long size) {
    boolean overlaps(Taken other) {
      return range.buffer() == other.range.buffer()
          && range.offset() < other.range.offset() + other.size
          && other.range.offset() < range.offset() + size;
    }
  }

  private static LogicalDevice logical(Device device) {
    return ((VulkanDevice) ((EngineDevice<?>) device).backend()).logical();
  }

  @Test
  void rangesNeverOverlapAndBecomeOneAgain() {
    try (Device device = OpenVulkan.open("vulkan")) {
      MemoryBlocks blocks = logical(device).memory(MemoryType.DEVICE);
      Random random = new Random(7);
      List<Taken> taken = new ArrayList<>();
      for (int round = 0; round < 3000; round++) {
        if (taken.size() > 200 || (!taken.isEmpty() && random.nextInt(3) == 0)) {
          taken.remove(random.nextInt(taken.size())).range.free();
        } else {
          long size = 1 + random.nextInt(60_000);
          Taken next = new Taken(blocks.allocate(size), size);
          assertEquals(0, next.range.address() % ALIGNMENT);
          assertNotEquals(0, next.range.buffer());
          assertTrue(taken.stream().noneMatch(next::overlaps), () -> next + " overlaps another");
          taken.add(next);
        }
      }
      taken.forEach(each -> each.range.free());
      // Both halves of what was in pieces, in the block that is kept.
      MemoryBlocks.Range first = blocks.allocate(HALF_BLOCK);
      MemoryBlocks.Range second = blocks.allocate(HALF_BLOCK);
      assertEquals(first.buffer(), second.buffer());
      assertEquals(HALF_BLOCK, Math.abs(first.offset() - second.offset()));
      first.free();
      second.free();
    }
  }

  /** Larger ranges have allocations of their own, which end with them. */
  @Test
  void largeRangesHaveBlocksOfTheirOwn() {
    try (Device device = OpenVulkan.open("vulkan")) {
      MemoryBlocks blocks = logical(device).memory(MemoryType.HOST);
      Set<Long> buffers = new HashSet<>();
      List<MemoryBlocks.Range> all = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        MemoryBlocks.Range range = blocks.allocate(HALF_BLOCK + 1);
        range.host().setByte(HALF_BLOCK, (byte) 1);
        buffers.add(range.buffer());
        assertEquals(0, range.offset());
        all.add(range);
      }
      assertEquals(4, buffers.size());
      all.forEach(MemoryBlocks.Range::free);
    }
  }
}
