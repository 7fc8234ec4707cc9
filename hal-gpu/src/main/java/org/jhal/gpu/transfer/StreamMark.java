package org.jhal.gpu.transfer;

import org.jhal.gpu.runtime.GpuEvent;
import org.jhal.gpu.runtime.GpuRuntime;
import org.jspecify.annotations.Nullable;

/**
 * A place in a stream: behind the first event that is recorded after this mark was created.
 *
 * <p>Used by the thread that issues, with the device bound.
 */
public final class StreamMark {
  private @Nullable GpuEvent event; // null until it is recorded
  private long position; // of the event when it was recorded
  private long stagedEnd; // in a StagingRing: the end of the bytes that the stream reads before

  /** Sets the event, which was just recorded. */
  public void set(GpuEvent recorded) {
    event = recorded;
    position = recorded.position();
  }

  void setStagedEnd(long end) {
    stagedEnd = end;
  }

  long stagedEnd() {
    return stagedEnd;
  }

  /** Whether the stream has passed this mark. */
  public boolean isPassed(GpuRuntime runtime) {
    GpuEvent behind = event;
    if (behind == null) {
      return false;
    }
    if (behind.position() != position) {
      return true; // recorded again since, so the operation that had recorded it is over
    }
    return runtime.queryEvent(behind.recorded());
  }
}
