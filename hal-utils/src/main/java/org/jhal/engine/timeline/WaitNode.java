// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.timeline;

import org.jhal.HalException;
import org.jhal.engine.concurrent.HeapNode;
import org.jspecify.annotations.Nullable;

/**
 * A waiter for a value of an {@link EngineSemaphore}: a host thread, a callback, or one wait of an
 * operation.
 *
 * <p>One critical section of the timeline registers the node, and another removes it, exactly once.
 * The thread that removes it stores the outcome in {@link #failure} and {@link #producer} and then
 * calls {@link #released}, unless it was withdrawn.
 */
public abstract class WaitNode extends HeapNode {
  /** The queue of which {@link #released} is a step; null if it is none. */
  final @Nullable ReadyQueue queue;

  /** Link in the list of nodes that a {@link Cascade} has to notify; for the cascade's thread. */
  @Nullable WaitNode nextReleased;

  /**
   * Why the wait failed, or null if the value is reached or covered. Written in the critical
   * section that removes the node or finds its outcome known, and read after it.
   */
  public @Nullable HalException failure;

  /**
   * The operation, of a device of the same domain, whose native event covers the value; null if the
   * value itself is reached. Written like {@link #failure}.
   */
  public @Nullable Producer producer;

  /**
   * Creates a waiter that is not registered.
   *
   * @param queue the queue of which it is a part, whose device an error in {@link #released} loses;
   *     null if it is part of none
   */
  protected WaitNode(@Nullable ReadyQueue queue) {
    this.queue = queue;
  }

  /**
   * Called by a cascade, with no lock held: exactly once after the node was removed because its
   * outcome is known. A node may be given to a cascade before it is registered as well.
   *
   * @param cascade the caller
   */
  public abstract void released(Cascade cascade);
}
