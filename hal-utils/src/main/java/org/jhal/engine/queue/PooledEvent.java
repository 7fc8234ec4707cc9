// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.queue;

import java.lang.invoke.ConstantBootstraps;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
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
  // Values of the field `asked`.
  static final int UNASKED = 0;
  static final int ASKING = 1;
  static final int KNOWN = 2;

  private static final VarHandle ASKED =
      ConstantBootstraps.fieldVarHandle(
          MethodHandles.lookup(), "asked", VarHandle.class, PooledEvent.class, int.class);

  final E handle;
  private final EventPool<E> pool;
  private final AtomicInteger references = new AtomicInteger(1);
  @Nullable PooledEvent<E> nextFree; // written by the thread that returns it, or acquires it

  /**
   * Whether the driver was asked how the work behind it has ended; see {@link StreamQueries}. Stays
   * UNASKED where it need not be asked.
   */
  volatile int asked;

  /**
   * What the driver has answered, or null. For the thread that is ASKING: the next one goes on with
   * it if that one dies before the outcome is KNOWN.
   */
  @Nullable Object answer;

  PooledEvent(EventPool<E> pool, E handle) {
    this.pool = pool;
    this.handle = handle;
  }

  /** Makes this thread the one that asks. Returns false if another one asks, or has asked. */
  boolean tryAsk() {
    return ASKED.compareAndSet(this, UNASKED, ASKING);
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

  /** Gives an event from the free list its first reference, for another recording. */
  void revive() {
    answer = null;
    ASKED.set(this, UNASKED);
    references.set(1); // behind the others: from here on threads take references
  }
}
