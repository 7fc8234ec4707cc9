// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.hazard;

/** What the host knows of the operations of one queue. Thread-safe. */
public final class QueueOrder {
  final String queue;

  /** The host has seen that all operations up to this number have retired. Only grows. */
  private volatile long retired;

  public QueueOrder(String queue) {
    this.queue = queue;
  }

  /** The host has seen that no operation was open when that with this number was the last one. */
  public synchronized void noneOpenUpTo(long number) {
    retired = Math.max(retired, number);
  }

  boolean isRetired(long number) {
    return number != 0 && number <= retired;
  }
}
