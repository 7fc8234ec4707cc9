// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import org.jhal.cpu.translate.Declarations.Declaration;
import org.jhal.cpu.translate.Declarations.Declarator;
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
import org.jhal.cpu.translate.Step.Declared.What;
import org.jspecify.annotations.Nullable;

/**
 * Loop fission: divides a kernel at its barriers into parallel regions, each of which becomes a
 * loop over the work items of a workgroup. {@code a(); __syncthreads(); b();} becomes a region with
 * {@code a()} and one with {@code b()}.
 *
 * <p>What contains a barrier is carried out by the workgroup: a loop, or a branch, that is the same
 * for all items runs once (see {@link UniformityAnalysis}); otherwise a mask has the items that
 * take part. {@link Privatization} says where variables live.
 */
final class LoopFission {
  private final UniformityAnalysis uniform;
  private final Privatization privatization;
  private final Shuffles shuffles;
  private final @Nullable Residues residues;
  private final Deque<Step.Mask> masks = new ArrayDeque<>(); // innermost last
  private final Deque<Step.Loop> loops = new ArrayDeque<>();
  private final Deque<List<Statement>> behind = new ArrayDeque<>(); // what is being planned
  private Step.@Nullable Region current;
  private Step.@Nullable Region first; // in which all items take part, unless it is in a branch
  private final Predicate<Statement> mayWait;
  private final @Nullable Lockstep lockstep;
  private int numbers;
  private boolean hasReturns;
  private boolean hasLockstep;
  private boolean mayHoldLock; // since the last barrier

  /**
   * For a kernel.
   *
   * @param isUnordered whether items may do a part of a region before others do what comes before
   * @param mayWait whether an item may wait in a statement without barriers until another one goes
   *     on, for example to take a lock
   * @param lockstep for loops that items go through together; null if they do not
   */
  LoopFission(
      UniformityAnalysis uniform,
      Privatization privatization,
      boolean isUnordered,
      Predicate<Statement> mayWait,
      @Nullable Lockstep lockstep) {
    this.mayWait = mayWait;
    this.lockstep = lockstep;
    this.uniform = uniform;
    this.residues = isUnordered ? new Residues(uniform::isUniform, privatization::variable) : null;
    this.privatization = privatization;
    this.shuffles = new Shuffles(uniform::isUniform);
  }

  /** Plans the statements of a kernel. */
  List<Step> plan(List<Statement> statements) throws UnfitException {
    List<Statement> all = new ArrayList<>(statements);
    if (!all.isEmpty() && all.get(all.size() - 1).isReturn()) {
      all.remove(all.size() - 1);
    }
    hasReturns = all.stream().anyMatch(Statement::returns);
    if (hasReturns) {
      masks.add(Step.Mask.always("hal_alive[hal_i]"));
    }
    List<Step> steps = new ArrayList<>();
    list(all, steps);
    privatization.settle();
    return steps;
  }

  /** Whether an item may end before the others. */
  boolean hasReturns() {
    return hasReturns;
  }

  /** Whether it has a loop that items go through together. */
  boolean hasLockstep() {
    return hasLockstep;
  }

  /** The highest number that a variable or a step has. */
  int numbers() {
    return numbers;
  }

  private void list(List<Statement> statements, List<Step> steps) throws UnfitException {
    for (int i = 0; i < statements.size(); i++) {
      behind.addLast(statements.subList(i + 1, statements.size()));
      statement(statements.get(i), steps);
      behind.removeLast();
    }
    current = null;
  }

  private List<Step> scope(Statement statement) throws UnfitException {
    List<Step> steps = new ArrayList<>();
    list(statement instanceof Block block ? block.statements() : List.of(statement), steps);
    return steps;
  }

  private Step.Region region(List<Step> steps) {
    Step.Region region = current;
    if (region == null) {
      boolean areAllAlive = numbers == 0 && loops.isEmpty() && masks.size() == (hasReturns ? 1 : 0);
      region = areAllAlive ? new Step.Region(List.of(), null, ++numbers) : newRegion();
      if (steps.stream().allMatch(step -> step instanceof Step.Declared)
          && masks.size() == (hasReturns ? 1 : 0)
          && first == null) {
        first = region;
      }
      current = region;
      steps.add(region);
    }
    return region;
  }

  private Step.Region newRegion() {
    return new Step.Region(List.copyOf(masks), loops.peekLast(), ++numbers);
  }

