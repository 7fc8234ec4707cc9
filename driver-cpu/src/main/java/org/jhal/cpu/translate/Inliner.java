// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jhal.cpu.translate.Statement.Block;
import org.jhal.cpu.translate.Statement.Do;
import org.jhal.cpu.translate.Statement.For;
import org.jhal.cpu.translate.Statement.If;
import org.jhal.cpu.translate.Statement.Jump;
import org.jhal.cpu.translate.Statement.Plain;
import org.jhal.cpu.translate.Statement.Variables;

/**
 * Inlines a function in which items meet, or that has to do with a loop in {@link Lockstep}, before
 * the expression that calls it: {@code y = other(x);} becomes
 *
 * <pre>{@code
 * auto hal_passed1_0 = (x);
 * int hal_result1;
 * {
 *   int hal_in1_v = hal_passed1_0;
 *   ...
 *   hal_result1 = hal_in1_v;
 * }
 * y = hal_result1;
 * }</pre>
 *
 * <p>The names of the function get a prefix, so none of them hides a name of the caller. A function
 * that means something by a name that the caller has too is refused.
 */
final class Inliner {
  /** Functions are nested at most so deep. */
  static final int DEPTH = 8;

  /** How long the functions may be together in which no items meet, in tokens. */
  private static final int MOST = 2000;

  /** Types of which none is another one. */
  private static final Set<String> PLAIN_TYPES =
      Set.of("bool", "char", "short", "int", "long", "unsigned", "float", "double");

  private final BarrierLowering lowering;
  private final SourceFile source;
  private final Function kernel;
  private final ConstantOverloads constants;
  private final Set<String> callers; // names of the kernel
  private final Map<String, Integer> instances =
      new HashMap<>(); // whose shared variables are there
  private final Map<String, List<List<Token>>> withShared =
      new HashMap<>(); // the template arguments of functions that have any
  private boolean hasDirective; // which may make any name mean something else
  private int depth;
  private int size; // of the functions in which no items meet

  Inliner(BarrierLowering lowering, SourceFile source, Function kernel, Set<String> callers) {
    this.lowering = lowering;
    this.source = source;
    this.kernel = kernel;
    this.constants = new ConstantOverloads(source);
    this.callers = new HashSet<>(callers);
    addTypes(kernel);
  }

  /** Adds the names of types and constants that a function declares, which hide those outside. */
  private void addTypes(Function function) {
    List<Token> template = function.templateParameters();
    if (template != null) {
      Tokens.split(template).forEach(each -> callers.add(nameOf(each)));
    }
    callers.addAll(LocalTypes.names(function.statements(), source.namespaces()));
    hasDirective |= LocalTypes.hasDirective(function.statements(), source.namespaces());
  }

  boolean isVoid(Token name) throws UnfitException {
    return isVoid(function(name));
  }

  private static boolean isVoid(Function function) {
    return function.result().size() == 1 && function.result().get(0).is("void");
  }

  private Function function(Token name) throws UnfitException {
    if (callers.contains(name.text())) {
      throw new UnfitException("a variable with the name " + name + " of a function", name);
    }
    Function found = null;
    for (Function function : source.functions()) {
      if (function.text().equals(name.text()) && function.hasBody()) {
        if (found != null) {
          throw new UnfitException("items meet in " + name + ", of which there are several", name);
        }
        found = function;
      }
    }
    if (found == null) {
      throw new UnfitException("items meet in " + name + ", which is no plain function", name);
    }
    List<Token> template = found.templateParameters();
    if (template != null && Tokens.split(template).stream().anyMatch(List::isEmpty)) {
      throw new UnfitException("a missing template parameter of " + name, name);
    }
    if (found.scope() != kernel.scope()) {
      throw new UnfitException("items meet in " + name + ", which is in another namespace", name);
    }
    return found;
  }

