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
public class Gate {
  private static final long SHUT = 1L << 62;

  // How many threads are inside, plus SHUT once the gate is shut.
  private final AtomicLong state = new AtomicLong();

  /** How often a waiting closer checks the count: the last thread may be unable to wake it. */
  private static final long LOOK_NANOS = 1_000_000_000;

  // The thread in awaitEmpty(). Written by that thread, read by the last one to leave.
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
   * Enters as {@link #tryEnter} does, and also through a shut gate while another thread is inside.
   * For a part of that thread's work.
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
   * Leaves the section that {@link #tryEnter} or {@link #tryEnterPart} has entered. It needs no
   * more stack than entering.
   */
  public void leave() {
    long now = state.get();
    while (!state.compareAndSet(now, now - 1)) {
      now = state.get();
    }
    if (now - 1 == SHUT) {
      wakeCloser();
    }
  }

  private void wakeCloser() {
    LockSupport.unpark(closer);
  }

  /** Returns false if it was shut already. */
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
      while (state.get() != SHUT) {
        long left = deadline - System.nanoTime();
        if (left <= 0) {
          return false;
        }
        LockSupport.parkNanos(this, Math.min(left, LOOK_NANOS));
        interrupted |= Thread.interrupted(); // otherwise parkNanos() returns at once
      }
      return true;
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
