// SPDX-License-Identifier: Apache-2.0
package org.jhal;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import org.jhal.spi.OpenOperation;
import org.jspecify.annotations.Nullable;

/**
 * A graph of which open operations wait for which others. It finds the operations that cannot go on
 * unless the program itself signals.
 *
 * <p>The operations were recorded one after the other, while other threads continued. The values of
 * the timelines are read afterwards, once each. An operation that ended unnoticed has signalled
 * before that, so the operations that waited for it do not seem stuck.
 *
 * <p>Nothing here is recursive, and the time grows with n log n. Confined to one thread.
 */
final class WaitGraph {
  /** A timeline that operations wait for or signal. */
  static final class Line {
    final TimelineSemaphore semaphore;
    final @Nullable HalException failure;
    final boolean isOver; // it has failed or is closed, which ends all waits for it
    final long value; // 0 if isOver

    private final List<Wait> waits = new ArrayList<>();
    private @Nullable Node waiter; // the last added operation, if it waits
    private long waiterValue; // the largest value that it waits for

    private final List<Promise> promises = new ArrayList<>();
    private int released; // how many waits, in order of their values, are known to end
    private long reach; // a value that it is known to reach

    private Line(TimelineSemaphore semaphore) {
      this.semaphore = semaphore;
      long now = 0;
      boolean over = false;
      try {
        now = semaphore.value();
      } catch (HalException e) {
        over = true;
      }
      this.failure = semaphore.failure();
      this.isOver = over || failure != null;
      this.value = now;
      this.reach = isOver ? Long.MAX_VALUE : now;
    }

    /**
     * Finds the promise that would end each wait: the smallest one that is large enough. If the
     * promising operation itself waits for as much on this timeline, its promise does not count,
     * because the wait ends before that operation begins. If no other operation has promised the
     * value, an operation that waits for its own signal is recorded as well.
     */
    private void findPromises() {
      Promise vain =
          promises.stream()
              .filter(Promise::isVain)
              .max(Comparator.comparingLong(Promise::value))
              .orElse(null);
      promises.sort(Comparator.comparingLong(Promise::after));
      waits.sort(Comparator.comparingLong(wait -> wait.value));
      PriorityQueue<Promise> usable = new PriorityQueue<>(Comparator.comparingLong(Promise::value));
      int next = 0;
      for (Wait wait : waits) {
        for (; next < promises.size() && promises.get(next).after < wait.value; next++) {
          usable.add(promises.get(next));
        }
        Promise nearest = usable.peek();
        while (nearest != null && nearest.value < wait.value) {
          usable.remove();
          nearest = usable.peek();
        }
        wait.promise = nearest;
        if (nearest == null && vain != null && vain.value >= wait.value) {
          wait.vainPromise = vain;
        }
      }
    }
  }

  /** An open wait of an operation. */
  static final class Wait {
    final Node node;
    final Line line;
    final long value;

    /** The promise that would end it, or null if no other operation has promised the value. */
    @Nullable Promise promise;

    /**
     * The promise of an operation that waits for its own signal, often the same operation, if no
     * other promise would end the wait. Null if there is none.
     */
    @Nullable Promise vainPromise;

    private Wait(Node node, Line line, long value) {
      this.node = node;
      this.line = line;
      this.value = value;
    }

    /** Returns whether no operation that can go on will end this wait. */
    boolean isStuck() {
      return line.reach < value;
    }

    /** Returns the stuck operation that this wait depends on, or null. */
    private @Nullable Node cause() {
      return promise == null || !isStuck() ? null : promise.node;
    }
  }

  /**
   * A value that an operation will signal.
   *
   * @param after the largest value of the same timeline that the operation waits for, or -1
   */
  record Promise(Node node, long value, long after) {
    /**
     * Returns whether the operation waits for its own signal, which therefore comes too late for
     * every wait.
     */
    boolean isVain() {
      return value <= after;
    }
  }

  /** An operation. */
  static final class Node {
    final OpenOperation operation;
    final List<Wait> waits = new ArrayList<>(1); // the waits that are not reached
    private int open; // how many of the waits are not known to end
    boolean isStuck = true;

    // For Tarjan's algorithm.
    private int index = -1;
    private int low;
    private boolean isOnStack;
    private int nextWait;
    private int place = -1; // position on the path that leads to a cycle

    private Node(OpenOperation operation) {
      this.operation = operation;
    }
  }

  private final List<Node> nodes;
  private final Map<TimelineSemaphore, Line> lines = new IdentityHashMap<>();
  private final List<List<Node>> cycles = new ArrayList<>();

