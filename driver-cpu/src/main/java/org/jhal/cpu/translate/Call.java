// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import java.util.List;

/**
 * A call of a function in which items meet.
 *
 * @param start where it begins: at the object of a method, or at a name in front of {@code ::}
 * @param open its parenthesis; {@code end} closes that
 */
record Call(int start, int name, int open, int end) {
  List<List<Token>> arguments(List<Token> tokens) {
    List<List<Token>> all = Tokens.split(tokens.subList(open + 1, end));
    boolean hasItem = !all.isEmpty() && all.get(0).size() == 1 && all.get(0).get(0).is("hal_self");
    return hasItem ? all.subList(1, all.size()) : all;
  }

  List<Token> templateArguments(List<Token> tokens) {
    return Tokens.is(tokens, name + 1, "<") ? tokens.subList(name + 2, open - 1) : List.of();
  }
}
