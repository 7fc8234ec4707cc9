// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/** Looks at lists of tokens. Indexes that are out of range stand for the end. */
final class Tokens {
  private static final Token END = new Token(Token.Kind.MARK, "", true, "", 0);

  /** Words behind which an expression begins. Other words for operators are marks. */
  private static final Set<String> BEFORE_EXPRESSIONS =
      Set.of(
          "return", "co_return", "co_yield", "co_await", "throw", "delete", "case", "else", "do");

  /** Operators that bind less than a comparison by order, such as {@code <}. */
  private static final Set<String> BEHIND_COMPARISONS =
      Set.of(
          "==", "!=", "&", "^", "|", "&&", "||", "?", ":", ",", "=", "+=", "-=", "*=", "/=", "%=",
          "&=", "|=", "^=", "<<=", ">>=");

  private static final Set<String> BEHIND_SUMS = Set.of("<<", "<", ">", "<=", ">=");

  private Tokens() {}

  /**
   * Whether an expression consists of comparisons and what binds as much, or more, so that {@code a
   * < b} stands for what is written on both sides of the mark.
   */
  static boolean isComparison(List<Token> expression) {
    return hasNone(expression, BEHIND_COMPARISONS);
  }

  /** Where the only comparison by order is, with nothing that binds less beside it; or -1. */
  static int comparedAt(List<Token> expression) {
    int found = -1;
    for (int i = 0; i < expression.size(); i++) {
      Token token = expression.get(i);
      if (isOpen(token)) {
        i = close(expression, i);
      } else if (Set.of("<", "<=", ">", ">=").contains(token.text())) {
        if (found >= 0) {
          return -1;
        }
        found = i;
      }
    }
    return isComparison(expression) ? found : -1;
  }

  /**
   * Whether an expression is a sum of what binds more than {@code +}: {@code a + b & c} is none.
   */
  static boolean isSum(List<Token> expression) {
    return isComparison(expression) && hasNone(expression, BEHIND_SUMS);
  }

  private static boolean hasNone(List<Token> expression, Set<String> operators) {
    for (int i = 0; i < expression.size(); i++) {
      if (operators.contains(expression.get(i).text())) {
        return false;
      }
      i = isOpen(expression.get(i)) ? close(expression, i) : i;
    }
    return true;
  }

  static Token get(List<Token> tokens, int index) {
    return index >= 0 && index < tokens.size() ? tokens.get(index) : END;
  }

  static boolean is(List<Token> tokens, int index, String text) {
    return get(tokens, index).is(text);
  }

  /** Whether a word names a member of what stands before it. */
  static boolean isMember(List<Token> tokens, int at) {
    return is(tokens, at - 1, ".") || is(tokens, at - 1, "->");
  }

  /**
   * The index of the bracket that closes the one at {@code open}, which is one of {@code ( [ { };
   * the number of tokens if there is none.
   */
  static int close(List<Token> tokens, int open) {
    int depth = 0;
    for (int i = open; i < tokens.size(); i++) {
      Token token = tokens.get(i);
      if (token.kind() != Token.Kind.MARK) {
        continue;
      }
      switch (token.text()) {
        case "(", "[", "{" -> depth++;
        case ")", "]", "}" -> {
          if (--depth == 0) {
            return i;
          }
        }
        default -> {}
      }
    }
    return tokens.size();
  }

  /**
   * The index of the {@code >} that closes the list of template arguments that begins at {@code
   * open}; -1 if what stands there is a comparison.
   */
  static int closeAngle(List<Token> tokens, int open) {
    int depth = 0;
    for (int i = open; i < tokens.size(); i++) {
      Token token = tokens.get(i);
      if (token.kind() != Token.Kind.MARK) {
        continue;
      }
      switch (token.text()) {
        case "<" -> depth++;
        case ">" -> {
          if (--depth == 0) {
            return get(tokens, i + 1).kind() == Token.Kind.NUMBER ? -1 : i; // a < b, c > 3
          }
        }
        case "(", "[", "{" -> i = close(tokens, i);
        case ")", "]", "}", ";", "&&", "||" -> {
          return -1;
        }
        default -> {}
      }
    }
    return -1;
  }

  /** The index of the bracket that the one at {@code close} closes; -1 if there is none. */
  static int open(List<Token> tokens, int close) {
    int depth = 0;
    for (int i = close; i >= 0; i--) {
      Token token = tokens.get(i);
      if (token.kind() != Token.Kind.MARK) {
        continue;
      }
      switch (token.text()) {
        case ")", "]", "}" -> depth++;
        case "(", "[", "{" -> {
          if (--depth == 0) {
            return i;
          }
        }
        default -> {}
      }
    }
    return -1;
  }

  /**
   * The index of the {@code <} whose list of template arguments the {@code >} at {@code close}
   * ends; -1 if that is a comparison.
   */
  static int openAngle(List<Token> tokens, int close) {
    int depth = 0;
    for (int i = close; i >= 0; i--) {
      Token token = tokens.get(i);
      if (token.kind() != Token.Kind.MARK) {
        continue;
      }
      switch (token.text()) {
        case ">" -> depth++;
        case "<" -> {
          if (--depth == 0) {
            return i;
          }
        }
        case ")", "]", "}" -> i = open(tokens, i);
        case "(", "[", "{", ";", "&&", "||" -> {
          return -1;
        }
        default -> {}
      }
    }
    return -1;
  }

  /**
   * The next token outside brackets, from {@code from} on, that is {@code text}; the number of
   * tokens if there is none.
   */
  static int find(List<Token> tokens, int from, String text) {
    return find(tokens, from, text, text);
  }

