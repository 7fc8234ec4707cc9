package org.jhal.cpu.translate;

import java.util.ArrayList;
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
  private final List<int[]> instantiations = new ArrayList<>();

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

  /** The names of variables, some of which may be constant. */
  Set<String> variables() {
    return variables;
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
    switch (first.text()) {
      case ";" -> {
        return start + 1;
      }
      case "namespace" -> {
        int brace = Tokens.find(tokens, start, "{");
        int end = Tokens.find(tokens, start, ";");
        return end < brace || brace >= to ? end + 1 : inside(brace);
      }
      case "using", "typedef", "static_assert" -> {
        return Tokens.find(tokens, start, ";") + 1;
      }
      default -> {}
    }
    int type = start;
    if (first.is("extern") && Tokens.get(tokens, start + 1).kind() == Token.Kind.TEXT) {
      if (Tokens.is(tokens, start + 2, "{")) {
        return inside(start + 2);
      }
      type = start + 2;
    }
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
      if (token.is(";")) {
        variable(type, i);
        return i + 1;
      }
      if (token.is("=") || token.is("[")) {
        variable(type, i);
        return Tokens.find(tokens, i, ";") + 1;
      }
      if (token.is("{")) { // of a class, or an initializer
        int end = Tokens.close(tokens, i);
        return Tokens.find(tokens, end, ";") + 1;
      }
      if (token.is("<") && i > type && tokens.get(i - 1).isWord()) {
        int end = Tokens.closeAngle(tokens, i);
        i = end < 0 ? i : end;
      } else if (token.is("(")) {
        if (WITH_ARGUMENTS.contains(Tokens.get(tokens, i - 1).text())) {
          i = Tokens.close(tokens, i);
        } else {
          return function(start, type, i);
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

  private void variable(int from, int to) {
    if (to > from && tokens.get(to - 1).isWord() && !isClass(from, to)) {
      boolean ignored = variables.add(tokens.get(to - 1).text());
    }
  }

  private int function(int start, int type, int open) {
    int name = open - 1;
    int close = Tokens.close(tokens, open);
    if (Tokens.is(tokens, name, ">")) { // an explicit specialization
      while (name > type && !tokens.get(name).is("<")) {
        name--;
      }
      name--;
    }
    int end = Math.min(Tokens.find(tokens, close, ";"), Tokens.find(tokens, close, "{"));
    boolean hasBody = Tokens.is(tokens, end, "{");
    int behind = hasBody ? Tokens.close(tokens, end) + 1 : end + 1;
    if (Tokens.get(tokens, name).isWord() && name > type) {
      functions.add(
          new Function(tokens, start, type, name, open, close, hasBody ? end : -1, behind));
    }
    return behind;
  }
}
