// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jhal.cpu.translate.Statement.Barrier;
import org.jhal.cpu.translate.Statement.BarrierScope;

/**
 * Lowers the functions by which the items of a warp, or of a workgroup, exchange values: each item
 * stores a value before a barrier, and reads those of others behind it. {@code x +=
 * __shfl_down_sync(m, x, 1);} becomes
 *
 * <pre>{@code
 * auto hal_exchanged1 = (x);
 * barrier
 * x += HAL_PROMOTED(HAL_READ(hal_exchanged1_all, (m), hal_lane_down(hal_i & 31, 1, (int)(32))));
 * }</pre>
 *
 * Votes and reductions are the same for all lanes of a warp that a mask names. So what they come
 * from is computed once, behind the barrier: {@code b = __ballot_sync(m, x);} becomes
 *
 * <pre>{@code
 * bool hal_exchanged1 = (true);
 * bool hal_exchanged2 = ((int)(x) != 0);
 * barrier
 * auto hal_warps3 = (HAL_VOTES(hal_exchanged2_all, hal_exchanged1_all));
 * b = HAL_READ_BALLOT(hal_warps3, (m));
 * }</pre>
 */
final class WarpFunctions {
  private static final Set<String> SHUFFLES =
      Set.of("__shfl_sync", "__shfl_up_sync", "__shfl_down_sync", "__shfl_xor_sync");
  private static final Set<String> TILE_SHUFFLES =
      Set.of("shfl", "shfl_up", "shfl_down", "shfl_xor");

  private static final Set<String> TILE_VOTES = Set.of("ballot", "any", "all");
  private static final Set<String> VOTES = Set.of("__ballot_sync", "__any_sync", "__all_sync");

  private final BarrierLowering lowering;

  WarpFunctions(BarrierLowering lowering) {
    this.lowering = lowering;
  }

  /** Adds what comes before the expression that a call is in. Returns what stands for the call. */
  List<Token> exchanged(Call call, List<Token> tokens, List<Statement> to) throws UnfitException {
    Token name = tokens.get(call.name());
    if (name.is(CallGraph.ACTIVE)) {
      String here = lowering.exchangedName();
      Generated.declare("bool", here, Generated.tokens("true", name), name, to);
      to.add(new Barrier(name, BarrierScope.HERE));
      String votes = ofWarps("HAL_VOTES", here, here, name, to);
      return Generated.tokens("HAL_READ_BALLOT(" + votes + ", ~0u)", name);
    }
    List<List<Token>> arguments = new ArrayList<>();
    for (List<Token> argument : call.arguments(tokens)) {
      arguments.add(lowering.expression(argument, to));
    }
    String word = name.text();
    if (arguments.size() < least(word)) { // f(a < b, c > d) has one, as far as tokens show
      throw new UnfitException(word + " with arguments of another kind than usual", name);
    }
    if (word.startsWith("__syncthreads_")) {
      return agreed(word, Generated.text(arguments.get(0)), name, to);
    }
    if (SHUFFLES.contains(word)) {
      String from = before(arguments.get(2), "int", name, to);
      String mask = before(arguments.get(0), "unsigned", name, to);
      String width = arguments.size() > 3 ? before(arguments.get(3), "int", name, to) : "32";
      String stored = store(arguments.get(1), arguments.get(0), name, to);
      String lane = "hal_lane_" + word.substring("__shfl_".length()).replace("_sync", "");
      String read =
          shuffle(word.equals("__shfl_sync") ? "hal_lane_of" : lane, stored, mask, from, width);
      return Generated.tokens("HAL_PROMOTED(" + read + ")", name);
    }
    boolean isOfNamespace = Tokens.is(tokens, call.name() - 1, "::");
    if (call.start() < call.name()) {
      BarrierLowering.checkGroup(call, tokens, "hal_is_tile", to);
    }
    if (call.start() < call.name() && !isOfNamespace && TILE_SHUFFLES.contains(word)) {
      String tile = Generated.text(tokens.subList(call.start(), call.start() + 1));
      String from = before(arguments.get(1), "int", name, to);
      String stored = store(arguments.get(0), List.of(), name, to);
      String lane = word.equals("shfl") ? "hal_lane_of" : "hal_lane_" + word.substring(5);
      return Generated.tokens(shuffle(lane, stored, "~0u", from, tile + ".size()"), name);
    }
    if (call.start() < call.name() && !isOfNamespace && TILE_VOTES.contains(word)) {
      String tile = Generated.text(tokens.subList(call.start(), call.start() + 1));
      String takesPart = lowering.exchangedName();
      Generated.declare("bool", takesPart, Generated.tokens("true", name), name, to);
      String stored = storeVote(arguments.get(0), List.of(), name, to);
      String votes = ofWarps("HAL_VOTES", stored, takesPart, name, to);
      String macro = "HAL_TILE_" + word.toUpperCase(Locale.ROOT);
      return Generated.tokens(macro + "(" + votes + ", " + tile + ")", name);
    }
    if (isOfNamespace && word.equals("reduce") && arguments.size() == 3) {
      String stored = store(arguments.get(1), List.of(), name, to);
      return Generated.tokens(
          "HAL_READ_TREE("
              + stored
              + "_all, "
              + Generated.text(arguments.get(0))
              + ".size(), "
              + Generated.text(arguments.get(2))
              + ")",
          name);
    }
    String what =
        switch (word) {
          case "__ballot_sync", "__any_sync", "__all_sync" -> "HAL_VOTES";
          case "__match_any_sync" -> "HAL_MATCHES";
          case "__reduce_add_sync" -> "HAL_FOLD_ADD";
          case "__reduce_min_sync" -> "HAL_FOLD_MIN";
          case "__reduce_max_sync" -> "HAL_FOLD_MAX";
          case "__reduce_and_sync" -> "HAL_FOLD_AND";
          case "__reduce_or_sync" -> "HAL_FOLD_OR";
          case "__reduce_xor_sync" -> "HAL_FOLD_XOR";
          default -> throw new UnfitException(word + " in an expression", name);
        };
    String read =
        switch (word) {
          case "__ballot_sync" -> "HAL_READ_BALLOT";
          case "__any_sync" -> "HAL_READ_ANY";
          case "__all_sync" -> "HAL_READ_ALL";
          case "__match_any_sync" -> "HAL_READ_MATCH";
          default -> "HAL_READ_FOLDED";
        };
    String takesPart = lowering.exchangedName();
    Generated.declare("bool", takesPart, Generated.tokens("true", name), name, to);
    String mask = before(arguments.get(0), "unsigned", name, to);
    String stored =
        VOTES.contains(word)
            ? storeVote(arguments.get(1), arguments.get(0), name, to)
            : store(arguments.get(1), arguments.get(0), name, to);
    String ofWarps = ofWarps(what, stored, takesPart, name, to);
    return Generated.tokens(read + "(" + ofWarps + ", (" + mask + "))", name);
  }

