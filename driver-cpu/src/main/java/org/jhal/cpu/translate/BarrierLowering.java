// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jhal.cpu.translate.Statement.Barrier;
import org.jhal.cpu.translate.Statement.BarrierScope;
import org.jhal.cpu.translate.Statement.Block;
import org.jhal.cpu.translate.Statement.Do;
import org.jhal.cpu.translate.Statement.For;
import org.jhal.cpu.translate.Statement.If;
import org.jhal.cpu.translate.Statement.Jump;
import org.jhal.cpu.translate.Statement.Opaque;
import org.jhal.cpu.translate.Statement.Plain;
import org.jhal.cpu.translate.Statement.Variables;
import org.jspecify.annotations.Nullable;

/**
 * Lowers each call at which work items synchronize to a {@link Barrier}. What the items of a warp
 * exchange goes into a variable before a barrier, and is read from the elements of other items
 * behind it. A function in which items meet is inlined where it is called.
 */
final class BarrierLowering {
  /** The names of variables that other items read begin so. */
  static final String EXCHANGED = "hal_exchanged";

  /** The names of variables that the workgroup has of all that its warps exchange begin so. */
  static final String OF_WARPS = "hal_warps";

  /** The names of variables that say what all items have agreed on begin so. */
  static final String AGREED = "hal_agreed";

  private static final Set<String> UNEVALUATED =
      Set.of("sizeof", "alignof", "decltype", "noexcept", "typeid", "__typeof__", "__alignof__");

  private final CallGraph calls;
  private final Set<String> inlined; // functions that are inlined although no items meet in them
  private final WarpFunctions warpFunctions = new WarpFunctions(this);
  private final Inliner inliner;
  private final EvaluationOrder order;
  private final Set<String> mayChange = new HashSet<>(); // what a name stands for, by others
  private final Set<String> classes = new HashSet<>();
  private final Set<String> grids = new HashSet<>(); // variables that are grids
  private int numbers;

  private BarrierLowering(
      SourceFile source, CallGraph calls, Function kernel, Set<String> names, Set<String> inlined) {
    this.calls = calls;
    this.inlined = inlined;
    this.inliner = new Inliner(this, source, kernel, names);
    this.order = new EvaluationOrder(source);
    source.classes().forEach(each -> classes.add(each.name()));
    source.aliases().stream()
        .filter(each -> source.variables().contains(each.name()) && !isConstant(each.tokens()))
        .forEach(each -> mayChange.add(each.name()));
  }

  /**
   * Finds the places in a kernel.
   *
   * @param names of its parameters and variables
   * @param inlined functions that are inlined although no items meet in them
   */
  static List<Statement> find(
      List<Statement> statements,
      SourceFile source,
      CallGraph calls,
      Function kernel,
      Set<String> names,
      Set<String> inlined)
      throws UnfitException {
    return new BarrierLowering(source, calls, kernel, names, inlined).list(statements);
  }

  /** Whether the workgroup computes a variable behind a barrier, from what its items have given. */
  static boolean isOfAll(String name) {
    return name.startsWith(AGREED) || name.startsWith(OF_WARPS);
  }

  /**
   * Whether an expression has the same value behind a barrier, whatever other items do: it consists
   * of numbers, of variables of the item, of constants, and of functions of these.
   */
  boolean isSteady(List<Token> expression) {
    for (int i = 0; i < expression.size(); i++) {
      Token token = expression.get(i);
      Token before = Tokens.get(expression, i - 1);
      boolean isSign = before.kind() == Token.Kind.MARK && !before.is(")") && !before.is("]");
      boolean isRead =
          token.is("[") || token.is("->") || token.is("{") || (token.is("*") && isSign);
      boolean isCalled = token.isWord() && Tokens.is(expression, i + 1, "(");
      if (isRead
          || Changes.isStep(token)
          || Changes.isAssignment(token)
          || (isCalled && !order.isPure(token) && !isOfGroup(expression, i))
          || (token.isWord() && !before.is(".") && mayChange.contains(token.text()))) {
        return false;
      }
    }
    return true;
  }

