// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.kernel;

import java.math.BigInteger;
import java.util.Map;
import java.util.function.DoubleUnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jhal.cts.kernel.Dyadic.Format;
import org.jhal.cts.kernel.Dyadic.Mode;
import org.jspecify.annotations.Nullable;

/**
 * The results of the functions of the dialect, as CUDA documents them, from exact arithmetic and
 * that of Java alone.
 */
final class FunctionReference {
  /**
   * A result.
   *
   * @param format that of its one or two numbers; null if it is a whole number
   * @param distance how many numbers of the format may lie between it and what a device computes
   */
  record Expected(long bits, @Nullable Format format, int distance) {}

  private static final Pattern ROUNDED =
      Pattern.compile("__([fd])(add|sub|mul|div|rcp|sqrt|rsqrt)_(r[nzud])");
  private static final Pattern FUSED = Pattern.compile("__fmaf?_(r[nzud])");
  private static final Pattern CONVERTED =
      Pattern.compile("__(\\w+?)2([a-z]+16|[a-z]+)(?:_(r[nzud]))?");
  private static final Pattern WORDS = Pattern.compile("__v([a-z]+)([24])");
  private static final Pattern COMPARED =
      Pattern.compile("__h(b?)(eq|ne|lt|le|gt|ge)(u?)(2?)(_mask)?");
  private static final Pattern PAIRED =
      Pattern.compile("__h(add|sub|mul|fma|abs|neg|max|min)2(_\\w+)?|__h2div|__hisnan2|h2\\w+");

  private static final Map<String, DoubleUnaryOperator> OF_NUMBERS =
      Map.ofEntries(
          Map.entry("hsin", Math::sin),
          Map.entry("hcos", Math::cos),
          Map.entry("hexp", Math::exp),
          Map.entry("hexp2", x -> Math.pow(2, x)),
          Map.entry("hexp10", x -> Math.pow(10, x)),
          Map.entry("hlog", Math::log),
          Map.entry("hlog2", x -> Math.log(x) / Math.log(2)),
          Map.entry("hlog10", Math::log10),
          Map.entry("hrcp", x -> 1 / x),
          Map.entry("hsqrt", Math::sqrt),
          Map.entry("hrsqrt", x -> 1 / Math.sqrt(x)),
          Map.entry("hfloor", Math::floor),
          Map.entry("hceil", Math::ceil),
          Map.entry("htrunc", x -> x < 0 ? Math.ceil(x) : Math.floor(x)),
          Map.entry("hrint", Math::rint));

  private FunctionReference() {}

  /** What a function returns for operands; null if that is left open. */
  static @Nullable Expected of(DeviceFunction function, long[] a) {
    String name = function.name();
    Matcher rounded = ROUNDED.matcher(name);
    if (rounded.matches()) {
      Format format = rounded.group(1).equals("f") ? Format.F32 : Format.F64;
      return number(arithmetic(rounded.group(2), format, mode(rounded.group(3)), a), format);
    }
    Matcher fused = FUSED.matcher(name);
    if (fused.matches()) {
      Format format = name.startsWith("__fmaf") ? Format.F32 : Format.F64;
      return number(arithmetic("fma", format, mode(fused.group(1)), a), format);
    }
    Matcher words = WORDS.matcher(name);
    if (words.matches()) {
      return whole(ofWords(words.group(1), words.group(2).equals("2") ? 16 : 8, a), 32);
    }
    if (function.header().contains("16")) {
      return ofShort(function, a);
    }
    if (name.contains("_as_")) {
      return new Expected(a[0], null, 0);
    }
    Matcher converted = CONVERTED.matcher(name);
    if (converted.matches() && converted.group(3) != null) {
      return converted(function, converted.group(2), mode(converted.group(3)), a[0]);
    }
    return whole(ofIntegers(function, a), DeviceFunction.bits(function.result()));
  }

  private static Mode mode(@Nullable String name) {
    return name == null ? Mode.RN : Mode.valueOf(name.toUpperCase(java.util.Locale.ROOT));
  }

  private static Expected number(long bits, Format format) {
    return new Expected(bits, format, 0);
  }

  private static Expected whole(long value, int bits) {
    return new Expected(value & DeviceFunction.mask(bits), null, 0);
  }

  // Arithmetic.

