// SPDX-License-Identifier: Apache-2.0
package org.jhal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The simplest timeline, for tests of code that is built on {@link TimelineSemaphore#onReach}. Its
 * own waits only record that they were called.
 */
final class FakeTimelineSemaphore implements TimelineSemaphore {
  private record Waiter(long value, TimepointCallback callback) {}

  private String name; // guarded by this
  private final List<Waiter> waiters = new ArrayList<>(); // guarded by this
  private final List<String> awaited = new ArrayList<>(); // guarded by this
  private long value; // guarded by this
  private @Nullable HalException failure; // guarded by this
  private boolean closed;
  private @Nullable Error failing; // guarded by this

  FakeTimelineSemaphore(String name) {
    this.name = name;
  }

  /** How many callbacks are registered. */
  synchronized int registered() {
    return waiters.size();
  }

  /** The direct waits so far, as {@code value} or {@code value timeout}. */
  synchronized List<String> awaited() {
    return List.copyOf(awaited);
  }

  @Override
  public synchronized TimelineSemaphore named(String given) {
    name = given;
    return this;
  }

  @Override
  public synchronized long value() {
    return value;
  }

  @Override
  public synchronized @Nullable HalException failure() {
    return failure;
  }

  @Override
  public void signal(long newValue) {
    List<Waiter> released = new ArrayList<>();
    synchronized (this) {
      value = newValue;
      waiters.stream().filter(w -> w.value() <= newValue).forEach(released::add);
      waiters.removeAll(released);
    }
    released.forEach(w -> w.callback().done(null));
  }

  @Override
  public void fail(HalException cause) {
    List<Waiter> released;
    synchronized (this) {
      failure = cause;
      released = List.copyOf(waiters);
      waiters.clear();
    }
    released.forEach(w -> w.callback().done(cause));
  }

  @Override
  public synchronized void await(long wanted) {
    awaited.add(String.valueOf(wanted));
  }

  @Override
  public synchronized void await(long wanted, Duration timeout) {
    awaited.add(wanted + " " + timeout);
  }

  @Override
  public synchronized boolean tryAwait(long wanted, Duration timeout) {
    awaited.add("try " + wanted + " " + timeout);
    return value >= wanted;
  }

  synchronized boolean isClosed() {
    return closed;
  }

  /** From now on {@link #onReach} throws this. */
  synchronized void failsRegistering(Error error) {
    failing = error;
  }

  @Override
  public Registration onReach(long wanted, TimepointCallback callback) {
    Waiter waiter = new Waiter(wanted, callback);
    HalException known;
    synchronized (this) {
      if (failing != null) {
        throw failing;
      }
      if (closed) {
        throw new HalException(Status.FAILED_PRECONDITION, name + " is closed");
      }
      known = failure;
      if (known == null && value < wanted) {
        waiters.add(waiter);
        return () -> {
          synchronized (this) {
            return waiters.remove(waiter);
          }
        };
      }
    }
    callback.done(known);
    return () -> false;
  }

  @Override
  public CompletableFuture<@Nullable Void> whenReached(long wanted) {
    throw new UnsupportedOperationException("no test needs it");
  }

  @Override
  public String explain(long wanted) {
    return name + " explains " + wanted;
  }

  @Override
  public synchronized void close() {
    closed = true;
  }

  @Override
  public String toString() {
    return name;
  }
}
