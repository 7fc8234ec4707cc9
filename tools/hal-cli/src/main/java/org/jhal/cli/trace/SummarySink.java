// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli.trace;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jhal.cli.trace.SummaryNodes.Node;
import org.jhal.cli.trace.TraceSummary.Place;
import org.jhal.cli.trace.TraceSummary.Wait;
import org.jhal.cli.trace.TraceSummary.Work;
import org.jspecify.annotations.Nullable;

/** Sums a trace up. It needs the same memory for a trace of any length. */
final class SummarySink implements TraceSink {
  /** How many names and places have a row of their own. */
  static final int MOST_ROWS = 500;

  /** How many of the longest waits are kept. */
  static final int MOST_WAITS = 10;

  private static final Comparator<Wait> BY_TIME =
      Comparator.comparingLong(Wait::took).thenComparing(Wait::who).thenComparing(Wait::where);

  private static final String OTHERS = "others";
  private static final Set<String> LOADING = Set.of("load", "compilation", "graph");

  /** Of operations with one name, or of other work. */
  private static final class Totals {
    final String name;
    final String kind;
    long count;
    long finished;
    long failed;
    long unfinished;
    long total;
    long longest;
    long bytes = -1;

    Totals(String name, String kind) {
      this.name = name;
      this.kind = kind;
    }

    void add(long took, Outcome outcome) {
      count++;
      switch (outcome) {
        case FINISHED -> {
          finished++;
          total += took;
          longest = Math.max(longest, took);
        }
        case FAILED -> failed++;
        case UNFINISHED -> unfinished++;
      }
    }

    Work work() {
      long mean = finished == 0 ? 0 : total / finished;
      return new Work(name, kind, count, failed, unfinished, total, mean, longest, bytes);
    }
  }

  private static final class Usage {
    final String device;
    final String queue;
    final Intervals busy;
    long operations;

    Usage(String device, String queue, int most) {
      this.device = device;
      this.queue = queue;
      this.busy = new Intervals(most);
    }
  }

  private final int most;
  private final SummaryNodes nodes;
  private final Map<String, Totals> work = new HashMap<>();
  private final Map<String, Totals> commands = new HashMap<>(); // of command buffers
  private final Map<String, Totals> loading = new HashMap<>();
  private final Map<String, Usage> usages = new HashMap<>();
  private final Map<String, Wait> waits = new HashMap<>(); // the longest by who and where
  private long operations;
  private long failed;
  private long unfinished;
  private long hostTimed;
  private long first = Long.MAX_VALUE; // when the first operation began
  private long earliest = Long.MAX_VALUE; // when the first one was enqueued
  private long last = Long.MIN_VALUE;
  private boolean hasOthers;
  private @Nullable TraceSummary summary;

  /** Remembers at most {@code most} operations, and as many waits of threads. */
  SummarySink(int most) {
    this.most = most;
    this.nodes = new SummaryNodes(most);
  }

  private Totals totals(Map<String, Totals> of, String name, String kind) {
    String key = kind + "\n" + name;
    if (of.size() >= MOST_ROWS && !of.containsKey(key)) {
      hasOthers = true;
      return of.computeIfAbsent(OTHERS, k -> new Totals(OTHERS, OTHERS));
    }
    return of.computeIfAbsent(key, k -> new Totals(name, kind));
  }

  private Usage usage(String device, String queue) {
    String key = device + "\n" + queue;
    if (usages.size() >= MOST_ROWS && !usages.containsKey(key)) {
      hasOthers = true;
      return usages.computeIfAbsent(OTHERS, k -> new Usage(OTHERS, OTHERS, most));
    }
    // Many queues share the memory that one may take.
    int share = Math.max(16, most / Math.max(8, usages.size()));
    return usages.computeIfAbsent(key, k -> new Usage(device, queue, share));
  }

  @Override
  public void track(Track track) {}

  @Override
  public void operation(Operation operation) {
    operations++;
    long begin = operation.begin();
    first = Math.min(first, begin);
    earliest = Math.min(earliest, Math.min(begin, operation.enqueued()));
    last = Math.max(last, operation.end());
    Totals totals = totals(work, operation.name(), operation.kind());
    totals.add(operation.end() - begin, operation.outcome());
    if (operation.bytes() >= 0) {
      totals.bytes = Math.max(0, totals.bytes) + operation.bytes();
    }
    failed += operation.outcome() == Outcome.FAILED ? 1 : 0;
    Span onQueue = operation.onQueue();
    if (operation.outcome() == Outcome.UNFINISHED) {
      unfinished++;
    } else {
      hostTimed += operation.isTimed() ? 0 : 1;
      for (String queue : List.of("", operation.queue())) {
        Usage usage = usage(operation.device(), queue);
        usage.operations++;
        if (onQueue != null) {
          usage.busy.add(onQueue.begin(), onQueue.end());
        }
      }
    }
    waited(nodes.add(operation));
  }

