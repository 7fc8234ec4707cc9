package org.jhal.cpu.translate;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import org.jhal.cpu.translate.Declarations.Declaration;
import org.jhal.cpu.translate.Declarations.Declarator;
import org.jhal.cpu.translate.Statement.Barrier;
import org.jhal.cpu.translate.Statement.Block;
import org.jhal.cpu.translate.Statement.Do;
import org.jhal.cpu.translate.Statement.For;
import org.jhal.cpu.translate.Statement.If;
import org.jhal.cpu.translate.Statement.Jump;
import org.jhal.cpu.translate.Statement.Plain;
import org.jhal.cpu.translate.Statement.Variables;
import org.jhal.cpu.translate.Statement.Whole;
import org.jspecify.annotations.Nullable;

/**
 * Divides a kernel at its barriers into segments, each of which all work items of a workgroup can
 * run one after the other (loop fission).
 *
 * <p>What contains a barrier is carried out by the workgroup: a loop, or a branch, that is the same
 * for all items runs once; otherwise a mask has the items that take part. A variable that is used
 * in several segments is computed again, or becomes an array with an element for each item.
 */
final class Planner {
  private final Names names;
  private final Set<String> parameters;
  private final Deque<Map<String, Variable>> scopes = new ArrayDeque<>();
  private final Deque<Step.Mask> masks = new ArrayDeque<>(); // innermost last
  private final Deque<Step.Loop> loops = new ArrayDeque<>();
  private final List<Variable> variables = new ArrayList<>();
  private Step.@Nullable Segment current;
  private int numbers;
  private boolean hasReturns;

  Planner(Names names, Set<String> parameters) {
    this.names = names;
    this.parameters = parameters;
  }

  /** Plans the statements of a kernel. */
  List<Step> plan(List<Statement> statements) throws UnfitException {
    List<Statement> all = new ArrayList<>(statements);
    if (!all.isEmpty() && isReturn(all.get(all.size() - 1))) {
      all.remove(all.size() - 1);
    }
    hasReturns = all.stream().anyMatch(Planner::returns);
    if (hasReturns) {
      masks.add(Step.Mask.always("hal_alive[hal_i]"));
    }
    List<Step> steps = new ArrayList<>();
    list(all, steps);
    for (int i = variables.size() - 1; i >= 0; i--) { // those that are mentioned come earlier
      Variable variable = variables.get(i);
      if (variable.kind == Variable.Kind.ARRAY && variable.declaration.is("auto")) {
        variable.mentions.forEach(Variable::cross); // its type depends on theirs
      }
      if (variable.kind == Variable.Kind.ARRAY && variable.declarator.isReference()) {
        throw new UnfitException("a reference", variable.declarator.name());
      }
    }
    return steps;
  }

  /** Whether an item may end before the others. */
  boolean hasReturns() {
    return hasReturns;
  }

  /** Variables that are declared where the workgroup is divided. */
  List<Variable> variables() {
    return variables;
  }

  private static boolean isReturn(Statement statement) {
    return statement instanceof Jump jump && jump.word().is("return");
  }

  static boolean returns(Statement statement) {
    return isReturn(statement) || inner(statement).stream().anyMatch(Planner::returns);
  }

  /** The statements that a statement has inside. */
  static List<Statement> inner(Statement statement) {
    List<Statement> inside = new ArrayList<>();
    if (statement instanceof Block block) {
      inside.addAll(block.statements());
    } else if (statement instanceof If choice) {
      inside.add(choice.then());
      if (choice.otherwise() != null) {
        inside.add(choice.otherwise());
      }
    } else if (statement instanceof For loop) {
      if (loop.start() != null) {
        inside.add(loop.start());
      }
      inside.add(loop.body());
    } else if (statement instanceof Do loop) {
      inside.add(loop.body());
    }
    return inside;
  }

  private static boolean divides(Statement statement) {
    return statement instanceof Barrier || inner(statement).stream().anyMatch(Planner::divides);
  }

  private void list(List<Statement> statements, List<Step> steps) throws UnfitException {
    scopes.push(new HashMap<>());
    for (Statement statement : statements) {
      statement(statement, steps);
    }
    current = null;
    scopes.pop();
  }