  /** Whether a method of a group is called that says what never changes. */
  private static boolean isOfGroup(List<Token> expression, int name) {
    return Tokens.is(expression, name - 1, ".")
        && Set.of("size", "num_threads", "thread_rank", "meta_group_rank", "meta_group_size")
            .contains(expression.get(name).text());
  }

  int nextNumber() {
    return ++numbers;
  }

  String exchangedName() {
    return EXCHANGED + nextNumber();
  }

  List<Statement> list(List<Statement> statements) throws UnfitException {
    List<Statement> found = new ArrayList<>();
    for (Statement statement : statements) {
      one(statement, found);
    }
    return found;
  }

  private Statement body(Statement statement, Token at) throws UnfitException {
    List<Statement> inside =
        statement instanceof Block block ? block.statements() : List.of(statement);
    return new Block(list(inside), at);
  }

  private void one(Statement statement, List<Statement> to) throws UnfitException {
    if (statement instanceof Block block) {
      to.add(body(block, block.at()));
    } else if (statement instanceof If choice) {
      List<Token> condition = expression(choice.condition(), to);
      Statement otherwise = choice.otherwise();
      to.add(
          new If(
              choice.isConstant(),
              condition,
              body(choice.then(), choice.at()),
              otherwise == null ? null : body(otherwise, choice.at()),
              choice.at()));
    } else if (statement instanceof For loop) {
      check(loop.condition());
      check(loop.step());
      Statement start = loop.start();
      if (start instanceof Variables declared) {
        remember(declared);
      }
      if (start != null) {
        List<Token> tokens = new ArrayList<>();
        start.collect(tokens);
        check(tokens);
      }
      to.add(
          new For(start, loop.condition(), loop.step(), body(loop.body(), loop.at()), loop.at()));
    } else if (statement instanceof Do loop) {
      check(loop.condition());
      to.add(new Do(body(loop.body(), loop.at()), loop.condition(), loop.at()));
    } else if (statement instanceof Plain plain) {
      plain(plain.tokens(), to);
    } else if (statement instanceof Variables declared) {
      variables(declared, to);
    } else if (statement instanceof Jump jump) {
      to.add(new Jump(jump.word(), expression(jump.value(), to)));
    } else if (statement instanceof Opaque whole) {
      check(whole.tokens());
      to.add(whole);
    } else {
      to.add(statement);
    }
  }

  private static boolean isConstant(List<Token> declaration) {
    return declaration.stream().anyMatch(token -> token.is("const") || token.is("constexpr"))
        && declaration.stream().noneMatch(token -> token.is("volatile"));
  }

  /** Remembers the variables that other items may change, and objects, which may have such. */
  private void remember(Variables declared) {
    Declarations.Declaration declaration = declared.declaration();
    boolean mayBeOther =
        declaration.is("__shared__")
            || declaration.is("volatile")
            || declaration.type().stream().anyMatch(token -> classes.contains(token.text()));
    boolean isGrid = has(declaration.type(), "grid_group");
    declaration.declarators().stream()
        .filter(each -> isGrid || has(each.initial(), "this_grid"))
        .forEach(each -> grids.add(each.name().text()));
    declaration.declarators().stream()
        .filter(each -> mayBeOther || each.isReference())
        .forEach(each -> mayChange.add(each.name().text()));
  }

  private static boolean has(List<Token> tokens, String word) {
    return tokens.stream().anyMatch(token -> token.is(word));
  }

  /** Each variable is declared by itself if one needs what others give. */
  private void variables(Variables declared, List<Statement> to) throws UnfitException {
    remember(declared);
    List<Token> tokens = declared.tokens();
    if (call(tokens, 0) == null) {
      to.add(declared);
      return;
    }
    check(declared.declaration().type());
    for (Declarations.Declarator declarator : declared.declaration().declarators()) {
      check(declarator.dimensions());
      List<Token> initial = expression(declarator.initial(), to);
      Generated.add(declared.declaration().alone(declarator, initial), to);
    }
  }

