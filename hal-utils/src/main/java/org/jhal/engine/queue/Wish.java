// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.queue;

import java.util.concurrent.atomic.AtomicLong;
import org.jhal.engine.timeline.EngineSemaphore;

/**
 * How far somebody wants to know what a stream has done: up to which operation, by its {@link
 * Operation#place}. As long as the wish does not cover the oldest operation in flight, nobody waits
 * for it, and the completion thread seldom queries events, which would hold up those who issue.
 *
 * <p>A wish only grows, so none is lost: a thread that wants something just when the completion
 * thread goes quiet has stored that before the completion thread reads it next, which it does all
 * the time; see {@link PollingPace}.
 *
 * <p>Thread-safe, without a lock. Who wants something that is not issued yet says so when it is:
 * see {@link EngineSemaphore#register} and {@link EngineSemaphore#publish}.
 */
final class Wish {
  /** The place of everything that will ever be issued. */
  static final long ALL = Long.MAX_VALUE;

  private final AtomicLong last = new AtomicLong();

  /**
   * Somebody wants to know soon when the operation at {@code place}, and all before it, is over.
   */
  void want(long place) {
    long before = last.get();
    while (before < place && !last.compareAndSet(before, place)) {
      before = last.get();
    }
  }

  /** Whether somebody wants to know when the operation at {@code place} is over. */
  boolean covers(long place) {
    return place <= last.get();
  }
}
