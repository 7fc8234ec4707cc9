package org.jhal;

import java.util.List;
import java.util.Objects;

/**
 * The arguments of a dispatch, in the order of the kernel's parameters: a {@link BufferRef} for
 * each buffer, a number for each constant. They are checked against the kernel when they are used:
 * INVALID_ARGUMENT for a number of the wrong kind, OUT_OF_RANGE for one that does not fit into the
 * parameter's type.
 *
 * <table>
 *   <caption>Which number a constant takes</caption>
 *   <tr><th>type of the constant</th><th>number</th><th>values</th></tr>
 *   <tr><td>i8, i16, i32, i64</td><td>Byte, Short, Integer or Long</td><td>what fits</td></tr>
 *   <tr><td>u8, u16, u32</td><td>Byte, Short, Integer or Long</td><td>what fits, so no
 *       negative ones: a u32 of 4,000,000,000 is the Long {@code 4_000_000_000L}; {@link
 *       Integer#toUnsignedLong} converts an int that holds the bits of a u32</td></tr>
 *   <tr><td>u64</td><td>Byte, Short, Integer or Long</td><td>all; the 64 bits are passed
 *       unchanged, so {@code -1L} is the largest value ({@link Long#parseUnsignedLong(String)})</td></tr>
 *   <tr><td>f32</td><td>Float</td><td>all</td></tr>
 *   <tr><td>f64</td><td>Double or Float</td><td>all</td></tr>
 * </table>
 *
 * <p>Immutable: one object may be used for any number of dispatches, from any thread.
 */
public final class Args {
  /** No arguments. */
  public static final Args NONE = new Args(new Object[0]);

  private final Object[] values;

  private Args(Object[] values) {
    this.values = values;
  }

  /**
   * Makes arguments of {@code values}, which are copied.
   *
   * @throws HalException INVALID_ARGUMENT if one is neither a {@link BufferRef} nor one of the
   *     boxed number types Byte, Short, Integer, Long, Float, Double
   */
  public static Args of(Object... values) {
    Object[] copy = Objects.requireNonNull(values, "values").clone();
    for (int i = 0; i < copy.length; i++) {
      Object value = Objects.requireNonNull(copy[i], "argument " + i);
      if (!(value instanceof BufferRef
          || value instanceof Byte
          || value instanceof Short
          || value instanceof Integer
          || value instanceof Long
          || value instanceof Float
          || value instanceof Double)) {
        throw new HalException(
            Status.INVALID_ARGUMENT,
            "argument "
                + i
                + " is a "
                + value.getClass().getName()
                + "; it may be a buffer, a slot or a boxed number");
      }
    }
    return new Args(copy);
  }

  /** The number of arguments. */
  public int size() {
    return values.length;
  }

  /**
   * Argument {@code index}.
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