  /** The exact result of one operation, rounded. */
  static long arithmetic(String operation, Format format, Mode mode, long... a) {
    boolean isFinite = true;
    double[] x = new double[3];
    for (int i = 0; i < Math.min(a.length, 3); i++) {
      x[i] = toDouble(a[i], format);
      isFinite &= Double.isFinite(x[i]);
    }
    double special =
        switch (operation) {
          case "add" -> x[0] + x[1];
          case "sub" -> x[0] - x[1];
          case "mul" -> x[0] * x[1];
          case "div" -> x[0] / x[1];
          case "rcp" -> 1 / x[0];
          case "sqrt" -> Math.sqrt(x[0]);
          case "rsqrt" -> 1 / Math.sqrt(x[0]);
          default -> Math.fma(x[0], x[1], x[2]);
        };
    boolean isDivided =
        operation.equals("div") && x[1] == 0 || operation.equals("rcp") && x[0] == 0;
    boolean isRoot = operation.endsWith("sqrt") && !(x[0] > 0);
    if (!isFinite || isDivided || isRoot) {
      return DeviceFunction.ofDouble(special, format);
    }
    Dyadic one = Dyadic.of(BigInteger.ONE);
    Dyadic p = format.value(a[0]);
    Dyadic q = a.length > 1 ? format.value(a[1]) : Dyadic.ZERO;
    Dyadic exact =
        switch (operation) {
          case "add" -> p.plus(q);
          case "sub" -> p.plus(q.negated());
          case "mul" -> p.times(q);
          case "div" -> p.over(q);
          case "rcp" -> one.over(p);
          case "sqrt" -> p.root();
          case "rsqrt" -> one.over(p).root();
          default -> p.times(q).plus(format.value(a[2]));
        };
    if (exact.sign() != 0) {
      return exact.round(format, mode);
    }
    boolean isNegative = isNegative(x[0]);
    boolean isOther = isNegative(x[1]);
    return switch (operation) {
      case "add" -> format.zero(zeroOfSum(isNegative, isOther, mode));
      case "sub" -> format.zero(zeroOfSum(isNegative, !isOther, mode));
      case "fma" -> format.zero(zeroOfSum(isNegative != isOther, isNegative(x[2]), mode));
      default -> format.zero(isNegative != isOther);
    };
  }

  private static boolean zeroOfSum(boolean isNegative, boolean isOther, Mode mode) {
    return mode == Mode.RD ? isNegative || isOther : isNegative && isOther;
  }

  private static boolean isNegative(double x) {
    return Double.doubleToRawLongBits(x) < 0;
  }

  static double toDouble(long bits, Format format) {
    if (format.isNan(bits)) {
      return Double.NaN;
    }
    double sign = format.isNegative(bits) ? -1 : 1;
    if (format.isInfinite(bits)) {
      return sign * Double.POSITIVE_INFINITY;
    }
    return format.isZero(bits)
        ? sign * 0.0
        : Double.longBitsToDouble(format.value(bits).round(Format.F64, Mode.RN));
  }

  // Conversions.

  private static @Nullable Expected converted(
      DeviceFunction function, String to, Mode mode, long a) {
    Format from = DeviceFunction.format(function.parameters().get(0));
    Format result = DeviceFunction.format(function.result());
    if (from == null && result != null) {
      BigInteger value = integer(a, function.parameters().get(0));
      return number(Dyadic.of(value).round(result, mode), result);
    }
    if (from != null && result != null) {
      return number(reformatted(a, from, result, mode), result);
    }
    return from == null ? null : toWhole(a, from, to, mode);
  }

  private static long reformatted(long a, Format from, Format to, Mode mode) {
    if (from.isNan(a)) {
      return to.nan();
    }
    long sign = to.zero(from.isNegative(a));
    if (from.isInfinite(a)) {
      return to.infinity() | sign;
    }
    return from.isZero(a) ? sign : from.value(a).round(to, mode);
  }

  private static BigInteger integer(long bits, String type) {
    BigInteger value = BigInteger.valueOf(bits);
    int width = DeviceFunction.bits(type);
    BigInteger all = BigInteger.ONE.shiftLeft(width);
    value = value.mod(all);
    return !type.startsWith("unsigned") && value.testBit(width - 1) ? value.subtract(all) : value;
  }

  /** Saturates. NaN is 0, and where the result has 64 bits 2^63 or left open. */
  private static @Nullable Expected toWhole(long a, Format from, String to, Mode mode) {
    boolean isSigned = !to.startsWith("u");
    int bits =
        switch (isSigned ? to : to.substring(1)) {
          case "char" -> 8;
          case "short" -> 16;
          case "int" -> 32;
          default -> 64;
        };
    BigInteger most = BigInteger.ONE.shiftLeft(isSigned ? bits - 1 : bits).subtract(BigInteger.ONE);
    BigInteger least = isSigned ? most.not() : BigInteger.ZERO;
    if (from.isNan(a)) {
      boolean isDocumented = from.precision() < 24;
      if (bits == 64) {
        return isDocumented ? new Expected(Long.MIN_VALUE, null, 0) : null;
      }
      return from == Format.F64 ? null : new Expected(0, null, 0);
    }
    BigInteger value =
        from.isInfinite(a)
            ? (from.isNegative(a) ? least : most)
            : from.value(a).whole(mode).min(most).max(least);
    return whole(value.longValue(), bits);
  }

