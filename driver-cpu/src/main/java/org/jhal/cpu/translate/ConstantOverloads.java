// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Functions, methods and operators of a source that may differ for what is constant and for what is
 * not. In doubt they do.
 */
final class ConstantOverloads {
  /** Words with parentheses around expressions. */
  private static final Set<String> NO_CALLS =
      Set.of("if", "while", "for", "switch", "return", "sizeof", "alignof");

  private final SourceFile source;
  private final Set<String> declared = new HashSet<>(); // in any way but as a plain function
  private final Set<String> operators = new HashSet<>(); // for constants and for others

  ConstantOverloads(SourceFile source) {
    this.source = source;
    List<Token> tokens = source.tokens();
    Set<Integer> functions = new HashSet<>(); // where their names are
    source.functions().forEach(each -> functions.add(each.name()));
    Set<String> ofConstants = new HashSet<>();
    for (int i = 0; i < tokens.size(); i++) {
      Token token = tokens.get(i);
      Token mark = Tokens.get(tokens, i + 1);
      if (token.is("operator") && mark.kind() == Token.Kind.MARK) {
        int open = Tokens.find(tokens, i + (mark.is("(") || mark.is("[") ? 3 : 2), "(", ";");
        int close = Tokens.close(tokens, open);
        boolean isFunction = functions.contains(i);
        boolean changes = close < tokens.size() && changes(tokens.subList(open + 1, close));
        boolean isConstant = isFunction ? !changes : Tokens.is(tokens, close + 1, "const");
        if (isConstant) {
          ofConstants.add(mark.text());
        }
        if (!isConstant || changes) {
          operators.add(mark.text());
        }
      } else if (token.isWord()
          && !functions.contains(i)
          && !Declarations.isBuiltIn(List.of(token))
          && isDeclared(tokens, i)) {
        declared.add(token.text());
      }
    }
    operators.retainAll(ofConstants);
  }

  /** Whether a parameter is a reference to what is no constant. */
  private static boolean changes(List<Token> parameters) {
    return Tokens.split(parameters).stream()
        .anyMatch(
            each ->
                each.stream().anyMatch(token -> token.is("&"))
                    && each.stream().noneMatch(token -> token.is("const")));
  }

  /** Whether some statements may do something else with a variable if it is constant. */
  boolean mayMatter(List<Token> statements, String variable) {
    for (int i = 0; i < statements.size(); i++) {
      if (statements.get(i).is(variable)
          && !Tokens.isMember(statements, i)
          && (isAddress(statements, i)
              || mayMatterInside(statements, i)
              || mayMatterAround(statements, i))) {
        return true;
      }
    }
    return false;
  }

  /** Whether a variable, or a member of it, has its address taken. */
  private static boolean isAddress(List<Token> statements, int variable) {
    Token mark = Tokens.get(statements, variable - 1);
    Token before = Tokens.get(statements, variable - 2);
    boolean isOperand =
        before.isWord()
            ? !Tokens.isBeforeExpression(before)
            : before.is(")") || before.is("]") || before.kind() == Token.Kind.NUMBER;
    return mark.is("&") && !isOperand;
  }

  /** Whether that has a method or an operator, itself or one of its members. */
  private boolean mayMatterInside(List<Token> statements, int variable) {
    int at = variable + 1;
    while (true) {
      Token next = Tokens.get(statements, at);
      if (next.is("(")) {
        return operators.contains("(")
            || (at > variable + 1 && isMethod(statements.get(at - 1).text()));
      }
      if (next.is("[")) {
        if (operators.contains("[")) {
          return true;
        }
        at = Tokens.close(statements, at) + 1;
      } else if (next.is(".") || next.is("->")) {
        if (next.is("->") && operators.contains("->")) {
          return true;
        }
        at += 2;
      } else {
        return false;
      }
    }
  }

  /** Whether what takes the variable may ask for its type. */
  private boolean mayMatterAround(List<Token> statements, int variable) {
    boolean hasReference = false;
    for (int i = variable - 1; i >= 0; i--) {
      Token token = statements.get(i);
      if (token.is(")") || token.is("]") || token.is("}")) {
        if (token.is("}") && isBlock(statements, Tokens.open(statements, i))) {
          break;
        }
        i = Tokens.open(statements, i);
      } else if (token.is(";") || (token.is("{") && isBlock(statements, i))) {
        break;
      } else if (token.is("{")
          || operators.contains(token.text())
          || (token.is("(") && mayAsk(statements, i))
          || (token.is("auto") && hasReference && !Tokens.is(statements, i - 1, "const"))) {
        return true;
      }
      hasReference |= token.is("&") || token.is("&&");
    }
    int end = Tokens.find(statements, variable, ";", ",");
    return statements.subList(variable, end).stream()
        .anyMatch(token -> operators.contains(token.text()));
  }

  private static boolean isBlock(List<Token> statements, int brace) {
    Token before = Tokens.get(statements, brace - 1);
    return Set.of(")", ";", "{", "}", "else", "do", ":", "").contains(before.text());
  }

  /** Whether what has a variable among its arguments may ask for its type. */
  private boolean mayAsk(List<Token> statements, int open) {
    int name = Tokens.called(statements, open);
    Token called = Tokens.get(statements, name);
    if (!called.isWord()) {
      return called.is("]") || called.is("}");
    }
    return !NO_CALLS.contains(called.text())
        && (declared.contains(called.text()) || isFunction(called.text()));
  }

  private boolean isFunction(String name) {
    int bodies = 0;
    for (Function function : source.functions()) {
      if (function.text().equals(name) && function.hasBody()) {
        bodies++;
        List<Token> template = function.templateParameters();
        Set<String> types = new HashSet<>(Set.of("auto"));
        if (template != null) {
          Tokens.split(template)
              .forEach(each -> types.add(each.get(Tokens.find(each, 0, "=") - 1).text()));
        }
        if (bodies > 1 || function.parameters().stream().anyMatch(each -> isEither(each, types))) {
          return true;
        }
      }
    }
    return false;
  }

  /** Whether a parameter is a reference to what is constant or not, as its argument is. */
  private static boolean isEither(List<Token> parameter, Set<String> types) {
    return types.contains(parameter.get(0).text())
        && Set.of("&", "&&", "(").contains(Tokens.get(parameter, 1).text());
  }

  /** Whether a word seems to be declared here: a class, a variable, or a method. */
  private static boolean isDeclared(List<Token> tokens, int at) {
    Token before = Tokens.get(tokens, at - 1);
    return before.isWord()
        ? !Tokens.isBeforeExpression(before)
        : (before.is("&") || before.is("*") || before.is(">"))
            && Tokens.get(tokens, at - 2).isWord()
            && Set.of("=", ";", "{").contains(Tokens.get(tokens, at + 1).text());
  }

  /** Whether some methods of a name are for constants and some are not. */
  private boolean isMethod(String name) {
    boolean isConstant = false;
    boolean isOther = false;
    List<Token> tokens = source.tokens();
    for (int i = 1; i < tokens.size(); i++) {
      if (tokens.get(i).is(name) && Tokens.is(tokens, i + 1, "(") && isMethod(tokens, i)) {
        boolean ends = Tokens.is(tokens, Tokens.close(tokens, i + 1) + 1, "const");
        isConstant |= ends;
        isOther |= !ends;
      }
    }
    return isConstant && isOther;
  }

  private static boolean isMethod(List<Token> tokens, int name) {
    Token before = tokens.get(name - 1);
    return before.isWord()
        ? !Tokens.isBeforeExpression(before)
        : before.is("&") || before.is("*") || before.is(">");
  }
}
