// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jhal.cpu.translate.Declarations.Declarator;
import org.jhal.cpu.translate.Statement.Block;
import org.jhal.cpu.translate.Statement.If;
import org.jhal.cpu.translate.Statement.Jump;
import org.jhal.cpu.translate.Statement.Plain;
import org.jhal.cpu.translate.Statement.Variables;
import org.jspecify.annotations.Nullable;

/**
 * A function of a source whose results for a row of arguments are computed at once: of {@code int
 * at(const int* a, int n, int x) { x = min(max(x, 0), n - 1); return a[x]; }} it makes
 *
 * <pre>{@code
 * void hal_row_at(int* to, unsigned count, int first, const int* a, int n) {
 *   // to[k] = at(a, n, first + k) for those at the ends, and for those in between:
 *   for (k ...) { const int x = first + k; to[k] = a[x]; }
 * }
 * }</pre>
 *
 * <p>The function must consist of declarations, assignments of its variables, branches and returns,
 * all types must be numbers of the language or pointers to these, and it may call the minimum and
 * the like of the dialect alone. So it has no effect, its operators are those of the language, and
 * all its names are its own.
 *
 * <p>Which arguments lie in between is computed as in {@link InnerRanges}, from the comparisons of
 * the argument, as it was given, with sums of numbers and of other parameters that have not been
 * assigned: {@code hal_bound} looks whether all of them hold for the first and the last one, and
 * that all types are those that are taken for granted.
 */
final class RowFunction {
  private static final Set<String> PURE =
      Set.of("min", "max", "abs", "fminf", "fmaxf", "fabsf", "sqrtf");

  private static final Set<String> NO_MARKS = Set.of("{", "}", ";", "->", ".", "::", "++", "--");

  private static final class NotFit extends Exception {
    private static final long serialVersionUID = 1;

    NotFit() {
      super(null, null, false, false);
    }
  }

  private final Source source;
  private final IndexWidening widening;
  private final Map<String, List<Token>> types = new HashMap<>(); // of parameters and variables
  private final Set<String> assigned = new HashSet<>(); // so far
  private final Set<String> changing = new HashSet<>(); // anywhere but where it is clamped
  private final Set<String> bounds = new LinkedHashSet<>();
  private final String rising;
  private boolean isRisen; // the parameter no longer has the argument

  final Function function;
  final int index; // of the parameter that rises
  final String name;
  final String result;
  final List<String> parameters = new ArrayList<>(); // their types
  private final StringBuilder inner = new StringBuilder();
  private final List<String> names = new ArrayList<>();
  private int reads; // elements
  private boolean hasChoices;

  /**
   * A function that one of whose parameters rises.
   *
   * @throws NotFit if it is not made of what is known here
   */
  private RowFunction(Function function, int index, String kernel, List<Token> file, Source source)
      throws NotFit {
    this.function = function;
    this.index = index;
    this.source = source;
    this.name = "hal_row_" + kernel + "_" + function.text() + "_" + index;
    require(
        function.isPlain()
            && function.body() == function.close() + 1
            && function.templateParameters() == null
            && isType(function.result(), false));
    this.result = Tokens.code(function.result());
    boolean isFloating = function.result().stream().anyMatch(RowFunction::isFloating);
    require(
        isFloating
            || function.source().subList(function.open(), function.end()).stream()
                .noneMatch(RowFunction::isFloating));
    for (List<Token> parameter : function.parameters()) {
      Token own = parameter.get(parameter.size() - 1);
      List<Token> type = parameter.subList(0, parameter.size() - 1);
      require(own.isWord() && isType(type, true) && types.put(own.text(), type) == null);
      parameters.add(Tokens.code(type));
      names.add(own.text());
    }
    this.rising = names.get(index);
    require(Tokens.text(type(rising)).equals("int"));
    require(names.stream().anyMatch(this::isPointer)); // others read no memory
    require( // of those that are keys of rows
        names.stream()
            .allMatch(
                each -> isPointer(each) || type(each).stream().noneMatch(RowFunction::isFloating)));
    this.widening = new IndexWidening(file, name -> !changing.contains(name), this::isPointer);
    try {
      List<Statement> body = StatementParser.parse(function.statements());
      require(!body.isEmpty() && body.get(body.size() - 1).isReturn());
      StringBuilder text = new StringBuilder();
      Set<String> before;
      do { // what changes is known when all has been seen
        before = Set.copyOf(changing);
        text.setLength(0);
        bounds.clear();
        assigned.clear();
        isRisen = false;
        reads = 0;
        widening.restore(changing.contains(rising) ? Set.of() : Set.of(rising));
        for (Statement statement : body) {
          statement(statement, text);
        }
      } while (!before.equals(changing));
      inner.append(text);
    } catch (UnfitException e) {
      throw new NotFit();
    }
  }

