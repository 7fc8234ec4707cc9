// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jhal.cpu.translate.Declarations.Declaration;
import org.jhal.cpu.translate.Declarations.Declarator;
import org.jhal.cpu.translate.Statement.For;
import org.jhal.cpu.translate.Statement.If;
import org.jhal.cpu.translate.Statement.Plain;
import org.jhal.cpu.translate.Statement.Variables;
import org.jspecify.annotations.Nullable;

/**
 * Finds the items of a row for which no clamp acts and all guards hold, so that a loop over these
 * needs neither: in {@code if (x > 0) a[min(x + 1, n - 1)]} the items with {@code x > 0} and {@code
 * x + 1 <= n - 1}, for which {@code a[x + 1]} is the same. All others keep what the source has.
 *
 * <p>Each clamp and guard compares a value with a limit. They are handled if
 *
 * <ul>
 *   <li>the value is a sum in which {@code threadIdx.x} stands once, with a plus and no factor,
 *       itself or in variables that never change: so in 32 bits or more, modulo what they hold, it
 *       is greater by one for each next item of a row; counters of loops with numbers as limits may
 *       stand in it likewise, or with a minus,
 *   <li>the limit is the same for all items of a row,
 *   <li>both consist of sums and products of numbers, indexes, parameters and variables of built-in
 *       integer types of 32 bits or more, whose operators are those of the language. So they may be
 *       computed at any time.
 * </ul>
 *
 * When the kernel runs, {@code hal_row_range} computes where the range should begin and end, and
 * then whether all comparisons hold for the first and the last item of it, with the first and the
 * last values of the counters. If each of these values is less than 2 to the power of 30, none
 * wraps around between them, since there are at most 2048 items and 2 to the power of 16 values of
 * a counter. So the values between them lie between them, and the comparisons hold for all.
 * Otherwise all items keep what the source has. What replaces a clamp must have its type, which is
 * looked at there, too.
 */
final class InnerRanges {
  private static final long MOST_VALUES = 1 << 16;

  private final Purity purity;
  private final Source source;
  private final Set<String> parameters;

  InnerRanges(Purity purity, Source source, Set<String> parameters) {
    this.purity = purity;
    this.source = source;
    this.parameters = parameters;
  }

  /**
   * The range of a region, which is all of a row if it has no bounds.
   *
   * @param isPassed whether all items pass the guard of the region
   */
  Range of(Step.Region region, boolean isPassed) {
    return of(region, isPassed, false);
  }

  /** The items for which no clamp acts; those of them that fail a guard still do. */
  Range clampsOf(Step.Region region, boolean isPassed) {
    return of(region, isPassed, true);
  }

  private Range of(Step.Region region, boolean isPassed, boolean keepsGuards) {
    Range range = new Range(region, isPassed, keepsGuards);
    int guards;
    do { // which variables are guards is known when all branches have been seen
      guards = range.guards.size();
      range.bounds.clear();
      range.collect(region);
    } while (range.guards.size() > guards);
    range.isComplete = true;
    return range;
  }

  /** Whether an expression of C++ is the same for items of two rows that begin at the same item. */
  static boolean isSameInRows(String expression) {
    return !expression.matches("(?s).*\\bthreadIdx *\\. *[yz]\\b.*");
  }

  /** Whether an item may declare a variable, with another initial value than the source says. */
  boolean isHarmless(Declaration declaration, Declarator declarator) {
    List<Token> initial = Privatization.initial(declarator);
    return Tokens.is(declarator.initial(), 0, "=")
        && !purity.isObject(declaration.type())
        && purity.isPure(initial, name -> !purity.isObject(name))
        && !purity.mayDivideByZero(initial);
  }

  private record Own(Declaration declaration, Declarator declarator) {}

  private record Counter(long first, long last) {}

  /** A value that is greater by one for each next item of a row, and each value of counters. */
  private record Rising(List<Token> value, Set<String> counters) {
    /** Whether it is a counter alone, and the same for all items. */
    boolean isCounter() {
      return value.size() == 1;
    }
  }

