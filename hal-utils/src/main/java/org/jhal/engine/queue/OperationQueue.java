package org.jhal.engine.queue;

import java.util.function.BooleanSupplier;
import org.jhal.HalException;
import org.jhal.driver.NativeStream;
import org.jspecify.annotations.Nullable;

/**
 * The queue of an operation, as the operation, its work, and other queues that wait for it see it.
 *
 * <p>Thread-safe.
 *
 * @param <E> the driver's native event
 */
public abstract class OperationQueue<E> {
  /** Whether an error has interrupted a step of this queue, or of one of its operations. */
  public final Broken broken = new Broken();

  /** Threads of other devices enter it as well, to wait for or query events of this queue. */
  final QueueGate gate = new QueueGate(broken);

  final QueueLoss loss;
  final DeviceEnd end; // since when its device is gone
  final NativeStream<E> stream;
  final long spinNanos; // how long a host thread should poll an event before it parks
  private final String name;
  private final long number;

  OperationQueue(QueueSettings settings, NativeStream<E> stream, DeviceLoss loss) {
    this.loss = new QueueLoss(settings.name(), loss, this::issueLater);
    this.name = settings.name();
    this.number = settings.number();
    this.end = settings.end();
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

  // What becomes of its operations.

  /** A registered wait has ended; see {@link WaitRegistration#waitOver}. */
  abstract void waitOver(Operation<E> operation, OperationWait<E> wait);

  /** Fails an operation that is PARKED or READY. If several threads try, one succeeds. */
  abstract void failUnissued(Operation<E> operation, HalException failure);

  /** See {@link OperationFailures#failOpen}. */
  public abstract void failOpen(Operation<E> operation, HalException reason);

  /**
   * The host completion of an operation has ended. Called once per use of the operation, by any
   * thread, with no lock held.
   */
  public abstract void hostCompletionOver(Operation<E> operation, @Nullable HalException failure);

  // What its threads are to do. None of these runs users' callbacks.

  /** Whether the queue is being closed, and fails what was not issued. */
  abstract boolean isClosing();

  /** Wakes the completion thread: there is something in the stream. */
  abstract void completeLater();

  /** Wakes the issue thread. */
  abstract void issueLater();

  /**
   * Has the issue thread fail the signals of an operation that the drainer could not issue. {@link
   * Operation#workFailure} has the reason, and nothing that the operation holds is in use.
   */
  abstract void failLater(Operation<E> operation);

  /** Has the completion thread retire an operation that has its outcome. */
  abstract void retireLater(Operation<E> operation);

  // Its events.

  /** See {@link EventInquiry#poll}. */
  abstract boolean poll(Operation<E> operation, long end, BooleanSupplier isOver);

  /** See {@link Outcomes#isOpen}. */
  abstract boolean isOutcomeOpen(Operation<E> operation);

  /**
   * Finds out whether this device is lost, by querying the event of {@code operation}. For a thread
   * of another device, whose call about that event has failed. The caller is inside the gate.
   *
   * @return the first cause of the loss, or null
   */
  abstract @Nullable HalException findLoss(Operation<E> operation);

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
