// SPDX-License-Identifier: Apache-2.0
package org.jhal;

import java.util.Objects;

/**
 * The number of workgroups of a dispatch along each axis. If one is zero, nothing runs (rule M6).
 * Also used for the number of work items of a workgroup along each axis. Immutable.
 *
 * @param x along the first axis
 * @param y along the second axis
 * @param z along the third axis
 */
public record Workgroups(int x, int y, int z) {
  /**
   * Checks the numbers.
   *
   * @throws HalException OUT_OF_RANGE if one is negative
   */
  public Workgroups {
    if (x < 0 || y < 0 || z < 0) {
      throw new HalException(
          Status.OUT_OF_RANGE,
          "workgroups " + x + "," + y + "," + z + ": a count may not be negative");
    }
  }

  /**
   * Returns {@code x} workgroups along the first axis, and 1 along the others.
   *
   * @throws HalException OUT_OF_RANGE if {@code x} is not in {@code [0, Integer.MAX_VALUE]}
   */
  public static Workgroups of(long x) {
    if (x < 0 || x > Integer.MAX_VALUE) {
      throw new HalException(
          Status.OUT_OF_RANGE, "workgroups " + x + ": a count is from 0 to " + Integer.MAX_VALUE);
    }
    return new Workgroups((int) x, 1, 1);
  }

  /**
   * Returns {@code x} times {@code y} workgroups along the first two axes, and 1 along the third.
   *
   * @throws HalException OUT_OF_RANGE if one is negative
   */
  public static Workgroups of(int x, int y) {
    return new Workgroups(x, y, 1);
  }

  /**
   * Returns enough workgroups of {@code groupSize} items to cover {@code items} items, along one
   * axis.
   *
   * @throws HalException OUT_OF_RANGE if {@code items} is negative, {@code groupSize} is less than
   *     1, or more than {@code Integer.MAX_VALUE} workgroups are needed
   */
  public static Workgroups covering(long items, int groupSize) {
    if (items < 0 || groupSize <= 0) {
      throw new HalException(
          Status.OUT_OF_RANGE,
          items + " items in groups of " + groupSize + ": need items >= 0 and a group size >= 1");
    }
    return of(items / groupSize + (items % groupSize == 0 ? 0 : 1));
  }

  /**
   * Returns enough workgroups of {@code size} to cover these numbers of items along the three axes.
   *
   * @param size the number of items of a workgroup along each axis, such as {@link
   *     Kernel#workgroupSize}; at least 1 each
   * @throws HalException OUT_OF_RANGE if a number of items is negative, a size is less than 1, or
   *     more than {@code Integer.MAX_VALUE} workgroups are needed along an axis
   */
  public static Workgroups covering(long itemsX, long itemsY, long itemsZ, Workgroups size) {
    Objects.requireNonNull(size, "size");
    return new Workgroups(
        covering(itemsX, size.x).x, covering(itemsY, size.y).x, covering(itemsZ, size.z).x);
  }

  /** Returns whether nothing would run. */
  public boolean isEmpty() {
    return x == 0 || y == 0 || z == 0;
  }

  /** Returns {@code x,y,z}, the form that options of {@code hal run} accept. */
  @Override
  public String toString() {
    return x + "," + y + "," + z;
  }
}