  /** What is known of a region. */
  final class Range {
    private final Map<String, Own> own = new HashMap<>(); // which items have
    private final Map<String, Counter> counters = new HashMap<>();
    private final Set<String> uniform = new HashSet<>();
    private final Set<String> guards = new HashSet<>(); // variables that branches look at
    private final Set<String> bounds = new LinkedHashSet<>();
    private final boolean isPassed;
    private final boolean keepsGuards; // and leaves only clamps out
    private boolean isComplete; // no other bounds are taken for granted

    private Range(Step.Region region, boolean isPassed, boolean keepsGuards) {
      this.isPassed = isPassed;
      this.keepsGuards = keepsGuards;
      for (Variable use : region.uses) {
        if (use.kind == Variable.Kind.UNIFORM && !use.declaration.is("__shared__")) {
          uniform.add(use.name());
        } else if (use.kind == Variable.Kind.REMATERIALIZED) {
          own.put(use.name(), new Own(use.declaration, use.declarator));
        }
      }
      region.statements.forEach(this::declared);
    }

    /** Whether some comparison decides it. */
    boolean hasBounds() {
      return !bounds.isEmpty();
    }

    /**
     * An argument of a call that an item of the range makes.
     *
     * @param text in C++ that is right for any item of the row, and in which {@code
     *     hal_counter_NAME_} stands for a counter
     * @param counters that it depends on
     * @param isRising whether it is greater by one for the next item of a row; otherwise it is the
     *     same for all
     */
    record Argument(String text, Set<String> counters, boolean isRising) {}

    /** What is known of an argument; null if that is not enough. */
    @Nullable Argument argument(List<Token> tokens) {
      if (tokens.size() == 1 && purity.isPointer(tokens.get(0).text())) {
        String name = tokens.get(0).text();
        return parameters.contains(name)
                && !purity.isAssigned(name)
                && !purity.changes().isEscaping(name)
            ? new Argument(name, Set.of(), false)
            : null;
      }
      Rising rising = rising(tokens);
      if (rising != null) {
        return new Argument(Tokens.code(rising.value), rising.counters, true);
      }
      Set<String> used = new LinkedHashSet<>();
      List<Token> same = constant(tokens, used);
      return same == null ? null : new Argument(Tokens.code(same), used, false);
    }

    /** The first and the last value of a counter of a loop; null if it is none. */
    long @Nullable [] counter(String name) {
      Counter counter = counters.get(name);
      return counter == null ? null : new long[] {counter.first, counter.last};
    }

    /** Whether a condition is the same for all items of a row, as far as that is seen. */
    boolean isSameInRow(List<Token> condition) {
      return sameInRow(condition) != null;
    }

    /** A condition as it is for all items of a row of the range; null if it may differ. */
    @Nullable String sameInRow(If choice) {
      return sameInRow(condition(choice));
    }

    private @Nullable String sameInRow(List<Token> condition) {
      for (String mark : List.of("?", ",", "||", "&&")) {
        if (Tokens.find(condition, 0, mark) < condition.size()) {
          List<String> parts = new ArrayList<>();
          for (List<Token> part : Tokens.split(condition, mark)) {
            parts.add(sameInRow(part));
          }
          boolean isKnown = (mark.equals("||") || mark.equals("&&")) && !parts.contains(null);
          return isKnown ? "(" + String.join(" " + mark + " ", parts) + ")" : null;
        }
      }
      List<Token> bare = Tokens.withoutParentheses(condition);
      if (bare.size() < condition.size()) {
        return sameInRow(bare);
      }
      if (bare.size() == 1) {
        return bare.get(0).is("true") || bare.get(0).is("false") ? bare.get(0).text() : null;
      }
      if (Tokens.is(bare, 0, "!")) {
        List<Token> rest = bare.subList(1, bare.size());
        String same = Tokens.withoutParentheses(rest).size() < rest.size() ? sameInRow(rest) : null;
        return same == null ? null : "!" + same;
      }
      int at = Tokens.comparedAt(bare);
      List<Token> left = at > 0 ? constant(bare.subList(0, at)) : null;
      List<Token> right = at > 0 ? constant(bare.subList(at + 1, bare.size())) : null;
      return left == null || right == null
          ? null
          : "(" + Tokens.code(left) + " " + bare.get(at).text() + " " + Tokens.code(right) + ")";
    }

