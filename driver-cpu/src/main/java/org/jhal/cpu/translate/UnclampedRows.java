// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jhal.cpu.translate.Declarations.Declaration;
import org.jhal.cpu.translate.Declarations.Declarator;
import org.jhal.cpu.translate.Statement.If;
import org.jhal.cpu.translate.Statement.Variables;
import org.jspecify.annotations.Nullable;

/**
 * Finds out whether a loop over rows of a few vectors can do without clamps, although it goes
 * through all items: {@code if (x > 0) a[max(x - 1, 0)]} can, since the clamp acts only for an item
 * that does not pass the guard. Compilers read {@code a[x - 1]} for a row at once, and with a clamp
 * item by item.
 *
 * <p>When the kernel runs, each item outside the range in which no clamp acts ({@link InnerRanges})
 * must fail the guard: the branch, without {@code else}, in which all clamps are, or all uses of
 * the variables that begin with one. What such a variable then has for an item that fails is no
 * matter, since nobody uses it, and nor is how it came to that: it is computed from numbers,
 * without a division. If there is no such branch, there must be no item outside the range.
 */
final class UnclampedRows {
  private final InnerRanges ranges;

  UnclampedRows(InnerRanges ranges) {
    this.ranges = ranges;
  }

  /**
   * A region without its clamps.
   *
   * @param range what its items have without them
   * @param guard an expression of C++ that is true for all items that may see a clamp
   */
  record Rows(InnerRanges.Range range, String guard) {
    /** What computes {@code hal_clamps}: whether an item may see a clamp that acts. */
    String test() {
      boolean isSame = range.isSameInRows() && InnerRanges.isSameInRows(guard);
      return " HAL_CLAMPS_BEGIN(%s)%s HAL_CLAMPS_OUTSIDE hal_clamps |= %s; HAL_CLAMPS_END"
          .formatted(isSame, range.bounds(), guard);
    }
  }

  /**
   * For the region without what is the same for all items.
   *
   * @param isPassed whether all items pass the guard of the region
   * @return null if there is no clamp
   */
  @Nullable Rows of(Step.Region region, boolean isPassed) {
    InnerRanges.Range range = ranges.clampsOf(region, isPassed);
    if (!range.hasBounds()) {
      return null;
    }
    If guard = guard(region);
    return new Rows(range, guard == null ? "true" : range.passes(guard.condition()));
  }

  /**
   * The branch with all clamps, or with all uses of what begins with one; null if there is none.
   */
  private @Nullable If guard(Step.Region region) {
    Set<String> clamped = clamped(region);
    for (Variable use : region.uses) {
      if (use.kind == Variable.Kind.REMATERIALIZED
          && !isHarmless(use.declaration, use.declarator, clamped)) {
        return null;
      }
    }
    If guard = null;
    for (Statement statement : region.statements) {
      if (!isOwn(statement, region, clamped) && isClamped(tokens(statement), clamped)) {
        if (guard != null || !(statement instanceof If choice) || !isGuard(choice, clamped)) {
          return null;
        }
        guard = choice;
      }
    }
    return guard;
  }

  /** The variables that begin with a clamp, or with what such a variable has. */
  private static Set<String> clamped(Step.Region region) {
    List<Declarator> all = new ArrayList<>();
    for (Variable use : region.uses) {
      if (use.kind == Variable.Kind.REMATERIALIZED) {
        all.add(use.declarator);
      }
    }
    for (Statement statement : region.statements) {
      if (statement instanceof Variables variables) {
        all.addAll(variables.declaration().declarators());
      }
    }
    Set<String> clamped = new HashSet<>();
    while (all.removeIf(
        each -> isClamped(each.initial(), clamped) && clamped.add(each.name().text()))) {}
    return clamped;
  }

  private static boolean isGuard(If choice, Set<String> clamped) {
    return !choice.isConstant()
        && choice.otherwise() == null
        && !isClamped(choice.condition(), clamped);
  }

  /**
   * Whether a statement declares variables which only this region uses as they are here, and which
   * an item may begin with anything.
   */
  private boolean isOwn(Statement statement, Step.Region region, Set<String> clamped) {
    return statement instanceof Variables variables
        && region.declares.stream()
            .noneMatch(
                variable ->
                    variable.kind == Variable.Kind.EXPANDED
                        && variables.declaration().declarators().contains(variable.declarator))
        && variables.declaration().declarators().stream()
            .allMatch(each -> isHarmless(variables.declaration(), each, clamped));
  }

  private boolean isHarmless(Declaration declaration, Declarator declarator, Set<String> clamped) {
    return !isClamped(declarator.initial(), clamped) || ranges.isHarmless(declaration, declarator);
  }

  private static boolean isClamped(List<Token> tokens, Set<String> clamped) {
    return tokens.stream()
        .anyMatch(token -> token.is("min") || token.is("max") || clamped.contains(token.text()));
  }

  private static List<Token> tokens(Statement statement) {
    List<Token> all = new ArrayList<>();
    statement.collect(all);
    return all;
  }
}
