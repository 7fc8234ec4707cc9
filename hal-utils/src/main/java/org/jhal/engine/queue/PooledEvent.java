package org.jhal.engine.queue;

import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A native event that returns to its {@link EventPool} when its last reference is gone. The
 * operation behind which it was recorded holds one reference until it no longer needs the event. A
 * thread that queries the event, or makes a stream wait for it, holds another one meanwhile.
 *
 * <p>Thread-safe.
 */
final class PooledEvent<E> {
  final E handle;
  private final EventPool<E> pool;
  private final AtomicInteger references = new AtomicInteger(1);
  @Nullable PooledEvent<E> nextFree; // written by the thread that returns it, or acquires it

  PooledEvent(EventPool<E> pool, E handle) {
    this.pool = pool;
    this.handle = handle;
  }

  /**
   * Takes a reference unless the last one is gone. If this returns true, the caller must release
   * it.
   */
  boolean tryRetain() {
    int now = references.get();
    while (now > 0) {
      if (references.compareAndSet(now, now + 1)) {
        return true;
      }
      now = references.get();
    }
    return false;
  }

  void release() {
    if (references.decrementAndGet() == 0) {
      pool.giveBack(this);
    }
  }

  /** Gives an event from the free list its first reference. */
  void revive() {
    references.set(1);
  }
}
