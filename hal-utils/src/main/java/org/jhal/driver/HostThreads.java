// SPDX-License-Identifier: Apache-2.0
package org.jhal.driver;

import java.util.concurrent.Executor;

/**
 * The few threads of a device that run host completions of one kind, in the order in which they
 * become ready.
 *
 * <p>Thread-safe. After the close timeout of the device, {@link #execute} throws {@link
 * java.util.concurrent.RejectedExecutionException}.
 */
public interface HostThreads extends Executor {
  /**
   * For long work on one of these threads: whether others wait for a thread. If so, {@code rest} is
   * queued behind them, and the caller must return. Otherwise, the caller goes on, and {@code rest}
   * is ignored.
   */
  default boolean giveWay(Runnable rest) {
    return false;
  }
}
