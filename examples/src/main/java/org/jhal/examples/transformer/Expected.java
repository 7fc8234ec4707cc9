// SPDX-License-Identifier: Apache-2.0
package org.jhal.examples.transformer;

import java.util.Arrays;
import java.util.Locale;
import java.util.function.DoubleUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * What a text that a device has written should have come from.
 *
 * <p>Devices round to 32 bits, add in orders of their own, and have exponential functions of their
 * own. How much that changes the logits depends on the model, so it is measured: plain Java that
 * rounds to 32 bits is compared with plain Java in 64 bits, and a device may be {@value #FACTOR}
 * times as far off. A wrong kernel is off by a size that does not depend on the rounding, and is
 * found: the logits themselves are about a hundred thousand times what is allowed.
 *
 * <p>Immutable.
 */
final class Expected {
  private static final int FACTOR = 8;

  /** The largest relative error of rounding once to 32 bits. */
  private static final double UNIT = 0x1p-24;

  private final int[] tokens;
  private final int known;
  private final double[][] logits; // after each token but the last, exact
  private final double allowed;

  /**
   * Computes the logits after each token.
   *
   * @param tokens of a text, which a device has written
   * @param known how many of them are its prompt
   */
  Expected(Weights weights, int[] tokens, int known) {
    this.tokens = tokens.clone();
    this.known = known;
    logits = logits(weights, tokens, Reference.TO_64_BITS);
    double[][] rounded = logits(weights, tokens, Reference.TO_32_BITS);
    double most = 0;
    for (int i = 0; i < logits.length; i++) {
      most = Math.max(most, distance(logits[i], rounded[i]));
    }
    allowed = FACTOR * most;
  }

  private static double[][] logits(Weights weights, int[] tokens, DoubleUnaryOperator rounding) {
    Reference reference = new Reference(weights, rounding);
    double[][] all = new double[tokens.length - 1][];
    for (int i = 0; i < all.length; i++) {
      all[i] = reference.next(tokens[i]);
    }
    return all;
  }

  private static double distance(double[] one, double[] other) {
    double most = 0;
    for (int i = 0; i < one.length; i++) {
      most = Math.max(most, Math.abs(one[i] - other[i]));
    }
    return most;
  }

  /** Whether it is about these tokens. */
  boolean isFor(int[] others) {
    return Arrays.equals(tokens, others);
  }

  /** How far a logit may be off. */
  double allowed() {
    return allowed;
  }

  /** How far the logits after the last token but one are off. They depend on all tokens before. */
  double error(TransformerRun.Text text) {
    double[] last = new double[text.logits().length];
    for (int i = 0; i < last.length; i++) {
      last[i] = text.logits()[i];
    }
    return distance(logits[logits.length - 1], last);
  }

  /** What is wrong with a text of these tokens, or null if nothing is. */
  @Nullable String problem(TransformerRun.Text text) {
    double error = error(text);
    if (!(error <= allowed)) {
      return say("a logit is off by %.2g", error);
    }
    for (int i = 0; i < logits.length; i++) {
      double best = Arrays.stream(logits[i]).max().orElseThrow();
      if (i + 1 >= known && !(logits[i][tokens[i + 1]] >= best - 2 * allowed)) {
        return say("token %d is not the most probable one", i + 1);
      }
      double sum = Arrays.stream(logits[i]).map(logit -> Math.exp(logit - best)).sum();
      double off = Math.abs(text.chances()[i] * sum - 1);
      // The logits are off, and as many numbers as there are tokens are rounded and added.
      if (!(off <= Math.expm1(2 * allowed) + (logits[i].length + 8) * UNIT)) {
        return say("the probability of token %d is off by %.2g of it", i + 1, off);
      }
    }
    return null;
  }

  private static String say(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }
}
