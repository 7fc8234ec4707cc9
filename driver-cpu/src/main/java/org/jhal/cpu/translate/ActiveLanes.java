// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/**
 * Tells {@code __activemask} which place in the source it is at, and by which calls: those items
 * count that have come to the same place by the same calls. {@code m = f(__activemask())}, where
 * {@code f} asks too, becomes {@code m = ((void)hal_called(3), f(__activemask(5)))}. Numbers rise
 * in the source. Functions that are given the item need no numbers of calls, since those with a
 * question are inlined in the kernel.
 */
final class ActiveLanes {
  private ActiveLanes() {}

  /** The source with the number of each question. */
  static List<Token> numbered(List<Token> tokens) {
    List<Token> out = new ArrayList<>();
    for (int i = 0; i < tokens.size(); i++) {
      Token token = tokens.get(i);
      out.add(token);
      if (token.is("(")
          && Tokens.is(tokens, i - 1, CallGraph.ACTIVE)
          && Tokens.is(tokens, i + 1, ")")) {
        out.addAll(Generated.tokens(String.valueOf(i), token));
      }
    }
    return out;
  }

  /**
   * The source with the numbers of calls.
   *
   * @param all the tokens that are numbered, among them the parentheses of the source
   */
  static List<Token> marked(List<Token> tokens, List<Token> all, CallGraph calls) {
    if (all.stream().noneMatch(token -> token.is(CallGraph.ACTIVE))) {
      return tokens;
    }
    Map<Token, Integer> numbers = new IdentityHashMap<>();
    for (int i = 0; i < all.size(); i++) {
      numbers.put(all.get(i), i);
    }
    int[] closing = new int[tokens.size() + 1]; // parentheses behind each token
    int[] opening = new int[tokens.size()]; // the number of the call that begins with a token
    for (Function function : new SourceFile(tokens).functions()) {
      for (int i = function.body() + 1; function.hasBody() && i < function.end(); i++) {
        int name = tokens.get(i).is("(") ? Tokens.called(tokens, i) : -1;
        if (isCall(tokens, name, calls)) {
          opening[Tokens.qualifiedStart(tokens, name)] = numbers.getOrDefault(tokens.get(i), i);
          closing[Tokens.close(tokens, i)]++;
        }
      }
    }
    List<Token> out = new ArrayList<>();
    for (int i = 0; i < tokens.size(); i++) {
      Token token = tokens.get(i);
      if (opening[i] > 0) {
        out.addAll(Generated.tokens("((void)hal_called(" + opening[i] + "),", token));
      }
      out.add(token);
      for (int j = 0; j < closing[i]; j++) {
        out.add(Token.mark(")", token));
      }
    }
    return out;
  }

  /** Whether a function is called that leads to the question, in an expression. */
  private static boolean isCall(List<Token> tokens, int name, CallGraph calls) {
    Token called = Tokens.get(tokens, name);
    if (!called.isWord() || called.is(CallGraph.ACTIVE) || !calls.asksForActive(called.text())) {
      return false;
    }
    Token before = Tokens.get(tokens, Tokens.qualifiedStart(tokens, name) - 1);
    return !before.is(".")
        && !before.is("->")
        && !before.is("~")
        && (before.isWord() ? Tokens.isBeforeExpression(before) : !before.is(">"));
  }
}
