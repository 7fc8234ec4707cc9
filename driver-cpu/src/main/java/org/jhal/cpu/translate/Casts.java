// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Tells {@code (T)*p} from {@code (n)*p}: a mark behind a cast has one operand, behind a variable
 * in parentheses it has two. What may be a cast is taken for one.
 */
final class Casts {
  private static final Set<String> CONDITIONS = Set.of("if", "while", "for", "switch");

  private final Predicate<String> isVariable;

  /** With what says whether a name is that of a variable or a parameter. */
  Casts(Predicate<String> isVariable) {
    this.isVariable = isVariable;
  }

  boolean isVariable(String name) {
    return isVariable.test(name);
  }

  /** Whether a {@code *} or {@code &} has one operand, the one behind it. */
  boolean isUnary(List<Token> tokens, int at) {
    Token before = Tokens.get(tokens, at - 1);
    return switch (before.kind()) {
      case NUMBER, TEXT -> false;
      case WORD -> Tokens.isBeforeExpression(before);
      case MARK ->
          before.is(")")
              ? isCast(tokens, at - 1)
              : !before.is("]") && !before.is("}") && !isTypesEnd(tokens, at - 1);
    };
  }

  /** Whether a mark ends a type, such as in {@code T<U>& r} and {@code T*& r}. */
  private boolean isTypesEnd(List<Token> tokens, int at) {
    if (Tokens.is(tokens, at, ">")) {
      return Tokens.openAngle(tokens, at) > 0;
    }
    return Tokens.is(tokens, at, "*")
        && Tokens.get(tokens, at - 1).isWord()
        && !Tokens.isBeforeExpression(tokens.get(at - 1))
        && !isVariable.test(tokens.get(at - 1).text());
  }

  /** Whether parentheses hold a type, or the condition of a statement. */
  boolean isCast(List<Token> tokens, int close) {
    int open = Tokens.open(tokens, close);
    if (open < 0 || open + 1 == close) {
      return false;
    }
    Token before = Tokens.get(tokens, open - 1);
    if (before.isWord()) {
      return CONDITIONS.contains(before.text()) || Tokens.isBeforeExpression(before);
    }
    if (before.is(">")) { // static_cast<T>(x) * y
      return false;
    }
    for (Token token : tokens.subList(open + 1, close)) {
      boolean isOfType =
          token.isWord()
              ? !isVariable.test(token.text())
              : token.kind() == Token.Kind.MARK
                  && Set.of("*", "&", "::", "<", ">", ",").contains(token.text());
      if (!isOfType) {
        return false;
      }
    }
    return true;
  }
}
