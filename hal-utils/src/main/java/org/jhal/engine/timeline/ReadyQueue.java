// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.timeline;

/** A queue that may have operations to issue, as a {@link Cascade} sees it. */
public interface ReadyQueue {
  /**
   * Issues what became ready by a signal. Called by the thread that signalled, with no lock held.
   *
   * @param cascade the caller, whose {@link Cascade#stepOf} the first statement sets
   */
  void drainAfterSignal(Cascade cascade);
}
