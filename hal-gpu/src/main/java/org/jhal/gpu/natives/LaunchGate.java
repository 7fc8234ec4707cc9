// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.natives;

import com.google.common.util.concurrent.Uninterruptibles;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.support.BackOff;
import org.jhal.driver.support.PlatformThreads;
import org.jhal.spi.DurationText;
import org.jspecify.annotations.Nullable;

/**
 * Keeps launches of collectives apart from calls that hold a lock of the runtime while they wait
 * until a device is idle: frees, page-locking, modules, graphs, streams. A collective's kernel runs
 * until those of all ranks run. So such a call between the launches of two ranks would wait for the
 * first kernel, and the other launch would wait for the lock (rule G6).
 *
 * <p>Launches also exclude each other, so that the collectives of all groups have one order on all
 * devices. Calls and launches wait in one line, so overlapping calls cannot starve a launch. Only
 * two kinds of calls pass a waiting launch: those that end work for which a call inside may wait,
 * and those beside users' code, which may wait for them.
 *
 * <p>All devices of a driver share one gate. Thread-safe.
 */
public final class LaunchGate {
  /** The number of permits, greater than that of threads. */
  static final int ALL = 1 << 20;

  // A launch takes all permits, a call one. Fair: this is the line.
  private final Semaphore permits;

  // The launch inside, or null. Written by the launching thread.
  private volatile @Nullable Stay launching;

  // The number of threads in the line, or about to be. A launch sets `launching` before it reads
  // this; a waiter counts itself before it reads `launching`. So at least one of them starts the
  // timer that ends a hanging launch.
  private final AtomicInteger waiting = new AtomicInteger();

  // Whether this thread is inside: a call within a call must not wait for a waiting launch, nor
  // may a call within a launch wait for that launch.
  private final ThreadLocal<Boolean> isInside = ThreadLocal.withInitial(() -> false);

  // The number of threads inside with users' code. Such code enters through the line, so a waiting
  // launch admits no more of it, and follows the code inside and the calls beside that.
  private final AtomicInteger users = new AtomicInteger();

  /**
   * Permits that are released once, by any of several threads. The object is made before they are
   * taken, so that nothing can fail in between.
   */
  private final class Stay {
    private final int count;
    private boolean isTaken; // written before others see it
    private long end; // when others proceed without it, as System.nanoTime(); written with isTaken
    private final AtomicBoolean isOver = new AtomicBoolean();
    private volatile @Nullable CompletableFuture<Void> timer; // written with the monitor held

    Stay(int count) {
      this.count = count;
    }

    /**
     * Takes the permits in the line. Returns false after {@code patience}, in nanoseconds.
     *
     * @param mayPass whether to pass a waiting launch while users' code is inside
     */
    boolean take(long patience, boolean mayPass) {
      isTaken =
          await(
              () ->
                  mayPass && users.get() > 0 && permits.tryAcquire(count)
                      || takeInLine(0)
                      || patience > 0 && takeLater(patience));
      return isTaken;
    }

    private boolean takeInLine(long patience) {
      return Uninterruptibles.tryAcquireUninterruptibly(
          permits, count, patience, TimeUnit.NANOSECONDS);
    }

    /** Waits for its turn, which may take as long as a device's work. */
    private boolean takeLater(long patience) {
      PlatformThreads.waitUnlimited();
      return takeInLine(patience);
    }

    /** As {@link #take}, ahead of the line. */
    boolean takeAhead(long patience) {
      isTaken =
          await(
              () ->
                  BackOff.await(
                      this, System.nanoTime() + patience, () -> permits.tryAcquire(count)));
      return isTaken;
    }

    /** Lets others proceed without it after {@code patience}, in nanoseconds from now. */
    void limit(long patience) {
      end = System.nanoTime() + Math.min(patience, Long.MAX_VALUE / 2);
    }

    void end() {
      if (isTaken && isOver.compareAndSet(false, true)) {
        permits.release(count);
        drop(timer);
      }
    }

    /**
     * Starts the timer that ends it when it is late. If that fails, the next waiter tries again.
     * Synchronized, so that no waiter relies on a timer that fails to start.
     */
    synchronized void startTimer() {
      if (timer == null && !isOver.get()) {
        CompletableFuture<Void> late = new CompletableFuture<>();
        var unused = late.thenRun(this::end);
        long left = Math.max(0, end - System.nanoTime());
        late.completeOnTimeout(null, left, TimeUnit.NANOSECONDS);
        timer = late;
        if (isOver.get()) { // and the end has missed the timer
          drop(late);
        }
      }
    }

    /** Otherwise it would be reachable until it fires. */
    private static void drop(@Nullable CompletableFuture<Void> started) {
      if (started != null) {
        started.complete(null);
      }
    }
  }

  /** A gate with nothing inside or in the line. */
  public LaunchGate() {
    this(new Semaphore(ALL, true));
  }

