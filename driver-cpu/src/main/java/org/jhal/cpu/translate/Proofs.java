// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jhal.cpu.translate.Declarations.Declaration;
import org.jhal.cpu.translate.Declarations.Declarator;

/**
 * Conditions under which an expression of a kernel may be computed once for all items, or again in
 * each region, for the compiler to check: that its operators are those of the language, so that
 * they have no effects and no state, and that what it reads outside the kernel never changes. For
 * {@code n * 2 + LIMIT} they say that {@code n} is a number, and that {@code LIMIT} is a constant.
 *
 * <p>A kernel for which they do not hold is rejected by the compiler, and gets a slower form.
 */
final class Proofs {
  private static final Set<String> NO_OPERANDS =
      Set.of(
          "const",
          "volatile",
          "unsigned",
          "signed",
          "int",
          "long",
          "short",
          "char",
          "bool",
          "float",
          "double",
          "auto",
          "true",
          "false",
          "nullptr",
          "void",
          "typename",
          "template",
          "operator",
          "struct",
          "__restrict",
          "__restrict__");

  private static final Set<String> UNEVALUATED =
      Set.of("sizeof", "alignof", "decltype", "__typeof__", "__alignof__");

  private static final Set<String> CASTS = Set.of("static_cast", "reinterpret_cast", "const_cast");

  private final Predicate<String> isOwn;
  private final Casts casts;
  private final String enums;

  /**
   * For a kernel.
   *
   * @param isOwn whether a name is that of its variables or parameters
   * @param hasOperators whether the source has operators, which may be those of an enumeration
   */
  Proofs(Predicate<String> isOwn, boolean hasOperators) {
    this.isOwn = isOwn;
    this.casts = new Casts(isOwn);
    this.enums = hasOperators ? "false" : "true";
  }

  /** Conditions for an expression, as declarations. */
  String of(List<Token> expression) {
    StringBuilder all = new StringBuilder();
    add(expression, all);
    return all.toString();
  }

  /** Conditions for variables that have the values of such expressions. */
  String of(Declaration declaration) {
    StringBuilder all = new StringBuilder();
    for (Declarator declarator : declaration.declarators()) {
      all.append(of(declaration, declarator));
    }
    return all.toString();
  }

  /** Conditions for a variable that has the value of such an expression. */
  String of(Declaration declaration, Declarator declarator) {
    if (declaration.is("__shared__")
        || declaration.is("constexpr")
        || isGenerated(declarator.initial())) {
      return "";
    }
    StringBuilder all = new StringBuilder();
    String name = declarator.name().text();
    if (Privatization.isGroup(declaration, declarator)) {
      return " static_assert(hal_is_group<hal_bare<decltype((%s))>>::value, \"a class\");"
          .formatted(name);
    }
    List<Token> initial = Privatization.initial(declarator);
    if (declarator.isReference()) {
      all.append(" static_assert(hal_equal<hal_bare<decltype(" + name + ")>, hal_bare<decltype((");
      all.append(Tokens.code(initial) + "))>>::value, \"a reference to a copy\");");
    } else if (isIndex(initial)) {
      all.append(" static_assert(hal_axes<decltype(" + name + ")>::value, \"a class\");");
    } else {
      operand(name, "hal_operand", all);
    }
    if (declarator.isReference()) {
      element(initial, all);
    } else {
      add(initial, all);
    }
    return all.toString();
  }

  /** Adds that {@code a[i][j]} is an element of an array, of whatever type. */
  private void element(List<Token> expression, StringBuilder to) {
    for (int i = 1; Tokens.is(expression, i, "["); i = Tokens.close(expression, i) + 1) {
      operand(Tokens.code(expression.subList(0, i)), "hal_operand", to);
      add(expression.subList(i + 1, Tokens.close(expression, i)), to);
    }
  }

  private static boolean isGenerated(List<Token> expression) {
    return expression.stream().anyMatch(token -> token.text().startsWith("HAL_"));
  }

  /** Whether it is one of the indexes, all its axes. */
  private static boolean isIndex(List<Token> expression) {
    return expression.size() == 1
        && (Purity.ITEM_INDEXES.contains(expression.get(0).text())
            || Purity.GROUP_INDEXES.contains(expression.get(0).text()));
  }

  private void add(List<Token> expression, StringBuilder to) {
    if (isGenerated(expression)) {
      return;
    }
    for (int i = 0; i < expression.size(); i++) {
      Token token = expression.get(i);
      if (token.is("(") && isCast(expression, i)) {
        int close = Tokens.close(expression, i);
        operand(Tokens.code(expression.subList(i + 1, close)), "hal_operand", to);
        i = close;
      } else if (token.isWord()) {
        i = word(expression, i, to) - 1;
      }
    }
  }

  private boolean isCast(List<Token> expression, int open) {
    int close = Tokens.close(expression, open);
    Token next = Tokens.get(expression, close + 1);
    boolean isOperand =
        next.kind() != Token.Kind.MARK || Set.of("(", "-", "~", "!").contains(next.text());
    return isOperand && casts.isCast(expression, close);
  }

  /** Adds what a word means. Returns the index behind it. */
  private int word(List<Token> expression, int at, StringBuilder to) {
    String word = expression.get(at).text();
    if (NO_OPERANDS.contains(word)) {
      return at + 1;
    }
    if (UNEVALUATED.contains(word)) {
      boolean hasBrackets = Tokens.is(expression, at + 1, "(");
      return hasBrackets ? Tokens.close(expression, at + 1) + 1 : at + 2;
    }
    if (CASTS.contains(word) && Tokens.is(expression, at + 1, "<")) {
      int close = Tokens.closeAngle(expression, at + 1);
      operand(Tokens.code(expression.subList(at + 2, close)), "hal_operand", to);
      return close + 1;
    }
    boolean isOfDialect = Purity.ITEM_INDEXES.contains(word) || Purity.GROUP_INDEXES.contains(word);
    if (isOfDialect) {
      return Tokens.is(expression, at + 1, ".") ? at + 3 : at + 1;
    }
    if (isOwn.test(word)) {
      int end = at + 1;
      while (true) {
        if (Tokens.is(expression, end, ".") || Tokens.is(expression, end, "->")) {
          end += 2;
        } else if (Tokens.is(expression, end, "[")) {
          int close = Tokens.close(expression, end);
          operand(Tokens.code(expression.subList(at, end)), "hal_operand", to); // is an array
          add(expression.subList(end + 1, close), to);
          end = close + 1;
        } else {
          break;
        }
      }
      operand(Tokens.code(expression.subList(at, end)), "hal_operand", to);
      return end;
    }
    int end = Math.min(Declarations.qualifiedName(expression, at), expression.size());
    if (!Tokens.is(expression, end, "(")) { // otherwise a function of the dialect
      List<Token> name = expression.subList(at, end);
      if (Tokens.is(expression, end, "[")) {
        add(expression.subList(end + 1, Tokens.close(expression, end)), to);
        operand(Tokens.code(name), "hal_operand", to);
        return Tokens.close(expression, end) + 1;
      }
      operand(Tokens.code(name), "hal_outside", to);
    }
    return end;
  }

  private void operand(String text, String condition, StringBuilder to) {
    to.append(" static_assert(" + condition + "<decltype((" + text + ") + hal_any()), " + enums);
    to.append(">::value, \"an operand of a class, or a constant that is none\");");
  }
}
