// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.hazard;

import com.google.common.collect.MapMaker;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Consumer;
import org.jhal.HostMemory;
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

  /**
   * How many of a pair of places are looked at for the lines of the program, which takes a while.
   */
  private static final int MOST_LINES = 100;

  private static final Object USERS_LOCK = new Object();

  @GuardedBy("USERS_LOCK")
  private static int users;

  private static volatile @Nullable HazardRecord current;

  private long chains; // with the lock held, as are the private methods that place and signal

  /** How often each pair of places was found. */
  @GuardedBy("this")
  private final Map<String, Long> places = new LinkedHashMap<>();

  /** The pairs of places that were logged, with the lines of the program. */
  @GuardedBy("this")
  private final Set<String> logged = new HashSet<>();

  /** By what the host memory is a part of, compared by identity. */
  private final ConcurrentMap<Object, TouchedMemory> hosts = new MapMaker().weakKeys().makeMap();

  private final ConcurrentMap<HostMemory, HostBorrows> borrows =
      new MapMaker().weakKeys().makeMap();

  /** A readback has written to the heap, and not said to which array; that may be any. */
  private volatile boolean isSomeHeapWritten;

  private volatile @Nullable Consumer<String> log; // null if nobody wants a log

  private HazardRecord() {}

  /** The record; null if no open device asks for it. */
  public static @Nullable HazardRecord current() {
    return current;
  }

  /**
   * A device asks for the record.
   *
   * @param log takes what is said at the end, with no lock held; null for a device that logs
   *     nothing
   */
  public static void open(@Nullable Consumer<String> log) {
    synchronized (USERS_LOCK) {
      HazardRecord record = current;
      if (users++ == 0 || record == null) {
        record = new HazardRecord();
        current = record;
      }
      if (log != null) {
        record.log = log;
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
    List<Hazard> early = operation.findEarly();
    List<Hazard> found;
    synchronized (this) {
      found = operation.isReady() ? placeAll(operation) : List.of();
    }
    if (early.isEmpty()) {
      return found;
    }
    List<Hazard> all = new ArrayList<>(early);
    all.addAll(found);
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
      if (next.isPlaced() && !next.isEndedByHost()) {
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

  // Host memory.

  /**
   * An operation that is being filled in borrows host memory.
   *
   * @param use READ for an upload, WRITE for a readback
   */
  public void borrow(RecordedOperation operation, HostMemory memory, Use use) {
    TouchedMemory touched = touched(memory);
    if (use.isWrite() && memory.isOnHeap() && memory.base() == memory) {
      isSomeHeapWritten = true;
    }
    long from = memory.baseOffset();
    operation.touches(touched, from, from + memory.size(), use, "");
    operation.borrows(
        borrows.computeIfAbsent(memory, this::watch),
        use == Use.READ ? changedSources(touched, operation.lastTouch(), memory) : List.of());
  }

  private TouchedMemory touched(HostMemory memory) {
    return hosts.computeIfAbsent(
        memory.base(),
        base ->
            new TouchedMemory(
                base == memory ? "host memory" : "a " + base.getClass().getSimpleName()));
  }

  private HostBorrows watch(HostMemory memory) {
    HostBorrows made = new HostBorrows();
    memory.watch(() -> seenFree(made));
    return made;
  }

  private synchronized void seenFree(HostBorrows seen) {
    seen.observed();
  }

  /** Earlier uploads of the same bytes whose end is not known, and which have changed since. */
  private List<Hazard> changedSources(TouchedMemory touched, Touch touch, HostMemory memory) {
    List<Touch> uploads;
    synchronized (this) {
      uploads = touched.openReadsLike(touch);
    }
    if (uploads.isEmpty()) {
      return List.of();
    }
    List<Hazard> found = new ArrayList<>();
    long now = SourceDigest.of(memory);
    synchronized (this) {
      uploads.retainAll(touched.openReadsLike(touch)); // a readback may have come meanwhile
      for (Touch upload : uploads) {
        if (!isSomeHeapWritten && hasChanged(upload.operation, now)) {
          found.add(Hazard.ofSource(upload, touch));
        }
      }
    }
    return found;
  }

  /** Whether a source is known to have changed; says so once. */
  @GuardedBy("this")
  private boolean hasChanged(RecordedOperation upload, long now) {
    long before = upload.digest;
    if (now == SourceDigest.UNKNOWN || before == SourceDigest.UNKNOWN || now == before) {
      return false;
    }
    upload.digest = SourceDigest.UNKNOWN;
    return true;
  }

  /**
   * An upload is being issued. Its source must not change from now on, unless operations that it
   * follows have still to write it.
   */
  public void sourceBegins(RecordedOperation upload, HostMemory memory) {
    synchronized (this) {
      if (!upload.isPlaced() || mayBeWritten(upload, memory)) {
        return;
      }
    }
    long now = SourceDigest.of(memory);
    synchronized (this) {
      if (upload.digest == SourceDigest.UNKNOWN && !mayBeWritten(upload, memory)) {
        upload.digest = now;
        upload.writesOfSource = touched(memory).writes();
      }
    }
  }

  /**
   * Whether an operation may write the source of an upload, before it or behind it. Of memory that
   * is no array nothing is known: it may have been imported.
   */
  @GuardedBy("this")
  private boolean mayBeWritten(RecordedOperation upload, HostMemory memory) {
    long from = memory.baseOffset();
    return memory.base() == memory
        || isSomeHeapWritten
        || touched(memory).isWrittenBeside(upload, from, from + memory.size());
  }

  /**
   * Whether an operation may have written the source since the upload began, and the host may have
   * seen its end, so that {@link #mayBeWritten} knows it no more. The host has then seen the end of
   * the upload, too.
   */
  @GuardedBy("this")
  private boolean mayHaveBeenWritten(RecordedOperation upload, HostMemory memory) {
    return upload.isOver() && touched(memory).writes() != upload.writesOfSource;
  }

  /**
   * An upload has ended, and its borrow is about to end. Several threads may call this for one
   * upload; none may end the borrow without having called it, since what has changed is not known
   * any more when the borrow has ended.
   *
   * @param borrow another thread may have ended it meanwhile, and has compared the source before
   */
  public void sourceEnds(RecordedOperation upload, HostMemory memory, HostMemory.Borrow borrow) {
    synchronized (this) {
      if (upload.digest == SourceDigest.UNKNOWN) {
        return;
      }
    }
    judgeSource(upload, memory, borrow, SourceDigest.of(memory));
  }

  /** Reports that the source of an upload has changed, if only the program can have done it. */
  void judgeSource(
      RecordedOperation upload, HostMemory memory, HostMemory.Borrow borrow, long now) {
    if (borrow.hasEnded()) {
      return; // the program may have changed the memory meanwhile
    }
    boolean hasChanged;
    synchronized (this) { // the device may already be past a readback behind it
      hasChanged =
          !mayBeWritten(upload, memory)
              && !mayHaveBeenWritten(upload, memory)
              && hasChanged(upload, now);
    }
    if (hasChanged) {
      long from = memory.baseOffset();
      Touch touch =
          new Touch(upload, touched(memory), from, from + memory.size(), Use.READ, "", "", 0, null);
      logOnce(Hazard.ofSource(touch, touch));
    }
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
      } else {
        logOnce(hazard);
      }
    }
  }

  private void logOnce(Hazard hazard) {
    String place = hazard.place();
    long count = count(place);
    if (count > 0 && count <= MOST_LINES && isNew(place + hazard.lines())) {
      hazard.laterOperation().log().accept(hazard.text());
    }
  }

  private synchronized boolean isNew(String placeAndLines) {
    return logged.add(placeAndLines);
  }

  private synchronized long count(String place) {
    if (places.size() >= MOST_PLACES && !places.containsKey(place)) {
      return 0;
    }
    return places.merge(place, 1L, Long::sum);
  }

  private void logCounts() {
    long again;
    synchronized (this) {
      again = places.values().stream().mapToLong(count -> count).sum() - logged.size();
    }
    Consumer<String> to = log;
    if (again > 0 && to != null) {
      to.accept(again + " further hazards were found at the places that were reported");
    }
  }
}
