// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli.data;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.jhal.HalException;
import org.jhal.Status;

/**
 * The number of elements of an array along each dimension, the slowest first (C order). Without
 * dimensions it is a single element.
 *
 * @param dimensions each at least 0
 */
public record Shape(List<Long> dimensions) {
  /**
   * Copies the list.
   *
   * @throws HalException OUT_OF_RANGE if a dimension is negative, or there are more than {@link
   *     Long#MAX_VALUE} elements
   */
  public Shape {
    dimensions = List.copyOf(dimensions);
    for (long dimension : dimensions) {
      if (dimension < 0) {
        throw new HalException(
            Status.OUT_OF_RANGE, "shape " + text(dimensions) + ": a dimension may not be negative");
      }
    }
    product(dimensions);
  }

  /** A shape of these dimensions. */
  public static Shape of(long... dimensions) {
    return new Shape(Arrays.stream(dimensions).boxed().toList());
  }

  /**
   * Parses text such as {@code 480,640,3}.
   *
   * @throws HalException INVALID_ARGUMENT if it has another form; OUT_OF_RANGE as the constructor
   */
  public static Shape parse(String text) {
    try {
      return new Shape(Arrays.stream(text.split(",", -1)).map(Long::valueOf).toList());
    } catch (NumberFormatException e) {
      throw new HalException(
          Status.INVALID_ARGUMENT,
          "shape '" + text + "' is not a list of integers such as 480,640,3");
    }
  }

  /** The number of dimensions. */
  public int rank() {
    return dimensions.size();
  }

  /** The number of elements. */
  public long elements() {
    return product(dimensions);
  }

  /**
   * The number of bytes of an array with elements of {@code elementBytes} bytes.
   *
   * @throws HalException OUT_OF_RANGE if there are more than {@link Long#MAX_VALUE}
   */
  public long bytes(int elementBytes) {
    try {
      return Math.multiplyExact(elements(), elementBytes);
    } catch (ArithmeticException e) {
      throw tooLarge(dimensions);
    }
  }

  private static long product(List<Long> dimensions) {
    if (dimensions.contains(0L)) {
      return 0;
    }
    long product = 1;
    try {
      for (long dimension : dimensions) {
        product = Math.multiplyExact(product, dimension);
      }
    } catch (ArithmeticException e) {
      throw tooLarge(dimensions);
    }
    return product;
  }

  private static HalException tooLarge(List<Long> dimensions) {
    return new HalException(
        Status.OUT_OF_RANGE,
        "shape " + text(dimensions) + " is too large: its size does not fit into 63 bits");
  }

  private static String text(List<Long> dimensions) {
    return dimensions.isEmpty()
        ? "()"
        : dimensions.stream().map(String::valueOf).collect(Collectors.joining(","));
  }

  /** The form that {@link #parse} takes. */
  @Override
  public String toString() {
    return text(dimensions);
  }
}
