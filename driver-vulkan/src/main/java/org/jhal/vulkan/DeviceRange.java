// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan;

import org.jhal.driver.options.MemoryBudget;
import org.jspecify.annotations.Nullable;

/** Memory that the host does not see. It counts against a budget until it is freed. */
final class DeviceRange extends BlockMemory {
  private final MemoryBudget budget;

  private DeviceRange(MemoryBudget budget, MemoryBlocks.@Nullable Range range, long size) {
    super(range, size);
    this.budget = budget;
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
      DeviceRange made = new DeviceRange(budget, size == 0 ? null : blocks.allocate(size), size);
      isDone = true;
      return made;
    } finally {
      if (!isDone) {
        budget.giveBack(size);
      }
    }
  }

  /** The same memory for its next user, after {@link #endAccount}. */
  DeviceRange again() {
    budget.reserve(size());
    return new DeviceRange(budget, range(), size());
  }

  /** Counts it as free, though work that was issued still uses it. */
  void endAccount() {
    budget.giveBack(size());
  }

  /** Frees it after {@link #endAccount}. */
  void freeLate() {
    freeRange();
  }

  @Override
  public void free() {
    freeLate();
    endAccount();
  }
}
