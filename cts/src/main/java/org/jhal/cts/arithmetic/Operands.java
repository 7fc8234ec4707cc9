// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.arithmetic;

import java.util.Random;
import java.util.function.ToIntFunction;
import java.util.function.ToLongFunction;
import java.util.stream.DoubleStream;

/**
 * The operands of a group of functions: {@link #COUNT} tuples of three words of 32 and two of 64
 * bits. First, each of 24 special values meets each; then further special values meet random ones;
 * the rest are random. They are the same in each run and on each machine.
 */
public enum Operands {
  /** Small and large integers, and patterns of bits. */
  INTEGERS(Special.INTEGER, Random::nextInt, Special.LONG, Random::nextLong),
  /** Floats of all kinds; as integers, the words of 64 bits are of all kinds, too. */
  FLOATS(bits(Special.FLOAT), Operands::randomFloat, Special.LONG, Random::nextLong),
  /** Doubles of all kinds. */
  DOUBLES(Special.INTEGER, Random::nextInt, bits(Special.DOUBLE), Operands::randomDouble),
  /** Halves and bfloat16s of all kinds, two in each word of 32 bits. */
  HALVES(pairs(Special.HALF), Random::nextInt, Special.LONG, Random::nextLong),
  /** Numbers around the limits of types. The words of 32 bits are floats, those of 64 doubles. */
  CONVERSIONS(
      bits(Special.LIMIT),
      Operands::randomLimit,
      bits(Special.WIDE_LIMIT),
      Operands::randomWideLimit);

  /** How many tuples there are. */
  public static final int COUNT = 1024;

  private static final int PAIRED = 24; // of the special values, each of these meets each

  private final int[] special;
  private final ToIntFunction<Random> other;
  private final long[] wideSpecial;
  private final ToLongFunction<Random> wideOther;

  Operands(
      int[] special,
      ToIntFunction<Random> other,
      long[] wideSpecial,
      ToLongFunction<Random> wideOther) {
    this.special = special;
    this.other = other;
    this.wideSpecial = wideSpecial;
    this.wideOther = wideOther;
  }

  /** The words of all tuples. */
  @SuppressWarnings("ArrayRecordComponent") // written once, and only read
  public record Tuples(int[] a, int[] b, int[] c, long[] p, long[] q) {}

  /** Makes the tuples. */
  public Tuples tuples() {
    Random random = new Random(ordinal());
    Tuples tuples =
        new Tuples(
            new int[COUNT], new int[COUNT], new int[COUNT], new long[COUNT], new long[COUNT]);
    for (int i = 0; i < COUNT; i++) {
      tuples.a[i] = special[first(i, special.length)];
      tuples.b[i] = special[second(i, special.length)];
      tuples.c[i] = special[(5 * i + 7) % special.length];
      tuples.p[i] = wideSpecial[first(i, wideSpecial.length)];
      tuples.q[i] = wideSpecial[second(i, wideSpecial.length)];
      int k = i - PAIRED * PAIRED;
      if (k >= 0) { // one is special for a while, and then none
        boolean all = k >= 2 * Math.max(special.length, wideSpecial.length);
        if (all || k % 2 == 0) {
          tuples.b[i] = other.applyAsInt(random);
          tuples.q[i] = wideOther.applyAsLong(random);
        }
        if (all || k % 2 == 1) {
          tuples.a[i] = other.applyAsInt(random);
          tuples.p[i] = wideOther.applyAsLong(random);
        }
        tuples.c[i] = other.applyAsInt(random);
      }
    }
    return tuples;
  }

  private static int first(int i, int length) {
    return i < PAIRED * PAIRED ? i / PAIRED : (i - PAIRED * PAIRED) / 2 % length;
  }

  private static int second(int i, int length) {
    return i < PAIRED * PAIRED ? i % PAIRED : first(i, length);
  }

  private static int[] bits(float[] values) {
    int[] bits = new int[values.length];
    for (int i = 0; i < bits.length; i++) {
      bits[i] = Float.floatToRawIntBits(values[i]);
    }
    return bits;
  }

  private static int[] pairs(int[] halves) {
    int[] pairs = new int[halves.length];
    for (int i = 0; i < pairs.length; i++) {
      pairs[i] = halves[i] | halves[(7 * i + 5) % halves.length] << 16;
    }
    return pairs;
  }

