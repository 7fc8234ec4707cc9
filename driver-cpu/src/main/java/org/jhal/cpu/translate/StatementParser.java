// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jhal.cpu.translate.Statement.Block;
import org.jhal.cpu.translate.Statement.Do;
import org.jhal.cpu.translate.Statement.For;
import org.jhal.cpu.translate.Statement.If;
import org.jhal.cpu.translate.Statement.Jump;
import org.jhal.cpu.translate.Statement.Opaque;
import org.jhal.cpu.translate.Statement.Plain;
import org.jhal.cpu.translate.Statement.Variables;
import org.jspecify.annotations.Nullable;

/** Parses the statements of a function's body. */
final class StatementParser {
  /** Statements that are not divided. */
  private static final Set<String> WHOLE = Set.of("switch", "try", "goto", "asm", "__asm__");

  private static final Set<String> JUMPS = Set.of("return", "break", "continue", "goto");

  private static final Set<String> CLASSES = Set.of("struct", "class", "union", "enum");

  /** Statements are nested at most so deep. */
  private static final int DEPTH = 200;

  private final List<Token> tokens;
  private int at;
  private int depth;

  private StatementParser(List<Token> tokens, int depth) {
    this.tokens = tokens;
    this.depth = depth;
  }

  /** Parses what stands between the braces of a body. */
  static List<Statement> parse(List<Token> tokens) throws UnfitException {
    for (int i = 0; i < tokens.size(); i++) {
      if (tokens.get(i).is("(") && Tokens.is(tokens, i + 1, "{")) {
        checkJumps(tokens.subList(i, Tokens.close(tokens, i)));
      }
    }
    return new StatementParser(tokens, 0).list();
  }

  /** Checks that an expression with statements in it does not leave these. */
  private static void checkJumps(List<Token> expression) throws UnfitException {
    for (Token token : expression) {
      if (token.isWord() && JUMPS.contains(token.text())) {
        throw new UnfitException(token + " in an expression", token);
      }
    }
  }

  private List<Statement> list() throws UnfitException {
    List<Statement> list = new ArrayList<>();
    while (at < tokens.size()) {
      Statement next = statement();
      if (next != null) {
        list.add(next);
      }
    }
    return list;
  }

  private Token token() {
    return Tokens.get(tokens, at);
  }

  /** Passes over brackets, and returns what stands between them. */
  private List<Token> brackets() throws UnfitException {
    int close = Tokens.close(tokens, at);
    if (!Tokens.isOpen(token()) || close == tokens.size()) {
      throw new UnfitException("unbalanced brackets", token());
    }
    List<Token> inside = tokens.subList(at + 1, close);
    at = close + 1;
    return inside;
  }

  /** Passes over a token, without which the compiler reports an error in the other forms. */
  private void pass(String expected) throws UnfitException {
    if (!token().is(expected)) {
      throw new UnfitException("a missing " + expected, Tokens.get(tokens, at - 1));
    }
    at++;
  }

  /** Passes over a semicolon, and returns what stands before it. */
  private List<Token> upToSemicolon() throws UnfitException {
    int end = Tokens.find(tokens, at, ";");
    if (end == tokens.size()) {
      throw new UnfitException("a missing ;", token());
    }
    List<Token> before = tokens.subList(at, end);
    at = end + 1;
    return before;
  }

  /** Returns null for an empty statement. */
  private @Nullable Statement statement() throws UnfitException {
    if (++depth > DEPTH) {
      throw new UnfitException("statements that are nested too deep", token());
    }
    Statement parsed = parsed();
    depth--;
    return parsed;
  }

  private @Nullable Statement parsed() throws UnfitException {
    Token first = token();
    if (first.is("[") && Tokens.is(tokens, at + 1, "[")) { // of a statement, or a declaration
      throw new UnfitException("an unknown attribute", first);
    }
    switch (first.text()) {
      case ";" -> {
        at++;
        return null;
      }
      case "{" -> {
        return new Block(new StatementParser(brackets(), depth).list(), first);
      }
      case "if" -> {
        boolean isConstant = Tokens.is(tokens, at + 1, "constexpr");
        at += isConstant ? 2 : 1;
        return choice(first, isConstant);
      }
      case "for" -> {
        at++;
        return loop(first);
      }
      case "while" -> {
        at++;
        List<Token> condition = brackets();
        return loop(null, condition, List.of(), first);
      }
      case "do" -> {
        at++;
        Statement body = body();
        pass("while");
        List<Token> condition = brackets();
        pass(";");
        return new Do(body, condition, first);
      }
      case "return", "break", "continue" -> {
        List<Token> all = upToSemicolon();
        return new Jump(first, all.subList(1, all.size()));
      }
      default -> {
        return simple(first);
      }
    }
  }

  private Statement simple(Token first) throws UnfitException {
    if (isClass()) {
      return type(first);
    }
    if (first.isWord() && WHOLE.contains(first.text())) {
      return whole(first);
    }
    if (first.isWord() && Tokens.is(tokens, at + 1, ":")) {
      throw new UnfitException("a label", first);
    }
    List<Token> all = upToSemicolon();
    Declarations.Declaration declaration = Declarations.of(all);
    if (declaration == null && Declarations.mayBeOne(all)) {
      throw new UnfitException("a declaration of another kind than usual", first);
    }
    return declaration == null ? new Plain(all) : new Variables(declaration, all);
  }

