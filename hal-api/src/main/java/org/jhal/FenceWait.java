// SPDX-License-Identifier: Apache-2.0
package org.jhal;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jhal.spi.DurationText;
import org.jhal.spi.HostFailures;
import org.jhal.spi.HostWaits;
import org.jspecify.annotations.Nullable;

/**
 * A wait for several timepoints, by a thread or by a future. It uses only {@link
 * TimelineSemaphore#onReach}, so the members may belong to different devices and drivers (rule S6).
 */
final class FenceWait {
  private final Fence fence;
  private final Consumer<FenceWait> changed; // called when a member is reached or fails
  private final boolean[] reached; // guarded by this
  private volatile int open; // timepoints not reached yet; guarded by this for writing
  private volatile @Nullable HalException
      failure; // the first failure of a member; guarded by this for writing
  private final @Nullable Registration[] registrations; // by member; guarded by this until isOver
  private boolean isOver; // whether the wait has ended; guarded by this

  private FenceWait(Fence fence, Consumer<FenceWait> changed) {
    this.fence = fence;
    this.changed = changed;
    this.reached = new boolean[fence.size()];
    this.open = fence.size();
    this.registrations = new Registration[fence.size()];
  }

  /**
   * Waits for all or any of {@code fence}. A null {@code timeout} means no limit; zero or less only
   * checks. An interrupt counts only if there is something to wait for.
   */
  static void await(Fence fence, boolean all, @Nullable Duration timeout)
      throws InterruptedException {
    int size = fence.size();
    if (size == 0) {
      return;
    }
    if (size == 1) {
      if (timeout == null) {
        fence.semaphore(0).await(fence.value(0));
      } else {
        fence.semaphore(0).await(fence.value(0), timeout);
      }
      return;
    }
    FenceWait wait = ofThisThread(fence);
    if (!wait.run(all, timeout)) {
      throw wait.expired(all, Objects.requireNonNull(timeout));
    }
  }

  /** Waits for all of {@code fence}. Returns false if the time is up first. */
  static boolean tryAwait(Fence fence, Duration timeout) throws InterruptedException {
    return switch (fence.size()) {
      case 0 -> true;
      case 1 -> fence.semaphore(0).tryAwait(fence.value(0), timeout);
      default -> ofThisThread(fence).run(true, timeout);
    };
  }

  private static FenceWait ofThisThread(Fence fence) {
    Thread waiter = Thread.currentThread();
    return new FenceWait(fence, wait -> LockSupport.unpark(waiter));
  }

  /**
   * Returns a future that completes as {@link Fence#whenAll} describes. The wait ends when the
   * future completes. A null {@code timeout} means no limit.
   */
  static CompletableFuture<@Nullable Void> whenAll(Fence fence, @Nullable Duration timeout) {
    CompletableFuture<@Nullable Void> future = new CompletableFuture<>();
    FenceWait wait = new FenceWait(fence, changed -> changed.settle(future));
    try {
      wait.look();
      wait.registerAll(true);
      wait.settle(future);
    } catch (HalException e) {
      wait.cancelAll();
      HalException failed = wait.firstFailure();
      if (failed == null || failed.status() != e.status()) {
        throw e; // a member is closed
      }
      future.completeExceptionally(e);
    } catch (Throwable t) { // out of memory or stack
      wait.cancelAll();
      throw t;
    }
    if (timeout != null && !future.isDone()) {
      try {
        wait.limit(future, timeout);
      } catch (OutOfMemoryError e) { // no thread can be started for the timer
        wait.cancelAll();
        throw HostFailures.of(Status.RESOURCE_EXHAUSTED, "a wait cannot be limited", e);
      }
    }
    var unused = future.whenComplete((nothing, thrown) -> wait.cancelAll());
    return future;
  }

  /**
   * Fails {@code future} when the time is up. Nothing is left of this when the future completes.
   */
  private void limit(CompletableFuture<@Nullable Void> future, Duration timeout) {
    if (!isPositive(timeout)) {
      future.completeExceptionally(expired(true, timeout));
      return;
    }
    CompletableFuture<@Nullable Void> timer = new CompletableFuture<>();
    // Describing the wait may take long, so the thread of all timers does it only if no other
    // thread can be started.
    Executor apart = future.defaultExecutor();
    var late =
        timer.thenRunAsync(
            () -> expire(future, timeout),
            task -> {
              try {
                apart.execute(task);
              } catch (OutOfMemoryError e) {
                task.run();
              }
            });
    timer.completeOnTimeout(null, saturatedNanos(timeout), TimeUnit.NANOSECONDS);
    var unused = future.whenComplete((nothing, thrown) -> timer.cancel(false));
  }

  private void expire(CompletableFuture<@Nullable Void> future, Duration timeout) {
    if (future.isDone()) {
      return;
    }
    Throwable failure;
    try {
      failure = expired(true, timeout);
    } catch (Throwable t) { // out of memory or stack; the future must complete
      failure = t;
    }
    future.completeExceptionally(failure);
  }

  private void settle(CompletableFuture<@Nullable Void> future) {
    HalException failed = failure;
    if (failed == null && open == 0) {
      failed = firstFailure();
      if (failed == null) {
        future.complete(null);
      }
    }
    if (failed != null) {
      future.completeExceptionally(failed.again());
    }
  }

