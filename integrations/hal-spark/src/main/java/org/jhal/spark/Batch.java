// SPDX-License-Identifier: Apache-2.0
package org.jhal.spark;

import java.util.ArrayList;
import java.util.List;
import org.jhal.HostMemory;
import org.jspecify.annotations.Nullable;

/** Parts of items that one dispatch computes. */
final class Batch {
  /** Elements of an item. */
  record Piece(BatchItem item, int from, int length) {}

  private final List<Piece> pieces = new ArrayList<>();
  private final List<HostMemory> memory = new ArrayList<>();
  private @Nullable BatchSlot slot;
  private int count;

  void add(Piece piece) {
    pieces.add(piece);
    count += piece.length();
  }

  List<Piece> pieces() {
    return pieces;
  }

  /** How many elements it has. */
  int count() {
    return count;
  }

  /** The slot that it uses; null if it needs none. */
  @Nullable BatchSlot slot() {
    return slot;
  }

  void setSlot(BatchSlot used) {
    slot = used;
  }

  /** The memory that its transfers have borrowed. */
  List<HostMemory> memory() {
    return memory;
  }

  HostMemory borrow(Object array, int from) {
    HostMemory borrowed = PrimitiveArray.memory(array, from, count);
    memory.add(borrowed);
    return borrowed;
  }
}
