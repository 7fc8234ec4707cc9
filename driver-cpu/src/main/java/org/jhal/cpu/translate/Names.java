package org.jhal.cpu.translate;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * What the tokens of a kernel say about its names. It knows names, not variables: two variables of
 * one name are taken for one, which is assigned if one of them is.
 */
final class Names {
  /** Those of the work item alone. */
  static final Set<String> ITEM_INDEXES = Set.of("threadIdx", "hal_self", "hal_i");

  static final Set<String> GROUP_INDEXES = Set.of("blockIdx", "blockDim", "gridDim", "warpSize");

  private static final Set<String> ASSIGNMENTS =
      Set.of("=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=");

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

  private final Set<String> assigned = new HashSet<>();
  private final Set<String> globals;

  /**
   * Looks at a kernel.
   *
   * @param globals variables outside functions
   * @param takers functions with a parameter that is a reference
   */
  Names(List<Token> kernel, Set<String> globals, Set<String> takers) {
    this.globals = globals;
    for (int i = 0; i < kernel.size(); i++) {
      if (kernel.get(i).isWord() && (isChanged(kernel, i) || isTaken(kernel, i, takers))) {
        boolean ignored = assigned.add(kernel.get(i).text());
      }
    }
  }

  /** Whether a variable of this name may change after its declaration. */
  boolean isAssigned(String name) {
    return assigned.contains(name);
  }

  private static boolean isChanged(List<Token> tokens, int at) {
    Token before = Tokens.get(tokens, at - 1);
    if (before.is("++") || before.is("--")) {
      return true;
    }
    Token earlier = Tokens.get(tokens, at - 2);
    boolean isUnary = earlier.kind() == Token.Kind.MARK && !earlier.is(")") && !earlier.is("]");
    if (before.is("&") && (isUnary || earlier.is("return"))) {
      return !Tokens.is(tokens, at + 1, "["); // the address of an element is no name's
    }
    int behind = at + 1;
    boolean isMember = false;
    while (Tokens.is(tokens, behind, ".")) {
      isMember = true;
      behind += 2;
    }
    Token next = Tokens.get(tokens, behind);
    if (isMember && next.is("(")) {
      return true; // a method may change its object
    }
    if (next.is("++") || next.is("--")) {
      return true;
    }
    if (!ASSIGNMENTS.contains(next.text()) || next.kind() != Token.Kind.MARK) {
      return isMember && next.is("[") && isElementChanged(tokens, behind);
    }
    return isMember || !next.is("=") || !isDeclared(tokens, at);
  }

  private static boolean isElementChanged(List<Token> tokens, int bracket) {
    Token next = Tokens.get(tokens, Tokens.close(tokens, bracket) + 1);
    return ASSIGNMENTS.contains(next.text()) || next.is("++") || next.is("--");
  }

  /** Whether a name with a {@code =} behind it is being declared, as far as that can be seen. */
  private static boolean isDeclared(List<Token> tokens, int at) {
    Token before = Tokens.get(tokens, at - 1);
    if (before.is("*") || before.is("&")) { // a pointer's or reference's declaration, or *p = x
      before = Tokens.get(tokens, at - 2);
      return before.isWord() && !before.is("return");
    }
    if (before.is(">")) { // of a template's arguments
      return true;
    }
    if (before.is(",")) {
      return isInDeclaration(tokens, at - 1);
    }
    return before.isWord() && !before.is("else") && !before.is("do");
  }

  /** Whether the statement that a comma belongs to begins like a declaration. */
  private static boolean isInDeclaration(List<Token> tokens, int comma) {
    int start = comma;
    while (start > 0
        && !Tokens.is(tokens, start - 1, ";")
        && !Tokens.is(tokens, start - 1, "{")
        && !Tokens.is(tokens, start - 1, "}")
        && !(Tokens.is(tokens, start - 1, "(") && Tokens.is(tokens, start - 2, "for"))) {
      start--;
    }
    try {
      return Declarations.of(tokens.subList(start, comma)) != null;
    } catch (UnfitException e) {
      return false;
    }
  }

  private static boolean isTaken(List<Token> tokens, int at, Set<String> takers) {
    Token before = Tokens.get(tokens, at - 1);
    Token next = Tokens.get(tokens, at + 1);
    if (!(before.is("(") || before.is(",")) || !(next.is(")") || next.is(","))) {
      return false;
    }
    int open = at - 1; // of the call that it is an argument of
    for (int depth = 0; open >= 0; open--) {
      if (Tokens.is(tokens, open, ")")) {
        depth++;
      } else if (Tokens.is(tokens, open, "(") && depth-- == 0) {
        break;
      }
    }
    int name = open - 1;
    if (Tokens.is(tokens, name, ">")) {
      while (name > 0 && !Tokens.is(tokens, name, "<")) {
        name--;
      }
      name--;
    }
    return takers.contains(Tokens.get(tokens, name).text());
  }

  /** What a {@link #isSafe safe} expression may refer to. */
  interface Allowed {
    boolean allows(String name);
  }

  /**
   * Whether an expression reads no memory, has no effect, and refers only to constants and to names
   * that are allowed, so that it may be computed at any time.
   */
  boolean isSafe(List<Token> expression, Allowed allowed) {
    for (int i = 0; i < expression.size(); i++) {
      Token token = expression.get(i);
      switch (token.kind()) {
        case TEXT -> {
          return false;
        }
        case MARK -> {
          if (!isSafeMark(expression, i)) {
            return false;
          }
        }
        case WORD -> {
          if (!isSafeWord(expression, i, allowed)) {
            return false;
          }
        }
        case NUMBER -> {}
      }
    }
    return true;
  }

  private static boolean isSafeMark(List<Token> expression, int at) {
    Token mark = expression.get(at);
    if (mark.is("*") || mark.is("&")) {
      Token before = Tokens.get(expression, at - 1);
      return before.isWord()
          || before.kind() == Token.Kind.NUMBER
          || before.is(")")
          || before.is("*")
          || before.is("]");
    }
    return !ASSIGNMENTS.contains(mark.text())
        && !Set.of("[", "]", "->", "++", "--", "{", "}", ";", "->*", ".*").contains(mark.text());
  }

  private boolean isSafeWord(List<Token> expression, int at, Allowed allowed) {
    String word = expression.get(at).text();
    if (Tokens.is(expression, at - 1, ".")) {
      return !Tokens.is(expression, at + 1, "("); // a member of what was looked at before
    }
    if (isCalled(expression, at) && !TYPE_WORDS.contains(word)) {
      return PURE.contains(word);
    }
    return allowed.allows(word)
        || PURE.contains(word)
        || TYPE_WORDS.contains(word)
        || word.equals("true")
        || word.equals("false");
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
    return !globals.contains(name);
  }
}