  private static long[] bits(double[] values) {
    return DoubleStream.of(values).mapToLong(Double::doubleToRawLongBits).toArray();
  }

  /** Of magnitudes at which functions are used, or any. */
  private static int randomFloat(Random random) {
    float scale = new float[] {1, 20, 1e-3f, 0}[random.nextInt(4)];
    return scale == 0
        ? random.nextInt()
        : Float.floatToRawIntBits((2 * random.nextFloat() - 1) * 4 * scale);
  }

  private static long randomDouble(Random random) {
    double scale = new double[] {1, 20, 1e-3, 0}[random.nextInt(4)];
    return scale == 0
        ? random.nextLong()
        : Double.doubleToRawLongBits((2 * random.nextDouble() - 1) * 4 * scale);
  }

  private static int randomLimit(Random random) {
    return Float.floatToRawIntBits((float) randomNear(random));
  }

  private static long randomWideLimit(Random random) {
    return Double.doubleToRawLongBits(randomNear(random));
  }

  /** A number of as many bits as an integer, or a half, may have. */
  private static double randomNear(Random random) {
    return Math.scalb(2 * random.nextDouble() - 1, random.nextInt(96) - 28);
  }

  private static final class Special {
    static final int[] INTEGER = {
      0,
      1,
      -1,
      2,
      -2,
      3,
      7,
      8,
      15,
      16,
      31,
      32,
      33,
      63,
      64,
      255,
      256,
      0x7fff,
      0x8000,
      0xffff,
      0x10000,
      Integer.MAX_VALUE,
      Integer.MIN_VALUE,
      Integer.MIN_VALUE + 1,
      0x7f7f7f7f,
      0x80808080,
      0x7fff7fff,
      0x80008000,
      0x00ff00ff,
      0xff00ff00,
      0x01010101,
      0x00010001,
      0x0123cdef,
      0x76543210,
      0x3210,
      0x5410,
      0x7632,
      0x88ff,
      0x55555555,
      0xaaaaaaaa,
      0x00800000,
      0x00ffffff,
      0xff800000
    };

    static final long[] LONG = {
      0,
      1,
      -1,
      2,
      3,
      31,
      32,
      33,
      63,
      64,
      255,
      0xffff,
      0x10000,
      0xffffffffL,
      0x100000000L,
      0x7fffffffL,
      0x80000000L,
      Long.MAX_VALUE,
      Long.MIN_VALUE,
      Long.MIN_VALUE + 1,
      0x0123456789abcdefL,
      0x00000000ffffffffL,
      0xffffffff00000000L,
      0x5555555555555555L,
      0x0020000000000001L,
      0x0020000000000003L,
      0x0000000001000001L,
      0x0000000001000003L
    };

    static final float[] FLOAT = {
      0f,
      -0f,
      1f,
      -1f,
      0.5f,
      1.5f,
      -2.5f,
      2f,
      3f,
      10f,
      0.1f,
      100f,
      -100.25f,
      Float.MIN_VALUE,
      -Float.MIN_VALUE,
      0x1p-126f,
      0x1.fffffep-127f,
      Float.MAX_VALUE,
      -Float.MAX_VALUE,
      Float.POSITIVE_INFINITY,
      Float.NEGATIVE_INFINITY,
      Float.NaN,
      0x1.fffffep-1f,
      0x1.000002p0f,
      0.25f,
      -0.75f,
      4.5f,
      5f,
      -3f,
      88.72283f,
      88.7229f,
      -87.33655f,
      -103.97208f,
      -104f,
      128f,
      -149f,
      -150f,
      3.1415927f,
      1.5707964f,
      6.2831855f,
      1e4f,
      105615f,
      0x1p22f,
      0x1p23f,
      8388609f,
      0x1p24f,
      0x1p30f,
      1e10f,
      -1e10f,
      1e20f,
      0x1p126f,
      0x1p-100f,
      1e-5f,
      1e-10f,
      0.99999994f,
      0.7071068f,
      8f,
      34f,
      35.04f,
      36f,
      -10.5f,
      -33.5f,
      171.6f,
      14.5f
    };

