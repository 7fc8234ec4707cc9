package org.jhal.engine.queue;

/** One wait of an {@link Operation}. It is registered at most once. */
final class OperationWait<E> extends WaitNode {
  private final Operation<E> operation;
  private final EngineSemaphore semaphore;
  private final long value;

  OperationWait(Operation<E> operation, EngineSemaphore semaphore, long value) {
    this.operation = operation;
    this.semaphore = semaphore;
    this.value = value;
  }

  EngineSemaphore semaphore() {
    return semaphore;
  }

  long value() {
    return value;
  }

  boolean needsSignal() {
    return semaphore.needsSignalFor(value);
  }

  @Override
  void registered() {
    operation.addOpenWait();
  }

  @Override
  void released(Cascade cascade) {
    cascade.beginning = null;
    try {
      operation.queue.registration().waitOver(operation, this);
    } catch (Throwable t) {
      operation.queue.lists.broken = t; // before any call: there may be no stack left for one
      throw t;
    }
  }
}
