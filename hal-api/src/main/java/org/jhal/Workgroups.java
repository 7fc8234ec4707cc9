package org.jhal;

import java.util.Objects;

/**
 * How many workgroups a dispatch runs along each axis. A zero anywhere means that nothing runs
 * (rule M6).
 *
 * @param x along the first axis
 * @param y along the second
 * @param z along the third
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
   * {@code x} workgroups along the first axis, 1 along the others.
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

  /** {@code x} times {@code y} workgroups along the first two axes, 1 along the third. */
  public static Workgroups of(int x, int y) {
    return new Workgroups(x, y, 1);
  }

  /**
   * Enough workgroups of {@code groupSize} items to cover {@code items} items, along one axis.
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
   * Enough workgroups of {@code size} to cover that many items along each axis.
   *
   * @param size how many items a workgroup has along each axis, such as {@link
   *     Kernel#workgroupSize}; at least 1 each
   * @throws HalException OUT_OF_RANGE if a number of items is negative, a size is less than 1, or
   *     more than {@code Integer.MAX_VALUE} workgroups are needed along an axis
   */
  public static Workgroups covering(long itemsX, long itemsY, long itemsZ, Workgroups size) {
    Objects.requireNonNull(size, "size");
    return new Workgroups(
        covering(itemsX, size.x).x, covering(itemsY, size.y).x, covering(itemsZ, size.z).x);
  }

  /** Whether nothing would run. */
  public boolean isEmpty() {
    return x == 0 || y == 0 || z == 0;
  }

  /** {@code x,y,z}, as the options of {@code hal run} take it. */
  @Override
  public String toString() {
    return x + "," + y + "," + z;
  }
}
