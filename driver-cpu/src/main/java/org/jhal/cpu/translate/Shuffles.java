// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jhal.cpu.translate.Statement.If;
import org.jhal.cpu.translate.Statement.Plain;
import org.jhal.cpu.translate.Statement.Variables;
import org.jspecify.annotations.Nullable;

/**
 * Takes shuffles out of regions in which mask, distance and width are the same for all items. What
 * the items read then moves within rows of 32 lanes by a constant, before the region: {@code v +=
 * HAL_READ(hal_exchanged1_all, (~0u), hal_lane_down(hal_i & 31, by, (int)(32)));} becomes
 *
 * <pre>{@code
 * auto hal_shuffled1 = HAL_SHUFFLE(hal_lane_down, hal_exchanged1_all, (~0u), (by), ((int)(32)));
 * HAL_WARPS_BEGIN
 *   v += HAL_READ_SHUFFLED(hal_shuffled1);
 * HAL_WARPS_END
 * }</pre>
 *
 * <p>That is the same because nothing between the barrier and the region's end changes what items
 * have given, and because these expressions are {@link UniformityAnalysis#isUniform uniform}: they
 * read no memory, have no effect, and refer to variables that the workgroup has once and that no
 * item changes, which the compiler checks ({@link Proofs}, and seals in the region). Items that
 * take no part are moved too, but none reads what they have not given, unless its program is wrong.
 * Any other shuffle stays where it is.
 */
final class Shuffles {
  /** What an item reads of another one, as {@link WarpFunctions} writes it. */
  static final String READ = "HAL_READ";

  private static final String LANE = "hal_lane_";

  private final Predicate<List<Token>> isUniform;
  private int number;

  Shuffles(Predicate<List<Token>> isUniform) {
    this.isUniform = isUniform;
  }

  /** A statement that reads what has been shuffled before, which is added to {@code to}. */
  Statement taken(Statement statement, List<Step.Shuffle> to) throws UnfitException {
    if (statement instanceof Plain plain) {
      List<Token> taken = taken(plain.tokens(), to);
      return to.isEmpty() ? statement : new Plain(taken);
    }
    if (statement instanceof Variables declared) {
      List<Token> taken = taken(declared.tokens(), to);
      return to.isEmpty() ? statement : Generated.variables(taken);
    }
    if (statement instanceof If choice && !choice.hasBarrier()) {
      List<Token> taken = taken(choice.condition(), to);
      return to.isEmpty()
          ? statement
          : new If(choice.isConstant(), taken, choice.then(), choice.otherwise(), choice.at());
    }
    return statement;
  }

  private List<Token> taken(List<Token> tokens, List<Step.Shuffle> to) {
    List<Token> out = new ArrayList<>();
    for (int i = 0; i < tokens.size(); i++) {
      Token token = tokens.get(i);
      Step.Shuffle shuffle = token.is(READ) ? shuffle(tokens, i) : null;
      if (shuffle == null) {
        out.add(token);
      } else {
        to.add(shuffle);
        out.addAll(Generated.tokens("HAL_READ_SHUFFLED(" + shuffle.tokens().get(1) + ")", token));
        i = Tokens.close(tokens, i + 1);
      }
    }
    return out;
  }

  /** What {@code HAL_READ(array, (mask), hal_lane_NAME(hal_i & 31, from, (int)(width)))} reads. */
  private Step.@Nullable Shuffle shuffle(List<Token> tokens, int at) {
    List<List<Token>> read = Tokens.split(tokens.subList(at + 2, Tokens.close(tokens, at + 1)));
    List<Token> lane = read.size() == 3 ? read.get(2) : List.of();
    boolean isLane = Tokens.get(lane, 0).text().startsWith(LANE) && Tokens.is(lane, 1, "(");
    if (!isLane || Tokens.close(lane, 1) != lane.size() - 1) {
      return null;
    }
    List<List<Token>> from = Tokens.split(lane.subList(2, lane.size() - 1));
    if (from.size() != 3) {
      return null;
    }
    List<List<Token>> uniform = List.of(read.get(1), from.get(1), from.get(2));
    if (!uniform.stream().allMatch(isUniform)) {
      return null;
    }
    StringBuilder text = new StringBuilder("auto hal_shuffled" + ++number + " = HAL_SHUFFLE(");
    text.append(lane.get(0).text()).append(", ");
    text.append(Tokens.code(read.get(0)));
    uniform.forEach(each -> text.append(", (").append(Tokens.code(each)).append(")"));
    return new Step.Shuffle(Generated.tokens(text + ")", tokens.get(at)), uniform);
  }
}
