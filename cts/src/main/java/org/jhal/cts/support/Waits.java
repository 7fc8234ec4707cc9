// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.support;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.jhal.Device;
import org.jhal.DeviceStatistics;
import org.jhal.Fence;
import org.jhal.Hal;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.Timepoint;
import org.jhal.spi.DurationText;
import org.jspecify.annotations.Nullable;
import org.opentest4j.AssertionFailedError;

/**
 * Waits for tests. A wait that exceeds {@link #LIMIT} ends with an error that states what was
 * waited for, and what the threads of JHAL were doing.
 */
public final class Waits {
  /**
   * The limit of each wait of a test. The system property {@code jhal.cts.limit} sets it, in
   * seconds.
   */
  public static final Duration LIMIT = Duration.ofSeconds(Integer.getInteger("jhal.cts.limit", 20));

  /** How long a test watches for something that must not happen. */
  private static final Duration CHANCE = Duration.ofMillis(50);

  private Waits() {}

  /** Waits until {@code value} is reached. */
  public static void awaitReached(TimelineSemaphore semaphore, long value) {
    awaitReached(semaphore.at(value));
  }

  /** Waits until all of {@code fence} is reached. */
  public static void awaitReached(Fence fence) {
    awaitReached(fence, LIMIT);
  }

  /** Waits, for at most {@code limit}, until all of {@code fence} is reached. */
  public static void awaitReached(Fence fence, Duration limit) {
    awaitReached("", fence, limit);
  }

  /** Waits until all of {@code fence} is reached; {@code what} describes it in messages. */
  public static void awaitReached(String what, Fence fence) {
    awaitReached(what + ": ", fence, LIMIT);
  }

  /**
   * Waits until the device has run a kernel that devices may find wrong, though none computes it
   * wrong: one that waits at a barrier behind which work items have ended, say.
   *
   * @return false if the device has found it wrong
   */
  public static boolean isReachedUnlessFound(Timepoint end) {
    awaitTrue(end + " to end", () -> isOver(end.semaphore(), end.value()));
    HalException failure = end.semaphore().failure();
    if (failure != null && !failure.findings().isEmpty()) {
      return false;
    }
    awaitReached(end);
    return true;
  }

  /** Like {@link #awaitReached}, but polls, for threads that may not wait, as in a file channel. */
  public static void pollReached(TimelineSemaphore semaphore, long value) {
    awaitTrue(semaphore.at(value) + " to be reached", () -> isOver(semaphore, value));
  }

  private static void awaitReached(String what, Fence fence, Duration limit) {
    try {
      fence.awaitAll(limit);
    } catch (HalException e) {
      if (e.status() == Status.DEADLINE_EXCEEDED) {
        throw expired(
            what + "waited " + DurationText.of(limit) + " for " + fence + ": " + explain(fence), e);
      }
      throw new AssertionFailedError(
          what + "waited for " + fence + " to be reached, but it failed: " + e, e);
    } catch (InterruptedException e) {
      throw interrupted("waiting for " + fence, e);
    }
  }

  /**
   * Waits until the timepoint fails.
   *
   * @return the failure
   */
  public static HalException awaitFailure(TimelineSemaphore semaphore, long value) {
    try {
      semaphore.await(value, LIMIT);
    } catch (HalException e) {
      if (e.status() == Status.DEADLINE_EXCEEDED && !failedWith(semaphore, e.status())) {
        throw expired(
            "waited "
                + DurationText.of(LIMIT)
                + " for "
                + semaphore.at(value)
                + " to fail: "
                + explain(semaphore.at(value)),
            e);
      }
      return e;
    } catch (InterruptedException e) {
      throw interrupted("waiting for " + semaphore.at(value) + " to fail", e);
    }
    throw new AssertionFailedError(
        semaphore.at(value)
            + " was reached, but should have failed; its value is "
            + semaphore.value());
  }

  /**
   * Waits until the timepoint fails with {@code status}.
   *
   * @return the failure
   */
  public static HalException awaitFailure(TimelineSemaphore semaphore, long value, Status status) {
    HalException failure = awaitFailure(semaphore, value);
    if (failure.status() != status) {
      throw new AssertionFailedError(
          semaphore.at(value)
              + " should have failed with "
              + status
              + ", but failed with "
              + failure,
          status,
          failure.status());
    }
    return failure;
  }

  /** Checks that {@code value} is neither reached nor failed. */
  public static void assertPending(TimelineSemaphore semaphore, long value) {
    HalException failure = semaphore.failure();
    if (failure != null) {
      throw new AssertionFailedError(
          semaphore.at(value) + " failed too early: " + failure, failure);
    }
    if (semaphore.value() >= value) {
      throw new AssertionFailedError(
          semaphore.at(value) + " was reached too early: the value is " + semaphore.value());
    }
  }