  // Numbers of 16 bits.

  private static @Nullable Expected ofShort(DeviceFunction function, long[] a) {
    boolean isHalf = function.header().contains("fp16");
    Format format = isHalf ? Format.F16 : Format.BF16;
    String name = function.name();
    Matcher compared = COMPARED.matcher(name);
    if (compared.matches()) {
      return compared(compared, format, a);
    }
    if (PAIRED.matcher(name).matches()) {
      String alone =
          name.startsWith("h2")
              ? "h" + name.substring(2)
              : name.replace("__h2", "__h").replaceFirst("2(_|$)", "$1");
      Expected low = ofNumbers(alone, format, lanes(a, 0));
      Expected high = ofNumbers(alone, format, lanes(a, 16));
      int distance = Math.max(low.distance(), high.distance());
      long second = low.format() == null && high.bits() != 0 ? one(format) : high.bits();
      long first = low.format() == null && low.bits() != 0 ? one(format) : low.bits();
      return new Expected(first | second << 16, format, distance);
    }
    if (name.equals("__hcmadd")) {
      long[] u = {a[0] & 0xFFFF, a[0] >>> 16}, v = {a[1] & 0xFFFF, a[1] >>> 16};
      long x = fused(format, u[0], v[0], a[2] & 0xFFFF), y = fused(format, u[0], v[1], a[2] >>> 16);
      return number(
          fused(format, u[1] ^ 0x8000, v[1], x) | fused(format, u[1], v[0], y) << 16, format);
    }
    if (name.startsWith("__h") && !name.startsWith("__hal") && !name.startsWith("__high")
        || OF_NUMBERS.containsKey(name)) {
      return ofNumbers(name, format, a);
    }
    if (name.contains("_as_")) {
      return new Expected(a[0], null, 0);
    }
    String word = isHalf ? "half" : "bfloat16";
    long low = a[0] & 0xFFFF;
    long high = a[0] >>> 16 & 0xFFFF;
    Expected made =
        switch (name.replace(word, "T")) {
          case "make_T2", "__halves2T2" -> number(low | a[1] << 16, format);
          case "__T2T2", "__low2T2" -> number(low | low << 16, format);
          case "__high2T2" -> number(high | high << 16, format);
          case "__low2T" -> number(low, format);
          case "__high2T" -> number(high, format);
          case "__lows2T2" -> number(low | (a[1] & 0xFFFF) << 16, format);
          case "__highs2T2" -> number(high | (a[1] >>> 16) << 16, format);
          case "__lowhigh2highlow" -> number(high | low << 16, format);
          case "__low2float" -> number(reformatted(low, format, Format.F32, Mode.RN), Format.F32);
          case "__high2float" -> number(reformatted(high, format, Format.F32, Mode.RN), Format.F32);
          case "__T22float2" ->
              number(
                  reformatted(low, format, Format.F32, Mode.RN)
                      | reformatted(high, format, Format.F32, Mode.RN) << 32,
                  Format.F32);
          case "__float2T2_rn" -> pair(a[0], a[0], format);
          case "__floats2T2_rn" -> pair(a[0], a[1], format);
          case "__float22T2_rn" -> pair(a[0] & DeviceFunction.mask(32), a[0] >>> 32, format);
          default -> null;
        };
    if (made != null) {
      return made;
    }
    Matcher converted = CONVERTED.matcher(name.replace(word, isHalf ? "half" : "brain"));
    return converted.matches()
        ? converted(function, converted.group(2), mode(converted.group(3)), a[0])
        : null;
  }

  private static Expected pair(long x, long y, Format format) {
    return number(
        reformatted(x, Format.F32, format, Mode.RN)
            | reformatted(y, Format.F32, format, Mode.RN) << 16,
        format);
  }

  private static long fused(Format format, long x, long y, long z) {
    return arithmetic("fma", format, Mode.RN, x, y, z);
  }

  private static long one(Format format) {
    return DeviceFunction.ofDouble(1, format);
  }

  private static long[] lanes(long[] a, int shift) {
    long[] lanes = new long[a.length];
    for (int i = 0; i < a.length; i++) {
      lanes[i] = a[i] >>> shift & 0xFFFF;
    }
    return lanes;
  }

