package org.jhal.engine.concurrent;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Counts the threads inside a section and shuts it: after {@link #shut()} nobody enters, and {@link
 * #awaitEmpty} waits for those inside to leave.
 *
 * <p>Thread-safe.
 */
public final class Gate {
  private static final long SHUT = 1L << 62;

  private final AtomicLong state =
      new AtomicLong(); // how many are inside, plus SHUT once it is shut
  private volatile @Nullable Thread closer;

  /** Enters unless the gate is shut; who entered must leave. */
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

  /** Leaves. */
  public void leave() {
    if (state.decrementAndGet() == SHUT) {
      LockSupport.unpark(closer);
    }
  }

  /** Shuts the gate; returns whether this call did. */
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

  public boolean isShut() {
    return state.get() >= SHUT;
  }

  /**
   * Waits until nobody is inside, or {@link System#nanoTime()} passes {@code deadline}. For one
   * thread, after shut.
   */
  public boolean awaitEmpty(long deadline) {
    closer = Thread.currentThread();
    boolean interrupted = false;
    try {
      while (state.get() != SHUT) {
        long left = deadline - System.nanoTime();
        if (left <= 0) {
          return false;
        }
        LockSupport.parkNanos(this, left);
        interrupted |= Thread.interrupted(); // a parked thread with its flag set would spin
      }
      return true;
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
