package org.jhal;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A host wait for several timepoints, built on {@link TimelineSemaphore#onReach} alone, so that
 * members may belong to different devices and drivers (rule S6).
 */
final class FenceWait {
  private final Thread waiter = Thread.currentThread();
  private final Fence fence;
  private final boolean[] reached; // guarded by this
  private volatile int open; // timepoints not reached yet; guarded by this for writing
  private volatile @Nullable HalException
      failure; // the first failure of a member; guarded by this for writing
  private final @Nullable Registration[] registrations; // by member; guarded by this until isOver
  private boolean isOver; // the wait has ended; guarded by this

  private FenceWait(Fence fence) {
    this.fence = fence;
    this.reached = new boolean[fence.size()];
    this.open = fence.size();
    this.registrations = new Registration[fence.size()];
  }

  /**
   * Waits for all or any of {@code fence}. A null {@code timeout} means for ever; with zero or less
   * it only checks.
   */
  static void await(Fence fence, boolean all, @Nullable Duration timeout)
      throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
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
    new FenceWait(fence).run(all, timeout);
  }

  private void run(boolean all, @Nullable Duration timeout) throws InterruptedException {
    long deadline = timeout == null ? 0 : System.nanoTime() + saturatedNanos(timeout);
    try {
      look();
      for (int i = 0; i < reached.length; i++) {
        int member = i;
        if (!reached[i]) {
          register(i, fence.value(i), failed -> member(member, all, failed));
        } else if (all && open > 0) {
          watch(i);
        }
      }
      while (true) {
        HalException failed = failure;
        if (failed != null) {
          throw failed.again();
        }
        if (all ? open == 0 : open < reached.length) {
          checkFailures();
          return;
        }
        if (Thread.interrupted()) {
          throw new InterruptedException();
        }
        if (timeout == null) {
          LockSupport.park(this);
        } else {
          long left = deadline - System.nanoTime();
          if (left <= 0) {
            throw expired(all, timeout);
          }
          LockSupport.parkNanos(this, left);
        }
      }
    } finally {
      cancelAll();
    }
  }

  /** A member that is reached may still fail, which ends a wait for the others (rule S6). */
  private void watch(int index) {
    register(index, Long.MAX_VALUE, this::failed);
  }

  private void register(int index, long value, TimepointCallback callback) {
    Registration made = fence.semaphore(index).onReach(value, callback);
    synchronized (this) {
      // If the member was reached meanwhile, watch() has registered for its failure, and this one
      // is over.
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

  /** If a member has failed, the wait fails, even if the member was reached before (rule S3). */
  private void checkFailures() {
    for (int i = 0; i < reached.length; i++) {
      HalException failed = fence.semaphore(i).failure();
      if (failed != null) {
        throw failed.again();
      }
    }
  }

  /**
   * Notes which members are already reached, before this object is shared. Within a callback this
   * is all that can be seen: callbacks given to onReach() there run only after that callback has
   * returned.
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
      } catch (HalException e) { // closed since
        failed(e);
      }
    }
    if (failed != null) {
      failed(failed);
    }
    LockSupport.unpark(waiter);
  }

  private void failed(@Nullable HalException failed) {
    synchronized (this) {
      if (failure == null) {
        failure = failed;
      }
    }
    LockSupport.unpark(waiter);
  }

  private HalException expired(boolean all, Duration timeout) {
    boolean[] known;
    synchronized (this) {
      known = reached.clone(); // explain() takes other locks, so it is called without this one
    }
    if (timeout.isZero() || timeout.isNegative()) {
      return new HalException(
          Status.DEADLINE_EXCEEDED, (all ? "not all of " : "none of ") + fence + " is reached");
    }
    StringBuilder text = new StringBuilder();
    text.append("waited ")
        .append(timeout)
        .append(all ? " for all of " : " for any of ")
        .append(fence);
    for (int i = 0; i < known.length; i++) {
      if (!known[i]) {
        text.append("; ").append(fence.semaphore(i).explain(fence.value(i)));
      }
    }
    return new HalException(Status.DEADLINE_EXCEEDED, text.toString());
  }

  /** Nanoseconds that can be added to {@link System#nanoTime()}. */
  static long saturatedNanos(Duration timeout) {
    try {
      // Half the range, so that adding it to nanoTime() keeps differences meaningful.
      return Math.min(timeout.toNanos(), Long.MAX_VALUE / 2);
    } catch (ArithmeticException tooLong) {
      return timeout.isNegative() ? 0 : Long.MAX_VALUE / 2;
    }
  }
}
