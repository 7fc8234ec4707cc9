// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * What C++17 evaluates before a call in the same expression. Loops, and coroutines of GCC 12,
 * evaluate a call at which items meet before all the rest of its expression. That is right for
 * {@code f(x) + call}, in which each may come first, and wrong for {@code f(x) << call}, {@code
 * (f(x), call)}, <code>{f(x), call}</code>, {@code f(x).g(call)}, {@code f(x)[call]} and {@code
 * a[call] = f(x)}, unless {@code f(x)} has no effect, and none on it. In doubt it has one.
 */
final class EvaluationOrder {
  /** Functions of the language and the dialect whose results depend on their arguments alone. */
  private static final Set<String> PURE =
      Set.of(
          "sizeof",
          "alignof",
          "decltype",
          "min",
          "max",
          "abs",
          "fminf",
          "fmaxf",
          "fabsf",
          "sqrtf",
          "fmaf",
          "__popc",
          "__popcll",
          "__ffs",
          "__ffsll",
          "__clz",
          "__clzll",
          "__brev",
          "HAL_READ",
          "hal_lane_of",
          "hal_lane_up",
          "hal_lane_down",
          "hal_lane_xor");

  /** Those that no variable can be named after. */
  private static final Set<String> KEYWORDS = Set.of("sizeof", "alignof", "decltype");

  private static final Set<String> TYPES =
      Set.of(
          "void",
          "bool",
          "char",
          "short",
          "int",
          "long",
          "unsigned",
          "signed",
          "float",
          "double",
          "const",
          "auto",
          "size_t",
          "uint",
          "uint8_t",
          "int8_t",
          "uint16_t",
          "int16_t",
          "uint32_t",
          "int32_t",
          "uint64_t",
          "int64_t");

  private static final Set<String> CASTS = Set.of("static_cast", "const_cast", "reinterpret_cast");
  private static final Set<String> CONSTANTS = Set.of("true", "false", "nullptr");
  private static final Set<String> BEFORE_EXPRESSIONS =
      Set.of("return", "co_return", "else", "do", "case", "throw");
  private static final Set<String> HEADERS =
      Set.of("if", "constexpr", "for", "while", "switch", "catch");
  private static final Set<String> EFFECTS =
      Set.of("new", "delete", "throw", "co_await", "asm", "__asm__");
  private static final Set<String> CLASSES = Set.of("struct", "class", "union");
  private static final Set<String> SEQUENCES = Set.of("<<", "&&", "||", "?", "->*", ".*");

  private final SourceFile source;
  private final Set<String> operators = new HashSet<>(); // those that the source defines
  private final Set<String> functions = new HashSet<>();
  private final Set<String> variables; // outside functions
  private boolean hasConversions; // or constructors, so that any name may stand for a call

  EvaluationOrder(SourceFile source) {
    this.source = source;
    source.functions().forEach(each -> functions.add(each.text()));
    this.variables = source.variables();
    List<Token> tokens = source.tokens();
    Set<String> classes = new HashSet<>();
    for (int i = 0; i < tokens.size(); i++) {
      if (CLASSES.contains(tokens.get(i).text())) {
        classes.add(Tokens.get(tokens, i + 1).text());
      }
      if (PURE.contains(tokens.get(i).text()) && isRedefined(tokens, i)) {
        functions.add(tokens.get(i).text());
      }
    }
    for (int i = 0; i < tokens.size(); i++) {
      Token token = tokens.get(i);
      if (token.is("operator")) {
        Token next = Tokens.get(tokens, i + 1);
        if (next.kind() == Token.Kind.MARK) {
          operators.add(next.text());
        } else if (!next.is("new") && !next.is("delete")) {
          hasConversions = true;
        }
      } else if (classes.contains(token.text()) && Tokens.is(tokens, i + 1, "(")) {
        int behind = Tokens.close(tokens, i + 1) + 1;
        hasConversions |= Tokens.is(tokens, behind, "{") || Tokens.is(tokens, behind, ":");
      }
    }
  }

  /** Whether a word is the name of a function whose result depends on its arguments alone. */
  boolean isPure(Token word) {
    boolean isKnown = PURE.contains(word.text()) && !functions.contains(word.text());
    return isKnown
        || TYPES.contains(word.text())
        || word.text().startsWith("hal_")
        || word.text().startsWith("HAL_");
  }

