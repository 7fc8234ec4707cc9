// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jhal.cpu.translate.Declarations.Declarator;
import org.jhal.cpu.translate.Statement.Block;
import org.jhal.cpu.translate.Statement.If;
import org.jhal.cpu.translate.Statement.Plain;
import org.jhal.cpu.translate.Statement.Variables;
import org.jspecify.annotations.Nullable;

/**
 * Finds loops of which items make several iterations in a row: in {@code for (k...) sum += a[k] *
 * b[k * n + x];}, with its loop over the items inside ({@link LoopInterchange}), each iteration
 * reads and writes the sums of all items. With four at a time, that happens for every fourth.
 *
 * <p>Each item makes its iterations in their order, and nobody can tell how far others are: only
 * such loops are interchanged. The steps and the conditions of the further iterations are computed
 * before the first one is made. So they must read no memory, and nothing that the body changes.
 *
 * <p>It pays where the body changes nothing but numbers that are live across iterations, and its
 * own variables. Where it writes memory, compilers would have to find out for each pair of accesses
 * that they are apart.
 */
final class UnrollAndJam {
  /** The most tokens of a body, which is written several times. */
  private static final int MOST = 120;

  /** The most tokens of one that is written more often. */
  private static final int FEW = 60;

  private final Purity purity;
  private final Source source;

  UnrollAndJam(Purity purity, Source source) {
    this.purity = purity;
    this.source = source;
  }

  /**
   * Such a loop.
   *
   * @param region its body
   * @param times how many iterations are made in a row, as long as so many are left, and then
   * @param counter its name
   * @param kept variables that its body changes and that are live across iterations
   */
  record Jam(
      Step.Loop loop,
      Step.Region region,
      List<Integer> times,
      String counter,
      List<Variable> kept) {
    /** The step with another name for the counter. */
    String step(String name) {
      return renamed(loop.step, name);
    }

    /** The condition with another name for the counter. */
    String condition(String name) {
      return renamed(loop.condition, name);
    }

    private String renamed(List<Token> tokens, String name) {
      List<Token> all = new ArrayList<>(tokens);
      for (int i = 0; i < all.size(); i++) {
        if (all.get(i).is(counter) && !Tokens.isMember(tokens, i)) {
          all.set(i, all.get(i).named(name));
        }
      }
      return Tokens.code(all);
    }
  }

  /** A loop as one; null if it is none. */
  @Nullable Jam of(Step.Loop loop) {
    Step.Region region = region(loop.body);
    String first = Tokens.get(loop.condition, 0).text();
    boolean isInterchanged =
        first.startsWith(LoopInterchange.ANY_ACTIVE)
            || first.startsWith(LoopInterchange.ALL_ACTIVE);
    if (region == null
        || !isInterchanged
        || !loop.isConvergent
        || loop.hasBreaks
        || loop.hasContinues
        || loop.mayBecomeEmpty) {
      return null;
    }
    List<Token> body = new ArrayList<>();
    region.statements.forEach(statement -> statement.collect(body));
    Changes changes = purity.changes(body, source);
    String counter = counter(loop.step, name -> isFixed(name, changes));
    if (counter == null
        || body.size() > MOST
        || !purity.isPure(loop.condition, name -> isFixed(name, changes))) {
      return null;
    }
    List<Variable> kept =
        region.uses.stream()
            .filter(use -> isNumber(use) && changes.isAssigned(use.name()))
            .toList();
    Set<String> names = new HashSet<>();
    kept.forEach(variable -> names.add(variable.name()));
    return !kept.isEmpty() && changesOnly(region.statements, names)
        ? new Jam(loop, region, body.size() > FEW ? List.of(4) : List.of(8, 4), counter, kept)
        : null;
  }

  /** The region that a body consists of; null if there are others. */
  private static Step.@Nullable Region region(List<Step> body) {
    if (body.size() != 1) {
      return null;
    }
    if (body.get(0) instanceof Step.Scope scope) {
      return region(scope.steps());
    }
    return body.get(0) instanceof Step.Region region
            && !region.isGuarded()
            && !region.isLockstep
            && region.residue == null
            && region.declares.stream().allMatch(each -> each.kind == Variable.Kind.PRIVATE)
        ? region
        : null;
  }

  /** What a step changes; null if its effect is not known. */
  private @Nullable String counter(List<Token> step, Purity.Allowed fixed) {
    boolean isBy = Tokens.is(step, 1, "+=") || Tokens.is(step, 1, "-=");
    if (isBy ? !purity.isPure(step.subList(2, step.size()), fixed) : step.size() != 2) {
      return null;
    }
    Token first = step.get(0);
    boolean isOne = Changes.isStep(first) || Tokens.is(step, 1, "++") || Tokens.is(step, 1, "--");
    Token name = Changes.isStep(first) ? step.get(1) : first;
    return (isBy || isOne) && name.isWord() ? name.text() : null;
  }

  /** Whether a name stands for the same number before and after an iteration. */
  private boolean isFixed(String name, Changes body) {
    return purity.isConstantOutside(name)
        || (DelayedAdds.isNumber(purity.type(name))
            && !body.isAssigned(name)
            && !purity.changes().isEscaping(name));
  }

  /** Whether a variable is a number for each item that nothing points to. */
  private boolean isNumber(Variable variable) {
    Declarator declarator = variable.declarator;
    return variable.kind == Variable.Kind.EXPANDED
        && variable.original() == null
        && declarator.pointers().isEmpty()
        && declarator.dimensions().isEmpty()
        && DelayedAdds.isNumber(variable.declaration.type())
        && !purity.changes().isEscaping(variable.name());
  }

  /** Whether statements change nothing but some variables, and those that they declare. */
  private boolean changesOnly(List<Statement> statements, Set<String> names) {
    for (Statement statement : statements) {
      if (statement instanceof Variables variables) {
        for (Declarator each : variables.declaration().declarators()) {
          names.add(each.name().text());
        }
      }
      boolean isKnown =
          statement instanceof Plain
              || statement instanceof Variables
              || statement instanceof Block
              || (statement instanceof If choice && !choice.isConstant());
      List<Token> own = new ArrayList<>();
      statement.own(own);
      if (!isKnown
          || !expressionChangesOnly(own, names)
          || !changesOnly(statement.inner(), names)) {
        return false;
      }
    }
    return true;
  }

  private boolean expressionChangesOnly(List<Token> tokens, Set<String> names) {
    for (int i = 0; i < tokens.size(); i++) {
      Token token = tokens.get(i);
      Token next = Tokens.get(tokens, i + 1);
      Token target = Changes.isStep(token) && next.isWord() ? next : Tokens.get(tokens, i - 1);
      boolean isChange = Changes.isAssignment(token) || Changes.isStep(token);
      boolean isCall = token.isWord() && next.is("(") && source.isFunction(token.text());
      if (isCall || token.is("{") || (isChange && !names.contains(target.text()))) {
        return false;
      }
    }
    return true;
  }
}
