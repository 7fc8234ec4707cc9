// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.queue;

import java.time.Duration;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.engine.queue.Operation.State;
import org.jhal.spi.DurationText;
import org.jspecify.annotations.Nullable;

/**
 * Makes sure that one queue's stream does not wait for ever for a device that is gone (rule S9a).
 *
 * <p>An operation that waits in the stream for one of a device that is gone fails when its own
 * event has fired, since its outcome takes its producers into account. The event may never fire. So
 * the issue thread looks about once a second, from when a device of the process is gone, for as
 * long as anything of this queue waits for such a device: if too much time has passed since then,
 * the stream's device is lost as well, and with it all that waits. It then counts as gone since the
 * device for which it has waited, so a chain of devices does not wait for one after the other.
 *
 * <p>For the issue thread.
 */
final class StreamWatch<E> {
  /** The issue thread looks about once a second, so less would have no effect. */
  private static final long LEAST_PATIENCE_NANOS = 1_000_000_000;

  /** The time between two looks of a thread that is woken all the time. */
  private static final long PAUSE_NANOS = 500_000_000;

  private final DeferredWorkQueue<E> queue;
  private final OpenList<E> open;
  private final EventInquiry<E> inquiry;
  private final Duration patience;

  /**
   * How often to look although nothing waits for a device that is gone: an operation that is being
   * enqueued may be in the list before its waits can be seen.
   */
  private static final int LOOKS = 2;

  private int known; // what DeviceEnd.changes() was at the last look
  private int knownWaits; // and DeferredWorkQueue.waitsForGone
  private long looked; // when that was
  private int left; // how often to look without another reason
  long looks; // how often it has looked; tests read it

  /**
   * Creates the watch of a queue.
   *
   * @param patience how long its stream may wait for a device that is gone
   */
  StreamWatch(
      DeferredWorkQueue<E> queue, OpenList<E> open, EventInquiry<E> inquiry, Duration patience) {
    this.queue = queue;
    this.open = open;
    this.inquiry = inquiry;
    this.patience = Duration.ofNanos(Math.max(LEAST_PATIENCE_NANOS, patience.toNanos()));
  }

  /**
   * Looks at the stream, if something may wait for a device that is gone, and the last look is some
   * time ago.
   */
  void step() {
    int changes = DeviceEnd.changes();
    int waits = queue.waitsForGone;
    if (changes != known || waits != knownWaits) {
      left = LOOKS;
    }
    long now = System.nanoTime();
    if (left == 0 || (changes == known && now - looked < PAUSE_NANOS)) {
      return;
    }
    known = changes;
    knownWaits = waits;
    looked = now;
    looks++;
    boolean isAny = false;
    for (Operation<E> operation : open.all()) { // it takes 50 ms to look at a million
      isAny |= look(operation, now);
    }
    left = isAny ? LOOKS : left - 1;
  }

  /** Whether an operation waits for a device that is gone, so that another look is needed. */
  private boolean look(Operation<E> operation, long now) {
    boolean isOver = operation.state() == State.DONE && operation.event() == null;
    if (isOver || queue.loss.cause() != null) {
      return false;
    }
    boolean isAny = false;
    for (OperationWait<E> wait : operation.waits()) {
      Operation<?> producer = wait.producer();
      if (producer != null
          && !queue.isOfDevice(producer.queue)
          && producer.queue.end.hasBegun()
          && !producer.hasSucceeded()) {
        HalException why = whyGone(producer);
        long since = producer.queue.end.since();
        if (why != null
            && operation.event() != null
            && now - since >= patience.toNanos()
            && !inquiry.hasFired(operation)) {
          lose(operation, why, since);
          return false;
        }
        isAny = true;
      }
    }
    return isAny;
  }

  /**
   * If the event of an operation may never fire, since its device is lost, or was closed past its
   * deadline before the operation was over: why the operation has failed, or is about to fail.
   * Otherwise null.
   */
  private static @Nullable HalException whyGone(Operation<?> operation) {
    HalException lost = operation.queue.lost();
    if (!operation.queue.end.hasBegun() || (operation.state() == State.DONE && lost == null)) {
      return null;
    }
    return operation.hasOutcome() ? operation.failure() : lost;
  }

  private void lose(Operation<E> operation, HalException why, long since) {
    queue.end.begin(since);
    queue.loss.loseLater(
        operation.behind("waitEvent"),
        new HalException(
            Status.DEADLINE_EXCEEDED,
            "after "
                + DurationText.of(patience)
                + " the stream still waits for a device that is gone: "
                + why.getMessage()));
  }
}