  @Override
  public void slice(
      Track track, String name, String kind, long begin, long end, Map<String, Object> details) {
    if (kind.equals("wait")) {
      String outcome = String.valueOf(details.getOrDefault("outcome", "reached"));
      waited(nodes.addWait(track.name(), name, begin, end, outcome));
    } else if (LOADING.contains(kind)) {
      totals(loading, name, kind).add(end - begin, Outcome.FINISHED);
    } else if (kind.equals(OperationWriter.COMMAND)) {
      long took = (long) details.getOrDefault("took ns", end - begin);
      totals(commands, name, kind).add(took, Outcome.FINISHED);
    }
  }

  @Override
  public void instant(Track track, String name, long time, Map<String, Object> details) {}

  @Override
  public void arrow(Origin from, Point signal, Origin to, Point wait, String name) {
    nodes.arrow(from, signal, to, wait, name);
  }

  @Override
  public void counter(Track track, String name, long time, long value) {}

  /** Keeps the wait of a node if it is one of the longest, and nothing else of the node. */
  private void waited(@Nullable Node node) {
    if (node == null) {
      return;
    }
    Operation operation = node.operation;
    Node before = nodes.before(node);
    long began = Math.max(node.begin, node.mayOverlap() ? node.causeTime : Long.MIN_VALUE);
    String outcome = node.outcome;
    long took = node.end - node.begin;
    if (operation != null) {
      boolean isOpen = operation.outcome() == Outcome.UNFINISHED;
      outcome = isOpen ? "unfinished" : "reached";
      took = (isOpen ? operation.end() : began) - operation.enqueued();
    }
    if (took > 0) {
      String where = operation == null ? "host" : node.where;
      String who = operation == null ? "thread " + node.where : node.name;
      String key = who + "\n" + where;
      Wait longest = waits.get(key);
      if (longest == null || took > longest.took()) {
        waits.put(key, new Wait(who, where, took, forWhom(node, before, outcome), outcome));
      }
      if (waits.size() > MOST_ROWS) {
        waits.values().remove(Collections.min(waits.values(), BY_TIME));
      }
    }
    node.cause = null; // otherwise the causes of all would be kept
  }

  private static String forWhom(Node node, @Nullable Node before, String outcome) {
    Operation operation = node.operation;
    long submitted = operation == null ? Long.MIN_VALUE : operation.enqueued();
    if (before != null && before.end > Math.max(submitted, node.causeTime)) {
      return label(before) + ", before it in its queue";
    }
    Node cause = node.cause;
    if (cause != null) {
      return label(cause);
    }
    if (node.awaited != null) {
      return node.awaited;
    }
    if (operation == null) {
      return node.name.replace("wait for ", "");
    }
    return outcome.equals("unfinished") ? "an unknown signal" : "the device or its host threads";
  }

  private static String label(Node node) {
    Operation operation = node.operation;
    return operation == null
        ? "thread " + node.where
        : node.name + " (operation " + operation.origin().operation() + " of " + node.where + ")";
  }

  @Override
  public void end() {
    Node latest = null;
    for (Node node : nodes.operations()) {
      if (latest == null || node.end > latest.end) {
        latest = node;
      }
    }
    TraceSummary.Path path = CriticalPath.to(latest, nodes, first, earliest);
    nodes.operations().forEach(this::waited);
    nodes.waits().forEach(this::waited);
    long span = operations == 0 ? 0 : last - first;
    List<Place> places = new ArrayList<>();
    boolean isExact = true;
    for (Usage usage : usages.values()) {
      long busy = usage.busy.length();
      isExact &= usage.busy.isExact();
      places.add(
          new Place(usage.device, usage.queue, usage.operations, busy, Math.max(0, span - busy)));
    }
    places.sort(Comparator.comparing(Place::device).thenComparing(Place::queue));
    List<Wait> longest =
        waits.values().stream().sorted(BY_TIME.reversed()).limit(MOST_WAITS).toList();
    summary =
        new TraceSummary(
            operations,
            failed,
            unfinished,
            hostTimed,
            span,
            rows(work),
            rows(commands),
            places,
            longest,
            path,
            rows(loading),
            limits(isExact));
  }

  private List<String> limits(boolean isExact) {
    List<String> limits = new ArrayList<>();
    if (nodes.forgotten() > 0) {
      limits.add(
          "only the last "
              + most
              + " operations and waits of threads were examined for the critical path; "
              + nodes.forgotten()
              + " earlier ones were not");
    }
    if (!isExact) {
      limits.add("busy times are too small: some operations were recorded too late to be counted");
    }
    if (hasOthers) {
      limits.add("only " + MOST_ROWS + " names have rows of their own");
    }
    return limits;
  }

  private static List<Work> rows(Map<String, Totals> of) {
    return of.values().stream()
        .map(Totals::work)
        .sorted(Comparator.comparingLong(Work::total).reversed().thenComparing(Work::name))
        .toList();
  }

  /** What was found, after {@link #end()}. */
  TraceSummary summary() {
    return Objects.requireNonNull(summary, "the trace has not ended");
  }
}