  /** Inlines a function. Returns its result, which is nothing if it has none. */
  List<Token> written(Call call, List<Token> tokens, List<Statement> to) throws UnfitException {
    Token name = tokens.get(call.name());
    if (++depth > DEPTH) {
      throw new UnfitException("items meet in functions that are nested too deep", name);
    }
    Function function = function(name);
    Declarations.checkTypes(function.statements());
    int number = lowering.nextNumber();
    List<List<Token>> arguments = arguments(function, call, tokens, to); // may have this call too
    List<Statement> own = StatementParser.parse(function.statements());
    Map<String, List<Token>> renamed = new HashMap<>(); // names of the function
    Set<String> locals = new HashSet<>();
    Scopes.declared(own, locals);
    locals.forEach(
        local -> renamed.put(local, List.of(Token.word("hal_in" + number + "_" + local, name))));
    Set<String> shared = shared(own);
    List<Token> given = call.templateArguments(tokens);
    String instance = function.text() + Generated.text(given);
    boolean isDeduced = isDeduced(function, call, tokens);
    boolean isFirst = isDeduced || !instances.containsKey(instance);
    if (isFirst && !shared.isEmpty()) {
      checkOther(name, isDeduced ? List.of() : given);
    }
    int of = isFirst ? number : instances.getOrDefault(instance, number);
    instances.put(instance, of);
    shared.forEach(
        local -> renamed.put(local, List.of(Token.word("hal_in" + of + "_" + local, name))));
    List<Statement> body = new ArrayList<>();
    templates(function, call, tokens, renamed, name);
    parameters(function, number, arguments, renamed, body, to);
    checkNames(function, renamed, name);
    checkHidden(function, renamed, name);
    addTypes(function);
    String result = "hal_result" + number;
    if (!isVoid(function)) {
      List<Token> declaration = new ArrayList<>(rename(function.result(), renamed));
      declaration.add(Token.word(result, name));
      Generated.add(declaration, to);
    }
    List<Statement> statements =
        new ArrayList<>(StatementParser.parse(rename(function.statements(), renamed)));
    String left = lowering.mayLeaveLoops(name) ? "hal_left" + number : "";
    boolean isChecked = left.isEmpty() && !Declarations.isBuiltIn(function.result());
    if (!left.isEmpty()) {
      statements = Switches.asBranches(statements);
      size += function.statements().size();
      if (size > MOST) {
        throw new UnfitException("functions that would make the kernel too long", name);
      }
    }
    statements = new Ending(result, isChecked, left).list(statements);
    if (statements.stream().anyMatch(Statement::returns)) {
      throw new UnfitException("items meet in " + name + ", which returns early", name);
    }
    body.addAll(lowering.list(isFirst ? statements : withoutShared(statements)));
    to.add(new Block(body, name));
    depth--;
    return isVoid(function) ? List.of() : List.of(Token.word(result, name));
  }

  /** Whether the types of a call are not known here, and so whether it is the same function. */
  private static boolean isDeduced(Function function, Call call, List<Token> tokens) {
    List<Token> all = function.templateParameters();
    int given = Tokens.split(call.templateArguments(tokens)).size();
    return all != null && given < Tokens.split(all).size();
  }

  /** Checks that a function is no other name for one whose shared variables are there. */
  private void checkOther(Token name, List<Token> given) throws UnfitException {
    List<List<Token>> others = withShared.computeIfAbsent(name.text(), key -> new ArrayList<>());
    for (List<Token> other : others) {
      if (!differ(given, other)) {
        throw new UnfitException("shared variables of " + name + ", which may be the same", name);
      }
    }
    others.add(given);
  }

  /** Whether one of the template arguments surely is another one. */
  private static boolean differ(List<Token> given, List<Token> other) {
    List<List<Token>> some = Tokens.split(given);
    List<List<Token>> others = Tokens.split(other);
    for (int i = 0; i < some.size() && i < others.size(); i++) {
      String one = plain(some.get(i));
      String another = plain(others.get(i));
      if (!one.isEmpty() && !another.isEmpty() && !one.equals(another)) {
        return true;
      }
    }
    return false;
  }

  /** A number or a type that has no other name among these; empty for all others. */
  private static String plain(List<Token> argument) {
    List<Token> bare = Tokens.withoutParentheses(argument);
    String text = bare.size() == 1 ? bare.get(0).text() : "";
    return PLAIN_TYPES.contains(text) || text.matches("0|[1-9][0-9]*") ? text : "";
  }

