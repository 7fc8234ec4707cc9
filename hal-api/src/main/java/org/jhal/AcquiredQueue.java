// SPDX-License-Identifier: Apache-2.0
package org.jhal;

/**
 * A queue that a program has acquired, with a priority and maybe a share of its device. Its owner
 * closes it; the device closes those that are left.
 *
 * <p>Everything else is as for any {@link DeviceQueue}, and its operations may depend on those of
 * all other queues, and they on its.
 *
 * <p>Contract: rule Q12.
 *
 * <p>Thread-safe.
 */
public interface AcquiredQueue extends DeviceQueue, AutoCloseable {
  /** Returns what was requested. */
  QueueRequest request();

  /** Returns what the queue really got, which may be less than was requested. */
  QueueGrant granted();

  /** Returns whether {@link #close()} has begun, here or on the device. */
  boolean isClosed();

  /**
   * Closes the queue, and lets others have its share:
   *
   * <ul>
   *   <li>New work is rejected with FAILED_PRECONDITION.
   *   <li>Work that was not issued yet fails with CANCELLED.
   *   <li>Work that was issued runs, and the close waits for it, up to the setting {@code
   *       close-timeout}. What is not over by then goes on; the queue keeps its share until its
   *       work has ended and another queue is acquired, or until the device is closed. This is
   *       logged.
   * </ul>
   *
   * <p>Closing twice is harmless; a second call returns when the queue is closed. On a closed
   * device it does nothing.
   *
   * @throws HalException FAILED_PRECONDITION if called from a callback, a host call or any other
   *     thread of a device
   */
  @Override
  void close();
}
