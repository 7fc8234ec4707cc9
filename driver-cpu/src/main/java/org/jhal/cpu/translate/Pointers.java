// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Functions that need to know the work item, and are passed by pointer. A call through a pointer
 * gives them no item, so each gets a second definition without that parameter, in which an index is
 * that of the thread's present item, as in classes. What a pointer is made of is this second one.
 *
 * <p>A name of which some use may be another thing, such as a variable, is left alone.
 */
final class Pointers {
  private static final String PREFIX = "hal_pointed_";

  /** What stands before the name of a function whose pointer is meant, and what behind it. */
  private static final Set<String> BEFORE =
      Set.of("=", "(", ",", "{", "return", "&", "<", "?", ":", "==", "!=");

  private static final Set<String> BEHIND =
      Set.of(",", ")", "}", ";", ">", "]", "?", ":", "==", "!=");

  private Pointers() {}

  /** Whether this is the name of a second definition. */
  static boolean isPointed(String function) {
    return function.startsWith(PREFIX);
  }

  /** The source with the second definitions, and with their names where pointers are made. */
  static List<Token> rewrite(List<Token> tokens) {
    SourceFile source = new SourceFile(tokens);
    Set<String> names = names(source);
    if (names.isEmpty()) {
      return tokens;
    }
    Map<Integer, Function> ends = new HashMap<>();
    for (Function function : source.functions()) {
      if (names.contains(function.text())) {
        ends.put(function.end(), function);
      }
    }
    List<Token> out = new ArrayList<>();
    for (int i = 0; i <= tokens.size(); i++) {
      Function ended = ends.get(i);
      if (ended != null) {
        for (int at = ended.start(); at < ended.end(); at++) {
          Token token = tokens.get(at);
          out.add(at == ended.name() || isPointer(tokens, at, names) ? pointed(token) : token);
        }
      }
      if (i < tokens.size()) {
        out.add(isPointer(tokens, i, names) ? pointed(tokens.get(i)) : tokens.get(i));
      }
    }
    return out;
  }

  private static Token pointed(Token name) {
    return new Token(name.kind(), PREFIX + name.text(), name.isSpaced(), name.file(), name.line());
  }

  private static boolean isPointer(List<Token> tokens, int at, Set<String> names) {
    return names.contains(tokens.get(at).text())
        && BEFORE.contains(Tokens.get(tokens, at - 1).text())
        && BEHIND.contains(Tokens.get(tokens, at + 1).text());
  }

  /** The functions that need a second definition. */
  private static Set<String> names(SourceFile source) {
    Calls calls = new Calls(source);
    Set<String> names = new HashSet<>();
    Set<String> unfit = new HashSet<>();
    for (Function function : source.functions()) {
      if (calls.hasItem(function.text()) && !function.isKernel()) {
        names.add(function.text());
      }
      if (function.isKernel() || hasShared(function)) {
        unfit.add(function.text()); // two definitions would have a variable each
      }
    }
    List<Token> tokens = source.tokens();
    Set<String> pointers = new HashSet<>();
    for (int i = 0; i < tokens.size(); i++) {
      String name = tokens.get(i).text();
      if (!names.contains(name) || Tokens.is(tokens, i + 1, "(")) {
        continue;
      }
      (isPointer(tokens, i, names) ? pointers : unfit).add(name);
    }
    pointers.removeAll(unfit);
    return pointers;
  }

  private static boolean hasShared(Function function) {
    return function.hasBody()
        && function.statements().stream().anyMatch(token -> token.is("__shared__"));
  }
}
