package org.jhal.driver.gpu;

import org.jspecify.annotations.Nullable;

/**
 * A place in a stream: behind the first event that is recorded after this was made.
 *
 * <p>For the thread that issues, with the device bound.
 *
 * @param <E> a native event
 */
final class StreamMark<E> {
  private @Nullable GpuEvent<E> event; // null until it is recorded
  private long position; // of the event, when that was
  private long stagedEnd; // in a StagingRing: of what the stream reads before

  /** The event that it waited for was recorded. */
  void set(GpuEvent<E> recorded) {
    event = recorded;
    position = recorded.position();
  }

  void setStagedEnd(long end) {
    stagedEnd = end;
  }

  long stagedEnd() {
    return stagedEnd;
  }

  /** Whether the stream has passed it. */
  boolean isPassed(GpuRuntime<?, E, ?> runtime) {
    GpuEvent<E> behind = event;
    if (behind == null) {
      return false;
    }
    if (behind.position() != position) {
      return true; // recorded again since, so whoever had recorded it is through
    }
    return runtime.queryEvent(behind.recorded());
  }
}
