package org.jhal.driver.gpu;

import com.google.common.util.concurrent.Uninterruptibles;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jhal.HalException;
import org.jhal.Status;
import org.jspecify.annotations.Nullable;

/**
 * Keeps launches of collectives apart from calls that wait until a device is idle while they hold a
 * lock of the runtime: frees, page-locking, modules, graphs, streams. A kernel of a collective runs
 * until those of all ranks run. So if such a call came between the launches of two ranks, it would
 * wait for the first one's kernel, and the other launch would wait for its lock (rule G6).
 *
 * <p>Launches exclude each other, too, so that the collectives of all groups come in one order on
 * all devices. Calls and launches get in roughly in the order in which they came, so none waits for
 * ever.
 *
 * <p>All devices of a driver share one gate. Thread-safe.
 */
public final class LaunchGate {
  private static final int ALL = 1 << 20; // more than there are threads

  /** How often one that waits looks whether a launch hangs. */
  private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** How often an abort looks whether a launch is over. */
  private static final long SOON_NANOS = 100_000;

  // A launch has all permits, a call has one.
  private final Semaphore permits = new Semaphore(ALL, true);

  // The launch that is inside, or null. Written by the thread that launches.
  private volatile @Nullable Stay launching;

  // Whether this thread is inside, so that calls within a call do not wait for a launch that waits.
  private final ThreadLocal<Boolean> isInside = ThreadLocal.withInitial(() -> false);

  /** Permits that are given back once, by whoever comes first. */
  private final class Stay {
    private final int count;
    private final long patience; // how long the others wait, in nanoseconds
    private long begin; // by System.nanoTime(); others look at it only once they see the stay
    private final AtomicBoolean isOver = new AtomicBoolean();

    Stay(int count, long patience) {
      this.count = count;
      this.patience = patience;
    }

    /** It is inside. */
    void begin() {
      begin = System.nanoTime();
    }

    void end() {
      if (isOver.compareAndSet(false, true)) {
        permits.release(count);
      }
    }

    void endIfLate() {
      if (System.nanoTime() - begin > patience) {
        end();
      }
    }
  }

  /** Calls {@code body}, which may wait until a device is idle, while nothing is being launched. */
  <T> T call(Supplier<T> body) {
    if (isInside.get()) {
      return body.get();
    }
    boolean ignored = acquire(1, Long.MAX_VALUE);
    try {
      isInside.set(true);
      return body.get();
    } finally {
      try {
        isInside.remove();
      } finally {
        permits.release();
      }
    }
  }

  /** As {@link #call(Supplier)}. */
  void run(Runnable body) {
    boolean ignored =
        call(
            () -> {
              body.run();
              return true;
            });
  }

  /**
   * Ends a communicator. This must not wait for launches that wait themselves, perhaps for a call
   * that ends only when this does. It may never return, so it keeps launches out only for some
   * time.
   *
   * @param patience how long, in nanoseconds
   */
  void abort(long patience, Runnable body) {
    long start = System.nanoTime();
    while (!permits.tryAcquire()) { // also past those that wait
      Stay inside = launching;
      if (inside != null) {
        inside.endIfLate();
      }
      if (System.nanoTime() - start > patience / 4) {
        body.run(); // a launch that hangs may wait for just this
        return;
      }
      LockSupport.parkNanos(this, SOON_NANOS);
    }
    Stay stay = new Stay(1, patience);
    try {
      CompletableFuture.delayedExecutor(patience, TimeUnit.NANOSECONDS).execute(stay::end);
      body.run();
    } finally {
      stay.end();
    }
  }

  /**
   * Launches, while nobody else launches and nothing is called. If the launch itself does not
   * return for as long, others go on: its devices are lost by then.
   *
   * @param patience how long to wait for that, in nanoseconds
   * @throws HalException DEADLINE_EXCEEDED if it takes longer; then {@code body} was not called
   */
  <T> T launch(long patience, Supplier<T> body) {
    Stay stay = new Stay(ALL, patience);
    if (!acquire(ALL, patience)) {
      throw new HalException(
          Status.DEADLINE_EXCEEDED,
          "calls to the runtime, or other groups, did not end for "
              + TimeUnit.NANOSECONDS.toMillis(patience)
              + " ms");
    }
    try {
      stay.begin();
      launching = stay;
      return body.get();
    } finally {
      if (launching == stay) { // unless another one took its place, as it was late
        launching = null;
      }
      stay.end();
    }
  }

  private boolean acquire(int count, long patience) {
    long start = System.nanoTime();
    while (true) {
      long left = patience - (System.nanoTime() - start);
      if (Uninterruptibles.tryAcquireUninterruptibly(
          permits, count, Math.min(left, LOOK_NANOS), TimeUnit.NANOSECONDS)) {
        return true;
      }
      if (left <= 0) {
        return false;
      }
      Stay inside = launching;
      if (inside != null) {
        inside.endIfLate();
      }
    }
  }
}