  private void statement(Statement given, List<Step> steps) throws UnfitException {
    List<Step.Shuffle> read = new ArrayList<>();
    Statement statement = shuffles.taken(given, read);
    for (Step.Shuffle shuffle : read) {
      privatization.use(shuffle.tokens(), newRegion()); // the array of what items have given
      Declaration declaration = Objects.requireNonNull(Declarations.of(shuffle.tokens()));
      privatization.addUniform(declaration, declaration.declarators().get(0), ++numbers);
      copied(shuffle, current == null ? steps : steps.subList(0, steps.indexOf(current)));
      before(current, steps, shuffle);
    }
    if (statement instanceof Barrier) {
      mayHoldLock = false;
      current = null;
    } else if (statement.hasBarrier()) {
      mayHoldLock = false;
      current = null;
      divided(statement, steps);
      current = null;
    } else if (lockstep != null && lockstep.fits(statement)) {
      together(lockstep, statement, steps);
    } else if (lockstep != null && lockstep.hasLoop(statement)) {
      current = null;
      divided(statement, steps);
      current = null;
    } else if (statement instanceof Variables declared) {
      declared(declared, steps);
    } else if (statement.isTypeDeclaration()) {
      type(statement, steps);
    } else if (statement instanceof Plain plain && uniform.isUniformChange(plain.tokens())) {
      checkLock(plain.tokens());
      current = null;
      steps.add(new Step.Declared(plain.tokens(), What.CHANGE));
    } else if (statement instanceof If choice && isUniformJump(choice)) {
      checkLock(choice.condition());
      current = null;
      Jump jump = (Jump) Objects.requireNonNull(choice.then().single()); // as isGroupJump says
      steps.add(
          new Step.UniformIf(
              false,
              choice.condition(),
              List.of(new Step.UniformJump(jump.word())),
              null,
              List.of()));
    } else if (statement instanceof If choice && residue(choice) != null) {
      current = null;
      Step.Region region = region(steps);
      region.residue = residue(choice);
      region.statements.add(statement);
      look(statement, region, 0);
      current = null;
    } else {
      Step.Region region = region(steps);
      if (statement instanceof If choice && isGuard(choice, region)) {
        boolean isJump = choice.then().single() instanceof Jump;
        List<List<Token>> growing =
            new MonotonicConditions(uniform::isUniform, privatization::variable)
                .in(choice.condition(), isJump);
        if (growing != null) {
          region.guard = region.statements.size();
          region.isGuardJump = isJump;
          region.growing.addAll(growing);
        }
      }
      region.statements.add(statement);
      look(statement, region, 0);
    }
    mayHoldLock |= !statement.hasBarrier() && mayWait.test(statement);
  }

  /**
   * Checks that an item that holds a lock does not stop for the others, which wait for the lock.
   *
   * @param tokens of what the workgroup does once
   */
  private void checkLock(List<Token> tokens) throws UnfitException {
    if (mayHoldLock) {
      throw new UnfitException("what is the same for all items, behind a lock", tokens.get(0));
    }
  }

  /**
   * What items give in a shuffle needs no array if it is a variable, and the shuffle follows the
   * region that gives it: then no item has changed the variable since.
   */
  private static void copied(Step.Shuffle shuffle, List<Step> before) {
    int last = before.size() - 1;
    while (last >= 0 && before.get(last) instanceof Step.Shuffle) {
      last--;
    }
    if (last < 0 || !(before.get(last) instanceof Step.Region region)) {
      return;
    }
    if (region.declares.isEmpty()) {
      return;
    }
    Variable given = region.declares.get(region.declares.size() - 1);
    List<Token> initial = given.declarator.initial(); // = (NAME)
    boolean isGiven =
        region.statements.get(region.statements.size() - 1) instanceof Variables declared
            && declared.declaration() == given.declaration
            && given.name().startsWith(BarrierLowering.EXCHANGED)
            && shuffle.tokens().stream().anyMatch(token -> token.is(given.array()));
    if (!isGiven || initial.size() != 4 || !initial.get(2).isWord()) {
      return;
    }
    List<Variable> named = new ArrayList<>(region.uses);
    named.addAll(region.declares);
    named.removeIf(each -> !each.name().equals(initial.get(2).text()));
    if (named.size() == 1) {
      given.copyOf = named.get(0);
    }
  }

  /** Which items take a branch that may be a region of its own; null if that is not known. */
  private Residues.@Nullable Residue residue(If choice) {
    boolean mayEnd =
        current == null
            || current.declares.stream()
                .allMatch(
                    each ->
                        each.isRematerializable
                            || (Declarations.isBuiltIn(each.declaration, each.declarator)
                                && each.declarator.dimensions().isEmpty()));
    return residues != null && mayEnd ? residues.of(choice) : null;
  }

