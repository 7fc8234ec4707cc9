// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Which variables of a kernel may change behind their declarations, and which may be reached
 * through a pointer or a reference. In doubt they do.
 *
 * <p>Of {@code int* p = &x; y += 2; bump(z); a[0] = 1;} it says that {@code x}, {@code y} and
 * {@code z} may change if {@code bump} takes a reference, that {@code x} is reached through a
 * pointer, and that {@code a} has an element that changes, which says nothing about {@code a} if
 * that is a pointer.
 *
 * <p>It knows names, not variables; {@link Scopes} gives each variable of a kernel its own name.
 */
final class Changes {
  private static final Set<String> ASSIGNMENTS =
      Set.of("=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=");

  /** Words with parentheses that are no calls. */
  private static final Set<String> NO_CALLS =
      Set.of("if", "while", "for", "switch", "return", "sizeof", "alignof", "decltype", "catch");

  private static final Set<String> NO_TYPES = Set.of("else", "do", "return", "case", "goto");

  /** What the arguments of a call may meet. */
  interface Callees {
    /** Whether calls of {@code name} surely leave their arguments as they are. */
    boolean keepsArguments(List<Token> tokens, int name);
  }

  private final List<Token> tokens;
  private final Callees callees;
  private final Casts casts;
  private final Set<String> assigned = new HashSet<>();
  private final Set<String> elements = new HashSet<>();
  private final Set<String> reached = new HashSet<>();

  Changes(List<Token> tokens, Casts casts, Callees callees) {
    this.tokens = tokens;
    this.casts = casts;
    this.callees = callees;
    for (int i = 0; i < tokens.size(); i++) {
      Token token = tokens.get(i);
      if (token.isWord() && !isMember(i)) {
        word(i);
      } else if (token.is("(")) {
        parenthesis(i);
      }
    }
  }

  /** Whether a variable may change. */
  boolean isAssigned(String name) {
    return assigned.contains(name);
  }

  /** Whether an element of a variable may change, or a member of an element. */
  boolean isElementAssigned(String name) {
    return elements.contains(name);
  }

  /** Whether a pointer or a reference to a variable, or into it, may be kept. */
  boolean isReached(String name) {
    return reached.contains(name);
  }

  static boolean isAssignment(Token token) {
    return token.kind() == Token.Kind.MARK && ASSIGNMENTS.contains(token.text());
  }

  static boolean isStep(Token token) {
    return token.is("++") || token.is("--");
  }

  private boolean isMember(int at) {
    return Tokens.is(tokens, at - 1, ".") || Tokens.is(tokens, at - 1, "->");
  }

  private void word(int at) {
    boolean isElement = false;
    int behind = at + 1;
    while (true) {
      if (Tokens.is(tokens, behind, ".")) {
        behind += 2;
      } else if (Tokens.is(tokens, behind, "[")) {
        isElement = true;
        behind = Tokens.close(tokens, behind) + 1;
      } else {
        break;
      }
    }
    boolean isBare = behind == at + 1;
    Token next = Tokens.get(tokens, behind);
    Token before = Tokens.get(tokens, at - 1);
    boolean isCalled = next.is("(") && !NO_CALLS.contains(tokens.get(at).text());
    boolean isChanged =
        isStep(next)
            || isStep(before)
            || isCalled // a method, or an object that is called, may change itself
            || (isAssignment(next) && !(isBare && next.is("=") && isDeclared(at)));
    if (isChanged) {
      change(at, isElement);
    }
    if (before.is("&") && casts.isUnary(tokens, at - 1)) {
      reach(at, isElement);
    }
    if (!isElement && !isCalled && !next.is("->")) { // an array becomes a pointer
      boolean ignored = isBare && isUse(at) && reached.add(tokens.get(at).text() + "[]");
    }
    if ((before.is("&") || before.is("&&")) && isBare && isBehindType(at - 1)) {
      reference(at);
    }
  }

  /** Whether an array of this name is used as a whole, so that a pointer into it may be kept. */
  boolean isDecayed(String name) {
    return reached.contains(name + "[]") || reached.contains(name);
  }

  /** Whether a name is used rather than declared. */
  private boolean isUse(int at) {
    Token before = Tokens.get(tokens, at - 1);
    return !(before.isWord() && !NO_TYPES.contains(before.text()));
  }

  private boolean isBehindType(int mark) {
    Token before = Tokens.get(tokens, mark - 1);
    return before.is(">") || before.is("*") || (isType(before) && !casts.isVariable(before.text()));
  }

