// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.concurrent;

import org.jspecify.annotations.Nullable;

/**
 * A node of a {@link PairingHeap}: a key, a sequence number that breaks ties, and links, so that
 * inserting it allocates nothing. A node is in at most one heap at a time. All fields are guarded
 * by the owner of that heap.
 */
public abstract class HeapNode {
  public long key; // smaller comes first
  public long sequence; // breaks ties: smaller comes first; unique within a heap
  public @Nullable PairingHeap<?> heap; // the heap that contains it, or null
  boolean isInRun; // whether it is in that heap's sorted list, where next and previous link it
  @Nullable HeapNode child; // its first child
  @Nullable HeapNode next; // its next sibling
  @Nullable HeapNode previous; // its previous sibling, or its parent if it is the first child
}
