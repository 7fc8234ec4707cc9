// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jhal.cpu.translate.Declarations.Declaration;
import org.jhal.cpu.translate.Declarations.Declarator;
import org.jhal.cpu.translate.Statement.Block;
import org.jhal.cpu.translate.Statement.For;
import org.jhal.cpu.translate.Statement.If;
import org.jhal.cpu.translate.Statement.Plain;
import org.jhal.cpu.translate.Statement.Variables;
import org.jspecify.annotations.Nullable;

/**
 * Strides of expressions across the items of a row, which differ in {@code threadIdx.x} alone: in
 * {@code sum += a[k] * b[k * n + x]} with {@code int x = blockIdx.x * 64 + threadIdx.x} all read
 * the same element of {@code a} (stride 0), and consecutive ones of {@code b} (stride 1). A
 * compiler makes fast vector code of that for a loop over the items, and of little else. In doubt
 * the answer is no.
 */
final class StrideAnalysis {
  /** Calls for which processors have vector instructions. */
  private static final Set<String> CALLS =
      Set.of(
          "fmaf", "fma", "fabs", "fabsf", "sqrt", "sqrtf", "abs", "min", "max", "umin", "fminf",
          "fmaxf");

  private static final Set<String> MARKS =
      Set.of(
          "+", "-", "*", "=", "+=", "-=", "*=", "&=", "|=", "^=", ",", "(", ")", "[", "]", "&", "|",
          "^", "<<", "<", ">", "++", "--", "~", ".", "&&", "||", "!", "<=", ">=", "==", "!=", "?",
          ":");

  private static final Set<String> NUMBERS = Set.of("float", "double");

  private static final int UNKNOWN = -1;

  private record Own(Declaration declaration, Declarator declarator) {}

  private final Purity purity;
  private final Set<String> parameters;
  private final Predicate<String> isUniform;
  private final OwnedAtomics atomics;
  private final Map<String, Own> variables = new HashMap<>();
  private final Map<String, List<Token>> counters = new HashMap<>(); // what they begin with

  /**
   * Looks at a kernel.
   *
   * @param isUniform whether a variable is the same for all items, though it may change
   * @param atomics operations on shared memory
   */
  StrideAnalysis(
      List<Statement> statements,
      Purity purity,
      Set<String> parameters,
      Predicate<String> isUniform,
      OwnedAtomics atomics) {
    this.purity = purity;
    this.parameters = parameters;
    this.isUniform = isUniform;
    this.atomics = atomics;
    declared(statements);
  }

  private void declared(List<Statement> statements) {
    for (Statement statement : statements) {
      if (statement instanceof Variables declared) {
        for (Declarator each : declared.declaration().declarators()) {
          variables.put(each.name().text(), new Own(declared.declaration(), each));
        }
      }
      declared(statement.inner());
    }
  }

  /** Whether each item has arrays, which would lie apart from those of the next item. */
  boolean hasOwnArrays() {
    return variables.values().stream()
        .anyMatch(each -> !each.declarator.dimensions().isEmpty() && !isShared(each));
  }

  private static boolean isShared(Own variable) {
    return variable.declaration.is("__shared__");
  }

  /** Whether compilers vectorize the body of a loop across the items of a row. */
  boolean isVectorizable(For loop, String counter, List<Token> start) {
    counters.put(counter, start);
    return isVectorizable(loop.body());
  }

  private boolean isVectorizable(Statement statement) {
    if (statement instanceof Block block) {
      return block.statements().stream().allMatch(this::isVectorizable);
    }
    if (statement instanceof Variables declared) {
      return isNumber(declared.declaration())
          && declared.declaration().declarators().stream()
              .allMatch(
                  each ->
                      each.pointers().isEmpty()
                          && each.dimensions().isEmpty()
                          && Tokens.is(each.initial(), 0, "=")
                          && isVectorizable(each.initial()));
    }
    if (statement instanceof If choice) { // which becomes a mask
      return !choice.isConstant()
          && isVectorizable(choice.condition())
          && isVectorizable(choice.then())
          && (choice.otherwise() == null || isVectorizable(choice.otherwise()));
    }
    if (statement instanceof For loop && loop.start() instanceof Variables start) {
      Declarator counter = start.declaration().declarators().get(0);
      List<Token> first = Privatization.initial(counter);
      counters.put(counter.name().text(), first);
      return stride(first) == 0
          && !isVarying(loop.condition())
          && isVectorizable(start)
          && isVectorizable(loop.condition())
          && isVectorizable(loop.step())
          && isVectorizable(loop, counter.name().text(), first);
    }
    if (!(statement instanceof Plain plain)) {
      return false;
    }
    List<List<Token>> sum = atomics.sum(plain.tokens());
    return sum.isEmpty()
        ? isVectorizable(plain.tokens())
        : sum.stream().allMatch(this::isVectorizable);
  }

