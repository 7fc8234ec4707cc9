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

  final DeviceEnd end; // since when its device is gone
  final NativeStream<E> stream;
  private final String name;
  private final long number;

  OperationQueue(QueueSettings settings, NativeStream<E> stream) {
    this.name = settings.name();
    this.number = settings.number();
    this.end = settings.end();
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
  abstract @Nullable HalException lost();

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

  /** How long a host thread should poll an event before it parks, in nanoseconds. */
  abstract long spinNanos();

  /** See {@link EventInquiry#poll}. */
  abstract boolean poll(Operation<E> operation, long end, BooleanSupplier isOver);

  /** See {@link Outcomes#isOpen}. */
  abstract boolean isOutcomeOpen(Operation<E> operation);

  /** Answers threads of other devices that ask about this queue's events. */
  abstract Inquiry<E> inquiry();
}