  /**
   * Checks that nothing of {@code fence} is reached or failed, and keeps watching for a moment,
   * because a single check may come before a defective driver acts.
   */
  public static void assertStaysPending(Fence fence) {
    try {
      fence.awaitAny(CHANCE);
    } catch (HalException e) {
      // The check below detects a failed member. A timeout is the expected result.
    } catch (InterruptedException e) {
      throw interrupted("looking whether " + fence + " stays pending", e);
    }
    for (int i = 0; i < fence.size(); i++) {
      assertPending(fence.semaphore(i), fence.value(i));
    }
  }

  /** Waits until {@code condition} holds; {@code what} completes "waited for". */
  public static void awaitTrue(String what, BooleanSupplier condition) {
    awaitTrue(what, LIMIT, condition);
  }

  /**
   * Waits, for at most {@code limit}, until {@code condition} holds; {@code what} completes "waited
   * for".
   */
  public static void awaitTrue(String what, Duration limit, BooleanSupplier condition) {
    if (!becomesTrue(limit, condition)) {
      throw expired("waited " + DurationText.of(limit) + " for " + what, null);
    }
  }

  /**
   * Waits until the statistics of a device meet a condition; {@code what} completes "waited for".
   */
  public static void awaitStatistics(
      String what, Device device, Predicate<DeviceStatistics> condition) {
    if (!becomesTrue(LIMIT, () -> condition.test(device.statistics()))) {
      throw expired(
          "waited "
              + DurationText.of(LIMIT)
              + " for "
              + what
              + "; there are "
              + device.statistics(),
          null);
    }
  }

  /** Waits until no operation of a device is open. What they held is released by then. */
  public static void awaitRetired(Device device) {
    awaitRetired(device, device);
  }

  /**
   * The same.
   *
   * @param name what the message calls the device
   */
  static void awaitRetired(Object name, Device device) {
    awaitStatistics(
        "all operations of " + name + " to retire", device, now -> now.openOperations() == 0);
  }

  /**
   * The same for a device that even its last operation may lose: then it may keep operations, and
   * what they hold, until it is closed.
   */
  public static void awaitRetiredOrLost(Device device) {
    awaitTrue(
        "all operations of " + device + " to retire, or its loss",
        () -> device.statistics().openOperations() == 0 || device.lostCause() != null);
  }

  /** Waits until {@code holder} holds a value, and returns it. */
  public static <T> T awaitSet(String what, AtomicReference<@Nullable T> holder) {
    awaitTrue(what, () -> holder.get() != null);
    return Objects.requireNonNull(holder.get());
  }

  /** Polls {@code condition} until it holds. Returns false if it does not within {@code limit}. */
  public static boolean becomesTrue(Duration limit, BooleanSupplier condition) {
    long start = System.nanoTime();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - start > limit.toNanos()) {
        return false;
      }
      if (Thread.currentThread().isInterrupted()) {
        throw interrupted("polling", null);
      }
      LockSupport.parkNanos(100_000);
    }
    return true;
  }

  /** Whether a value is reached, or can no longer be because the semaphore has failed. */
  public static boolean isOver(TimelineSemaphore semaphore, long value) {
    try {
      return semaphore.value() >= value;
    } catch (HalException failed) { // failure() before value() could miss a failure in between
      return true;
    }
  }

  private static boolean failedWith(TimelineSemaphore semaphore, Status status) {
    HalException failure = semaphore.failure();
    return failure != null && failure.status() == status;
  }

  private static String explain(Fence fence) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < fence.size(); i++) {
      String line;
      try {
        line = fence.semaphore(i).explain(fence.value(i));
      } catch (RuntimeException e) {
        line = "explain() threw " + e;
      }
      text.append("\n  ").append(line);
    }
    return text.toString();
  }

  /** An error that includes {@link #state}; {@code what} states what was waited for. */
  public static AssertionFailedError expired(String what, @Nullable Throwable cause) {
    return new AssertionFailedError(what + "\n" + state(), cause);
  }

  private static AssertionFailedError interrupted(String what, @Nullable Throwable cause) {
    Thread.currentThread().interrupt();
    return new AssertionFailedError("interrupted while " + what, cause);
  }

  /** Describes what is stuck, with the stacks of all threads that involve JHAL. */
  public static String state() {
    String stuck;
    try {
      stuck = Hal.explain();
    } catch (RuntimeException | Error e) { // the report must not depend on it
      stuck = "Hal.explain() threw " + e + "\n";
    }
    return stuck + threads();
  }

  /** The stacks of all threads that involve JHAL. */
  public static String threads() {
    StringBuilder text = new StringBuilder("threads:");
    Map<String, StackTraceElement[]> stacks = new TreeMap<>();
    Thread.getAllStackTraces()
        .forEach((thread, stack) -> stacks.put(thread.getName() + " " + thread.getState(), stack));
    stacks.forEach(
        (name, stack) -> {
          if (concerns(stack)) {
            text.append("\n  ").append(name);
            for (int i = 0; i < Math.min(stack.length, 25); i++) {
              text.append("\n    at ").append(stack[i]);
            }
          }
        });
    return text.toString();
  }

  private static boolean concerns(StackTraceElement[] stack) {
    for (StackTraceElement frame : stack) {
      if (frame.getClassName().startsWith("org.jhal.")) {
        return true;
      }
    }
    return false;
  }
}
