// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Finds out whether workgroups beside each other along x may run as one that is wider, so that the
 * loops over their items are longer. They may if their items never meet, and if nothing tells them
 * apart: all that a kernel asks of {@code blockIdx.x} and {@code threadIdx.x} is {@code blockIdx.x
 * * blockDim.x + threadIdx.x}, which is the same if {@code threadIdx.x} goes on counting.
 */
final class BlockCoarsening {
  /** What binds less than a sum, or ends it, before and behind it. */
  private static final Set<String> BEFORE =
      Set.of(
          "=", "(", ",", "[", "{", ";", "return", "<", ">", "<=", ">=", "==", "!=", "&&", "||", "?",
          ":");

  private static final Set<String> BEHIND =
      Set.of(
          ")", ",", "]", "}", ";", "<", ">", "<=", ">=", "==", "!=", "&&", "||", "?", ":", "+", "-",
          "<<", "&", "|", "^");

  private final List<Token> tokens;
  private final Set<Integer> known = new HashSet<>(); // words that stand in such a sum
  private final Set<String> widths; // numbers that stand for blockDim.x

  private BlockCoarsening(List<Token> tokens, Set<String> widths) {
    this.tokens = tokens;
    this.widths = widths;
  }

  /**
   * The condition under which it may be done, in C++; empty if never.
   *
   * @param kernel in a file in which functions are given the item
   */
  static String condition(Function kernel, SourceFile file, CallGraph calls) {
    Set<String> widths = new HashSet<>();
    boolean fits =
        !calls.reachesBarrier(kernel.text())
            && !reachesShared(kernel, file)
            && fits(kernel, calls, widths)
            && file.functions().stream()
                .filter(each -> !each.isKernel() && each.hasBody())
                .filter(each -> calls.hasItem(AddedNames.withoutItem(each.text())))
                .allMatch(each -> fits(each, calls, widths));
    return !fits || widths.size() > 1
        ? ""
        : widths.isEmpty() ? "true" : "HAL_X == " + widths.iterator().next();
  }

  /** Whether a kernel may use shared memory, of which each workgroup has its own. */
  private static boolean reachesShared(Function kernel, SourceFile file) {
    Set<String> outside = new HashSet<>(); // variables that are shared
    Map<String, Set<String>> words = new HashMap<>(); // of functions and classes
    for (Function function : file.functions()) {
      if (function.hasBody() && !function.isKernel()) {
        add(function.statements(), words.computeIfAbsent(function.text(), key -> new HashSet<>()));
      }
    }
    for (List<SourceFile.Named> named : List.of(file.classes(), file.aliases())) {
      named.forEach(
          each -> add(each.tokens(), words.computeIfAbsent(each.name(), key -> new HashSet<>())));
    }
    List<Token> tokens = file.tokens();
    BitSet inFunctions = file.inFunctions();
    for (int i = 0; i < tokens.size(); i++) {
      if (tokens.get(i).is("__shared__") && !inFunctions.get(i)) {
        add(tokens.subList(i + 1, Tokens.find(tokens, i, ";")), outside);
      }
    }
    outside.retainAll(file.variables());
    outside.add("__shared__");
    Set<String> reached = new HashSet<>();
    add(kernel.statements(), reached);
    Deque<String> left = new ArrayDeque<>(reached);
    while (!left.isEmpty()) {
      for (String word : words.getOrDefault(left.remove(), Set.of())) {
        if (reached.add(word)) {
          left.add(word);
        }
      }
    }
    return reached.stream().anyMatch(outside::contains);
  }

  private static void add(List<Token> tokens, Set<String> to) {
    tokens.stream().filter(Token::isWord).forEach(token -> to.add(token.text()));
  }

  private static boolean fits(Function function, CallGraph calls, Set<String> widths) {
    return new BlockCoarsening(function.statements(), widths).fits(calls);
  }

  private boolean fits(CallGraph calls) {
    for (int i = 0; i < tokens.size(); i++) {
      if (i == 0 || BEFORE.contains(tokens.get(i - 1).text())) {
        know(i);
      }
      Token token = tokens.get(i);
      boolean isIndex = token.is("threadIdx") || token.is("blockIdx");
      boolean isAlongX = !Tokens.is(tokens, i + 2, "y") && !Tokens.is(tokens, i + 2, "z");
      if (token.is("__shared__")
          || (token.is("hal_self") && !isPassed(i, calls))
          || (isIndex && isAlongX && !known.contains(i))) {
        return false;
      }
    }
    return true;
  }

  /** Whether the item is given to a function of the source. */
  private boolean isPassed(int item, CallGraph calls) {
    int name = Tokens.is(tokens, item - 1, "(") ? Tokens.called(tokens, item - 1) : -1;
    return name >= 0 && calls.isFunction(AddedNames.withoutItem(tokens.get(name).text()));
  }

  /** Remembers the indexes in a sum that begins here, if one does. */
  private void know(int start) {
    int end = sum(start);
    if (end > 0 && (end == tokens.size() || BEHIND.contains(tokens.get(end).text()))) {
      for (int i = start; i < end; i++) {
        known.add(i);
        if (tokens.get(i).kind() == Token.Kind.NUMBER) {
          widths.add(tokens.get(i).text());
        }
      }
    }
  }

  // Each returns where the text behind it begins, or -1 if something else stands here.

  private int sum(int at) {
    int product = product(at);
    if (product > 0) {
      return Tokens.is(tokens, product, "+") ? index("threadIdx", product + 1) : -1;
    }
    int thread = index("threadIdx", at);
    return Tokens.is(tokens, thread, "+") ? product(thread + 1) : -1;
  }

  private int product(int start) {
    int at = behindCast(start);
    if (Tokens.is(tokens, at, "(")) {
      int inside = product(at + 1);
      return Tokens.is(tokens, inside, ")") ? inside + 1 : -1;
    }
    int block = index("blockIdx", at);
    if (block > 0) {
      return Tokens.is(tokens, block, "*") ? width(block + 1) : -1;
    }
    int width = width(at);
    return Tokens.is(tokens, width, "*") ? index("blockIdx", width + 1) : -1;
  }

  private int width(int start) {
    int at = behindCast(start);
    return Tokens.get(tokens, at).text().matches("\\d{1,4}[uU]?") ? at + 1 : index("blockDim", at);
  }

  private int index(String name, int start) {
    int at = behindCast(start);
    boolean isHere =
        Tokens.is(tokens, at, name)
            && Tokens.is(tokens, at + 1, ".")
            && Tokens.is(tokens, at + 2, "x");
    return isHere ? at + 3 : -1;
  }

  private int behindCast(int at) {
    int close = Tokens.is(tokens, at, "(") ? Tokens.close(tokens, at) : at;
    boolean isCast =
        close > at + 1
            && close < tokens.size()
            && Declarations.isInteger(tokens.subList(at + 1, close));
    return isCast ? close + 1 : at;
  }
}
