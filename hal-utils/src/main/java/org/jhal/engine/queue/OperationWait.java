// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.queue;

import org.jhal.Fence;
import org.jhal.engine.timeline.Cascade;
import org.jhal.engine.timeline.EngineSemaphore;
import org.jhal.engine.timeline.WaitNode;
import org.jspecify.annotations.Nullable;

/** One wait of an {@link Operation}. It is registered at most once. */
final class OperationWait<E> extends WaitNode {
  private static final OperationWait<?>[] NONE = {};

  final Operation<E> operation;
  private final EngineSemaphore semaphore;
  private final long value;
  private boolean isInStream; // the stream waits for the producer; used by the drainer

  /**
   * Sees what becomes of the value while the wait is covered and the operation is parked; see
   * {@link Enqueuer}. Set by the thread that registers it, and read by any thread that ends this.
   */
  volatile @Nullable WaitNode watch;

  OperationWait(Operation<E> operation, EngineSemaphore semaphore, long value) {
    super(operation.queue);
    this.operation = operation;
    this.semaphore = semaphore;
    this.value = value;
  }

  @SuppressWarnings("unchecked") // an empty array of any type
  static <E> OperationWait<E>[] none() {
    return (OperationWait<E>[]) NONE;
  }

  /** The waits of an operation for a fence. */
  @SuppressWarnings("unchecked") // an array of OperationWait<E>
  static <E> OperationWait<E>[] of(Operation<E> operation, Fence fence) {
    int count = fence.size();
    if (count == 0) {
      return none();
    }
    OperationWait<E>[] waits = (OperationWait<E>[]) new OperationWait<?>[count];
    for (int i = 0; i < count; i++) {
      waits[i] =
          new OperationWait<>(operation, EngineSemaphore.of(fence.semaphore(i)), fence.value(i));
    }
    return waits;
  }

  EngineSemaphore semaphore() {
    return semaphore;
  }

  long value() {
    return value;
  }

  /** The operation whose event covers it; null if the value itself is reached, or it is open. */
  @Nullable Operation<?> producer() {
    return (Operation<?>) producer; // there is no other kind
  }

  /**
   * Lets go of the producer if the value is reached already, whoever has raised it: the wait has
   * ended then, and nothing that becomes of the producer concerns its operation. For the drainer,
   * before the stream waits for anything.
   */
  void dropReached() {
    // A timeline that has failed keeps its value, so this says whether it was reached before that.
    if (producer != null && !isInStream && semaphore.currentValue() >= value) {
      producer = null;
    }
  }

  /**
   * The stream waits for the producer from now on, also if the operation is put back. For the
   * drainer.
   */
  void setInStream() {
    isInStream = true;
  }

  /** See {@link Operation#waitsReached}. */
  boolean isOver() {
    Operation<?> covering = producer();
    return covering == null || covering.hasSucceeded() || isPast(covering);
  }

  private static <P> boolean isPast(Operation<P> covering) {
    return covering.queue.isPast(covering);
  }

  /** Withdraws the waits of an operation that are registered, and what watches the others. */
  static <E> void deregisterAll(Operation<E> operation) {
    for (OperationWait<E> wait : operation.waits()) {
      wait.semaphore.deregister(wait);
      wait.endWatch();
    }
  }

  /** Withdraws the watch, if there is one: its operation is parked no more. */
  void endWatch() {
    WaitNode watching = watch;
    if (watching != null) {
      semaphore.deregister(watching);
    }
  }

  @Override
  public void released(Cascade cascade) {
    operation.queue.waitOver(operation, this, cascade);
  }
}
