package org.jhal.engine.queue;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One wait of an {@link Operation}, which reuses the object. It is registered at most once per use
 * of the operation.
 */
final class OperationWait<E> extends WaitNode {
  private final Operation<E> operation;
  // Written by the enqueuing thread, then constant until the operation is free again.
  private @Nullable EngineSemaphore semaphore;
  private long value;

  OperationWait(Operation<E> operation) {
    this.operation = operation;
  }

  void set(EngineSemaphore newSemaphore, long newValue) {
    semaphore = newSemaphore;
    value = newValue;
    failure = null;
    producer = null;
  }

  void clear() {
    semaphore = null;
    failure = null;
    releaseProducer();
  }

  EngineSemaphore semaphore() {
    return Objects.requireNonNull(semaphore);
  }

  long value() {
    return value;
  }

  boolean needsSignal() {
    return semaphore().needsSignalFor(value);
  }

  /**
   * Drops the reference to the producer. Called by the thread that fixed the verdict, or by the one
   * that frees the operation.
   */
  void releaseProducer() {
    Operation<?> released = producer;
    if (released != null) {
      producer = null;
      released.release();
    }
  }

  @Override
  void registered() {
    operation.addOpenWait();
    operation.retain();
  }

  @Override
  void released(Cascade cascade) {
    cascade.beginning = null;
    try {
      operation.queue.registration().waitOver(operation, this);
      operation.release(); // the registration's reference
    } catch (Throwable t) {
      operation.queue.lists.escaped = t; // before any call: there may be no stack left for one
      throw t;
    }
  }
}
