// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Lets casts to integers saturate, as they do on GPUs: C++ leaves open what a number gives that is
 * beyond the range, and processors differ. A cast {@code (int)x} is written {@code hal_to<int>()
 * ->* x}; {@code hal_cast.h} has the operator, which binds as tightly as a cast does, except to
 * marks and casts before it: those are applied to {@code hal_to<int>()}, which keeps them for
 * {@code x}. All other steps of the translation see the cast.
 *
 * <p>Only casts that name an integer type are known. An implicit conversion, and a cast to a type
 * that the source gives another name, are those of the compiler.
 */
final class SaturatingCasts {
  private static final Set<String> PARTS =
      Set.of("signed", "unsigned", "char", "short", "int", "long");

  private static final Set<String> NAMES =
      Set.of(
          "uchar",
          "ushort",
          "uint",
          "ulong",
          "int8_t",
          "int16_t",
          "int32_t",
          "int64_t",
          "uint8_t",
          "uint16_t",
          "uint32_t",
          "uint64_t",
          "size_t",
          "ptrdiff_t",
          "intptr_t",
          "uintptr_t");

  /** Words behind which parentheses with a type are no cast. */
  private static final Set<String> NO_CAST_BEHIND =
      Set.of("sizeof", "alignof", "decltype", "noexcept", "typeid", "operator", "alignas");

  /** What stands before a declaration, or is a part of it. */
  private static final Set<String> BEFORE_DECLARATION =
      Set.of(";", "{", "}", "(", ")", ":", "const", "constexpr", "static", "volatile", "else");

  /** What an operand in an expression stands behind, by its first character. */
  private static final String BEFORE_FUNCTIONAL = "+-*/%=?:!~&|^[(,{<>";

  /** Types that make {@code int(float)} the type of a function. */
  private static final Set<String> NO_ARGUMENT =
      Set.of("void", "float", "double", "bool", "const", "auto", "struct", "class", "typename");

  /** Words with which no operand begins. */
  private static final Set<String> NO_OPERAND =
      Set.of("const", "volatile", "noexcept", "override", "final", "try", "mutable", "requires");

  private final List<Token> tokens;
  private final List<Token> out;

  private SaturatingCasts(List<Token> tokens) {
    this.tokens = tokens;
    this.out = new ArrayList<>(tokens);
  }

  /** The same tokens; those of casts to integers are written in another way. */
  static List<Token> mark(List<Token> tokens) {
    SaturatingCasts casts = new SaturatingCasts(tokens);
    for (int i = 0; i < tokens.size(); i++) {
      Token token = tokens.get(i);
      if (token.is("(")) {
        casts.markCast(i);
      } else if (token.is("static_cast")) {
        casts.markStaticCast(i);
      } else if (casts.isFunctional(i)) {
        casts.write(i, "hal_cast<" + token.text() + ">");
      } else if (casts.isInteger(i)
          && BEFORE_DECLARATION.contains(Tokens.get(tokens, i - 1).text())) {
        casts.markDeclaration(i);
      }
    }
    return casts.out;
  }

  private void write(int at, String text) {
    out.set(at, out.get(at).writtenAs(text));
  }

  private void markCast(int open) {
    int close = typesEnd(open + 1);
    if (close == open + 1
        || !Tokens.is(tokens, close, ")")
        || !isBeforeCast(open - 1)
        || !isOperand(close + 1)) {
      return;
    }
    markOuter(open - 1);
    write(open, "hal_to<");
    write(close, ">() ->*");
  }

  /** Marks the casts before a cast, whatever they are to. */
  private void markOuter(int close) {
    int at = close;
    while (Set.of("-", "+", "!", "~").contains(Tokens.get(tokens, at).text())) {
      at--;
    }
    if (at < close && isOfNumbers(at)) { // (float)-(int)x, and not (a)-(int)x
      markOuter(at);
    }
    if (!Tokens.is(tokens, close, ")") || out.get(close) != tokens.get(close)) {
      return; // none, or an integer's, which is marked
    }
    int open = Tokens.open(tokens, close);
    write(open, "hal_as<");
    write(close, ">() ->*");
    markOuter(open - 1);
  }

  /** Whether parentheses hold the name of a type of numbers. */
  private boolean isOfNumbers(int close) {
    int open = Tokens.is(tokens, close, ")") ? Tokens.open(tokens, close) : close;
    return open + 1 < close
        && tokens.subList(open + 1, close).stream()
            .allMatch(
                part ->
                    PARTS.contains(part.text())
                        || Set.of("float", "double", "bool").contains(part.text()));
  }

  private void markStaticCast(int at) {
    int close = typesEnd(at + 2);
    if (close > at + 2
        && Tokens.is(tokens, at + 1, "<")
        && Tokens.is(tokens, close, ">")
        && Tokens.is(tokens, close + 1, "(")) {
      write(at, "hal_cast");
    }
  }

  /** Marks the initial values of {@code int i = x, j = y}. */
  private void markDeclaration(int start) {
    int at = start;
    StringBuilder type = new StringBuilder();
    while (isInteger(at) || Tokens.is(tokens, at, "const") || Tokens.is(tokens, at, "volatile")) {
      type.append(isInteger(at) ? tokens.get(at).text() + " " : "");
      at++;
    }
    while (isDeclarator(at)) {
      if (Tokens.is(tokens, at + 1, "=") && !Tokens.is(tokens, at + 2, "{")) {
        write(at + 1, "= hal_into<" + type.toString().strip() + ">() =");
      }
      int end = declaratorsEnd(at + 1);
      at = Tokens.is(tokens, end, ",") ? end + 1 : tokens.size();
      while (Tokens.is(tokens, at, "*") || Tokens.is(tokens, at, "&")) { // p of: int i, *p = &i, j
        end = declaratorsEnd(at);
        at = Tokens.is(tokens, end, ",") ? end + 1 : tokens.size();
      }
    }
  }

