// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.collective;

import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.support.Attempt;
import org.jhal.driver.support.BoundCalls;
import org.jhal.gpu.runtime.GpuRuntime;
import org.jspecify.annotations.Nullable;

/**
 * A rank of a group: the stream of its device, and an event behind its part of the latest
 * collective.
 */
final class GroupMember {
  private final GpuRuntime runtime;
  private final long stream;
  private final GroupEvent event;

  // Whether the stream may have parts, and whether the event is recorded behind all of them.
  // Written by the launching thread.
  private volatile boolean hasParts;
  private volatile boolean isRecorded;

  private GroupMember(GpuRuntime runtime, long stream, GroupEvent event) {
    this.runtime = runtime;
    this.stream = stream;
    this.event = event;
  }

  /**
   * Makes a device a rank.
   *
   * @throws HalException if the runtime refuses
   */
  static GroupMember of(GroupDevice device) {
    GpuRuntime runtime = device.runtime();
    long[] stream = new long[1];
    BoundCalls.run(runtime, () -> stream[0] = device.stream());
    return new GroupMember(runtime, stream[0], GroupEvent.create(runtime));
  }

  GpuRuntime runtime() {
    return runtime;
  }

  long stream() {
    return stream;
  }

  boolean hasParts() {
    return hasParts;
  }

  /** From now on the stream may have a part behind the event. */
  void beginPart() {
    isRecorded = false;
    hasParts = true;
  }

  /** Makes the stream wait for an event of any device. Returns null or the failure. */
  @Nullable HalException await(GroupEvent awaited) {
    try {
      BoundCalls.run(runtime, () -> runtime.waitEvent(stream, awaited.handle()));
      return null;
    } catch (HalException e) {
      return e;
    }
  }

  /**
   * Calls {@code part}, which may put something into the stream, and records the event behind that
   * even if it fails.
   *
   * @param isBound whether the device is bound already
   * @return null or the failure; the one that is a loss if there are two
   */
  @Nullable HalException put(boolean isBound, Runnable part) {
    HalException[] failure = new HalException[1];
    Runnable both =
        () -> {
          failure[0] = failureOf(Attempt.of(part));
          runtime.recordEvent(event.handle(), stream);
        };
    Throwable thrown =
        Attempt.of(
            () -> {
              if (isBound) {
                both.run();
              } else {
                BoundCalls.run(runtime, both);
              }
              isRecorded = true;
            });
    return graver(failure[0], failureOf(thrown));
  }

  private static @Nullable HalException failureOf(@Nullable Throwable thrown) {
    return thrown instanceof HalException e ? e : halfWay(thrown);
  }

  /** What a launch has thrown, such as out of memory, as a failure; null if it is null. */
  static @Nullable HalException halfWay(@Nullable Throwable thrown) {
    return thrown == null
        ? null
        : new HalException(Status.ABORTED, "a launch ended half-way: " + thrown, thrown);
  }

  /** The one that is a loss, or else the first. */
  static @Nullable HalException graver(
      @Nullable HalException first, @Nullable HalException second) {
    boolean isSecond =
        second != null
            && (first == null
                || second.status() == Status.UNAVAILABLE && first.status() != Status.UNAVAILABLE);
    return isSecond ? second : first;
  }

  /**
   * Makes a stream of the first device, which is bound, wait for the part if the event is recorded.
   * Returns null or the failure.
   */
  @Nullable HalException join(GpuRuntime first, long waiting) {
    if (!isRecorded) {
      return null;
    }
    try {
      first.waitEvent(waiting, event.handle());
      return null;
    } catch (HalException e) {
      return e;
    }
  }

  /** Whether the stream is past all parts, as the event reports it, or its device is lost. */
  boolean isPast() {
    boolean[] hasFired = new boolean[1];
    if (isRecorded && !runtime.isLost()) {
      Runnable query = () -> hasFired[0] = runtime.queryEvent(event.handle());
      Attempt.of(() -> BoundCalls.run(runtime, query)); // the abort reports failures
    }
    return hasFired[0] || runtime.isLost();
  }

  void freeEvent() {
    event.free();
  }
}
