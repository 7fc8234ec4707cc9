package org.jhal.engine.queue;

import org.jhal.HalException;
import org.jhal.Status;
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

  /** Why the device is lost. Written by any thread that finds out; never becomes null again. */
  private volatile @Nullable HalException cause;

  /**
   * The issue thread has to propagate the loss, and to fail the operations of this queue. Set by
   * any thread, cleared by the issue thread.
   */
  private volatile boolean isPending;

  /** Creates the view of one queue on a device that is not lost. */
  QueueLoss(String queueName, DeviceLoss device, Runnable wakeIssueThread) {
    this.queueName = queueName;
    this.device = device;
    this.wakeIssueThread = wakeIssueThread;
  }

  /** Why the device is lost, or null. */
  @Nullable HalException cause() {
    return cause;
  }

  /** Records a loss that another queue, or the device, has found. */
  void set(HalException first) {
    cause = first;
  }

  /**
   * Loses the device because the native call {@code call} threw {@code thrown}, and fails
   * everything that its queues have. Users' callbacks run.
   *
   * @return the first cause of the device's loss
   */
  HalException lose(String call, Throwable thrown) {
    HalException first = note(call, thrown);
    device.propagate();
    return first;
  }

  /**
   * Loses the device like {@link #lose}, for a caller that has the drainer's role or has bound the
   * device for a native call, where users' code must not run. The device counts as lost at once;
   * the issue thread fails the operations.
   */
  HalException loseLater(String call, Throwable thrown) {
    HalException first = note(call, thrown);
    isPending = true;
    wakeIssueThread.run();
    return first;
  }

  /**
   * The device is about to have its queues fail their operations. Should an error end that
   * half-way, the issue thread of each queue does it. The cause comes first: that thread may be
   * awake already.
   */
  void expect(HalException first) {
    set(first);
    isPending = true;
  }

  /** Whether the issue thread has to propagate the loss; for that thread, which then does so. */
  boolean takePending() {
    if (!isPending) {
      return false; // without writing: another thread may set it now
    }
    isPending = false;
    return true;
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
    // Another thread may be losing the device and not have reached this queue yet. The cause is set
    // here too, since from now on no operation of this queue may count as successful.
    HalException first = device.note(failure);
    set(first);
    return first;
  }
}
