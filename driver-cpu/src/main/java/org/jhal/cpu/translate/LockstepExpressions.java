// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Writes expressions for several items at once, with the types and functions of {@code
 * hal_lockstep.h}: {@code x * x < 4.0f && table[i] > 0} becomes {@code
 * hal_both(hal_is(hal_v_less(hal_v_product(x, x), 4.0f)), ...)}, where the items of the mask for
 * which the left side is true read the table.
 *
 * <p>What it knows are numbers of 32 bits, their operators, and functions whose results depend on
 * the arguments alone. Everything else does not fit.
 */
final class LockstepExpressions {
  /** What a value is. */
  enum Type {
    INT("int"),
    UNSIGNED("unsigned"),
    FLOAT("float"),
    BOOL("bool");

    final String text;

    Type(String text) {
      this.text = text;
    }
  }

  /**
   * A name that expressions may have.
   *
   * @param type of a number, or of the elements of a pointer
   * @param isVector whether each item has its own
   * @param isPointer whether it is a pointer, which is the same for all items
   * @param text what is written for it
   */
  record Name(Type type, boolean isVector, boolean isPointer, String text) {}

  /**
   * A part of an expression in C++.
   *
   * @param isVector whether there is one for each item, rather than one for all
   * @param reads whether it reads memory, which only the items of a mask may
   * @param isAtom whether it needs no parentheses
   */
  record Value(String text, Type type, boolean isVector, boolean reads, boolean isAtom) {
    boolean isInteger() {
      return type == Type.INT || type == Type.UNSIGNED;
    }

    /** As an operand of any operator. */
    String operand() {
      return isAtom ? text : "(" + text + ")";
    }

    /** With an element for each item. */
    String vector(Type as) {
      return as == Type.BOOL
          ? "hal_is(" + text + ")"
          : "hal_vector_as<" + as.text + ">(" + text + ")";
    }
  }

  /** Functions of floats, or of two numbers of one type, by the number of their arguments. */
  private static final Map<String, Integer> FUNCTIONS =
      Map.ofEntries(
          Map.entry("fabsf", 1),
          Map.entry("fabs", 1),
          Map.entry("sqrtf", 1),
          Map.entry("sqrt", 1),
          Map.entry("floorf", 1),
          Map.entry("ceilf", 1),
          Map.entry("truncf", 1),
          Map.entry("rintf", 1),
          Map.entry("fminf", 2),
          Map.entry("fmaxf", 2),
          Map.entry("fmaf", 3),
          Map.entry("min", 2),
          Map.entry("max", 2),
          Map.entry("abs", 1));

  private static final Set<String> OF_ANY = Set.of("min", "max", "abs");

  /** Binary operators, those that bind least first. */
  private static final List<Set<String>> LEVELS =
      List.of(
          Set.of("||"),
          Set.of("&&"),
          Set.of("|"),
          Set.of("^"),
          Set.of("&"),
          Set.of("==", "!="),
          Set.of("<", ">", "<=", ">="),
          Set.of("<<", ">>"),
          Set.of("+", "-"),
          Set.of("*", "/", "%"));

  /** No operators, since those of the source may take vectors, too. */
  private static final Map<String, String> VECTOR_FUNCTIONS =
      Map.ofEntries(
          Map.entry("+", "hal_v_sum"),
          Map.entry("-", "hal_v_difference"),
          Map.entry("*", "hal_v_product"),
          Map.entry("/", "hal_v_quotient"),
          Map.entry("%", "hal_v_remainder"),
          Map.entry("&", "hal_v_and"),
          Map.entry("|", "hal_v_or"),
          Map.entry("^", "hal_v_xor"),
          Map.entry("<<", "hal_v_left"),
          Map.entry(">>", "hal_v_right"),
          Map.entry("<", "hal_v_less"),
          Map.entry(">", "hal_v_greater"),
          Map.entry("<=", "hal_v_at_most"),
          Map.entry(">=", "hal_v_at_least"),
          Map.entry("==", "hal_v_equal"),
          Map.entry("!=", "hal_v_other"));

  private static final Map<String, String> VECTOR_SIGNS =
      Map.of("-", "hal_v_negative", "+", "hal_v_same", "~", "hal_v_complement");

  private static final Set<String> COMPARISONS = Set.of("==", "!=", "<", ">", "<=", ">=");

