// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Recognizes declarations of variables among statements. */
final class Declarations {
  /** Of functions and variables; they say nothing about the type. */
  static final Set<String> SPECIFIERS =
      Set.of(
          "static",
          "inline",
          "extern",
          "__global__",
          "__device__",
          "__host__",
          "__forceinline__",
          "__noinline__",
          "__shared__",
          "__inline__",
          "HAL_DEVICE");

  /** What types of integers with 32 or 64 bits are made of. */
  static final Set<String> INTEGERS =
      Set.of(
          "unsigned",
          "int",
          "long",
          "size_t",
          "uint",
          "ulong",
          "int32_t",
          "uint32_t",
          "int64_t",
          "uint64_t",
          "const");

  private static final Set<String> TYPES =
      Set.of(
          "void",
          "bool",
          "char",
          "short",
          "int",
          "long",
          "unsigned",
          "signed",
          "float",
          "double",
          "auto",
          "const",
          "volatile",
          "constexpr",
          "struct",
          "class",
          "union",
          "enum",
          "typename",
          "__half");

  private static final Set<String> TYPES_OF =
      Set.of("decltype", "typeof", "__typeof", "__typeof__");

  /** Words before a name, which is a part of the type then. */
  private static final Set<String> BEFORE_NAMES =
      Set.of("struct", "class", "union", "enum", "typename");

  /** The words of types that are numbers of the language. */
  static final Set<String> NUMBERS =
      Set.of(
          "bool", "char", "short", "int", "long", "unsigned", "signed", "float", "double", "const");

  private static final Set<String> NO_TYPES =
      Set.of(
          "return",
          "break",
          "continue",
          "goto",
          "delete",
          "new",
          "throw",
          "case",
          "default",
          "using",
          "typedef",
          "else",
          "do",
          "if",
          "for",
          "while",
          "switch",
          "asm",
          "__asm__",
          "this",
          "sizeof",
          "static_assert",
          "namespace",
          "true",
          "false",
          "operator");

  /**
   * One variable of a declaration.
   *
   * @param pointers what stands between the type and the name, such as {@code *} and {@code &}
   * @param dimensions the brackets behind the name
   * @param initial what stands behind the name and the dimensions, with its {@code =} or brackets
   */
  record Declarator(List<Token> pointers, Token name, List<Token> dimensions, List<Token> initial) {
    boolean isReference() {
      return pointers.stream().anyMatch(token -> token.is("&") || token.is("&&"));
    }
  }

  /**
   * A declaration of variables.
   *
   * @param type with its qualifiers, and what stands before it
   */
  record Declaration(List<Token> type, List<Declarator> declarators) {
    boolean is(String specifier) {
      return type.stream().anyMatch(token -> token.is(specifier));
    }

    /** Declares one of the variables by itself, with an initial value that may be another one. */
    List<Token> alone(Declarator declarator, List<Token> initial) {
      List<Token> alone = new ArrayList<>(type);
      alone.addAll(declarator.pointers());
      alone.add(declarator.name());
      alone.addAll(declarator.dimensions());
      alone.addAll(initial);
      return alone;
    }

    /** The type without what says where the variable is, and without outer {@code const}. */
    List<Token> plainType() {
      return type.stream()
          .filter(token -> !SPECIFIERS.contains(token.text()) && !token.is("constexpr"))
          .toList();
    }
  }

  private Declarations() {}

  /** Whether a type is made of {@link #INTEGERS} alone. */
  static boolean isInteger(List<Token> type) {
    return type.stream().allMatch(token -> INTEGERS.contains(token.text()));
  }

  /**
   * Checks that a body does not ask for the type of a variable, which is another one where the
   * workgroup has it, or an array.
   *
   * @throws UnfitException if it does
   */
  static void checkTypes(List<Token> body) throws UnfitException {
    for (int i = 0; i < body.size(); i++) {
      boolean isType = body.get(i).is("decltype") || body.get(i).is("__typeof__");
      int name = i + 1;
      while (isType && Tokens.is(body, name, "(")) {
        name++;
      }
      boolean isChoice =
          isType
              && body.subList(i, Math.min(Tokens.close(body, i + 1), body.size())).stream()
                  .anyMatch(token -> token.is("?"));
      List<Token> inside =
          isType
              ? body.subList(
                  name, Math.max(name, Math.min(Tokens.close(body, name - 1), body.size())))
              : List.of();
      if (isChoice || Tokens.find(inside, 0, ",") < inside.size()) { // may be a variable
        throw new UnfitException("the type of an expression", body.get(i));
      }
      if (isType
          && Tokens.get(body, name).isWord()
          && !Tokens.is(body, name, "auto")
          && Tokens.is(body, name + 1, ")")) {
        throw new UnfitException("the type of the variable " + body.get(name), body.get(i));
      }
    }
  }

  private static boolean isBuiltIn(Token word) {
    return NUMBERS.contains(word.text()) || word.is("volatile");
  }

  /** Whether a type surely is a number or a pointer of the language. */
  static boolean isBuiltIn(List<Token> type) {
    return type.stream().allMatch(Declarations::isBuiltIn)
        || (!type.isEmpty() && type.get(type.size() - 1).is("*"));
  }

