// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Computes subscripts in 64 bits: {@code a[y * n + x]} is written as {@code
 * a[hal_subscript(hal_wide_leaf((y)) * hal_wide_leaf((n)) + hal_64_x)]}, where {@code hal_64_x} has
 * what {@code x} begins with, in 64 bits. So a compiler sees that neighbouring items access
 * neighbouring elements, which it cannot if the sum may wrap around. The types in {@code
 * hal_wide.h} say what is widened; no other value changes, and a subscript only where a sum of
 * {@code int} overflows, which is undefined.
 *
 * <p>So is what is added to a pointer in a declaration or an assignment: {@code p = a + (y * n + x)
 * * 3} is written as {@code p = a + hal_subscript((...) * hal_literally(3))}. Adding to a pointer
 * is what a subscript does, too, and it takes a number alone: what else there may be on its right
 * is left as it is by {@code hal_subscript}.
 *
 * <p>The tokens stay, and what is written for them changes.
 */
final class IndexWidening {
  private static final Set<String> SUM = Set.of("+", "-");

  /** Marks of expressions that may be computed twice. */
  private static final Set<String> PURE = Set.of("+", "-", "*", "(", ")", ".");

  private static final String LEAF = "hal_wide_leaf(";

  /** What ends the width of a bit field, or a parenthesis around something else. */
  private static final Set<String> ENDS = Set.of(";", ",", "=", ")", "}");

  /** Words before a name and a colon that are no types. */
  private static final Set<String> NO_TYPES =
      Set.of("case", "struct", "class", "union", "enum", "goto", "return", "default");

  private static final Set<String> INDEXES = Set.of("threadIdx", "blockIdx", "blockDim", "gridDim");

  private final Predicate<String> isFixed;
  private final Predicate<String> isPointer;
  private final boolean hasSubscriptOperators;
  private final boolean hasBitFields;
  private final Set<String> wide = new HashSet<>(); // variables that are also there in 64 bits
  private String leaf = LEAF; // what makes an operand of what is not looked into

  /**
   * For a kernel.
   *
   * @param source with all that it may use
   * @param isFixed whether a variable of an item keeps the value that it begins with, as far as
   *     tokens show; it is declared constant then
   * @param isPointer whether a variable or a parameter is a pointer
   */
  IndexWidening(List<Token> source, Predicate<String> isFixed, Predicate<String> isPointer) {
    this.isFixed = isFixed;
    this.isPointer = isPointer;
    boolean hasOperators = false;
    boolean hasFields = false;
    for (int i = 0; i < source.size(); i++) {
      hasOperators |= source.get(i).is("operator") && Tokens.is(source, i + 1, "[");
      hasFields |= source.get(i).is(":") && isBitField(source, i);
    }
    this.hasSubscriptOperators = hasOperators;
    this.hasBitFields = hasFields;
  }

  /** Whether a colon may stand before the width of a bit field, as in {@code unsigned low : 4;}. */
  private static boolean isBitField(List<Token> source, int colon) {
    int end = colon + 1;
    while (end < source.size() && !ENDS.contains(source.get(end).text())) {
      end = Tokens.isOpen(source.get(end)) ? Tokens.close(source, end) + 1 : end + 1;
    }
    Token before = Tokens.get(source, colon - 2);
    return end > colon + 1
        && Tokens.get(source, colon - 1).isWord()
        && before.isWord()
        && !NO_TYPES.contains(before.text())
        && !Tokens.is(source, end, ")"); // for (T x : all)
  }

  /** The declaration of a variable that never changes in 64 bits; empty if it gets none. */
  String declaredIfFixed(Declarations.Declaration declaration, Declarations.Declarator declarator) {
    return isFixed.test(declarator.name().text()) ? declared(declaration, declarator) : "";
  }

  /** The same for a variable that is constant. */
  String declared(Declarations.Declaration declaration, Declarations.Declarator declarator) {
    List<Token> initial = declarator.initial();
    if (!isNumber(declaration.plainType())
        || !declarator.pointers().isEmpty()
        || !declarator.dimensions().isEmpty()
        || !Tokens.is(initial, 0, "=")
        || mayBeBitField(initial)
        || !isPure(initial.subList(1, initial.size()))) {
      return "";
    }
    String name = declarator.name().text();
    String type = "hal_bare<decltype(" + name + ")>";
    leaf = "hal_wide_again(";
    String value = Tokens.code(operand(initial.subList(1, initial.size())));
    leaf = LEAF;
    wide.add(name);
    return " const auto %s = hal_wide_variable<%s>(%s, %s); (void)%s;"
        .formatted(name(name), type, value, name, name(name));
  }

  /** The variables that are there in 64 bits now; given back to {@link #restore}. */
  Set<String> saved() {
    return Set.copyOf(wide);
  }

