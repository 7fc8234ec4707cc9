// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.jhal.cpu.translate.Declarations.Declarator;
import org.jhal.cpu.translate.Statement.Barrier;
import org.jhal.cpu.translate.Statement.BarrierScope;
import org.jhal.cpu.translate.Statement.Block;
import org.jhal.cpu.translate.Statement.For;
import org.jhal.cpu.translate.Statement.If;
import org.jhal.cpu.translate.Statement.Variables;

/**
 * Loop interchange: puts the loop over the items inside a loop of the kernel, where compilers
 * vectorize it. Each iteration runs for all items before the next one does, as if the loop ended
 * with a barrier, which is one of the orders in which items may run. So
 *
 * <pre>{@code
 * for (int k = 0; k < n; k++) sum += a[k] * b[k * n + x];
 * for (int i = item; i < n; i += 256) sum += in[i];
 * }</pre>
 *
 * <p>become
 *
 * <pre>{@code
 * for (int k = 0; hal_any_active && k < n; k++) { sum += a[k] * b[k * n + x]; barrier }
 *
 * int steps = 0;
 * for (; hal_all_active && "all have i < n"; steps += 256) { int i = item + steps; sum += in[i]; barrier }
 * for (int i = item + steps; i < n; i += 256) sum += in[i];
 * }</pre>
 *
 * <p>where {@code hal_any_active} and {@code hal_all_active} say whether items of the workgroup are
 * active. In the second loop all have {@code i < n} if the first item and the last one do, and
 * {@code i} has not overflowed between them.
 *
 * <p>What orders items would make that another program: a kernel with atomic operations, fences or
 * {@code volatile} is left alone. Excepted are atomic operations that only make sums of integers
 * and have no result: no item learns from them, before a barrier, what others have done, and the
 * sums are the same.
 */
final class LoopInterchange {
  /** The names of variables that say whether all items are active begin so. */
  static final String ALL_ACTIVE = "hal_all_active";

  /** The same for those that say whether any is. */
  static final String ANY_ACTIVE = "hal_any_active";

  /** Iterations that compilers unroll, so that a loop of no more stays as it is. */
  private static final int FEW = 16;

  private final Purity purity;
  private final Source source;
  private final StrideAnalysis strides;
  private final int width;
  private final boolean isRow;
  private final Set<For> excluded = Collections.newSetFromMap(new IdentityHashMap<>());
  private final List<For> originals = new ArrayList<>();
  private final List<For> interchanged = new ArrayList<>(); // in the order of the originals
  private int number;

  /**
   * For a kernel.
   *
   * @param width of the workgroup along the first axis, in items
   * @param isRow whether the workgroup is no wider along the other axes than one item
   */
  LoopInterchange(Purity purity, Source source, StrideAnalysis strides, int width, boolean isRow) {
    this.purity = purity;
    this.source = source;
    this.strides = strides;
    this.width = width;
    this.isRow = isRow;
  }

  /** The statements with interchanged loops; empty if there are none. */
  List<Statement> interchange(List<Statement> statements) throws UnfitException {
    originals.clear();
    interchanged.clear();
    List<Statement> all = list(statements);
    return interchanged.isEmpty() ? List.of() : all;
  }

  /** Whether the interchanged loops are uniform. Those that are not stay as they are next time. */
  boolean isConvergent(UniformityAnalysis uniform) {
    int before = excluded.size();
    for (int i = 0; i < interchanged.size(); i++) {
      if (!uniform.isConvergent(interchanged.get(i))) {
        excluded.add(originals.get(i));
      }
    }
    return excluded.size() == before;
  }

  private List<Statement> list(List<Statement> statements) throws UnfitException {
    List<Statement> all = new ArrayList<>();
    for (Statement statement : statements) {
      all.add(one(statement));
    }
    return all;
  }

