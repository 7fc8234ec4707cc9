// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.kernel;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Random;

/**
 * Special functions by their series, with eighty digits: those of errors, their inverses, those of
 * Bessel, and lengths of vectors.
 */
final class SpecialReference {
  private static final MathContext DIGITS = new MathContext(80);
  private static final BigDecimal PI =
      new BigDecimal(
          "3.14159265358979323846264338327950288419716939937510582097494459230781640628620899");
  private static final BigDecimal TWO = BigDecimal.valueOf(2);
  private static final BigDecimal ROOT_OF_PI = PI.sqrt(DIGITS);
  private static final double EULER = 0.57721566490153286061;

  private SpecialReference() {}

  /** An operand for which the series are good, and for which the result is finite. */
  static double operand(DeviceFunction function, int index, Random random) {
    if (function.parameters().get(index).equals("int")) {
      return random.nextInt(5);
    }
    double unit = random.nextDouble();
    double small = Math.pow(10, -10 * random.nextDouble());
    return switch (name(function)) {
      case "erfinv" -> random.nextBoolean() ? 2 * unit - 1 : 1 - small;
      case "erfcinv" -> random.nextBoolean() ? 2 * unit : small;
      case "normcdfinv" -> random.nextBoolean() ? unit : small;
      case "erfcx" -> 8 * unit - 3;
      case "y0", "y1", "yn" -> 0.1 + 12 * unit;
      case "j0", "j1", "jn", "cyl_bessel_i0", "cyl_bessel_i1" -> 40 * unit - 20;
      default -> Math.scalb(2 * unit - 1, random.nextInt(100));
    };
  }

  private static String name(DeviceFunction function) {
    String name = function.name();
    boolean isOfFloat = function.result().equals("float") && name.endsWith("f");
    return isOfFloat ? name.substring(0, name.length() - 1) : name;
  }

  static double of(DeviceFunction function, double[] a) {
    BigDecimal x = new BigDecimal(a[0]);
    BigDecimal last = new BigDecimal(a[a.length - 1]);
    return switch (name(function)) {
      case "erfinv" -> Math.abs(a[0]) == 1 ? a[0] / 0 : inverse(x).doubleValue();
      case "erfcinv" -> inverse(BigDecimal.ONE.subtract(x)).doubleValue();
      case "normcdfinv" ->
          inverse(TWO.multiply(x).subtract(BigDecimal.ONE))
              .multiply(TWO.sqrt(DIGITS), DIGITS)
              .doubleValue();
      case "erfcx" ->
          exp(x.multiply(x)).multiply(BigDecimal.ONE.subtract(erf(x)), DIGITS).doubleValue();
      case "j0" -> bessel(0, x, -1).doubleValue();
      case "j1" -> bessel(1, x, -1).doubleValue();
      case "jn" -> bessel((int) a[0], last, -1).doubleValue();
      case "cyl_bessel_i0" -> bessel(0, x, 1).doubleValue();
      case "cyl_bessel_i1" -> bessel(1, x, 1).doubleValue();
      case "y0" -> second(0, x);
      case "y1" -> second(1, x);
      case "yn" -> second((int) a[0], last);
      case "norm3d", "norm4d" -> length(a).doubleValue();
      case "rnorm3d", "rnorm4d" -> BigDecimal.ONE.divide(length(a), DIGITS).doubleValue();
      default -> throw new IllegalArgumentException("no reference for " + function);
    };
  }

  private static BigDecimal length(double[] a) {
    BigDecimal sum = BigDecimal.ZERO;
    for (double part : a) {
      sum = sum.add(new BigDecimal(part).pow(2));
    }
    return sum.sqrt(DIGITS);
  }

  private static boolean isSmall(BigDecimal term) {
    return term.abs().compareTo(new BigDecimal("1e-70")) < 0;
  }

  private static BigDecimal exp(BigDecimal x) {
    BigDecimal sum = BigDecimal.ONE;
    BigDecimal term = BigDecimal.ONE;
    for (int k = 1; !isSmall(term); k++) {
      term = term.multiply(x, DIGITS).divide(BigDecimal.valueOf(k), DIGITS);
      sum = sum.add(term);
    }
    return sum;
  }

