// SPDX-License-Identifier: Apache-2.0
package org.jhal;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A struct that is passed to a kernel by value; {@link StructType#value} makes it.
 *
 * <p>Its numbers are those of the type's scalars, in their order.
 *
 * <p>Immutable; any thread may use it.
 */
public final class StructValue {
  private final StructType type;
  private final Number[] numbers; // by scalar

  StructValue(StructType type, Object[] values) {
    this.type = type;
    List<Number> all = new ArrayList<>();
    for (Object value : Objects.requireNonNull(values, "values")) {
      if (value instanceof StructValue other) {
        all.addAll(List.of(other.numbers));
      } else if (isNumber(Objects.requireNonNull(value, "value"))) {
        all.add((Number) value);
      } else {
        throw new HalException(
            Status.INVALID_ARGUMENT,
            "a " + value.getClass().getName() + " among the numbers of " + type);
      }
    }
    if (all.size() != type.scalars()) {
      throw new HalException(
          Status.INVALID_ARGUMENT,
          type + " has " + type.scalars() + " scalars, not " + all.size() + ": " + all);
    }
    this.numbers = all.toArray(new Number[0]);
  }

  static boolean isNumber(Object value) {
    return value instanceof Byte
        || value instanceof Short
        || value instanceof Integer
        || value instanceof Long
        || value instanceof Float
        || value instanceof Double;
  }

  /** Returns the type. */
  public StructType type() {
    return type;
  }

  /**
   * Returns a scalar.
   *
   * @throws IndexOutOfBoundsException if there is no such scalar
   */
  public Number get(int scalar) {
    return numbers[scalar];
  }

  /**
   * Returns whether another value has an equal type and equal numbers. Integers are equal whatever
   * their Java types are, such as {@code 1} and {@code 1L}, and so are floating-point numbers.
   */
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof StructValue value
        && type.equals(value.type)
        && widened().equals(value.widened());
  }

  @Override
  public int hashCode() {
    return Objects.hash(type, widened());
  }

  /** The numbers, as the widest types of their kinds. */
  private List<Number> widened() {
    List<Number> all = new ArrayList<>();
    for (Number number : numbers) {
      boolean isFloat = number instanceof Float || number instanceof Double;
      all.add(isFloat ? (Number) number.doubleValue() : number.longValue());
    }
    return all;
  }

  @Override
  public String toString() {
    return type.name() + List.of(numbers);
  }
}
