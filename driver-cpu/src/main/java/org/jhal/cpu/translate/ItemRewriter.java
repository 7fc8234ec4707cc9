// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Clones functions that need to know the work item: each clone gets it as a parameter, and the
 * dynamic shared memory is a member of it. So compilers see an index as a local variable, which
 * lets them vectorize. Functions of which {@link CallGraph} does not know this stay as they are,
 * and so do classes and operators.
 */
final class ItemRewriter {
  private static final String ITEM = "hal_self";

  private final List<Token> tokens;
  private final CallGraph calls;
  private final Map<Integer, Function> cloned = new HashMap<>(); // by their parenthesis
  private final boolean[] isCloned; // the tokens of these
  private final List<List<Token>> written; // for each token, with the item's shared memory
  private final Set<Integer> names = new HashSet<>(); // of these, and where they are called
  private final Set<Integer> captures = new HashSet<>(); // the ends of those that lack the item
  private final List<Token> out = new ArrayList<>();

  private ItemRewriter(List<Token> tokens, List<Function> functions, CallGraph calls) {
    this.tokens = tokens;
    this.calls = calls;
    this.isCloned = new boolean[tokens.size()];
    functions.forEach(each -> Arrays.fill(isCloned, each.open(), each.end(), true));
    this.written = DynamicShared.ofItems(tokens, isCloned);
    for (Function function : functions) {
      cloned.put(function.open(), function);
      if (!function.isKernel()) {
        names.add(function.name());
      }
      for (int i = function.open(); i < function.end(); i++) {
        if (function.hasBody()
            && i > function.body()
            && Tokens.isLambda(tokens, i)
            && lacksItem(i)) {
          captures.add(Tokens.close(tokens, i));
        }
        int called = tokens.get(i).is("(") && isCall(i) ? Tokens.called(tokens, i) : -1;
        if (called >= 0 && calls.isFunction(tokens.get(called).text())) {
          names.add(called);
        }
      }
    }
  }

  static List<Token> rewrite(SourceFile source, CallGraph calls) {
    List<Function> cloned =
        source.functions().stream()
            .filter(each -> each.isPlain() && calls.hasItem(each.text()))
            .toList();
    ItemRewriter rewriter = new ItemRewriter(source.tokens(), cloned, calls);
    rewriter.run();
    return rewriter.out;
  }

  /** Whether a lambda asks for the item, which is a variable here, and does not capture it. */
  private boolean lacksItem(int open) {
    int close = Tokens.close(tokens, open);
    boolean isByReference =
        Tokens.is(tokens, open + 1, "&") && (open + 2 == close || Tokens.is(tokens, open + 2, ","));
    return !isByReference
        && written.subList(close, Tokens.lambdaEnd(tokens, open)).stream()
            .flatMap(List::stream)
            .anyMatch(
                token ->
                    token.is(ITEM)
                        || CallGraph.isIndex(token.text())
                        || calls.passItem(token.text()));
  }

  private void run() {
    for (int i = 0; i < tokens.size(); i++) {
      Token token = tokens.get(i);
      if (captures.contains(i)) {
        out.addAll(Generated.tokens((Tokens.is(tokens, i - 1, "[") ? "&" : ", &") + ITEM, token));
      }
      if (names.contains(i)) {
        out.add(token.named(AddedNames.ofClone(token.text())));
      } else {
        out.addAll(written.get(i));
      }
      Function function = cloned.get(i);
      if (function != null) {
        parameter(function, token);
        i += Tokens.is(tokens, i + 1, "void") && Tokens.is(tokens, i + 2, ")") ? 1 : 0;
      } else if (isCloned[i] && token.is("(") && isCall(i)) {
        item(i);
      }
    }
  }

  private void parameter(Function function, Token at) {
    out.add(Token.word("hal_item", at));
    out.add(Token.mark("&", at));
    out.add(Token.word(ITEM, at));
    if (!function.parameters().isEmpty()) {
      out.add(Token.mark(",", at));
    }
  }

  private void item(int open) {
    Token at = tokens.get(open);
    out.add(Token.word(ITEM, at));
    if (!Tokens.is(tokens, open + 1, ")")) {
      out.add(Token.mark(",", at));
    }
  }

  /** Whether a parenthesis begins the arguments of a function that takes the work item. */
  private boolean isCall(int open) {
    int name = Tokens.called(tokens, open);
    Token called = Tokens.get(tokens, name);
    return called.isWord()
        && !cloned.containsKey(open)
        && calls.passItem(called.text())
        && !Tokens.isMember(tokens, name);
  }
}
