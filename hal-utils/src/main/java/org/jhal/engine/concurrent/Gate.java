package org.jhal.engine.concurrent;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Counts the threads inside a section, and can be shut. After {@link #shut()} no thread can enter,
 * and {@link #awaitEmpty} waits for those inside to leave.
 *
 * <p>Thread-safe.
 */
public final class Gate {
  private static final long SHUT = 1L << 62;

  // How many threads are inside, plus SHUT once the gate is shut.
  private final AtomicLong state = new AtomicLong();

  /** How long awaitEmpty() parks at most before it looks at {@link #stranded}. */
  private static final long LOOK_NANOS = 1_000_000_000;

  /**
   * How many threads are counted as inside although they have left, since {@link #leave} threw:
   * they had no stack left for it. Guarded by this. Whoever calls it counts this up without a call:
   *
   * <pre>{@code
   * try {
   *   gate.leave();
   * } catch (Throwable t) {
   *   synchronized (gate) {
   *     gate.stranded++;
   *   }
   *   throw t;
   * }
   * }</pre>
   *
   * <p>If nobody does, closing waits until its deadline.
   */
  public int stranded;

  // The thread in awaitEmpty(). Written by that thread, read by the last one that leaves.
  private volatile @Nullable Thread closer;

  /** Enters unless the gate is shut. If this returns true, the caller must {@link #leave}. */
  public boolean tryEnter() {
    long now = state.get();
    while (now < SHUT) {
      if (state.compareAndSet(now, now + 1)) {
        return true;
      }
      now = state.get();
    }
    return false;
  }

  /**
   * Enters like {@link #tryEnter}, and also if the gate is shut and somebody is inside: for a part
   * of what that does.
   */
  public boolean tryEnterPart() {
    long now = state.get();
    while (now != SHUT) {
      if (state.compareAndSet(now, now + 1)) {
        return true;
      }
      now = state.get();
    }
    return false;
  }

  /**
   * Leaves the section that {@link #tryEnter} or {@link #tryEnterPart} has entered. If this throws,
   * the thread is still counted as inside; see {@link #stranded}.
   */
  public void leave() {
    if (state.decrementAndGet() == SHUT) {
      try {
        LockSupport.unpark(closer);
      } catch (StackOverflowError e) {
        return; // it looks by itself
      }
    }
  }

  private void leaveStranded() {
    int count;
    synchronized (this) {
      count = stranded;
      stranded = 0;
    }
    state.addAndGet(-count);
  }

  /** Shuts the gate. Returns false if it was shut already. */
  public boolean shut() {
    long now = state.get();
    while (now < SHUT) {
      if (state.compareAndSet(now, now + SHUT)) {
        return true;
      }
      now = state.get();
    }
    return false;
  }

  /** Whether nobody is inside. */
  public boolean isEmpty() {
    return state.get() % SHUT == 0;
  }

  public boolean isShut() {
    return state.get() >= SHUT;
  }

  /**
   * Waits until no thread is inside, or until {@link System#nanoTime()} passes {@code deadline},
   * and then returns false. For one thread at a time, after {@link #shut}. An interrupt does not
   * end the wait; the thread's interrupt status is restored.
   */
  public boolean awaitEmpty(long deadline) {
    // Before the loop reads the count: the last thread may leave between that read and the park. It
    // changes the count before it reads `closer`, so it unparks this thread.
    closer = Thread.currentThread();
    boolean interrupted = false;
    try {
      leaveStranded();
      while (state.get() != SHUT) {
        long left = deadline - System.nanoTime();
        if (left <= 0) {
          return false;
        }
        LockSupport.parkNanos(this, Math.min(left, LOOK_NANOS));
        interrupted |= Thread.interrupted(); // with the status set, parkNanos() returns at once
        leaveStranded();
      }
      return true;
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