  /** Whether a variable's name stands here, in a declaration and not in a list of parameters. */
  private boolean isDeclarator(int at) {
    Token name = Tokens.get(tokens, at);
    return name.isWord()
        && !name.is("operator")
        && !isInteger(at)
        && Set.of("=", ",", ";", "[", "(", "{", ":").contains(Tokens.get(tokens, at + 1).text());
  }

  /** The comma or the semicolon behind a declarator; the number of tokens if none belongs to it. */
  private int declaratorsEnd(int at) {
    for (int i = at; i < tokens.size(); i++) {
      if (Tokens.is(tokens, i, ",") || Tokens.is(tokens, i, ";") || Tokens.is(tokens, i, ")")) {
        return i;
      }
      if (Tokens.is(tokens, i, "{") && Tokens.is(tokens, i - 1, ")")) {
        return tokens.size(); // the body of a function: there is nothing more to declare
      }
      if (Tokens.isOpen(tokens.get(i))) {
        i = Tokens.close(tokens, i);
      } else if (Tokens.is(tokens, i, "<") && Tokens.get(tokens, i - 1).isWord()) {
        int close = Tokens.closeAngle(tokens, i);
        i = close > 0 && isTemplatesEnd(close) && Tokens.is(tokens, close + 1, "(") ? close : i;
      }
    }
    return tokens.size();
  }

  /** Whether a word is a type that a cast calls as a function: {@code int(x)}. */
  private boolean isFunctional(int at) {
    return isInteger(at)
        && Tokens.is(tokens, at + 1, "(")
        && isArgument(at + 2)
        && isInExpression(Tokens.get(tokens, at - 1));
  }

  private static boolean isInExpression(Token before) {
    return before.kind() == Token.Kind.MARK
        ? !before.is("->") && BEFORE_FUNCTIONAL.contains(first(before.text()))
        : isBeforeOperand(before);
  }

  /** Operators that are words bind as tightly as a cast, and more than what is written for it. */
  private static boolean isBeforeOperand(Token word) {
    return Tokens.isBeforeExpression(word) && !word.is("delete") && !word.is("co_await");
  }

  private static String first(String text) {
    return text.substring(0, Math.min(1, text.length()));
  }

  /** Whether parentheses hold an operand, and neither nothing nor types nor a declarator. */
  private boolean isArgument(int at) {
    Token token = Tokens.get(tokens, at);
    return !token.is(")")
        && !token.is("*")
        && !token.is("&")
        && !isInteger(at)
        && !NO_ARGUMENT.contains(token.text());
  }

  /** The index behind an integer type; that of its beginning if there is none. */
  private int typesEnd(int start) {
    int at = start;
    boolean hasInteger = false;
    while (true) {
      if (isInteger(at)) {
        hasInteger = true;
        at++;
      } else if (Tokens.is(tokens, at, "const") || Tokens.is(tokens, at, "volatile")) {
        at++;
      } else if (Tokens.is(tokens, at, "std") && Tokens.is(tokens, at + 1, "::")) {
        at += 2;
      } else {
        return hasInteger ? at : start;
      }
    }
  }

  private boolean isInteger(int at) {
    Token token = Tokens.get(tokens, at);
    return token.isWord() && (PARTS.contains(token.text()) || NAMES.contains(token.text()));
  }

  /** Whether what stands behind a token can be a cast. */
  private boolean isBeforeCast(int at) {
    Token token = Tokens.get(tokens, at);
    return switch (token.kind()) {
      case WORD -> isBeforeOperand(token);
      case NUMBER, TEXT -> false;
      case MARK ->
          token.is(")") ? isCast(at) : !token.is("]") && !isTemplatesEnd(at) && !isBehindOther(at);
    };
  }

  /** Whether a mark ends template arguments, which consist of names and numbers. */
  private boolean isTemplatesEnd(int at) {
    int open = Tokens.is(tokens, at, ">") ? Tokens.openAngle(tokens, at) : -1;
    if (open <= 0) {
      return false;
    }
    return tokens.subList(open + 1, at).stream()
        .allMatch(
            part ->
                part.kind() != Token.Kind.MARK
                    || Set.of("::", ",", "*", "&", "<", ">", "(", ")").contains(part.text()));
  }

  /** Whether signs before a cast belong to {@code sizeof}, or are the name of an operator. */
  private boolean isBehindOther(int at) {
    int start = at;
    while (Set.of("-", "+", "!", "~", "=", "<", "*", "&")
        .contains(Tokens.get(tokens, start).text())) {
      start--;
    }
    return NO_CAST_BEHIND.contains(Tokens.get(tokens, start).text());
  }

  /** Whether parentheses before a cast are a cast, too: (float)(int)x. */
  private boolean isCast(int close) {
    int open = Tokens.open(tokens, close);
    Token before = Tokens.get(tokens, open - 1);
    boolean isCall = before.isWord() && !isBeforeOperand(before);
    if (open < 0 || isCall || !isBeforeCast(open - 1)) {
      return false;
    }
    return tokens.subList(open + 1, close).stream()
        .allMatch(part -> part.isWord() || part.is("::") || part.is("*"));
  }

  private boolean isOperand(int at) {
    Token token = Tokens.get(tokens, at);
    return switch (token.kind()) {
      case WORD -> !NO_OPERAND.contains(token.text());
      case NUMBER, TEXT -> true;
      case MARK -> Set.of("(", "-", "+", "!", "~", "*", "&", "::", "[").contains(token.text());
    };
  }
}
