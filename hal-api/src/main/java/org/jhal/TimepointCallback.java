// SPDX-License-Identifier: Apache-2.0
package org.jhal;

import org.jspecify.annotations.Nullable;

/**
 * A callback that runs when a timepoint is reached or can no longer be reached.
 *
 * <p>It runs once, on one of JHAL's threads or on the thread whose call changes the timeline, with
 * no lock held, and never on a thread that waits for a value. It MAY signal, fail and enqueue. It
 * MUST NOT block, and MUST NOT close a device: in a callback, every method of JHAL that waits
 * throws FAILED_PRECONDITION, on whatever thread the callback runs. To wait, continue elsewhere:
 * {@code whenReached(value).thenRunAsync(..)}, or enqueue a {@link HostCall}. An exception that the
 * callback throws is logged and dropped (rule S7).
 */
@FunctionalInterface
public interface TimepointCallback {
  /**
   * Called when the value is reached, or can no longer be reached.
   *
   * @param failure null if the value was reached; otherwise the reason why it cannot be (CANCELLED
   *     if the semaphore was closed)
   */
  void done(@Nullable HalException failure);
}
