// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.queue;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Retires operations while the completion thread sleeps in the native runtime, where no thread can
 * wake it: the work for which it sleeps may take any time, and has nothing to do with what other
 * threads have settled meanwhile, such as host completions and operations that were not issued.
 *
 * <p>Thread-safe: any thread may call it.
 */
final class Deputy<E> {
  private final Executor aside;
  private final Retirer<E> retirer;
  private final Runnable task = this::retire;
  private final AtomicBoolean isCalled = new AtomicBoolean();
  private final AtomicInteger tasks = new AtomicInteger(); // that were called, and are not over

  /**
   * Creates the deputy of one completion thread.
   *
   * @param aside runs one task at a time
   */
  Deputy(Executor aside, Retirer<E> retirer) {
    this.aside = aside;
    this.retirer = retirer;
  }

  /** Has it retire what is to retire now. */
  void call() {
    if (isCalled.compareAndSet(false, true)) {
      boolean isAccepted = false;
      tasks.incrementAndGet();
      try {
        aside.execute(task);
        isAccepted = true;
      } catch (RejectedExecutionException e) {
        return; // closed, or no thread can be started: the completion thread does it in the end
      } finally {
        if (!isAccepted) {
          tasks.decrementAndGet();
          isCalled.set(false);
        }
      }
    }
  }

  private void retire() {
    isCalled.set(false); // first: what is added from here on calls it again
    try {
      retireNow();
    } finally {
      tasks.decrementAndGet();
    }
  }

  /** Whether it does nothing, and was not called to. */
  boolean isIdle() {
    return tasks.get() == 0;
  }

  /** Retires what is to retire, and what an error has left. Also for the thread that closes. */
  void retireNow() {
    retirer.retireSettled();
    retirer.release();
    retirer.remove();
  }
}