  private static Set<String> shared(List<Statement> statements) {
    Set<String> names = new HashSet<>();
    for (Statement statement : statements) {
      if (isShared(statement)) {
        Scopes.declared(List.of(statement), names);
      }
      names.addAll(shared(statement.inner()));
    }
    return names;
  }

  private static boolean isShared(Statement statement) {
    return statement instanceof Variables variables && variables.declaration().is("__shared__");
  }

  /** The function was inlined before: its shared variables are the same. */
  private static List<Statement> withoutShared(List<Statement> statements) {
    return SharedVariables.without(statements, new ArrayList<>());
  }

  /**
   * Makes each {@code return} behind which nothing follows an assignment. What follows a branch
   * that returns becomes the other branch: {@code if (c) return a; b(); return d;} becomes {@code
   * if (c) r = a; else { b(); r = d; }}.
   */
  private static final class Ending {
    private final String result;
    private final boolean isChecked;
    private final String left;
    private int loops;

    /**
     * For a function.
     *
     * @param result the variable that gets what it returns
     * @param isChecked whether the compiler is to check that this is a copy
     * @param left what the names of variables begin with that say whether a loop has returned;
     *     empty if loops may not
     */
    Ending(String result, boolean isChecked, String left) {
      this.result = result;
      this.isChecked = isChecked;
      this.left = left;
    }

    List<Statement> list(List<Statement> statements) throws UnfitException {
      List<Statement> all = new ArrayList<>();
      for (int i = 0; i < statements.size(); i++) {
        Statement statement = statements.get(i);
        List<Statement> rest = statements.subList(i + 1, statements.size());
        if (statement instanceof Jump jump && jump.isReturn()) {
          assign(jump, all);
          return all; // nothing comes here
        }
        if (statement instanceof Block block && rest.isEmpty()) {
          all.add(new Block(list(block.statements()), block.at()));
          return all;
        }
        if (statement.isLoop() && statement.returns() && !left.isEmpty()) {
          loop(statement, rest, all);
          return all;
        }
        if (statement instanceof If choice && choice.returns()) {
          List<Statement> then = new ArrayList<>(inside(choice.then()));
          List<Statement> otherwise =
              new ArrayList<>(choice.otherwise() == null ? List.of() : inside(choice.otherwise()));
          if (rest.isEmpty() || alwaysReturns(then) || alwaysReturns(otherwise)) {
            if (!rest.isEmpty()) {
              goesOn(alwaysReturns(then) ? otherwise : then, rest, choice.at());
            }
            all.add(
                new If(
                    choice.isConstant(),
                    choice.condition(),
                    new Block(list(then), choice.at()),
                    new Block(list(otherwise), choice.at()),
                    choice.at()));
            return all;
          }
        }
        all.add(statement);
      }
      return all;
    }

    /** What follows a loop that may return is done if it has not. */
    private void loop(Statement loop, List<Statement> rest, List<Statement> to)
        throws UnfitException {
      Token at = loop instanceof For each ? each.at() : ((Do) loop).at();
      String name = left + "_" + ++loops;
      Generated.declare("bool", name, Generated.tokens("false", at), at, to);
      to.add(EarlyReturns.asBreaks(loop, this::assign, name, at));
      if (!rest.isEmpty()) {
        List<Token> hasNot = Generated.tokens("!" + name, at);
        to.add(new If(false, hasNot, new Block(list(rest), at), null, at));
      }
    }

    private void assign(Jump jump, List<Statement> to) {
      if (jump.value().isEmpty()) {
        return;
      }
      List<Token> name = List.of(Token.word(result, jump.word()));
      if (isChecked) {
        String same = "hal_result<" + bare(name) + ", " + bare(jump.value()) + ">";
        Generated.check(same, "a result that is no copy", jump.word(), to);
      }
      List<Token> assignment = new ArrayList<>(name);
      assignment.add(Token.mark("=", jump.word()));
      if (Tokens.find(jump.value(), 0, ",") < jump.value().size()) {
        assignment.add(Token.mark("(", jump.word()));
        assignment.addAll(jump.value());
        assignment.add(Token.mark(")", jump.word()));
      } else {
        assignment.addAll(jump.value());
      }
      to.add(new Plain(assignment));
    }
  }

