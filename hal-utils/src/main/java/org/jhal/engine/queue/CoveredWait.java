package org.jhal.engine.queue;

/**
 * Watches the timepoint of a covered wait of an operation that is parked for another one. The event
 * that covers it says nothing to the operation if the work behind it fails, and the other wait may
 * stay open for ever (rule Q6).
 *
 * <p>The operation that covers the timepoint raises or fails its semaphore in the end, so no watch
 * stays registered.
 */
final class CoveredWait<E> extends WaitNode {
  private final Operation<E> operation;

  CoveredWait(Operation<E> operation) {
    this.operation = operation;
  }

  @Override
  void released(Cascade cascade) {
    cascade.stepOf = operation.queue.broken;
    if (failure != null) {
      operation.queue.failUnissued(operation, failure); // if it was issued, its producer fails it
    }
  }
}
