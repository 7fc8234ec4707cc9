// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Makes a kernel a coroutine that stops wherever its work item meets others: {@code
 * __syncthreads();} becomes {@code (co_await hal_await(hal_at___syncthreads(hal_self)));} and
 * {@code return} becomes {@code co_return}.
 */
final class Coroutine {
  private static final Set<String> HEADERS = Set.of("if", "constexpr", "for", "while", "switch");
  private static final Set<String> STARTS = Set.of(";", "{", "}");

  private final List<Token> tokens;
  private final CallGraph calls;
  private final EvaluationOrder order;
  private final List<Token> out = new ArrayList<>();
  private boolean hasAwaited; // of the present expression

  private Coroutine(List<Token> tokens, CallGraph calls, EvaluationOrder order) {
    this.tokens = tokens;
    this.calls = calls;
    this.order = order;
  }

  /**
   * The definition of a kernel as a coroutine.
   *
   * @throws UnfitException if items meet in a function that the kernel calls
   */
  static List<Token> of(Function kernel, CallGraph calls, EvaluationOrder order)
      throws UnfitException {
    int start = kernel.start() + (Tokens.is(kernel.source(), kernel.start(), "extern") ? 2 : 0);
    List<Token> tokens = kernel.source().subList(start, kernel.end());
    Coroutine coroutine = new Coroutine(tokens, calls, order);
    coroutine.rewrite(kernel.body() - start, kernel.name() - start);
    return coroutine.out;
  }

  private void rewrite(int body, int name) throws UnfitException {
    for (int i = 0; i < tokens.size() - 1; i++) {
      Token token = tokens.get(i);
      hasAwaited = hasAwaited && !endsExpression(i);
      if (i > body && token.is("(") && Tokens.is(tokens, i + 1, "{")) {
        checkStatements(i);
      }
      if (i < name && token.is("void")) {
        out.add(Token.word("hal_coroutine", token));
      } else if (i > body && token.is("return")) {
        out.add(Token.word("co_return", token));
      } else if (i > body && Tokens.isLambda(tokens, i)) {
        i = lambda(i);
      } else if (i > body && token.is("union") && Tokens.is(tokens, i + 1, "{")) {
        throw new UnfitException("an anonymous union", token); // GCC 12 fails on it
      } else if (i > body && isAligned(i)) {
        throw new UnfitException("a variable with an alignment of its own", token);
      } else if (i > body && isClassWithCode(i)) {
        throw new UnfitException("a class that is defined in the kernel", token);
      } else if (i > body && token.isWord() && calls.reachesBarrier(token.text())) {
        throw new UnfitException("items meet in the function " + token, token);
      } else if (i > body && isSynchronizing(i)) {
        i = barrier(i);
      } else {
        out.add(token);
      }
    }
    Token last = tokens.get(tokens.size() - 1);
    out.add(Token.word("co_return", last));
    out.add(Token.mark(";", last));
    out.add(last);
  }

  /** Writes a lambda as it is: what it returns is its own. Returns the index of its last token. */
  private int lambda(int open) throws UnfitException {
    int end = Tokens.lambdaEnd(tokens, open);
    for (int i = open; i <= end; i++) {
      if (isSynchronizing(i) || calls.reachesBarrier(tokens.get(i).text())) {
        throw new UnfitException("items meet in a lambda", tokens.get(open));
      }
    }
    out.addAll(tokens.subList(open, end + 1));
    return end;
  }

  /** GCC 12 loses the value of an expression with statements in which a coroutine stops. */
  private void checkStatements(int open) throws UnfitException {
    for (int i = open; i < Tokens.close(tokens, open); i++) {
      if (isSynchronizing(i) || tokens.get(i).is("return")) {
        throw new UnfitException(tokens.get(i) + " in an expression", tokens.get(i));
      }
    }
  }

  private boolean isSynchronizing(int at) {
    Token token = tokens.get(at);
    return token.isWord()
        && calls.synchronizes(token.text())
        && (!calls.isOfGroup(token.text()) || Tokens.isQualified(tokens, at));
  }

  /** Whether a variable of an item is aligned here: GCC 12 does not do that in coroutines. */
  private boolean isAligned(int at) {
    if (!Set.of("alignas", "__align__", "aligned").contains(tokens.get(at).text())) {
      return false;
    }
    int start = at;
    while (start > 0 && !STARTS.contains(tokens.get(start - 1).text())) {
      start--;
    }
    int end = Tokens.find(tokens, at, ";");
    return tokens.subList(start, end).stream().noneMatch(token -> token.is("__shared__"));
  }

