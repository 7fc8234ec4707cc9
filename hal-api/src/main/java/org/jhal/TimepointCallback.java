package org.jhal;

import org.jspecify.annotations.Nullable;

/**
 * A callback that runs when a timepoint is reached or can no longer be reached.
 *
 * <p>Runs once, on the thread that signals or on a completion thread, with no lock held. It MAY
 * signal, fail and enqueue. It MUST NOT block and MUST NOT close a device: every method of JHAL
 * that waits is refused in it with FAILED_PRECONDITION, on whatever thread it runs. To wait, go on
 * elsewhere: {@code whenReached(value).thenRunAsync(..)}, or enqueue a {@link HostCall}. What it
 * throws is logged and dropped (rule S7).
 */
@FunctionalInterface
public interface TimepointCallback {
  /**
   * Called when the value is reached or never will be.
   *
   * @param failure null if the value was reached; otherwise why it never will be (CANCELLED if the
   *     semaphore was closed)
   */
  void done(@Nullable HalException failure);
}
