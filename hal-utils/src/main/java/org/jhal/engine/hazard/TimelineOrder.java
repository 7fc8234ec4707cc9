// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.hazard;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.PriorityQueue;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * What comes before the values of one timeline. Any signal of a value or of one above it may be the
 * one that raises the timeline, so what comes before a value is what comes before all of these.
 * Guarded by the record's lock.
 */
public final class TimelineOrder {
  /**
   * How many values are kept. A wait for an older one counts as a wait for the oldest that is kept,
   * which may hide a hazard, and reports none that is not there.
   */
  private static final int MOST = 1 << 16;

  private volatile String name; // of the semaphore
  private long[] values = new long[4]; // ascending, from `first` on
  private Clock[] clocks = new Clock[4];
  private int first;
  private int end;

  // Waits for values that nothing recorded signals: those that came in ascending order, as most do,
  // and the others.
  private @Nullable ArrayDeque<RecordedWait> open;
  private @Nullable PriorityQueue<RecordedWait> openOthers;

  private Clock failed = Clock.NONE; // operations that have failed it, and what comes before them

  public TimelineOrder(String name) {
    this.name = name;
  }

  /** For any thread. */
  public void setName(String given) {
    name = given;
  }

  /** The name of the semaphore, for people. */
  @Override
  public String toString() {
    return name;
  }

  /** What comes before a value; null if nothing recorded signals it. */
  @Nullable Clock before(long value) {
    int index = ceiling(value);
    return index == end ? null : clocks[index];
  }

  /** The host has seen the value, so what comes before it is observed. */
  void observed(long value) {
    Clock clock = before(value);
    if (clock == null) {
      return;
    }
    clock.observe();
    int kept = ceiling(value);
    // The value itself is kept: later waits for it find that it is signalled.
    Arrays.fill(clocks, first, kept, null);
    first = kept;
  }

  /** An operation that ends {@code clock} has failed it. */
  void fail(Clock clock) {
    failed = failed.union(clock);
  }

  void observedFailure() {
    failed.observeFailed();
    failed = Clock.NONE;
  }

  /** Something that follows {@code clock} signals the value. */
  void signal(long value, Clock clock) {
    int index = ceiling(value);
    Clock lowest = index == end ? clock : clock.intersection(clocks[index]);
    if (index < end && values[index] == value) {
      clocks[index] = lowest;
    } else {
      insert(index, value, lowest);
      index = ceiling(value);
    }
    for (int i = index - 1; i >= first && !lowest.includes(clocks[i]); i--) {
      clocks[i] = clocks[i].intersection(lowest);
    }
  }

  private int ceiling(long value) {
    if (end > first && values[end - 1] < value) {
      return end; // the most frequent case
    }
    int index = Arrays.binarySearch(values, first, end, value);
    return index < 0 ? -index - 1 : index;
  }

  private void insert(int index, long value, Clock clock) {
    int at = index;
    if (end - first == MOST) {
      clocks[first++] = Clock.NONE;
      if (at < first) {
        return; // older than all that are kept
      }
    }
    if (end == values.length) {
      int size = end - first;
      int capacity = size > values.length / 2 ? 2 * values.length : values.length;
      long[] newValues = new long[capacity];
      Clock[] newClocks = new Clock[capacity];
      System.arraycopy(values, first, newValues, 0, size);
      System.arraycopy(clocks, first, newClocks, 0, size);
      values = newValues;
      clocks = newClocks;
      at -= first;
      first = 0;
      end = size;
    }
    System.arraycopy(values, at, values, at + 1, end - at);
    System.arraycopy(clocks, at, clocks, at + 1, end - at);
    values[at] = value;
    clocks[at] = clock;
    end++;
  }

  void addOpen(RecordedWait wait) {
    if (open == null) {
      open = new ArrayDeque<>(4);
    }
    RecordedWait last = open.peekLast();
    if (last == null || last.value <= wait.value) {
      open.add(wait);
    } else {
      if (openOthers == null) {
        openOthers = new PriorityQueue<>(4);
      }
      openOthers.add(wait);
    }
  }

  /** Removes and returns an open wait for at most {@code value}; null if there is none. */
  @Nullable RecordedWait pollOpen(long value) {
    RecordedWait next = pollUpTo(open, value);
    return next == null ? pollUpTo(openOthers, value) : next;
  }

  private static @Nullable RecordedWait pollUpTo(@Nullable Queue<RecordedWait> waits, long value) {
    RecordedWait next = waits == null ? null : waits.peek();
    if (waits == null || next == null || next.value > value) {
      return null;
    }
    waits.remove();
    return next;
  }
}