  private static BigDecimal erf(BigDecimal x) {
    BigDecimal square = x.multiply(x, DIGITS);
    BigDecimal power = x;
    BigDecimal sum = x;
    for (int k = 1; k < 20 || !isSmall(power); k++) {
      power = power.multiply(square, DIGITS).divide(BigDecimal.valueOf(-k), DIGITS);
      sum = sum.add(power.divide(BigDecimal.valueOf(2L * k + 1), DIGITS));
    }
    return sum.multiply(TWO).divide(ROOT_OF_PI, DIGITS);
  }

  /** By halving, and then Newton's method. */
  private static BigDecimal inverse(BigDecimal x) {
    double low = -8;
    double high = 8;
    for (int i = 0; i < 30; i++) {
      double middle = (low + high) / 2;
      boolean isBelow = erf(new BigDecimal(middle)).compareTo(x) < 0;
      low = isBelow ? middle : low;
      high = isBelow ? high : middle;
    }
    BigDecimal y = new BigDecimal((low + high) / 2);
    for (int i = 0; i < 5; i++) {
      double slope = 2 / Math.sqrt(Math.PI) * Math.exp(-Math.pow(y.doubleValue(), 2));
      y = y.subtract(erf(y).subtract(x).divide(new BigDecimal(slope), DIGITS));
    }
    return y;
  }

  /** Of the first kind; {@code sign} is 1 for modified ones. */
  private static BigDecimal bessel(int order, BigDecimal x, int sign) {
    BigDecimal half = x.divide(TWO);
    BigDecimal square = half.multiply(half).multiply(BigDecimal.valueOf(sign));
    BigDecimal term = half.pow(order);
    for (int k = 2; k <= order; k++) {
      term = term.divide(BigDecimal.valueOf(k), DIGITS);
    }
    BigDecimal sum = term;
    for (int k = 1; k < 20 || !isSmall(term); k++) {
      term =
          term.multiply(square, DIGITS).divide(BigDecimal.valueOf((long) k * (k + order)), DIGITS);
      sum = sum.add(term);
    }
    return sum;
  }

  private static double second(int order, BigDecimal x) {
    double y0 = secondOfOrder(0, x);
    double y1 = secondOfOrder(1, x);
    if (order == 0) {
      return y0;
    }
    for (int n = 1; n < order; n++) {
      double next = 2 * n / x.doubleValue() * y1 - y0;
      y0 = y1;
      y1 = next;
    }
    return y1;
  }

  /** Of the second kind, of order 0 or 1. */
  private static double secondOfOrder(int order, BigDecimal x) {
    BigDecimal half = x.divide(TWO);
    BigDecimal term = order == 0 ? BigDecimal.ONE : half;
    BigDecimal harmonic = BigDecimal.ZERO; // 1 + 1/2 + ... + 1/k, and for order 1 also up to k + 1
    BigDecimal sum = order == 0 ? BigDecimal.ZERO : term;
    for (int k = 1; k < 20 || !isSmall(term); k++) {
      harmonic = harmonic.add(BigDecimal.ONE.divide(BigDecimal.valueOf(k), DIGITS));
      term =
          term.multiply(half.multiply(half).negate(), DIGITS)
              .divide(BigDecimal.valueOf((long) k * (k + order)), DIGITS);
      BigDecimal both =
          order == 0
              ? harmonic.multiply(TWO)
              : harmonic
                  .multiply(TWO)
                  .add(BigDecimal.ONE.divide(BigDecimal.valueOf(k + 1L), DIGITS));
      sum = sum.add(term.multiply(both, DIGITS));
    }
    double log = Math.log(half.doubleValue()) + EULER;
    double first = 2 * log * bessel(order, x, -1).doubleValue() - sum.doubleValue();
    return (order == 0 ? first : first - 2 / x.doubleValue()) / Math.PI;
  }
}
