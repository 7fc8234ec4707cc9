// SPDX-License-Identifier: Apache-2.0
package org.jhal;

import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The arguments of a dispatch, in the order of the kernel's parameters: a {@link BufferRef} for
 * each buffer, a number for each constant, and a {@link StructValue} for each struct. They are
 * checked against the kernel when they are used: INVALID_ARGUMENT for a number of the wrong kind,
 * OUT_OF_RANGE for one that does not fit into the parameter's type.
 *
 * <table>
 *   <caption>Numbers that a constant accepts</caption>
 *   <tr><th>type of the constant</th><th>number</th><th>values</th></tr>
 *   <tr><td>i8, i16, i32, i64</td><td>Byte, Short, Integer or Long</td><td>those that fit</td></tr>
 *   <tr><td>u8, u16, u32</td><td>Byte, Short, Integer or Long</td><td>those that fit, so no
 *       negative ones: a u32 of 4,000,000,000 is the Long {@code 4_000_000_000L}; {@link
 *       Args#u32} takes an int that holds the bits of a u32</td></tr>
 *   <tr><td>u64</td><td>Byte, Short, Integer or Long</td><td>all; the 64 bits are passed
 *       unchanged, so {@code -1L} is the largest value ({@link Long#parseUnsignedLong(String)})</td></tr>
 *   <tr><td>f32</td><td>Float or Double</td><td>those that need no rounding: {@code 0.5},
 *       but not {@code 0.1}; pass {@code 0.1f} instead</td></tr>
 *   <tr><td>f16, bf16</td><td>Float or Double</td><td>those that need no rounding; {@link org.jhal.kernel.Float16} and
 *       {@link org.jhal.kernel.BFloat16} round</td></tr>
 *   <tr><td>f64</td><td>Double or Float</td><td>all</td></tr>
 * </table>
 *
 * <p>Immutable: any thread may use an object, for any number of dispatches.
 */
public final class Args {
  /** No arguments. */
  public static final Args NONE = new Args(new Object[0]);

  private final Object[] values;

  private Args(Object[] values) {
    this.values = values;
  }

  /**
   * Returns arguments with these values. The array is copied.
   *
   * @throws HalException INVALID_ARGUMENT if a value is neither a {@link BufferRef}, a {@link
   *     StructValue} nor one of the boxed number types Byte, Short, Integer, Long, Float and Double
   */
  public static Args of(Object... values) {
    Object[] copy = Objects.requireNonNull(values, "values").clone();
    for (int i = 0; i < copy.length; i++) {
      Object value = Objects.requireNonNull(copy[i], "argument " + i);
      if (!isArgument(value)) {
        throw new HalException(
            Status.INVALID_ARGUMENT,
            "argument "
                + i
                + " is a "
                + value.getClass().getSimpleName()
                + "; it may be a buffer, a slot, a StructValue or a number"
                + (value.getClass().isArray() || value instanceof HostMemory
                    ? ": upload it first"
                    : ""));
      }
    }
    return new Args(copy);
  }

  /**
   * Returns the number whose 32 bits {@code bits} holds, for a constant of type u32: {@code
   * Args.of(Args.u32(0x9E37_79B9), x)}.
   */
  public static Number u32(int bits) {
    return Integer.toUnsignedLong(bits);
  }

  private static boolean isArgument(Object value) {
    return value instanceof BufferRef
        || value instanceof StructValue
        || StructValue.isNumber(value);
  }

  /**
   * Returns a builder that sets arguments by the names of the kernel's parameters, in any order:
   *
   * <pre>{@code
   * Args args = Args.named(kernel).set("n", 4).set("a", 2.0).set("x", x).set("y", y).build();
   * }</pre>
   *
   * <p>The resulting arguments refer to parameters by position. So they are as fast to use as
   * others, and work for any kernel with the same parameters.
   */
  public static Named named(Kernel kernel) {
    return new Named(kernel);
  }

  /** Collects arguments by name. Not thread-safe. */
  public static final class Named {
    private final Kernel kernel;
    private final List<Parameter> parameters;
    private final @Nullable Object[] values; // by position

    private Named(Kernel kernel) {
      this.kernel = Objects.requireNonNull(kernel, "kernel");
      this.parameters = kernel.parameters();
      this.values = new Object[parameters.size()];
    }

    /**
     * Sets the argument of parameter {@code name}. When the arguments are used, JHAL checks that a
     * number fits and that a buffer is large enough.
     *
     * @throws HalException INVALID_ARGUMENT if the kernel has no such parameter, its argument has
     *     already been set, or {@code value} is of the wrong kind: it must be a {@link BufferRef}
     *     for a buffer, a number as in the table of {@link Args} for a constant, and a {@link
     *     StructValue} for a struct
     */
    public Named set(String name, Object value) {
      Objects.requireNonNull(name, "name");
      Objects.requireNonNull(value, "value");
      int index = 0;
      while (index < values.length && !parameters.get(index).name().equals(name)) {
        index++;
      }
      if (index == values.length) {
        throw new HalException(
            Status.INVALID_ARGUMENT,
            kernel.name() + " has no parameter '" + name + "'; it has " + names(all -> true));
      }
      if (values[index] != null) {
        throw new HalException(
            Status.INVALID_ARGUMENT,
            "parameter '" + name + "' of " + kernel.name() + " is set twice");
      }
      checkKind(parameters.get(index), value);
      values[index] = value;
      return this;
    }

    private void checkKind(Parameter parameter, Object value) {
      String wanted = wanted(parameter, value);
      if (wanted != null) {
        throw new HalException(
            Status.INVALID_ARGUMENT,
            "argument '"
                + parameter.name()
                + "' of "
                + kernel.name()
                + ": a "
                + parameter.kind().name().toLowerCase(Locale.ROOT)
                + " of type "
                + parameter.typeName()
                + " takes "
                + wanted
                + ", got "
                + given(value));
      }
    }

    /** Describes a value in one line; prints the content of valid arguments only. */
    private static String given(Object value) {
      if (value instanceof BufferRef) {
        return value.toString();
      }
      return isArgument(value)
          ? value.getClass().getSimpleName() + " " + value
          : value.getClass().getName();
    }

    /** Returns what the parameter accepts, or null if {@code value} is of that kind. */
    private static @Nullable String wanted(Parameter parameter, Object value) {
      if (parameter.kind() == Parameter.Kind.BUFFER) {
        return value instanceof BufferRef ? null : "a DeviceBuffer or a Slot";
      }
      if (parameter.kind() == Parameter.Kind.STRUCT) {
        return value instanceof StructValue ? null : "a StructValue";
      }
      return switch (parameter.type()) {
        case F16, BF16, F32, F64 ->
            value instanceof Float || value instanceof Double ? null : "a Float or a Double";
        default ->
            value instanceof Integer
                    || value instanceof Long
                    || value instanceof Short
                    || value instanceof Byte
                ? null
                : "an Integer, Long, Short or Byte";
      };
    }

    /**
     * Returns the arguments.
     *
     * @throws HalException INVALID_ARGUMENT if an argument is missing
     */
    public Args build() {
      Object[] all = new Object[values.length];
      for (int i = 0; i < all.length; i++) {
        Object value = values[i];
        if (value == null) {
          throw new HalException(
              Status.INVALID_ARGUMENT,
              "parameters of "
                  + kernel.name()
                  + " without an argument: "
                  + names(index -> values[index] == null));
        }
        all[i] = value;
      }
      return new Args(all);
    }

    private List<String> names(IntPredicate wanted) {
      return IntStream.range(0, values.length)
          .filter(wanted)
          .mapToObj(index -> parameters.get(index).name())
          .toList();
    }
  }

  /** Returns the number of arguments. */
  public int size() {
    return values.length;
  }

  /**
   * Returns argument {@code index}.
   *
   * @throws IndexOutOfBoundsException if {@code index} is not in {@code [0, size())}
   */
  public Object get(int index) {
    return values[index];
  }

  @Override
  public String toString() {
    return List.of(values).toString();
  }
}
