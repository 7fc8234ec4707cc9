// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.kernel;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jhal.cts.kernel.Dyadic.Format;
import org.jspecify.annotations.Nullable;

/**
 * A function of the dialect: what {@code functions.txt} says about it.
 *
 * @param header what a source includes to have it on each device
 */
record DeviceFunction(String header, String result, String name, List<String> parameters) {
  private static final Pattern SIGNATURE = Pattern.compile("(.+?) (\\w+)\\((.*)\\)");
  private static final long[] INTEGERS = {
    0,
    1,
    2,
    3,
    5,
    7,
    8,
    15,
    16,
    31,
    32,
    33,
    63,
    127,
    128,
    255,
    256,
    0x7FFF,
    0x8000,
    0xFFFF,
    0x10000,
    0x7FFFFFFF,
    0x80000000L,
    0xFFFFFFFFL,
    0x100000000L,
    0x00FF00FFL,
    0x80808080L,
    0x7F7F7F7FL,
    0x01010101L,
    0x80008000L,
    0x7FFF8000L,
    Long.MAX_VALUE,
    Long.MIN_VALUE,
    -1,
    -2,
    -128,
    -32768,
    0x1000001,
    0x2000003,
    0x7FFFFF80L,
    0x20000000000001L,
    0x40000000000003L,
    65519,
    65520,
    -65520
  };
  private static final double[] NUMBERS = {
    0,
    0.25,
    0.5,
    0.75,
    1,
    1.5,
    2,
    2.5,
    3,
    3.5,
    10,
    127.5,
    128,
    254.5,
    255.5,
    256,
    32767.5,
    65504,
    65535.5,
    65536,
    16777217,
    2147483520,
    2147483647,
    2147483648.0,
    4294967040.0,
    4294967295.0,
    4294967296.0,
    9.2233720368547748e18,
    9223372036854775808.0,
    18446744073709549568.0,
    18446744073709551616.0,
    1e-5,
    6e-8,
    1e-30,
    1.1754943508222875e-38,
    1e-40,
    1.4e-45,
    1e30,
    3e38,
    3.4028234663852886e38,
    1e-300,
    2.2250738585072014e-308,
    1e-310,
    4.9e-324,
    1e300,
    Double.MAX_VALUE,
    Double.POSITIVE_INFINITY,
    Double.NaN,
    1.0000001192092896,
    0.99999994039535522,
    1.0000000000000002,
    0.9999999999999999
  };

  /** All functions, in the order of the file. */
  static List<DeviceFunction> all() {
    List<DeviceFunction> all = new ArrayList<>();
    String header = "";
    for (String line : DialectKernelTest.read("functions.txt").lines().toList()) {
      if (line.startsWith("#include")) {
        header = line;
        continue;
      }
      Matcher signature = SIGNATURE.matcher(line);
      if (!signature.matches()) {
        throw new IllegalStateException("no signature: " + line);
      }
      all.add(
          new DeviceFunction(
              header,
              signature.group(1),
              signature.group(2),
              List.of(signature.group(3).split(", "))));
    }
    return all;
  }

  /**
   * A kernel that calls functions. Operands and results have 64 bits each: those of function {@code
   * f} for call {@code c} are {@code in[(4 * f + i) * calls + c]} and {@code out[f * calls + c]}.
   */
  static String source(List<DeviceFunction> functions, int calls) {
    StringBuilder source = new StringBuilder(prelude());
    functions.stream().map(DeviceFunction::header).distinct().forEach(h -> source.append(h + "\n"));
    source.append("extern \"C\" __global__ void values(const word* in, word* out) {\n");
    source.append("  const unsigned c = blockIdx.x * blockDim.x + threadIdx.x;\n");
    for (int f = 0; f < functions.size(); f++) {
      DeviceFunction function = functions.get(f);
      source.append(
          "  out[%d + c] = to_word<%s>(%s("
              .formatted(f * calls, function.result(), function.name()));
      for (int i = 0; i < function.parameters().size(); i++) {
        int at = (4 * f + i) * calls;
        source.append(i > 0 ? ", " : "");
        source.append("of_word<%s>(in[%d + c])".formatted(function.parameters().get(i), at));
      }
      source.append("));\n");
    }
    return source.append("}\n").toString();
  }

  /** What a source needs that calls functions. */
  static String prelude() {
    return DialectKernelTest.read("functions.cpp");
  }

  /** The format of a type; null if its values are whole numbers. */
  static @Nullable Format format(String type) {
    return switch (type) {
      case "float", "float2" -> Format.F32;
      case "double" -> Format.F64;
      case "__half", "__half2" -> Format.F16;
      case "__nv_bfloat16", "__nv_bfloat162" -> Format.BF16;
      default -> null;
    };
  }

  static boolean isPair(String type) {
    return type.endsWith("2");
  }

  /** How many bits values have. */
  static int bits(String type) {
    Format format = format(type);
    if (format != null) {
      return isPair(type) ? 2 * format.bits() : format.bits();
    }
    return switch (type) {
      case "bool" -> 1;
      case "signed char", "unsigned char" -> 8;
      case "short", "unsigned short" -> 16;
      case "int", "unsigned" -> 32;
      default -> 64;
    };
  }

  /** An operand of a type: a special or a random one. */
  static long operand(String type, Random random) {
    Format format = format(type);
    if (format == null) {
      long value =
          random.nextInt(3) == 0 ? special(random) : random.nextLong() >> random.nextInt(64);
      return value & mask(bits(type));
    }
    long value = number(format, random);
    return isPair(type) ? value | number(format, random) << format.bits() : value;
  }

  private static long special(Random random) {
    return INTEGERS[random.nextInt(INTEGERS.length)];
  }

  private static long number(Format format, Random random) {
    switch (random.nextInt(4)) {
      case 0 -> {
        return random.nextLong() & mask(format.bits()); // any bits
      }
      case 1 -> {
        double near = Math.scalb(1 + random.nextDouble(), random.nextInt(12) - 6);
        return ofDouble(random.nextBoolean() ? near : -near, format);
      }
      default -> {
        double number = NUMBERS[random.nextInt(NUMBERS.length)];
        return ofDouble(random.nextBoolean() ? number : -number, format);
      }
    }
  }

  /** The bits of a number in a format. */
  static long ofDouble(double number, Format format) {
    Format f64 = Format.F64;
    long bits = Double.doubleToRawLongBits(number);
    if (f64.isNan(bits)) {
      return format.nan();
    }
    long sign = format.zero(f64.isNegative(bits));
    if (f64.isInfinite(bits)) {
      return format.infinity() | sign;
    }
    return f64.isZero(bits) ? sign : f64.value(bits).round(format, Dyadic.Mode.RN);
  }

  static long mask(int bits) {
    return bits == 64 ? -1 : (1L << bits) - 1;
  }

  @Override
  public String toString() {
    return result + " " + name + "(" + String.join(", ", parameters) + ")";
  }
}