  /** Whether a pure function gives its name to something else here, such as a lambda. */
  private static boolean isRedefined(List<Token> tokens, int at) {
    Token before = Tokens.get(tokens, at - 1);
    boolean isTyped =
        before.isWord()
            ? !Tokens.isBeforeExpression(before)
            : Tokens.is(tokens, at + 1, "(")
                ? false
                : !before.is("::") && !Tokens.is(tokens, at + 1, "<");
    return isTyped && !KEYWORDS.contains(tokens.get(at).text());
  }

  /**
   * Checks that a call may be evaluated before the rest of its expression.
   *
   * @param from where the expression begins, or its statement; {@code to} is behind it
   * @param call the first token of the call; {@code end} is its parenthesis
   * @param isBarrier whether it orders what items do to memory
   * @throws UnfitException if something that has an effect comes first
   */
  void check(List<Token> tokens, int from, int to, int call, int end, Token name, boolean isBarrier)
      throws UnfitException {
    List<Token> own = tokens.subList(call + 1, end + 1);
    boolean mayChange = isBarrier || hasEffect(own, name.text());
    Set<String> reached = new HashSet<>(); // what a function of the source may change
    if (functions.contains(name.text())) {
      own.stream().filter(Token::isWord).forEach(each -> reached.add(each.text()));
      reached.addAll(variables);
    }
    boolean mayWrite = mayWrite(name.text());
    for (List<Token> first : before(tokens, from, to, call, end)) {
      boolean isReached =
          reads(first)
              && (mayWrite || first.stream().anyMatch(each -> reached.contains(each.text())));
      if (hasEffect(first, "") || isReached || (mayChange && reads(first))) {
        throw new UnfitException(name + " behind a change in an expression", name);
      }
    }
  }

  /** Whether a function of the source may write what others name too, by another name. */
  private boolean mayWrite(String name) {
    for (Function function : source.functions()) {
      if (function.text().equals(name)) {
        boolean isGiven =
            function.parameters().stream()
                .filter(parameter -> !parameter.get(0).is("hal_item"))
                .flatMap(List::stream)
                .anyMatch(token -> token.is("*") || token.is("&") || token.is("&&"));
        boolean isKnown =
            function.hasBody()
                && function.statements().stream()
                    .anyMatch(
                        token ->
                            variables.contains(token.text()) || functions.contains(token.text()));
        if (isGiven || isKnown) {
          return true;
        }
      }
    }
    return false;
  }

  /** Where the expression begins, at the latest, that a place in a function is in. */
  static int start(List<Token> tokens, int at) {
    for (int i = at - 1; i >= 0; i--) {
      Token token = tokens.get(i);
      if (token.is("}") && isBlock(tokens, Tokens.open(tokens, i))) {
        return i + 1;
      }
      if (token.is(")") || token.is("]") || token.is("}")) {
        i = Tokens.open(tokens, i);
      } else if (token.is(";")
          || (token.is("{") && isBlock(tokens, i))
          || (token.is("(") && HEADERS.contains(Tokens.get(tokens, i - 1).text()))
          || (token.is(",") && isBetweenVariables(tokens, i))) {
        return i + 1;
      }
    }
    return 0;
  }

  /** Whether a brace begins statements, rather than a list of values. */
  private static boolean isBlock(List<Token> tokens, int brace) {
    Token before = Tokens.get(tokens, brace - 1);
    if (before.is(")")) {
      return HEADERS.contains(Tokens.get(tokens, Tokens.open(tokens, brace - 1) - 1).text());
    }
    return before.is("{")
        ? isBlock(tokens, brace - 1)
        : Set.of(";", "}", ":", "(", "else", "do", "try", "").contains(before.text());
  }

