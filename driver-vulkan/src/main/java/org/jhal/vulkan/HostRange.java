// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan;

import java.lang.ref.Cleaner;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.jhal.driver.MappedRange;
import org.jhal.driver.options.MemoryBudget;
import org.jspecify.annotations.Nullable;

/**
 * Memory that the host sees. The program may keep a view of it for ever, so the memory is given
 * back, and the device kept open, until no view is reachable any more.
 */
final class HostRange extends BlockMemory {
  private static final Cleaner CLEANER = Cleaner.create();

  private final LogicalDevice device; // retained while this is not given back
  private final @Nullable MemoryBudget budget; // null if it counts against none
  private final AtomicInteger users = new AtomicInteger(1); // the buffer, and reachable views

  private HostRange(
      LogicalDevice device, MemoryBlocks.Range range, @Nullable MemoryBudget budget, long size) {
    super(range, size);
    this.device = device;
    this.budget = budget;
  }

  /**
   * Allocates memory.
   *
   * @param budget that it counts against; null for none
   * @throws org.jhal.HalException RESOURCE_EXHAUSTED if there is not enough
   */
  static HostRange allocate(
      LogicalDevice device, MemoryBlocks blocks, @Nullable MemoryBudget budget, long size) {
    if (budget != null) {
      budget.reserve(size);
    }
    boolean isDone = false;
    try {
      HostRange made = new HostRange(device, blocks.allocate(Math.max(1, size)), budget, size);
      isDone = true;
      device.retain();
      return made;
    } finally {
      if (!isDone && budget != null) {
        budget.giveBack(size);
      }
    }
  }

  /** The memory is coherent: neither side has to flush. */
  @Override
  public MappedRange map(long offset, int length) {
    if (length == 0) {
      ByteBuffer empty = ByteBuffer.allocateDirect(0).order(ByteOrder.nativeOrder());
      return () -> empty;
    }
    ByteBuffer view =
        Objects.requireNonNull(range())
            .host()
            .getByteBuffer(offset, length)
            .order(ByteOrder.nativeOrder());
    users.incrementAndGet();
    CLEANER.register(view, this::userIsGone);
    return () -> view;
  }

  @Override
  public void free() {
    if (budget != null) {
      budget.linger(size());
    }
    userIsGone();
  }

  /** Drops a user. The last one, perhaps the cleaner, gives the memory back. */
  private void userIsGone() {
    if (users.decrementAndGet() == 0) {
      freeRange();
      if (budget != null) {
        budget.release(size());
      }
      device.release();
    }
  }
}