  /** The next token outside brackets that is one of two; the number of tokens if there is none. */
  static int find(List<Token> tokens, int from, String one, String other) {
    for (int i = from; i < tokens.size(); i++) {
      if (is(tokens, i, one) || is(tokens, i, other)) {
        return i;
      }
      if (isOpen(tokens.get(i))) {
        i = close(tokens, i);
      }
    }
    return tokens.size();
  }

  /** Where the name is whose arguments, behind those of a template, begin here; -1 if nowhere. */
  static int called(List<Token> tokens, int open) {
    int name = open - 1;
    if (is(tokens, name, ">")) {
      int depth = 0;
      for (; name >= 0; name--) {
        depth += is(tokens, name, ">") ? 1 : is(tokens, name, "<") ? -1 : 0;
        if (depth == 0) {
          break;
        }
        if (is(tokens, name, ";") || is(tokens, name, "{")) {
          return -1;
        }
      }
      name--;
    }
    return name;
  }

  /** Whether a bracket begins a lambda. */
  static boolean isLambda(List<Token> tokens, int at) {
    if (!is(tokens, at, "[")) {
      return false;
    }
    Token before = get(tokens, at - 1);
    if ((before.is("&") || before.is("&&")) && is(tokens, at - 2, "auto")) {
      return false; // auto& [a, b] = pair
    }
    if (before.is(")") || before.is("}")) { // if (c) [&] {}(); and not f(x)[0]
      int behind = close(tokens, at) + 1;
      int body = is(tokens, behind, "(") ? close(tokens, behind) + 1 : behind;
      return is(tokens, body, "{") || is(tokens, body, "mutable") || is(tokens, body, "->");
    }
    return before.kind() == Token.Kind.MARK
        ? !before.is("]")
        : isBeforeExpression(before) && !before.is("delete"); // delete[] p
  }

  /**
   * Whether a word is no type and no name, so that an expression begins behind it, rather than a
   * declaration or the rest of one. {@code sizeof} is none of these words: what stands behind it
   * may be a type, and is not evaluated.
   */
  static boolean isBeforeExpression(Token word) {
    return word.isWord() && BEFORE_EXPRESSIONS.contains(word.text());
  }

  /** Where a name begins with all that qualifies it: {@code a} in {@code a::b::c}. */
  static int qualifiedStart(List<Token> tokens, int name) {
    int start = name;
    while (is(tokens, start - 1, "::")) {
      Token before = get(tokens, start - 2);
      start -= before.isWord() && !isBeforeExpression(before) ? 2 : 1;
    }
    return start;
  }

  /** Whether a word names what is in something else: a member, or what a namespace has. */
  static boolean isQualified(List<Token> tokens, int at) {
    return isMember(tokens, at) || is(tokens, at - 1, "::");
  }

  /** The brace that ends the body of a lambda; the end of its captures if it has none. */
  static int lambdaEnd(List<Token> tokens, int open) {
    int captures = close(tokens, open);
    int body = find(tokens, captures + 1, "{", ";");
    return is(tokens, body, "{") ? close(tokens, body) : captures;
  }

  static boolean isOpen(Token token) {
    return token.kind() == Token.Kind.MARK && "([{".contains(token.text());
  }

  /** The parts between commas outside all brackets, those of template arguments too. */
  static List<List<Token>> split(List<Token> tokens) {
    List<List<Token>> parts = new ArrayList<>();
    int start = 0;
    for (int i = 0; i < tokens.size(); i++) {
      if (tokens.get(i).is(",")) {
        parts.add(tokens.subList(start, i));
        start = i + 1;
      } else if (isOpen(tokens.get(i))) {
        i = close(tokens, i);
      } else if (tokens.get(i).is("<") && i > 0 && tokens.get(i - 1).isWord()) {
        int end = closeAngle(tokens, i);
        boolean isComparison = end < 0 || find(tokens.subList(0, end), i + 1, "=") < end;
        i = isComparison ? i : end; // x = a < b, y = c > d
      }
    }
    if (!tokens.isEmpty()) {
      parts.add(tokens.subList(start, tokens.size()));
    }
    return parts;
  }

  /** The parts between marks, such as {@code ||}, that are in no brackets. */
  static List<List<Token>> split(List<Token> tokens, String mark) {
    List<List<Token>> parts = new ArrayList<>();
    int start = 0;
    for (int at = find(tokens, 0, mark); ; at = find(tokens, start, mark)) {
      parts.add(tokens.subList(start, at));
      if (at >= tokens.size()) {
        return parts;
      }
      start = at + 1;
    }
  }

  /** The text, with a space wherever two words would otherwise become one. */
  static String text(List<Token> tokens) {
    return joined(tokens, Token::text);
  }

  /** What is written for tokens, likewise. */
  static String code(List<Token> tokens) {
    return joined(tokens, Token::written);
  }

  private static String joined(List<Token> tokens, Function<Token, String> textOf) {
    StringBuilder joined = new StringBuilder();
    for (Token token : tokens) {
      String text = textOf.apply(token);
      boolean isGlued =
          joined.length() > 0
              && Character.isJavaIdentifierPart(joined.charAt(joined.length() - 1))
              && Character.isJavaIdentifierPart(text.charAt(0));
      joined.append(token.isSpaced() || isGlued ? " " : "").append(text);
    }
    return joined.toString().strip();
  }

  /** An expression without the parentheses around all of it. */
  static List<Token> withoutParentheses(List<Token> expression) {
    return is(expression, 0, "(") && close(expression, 0) == expression.size() - 1
        ? withoutParentheses(expression.subList(1, expression.size() - 1))
        : expression;
  }
}
