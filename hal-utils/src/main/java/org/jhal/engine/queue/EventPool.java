// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.queue;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.lang.System.Logger.Level;
import java.util.concurrent.atomic.AtomicReference;
import org.jhal.driver.NativeStream;
import org.jhal.driver.support.Attempt;
import org.jhal.engine.timeline.Failures;
import org.jspecify.annotations.Nullable;

/**
 * The native events of one stream, which are reused. None is destroyed before the pool is closed,
 * since a stream may still query an event that it recorded earlier, even while another operation
 * uses it.
 *
 * <p>Thread-safe, except for {@link #acquire}, which is for one thread at a time. Native calls are
 * made on threads that have the device bound.
 */
final class EventPool<E> {
  private static final System.Logger LOG = System.getLogger(EventPool.class.getName());

  private final NativeStream<E> stream;

  /** The free list of {@link #acquire}; used only by the thread that calls it. */
  private @Nullable PooledEvent<E> free;

  /**
   * A stack of the events given back. Any thread pushes, without a lock. It is only ever taken as a
   * whole, so there is no ABA problem.
   */
  private final AtomicReference<@Nullable PooledEvent<E>> returned = new AtomicReference<>();

  private int made; // how many events exist; used by the thread that calls acquire
  private volatile boolean isClosed;

  // Destroying an event is the same call for all, so it fails for all on a lost device: that is
  // logged once.
  @GuardedBy("this")
  private int undestroyed;

  @GuardedBy("this")
  private @Nullable Throwable firstFailure;

  EventPool(NativeStream<E> stream) {
    this.stream = stream;
  }

  /**
   * Returns an event that is not in use, with one reference for the caller.
   *
   * @throws org.jhal.HalException what {@link NativeStream#createEvent} throws
   */
  PooledEvent<E> acquire() {
    PooledEvent<E> event = free;
    if (event == null) {
      event = returned.getAndSet(null);
      if (event == null) {
        event = new PooledEvent<>(this, stream.createEvent());
        made++;
        return event;
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
      destroyReturned(); // close() may have emptied the stack before the event was pushed
    }
  }

  /**
   * Whether nothing uses an event of this pool. {@link #acquire} must not be called any more, and
   * the thread that did has ended.
   */
  boolean areAllBack() {
    int back = 0;
    for (PooledEvent<E> event = free; event != null; event = event.nextFree) {
      back++;
    }
    for (PooledEvent<E> event = returned.get(); event != null; event = event.nextFree) {
      back++;
    }
    return back == made;
  }

  /**
   * Destroys the events that are free, and the others as they are given back. {@link #acquire} must
   * not be called any more.
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
      E handle = event.handle;
      Throwable thrown = Attempt.of(() -> stream.destroyEvent(handle));
      if (thrown != null) { // nothing depends on it
        noteUndestroyed(thrown);
      }
    }
  }

  private synchronized void noteUndestroyed(Throwable thrown) {
    if (undestroyed++ == 0) {
      firstFailure = thrown;
    }
  }

  /** Logs, in one line, how many events could not be destroyed, if any. */
  synchronized void logFailures(String queue) {
    if (undestroyed > 0) {
      Failures.log(
          LOG,
          Level.WARNING,
          "cannot destroy "
              + undestroyed
              + (undestroyed == 1 ? " native event of " : " native events of ")
              + queue
              + "; the first failed with this",
          firstFailure);
      undestroyed = 0;
    }
  }
}
