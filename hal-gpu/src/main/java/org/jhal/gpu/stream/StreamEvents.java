package org.jhal.gpu.stream;

import org.jhal.driver.support.BackOff;
import org.jhal.gpu.runtime.GpuEvent;
import org.jhal.gpu.runtime.GpuRuntime;
import org.jspecify.annotations.Nullable;

/**
 * The recordings of a stream.
 *
 * <p>Completion is detected with events. Events on which a thread can sleep (BLOCKING_SYNC) are
 * scarce: a stream holds only a few dozen that have not fired, and then recording blocks. So they
 * are recorded only while the stream is nearly empty. Otherwise a plain event is recorded, and a
 * thread that waits for it polls from time to time.
 *
 * <p>A query takes a lock of the runtime that launches need too. So when an event has fired and
 * many are behind it, a query of a later one saves those in between.
 *
 * <p>One thread at a time records; any thread asks or waits.
 */
final class StreamEvents {
  /** An event with more unfired events in front of it is a plain one. */
  private static final int SHALLOW = 16;

  /**
   * If no thread has slept for this many recordings, plain events are recorded until one sleeps
   * again: an event that wakes a thread costs an interrupt.
   */
  private static final int WAKEFUL = 64;

  /** If an event has fired and more recordings than this are behind it, a later one is queried. */
  private static final int FEW = 2;

  private static final int KEPT_EVENTS = 1024; // a power of two

  private final GpuRuntime runtime;

  // Recordings are counted from 1. Written by the thread that issues: events first, then
  // recordings.
  private final @Nullable GpuEvent[] events = newEvents(); // the latest ones, by number
  private volatile long recordings;

  /**
   * All recordings up to this one have fired. Written without a lock by any thread that sees events
   * fire: if a smaller number overwrites a larger one, it is still true.
   */
  private volatile long fired;

  /** The latest recording when a thread last went to sleep. */
  private volatile long lastSleep;

  StreamEvents(GpuRuntime runtime) {
    this.runtime = runtime;
  }

  private static @Nullable GpuEvent[] newEvents() {
    return (@Nullable GpuEvent[]) new GpuEvent[KEPT_EVENTS];
  }

  /** The number of the next recording. */
  long next() {
    return recordings + 1;
  }

  /** The number of a recording; it and all before it have fired. */
  long fired() {
    return fired;
  }

  /** Makes an event. */
  GpuEvent create() {
    long plain = runtime.createEvent(false);
    try {
      return new GpuEvent(runtime.createEvent(true), plain);
    } catch (Throwable t) {
      runtime.destroyEvent(plain);
      throw t;
    }
  }

  /** Records an event in a native stream. */
  void record(GpuEvent event, long stream) {
    long position = recordings + 1;
    boolean isAsleep = position - lastSleep <= WAKEFUL;
    event.setRecorded(isAsleep && position - fired <= SHALLOW, position);
    runtime.recordEvent(event.recorded(), stream);
    events[(int) position & (KEPT_EVENTS - 1)] = event;
    recordings = position;
  }

  /**
   * Whether the stream is past a recording, which may still be to come. For the thread that issues.
   */
  boolean isPast(long position) {
    if (position > recordings) {
      return false;
    }
    GpuEvent event = events[(int) position & (KEPT_EVENTS - 1)];
    // An event is recorded again when the operation before is over, and a stream never holds as
    // many operations as events are kept.
    boolean isReplaced = event == null || event.position() != position;
    return isReplaced || position <= fired || runtime.queryEvent(event.recorded());
  }

  /** Whether a recording has fired. Any thread may ask. */
  boolean query(GpuEvent event) {
    long position = event.position();
    if (position <= fired) {
      return true;
    }
    if (!runtime.queryEvent(event.recorded())) {
      return false;
    }
    fired = Math.max(fired, lastFired(position));
    return true;
  }

  /** Waits until a recording has fired. */
  void synchronize(GpuEvent event) {
    long position = event.position();
    if (position <= fired) {
      return;
    }
    lastSleep = recordings;
    if (event.isBlocking()) {
      runtime.synchronizeEvent(event.recorded());
    } else {
      boolean ignored = BackOff.await(this, BackOff.never(), () -> query(event));
    }
    fired = Math.max(fired, position);
  }

  /**
   * The latest recording that is known to have fired: {@code position}, or a later one found by
   * queries.
   */
  private long lastFired(long position) {
    long last = position;
    for (long step = 1; recordings - last > Math.max(FEW, step); step *= 2) {
      GpuEvent next = events[(int) (last + step) & (KEPT_EVENTS - 1)];
      if (next == null || next.position() != last + step || !runtime.queryEvent(next.recorded())) {
        break;
      }
      last += step;
    }
    return last;
  }
}
