// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Dynamic shared memory. {@code extern __shared__ float s[];} becomes a pointer that is told where
 * the memory is, so that its name may hide others, and others may hide it. In functions that are
 * given the item, the name stands for {@code ((float*)hal_self.hal_shared)}, which is faster.
 */
final class DynamicShared {
  private static final int LONGEST = 24; // a declaration

  private final List<Token> tokens;
  private final boolean[] isCloned;
  private final Deque<Map<String, List<Token>>> scopes =
      new ArrayDeque<>(); // types; innermost first
  private final List<Token> out = new ArrayList<>();
  private int number;

  /** With which tokens are of functions that are cloned with the item. */
  private DynamicShared(List<Token> tokens, boolean[] isCloned) {
    this.tokens = tokens;
    this.isCloned = isCloned;
  }

  /** Where the names of the arrays are declared. */
  static Set<Integer> declared(List<Token> tokens) {
    Set<Integer> declared = new HashSet<>();
    for (int i = 0; i < tokens.size(); i++) {
      List<Token> declaration = declaration(tokens, i);
      if (!declaration.isEmpty()) {
        declared.add(i + Tokens.find(declaration, 0, "[") - 1);
      }
    }
    return declared;
  }

  /** The names of the arrays. */
  static Set<String> names(List<Token> tokens) {
    return declared(tokens).stream()
        .map(name -> tokens.get(name).text())
        .collect(Collectors.toCollection(HashSet::new));
  }

  /** The source with pointers. */
  static List<Token> asPointers(List<Token> tokens) {
    return new DynamicShared(tokens, new boolean[tokens.size()])
        .rewritten().stream().flatMap(List::stream).toList();
  }

  /**
   * The same, but in functions that are cloned with the item, the memory is that of the item.
   *
   * @param isCloned which tokens are of such functions
   * @return what is written for each token
   */
  static List<List<Token>> ofItems(List<Token> tokens, boolean[] isCloned) {
    return new DynamicShared(tokens, isCloned).rewritten();
  }

  /** What is declared from {@code extern} on, without the semicolon; empty if it is another. */
  private static List<Token> declaration(List<Token> tokens, int at) {
    int end = tokens.get(at).is("extern") ? Tokens.find(tokens, at, ";") : 0;
    if (end == 0 || end >= tokens.size() || end - at >= LONGEST) {
      return List.of();
    }
    List<Token> declaration = tokens.subList(at, end);
    boolean isShared =
        declaration.stream().anyMatch(word -> word.is("__shared__"))
            && Tokens.find(declaration, 0, "[") < declaration.size();
    return isShared ? declaration : List.of();
  }

  private List<List<Token>> rewritten() {
    List<List<Token>> all = new ArrayList<>();
    Map<String, List<Token>> whole = new HashMap<>();
    scopes.push(whole);
    for (int i = 0; i < tokens.size(); i++) {
      Token token = tokens.get(i);
      if (token.is("{")) {
        scopes.push(new HashMap<>());
      } else if (token.is("}") && scopes.size() > 1) {
        scopes.pop();
      }
      List<Token> declaration = declaration(tokens, i);
      if (!declaration.isEmpty()) {
        int start = out.size();
        declare(declaration, isCloned[i]);
        all.add(List.copyOf(out.subList(start, out.size())));
        i += declaration.size(); // the semicolon too
        all.addAll(Collections.nCopies(declaration.size(), List.of()));
        continue;
      }
      boolean isName = token.isWord() && !Tokens.isMember(tokens, i);
      List<Token> type = isCloned[i] && isName ? type(token.text()) : List.of();
      int start = out.size();
      if (type.isEmpty()) {
        out.add(token);
      } else {
        add("((", token);
        type.forEach(word -> out.add(word.at(token)));
        add("*)hal_self.hal_shared)", token);
      }
      all.add(List.copyOf(out.subList(start, out.size())));
    }
    return all;
  }

  /** The type of the elements of an array; empty if there is no such array here. */
  private List<Token> type(String name) {
    for (Map<String, List<Token>> scope : scopes) {
      if (scope.containsKey(name)) {
        return scope.getOrDefault(name, List.of());
      }
    }
    return List.of();
  }

  private void declare(List<Token> declaration, boolean isOfItem) {
    int bracket = Tokens.find(declaration, 0, "[");
    Token name = declaration.get(bracket - 1);
    List<Token> type = type(declaration.subList(1, bracket - 1));
    boolean isFirst = scopes.getFirst().put(name.text(), type) == null;
    if (isOfItem || !isFirst) {
      return;
    }
    add("static thread_local", name);
    out.addAll(type);
    add("*", name);
    out.add(name);
    add(";", name);
    String assignment = Tokens.code(List.of(name)) + " = (" + Tokens.code(type) + "*)";
    if (isInFunction()) {
      add(assignment + "hal_launched->shared;", name);
    } else {
      String variable = "hal_shared_variable hal_shared_" + number++;
      add("static " + variable + "{[](void* hal_at) { " + assignment + "hal_at; }};", name);
    }
  }

  /** Whether one of the braces around this place is that of a body, rather than of a namespace. */
  private boolean isInFunction() {
    int depth = 0;
    for (int i = out.size() - 1; i >= 0; i--) {
      if (out.get(i).is("}")) {
        depth++;
      } else if (out.get(i).is("{") && depth-- == 0) {
        depth = 0;
        boolean isOfC = out.get(Math.max(0, i - 1)).kind() == Token.Kind.TEXT;
        boolean isNamespace =
            Tokens.is(out, i - 1, "namespace")
                || Tokens.is(out, i - 2, "namespace")
                || Tokens.is(out, i - 2, "::");
        if (!isOfC && !isNamespace) {
          return true;
        }
      }
    }
    return false;
  }

  private void add(String code, Token at) {
    out.addAll(Generated.tokens(code, at));
  }

  private static List<Token> type(List<Token> words) {
    List<Token> type = new ArrayList<>();
    for (int i = 0; i < words.size(); i++) {
      Token word = words.get(i);
      if (word.is("__align__") || word.is("alignas") || word.is("__attribute__")) {
        i = Tokens.close(words, i + 1);
      } else if (!word.is("__shared__")) {
        type.add(word);
      }
    }
    return type;
  }
}