    /** The comparisons that must hold, as statements of C++. */
    String bounds() {
      return String.join("", bounds);
    }

    /** Whether rows that begin and end at the same items have the same range. */
    boolean isSameInRows() {
      return bounds.stream().allMatch(InnerRanges::isSameInRows);
    }

    private void declared(Statement statement) {
      if (statement instanceof Variables variables) {
        for (Declarator each : variables.declaration().declarators()) {
          own.put(each.name().text(), new Own(variables.declaration(), each));
        }
      }
      if (statement instanceof For loop) {
        counter(loop);
      }
      statement.inner().forEach(this::declared);
    }

    private void counter(For loop) {
      if (!(loop.start() instanceof Variables start)
          || start.declaration().declarators().size() != 1
          || start.declaration().type().size() != 1
          || !start.declaration().is("int")) {
        return;
      }
      Declarator counter = start.declaration().declarators().get(0);
      String name = counter.name().text();
      List<Token> condition = loop.condition();
      List<Token> step = loop.step();
      boolean isStep =
          step.size() == 2
              && ((step.get(0).is(name) && step.get(1).is("++"))
                  || (step.get(0).is("++") && step.get(1).is(name)));
      boolean isLimited =
          Tokens.is(condition, 0, name)
              && (Tokens.is(condition, 1, "<") || Tokens.is(condition, 1, "<="));
      Long first = number(Privatization.initial(counter));
      Long last = isLimited ? number(condition.subList(2, condition.size())) : null;
      List<Token> body = new ArrayList<>();
      loop.body().collect(body);
      Changes changes = purity.changes(body, source);
      if (isStep
          && counter.pointers().isEmpty()
          && counter.dimensions().isEmpty()
          && Tokens.is(counter.initial(), 0, "=")
          && first != null
          && last != null
          && !changes.isAssigned(name)
          && !changes.isEscaping(name)) {
        long most = Tokens.is(condition, 1, "<") ? last - 1 : last;
        if (most >= first && most - first < MOST_VALUES) {
          counters.put(name, new Counter(first, most));
        }
      }
    }

    private @Nullable Long number(List<Token> tokens) {
      boolean isNegative = Tokens.is(tokens, 0, "-");
      boolean isNumber =
          tokens.size() == (isNegative ? 2 : 1)
              && tokens.get(tokens.size() - 1).text().matches("0|[1-9]\\d{0,8}");
      return !isNumber
          ? null
          : (isNegative ? -1 : 1) * Long.parseLong(tokens.get(tokens.size() - 1).text());
    }

    private void collect(Step.Region region) {
      for (int i = 0; i < region.statements.size(); i++) {
        Statement statement = region.statements.get(i);
        if (isPassed && region.isGuarded() && i == region.guard) {
          statement.inner().forEach(this::collect);
        } else {
          collect(statement);
        }
      }
      for (Variable use : region.uses) {
        if (use.kind == Variable.Kind.REMATERIALIZED) {
          initial(use.declaration, use.declarator);
        }
      }
    }

    private void collect(Statement statement) {
      if (statement instanceof Plain plain) {
        expression(plain.tokens());
      } else if (statement instanceof If choice) {
        condition(choice);
      }
      statement.inner().forEach(this::collect);
      if (statement instanceof Variables variables) { // behind branches that look at them
        variables
            .declaration()
            .declarators()
            .forEach(each -> initial(variables.declaration(), each));
      }
    }

    /** The initial value of a variable for the items of the range. */
    List<Token> initial(Declaration declaration, Declarator declarator) {
      return guards.contains(declarator.name().text())
          ? conjunction(declarator.initial(), false)
          : expression(declarator.initial());
    }

    /**
     * The condition of a branch for the items of the range. With two ways, it is that of the items
     * between a border and another one, or of those outside.
     */
    List<Token> condition(If choice) {
      List<Token> condition = choice.condition();
      boolean isOutside = choice.otherwise() != null && Tokens.split(condition, "||").size() > 1;
      boolean isInside = choice.otherwise() == null || Tokens.split(condition, "&&").size() > 1;
      return choice.isConstant() || !(isInside || isOutside)
          ? expression(condition)
          : conjunction(condition, isOutside);
    }

