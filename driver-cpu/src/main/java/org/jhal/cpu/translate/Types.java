// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The names of a source that may stand for a reference, or for a class with one: an object of such
 * a type may change what it is made from, or keep it. {@code using R = int&; struct H { int& r; };}
 * has {@code R} and {@code H}. Names that it does not know are left to the compiler, for which a
 * variable that must not change is constant.
 */
final class Types {
  private static final Set<String> CLASSES = Set.of("struct", "class", "union");

  private final List<Token> tokens;
  private final Set<String> keeping = new HashSet<>();
  private final Set<String> referring = new HashSet<>();
  private final Set<String> classes = new HashSet<>();
  private final Map<String, Set<String>> words = new HashMap<>(); // of other names for types

  Types(List<Token> tokens) {
    this.tokens = tokens;
    for (int i = 0; i < tokens.size(); i++) {
      Token token = tokens.get(i);
      Token next = Tokens.get(tokens, i + 1);
      boolean isParameter = Tokens.is(tokens, i - 1, "<") || Tokens.is(tokens, i - 1, ",");
      if (CLASSES.contains(token.text()) && next.isWord() && !isParameter) {
        int end = Tokens.find(tokens, i, "{", ";");
        if (Tokens.is(tokens, end, "{")) {
          definition(i + 1, end);
        }
      } else if (token.is("using") && Tokens.is(tokens, i + 2, "=")) {
        alias(next.text(), tokens.subList(i + 3, Tokens.find(tokens, i, ";")));
      } else if (token.is("typedef")) {
        int end = Tokens.find(tokens, i, ";");
        int name = end - 1;
        while (Tokens.is(tokens, name, "]")) {
          name = Tokens.open(tokens, name) - 1;
        }
        if (name > i) {
          alias(tokens.get(name).text(), tokens.subList(i + 1, name));
        }
      }
    }
    boolean isChanged = true;
    while (isChanged) {
      isChanged = false;
      for (Map.Entry<String, Set<String>> each : words.entrySet()) {
        isChanged |= spread(each.getKey(), each.getValue(), keeping);
        isChanged |= spread(each.getKey(), each.getValue(), classes);
        isChanged |=
            !classes.contains(each.getKey()) && spread(each.getKey(), each.getValue(), referring);
      }
    }
  }

  private static boolean spread(String name, Set<String> meaning, Set<String> to) {
    return meaning.stream().anyMatch(to::contains) && to.add(name);
  }

  /** All names before the brace and the base classes; {@code __align__(16)} has none. */
  private void definition(int from, int brace) {
    List<Token> inside = tokens.subList(from, Math.min(tokens.size(), Tokens.close(tokens, brace)));
    for (int i = from; i < brace && !tokens.get(i).is(":"); i++) {
      if (Tokens.is(tokens, i + 1, "(")) {
        i = Tokens.close(tokens, i + 1);
      } else if (tokens.get(i).isWord()) {
        String name = tokens.get(i).text();
        classes.add(name);
        if (bindsReference(name, brace)) {
          keeping.add(name);
        }
        Set<String> own = words.computeIfAbsent(name, ignored -> new HashSet<>());
        inside.stream().filter(Token::isWord).forEach(token -> own.add(token.text()));
      }
    }
  }

  /** Whether a class has a reference, or a constructor that takes one to another class. */
  private boolean bindsReference(String name, int brace) {
    int close = Math.min(tokens.size(), Tokens.close(tokens, brace));
    int start = brace + 1;
    for (int i = brace + 1; i < close; i++) {
      Token token = tokens.get(i);
      boolean isEnd = token.is(";") || token.is("{");
      if (isEnd && bindsReference(name, tokens.subList(start, i))) {
        return true;
      }
      i = Tokens.isOpen(token) ? Tokens.close(tokens, i) : i;
      start = isEnd ? i + 1 : start;
    }
    return false;
  }

  private static boolean bindsReference(String name, List<Token> member) {
    int open = Tokens.find(member, 0, "(");
    if (open == member.size() || Tokens.is(member, open + 1, "&")) { // int& r, int (&r)[3]
      return member.stream().anyMatch(token -> token.is("&") || token.is("&&"));
    }
    if (!Tokens.is(member, open - 1, name) || Tokens.is(member, open - 2, "~")) {
      return false;
    }
    List<List<Token>> parameters =
        Tokens.split(member.subList(open + 1, Tokens.close(member, open)));
    return parameters.stream()
        .filter(each -> each.stream().noneMatch(token -> token.is(name)))
        .anyMatch(each -> each.stream().anyMatch(token -> token.is("&") || token.is("&&")));
  }

  private void alias(String name, List<Token> meaning) {
    if (meaning.stream()
        .anyMatch(token -> token.is("&") || token.is("&&") || token.is("decltype"))) {
      keeping.add(name);
      referring.add(name);
    } else if (!meaning.isEmpty() && !meaning.get(meaning.size() - 1).is("*")) {
      Set<String> own = words.computeIfAbsent(name, ignored -> new HashSet<>());
      meaning.stream().filter(Token::isWord).forEach(token -> own.add(token.text()));
    }
  }

  /** Whether a type may be a class of the source. */
  boolean mayBeClass(List<Token> type) {
    return type.stream().noneMatch(token -> token.is("*"))
        && type.stream().anyMatch(token -> classes.contains(token.text()));
  }

  /** Whether a type may be a reference. */
  boolean mayRefer(List<Token> type) {
    return type.stream()
        .anyMatch(token -> token.is("&") || token.is("&&") || referring.contains(token.text()));
  }

  boolean mayKeep(String name) {
    return keeping.contains(name);
  }

  /** Whether what initializes a variable, or a parameter, of such a type may change by that. */
  boolean mayKeep(List<Token> type) {
    boolean isPointer = !type.isEmpty() && type.get(type.size() - 1).is("*");
    return type.stream()
        .anyMatch(
            token ->
                token.is("&")
                    || token.is("&&")
                    || token.is("decltype")
                    || token.is("__typeof__")
                    || (!isPointer && token.isWord() && keeping.contains(token.text())));
  }
}