  /** Whether a class is defined here, rather than a variable of one declared. */
  private boolean isClass() {
    int end = Tokens.find(tokens, at, ";", "{");
    return CLASSES.contains(token().text())
        && Tokens.is(tokens, end, "{")
        && Tokens.find(tokens, at, "=", "(") > end;
  }

  /** Parses the definition of a class, and of the variables behind it. */
  private Statement type(Token first) throws UnfitException {
    int brace = Tokens.find(tokens, at, "{");
    int end = Tokens.find(tokens, Tokens.close(tokens, brace), ";");
    List<Token> all = tokens.subList(at, Math.min(end, tokens.size()));
    if (brace == at + 1 && !first.is("enum")) { // its members are variables of the block
      throw new UnfitException("an anonymous " + first, first);
    }
    if (end != Tokens.close(tokens, brace) + 1) {
      throw new UnfitException("a variable that is declared with its " + first, first);
    }
    at = end + 1;
    List<Token> definition = new ArrayList<>(all);
    definition.add(Token.mark(";", first));
    return new Opaque(definition);
  }

  /** What ends with a brace, or with a semicolon if none comes before. */
  private Statement whole(Token first) throws UnfitException {
    int start = at;
    int end = Tokens.find(tokens, at, "{", ";");
    if (Tokens.is(tokens, end, ";")) {
      at = end + 1;
    } else {
      at = Tokens.close(tokens, end) + 1;
    }
    if (first.is("goto") || first.is("try")) {
      throw new UnfitException("a " + first, first);
    }
    return new Opaque(tokens.subList(start, Math.min(at, tokens.size())));
  }

  private Statement body() throws UnfitException {
    Token first = token();
    Statement body = statement();
    return body == null ? new Block(List.of(), first) : body;
  }

  /**
   * A choice. {@code if (int x = next()) y;} becomes {@code { int x = next(); if (x) y; }}, so that
   * the variable is declared where others are.
   */
  private Statement choice(Token first, boolean isConstant) throws UnfitException {
    List<Token> condition = brackets();
    if (Tokens.find(condition, 0, ";") < condition.size()) {
      throw new UnfitException("an if with a declaration", first);
    }
    Statement then = body();
    Statement otherwise = null;
    if (token().is("else")) {
      at++;
      otherwise = body();
    }
    Variables declared = declared(condition);
    return declared == null
        ? new If(isConstant, condition, then, otherwise, first)
        : new Block(
            List.of(declared, new If(isConstant, named(declared), then, otherwise, first)), first);
  }

  private Statement loop(Token first) throws UnfitException {
    List<Token> header = brackets();
    int one = Tokens.find(header, 0, ";");
    int two = Tokens.find(header, one + 1, ";");
    if (two >= header.size()) {
      List<Token> all = new ArrayList<>(); // over a range: it can only stay whole
      all.add(first);
      all.add(Token.mark("(", first));
      all.addAll(header);
      all.add(Token.mark(")", first));
      int from = at;
      body();
      all.addAll(tokens.subList(from, at));
      return new Opaque(all);
    }
    List<Token> start = header.subList(0, one);
    Declarations.Declaration declaration = Declarations.of(start);
    if (declaration == null && Declarations.mayBeOne(start)) {
      throw new UnfitException("a declaration of another kind than usual", first);
    }
    Statement begin =
        start.isEmpty()
            ? null
            : declaration == null ? new Plain(start) : new Variables(declaration, start);
    return loop(begin, header.subList(one + 1, two), header.subList(two + 1, header.size()), first);
  }

  /**
   * A loop. One whose condition declares a variable, as {@code while (int x = next()) body} does,
   * becomes {@code for (;;) { int x = next(); if (x) {} else break; body }}.
   */
  private Statement loop(
      @Nullable Statement start, List<Token> condition, List<Token> step, Token first)
      throws UnfitException {
    Statement body = body();
    Variables declared = declared(condition);
    if (declared == null) {
      return new For(start, condition, step, body, first);
    }
    Token name = named(declared).get(0);
    if (step.stream().anyMatch(token -> token.is(name.text()))) {
      throw new UnfitException("a loop whose step uses a variable of its condition", name);
    }
    Block none = new Block(List.of(), first);
    Jump leave = new Jump(Token.word("break", first), List.of());
    Statement ends = new If(false, named(declared), none, leave, first);
    return new For(start, List.of(), step, new Block(List.of(declared, ends, body), first), first);
  }

  /** The variable that a condition declares; null if it declares none. */
  private static @Nullable Variables declared(List<Token> condition) throws UnfitException {
    Declarations.Declaration declaration = Declarations.of(condition);
    if (declaration == null) {
      return null;
    }
    List<Token> initial = declaration.declarators().get(0).initial();
    boolean isValue = Tokens.is(initial, 0, "=") || Tokens.is(initial, 0, "{");
    return isValue ? new Variables(declaration, condition) : null; // or it is a product
  }

  private static List<Token> named(Variables declared) {
    return List.of(declared.declaration().declarators().get(0).name());
  }
}
