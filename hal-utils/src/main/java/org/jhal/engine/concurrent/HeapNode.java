package org.jhal.engine.concurrent;

import org.jspecify.annotations.Nullable;

/**
 * What a {@link PairingHeap} holds: a key, a tie-break, and the links, so that being in a heap
 * allocates nothing. A node is in at most one heap at a time. All fields belong to whoever guards
 * that heap.
 */
public abstract class HeapNode {
  public long key; // smaller comes first
  public long sequence; // breaks ties: smaller comes first; unique within a heap
  public @Nullable PairingHeap<?> heap; // where it is now
  boolean isInRun; // there, in the sorted list: next and previous are its neighbours
  @Nullable HeapNode child; // its first child
  @Nullable HeapNode next; // its next sibling
  @Nullable HeapNode previous; // its previous sibling, or its parent if it is the first child
}
