// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Which expressions of a kernel are pure, so that they may be computed at any time, and anywhere:
 * {@code blockIdx.x * 16 + n} if {@code n} never changes, but not {@code in[n]}, {@code *p}, {@code
 * f(n)} or {@code n++}.
 */
final class Purity {
  /** Those of the work item alone. */
  static final Set<String> ITEM_INDEXES = Set.of("threadIdx", "hal_self", "hal_i");

  static final Set<String> GROUP_INDEXES = Set.of("blockIdx", "blockDim", "gridDim", "warpSize");

  /** Functions whose results depend on their arguments alone. */
  private static final Set<String> PURE =
      Set.of(
          "min",
          "max",
          "abs",
          "fminf",
          "fmaxf",
          "fabsf",
          "sizeof",
          "alignof",
          "static_cast",
          "reinterpret_cast",
          "const_cast",
          "decltype",
          "umin",
          "umax",
          "this_thread_block",
          "tiled_partition",
          "this_grid");

  /** Those whose functions are pure. */
  private static final Set<String> NAMESPACES = Set.of("std", "cg", "cooperative_groups");

  private static final Set<String> TYPE_WORDS =
      Set.of(
          "unsigned",
          "signed",
          "int",
          "long",
          "short",
          "char",
          "bool",
          "float",
          "double",
          "size_t",
          "uint",
          "uchar",
          "ushort",
          "ulong",
          "int8_t",
          "uint8_t",
          "int16_t",
          "uint16_t",
          "int32_t",
          "uint32_t",
          "int64_t",
          "uint64_t",
          "auto",
          "const",
          "dim3",
          "u8",
          "u16",
          "u32",
          "u64",
          "i8",
          "i16",
          "i32",
          "i64");

  private final Casts casts;
  private final Changes changes;
  private final Types types;
  private final Map<String, List<Token>> own;
  private final Predicate<String> isGlobal;
  private final Predicate<String> isFunction;

  /**
   * Looks at a kernel.
   *
   * @param own its variables and parameters, with their types
   * @param source what else there is
   */
  Purity(List<Token> kernel, Map<String, List<Token>> own, Source source) {
    this.own = own;
    this.casts = new Casts(own::containsKey);
    this.changes = new Changes(kernel, casts, source.callees(own));
    this.isGlobal = source.globals()::contains;
    this.isFunction = source::isFunction;
    this.types = source.types();
  }

  /** Whether a name is that of a variable or a parameter of the kernel. */
  boolean isOwn(String name) {
    return own.containsKey(name);
  }

  /** The type of a variable or a parameter of the kernel; empty for other names. */
  List<Token> type(String name) {
    return own.getOrDefault(name, List.of());
  }

  /** Whether a variable or a parameter of the kernel is a pointer. */
  boolean isPointer(String name) {
    List<Token> type = own.getOrDefault(name, List.of());
    return type.stream().anyMatch(token -> token.is("*"))
        && type.stream().noneMatch(token -> token.is("<") || token.is("(") || token.is("&"));
  }

  /** Whether a type may be a class of the source, or a reference. */
  boolean isObject(List<Token> type) {
    return types.mayBeClass(type) || types.mayKeep(type);
  }

  /** Whether a variable or a parameter may be an object of a class of the source. */
  boolean isObject(String name) {
    return isObject(own.getOrDefault(name, List.of()));
  }

  Changes changes() {
    return changes;
  }

  /** The changes in a part of the kernel. */
  Changes changes(List<Token> part, Source source) {
    return new Changes(part, casts, source.callees(own));
  }

  boolean isAssigned(String name) {
    return changes.isAssigned(name);
  }

  /** What a {@link #isPure safe} expression may refer to. */
  interface Allowed {
    boolean allows(String name);
  }

