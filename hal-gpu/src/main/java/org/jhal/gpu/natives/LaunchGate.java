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
import org.jspecify.annotations.Nullable;

/**
 * Keeps launches of collectives apart from calls that wait until a device is idle while they hold a
 * lock of the runtime: frees, page-locking, modules, graphs, streams. A kernel of a collective runs
 * until those of all ranks run. So if such a call came between the launches of two ranks, it would
 * wait for the first one's kernel, and the other launch would wait for its lock (rule G6).
 *
 * <p>Launches exclude each other, too, so that the collectives of all groups come in one order on
 * all devices. Calls and launches stand in one line: each keeps its place until its turn, so calls
 * that overlap for ever keep no launch out. Only two kinds of calls pass a launch in the line: what
 * ends that for which a call inside may wait, and calls beside users' code, which may wait for
 * them.
 *
 * <p>All devices of a driver share one gate. Thread-safe.
 */
public final class LaunchGate {
  /** How many permits there are: more than threads. */
  static final int ALL = 1 << 20;

  // A launch has all permits, a call has one. Fair: this is the line.
  private final Semaphore permits;

  // The launch that is inside, or null. Written by the thread that launches.
  private volatile @Nullable Stay launching;

  // How many threads are in the line, or about to be. A launch sets `launching` before it reads
  // this, and who waits counts itself before it reads `launching`: so one of both starts the timer
  // that ends a launch which hangs.
  private final AtomicInteger waiting = new AtomicInteger();

  // Whether this thread is inside, so that calls within a call do not wait for a launch that waits.
  private final ThreadLocal<Boolean> isInside = ThreadLocal.withInitial(() -> false);

  // How many threads are inside with users' code. Users' code enters in the line, so a launch in
  // the line lets no more of it in, and comes after what is inside and the calls beside that.
  private final AtomicInteger users = new AtomicInteger();

  /**
   * Permits that are given back once, by whoever comes first. Made before they are taken, so that
   * nothing fails in between.
   */
  private final class Stay {
    private final int count;
    private boolean isTaken; // written before others see it
    private long end; // when others go on without it, by System.nanoTime(); written with isTaken
    private final AtomicBoolean isOver = new AtomicBoolean();
    private volatile @Nullable CompletableFuture<Void> timer; // written with the monitor held

    Stay(int count) {
      this.count = count;
    }

    /**
     * Takes the permits, at its place in the line. Returns false if that takes longer than {@code
     * patience}, in nanoseconds.
     *
     * @param mayPass whether to pass a launch in the line beside users' code
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

    /** What is before it may take as long as the work of a device. */
    private boolean takeLater(long patience) {
      PlatformThreads.waitUnlimited();
      return takeInLine(patience);
    }

    /** As {@link #take}, but ahead of the line. */
    boolean takeAhead(long patience) {
      isTaken =
          await(
              () ->
                  BackOff.await(
                      this, System.nanoTime() + patience, () -> permits.tryAcquire(count)));
      return isTaken;
    }

    /** Counts from now on; others go on without it after {@code patience}, in nanoseconds. */
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
     * Ends it when it is late. If there is no memory or thread for that, the next one who waits
     * tries again; with the monitor held, so that nobody counts on a timer that fails to start.
     */
    synchronized void startTimer() {
      if (timer == null && !isOver.get()) {
        CompletableFuture<Void> late = new CompletableFuture<>();
        var unused = late.thenRun(this::end);
        long left = Math.max(0, end - System.nanoTime());
        var ignored = late.completeOnTimeout(null, left, TimeUnit.NANOSECONDS);
        timer = late;
        if (isOver.get()) { // and has not seen the timer
          drop(late);
        }
      }
    }

    /** Or it would be kept until it is late. */
    private static void drop(@Nullable CompletableFuture<Void> started) {
      if (started != null) {
        boolean ignored = started.complete(null);
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
   * As {@link #call(Supplier)}, for users' code, which may wait for calls of other threads: until
   * it returns, these pass a launch in the line.
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

  private <T> T call(boolean mayPass, Supplier<T> body) {
    if (isInside.get()) {
      return body.get();
    }
    Stay stay = new Stay(1);
    boolean ignored = stay.take(Long.MAX_VALUE, mayPass);
    return inside(stay, body);
  }

  /** Calls {@code body}, and then ends {@code stay}. */
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

  /** {@code body} as what can be called. */
  public static Supplier<Boolean> returning(Runnable body) {
    return () -> {
      body.run();
      return true;
    };
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
  public boolean across(boolean mayBlock, Runnable body) {
    if (mayBlock || isInside.get()) {
      return call(returning(body));
    }
    Stay stay = new Stay(1);
    return stay.take(0, true) && inside(stay, returning(body));
  }

  /** As {@link #call(Supplier)}. */
  public void run(Runnable body) {
    boolean ignored = call(returning(body));
  }

  /**
   * As {@link #run}, for what may never return: it keeps launches out for some time at most.
   *
   * @param patience how long, in nanoseconds
   */
  public void runAtMost(long patience, Runnable body) {
    Stay stay = new Stay(1);
    boolean ignored = stay.take(Long.MAX_VALUE, true);
    runLimited(stay, patience, body);
  }

  /**
   * As {@link #runAtMost}, for what ends something, such as a collective that has failed: a call
   * inside may wait for just that, and a launch in the line waits for this call. So it goes ahead
   * of the line, and waits only for a launch that is inside, for half of {@code patience} at most;
   * then it goes on beside that.
   */
  public void runAhead(long patience, Runnable body) {
    Stay stay = new Stay(1);
    boolean ignored = stay.takeAhead(patience / 2);
    runLimited(stay, patience, body);
  }

  private void runLimited(Stay stay, long patience, Runnable body) {
    stay.limit(patience);
    boolean ignored =
        inside(
            stay,
            () -> {
              stay.startTimer();
              body.run();
              return true;
            });
  }

  /**
   * Launches, while nobody else launches and nothing is called. If the launch itself does not
   * return for as long, others go on: its devices are lost by then.
   *
   * @param patience how long to wait for that, in nanoseconds
   * @throws HalException DEADLINE_EXCEEDED if it takes longer; then {@code body} was not called
   */
  public <T> T launch(long patience, Supplier<T> body) {
    Stay stay = new Stay(ALL);
    if (!stay.take(patience, false)) {
      throw new HalException(
          Status.DEADLINE_EXCEEDED,
          "calls to the runtime, or other groups, did not end within "
              + Duration.ofNanos(patience));
    }
    try {
      stay.limit(patience); // the time in the line does not count
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

  /** Waits by {@code acquire}; a launch that is inside and hangs is ended meanwhile. */
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
