package org.jhal.utils;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * A resource that lives until its owner closed it and nothing uses it any more (rule Q3). The owner
 * holds the first reference, everything that uses it holds one meanwhile.
 *
 * <p>Thread-safe.
 */
abstract class RefCounted {
  private final AtomicInteger references = new AtomicInteger(1);

  /** Takes a reference unless the last one is gone. */
  final boolean tryRetain() {
    int now = references.get();
    while (now > 0) {
      if (references.compareAndSet(now, now + 1)) {
        return true;
      }
      now = references.get();
    }
    return false;
  }

  final void release() {
    release(1);
  }

  /** Drops {@code count} references at once. */
  final void release(int count) {
    if (references.addAndGet(-count) == 0) {
      destroy();
    }
  }

  /** The last reference is gone. On whatever thread that happened, with no lock held. */
  abstract void destroy();
}