  /** Whether a class begins here whose methods return something. */
  private boolean isClassWithCode(int at) {
    Token token = tokens.get(at);
    if (!token.is("struct") && !token.is("class") && !token.is("union")) {
      return false;
    }
    int brace = Tokens.find(tokens, at, "{", ";");
    return Tokens.is(tokens, brace, "{")
        && tokens.subList(brace, Tokens.close(tokens, brace)).stream()
            .anyMatch(inside -> inside.is("return"));
  }

  /**
   * Whether the value of another expression decides whether a call is evaluated. GCC 12 evaluates
   * {@code co_await} always where it stands behind {@code &&}, except in an {@code if}.
   */
  private boolean mayBeLeftOut(int name) {
    int depth = 0; // of what is closed before the call
    for (int i = name - 1; i >= 0; i--) {
      Token token = tokens.get(i);
      if (token.is(")") || token.is("]")) {
        depth++;
      } else if (token.is("(") || token.is("[")) {
        depth = Math.max(0, depth - 1);
      } else if (depth == 0 && (token.is(";") || token.is("{") || token.is("}"))) {
        return false;
      } else if (depth == 0 && (token.is("?") || token.is("&&") || token.is("||"))) {
        return true;
      }
    }
    return false;
  }

  /** Whether what follows is evaluated behind an expression that ends here. In doubt, it is not. */
  private boolean endsExpression(int at) throws UnfitException {
    Token token = tokens.get(at);
    if (token.is(")")) {
      return HEADERS.contains(Tokens.get(tokens, Tokens.open(tokens, at) - 1).text());
    }
    return token.is(";") || (token.is(",") && isBetweenVariables(at));
  }

  /** Whether the next variable of a declaration begins behind a comma, as in {@code , x = 1}. */
  private boolean isBetweenVariables(int comma) throws UnfitException {
    if (!Tokens.is(tokens, comma + 2, "=")) {
      return false;
    }
    int start = comma;
    while (start > 0 && !STARTS.contains(tokens.get(start - 1).text())) {
      Token before = tokens.get(start - 1);
      if (before.is("(") || before.is("[")) {
        return false;
      }
      boolean isClosed = before.is(")") || before.is("]");
      start = isClosed ? Math.max(0, Tokens.open(tokens, start - 1)) : start - 1;
    }
    Declarations.Declaration declared = Declarations.of(tokens.subList(start, comma));
    return declared != null
        && declared.declarators().stream().allMatch(one -> Tokens.is(one.initial(), 0, "="));
  }

  /** Writes a call at which items meet. Returns the index of its last token. */
  private int barrier(int name) throws UnfitException {
    Token token = tokens.get(name);
    if (Tokens.isQualified(tokens, name)
        || !Tokens.is(tokens, name + 1, "(")
        || calls.isDefined(token.text())) {
      throw new UnfitException("items meet in " + token, token);
    }
    if (hasAwaited) {
      throw new UnfitException("items meet twice in an expression", token);
    }
    hasAwaited = true;
    int close = Tokens.close(tokens, name + 1);
    List<Token> arguments = tokens.subList(name + 2, close);
    for (int i = name + 2; i < close; i++) {
      if (isSynchronizing(i) || calls.reachesBarrier(tokens.get(i).text())) {
        throw new UnfitException("items meet in the arguments of " + token, token);
      }
    }
    if (mayBeLeftOut(name)) {
      throw new UnfitException(token + " in an expression that may not be evaluated", token);
    }
    int start = EvaluationOrder.start(tokens, name);
    order.check(tokens, start, tokens.size(), name, close, token, calls.isBarrier(token.text()));
    out.add(Token.mark("(", token));
    out.add(Token.word("co_await", token));
    out.add(Token.word("hal_await", token));
    out.add(Token.mark("(", token));
    out.add(Token.word("hal_at_" + token.text(), token));
    out.add(Token.mark("(", token));
    out.addAll(arguments);
    out.add(Token.mark(")", token));
    out.add(Token.mark(")", token));
    out.add(Token.mark(")", token));
    return close;
  }
}