  /** A function of a source; empty if it is not made of what is known here. */
  static Optional<RowFunction> of(
      Function function, int index, String kernel, List<Token> file, Source source) {
    try {
      return Optional.of(new RowFunction(function, index, kernel, file, source));
    } catch (NotFit e) {
      return Optional.empty();
    }
  }

  /** Whether a call of a name has no effect, and is of a function of the dialect. */
  static boolean isPure(String name, Source source) {
    return PURE.contains(name) && source.isOnlyCalled(name);
  }

  /** Whether it does so much that it is worth a row. */
  boolean isLong() {
    return hasChoices || reads > 1;
  }

  /** What computes the results, as C++ that stands before the kernel. */
  String text() {
    StringBuilder all = new StringBuilder();
    StringBuilder copies = new StringBuilder();
    StringBuilder arguments = new StringBuilder();
    all.append("static __attribute__((noinline)) void " + name + "(" + result);
    all.append("* __restrict hal_results, unsigned hal_count, int hal_first");
    for (int i = 0; i < names.size(); i++) {
      String own = names.get(i);
      String value = i == index ? "hal_first + (int)hal_k" : "hal_given_" + own;
      arguments.append(i == 0 ? "" : ", ").append(value);
      copies.append(" " + kept(own) + " = " + value);
      copies.append("; (void)" + own + ";");
      if (i != index) {
        all.append(", " + parameters.get(i) + " hal_given_" + own);
      }
    }
    all.append(
        ") {\n static_assert(hal_equal<decltype(&" + function.text() + "), " + result + " (*)(");
    all.append(String.join(", ", parameters) + ")>::value, \"another function\");");
    all.append(" hal_row_range hal_inner(0, hal_count);\n");
    all.append(
        " for (; hal_inner.is_open(); hal_inner.next()) { const unsigned hal_k = hal_inner.at();");
    all.append(copies);
    bounds.forEach(all::append);
    all.append(" }\n");
    all.append(
        " const unsigned hal_from = hal_inner.from < hal_count ? hal_inner.from : hal_count;");
    all.append(" const unsigned hal_end = hal_inner.to < hal_count ? hal_inner.to : hal_count;\n");
    String call = " hal_results[hal_k] = " + function.text() + "(" + arguments + ");\n";
    all.append(" for (unsigned hal_k = 0; hal_k < hal_from; hal_k++)" + call);
    all.append(" for (unsigned hal_k = hal_end; hal_k < hal_count; hal_k++)" + call);
    all.append(" for (unsigned hal_k = hal_from; hal_k < hal_end; hal_k++) {" + copies);
    if (!changing.contains(rising)) {
      all.append(" const hal_wide_int hal_64_" + rising + " = {(long long)hal_first + hal_k};");
      all.append(" (void)hal_64_" + rising + ";");
    }
    return all.append(inner).append(" }\n}\n").toString();
  }

  /** The declaration of a variable, which is constant unless it changes. */
  private String kept(String own) {
    List<Token> type = type(own);
    boolean isConstant =
        isPointer(own)
            ? type.get(type.size() - 1).is("const")
            : type.stream().anyMatch(token -> token.is("const"));
    return Tokens.code(type) + (isConstant || changing.contains(own) ? " " : " const ") + own;
  }

  private static void require(boolean condition) throws NotFit {
    if (!condition) {
      throw new NotFit();
    }
  }

  /** Whether it is of a number whose conversion to an integer may be beyond the range. */
  private static boolean isFloating(Token token) {
    return token.kind() == Token.Kind.NUMBER
        ? token.text().matches("(?i)0x.*")
            ? token.text().matches("(?i).*[.p].*")
            : token.text().matches("(?i).*[.ef].*")
        : token.is("float") || token.is("double");
  }

