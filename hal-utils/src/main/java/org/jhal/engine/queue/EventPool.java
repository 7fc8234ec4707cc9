package org.jhal.engine.queue;

import java.lang.System.Logger.Level;
import java.util.concurrent.atomic.AtomicReference;
import org.jhal.driver.NativeStream;
import org.jspecify.annotations.Nullable;

/**
 * Native events for one stream, made when none is free, and kept for the next user. None is
 * destroyed before the pool closes, so that a stream may look at one that it recorded once, whoever
 * has it now; there are as many as were in use at once.
 *
 * <p>Thread-safe, but for {@link #acquire}, which is for one thread at a time. Native calls are
 * made on threads to which the device is bound.
 */
final class EventPool<E> {
  private static final System.Logger LOG = System.getLogger(EventPool.class.getName());

  private final NativeStream<E> stream;

  /** What {@link #acquire} takes from; of the thread that calls it. */
  private @Nullable PooledEvent<E> free;

  /** What was given back since that was empty; pushed without a lock, and taken as a whole. */
  private final AtomicReference<@Nullable PooledEvent<E>> returned = new AtomicReference<>();

  private volatile boolean isClosed;

  EventPool(NativeStream<E> stream) {
    this.stream = stream;
  }

  /**
   * An event that nobody else uses, with one reference.
   *
   * @throws org.jhal.HalException what {@link NativeStream#createEvent} throws
   */
  PooledEvent<E> acquire() {
    PooledEvent<E> event = free;
    if (event == null) {
      event = returned.getAndSet(null);
      if (event == null) {
        return new PooledEvent<>(this, stream.createEvent());
      }
    }
    free = event.nextFree;
    event.nextFree = null;
    event.revive();
    return event;
  }

  void giveBack(PooledEvent<E> event) {
    PooledEvent<E> next;
    do {
      next = returned.get();
      event.nextFree = next;
    } while (!returned.compareAndSet(next, event));
    if (isClosed) {
      destroyReturned(); // close() may have looked before the event was there
    }
  }

  /**
   * Destroys the events that are free now, and later ones as they come back. Nobody acquires any
   * more.
   */
  void close() {
    isClosed = true;
    PooledEvent<E> event = free;
    free = null;
    destroyAll(event);
    destroyReturned();
  }

  private void destroyReturned() {
    destroyAll(returned.getAndSet(null));
  }

  private void destroyAll(@Nullable PooledEvent<E> first) {
    for (PooledEvent<E> event = first; event != null; event = event.nextFree) {
      try {
        stream.destroyEvent(event.handle);
      } catch (Throwable t) { // nobody can do anything about it, and nothing depends on it
        LOG.log(Level.WARNING, "cannot destroy a native event", t);
      }
    }
  }
}