  private boolean isGuard(If choice, Step.Region region) {
    return choice.otherwise() == null
        && region.guard < 0
        && region.statements.stream().allMatch(before -> before instanceof Variables)
        && region.declares.stream().allMatch(declared -> declared.isRematerializable)
        && privatization.isKnownInSegment(choice.condition())
        && (region == first
            || (!privatization.mayDivide(choice.condition())
                && region.declares.stream().noneMatch(declared -> declared.mayDivide)));
  }

  /** A loop that items go through together, in a region of its own. */
  private void together(Lockstep lockstep, Statement loop, List<Step> steps) throws UnfitException {
    Map<String, Variable> arrays = new LinkedHashMap<>();
    for (String name : lockstep.variables(loop)) {
      Variable variable = privatization.variable(name);
      if (variable == null) {
        throw new UnfitException("a variable of another kind than usual: " + name);
      }
      arrays.put(name, variable.isRematerializable ? copy(variable, region(steps)) : variable);
    }
    current = null;
    Step.Region region = region(steps);
    region.isLockstep = true;
    hasLockstep = true;
    region.statements.add(loop);
    look(loop, region, 0);
    for (Map.Entry<String, Variable> each : arrays.entrySet()) {
      privatization.use(List.of(each.getValue().declarator.name()), region);
      region.together.put(each.getKey(), each.getValue());
    }
    if (loops.isEmpty()) {
      region.unread.addAll(Lockstep.unread(arrays.keySet(), List.copyOf(behind)));
    }
    current = null;
  }

  /** A copy of a variable that has no array otherwise. */
  private Variable copy(Variable variable, Step.Region region) throws UnfitException {
    String name = Lockstep.COPY + (numbers + 1) + "_" + variable.name();
    List<Token> declaration = new ArrayList<>(variable.declaration.plainType());
    declaration.addAll(
        Generated.tokens(name + " = " + variable.name(), variable.declarator.name()));
    varying(Generated.variables(declaration), region);
    return Objects.requireNonNull(privatization.variable(name));
  }

  /** Types and the like are declared for the workgroup. */
  private void type(Statement statement, List<Step> steps) throws UnfitException {
    List<Token> tokens = new ArrayList<>();
    statement.collect(tokens);
    tokens.remove(tokens.size() - 1);
    Token ofItem = privatization.firstVarying(tokens);
    if (ofItem != null) {
      throw new UnfitException("a type that depends on the variable " + ofItem, ofItem);
    }
    before(current, steps, new Step.Declared(tokens, What.TYPE));
  }

  private void divided(Statement statement, List<Step> steps) throws UnfitException {
    if (statement instanceof Block) {
      steps.add(new Step.Scope(scope(statement)));
    } else if (statement instanceof If choice) {
      choice(choice, steps);
    } else if (statement instanceof For loop) {
      loop(loop, steps);
    } else if (statement instanceof Do loop) {
      repeat(loop, steps);
    }
  }

  // Variables.

  private void declared(Variables statement, List<Step> steps) throws UnfitException {
    Declaration declaration = statement.declaration();
    Declarator only = declaration.declarators().get(0);
    boolean isAny = only.name().text().startsWith(LoopInterchange.ANY_ACTIVE);
    boolean isActive = isAny || only.name().text().startsWith(LoopInterchange.ALL_ACTIVE);
    if (isActive || BarrierLowering.isOfAll(only.name().text())) {
      privatization.use(only.initial(), newRegion()); // the arrays of what items have given
      privatization.addUniform(declaration, only, ++numbers);
      current = null;
      steps.add(
          isActive
              ? new Step.Active(only.name().text(), isAny, List.copyOf(masks))
              : new Step.Declared(statement.tokens(), What.VARIABLES));
      return;
    }
    boolean isStatic = declaration.is("__shared__") || declaration.is("constexpr");
    if (!isStatic && declaration.is("static")) {
      throw new UnfitException("a static variable", statement.tokens().get(0));
    }
    long uniforms = declaration.declarators().stream().filter(this::isUniform).count();
    boolean isOfGroup = isStatic || uniforms == declaration.declarators().size();
    if (!isOfGroup && uniforms > 0) {
      for (Declarator each : declaration.declarators()) {
        declared(Generated.variables(declaration.alone(each, each.initial())), steps);
      }
      return;
    }
    boolean isKnown = true;
    for (Declarator declarator : declaration.declarators()) {
      isKnown &= isStatic || privatization.isKnown(Privatization.initial(declarator));
      if (isOfGroup) {
        privatization.addUniform(declaration, declarator, ++numbers);
      }
    }
    if (isOfGroup && isKnown) {
      before(current, steps, new Step.Declared(statement.tokens(), What.VARIABLES));
    } else if (isOfGroup) { // its value depends on the place
      checkLock(statement.tokens());
      current = null;
      steps.add(new Step.Declared(statement.tokens(), What.VARIABLES));
    } else {
      varying(statement, region(steps));
    }
  }

