// SPDX-License-Identifier: Apache-2.0
package org.jhal.collectives.arithmetic;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jhal.ElementType;
import org.jhal.Reduction;

/**
 * Combines the same elements of several ranks, one rank after the other. Integers wrap around.
 * Numbers of 16 and 32 bits are combined as {@code float}, those of 64 bits as {@code double}; 16
 * bits are rounded once, at the end. Of a NaN and anything else the minimum and the maximum are
 * NaN, and -0 is less than 0. A result that is a NaN is the type's canonical one, as {@link
 * Float#floatToIntBits} defines it for a float: which bits a sum of two NaNs has depends on the
 * order of the operands, and so on whether and how the JVM has compiled the loop.
 *
 * <p>All buffers hold elements from position 0, in native order. Their positions do not change.
 *
 * <p>For one thread at a time.
 */
public abstract class Accumulator {
  final Reduction reduction;
  final ElementType type;

  Accumulator(Reduction reduction, ElementType type) {
    this.reduction = reduction;
    this.type = type;
  }

  /**
   * Makes an accumulator.
   *
   * @param reduction not the average of integers
   * @param capacity how many elements it can hold
   */
  public static Accumulator of(Reduction reduction, ElementType type, int capacity) {
    return switch (type) {
      case I8, U8, I16, U16, I32, U32 -> new IntAccumulator(reduction, type, capacity);
      case I64, U64 -> new LongAccumulator(reduction, type, capacity);
      case F16, BF16, F32 -> new FloatAccumulator(reduction, type, capacity);
      case F64 -> new DoubleAccumulator(reduction, type, capacity);
    };
  }

  /** Whether elements of this type are integers, which have no average. */
  public static boolean isInteger(ElementType type) {
    return switch (type) {
      case I8, U8, I16, U16, I32, U32, I64, U64 -> true;
      case F16, BF16, F32, F64 -> false;
    };
  }

  /** Takes the elements of the first rank. */
  public abstract void first(ByteBuffer elements, int count);

  /** Combines with the elements of the next rank. */
  public abstract void next(ByteBuffer elements, int count);

  /** Stores the result of {@code ranks} ranks. */
  public abstract void result(ByteBuffer elements, int count, int ranks);

  static ByteBuffer view(ByteBuffer elements) {
    return elements.duplicate().order(ByteOrder.nativeOrder()).position(0);
  }

  /** For a reduction that was refused earlier. */
  final AssertionError refused() {
    return new AssertionError(reduction + " of " + type);
  }
}
