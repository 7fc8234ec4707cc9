// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.queue;

import java.util.ArrayList;
import java.util.List;
import org.jhal.HalException;
import org.jhal.Status;
import org.jspecify.annotations.Nullable;

/**
 * Decides the outcome of issued operations and applies their signals, producers first (rules Q9,
 * Q10).
 *
 * <p>An operation is <em>applied</em> when all its signals are raised or failed. Its
 * <em>producers</em> are the operations whose native events it waited for. An outcome is decided
 * only after all producers are applied, and signals are applied only after it is decided. Therefore
 * a visible value implies every value that it depends on.
 *
 * <p>Any number of threads may settle the same operation. The outcome is decided once, and applying
 * it is idempotent. A thread that finds a producer with an outcome that is not applied yet applies
 * it too, instead of waiting for the other thread.
 *
 * <p>Must be called with no lock held and without the drainer's role, since users' callbacks run.
 */
final class Settling {
  private Settling() {}

  /**
   * Settles an operation whose event has fired. If its signals wait for a host completion, that
   * must have ended.
   */
  static void settle(Operation<?> operation) {
    settle(operation, true);
  }

  /**
   * As {@link #settle(Operation)}, for a thread with a deadline of its own. Returns false, with
   * perhaps some producers settled, if it would have to wait for a producer on another device.
   */
  static boolean trySettle(Operation<?> operation) {
    return settle(operation, false);
  }

  private static boolean settle(Operation<?> operation, boolean mayWait) {
    if (decide(operation, null)) {
      apply(operation);
      return true;
    }
    return settleAll(new ArrayList<>(List.of(operation)), operation.queue, mayWait);
  }

  /** Settles the producers of an operation whose event has fired. Its own outcome stays open. */
  static void settleProducers(Operation<?> operation) {
    settleProducers(operation, true);
  }

  /** As {@link #settleProducers(Operation)}, for a thread as that of {@link #trySettle}. */
  static boolean trySettleProducers(Operation<?> operation) {
    return settleProducers(operation, false);
  }

  private static boolean settleProducers(Operation<?> operation, boolean mayWait) {
    List<Operation<?>> stack = new ArrayList<>();
    operation.addOpenProducers(stack);
    return settleAll(stack, operation.queue, mayWait);
  }

  /**
   * Settles operations, and first their producers: with a stack instead of recursion, since a chain
   * of them may be long. The stream of {@code queue} is past the events of all of them. It may be
   * past an event of another device because that device is lost, and past any event although the
   * work has failed and the driver has yet to be asked. So that is found out first. If it would
   * take time and the caller must not wait, leaves the rest and returns false.
   *
   * @param stack the operations; used up by this
   */
  private static boolean settleAll(
      List<Operation<?>> stack, DeferredWorkQueue<?> queue, boolean mayWait) {
    while (!stack.isEmpty()) {
      Operation<?> top = stack.get(stack.size() - 1);
      if (!top.hasOutcome() && !isOver(top, queue, mayWait)) {
        return false;
      }
      if (decide(top, null)) {
        stack.remove(stack.size() - 1);
        apply(top);
      } else {
        top.addOpenProducers(stack); // which are settled first; then this is the top again
      }
    }
    return true;
  }

  /**
   * Whether an operation is known to be over, and how. If its device is lost, it gets its outcome
   * here. That is found out before its producers are settled: they may still run, since the lost
   * device may not have waited for them.
   */
  private static <E> boolean isOver(
      Operation<E> operation, DeferredWorkQueue<?> queue, boolean mayWait) {
    boolean isOwnDevice = operation.queue.isOfDevice(queue);
    boolean isOver = operation.queue.confirm(operation, isOwnDevice, mayWait);
    HalException cause = isOver || !mayWait ? operation.queue.lost() : leftBehind(operation);
    return cause != null ? decide(operation, cause) : isOver;
  }

  /** Why an operation fails whose device shut its queues before the operation had ended. */
  static HalException leftBehind(Operation<?> operation) {
    HalException cause = operation.queue.lost();
    return cause != null
        ? cause
        : new HalException(
            Status.DEADLINE_EXCEEDED,
            "the device of queue "
                + operation.queue.name()
                + " was closed before "
                + operation.name()
                + " had ended");
  }

  /**
   * Settles an operation as failed regardless of its producers: it never ran, or its device is
   * lost.
   */
  static void fail(Operation<?> operation, HalException reason) {
    decide(operation, reason);
    apply(operation);
  }

  /**
   * Decides the outcome, unless that was done before. It is {@code forced} if that is not null;
   * otherwise it is what {@link #foreseeFailure} says, once all producers are applied. Returns
   * whether there is an outcome.
   *
   * <p>Lets go of the producers, unless the outcome is forced, and the stream may still wait for
   * them: {@link StreamWatch} needs them until the operation retires.
   */
  private static boolean decide(Operation<?> operation, @Nullable HalException forced) {
    synchronized (operation) {
      if (operation.hasOutcome()) {
        return true;
      }
      if (forced == null && hasOpenProducer(operation)) {
        return false;
      }
      operation.decide(forced != null ? forced : foreseeFailure(operation));
      if (forced == null) {
        operation.releaseProducers();
      }
    }
    OperationReport.outcome(operation);
    return true;
  }

  /**
   * Whether an operation has producers that are not applied yet. For threads that hold its monitor
   * or have the drainer's role: others may let go of them meanwhile.
   */
  static boolean hasOpenProducer(Operation<?> operation) {
    for (OperationWait<?> wait : operation.waits()) {
      Operation<?> producer = wait.producer();
      if (producer != null && !producer.isApplied()) {
        return true;
      }
    }
    return false;
  }

  /**
   * What the outcome would be if it were decided now: the first failure among the producers',
   * otherwise the operation's own failure, otherwise the loss of its device; null for success. All
   * producers must be applied.
   */
  static @Nullable HalException foreseeFailure(Operation<?> operation) {
    synchronized (operation) {
      if (operation.hasOutcome()) {
        return operation.failure();
      }
      // Producers first: work that ran behind a failed producer often fails because of that.
      HalException reason = operation.producerFailure();
      if (reason != null) {
        return reason;
      }
    }
    HalException own = operation.workFailure();
    return own != null ? own : operation.queue.lost();
  }

  /**
   * Raises or fails the signals of an operation that has its outcome, in the order of the list
   * (rule S1a). Several threads may do so at once.
   */
  static void apply(Operation<?> operation) {
    if (operation.isApplied()) {
      return;
    }
    @Nullable HalException failure = operation.failure();
    operation.work.ending(failure);
    if (failure == null) {
      // Before the signals (rule Q2). After a failure the stream may still use the memory, and the
      // borrow ends when the operation retires.
      operation.work.endBorrow();
    } else {
      operation.recordFailure(); // before the signals
    }
    for (int i = 0; i < operation.signalCount(); i++) {
      if (failure == null) {
        operation.signal(i).signalAtLeast(operation.signalValue(i));
      } else {
        operation.signal(i).fail(failure);
      }
    }
    operation.setApplied();
  }
}
