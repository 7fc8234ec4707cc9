// SPDX-License-Identifier: Apache-2.0
package org.jhal.mock;

import java.nio.ByteBuffer;
import org.jhal.driver.MappedRange;
import org.jhal.driver.NativeAccess;
import org.jhal.kernels.workgroup.KernelView;
import org.jspecify.annotations.Nullable;

/** Lends the bytes of buffers to external work. Used by the stream's thread. */
final class MockLease implements NativeAccess {
  private final KernelView[] buffers;
  private final @Nullable MappedRange[] lent; // by buffer

  MockLease(KernelView[] buffers) {
    this.buffers = buffers;
    this.lent = new MappedRange[buffers.length];
  }

  @Override
  public ByteBuffer bytes(int index) {
    MappedRange range = lent[index];
    if (range == null) {
      range = map(buffers[index]);
      range.invalidate();
      lent[index] = range;
    }
    return range.bytes().duplicate(); // a position of its own for each
  }

  private static MappedRange map(KernelView buffer) {
    return ((MockMemory) buffer.memory()).map(buffer.base(), (int) buffer.size());
  }

  /** Ends the lease: writes modified copies to the memory. */
  void end() {
    for (MappedRange range : lent) {
      if (range != null) {
        range.flush();
      }
    }
  }
}