  /** For tests: with the line, a fair one, and {@link #ALL} permits in it. */
  LaunchGate(Semaphore permits) {
    this.permits = permits;
  }

  /** Calls {@code body}, which may wait until a device is idle, while nothing is being launched. */
  public <T> T call(Supplier<T> body) {
    return call(true, body);
  }

  /**
   * As {@link #call(Supplier)}, for users' code, which may wait for calls of other threads: these
   * pass a waiting launch until it returns.
   */
  public <T> T callUsers(Supplier<T> body) {
    return call(
        false,
        () -> {
          users.incrementAndGet();
          try {
            return body.get();
          } finally {
            users.decrementAndGet();
          }
        });
  }

  /**
   * Calls {@code body}, which waits for work on a device. If this thread is inside, calls of other
   * threads for which that work may wait pass a waiting launch meanwhile, as beside users' code.
   */
  public void awaitWork(Runnable body) {
    if (!isInside.get()) {
      body.run();
      return;
    }
    users.incrementAndGet();
    try {
      body.run();
    } finally {
      users.decrementAndGet();
    }
  }

  private <T> T call(boolean mayPass, Supplier<T> body) {
    if (isInside.get()) {
      return body.get();
    }
    Stay stay = new Stay(1);
    stay.take(Long.MAX_VALUE, mayPass);
    return inside(stay, body);
  }

  private <T> T inside(Stay stay, Supplier<T> body) {
    try {
      isInside.set(true);
      return body.get();
    } finally {
      try {
        isInside.remove();
      } finally {
        stay.end();
      }
    }
  }

  /** {@code body} as a supplier. */
  public static Supplier<Boolean> returning(Runnable body) {
    return () -> {
      body.run();
      return true;
    };
  }

  /**
   * Puts work that involves another device into a stream, while nothing is being launched. Streams
   * may share a hardware queue. So if a stream were made to wait for another rank's stream between
   * the launches of the two, each rank's kernel could be behind a wait for the other.
   *
   * @param mayBlock whether to wait in the line
   * @return false if it had to wait but may not; then {@code body} was not called
   */
  public boolean across(boolean mayBlock, Runnable body) {
    if (mayBlock || isInside.get()) {
      return call(returning(body));
    }
    Stay stay = new Stay(1);
    return stay.take(0, true) && inside(stay, returning(body));
  }

  /** As {@link #call(Supplier)}. */
  public void run(Runnable body) {
    call(returning(body));
  }

  /**
   * As {@link #run}, for a call that may never return: it keeps launches out for a limited time.
   *
   * @param patience the limit in nanoseconds
   */
  public void runAtMost(long patience, Runnable body) {
    Stay stay = new Stay(1);
    stay.take(Long.MAX_VALUE, true);
    runLimited(stay, patience, body);
  }

  /**
   * As {@link #runAtMost}, for calls that end work, such as a failed collective. A call inside may
   * wait for that work, and a launch in the line for that call. So this goes ahead of the line,
   * waits only for a launch inside, for half of {@code patience} at most, and then proceeds beside
   * it.
   */
  public void runAhead(long patience, Runnable body) {
    Stay stay = new Stay(1);
    stay.takeAhead(patience / 2);
    runLimited(stay, patience, body);
  }

  private void runLimited(Stay stay, long patience, Runnable body) {
    stay.limit(patience);
    inside(
        stay,
        () -> {
          stay.startTimer();
          body.run();
          return true;
        });
  }

  /**
   * Launches while no other launch and no call is inside. If the launch does not return in time,
   * others proceed; by then it is aborted, or its devices are lost.
   *
   * @param patience the limit for the wait, and for the launch, in nanoseconds
   * @throws HalException DEADLINE_EXCEEDED, before {@code body} is called, if the wait takes longer
   */
  public <T> T launch(long patience, Supplier<T> body) {
    Stay stay = new Stay(ALL);
    if (!stay.take(patience, false)) {
      throw new HalException(
          Status.DEADLINE_EXCEEDED,
          "calls to the runtime, or other groups, did not end within "
              + DurationText.of(Duration.ofNanos(patience)));
    }
    try {
      stay.limit(patience); // the time in the line does not count
      launching = stay;
      if (waiting.get() > 0) {
        stay.startTimer();
      }
      isInside.set(true); // it may make calls, such as to open a stream
      return body.get();
    } finally {
      try {
        isInside.remove();
      } finally {
        if (launching == stay) { // else it was late and another one took its place
          launching = null;
        }
        stay.end();
      }
    }
  }

  /** Waits by {@code acquire}, and ends a hanging launch meanwhile. */
  private boolean await(BooleanSupplier acquire) {
    waiting.incrementAndGet();
    try {
      Stay inside = launching;
      if (inside != null) {
        inside.startTimer();
      }
      return acquire.getAsBoolean();
    } finally {
      waiting.decrementAndGet();
    }
  }
}
