// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.collective;

import org.jhal.HalException;
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

  /** Records the event behind the part. Returns null or the failure. */
  @Nullable HalException record() {
    try {
      BoundCalls.run(runtime, () -> runtime.recordEvent(event.handle(), stream));
      isRecorded = true;
      return null;
    } catch (HalException e) {
      return e;
    }
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
      var ignored = Attempt.of(() -> BoundCalls.run(runtime, query)); // the abort reports failures
    }
    return hasFired[0] || runtime.isLost();
  }

  void freeEvent() {
    event.free();
  }
}
