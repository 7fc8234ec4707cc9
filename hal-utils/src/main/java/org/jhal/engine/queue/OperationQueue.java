// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.queue;

import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import org.jhal.HalException;
import org.jhal.driver.NativeStream;
import org.jhal.engine.concurrent.Gate;
import org.jhal.engine.timeline.Broken;
import org.jhal.engine.timeline.Cascade;
import org.jhal.engine.timeline.Producer;
import org.jhal.engine.timeline.ReadyQueue;
import org.jspecify.annotations.Nullable;

/**
 * The queue of an operation, as the operation, its work, and other queues that wait for it see it.
 *
 * <p>Thread-safe.
 *
 * @param <E> the driver's native event
 */
public abstract class OperationQueue<E> implements ReadyQueue {
  /** Whether an error has interrupted a step of this queue, or of one of its operations. */
  public final Broken broken = new Broken();

  /**
   * Threads that enqueue, issue, or look at the queue's events are inside, those of other devices
   * too. It is shut before the stream is closed, which waits until all have left.
   */
  final Gate gate = new Gate();

  final QueueLoss loss;
  final DeviceEnd end; // since when its device is gone
  final Object eventDomain; // the token of the devices whose events its stream can wait for
  final NativeStream<E> stream;
  final Executor aside; // for callbacks that another thread must not run
  final long spinNanos; // how long a host thread should poll an event before it parks
  private final String name;
  private final long number;

  /**
   * Why users' operations are refused, and fail unless they were issued, since the device is being
   * closed; else null. Written by the thread that closes it, read by any thread.
   */
  volatile @Nullable HalException closing;

  /**
   * How often the stream was made to wait for an operation of a device that was gone by then; see
   * {@link StreamWatch}. Written by the thread that issues, read by the issue thread.
   */
  volatile int waitsForGone;

  OperationQueue(QueueSettings settings, NativeStream<E> stream, DeviceLoss loss, Executor aside) {
    this.aside = aside;
    this.loss = new QueueLoss(settings.name(), loss, this::issueLater);
    this.name = settings.name();
    this.number = settings.number();
    this.end = settings.end();
    this.eventDomain = settings.eventDomain();
    this.spinNanos = settings.spinNanos();
    this.stream = stream;
  }

  // Who it is.

  /** The queue's name, for messages. */
  public final String name() {
    return name;
  }

  /** The number by which recordings name it. */
  public final long number() {
    return number;
  }

  /** Why its device is lost, or null. */
  final @Nullable HalException lost() {
    return loss.cause();
  }

  /** Whether this and {@code other} are queues of the same device. */
  final boolean isOfDevice(OperationQueue<?> other) {
    return end == other.end;
  }

  // What becomes of its operations. No lock may be held, as users' callbacks may run.

  /**
   * A registered wait has ended. Called once for each, by the thread that changed the semaphore,
   * whose cascade then issues what is ready.
   */
  abstract void waitOver(Operation<E> operation, OperationWait<E> wait, Cascade cascade);

  /** Fails an operation that is PARKED or READY. If several threads try, one succeeds. */
  abstract void failUnissued(Operation<E> operation, HalException failure);

  /**
   * Fails one operation whatever its state, unless it has its outcome. What it has put into the
   * stream goes on, and only then it retires.
   */
  public abstract void failOpen(Operation<E> operation, HalException reason);

  /**
   * The host completion of an operation has ended. Called once for each operation that has one, by
   * any thread.
   */
  public abstract void hostCompletionOver(Operation<E> operation, @Nullable HalException failure);

  // What its threads are to do. None of these runs users' callbacks.

  /** Wakes the completion thread: there is something in the stream. */
  abstract void completeLater();

  /** Wakes the issue thread. */
  abstract void issueLater();

  /** Has a thread of the queue, or its deputy, retire an operation that has its outcome. */
  abstract void retireLater(Operation<E> operation);

  // Its events.

  /** See {@link Producer#want}. The operation is being issued, or was issued. */
  abstract void want(Operation<E> operation);

  /** See {@link EventInquiry#isPast}. */
  abstract boolean isPast(Operation<E> operation);

  /** See {@link EventInquiry#poll}. */
  abstract boolean poll(Operation<E> operation, long until, BooleanSupplier isOver);

  /**
   * Makes sure that an operation is complete, and that its outcome is known: a stream is past its
   * event. If the stream is another device's, this device may also be lost; {@link #lost} then says
   * so afterwards.
   *
   * @param isOwnDevice whether the caller is of this device
   * @param mayWait whether to wait a moment for the event, and to lose the device if it does not
   *     fire; a thread that has a deadline of its own must not. One of this device that may is a
   *     completion thread, which ends before any event of the device is destroyed
   * @return whether all this is known. If the caller may wait, this is false only if the device is
   *     closed, or past its deadline, and the outcome can be asked for no more
   */
  abstract boolean confirm(Operation<E> operation, boolean isOwnDevice, boolean mayWait);
}
