// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The functions and variables at the level of namespaces of a preprocessed source. What it does not
 * know, it passes over.
 */
final class SourceFile {
  /** Words whose parentheses are not those of a function. */
  private static final Set<String> WITH_ARGUMENTS =
      Set.of("__attribute__", "__launch_bounds__", "__align__", "alignas", "decltype", "noexcept");

  private final List<Token> tokens;
  private final List<Function> functions = new ArrayList<>();
  private final Set<String> variables = new HashSet<>();
  private final Set<String> namespaces = new HashSet<>();
  private final List<Named> classes = new ArrayList<>();
  private final List<Named> aliases = new ArrayList<>();
  private int scope = -1; // the brace of the innermost namespace
  private boolean isC; // behind extern "C", or in its braces
  private final List<int[]> instantiations = new ArrayList<>();

  /** What is defined outside functions, with all its tokens. */
  record Named(String name, List<Token> tokens) {}

  SourceFile(List<Token> tokens) {
    this.tokens = tokens;
    scan(0, tokens.size());
  }

  List<Token> tokens() {
    return tokens;
  }

  /** In the order of the source, those that are only declared too. */
  List<Function> functions() {
    return functions;
  }

  /** Where the tokens of functions are. */
  BitSet inFunctions() {
    BitSet inside = new BitSet();
    functions.forEach(function -> inside.set(function.start(), function.end()));
    return inside;
  }

  /**
   * Where classes with a name and without bases are defined outside functions, and no variable with
   * them: as pairs of the word before the name and the closing brace.
   */
  List<int[]> plainClasses() {
    List<int[]> found = new ArrayList<>();
    BitSet inFunctions = inFunctions();
    for (int i = 0; i < tokens.size(); i++) {
      boolean isClass =
          (tokens.get(i).is("struct") || tokens.get(i).is("class"))
              && Tokens.get(tokens, i + 1).isWord()
              && Tokens.is(tokens, i + 2, "{")
              && !inFunctions.get(i);
      if (isClass) {
        int close = Tokens.close(tokens, i + 2);
        if (Tokens.is(tokens, close + 1, ";")) {
          found.add(new int[] {i, close});
        }
        i = close;
      }
    }
    return found;
  }

  /** The names of variables, some of which may be constant. */
  Set<String> variables() {
    return variables;
  }

  /** The names of namespaces, and other names for them. */
  Set<String> namespaces() {
    return namespaces;
  }

  /** The definitions of classes. */
  List<Named> classes() {
    return classes;
  }

  /** Other names for types, and variables with what initializes them. */
  List<Named> aliases() {
    return aliases;
  }

  /** Where explicit instantiations of templates are, as pairs of indexes. */
  List<int[]> instantiations() {
    return instantiations;
  }

  private void scan(int from, int to) {
    for (int at = from; at < to; ) {
      at = Math.max(at + 1, declaration(at, to));
    }
  }

  /** Passes over one declaration, and returns where the next one begins. */
  private int declaration(int start, int to) {
    Token first = tokens.get(start);
    if (first.is("inline") && Tokens.is(tokens, start + 1, "namespace")) {
      return declaration(start + 1, to);
    }
    switch (first.text()) {
      case ";" -> {
        return start + 1;
      }
      case "namespace" -> {
        int end = Tokens.find(tokens, start, "{", ";");
        namespaces.add(Tokens.get(tokens, start + 1).text());
        if (end >= to || Tokens.is(tokens, end, ";")) {
          return end + 1;
        }
        int around = scope;
        scope = end;
        int behind = inside(end);
        scope = around;
        return behind;
      }
      case "using", "typedef", "static_assert" -> {
        int end = Tokens.find(tokens, start, ";");
        boolean isUsing = first.is("using");
        String name = Tokens.get(tokens, isUsing ? start + 1 : end - 1).text();
        aliases.add(new Named(name, tokens.subList(start, Math.min(end, tokens.size()))));
        return end + 1;
      }
      default -> {}
    }
    if (first.is("extern") && Tokens.get(tokens, start + 1).kind() == Token.Kind.TEXT) {
      boolean around = isC;
      isC = tokens.get(start + 1).text().equals("\"C\"");
      int behind =
          Tokens.is(tokens, start + 2, "{") ? inside(start + 2) : declared(start, start + 2, to);
      isC = around;
      return behind;
    }
    return declared(start, start, to);
  }

