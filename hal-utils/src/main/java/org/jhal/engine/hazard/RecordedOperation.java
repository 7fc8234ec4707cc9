// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.hazard;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * An operation as the record knows it: its waits, its signals, the memory that it touches, and its
 * place in the order. Filled in by the thread that enqueues it, then guarded by the record's lock.
 */
public final class RecordedOperation {
  private static final TimelineOrder[] NO_TIMELINES = {};
  private static final long[] NO_VALUES = {};

  private final QueueOrder queue;
  private final String work;
  private volatile long number; // in its queue; 0 until it is accepted
  private boolean hasFailed;
  private boolean isEndedByHost;

  // Empty once it is placed.
  private @Nullable RecordedWait firstWait;
  private List<Touch> touches = List.of();
  private String command = ""; // of the touches that are being filled in
  private @Nullable ProgramLine commandLine; // likewise
  private int section;
  private final @Nullable ProgramLine line;
  private final Consumer<String> log;
  private final @Nullable Consumer<String> onHazard;

  // Of host memory that it borrows. The digest is that of an upload's source, when it is issued.
  private @Nullable HostBorrows borrows;
  long digest = SourceDigest.UNKNOWN;
  long writesOfSource; // how many writes of the source were known when the digest was taken
  private List<Hazard> changedSources = List.of(); // empty once it is placed

  // Its signals. The first one is in the messages.
  private TimelineOrder[] timelines = NO_TIMELINES;
  private long[] values = NO_VALUES;

  private int openWaits;
  private Clock before = Clock.NONE;

  // Set when it is placed. It has no chain if it has no signal and borrows nothing: nothing can
  // follow it then.
  private @Nullable Chain chain;
  private long index;

  /**
   * @param work what it does, for messages
   * @param line the line of the program that enqueues it; null if it is not known
   * @param log takes the text of a hazard that it completes, unless it fails by that; once for each
   *     place, with no lock held
   * @param onHazard takes the text of a hazard that it completes, to fail with it; null if it goes
   *     on
   */
  public RecordedOperation(
      QueueOrder queue,
      String work,
      @Nullable ProgramLine line,
      Consumer<String> log,
      @Nullable Consumer<String> onHazard) {
    this.queue = queue;
    this.work = work;
    this.line = line;
    this.log = log;
    this.onHazard = onHazard;
  }

  // Filling in.

  /** It is accepted. */
  public void setNumber(long given) {
    number = given;
  }

  void setFailed() {
    hasFailed = true;
  }

  /** The host raises its signals when it likes: see {@link HazardRecord#hostEnds}. */
  public void endsByHost() {
    isEndedByHost = true;
  }

  /**
   * @param isReached whether the value is reached already, in case no signal of it was recorded
   */
  public void waitsFor(TimelineOrder timeline, long value, boolean isReached) {
    firstWait = new RecordedWait(this, timeline, value, isReached, firstWait);
  }

  public void signals(TimelineOrder[] signalled, long[] to) {
    timelines = signalled;
    values = to;
  }

  /**
   * What it uses from now on, a command of its recording uses: one that differs from the others.
   *
   * @param recordedAt the line of the program that has recorded it; null if it is not known
   */
  public void nextCommand(String name, @Nullable ProgramLine recordedAt) {
    command = name;
    commandLine = recordedAt;
  }

  /** The commands before and after this are ordered. */
  public void barrier() {
    section++;
  }

  /** It uses the bytes from {@code from} to before {@code to}; none is no use. */
  public void touches(TouchedMemory memory, long from, long to, Use use, String name) {
    if (from < to) {
      if (touches.isEmpty()) {
        touches = new ArrayList<>(4);
      }
      touches.add(new Touch(this, memory, from, to, use, name, command, section, commandLine));
    }
  }

  /** It borrows host memory, which is noted in {@code with}. */
  void borrows(HostBorrows with, List<Hazard> changed) {
    borrows = with;
    changedSources = changed;
  }

  /** The touch that was filled in last. */
  Touch lastTouch() {
    return touches.get(touches.size() - 1);
  }

  // Placing.

  /** What is known to be wrong before it is placed. */
  List<Hazard> findEarly() {
    Hazard within = command.isEmpty() ? null : CommandOrder.find(touches);
    List<Hazard> found = within == null ? changedSources : List.of(within);
    changedSources = List.of();
    return found;
  }

