// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.arithmetic;

import java.util.Locale;
import java.util.Set;
import org.jhal.Capability;
import org.jhal.Device;
import org.jhal.cts.arithmetic.DialectFunction.Judgement;

/**
 * The results of a function on a device, compared with what they should be: the exact values for
 * {@link Judgement#NEAR}, and otherwise those that a GPU has computed.
 *
 * @param function whose results they are
 * @param different how many results are wrong, or for {@link Judgement#OPEN} differ
 * @param largest the largest distance of all results, in units in the last place; for integers
 *     their difference
 * @param example one of the wrong or different results, or the farthest one, for people; empty if
 *     all bits are equal
 */
public record Comparison(DialectFunction function, int different, long largest, String example) {
  private static final int SIGN_OF_ZERO = 1; // among the units of a function, that of a zero counts

  /**
   * Which results are compared.
   *
   * @param saturating those of conversions of numbers outside the range of the integer, too
   * @param subnormal those of which the operands, or the right result, are subnormal, too
   * @param all conversions of NaN in which GPUs differ, too
   */
  public record Scope(boolean saturating, boolean subnormal, boolean all) {
    /** What a device must have. */
    public static Scope required(Device device) {
      Set<Capability> capabilities = device.capabilities();
      return new Scope(
          capabilities.contains(Capability.SATURATING_CASTS),
          capabilities.contains(Capability.SUBNORMALS),
          false);
    }

    /** All results but those in which devices without {@link Capability#SUBNORMALS} may differ. */
    public static Scope all(Device device) {
      return new Scope(true, device.capabilities().contains(Capability.SUBNORMALS), true);
    }

    /** The same without conversions of numbers outside the range of the integer. */
    public Scope withoutSaturation() {
      return new Scope(false, subnormal, all);
    }
  }

  /**
   * Compares the results of one function.
   *
   * @param bits of the device, for all tuples of the operands
   */
  public static Comparison of(
      DialectFunction function, long[] bits, Results measured, Results exact, Scope scope) {
    Operands.Tuples tuples = function.operands().tuples();
    ResultType type = function.result();
    Results reference = function.judgement() == Judgement.NEAR ? exact : measured;
    long[] wanted = reference.bits().get(function.name());
    if (wanted == null) {
      throw new IllegalArgumentException("no results of " + function.name());
    }
    int different = 0;
    long largest = 0;
    int at = -1;
    for (int i = 0; i < bits.length; i++) {
      if (bits[i] == wanted[i] || !isCompared(function, tuples, i, wanted[i], scope)) {
        continue;
      }
      if (type.isNan(bits[i]) && type.isNan(wanted[i]) && function.judgement() != Judgement.SAME) {
        continue;
      }
      long distance = Math.max(SIGN_OF_ZERO, type.distance(bits[i], wanted[i]));
      boolean isWrong = distance > function.units();
      different += isWrong ? 1 : 0;
      if (distance > largest) {
        largest = distance;
        at = i;
      }
    }
    return new Comparison(
        function, different, largest, at < 0 ? "" : example(function, tuples, at, bits, wanted));
  }

  private static boolean isCompared(
      DialectFunction function, Operands.Tuples tuples, int i, long wanted, Scope scope) {
    if (!scope.subnormal
        && (function.result().isSubnormal(wanted) || function.hasSubnormal(tuples, i))) {
      return false;
    }
    boolean converts =
        function.judgement() == Judgement.INSIDE || function.judgement() == Judgement.SATURATED;
    if (!converts || scope.all) {
      return true;
    }
    double operand = function.operand(tuples, i);
    if (Double.isNaN(operand)) {
      boolean isZero = function.result() == ResultType.U32 && !function.isOfDouble();
      return isZero && (scope.saturating || function.judgement() == Judgement.SATURATED);
    }
    return scope.saturating
        || function.judgement() == Judgement.SATURATED
        || isInside(function.range(), operand);
  }

  /** Whether a conversion to an integer type, such as {@code u8}, is defined by C++. */
  private static boolean isInside(String range, double operand) {
    int bits = Integer.parseInt(range.substring(1));
    boolean isSigned = range.startsWith("i");
    double whole = operand < 0 ? Math.ceil(operand) : Math.floor(operand);
    return isSigned
        ? whole >= -Math.scalb(1.0, bits - 1) && whole < Math.scalb(1.0, bits - 1)
        : whole >= 0 && whole < Math.scalb(1.0, bits);
  }

  private static String example(
      DialectFunction function, Operands.Tuples tuples, int i, long[] bits, long[] wanted) {
    return String.format(
        Locale.ROOT,
        "%s for %s is %s, not %s",
        function.expression(),
        function.describe(tuples, i),
        function.result().text(bits[i]),
        function.result().text(wanted[i]));
  }
}