  private void plain(List<Token> tokens, List<Statement> to) throws UnfitException {
    Call call = call(tokens, 0);
    if (call == null) {
      to.add(new Plain(tokens));
      return;
    }
    boolean isWhole = call.start() == 0 && call.end() == tokens.size() - 1;
    Token at = tokens.get(call.name());
    if (isWhole && isBarrier(call, tokens)) {
      if (at.is("sync")) {
        boolean isGrid = isGrid(call, tokens);
        checkGroup(call, tokens, isGrid ? "hal_is_grid" : "hal_has_barrier", to);
        if (isGrid) { // the workgroup waits when its items have come, and they when it has
          to.add(new Barrier(at, BarrierScope.WORKGROUP, List.of()));
          to.add(new Plain(Generated.tokens("hal_meet_grid(hal_self);", at)));
        }
      }
      boolean isOfLanes = at.is("__syncwarp");
      List<List<Token>> arguments = call.arguments(tokens);
      List<Token> mask = isOfLanes && !arguments.isEmpty() ? arguments.get(0) : List.of();
      to.add(new Barrier(at, isOfLanes ? BarrierScope.LANES : BarrierScope.WORKGROUP, mask));
    } else if (isWhole && isInlined(at) && inliner.isVoid(at)) {
      inliner.written(call, tokens, to);
    } else {
      List<Token> rest = expression(tokens, to);
      if (rest.size() > 1) {
        to.add(new Plain(rest));
      }
    }
  }

  /** Whether a call of {@code sync} is for a grid, as far as names show; the compiler knows. */
  private boolean isGrid(Call call, List<Token> tokens) {
    List<List<Token>> arguments = call.arguments(tokens);
    List<Token> group =
        Tokens.is(tokens, call.name() - 1, "::") && !arguments.isEmpty()
            ? arguments.get(0)
            : List.of(tokens.get(call.start()));
    return group.size() == 1 && grids.contains(group.get(0).text());
  }

  /**
   * Lets the compiler find out that a call is one of cooperative groups: other classes and
   * namespaces may have functions of these names too.
   *
   * @param condition which the type of the group must fulfil
   */
  static void checkGroup(Call call, List<Token> tokens, String condition, List<Statement> to) {
    Token at = tokens.get(call.name());
    List<Token> group = List.of(tokens.get(call.start()));
    if (Tokens.is(tokens, call.name() - 1, "::")) {
      String namespace = group.get(0) + "::hal_namespace, ::cooperative_groups::hal_namespace";
      Generated.check("hal_equal<" + namespace + ">", "another function", at, to);
      List<List<Token>> arguments = call.arguments(tokens);
      group = arguments.isEmpty() ? group : arguments.get(0);
    }
    String type = "hal_bare<decltype((" + Generated.text(group) + "))>";
    Generated.check(condition + "<" + type + ">", "another class than a group", at, to);
  }

  private static boolean isBarrier(Call call, List<Token> tokens) {
    String name = tokens.get(call.name()).text();
    return name.equals("__syncthreads") || name.equals("__syncwarp") || name.equals("sync");
  }

  private void check(List<Token> tokens) throws UnfitException {
    Call call = call(tokens, 0);
    if (call != null) {
      throw new UnfitException(
          tokens.get(call.name()) + " in the header of a loop, in a switch or in a type",
          tokens.get(call.name()));
    }
  }

  private boolean isInlined(Token function) {
    return calls.reachesBarrier(function.text()) || inlined.contains(function.text());
  }

  /** Whether a function may return from inside a loop: in none of its loops do items meet. */
  boolean mayLeaveLoops(Token function) {
    return !calls.reachesBarrier(function.text());
  }

