// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import java.util.ArrayList;
import java.util.List;
import org.jhal.cpu.translate.Statement.Block;
import org.jhal.cpu.translate.Statement.Do;
import org.jhal.cpu.translate.Statement.For;
import org.jhal.cpu.translate.Statement.If;
import org.jhal.cpu.translate.Statement.Jump;
import org.jhal.cpu.translate.Statement.Plain;

/**
 * Lets a function that returns from inside a loop leave the loop by {@code break}: {@code for (...)
 * if (found) return i;} becomes {@code for (...) if (found) { value = i; left = true; break; }}. A
 * loop around that one breaks behind it {@code if (left)}.
 */
final class EarlyReturns {
  /** Keeps what a function returns. */
  interface Result {
    void keep(Jump jump, List<Statement> to) throws UnfitException;
  }

  private final Result result;
  private final String left;
  private final Token at;

  private EarlyReturns(Result result, String left, Token at) {
    this.result = result;
    this.left = left;
    this.at = at;
  }

  /**
   * A loop without returns.
   *
   * @param loop which may return
   * @param left the name of the variable that then is true
   */
  static Statement asBreaks(Statement loop, Result result, String left, Token at)
      throws UnfitException {
    return new EarlyReturns(result, left, at).loop(loop);
  }

  private Statement loop(Statement statement) throws UnfitException {
    return statement instanceof For loop
        ? new For(loop.start(), loop.condition(), loop.step(), inside(loop.body()), loop.at())
        : new Do(inside(((Do) statement).body()), ((Do) statement).condition(), at);
  }

  private Statement inside(Statement statement) throws UnfitException {
    if (statement instanceof Jump jump && jump.isReturn()) {
      List<Statement> all = new ArrayList<>();
      result.keep(jump, all);
      all.add(new Plain(Generated.tokens(left + " = true", at)));
      all.add(leave());
      return new Block(all, at);
    }
    if (statement instanceof Block block) {
      List<Statement> all = new ArrayList<>();
      for (Statement each : block.statements()) {
        all.add(inside(each));
      }
      return new Block(all, block.at());
    }
    if (statement instanceof If choice) {
      Statement otherwise = choice.otherwise();
      return new If(
          choice.isConstant(),
          choice.condition(),
          inside(choice.then()),
          otherwise == null ? null : inside(otherwise),
          choice.at());
    }
    if ((statement instanceof For || statement instanceof Do) && statement.returns()) {
      Statement leaves = new If(false, Generated.tokens(left, at), leave(), null, at);
      return new Block(List.of(loop(statement), leaves), at);
    }
    return statement;
  }

  private Jump leave() {
    return new Jump(Token.word("break", at), List.of());
  }
}
