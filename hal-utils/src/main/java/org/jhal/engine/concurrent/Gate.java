// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.concurrent;

import java.util.concurrent.atomic.AtomicLong;
import org.jhal.driver.support.BackOff;

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
   * and then returns false. For use after {@link #shut}. An interrupt does not end the wait; the
   * thread's interrupt status is restored.
   */
  public boolean awaitEmpty(long deadline) {
    return BackOff.await(this, deadline, this::isEmpty);
  }
}
