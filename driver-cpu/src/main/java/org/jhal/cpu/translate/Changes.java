// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

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

  /** Words before a brace that begins statements, or a class. */
  private static final Set<String> NO_LISTS =
      Set.of(
          "else", "do", "try", "const", "mutable", "noexcept", "struct", "class", "union", "enum");

  /** What a call may do to an argument, the least first. */
  enum Effect {
    NONE,
    /** Change it. */
    CHANGED,
    /** Change it, or keep a pointer or a reference to it. */
    ESCAPING
  }

  /** What is known about functions, types and operators. */
  interface Callees {
    /**
     * What a call does to an argument.
     *
     * @param name where the last token of what is called is
     */
    Effect call(List<Token> tokens, int name, List<List<Token>> arguments, int index);

    /** Whether an object of a type may change what it is made from, or keep a reference. */
    boolean mayKeep(List<Token> type);

    /** Whether an object that is returned may change, or keep, what it is made from. */
    boolean mayKeepResults();

    /** Whether an operator may change the variable on its left. */
    boolean changesLeft(String mark);

    /** Whether an operator may change the variable on its right. */
    boolean changesRight(String mark);

    /**
     * Whether a word surely belongs to the language: a type, an index, or a variable of the kernel
     * that is a number or a pointer to numbers.
     */
    boolean isOfLanguage(String word);

    /** Whether a word surely is a variable of the kernel that is a pointer to numbers. */
    boolean isPointer(String word);
  }

  /** Words of statements that are not looked into. */
  private static final Set<String> HIDING =
      Set.of("switch", "try", "using", "typedef", "struct", "class", "union", "enum", "goto");

  private final List<Token> tokens;
  private final Callees callees;
  private final Casts casts;
  private final Set<String> assigned = new HashSet<>();
  private final Set<String> elements = new HashSet<>();
  private final Set<String> escaping = new HashSet<>();
  private @Nullable Boolean areNamesUnique; // once that is asked for
  private final Set<String> members = new HashSet<>(); // the variables whose members are used

  Changes(List<Token> tokens, Casts casts, Callees callees) {
    this.tokens = tokens;
    this.casts = casts;
    this.callees = callees;
    for (int i = 0; i < tokens.size(); i++) {
      Token token = tokens.get(i);
      if (token.isWord() && !Tokens.isMember(tokens, i)) {
        word(i);
      } else if (token.is("(")) {
        parenthesis(i);
      } else if (token.is("{") && isList(i)) {
        reachable(i + 1, Tokens.close(tokens, i));
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
  boolean isEscaping(String name) {
    return escaping.contains(name);
  }

  /** Whether a member of a variable is used. */
  boolean hasMember(String name) {
    return members.contains(name);
  }

  static boolean isAssignment(Token token) {
    return token.kind() == Token.Kind.MARK && ASSIGNMENTS.contains(token.text());
  }

  static boolean isStep(Token token) {
    return token.is("++") || token.is("--");
  }

  private void word(int at) {
    boolean isElement = false;
    int behind = at + 1;
    while (true) {
      if (Tokens.is(tokens, behind, ".")) {
        members.add(tokens.get(at).text());
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
    int mark = isStep(before) ? at - 2 : at - 1;
    boolean isBehindPointer = // &p[i] is no address of p
        before.is("&")
            && Tokens.is(tokens, at + 1, "[")
            && callees.isPointer(tokens.get(at).text())
            && canTellNames()
            && !isArray(tokens.get(at));
    if (Tokens.is(tokens, mark, "&")
        && casts.isUnary(tokens, mark)
        && !isBehindPointer) { // &x, &++x
      escape(at, isElement);
    }
    boolean isCast = before.is(")") && casts.isCast(tokens, at - 1);
    if (isCast && Tokens.is(tokens, Tokens.open(tokens, at - 1) - 1, "&")) { // &(T&)x
      escape(at, isElement);
    }
    if (isBare && !isCalled && !next.is("->") && isUse(at)) { // an array becomes a pointer
      escaping.add(tokens.get(at).text() + "[]");
    }
    if ((before.is("&") || before.is("&&")) && isBare && isBehindType(at - 1)) {
      reference(at);
    }
    if (next.is("=") && isBare && callees.mayKeep(typeBefore(at))) { // Ref r = n, H h = n
      reachable(behind + 1, end(behind));
    }
    if (before.is("return") && callees.mayKeepResults()) {
      reachable(at, Tokens.find(tokens, at, ";"));
    }
    operand(at, behind);
  }

  /**
   * The end of a type that stands before the name of a variable: {@code W<T>} of {@code W<T> w}.
   */
  private List<Token> typeBefore(int name) {
    int start = name - 1;
    if (Tokens.is(tokens, start, ">")) {
      start = Tokens.openAngle(tokens, start) - 1;
    } else if (Tokens.is(tokens, start, ")")) {
      start = Tokens.open(tokens, start) - 1;
      return Tokens.is(tokens, start, "decltype") ? tokens.subList(start, name) : List.of();
    }
    return start < 0 ? List.of() : tokens.subList(start, name);
  }

  /** Where an initial value ends that begins with the mark at {@code from}. */
  private int end(int from) {
    return Math.min(Tokens.find(tokens, from, ";"), Tokens.find(tokens, from, ","));
  }

  /** Looks at the operators beside a variable, and beside parentheses around it. */
  private void operand(int at, int behind) {
    int first = at;
    int last = behind;
    while (Tokens.is(tokens, first - 1, "(") && Tokens.is(tokens, last, ")")) {
      first--;
      last++;
    }
    boolean isTwo = Tokens.is(tokens, first - 2, ">") && Tokens.is(tokens, first - 1, ">");
    String before = isTwo ? ">>" : Tokens.get(tokens, first - 1).text();
    boolean areTwo = Tokens.is(tokens, last, ">") && Tokens.is(tokens, last + 1, ">");
    String next = areTwo ? ">>" : Tokens.get(tokens, last).text();
    boolean mayChange = callees.changesRight(before) || callees.changesLeft(next);
    if (mayChange && !isOfLanguage(at)) {
      escape(at, false);
    }
  }

  /**
   * Whether all operators of a statement are those of the language, whichever the source defines:
   * these have an operand of a class or an enumeration, and nothing in the statement has such a
   * type or leads to one.
   */
  private boolean isOfLanguage(int at) {
    if (!canTellNames()) {
      return false;
    }
    int from = at;
    while (from > 0 && !isBorder(tokens.get(from - 1))) {
      from--;
    }
    for (int i = from; i < tokens.size() && !isBorder(tokens.get(i)); i++) {
      Token token = tokens.get(i);
      boolean isKnown =
          switch (token.kind()) {
            case TEXT -> false;
            case NUMBER -> !token.text().contains("_"); // 3_km is a call
            case MARK -> !token.is("->") && !token.is("::") && !Tokens.isLambda(tokens, i);
            case WORD ->
                CallGraph.isIndex(token.text())
                    ? isAxis(i + 2)
                    : Tokens.is(tokens, i - 1, ".")
                        ? isAxis(i)
                        : callees.isOfLanguage(token.text());
          };
      if (!isKnown) {
        return false;
      }
    }
    return true;
  }

  private boolean isAxis(int at) {
    return Tokens.is(tokens, at - 1, ".")
        && Set.of("x", "y", "z").contains(Tokens.get(tokens, at).text())
        && CallGraph.isIndex(Tokens.get(tokens, at - 2).text());
  }

  /**
   * Whether each name stands for one variable. In what {@link Scopes} does not look into, such as a
   * lambda, a name may stand for another one than elsewhere.
   */
  private boolean canTellNames() {
    if (areNamesUnique == null) {
      boolean areUnique = true;
      for (int i = 0; areUnique && i < tokens.size(); i++) {
        areUnique = !tokens.get(i).is("{") && !HIDING.contains(tokens.get(i).text());
      }
      areNamesUnique = areUnique;
    }
    return areNamesUnique;
  }

  private static boolean isBorder(Token token) {
    return token.is(";") || token.is("{") || token.is("}");
  }

  /** Whether a brace begins a list of values that may be kept, rather than statements. */
  private boolean isList(int brace) {
    Token before = Tokens.get(tokens, brace - 1);
    boolean isBegin =
        before.isWord()
            ? !NO_LISTS.contains(before.text())
            : Set.of("=", ",", "(", "]", ">").contains(before.text());
    if (!isBegin) {
      return false;
    }
    int start = brace;
    while (start > 0
        && !Tokens.is(tokens, start - 1, ";")
        && !Tokens.is(tokens, start - 1, "{")
        && !Tokens.is(tokens, start - 1, "}")) {
      start--;
    }
    List<Token> head = tokens.subList(start, before.is("=") ? brace - 1 : brace);
    try {
      Declarations.Declaration declared = Declarations.of(head);
      if (declared != null) {
        boolean isKnown = before.is("=") || before.is("]") || declared.declarators().size() == 1;
        return !isKnown || callees.mayKeep(declared.type());
      }
    } catch (UnfitException e) {
      return true;
    }
    return before.isWord() ? callees.mayKeep(List.of(before)) : true;
  }

  /** What is no computed value may change, or be kept, by what is made from these. */
  private void reachable(int from, int to) {
    int start = from;
    for (List<Token> part : Tokens.split(tokens.subList(from, Math.max(from, to)))) {
      if (isLvalue(part)) {
        lvalue(start, start + part.size());
      }
      start += part.size() + 1;
    }
  }

  /** Whether an array of this name is used as a whole, so that a pointer into it may be kept. */
  boolean isDecayed(String name) {
    return escaping.contains(name + "[]") || escaping.contains(name);
  }

  /** Whether a name is used rather than declared. */
  private boolean isUse(int at) {
    Token before = Tokens.get(tokens, at - 1);
    return !isType(before);
  }

  /** Whether an array of pointers may have this name. */
  private boolean isArray(Token name) {
    for (int i = 1; i + 1 < tokens.size(); i++) {
      Token before = tokens.get(i - 1);
      boolean isDeclared =
          before.is("*") ? isBehindType(i - 1) || Tokens.is(tokens, i - 2, ",") : isType(before);
      if (tokens.get(i).is(name.text()) && tokens.get(i + 1).is("[") && isDeclared) {
        return true;
      }
    }
    return false;
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
    if (name >= 0) {
      int start = open + 1;
      int mark = Tokens.qualifiedStart(tokens, name) - 1;
      boolean isKept = Tokens.is(tokens, mark, "&") && casts.isUnary(tokens, mark); // &max(a, b)
      List<List<Token>> arguments = Tokens.split(tokens.subList(open + 1, close));
      for (int i = 0; i < arguments.size(); i++) {
        List<Token> argument = arguments.get(i);
        if (mayBeSeveral(argument) || (isKept && isLvalue(argument))) {
          argument(start, argument.size(), Effect.ESCAPING);
        } else if (isLvalue(argument)) {
          argument(start, argument.size(), callees.call(tokens, name, arguments, i));
        }
        start += argument.size() + 1;
      }
    }
  }

  /** Whether {@code a < b, x, c > d} may be three arguments rather than one of a template. */
  private static boolean mayBeSeveral(List<Token> argument) {
    return Tokens.find(argument, 0, "<") < Tokens.find(argument, 0, ",")
        && Tokens.find(argument, 0, ",") < argument.size();
  }

  private void argument(int start, int size, Effect effect) {
    if (effect == Effect.ESCAPING) {
      lvalue(start, start + size);
    } else if (effect == Effect.CHANGED) {
      for (int i = start; i < start + size; i++) {
        if (tokens.get(i).isWord() && !Tokens.isMember(tokens, i)) {
          change(i, false);
        }
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
      if (angle < 0) {
        return mayEndTemplate(open - 1) ? open - 1 : -1;
      }
      return angle > 0 && tokens.get(angle - 1).isWord() ? angle - 1 : -1;
    }
    if (before.is(")")) { // (f)(x) is a call as well as a cast
      int parenthesis = Tokens.open(tokens, open - 1);
      Token first = Tokens.get(tokens, parenthesis + 1);
      if (first.is("*") || first.is("&")) {
        return open - 1;
      }
      if (Tokens.get(tokens, open - 2).isWord() && casts.isCast(tokens, open - 1)) {
        return open - 2;
      }
    }
    boolean isCalled =
        before.is("]") || before.is("}") || (before.is(")") && !casts.isCast(tokens, open - 1));
    return isCalled ? open - 1 : -1;
  }

  /** Whether a mark may end template arguments with an {@code &&}, or else compares. */
  private boolean mayEndTemplate(int close) {
    for (int i = close - 1; i > 0; i--) {
      Token token = tokens.get(i);
      if (token.is(";") || token.is("{") || token.is("}")) {
        return false;
      }
      if (token.is("<") && tokens.get(i - 1).isWord()) {
        return true;
      }
    }
    return false;
  }

  /** Whether an argument may be a variable, rather than a value that was computed. */
  private static boolean isLvalue(List<Token> argument) {
    for (int i = 0; i < argument.size(); i++) {
      Token token = argument.get(i);
      if (Tokens.isOpen(token)) {
        i = Tokens.close(argument, i);
      } else if (token.kind() == Token.Kind.MARK
          && i > 0
          && !Set.of(".", "->", "::", "?", ":", "*", "&").contains(token.text())
          && !isAssignment(token)
          && !isStep(token)) {
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
      } else if (token.text().startsWith("HAL_READ") && Tokens.is(tokens, i + 1, "(")) {
        i = Tokens.close(tokens, i + 1); // its result is a copy of what another item has given
      } else if (token.isWord() && !Tokens.isMember(tokens, i)) {
        boolean isPointer = Tokens.is(tokens, i + 1, "->") || Tokens.is(tokens, i + 1, "[");
        escape(i, isPointer || (Tokens.is(tokens, i - 1, "*") && casts.isUnary(tokens, i - 1)));
      }
    }
  }

  private void change(int at, boolean isElement) {
    (isElement ? elements : assigned).add(tokens.get(at).text());
  }

  private void escape(int at, boolean isElement) {
    change(at, isElement);
    escaping.add(tokens.get(at).text());
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
    return token.isWord() && !Tokens.isBeforeExpression(token);
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
