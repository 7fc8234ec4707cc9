// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.timeline;

import org.jspecify.annotations.Nullable;

/** A queue of operations, as timelines see it, which are below queues. */
public abstract class ReadyQueue {
  /**
   * The latest error, such as a StackOverflowError, that has ended a step of this queue half-way;
   * null if there was none. From then on no thread issues, and the queue's issue thread, which
   * looks at this about once a second, loses the device (rule E2).
   *
   * <p>Written where the error is caught, by a plain assignment: there may be no stack for a call.
   */
  public volatile @Nullable Throwable brokenBy;

  /**
   * Issues what became ready by a signal. Called by the thread that signalled, with no lock held.
   */
  public abstract void drainAfterSignal();
}