  /** What initializes a reference may change through it. */
  private void reference(int name) {
    if (Tokens.is(tokens, name + 1, "=") || Tokens.is(tokens, name + 1, ":")) {
      int end = name + 2;
      while (end < tokens.size() && !tokens.get(end).is(";") && !tokens.get(end).is(",")) {
        end = Tokens.isOpen(tokens.get(end)) ? Tokens.close(tokens, end) + 1 : end + 1;
        if (Tokens.is(tokens, end, ")")) {
          break;
        }
      }
      lvalue(name + 2, Math.min(end, tokens.size()));
    } else if (Tokens.is(tokens, name + 1, "(") || Tokens.is(tokens, name + 1, "{")) {
      lvalue(name + 2, Tokens.close(tokens, name + 1));
    }
  }

  private void parenthesis(int open) {
    int close = Tokens.close(tokens, open);
    Token next = Tokens.get(tokens, close + 1);
    boolean isAddress = Tokens.is(tokens, open - 1, "&") && casts.isUnary(tokens, open - 1);
    if (isAssignment(next)
        || isStep(next)
        || isStep(Tokens.get(tokens, open - 1))
        || next.is(".")
        || isAddress) { // (a) = b, (c ? a : b).x = d, &(a)
      lvalue(open + 1, close);
    }
    int name = callee(open);
    if (name >= 0 && !callees.keepsArguments(tokens, name)) {
      int start = open + 1;
      for (List<Token> argument : Tokens.split(tokens.subList(open + 1, close))) {
        if (isLvalue(argument)) {
          lvalue(start, start + argument.size());
        }
        start += argument.size() + 1;
      }
    }
  }

  /** The last token of what is called with this parenthesis; -1 if nothing is. */
  private int callee(int open) {
    Token before = Tokens.get(tokens, open - 1);
    if (before.kind() == Token.Kind.TEXT) { // an operand of an assembly statement
      return open - 1;
    }
    if (before.isWord()) {
      return NO_CALLS.contains(before.text()) ? -1 : open - 1;
    }
    if (before.is(">")) {
      int angle = Tokens.openAngle(tokens, open - 1);
      return angle > 0 && tokens.get(angle - 1).isWord() ? angle - 1 : -1;
    }
    boolean isCalled = before.is("]") || (before.is(")") && !casts.isCast(tokens, open - 1));
    return isCalled ? open - 1 : -1;
  }

  /** Whether an argument may be a variable, rather than a value that was computed. */
  private static boolean isLvalue(List<Token> argument) {
    for (int i = 0; i < argument.size(); i++) {
      Token token = argument.get(i);
      if (Tokens.isOpen(token)) {
        i = Tokens.close(argument, i);
      } else if (token.kind() == Token.Kind.MARK
          && i > 0
          && !Set.of(".", "->", "::", "?", ":", "*", "&").contains(token.text())) {
        return false;
      }
    }
    return true;
  }

  /** The variables of an expression are assigned, or may be later through a reference. */
  private void lvalue(int from, int to) {
    for (int i = from; i < to; i++) {
      Token token = tokens.get(i);
      if (token.is("[")) {
        i = Tokens.close(tokens, i);
      } else if (token.isWord() && !isMember(i)) {
        boolean isPointer = Tokens.is(tokens, i + 1, "->") || Tokens.is(tokens, i + 1, "[");
        reach(i, isPointer || (Tokens.is(tokens, i - 1, "*") && casts.isUnary(tokens, i - 1)));
      }
    }
  }

  private void change(int at, boolean isElement) {
    boolean ignored = (isElement ? elements : assigned).add(tokens.get(at).text());
  }

  private void reach(int at, boolean isElement) {
    change(at, isElement);
    boolean ignored = reached.add(tokens.get(at).text());
  }

  /** Whether a name with a {@code =} behind it is being declared, as far as that can be seen. */
  private boolean isDeclared(int at) {
    Token before = Tokens.get(tokens, at - 1);
    if (before.is("*") || before.is("&") || before.is("&&")) { // T* p = x, or *p = x
      before = Tokens.get(tokens, at - 2);
      return before.is("*") || before.is(">") || isType(before);
    }
    if (before.is(">")) { // of a template's arguments
      return true;
    }
    if (before.is(",")) {
      return isInDeclaration(at - 1);
    }
    return isType(before);
  }

  private static boolean isType(Token token) {
    return token.isWord() && !NO_TYPES.contains(token.text());
  }

  /** Whether the statement that a comma belongs to begins like a declaration. */
  private boolean isInDeclaration(int comma) {
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
}