    private List<Token> conjunction(List<Token> condition, boolean isNegated) {
      int start = Tokens.is(condition, 0, "=") ? 1 : 0;
      List<Token> all = new ArrayList<>(condition.subList(0, start));
      List<Token> rest = condition.subList(start, condition.size());
      if (keepsGuards
          || rest.isEmpty()
          || isOther(rest)
          || hasOtherOperators(rest, isNegated ? "||" : "&&")) {
        return expression(condition);
      }
      List<List<Token>> parts = Tokens.split(rest, isNegated ? "||" : "&&");
      for (int i = 0; i < parts.size(); i++) {
        if (i > 0) {
          all.add(Token.mark(isNegated ? "||" : "&&", rest.get(0)));
        }
        all.addAll(part(parts.get(i), isNegated));
      }
      return all;
    }

    private static boolean hasOtherOperators(List<Token> tokens, String mark) {
      for (int i = 0; i < tokens.size(); i++) {
        Token token = tokens.get(i);
        boolean isWeak = Set.of("&&", "||", "?", ":", ",").contains(token.text());
        if ((isWeak && !token.is(mark)) || Changes.isAssignment(token)) {
          return true;
        }
        i = Tokens.isOpen(token) ? Tokens.close(tokens, i) : i;
      }
      return false;
    }

    private List<Token> part(List<Token> part, boolean isNegated) {
      if (part.isEmpty()) {
        return part;
      }
      int inner = Tokens.is(part, 0, "!") ? 1 : 0;
      if (Tokens.is(part, inner, "(") && Tokens.close(part, inner) == part.size() - 1) {
        List<Token> inside = part.subList(inner + 1, part.size() - 1);
        List<Token> all = new ArrayList<>(part.subList(0, inner + 1));
        all.addAll(conjunction(inside, isNegated ^ (inner == 1)));
        all.add(part.get(part.size() - 1));
        return all;
      }
      if (part.size() == 1 && !isNegated && own.containsKey(part.get(0).text())) {
        Own variable = own.get(part.get(0).text());
        if (isBool(variable)) {
          guards.add(part.get(0).text());
        }
        return part;
      }
      int at = Tokens.comparedAt(part);
      if (at > 0) {
        Token mark = part.get(at);
        List<Token> left = part.subList(0, at);
        List<Token> right = part.subList(at + 1, part.size());
        boolean isGreater = mark.is(">") || mark.is(">=");
        boolean isStrict = mark.is(">") || mark.is("<");
        if (isBounded(left, right, isGreater ^ isNegated, isStrict ^ isNegated, "")
            || isBounded(right, left, !isGreater ^ isNegated, isStrict ^ isNegated, "")) {
          return List.of(Token.word(isNegated ? "false" : "true", mark));
        }
      }
      return expression(part);
    }

    /**
     * An expression of C++ that is true for any item of a row that passes a guard, and false where
     * a comparison of a rising value with a limit says that the item does not.
     */
    String passes(List<Token> guard) {
      List<String> all = new ArrayList<>();
      passes(guard, all);
      return all.isEmpty() ? "true" : String.join(" && ", all);
    }

    private void passes(List<Token> guard, List<String> all) {
      if (guard.isEmpty() || isOther(guard) || hasOtherOperators(guard, "&&")) {
        return;
      }
      List<List<Token>> parts = Tokens.split(guard, "&&");
      if (parts.size() > 1) {
        parts.forEach(part -> passes(part, all));
        return;
      }
      List<Token> bare = Tokens.withoutParentheses(guard);
      if (bare.size() < guard.size()) {
        passes(bare, all);
        return;
      }
      String name = guard.get(0).text();
      Own variable = guard.size() == 1 ? own.get(name) : null;
      if (variable != null
          && isBool(variable)
          && !purity.isAssigned(name)
          && !purity.changes().isEscaping(name)) {
        passes(Privatization.initial(variable.declarator), all);
        return;
      }
      int at = Tokens.comparedAt(guard);
      if (at > 0) {
        compares(guard.subList(0, at), guard.get(at), guard.subList(at + 1, guard.size()), all);
      }
    }

