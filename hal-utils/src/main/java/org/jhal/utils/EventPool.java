package org.jhal.utils;

import java.lang.System.Logger.Level;
import org.jspecify.annotations.Nullable;

/**
 * Native events for one stream, made when none is free and kept for the next user. None is
 * destroyed before the pool closes, so that a stream may look at one that it recorded once, whoever
 * has it now; there are as many as were in use at once.
 *
 * <p>Thread-safe. Native calls are made with no lock held, on threads to which the device is bound.
 */
final class EventPool<E> {
  private static final System.Logger LOG = System.getLogger(EventPool.class.getName());

  private final NativeStream<E> stream;
  private final Object lock = new Object();
  private @Nullable PooledEvent<E> free; // guarded by lock
  private boolean isClosed; // guarded by lock

  EventPool(NativeStream<E> stream) {
    this.stream = stream;
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
        event.nextFree = null;
        event.revive();
        return event;
      }
    }
    return new PooledEvent<>(this, stream.createEvent());
  }

  void giveBack(PooledEvent<E> event) {
    synchronized (lock) {
      if (!isClosed) {
        event.nextFree = free;
        free = event;
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
