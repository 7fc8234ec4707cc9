// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Writes the name of a function for {@code __func__} in it: the functions of a translation have
 * other names. Lambdas and classes in functions keep theirs.
 */
final class FunctionNames {
  /** The words that are the name of the function around them. */
  static final Set<String> WORDS = Set.of("__func__", "__FUNCTION__");

  private static final Set<String> CLASSES = Set.of("struct", "class", "union");

  private FunctionNames() {}

  static List<Token> written(List<Token> tokens) {
    if (tokens.stream().noneMatch(token -> token.isWord() && WORDS.contains(token.text()))) {
      return tokens;
    }
    List<Token> all = new ArrayList<>(tokens);
    for (Function function : new SourceFile(tokens).functions()) {
      if (function.hasBody() && !function.isOperator()) {
        write(function, all);
      }
    }
    return all;
  }

  private static void write(Function function, List<Token> to) {
    List<Token> tokens = function.source();
    for (int i = function.body(); i < function.end(); i++) {
      Token token = tokens.get(i);
      if (Tokens.isLambda(tokens, i)) {
        i = Tokens.lambdaEnd(tokens, i);
      } else if (CLASSES.contains(token.text())) {
        int open = Tokens.find(tokens, i, "{", ";");
        i = Tokens.is(tokens, open, "{") ? Tokens.close(tokens, open) : i;
      } else if (token.isWord() && WORDS.contains(token.text())) {
        String name = "\"" + function.text() + "\"";
        to.set(i, new Token(Token.Kind.TEXT, name, token.isSpaced(), token.file(), token.line()));
      }
    }
  }
}