  /** Registers its waits. Returns whether none is open. */
  boolean isReady() {
    for (RecordedWait wait = firstWait; wait != null; wait = wait.next) {
      Clock clock = wait.timeline.before(wait.value);
      if (clock == null && !wait.isReached) {
        openWaits++;
        wait.timeline.addOpen(wait);
      } else if (clock != null) {
        before = before.union(clock);
      }
    }
    return openWaits == 0;
  }

  /** One of its waits is open no more. Returns whether none is. */
  boolean endWait(RecordedWait wait) {
    Clock clock = wait.timeline.before(wait.value);
    before = clock == null ? before : before.union(clock);
    return --openWaits == 0;
  }

  /** Compares it with those that were placed earlier, and gives it its place in a chain. */
  void place(HazardRecord record, List<Hazard> hazards) {
    if (hasFailed) {
      return; // it was never issued, since a wait was open
    }
    for (Touch touch : touches) {
      touch.memory.add(touch, hazards);
    }
    touches = List.of();
    firstWait = null;
    if (timelines.length > 0 || borrows != null) {
      for (int i = 0; i < before.size() && chain == null; i++) {
        if (before.end(i) == before.chain(i).length) {
          chain = before.chain(i);
        }
      }
      if (chain == null) {
        chain = record.newChain();
      }
      index = ++chain.length;
      if (borrows != null) {
        borrows.add(end());
      }
    }
  }

  boolean isEndedByHost() {
    return isEndedByHost;
  }

  boolean isPlaced() {
    return chain != null;
  }

  /** What comes before its signals. */
  Clock end() {
    return chain == null ? before : before.with(chain, index);
  }

  Clock before() {
    return before;
  }

  int signalCount() {
    return timelines.length;
  }

  TimelineOrder timeline(int signal) {
    return timelines[signal];
  }

  long value(int signal) {
    return values[signal];
  }

  /** Whether the host has seen its end or its failure. */
  boolean isOver() {
    return (chain != null
            && (index <= chain.observed || (hasFailed && index <= chain.observedFailed)))
        || queue.isRetired(number);
  }

  /** Whether an operation that is being placed follows it. */
  boolean isBefore(RecordedOperation other) {
    return chain != null && other.before.end(chain) >= index;
  }

  // Reporting.

  /** Takes the text of a hazard that it completes; null if it goes on. */
  @Nullable Consumer<String> onHazard() {
    return onHazard;
  }

  Consumer<String> log() {
    return log;
  }

  /** The line of the program that has enqueued it; null if it is not known. */
  @Nullable ProgramLine line() {
    return line;
  }

  String place() {
    return queue.queue + " " + work + " ";
  }

  /**
   * The timeline by which an operation that is being placed waits for this one, or for what comes
   * later on the timeline; null if there is none.
   */
  @Nullable TimelineOrder awaitedBy(RecordedOperation other) {
    for (RecordedWait wait = other.firstWait; wait != null; wait = wait.next) {
      for (int i = 0; i < timelines.length; i++) {
        if (wait.timeline == timelines[i] && wait.value >= values[i]) {
          return timelines[i];
        }
      }
    }
    return null;
  }

  /**
   * How to order an operation behind this one.
   *
   * @param awaited see {@link #awaitedBy}
   */
  String remedyFor(RecordedOperation after, @Nullable TimelineOrder awaited) {
    if (awaited != null) {
      return after.name()
          + " waits for "
          + awaited
          + ", but another signal may raise that to the value first; have each operation that"
          + " signals it wait for the value before its own";
    }
    return timelines.length == 0
        ? "give " + name() + " a signal, and add it to the waits of " + after.name()
        : "add " + timelines[0] + "@" + values[0] + " to the waits of " + after.name();
  }

  /** How the program waits for this one. */
  String hostRemedy() {
    return (timelines.length == 0 ? "" : "wait for " + timelines[0] + "@" + values[0] + ", or ")
        + "wait until the host memory is free";
  }

  private String name() {
    return number == 0 ? "the " + work : "operation " + number;
  }

  @Override
  public String toString() {
    return queue.queue + (number == 0 ? " " : " operation " + number + " ") + "(" + work + ")";
  }
}
