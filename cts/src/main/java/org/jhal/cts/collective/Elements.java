// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.collective;

import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jhal.ElementType;
import org.jhal.Reduction;
import org.jhal.kernel.BFloat16;
import org.jhal.kernel.Float16;

/**
 * Elements of all types, and the results of reductions, computed differently from the engine:
 * integers without limits, floating-point numbers as doubles.
 */
final class Elements {
  private Elements() {}

  static boolean isInteger(ElementType type) {
    return switch (type) {
      case F16, BF16, F32, F64 -> false;
      default -> true;
    };
  }

  private static boolean isUnsigned(ElementType type) {
    return switch (type) {
      case U8, U16, U32, U64 -> true;
      default -> false;
    };
  }

  /**
   * Element {@code index} of rank {@code rank}. Integers use all bits of their type, and ranks
   * differ in each bit, even the highest one, at some index. Floating-point numbers are small
   * integers, so that sums and products of a few of them are exact in every type.
   */
  private static long value(ElementType type, int rank, int index) {
    return isInteger(type) ? mixed(index * 31L + rank) : Math.floorMod(index * 7 + rank * 5, 9) - 4;
  }

  /** Bits that look random. */
  private static long mixed(long number) {
    long bits = (number + 1) * 0x9E3779B97F4A7C15L;
    bits = (bits ^ (bits >>> 32)) * 0xD6E8FEB86659FD93L;
    return bits ^ (bits >>> 29) ^ (bits << 35);
  }

  /** {@code count} elements of a rank. */
  static byte[] of(ElementType type, int rank, int count) {
    ByteBuffer bytes = buffer(count * type.bytes());
    for (int i = 0; i < count; i++) {
      put(bytes, i * type.bytes(), type, value(type, rank, i));
    }
    return bytes.array();
  }

  private static ByteBuffer buffer(int bytes) {
    return ByteBuffer.allocate(bytes).order(ByteOrder.nativeOrder());
  }

  private static void put(ByteBuffer bytes, int at, ElementType type, long value) {
    switch (type) {
      case I8, U8 -> bytes.put(at, (byte) value);
      case I16, U16 -> bytes.putShort(at, (short) value);
      case I32, U32 -> bytes.putInt(at, (int) value);
      case I64, U64 -> bytes.putLong(at, value);
      default -> putNumber(bytes, at, type, value);
    }
  }

  private static void putNumber(ByteBuffer bytes, int at, ElementType type, double value) {
    switch (type) {
      case F16 -> bytes.putShort(at, Float16.of(value));
      case BF16 -> bytes.putShort(at, BFloat16.of(value));
      case F32 -> bytes.putFloat(at, (float) value);
      case F64 -> bytes.putDouble(at, value);
      default -> throw new IllegalArgumentException(type.label());
    }
  }

  /** The result of reducing what {@link #of} returns for {@code ranks} ranks. */
  static byte[] reduced(Reduction reduction, ElementType type, int ranks, int count) {
    ByteBuffer bytes = buffer(count * type.bytes());
    for (int i = 0; i < count; i++) {
      int at = i * type.bytes();
      if (isInteger(type)) {
        put(bytes, at, type, integer(reduction, type, ranks, i));
      } else {
        putNumber(bytes, at, type, number(reduction, type, ranks, i));
      }
    }
    return bytes.array();
  }

  private static long integer(Reduction reduction, ElementType type, int ranks, int index) {
    if (type.bytes() <= 4 && reduction != Reduction.PRODUCT) {
      return small(reduction, type, ranks, index);
    }
    BigInteger all = exact(type, value(type, 0, index));
    for (int rank = 1; rank < ranks; rank++) {
      BigInteger next = exact(type, value(type, rank, index));
      all =
          switch (reduction) {
            case SUM -> all.add(next);
            case PRODUCT -> all.multiply(next);
            case MIN -> all.min(next);
            case MAX -> all.max(next);
            case AVERAGE -> throw new IllegalArgumentException("of integers");
          };
    }
    return all.longValue();
  }

  /**
   * As {@link #integer}, where a long has no limit that matters; millions are reduced like this.
   */
  private static long small(Reduction reduction, ElementType type, int ranks, int index) {
    int unused = 64 - 8 * type.bytes();
    long all = 0;
    for (int rank = 0; rank < ranks; rank++) {
      long high = value(type, rank, index) << unused;
      long next = isUnsigned(type) ? high >>> unused : high >> unused;
      all =
          rank == 0
              ? next
              : switch (reduction) {
                case SUM -> all + next;
                case MIN -> Math.min(all, next);
                case MAX -> Math.max(all, next);
                default -> throw new IllegalArgumentException(reduction.toString());
              };
    }
    return all;
  }

  /** The value of an element of the type that has these bits. */
  private static BigInteger exact(ElementType type, long bits) {
    int width = 8 * type.bytes();
    BigInteger low = BigInteger.valueOf(bits).mod(BigInteger.ONE.shiftLeft(width));
    return !isUnsigned(type) && low.testBit(width - 1)
        ? low.subtract(BigInteger.ONE.shiftLeft(width))
        : low;
  }

  private static double number(Reduction reduction, ElementType type, int ranks, int index) {
    double all = value(type, 0, index);
    for (int rank = 1; rank < ranks; rank++) {
      double next = value(type, rank, index);
      all =
          switch (reduction) {
            case SUM, AVERAGE -> all + next;
            case PRODUCT -> all * next;
            case MIN -> Math.min(all, next);
            case MAX -> Math.max(all, next);
          };
    }
    if (reduction == Reduction.PRODUCT && all == 0) {
      all = sign(type, ranks, index) * 0.0;
    }
    return reduction == Reduction.AVERAGE ? all / ranks : all;
  }

