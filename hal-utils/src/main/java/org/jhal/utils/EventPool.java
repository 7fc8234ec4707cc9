package org.jhal.utils;

import java.lang.System.Logger.Level;
import org.jspecify.annotations.Nullable;

/**
 * Native events for one stream, made when none is free and kept for the next user, up to a limit.
 *
 * <p>Thread-safe. Native calls are made with no lock held, on threads to which the device is bound.
 */
final class EventPool<E> {
  private static final System.Logger LOG = System.getLogger(EventPool.class.getName());

  private final NativeStream<E> stream;
  private final int limit;
  private final Object lock = new Object();
  private @Nullable PooledEvent<E> free; // guarded by lock
  private int freeCount; // guarded by lock
  private boolean isClosed; // guarded by lock

  EventPool(NativeStream<E> stream, int limit) {
    this.stream = stream;
    this.limit = limit;
  }

  /**
   * An event that nobody else uses, with one reference.
   *
   * @throws org.jhal.HalException what {@link NativeStream#createEvent} throws
   */
  PooledEvent<E> acquire() {
    synchronized (lock) {
      PooledEvent<E> event = free;
      if (event != null) {
        free = event.nextFree;
        freeCount--;
        event.nextFree = null;
        event.revive();
        return event;
      }
    }
    return new PooledEvent<>(this, stream.createEvent());
  }

  void giveBack(PooledEvent<E> event) {
    synchronized (lock) {
      if (!isClosed && freeCount < limit) {
        event.nextFree = free;
        free = event;
        freeCount++;
        return;
      }
    }
    destroy(event);
  }

  /** Destroys the events that are free now, and later ones as they come back. */
  void close() {
    PooledEvent<E> event;
    synchronized (lock) {
      isClosed = true;
      event = free;
      free = null;
      freeCount = 0;
    }
    while (event != null) {
      destroy(event);
      event = event.nextFree;
    }
  }

  private void destroy(PooledEvent<E> event) {
    try {
      stream.destroyEvent(event.handle);
    } catch (Throwable t) { // nobody can do anything about it, and nothing depends on it
      LOG.log(Level.WARNING, "cannot destroy a native event", t);
    }
  }
}