  private List<Token> type(String name) {
    return types.getOrDefault(name, List.of());
  }

  private boolean isPointer(String name) {
    return type(name).stream().anyMatch(token -> token.is("*"));
  }

  private static boolean isType(List<Token> type, boolean mayPoint) {
    return type.stream()
            .anyMatch(token -> Declarations.NUMBERS.contains(token.text()) && !token.is("const"))
        && type.stream()
            .allMatch(
                token ->
                    Declarations.NUMBERS.contains(token.text())
                        || (mayPoint && (token.is("*") || token.text().startsWith("__restrict"))));
  }

  // Statements.

  private void statement(Statement statement, StringBuilder to) throws NotFit {
    if (statement instanceof Block block) {
      to.append(" {");
      for (Statement inside : block.statements()) {
        statement(inside, to);
      }
      to.append(" }");
    } else if (statement instanceof Variables variables) {
      declared(variables, to);
    } else if (statement instanceof Plain plain) {
      if (!plain.tokens().isEmpty()) {
        assignment(plain.tokens(), to);
      }
    } else if (statement instanceof Jump jump && jump.isReturn()) {
      check(jump.value());
      require(!jump.value().isEmpty());
      to.append(" { hal_results[hal_k] = (" + result + ")(");
      to.append(code(without(jump.value())) + "); continue; }");
    } else if (statement instanceof If choice && !choice.isConstant()) {
      branch(choice, to);
    } else {
      throw new NotFit();
    }
  }

  private String code(List<Token> tokens) {
    return Tokens.code(widening.subscripts(tokens));
  }

  private void declared(Variables variables, StringBuilder to) throws NotFit {
    require(isType(variables.declaration().type(), false));
    for (Declarator each : variables.declaration().declarators()) {
      String own = each.name().text();
      List<Token> type = new ArrayList<>(variables.declaration().type());
      type.addAll(each.pointers());
      require(
          isType(type, true)
              && each.dimensions().isEmpty()
              && Tokens.is(each.initial(), 0, "=")
              && !names.contains(own)
              && (types.putIfAbsent(own, type) == null || isSame(own, type)));
      List<Token> initial = each.initial().subList(1, each.initial().size());
      check(initial);
      List<Token> all = new ArrayList<>();
      all.add(each.initial().get(0));
      all.addAll(without(initial));
      boolean isFixed = !changing.contains(own);
      Declarator simple = new Declarator(each.pointers(), each.name(), each.dimensions(), all);
      String wide =
          isFixed && each.pointers().isEmpty()
              ? widening.declaredIfFixed(variables.declaration(), simple)
              : "";
      to.append(" " + kept(own) + " " + code(all) + "; (void)" + own + ";" + wide);
      assigned.add(own);
    }
  }

  /** Whether it is the variable that was seen before, rather than another one of its name. */
  private boolean isSame(String own, List<Token> type) {
    return !assigned.contains(own) && type.equals(type(own));
  }

  private void assignment(List<Token> tokens, StringBuilder to) throws NotFit {
    String own = tokens.get(0).text();
    require(tokens.size() > 2 && types.containsKey(own) && Changes.isAssignment(tokens.get(1)));
    List<Token> value = tokens.subList(2, tokens.size());
    check(value);
    List<Token> simple = without(value);
    boolean isPlain = tokens.get(1).is("=");
    boolean isClamp = isPlain && own.equals(rising) && !isRisen && isRising(simple);
    if (isClamp && Tokens.withoutParentheses(simple).size() == 1) {
      return; // it has that value
    }
    assign(own);
    to.append(" " + own + " " + tokens.get(1).text() + " " + code(simple) + ";");
  }

  private void assign(String own) throws NotFit {
    require(type(own).stream().noneMatch(token -> token.is("const")) || isPointer(own));
    assigned.add(own);
    changing.add(own);
    isRisen |= own.equals(rising);
  }

  private void branch(If choice, StringBuilder to) throws NotFit {
    check(choice.condition());
    hasChoices = true;
    List<Token> condition = choice.condition();
    if (choice.otherwise() == null) {
      condition = withoutFalse(condition);
      if (condition.isEmpty()) {
        skipped(choice.then());
        return;
      }
    }
    to.append(" if (" + code(condition) + ") {");
    statement(choice.then(), to);
    to.append(" }");
    if (choice.otherwise() != null) {
      to.append(" else {");
      statement(choice.otherwise(), to);
      to.append(" }");
    }
  }