    static final double[] DOUBLE = {
      0d,
      -0d,
      1d,
      -1d,
      0.5,
      1.5,
      -2.5,
      2d,
      3d,
      10d,
      0.1,
      100d,
      -100.25,
      Double.MIN_VALUE,
      -Double.MIN_VALUE,
      0x1p-1022,
      0x1.fffffffffffffp-1023,
      Double.MAX_VALUE,
      -Double.MAX_VALUE,
      Double.POSITIVE_INFINITY,
      Double.NEGATIVE_INFINITY,
      Double.NaN,
      0x1.fffffffffffffp-1,
      0x1.0000000000001p0,
      0.25,
      -0.75,
      4.5,
      5d,
      -3d,
      709.782712893384,
      709.7827128933841,
      -708.3964185322641,
      -745.1332191019411,
      -746d,
      1024d,
      -1074d,
      -1075d,
      Math.PI,
      Math.PI / 2,
      2 * Math.PI,
      1e4,
      105615d,
      0x1p51,
      0x1p52,
      0x1p53,
      0x1p62,
      1e22,
      -1e22,
      1e100,
      0x1p1022,
      0x1p-1000,
      1e-5,
      1e-10,
      0.9999999999999999,
      0.7071067811865476,
      8d,
      27.2,
      38.4,
      -37.6,
      171.6,
      172d,
      -10.5,
      26.5,
      5.9
    };

    static final int[] HALF = {
      0, 0x8000, 0x3c00, 0xbc00, 0x3800, 0x3e00, 0xc100, 0x4000, 0x4200, 0x0001, 0x8001, 0x0400,
      0x03ff, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0x3bff, 0x3c01, 0x5bff, 0x77ff, 0x7800,
          0xf801,
      0x4500, 0x4880, 0x5640, 0xd640, 0x7a00, 0x1400, 0x3555, 0x4248, 0x3f80, 0xbf80, 0x4049,
          0x7f7f,
      0x7f80, 0xff80, 0x7fc0, 0x0080, 0x007f, 0x5f00, 0x4f00, 0x7d01
    };

    static final float[] LIMIT = {
      0f,
      -0f,
      0.5f,
      -0.5f,
      1.5f,
      2.5f,
      -1.5f,
      -0.99f,
      127f,
      127.5f,
      128f,
      -128f,
      -128.5f,
      -129f,
      255f,
      255.5f,
      256f,
      32767f,
      32768f,
      -32768f,
      -32769f,
      65535f,
      65536f,
      2147483520f,
      0x1p31f,
      -0x1p31f,
      -2147483904f,
      4294967040f,
      0x1p32f,
      9223371487098961920f,
      0x1p63f,
      -0x1p63f,
      -9223373136366403584f,
      1.8446742974197924e19f,
      0x1p64f,
      3e9f,
      -3e9f,
      1e20f,
      -1e20f,
      Float.MAX_VALUE,
      Float.POSITIVE_INFINITY,
      Float.NEGATIVE_INFINITY,
      Float.NaN,
      Float.MIN_VALUE,
      -1f,
      65504f,
      65519f,
      65520f,
      0x1p-24f,
      0x1p-25f,
      0x1.000002p-25f,
      0x1p-14f,
      1.0009766f,
      1.0004883f,
      3.3895314e38f,
      3.4e38f,
      0x1p-133f,
      0x1p-134f,
      8388607.5f,
      16777216f,
      300f,
      70000f
    };

    static final double[] WIDE_LIMIT = {
      0d,
      -0d,
      0.5,
      -0.5,
      1.5,
      2.5,
      -1.5,
      -0.9999,
      2147483647d,
      2147483647.5,
      2147483648d,
      -2147483648d,
      -2147483648.5,
      -2147483649d,
      4294967295d,
      4294967295.5,
      4294967296d,
      0x1p63,
      9223372036854774784d,
      -0x1p63,
      -9223372036854777856d,
      18446744073709549568d,
      0x1p64,
      1e300,
      -1e300,
      Double.POSITIVE_INFINITY,
      Double.NEGATIVE_INFINITY,
      Double.NaN,
      Double.MIN_VALUE,
      3.4028235677973362e38,
      3.4028235677973366e38,
      0x1p-149,
      0x1p-150,
      0x1.0000000000001p-150,
      1.00000005960464477539,
      1.0000000596046448,
      1.00000017881393432617,
      65504d,
      65519.99,
      65520d,
      0x1p-25,
      16777217d,
      -1d,
      4503599627370495.5,
      9007199254740993d,
      0.49999999999999994
    };
  }
}