  private static Expected compared(Matcher name, Format format, long[] a) {
    boolean low = compared(name.group(2), name.group(3), format, a[0] & 0xFFFF, a[1] & 0xFFFF);
    if (name.group(4).isEmpty()) {
      return new Expected(low ? 1 : 0, null, 0);
    }
    boolean high = compared(name.group(2), name.group(3), format, a[0] >>> 16, a[1] >>> 16);
    if (!name.group(1).isEmpty()) {
      return new Expected(low && high ? 1 : 0, null, 0);
    }
    if (name.group(5) != null) {
      return new Expected((low ? 0xFFFFL : 0) | (high ? 0xFFFF0000L : 0), null, 0);
    }
    return number((low ? one(format) : 0) | (high ? one(format) << 16 : 0), format);
  }

  private static boolean compared(String kind, String unordered, Format format, long x, long y) {
    if (format.isNan(x) || format.isNan(y)) {
      return !unordered.isEmpty();
    }
    double a = toDouble(x, format);
    double b = toDouble(y, format);
    return switch (kind) {
      case "eq" -> a == b;
      case "ne" -> a != b;
      case "lt" -> a < b;
      case "le" -> a <= b;
      case "gt" -> a > b;
      default -> a >= b;
    };
  }

  private static Expected ofNumbers(String name, Format format, long[] a) {
    DoubleUnaryOperator known = OF_NUMBERS.get(name);
    if (known != null) {
      double x = toDouble(a[0], format);
      boolean isExact =
          name.endsWith("t") && !name.endsWith("sqrt") || name.matches("hfloor|hceil|htrunc");
      return new Expected(
          DeviceFunction.ofDouble(known.applyAsDouble(x), format), format, isExact ? 0 : 1);
    }
    String[] parts = name.substring(3).split("_");
    String operation = parts[0];
    switch (operation) {
      case "isnan":
        return new Expected(format.isNan(a[0]) ? 1 : 0, null, 0);
      case "isinf":
        return whole(format.isInfinite(a[0]) ? (format.isNegative(a[0]) ? -1 : 1) : 0, 32);
      case "abs":
        return number(a[0] & ~format.sign(), format);
      case "neg":
        return number(a[0] ^ format.sign(), format);
      case "max", "min":
        return number(extreme(operation, parts.length > 1, format, a[0], a[1]), format);
      default:
    }
    long result = arithmetic(operation, format, Mode.RN, a);
    String end = parts.length > 1 ? parts[1] : "";
    double value = toDouble(result, format);
    if (end.equals("sat")) {
      result = value > 0 ? (value < 1 ? result : one(format)) : 0;
    } else if (end.equals("relu") && value < 0) {
      result = 0;
    }
    return number(result, format);
  }

  private static long extreme(String kind, boolean keepsNan, Format format, long a, long b) {
    if (format.isNan(a) || format.isNan(b)) {
      boolean isNan = keepsNan || format.isNan(a) && format.isNan(b);
      return isNan ? format.nan() : format.isNan(a) ? b : a;
    }
    double x = toDouble(a, format);
    double y = toDouble(b, format);
    double found = kind.equals("max") ? Math.max(x, y) : Math.min(x, y); // of zeros, the right one
    return Double.doubleToRawLongBits(found) == Double.doubleToRawLongBits(x) ? a : b;
  }

  // Whole numbers.

  private static long ofWords(String name, int bits, long[] a) {
    boolean isUnsigned = name.endsWith("u") || name.endsWith("us");
    long all = 0;
    for (int at = 0; at < 32; at += bits) {
      long x = part(a[0], at, bits, isUnsigned);
      long y = a.length > 1 ? part(a[1], at, bits, isUnsigned) : 0;
      long most = isUnsigned ? (1L << bits) - 1 : (1L << (bits - 1)) - 1;
      long least = isUnsigned ? 0 : -most - 1;
      String kind = name.replaceFirst("^(set|cmp)", "");
      if (name.startsWith("set") || name.startsWith("cmp")) {
        boolean is =
            switch (kind.substring(0, 2)) {
              case "eq" -> x == y;
              case "ne" -> x != y;
              case "ge" -> x >= y;
              case "gt" -> x > y;
              case "le" -> x <= y;
              default -> x < y;
            };
        all |= (is ? name.startsWith("set") ? 1 : DeviceFunction.mask(bits) : 0) << at;
        continue;
      }
      if (name.startsWith("sad")) {
        all += Math.abs(x - y);
        continue;
      }
      long value =
          switch (name) {
            case "add" -> x + y;
            case "sub" -> x - y;
            case "addss", "addus" -> Math.max(least, Math.min(most, x + y));
            case "subss", "subus" -> Math.max(least, Math.min(most, x - y));
            case "absdiffs", "absdiffu" -> Math.abs(x - y);
            case "avgs" -> x + y >= 0 ? (x + y + 1) >> 1 : (x + y) >> 1;
            case "avgu" -> (x + y + 1) >> 1;
            case "haddu" -> (x + y) >> 1;
            case "maxs", "maxu" -> Math.max(x, y);
            case "mins", "minu" -> Math.min(x, y);
            case "abs" -> Math.abs(x);
            case "absss" -> Math.min(most, Math.abs(x));
            case "neg" -> -x;
            case "negss" -> Math.min(most, -x);
            default -> throw new IllegalArgumentException("no function __v" + name);
          };
      all |= (value & DeviceFunction.mask(bits)) << at;
    }
    return all;
  }

