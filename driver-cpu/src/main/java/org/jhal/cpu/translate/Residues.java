// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jhal.cpu.translate.Statement.If;
import org.jspecify.annotations.Nullable;

/**
 * Branches that every so many items take: {@code if (lane == 0) sums[warp] = v;}, where {@code
 * lane} is {@code threadIdx.x % 32}, and {@code if (threadIdx.x % (2 * by) == 0) ...}. Such a
 * branch becomes a region of its own, whose loop visits these items alone.
 *
 * <p>It visits those whose index along x leaves the residue, and each still looks at the whole
 * condition, unless that says nothing else and the numbers are such that it holds for them. So all
 * that has to hold is that the condition is false for the others, and has no effect: a comparison
 * {@code threadIdx.x % M == R} is its first operand of {@code &&}, or all of it, and M and R are
 * {@link UniformityAnalysis#isUniform uniform}; the compiler checks that operands are numbers
 * ({@link Proofs}). A number that M or R is and with which that is not so, such as 0 or -1, is
 * found when the kernel runs: then the loop visits all items ({@code hal_every}).
 *
 * <p>That items do what comes before and behind the branch together is as in {@link
 * LoopInterchange}: they are unordered between barriers, unless the kernel has atomics and the
 * like.
 */
final class Residues {
  private static final Set<String> WIDE =
      Set.of("int", "unsigned", "long", "const", "auto", "size_t", "uint32_t", "int32_t");

  /**
   * Which items take a branch.
   *
   * @param modulus empty if there is one in each row
   * @param whole the branch whose condition says nothing else; null if it says more
   */
  record Residue(List<Token> modulus, List<Token> rest, @Nullable If whole) {
    /** Whether all items that are visited take a branch, unless all items are visited. */
    boolean isWhole(If choice) {
      return choice == whole;
    }
  }

  private final Predicate<List<Token>> isUniform;
  private final Function<String, @Nullable Variable> variables;

  Residues(Predicate<List<Token>> isUniform, Function<String, @Nullable Variable> variables) {
    this.isUniform = isUniform;
    this.variables = variables;
  }

  /**
   * What an item knows that has the value of a variable if that is {@code threadIdx.x / 32}; empty
   * if it is another one.
   */
  static String ofWarp(Variable variable, Function<String, @Nullable Variable> variables) {
    Residues residues = new Residues(expression -> true, variables);
    List<Token> value = Tokens.withoutParentheses(Privatization.initial(variable.declarator));
    int last = value.size() - 1;
    String number = Tokens.get(value, last).text().replaceAll("[uU]$", "");
    boolean isShift = number.equals("5") && Tokens.is(value, last - 1, ">>");
    boolean isSplit = // as behind template arguments
        number.equals("5") && Tokens.is(value, last - 1, ">") && Tokens.is(value, last - 2, ">");
    boolean isQuotient = number.equals("32") && Tokens.is(value, last - 1, "/");
    int end = isSplit ? last - 2 : last - 1;
    boolean isWarp =
        (isShift || isSplit || isQuotient)
            && end > 0
            && isIndex(variable)
            && residues.isIndex(value.subList(0, end), 0);
    return isWarp ? "hal_self.hal_warp_x" : "";
  }

  /** Which items take a branch; null if that is not known, or items may leave it. */
  @Nullable Residue of(If choice) {
    if (choice.otherwise() != null || choice.isConstant() || choice.leaves()) {
      return null;
    }
    List<Token> first = Tokens.withoutParentheses(choice.condition());
    if (Tokens.find(first, 0, "?") < first.size()
        || Tokens.find(first, 0, "||") < first.size()
        || Tokens.find(first, 0, ",") < first.size()
        || first.stream().anyMatch(Changes::isAssignment)) {
      return null;
    }
    boolean isWhole = Tokens.find(first, 0, "&&") == first.size();
    first = Tokens.withoutParentheses(first.subList(0, Tokens.find(first, 0, "&&")));
    int equal = Tokens.find(first, 0, "==");
    if (equal >= first.size() || !isOperand(first.subList(equal + 1, first.size()))) {
      return null;
    }
    List<Token> rest = first.subList(equal + 1, first.size());
    List<Token> value = first.subList(0, equal);
    if (Tokens.find(value, 0, "&") < value.size()) { // which binds less than ==
      return null;
    }
    List<Token> modulus = modulus(value, 0);
    return modulus != null && isUniform.test(rest) && (modulus.isEmpty() || isUniform.test(modulus))
        ? new Residue(modulus, rest, isWhole ? choice : null)
        : null;
  }

  /** M in {@code threadIdx.x % M}; empty for {@code threadIdx.x}; null for anything else. */
  private @Nullable List<Token> modulus(List<Token> given, int depth) {
    List<Token> value = Tokens.withoutParentheses(given);
    if (isIndex(value)) {
      return List.of();
    }
    if (value.size() == 1 && value.get(0).isWord() && depth < 4) {
      Variable variable = variables.apply(value.get(0).text());
      return variable != null && isIndex(variable)
          ? modulus(Privatization.initial(variable.declarator), depth + 1)
          : null;
    }
    for (String mark : List.of("%", "&")) {
      int at = Tokens.find(value, 0, mark);
      if (at < value.size()
          && isSimple(value.subList(0, at))
          && isIndex(value.subList(0, at), depth)) {
        List<Token> operand = value.subList(at + 1, value.size());
        return mark.equals("%") ? isOperand(operand) ? operand : null : power(operand);
      }
    }
    return null;
  }

  private boolean isIndex(List<Token> value, int depth) {
    List<Token> modulus = modulus(value, depth + 1);
    return modulus != null && modulus.isEmpty();
  }

  private static boolean isIndex(List<Token> value) {
    return value.size() == 3
        && value.get(0).is("threadIdx")
        && value.get(1).is(".")
        && value.get(2).is("x");
  }

  private static boolean isSimple(List<Token> value) {
    return value.size() == 1 || isIndex(value) || Tokens.is(value, 0, "(");
  }

  /** Whether a variable has the value of its declaration, in a type that has room for an index. */
  private static boolean isIndex(Variable variable) {
    return variable.isRematerializable
        && !variable.declarator.isReference()
        && variable.declarator.pointers().isEmpty()
        && variable.declaration.plainType().stream().allMatch(token -> WIDE.contains(token.text()));
  }

  /** A number, a name, or what stands in parentheses. */
  private static boolean isOperand(List<Token> value) {
    return value.size() == 1
        ? value.get(0).isWord() || value.get(0).kind() == Token.Kind.NUMBER
        : Tokens.is(value, 0, "(") && Tokens.close(value, 0) == value.size() - 1;
  }

  /** 32 for 31, and the like; null for what is no such number. */
  private static @Nullable List<Token> power(List<Token> mask) {
    String text = mask.size() == 1 ? mask.get(0).text().replaceAll("[uU]$", "") : "";
    try {
      int value =
          text.isEmpty() || mask.get(0).kind() != Token.Kind.NUMBER ? -1 : Integer.decode(text);
      return value > 0 && (value & (value + 1)) == 0 && value < 1 << 20
          ? Generated.tokens(String.valueOf(value + 1), mask.get(0))
          : null;
    } catch (NumberFormatException e) {
      return null;
    }
  }
}