  /** Adds what follows a branch, which its names must not hide. */
  private static void goesOn(List<Statement> branch, List<Statement> rest, Token at) {
    Set<String> names = new HashSet<>();
    branch.stream()
        .filter(each -> each instanceof Variables)
        .forEach(each -> Scopes.declared(List.of(each), names));
    List<Token> behind = new ArrayList<>();
    rest.forEach(each -> each.collect(behind));
    if (branch.stream().anyMatch(Statement::isTypeDeclaration)
        || behind.stream().anyMatch(token -> names.contains(token.text()))) {
      Block inBraces = new Block(List.copyOf(branch), at);
      branch.clear();
      branch.add(inBraces);
    }
    branch.addAll(rest);
  }

  private static List<Statement> inside(Statement branch) {
    return branch instanceof Block block ? block.statements() : List.of(branch);
  }

  private static boolean alwaysReturns(List<Statement> statements) {
    Statement last = statements.isEmpty() ? null : statements.get(statements.size() - 1);
    return last != null
        && (last.isReturn()
            || (last instanceof Block block && alwaysReturns(block.statements()))
            || (last instanceof If choice
                && choice.otherwise() != null
                && alwaysReturns(inside(choice.then()))
                && alwaysReturns(inside(choice.otherwise()))));
  }

  private List<List<Token>> arguments(
      Function function, Call call, List<Token> tokens, List<Statement> to) throws UnfitException {
    List<List<Token>> arguments = new ArrayList<>();
    for (List<Token> argument : call.arguments(tokens)) {
      if (argument.isEmpty()) {
        Token name = tokens.get(call.name());
        throw new UnfitException("a missing argument of " + name, name);
      }
      arguments.add(lowering.expression(argument, to));
    }
    if (arguments.size() != parameters(function).size()) {
      Token name = tokens.get(call.name());
      throw new UnfitException("a call of " + name + " with default arguments", name);
    }
    return arguments;
  }

  private static List<List<Token>> parameters(Function function) {
    List<List<Token>> parameters = new ArrayList<>(function.parameters());
    parameters.removeIf(parameter -> parameter.get(0).is("hal_item"));
    return parameters;
  }

