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
 * An event as {@link org.jhal.driver.NativeStream} wants it, which is recorded again and again, for
 * runtimes whose own events fire once. Each recording is a native event of its own:
 *
 * <pre>{@code
 * public void recordEvent(ReusableEvent<NativeEvent> event) {
 *   event.record(enqueueMarker(stream));
 * }
 *
 * public void waitEvent(ReusableEvent<NativeEvent> event) {
 *   try (ReusableEvent.Recording<NativeEvent> latest = event.latest()) {
 *     enqueueWait(stream, latest.event());
 *   }
 * }
 *
 * public boolean queryEvent(ReusableEvent<NativeEvent> event) {
 *   try (ReusableEvent.Recording<NativeEvent> latest = event.latest()) {
 *     return hasFired(latest.event());
 *   }
 * }
 * }</pre>
 *
 * <p>{@link #latest()} is the latest recording at the moment of the call, and its native event
 * stays until the recording is closed, whatever is recorded meanwhile. A runtime that keeps what
 * its streams wait for by itself, as most do that count references, needs no more than the above.
 * For one that does not, the stream keeps the recording until it is past the wait, for which {@link
 * org.jhal.driver.Submission#whenFired} is there.
 *
 * <p>Native events are released once, with the last reference: that of this event, which {@link
 * #record} and {@link #close} drop, or of a recording that was taken from {@link #latest()}. So the
 * release runs within a call of the stream, where the device is bound. What it throws is logged.
 *
 * <p>Thread-safe.
 *
 * @param <N> the runtime's event
 */
public final class ReusableEvent<N> implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(ReusableEvent.class.getName());

  private final Consumer<? super N> release;
  private final AtomicReference<@Nullable Recording<N>> latest = new AtomicReference<>();

  /**
   * An event that was not recorded yet.
   *
   * @param release gives a native event back to the runtime; called once for each
   */
  public ReusableEvent(Consumer<? super N> release) {
    this.release = Objects.requireNonNull(release, "release");
  }

  /**
   * A recording, which replaces the one before. By the thread that issues.
   *
   * @param event fires when the stream comes to it; from here on this releases it
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
   * The latest recording, to be closed when its native event is not used any more.
   *
   * @throws HalException FAILED_PRECONDITION if nothing was recorded, or this is closed
   */
  public Recording<N> latest() {
    while (true) {
      Recording<N> found = latest.get();
      if (found == null) {
        throw new HalException(
            Status.FAILED_PRECONDITION, "an event is used that was not recorded, or was destroyed");
      }
      if (found.tryRetain()) {
        return found;
      }
      // record() has replaced it since, and nobody used it: there is a later one.
    }
  }

  /** Lets go of the latest recording. Nothing may be recorded any more. */
  @Override
  public void close() {
    replace(null);
  }

  /**
   * One recording, with a native event of its own.
   *
   * <p>Thread-safe. Close it as often as it was taken from {@link #latest()}.
   *
   * @param <N> the runtime's event
   */
  public static final class Recording<N> implements AutoCloseable {
    private final N event;
    private final Consumer<? super N> release;
    private final AtomicInteger references = new AtomicInteger(1); // the first is the event's own

    private Recording(N event, Consumer<? super N> release) {
      this.event = event;
      this.release = release;
    }

    /** The native event. */
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
        } catch (Throwable t) { // whoever asks whether an event has fired is not concerned
          LOG.log(Level.WARNING, "a native event cannot be released", t);
        }
      }
    }
  }
}