  private void registerAll(boolean all) {
    for (int i = 0; i < reached.length; i++) {
      int member = i;
      if (!reached[i]) {
        register(i, fence.value(i), failed -> member(member, all, failed));
      } else if (all && open > 0) {
        watch(i);
      }
    }
  }

  /** Waits. Returns false if the time is up first. */
  private boolean run(boolean all, @Nullable Duration timeout) throws InterruptedException {
    if (timeout == null || isPositive(timeout)) {
      HostWaits.check();
    }
    long deadline = timeout == null ? 0 : System.nanoTime() + saturatedNanos(timeout);
    try {
      look();
      registerAll(all);
      while (true) {
        HalException failed = failure;
        if (failed != null) {
          throw failed.again();
        }
        if (all ? open == 0 : open < reached.length) {
          checkFailures();
          return true;
        }
        if (Thread.interrupted()) {
          throw new InterruptedException();
        }
        if (timeout == null) {
          LockSupport.park(this);
        } else {
          long left = deadline - System.nanoTime();
          if (left <= 0) {
            return false;
          }
          LockSupport.parkNanos(this, left);
        }
      }
    } finally {
      cancelAll();
    }
  }

  /** Watches for the failure of a reached member, which ends a wait for the others (rule S6). */
  private void watch(int index) {
    register(index, Long.MAX_VALUE, this::failed);
  }

  private void register(int index, long value, TimepointCallback callback) {
    Registration made = fence.semaphore(index).onReach(value, callback);
    synchronized (this) {
      // If the member was reached meanwhile, watch() has registered for its failure, and this
      // registration is not needed any more.
      if (!isOver && (registrations[index] == null || value == Long.MAX_VALUE)) {
        registrations[index] = made;
        return;
      }
    }
    made.cancel();
  }

  private void cancelAll() {
    synchronized (this) {
      isOver = true; // no registration is added after this
    }
    for (Registration registration : registrations) {
      if (registration != null) {
        registration.cancel();
      }
    }
  }

  /** Throws if a member has failed, even if it was reached before (rule S3). */
  private void checkFailures() {
    HalException failed = firstFailure();
    if (failed != null) {
      throw failed.again();
    }
  }

  private @Nullable HalException firstFailure() {
    for (int i = 0; i < reached.length; i++) {
      HalException failed = fence.semaphore(i).failure();
      if (failed != null) {
        return failed;
      }
    }
    return null;
  }

  /**
   * Records which members are already reached, before this object is shared. In a callback, no
   * other member can be seen as reached: callbacks that are passed to onReach() there run only
   * after that callback has returned.
   */
  private void look() {
    for (int i = 0; i < reached.length; i++) {
      if (fence.semaphore(i).value() >= fence.value(i)) { // throws the failure, if there is one
        reached[i] = true;
        open = open - 1;
      }
    }
  }

  private void member(int index, boolean all, @Nullable HalException failed) {
    boolean isOneOfMore = false;
    synchronized (this) {
      if (failed == null) {
        reached[index] = true;
        open = open - 1;
        isOneOfMore = all && open > 0 && !isOver;
      }
    }
    if (isOneOfMore) {
      try {
        watch(index);
      } catch (HalException e) { // closed meanwhile
        failed(e);
      }
    }
    if (failed != null) {
      failed(failed);
    }
    changed.accept(this);
  }

  private void failed(@Nullable HalException failed) {
    synchronized (this) {
      if (failure == null) {
        failure = failed;
      }
    }
    changed.accept(this);
  }

  private HalException expired(boolean all, Duration timeout) {
    boolean[] known;
    synchronized (this) {
      known = reached.clone(); // explain() takes other locks, so it is called without this one
    }
    if (!isPositive(timeout)) {
      return new HalException(
          Status.DEADLINE_EXCEEDED, (all ? "not all of " : "none of ") + fence + " is reached");
    }
    StringBuilder text = new StringBuilder();
    text.append("waited ")
        .append(DurationText.of(timeout))
        .append(all ? " for all of " : " for any of ")
        .append(fence);
    int open = 0;
    for (int i = 0; i < known.length; i++) {
      if (!known[i] && ++open <= TimepointSet.MOST_NAMED) {
        text.append("; ").append(fence.semaphore(i).explain(fence.value(i)));
      }
    }
    if (open > TimepointSet.MOST_NAMED) {
      text.append("; and ").append(open - TimepointSet.MOST_NAMED).append(" more are not reached");
    }
    return new HalException(Status.DEADLINE_EXCEEDED, text.toString());
  }

  static boolean isPositive(Duration timeout) {
    return !timeout.isZero() && !timeout.isNegative();
  }

  /** Returns nanoseconds that can be added to {@link System#nanoTime()}. */
  static long saturatedNanos(Duration timeout) {
    try {
      // Half the range, so that differences stay meaningful after adding it to nanoTime().
      return Math.min(timeout.toNanos(), Long.MAX_VALUE / 2);
    } catch (ArithmeticException tooLong) {
      return timeout.isNegative() ? 0 : Long.MAX_VALUE / 2;
    }
  }
}
