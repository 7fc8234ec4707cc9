// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import java.util.ArrayList;
import java.util.List;
import org.jhal.cpu.translate.Statement.Variables;

/** Makes tokens and declarations that a source does not have. They stand where a token of it is. */
final class Generated {
  private Generated() {}

  static void declare(String type, String name, List<Token> value, Token at, List<Statement> to)
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

  static void add(List<Token> declaration, List<Statement> to) throws UnfitException {
    to.add(variables(declaration));
  }

  static Variables variables(List<Token> declaration) throws UnfitException {
    Declarations.Declaration parsed = Declarations.of(declaration);
    if (parsed == null) {
      throw new UnfitException("a declaration of another kind than usual", declaration.get(0));
    }
    return new Variables(parsed, declaration);
  }

  /** Adds a condition for the compiler: in braces, it stays where it is. */
  static void check(String condition, String what, Token at, List<Statement> to) {
    String text = "{ static_assert(" + condition + "::value, \"" + what + "\"); }";
    to.add(new Statement.Opaque(tokens(text, at)));
  }

  static String text(List<Token> tokens) {
    return Tokens.code(tokens);
  }

  static List<Token> tokens(String text, Token at) {
    return Lexer.tokens(text).stream()
        .map(
            token ->
                new Token(
                    token.kind(),
                    token.text(),
                    token.isSpaced(),
                    at.file(),
                    at.line(),
                    token.written()))
        .toList();
  }
}