  /** Goes back to what was there when {@link #saved} was called. */
  void restore(Set<String> saved) {
    wide.clear();
    wide.addAll(saved);
  }

  private static String name(String variable) {
    return "hal_64_" + variable;
  }

  private static boolean isNumber(List<Token> type) {
    return type.stream()
        .allMatch(
            token ->
                token.is("const")
                    || token.is("auto")
                    || Declarations.INTEGERS.contains(token.text()));
  }

  private static boolean isPure(List<Token> expression) {
    for (int i = 0; i < expression.size(); i++) {
      Token token = expression.get(i);
      if (token.kind() == Token.Kind.TEXT
          || (token.kind() == Token.Kind.MARK && !PURE.contains(token.text()))
          || (token.isWord() && Tokens.is(expression, i + 1, "("))) {
        return false;
      }
    }
    return true;
  }

  /** An expression or a statement, with all of its subscripts in 64 bits. */
  List<Token> subscripts(List<Token> tokens) {
    if (tokens.stream().anyMatch(token -> token.is("{") || token.is("new"))) {
      return tokens; // names may be others in a lambda
    }
    int sum = pointerSum(tokens);
    if (sum > 0) {
      List<Token> all = new ArrayList<>(tokens.subList(0, sum));
      all.addAll(terms(tokens.subList(sum, tokens.size())));
      return all;
    }
    if (tokens.stream().noneMatch(token -> token.is("["))) {
      return tokens;
    }
    List<Token> all = new ArrayList<>(tokens);
    for (int i = 1; i < all.size(); i++) {
      int close = isSubscript(tokens, i) ? Tokens.close(tokens, i) : tokens.size();
      if (close < tokens.size() && close > i + 1) {
        List<Token> inside = tokens.subList(i + 1, close);
        List<Token> widened = subscript(inside);
        if (!widened.isEmpty()) {
          set(all, i, tokens.get(i).written() + "hal_subscript(");
          for (int k = 0; k < widened.size(); k++) {
            all.set(i + 1 + k, widened.get(k));
          }
          set(all, close, ")" + tokens.get(close).written());
          i = close;
        }
      }
    }
    return all;
  }

  /**
   * Where the terms begin that are added to a pointer in {@code = p + y * n + x}, all of an initial
   * value, or of what a pointer is assigned; -1 if it is something else. They are no part of one
   * sum: each has 64 bits before it is added, as C++ has it.
   */
  private int pointerSum(List<Token> tokens) {
    boolean isAssignment =
        Tokens.is(tokens, 1, "=") && isPointer.test(Tokens.get(tokens, 0).text());
    int start = Tokens.is(tokens, 0, "=") ? 1 : isAssignment ? 2 : -1;
    boolean isSum =
        start > 0
            && isPointer.test(Tokens.get(tokens, start).text())
            && Tokens.is(tokens, start + 1, "+")
            && Tokens.isSum(tokens.subList(start, tokens.size()))
            && !mayBeBitField(tokens.subList(start, tokens.size()));
    return isSum ? start + 1 : -1;
  }

  /** Signs and the terms behind them; as they are if that is not sure. */
  private List<Token> terms(List<Token> tokens) {
    List<Token> all = new ArrayList<>();
    int start = 1;
    for (int i = 1; i <= tokens.size(); i++) {
      if (i == tokens.size() || isMark(tokens, i, SUM)) {
        if (i == start || Tokens.is(tokens, i - 1, "*") || isBehindCast(tokens, i)) {
          return subscripts(tokens);
        }
        List<Token> term = tokens.subList(start, i);
        boolean isWide = term.size() > 1 || wide.contains(term.get(0).text());
        all.add(tokens.get(start - 1));
        all.addAll(
            isWide && tokens.get(start - 1).is("+")
                ? wrapped(product(term), "hal_subscript(", ")")
                : subscripts(term));
        start = i + 1;
      } else if (Tokens.isOpen(tokens.get(i))) {
        i = Tokens.close(tokens, i);
      }
    }
    return all;
  }

  /**
   * Whether an expression has a member of an object, which may be a bit field: C++ promotes those.
   */
  private boolean mayBeBitField(List<Token> expression) {
    for (int i = 1; hasBitFields && i < expression.size(); i++) {
      Token token = expression.get(i);
      if (token.is("->") || (token.is(".") && !INDEXES.contains(expression.get(i - 1).text()))) {
        return true;
      }
    }
    return false;
  }

  private static void set(List<Token> tokens, int at, String written) {
    tokens.set(at, tokens.get(at).writtenAs(written));
  }

  private boolean isSubscript(List<Token> tokens, int open) {
    Token before = Tokens.get(tokens, open - 1);
    boolean isBuiltIn =
        !hasSubscriptOperators
            || (before.isWord()
                && isPointer.test(before.text())
                && !Tokens.isMember(tokens, open - 1)
                && !Tokens.is(tokens, open - 2, "::"));
    return isBuiltIn
        && tokens.get(open).is("[")
        && !Tokens.is(tokens, open + 1, "[")
        && (before.isWord() || before.is("]") || before.is(")"))
        && !Tokens.isLambda(tokens, open)
        && !before.is("operator");
  }

