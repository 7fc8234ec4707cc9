package org.jhal.kernel;

/**
 * Converts numbers of type {@code bf16}, the upper 16 bits of a float, which Java holds as the bits
 * of a {@code short}: 8 significant bits, and the range of a float.
 */
public final class BFloat16 {
  private static final int QUIET = 0x40;

  private BFloat16() {}

  /** The nearest number; of two that are equally near the one whose last bit is 0. */
  public static short of(double value) {
    int bits = Float.floatToRawIntBits(Float16.toOdd(value));
    if (Double.isNaN(value)) {
      return (short) (bits >>> 16 | QUIET);
    }
    return (short) (bits + 0x7FFF + (bits >>> 16 & 1) >>> 16); // may carry into the exponent
  }

  /** The number with these bits, exactly. */
  public static float toFloat(short bits) {
    return Float.intBitsToFloat(bits << 16);
  }
}
