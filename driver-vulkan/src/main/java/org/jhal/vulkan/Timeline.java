// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jhal.MemoryType;
import org.jhal.driver.support.BackOff;
import org.jhal.vulkan.jna.Structs;
import org.jhal.vulkan.jna.VulkanConstants;

/**
 * The values that a stream reaches one after the other, one behind each of its operations. A
 * timeline semaphore has the value behind the last operation of each submission. A counter in host
 * memory, which command buffers write, has those in between as well: it lets the host see the end
 * of an operation while later ones of the same submission run.
 *
 * <p>A timeline is used again for another stream once its stream is closed, as submissions of
 * others may still name it.
 *
 * <p>Thread-safe, except {@link #next}.
 */
final class Timeline {
  /** How long one wait in the runtime takes at most: how soon the loss of the device is seen. */
  private static final long WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  private static final long NONE = -1;
  private static final int COUNTER_BYTES = 64; // a cache line
  private static final VarHandle COUNTER =
      MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.nativeOrder());

  private final LogicalDevice device;
  private final long handle;
  private final StagingRange counter;
  private final ByteBuffer counted;

  private long last; // the value given out last; used by the thread that records
  private volatile long reached; // a value that the stream is known to have reached
  private volatile long over; // a value that the semaphore is known to have reached
  private volatile long submitted; // the value of the last submission in a native queue
  private volatile long submitting; // likewise, or of one that is on its way there

  @GuardedBy("this")
  private final Deque<Long> ends = new ArrayDeque<>(); // of submissions that are not over

  Timeline(LogicalDevice device, long handle) {
    this.device = device;
    this.handle = handle;
    this.counter = new StagingRange(device.memory(MemoryType.HOST), COUNTER_BYTES);
    this.counted = counter.map(0, COUNTER_BYTES).bytes();
    counted.putInt(0, 0);
  }

  /** The VkSemaphore. */
  long handle() {
    return handle;
  }

  /** Memory whose first word command buffers set to the lower half of each value. */
  VulkanMemory counter() {
    return counter;
  }

  // Values.

  /** The value given out last. */
  long last() {
    return last;
  }

  /** Gives out the next value. */
  long next() {
    return ++last;
  }

  /** A submission that signals a value is about to be made. */
  synchronized void willSubmit(long value) {
    ends.add(value);
  }

  /**
   * The submission that signals a value is being handed to its native queue. It may be over, as far
   * as the counter tells, before {@link #submitted} is called.
   */
  void submitting(long value) {
    submitting = value;
  }

  /** The submission that signals a value is in its native queue. */
  void submitted(long value) {
    submitted = value;
  }

  /** The submission that was being handed over did not get into its native queue. */
  void notSubmitted() {
    submitting = submitted;
  }

  /** No submission signals a value: making it has failed. */
  synchronized void takeBack(long value) {
    ends.remove(value);
  }

  /** Whether the submission that reaches a value is in its native queue. */
  boolean isSubmitted(long value) {
    return value <= submitted;
  }

  /** The value of the last submission that is in a native queue, or on its way there. */
  long lastSubmitting() {
    return submitting;
  }

  /** Whether a value is that of a submission, so that the semaphore tells of it at once. */
  synchronized boolean isEnd(long value) {
    return ends.contains(value);
  }

  /** How many submissions are not known to be over. Makes no native call. */
  synchronized int unfinished() {
    long now = count();
    while (!ends.isEmpty() && ends.element() <= now) {
      ends.remove();
    }
    return ends.size();
  }

  // Progress.

  /**
   * Whether a value was reached: the operation in front of it is over. Never blocks.
   *
   * @throws org.jhal.HalException UNAVAILABLE if it was not, and the device is lost
   */
  boolean isPast(long value) {
    return value <= count() || isOver(value);
  }

  /** The value that the counter shows. */
  private long count() {
    long before = reached;
    long now = before + ((int) COUNTER.getAcquire(counted, 0) - (int) before);
    if (now <= before) { // the counter lags behind where a submission has no commands
      return before;
    }
    reached = now; // a smaller one of another thread may follow, which is as true
    return now;
  }

  /**
   * Whether the submission with a value is over, so that nothing of it is in use any more;
   * otherwise as {@link #isPast}.
   */
  boolean isOver(long value) {
    if (value <= over) {
      return true;
    }
    long[] signaled = new long[1];
    device.check(
        "getSemaphoreCounterValue",
        device.calls().getSemaphoreCounterValue(device.handle(), handle, signaled));
    isOverUpTo(signaled[0]);
    if (signaled[0] < value) {
      device.checkAlive();
    }
    return signaled[0] >= value;
  }

  private void isOverUpTo(long value) {
    if (value > over) {
      over = value;
    }
    if (value > reached) {
      reached = value;
    }
  }

  /**
   * Waits until a value is reached, even if the thread is interrupted.
   *
   * @throws org.jhal.HalException UNAVAILABLE if the device is lost before
   */
  void await(long value) {
    long start = System.nanoTime();
    while (!isPast(value)) {
      // The semaphore says nothing of a value within a submission: look at the counter again soon.
      sleep(value, isEnd(value) ? WAIT_NANOS : BackOff.length(System.nanoTime() - start));
      device.checkAlive();
    }
  }

  /** Waits until the submission with a value is over; otherwise as {@link #await(long)}. */
  void awaitOver(long value) {
    while (!isOver(value)) {
      sleep(value, WAIT_NANOS);
      device.checkAlive();
    }
  }

  /** Waits until a submission with a value is over, for at most {@code nanos}. */
  void await(long value, long nanos) {
    long start = System.nanoTime();
    long left = nanos;
    while (left > 0 && !isOver(value)) {
      sleep(value, left);
      left = nanos - (System.nanoTime() - start);
    }
  }

  /** Sleeps until the submission with a value is over, for at most {@code nanos}, or shorter. */
  private void sleep(long value, long nanos) {
    long end = end(value);
    if (end == NONE) { // it is not submitted yet, or just over
      LockSupport.parkNanos(this, Math.min(nanos, BackOff.length(0)));
    } else {
      awaitSignal(end, nanos);
    }
  }

  /** The value of the submission with a value: the only one that is ever signaled. */
  private synchronized long end(long value) {
    for (long end : ends) {
      if (end >= value) {
        return end;
      }
    }
    return NONE;
  }

  private void awaitSignal(long value, long nanos) {
    try (Structs structs = new Structs(128)) {
      Structs.Struct semaphores = structs.zeros(Long.BYTES).int64(handle);
      Structs.Struct values = structs.zeros(Long.BYTES).int64(value);
      Structs.Struct info =
          structs
              .typed(VulkanConstants.VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO, 0, 40)
              .int32(0)
              .int32(1)
              .int64(semaphores.address())
              .int64(values.address());
      int code = device.calls().waitSemaphores(device.handle(), info.address(), nanos);
      if (code != VulkanConstants.VK_TIMEOUT) {
        device.check("waitSemaphores", code);
        isOverUpTo(value);
      }
    }
  }
}
