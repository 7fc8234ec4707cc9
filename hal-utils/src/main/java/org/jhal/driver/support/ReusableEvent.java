// SPDX-License-Identifier: Apache-2.0
package org.jhal.driver.support;

import java.lang.System.Logger.Level;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jhal.HalException;
import org.jhal.Status;
import org.jspecify.annotations.Nullable;

/**
 * An event that can be recorded again and again, as {@link org.jhal.driver.NativeStream} requires,
 * for runtimes whose own events fire only once. Each recording is a native event of its own. {@link
 * OneShotStream} is a stream of such events.
 *
 * <p>{@link #latest()} is the latest recording at the moment of the call. Its native event stays
 * valid until the recording is closed, even if another one is recorded meanwhile. That suffices if
 * the runtime itself keeps the events that its streams wait for, as most reference-counting
 * runtimes do. Otherwise the stream keeps the recording until it is past the wait; {@link
 * org.jhal.driver.Submission#whenFired} helps with that.
 *
 * <p>Native events are released once, with the last reference: that of this event, which {@link
 * #record} and {@link #close} drop, or that of a recording taken from {@link #latest()}. So the
 * release runs within a call of the stream, with the device bound. An exception that it throws is
 * logged.
 *
 * <p>Thread-safe.
 *
 * @param <N> the runtime's type of event
 */
public final class ReusableEvent<N> implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(ReusableEvent.class.getName());

  private final Consumer<? super N> release;
  private final AtomicReference<@Nullable Recording<N>> latest = new AtomicReference<>();

  /**
   * An unrecorded event.
   *
   * @param release releases a native event; called once for each
   */
  public ReusableEvent(Consumer<? super N> release) {
    this.release = Objects.requireNonNull(release, "release");
  }

  /**
   * Replaces the latest recording. Called by the issuing thread.
   *
   * @param event fires when the stream reaches it; this object takes ownership and releases it
   */
  public void record(N event) {
    replace(new Recording<>(Objects.requireNonNull(event, "event"), release));
  }

  private void replace(@Nullable Recording<N> next) {
    Recording<N> before = latest.getAndSet(next);
    if (before != null) {
      before.close();
    }
  }

  /**
   * The latest recording, to be closed after the last use of its native event.
   *
   * @throws HalException FAILED_PRECONDITION if nothing was recorded, or this is closed
   */
  public Recording<N> latest() {
    while (true) {
      Recording<N> found = latest.get();
      if (found == null) {
        throw new HalException(
            Status.FAILED_PRECONDITION, "the event was never recorded, or was destroyed");
      }
      if (found.tryRetain()) {
        return found;
      }
      // record() has replaced and released it, so there is a later one.
    }
  }

  /** Releases the latest recording. Nothing may be recorded afterwards. */
  @Override
  public void close() {
    replace(null);
  }

  /**
   * One recording, with a native event of its own.
   *
   * <p>Thread-safe. Close it as often as it was taken from {@link #latest()}.
   *
   * @param <N> the runtime's type of event
   */
  public static final class Recording<N> implements AutoCloseable {
    private final N event;
    private final Consumer<? super N> release;
    private final AtomicInteger references = new AtomicInteger(1); // the ReusableEvent's own

    private Recording(N event, Consumer<? super N> release) {
      this.event = event;
      this.release = release;
    }

    public N event() {
      return event;
    }

    private boolean tryRetain() {
      return references.getAndUpdate(count -> count == 0 ? 0 : count + 1) > 0;
    }

    /** Drops a reference; with the last one the native event is released. */
    @Override
    public void close() {
      if (references.decrementAndGet() == 0) {
        try {
          release.accept(event);
        } catch (RuntimeException e) { // must not fail a caller that queries an event
          LOG.log(Level.WARNING, "a native event cannot be released", e);
        }
      }
    }
  }
}