  /** The inside of a subscript; empty if it stays as it is. */
  private List<Token> subscript(List<Token> inside) {
    boolean isSimple =
        inside.size() == 1 && !(inside.get(0).isWord() && wide.contains(inside.get(0).text()));
    return isSimple || mayBeBitField(inside) ? List.of() : operand(inside);
  }

  /** An operand of a type in {@code hal_wide.h}, of as many tokens. */
  private List<Token> operand(List<Token> expression) {
    if (!Tokens.isSum(expression)) {
      return leaf(expression);
    }
    List<Token> all = new ArrayList<>();
    int start = 0;
    for (int i = 0; i <= expression.size(); i++) {
      boolean isMark = i < expression.size() && isMark(expression, i, SUM);
      boolean isEnd = isMark || i == expression.size();
      if (isEnd && (i == start || expression.get(i - 1).is("*") || isBehindCast(expression, i))) {
        return leaf(expression); // a sign, or something missing
      }
      if (isEnd) {
        all.addAll(product(expression.subList(start, i)));
        if (isMark) {
          all.add(expression.get(i));
        }
        start = i + 1;
      } else if (Tokens.isOpen(expression.get(i))) {
        i = Tokens.close(expression, i);
      }
    }
    return all;
  }

  private static boolean isMark(List<Token> tokens, int at, Set<String> marks) {
    return tokens.get(at).kind() == Token.Kind.MARK && marks.contains(tokens.get(at).text());
  }

  private List<Token> product(List<Token> term) {
    List<Token> all = new ArrayList<>();
    int start = 0;
    for (int i = 0; i <= term.size(); i++) {
      boolean isMark = i < term.size() && term.get(i).is("*");
      boolean isEnd = isMark || i == term.size();
      if ((isEnd && (i == start || isBehindCast(term, i)))
          || (i < term.size() && isOtherOperator(term.get(i)))) {
        return leaf(term);
      }
      if (isEnd) {
        all.addAll(factor(term.subList(start, i)));
        if (isMark) {
          all.add(term.get(i));
        }
        start = i + 1;
      } else if (Tokens.isOpen(term.get(i))) {
        i = Tokens.close(term, i);
      }
    }
    return all;
  }

  /** Whether a parenthesis may be a cast of what stands here, which begins with an operator. */
  private static boolean isBehindCast(List<Token> tokens, int at) {
    int open = Tokens.is(tokens, at - 1, ")") ? Tokens.open(tokens, at - 1) : -1;
    return at < tokens.size()
        && open >= 0
        && !Tokens.get(tokens, open - 1).isWord()
        && tokens.subList(open + 1, at - 1).stream()
            .allMatch(token -> token.isWord() || token.is("*") || token.is("::"));
  }

  private static boolean isOtherOperator(Token token) {
    return token.kind() == Token.Kind.MARK
        && Set.of("/", "%", "++", "--", "~", "!", "->*", ".*").contains(token.text());
  }

  private List<Token> factor(List<Token> factor) {
    Token first = factor.get(0);
    if (factor.size() == 1 && first.isWord() && wide.contains(first.text())) {
      return List.of(first.writtenAs(name(first.text())));
    }
    if (factor.size() == 1 && first.text().matches("\\d{1,9}")) {
      return List.of(first.writtenAs("hal_literally(" + first.written() + ")"));
    }
    boolean isAlongX = factor.size() == 3 && factor.get(1).is(".") && factor.get(2).is("x");
    if (isAlongX && first.is("threadIdx")) {
      return wrapped(factor, "hal_item_x(", ")");
    }
    if (isAlongX && first.is("blockDim")) {
      return wrapped(factor, "hal_size_x(", ")");
    }
    if (isAlongX && first.is("blockIdx")) {
      return wrapped(factor, "hal_block_x(", ")");
    }
    if (first.is("(") && Tokens.close(factor, 0) == factor.size() - 1 && factor.size() > 2) {
      List<Token> all = new ArrayList<>(factor);
      List<Token> inside = operand(factor.subList(1, factor.size() - 1));
      for (int i = 0; i < inside.size(); i++) {
        all.set(i + 1, inside.get(i));
      }
      return all;
    }
    return leaf(factor);
  }

  private List<Token> leaf(List<Token> expression) {
    return wrapped(subscripts(expression), leaf + "(", "))");
  }

  private static List<Token> wrapped(List<Token> tokens, String before, String behind) {
    List<Token> all = new ArrayList<>(tokens);
    set(all, 0, before + all.get(0).written());
    int last = all.size() - 1;
    set(all, last, all.get(last).written() + behind);
    return all;
  }
}