  private static final Map<String, Type> TYPES =
      Map.ofEntries(
          Map.entry("int", Type.INT),
          Map.entry("int32_t", Type.INT),
          Map.entry("unsigned", Type.UNSIGNED),
          Map.entry("unsignedint", Type.UNSIGNED),
          Map.entry("uint", Type.UNSIGNED),
          Map.entry("uint32_t", Type.UNSIGNED),
          Map.entry("float", Type.FLOAT),
          Map.entry("bool", Type.BOOL));

  private final Function<Token, @Nullable Name> names;
  private final Source source;
  private final List<List<Token>> indexes = new ArrayList<>();
  private List<Token> tokens = List.of();
  private int at;
  private String mask = "";
  private int numbers;

  /**
   * For a loop.
   *
   * @param names what a name stands for; null if that is not known
   */
  LockstepExpressions(Function<Token, @Nullable Name> names, Source source) {
    this.names = names;
    this.source = source;
  }

  /** What the expressions that were written read, an element for each item: the indexes. */
  List<List<Token>> indexes() {
    return indexes;
  }

  /** The type of 32 bits that some words name; null if it is another one. */
  static @Nullable Type type(List<Token> words, Source source) {
    if (words.stream().anyMatch(word -> source.isLongInteger(word.text()))) {
      return null;
    }
    StringBuilder text = new StringBuilder();
    words.stream().filter(word -> !word.is("const")).forEach(word -> text.append(word.text()));
    return TYPES.get(text.toString());
  }

  /**
   * Writes an expression.
   *
   * @param mask the name of the mask with the items that compute it
   */
  Value of(List<Token> expression, String mask) throws UnfitException {
    List<Token> outerTokens = tokens;
    int outerAt = at;
    String outerMask = this.mask;
    tokens = expression;
    at = 0;
    this.mask = mask;
    try {
      Value value = choice();
      if (at < tokens.size()) {
        throw unfit();
      }
      return value;
    } finally {
      tokens = outerTokens;
      at = outerAt;
      this.mask = outerMask;
    }
  }

  private UnfitException unfit() {
    Token token = tokens.isEmpty() ? Token.SEMICOLON : Tokens.get(tokens, at);
    return new UnfitException("not known in lockstep: " + token, token);
  }

  private boolean isNext(String text) {
    return Tokens.is(tokens, at, text);
  }

  private void take(String text) throws UnfitException {
    if (!isNext(text)) {
      throw unfit();
    }
    at++;
  }

  /** A choice between two values, which may not read memory: both are computed. */
  private Value choice() throws UnfitException {
    Value condition = binary(0);
    if (!isNext("?")) {
      return condition;
    }
    at++;
    Value a = choice();
    take(":");
    Value b = choice();
    if (a.reads || b.reads) {
      throw unfit();
    }
    Type type = a.type == b.type ? a.type : common(a.type, b.type);
    if (!condition.isVector && !a.isVector && !b.isVector) {
      String text = condition.operand() + " ? " + a.operand() + " : " + b.operand();
      return new Value(text, type, false, condition.reads, false);
    }
    String text =
        condition.isVector
            ? "hal_chosen(hal_is(%s), %s, %s)"
                .formatted(condition.text, a.vector(type), b.vector(type))
            : "(%s ? %s : %s)".formatted(condition.operand(), a.vector(type), b.vector(type));
    return new Value(text, type, true, condition.reads, true);
  }

  private static Type common(Type a, Type b) {
    if (a == Type.FLOAT || b == Type.FLOAT) {
      return Type.FLOAT;
    }
    return a == Type.UNSIGNED || b == Type.UNSIGNED ? Type.UNSIGNED : Type.INT;
  }

  /** The operator that stands here; empty if none does. {@code >>} is two tokens. */
  private String operator() {
    Token token = Tokens.get(tokens, at);
    if (token.kind() != Token.Kind.MARK) {
      return "";
    }
    Token next = Tokens.get(tokens, at + 1);
    boolean isShift = token.is(">") && next.is(">") && !next.isSpaced();
    return isShift ? ">>" : token.text();
  }

  private Value binary(int level) throws UnfitException {
    if (level == LEVELS.size()) {
      return unary();
    }
    Value left = binary(level + 1);
    for (String operator = operator();
        LEVELS.get(level).contains(operator);
        operator = operator()) {
      int begin = at;
      at += operator.equals(">>") ? 2 : 1;
      left =
          level <= 1
              ? logical(left, operator, level)
              : computed(left, operator, binary(level + 1), begin);
    }
    return left;
  }

