// SPDX-License-Identifier: Apache-2.0
package org.jhal.collectives.arithmetic;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.stream.DoubleStream;
import org.jhal.ElementType;
import org.jhal.Reduction;
import org.jhal.kernel.BFloat16;
import org.jhal.kernel.Float16;
import org.junit.jupiter.api.Test;

/** Arithmetic at the limits of each type. */
class AccumulatorTest {
  private static ByteBuffer elements(ElementType type, double... values) {
    ByteBuffer bytes =
        ByteBuffer.allocate(values.length * type.bytes() + 3).order(ByteOrder.nativeOrder());
    for (int i = 0; i < values.length; i++) {
      int at = i * type.bytes();
      double value = values[i];
      switch (type) {
        case I8, U8 -> bytes.put(at, (byte) (long) value);
        case I16, U16 -> bytes.putShort(at, (short) (long) value);
        case I32, U32 -> bytes.putInt(at, (int) (long) value);
        case I64, U64 -> bytes.putLong(at, (long) value);
        case F16 -> bytes.putShort(at, Float16.of(value));
        case BF16 -> bytes.putShort(at, BFloat16.of(value));
        case F32 -> bytes.putFloat(at, (float) value);
        case F64 -> bytes.putDouble(at, value);
      }
    }
    return bytes;
  }

  /** Reduces the elements of several ranks, each a row. */
  private static ByteBuffer reduce(Reduction reduction, ElementType type, double[]... ranks) {
    int count = ranks[0].length;
    Accumulator sum = Accumulator.of(reduction, type, count + 5);
    for (int rank = 0; rank < ranks.length; rank++) {
      if (rank == 0) {
        sum.first(elements(type, ranks[rank]), count);
      } else {
        sum.next(elements(type, ranks[rank]), count);
      }
    }
    ByteBuffer result = ByteBuffer.allocate(count * type.bytes()).order(ByteOrder.nativeOrder());
    sum.result(result, count, ranks.length);
    assertEquals(0, result.position());
    return result;
  }

  private static void check(
      Reduction reduction, ElementType type, double[] expected, double[]... ranks) {
    ByteBuffer wanted = elements(type, expected);
    ByteBuffer got = reduce(reduction, type, ranks);
    assertArrayEquals(
        Arrays.copyOf(wanted.array(), expected.length * type.bytes()),
        got.array(),
        reduction + " of " + type);
  }

  private static double[] row(double... values) {
    return values;
  }

  @Test
  void integersWrapAround() {
    check(Reduction.SUM, ElementType.I8, row(-128, 0), row(127, 100), row(1, -100));
    check(Reduction.SUM, ElementType.U8, row(4), row(250), row(10));
    check(Reduction.SUM, ElementType.I16, row(-32768), row(32767), row(1));
    check(Reduction.PRODUCT, ElementType.U16, row(1), row(65535), row(65535));
    check(Reduction.PRODUCT, ElementType.I32, row(0), row(65536), row(65536));
    check(Reduction.SUM, ElementType.U32, row(0xFFFF_FFFEL), row(0xFFFF_FFFFL), row(0xFFFF_FFFFL));
    check(Reduction.SUM, ElementType.I64, row(Long.MIN_VALUE), row(0x1p62), row(0x1p62));
    check(Reduction.PRODUCT, ElementType.U64, row(0), row(0x1p32), row(0x1p32));
  }

  @Test
  void minAndMaxRespectTheSignOfTheType() {
    for (ElementType type : new ElementType[] {ElementType.I8, ElementType.I16, ElementType.I32}) {
      check(Reduction.MIN, type, row(-1, -7), row(-1, 5), row(1, -7));
      check(Reduction.MAX, type, row(1, 5), row(-1, 5), row(1, -7));
    }
    check(Reduction.MIN, ElementType.I64, row(-1), row(-1), row(1));
    check(Reduction.MIN, ElementType.U8, row(1), row(255), row(1));
    check(Reduction.MAX, ElementType.U16, row(65535), row(65535), row(1));
    check(Reduction.MAX, ElementType.U32, row(0xFFFF_FFFFL), row(0xFFFF_FFFFL), row(1));
    check(Reduction.MIN, ElementType.U32, row(1), row(0xFFFF_FFFFL), row(1));
    check(Reduction.MAX, ElementType.U64, row(-1), row(-1), row(1)); // -1 is the largest
    check(Reduction.MIN, ElementType.U64, row(1), row(-1), row(1));
  }

  /** With rounding after each step the small numbers would be lost. */
  @Test
  void sixteenBitNumbersAreRoundedOnce() {
    double[][] ranks = {row(2048), row(1), row(1), row(1)};
    check(Reduction.SUM, ElementType.F16, row(2052), ranks); // 2051 lies between 2050 and 2052
    check(Reduction.SUM, ElementType.BF16, row(258), row(256), row(1), row(1));
    // An intermediate overflow does not matter.
    check(Reduction.SUM, ElementType.F16, row(65504), row(65504), row(65504), row(-65504));
    check(Reduction.AVERAGE, ElementType.F16, row(65504), row(65504), row(65504));
  }

  @Test
  void averagesAreDividedByTheNumberOfRanks() {
    check(
        Reduction.AVERAGE,
        ElementType.F32,
        row(2, (float) (1 / 3.0)),
        row(1, 1),
        row(2, 0),
        row(3, 0));
    check(Reduction.AVERAGE, ElementType.F64, row(1 / 3.0), row(1), row(0), row(0));
    check(Reduction.AVERAGE, ElementType.BF16, row(1 / 3.0), row(1), row(0), row(0));
    check(Reduction.AVERAGE, ElementType.F32, row(7), row(7));
  }

  @Test
  void sumsAreInTheOrderOfTheRanks() {
    check(Reduction.SUM, ElementType.F32, row(4), row(1e8), row(-1e8), row(4));
    check(Reduction.SUM, ElementType.F32, row(0), row(4), row(1e8), row(-1e8));
    check(Reduction.SUM, ElementType.F64, row(0), row(1), row(1e300), row(-1e300));
  }

  @Test
  void aNanIsKept() {
    double[] nan = row(Double.NaN, 1);
    for (ElementType type :
        new ElementType[] {ElementType.F16, ElementType.BF16, ElementType.F32, ElementType.F64}) {
      for (Reduction reduction : Reduction.values()) {
        for (double[][] ranks : new double[][][] {{nan, row(1, 1)}, {row(1, 1), nan}}) {
          ByteBuffer result = reduce(reduction, type, ranks);
          double first =
              switch (type) {
                case F16 -> Float16.toFloat(result.getShort(0));
                case BF16 -> BFloat16.toFloat(result.getShort(0));
                case F32 -> result.getFloat(0);
                default -> result.getDouble(0);
              };
          assertEquals(Double.NaN, first, reduction + " of " + type);
        }
      }
    }
    check(Reduction.MIN, ElementType.F32, row(-0.0), row(0.0), row(-0.0));
    check(Reduction.MAX, ElementType.F64, row(0.0), row(-0.0), row(0.0));
  }

  @Test
  void oneRankIsCopied() {
    double[] values = DoubleStream.iterate(-60, value -> value + 1).limit(120).toArray();
    for (ElementType type : ElementType.values()) {
      for (Reduction reduction : Reduction.values()) {
        check(reduction, type, values, values);
      }
    }
  }
}