  private static boolean isNumber(Declaration declaration) {
    return declaration.type().stream()
        .allMatch(
            token ->
                Declarations.INTEGERS.contains(token.text()) || NUMBERS.contains(token.text()));
  }

  private boolean isVectorizable(List<Token> tokens) {
    for (int i = 0; i < tokens.size(); i++) {
      Token token = tokens.get(i);
      boolean isVectorizable =
          switch (token.kind()) {
            case TEXT -> false;
            case NUMBER -> true;
            case MARK -> isVectorizableMark(tokens, i);
            case WORD -> isVectorizableWord(tokens, i);
          };
      if (!isVectorizable) {
        return false;
      }
    }
    return true;
  }

  private boolean isVectorizableMark(List<Token> tokens, int at) {
    Token mark = tokens.get(at);
    if (mark.is("*") || mark.is("&")) {
      Token before = Tokens.get(tokens, at - 1);
      return before.is(")") || before.is("]") || before.kind() != Token.Kind.MARK;
    }
    if (mark.is("/") || mark.is("/=")) {
      return isFloating(Tokens.get(tokens, at + 1), Tokens.get(tokens, at + 2));
    }
    return MARKS.contains(mark.text());
  }

  /** Whether an operand surely is a floating-point number, by which processors divide vectors. */
  private boolean isFloating(Token operand, Token next) {
    Own variable = variables.get(operand.text());
    return variable == null || next.is("[") || next.is("(")
        ? operand.kind() == Token.Kind.NUMBER && operand.text().matches("\\d*\\.\\d*[fF]?")
        : variable.declaration.type().stream().anyMatch(token -> NUMBERS.contains(token.text()))
            && variable.declarator.pointers().isEmpty()
            && variable.declarator.dimensions().isEmpty();
  }

  private boolean isVectorizableWord(List<Token> tokens, int at) {
    String word = tokens.get(at).text();
    Token next = Tokens.get(tokens, at + 1);
    if (Tokens.is(tokens, at - 1, ".")) {
      return Set.of("x", "y", "z").contains(word) && isIndex(Tokens.get(tokens, at - 2).text());
    }
    if (isIndex(word) || Declarations.INTEGERS.contains(word) || NUMBERS.contains(word)) {
      return true;
    }
    if (next.is("(")) {
      return CALLS.contains(word);
    }
    Own variable = variables.get(word);
    if (next.is("[")) {
      boolean isArray =
          variable == null
              ? parameters.contains(word)
              : isShared(variable) || isPointerOfAll(word, variable);
      return isArray && isVectorizableElement(tokens, at);
    }
    return variable == null
        ? parameters.contains(word) || purity.isConstantOutside(word)
        : isNumber(variable.declaration)
            && variable.declarator.pointers().isEmpty()
            && !isShared(variable);
  }

  /** Whether a variable is a pointer, the same for all items; that of a parameter is as well. */
  private boolean isPointerOfAll(String name, Own variable) {
    boolean isPointer =
        purity.isPointer(name)
            || Privatization.initial(variable.declarator).stream()
                .allMatch(token -> token.text().startsWith("hal_param_"));
    boolean isSame =
        isUniform.test(name)
            || (!purity.isAssigned(name) && !isVarying(Privatization.initial(variable.declarator)));
    return isPointer && variable.declarator.dimensions().isEmpty() && isSame;
  }

  private static boolean isIndex(String word) {
    return word.equals("threadIdx") || Purity.GROUP_INDEXES.contains(word);
  }

  /** Whether the stride of an element is 0, or 1, where items may write too. */
  private boolean isVectorizableElement(List<Token> tokens, int name) {
    int at = name + 1;
    int stride = 0;
    while (Tokens.is(tokens, at, "[")) {
      if (stride != 0) {
        return false;
      }
      int close = Tokens.close(tokens, at);
      stride = stride(tokens.subList(at + 1, close));
      at = close + 1;
    }
    Token behind = Tokens.get(tokens, at);
    boolean isChanged =
        Changes.isAssignment(behind)
            || Changes.isStep(behind)
            || Changes.isStep(Tokens.get(tokens, name - 1));
    return stride == 1 || (stride == 0 && !isChanged);
  }

  /** The stride from an item of a row to the next: 0 or 1; negative if it is not known. */
  int stride(List<Token> expression) {
    if (!isVarying(expression)) {
      return 0;
    }
    List<Token> sum = withoutCasts(expression);
    if (!Tokens.isSum(sum)) {
      return UNKNOWN;
    }
    int stride = 0;
    int start = 0;
    boolean isNegative = false;
    for (int i = 0; i <= sum.size(); i++) {
      boolean isMark = i == sum.size() || sum.get(i).is("+") || sum.get(i).is("-");
      if (isMark && i > start) {
        List<Token> term = sum.subList(start, i);
        int own = isNegative && isVarying(term) ? UNKNOWN : factor(term, sum.size() > term.size());
        if (own == UNKNOWN || stride + own > 1) {
          return UNKNOWN;
        }
        stride += own;
        isNegative = i < sum.size() && sum.get(i).is("-");
        start = i + 1;
      } else if (isMark) {
        return UNKNOWN;
      } else if (Tokens.isOpen(sum.get(i))) {
        i = Tokens.close(sum, i);
      }
    }
    return stride;
  }

