package org.jhal.engine.queue;

import java.lang.System.Logger.Level;
import java.util.Objects;
import org.jhal.engine.concurrent.Gate;
import org.jspecify.annotations.Nullable;

/**
 * Loses the device when an error has ended a step of the queue half-way, see {@link Broken}: what
 * was under way may be half done. That is the one rule for errors of the engine; nothing mends what
 * such a step has left.
 *
 * <p>For the issue thread.
 */
final class LossByError<E> {
  private static final System.Logger LOG = System.getLogger(LossByError.class.getName());

  private final OperationQueue<E> queue;
  private final QueueLoss loss;
  private final Gate gate; // the queue's
  private final QueueLists<E> lists;
  private final Failing<E> failing;
  private boolean isLost;
  private boolean isOver;

  LossByError(
      OperationQueue<E> queue, QueueLoss loss, Gate gate, QueueLists<E> lists, Failing<E> failing) {
    this.queue = queue;
    this.loss = loss;
    this.gate = gate;
    this.lists = lists;
    this.failing = failing;
  }

  /**
   * Loses the device if there was an error. Shuts the gate, and fails everything once more when all
   * threads have left, since one of them may have died after the device had failed what was open.
   */
  void step() {
    @Nullable Throwable thrown = queue.broken.by;
    if (thrown == null || isOver) {
      return;
    }
    if (!isLost) {
      Failures.log(
          LOG, Level.ERROR, "an error interrupted a step of queue " + queue.name(), thrown);
      loss.lose("the engine", thrown);
      boolean ignored = gate.shut();
      isLost = true;
    }
    if (gate.isEmpty()) {
      failing.failAll(operation -> true, Objects.requireNonNull(loss.cause()), true);
      lists.keepHanded();
      isOver = true;
    }
  }
}
