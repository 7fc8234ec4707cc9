// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jhal.cpu.translate.Statement.Block;
import org.jhal.cpu.translate.Statement.If;
import org.jhal.cpu.translate.Statement.Opaque;
import org.jhal.cpu.translate.Statement.Variables;
import org.jspecify.annotations.Nullable;

/**
 * Makes branches of a {@code switch} whose cases are numbers and end with a {@code break} each:
 * {@code switch (x) { case 1: a(); break; default: b(); }} becomes {@code { auto value = (x); if
 * (value == 1) a(); else b(); }}. A variable that a case declares must be in braces.
 */
final class Switches {
  private int numbers;

  private Switches() {}

  /** The same statements; those that have another kind of {@code switch} keep it. */
  static List<Statement> asBranches(List<Statement> statements) {
    return new Switches().list(statements);
  }

  private List<Statement> list(List<Statement> statements) {
    return statements.stream().map(this::one).toList();
  }

  private Statement one(Statement statement) {
    if (statement instanceof Opaque whole && whole.tokens().get(0).is("switch")) {
      try {
        Statement branches = branches(whole.tokens());
        return branches == null ? statement : branches;
      } catch (UnfitException e) {
        return statement;
      }
    }
    return statement.withInner(this::one);
  }

  /** One case, or several with the same statements. */
  private record Case(
      List<Token> labels, boolean isDefault, boolean isInBraces, List<Token> body) {}

  private @Nullable Statement branches(List<Token> tokens) throws UnfitException {
    int close = Tokens.close(tokens, 1);
    if (!Tokens.is(tokens, 1, "(") || !Tokens.is(tokens, close + 1, "{")) {
      return null;
    }
    List<Token> value = tokens.subList(2, close);
    List<Case> cases = cases(tokens.subList(close + 2, Tokens.close(tokens, close + 1)));
    if (cases == null || value.stream().anyMatch(token -> token.is(";"))) {
      return null;
    }
    Token at = tokens.get(0);
    String name = "hal_switch" + ++numbers;
    List<Statement> all = new ArrayList<>();
    Generated.declare("auto", name, value, at, all);
    Statement rest = null;
    for (int i = cases.size() - 1; i >= 0; i--) {
      Case each = cases.get(i);
      List<Statement> own = StatementParser.parse(each.body);
      if (!each.isInBraces && own.stream().anyMatch(Variables.class::isInstance)) {
        return null; // the other cases see them
      }
      Block body = new Block(list(own), at);
      if (each.isDefault) {
        rest = body;
        continue;
      }
      List<Token> condition = new ArrayList<>();
      for (Token label : each.labels) {
        String or = condition.isEmpty() ? "" : "|| ";
        condition.addAll(Generated.tokens(or + name + " == " + label.text(), at));
      }
      rest = new If(false, condition, body, rest, at);
    }
    if (rest != null) {
      all.add(rest);
    }
    return new Block(all, at);
  }

  /** The cases; null if they are of another kind, or the default is not the last one. */
  private static @Nullable List<Case> cases(List<Token> body) {
    List<Case> cases = new ArrayList<>();
    List<Token> labels = new ArrayList<>();
    int at = 0;
    while (at < body.size()) {
      boolean isDefault = body.get(at).is("default");
      int colon = isDefault ? at + 1 : at + 2;
      boolean isLabel =
          Tokens.is(body, colon, ":")
              && (isDefault
                  || (body.get(at).is("case")
                      && body.get(at + 1).text().matches("0|[1-9][0-9]{0,8}")));
      if (!isLabel) {
        return null;
      }
      if (!isDefault) {
        labels.add(body.get(at + 1));
      }
      at = colon + 1;
      if (!isDefault && Tokens.is(body, at, "case")) {
        continue;
      }
      int close = Tokens.is(body, at, "{") ? Tokens.close(body, at) : at;
      boolean endsInBraces = close > at && isBreak(body, close - 2);
      int end = endsInBraces ? close - 2 : end(body, at);
      int next = endsInBraces ? close + 1 : isBreak(body, end) ? end + 2 : end;
      boolean isLast = next == body.size();
      if (isDefault ? !isLast || !labels.isEmpty() : !isLast && !isBreak(body, end)) {
        return null;
      }
      List<Token> own = body.subList(endsInBraces ? at + 1 : at, end);
      if (own.stream()
          .anyMatch(token -> Set.of("break", "case", "default").contains(token.text()))) {
        return null; // a break of the switch, in a branch, or one of a loop in it
      }
      cases.add(new Case(List.copyOf(labels), isDefault, endsInBraces, own));
      labels.clear();
      at = next;
    }
    return cases;
  }

  private static boolean isBreak(List<Token> body, int at) {
    return Tokens.is(body, at, "break") && Tokens.is(body, at + 1, ";");
  }

  /** Where a case ends with a {@code break} that is in no braces; the end of all if it does not. */
  private static int end(List<Token> body, int from) {
    for (int i = from; i < body.size(); i++) {
      if (body.get(i).is("break") || body.get(i).is("case") || body.get(i).is("default")) {
        return i;
      }
      if (Tokens.isOpen(body.get(i))) {
        i = Tokens.close(body, i);
      }
    }
    return body.size();
  }
}