  private static long part(long word, int at, int bits, boolean isUnsigned) {
    long part = word >>> at & DeviceFunction.mask(bits);
    return !isUnsigned && (part >>> (bits - 1)) == 1 ? part - (1L << bits) : part;
  }

  private static long ofIntegers(DeviceFunction function, long[] bits) {
    long[] a = new long[4];
    for (int i = 0; i < bits.length; i++) {
      a[i] = integer(bits[i], function.parameters().get(i)).longValue();
    }
    BigInteger x = integer(bits[0], function.parameters().get(0));
    int shift = (int) (a[2] & 31);
    long both = a[1] << 32 | a[0];
    return switch (function.name()) {
      case "__hadd" -> (a[0] + a[1]) >> 1;
      case "__rhadd" -> (a[0] + a[1] + 1) >> 1;
      case "__uhadd" -> (a[0] + a[1]) >>> 1;
      case "__urhadd" -> (a[0] + a[1] + 1) >>> 1;
      case "__sad", "__usad" -> Math.abs(a[0] - a[1]) + a[2];
      case "__funnelshift_l" -> both << shift >>> 32;
      case "__funnelshift_r" -> both >>> shift;
      case "__funnelshift_lc" -> a[2] >= 32 ? a[0] : both << shift >>> 32;
      case "__funnelshift_rc" -> a[2] >= 32 ? a[1] : both >>> shift;
      case "__byte_perm" -> {
        long chosen = 0;
        for (int i = 0; i < 4; i++) {
          chosen |= (both >>> 8 * (a[2] >>> 4 * i & 7) & 0xFF) << 8 * i;
        }
        yield chosen;
      }
      case "__mulhi", "__umulhi" -> (a[0] * a[1]) >> 32;
      case "__mul64hi", "__umul64hi" ->
          x.multiply(integer(bits[1], function.parameters().get(1))).shiftRight(64).longValue();
      case "__mul24" -> (a[0] << 40 >> 40) * (a[1] << 40 >> 40);
      case "__umul24" -> (a[0] & 0xFFFFFF) * (a[1] & 0xFFFFFF);
      case "__brev" -> Integer.reverse((int) a[0]);
      case "__brevll" -> Long.reverse(a[0]);
      case "__clz" -> Integer.numberOfLeadingZeros((int) a[0]);
      case "__clzll" -> Long.numberOfLeadingZeros(a[0]);
      case "__ffs" -> a[0] == 0 ? 0 : Integer.numberOfTrailingZeros((int) a[0]) + 1;
      case "__ffsll" -> a[0] == 0 ? 0 : Long.numberOfTrailingZeros(a[0]) + 1;
      case "__popc", "__popcll" -> Long.bitCount(bits[0]);
      case "__dp4a" -> dot(function, bits, a[2], 8, 0);
      case "__dp2a_lo" -> dot(function, bits, a[2], 16, 0);
      case "__dp2a_hi" -> dot(function, bits, a[2], 16, 16);
      case "__double2hiint" -> bits[0] >> 32;
      case "__double2loint" -> bits[0];
      case "__hiloint2double" -> a[0] << 32 | bits[1];
      default -> throw new IllegalArgumentException("no reference for " + function);
    };
  }

  private static long dot(DeviceFunction function, long[] a, long sum, int bits, int from) {
    boolean isUnsigned = function.result().equals("unsigned");
    for (int i = 0; i < 32 / bits; i++) {
      sum += part(a[0], bits * i, bits, isUnsigned) * part(a[1], from + 8 * i, 8, isUnsigned);
    }
    return sum;
  }
}