  /** The sign of a product that is zero. */
  private static int sign(ElementType type, int ranks, int index) {
    int sign = 1;
    for (int rank = 0; rank < ranks; rank++) {
      sign *= value(type, rank, index) < 0 ? -1 : 1;
    }
    return sign;
  }

  // NaNs.

  /** The sign, the exponent of infinities and NaNs, and the highest bit of the mantissa. */
  private static long[] masks(ElementType type) {
    return switch (type) {
      case F16 -> new long[] {0x8000, 0x7C00, 0x200};
      case BF16 -> new long[] {0x8000, 0x7F80, 0x40};
      case F32 -> new long[] {0x8000_0000L, 0x7F80_0000L, 0x40_0000L};
      case F64 -> new long[] {1L << 63, 0x7FF0L << 48, 1L << 51};
      default -> throw new IllegalArgumentException(type.label());
    };
  }

  private static void putBits(ByteBuffer bytes, int index, ElementType type, long bits) {
    int at = index * type.bytes();
    switch (type.bytes()) {
      case 2 -> bytes.putShort(at, (short) bits);
      case 4 -> bytes.putInt(at, (int) bits);
      default -> bytes.putLong(at, bits);
    }
  }

  /**
   * {@code count} elements of one of two ranks, of a floating-point type. At each index, one of the
   * ranks has a NaN, and the other one too or a number. The NaNs differ in sign and in payload.
   */
  static byte[] nansOf(ElementType type, int rank, int count) {
    ByteBuffer bytes = buffer(count * type.bytes());
    long[] masks = masks(type);
    for (int i = 0; i < count; i++) {
      int which = i % 3; // both ranks have a NaN, or only the first one, or only the second one
      if (which == 0 || which == rank + 1) {
        long sign = (i / 3 >> rank & 1) * masks[0];
        long payload = Math.floorMod(mixed(2L * i + rank), masks[2] - 1) + 1;
        long quiet = (i / 12 + rank) % 2 * masks[2];
        putBits(bytes, i, type, sign | masks[1] | quiet | payload);
      } else {
        putNumber(bytes, i * type.bytes(), type, 1);
      }
    }
    return bytes.array();
  }

  /** {@code count} times the canonical NaN: positive, quiet, and without a payload. */
  static byte[] canonicalNans(ElementType type, int count) {
    ByteBuffer bytes = buffer(count * type.bytes());
    long[] masks = masks(type);
    for (int i = 0; i < count; i++) {
      putBits(bytes, i, type, masks[1] | masks[2]);
    }
    return bytes.array();
  }

  // Results between two numbers of a 16-bit type.

  /** How many significant bits the numbers of a 16-bit type have. */
  private static int precision(ElementType type) {
    return type == ElementType.F16 ? 11 : 8;
  }

  /**
   * Elements of three ranks, of a 16-bit type, whose result lies halfway between two numbers of the
   * type, or just above or below. All of it is within the range of the type.
   */
  private static double[] tie(Reduction reduction, ElementType type, int index) {
    int digits = 1 << precision(type) - 1;
    double unit = Math.scalb(1.0, index % 5 - 2);
    double value = (digits + 1 + index % (digits - 2)) * unit * (index % 7 < 3 ? -1 : 1);
    double half = unit / 2;
    double[][] cases =
        switch (reduction) {
          case SUM ->
              new double[][] {
                {value, half, 0},
                {value, half / 2, half / 2}, // with intermediate rounding, both would be lost
                {value, -half / 2, -half / 2},
                {value, half, half / 64},
                {value, half, -half / 64},
              };
          case PRODUCT -> new double[][] {{value, 1.5, 1}, {value, 1.5, 1.5}, {value, -0.75, 0.75}};
          case AVERAGE -> new double[][] {{value, 2 * value, 3 * half}};
          case MIN, MAX -> throw new IllegalArgumentException(reduction + " rounds nothing");
        };
    double[] chosen = cases[index % cases.length];
    double[] turned = new double[3]; // at some index, each rank has the value
    for (int rank = 0; rank < 3; rank++) {
      turned[rank] = chosen[(rank + index / cases.length) % 3];
    }
    return turned;
  }

  /** {@code count} elements of one of three ranks, with results that are hard to round. */
  static byte[] tiesOf(Reduction reduction, ElementType type, int rank, int count) {
    ByteBuffer bytes = buffer(count * type.bytes());
    for (int i = 0; i < count; i++) {
      putNumber(bytes, i * type.bytes(), type, tie(reduction, type, i)[rank]);
    }
    return bytes.array();
  }

  /** The result of reducing what {@link #tiesOf} returns for three ranks, rounded once, to even. */
  static byte[] tiesReduced(Reduction reduction, ElementType type, int count) {
    ByteBuffer bytes = buffer(count * type.bytes());
    for (int i = 0; i < count; i++) {
      double[] ranks = tie(reduction, type, i);
      double exact =
          switch (reduction) {
            case PRODUCT -> ranks[0] * ranks[1] * ranks[2];
            case AVERAGE -> (ranks[0] + ranks[1] + ranks[2]) / 3;
            default -> ranks[0] + ranks[1] + ranks[2];
          };
      int exponent = Math.getExponent(exact) - (precision(type) - 1);
      double rounded = Math.scalb(Math.rint(Math.scalb(exact, -exponent)), exponent);
      putNumber(bytes, i * type.bytes(), type, rounded);
    }
    return bytes.array();
  }
}
