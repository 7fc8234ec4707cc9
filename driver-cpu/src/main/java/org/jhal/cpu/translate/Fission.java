// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import java.util.List;
import java.util.Objects;
import org.jhal.cpu.translate.Statement.Plain;
import org.jhal.cpu.translate.Statement.Variables;
import org.jspecify.annotations.Nullable;

/**
 * Writes a kernel as a function that runs workgroups, from the plan of a {@link Planner}: {@code
 * a(); __syncthreads(); b();} becomes
 *
 * <pre>{@code
 * HAL_GROUPS_BEGIN {
 *   HAL_ITEMS_BEGIN { a(); } HAL_ITEMS_END
 *   HAL_ITEMS_BEGIN { b(); } HAL_ITEMS_END
 * } HAL_GROUPS_END
 * }</pre>
 *
 * The macros are in {@code hal_groups.h}.
 */
final class Fission {
  private final Writer out;
  private final Proofs proofs;
  private final SegmentWriter segments;

  private Fission(Writer out, Proofs proofs, AccessOrder order) {
    this.out = out;
    this.proofs = proofs;
    this.segments = new SegmentWriter(out, proofs, order);
  }

  /**
   * Writes {@code NAME__groups}.
   *
   * @param name of the function
   * @param template the kernel's template parameters, or null
   * @param parameters as they are declared, without default values
   * @param proofs that its expressions may be computed once, or again
   * @param order whether it matters in which order an item accesses memory
   */
  static void write(
      String name,
      @Nullable List<Token> template,
      List<List<Token>> parameters,
      Planner plan,
      List<Step> steps,
      Proofs proofs,
      AccessOrder order,
      Writer out)
      throws UnfitException {
    out.raw("template <unsigned HAL_X, unsigned HAL_Y, unsigned HAL_Z");
    if (template != null && !template.isEmpty()) {
      out.raw(", ").tokens(template);
    }
    out.raw("> static inline void " + name + "__groups(HAL_RANGE");
    for (List<Token> parameter : parameters) {
      out.raw(", ").tokens(parameter);
    }
    out.raw(") { void* hal_large[" + (plan.numbers() + 1) + "] = {}; HAL_GROUPS_BEGIN {");
    if (plan.hasReturns()) {
      out.raw(" bool hal_alive[HAL_ITEMS]; HAL_SET(hal_alive);");
    }
    Fission fission = new Fission(out, proofs, order);
    fission.steps(steps);
    out.raw(" } hal_group_end: __attribute__((unused)); HAL_GROUPS_END }\n");
  }

  private void steps(List<Step> steps) throws UnfitException {
    for (Step step : steps) {
      step(step);
    }
  }

  private void step(Step step) throws UnfitException {
    if (step instanceof Step.Segment segment) {
      segments.segment(segment);
    } else if (step instanceof Step.Declared declared) {
      declared(declared.tokens());
      switch (declared.what()) {
        case TYPE -> {}
        case VARIABLES ->
            out.raw(proofs.of(Objects.requireNonNull(Declarations.of(declared.tokens()))));
        case CHANGE -> out.raw(proofs.of(declared.tokens()));
      }
    } else if (step instanceof Step.Full full) {
      segments.full(full);
    } else if (step instanceof Step.Scope scope) {
      out.raw(" {");
      steps(scope.steps());
      out.raw(" }");
    } else if (step instanceof Step.GroupIf choice) {
      out.raw(choice.isConstant() ? "" : proofs.of(choice.condition()));
      boolean isGuarded = segments.some(choice.readers());
      out.raw(choice.isConstant() ? " if constexpr (" : " if (");
      out.tokens(choice.condition()).raw(") {");
      steps(choice.then());
      out.raw(" }");
      if (choice.otherwise() != null) {
        out.raw(" else {");
        steps(choice.otherwise());
        out.raw(" }");
      }
      out.raw(isGuarded ? " } }" : "");
    } else if (step instanceof Step.GroupJump jump) {
      out.raw(jump.word().is("return") ? " goto hal_group_end;" : " " + jump.word() + ";");
    } else if (step instanceof Step.ItemIf choice) {
      choice(choice);
    } else if (step instanceof Step.Loop loop) {
      loop(loop);
    }
  }

