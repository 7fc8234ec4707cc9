// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Recognizes monotonic conditions: those that hold for all items of a workgroup if they hold for
 * the first and the last one, such as {@code i < n} behind {@code int i = blockIdx.x * blockDim.x +
 * threadIdx.x}: an expression that grows with the item's index along each axis is compared with an
 * upper limit that is the same for all.
 *
 * <p>Such an expression is a sum of products of indexes and small numbers. So it grows, unless a
 * type overflows; then the last item has a smaller value than the first one, which is looked at
 * when the kernel runs. This needs an expression that overflows at most once, with all variables
 * that it is computed from.
 */
final class MonotonicConditions {
  private static final Set<String> INDEXES = Set.of("threadIdx");

  /**
   * How much an expression may grow from one index to the next, with all axes together: with at
   * most 2048 items along each it grows by less than 2 to the power of 32, and so overflows at most
   * once.
   */
  private static final long MOST = 1 << 21;

  private static final long UNKNOWN = MOST + 1;

  private final Predicate<List<Token>> isUniform;
  private final Function<String, @Nullable Variable> variables;
  private final List<List<Token>> found = new ArrayList<>();

  /**
   * A search.
   *
   * @param isUniform whether an expression is the same for all items
   * @param variables finds variables that may be rematerialized
   */
  MonotonicConditions(
      Predicate<List<Token>> isUniform, Function<String, @Nullable Variable> variables) {
    this.isUniform = isUniform;
    this.variables = variables;
  }

  /**
   * The growing expressions of a condition; null if it is of another kind.
   *
   * @param isLeaving whether items leave for which it is true; otherwise they stay
   */
  @Nullable List<List<Token>> in(List<Token> condition, boolean isLeaving) {
    if (Tokens.find(condition, 0, "?", ",") < condition.size()) {
      return null; // which bind less than what the condition is split at
    }
    for (List<Token> part : Tokens.split(condition, isLeaving ? "||" : "&&")) {
      if (!isUniform.test(part) && !isLimited(part, isLeaving)) {
        return null;
      }
    }
    return found.isEmpty() ? null : found;
  }

  private boolean isLimited(List<Token> comparison, boolean isLeaving) {
    if (Tokens.is(comparison, 0, "!")
        && Tokens.is(comparison, 1, "(")
        && Tokens.close(comparison, 1) == comparison.size() - 1) {
      return isLimited(comparison.subList(2, comparison.size() - 1), !isLeaving);
    }
    int at = Tokens.isComparison(comparison) ? comparedAt(comparison) : -1;
    if (at < 0) {
      return false;
    }
    Token mark = comparison.get(at);
    boolean isLess = mark.is("<") || mark.is("<=");
    boolean isLeftGrowing = isLess != isLeaving;
    List<Token> left = comparison.subList(0, at);
    List<Token> right = comparison.subList(at + 1, comparison.size());
    List<Token> growing = isLeftGrowing ? left : right;
    found.add(growing);
    return growth(growing) <= MOST && isUniform.test(isLeftGrowing ? right : left);
  }

  /** Where the mark of the only comparison by order is; -1 if there is none, or several. */
  private static int comparedAt(List<Token> comparison) {
    int found = -1;
    for (int i = 0; i < comparison.size(); i++) {
      Token token = comparison.get(i);
      if (token.is("static_cast") && Tokens.is(comparison, i + 1, "<")) {
        i = Math.max(i, Tokens.closeAngle(comparison, i + 1));
      } else if (Tokens.isOpen(token)) {
        i = Tokens.close(comparison, i);
      } else if (token.is("<") || token.is("<=") || token.is(">") || token.is(">=")) {
        if (found >= 0) {
          return -1;
        }
        found = i;
      }
    }
    return found;
  }

  /** By how much a sum grows at most from one index to the next; {@link #UNKNOWN} if more. */
  private long growth(List<Token> sum) {
    if (sum.isEmpty() || !Tokens.isSum(sum)) {
      return UNKNOWN;
    }
    long growth = 0;
    for (List<Token> term : Tokens.split(sum, "+")) {
      growth = limited(growth + (isUniform.test(term) ? 0 : growthOfTerm(term)));
    }
    return growth;
  }

  private static long limited(long growth) {
    return Math.min(growth, UNKNOWN);
  }

  /** One factor differs between the items; the others are numbers. */
  private long growthOfTerm(List<Token> product) {
    long growth = 1;
    int growing = 0;
    for (List<Token> factor : Tokens.split(product, "*")) {
      List<Token> value = withoutCast(factor);
      if (value.size() == 1 && value.get(0).kind() == Token.Kind.NUMBER) {
        growth *= number(value.get(0).text());
      } else if (Tokens.is(value, 0, "blockDim") && value.size() == 3) {
        growth *= 1024;
      } else {
        long ofFactor = growthOfFactor(value);
        if (ofFactor == UNKNOWN || ++growing > 1) {
          return UNKNOWN;
        }
        growth *= ofFactor;
      }
      growth = limited(growth);
    }
    return growth;
  }

  /** Its value; more than is allowed if it is no plain integer. */
  private static long number(String text) {
    String digits = text.replaceAll("[uUlL]+$", "");
    return digits.matches("\\d{1,9}") ? Long.parseLong(digits) : UNKNOWN;
  }

  private static List<Token> withoutCast(List<Token> factor) {
    if (!Tokens.is(factor, 0, "(")) {
      return factor;
    }
    int close = Tokens.close(factor, 0);
    boolean isType = Declarations.isInteger(factor.subList(1, Math.min(close, factor.size())));
    return isType && close + 1 < factor.size()
        ? withoutCast(factor.subList(close + 1, factor.size()))
        : factor;
  }

  private long growthOfFactor(List<Token> factor) {
    if (Tokens.is(factor, 0, "(") && Tokens.close(factor, 0) == factor.size() - 1) {
      return growth(factor.subList(1, factor.size() - 1));
    }
    if (factor.size() == 3 && Tokens.is(factor, 1, ".")) {
      return INDEXES.contains(factor.get(0).text()) ? 1 : UNKNOWN;
    }
    if (factor.size() != 1 || !factor.get(0).isWord()) {
      return UNKNOWN;
    }
    Variable variable = variables.apply(factor.get(0).text());
    boolean isKnown =
        variable != null
            && variable.isRematerializable
            && variable.declarator.pointers().isEmpty()
            && (variable.declaration.is("auto")
                || Declarations.isInteger(variable.declaration.plainType()))
            && Tokens.is(variable.declarator.initial(), 0, "=");
    return isKnown ? growth(Privatization.initial(variable.declarator)) : UNKNOWN;
  }
}