  /** The first call from {@code from} on, or null. */
  private @Nullable Call call(List<Token> tokens, int from) throws UnfitException {
    for (int i = from; i < tokens.size(); i++) {
      Token token = tokens.get(i);
      if (!token.isWord() || !(calls.synchronizes(token.text()) || isInlined(token))) {
        continue;
      }
      int open = i + 1;
      if (Tokens.is(tokens, open, "<")) {
        open = Tokens.closeAngle(tokens, open) + 1;
      }
      boolean isQualified = Tokens.isQualified(tokens, i);
      boolean isOfGroup = calls.isOfGroup(token.text());
      if (open > 0 && Tokens.is(tokens, open, "(") && (isQualified || !isOfGroup)) {
        if (isOfGroup && Tokens.is(tokens, i - 1, "->")) {
          throw new UnfitException(token + " by a pointer to a group", token);
        }
        boolean mayBeOther =
            isOfGroup
                ? Tokens.is(tokens, i - 1, "::") && calls.isDefined(token.text())
                : isQualified
                    || (calls.synchronizes(token.text()) && calls.isDefined(token.text()));
        if (mayBeOther) {
          throw new UnfitException("a function with the name " + token, token);
        }
        if (isQualified && !Tokens.get(tokens, i - 2).isWord()) {
          throw new UnfitException(token + " by an expression", token);
        }
        int start = isQualified ? i - 2 : i;
        return new Call(start, i, open, Tokens.close(tokens, open));
      }
    }
    return null;
  }

  /** Takes the calls out of an expression; {@code to} gets what comes before it. */
  List<Token> expression(List<Token> tokens, List<Statement> to) throws UnfitException {
    List<Token> rest = tokens;
    for (Call call = call(rest, 0); call != null; call = call(rest, 0)) {
      Token name = rest.get(call.name());
      checkBefore(rest.subList(0, call.start()), name);
      boolean isBarrier = calls.isBarrier(name.text());
      order.check(rest, 0, rest.size(), call.start(), call.end(), name, isBarrier);
      List<Token> replaced = new ArrayList<>(rest.subList(0, call.start()));
      List<Token> result =
          calls.synchronizes(name.text())
              ? warpFunctions.exchanged(call, rest, to)
              : inliner.written(call, rest, to);
      boolean isVariable = result.size() == 1; // which other overloads take than a value
      replaced.addAll(
          isVariable ? Generated.tokens("HAL_VALUE(" + result.get(0) + ")", name) : result);
      replaced.addAll(rest.subList(call.end() + 1, rest.size()));
      rest = replaced;
    }
    return rest;
  }

  /** What stands before a call in an expression is evaluated behind it. */
  private static void checkBefore(List<Token> tokens, Token name) throws UnfitException {
    int depth = 0;
    int sequences = 0; // parentheses in which what stands before a comma comes first
    boolean isAssigned = false;
    for (int i = 0; i < tokens.size(); i++) {
      Token token = tokens.get(i);
      depth += Tokens.isOpen(token) ? 1 : token.is(")") || token.is("]") || token.is("}") ? -1 : 0;
      boolean isUnevaluated =
          UNEVALUATED.contains(token.text())
              && (i == tokens.size() - 1
                  || (Tokens.is(tokens, i + 1, "(")
                      && Tokens.close(tokens, i + 1) == tokens.size()));
      if (isUnevaluated) {
        throw new UnfitException(name + " in an expression that is not evaluated", name);
      }
      boolean isSequence = token.is("(") && !isOfCall(tokens, i);
      if (isSequence && Tokens.close(tokens, i) == tokens.size()) { // the call is inside
        sequences++;
      }
      if (token.is("?") || token.is("&&") || token.is("||")) {
        throw new UnfitException(name + " in an expression that may not be evaluated", name);
      }
      if (Tokens.isLambda(tokens, i)) {
        throw new UnfitException(name + " in a lambda", name);
      }
      boolean isEffect = Changes.isStep(token) || (token.is(",") && depth <= sequences);
      if (Changes.isAssignment(token)) {
        isEffect |= isAssigned || depth > 0;
        isAssigned = true;
      }
      if (isEffect) {
        throw new UnfitException(name + " behind a change in an expression", name);
      }
    }
  }

  private static boolean isOfCall(List<Token> tokens, int open) {
    Token before = Tokens.get(tokens, open - 1);
    return before.isWord() || before.is(")") || before.is("]") || before.is(">");
  }
}