  /** What stands on the right is computed by those items whose result it decides. */
  private Value logical(Value left, String operator, int level) throws UnfitException {
    boolean isAnd = operator.equals("&&");
    String outer = mask;
    int number = ++numbers;
    String inner = "hal_still" + number;
    mask = inner;
    Value right = binary(level + 1);
    mask = outer;
    if (!left.isVector && !right.isVector && !right.reads) {
      String text = left.operand() + " " + operator + " " + right.operand();
      return new Value(text, Type.BOOL, false, left.reads, false);
    }
    String both = isAnd ? "hal_both" : "hal_either";
    if (!right.reads) {
      String text = both + "(" + left.vector(Type.BOOL) + ", " + right.vector(Type.BOOL) + ")";
      return new Value(text, Type.BOOL, true, left.reads, true);
    }
    String known = "hal_known" + number;
    String text =
        "[&] { const hal_truth %s = %s, %s = %s(%s, %s); return %s(%s, %s); }()"
            .formatted(
                known,
                left.vector(Type.BOOL),
                inner,
                isAnd ? "hal_both" : "hal_without",
                outer,
                known,
                both,
                known,
                right.vector(Type.BOOL));
    return new Value(text, Type.BOOL, true, true, true);
  }

  private Value computed(Value left, String operator, Value right, int begin)
      throws UnfitException {
    boolean isShift = operator.equals("<<") || operator.equals(">>");
    boolean isFloat = left.type == Type.FLOAT || right.type == Type.FLOAT;
    boolean isOfIntegers = isShift || Set.of("%", "&", "|", "^").contains(operator);
    // An item that takes no part may divide by anything.
    boolean isDivision = operator.equals("%") || (operator.equals("/") && !isFloat);
    if ((isOfIntegers && isFloat) || (isDivision && !isDivisor(right))) {
      at = begin;
      throw unfit();
    }
    Type type =
        COMPARISONS.contains(operator)
            ? Type.BOOL
            : common(left.type, isShift ? Type.INT : right.type);
    boolean isVector = left.isVector || right.isVector;
    String text =
        isVector
            ? VECTOR_FUNCTIONS.get(operator) + "(" + left.text + ", " + right.text + ")"
            : left.operand() + " " + operator + " " + right.operand();
    return new Value(text, type, isVector, left.reads || right.reads, isVector);
  }

  private static boolean isDivisor(Value value) {
    return value.text.matches("\\(*0*[1-9][0-9]*[uU]?\\)*");
  }

  private Value unary() throws UnfitException {
    Token token = Tokens.get(tokens, at);
    if (token.is("-") || token.is("+") || token.is("~") || token.is("!")) {
      at++;
      Value operand = unary();
      if (token.is("~") && operand.type == Type.FLOAT) {
        at--;
        throw unfit();
      }
      if (token.is("!") && operand.isVector) {
        String text = "hal_not_of(" + operand.vector(Type.BOOL) + ")";
        return new Value(text, Type.BOOL, true, operand.reads, true);
      }
      Type type = token.is("!") ? Type.BOOL : operand.type == Type.BOOL ? Type.INT : operand.type;
      String text =
          operand.isVector
              ? VECTOR_SIGNS.get(token.text()) + "(" + operand.text + ")"
              : token.text() + operand.operand();
      return new Value(text, type, operand.isVector, operand.reads, operand.isVector);
    }
    if (token.is("(")) {
      int close = Tokens.close(tokens, at);
      Type cast = type(tokens.subList(at + 1, close), source);
      at++;
      if (cast != null) {
        at = close + 1;
        return cast(unary(), cast);
      }
      Value inside = choice();
      take(")");
      return new Value("(" + inside.text + ")", inside.type, inside.isVector, inside.reads, true);
    }
    return primary();
  }

  /** A cast, which saturates. */
  private static Value cast(Value operand, Type to) {
    if (operand.isVector || operand.type == Type.FLOAT) {
      return new Value(operand.vector(to), to, true, operand.reads, true);
    }
    return new Value("(" + to.text + ")" + operand.operand(), to, false, operand.reads, false);
  }