  private boolean isUniform(Declarator declarator) {
    return uniform.isUniform(declarator.name().text());
  }

  private void varying(Variables statement, Step.Region region) throws UnfitException {
    region.statements.add(statement);
    for (Declarator declarator : statement.declaration().declarators()) {
      privatization.use(declarator.initial(), region);
      privatization.use(declarator.dimensions(), region);
      region.declares.add(
          privatization.addVarying(statement.declaration(), declarator, ++numbers, region));
    }
  }

  private static void before(Step.@Nullable Region region, List<Step> steps, Step added) {
    int at = region == null ? -1 : steps.indexOf(region);
    steps.add(at < 0 ? steps.size() : at, added);
  }

  // What a region uses.

  private void look(Statement statement, Step.Region region, int depth) throws UnfitException {
    if (statement instanceof Plain plain) {
      privatization.use(plain.tokens(), region);
    } else if (statement instanceof Opaque whole) {
      for (Token token : whole.tokens()) {
        boolean isJump = token.is("return") || token.is("goto") || token.is("co_return");
        boolean isContinue = token.is("continue") && depth == 0 && !whole.tokens().get(0).is("for");
        if (isJump || isContinue) {
          throw new UnfitException(token + " in a statement that cannot be divided", token);
        }
      }
      privatization.use(whole.tokens(), region);
    } else if (statement instanceof Variables inside) {
      privatization.use(inside.tokens(), region);
    } else if (statement instanceof Jump jump) {
      jump(jump, region, depth);
    } else {
      if (statement instanceof If choice) {
        privatization.use(choice.condition(), region);
      } else if (statement instanceof For loop) {
        privatization.use(loop.condition(), region);
        privatization.use(loop.step(), region);
      } else if (statement instanceof Do loop) {
        privatization.use(loop.condition(), region);
      }
      for (Statement inside : statement.inner()) {
        look(inside, region, depth + (statement.isLoop() ? 1 : 0));
      }
    }
  }

  private void jump(Jump jump, Step.Region region, int depth) throws UnfitException {
    if (depth > 0 || jump.word().is("return")) {
      return;
    }
    Step.Loop loop = region.loop;
    if (loop == null) {
      throw new UnfitException(jump.word() + " outside a loop", jump.word());
    }
    loop.hasBreaks |= jump.word().is("break");
    loop.hasContinues |= jump.word().is("continue");
  }

  // Branches.

  /** Whether all items jump, or none does. */
  private boolean isUniformJump(If choice) {
    return UniformityAnalysis.isJump(choice)
        && choice.then().single() instanceof Jump jump
        && (jump.word().is("return")
            ? masks.size() == (hasReturns ? 1 : 0)
            : !loops.isEmpty() && isInsideConvergent())
        && uniform.isUniform(choice.condition());
  }

  /** Whether all items that are alive are in the innermost divided loop, and in no branch of it. */
  private boolean isInsideConvergent() {
    Step.Loop loop = loops.getLast();
    return loop.isConvergent
        && Objects.requireNonNull(masks.peekLast()).text().startsWith(loop.iteration() + "[");
  }

  private void choice(If choice, List<Step> steps) throws UnfitException {
    Statement otherwise = choice.otherwise();
    if (uniform.isUniformBranch(choice.condition()) || choice.isConstant()) {
      boolean reads = !choice.isConstant() && !uniform.isUniform(choice.condition());
      steps.add(
          new Step.UniformIf(
              choice.isConstant(),
              choice.condition(),
              scope(choice.then()),
              otherwise == null ? null : scope(otherwise),
              reads ? List.copyOf(masks) : List.of()));
      return;
    }
    int number = ++numbers;
    Step.Region decision = newRegion();
    privatization.use(choice.condition(), decision);
    masks.addLast(Step.Mask.branch(number));
    List<Step> then = scope(choice.then());
    masks.removeLast();
    masks.addLast(Step.Mask.always("!hal_choice" + number + "[hal_i]"));
    List<Step> rest = otherwise == null ? List.of() : scope(otherwise);
    masks.removeLast();
    if (otherwise != null) {
      checkApart(choice, choice.then(), List.of(otherwise));
      checkLeaving(choice, otherwise);
    }
    checkLeaving(choice, choice.then());
    boolean isRestFirst =
        choice.then().hasBarrier() && otherwise != null && !otherwise.hasBarrier();
    steps.add(new Step.DivergentIf(number, decision, choice.condition(), then, rest, isRestFirst));
  }