  private Statement one(Statement statement) throws UnfitException {
    if (statement instanceof Block block) {
      return new Block(list(block.statements()), block.at());
    }
    if (statement instanceof If choice && !choice.isConstant()) {
      Statement otherwise = choice.otherwise();
      return new If(
          false,
          choice.condition(),
          one(choice.then()),
          otherwise == null ? null : one(otherwise),
          choice.at());
    }
    if (statement instanceof For loop) {
      if (!loop.hasBarrier()) {
        return excluded.contains(loop) ? loop : loop(loop);
      }
      return new For(loop.start(), loop.condition(), loop.step(), one(loop.body()), loop.at());
    }
    return statement;
  }

  private Statement loop(For loop) throws UnfitException {
    if (!(loop.start() instanceof Variables start) || !countsOnly(loop)) {
      return loop;
    }
    Declarator counter = start.declaration().declarators().get(0);
    String name = counter.name().text();
    List<Token> first = Privatization.initial(counter);
    int stride = strides.stride(first);
    boolean isInterchanged =
        (stride == 0 ? !isShort(loop, name, first) : stride == 1 && isRow)
            && strides.isVectorizable(loop, name, first);
    return !isInterchanged
        ? loop
        : stride == 0 ? uniform(loop) : strided(loop, start, counter, first);
  }

  /**
   * Whether a loop, and each inside it, has one integer as counter, which its body leaves alone.
   */
  private boolean countsOnly(Statement statement) {
    if (statement instanceof For loop) {
      if (!(loop.start() instanceof Variables start)
          || start.declaration().declarators().size() != 1
          || start.declaration().is("const")
          || !Declarations.isInteger(start.declaration().type())) {
        return false;
      }
      Declarator counter = start.declaration().declarators().get(0);
      String name = counter.name().text();
      List<Token> body = new ArrayList<>();
      loop.body().collect(body);
      Changes changes = purity.changes(body, source);
      if (!counter.pointers().isEmpty()
          || !counter.dimensions().isEmpty()
          || !Tokens.is(counter.initial(), 0, "=")
          || changes.isAssigned(name)
          || changes.isEscaping(name)) {
        return false;
      }
    }
    return statement.inner().stream().allMatch(this::countsOnly);
  }

  /** Whether compilers may know that a loop has few iterations. */
  private boolean isShort(For loop, String name, List<Token> first) {
    List<Token> condition = loop.condition();
    List<Token> limit = condition.subList(Math.min(2, condition.size()), condition.size());
    boolean isDown = loop.step().stream().anyMatch(token -> token.is("--"));
    if (!isConstant(limit) || (isDown && !isConstant(first))) {
      return false;
    }
    boolean isUp =
        Tokens.is(condition, 0, name)
            && (Tokens.is(condition, 1, "<") || Tokens.is(condition, 1, "<="))
            && first.size() == 1
            && first.get(0).is("0")
            && loop.step().size() == 2;
    if (Tokens.text(limit).replace(" ", "").equals("blockDim.x")) {
      return !isUp || width <= FEW;
    }
    return !isUp
        || limit.size() != 1
        || !limit.get(0).text().matches("\\d{2,9}[uU]?")
        || Long.parseLong(limit.get(0).text().replaceAll("[uU]", "")) <= FEW;
  }

  private boolean isConstant(List<Token> tokens) {
    return tokens.stream()
        .allMatch(
            token ->
                token.kind() == Token.Kind.NUMBER
                    || token.kind() == Token.Kind.MARK
                    || (purity.isConstantOutside(token.text())
                        && !token.is("blockIdx")
                        && !token.is("gridDim")));
  }

  private static Statement active(String variable, Token at) throws UnfitException {
    List<Statement> declared = new ArrayList<>();
    Generated.add(Generated.tokens("const bool " + variable + " = true", at), declared);
    return declared.get(0);
  }

  private Statement withBarrier(For loop, Statement... before) throws UnfitException {
    List<Statement> all = new ArrayList<>(List.of(before));
    all.add(one(loop.body()));
    all.add(new Barrier(loop.at(), BarrierScope.HERE));
    return new Block(all, loop.at());
  }