  /**
   * Whether an expression reads no memory, has no effect, and refers only to constants and to names
   * that are allowed, so that it may be computed at any time.
   */
  boolean isPure(List<Token> expression, Allowed allowed) {
    for (int i = 0; i < expression.size(); i++) {
      Token token = expression.get(i);
      switch (token.kind()) {
        case TEXT -> {
          return false;
        }
        case MARK -> {
          if (!isPureMark(expression, i)) {
            return false;
          }
        }
        case WORD -> {
          if (!isPureWord(expression, i, allowed)) {
            return false;
          }
        }
        case NUMBER -> {
          if (token.text().contains("_")) { // an operator of the source
            return false;
          }
        }
      }
    }
    return true;
  }

  private boolean isPureMark(List<Token> expression, int at) {
    Token mark = expression.get(at);
    if (mark.is("*") || mark.is("&")) {
      return isOfType(expression, at) || !mayReadMemory(expression, at);
    }
    return !Changes.isAssignment(mark)
        && !Set.of("[", "]", "->", "++", "--", "{", "}", ";", "->*", ".*").contains(mark.text());
  }

  /** Whether a mark may have one operand, the one behind it, as in {@code n * *p}. */
  private boolean mayReadMemory(List<Token> expression, int at) {
    Token before = Tokens.get(expression, at - 1);
    boolean isBehindMark = before.kind() == Token.Kind.MARK && !before.is(")") && !before.is("]");
    return isBehindMark || casts.isUnary(expression, at);
  }

  /** Whether a mark stands in a cast, as in {@code (float*)p} and {@code static_cast<T&>(x)}. */
  private static boolean isOfType(List<Token> expression, int at) {
    Token next = Tokens.get(expression, at + 1);
    return next.is(")") || next.is(">") || next.is("*");
  }

  private boolean isPureWord(List<Token> expression, int at, Allowed allowed) {
    String word = expression.get(at).text();
    if (Tokens.is(expression, at - 1, ".")) {
      return !Tokens.is(expression, at + 1, "("); // a member of what was looked at before
    }
    if (isCalled(expression, at) && (isFunction.test(word) || !TYPE_WORDS.contains(word))) {
      boolean isMember =
          Tokens.is(expression, at - 1, "::")
              && !NAMESPACES.contains(Tokens.get(expression, at - 2).text());
      return PURE.contains(word) && !isMember && !isFunction.test(word) && isConstantOutside(word);
    }
    return allowed.allows(word);
  }

  private static boolean isCalled(List<Token> expression, int at) {
    int behind = at + 1;
    if (Tokens.is(expression, behind, "<")) {
      behind = Tokens.closeAngle(expression, behind) + 1; // 0 for a comparison
    }
    return behind > 0 && Tokens.is(expression, behind, "(");
  }

  /** Whether a name outside the kernel is that of a type or a constant, rather than a variable. */
  boolean isConstantOutside(String name) {
    return !own.containsKey(name) && !isGlobal.test(name);
  }

  /**
   * Whether an expression divides by what may be zero, so that it must not be computed for items
   * that have ended.
   */
  boolean mayDivideByZero(List<Token> expression) {
    for (int i = 0; i < expression.size(); i++) {
      if (expression.get(i).is("/") || expression.get(i).is("%")) {
        if (mayBeZero(expression, i + 1)) {
          return true;
        }
      }
    }
    return false;
  }

  private boolean mayBeZero(List<Token> expression, int divisor) {
    Token first = Tokens.get(expression, divisor);
    if (first.kind() == Token.Kind.NUMBER) {
      return !first.text().matches(".*[1-9].*");
    }
    if (first.is("blockDim") || first.is("gridDim") || first.is("warpSize")) {
      return false;
    }
    int last = divisor;
    while (Tokens.is(expression, last + 1, "::")) {
      last += 2;
    }
    boolean isConstant =
        first.isWord()
            && isConstantOutside(first.text())
            && !ITEM_INDEXES.contains(first.text())
            && !GROUP_INDEXES.contains(first.text());
    return !isConstant
        || Set.of("(", "[", "{", "<", ".", "->").contains(Tokens.get(expression, last + 1).text());
  }
}