  /** Whether a comma ends one variable of a declaration. */
  private static boolean isBetweenVariables(List<Token> tokens, int comma) {
    int start = comma;
    while (start > 0) {
      Token before = tokens.get(start - 1);
      if (before.is(")") || before.is("]") || before.is("}")) {
        int open = Tokens.open(tokens, start - 1);
        if (before.is("}") && isBlock(tokens, open)) {
          break;
        }
        start = open;
      } else if (before.is(";") || before.is("{") || before.is("(") || before.is("[")) {
        break;
      } else {
        start--;
      }
    }
    boolean isStatement =
        start == 0
            || tokens.get(start - 1).is(";")
            || tokens.get(start - 1).is("}")
            || (tokens.get(start - 1).is("{") && isBlock(tokens, start - 1))
            || Tokens.is(tokens, start - 2, "for");
    try {
      return isStatement && Declarations.of(tokens.subList(start, comma)) != null;
    } catch (UnfitException e) {
      return false;
    }
  }

  /** The parts of an expression that are evaluated before a call in it. */
  private static List<List<Token>> before(List<Token> tokens, int from, int to, int call, int end) {
    List<List<Token>> parts = new ArrayList<>();
    int left = call;
    int right = end;
    while (true) {
      int open = enclosing(tokens, from, left);
      int first = open < 0 ? from : open + 1;
      int last = open < 0 ? to : Tokens.close(tokens, open);
      boolean isCall = open >= 0 && tokens.get(open).is("(") && isCall(tokens, open);
      boolean hasArguments = isCall && !tokens.get(open - 1).is(")"); // or it is a cast
      left(tokens, first, left, hasArguments, parts);
      right(tokens, right + 1, last, parts);
      if (open < 0) {
        return parts;
      }
      left = open;
      if (isCall || tokens.get(open).is("[")) {
        left = postfixStart(tokens, from, open);
        parts.add(called(tokens.subList(left, open)));
      }
      right = last;
    }
  }

  /** What stands to the left of a call, between the same brackets. */
  private static void left(
      List<Token> tokens, int first, int call, boolean hasArguments, List<List<Token>> to) {
    int start = first;
    int sequenced = first; // behind what is evaluated first
    for (int i = first; i < call; i++) {
      Token token = tokens.get(i);
      boolean isShift = token.is(">") && Tokens.is(tokens, i + 1, ">");
      if (token.is(",") && hasArguments) {
        start = i + 1;
        sequenced = start;
      } else if (token.is(",")) {
        to.add(tokens.subList(first, i));
        start = i + 1;
        sequenced = start;
      } else if (Changes.isAssignment(token)) {
        start = i + 1; // the target is evaluated behind the value
        sequenced = start;
      } else if (isShift || SEQUENCES.contains(token.text())) {
        sequenced = i;
      }
      if (Tokens.isOpen(token)) {
        i = Tokens.close(tokens, i);
      } else if (token.is("<") && Tokens.get(tokens, i - 1).isWord()) {
        int close = Tokens.closeAngle(tokens, i);
        i = close < call ? Math.max(i, close) : i;
      }
    }
    to.add(tokens.subList(start, Math.max(start, sequenced)));
  }

  /** What is assigned to something in which the call is. */
  private static void right(List<Token> tokens, int from, int to, List<List<Token>> parts) {
    for (int i = from; i < to; i++) {
      Token token = tokens.get(i);
      if (Set.of(",", ";", ")", "]", "}").contains(token.text())) {
        return;
      }
      if (Changes.isAssignment(token)) {
        int end = Math.min(to, Tokens.find(tokens, i, ",", ";"));
        parts.add(tokens.subList(i + 1, end));
        return;
      }
      i = Tokens.isOpen(token) ? Tokens.close(tokens, i) : i;
    }
  }

  private static int enclosing(List<Token> tokens, int from, int at) {
    for (int i = at - 1; i >= from; i--) {
      Token token = tokens.get(i);
      if (token.is(")") || token.is("]") || token.is("}")) {
        i = Tokens.open(tokens, i);
      } else if (Tokens.isOpen(token)) {
        return i;
      }
    }
    return -1;
  }

  /** Whether a parenthesis begins arguments, or stands behind a type. */
  private static boolean isCall(List<Token> tokens, int open) {
    Token before = Tokens.get(tokens, open - 1);
    return before.isWord()
        ? !BEFORE_EXPRESSIONS.contains(before.text())
        : before.is(")") || before.is("]") || before.is(">") || before.is("}");
  }

