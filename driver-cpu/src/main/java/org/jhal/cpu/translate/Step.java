// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** A part of a kernel as a workgroup carries it out. */
sealed interface Step {
  /**
   * Which items take part.
   *
   * @param text an expression that is true for those
   * @param isNeeded whether there are others; known when the kernel is planned
   * @param branch the number of the divergent branch that they take; 0 if they are others
   */
  record Mask(String text, BooleanSupplier isNeeded, int branch) {
    Mask(String text, BooleanSupplier isNeeded) {
      this(text, isNeeded, 0);
    }

    static Mask always(String text) {
      return new Mask(text, () -> true);
    }

    /** Those that take a branch, which are among those that have come to it. */
    static Mask branch(int number) {
      return new Mask("hal_choice" + number + "[hal_i]", () -> true, number);
    }
  }

  /** A parallel region: statements without a barrier, which become a loop over the items. */
  final class Region implements Step {
    final List<Statement> statements = new ArrayList<>();
    final Set<Variable> uses = new LinkedHashSet<>(); // of other regions
    final List<Variable> declares = new ArrayList<>();
    final List<Mask> masks;
    final @Nullable Loop loop; // the divided loop around it
    final int number;
    int guard = -1; // the statement that may keep items from the rest; see isGuarded()
    boolean isGuardJump;
    Residues.@Nullable Residue residue; // of the items that may do anything, if that is known
    final List<List<Token>> growing = new ArrayList<>(); // expressions of its condition
    final Map<String, Variable> together = new LinkedHashMap<>(); // arrays for a loop in lockstep
    final Set<String> unread = new LinkedHashSet<>(); // of these, what nobody reads behind it
    boolean isLockstep; // it is such a loop

    Region(List<Mask> masks, @Nullable Loop loop, int number) {
      this.masks = List.copyOf(masks);
      this.loop = loop;
      this.number = number;
    }

    /**
     * Whether a condition says which items do anything that holds for all if it does for the last
     * one; see {@link MonotonicConditions}. In most workgroups all do, and a loop without it is
     * faster.
     */
    boolean isGuarded() {
      return guard >= 0 && (isGuardJump || guard == statements.size() - 1);
    }

    void uses(Variable variable) {
      if (uses.add(variable)) {
        variable.needs.forEach(this::uses);
      }
    }
  }

  /** A declaration that all items share, or a change of a variable that they share. */
  record Declared(List<Token> tokens, What what) implements Step {
    enum What {
      TYPE,
      VARIABLES,
      CHANGE
    }
  }

  /**
   * A variable of the workgroup has what each item reads in a shuffle; see {@link Shuffles}.
   *
   * @param tokens its declaration
   * @param uniform expressions in it that are the same for all items
   */
  record Shuffle(List<Token> tokens, List<List<Token>> uniform) implements Step {}

  /**
   * A variable says whether all items are active, or any.
   *
   * @param masks of those that are
   */
  record Active(String name, boolean isAny, List<Mask> masks) implements Step {}

  /** Statements in braces. */
  record Scope(List<Step> steps) implements Step {}

  /**
   * A uniform branch: all items take the same one.
   *
   * @param readers those that read memory for the condition: none does if none is left
   */
  record UniformIf(
      boolean isConstant,
      List<Token> condition,
      List<Step> then,
      @Nullable List<Step> otherwise,
      List<Mask> readers)
      implements Step {}

  /** A uniform jump. */
  record UniformJump(Token word) implements Step {}

  /**
   * A divergent branch: each item takes its own, under a mask.
   *
   * @param isRestFirst whether the items of the other branch, which does not make them wait, come
   *     first: those of this one wait for them
   */
  record DivergentIf(
      int number,
      Region choice,
      List<Token> condition,
      List<Step> then,
      List<Step> otherwise,
      boolean isRestFirst)
      implements Step {}

  /** A loop that is divided. */
  final class Loop implements Step {
    final int number;
    final @Nullable Statement start; // of a loop that all items go through together
    final List<Token> condition;
    final List<Token> step;
    final boolean isConvergent;
    final boolean isConditionLast;
    final List<Step> body = new ArrayList<>();
    @Nullable Region test; // evaluates the condition for each item
    @Nullable Region next; // takes the step for each item
    boolean hasBreaks; // some items may leave it while others go on
    boolean hasContinues;
    boolean mayBecomeEmpty; // all its items may return while others of the workgroup go on
    final List<Mask> masks = new ArrayList<>(); // of those that are in it

    Loop(
        int number,
        @Nullable Statement start,
        List<Token> condition,
        List<Token> step,
        boolean isConvergent,
        boolean isConditionLast) {
      this.number = number;
      this.start = start;
      this.condition = condition;
      this.step = step;
      this.isConvergent = isConvergent;
      this.isConditionLast = isConditionLast;
    }

    /** Which items have not left it. */
    String inside() {
      return "hal_inside" + number;
    }

    /** Which items have not ended this iteration. */
    String iteration() {
      return "hal_iteration" + number;
    }

    boolean hasInside() {
      return !isConvergent || hasBreaks;
    }
  }
}