  /** As {@link #declaration}; {@code type} is behind an {@code extern "C"}. */
  private int declared(int start, int type, int to) {
    while (Tokens.is(tokens, type, "template")) {
      if (!Tokens.is(tokens, type + 1, "<")) {
        int end = Tokens.find(tokens, type, ";") + 1;
        instantiations.add(new int[] {start, end});
        return end;
      }
      type = Tokens.closeAngle(tokens, type + 1) + 1;
      if (type == 0) {
        return to;
      }
    }
    return definition(start, type, to);
  }

  private int inside(int brace) {
    int end = Tokens.close(tokens, brace);
    scan(brace + 1, end);
    return end + 1;
  }

  private int definition(int start, int type, int to) {
    for (int i = type; i < to; i++) {
      Token token = tokens.get(i);
      if (token.is(";") || token.is("=") || token.is("[") || token.is("{")) {
        int end = Tokens.find(tokens, i, ";");
        if (token.is("{") && isClass(type, i)) {
          classes.add(new Named(className(type, i), tokens.subList(start, Math.min(end, to))));
          List<Token> whole = tokens.subList(start, Math.min(end, to));
          variables(tokens.subList(Tokens.close(tokens, i) + 1, Math.min(end, to)), whole);
        } else if (!isClass(type, i) || i - type > 2) {
          List<Token> whole = tokens.subList(type, Math.min(end, to));
          variables(whole, List.of());
        }
        return end + 1;
      }
      if (token.is("operator")) {
        return function(start, type, i, operatorOpen(i));
      }
      if (token.is("<") && i > type && tokens.get(i - 1).isWord()) {
        int end = Tokens.closeAngle(tokens, i);
        i = end < 0 ? i : end;
      } else if (token.is("(")) {
        if (Tokens.is(tokens, i + 1, "*") || Tokens.is(tokens, i + 1, "&")) {
          int open = Tokens.find(tokens, i + 1, "(", ")");
          if (Tokens.is(tokens, open, "(")) { // T (*name(V))(U)
            return function(start, type, open - 1, open);
          }
          int end = Tokens.find(tokens, i, ";"); // T (*name)(U)
          variables.add(tokens.get(i + 2).text());
          return end + 1;
        }
        if (WITH_ARGUMENTS.contains(Tokens.get(tokens, i - 1).text())) {
          i = Tokens.close(tokens, i);
        } else {
          return function(start, type, functionName(type, i), i);
        }
      }
    }
    return to;
  }

  private boolean isClass(int from, int to) {
    return tokens.subList(from, to).stream()
        .anyMatch(
            token ->
                token.is("struct") || token.is("class") || token.is("union") || token.is("enum"));
  }

  /** The first plain word behind {@code struct}. */
  private String className(int from, int to) {
    boolean isNamed = false;
    for (int i = from; i < to; i++) {
      Token token = tokens.get(i);
      if (token.is("__align__") || token.is("alignas") || token.is("__attribute__")) {
        i = Tokens.close(tokens, i + 1);
      } else if (token.isWord() && isNamed && !token.is("class")) {
        return token.text();
      } else {
        isNamed |= isClass(i, i + 1);
      }
    }
    return "";
  }

  /**
   * The variables of a declaration: the last word of each declarator before its initializer.
   *
   * @param type the class that is defined with them
   */
  private void variables(List<Token> declaration, List<Token> type) {
    for (List<Token> part : Tokens.split(declaration)) {
      String name = "";
      for (Token token : part) {
        if (token.is("=") || token.is("[") || token.is("{") || token.is("(")) {
          break;
        }
        name = token.isWord() ? token.text() : name;
      }
      if (!name.isEmpty()) {
        variables.add(name);
        aliases.add(new Named(name, type.isEmpty() ? part : type));
      }
    }
  }

  /** The parenthesis before the parameters of an operator. */
  private int operatorOpen(int operator) {
    boolean isCall = Tokens.is(tokens, operator + 1, "(");
    return Tokens.find(tokens, isCall ? operator + 3 : operator + 1, "(");
  }

  private int functionName(int type, int open) {
    int name = open - 1;
    if (Tokens.is(tokens, name, ">")) { // an explicit specialization
      while (name > type && !tokens.get(name).is("<")) {
        name--;
      }
      name--;
    }
    return name;
  }

  private int function(int start, int type, int name, int open) {
    int close = Tokens.close(tokens, open);
    int end = Tokens.find(tokens, close, "{", ";");
    boolean hasBody = Tokens.is(tokens, end, "{");
    int behind = Math.min((hasBody ? Tokens.close(tokens, end) : end) + 1, tokens.size());
    if (Tokens.get(tokens, name).isWord() && name > type) {
      functions.add(
          new Function(
              tokens, scope, isC, start, type, name, open, close, hasBody ? end : -1, behind));
    }
    return behind;
  }
}
