package org.jhal.gpu.stream;

import org.jhal.driver.support.BackOff;
import org.jhal.gpu.runtime.GpuEvent;
import org.jhal.gpu.runtime.GpuRuntime;
import org.jspecify.annotations.Nullable;

/**
 * The recordings of a stream.
 *
 * <p>Events on which a thread can sleep (BLOCKING_SYNC) are scarce: recording blocks once a stream
 * holds a few dozen that have not fired. So they are recorded only while the stream is nearly
 * empty. Otherwise a plain event is recorded, which waiting threads poll.
 *
 * <p>A query takes a lock of the runtime that launches need, too. So when an event has fired and
 * many are behind it, a later one is queried, which saves the queries in between.
 *
 * <p>One thread at a time records; any thread asks or waits.
 */
final class StreamEvents {
  /** An event behind more unfired events than this is a plain one. */
  private static final int SHALLOW = 16;

  /**
   * After this many recordings without a sleeping thread, plain events are recorded until one
   * sleeps again: an event that can wake a thread costs an interrupt.
   */
  private static final int WAKEFUL = 64;

  /** If an event has fired and more recordings than this are behind it, a later one is queried. */
  private static final int FEW = 2;

  private static final int KEPT_EVENTS = 1024; // a power of two

  private final GpuRuntime runtime;

  // Counted from 1. Written by the issuing thread: events first, then recordings.
  private final @Nullable GpuEvent[] events = newEvents(); // the latest ones, by number
  private volatile long recordings;

  /**
   * All recordings up to this one have fired. Written without a lock by any thread that sees events
   * fire: a smaller number that overwrites a larger one is still true.
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

  long next() {
    return recordings + 1;
  }

  /** The number of a recording up to which all have fired. */
  long fired() {
    return fired;
  }

  GpuEvent create() {
    long plain = runtime.createEvent(false);
    boolean isDone = false;
    try { // no lambdas: the stack may be about to run out
      GpuEvent event = new GpuEvent(runtime.createEvent(true), plain);
      isDone = true;
      return event;
    } finally {
      if (!isDone) {
        runtime.destroyEvent(plain);
      }
    }
  }

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

  /** Whether a recording has fired. For any thread. */
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
   * The latest recording known to have fired: {@code position}, or a later one found by a query.
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
