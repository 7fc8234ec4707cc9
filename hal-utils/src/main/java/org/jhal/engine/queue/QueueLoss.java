// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.queue;

import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.engine.timeline.Failures;
import org.jspecify.annotations.Nullable;

/**
 * The loss of the device as one queue sees it, and the queue's way of reporting a loss to the
 * device (rule Q7).
 *
 * <p>Thread-safe.
 */
final class QueueLoss {
  private final String queueName;
  private final DeviceLoss device;
  private final Runnable wakeIssueThread;

  QueueLoss(String queueName, DeviceLoss device, Runnable wakeIssueThread) {
    this.queueName = queueName;
    this.device = device;
    this.wakeIssueThread = wakeIssueThread;
  }

  /** Why the device is lost, or null. */
  @Nullable HalException cause() {
    return device.cause();
  }

  /**
   * Loses the device because a native call threw {@code thrown}, and fails everything that its
   * queues have. Users' callbacks run. Returns the first cause of the loss.
   */
  HalException lose(String call, Throwable thrown) {
    HalException first = note(call, thrown);
    device.propagate();
    return first;
  }

  /**
   * As {@link #lose}, for a caller that has the drainer's role or has bound the device for a native
   * call, where users' code must not run: the issue thread propagates the loss.
   */
  HalException loseLater(String call, Throwable thrown) {
    HalException first = note(call, thrown);
    wakeIssueThread.run();
    return first;
  }

  /** Has the device do what {@link #loseLater} has left. */
  void propagate() {
    device.propagate();
  }

  private HalException note(String call, Throwable thrown) {
    HalException failure =
        new HalException(
            Status.UNAVAILABLE,
            "the device of queue "
                + queueName
                + " is lost: "
                + call
                + " failed: "
                + Failures.describe(thrown),
            thrown);
    return device.note(failure);
  }
}
