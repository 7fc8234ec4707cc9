// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli.trace;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jhal.cli.trace.SummaryNodes.Node;
import org.jhal.cli.trace.TraceSummary.Path;
import org.jhal.cli.trace.TraceSummary.Segment;
import org.jspecify.annotations.Nullable;

/**
 * Goes from the last operation back to what it had to wait for last: the signal of another one, the
 * operation before it in its queue, or the thread that enqueued it. That thread in turn may have
 * waited.
 */
final class CriticalPath {
  private final SummaryNodes nodes;
  private final long start;
  private final Deque<Segment> segments = new ArrayDeque<>(); // in the order of time
  private long ran;
  private long onHost;
  private long between;
  private long reached; // how far back the path leads
  private boolean isWhole = true;

  private CriticalPath(SummaryNodes nodes, long start) {
    this.nodes = nodes;
    this.start = start;
  }

  /**
   * The path to the end of {@code last}.
   *
   * @param start when the first operation began; times of segments count from here
   * @param earliest when the first operation was enqueued; the path does not lead further back
   */
  static Path to(@Nullable Node last, SummaryNodes nodes, long start, long earliest) {
    CriticalPath path = new CriticalPath(nodes, start);
    if (last == null) {
      return new Path(0, 0, 0, 0, List.of(), true);
    }
    path.reached = last.end;
    Node next = path.operation(last);
    while (next != null) {
      if (next.isForgotten) {
        path.isWhole = false;
        break;
      }
      next = next.operation != null ? path.operation(next) : path.thread(next.where, earliest);
    }
    return new Path(
        last.end - path.reached,
        path.ran,
        path.onHost,
        path.between,
        List.copyOf(path.segments),
        path.isWhole);
  }

  /** Adds an operation, and returns what delayed it; null at the beginning of the path. */
  private @Nullable Node operation(Node node) {
    TraceSink.Operation operation = node.operation;
    if (operation == null || node.isSeen) { // two times may be wrong, and lead in a circle
      isWhole = false;
      return null;
    }
    node.isSeen = true;
    Node next = null;
    long free = Long.MIN_VALUE;
    if (operation.thread() != null) {
      free = operation.enqueued();
      next = new Node("enqueue", operation.thread(), free, free);
    } else {
      isWhole = false;
    }
    Node before = nodes.before(node);
    if (before != null && before.end >= free) {
      free = before.end;
      next = before;
    }
    if (node.causeTime >= free) {
      free = node.causeTime;
      next = node.cause;
      isWhole &= next != null;
    }
    long upper = reached;
    free = next == null && free == Long.MIN_VALUE ? node.begin : Math.min(free, upper);
    long from = Math.min(upper, Math.max(node.begin, free));
    add(node.name, node.where, from, upper - from, from - free);
    ran += upper - from;
    between += from - free;
    reached = free;
    return next;
  }

  /** Adds what a thread did until now, and returns what its last wait was for. */
  private @Nullable Node thread(String thread, long earliest) {
    Node wait = TraceNames.isShared(thread) ? null : nodes.waitBefore(thread, reached);
    while (wait != null && wait.cause == null && wait.begin > earliest) {
      host(thread, wait.end, 0);
      host(thread + ", waiting for an unknown signal", wait.begin, 0);
      wait = nodes.waitBefore(thread, reached - 1);
    }
    if (wait == null || wait.cause == null || wait.end <= earliest) {
      long known = Math.max(earliest, nodes.lastForgottenWait());
      isWhole &= known == earliest;
      host(thread, Math.min(reached, known), 0);
      return null;
    }
    if (wait.isSeen) {
      isWhole = false;
      return null;
    }
    wait.isSeen = true;
    long signalled = Math.min(wait.end, wait.causeTime);
    host(thread, wait.end, wait.end - signalled);
    return wait.cause;
  }

  private void host(String thread, long from, long before) {
    long took = reached - from;
    onHost += took;
    between += before;
    add("thread " + thread, "host", from, took, before);
    reached = from - before;
  }

  private void add(String name, String where, long from, long took, long before) {
    Segment next = segments.peekFirst();
    if (next != null && next.name().equals(name) && next.where().equals(where)) {
      segments.removeFirst();
      segments.addFirst(
          new Segment(
              name,
              where,
              from - start,
              next.count() + 1,
              next.ran() + took,
              next.before() + before));
    } else {
      segments.addFirst(new Segment(name, where, from - start, 1, took, before));
    }
  }
}
