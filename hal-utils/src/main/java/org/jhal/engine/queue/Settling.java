package org.jhal.engine.queue;

import java.util.ArrayList;
import java.util.List;
import org.jhal.HalException;
import org.jspecify.annotations.Nullable;

/**
 * Fixes the verdict of operations and applies their signals, producers first (rules Q9, Q10).
 *
 * <p>An operation is <em>applied</em> when all its signals are raised or failed. A verdict is fixed
 * only after all producers, that is the operations whose native events it waited for, are applied;
 * signals are applied only after the verdict is fixed. So a value that is visible implies every
 * value that it depends on.
 *
 * <p>Any number of threads may settle the same operation: fixing the verdict is done once, applying
 * is idempotent, and who finds a producer with a verdict that is not applied yet applies it as well
 * rather than wait for the other thread.
 */
final class Settling {
  private Settling() {}

  /** A stack of retained operations, instead of recursion: a chain of producers may be long. */
  static final class Stack {
    private final List<Operation<?>> operations = new ArrayList<>();

    void push(Operation<?> operation) {
      operations.add(operation);
    }

    private Operation<?> top() {
      return operations.get(operations.size() - 1);
    }

    private Operation<?> pop() {
      return operations.remove(operations.size() - 1);
    }
  }

  /**
   * Settles an operation whose event has fired and whose host completion, if its signals wait for
   * it, is over.
   */
  static void settle(Operation<?> operation) {
    if (operation.fixVerdictIfForeseen()) {
      apply(operation);
      return;
    }
    Stack stack = Cascade.current().settling();
    int floor = stack.operations.size(); // an apply below may run callbacks that settle in turn
    operation.retain();
    stack.push(operation);
    settleDownTo(floor, stack);
  }

  /**
   * Settles the producers of an operation whose event has fired, and leaves its own verdict open.
   */
  static void settleProducers(Operation<?> operation) {
    Stack stack = Cascade.current().settling();
    int floor = stack.operations.size();
    operation.retainProducers(stack);
    settleDownTo(floor, stack);
  }

  private static void settleDownTo(int floor, Stack stack) {
    while (stack.operations.size() > floor) {
      Operation<?> top = stack.top();
      if (!top.isApplied() && !top.hasVerdict()) {
        int before = stack.operations.size();
        top.retainProducers(stack);
        if (stack.operations.size() > before) {
          continue; // the producers first; then top is looked at again
        }
        top.fixVerdict(null);
      }
      stack.pop();
      apply(top);
      top.release();
    }
  }

  /**
   * Settles an operation as failed whatever its producers did: it never ran, or its device is lost.
   */
  static void fail(Operation<?> operation, HalException reason) {
    operation.fixVerdict(reason);
    apply(operation);
  }

  /** Raises or fails the signals, in list order (rule S1a). */
  private static void apply(Operation<?> operation) {
    if (operation.isApplied()) {
      return;
    }
    @Nullable HalException failure = operation.failure();
    if (failure == null) {
      operation.work.endBorrow(); // else the stream may be at it, and retiring ends it
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
