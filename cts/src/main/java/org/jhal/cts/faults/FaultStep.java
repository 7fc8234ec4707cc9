// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.faults;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jhal.Device;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.TimelineSemaphore;
import org.jhal.Timepoint;
import org.jhal.cts.support.Waits;
import org.jspecify.annotations.Nullable;

/**
 * One step of a {@link FaultWorkload}: an operation that was enqueued, or something that the host
 * created or did. Its timeline reaches 1 when the step has succeeded, and fails if the step failed.
 *
 * @param <T> the type of its result, if any
 */
public final class FaultStep<T> {
  /** The name of the step, for people. */
  public final String name;

  /** The device that it runs on. */
  public final Device device;

  /** The steps that it waits for. */
  public final List<FaultStep<?>> needs;

  /** Reaches 1 when the step has succeeded, and fails if it failed. */
  public final TimelineSemaphore done;

  private @Nullable T value;
  private Runnable check = () -> {};

  /** A step on {@code device} that waits for all {@code needs}. */
  public FaultStep(String name, Device device, FaultStep<?>... needs) {
    this.name = name;
    this.device = device;
    this.needs = List.of(needs);
    this.done = device.createSemaphore(0);
  }

  /** The timepoint that it signals. */
  public Timepoint signal() {
    return done.at(1);
  }

  /** The fence that it waits for. */
  public Fence waits() {
    return Fence.of(needs.stream().map(FaultStep::signal).toList());
  }

  /** Sets the result. */
  public void set(T made) {
    value = made;
  }

  /** Returns the result, or throws the failure. */
  public T get() {
    if (value == null) {
      throw Objects.requireNonNull(done.failure(), "a step that made nothing must fail").again();
    }
    return value;
  }

  /** The result, or null if the step failed. */
  public @Nullable T orNull() {
    return value;
  }

  /** Adds a check that must pass if the step succeeded. */
  public void whenReached(Runnable newCheck) {
    check = newCheck;
  }

  /** Why the step failed, or null. */
  public @Nullable HalException failure() {
    return done.failure();
  }

  /** Whether the step succeeded. */
  public boolean isReached() {
    return failure() == null && done.value() >= 1;
  }

  boolean isOver() {
    return Waits.isOver(done, 1);
  }

  /**
   * Waits until it is reached or failed. At the deadline, throws an error that states what is
   * waited for.
   */
  public void awaitOver() throws InterruptedException {
    try {
      done.await(1, Waits.LIMIT);
    } catch (HalException e) {
      if (!isOver()) {
        Waits.awaitTrue(name + " to be over: " + e.getMessage(), Duration.ZERO, this::isOver);
      }
    }
  }

  /**
   * Checks that the steps that this reached step depends on are reached, and its own effects (rule
   * Q9).
   */
  public void checkReached() {
    for (FaultStep<?> need : needs) {
      assertTrue(need.isReached(), () -> name + " is reached, and it needs " + need);
    }
    check.run();
  }

  @Override
  public String toString() {
    HalException failure = failure();
    return name
        + (failure != null ? " (" + failure + ")" : isReached() ? " (reached)" : " (not over)");
  }
}
