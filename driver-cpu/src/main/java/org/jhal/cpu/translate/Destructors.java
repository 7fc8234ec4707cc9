// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The names of a source that may stand for a class with a destructor. A variable of such a class
 * must live until its scope ends, however the kernel is divided.
 */
final class Destructors {
  private static final Set<String> CLASSES = Set.of("struct", "class", "union");

  private final List<Token> tokens;
  private final Set<String> names = new HashSet<>();

  Destructors(SourceFile source) {
    this.tokens = source.tokens();
    for (int i = 0; i < tokens.size(); i++) {
      if (tokens.get(i).is("~")
          && Tokens.get(tokens, i + 1).isWord()
          && Tokens.is(tokens, i + 2, "(")) {
        names.add(tokens.get(i + 1).text());
      }
    }
    if (!names.isEmpty()) {
      propagate(source);
    }
  }

  /** Adds what mentions one: a class, another name for a type, the result of a function. */
  private void propagate(SourceFile source) {
    Map<String, Set<String>> words = new HashMap<>();
    source.aliases().forEach(alias -> add(alias.name(), alias.tokens(), words));
    source.functions().forEach(function -> add(function.text(), function.result(), words));
    for (int i = 0; i < tokens.size(); i++) {
      Token token = tokens.get(i);
      Token name = Tokens.get(tokens, i + 1);
      if (CLASSES.contains(token.text())) {
        int end = Tokens.find(tokens, i, "{", ";");
        if (name.isWord() && Tokens.is(tokens, end, "{")) {
          add(name.text(), tokens.subList(i, Tokens.close(tokens, end)), words);
        }
      } else if (token.is("using") || token.is("typedef")) {
        int last = Tokens.find(tokens, i, ";");
        String defined = token.is("using") ? name.text() : Tokens.get(tokens, last - 1).text();
        add(defined, tokens.subList(i, last), words);
      }
    }
    boolean isChanged = true;
    while (isChanged) {
      isChanged = false;
      for (Map.Entry<String, Set<String>> each : words.entrySet()) {
        isChanged |= each.getValue().stream().anyMatch(names::contains) && names.add(each.getKey());
      }
    }
  }

  private static void add(String name, List<Token> mentioned, Map<String, Set<String>> to) {
    Set<String> all = to.computeIfAbsent(name, ignored -> new HashSet<>());
    mentioned.stream().filter(Token::isWord).forEach(token -> all.add(token.text()));
  }

  /**
   * Checks a variable that is declared where a kernel is divided.
   *
   * @throws UnfitException if it may have a destructor
   */
  void check(Variable variable) throws UnfitException {
    boolean isPointer = variable.declarator.pointers().stream().anyMatch(token -> token.is("*"));
    boolean isUnknown = variable.declaration.is("auto"); // what its initial value says
    if (!isPointer
        && !variable.declaration.is("__shared__")
        && (has(variable.declaration.type())
            || (isUnknown && has(variable.declarator.initial())))) {
      throw new UnfitException(
          "a variable with a destructor where the kernel is divided", variable.declarator.name());
    }
  }

  private boolean has(List<Token> mentioned) {
    return mentioned.stream().anyMatch(token -> names.contains(token.text()));
  }
}
