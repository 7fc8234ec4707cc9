// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan;

import org.jhal.driver.options.MemoryBudget;
import org.jspecify.annotations.Nullable;

/** Memory that the host does not see. It counts against a budget until it is freed. */
final class DeviceRange implements VulkanMemory {
  private final MemoryBudget budget;
  private final MemoryBlocks.@Nullable Range range; // null for no bytes
  private final long size;

  private DeviceRange(MemoryBudget budget, MemoryBlocks.@Nullable Range range, long size) {
    this.budget = budget;
    this.range = range;
    this.size = size;
  }

  /**
   * Allocates memory.
   *
   * @throws org.jhal.HalException RESOURCE_EXHAUSTED if the budget or the device has not enough
   */
  static DeviceRange allocate(MemoryBlocks blocks, MemoryBudget budget, long size) {
    budget.reserve(size);
    boolean isDone = false;
    try {
      DeviceRange made = of(budget, size == 0 ? null : blocks.allocate(size), size);
      isDone = true;
      return made;
    } finally {
      if (!isDone) {
        budget.giveBack(size);
      }
    }
  }

  private static DeviceRange of(
      MemoryBudget budget, MemoryBlocks.@Nullable Range range, long size) {
    return new DeviceRange(budget, range, size);
  }

  /** The same memory for its next user, after {@link #endAccount}. */
  DeviceRange again() {
    budget.reserve(size);
    return new DeviceRange(budget, range, size);
  }

  /** Counts it as free, though work that was issued still uses it. */
  void endAccount() {
    budget.giveBack(size);
  }

  /** Frees it after {@link #endAccount}. */
  void freeLate() {
    if (range != null) {
      range.free();
    }
  }

  @Override
  public long size() {
    return size;
  }

  @Override
  public long buffer() {
    return range == null ? 0 : range.buffer();
  }

  @Override
  public long bufferOffset() {
    return range == null ? 0 : range.offset();
  }

  @Override
  public long address() {
    return range == null ? 0 : range.address();
  }

  @Override
  public void free() {
    freeLate();
    endAccount();
  }
}