  WaitGraph(List<OpenOperation> operations) {
    nodes = new ArrayList<>(operations.size());
    for (OpenOperation operation : operations) {
      Node node = new Node(operation);
      nodes.add(node);
      for (Timepoint wait : operation.waits()) {
        Line line = line(wait);
        if (!line.isOver && line.value < wait.value()) {
          Wait open = new Wait(node, line, wait.value());
          node.waits.add(open);
          line.waits.add(open);
          line.waiterValue =
              line.waiter == node ? Math.max(line.waiterValue, open.value) : open.value;
          line.waiter = node;
        }
      }
      node.open = node.waits.size();
      for (Timepoint signal : operation.signals()) {
        Line line = line(signal);
        long after = line.waiter == node ? line.waiterValue : -1;
        line.promises.add(new Promise(node, signal.value(), after));
      }
    }
    lines.values().forEach(Line::findPromises);
    findStuck();
    findCycles();
  }

  private Line line(Timepoint timepoint) {
    return lines.computeIfAbsent(timepoint.semaphore(), Line::new);
  }

  /** Returns all operations, in the order in which they were passed. */
  List<Node> nodes() {
    return nodes;
  }

  /** Returns all timelines that the operations wait for or signal, in no particular order. */
  Iterable<Line> lines() {
    return lines.values();
  }

  /**
   * Returns the cycles: operations of which each waits for the next one, and the last one for the
   * first.
   */
  List<List<Node>> cycles() {
    return cycles;
  }

  /**
   * Finds the operations that can go on, starting from those that wait for nothing; all others are
   * stuck.
   */
  private void findStuck() {
    ArrayDeque<Node> going = new ArrayDeque<>();
    for (Node node : nodes) {
      if (node.open == 0) {
        going.add(node);
      }
    }
    for (Node node = going.poll(); node != null; node = going.poll()) {
      node.isStuck = false;
      for (Timepoint signal : node.operation.signals()) {
        Line line = line(signal);
        line.reach = Math.max(line.reach, signal.value());
        for (; line.released < line.waits.size(); line.released++) {
          Wait wait = line.waits.get(line.released);
          if (wait.isStuck()) {
            break;
          }
          if (--wait.node.open == 0) {
            going.add(wait.node);
          }
        }
      }
    }
  }

  /**
   * Finds a cycle in each strongly connected component of stuck operations (Tarjan's algorithm with
   * an explicit stack). An edge leads to the operation with the nearest promise; operations that
   * promise a greater value are stuck as well. No operation has an edge to itself.
   */
  private void findCycles() {
    int[] count = {0};
    ArrayDeque<Node> path = new ArrayDeque<>();
    ArrayDeque<Node> component = new ArrayDeque<>();
    for (Node start : nodes) {
      if (!start.isStuck || start.index >= 0) {
        continue;
      }
      enter(start, count, path, component);
      while (!path.isEmpty()) {
        Node node = path.getLast();
        Node next = next(node);
        if (next == null) {
          path.removeLast();
          leave(node, component);
          if (!path.isEmpty()) {
            path.getLast().low = Math.min(path.getLast().low, node.low);
          }
        } else if (next.index < 0) {
          enter(next, count, path, component);
        } else if (next.isOnStack) {
          node.low = Math.min(node.low, next.index);
        }
      }
    }
    Collections.reverse(cycles); // those that were encountered first come first
  }

  private static void enter(
      Node node, int[] count, ArrayDeque<Node> path, ArrayDeque<Node> component) {
    node.index = count[0];
    node.low = count[0]++;
    node.isOnStack = true;
    path.addLast(node);
    component.addLast(node);
  }

  private static @Nullable Node next(Node node) {
    while (node.nextWait < node.waits.size()) {
      Node next = node.waits.get(node.nextWait++).cause();
      if (next != null) {
        return next;
      }
    }
    return null;
  }

  private void leave(Node node, ArrayDeque<Node> component) {
    if (node.low != node.index) {
      return;
    }
    List<Node> members = new ArrayList<>();
    Node member;
    do {
      member = component.removeLast();
      member.isOnStack = false;
      members.add(member);
    } while (member != node);
    if (members.size() > 1) {
      cycles.add(cycle(node, members));
    }
  }

  /** Returns a cycle among the members of one component. */
  private static List<Node> cycle(Node start, List<Node> members) {
    Set<Node> component = Collections.newSetFromMap(new IdentityHashMap<>());
    component.addAll(members);
    List<Node> way = new ArrayList<>();
    Node node = start;
    while (node.place < 0) {
      node.place = way.size();
      way.add(node);
      for (Wait wait : node.waits) {
        Node next = wait.cause();
        if (next != null && component.contains(next)) {
          node = next;
          break;
        }
      }
    }
    return way.subList(node.place, way.size());
  }

  /**
   * Returns the stuck waits for a value that no operation has promised, or, if {@code isVain}, that
   * was promised only by operations that wait for their own signal.
   */
  List<Wait> unpromised(boolean isVain) {
    List<Wait> found = new ArrayList<>();
    for (Node node : nodes) {
      for (Wait wait : node.waits) {
        if (wait.isStuck() && wait.promise == null && (wait.vainPromise != null) == isVain) {
          found.add(wait);
        }
      }
    }
    return found;
  }
}
