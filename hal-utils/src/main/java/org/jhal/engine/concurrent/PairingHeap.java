// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.concurrent;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A priority queue whose links are in its nodes. Insertion takes O(1), removal of the smallest or
 * any other node O(log n) amortised. Nothing is allocated, and nothing is recursive (rules K1, K2).
 *
 * <p>Nodes mostly arrive in order. A node that does is not put into the heap but appended to a
 * sorted list beside it, the <em>run</em>, where insertion and removal take O(1).
 *
 * <p>Not thread-safe; the owner guards it.
 */
public final class PairingHeap<N extends HeapNode> {
  private @Nullable HeapNode root;
  private @Nullable HeapNode firstInRun; // the sorted list, linked by next and previous
  private @Nullable HeapNode lastInRun;

  public boolean isEmpty() {
    return root == null && firstInRun == null;
  }

  /** Returns the smallest node, or null if there is none. */
  @SuppressWarnings("unchecked") // only insert() adds nodes
  public @Nullable N min() {
    HeapNode inRun = firstInRun;
    HeapNode inHeap = root;
    return (N) (inHeap == null || (inRun != null && isBefore(inRun, inHeap)) ? inRun : inHeap);
  }

  /**
   * Adds a node that is in no heap. Its key and sequence stay unchanged while it is in this one.
   */
  public void insert(N node) {
    if (node.heap != null) {
      throw new IllegalStateException("node is already in a heap");
    }
    node.heap = this;
    HeapNode last = lastInRun;
    if (last == null || isBefore(last, node)) {
      node.isInRun = true;
      node.previous = last;
      lastInRun = node;
      if (last == null) {
        firstInRun = node;
      } else {
        last.next = node;
      }
    } else {
      root = root == null ? node : link(root, node);
    }
  }

  /** Removes and returns the smallest node, or returns null if there is none. */
  public @Nullable N removeMin() {
    N smallest = min();
    if (smallest != null) {
      remove(smallest);
    }
    return smallest;
  }

  /** Removes {@code node}, which must be in this heap. */
  public void remove(N node) {
    if (node.heap != this) {
      throw new IllegalStateException("node is not in this heap");
    }
    if (node.isInRun) {
      removeFromRun(node);
    } else {
      removeFromHeap(node);
    }
    node.heap = null;
    node.child = null;
    node.next = null;
    node.previous = null;
  }

  private void removeFromRun(HeapNode node) {
    node.isInRun = false;
    if (node.previous == null) {
      firstInRun = node.next;
    } else {
      node.previous.next = node.next;
    }
    if (node.next == null) {
      lastInRun = node.previous;
    } else {
      node.next.previous = node.previous;
    }
  }

  private void removeFromHeap(HeapNode node) {
    HeapNode orphans = mergePairs(node.child);
    if (node == root) {
      root = orphans;
      return;
    }
    HeapNode before = Objects.requireNonNull(node.previous);
    if (before.child == node) {
      before.child = node.next;
    } else {
      before.next = node.next;
    }
    if (node.next != null) {
      node.next.previous = before;
    }
    if (orphans != null) {
      root = link(Objects.requireNonNull(root), orphans);
    }
  }

  private static boolean isBefore(HeapNode a, HeapNode b) {
    return a.key < b.key || (a.key == b.key && a.sequence < b.sequence);
  }

  /** Makes the larger of two roots the first child of the smaller one, and returns the latter. */
  private static HeapNode link(HeapNode a, HeapNode b) {
    HeapNode parent = isBefore(a, b) ? a : b;
    HeapNode loser = parent == a ? b : a;
    loser.next = parent.child;
    if (loser.next != null) {
      loser.next.previous = loser;
    }
    loser.previous = parent;
    parent.child = loser;
    parent.next = null;
    parent.previous = null;
    return parent;
  }

  /**
   * The two passes of a pairing heap: links siblings in pairs from left to right, and then merges
   * the pairs from right to left.
   */
  private static @Nullable HeapNode mergePairs(@Nullable HeapNode first) {
    HeapNode pairs = null; // a stack of linked pairs, chained by next
    HeapNode rest = first;
    while (rest != null) {
      HeapNode a = rest;
      HeapNode b = a.next;
      rest = b == null ? null : b.next;
      a.next = null;
      a.previous = null;
      HeapNode pair = a;
      if (b != null) {
        b.next = null;
        b.previous = null;
        pair = link(a, b);
      }
      pair.next = pairs;
      pairs = pair;
    }
    HeapNode merged = null;
    while (pairs != null) {
      HeapNode pair = pairs;
      pairs = pair.next;
      pair.next = null;
      merged = merged == null ? pair : link(merged, pair);
    }
    return merged;
  }
}