    private void compares(List<Token> left, Token mark, List<Token> right, List<String> to) {
      Rising first = rising(left);
      Rising value = first == null ? rising(right) : first;
      List<Token> limit = constant(first == null ? left : right);
      if (value != null && limit != null && value.counters.isEmpty()) {
        String rising = Tokens.code(value.value);
        String same = Tokens.code(limit);
        to.add(
            first == null
                ? "(" + same + " " + mark.text() + " " + rising + ")"
                : "(" + rising + " " + mark.text() + " " + same + ")");
      }
    }

    private static boolean isBool(@Nullable Own variable) {
      return variable != null
          && variable.declaration.is("bool")
          && variable.declaration.plainType().size() == 1
          && variable.declarator.pointers().isEmpty()
          && variable.declarator.dimensions().isEmpty()
          && Tokens.is(variable.declarator.initial(), 0, "=");
    }

    /** An expression without clamps, for the items of the range. */
    List<Token> expression(List<Token> tokens) {
      if (isOther(tokens)) {
        return tokens;
      }
      List<Token> all = new ArrayList<>();
      for (int i = 0; i < tokens.size(); i++) {
        List<Token> value = clamped(tokens, i);
        if (value == null) {
          all.add(tokens.get(i));
        } else {
          Token at = tokens.get(i);
          all.add(Token.mark("(", at));
          all.addAll(value);
          all.add(Token.mark(")", at));
          i = Tokens.close(tokens, i + 1);
        }
      }
      return all;
    }

    /** Whether names in it may be others, or it is no expression. */
    private static boolean isOther(List<Token> tokens) {
      for (int i = 0; i < tokens.size(); i++) {
        if (tokens.get(i).is("{") || Tokens.isLambda(tokens, i)) {
          return true;
        }
      }
      return false;
    }

    /** What is clamped by the call that begins here; null if that is something else. */
    private @Nullable List<Token> clamped(List<Token> tokens, int at) {
      Token name = tokens.get(at);
      boolean isLower = name.is("max");
      if ((!isLower && !name.is("min"))
          || !Tokens.is(tokens, at + 1, "(")
          || Tokens.isMember(tokens, at)
          || Tokens.is(tokens, at - 1, "::")
          || Tokens.get(tokens, at - 1).isWord() && !Tokens.is(tokens, at - 1, "return")
          || purity.isOwn(name.text())
          || !source.isOnlyCalled(name.text())
          || Tokens.close(tokens, at + 1) >= tokens.size()) {
        return null;
      }
      List<List<Token>> arguments =
          Tokens.split(tokens.subList(at + 2, Tokens.close(tokens, at + 1)));
      if (arguments.size() != 2) {
        return null;
      }
      for (int i = 0; i < 2; i++) {
        List<Token> inner = unclamped(arguments.get(i));
        if (inner != null && isBounded(inner, arguments.get(1 - i), isLower, false, name.text())) {
          return inner;
        }
      }
      return null;
    }

    /** What an argument clamps, which is a clamp itself or none. */
    private @Nullable List<Token> unclamped(List<Token> argument) {
      boolean isCall =
          (Tokens.is(argument, 0, "min") || Tokens.is(argument, 0, "max"))
              && Tokens.is(argument, 1, "(")
              && Tokens.close(argument, 1) == argument.size() - 1;
      return isCall ? clamped(argument, 0) : argument;
    }

    /** Whether a value is compared with a limit so that a range of items passes. */
    private boolean isBounded(
        List<Token> value, List<Token> limit, boolean isLower, boolean isStrict, String clamp) {
      Rising rising = rising(value);
      List<Token> bound = rising == null ? null : constant(limit);
      if (rising == null || bound == null) {
        return false;
      }
      List<String> values = List.of(Tokens.code(rising.value));
      for (String counter : rising.counters) {
        Counter range = counters.get(counter);
        List<String> both = new ArrayList<>();
        for (String each : values) {
          if (range != null) {
            both.add(each.replace(placeholder(counter), "(" + range.first + ")"));
            both.add(each.replace(placeholder(counter), "(" + range.last + ")"));
          }
        }
        values = both;
      }
      String right = Tokens.code(bound);
      List<String> all = new ArrayList<>();
      for (String left : values) {
        String type =
            clamp.isEmpty()
                ? "(" + left + ") + (" + right + ")"
                : clamp + "(" + left + ", " + right + ")";
        all.add(bound(isLower, isStrict, !clamp.isEmpty(), type, left, right));
      }
      if (isComplete) {
        return bounds.containsAll(all);
      }
      bounds.addAll(all);
      return true;
    }

