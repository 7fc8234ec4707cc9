package org.jhal.driver.gpu;

import com.google.common.util.concurrent.Uninterruptibles;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
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
 * all devices. Calls and launches stand in one line: each keeps its place until its turn, so calls
 * that overlap for ever keep no launch out.
 *
 * <p>All devices of a driver share one gate. Thread-safe.
 */
public final class LaunchGate {
  private static final int ALL = 1 << 20; // more than there are threads

  // A launch has all permits, a call has one. Fair: this is the line.
  private final Semaphore permits = new Semaphore(ALL, true);

  // The launch that is inside, or null. Written by the thread that launches.
  private volatile @Nullable Stay launching;

  // How many threads are in the line, or about to be. A launch sets `launching` before it reads
  // this, and who waits counts itself before it reads `launching`: so one of both starts the timer
  // that ends a launch which hangs.
  private final AtomicInteger waiting = new AtomicInteger();

  // Whether this thread is inside, so that calls within a call do not wait for a launch that waits.
  private final ThreadLocal<Boolean> isInside = ThreadLocal.withInitial(() -> false);

  /** Permits that are given back once, by whoever comes first. */
  private final class Stay {
    private final int count;
    private final long end; // when others go on without waiting for it, by System.nanoTime()
    private final AtomicBoolean isOver = new AtomicBoolean();
    private final AtomicReference<@Nullable CompletableFuture<Void>> timer =
        new AtomicReference<>();

    Stay(int count, long patience) {
      this.count = count;
      this.end = System.nanoTime() + Math.min(patience, Long.MAX_VALUE / 2);
    }

    void end() {
      if (isOver.compareAndSet(false, true)) {
        permits.release(count);
        CompletableFuture<Void> started = timer.get();
        if (started != null) {
          boolean ignored = started.complete(null); // or it would be kept until it is late
        }
      }
    }

    /** Ends it when it is late. */
    void startTimer() {
      CompletableFuture<Void> late = new CompletableFuture<>();
      if (timer.compareAndSet(null, late) && !isOver.get()) {
        var unused = late.thenRun(this::end);
        long left = Math.max(0, end - System.nanoTime());
        var ignored = late.completeOnTimeout(null, left, TimeUnit.NANOSECONDS);
      }
    }
  }

  /** Calls {@code body}, which may wait until a device is idle, while nothing is being launched. */
  <T> T call(Supplier<T> body) {
    if (isInside.get()) {
      return body.get();
    }
    boolean ignored = acquire(1, Long.MAX_VALUE);
    return inside(body);
  }

  /** Calls {@code body} with the permit that this thread has, and gives that back. */
  private <T> T inside(Supplier<T> body) {
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

  /**
   * Puts something into a stream that involves another device, while nothing is being launched.
   * Streams may share a queue of the hardware. So if a stream of one rank's device were made to
   * wait for one of another rank's device between the launches of the two, each rank's kernel could
   * be behind something that waits for the other one.
   *
   * @param mayBlock whether to wait in the line
   * @return false if it would have had to, and may not; then {@code body} was not called
   */
  boolean across(boolean mayBlock, Runnable body) {
    if (!mayBlock
        && !isInside.get()
        && !Uninterruptibles.tryAcquireUninterruptibly(permits, 1, 0, TimeUnit.NANOSECONDS)) {
      return false;
    }
    Supplier<Boolean> put =
        () -> {
          body.run();
          return true;
        };
    return mayBlock || isInside.get() ? call(put) : inside(put);
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
   * As {@link #run}, for what may never return: it keeps launches out for some time at most.
   *
   * @param patience how long, in nanoseconds
   */
  void runAtMost(long patience, Runnable body) {
    boolean ignored = acquire(1, Long.MAX_VALUE);
    Stay stay = new Stay(1, patience);
    try {
      stay.startTimer();
      isInside.set(true);
      body.run();
    } finally {
      isInside.remove();
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
    if (!acquire(ALL, patience)) {
      throw new HalException(
          Status.DEADLINE_EXCEEDED,
          "calls to the runtime, or other groups, did not end for "
              + TimeUnit.NANOSECONDS.toMillis(patience)
              + " ms");
    }
    Stay stay = new Stay(ALL, patience); // the time in the line does not count
    try {
      launching = stay;
      if (waiting.get() > 0) {
        stay.startTimer();
      }
      return body.get();
    } finally {
      if (launching == stay) { // unless another one took its place, as it was late
        launching = null;
      }
      stay.end();
    }
  }

  private boolean acquire(int count, long patience) {
    waiting.incrementAndGet();
    try {
      Stay inside = launching;
      if (inside != null) {
        inside.startTimer();
      }
      return Uninterruptibles.tryAcquireUninterruptibly(
          permits, count, patience, TimeUnit.NANOSECONDS);
    } finally {
      waiting.decrementAndGet();
    }
  }
}
