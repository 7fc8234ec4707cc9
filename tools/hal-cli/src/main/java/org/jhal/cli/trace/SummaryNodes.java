// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli.trace;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The latest operations and waits of threads, with what delayed each of them. The oldest ones are
 * forgotten, so that a recording of any length needs limited memory.
 *
 * <p>Used by one thread.
 */
final class SummaryNodes {
  /** An operation, a wait of a thread, or a signal by a thread. */
  static final class Node {
    final String name;
    final String where;
    final long begin;
    final long end;
    final TraceSink.@Nullable Operation operation; // null for what a thread did
    @Nullable Node cause; // whose signal came last
    long causeTime = Long.MIN_VALUE;
    @Nullable String awaited; // the timepoint of the cause
    String outcome = "reached";
    boolean isForgotten;
    boolean isSeen;

    /** Something that a thread did. */
    Node(String name, String thread, long begin, long end) {
      this.name = name;
      this.where = thread;
      this.begin = begin;
      this.end = end;
      this.operation = null;
    }

    Node(TraceSink.Operation operation) {
      this.name = operation.name();
      this.where = operation.queue();
      this.begin = operation.begin();
      this.end = operation.end();
      this.operation = operation;
    }

    /** Without times of the device, operations of a stream overlap. */
    boolean mayOverlap() {
      return operation != null && !operation.isTimed();
    }
  }

  private final int most;
  private final Deque<Node> operationsInOrder = new ArrayDeque<>();
  private final Deque<Node> waitsInOrder = new ArrayDeque<>();
  private final Map<TraceSink.Origin, Node> operations = new HashMap<>();
  private final Map<Long, TreeMap<Long, Node>> queues = new HashMap<>(); // by number, then by end
  private final Map<String, TreeMap<Long, Node>> threads = new HashMap<>(); // waits, by begin
  private long forgotten;
  private long lastForgottenWait = Long.MIN_VALUE; // when it ended

  /** Remembers at most {@code most} operations, and as many waits of threads. */
  SummaryNodes(int most) {
    this.most = most;
  }

  /** Adds an operation, and returns the node that is forgotten for it, if any. */
  @Nullable Node add(TraceSink.Operation operation) {
    Node node = new Node(operation);
    operations.put(operation.origin(), node);
    if (operation.onQueue() != null && operation.outcome() != TraceSink.Outcome.UNFINISHED) {
      queues.computeIfAbsent(operation.origin().queue(), q -> new TreeMap<>()).put(node.end, node);
    }
    return added(node, operationsInOrder);
  }

  /** Adds a wait of a thread, likewise. */
  @Nullable Node addWait(String thread, String name, long begin, long end, String outcome) {
    Node node = new Node(name, thread, begin, end);
    node.outcome = outcome;
    threads.computeIfAbsent(thread, t -> new TreeMap<>()).put(begin, node);
    return added(node, waitsInOrder);
  }

  private @Nullable Node added(Node node, Deque<Node> inOrder) {
    inOrder.add(node);
    return inOrder.size() > most ? forget(inOrder.remove()) : null;
  }

  private Node forget(Node node) {
    forgotten++;
    TraceSink.Operation operation = node.operation;
    if (operation == null) {
      remove(threads, node.where, node.begin, node);
      lastForgottenWait = Math.max(lastForgottenWait, node.end);
    } else {
      operations.remove(operation.origin(), node);
      remove(queues, operation.origin().queue(), node.end, node);
    }
    node.isForgotten = true;
    return node;
  }

  private static <K> void remove(Map<K, TreeMap<Long, Node>> from, K key, long time, Node node) {
    TreeMap<Long, Node> nodes = from.get(key);
    if (nodes != null) {
      nodes.remove(time, node);
      if (nodes.isEmpty()) {
        from.remove(key);
      }
    }
  }

  /** Notes that {@code to} waited for {@code from}; the latest signal counts. */
  void arrow(
      TraceSink.Origin from,
      TraceSink.Point signal,
      TraceSink.Origin to,
      TraceSink.Point wait,
      String name) {
    Node waiting =
        to.equals(TraceSink.HOST) ? wait(wait.track().name(), wait.time()) : operations.get(to);
    long time = signal.time() + 1;
    if (waiting == null || time < waiting.causeTime) {
      return;
    }
    waiting.causeTime = time;
    waiting.awaited = name;
    waiting.cause =
        from.equals(TraceSink.HOST)
            ? new Node("signal " + name, signal.track().name(), time, time)
            : operations.get(from);
  }

  /** The last wait of a thread that began at {@code time} or before. */
  @Nullable Node wait(String thread, long time) {
    TreeMap<Long, Node> waits = threads.get(thread);
    Map.Entry<Long, Node> found = waits == null ? null : waits.floorEntry(time);
    return found == null ? null : found.getValue();
  }

  /** The last wait of a thread that was over at {@code time}. */
  @Nullable Node waitBefore(String thread, long time) {
    Node found = wait(thread, time);
    while (found != null && found.end > time) {
      found = found.begin == Long.MIN_VALUE ? null : wait(thread, found.begin - 1);
    }
    return found;
  }

  /** The operation of the same queue that ended last before {@code node} began. */
  @Nullable Node before(Node node) {
    TraceSink.Operation operation = node.operation;
    if (operation == null || operation.onQueue() == null) {
      return null;
    }
    TreeMap<Long, Node> queue = queues.get(operation.origin().queue());
    if (queue == null) {
      return null;
    }
    // A stream works in order: one that overlaps and ended earlier was before it in the stream.
    boolean isUnfinished = operation.outcome() == TraceSink.Outcome.UNFINISHED;
    long limit = node.mayOverlap() && !isUnfinished ? node.end - 1 : node.begin;
    Map.Entry<Long, Node> found = queue.floorEntry(limit);
    while (found != null && (found.getValue() == node || found.getValue().begin > node.begin)) {
      found = queue.lowerEntry(found.getKey());
    }
    return found == null ? null : found.getValue();
  }

  Iterable<Node> operations() {
    return operationsInOrder;
  }

  Iterable<Node> waits() {
    return waitsInOrder;
  }

  /** When the last wait that is forgotten ended. */
  long lastForgottenWait() {
    return lastForgottenWait;
  }

  long forgotten() {
    return forgotten;
  }
}