  private int factor(List<Token> term, boolean isPart) {
    if (!isVarying(term)) {
      return 0;
    }
    if (term.size() == 3 && term.get(0).is("threadIdx")) {
      return 1; // along x, since it differs
    }
    if (term.size() == 1 && term.get(0).isWord()) {
      List<Token> value = value(term.get(0).text());
      return value == null ? UNKNOWN : stride(value);
    }
    return isPart && Tokens.is(term, 0, "(") ? stride(term) : UNKNOWN;
  }

  /** What a variable has that never changes, or a counter begins with; null if it is not known. */
  private @Nullable List<Token> value(String name) {
    List<Token> start = counters.get(name);
    Own variable = variables.get(name);
    if (start != null || variable == null) {
      return start;
    }
    return !purity.isAssigned(name)
            && Declarations.isInteger(variable.declaration.type())
            && variable.declarator.pointers().isEmpty()
            && Tokens.is(variable.declarator.initial(), 0, "=")
        ? Privatization.initial(variable.declarator)
        : null;
  }

  private static List<Token> withoutCasts(List<Token> expression) {
    if (!Tokens.is(expression, 0, "(")) {
      return expression;
    }
    int close = Tokens.close(expression, 0);
    if (close == expression.size() - 1) {
      return withoutCasts(expression.subList(1, close));
    }
    boolean isCast =
        close < expression.size() && Declarations.isInteger(expression.subList(1, close));
    boolean isWhole =
        isCast
            && (close + 2 == expression.size()
                || (Tokens.is(expression, close + 1, "(")
                    && Tokens.close(expression, close + 1) == expression.size() - 1));
    return isWhole ? withoutCasts(expression.subList(close + 1, expression.size())) : expression;
  }

  /** Whether an expression may vary across the items of a row. */
  boolean isVarying(List<Token> expression) {
    for (int i = 0; i < expression.size(); i++) {
      Token token = expression.get(i);
      if (token.isWord() && Scopes.isVariable(expression, i)) {
        boolean isSameInRow =
            token.is("threadIdx")
                ? Tokens.is(expression, i + 1, ".") && !Tokens.is(expression, i + 2, "x")
                : isSameInRow(token.text());
        if (!isSameInRow) {
          return true;
        }
      }
    }
    return false;
  }

  private boolean isSameInRow(String name) {
    if (isUniform.test(name)) {
      return true;
    }
    Own variable = variables.get(name);
    if (variable == null) {
      return !Purity.ITEM_INDEXES.contains(name) && !purity.isAssigned(name);
    }
    if (isShared(variable)) {
      return !variable.declarator.dimensions().isEmpty();
    }
    List<Token> value = value(name);
    return value != null && !isVarying(value);
  }

  /**
   * A value as one item of the row computes it, which needs no variables of the items.
   *
   * @param x the item's index
   * @return null if that is not known, or not the same at any time
   */
  @Nullable List<Token> at(List<Token> expression, String x) {
    if (!purity.isPure(expression, this::isSteady) || purity.mayDivideByZero(expression)) {
      return null;
    }
    List<Token> all = new ArrayList<>();
    for (int i = 0; i < expression.size(); i++) {
      Token token = expression.get(i);
      if (token.is("threadIdx")) {
        String index = Tokens.is(expression, i + 2, "x") ? x : "0u"; // rows have no others
        all.addAll(Generated.tokens("(" + index + ")", token));
        i += 2;
        continue;
      }
      Own variable =
          token.isWord() && Scopes.isVariable(expression, i) ? variables.get(token.text()) : null;
      if (variable == null || isUniform.test(token.text())) {
        all.add(token);
        continue;
      }
      List<Token> value = at(Privatization.initial(variable.declarator), x);
      if (value == null) {
        return null;
      }
      String type = Tokens.code(variable.declaration.plainType());
      all.addAll(Generated.tokens("((" + type + ")(", token));
      all.addAll(value);
      all.addAll(Generated.tokens("))", token));
    }
    return all;
  }

  private boolean isSteady(String name) {
    if (purity.isAssigned(name)) {
      return false;
    }
    return variables.containsKey(name)
        ? isUniform.test(name) || value(name) != null
        : parameters.contains(name) || purity.isConstantOutside(name);
  }
}
