// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.hazard;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The record of the process, which exists while a device is open that asks for it: order goes
 * through timelines of any device. It holds the order of all operations, and the memory that those
 * of such devices touch.
 *
 * <p>The host counts as one thread: what one of its threads has observed comes before all that any
 * thread enqueues or signals later.
 *
 * <p>Thread-safe. Its lock is held for its own data only.
 */
public final class HazardRecord {
  /** How many different pairs of places are told apart. */
  private static final int MOST_PLACES = 1000;

  private static final Object USERS_LOCK = new Object();

  @GuardedBy("USERS_LOCK")
  private static int users;

  private static volatile @Nullable HazardRecord current;

  private long chains; // with the lock held, as are the private methods that place and signal

  /** How often each pair of places was found. */
  @GuardedBy("this")
  private final Map<String, Long> places = new LinkedHashMap<>();

  private final Consumer<String> log;

  private HazardRecord(Consumer<String> log) {
    this.log = log;
  }

  /** The record; null if no open device asks for it. */
  public static @Nullable HazardRecord current() {
    return current;
  }

  /**
   * A device asks for the record.
   *
   * @param log takes the reports, with no lock held
   */
  public static void open(Consumer<String> log) {
    synchronized (USERS_LOCK) {
      if (users++ == 0) {
        current = new HazardRecord(log);
      }
    }
  }

  /** A device that has asked for the record is closed. */
  public static void close() {
    HazardRecord ended = null;
    synchronized (USERS_LOCK) {
      if (--users == 0) {
        ended = current;
        current = null;
      }
    }
    if (ended != null) {
      ended.logCounts();
    }
  }

  /** With the lock held. */
  Chain newChain() {
    return new Chain(++chains);
  }

  /**
   * Records an operation that is filled in.
   *
   * @return what was found, for {@link #report}
   */
  public List<Hazard> add(RecordedOperation operation) {
    Hazard within = operation.findWithin();
    List<Hazard> found;
    synchronized (this) {
      found = operation.isReady() ? placeAll(operation) : List.of();
    }
    if (within == null) {
      return found;
    }
    List<Hazard> all = new ArrayList<>(found);
    all.add(within);
    return all;
  }

  /** Places an operation, and those that waited for nothing but its signals, and so on. */
  private List<Hazard> placeAll(RecordedOperation first) {
    List<Hazard> hazards = new ArrayList<>(0);
    ArrayDeque<RecordedOperation> ready = new ArrayDeque<>(4);
    ready.add(first);
    placeAll(ready, hazards);
    return hazards;
  }

  private void placeAll(ArrayDeque<RecordedOperation> ready, List<Hazard> hazards) {
    for (RecordedOperation next = ready.poll(); next != null; next = ready.poll()) {
      next.place(this, hazards);
      if (!next.isEndedByHost()) {
        signalAll(next, ready);
      }
    }
  }

  private static void signalAll(RecordedOperation operation, ArrayDeque<RecordedOperation> ready) {
    Clock end = operation.end();
    for (int i = 0; i < operation.signalCount(); i++) {
      signal(operation.timeline(i), operation.value(i), end, ready);
    }
  }

  private static void signal(
      TimelineOrder timeline, long value, Clock clock, ArrayDeque<RecordedOperation> ready) {
    timeline.signal(value, clock);
    for (RecordedWait open = timeline.pollOpen(value);
        open != null;
        open = timeline.pollOpen(value)) {
      if (open.operation.endWait(open)) {
        ready.add(open.operation);
      }
    }
  }

  /** A thread of the host is about to signal a value. */
  public void hostSignals(TimelineOrder timeline, long value) {
    List<Hazard> hazards = new ArrayList<>(0);
    synchronized (this) {
      ArrayDeque<RecordedOperation> ready = new ArrayDeque<>(1);
      signal(timeline, value, Clock.NONE, ready);
      placeAll(ready, hazards);
    }
    report(hazards);
  }

  /** The host has seen a value of a timeline. */
  public synchronized void hostSees(TimelineOrder timeline, long value) {
    timeline.observed(value);
  }

  /** The host has seen that a timeline has failed: so have those that have failed it. */
  public synchronized void hostSeesFailure(TimelineOrder timeline) {
    timeline.observedFailure();
  }

  /** An operation has failed, and is about to fail its signals. */
  public synchronized void failed(RecordedOperation operation) {
    operation.setFailed();
    for (int i = 0; i < operation.signalCount(); i++) {
      operation.timeline(i).fail(operation.end());
    }
  }

  /** The host has seen that all waits of an operation have ended. */
  public synchronized void hostBegins(RecordedOperation operation) {
    operation.before().observe();
  }

  /** The host is about to end an operation: what it has observed comes before the signals. */
  public void hostEnds(RecordedOperation operation) {
    List<Hazard> hazards = new ArrayList<>(0);
    synchronized (this) {
      if (operation.isPlaced()) {
        ArrayDeque<RecordedOperation> ready = new ArrayDeque<>(0);
        signalAll(operation, ready);
        placeAll(ready, hazards);
      }
    }
    report(hazards);
  }

  // Reports.

  /**
   * Fails the operations that ask for it, and logs what was found otherwise, once for each place.
   */
  public void report(List<Hazard> hazards) {
    for (Hazard hazard : hazards) {
      Consumer<String> onHazard = hazard.laterOperation().onHazard();
      if (onHazard != null) {
        onHazard.accept(hazard.text());
      } else if (count(hazard.place()) == 1) {
        log.accept(hazard.text());
      }
    }
  }

  private synchronized long count(String place) {
    if (places.size() >= MOST_PLACES && !places.containsKey(place)) {
      return 0;
    }
    return places.merge(place, 1L, Long::sum);
  }

  private void logCounts() {
    Map<String, Long> counts;
    synchronized (this) {
      counts = Collections.unmodifiableMap(new LinkedHashMap<>(places));
    }
    long again = counts.values().stream().mapToLong(count -> count - 1).sum();
    if (again > 0) {
      log.accept(again + " further hazards were found at the places that were reported");
    }
  }
}