  /** Looks at what no argument of the range comes to. */
  private void skipped(Statement statement) throws NotFit {
    boolean wasRisen = isRisen;
    Set<String> were = Set.copyOf(assigned);
    Set<String> changed = Set.copyOf(changing);
    Set<String> known = Set.copyOf(bounds);
    int before = reads;
    statement(statement, new StringBuilder());
    isRisen = wasRisen;
    reads = before;
    assigned.retainAll(were);
    changing.retainAll(changed);
    bounds.retainAll(known);
  }

  // Expressions.

  /** Checks that an expression has no effect, and only operands of the language. */
  private void check(List<Token> expression) throws NotFit {
    for (int i = 0; i < expression.size(); i++) {
      Token token = expression.get(i);
      switch (token.kind()) {
        case TEXT -> throw new NotFit();
        case NUMBER -> require(!token.text().contains("_"));
        case MARK -> {
          Token before = Tokens.get(expression, i - 1);
          boolean isBehindOperand =
              before.kind() == Token.Kind.NUMBER
                  || before.is(")")
                  || before.is("]")
                  || (before.isWord() && types.containsKey(before.text()));
          require(
              !NO_MARKS.contains(token.text())
                  && !Changes.isAssignment(token)
                  && (!token.is("&") || isBehindOperand)
                  && (!token.is("[") || isBehindOperand));
          reads += token.is("[") ? 1 : 0;
          hasChoices |= token.is("?");
        }
        case WORD -> {
          boolean isCall = Tokens.is(expression, i + 1, "(");
          boolean isKnown =
              types.containsKey(token.text())
                  ? !isCall
                  : Declarations.NUMBERS.contains(token.text())
                      || token.is("true")
                      || token.is("false")
                      || (isCall && isPure(token.text(), source));
          require(isKnown);
          hasChoices |= isCall && PURE.contains(token.text());
        }
      }
    }
  }

  /** An expression without the clamps that make no difference in the range. */
  private List<Token> without(List<Token> expression) {
    int mark = Tokens.find(expression, 0, "?");
    if (isRisen || mark > 0 && mark < expression.size()) {
      List<Token> chosen = isRisen ? null : chosen(expression, mark);
      return chosen == null ? expression : chosen;
    }
    List<Token> all = new ArrayList<>();
    for (int i = 0; i < expression.size(); i++) {
      Token token = expression.get(i);
      int close = Tokens.isOpen(token) ? Tokens.close(expression, i) : -1;
      boolean isClamp = (token.is("min") || token.is("max")) && Tokens.is(expression, i + 1, "(");
      if (isClamp) {
        close = Tokens.close(expression, i + 1);
        List<List<Token>> arguments = Tokens.split(expression.subList(i + 2, close));
        List<Token> value = clamped(token, arguments);
        if (value != null) {
          all.add(Token.mark("(", token));
          all.addAll(value);
          all.add(Token.mark(")", token));
          i = close;
          continue;
        }
      } else if (close > i) {
        all.add(token);
        List<List<Token>> parts = Tokens.split(expression.subList(i + 1, close));
        for (int k = 0; k < parts.size(); k++) {
          if (k > 0) {
            all.add(Token.mark(",", token));
          }
          all.addAll(without(parts.get(k)));
        }
        all.add(expression.get(close));
        i = close;
        continue;
      }
      all.add(token);
    }
    return all;
  }

  /** What is clamped by {@code min(...)} or {@code max(...)}; null if that is something else. */
  private @Nullable List<Token> clamped(Token name, List<List<Token>> arguments) {
    for (int i = 0; i < arguments.size() && arguments.size() == 2; i++) {
      List<Token> value = without(arguments.get(i));
      List<Token> limit = arguments.get(1 - i);
      if (isRising(value) && isLimit(limit)) {
        String left = Tokens.code(value);
        String right = Tokens.code(limit);
        String type = name.text() + "(" + left + ", " + right + ")";
        bounds.add(InnerRanges.Range.bound(name.is("max"), false, true, type, left, right));
        return value;
      }
    }
    return null;
  }