  /** Where the expression begins that is called, or has an element, with a bracket. */
  private static int postfixStart(List<Token> tokens, int from, int bracket) {
    int start = bracket;
    while (start > from) {
      Token before = tokens.get(start - 1);
      if (before.is(")") || before.is("]") || before.is("}")) {
        start = Tokens.open(tokens, start - 1);
        continue;
      }
      if (before.is(">") && Tokens.openAngle(tokens, start - 1) > from) {
        start = Tokens.openAngle(tokens, start - 1);
        before = tokens.get(start - 1);
      }
      if (!before.isWord() || isKeyword(before)) {
        return start;
      }
      start--;
      Token joined = Tokens.get(tokens, start - 1);
      if (!joined.is(".") && !joined.is("->") && !joined.is("::")) {
        return start;
      }
      start--;
    }
    return start;
  }

  private static boolean isKeyword(Token word) {
    return BEFORE_EXPRESSIONS.contains(word.text()) || HEADERS.contains(word.text());
  }

  /** What is evaluated of what is called: nothing of a name, its namespaces and its objects. */
  private static List<Token> called(List<Token> tokens) {
    int start = 0;
    while (start < tokens.size()) {
      Token token = tokens.get(start);
      if (token.isWord() || token.is(".") || token.is("::")) {
        start++;
      } else if (token.is("<") && Tokens.closeAngle(tokens, start) > 0) {
        start = Tokens.closeAngle(tokens, start) + 1;
      } else {
        break;
      }
    }
    return start == tokens.size() ? List.of() : tokens;
  }

  /** Whether evaluating some tokens may change something. {@code known} is a call that is not. */
  private boolean hasEffect(List<Token> tokens, String known) {
    for (int i = 0; i < tokens.size(); i++) {
      Token token = tokens.get(i);
      boolean isEffect =
          switch (token.kind()) {
            case WORD -> isEffect(tokens, i, known);
            case MARK -> isMarkEffect(tokens, i, known);
            case NUMBER -> token.text().contains("_"); // an operator of the source
            case TEXT -> Tokens.get(tokens, i + 1).isWord(); // likewise
          };
      if (isEffect) {
        return true;
      }
    }
    return false;
  }

  private boolean isEffect(List<Token> tokens, int at, String known) {
    Token word = tokens.get(at);
    boolean isValue =
        !TYPES.contains(word.text())
            && !CONSTANTS.contains(word.text())
            && !PURE.contains(word.text())
            && !isKeyword(word)
            && !word.text().startsWith("hal_")
            && !word.text().startsWith("HAL_")
            && !word.is(known);
    return EFFECTS.contains(word.text()) || (hasConversions && isValue);
  }

  private boolean isMarkEffect(List<Token> tokens, int at, String known) {
    Token mark = tokens.get(at);
    if (Changes.isStep(mark)
        || Changes.isAssignment(mark)
        || Tokens.isLambda(tokens, at)
        || (!mark.is("(") && operators.contains(mark.text()))) {
      return true;
    }
    Token before = Tokens.get(tokens, at - 1);
    if (mark.is("{")) {
      return before.isWord() && !TYPES.contains(before.text());
    }
    if (!mark.is("(") || !isCall(tokens, at)) {
      return false;
    }
    if (before.isWord()) {
      boolean isPure = PURE.contains(before.text()) || before.text().startsWith("HAL_");
      return !TYPES.contains(before.text())
          && !before.is(known)
          && (!isPure || functions.contains(before.text()));
    }
    if (before.is(")")) { // a cast
      return !tokens.subList(Tokens.open(tokens, at - 1) + 1, at - 1).stream()
          .allMatch(each -> TYPES.contains(each.text()) || each.is("*"));
    }
    int angle = before.is(">") ? Tokens.openAngle(tokens, at - 1) : -1;
    return !CASTS.contains(Tokens.get(tokens, angle - 1).text());
  }

  /** Whether some tokens name anything whose value may change. */
  private static boolean reads(List<Token> tokens) {
    return tokens.stream()
        .anyMatch(
            each ->
                each.isWord()
                    && !TYPES.contains(each.text())
                    && !CONSTANTS.contains(each.text())
                    && !CASTS.contains(each.text())
                    && !each.text().startsWith("hal_")
                    && !each.text().startsWith("HAL_")
                    && !PURE.contains(each.text()));
  }
}