  /** Shared memory lies in the function that runs a workgroup. */
  private void declared(List<Token> tokens) {
    for (Token token : tokens) {
      out.token(
          token,
          token.is("__shared__") ? "HAL_ALIGNED" : token.is("static") ? "" : token.written());
    }
    out.raw(";");
  }

  // Branches and loops.

  private void choice(Step.ItemIf choice) throws UnfitException {
    String array = "hal_choice" + choice.number();
    String some = "hal_some" + choice.number();
    String rest = "hal_rest" + choice.number();
    out.raw(" { bool " + array + "[HAL_ITEMS]; bool " + some + " = false, " + rest + " = false;");
    segments.begin(choice.choice(), choice.condition());
    out.raw(" bool hal_is = (").tokens(choice.condition()).raw(");");
    out.raw(" " + array + "[hal_i] = hal_is; " + some + " |= hal_is; " + rest + " |= !hal_is;");
    out.raw(" HAL_ITEMS_END");
    if (choice.isRestFirst()) {
      branch(rest, choice.otherwise());
      branch(some, choice.then());
    } else {
      branch(some, choice.then());
      branch(rest, choice.otherwise());
    }
    out.raw(" }");
  }

  private void branch(String any, List<Step> steps) throws UnfitException {
    out.raw(" if (" + any + ") {");
    steps(steps);
    out.raw(" }");
  }

  private void loop(Step.Loop loop) throws UnfitException {
    out.raw(" {");
    if (loop.hasInside()) {
      out.raw(" bool " + loop.inside() + "[HAL_ITEMS]; HAL_SET(" + loop.inside() + ");");
    }
    if (loop.isTogether) {
      out.raw(loop.isConditionLast ? " do {" : " for (");
      if (!loop.isConditionLast) {
        if (loop.start instanceof Variables start) {
          out.tokens(start.tokens());
        } else if (loop.start instanceof Plain start) {
          out.tokens(start.tokens());
        }
        out.raw("; ").tokens(loop.condition).raw("; ").tokens(loop.step).raw(") {");
        out.raw(loop.start instanceof Variables start ? proofs.of(start.declaration()) : "");
        out.raw(loop.start instanceof Plain start ? proofs.of(start.tokens()) : "");
        out.raw(proofs.of(loop.step));
      }
      out.raw(proofs.of(loop.condition));
      if (loop.hasBreaks || loop.mayLoseAll) {
        segments.breakWithout(loop);
      }
      round(loop);
      steps(loop.body);
      out.raw(" }");
      if (loop.isConditionLast) {
        out.raw(" while (").tokens(loop.condition).raw(");");
      }
    } else {
      out.raw(" for (;;) {");
      if (!loop.isConditionLast) {
        test(loop);
      }
      round(loop);
      steps(loop.body);
      if (!loop.step.isEmpty()) {
        segments.begin(Objects.requireNonNull(loop.next), loop.step);
        out.raw(" ").tokens(loop.step).raw("; HAL_ITEMS_END");
      }
      if (loop.isConditionLast) {
        test(loop);
      }
      out.raw(" }");
    }
    out.raw(" }");
  }

  private void round(Step.Loop loop) {
    if (loop.hasContinues) {
      out.raw(" bool " + loop.round() + "[HAL_ITEMS]; HAL_SET(" + loop.round() + ");");
    }
  }

  /** Lets the items leave whose condition is false, and ends the loop behind the last one. */
  private void test(Step.Loop loop) {
    out.raw(" bool hal_more = false;");
    segments.begin(Objects.requireNonNull(loop.test), loop.condition);
    out.raw(" if (");
    if (loop.condition.isEmpty()) {
      out.raw("true");
    } else {
      out.tokens(loop.condition);
    }
    out.raw(") hal_more = true; else " + loop.inside() + "[hal_i] = false; HAL_ITEMS_END");
    out.raw(" if (!hal_more) break;");
  }
}
