package org.jhal.cpu.translate;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
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
 * Makes each place where work items meet a {@link Barrier}. What the items of a warp exchange goes
 * into a variable before a barrier, and is read from the elements of other items behind it. A
 * function in which items meet is written out where it is called.
 */
final class Meetings {
  /** The names of variables that other items read begin so. */
  static final String EXCHANGED = "hal_given";

  /** The functions in which items meet are nested at most so deep. */
  private static final int DEPTH = 8;

  private static final Set<String> SHUFFLES =
      Set.of("__shfl_sync", "__shfl_up_sync", "__shfl_down_sync", "__shfl_xor_sync");
  private static final Set<String> TILE_SHUFFLES =
      Set.of("shfl", "shfl_up", "shfl_down", "shfl_xor");

  private final SourceFile source;
  private final Calls calls;
  private int depth;
  private int numbers;

  private Meetings(SourceFile source, Calls calls) {
    this.source = source;
    this.calls = calls;
  }

  static List<Statement> find(List<Statement> statements, SourceFile source, Calls calls)
      throws UnfitException {
    return new Meetings(source, calls).list(statements);
  }

  private List<Statement> list(List<Statement> statements) throws UnfitException {
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
              condition,
              body(choice.then(), choice.at()),
              otherwise == null ? null : body(otherwise, choice.at()),
              choice.at()));
    } else if (statement instanceof For loop) {
      check(loop.condition());
      check(loop.step());
      Statement start = loop.start();
      if (start != null) {
        List<Token> tokens = new ArrayList<>();
        Planner.collect(start, tokens);
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
      List<Token> tokens = expression(declared.tokens(), to);
      Declarations.Declaration declaration = Declarations.of(tokens);
      if (declaration == null) {
        throw new UnfitException("a declaration of another kind than usual", tokens.get(0));
      }
      to.add(new Variables(declaration, tokens));
    } else if (statement instanceof Jump jump) {
      to.add(new Jump(jump.word(), expression(jump.value(), to)));
    } else if (statement instanceof Whole whole) {
      check(whole.tokens());
      to.add(whole);
    } else {
      to.add(statement);
    }
  }

  private void plain(List<Token> tokens, List<Statement> to) throws UnfitException {
    Call call = call(tokens, 0);
    if (call == null) {
      to.add(new Plain(tokens));
      return;
    }
    boolean isWhole = call.start == 0 && call.end == tokens.size() - 1;
    Token at = tokens.get(call.name);
    if (isWhole && isBarrier(call, tokens)) {
      to.add(new Barrier(at));
    } else if (isWhole && calls.hasMeeting(at.text()) && isVoid(function(at))) {
      List<Token> unused = written(call, tokens, to);
    } else {
      List<Token> rest = expression(tokens, to);
      if (rest.size() > 1) {
        to.add(new Plain(rest));
      }
    }
  }

  private static boolean isBarrier(Call call, List<Token> tokens) {
    String name = tokens.get(call.name).text();
    return name.equals("__syncthreads") || name.equals("__syncwarp") || name.equals("sync");
  }

  private void check(List<Token> tokens) throws UnfitException {
    Call call = call(tokens, 0);
    if (call != null) {
      throw new UnfitException(
          tokens.get(call.name) + " in the header of a loop or in a switch", tokens.get(call.name));
    }
  }

  /**
   * A call of a function in which items meet.
   *
   * @param start where it begins: at the object of a method, or at a name in front of {@code ::}
   * @param open its parenthesis; {@code end} closes that
   */
  private record Call(int start, int name, int open, int end) {
    List<List<Token>> arguments(List<Token> tokens) {
      List<List<Token>> all = Tokens.split(tokens.subList(open + 1, end));
      boolean hasItem =
          !all.isEmpty() && all.get(0).size() == 1 && all.get(0).get(0).is("hal_self");
      return hasItem ? all.subList(1, all.size()) : all;
    }

    List<Token> templateArguments(List<Token> tokens) {
      return Tokens.is(tokens, name + 1, "<") ? tokens.subList(name + 2, open - 1) : List.of();
    }
  }

  /** The first call from {@code from} on, or null. */
  private @Nullable Call call(List<Token> tokens, int from) {
    for (int i = from; i < tokens.size(); i++) {
      Token token = tokens.get(i);
      if (!token.isWord() || !(calls.meets(token.text()) || calls.hasMeeting(token.text()))) {
        continue;
      }
      int open = i + 1;
      if (Tokens.is(tokens, open, "<")) {
        open = Tokens.closeAngle(tokens, open) + 1;
      }
      boolean isMember = Tokens.is(tokens, i - 1, ".") || Tokens.is(tokens, i - 1, "::");
      if (open > 0
          && Tokens.is(tokens, open, "(")
          && (isMember || !calls.isOfGroup(token.text()))) {
        int start = isMember ? i - 2 : i;
        return new Call(start, i, open, Tokens.close(tokens, open));
      }
    }
    return null;
  }

  /** Takes the calls out of an expression; {@code to} gets what comes before it. */
  private List<Token> expression(List<Token> tokens, List<Statement> to) throws UnfitException {
    List<Token> rest = tokens;
    for (Call call = call(rest, 0); call != null; call = call(rest, 0)) {
      Token name = rest.get(call.name);
      for (Token token : rest.subList(0, call.start)) {
        if (token.is("?") || token.is("&&") || token.is("||")) {
          throw new UnfitException(name + " in an expression that may not be evaluated", name);
        }
      }
      List<Token> replaced = new ArrayList<>(rest.subList(0, call.start));
      replaced.addAll(
          calls.meets(name.text()) ? exchanged(call, rest, to) : written(call, rest, to));
      replaced.addAll(rest.subList(call.end + 1, rest.size()));
      rest = replaced;
    }
    return rest;
  }

  // What the items of a warp exchange.

  private List<Token> exchanged(Call call, List<Token> tokens, List<Statement> to)
      throws UnfitException {
    Token name = tokens.get(call.name);
    List<List<Token>> arguments = new ArrayList<>();
    for (List<Token> argument : call.arguments(tokens)) {
      arguments.add(expression(argument, to));
    }
    String word = name.text();
    if (SHUFFLES.contains(word)) {
      String given = give(arguments.get(1), name, to);
      String width = arguments.size() > 3 ? text(arguments.get(3)) : "32";
      String lane = "hal_lane_" + word.substring("__shfl_".length()).replace("_sync", "");
      return shuffle(
          word.equals("__shfl_sync") ? "hal_lane_of" : lane,
          given,
          text(arguments.get(2)),
          width,
          name);
    }
    if (call.start < call.name && TILE_SHUFFLES.contains(word)) {
      String tile = text(tokens.subList(call.start, call.start + 1));
      String given = give(arguments.get(0), name, to);
      String lane = word.equals("shfl") ? "hal_lane_of" : "hal_lane_" + word.substring(5);
      return shuffle(lane, given, text(arguments.get(1)), tile + ".size()", name);
    }
    if (call.start < call.name && Set.of("ballot", "any", "all").contains(word)) {
      String tile = text(tokens.subList(call.start, call.start + 1));
      String takesPart = EXCHANGED + ++numbers;
      declare("bool", takesPart, tokens("true", name), name, to);
      String given = give(arguments.get(0), name, to);
      String macro = "HAL_TILE_" + word.toUpperCase(Locale.ROOT);
      return tokens(macro + "(" + given + "_all, " + takesPart + "_all, " + tile + ")", name);
    }
    if (word.equals("reduce") && arguments.size() == 3) {
      String given = give(arguments.get(1), name, to);
      return tokens(
          "HAL_READ_TREE("
              + given
              + "_all, "
              + text(arguments.get(0))
              + ".size(), "
              + text(arguments.get(2))
              + ")",
          name);
    }
    String macro =
        switch (word) {
          case "__ballot_sync" -> "HAL_READ_BALLOT";
          case "__any_sync" -> "HAL_READ_ANY";
          case "__all_sync" -> "HAL_READ_ALL";
          case "__reduce_add_sync" -> "HAL_READ_ADD";
          case "__reduce_min_sync" -> "HAL_READ_MIN";
          case "__reduce_max_sync" -> "HAL_READ_MAX";
          case "__reduce_and_sync" -> "HAL_READ_AND";
          case "__reduce_or_sync" -> "HAL_READ_OR";
          case "__reduce_xor_sync" -> "HAL_READ_XOR";
          default -> throw new UnfitException(word + " in an expression", name);
        };
    String takesPart = EXCHANGED + ++numbers;
    declare("bool", takesPart, tokens("true", name), name, to);
    String given = give(arguments.get(1), name, to);
    return tokens(
        macro + "(" + given + "_all, " + takesPart + "_all, " + text(arguments.get(0)) + ")", name);
  }

  private static List<Token> shuffle(
      String lane, String given, String from, String width, Token at) {
    return tokens(
        "HAL_READ(" + given + "_all, " + lane + "(hal_i & 31, " + from + ", (int)(" + width + ")))",
        at);
  }

  /** Stores a value that other items read behind the barrier. Returns its name. */
  private String give(List<Token> value, Token at, List<Statement> to) throws UnfitException {
    String given = EXCHANGED + ++numbers;
    declare("auto", given, value, at, to);
    to.add(new Barrier(at));
    return given;
  }

  private static void declare(
      String type, String name, List<Token> value, Token at, List<Statement> to)
      throws UnfitException {
    List<Token> tokens = new ArrayList<>();
    tokens.add(Token.word(type, at));
    tokens.add(Token.word(name, at));
    tokens.add(Token.mark("=", at));
    tokens.add(Token.mark("(", at));
    tokens.addAll(value);
    tokens.add(Token.mark(")", at));
    add(tokens, to);
  }

  private static void add(List<Token> declaration, List<Statement> to) throws UnfitException {
    Declarations.Declaration parsed = Declarations.of(declaration);
    if (parsed == null) {
      throw new UnfitException("a declaration of another kind than usual", declaration.get(0));
    }
    to.add(new Variables(parsed, declaration));
  }

  private static String text(List<Token> tokens) {
    return Tokens.text(tokens);
  }

  private static List<Token> tokens(String text, Token at) {
    return Lexer.tokens(text).stream()
        .map(token -> new Token(token.kind(), token.text(), token.isSpaced(), at.file(), at.line()))
        .toList();
  }

  // Functions that are written out.

  private Function function(Token name) throws UnfitException {
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
    return found;
  }

  private static boolean isVoid(Function function) {
    return function.result().size() == 1 && function.result().get(0).is("void");
  }

  /** Writes a function out before the expression that calls it. Returns its result. */
  private List<Token> written(Call call, List<Token> tokens, List<Statement> to)
      throws UnfitException {
    Token name = tokens.get(call.name);
    if (++depth > DEPTH) {
      throw new UnfitException("items meet in functions that are nested too deep", name);
    }
    Function function = function(name);
    int number = ++numbers;
    Map<String, List<Token>> renamed = new HashMap<>(); // names of the function
    List<List<Token>> parameters = new ArrayList<>(function.parameters());
    parameters.removeIf(parameter -> parameter.get(0).is("hal_item"));
    List<List<Token>> arguments = new ArrayList<>();
    for (List<Token> argument : call.arguments(tokens)) {
      arguments.add(expression(argument, to));
    }
    if (arguments.size() != parameters.size()) {
      throw new UnfitException("a call of " + name + " with default arguments", name);
    }
    List<Statement> body = new ArrayList<>();
    List<List<Token>> types = templates(function);
    List<List<Token>> given = Tokens.split(call.templateArguments(tokens));
    for (int i = 0; i < given.size() && i < types.size(); i++) {
      renamed.put(last(types.get(i)), wrapped(given.get(i), types.get(i), name));
    }
    for (int i = 0; i < parameters.size(); i++) {
      List<Token> parameter = parameters.get(i);
      Token own = parameter.get(parameter.size() - 1);
      if (parameter.stream().anyMatch(token -> token.is("&")) && !parameter.get(0).is("const")) {
        if (arguments.get(i).size() != 1) {
          throw new UnfitException("a call of " + name + " with a reference", name);
        }
        renamed.put(own.text(), arguments.get(i));
        continue;
      }
      String passed = "hal_passed" + number + "_" + i;
      declare("auto", passed, arguments.get(i), name, to);
      List<Token> type = new ArrayList<>(parameter.subList(0, parameter.size() - 1));
      type.removeIf(token -> token.is("&"));
      String bare = type.size() == 1 ? type.get(0).text() : "";
      if (types.stream().anyMatch(t -> last(t).equals(bare)) && !renamed.containsKey(bare)) {
        renamed.put(bare, tokens("hal_bare<decltype(" + passed + ")>", name));
      }
      List<Token> declaration = new ArrayList<>(type);
      declaration.add(own);
      declaration.add(Token.mark("=", own));
      declaration.add(Token.word(passed, own));
      add(rename(declaration, renamed), body);
    }
    String result = "hal_result" + number;
    if (!isVoid(function)) {
      List<Token> declaration = new ArrayList<>(rename(function.result(), renamed));
      declaration.add(Token.word(result, name));
      add(declaration, to);
    }
    List<Statement> statements =
        new ArrayList<>(StatementParser.parse(rename(function.statements(), renamed)));
    Statement end = statements.isEmpty() ? null : statements.get(statements.size() - 1);
    if (end instanceof Jump jump && jump.word().is("return")) {
      statements.remove(end);
      if (!jump.value().isEmpty()) {
        List<Token> assignment = new ArrayList<>();
        assignment.add(Token.word(result, jump.word()));
        assignment.add(Token.mark("=", jump.word()));
        assignment.addAll(jump.value());
        statements.add(new Plain(assignment));
      }
    }
    if (statements.stream().anyMatch(Planner::returns)) {
      throw new UnfitException("items meet in " + name + ", which returns early", name);
    }
    body.addAll(list(statements));
    to.add(new Block(body, name));
    depth--;
    return isVoid(function) ? List.of() : List.of(Token.word(result, name));
  }

  private static List<List<Token>> templates(Function function) {
    List<Token> parameters = function.templateParameters();
    return parameters == null ? List.of() : Tokens.split(parameters);
  }

  private static String last(List<Token> tokens) {
    return tokens.get(tokens.size() - 1).text();
  }

  private static List<Token> wrapped(List<Token> argument, List<Token> parameter, Token at) {
    boolean isType = parameter.get(0).is("class") || parameter.get(0).is("typename");
    return isType ? argument : tokens("(" + text(argument) + ")", at);
  }

  private static List<Token> rename(List<Token> tokens, Map<String, List<Token>> names) {
    List<Token> renamed = new ArrayList<>();
    for (int i = 0; i < tokens.size(); i++) {
      Token token = tokens.get(i);
      boolean isMember = Tokens.is(tokens, i - 1, ".") || Tokens.is(tokens, i - 1, "->");
      List<Token> other = token.isWord() && !isMember ? names.get(token.text()) : null;
      if (other == null) {
        renamed.add(token);
      } else {
        for (Token part : other) {
          renamed.add(new Token(part.kind(), part.text(), true, token.file(), token.line()));
        }
      }
    }
    return renamed;
  }
}