  /** What is behind a branch that items leave is the other branch. */
  private void checkLeaving(If choice, Statement branch) throws UnfitException {
    if (branch.leaves()) {
      for (List<Statement> others : behind) {
        checkApart(choice, branch, others);
      }
    }
  }

  /** Items that meet others which are in another branch do not wait for those of their own. */
  private void checkApart(If choice, Statement branch, List<Statement> others)
      throws UnfitException {
    List<Barrier> some = new ArrayList<>();
    branch.barriers(some);
    List<Barrier> rest = new ArrayList<>();
    others.forEach(other -> other.barriers(rest));
    for (Barrier one : some) {
      if (rest.stream().anyMatch(other -> mayMeet(one, other))) {
        throw new UnfitException("items may meet across the branches of an if", choice.at());
      }
    }
  }

  private boolean mayMeet(Barrier one, Barrier other) {
    return one.who() == other.who()
        && (one.who() == BarrierScope.WORKGROUP
            || (one.who() == BarrierScope.LANES && mayMeet(one.mask(), other.mask())));
  }

  private boolean mayMeet(List<Token> one, List<Token> other) {
    return isComputed(one) || isComputed(other)
        ? !(isComputed(one) && isComputed(other))
        : (lanes(one) & lanes(other)) != 0;
  }

  /** Whether a mask may differ between items, so that it names the lanes of a branch. */
  private boolean isComputed(List<Token> mask) {
    return privatization.firstVarying(mask) != null;
  }

  /** The lanes that a mask names; in doubt, all. */
  private static long lanes(List<Token> mask) {
    String text = mask.size() == 1 ? mask.get(0).text().replaceAll("[uUlL]+$", "") : "";
    try {
      return mask.size() == 1 && mask.get(0).kind() == Token.Kind.NUMBER ? Long.decode(text) : -1;
    } catch (NumberFormatException e) {
      return -1;
    }
  }

  // Loops.

  private void loop(For loop, List<Step> steps) throws UnfitException {
    List<Step> around = new ArrayList<>();
    boolean isConvergent = uniform.isConvergent(loop);
    if (isConvergent && loop.start() instanceof Variables start) {
      for (Declarator declarator : start.declaration().declarators()) {
        privatization.addUniform(start.declaration(), declarator, ++numbers);
      }
    } else if (!isConvergent && loop.start() != null) {
      statement(loop.start(), around);
      current = null;
    }
    Statement start = isConvergent ? loop.start() : null;
    Step.Loop divided =
        new Step.Loop(++numbers, start, loop.condition(), loop.step(), isConvergent, false);
    if (Tokens.get(loop.condition(), 0)
        .text()
        .startsWith(LoopInterchange.ALL_ACTIVE)) { // then none is away
      List<Step.Mask> all = List.copyOf(masks);
      masks.clear();
      body(divided, loop.body());
      masks.addAll(all);
    } else {
      body(divided, loop.body());
    }
    around.add(divided);
    steps.add(new Step.Scope(around));
  }

  private void repeat(Do loop, List<Step> steps) throws UnfitException {
    boolean isConvergent = uniform.isUniform(loop.condition());
    Step.Loop divided =
        new Step.Loop(++numbers, null, loop.condition(), List.of(), isConvergent, true);
    body(divided, loop.body());
    steps.add(divided);
  }

  private void body(Step.Loop loop, Statement body) throws UnfitException {
    loops.addLast(loop);
    loop.mayBecomeEmpty = hasReturns && masks.size() > 1;
    masks.addLast(new Step.Mask(loop.inside() + "[hal_i]", loop::hasInside));
    loop.masks.addAll(masks);
    if (!loop.isConvergent && !loop.isConditionLast) {
      loop.test = using(loop.condition);
    }
    masks.addLast(new Step.Mask(loop.iteration() + "[hal_i]", () -> loop.hasContinues));
    loop.body.addAll(scope(body));
    masks.removeLast();
    if (!loop.isConvergent) {
      if (loop.isConditionLast) {
        loop.test = using(loop.condition);
      }
      loop.next = using(loop.step);
    }
    masks.removeLast();
    loops.removeLast();
  }

  /** A region that evaluates an expression. */
  private Step.Region using(List<Token> expression) {
    Step.Region region = newRegion();
    privatization.use(expression, region);
    return region;
  }
}
