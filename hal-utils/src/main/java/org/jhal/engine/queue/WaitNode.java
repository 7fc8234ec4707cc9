package org.jhal.engine.queue;

import org.jhal.HalException;
import org.jhal.engine.concurrent.HeapNode;
import org.jspecify.annotations.Nullable;

/**
 * Somebody who waits for a value of a {@link EngineSemaphore}: a host thread, a callback, or one
 * wait of a parked operation.
 *
 * <p>It is registered in one critical section of the semaphore and removed once, in another;
 * whoever removes it fills in the outcome and then, with no lock held, calls {@link #released()}
 * or, when it was taken back, nothing.
 */
abstract class WaitNode extends HeapNode {
  /**
   * The link of the list of released nodes that a {@link Cascade} works off; belongs to the thread
   * that removed it.
   */
  @Nullable WaitNode nextReleased;

  /**
   * Why the value will never be reached; null if it is. Written by the remover before {@link
   * #released()}.
   */
  @Nullable HalException failure;

  /**
   * An operation of the same device whose native event covers the value, retained for this node;
   * null if the value itself was reached. Written like {@link #failure}.
   */
  @Nullable Operation<?> producer;

  /**
   * Called with the semaphore's lock held, right before it is registered. Does nothing but count.
   */
  void registered() {}

  /**
   * Called once, with no lock held, after the node was removed because its fate is known. Must not
   * throw.
   */
  abstract void released();
}
