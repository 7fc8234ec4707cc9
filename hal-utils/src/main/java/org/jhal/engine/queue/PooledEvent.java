package org.jhal.engine.queue;

import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A native event that goes back to its {@link EventPool} when nobody uses it any more. Its
 * operation holds one reference until it retires; who queries it, or makes a stream wait for it,
 * holds one meanwhile.
 *
 * <p>Thread-safe.
 */
final class PooledEvent<E> {
  final E handle;
  private final EventPool<E> pool;
  private final AtomicInteger references = new AtomicInteger(1);
  @Nullable PooledEvent<E> nextFree; // of who gives it back, then of who takes it

  PooledEvent(EventPool<E> pool, E handle) {
    this.pool = pool;
    this.handle = handle;
  }

  /** Takes a reference unless the last one is gone; who succeeds must release it. */
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

  /** Makes an event from the pool's free list usable again. */
  void revive() {
    references.set(1);
  }
}
