// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Gives names to parameters that have none, as in {@code void k(const float*, int n)}: all stages
 * behind take the last word of a parameter for its name. A name that nothing uses changes no
 * meaning. What surely is a name is left alone, and so is every parameter with a parenthesis.
 */
final class ParameterNames {
  private static final Set<String> QUALIFIERS =
      Set.of("const", "volatile", "__restrict__", "__restrict", "__grid_constant__");

  /** Words that are no type without another one. */
  private static final Set<String> BEFORE_TYPES =
      Set.of("struct", "class", "union", "enum", "typename");

  private ParameterNames() {}

  /** The tokens of a source with names for the parameters of its kernels and device functions. */
  static List<Token> given(List<Token> tokens) {
    Map<Integer, String> names = new TreeMap<>(); // by the token that they stand before
    for (Function function : new SourceFile(tokens).functions()) {
      if (function.hasBody() && function.isPlain() && !function.isForHost()) {
        int start = function.open() + 1;
        for (List<Token> parameter : Tokens.split(tokens.subList(start, function.close()))) {
          int place = missing(parameter);
          if (place > 0) {
            names.put(start + place, "hal_unnamed" + names.size());
          }
          start += parameter.size() + 1;
        }
      }
    }
    if (names.isEmpty()) {
      return tokens;
    }
    List<Token> all = new ArrayList<>();
    for (int i = 0; i < tokens.size(); i++) {
      if (names.containsKey(i)) {
        all.add(Token.word(names.get(i), tokens.get(i - 1)));
      }
      all.add(tokens.get(i));
    }
    return all;
  }

  /** Where a parameter lacks its name; 0 if it has one, or may have. */
  private static int missing(List<Token> parameter) {
    int end = Math.min(Tokens.find(parameter, 0, "="), Tokens.find(parameter, 0, "["));
    boolean isOther = parameter.stream().anyMatch(token -> token.is("(") || token.is("..."));
    if (end == 0 || isOther || (parameter.size() == 1 && parameter.get(0).is("void"))) {
      return 0;
    }
    Token last = parameter.get(end - 1);
    boolean isType =
        !last.isWord()
            || QUALIFIERS.contains(last.text())
            || Declarations.NUMBERS.contains(last.text())
            || Tokens.is(parameter, end - 2, "::")
            || parameter.subList(0, end - 1).stream().allMatch(ParameterNames::isBeforeType);
    return isType ? end : 0;
  }

  private static boolean isBeforeType(Token token) {
    return QUALIFIERS.contains(token.text()) || BEFORE_TYPES.contains(token.text());
  }
}
