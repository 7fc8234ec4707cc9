package org.jhal.engine.concurrent;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A priority queue whose links live in its nodes: insert in O(1), take the smallest or any other in
 * O(log n) amortised, nothing allocated, nothing recursive (rules K1, K2).
 *
 * <p>Nodes mostly come in order. Those that do are not in the heap but in a sorted list beside it,
 * where everything is O(1) and nothing is compared but the two ends.
 *
 * <p>Not thread-safe; its owner guards it.
 */
public final class PairingHeap<N extends HeapNode> {
  private @Nullable HeapNode root;
  private @Nullable HeapNode firstInRun; // the sorted list, linked by next and previous
  private @Nullable HeapNode lastInRun;

  public boolean isEmpty() {
    return root == null && firstInRun == null;
  }

  /** The smallest node, or null if there is none. */
  @SuppressWarnings("unchecked") // only insert() adds nodes
  public @Nullable N min() {
    HeapNode inRun = firstInRun;
    HeapNode inHeap = root;
    return (N) (inHeap == null || (inRun != null && isBefore(inRun, inHeap)) ? inRun : inHeap);
  }

  /** Adds a node that is in no heap. Its key and sequence stay as they are while it is in. */
  public void insert(N node) {
    if (node.heap != null) {
      throw new IllegalStateException("node is in a heap already");
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

  /** Takes the smallest node out, or returns null if there is none. */
  public @Nullable N removeMin() {
    N smallest = min();
    if (smallest != null) {
      remove(smallest);
    }
    return smallest;
  }

  /** Takes {@code node} out; it must be in this heap. */
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

  /** Makes the larger of two roots the first child of the smaller, which is returned. */
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
   * The two passes of a pairing heap: links siblings in pairs from left to right, then the pairs
   * from right to left.
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
