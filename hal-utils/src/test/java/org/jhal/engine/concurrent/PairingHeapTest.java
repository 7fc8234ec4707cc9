// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.concurrent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.jhal.engine.queue.Threads;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Compares the heap with a sorted set, and runs a million nodes on a small stack. */
class PairingHeapTest {
  private static final Comparator<Node> ORDER =
      Comparator.<Node>comparingLong(node -> node.key).thenComparingLong(node -> node.sequence);

  private static final class Node extends HeapNode {
    Node(long key, long sequence) {
      this.key = key;
      this.sequence = sequence;
    }

    @Override
    public String toString() {
      return key + "/" + sequence;
    }
  }

  private final PairingHeap<Node> heap = new PairingHeap<>();

  @Test
  void anEmptyHeapHasNothing() {
    assertTrue(heap.isEmpty());
    assertNull(heap.min());
    assertNull(heap.removeMin());
  }

  @Test
  void smallerKeysComeFirstAndAmongEqualsTheSmallerSequence() {
    Node[] nodes = {new Node(2, 0), new Node(1, 1), new Node(2, -1), new Node(1, 0)};
    for (Node node : nodes) {
      heap.insert(node);
    }
    assertEquals(List.of(nodes[3], nodes[1], nodes[2], nodes[0]), drain());
  }

  @Test
  void keysAreComparedOverTheWholeRange() {
    Node[] nodes = {new Node(Long.MAX_VALUE, 0), new Node(Long.MIN_VALUE, 0), new Node(0, 0)};
    for (Node node : nodes) {
      heap.insert(node);
    }
    assertEquals(List.of(nodes[1], nodes[2], nodes[0]), drain());
  }

  @Test
  void aNodeIsInOneHeapAtATime() {
    Node node = new Node(1, 0);
    heap.insert(node);
    PairingHeap<Node> other = new PairingHeap<>();
    assertThrows(IllegalStateException.class, () -> heap.insert(node));
    assertThrows(IllegalStateException.class, () -> other.insert(node));
    assertThrows(IllegalStateException.class, () -> other.remove(node));
    heap.remove(node);
    assertThrows(IllegalStateException.class, () -> heap.remove(node));
    other.insert(node);
    assertSame(node, other.min());
  }

  @Test
  void aRemovedNodeReferencesNoOther() {
    List<Node> nodes = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      nodes.add(new Node(i % 7, i));
      heap.insert(nodes.get(i));
    }
    heap.removeMin();
    Collections.shuffle(nodes, new Random(3));
    for (Node node : nodes) {
      if (node.heap != null) {
        heap.remove(node);
      }
      assertNull(node.child);
      assertNull(node.next);
      assertNull(node.previous);
      assertNull(node.heap);
    }
    assertTrue(heap.isEmpty());
  }

  /** Insertions and removals of the smallest or any node match a sorted set. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void behavesAsASortedSet(long seed) {
    Random random = new Random(seed);
    int keys = 1 + random.nextInt(200); // few keys make many ties
    int bias = 30 + random.nextInt(40); // how often to insert
    int rise = seed % 2 == 0 ? 0 : 1 + random.nextInt(10); // to which degree keys arrive in order
    TreeSet<Node> model = new TreeSet<>(ORDER);
    List<Node> in = new ArrayList<>();
    List<Node> out = new ArrayList<>();
    for (int step = 0; step < 20_000; step++) {
      int dice = random.nextInt(100);
      if (dice < bias || in.isEmpty()) {
        Node node = out.isEmpty() || dice % 2 == 0 ? new Node(0, 0) : out.remove(out.size() - 1);
        node.key = random.nextInt(keys) + (long) rise * step;
        node.sequence = step;
        heap.insert(node);
        model.add(node);
        in.add(node);
      } else if (dice % 3 == 0) {
        Node smallest = heap.removeMin();
        assertSame(model.pollFirst(), smallest, "step " + step);
        in.remove(smallest);
        out.add(smallest);
      } else {
        Node any = in.remove(random.nextInt(in.size()));
        heap.remove(any);
        model.remove(any);
        out.add(any);
      }
      assertSame(model.isEmpty() ? null : model.first(), heap.min(), "step " + step);
    }
    assertEquals(new ArrayList<>(model), drain());
  }

  /** Heaps shaped like a list or a star must not be handled recursively. */
  @ParameterizedTest
  @ValueSource(strings = {"rising", "falling", "random"})
  void manyNodesNeedNoStack(String order) {
    Threads.onSmallStack(() -> drainMany(order, 100_000));
  }

  private void drainMany(String order, int count) {
    Random random = new Random(11);
    Node[] nodes = new Node[count];
    for (int i = 0; i < count; i++) {
      long key =
          switch (order) {
            case "rising" -> i;
            case "falling" -> -i;
            default -> random.nextInt();
          };
      nodes[i] = new Node(key, i);
      heap.insert(nodes[i]);
    }
    for (int i = 0; i < count; i += 2) { // half of them from anywhere
      heap.remove(nodes[i]);
    }
    Node before = null;
    int left = 0;
    for (Node node = heap.removeMin(); node != null; node = heap.removeMin()) {
      assertTrue(before == null || ORDER.compare(before, node) < 0);
      before = node;
      left++;
    }
    assertEquals(count / 2, left);
  }

  private List<Node> drain() {
    List<Node> nodes = new ArrayList<>();
    for (Node node = heap.removeMin(); node != null; node = heap.removeMin()) {
      nodes.add(node);
    }
    return nodes;
  }
}
