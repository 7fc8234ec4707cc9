// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.stream;

import org.jhal.driver.support.BackOff;
import org.jhal.gpu.runtime.EventPair;
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
  private final LatestEvent latest = new LatestEvent();
  private final @Nullable EventPair[] events = new EventPair[KEPT_EVENTS]; // the latest, by number
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

  /** The number of the next recording. */
  long next() {
    return recordings + 1;
  }

  /** The number of the recording that covers everything in the stream, which may be to come. */
  long covering() {
    return latest.coversAll() ? recordings : recordings + 1;
  }

  /** Whether all recordings are known to have fired. For any thread. */
  boolean areKnownPast() {
    long latest = recordings; // first: one that is added meanwhile fires later
    return fired >= latest;
  }

  /** Something is about to be put into the stream, by the thread that issues. */
  void putBehind() {
    latest.putBehind();
  }

  /** The stream is idle, and the events that were recorded are destroyed. */
  void endUse() {
    fired = recordings;
    latest.putBehind(); // no event shares the latest recording
  }

  GpuEvent create() {
    long plain = runtime.createEvent(false);
    boolean isDone = false;
    try {
      GpuEvent event = new GpuEvent(new EventPair(runtime.createEvent(true), plain));
      isDone = true;
      return event;
    } finally {
      if (!isDone) {
        runtime.destroyEvent(plain);
      }
    }
  }

  /** Destroys an event that nothing uses. For any thread. */
  void destroy(GpuEvent event) {
    latest.end(event).destroy(runtime);
  }

  void record(GpuEvent event, long stream) {
    if (latest.coversAll()) {
      latest.share(event);
      return;
    }
    EventPair pair = latest.own(event);
    long position = recordings + 1;
    boolean isAsleep = position - lastSleep <= WAKEFUL;
    pair.setRecorded(isAsleep && position - fired <= SHALLOW, position);
    runtime.recordEvent(pair.recorded(), stream);
    events[(int) position & (KEPT_EVENTS - 1)] = pair;
    recordings = position;
    latest.recorded(pair);
  }

  /**
   * Whether the stream is past a recording, which may still be to come. Asks the runtime if that is
   * not known. For any thread.
   */
  boolean isPast(long position) {
    if (position <= fired) {
      return true;
    }
    if (position > recordings) {
      return false;
    }
    EventPair pair = events[(int) position & (KEPT_EVENTS - 1)];
    // A pair is recorded again when the operations before are over, and a stream never holds as
    // many operations as pairs are kept. If that happens between these lines, the position is past,
    // and the answer to the query is at worst a late one.
    if (pair == null || pair.position() != position) {
      return true;
    }
    if (!runtime.queryEvent(pair.recorded())) {
      return false;
    }
    fired = Math.max(fired, position);
    return true;
  }

  /** Whether a recording has fired. For any thread. */
  boolean query(GpuEvent event) {
    EventPair pair = event.pair();
    long position = pair.position();
    if (position <= fired) {
      return true;
    }
    if (!runtime.queryEvent(pair.recorded())) {
      return false;
    }
    fired = Math.max(fired, lastFired(position));
    return true;
  }

  void synchronize(GpuEvent event) {
    EventPair pair = event.pair();
    long position = pair.position();
    if (position <= fired) {
      return;
    }
    lastSleep = recordings;
    if (pair.isBlocking()) {
      runtime.synchronizeEvent(pair.recorded());
    } else {
      BackOff.await(this, BackOff.never(), () -> query(event));
    }
    fired = Math.max(fired, position);
  }

  /**
   * The latest recording known to have fired: {@code position}, or a later one found by a query.
   */
  private long lastFired(long position) {
    long last = position;
    for (long step = 1; recordings - last > Math.max(FEW, step); step *= 2) {
      EventPair next = events[(int) (last + step) & (KEPT_EVENTS - 1)];
      if (next == null || next.position() != last + step || !runtime.queryEvent(next.recorded())) {
        break;
      }
      last += step;
    }
    return last;
  }
}
