// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Conditions that are computed whole: {@code x > 0 && x < n} is written as {@code ((x > 0) & (x <
 * n))}. For a row of items that is a vector or two, GCC makes a mask of that at once, and of the
 * other one bit after the other. What is the same for the row comes first, as it was: {@code x > 0
 * && y > 0 && x < n} is written as {@code (y > 0 && ((x > 0) & (x < n)))}.
 *
 * <p>That is the same where nobody can tell that an operand was computed although it decides
 * nothing: each is a comparison of numbers, or a variable that is a {@code bool}, perhaps behind
 * {@code !} and in parentheses. All words in it are indexes and variables of the kernel that are
 * numbers, and no references or {@code volatile}; marks are those of sums, products and
 * comparisons. So operators are those of the language, have no effect, and read no memory that may
 * not exist.
 */
final class Conjunctions {
  private static final Set<String> COMPARISONS = Set.of("<", ">", "<=", ">=", "==", "!=");

  private static final Set<String> MARKS = Set.of("+", "-", "*", "(", ")");

  private final Predicate<String> isNumber;
  private final Predicate<String> isBool;

  /**
   * For a kernel.
   *
   * @param isNumber whether a name is that of a variable or a parameter that is a number
   * @param isBool whether such a variable is a {@code bool}
   */
  Conjunctions(Predicate<String> isNumber, Predicate<String> isBool) {
    this.isNumber = isNumber;
    this.isBool = isBool;
  }

  /**
   * What is written for a condition, or for the value of a {@code bool}.
   *
   * @param isSame whether an operand is the same for all items of a row
   */
  List<Token> whole(List<Token> condition, Predicate<List<Token>> isSame) {
    List<List<Token>> operands = Tokens.split(condition, "&&");
    if (operands.size() < 2 || !operands.stream().allMatch(this::isOperand)) {
      return condition;
    }
    List<List<Token>> same = operands.stream().filter(isSame).toList();
    List<List<Token>> others = operands.stream().filter(isSame.negate()).toList();
    if (others.isEmpty()) {
      return condition;
    }
    Token at = condition.get(0);
    List<Token> all = new ArrayList<>();
    for (List<Token> operand : same) {
      all.add(Token.mark(all.isEmpty() ? "(" : "&&", at));
      all.addAll(operand);
    }
    all.addAll(same.isEmpty() ? List.of() : List.of(Token.mark("&&", at)));
    for (int i = 0; i < others.size(); i++) {
      all.add(Token.mark(i == 0 ? "((" : "& (", at));
      all.addAll(whole(Tokens.withoutParentheses(others.get(i)), isSame));
      all.add(Token.mark(")", at));
    }
    all.add(Token.mark(same.isEmpty() ? ")" : "))", at));
    return all;
  }

  private boolean isOperand(List<Token> given) {
    List<Token> operand = Tokens.withoutParentheses(given);
    List<List<Token>> parts = Tokens.split(operand, "&&");
    if (parts.size() > 1) {
      return parts.stream().allMatch(this::isOperand);
    }
    if (Tokens.is(operand, 0, "!")) {
      List<Token> rest = operand.subList(1, operand.size());
      boolean isOne = rest.size() == 1 || Tokens.withoutParentheses(rest).size() < rest.size();
      return isOne && isOperand(rest);
    }
    if (operand.size() == 1) {
      String word = operand.get(0).text();
      return isBool.test(word) || word.equals("true") || word.equals("false");
    }
    return isComparison(operand);
  }

  private boolean isComparison(List<Token> tokens) {
    int comparisons = 0;
    for (int i = 0; i < tokens.size(); i++) {
      Token token = tokens.get(i);
      if (CallGraph.isIndex(token.text()) && Tokens.is(tokens, i + 1, ".")) {
        i += 2;
      } else if (token.isWord()) {
        boolean isKnown =
            isNumber.test(token.text()) || Declarations.NUMBERS.contains(token.text()); // a cast
        if (!isKnown || Tokens.is(tokens, i + 1, "(")) {
          return false;
        }
      } else if (token.kind() == Token.Kind.NUMBER) {
        if (token.text().contains("_")) { // which may make an object of it
          return false;
        }
      } else if (COMPARISONS.contains(token.text())) {
        comparisons++;
      } else if (!MARKS.contains(token.text())) {
        return false;
      }
    }
    // One, which is not in parentheses, makes a bool of it all.
    return comparisons == 1
        && COMPARISONS.stream().anyMatch(mark -> Tokens.find(tokens, 0, mark) < tokens.size());
  }
}