    /**
     * A bound of the range {@code hal_inner}, as a statement of C++.
     *
     * @param isClamp whether it is that of a minimum or maximum, rather than of a comparison
     * @param type an expression of the type in which both are compared
     */
    static String bound(
        boolean isLower,
        boolean isStrict,
        boolean isClamp,
        String type,
        String value,
        String limit) {
      return " hal_bound<%s, %s, %s, hal_bare<decltype(%s)>>(hal_inner, %s, %s);"
          .formatted(isLower, isStrict, isClamp, type, value, limit);
    }

    static String placeholder(String counter) {
      return "hal_counter_" + counter + "_";
    }

    // Values with what variables begin with in place of them.

    /** A sum that rises by one; null if it is not surely one. */
    private @Nullable Rising rising(List<Token> sum) {
      if (sum.isEmpty() || !Tokens.isSum(sum)) {
        return null;
      }
      List<Token> all = new ArrayList<>();
      Set<String> used = new LinkedHashSet<>();
      boolean isFound = false;
      int start = 0;
      for (int i = 0; i <= sum.size(); i++) {
        boolean isMark = i == sum.size() || sum.get(i).is("+") || sum.get(i).is("-");
        if (!isMark) {
          i = Tokens.isOpen(sum.get(i)) ? Tokens.close(sum, i) : i;
          continue;
        }
        List<Token> term = sum.subList(start, Math.min(i, sum.size()));
        if (term.isEmpty() || i > sum.size() || Tokens.is(term, term.size() - 1, "*")) {
          return null; // a sign
        }
        List<Token> value = constant(term);
        if (value == null) {
          Rising rising = risingTerm(term);
          boolean isCounter = rising != null && rising.isCounter();
          boolean isFalling = Tokens.is(sum, start - 1, "-");
          if (rising == null
              || (!isCounter && (isFound || isFalling))
              || rising.counters.stream().anyMatch(used::contains)) {
            return null;
          }
          isFound |= !isCounter;
          used.addAll(rising.counters);
          value = rising.value;
        }
        all.addAll(value);
        if (i < sum.size()) {
          all.add(sum.get(i));
        }
        start = i + 1;
      }
      return isFound && start > sum.size() ? new Rising(all, used) : null;
    }

    private @Nullable Rising risingTerm(List<Token> term) {
      if (term.size() == 3
          && term.get(0).is("threadIdx")
          && term.get(1).is(".")
          && term.get(2).is("x")) {
        return new Rising(term, Set.of());
      }
      if (Tokens.is(term, 0, "(")) {
        int close = Tokens.close(term, 0);
        if (close == term.size() - 1) {
          return within("(", rising(term.subList(1, close)), ")", term.get(0));
        }
        if (close < term.size() && isType(term.subList(1, close))) {
          String cast = "(" + Tokens.code(term.subList(1, close)) + ")";
          List<Token> rest = term.subList(close + 1, term.size());
          return within(cast + "(", risingTerm(rest), ")", term.get(0));
        }
        return null;
      }
      if (term.size() != 1 || !term.get(0).isWord()) {
        return null;
      }
      String name = term.get(0).text();
      if (counters.containsKey(name)) {
        Token token = Token.word(placeholder(name), term.get(0));
        return new Rising(List.of(token), Set.of(name));
      }
      Own variable = fixed(name);
      return variable == null
          ? null
          : within(
              cast(variable) + "(",
              rising(Privatization.initial(variable.declarator)),
              ")",
              term.get(0));
    }

    private static @Nullable Rising within(
        String before, @Nullable Rising inside, String behind, Token at) {
      if (inside == null) {
        return null;
      }
      List<Token> all = new ArrayList<>(Generated.tokens("(" + before, at));
      all.addAll(inside.value);
      all.addAll(Generated.tokens(behind + ")", at));
      return new Rising(all, inside.counters);
    }