  /**
   * Whether a statement that is none of these declarations may still be one: {@code auto& [a, b] =
   * pair}, {@code int (*f)(int) = g}, {@code T (x) = 5}.
   */
  static boolean mayBeOne(List<Token> statement) {
    Token first = Tokens.get(statement, 0);
    if (TYPES.contains(first.text()) || TYPES_OF.contains(first.text())) {
      return true;
    }
    int start = first.is("::") ? 1 : 0;
    Token word = Tokens.get(statement, start);
    if (!word.isWord() || NO_TYPES.contains(word.text())) {
      return false;
    }
    int at = qualifiedName(statement, start);
    Token next = Tokens.get(statement, at);
    if (!next.is("(")) {
      return next.isWord();
    }
    int close = Tokens.close(statement, at);
    Token inside = Tokens.get(statement, at + 1);
    boolean isPointer = inside.is("*") || inside.is("&") || inside.is("&&");
    Token behind = Tokens.get(statement, close + 1);
    return (isPointer && (behind.is("(") || behind.is("[") || behind.is("=")))
        || (close == at + 2 && inside.isWord() && behind.is("="));
  }

  /** Whether a variable surely is a number or a pointer of the language, or an array of these. */
  static boolean isBuiltIn(Declaration declaration, Declarator declarator) {
    if (declarator.pointers().stream().anyMatch(token -> token.is("*"))) {
      return !declarator.isReference();
    }
    return !declarator.isReference()
        && declaration.plainType().stream().allMatch(Declarations::isBuiltIn);
  }

  /**
   * What a statement declares, which ends without its semicolon; null if it does not declare
   * variables.
   */
  static @Nullable Declaration of(List<Token> statement) throws UnfitException {
    int name = typeEnd(statement);
    if (name < 0) {
      return null;
    }
    List<Token> type = statement.subList(0, name);
    List<Declarator> declarators = new ArrayList<>();
    for (List<Token> part : Tokens.split(statement.subList(name, statement.size()))) {
      int comma = Tokens.find(part, 0, ",");
      if (Tokens.find(part, comma, "=") < part.size()) { // bool x = a < b, y = c > d
        throw new UnfitException("a declaration with comparisons", statement.get(0));
      }
      declarators.add(declarator(part, statement.get(0)));
    }
    return new Declaration(type, declarators);
  }

  private static Declarator declarator(List<Token> part, Token at) throws UnfitException {
    int name = 0;
    while (name < part.size() && !isName(part, name)) {
      if (part.get(name).is("(") || part.get(name).is("[")) {
        throw new UnfitException("a declaration of another kind than usual", at);
      }
      name++;
    }
    if (name == part.size()) {
      throw new UnfitException("a declaration of another kind than usual", at);
    }
    int behind = name + 1;
    while (Tokens.is(part, behind, "[")) {
      behind = Tokens.close(part, behind) + 1;
    }
    return new Declarator(
        part.subList(0, name),
        part.get(name),
        part.subList(name + 1, behind),
        part.subList(behind, part.size()));
  }

  private static boolean isName(List<Token> part, int at) {
    Token token = part.get(at);
    return token.isWord()
        && !token.is("const")
        && !token.is("volatile")
        && !token.is("__restrict__")
        && !token.is("__restrict");
  }

  /** Where the type of a declaration ends; -1 if the statement is no declaration. */
  private static int typeEnd(List<Token> statement) {
    int at = 0;
    boolean hasType = false;
    while (true) {
      Token token = Tokens.get(statement, at);
      if (SPECIFIERS.contains(token.text()) || TYPES.contains(token.text())) {
        hasType |= !SPECIFIERS.contains(token.text()) && !isQualifier(token);
        hasType &= !BEFORE_NAMES.contains(token.text());
        at++;
      } else if (token.is("alignas") || token.is("__align__") || token.is("__attribute__")) {
        at = Tokens.close(statement, at + 1) + 1;
      } else if (token.is("decltype") || token.is("__typeof__")) {
        at = Tokens.close(statement, at + 1) + 1;
        hasType = true;
      } else if (token.is("::") && !hasType && Tokens.get(statement, at + 1).isWord()) {
        at = qualifiedName(statement, at + 1);
        hasType = true;
      } else if (token.isWord() && !hasType && !NO_TYPES.contains(token.text())) {
        at = qualifiedName(statement, at);
        hasType = true;
      } else {
        break;
      }
    }
    if (!hasType) {
      return -1;
    }
    int name = at;
    while (isPointer(Tokens.get(statement, name))) {
      name++;
    }
    Token named = Tokens.get(statement, name);
    if (!named.isWord() || NO_TYPES.contains(named.text())) {
      return -1;
    }
    Token behind = Tokens.get(statement, name + 1);
    boolean isDeclaration =
        name + 1 == statement.size()
            || behind.is("=")
            || behind.is(",")
            || behind.is("[")
            || behind.is("(")
            || behind.is("{");
    return isDeclaration ? at : -1;
  }

  private static boolean isQualifier(Token token) {
    return token.is("const") || token.is("volatile") || token.is("constexpr");
  }

  private static boolean isPointer(Token token) {
    return token.is("*")
        || token.is("&")
        || token.is("&&")
        || token.is("const")
        || token.is("volatile")
        || token.is("__restrict__")
        || token.is("__restrict");
  }

  /** Passes over {@code a::b<c>::d}. */
  static int qualifiedName(List<Token> statement, int from) {
    int at = from + 1;
    while (true) {
      if (Tokens.is(statement, at, "<")) {
        int end = Tokens.closeAngle(statement, at);
        if (end < 0) {
          return at;
        }
        at = end + 1;
      } else if (Tokens.is(statement, at, "::")) {
        at += Tokens.is(statement, at + 1, "template") ? 3 : 2;
      } else {
        return at;
      }
    }
  }
}
