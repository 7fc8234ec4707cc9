// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.timeline;

import java.lang.ref.Reference;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.jhal.HalException;
import org.jhal.Registration;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.TimepointCallback;
import org.jhal.engine.flightrecorder.FlightRecorder;
import org.jhal.engine.flightrecorder.Span;
import org.jspecify.annotations.Nullable;

/**
 * The only implementation of {@link TimelineSemaphore}, shared by all drivers: a {@link Timeline}
 * as users see it.
 *
 * <p>Contract: rules S1 to S10.
 *
 * <p>Thread-safe: any thread may call any method at any time.
 */
public final class EngineSemaphore extends Timeline implements TimelineSemaphore {
  private static final AtomicLong COUNT = new AtomicLong();

  private final long id = COUNT.incrementAndGet();
  private final Runnable onClose;

  /**
   * Creates a timeline. The thread that closes it runs {@code onClose}, once, with no lock held.
   */
  public EngineSemaphore(long initialValue, Runnable onClose) {
    super(initialValue);
    this.onClose = onClose;
  }

  /**
   * Returns {@code semaphore} as the engine's own type.
   *
   * @throws HalException INVALID_ARGUMENT for any other implementation
   */
  public static EngineSemaphore of(TimelineSemaphore semaphore) {
    if (semaphore instanceof EngineSemaphore timeline) {
      return timeline;
    }
    Objects.requireNonNull(semaphore, "semaphore");
    throw new HalException(
        Status.INVALID_ARGUMENT,
        "semaphore of " + semaphore.getClass() + " was not made by Device.createSemaphore");
  }

  @Override
  public long value() {
    long now = look(); // before the failure, which takes precedence over a reached value
    checkOpen();
    HalException failed = failure();
    if (failed != null) {
      throw failed.again();
    }
    return now;
  }

  @Override
  public void signal(long newValue) {
    Cascade cascade = Cascade.current();
    Span span = FlightRecorder.hostSignal(id, newValue); // begins before a waiter can see the value
    raise(newValue, cascade);
    Span.end(span, null);
    cascade.runAndLookForLeft();
  }

  @Override
  public void fail(HalException newFailure) {
    Objects.requireNonNull(newFailure, "failure");
    end(newFailure, false);
  }

  @Override
  public void close() {
    if (end(new HalException(Status.CANCELLED, this + " was closed"), true)) {
      onClose.run();
      Reference.reachabilityFence(this); // or it might be reported as a leak while it is closed
    }
  }

  @Override
  public void await(long wanted) throws InterruptedException {
    HostWait.await(this, checkWanted(wanted), null);
  }

  @Override
  public void await(long wanted, Duration timeout) throws InterruptedException {
    HostWait.await(this, checkWanted(wanted), Objects.requireNonNull(timeout, "timeout"));
  }

  @Override
  public boolean tryAwait(long wanted, Duration timeout) throws InterruptedException {
    return HostWait.tryAwait(this, checkWanted(wanted), Objects.requireNonNull(timeout, "timeout"));
  }

  @Override
  public Registration onReach(long wanted, TimepointCallback callback) {
    Objects.requireNonNull(callback, "callback");
    checkOpen();
    return observe(checkWanted(wanted), callback);
  }

  /** As {@link #onReach}, but if the semaphore is closed, the callback gets CANCELLED. */
  public Registration observe(long wanted, TimepointCallback callback) {
    CallbackWait wait = new CallbackWait(this, callback);
    if (!register(wait, wanted, null)) {
      // The outcome is already known. The callback still goes through the cascade, so that it runs
      // after the waiters that this thread has yet to notify.
      Cascade cascade = Cascade.current();
      cascade.addReleased(wait);
      cascade.run();
    }
    return wait;
  }

  @Override
  public CompletableFuture<@Nullable Void> whenReached(long wanted) {
    checkOpen();
    CompletableFuture<@Nullable Void> future = new CompletableFuture<>();
    Registration registration =
        observe(
            checkWanted(wanted),
            failed -> {
              boolean ignored =
                  failed == null
                      ? future.complete(null)
                      : future.completeExceptionally(failed.again());
            });
    // Does nothing if the timeline has completed it; otherwise the caller has.
    var unused = future.whenComplete((nothing, thrown) -> registration.cancel());
    return future;
  }

  @Override
  public String explain(long wanted) {
    return Explanation.of(this, wanted);
  }

  /** The number by which messages and recordings name it. */
  public long number() {
    return id;
  }

  @Override
  public String toString() {
    return "semaphore#" + id;
  }

  private long checkWanted(long wanted) {
    if (wanted < 0) {
      throw new HalException(
          Status.OUT_OF_RANGE, "wait value " + wanted + " on " + this + " is negative");
    }
    return wanted;
  }
}