    private static String cast(Own variable) {
      boolean isAuto = variable.declaration.is("auto");
      return isAuto ? "" : "(" + Tokens.code(variable.declaration.plainType()) + ")";
    }

    /** A variable that has what it begins with, a number; null if it is not surely one. */
    private @Nullable Own fixed(String name) {
      Own variable = own.get(name);
      boolean isFixed =
          variable != null
              && !purity.isAssigned(name)
              && !purity.changes().isEscaping(name)
              && !counters.containsKey(name)
              && variable.declarator.pointers().isEmpty()
              && variable.declarator.dimensions().isEmpty()
              && Tokens.is(variable.declarator.initial(), 0, "=")
              && isType(variable.declaration.plainType())
              && !variable.declaration.is("static")
              && !variable.declaration.is("__shared__");
      return isFixed ? variable : null;
    }

    /** Whether it is {@code auto}, or an integer type of the language of 32 bits or more. */
    private boolean isType(List<Token> type) {
      return !type.isEmpty()
          && type.stream()
              .allMatch(
                  token ->
                      token.is("auto")
                          || token.is("int")
                          || token.is("unsigned")
                          || token.is("long")
                          || token.is("const")
                          || (Declarations.INTEGERS.contains(token.text())
                              && !source.declares(token.text())));
    }

    /** An expression that is the same for all items of a row; null if it is not surely one. */
    private @Nullable List<Token> constant(List<Token> expression) {
      return constant(expression, null);
    }

    /**
     * The same.
     *
     * @param used collects the counters in it; null if there must be none
     */
    private @Nullable List<Token> constant(List<Token> expression, @Nullable Set<String> used) {
      if (expression.isEmpty() || !Tokens.isSum(expression)) {
        return null;
      }
      List<Token> all = new ArrayList<>();
      all.add(Token.mark("(", expression.get(0)));
      for (int i = 0; i < expression.size(); i++) {
        Token token = expression.get(i);
        switch (token.kind()) {
          case TEXT -> {
            return null;
          }
          case NUMBER -> {
            if (!token.text().matches("(0|[1-9]\\d{0,18})[uUlL]{0,3}")) {
              return null;
            }
            all.add(token);
          }
          case MARK -> {
            if (!Set.of("+", "-", "*", "(", ")").contains(token.text())) {
              return null;
            }
            all.add(token);
          }
          case WORD -> {
            if (CallGraph.isIndex(token.text())) {
              String axis = Tokens.get(expression, i + 2).text();
              if (!Tokens.is(expression, i + 1, ".")
                  || !Set.of("x", "y", "z").contains(axis)
                  || (token.is("threadIdx") && axis.equals("x"))) {
                return null;
              }
              all.addAll(expression.subList(i, i + 3));
              i += 2;
              continue;
            }
            List<Token> value = constantWord(token, Tokens.get(expression, i + 1), used);
            if (value == null) {
              return null;
            }
            all.addAll(value);
          }
        }
      }
      all.add(Token.mark(")", expression.get(0)));
      return all;
    }

    private @Nullable List<Token> constantWord(Token word, Token next, @Nullable Set<String> used) {
      String name = word.text();
      if (next.is("(") || next.isWord() && !isType(List.of(word))) {
        return null;
      }
      if (isType(List.of(word)) && !purity.isOwn(name)) {
        return name.equals("auto") ? null : List.of(word); // a cast
      }
      if (used != null && counters.containsKey(name)) {
        used.add(name);
        return List.of(Token.word(placeholder(name), word));
      }
      Own variable = fixed(name);
      if (variable != null) {
        List<Token> value = constant(Privatization.initial(variable.declarator), used);
        if (value == null) {
          return null;
        }
        List<Token> all = new ArrayList<>(Generated.tokens("(" + cast(variable) + "(", word));
        all.addAll(value);
        all.addAll(Generated.tokens("))", word));
        return all;
      }
      boolean isKept =
          !own.containsKey(name)
              && isType(purity.type(name))
              && purity.type(name).stream().noneMatch(token -> token.is("auto"))
              && (uniform.contains(name)
                  || (parameters.contains(name)
                      && !purity.isAssigned(name)
                      && !purity.changes().isEscaping(name)));
      return isKept ? List.of(word) : null;
    }
  }
}
