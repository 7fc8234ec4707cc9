// SPDX-License-Identifier: Apache-2.0
package org.jhal;

import java.util.Objects;

/**
 * A value on a semaphore's timeline. It is reached once the semaphore's value is at least {@link
 * #value()}.
 *
 * <p>{@link TimelineSemaphore#at(long)} creates one. Immutable; any thread may use it.
 */
public final class Timepoint implements Fence {
  private final TimelineSemaphore semaphore;
  private final long value;

  /**
   * Creates a timepoint of {@code semaphore}.
   *
   * @param value in {@code [0, Long.MAX_VALUE]}
   * @throws HalException OUT_OF_RANGE if {@code value} is negative
   */
  public Timepoint(TimelineSemaphore semaphore, long value) {
    this.semaphore = Objects.requireNonNull(semaphore, "semaphore");
    if (value < 0) {
      throw new HalException(
          Status.OUT_OF_RANGE, "timepoint value " + value + " of " + semaphore + " is negative");
    }
    this.value = value;
  }

  /** Returns the timeline that this timepoint lies on. */
  public TimelineSemaphore semaphore() {
    return semaphore;
  }

  /** Returns the value that must be reached. */
  public long value() {
    return value;
  }

  @Override
  public int size() {
    return 1;
  }

  @Override
  public TimelineSemaphore semaphore(int index) {
    Objects.checkIndex(index, 1);
    return semaphore;
  }

  @Override
  public long value(int index) {
    Objects.checkIndex(index, 1);
    return value;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Timepoint t && t.semaphore == semaphore && t.value == value;
  }

  @Override
  public int hashCode() {
    return 31 * System.identityHashCode(semaphore) + Long.hashCode(value);
  }

  @Override
  public String toString() {
    return semaphore + "@" + value;
  }
}
