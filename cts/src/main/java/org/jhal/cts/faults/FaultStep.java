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
 * One step of a {@link FaultWorkload}: something that was enqueued, made or done by the host. Its
 * timeline gets to 1 when the step has succeeded, and fails if the step failed.
 *
 * @param <T> what it makes, if anything
 */
public final class FaultStep<T> {
  /** What it is, for people. */
  public final String name;

  /** Where it runs. */
  public final Device device;

  /** What it waits for. */
  public final List<FaultStep<?>> needs;

  /** At 1 when it is over. */
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

  /** What it signals. */
  public Timepoint signal() {
    return done.at(1);
  }

  /** What it waits for. */
  public Fence waits() {
    return Fence.of(needs.stream().map(FaultStep::signal).toList());
  }

  /** Says what it made. */
  public void set(T made) {
    value = made;
  }

  /** What it made, or else throws why it did not. */
  public T get() {
    if (value == null) {
      throw Objects.requireNonNull(done.failure(), "a step that made nothing must fail").again();
    }
    return value;
  }

  /** What it made, or null if it failed. */
  public @Nullable T orNull() {
    return value;
  }

  /** {@code check} must pass if the step succeeded. */
  public void whenReached(Runnable newCheck) {
    check = newCheck;
  }

  /** Why it failed, or null. */
  public @Nullable HalException failure() {
    return done.failure();
  }

  /** Whether it succeeded. */
  public boolean isReached() {
    return failure() == null && done.value() >= 1;
  }

  boolean isOver() {
    return failure() != null || done.value() >= 1;
  }

  /** Waits until it is reached or failed; past the deadline, says who waits for what. */
  public void awaitOver() throws InterruptedException {
    try {
      done.await(1, Waits.LIMIT);
    } catch (HalException e) {
      if (!isOver()) {
        Waits.awaitTrue(name + " to be over: " + e.getMessage(), Duration.ZERO, this::isOver);
      }
    }
  }

  /** A value that is reached promises all that it depends on, and its own effects (rule Q9). */
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
