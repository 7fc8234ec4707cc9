// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import java.util.List;
import java.util.function.IntPredicate;

/** Functions and methods of a source that differ for what is constant and for what is not. */
final class ConstantOverloads {
  private final SourceFile source;

  ConstantOverloads(SourceFile source) {
    this.source = source;
  }

  /** Whether some statements may do something else with a variable if it is constant. */
  boolean mayMatter(List<Token> statements, String variable) {
    for (int i = 0; i < statements.size(); i++) {
      if (statements.get(i).is(variable) && !Tokens.isMember(statements, i)) {
        Token next = Tokens.get(statements, i + 1);
        boolean isMethod = next.is(".") && Tokens.is(statements, i + 3, "(");
        if ((isMethod && isMethod(statements.get(i + 2).text()))
            || ((next.is("(") || next.is("[")) && isOperator(next.text()))
            || isArgument(statements, i)) {
          return true;
        }
      }
    }
    return false;
  }

  /** Whether a variable is an argument of a function that may ask for its type. */
  private boolean isArgument(List<Token> statements, int variable) {
    for (int i = variable - 1; i >= 0 && !statements.get(i).is(";"); i--) {
      Token token = statements.get(i);
      if (token.is(")") || token.is("]") || token.is("}")) {
        i = Tokens.open(statements, i);
      } else if (token.is("(")) {
        int name = Tokens.called(statements, i);
        if (name >= 0 && isFunction(statements.get(name).text())) {
          return true;
        }
      }
    }
    return false;
  }

  private boolean isFunction(String name) {
    int bodies = 0;
    for (Function function : source.functions()) {
      if (function.text().equals(name) && function.hasBody()) {
        bodies++;
        boolean isDeduced =
            function.templateParameters() != null
                && function.parameters().stream().anyMatch(ConstantOverloads::mayBeEither);
        if (bodies > 1 || isDeduced) {
          return true;
        }
      }
    }
    return false;
  }

  /** Whether a parameter is a reference to what is constant or not, as its argument is. */
  private static boolean mayBeEither(List<Token> parameter) {
    return !parameter.get(0).is("const")
        && parameter.stream().anyMatch(token -> token.is("&") || token.is("&&"));
  }

  private boolean isMethod(String name) {
    List<Token> tokens = source.tokens();
    return areBoth(
        i -> tokens.get(i).is(name) && Tokens.is(tokens, i + 1, "(") && isDeclared(tokens, i), 1);
  }

  /**
   * Whether some methods are for constants and some are not.
   *
   * @param isMethod whether a method is declared at a token
   * @param parameters how many tokens behind that its parameters begin
   */
  private boolean areBoth(IntPredicate isMethod, int parameters) {
    boolean isConstant = false;
    boolean isOther = false;
    List<Token> tokens = source.tokens();
    for (int i = 1; i < tokens.size(); i++) {
      if (isMethod.test(i)) {
        boolean ends = Tokens.is(tokens, Tokens.close(tokens, i + parameters) + 1, "const");
        isConstant |= ends;
        isOther |= !ends;
      }
    }
    return isConstant && isOther;
  }

  private static boolean isDeclared(List<Token> tokens, int name) {
    Token before = tokens.get(name - 1);
    return before.isWord()
        ? !Tokens.isBeforeExpression(before)
        : before.is("&") || before.is("*") || before.is(">");
  }

  private boolean isOperator(String open) {
    List<Token> tokens = source.tokens();
    return areBoth(i -> tokens.get(i).is("operator") && Tokens.is(tokens, i + 1, open), 3);
  }
}
