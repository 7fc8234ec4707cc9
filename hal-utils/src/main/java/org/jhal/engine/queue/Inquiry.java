package org.jhal.engine.queue;

import org.jhal.HalException;
import org.jspecify.annotations.Nullable;

/**
 * What a queue answers to threads that ask about its events, mostly those of other devices (rule
 * S9a).
 *
 * <p>Thread-safe. The issue thread propagates a loss that is found, so no users' code runs.
 *
 * @param <E> the driver's native event
 */
interface Inquiry<E> {
  /**
   * Enters the queue on behalf of a thread that makes native calls about its events, which are not
   * destroyed until {@link #leave}. Returns false if the device is closed, or past its deadline.
   */
  boolean tryEnter();

  void leave();

  /**
   * Finds out whether this device is lost, by querying the event of {@code operation}. For a thread
   * of another device, whose call about that event has failed. The caller is inside.
   *
   * @return the first cause of the loss, or null
   */
  @Nullable HalException findLoss(Operation<E> operation);

  /**
   * Makes sure that an operation is complete, and that its outcome is known: a stream is past its
   * event. If that is another device's, it may also mean that this device is lost. If it is, the
   * queue's {@link OperationQueue#lost} says so afterwards.
   *
   * @param isOwnDevice whether the caller is of this device
   * @param mayWait whether to wait a moment for the event, and to lose the device if it does not
   *     fire; a thread that has a deadline of its own must not. One of this device that may is a
   *     completion thread, which ends before any event of the device is destroyed
   * @return whether all this is known. If the caller may wait, this is false only if the device is
   *     closed, or past its deadline, and the outcome can be asked for no more
   */
  boolean confirm(Operation<E> operation, boolean isOwnDevice, boolean mayWait);
}
