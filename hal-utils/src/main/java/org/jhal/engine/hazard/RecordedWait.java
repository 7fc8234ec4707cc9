// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.hazard;

import org.jspecify.annotations.Nullable;

/** A wait of a recorded operation for a value. */
final class RecordedWait implements Comparable<RecordedWait> {
  final RecordedOperation operation;
  final TimelineOrder timeline;
  final long value;
  final boolean isReached; // when it was recorded
  final @Nullable RecordedWait next; // of the same operation

  RecordedWait(
      RecordedOperation operation,
      TimelineOrder timeline,
      long value,
      boolean isReached,
      @Nullable RecordedWait next) {
    this.operation = operation;
    this.timeline = timeline;
    this.value = value;
    this.isReached = isReached;
    this.next = next;
  }

  @Override
  public int compareTo(RecordedWait other) {
    return Long.compare(value, other.value);
  }
}