  /** What {@code c ? a : b} is in the range; null if that is not known. */
  private @Nullable List<Token> chosen(List<Token> expression, int mark) {
    int depth = 0;
    int colon = mark + 1;
    for (; colon < expression.size(); colon++) {
      Token token = expression.get(colon);
      if (token.is(":") && depth-- == 0) {
        break;
      }
      depth += token.is("?") ? 1 : 0;
      colon = Tokens.isOpen(token) ? Tokens.close(expression, colon) : colon;
    }
    if (colon >= expression.size()) {
      return null;
    }
    List<Token> first = expression.subList(mark + 1, colon);
    List<Token> second = expression.subList(colon + 1, expression.size());
    boolean isSecond = isLimit(first);
    List<Token> other = isSecond ? first : second;
    List<Token> value = without(isSecond ? second : first);
    if (!isLimit(other) || !isRising(value)) {
      return null;
    }
    String type = "false ? (" + Tokens.code(other) + ") : (" + Tokens.code(value) + ")";
    return compared(expression.subList(0, mark), isSecond, true, type) ? value : null;
  }

  /**
   * A condition without the operands of {@code ||} that are false in the range; empty if all are.
   */
  private List<Token> withoutFalse(List<Token> condition) {
    boolean isOther =
        isRisen
            || condition.stream().anyMatch(token -> token.is("?") || token.is("&&"))
            || Tokens.find(condition, 0, ",") < condition.size();
    if (isOther) {
      return condition;
    }
    List<Token> all = new ArrayList<>();
    for (List<Token> part : Tokens.split(condition, "||")) {
      if (!compared(part, true, false, "")) {
        if (!all.isEmpty()) {
          all.add(Token.mark("||", condition.get(0)));
        }
        all.addAll(part);
      }
    }
    return all;
  }

  /**
   * Whether a comparison may be one that decides the range, of which it becomes a bound.
   *
   * @param isNegated whether it must be false
   * @param type of the clamp that it is a part of; empty for none
   */
  private boolean compared(List<Token> condition, boolean isNegated, boolean isClamp, String type) {
    List<Token> bare = Tokens.withoutParentheses(condition);
    int at = Tokens.comparedAt(bare);
    if (at <= 0 || at + 1 >= bare.size()) {
      return false;
    }
    List<Token> left = bare.subList(0, at);
    List<Token> right = bare.subList(at + 1, bare.size());
    boolean isGreater = bare.get(at).is(">") || bare.get(at).is(">=");
    boolean isStrict = bare.get(at).is(">") || bare.get(at).is("<");
    boolean isFlipped = isRising(right) && isLimit(left);
    if (!isFlipped && !(isRising(left) && isLimit(right))) {
      return false;
    }
    String value = Tokens.code(isFlipped ? right : left);
    String limit = Tokens.code(isFlipped ? left : right);
    String common = isClamp ? type : "(" + value + ") + (" + limit + ")";
    boolean isLower = isGreater ^ isFlipped ^ isNegated;
    bounds.add(
        InnerRanges.Range.bound(isLower, isStrict ^ isNegated, isClamp, common, value, limit));
    return true;
  }

  /** Whether it is the argument, as it was given, or a sum of that and a limit. */
  private boolean isRising(List<Token> given) {
    List<Token> value = Tokens.withoutParentheses(given);
    boolean isFirst = !isRisen && Tokens.is(value, 0, rising);
    return isFirst
        && (value.size() == 1
            || ((value.get(1).is("+") || value.get(1).is("-"))
                && Tokens.isSum(value)
                && isLimit(value.subList(2, value.size()))));
  }

  /** Whether it is a sum or a product of numbers and parameters that have what they began with. */
  private boolean isLimit(List<Token> limit) {
    return !limit.isEmpty()
        && limit.stream()
            .allMatch(
                token ->
                    token.kind() == Token.Kind.NUMBER
                        ? token.text().matches("0|[1-9]\\d{0,8}")
                        : token.isWord()
                            ? names.contains(token.text())
                                && !token.is(rising)
                                && !assigned.contains(token.text())
                                && !isPointer(token.text())
                            : Set.of("+", "-", "*", "(", ")").contains(token.text()));
  }
}
