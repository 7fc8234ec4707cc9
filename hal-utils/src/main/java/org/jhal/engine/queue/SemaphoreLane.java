package org.jhal.engine.queue;

import java.util.Arrays;
import org.jhal.engine.concurrent.PairingHeap;
import org.jspecify.annotations.Nullable;

/**
 * What a semaphore keeps for one device: who of that device waits for a host signal or an event,
 * and which of its issued operations will raise the value. The lane of the host has waiters only.
 *
 * <p>Guarded by the semaphore's lock, as a whole.
 */
final class SemaphoreLane {
  private static final Operation<?>[] NO_OPERATIONS = {};

  /**
   * The device's token, compared by identity; null for host waiters. Not the device: semaphores
   * outlive devices.
   */
  final @Nullable Object domain;

  final PairingHeap<WaitNode> waiters = new PairingHeap<>();

  // Published events, sorted by value, in [first, end) of both arrays. At most the device's
  // operations in flight.
  private long[] values = {};
  private @Nullable Operation<?>[] operations = NO_OPERATIONS;
  private int first;
  private int end;

  SemaphoreLane(@Nullable Object domain) {
    this.domain = domain;
  }

  boolean isEmpty() {
    return first == end && waiters.isEmpty();
  }

  /** The operation with the smallest value that is at least {@code wanted}, or null. */
  @Nullable Operation<?> covering(long wanted) {
    if (first == end || values[end - 1] < wanted) {
      return null;
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
    return operations[low];
  }

  /**
   * Adds an event, behind those of the same value. Values mostly come in order, so the place is
   * found from the end.
   */
  void addEvent(long value, Operation<?> operation) {
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

  /** Hands the references of all events with a value up to {@code value} to the cascade. */
  void dropEvents(long value, Cascade cascade) {
    while (first < end && values[first] <= value) {
      Operation<?> operation = operations[first];
      operations[first++] = null;
      if (operation != null) {
        cascade.addDropped(operation);
      }
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
      @Nullable Operation<?>[] newOperations = new Operation<?>[capacity];
      System.arraycopy(values, first, newValues, 0, count);
      System.arraycopy(operations, first, newOperations, 0, count);
      values = newValues;
      operations = newOperations;
    }
    first = 0;
    end = count;
  }
}
