package org.jhal.engine.queue;

import org.jhal.HalException;
import org.jhal.Status;
import org.jspecify.annotations.Nullable;

/**
 * The loss of the device, as one queue knows it, and the way on which the queue tells the device
 * (rule Q7).
 *
 * <p>Thread-safe.
 */
final class QueueLoss {
  private final String queueName;
  private final DeviceLoss device;
  private final Runnable wakeIssueThread;

  /** Why the device is lost; never changes back to null. */
  private volatile @Nullable HalException cause;

  /** Whether {@link #tellLate} is to be called by the issue thread. */
  private volatile boolean isUntold;

  /** The device is not lost. */
  QueueLoss(String queueName, DeviceLoss device, Runnable wakeIssueThread) {
    this.queueName = queueName;
    this.device = device;
    this.wakeIssueThread = wakeIssueThread;
  }

  /** Why the device is lost, or null. */
  @Nullable HalException cause() {
    return cause;
  }

  /** The device is lost, as somebody else found out. */
  void set(HalException first) {
    cause = first;
  }

  /**
   * The native call {@code call} threw {@code thrown}, which means that the device is lost: fails
   * all that its queues have. Users' callbacks run.
   *
   * @return the first cause that the device is lost for
   */
  HalException lose(String call, Throwable thrown) {
    HalException first = note(call, thrown);
    device.tell();
    return first;
  }

  /**
   * The same for a caller that has the drainer's role or has bound the device, where no code of
   * users may run. The device counts as lost at once; the issue thread fails what there is.
   */
  HalException loseLater(String call, Throwable thrown) {
    HalException first = note(call, thrown);
    isUntold = true;
    wakeIssueThread.run();
    return first;
  }

  /** For the issue thread: does what {@link #loseLater} left; returns whether it left anything. */
  boolean tellLate() {
    if (!isUntold) {
      return false;
    }
    isUntold = false;
    device.tell();
    return true;
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
    // Somebody else may be losing the device and not have come to this queue yet. From here on
    // nothing of it may pass for complete.
    HalException first = device.note(failure);
    cause = first;
    return first;
  }
}
