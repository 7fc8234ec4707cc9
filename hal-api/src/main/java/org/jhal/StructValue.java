package org.jhal;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A struct that is passed to a kernel by value; {@link StructType#value} makes it. A kernel in Java
 * gets its struct parameters as such values.
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
   * Returns a scalar that is an integer of at most 32 bits.
   *
   * @throws IndexOutOfBoundsException if there is no such scalar
   * @throws IllegalArgumentException if it has another type
   */
  public int i32(int scalar) {
    ElementType element = type.field(scalar).type();
    if (isFloat(element) || element.bytes() > 4) {
      throw isNot(scalar, "an integer of at most 32 bits");
    }
    return numbers[scalar].intValue();
  }

  /**
   * Returns a scalar that is an integer.
   *
   * @throws IndexOutOfBoundsException if there is no such scalar
   * @throws IllegalArgumentException if it has another type
   */
  public long i64(int scalar) {
    if (isFloat(type.field(scalar).type())) {
      throw isNot(scalar, "an integer");
    }
    return numbers[scalar].longValue();
  }

  /**
   * Returns a scalar of the type {@code f32}, {@code f16} or {@code bf16}.
   *
   * @throws IndexOutOfBoundsException if there is no such scalar
   * @throws IllegalArgumentException if it has another type
   */
  public float f32(int scalar) {
    ElementType element = type.field(scalar).type();
    if (!isFloat(element) || element == ElementType.F64) {
      throw isNot(scalar, "an f32, f16 or bf16");
    }
    return numbers[scalar].floatValue();
  }

  /**
   * Returns a scalar of any floating-point type.
   *
   * @throws IndexOutOfBoundsException if there is no such scalar
   * @throws IllegalArgumentException if it has another type
   */
  public double f64(int scalar) {
    if (!isFloat(type.field(scalar).type())) {
      throw isNot(scalar, "a floating-point number");
    }
    return numbers[scalar].doubleValue();
  }

  private static boolean isFloat(ElementType element) {
    return switch (element) {
      case F16, BF16, F32, F64 -> true;
      default -> false;
    };
  }

  private IllegalArgumentException isNot(int scalar, String wanted) {
    StructType.Field field = type.field(scalar);
    return new IllegalArgumentException(
        "field '"
            + field.name()
            + "' of "
            + type
            + " is "
            + field.type().label()
            + ", not "
            + wanted);
  }

  /** Returns whether another value has an equal type and equal numbers. */
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof StructValue value
        && type.equals(value.type)
        && List.of(numbers).equals(List.of(value.numbers));
  }

  @Override
  public int hashCode() {
    return Objects.hash(type, List.of(numbers));
  }

  @Override
  public String toString() {
    return type.name() + List.of(numbers);
  }
}