  private List<Step> scope(Statement statement) throws UnfitException {
    List<Step> steps = new ArrayList<>();
    list(statement instanceof Block block ? block.statements() : List.of(statement), steps);
    return steps;
  }

  private Step.Segment segment(List<Step> steps) {
    Step.Segment segment = current;
    if (segment == null) {
      segment = newSegment();
      current = segment;
      steps.add(segment);
    }
    return segment;
  }

  private Step.Segment newSegment() {
    return new Step.Segment(List.copyOf(masks), loops.peekLast(), ++numbers);
  }

  private void statement(Statement statement, List<Step> steps) throws UnfitException {
    if (statement instanceof Barrier) {
      current = null;
    } else if (divides(statement)) {
      current = null;
      divided(statement, steps);
      current = null;
    } else if (statement instanceof Variables declared) {
      declared(declared, steps);
    } else if (isDeclaration(statement)) {
      before(current, steps, new Step.Declared(tokens(statement)));
    } else if (statement instanceof If choice && isGroupJump(choice)) {
      current = null;
      Jump jump = (Jump) Objects.requireNonNull(single(choice.then())); // as isGroupJump says
      steps.add(
          new Step.GroupIf(choice.condition(), List.of(new Step.GroupJump(jump.word())), null));
    } else {
      Step.Segment segment = segment(steps);
      if (statement instanceof If choice && isGuard(choice, segment)) {
        boolean isJump = single(choice.then()) instanceof Jump;
        List<List<Token>> growing =
            new Rising(this::isSame, this::variable).in(choice.condition(), isJump);
        if (growing != null) {
          segment.guard = segment.statements.size();
          segment.isGuardJump = isJump;
          segment.growing.addAll(growing);
        }
      }
      segment.statements.add(statement);
      look(statement, segment, 0);
    }
  }

  private boolean isGuard(If choice, Step.Segment segment) {
    return choice.otherwise() == null
        && segment.guard < 0
        && segment.statements.stream().allMatch(before -> before instanceof Variables)
        && segment.declares.stream().allMatch(declared -> declared.isRepeatable)
        && names.isSafe(choice.condition(), this::isKnown);
  }

  /** Whether a statement declares what is no variable, such as a type. */
  private static boolean isDeclaration(Statement statement) {
    Token first = Tokens.get(tokens(statement), 0);
    return statement instanceof Plain
        ? Set.of("using", "typedef", "namespace", "static_assert").contains(first.text())
        : statement instanceof Whole
            && Set.of("struct", "class", "union", "enum").contains(first.text());
  }