  private void parameters(
      Function function,
      int number,
      List<List<Token>> arguments,
      Map<String, List<Token>> renamed,
      List<Statement> body,
      List<Statement> to)
      throws UnfitException {
    List<String> types = templateNames(function);
    List<List<Token>> parameters = parameters(function);
    for (int i = 0; i < parameters.size(); i++) {
      List<Token> parameter = parameters.get(i).subList(0, Tokens.find(parameters.get(i), 0, "="));
      List<Token> argument = Tokens.withoutParentheses(arguments.get(i));
      Token own = parameter.get(parameter.size() - 1);
      Token name = function.source().get(function.name());
      if (!own.isWord() || parameter.size() < 2 || parameter.stream().anyMatch(t -> t.is("("))) {
        throw new UnfitException("a parameter of " + name + " of another kind than usual", own);
      }
      if (isReference(parameter, argument, name)) {
        if (renamed.containsKey(own.text())) {
          throw new UnfitException("a variable of " + name + " that hides " + own, own);
        }
        List<Token> referred = parameter.subList(0, parameter.size() - 1);
        boolean isConstant =
            parameter.stream().anyMatch(token -> token.is("const"))
                && (constants.mayMatter(function.statements(), own.text())
                    || (!isOfLanguage(referred) && isUsed(function.statements(), own.text())));
        String text = Generated.text(argument);
        renamed.put(
            own.text(),
            isConstant ? Generated.tokens("HAL_CONSTANT(" + text + ")", own) : argument);
        if (referred.stream()
            .allMatch(
                token -> !types.contains(token.text()) || renamed.containsKey(token.text()))) {
          String type = "hal_bare<" + Generated.text(rename(referred, renamed)) + ">";
          String same = "hal_equal<" + bare(argument) + ", " + type + ">";
          Generated.check(same, "a reference to a copy", name, body);
        }
        continue;
      }
      String passed = "hal_passed" + number + "_" + i;
      boolean isBound = parameter.stream().anyMatch(token -> token.is("&") || token.is("&&"));
      if (isBound && argument.size() > 1) {
        String value = "hal_is_value<decltype((" + Generated.text(argument) + "))>";
        Generated.check(value, "a reference to what is no value", name, to);
      }
      Generated.declare("auto", passed, argument, name, to);
      List<Token> type = new ArrayList<>(parameter.subList(0, parameter.size() - 1));
      type.removeIf(token -> token.is("&") || token.is("&&"));
      String bare = type.size() == 1 ? type.get(0).text() : "";
      if (types.contains(bare) && !renamed.containsKey(bare)) {
        renamed.put(bare, Generated.tokens("hal_bare<decltype(" + passed + ")>", name));
      }
      Token local = Token.word("hal_in" + number + "_" + own, own);
      List<Token> copied = rename(type, renamed);
      renamed.put(own.text(), List.of(local));
      boolean isOfNumbers = lowering.mayLeaveLoops(name); // as LockstepFunctions says
      if (!types.contains(bare) && !isOfNumbers && !Declarations.isBuiltIn(type)) {
        String copy =
            "hal_copy<" + Generated.text(copied) + ", hal_bare<decltype(" + passed + ")>>";
        Generated.check(copy, "a parameter that is no copy", own, body);
      }
      List<Token> declaration = new ArrayList<>(copied);
      declaration.add(local);
      declaration.add(Token.mark("=", own));
      declaration.add(Token.word(passed, own));
      Generated.add(declaration, body);
    }
    for (String type : types) {
      if (!renamed.containsKey(type)) {
        Token name = function.source().get(function.name());
        throw new UnfitException(name + ", whose template argument " + type + " is deduced", name);
      }
    }
  }

  private static String bare(List<Token> value) {
    return "hal_bare<decltype((" + Generated.text(value) + "))>";
  }

  private static boolean isOfLanguage(List<Token> type) {
    return type.stream()
        .allMatch(
            token -> Declarations.isBuiltIn(List.of(token)) || token.is("&") || token.is("*"));
  }

  /** Whether an object is used in another way than to read a member. */
  private static boolean isUsed(List<Token> statements, String object) {
    for (int i = 0; i < statements.size(); i++) {
      boolean isField = Tokens.is(statements, i + 1, ".") && !Tokens.is(statements, i + 3, "(");
      if (statements.get(i).is(object) && !Tokens.isMember(statements, i) && !isField) {
        return true;
      }
    }
    return false;
  }

  /** Whether a parameter is another name for its argument, which must be a variable then. */
  private static boolean isReference(List<Token> parameter, List<Token> argument, Token name)
      throws UnfitException {
    if (parameter.stream().noneMatch(token -> token.is("&") || token.is("&&"))) {
      return false;
    }
    if (argument.size() == 1 && argument.get(0).isWord()) {
      return true;
    }
    boolean isConstant =
        parameter.get(0).is("const") && parameter.stream().noneMatch(token -> token.is("*"));
    boolean isValue =
        argument.stream()
            .noneMatch(token -> token.is("[") || token.is("->") || token.is("*") || token.is("."));
    if (!isConstant || !isValue) {
      throw new UnfitException("a call of " + name + " with a reference", name);
    }
    return false;
  }

  /** What the function calls by its own names must not be hidden by those of the caller. */
  private void checkNames(Function function, Map<String, List<Token>> renamed, Token name)
      throws UnfitException {
    if (hasDirective) {
      throw new UnfitException("items meet in " + name + ", and a namespace is used", name);
    }
    for (int i = function.type(); i < function.end(); i++) {
      Token token = function.source().get(i);
      if (i != function.name()
          && token.isWord()
          && !Tokens.isMember(function.source(), i)
          && callers.contains(token.text())
          && !renamed.containsKey(token.text())) {
        throw new UnfitException(name + " and its caller both use the name " + token, name);
      }
    }
  }