  /** A loop whose induction variable is uniform. */
  private Statement uniform(For loop) throws UnfitException {
    String anyActive = ANY_ACTIVE + ++number;
    Token at = loop.at();
    List<Token> condition = Generated.tokens(anyActive + " && (", at);
    List<Token> all = new ArrayList<>(condition);
    all.addAll(loop.condition());
    all.add(Token.mark(")", at));
    For whole = new For(loop.start(), all, loop.step(), withBarrier(loop), at);
    originals.add(loop);
    interchanged.add(whole);
    return new Block(List.of(active(anyActive, at), whole), at);
  }

  /** A loop whose induction variable has stride 1 across items, and rises by as much for all. */
  private Statement strided(For loop, Variables start, Declarator counter, List<Token> from)
      throws UnfitException {
    String name = counter.name().text();
    List<Token> lowest = strides.at(from, "0u");
    List<Token> highest = strides.at(from, "(hal_width - 1u)");
    List<Token> step = loop.step();
    boolean isPrefix = Changes.isStep(Tokens.get(step, 0));
    boolean rises =
        Tokens.is(step, isPrefix ? 1 : 0, name)
            && (isPrefix || Tokens.is(step, 1, "+=") || Tokens.is(step, 1, "++"))
            && step.stream().filter(token -> token.is(name)).count() == 1
            && !Tokens.is(step, 0, "--")
            && Tokens.find(step, 0, ",") == step.size();
    boolean isLimited =
        Tokens.is(loop.condition(), 0, name)
            && (Tokens.is(loop.condition(), 1, "<") || Tokens.is(loop.condition(), 1, "<="))
            && loop.condition().stream().skip(2).allMatch(LoopInterchange::isOfLimit)
            && loop.condition().stream().filter(token -> token.is(name)).count() == 1;
    if (lowest == null || highest == null || !rises || !isLimited) {
      return loop;
    }
    Token at = loop.at();
    String id = "" + ++number;
    String allActive = ALL_ACTIVE + id;
    String type = Tokens.code(start.declaration().plainType());
    String steps = "hal_steps" + id;
    String low = "(%s)(hal_low%s + %s)".formatted(type, id, steps);
    String high = "(%s)(hal_high%s + %s)".formatted(type, id, steps);
    List<Statement> all = new ArrayList<>();
    declare("const " + type + " hal_low" + id + " =", lowest, at, all);
    declare("const " + type + " hal_high" + id + " =", highest, at, all);
    Generated.add(Generated.tokens(type + " " + steps + " = 0", at), all);
    all.add(active(allActive, at));
    List<Token> limit = loop.condition().subList(1, loop.condition().size());
    List<Token> condition = new ArrayList<>();
    condition.addAll(
        Generated.tokens(
            "%s && !(%s < 0) && %s >= %s && %s".formatted(allActive, low, high, low, low), at));
    condition.addAll(limit);
    condition.addAll(Generated.tokens("&& " + high, at));
    condition.addAll(limit);
    List<Token> further =
        step.stream().map(token -> token.is(name) ? token.named(steps) : token).toList();
    List<Statement> own = new ArrayList<>();
    List<Token> value = new ArrayList<>(from);
    value.add(Token.mark(")", at));
    value.addAll(Generated.tokens("+ " + steps, at));
    declare("const " + type + " " + name + " = (", value, at, own);
    For whole = new For(null, condition, further, withBarrier(loop, own.get(0)), at);
    originals.add(loop);
    interchanged.add(whole);
    all.add(whole);
    List<Statement> begin = new ArrayList<>();
    declare(type + " " + name + " = (", value, at, begin);
    For rest = new For(begin.get(0), loop.condition(), step, loop.body(), at);
    all.add(Scopes.again(rest, "hal_rest" + id + "_"));
    all.add(new Barrier(at, BarrierScope.HERE));
    return new Block(all, at);
  }

  /** Whether a limit may have this token, behind which no other comparison follows. */
  private static boolean isOfLimit(Token token) {
    return token.kind() != Token.Kind.MARK
        || Set.of("+", "-", "*", "(", ")", ".").contains(token.text());
  }

  private static void declare(String name, List<Token> value, Token at, List<Statement> to)
      throws UnfitException {
    List<Token> tokens = new ArrayList<>(Generated.tokens(name, at));
    tokens.addAll(value);
    Generated.add(tokens, to);
  }
}
