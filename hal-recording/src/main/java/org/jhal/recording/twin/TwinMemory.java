// SPDX-License-Identifier: Apache-2.0
package org.jhal.recording.twin;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jhal.HostMemory;
import org.jhal.driver.DeviceMemory;
import org.jhal.driver.MappedRange;
import org.jhal.driver.options.MemoryBudget;
import org.jhal.recording.compare.Side;
import org.jhal.recording.format.Range;
import org.jspecify.annotations.Nullable;

/**
 * Memory on both devices. What the host may access is memory of the host: each command that uses a
 * range of it first gets the bytes from there, and then leaves what it has written there.
 */
final class TwinMemory implements DeviceMemory {
  private final TwinDevice device;
  final int number; // on both sides
  private final long size;
  private final @Nullable ByteBuffer host; // null if the host cannot access it
  private final AtomicBoolean isCounted = new AtomicBoolean(true); // by the device's budget
  private boolean isFilled; // in TwinDevice.run

  TwinMemory(TwinDevice device, int number, long size, @Nullable ByteBuffer host) {
    this.device = device;
    this.number = number;
    this.size = size;
    this.host = host == null ? null : host.duplicate().clear().order(ByteOrder.nativeOrder());
  }

  /** A variable of kernels, which has a value and is not of the device's budget. */
  static TwinMemory ofGlobal(TwinDevice device, int number, long size) {
    TwinMemory made = new TwinMemory(device, number, size, null);
    made.isFilled = true;
    made.isCounted.set(false);
    return made;
  }

  private ByteBuffer view(long offset, int length) {
    return Objects.requireNonNull(host).slice((int) offset, length).order(ByteOrder.nativeOrder());
  }

  private HostMemory view(Range range) {
    return HostMemory.of(view(range.offset(), (int) range.length()));
  }

  /** A command is about to use a range. */
  void enter(Range range, Side first, Side second) throws InterruptedException {
    if (host != null) {
      HostCopies.write(view(range), range, List.of(first, second));
    } else if (!isFilled && size > 0) {
      device.fillFresh(this);
    }
    isFilled = true;
  }

  /** A command has written to a range, the same on both sides. */
  void leave(Range range, Side first) throws InterruptedException {
    if (host != null) {
      HostCopies.read(first, range, view(range));
    }
  }

  /** Returns the bytes to the budget; the first call counts. */
  void endAccount(MemoryBudget budget) {
    if (isCounted.compareAndSet(true, false)) {
      budget.giveBack(size);
    }
  }

  @Override
  public long size() {
    return size;
  }

  @Override
  public MappedRange map(long offset, int length) {
    ByteBuffer view = view(offset, length);
    return () -> view;
  }

  @Override
  public void free() {
    device.free(this);
  }
}
