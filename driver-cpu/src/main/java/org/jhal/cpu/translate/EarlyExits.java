// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import java.util.ArrayList;
import java.util.List;
import org.jhal.cpu.translate.Statement.Block;
import org.jhal.cpu.translate.Statement.If;
import org.jhal.cpu.translate.Statement.Jump;

/**
 * Makes branches of early exits: {@code if (i >= n) return; rest} becomes {@code if (!(i >= n)) {
 * rest }}, and so does a {@code continue} in a loop. So an item that has nothing left to do is one
 * that takes a branch, and nothing has to remember which items have returned. Where items meet in
 * the rest, it stays as it is.
 */
final class EarlyExits {
  private final boolean hasOperators;

  private EarlyExits(boolean hasOperators) {
    this.hasOperators = hasOperators;
  }

  /**
   * The statements of a kernel without early exits.
   *
   * @param hasOperators whether the source has operators of its own, perhaps of conditions
   */
  static List<Statement> asBranches(List<Statement> kernel, boolean hasOperators) {
    return new EarlyExits(hasOperators).list(kernel, "return");
  }

  /**
   * Behind these statements, as behind a jump, nothing is left to do.
   *
   * @param word of the jump
   */
  private List<Statement> list(List<Statement> statements, String word) {
    List<Statement> all = new ArrayList<>();
    for (int i = 0; i < statements.size(); i++) {
      Statement statement = statements.get(i);
      List<Statement> rest = statements.subList(i + 1, statements.size());
      if (statement instanceof If choice
          && isExit(choice, word)
          && !rest.isEmpty()
          && rest.stream().noneMatch(Statement::hasBarrier)) {
        Block branch = new Block(list(rest, word), choice.at());
        Block none = new Block(List.of(), choice.at());
        all.add(
            hasOperators
                ? new If(false, choice.condition(), none, branch, choice.at())
                : new If(false, negated(choice), branch, null, choice.at()));
        return all;
      }
      all.add(rest.isEmpty() ? last(statement, word) : inside(statement));
    }
    return all;
  }

  private static boolean isExit(If choice, String word) {
    return !choice.isConstant()
        && choice.otherwise() == null
        && choice.then().single() instanceof Jump jump
        && jump.word().is(word)
        && jump.value().isEmpty();
  }

  /** {@code !(a) && !(b)} for {@code a || b}, of numbers: compilers vectorize that. */
  private static List<Token> negated(If choice) {
    Token at = choice.at();
    List<Token> condition = choice.condition();
    boolean isDisjunction = condition.stream().noneMatch(EarlyExits::bindsLess);
    List<Token> negated = new ArrayList<>();
    for (int start = 0; start <= condition.size(); ) {
      int or = isDisjunction ? Tokens.find(condition, start, "||") : condition.size();
      negated.addAll(Generated.tokens((start == 0 ? "" : "&& ") + "!(", at));
      negated.addAll(condition.subList(start, or));
      negated.add(Token.mark(")", at));
      start = or + 1;
    }
    return negated;
  }

  /** Whether a mark may bind less than {@code ||}. */
  private static boolean bindsLess(Token token) {
    return token.is("?") || token.is(",") || Changes.isAssignment(token);
  }

  private Statement last(Statement statement, String word) {
    if (statement instanceof Block block) {
      return new Block(list(block.statements(), word), block.at());
    }
    if (statement instanceof If choice) {
      Statement otherwise = choice.otherwise();
      return new If(
          choice.isConstant(),
          choice.condition(),
          last(choice.then(), word),
          otherwise == null ? null : last(otherwise, word),
          choice.at());
    }
    return inside(statement);
  }

  /** The same for the loops in a statement. */
  private Statement inside(Statement statement) {
    return statement.withInner(each -> statement.isLoop() ? last(each, "continue") : inside(each));
  }
}
