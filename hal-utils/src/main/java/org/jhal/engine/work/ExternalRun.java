// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.work;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.ExternalWork;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.ExternalCall;
import org.jhal.driver.NativeAccess;
import org.jhal.engine.timeline.Failures;
import org.jhal.engine.timeline.ProgramCode;
import org.jspecify.annotations.Nullable;

/**
 * The external work of one operation: runs the program's function once, with the driver's access.
 *
 * <p>Run by the driver's thread. The context is valid there only, until the function returns.
 */
final class ExternalRun implements ExternalCall, ExternalWork.Context {
  /** Up to this many buffers are searched one by one. */
  private static final int FEW = 16;

  private final DeviceQueue queue;
  private final List<DeviceBuffer> buffers; // as the program passed them, in the command's order
  private final ExternalWork work;

  private volatile @Nullable Thread thread; // runs the function; null before and after that
  private @Nullable NativeAccess access; // used by `thread`
  private @Nullable Map<DeviceBuffer, Integer> places; // for many buffers; used by `thread`

  ExternalRun(DeviceQueue queue, List<DeviceBuffer> buffers, ExternalWork work) {
    this.queue = queue;
    this.buffers = buffers;
    this.work = work;
  }

  @Override
  public int bufferCount() {
    return buffers.size();
  }

  @Override
  public @Nullable HalException run(NativeAccess lent) {
    access = lent;
    thread = Thread.currentThread();
    try {
      Throwable thrown = ProgramCode.callback("external work", () -> work.issue(this));
      return thrown == null ? null : Failures.aborted(this + " threw ", thrown);
    } finally {
      thread = null;
      access = null;
      Thread.interrupted(); // the program must not interrupt this thread
    }
  }

  private NativeAccess access() {
    NativeAccess lent = Thread.currentThread() == thread ? access : null;
    if (lent == null) {
      throw new HalException(
          Status.FAILED_PRECONDITION,
          "the context of " + this + " is valid only while the work runs, on its own thread");
    }
    return lent;
  }

  private int index(DeviceBuffer buffer) {
    if (buffers.size() <= FEW) {
      for (int i = 0; i < buffers.size(); i++) {
        if (buffers.get(i) == buffer) {
          return i;
        }
      }
    } else {
      Integer index = places().get(buffer);
      if (index != null) {
        return index;
      }
    }
    throw new HalException(
        Status.INVALID_ARGUMENT,
        buffer
            + " is not in the list of buffers that was passed for "
            + this
            + "; the list must have every buffer that the work uses");
  }

  private Map<DeviceBuffer, Integer> places() {
    Map<DeviceBuffer, Integer> made = places;
    if (made == null) {
      made = new IdentityHashMap<>();
      for (int i = 0; i < buffers.size(); i++) {
        made.putIfAbsent(buffers.get(i), i);
      }
      places = made;
    }
    return made;
  }

  @Override
  public DeviceQueue queue() {
    return queue;
  }

  @Override
  public long stream() {
    return access().stream();
  }

  @Override
  public long address(DeviceBuffer buffer) {
    NativeAccess lent = access();
    return lent.address(index(buffer));
  }

  @Override
  public ByteBuffer bytes(DeviceBuffer buffer) {
    NativeAccess lent = access();
    int index = index(buffer);
    if (buffer.size() > Integer.MAX_VALUE) {
      throw new HalException(
          Status.OUT_OF_RANGE,
          buffer + " does not fit into one byte buffer, which has at most " + Integer.MAX_VALUE);
    }
    return lent.bytes(index).order(ByteOrder.nativeOrder());
  }

  @Override
  public String toString() {
    return "external work of " + queue;
  }
}
