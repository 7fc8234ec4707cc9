// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.timeline;

import java.util.Arrays;
import org.jhal.engine.concurrent.PairingHeap;
import org.jspecify.annotations.Nullable;

/**
 * What a semaphore holds for the devices that share events, a domain: their waiters, and their
 * issued operations that will raise the value. Those in the lane of the host are completed by a
 * host thread behind their events.
 *
 * <p>All of it is guarded by the semaphore's lock.
 */
final class SemaphoreLane {
  private static final Producer[] NO_OPERATIONS = {};

  /** The domain's token, compared by identity; null for the lane of the host. */
  final @Nullable Object domain;

  final PairingHeap<WaitNode> waiters = new PairingHeap<>();

  // Published operations, sorted by value, in [first, end) of both arrays. There are at most as
  // many as the devices have in flight.
  private long[] values = {};
  private @Nullable Producer[] operations = NO_OPERATIONS;
  private int first;
  private int end;

  SemaphoreLane(@Nullable Object domain) {
    this.domain = domain;
  }

  boolean isEmpty() {
    return first == end && waiters.isEmpty();
  }

  /**
   * The operation with the smallest value that is at least {@code wanted}, or null. Found by binary
   * search.
   */
  @Nullable Producer covering(long wanted) {
    int place = place(wanted);
    return place < 0 ? null : operations[place];
  }

  /** The value of the operation that {@link #covering} finds; if there is none, the largest one. */
  long nearest(long wanted) {
    int place = place(wanted);
    return place < 0 ? Long.MAX_VALUE : values[place];
  }

  private int place(long wanted) {
    if (first == end || values[end - 1] < wanted) {
      return -1;
    }
    int low = first;
    int high = end - 1;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (values[middle] < wanted) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /**
   * Inserts an operation behind those with the same value. Values mostly arrive in order, so the
   * search starts at the end.
   */
  void addEvent(long value, Producer operation) {
    if (end == values.length) {
      makeRoom();
    }
    int place = end;
    while (place > first && values[place - 1] > value) {
      values[place] = values[place - 1];
      operations[place] = operations[place - 1];
      place--;
    }
    values[place] = value;
    operations[place] = operation;
    end++;
  }

  /** Removes all operations with a value up to {@code value}. */
  void dropEvents(long value) {
    while (first < end && values[first] <= value) {
      operations[first++] = null;
    }
    if (first == end) {
      first = 0;
      end = 0;
    }
  }

  private void makeRoom() {
    int count = end - first;
    if (first >= 8 && first >= count) {
      System.arraycopy(values, first, values, 0, count);
      System.arraycopy(operations, first, operations, 0, count);
      Arrays.fill(operations, count, end, null);
    } else {
      int capacity = Math.max(8, 2 * count);
      long[] newValues = new long[capacity];
      @Nullable Producer[] newOperations = new Producer[capacity];
      System.arraycopy(values, first, newValues, 0, count);
      System.arraycopy(operations, first, newOperations, 0, count);
      values = newValues;
      operations = newOperations;
    }
    first = 0;
    end = count;
  }
}