  /** What stands for a parameter must not be hidden by names of the function. */
  private void checkHidden(Function function, Map<String, List<Token>> renamed, Token name)
      throws UnfitException {
    Set<String> lambdas = lambdaParameters(function.statements());
    Set<String> hidden = LocalTypes.names(function.statements(), source.namespaces());
    hidden.addAll(lambdas);
    for (Map.Entry<String, List<Token>> each : renamed.entrySet()) {
      boolean isOwn = Tokens.get(each.getValue(), 0).text().startsWith("hal_in");
      if (!isOwn && lambdas.contains(each.getKey())) {
        throw new UnfitException(name + " hides " + each.getKey() + " in a lambda", name);
      }
      for (Token token : each.getValue()) {
        if (token.isWord() && hidden.contains(token.text())) {
          throw new UnfitException(name + " and its caller both use the name " + token, name);
        }
      }
    }
  }

  private static Set<String> lambdaParameters(List<Token> tokens) {
    Set<String> names = new HashSet<>();
    for (int i = 0; i < tokens.size(); i++) {
      int open = Tokens.isLambda(tokens, i) ? Tokens.close(tokens, i) + 1 : tokens.size();
      if (Tokens.is(tokens, open, "(")) {
        for (List<Token> each :
            Tokens.split(tokens.subList(open + 1, Tokens.close(tokens, open)))) {
          names.add(Tokens.get(each, Tokens.find(each, 0, "=") - 1).text());
        }
      }
    }
    return names;
  }

  private static void templates(
      Function function,
      Call call,
      List<Token> tokens,
      Map<String, List<Token>> renamed,
      Token name) {
    List<Token> all = function.templateParameters();
    List<List<Token>> types = all == null ? List.of() : Tokens.split(all);
    List<List<Token>> given = Tokens.split(call.templateArguments(tokens));
    for (int i = 0; i < given.size() && i < types.size(); i++) {
      List<Token> type = typeOf(types.get(i));
      renamed.put(
          nameOf(types.get(i)),
          type.isEmpty() ? given.get(i) : value(rename(type, renamed), given.get(i), name));
    }
  }

  /** The type of the value that a template parameter stands for; empty if it is a type itself. */
  private static List<Token> typeOf(List<Token> parameter) {
    List<Token> type = parameter.subList(0, Tokens.find(parameter, 0, "=") - 1);
    Token first = parameter.get(0);
    boolean isType =
        first.is("class")
            || first.is("template")
            || (first.is("typename") && type.stream().noneMatch(token -> token.is("::")));
    return isType ? List.of() : type;
  }

  /** A template argument, which has the type of its parameter: 64 may be unsigned. */
  private static List<Token> value(List<Token> type, List<Token> given, Token at) {
    boolean isSame =
        type.stream().anyMatch(token -> token.is("auto"))
            || (type.size() == 1
                && type.get(0).is("int")
                && given.size() == 1
                && given.get(0).text().matches("0|[1-9][0-9]{0,8}"));
    String value = "(" + Generated.text(given) + ")";
    return Generated.tokens(isSame ? value : "((" + Generated.text(type) + ")" + value + ")", at);
  }

  private static List<String> templateNames(Function function) {
    List<Token> all = function.templateParameters();
    return all == null ? List.of() : Tokens.split(all).stream().map(Inliner::nameOf).toList();
  }

  private static String nameOf(List<Token> parameter) {
    int end = Tokens.find(parameter, 0, "=");
    return parameter.get(end - 1).text();
  }

  private static List<Token> rename(List<Token> tokens, Map<String, List<Token>> names) {
    List<Token> renamed = new ArrayList<>();
    for (int i = 0; i < tokens.size(); i++) {
      Token token = tokens.get(i);
      boolean isName = token.isWord() && !Tokens.isMember(tokens, i);
      List<Token> other = isName ? names.get(token.text()) : null;
      if (other == null) {
        renamed.add(token);
      } else {
        for (Token part : other) {
          renamed.add(part.at(token));
        }
      }
    }
    return renamed;
  }
}