  private Value primary() throws UnfitException {
    Token token = Tokens.get(tokens, at);
    if (token.kind() == Token.Kind.NUMBER) {
      return number(token);
    }
    if (token.is("true") || token.is("false")) {
      at++;
      return new Value(token.text(), Type.BOOL, false, false, true);
    }
    if (!token.isWord()) {
      throw unfit();
    }
    Type cast = type(List.of(token), source);
    if (cast != null && Tokens.is(tokens, at + 1, "(")) {
      at += 2;
      Value operand = choice();
      take(")");
      return cast(operand, cast);
    }
    if (token.is("static_cast") && Tokens.is(tokens, at + 1, "<")) {
      int close = Tokens.find(tokens, at, ">");
      Type to =
          type(tokens.subList(at + 2, Math.max(at + 2, Math.min(close, tokens.size()))), source);
      at = close + 1;
      if (to == null) {
        throw unfit();
      }
      take("(");
      Value operand = choice();
      take(")");
      return cast(operand, to);
    }
    if (token.is("HAL_VALUE") || token.is("HAL_CONSTANT")) { // of a variable, or what has its value
      at++;
      return unary();
    }
    if (Tokens.is(tokens, at + 1, "(")) {
      return call(token);
    }
    Name name = names.apply(token);
    if (name == null || name.isPointer() != Tokens.is(tokens, at + 1, "[")) {
      throw unfit();
    }
    at++;
    if (name.isPointer()) {
      return element(name);
    }
    String next = Tokens.get(tokens, at).text();
    if (Set.of(".", "->", "[", "::", "++", "--", "{").contains(next)) {
      throw unfit();
    }
    return new Value(name.text(), name.type(), name.isVector(), false, true);
  }

  private Value number(Token token) throws UnfitException {
    String text = token.text();
    boolean isHexadecimal = text.startsWith("0x") || text.startsWith("0X");
    Type type;
    if (text.matches("[0-9]+[uU]?|0[xX][0-9a-fA-F]+[uU]?")) {
      String digits = text.replaceAll("[uU]$", "");
      boolean isUnsigned = !digits.equals(text);
      long most = isUnsigned ? 0xffffffffL : Integer.MAX_VALUE; // others may be longer
      try {
        if (Long.decode(digits) > most) {
          throw unfit();
        }
      } catch (NumberFormatException e) {
        throw unfit();
      }
      type = isUnsigned ? Type.UNSIGNED : Type.INT;
    } else if (!isHexadecimal && text.matches("[0-9.]+([eE][+-]?[0-9]+)?[fF]")) {
      type = Type.FLOAT;
    } else {
      throw unfit();
    }
    at++;
    return new Value(text, type, false, false, true);
  }

  private Value element(Name base) throws UnfitException {
    int begin = at + 1;
    take("[");
    Value index = choice();
    take("]");
    if (!index.isInteger() || index.reads || isNext("[")) {
      throw unfit();
    }
    if (index.isVector) {
      indexes.add(tokens.subList(begin, at - 1));
    }
    String text = "hal_items_load(" + mask + ", " + base.text() + ", " + index.text + ")";
    return new Value(text, base.type(), index.isVector, true, true);
  }

  private Value call(Token function) throws UnfitException {
    Integer count = FUNCTIONS.get(function.text());
    if (count == null || source.declares(function.text())) {
      throw unfit();
    }
    at += 2;
    List<Value> arguments = new ArrayList<>();
    while (!isNext(")")) {
      if (!arguments.isEmpty()) {
        take(",");
      }
      arguments.add(choice());
    }
    at++;
    if (arguments.size() != count) {
      throw unfit();
    }
    boolean isOfAny = OF_ANY.contains(function.text());
    Type type = isOfAny ? arguments.get(0).type : Type.FLOAT;
    boolean isOne = arguments.stream().allMatch(each -> each.type == type);
    boolean isTruth = type == Type.BOOL || (function.is("abs") && type == Type.UNSIGNED);
    boolean mayBeDouble = !function.text().endsWith("f") && !isOne;
    if ((isOfAny && !isOne) || isTruth || mayBeDouble) {
      throw unfit();
    }
    boolean isVector = arguments.stream().anyMatch(Value::isVector);
    boolean reads = arguments.stream().anyMatch(Value::reads);
    List<String> texts =
        arguments.stream().map(each -> isVector ? each.vector(type) : each.text).toList();
    String joined = String.join(", ", texts);
    String name = function.text();
    String text =
        isVector
            ? "hal_each([](auto... hal_of) { return %s(hal_of...); }, %s)".formatted(name, joined)
            : name + "(" + joined + ")";
    return new Value(text, type, isVector, reads, true);
  }
}