  /**
   * Declares what is computed behind the barrier, once for each warp, from what its items have
   * given. Returns its name.
   */
  private String ofWarps(String what, String stored, String takesPart, Token at, List<Statement> to)
      throws UnfitException {
    String name = BarrierLowering.OF_WARPS + lowering.nextNumber();
    String value = what + "(" + stored + "_all, " + takesPart + "_all)";
    Generated.declare("auto", name, Generated.tokens(value, at), at, to);
    return name;
  }

  /** How many arguments a function has at least. */
  private static int least(String word) {
    if (word.startsWith("__syncthreads_") || TILE_VOTES.contains(word)) {
      return 1;
    }
    return SHUFFLES.contains(word) ? 3 : 2;
  }

  /** What all items of the workgroup say, which it looks at once, behind the barrier. */
  private List<Token> agreed(String word, String value, Token at, List<Statement> to)
      throws UnfitException {
    boolean isAnd = word.endsWith("_and"); // then one that says no counts
    String stored = lowering.exchangedName();
    String test = "(int)(" + value + (isAnd ? ") == 0" : ") != 0");
    Generated.declare("bool", stored, Generated.tokens(test, at), at, to);
    to.add(new Barrier(at, BarrierScope.WORKGROUP));
    String macro = word.endsWith("_count") ? "HAL_COUNT(" : isAnd ? "!HAL_ANY(" : "HAL_ANY(";
    String agreed = BarrierLowering.AGREED + lowering.nextNumber();
    Generated.declare("int", agreed, Generated.tokens(macro + stored + "_all)", at), at, to);
    return List.of(Token.word(agreed, at));
  }

  /**
   * An argument as it is before the barrier. What is {@link BarrierLowering#isSteady steady} is the
   * same behind it, and may be the same for all items; anything else gets a variable.
   */
  private String before(List<Token> value, String type, Token at, List<Statement> to)
      throws UnfitException {
    if (lowering.isSteady(value)) {
      return Generated.text(value);
    }
    String before = "hal_from" + lowering.nextNumber();
    Generated.declare(type, before, value, at, to);
    return before;
  }

  private static String shuffle(
      String lane, String stored, String mask, String from, String width) {
    String other = lane + "(hal_i & 31, " + from + ", (int)(" + width + "))";
    return Shuffles.READ + "(" + stored + "_all, (" + mask + "), " + other + ")";
  }

  /** Stores what an item votes, which is an {@code int}: 0.5 is no. Returns its name. */
  private String storeVote(List<Token> value, List<Token> mask, Token at, List<Statement> to)
      throws UnfitException {
    String test = "(int)(" + Generated.text(value) + ") != 0";
    return store("bool", Generated.tokens(test, at), mask, at, to);
  }

  /** Stores a value that other items read behind the barrier. Returns its name. */
  private String store(List<Token> value, List<Token> mask, Token at, List<Statement> to)
      throws UnfitException {
    return store("auto", value, mask, at, to);
  }

  private String store(
      String type, List<Token> value, List<Token> mask, Token at, List<Statement> to)
      throws UnfitException {
    String stored = lowering.exchangedName();
    Generated.declare(type, stored, value, at, to);
    to.add(new Barrier(at, BarrierScope.LANES, mask));
    return stored;
  }
}
