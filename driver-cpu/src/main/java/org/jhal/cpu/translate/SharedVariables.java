// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jhal.cpu.translate.Statement.Block;
import org.jhal.cpu.translate.Statement.Do;
import org.jhal.cpu.translate.Statement.For;
import org.jhal.cpu.translate.Statement.If;
import org.jhal.cpu.translate.Statement.Variables;

/**
 * Declares shared variables before the statement that they are in, since a workgroup has them as
 * long as it runs: {@code for (...) { __shared__ int sum; ... }} becomes {@code __shared__ int sum;
 * for (...) { ... }}. Each has a name of its own.
 */
final class SharedVariables {
  private final List<Statement> found;

  private SharedVariables(List<Statement> found) {
    this.found = found;
  }

  /** Statements without the declarations of shared variables, which {@code to} gets. */
  static List<Statement> without(List<Statement> statements, List<Statement> to) {
    return new SharedVariables(to).without(statements);
  }

  static List<Statement> declaredFirst(List<Statement> statements) throws UnfitException {
    List<Statement> all = new ArrayList<>();
    for (Statement statement : statements) {
      if (statement instanceof Variables) {
        all.add(statement);
        continue;
      }
      SharedVariables shared = new SharedVariables(new ArrayList<>());
      Statement rest = shared.without(statement);
      shared.check(rest);
      all.addAll(shared.found);
      all.add(rest);
    }
    return all;
  }

  private void check(Statement rest) throws UnfitException {
    Set<String> inside = new HashSet<>();
    Scopes.declared(List.of(rest), inside);
    for (Statement each : found) {
      for (Token token : ((Variables) each).tokens()) {
        if (token.isWord() && inside.contains(token.text())) {
          throw new UnfitException("a shared variable that depends on " + token, token);
        }
      }
    }
  }

  private List<Statement> without(List<Statement> statements) {
    List<Statement> rest = new ArrayList<>();
    for (Statement statement : statements) {
      if (statement instanceof Variables declared && declared.declaration().is("__shared__")) {
        found.add(statement);
      } else {
        rest.add(without(statement));
      }
    }
    return rest;
  }

  private Statement without(Statement statement) {
    if (statement instanceof Block block) {
      return new Block(without(block.statements()), block.at());
    }
    if (statement instanceof If choice) {
      Statement otherwise = choice.otherwise();
      return new If(
          choice.isConstant(),
          choice.condition(),
          without(choice.then()),
          otherwise == null ? null : without(otherwise),
          choice.at());
    }
    if (statement instanceof For loop) {
      return new For(loop.start(), loop.condition(), loop.step(), without(loop.body()), loop.at());
    }
    if (statement instanceof Do loop) {
      return new Do(without(loop.body()), loop.condition(), loop.at());
    }
    return statement;
  }
}