  private static List<Token> tokens(Statement statement) {
    return statement instanceof Plain plain
        ? plain.tokens()
        : statement instanceof Whole whole ? whole.tokens() : List.of();
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

  private @Nullable Variable variable(String name) {
    for (Map<String, Variable> scope : scopes) {
      Variable found = scope.get(name);
      if (found != null) {
        return found;
      }
    }
    return null;
  }

  private void declared(Variables statement, List<Step> steps) throws UnfitException {
    Declaration declaration = statement.declaration();
    if (declaration.is("__shared__") || declaration.is("constexpr")) {
      for (Declarator declarator : declaration.declarators()) {
        Variable shared = add(declaration, declarator, new Object(), false);
        shared.kind = Variable.Kind.GROUP;
      }
      before(current, steps, new Step.Declared(statement.tokens()));
      return;
    }
    if (declaration.is("static")) {
      throw new UnfitException("a static variable", statement.tokens().get(0));
    }
    boolean isGroup = true;
    for (Declarator declarator : declaration.declarators()) {
      isGroup &= isRepeatable(declaration, declarator) && isSame(initial(declarator));
    }
    if (isGroup) {
      for (Declarator declarator : declaration.declarators()) {
        Variable group = add(declaration, declarator, new Object(), true);
        group.kind = Variable.Kind.GROUP;
      }
      before(current, steps, new Step.Declared(statement.tokens()));
      return;
    }
    Step.Segment segment = segment(steps);
    segment.statements.add(statement);
    for (Declarator declarator : declaration.declarators()) {
      look(declarator.initial(), segment);
      look(declarator.dimensions(), segment);
      Variable added = add(declaration, declarator, segment, isRepeatable(declaration, declarator));
      segment.declares.add(added);
      for (Token token : declarator.initial()) {
        Variable mentioned = token.isWord() ? variable(token.text()) : null;
        if (mentioned != null && mentioned != added) {
          (added.isRepeatable ? added.needs : added.mentions).add(mentioned);
        }
      }
    }
  }

  private Variable add(
      Declaration declaration, Declarator declarator, Object home, boolean isRepeatable) {
    Variable added = new Variable(declaration, declarator, ++numbers, home, isRepeatable);
    variables.add(added);
    scopes.getFirst().put(added.name(), added);
    return added;
  }

  private static void before(Step.@Nullable Segment segment, List<Step> steps, Step added) {
    int at = segment == null ? -1 : steps.indexOf(segment);
    steps.add(at < 0 ? steps.size() : at, added);
  }

  private static List<Token> initial(Declarator declarator) {
    List<Token> initial = declarator.initial();
    return initial.isEmpty() ? initial : initial.subList(1, initial.size());
  }

  private boolean isRepeatable(Declaration declaration, Declarator declarator) {
    boolean hasValue = Tokens.is(declarator.initial(), 0, "=");
    return hasValue
        && !declarator.name().text().startsWith(Meetings.EXCHANGED)
        && declarator.dimensions().isEmpty()
        && !declaration.is("volatile")
        && (declarator.isReference()
            ? isElementOfShared(initial(declarator))
            : (!names.isAssigned(declarator.name().text()) || isGroup(declaration, declarator))
                && names.isSafe(initial(declarator), this::isKnown));
  }

  /** Whether a variable is a cooperative group, whose methods do not change it. */
  private static boolean isGroup(Declaration declaration, Declarator declarator) {
    Predicate<Token> isGroup =
        token ->
            Set.of(
                    "thread_block",
                    "thread_block_tile",
                    "grid_group",
                    "this_thread_block",
                    "tiled_partition",
                    "this_grid")
                .contains(token.text());
    return declaration.type().stream().anyMatch(isGroup)
        || declarator.initial().stream().anyMatch(isGroup);
  }

  /** Whether an expression is an element of shared memory, at places that are known. */
  private boolean isElementOfShared(List<Token> expression) {
    Variable array = Tokens.get(expression, 0).isWord() ? variable(expression.get(0).text()) : null;
    if (array == null || !array.declaration.is("__shared__")) {
      return false;
    }
    int at = 1;
    while (Tokens.is(expression, at, "[")) {
      int close = Tokens.close(expression, at);
      if (!names.isSafe(expression.subList(at + 1, close), this::isKnown)) {
        return false;
      }
      at = close + 1;
    }
    return at == expression.size();
  }

  /** Whether a name may be looked at in any segment, with the same result. */
  private boolean isKnown(String name) {
    Variable variable = variable(name);
    if (variable != null) {
      return variable.kind == Variable.Kind.GROUP || variable.isRepeatable;
    }
    if (parameters.contains(name)) {
      return !names.isAssigned(name);
    }
    return names.isConstantOutside(name);
  }

  /** Whether an expression is the same for all items, and may be computed at any time. */
  private boolean isSame(List<Token> expression) {
    return names.isSafe(
        expression,
        name -> {
          Variable variable = variable(name);
          return !Names.ITEM_INDEXES.contains(name)
              && isKnown(name)
              && (variable == null || variable.kind == Variable.Kind.GROUP);
        });
  }

  // What a segment uses.

  private void look(Statement statement, Step.Segment segment, int depth) throws UnfitException {
    if (statement instanceof Plain plain) {
      look(plain.tokens(), segment);
    } else if (statement instanceof Whole whole) {
      for (Token token : whole.tokens()) {
        if (token.is("return") || token.is("__syncthreads")) {
          throw new UnfitException(token + " in a statement that cannot be divided", token);
        }
      }
      look(whole.tokens(), segment);
    } else if (statement instanceof Variables inside) {
      look(inside.tokens(), segment);
    } else if (statement instanceof Jump jump) {
      jump(jump, segment, depth);
    } else {
      boolean isLoop = statement instanceof For || statement instanceof Do;
      if (statement instanceof If choice) {
        look(choice.condition(), segment);
      } else if (statement instanceof For loop) {
        look(loop.condition(), segment);
        look(loop.step(), segment);
      } else if (statement instanceof Do loop) {
        look(loop.condition(), segment);
      }
      for (Statement inside : inner(statement)) {
        look(inside, segment, depth + (isLoop ? 1 : 0));
      }
    }
  }

  private void jump(Jump jump, Step.Segment segment, int depth) throws UnfitException {
    if (depth > 0 || jump.word().is("return")) {
      return;
    }
    Step.Loop loop = segment.loop;
    if (loop == null) {
      throw new UnfitException(jump.word() + " outside a loop", jump.word());
    }
    loop.hasBreaks |= jump.word().is("break");
    loop.hasContinues |= jump.word().is("continue");
  }

  private void look(List<Token> tokens, Step.Segment segment) {
    for (Token token : tokens) {
      Variable variable = token.isWord() ? variable(token.text()) : null;
      if (variable == null && token.text().endsWith("_all")) { // what was exchanged
        variable = variable(token.text().substring(0, token.text().length() - 4));
      }
      if (variable != null && variable.home != segment) {
        use(variable, segment);
      }
    }
  }

  private static void use(Variable variable, Step.Segment segment) {
    if (variable.home != segment) {
      variable.cross();
      variable.needs.forEach(needed -> use(needed, segment));
      segment.uses(variable);
    }
  }

  // Branches.

  private static @Nullable Statement single(Statement statement) {
    return statement instanceof Block block
        ? block.statements().size() == 1 ? block.statements().get(0) : null
        : statement;
  }

  /** Whether all items jump, or none does. */
  private boolean isGroupJump(If choice) {
    return choice.otherwise() == null
        && single(choice.then()) instanceof Jump jump
        && (jump.word().is("return")
            ? masks.size() == (hasReturns ? 1 : 0)
            : !loops.isEmpty() && isInsideTogether())
        && isSame(choice.condition());
  }

  /** Whether all items that are alive are in the innermost divided loop, and in no branch of it. */
  private boolean isInsideTogether() {
    Step.Loop loop = loops.getLast();
    return loop.isTogether
        && Objects.requireNonNull(masks.peekLast()).text().startsWith(loop.round() + "[");
  }

  private void choice(If choice, List<Step> steps) throws UnfitException {
    Statement otherwise = choice.otherwise();
    if (isSame(choice.condition())) {
      steps.add(
          new Step.GroupIf(
              choice.condition(),
              scope(choice.then()),
              otherwise == null ? null : scope(otherwise)));
      return;
    }
    int number = ++numbers;
    Step.Segment decision = newSegment();
    look(choice.condition(), decision);
    masks.addLast(Step.Mask.always("hal_choice" + number + "[hal_i]"));
    List<Step> then = scope(choice.then());
    masks.removeLast();
    masks.addLast(Step.Mask.always("!hal_choice" + number + "[hal_i]"));
    List<Step> rest = otherwise == null ? List.of() : scope(otherwise);
    masks.removeLast();
    steps.add(new Step.ItemIf(number, decision, choice.condition(), then, rest));
  }

  // Loops.

  private void loop(For loop, List<Step> steps) throws UnfitException {
    scopes.push(new HashMap<>());
    List<Step> around = new ArrayList<>();
    boolean isTogether = isTogether(loop);
    if (isTogether && loop.start() instanceof Variables start) {
      Declaration declaration = start.declaration();
      for (Declarator declarator : declaration.declarators()) {
        add(declaration, declarator, new Object(), false).kind = Variable.Kind.GROUP;
      }
    } else if (loop.start() != null) {
      statement(loop.start(), around);
      current = null;
    }
    Step.Loop divided =
        new Step.Loop(
            ++numbers,
            isTogether ? loop.start() : null,
            loop.condition(),
            loop.step(),
            isTogether,
            false);
    body(divided, loop.body());
    around.add(divided);
    steps.add(new Step.Scope(around));
    scopes.pop();
  }

  private void repeat(Do loop, List<Step> steps) throws UnfitException {
    Step.Loop divided = new Step.Loop(++numbers, null, loop.condition(), List.of(), false, true);
    body(divided, loop.body());
    steps.add(divided);
  }

  private void body(Step.Loop loop, Statement body) throws UnfitException {
    loops.addLast(loop);
    masks.addLast(new Step.Mask(loop.inside() + "[hal_i]", loop::hasInside));
    if (!loop.isTogether && !loop.isConditionLast) {
      loop.test = test(loop);
    }
    masks.addLast(new Step.Mask(loop.round() + "[hal_i]", () -> loop.hasContinues));
    loop.body.addAll(scope(body));
    masks.removeLast();
    if (!loop.isTogether) {
      if (loop.isConditionLast) {
        loop.test = test(loop);
      }
      loop.next = newSegment();
      look(loop.step, loop.next);
    }
    masks.removeLast();
    loops.removeLast();
  }

  private Step.Segment test(Step.Loop loop) {
    Step.Segment test = newSegment();
    look(loop.condition, test);
    return test;
  }

  /**
   * Whether all items go through a loop together: its header depends only on what is the same for
   * all, and on its own variables, which the body does not change.
   */
  private boolean isTogether(For loop) {
    if (loop.start() == null && loop.step().isEmpty()) {
      return isSame(loop.condition());
    }
    if (!(loop.start() instanceof Variables start)) {
      return false;
    }
    List<String> own = new ArrayList<>();
    for (Declarator declarator : start.declaration().declarators()) {
      if (!Tokens.is(declarator.initial(), 0, "=")
          || !declarator.dimensions().isEmpty()
          || declarator.isReference()
          || !isSame(initial(declarator))) {
        return false;
      }
      own.add(declarator.name().text());
    }
    Names.Allowed allowed =
        name ->
            own.contains(name) || isSame(List.of(new Token(Token.Kind.WORD, name, true, "", 0)));
    List<Token> step = new ArrayList<>();
    for (Token token : loop.step()) { // a change of its own variables
      boolean isChange =
          token.is("++") || token.is("--") || (token.text().endsWith("=") && !isComparison(token));
      step.add(isChange ? Token.mark("+", token) : token);
    }
    return names.isSafe(loop.condition(), allowed)
        && names.isSafe(step, allowed)
        && changesOnly(loop.step(), own)
        && own.stream().noneMatch(name -> new BodyChanges(loop.body()).changes(name));
  }

  private static boolean isComparison(Token token) {
    return Set.of("==", "!=", "<=", ">=").contains(token.text());
  }

  /** Whether the expressions of a step change one of the given variables each. */
  private static boolean changesOnly(List<Token> step, List<String> own) {
    for (List<Token> part : Tokens.split(step)) {
      boolean isPrefix = Tokens.is(part, 0, "++") || Tokens.is(part, 0, "--");
      if (!own.contains(Tokens.get(part, isPrefix ? 1 : 0).text())) {
        return false;
      }
    }
    return true;
  }

  /** What the body of a loop changes. */
  private static final class BodyChanges {
    private final Names inside;

    BodyChanges(Statement body) {
      List<Token> tokens = new ArrayList<>();
      collect(body, tokens);
      inside = new Names(tokens, Set.of(), Set.of());
    }

    boolean changes(String name) {
      return inside.isAssigned(name);
    }
  }

  /** All tokens of a statement, with a semicolon between those of two parts. */
  static void collect(Statement statement, List<Token> to) {
    if (statement instanceof Plain plain) {
      to.addAll(plain.tokens());
    } else if (statement instanceof Variables declared) {
      to.addAll(declared.tokens());
    } else if (statement instanceof Whole whole) {
      to.addAll(whole.tokens());
    } else if (statement instanceof Jump jump) {
      to.addAll(jump.value());
    } else if (statement instanceof If choice) {
      to.addAll(choice.condition());
    } else if (statement instanceof For loop) {
      to.addAll(loop.condition());
      to.add(new Token(Token.Kind.MARK, ";", false, "", 0));
      to.addAll(loop.step());
    } else if (statement instanceof Do loop) {
      to.addAll(loop.condition());
    }
    to.add(new Token(Token.Kind.MARK, ";", false, "", 0));
    for (Statement inside : inner(statement)) {
      collect(inside, to);
    }
  }
}
