// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import java.util.ArrayList;
import java.util.List;
import org.jhal.cpu.translate.Statement.Block;
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
    return loop.withInner(new EarlyReturns(result, left, at)::inside);
  }

  private Statement inside(Statement statement) throws UnfitException {
    if (statement instanceof Jump jump && jump.isReturn()) {
      List<Statement> all = new ArrayList<>();
      result.keep(jump, all);
      all.add(new Plain(Generated.tokens(left + " = true", at)));
      all.add(leave());
      return new Block(all, at);
    }
    if (!statement.returns()) {
      return statement;
    }
    Statement without = statement.withInner(this::inside);
    if (!statement.isLoop()) {
      return without;
    }
    Statement leaves = new If(false, Generated.tokens(left, at), leave(), null, at);
    return new Block(List.of(without, leaves), at);
  }

  private Jump leave() {
    return new Jump(Token.word("break", at), List.of());
  }
}
