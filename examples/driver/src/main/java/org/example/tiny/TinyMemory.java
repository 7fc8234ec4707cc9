// SPDX-License-Identifier: Apache-2.0
package org.example.tiny;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.DeviceMemory;
import org.jhal.driver.MappedRange;
import org.jhal.driver.options.MemoryBudget;

/** Memory outside the heap. The garbage collector frees it, when no view of it is left either. */
class TinyMemory implements DeviceMemory {
  private final MemoryBudget budget;
  private final ByteBuffer bytes;

  TinyMemory(MemoryBudget budget, long size) {
    this.budget = budget;
    budget.reserve(size);
    try {
      bytes = ByteBuffer.allocateDirect((int) size);
    } catch (OutOfMemoryError e) {
      budget.giveBack(size);
      throw new HalException(
          Status.RESOURCE_EXHAUSTED, "cannot allocate " + size + " bytes: " + e.getMessage(), e);
    }
  }

  /** A view of a range. */
  ByteBuffer slice(long offset, long length) {
    return bytes.slice((int) offset, (int) length).order(ByteOrder.nativeOrder());
  }

  @Override
  public long size() {
    return bytes.capacity();
  }

  @Override
  public MappedRange map(long offset, int length) {
    ByteBuffer view = slice(offset, length);
    return () -> view;
  }

  @Override
  public void free() {
    budget.giveBack(size());
  }
}
