// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** Checks the brackets of a source, on whose balance everything else here relies. */
final class Brackets {
  private Brackets() {}

  /**
   * Checks that each bracket is closed by one of its kind.
   *
   * @throws SyntaxException if one is not
   */
  static void check(List<Token> tokens) {
    Deque<Token> open = new ArrayDeque<>(); // innermost first
    for (Token token : tokens) {
      if (token.kind() != Token.Kind.MARK) {
        continue;
      }
      switch (token.text()) {
        case "(", "[", "{" -> open.push(token);
        case ")", "]", "}" -> {
          if (open.isEmpty()) {
            throw new SyntaxException(token, "this " + token + " closes nothing");
          }
          Token closed = open.pop();
          if (!closed.is(opening(token))) {
            throw new SyntaxException(
                closed,
                "this %s is not closed before the %s in line %s"
                    .formatted(closed, token, token.line()));
          }
        }
        default -> {}
      }
    }
    if (!open.isEmpty()) {
      throw new SyntaxException(open.getFirst(), "this " + open.getFirst() + " is never closed");
    }
  }

  private static String opening(Token closing) {
    return switch (closing.text()) {
      case ")" -> "(";
      case "]" -> "[";
      default -> "{";
    };
  }
}
