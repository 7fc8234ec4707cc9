// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import java.util.List;
import java.util.Objects;
import org.jhal.cpu.translate.Statement.Plain;
import org.jhal.cpu.translate.Statement.Variables;
import org.jspecify.annotations.Nullable;

/**
 * Writes a kernel as a function that runs workgroups, from the plan of a {@link LoopFission}:
 * {@code a(); __syncthreads(); b();} becomes
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
final class FissionWriter {
  private final Writer out;
  private final Proofs proofs;
  private final RegionWriter regions;

  private FissionWriter(Writer out, Proofs proofs, RegionWriter regions) {
    this.out = out;
    this.proofs = proofs;
    this.regions = regions;
  }

  /**
   * Writes {@code NAME__groups}.
   *
   * @param name of the function
   * @param template the kernel's template parameters, or null
   * @param parameters as they are declared, without default values
   * @param most how many workgroups may run as one, in C++
   * @param proofs that its expressions may be computed once, or again
   * @param regions writes what items do between two meetings
   * @param out what {@code regions} writes to
   */
  static void write(
      String name,
      @Nullable List<Token> template,
      List<List<Token>> parameters,
      String most,
      LoopFission plan,
      List<Step> steps,
      Proofs proofs,
      RegionWriter regions,
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
    out.raw(") { constexpr unsigned hal_most = " + most + ";");
    out.raw(" void* hal_large[" + (plan.numbers() + 1) + "] = {};");
    out.raw(regions.declarations() + " HAL_GROUPS_BEGIN {");
    if (plan.hasReturns()) {
      out.raw(" bool hal_alive[HAL_ITEMS], hal_all_alive = true; HAL_SET(hal_alive);");
    }
    new FissionWriter(out, proofs, regions).steps(steps);
    out.raw(" } hal_group_end: __attribute__((unused)); HAL_GROUPS_END }\n");
  }

  private void steps(List<Step> steps) throws UnfitException {
    for (Step step : steps) {
      step(step);
    }
  }

  private void step(Step step) throws UnfitException {
    if (step instanceof Step.Region region) {
      regions.region(region);
    } else if (step instanceof Step.Declared declared) {
      declared(declared.tokens());
      switch (declared.what()) {
        case TYPE -> {}
        case VARIABLES ->
            out.raw(proofs.of(Objects.requireNonNull(Declarations.of(declared.tokens()))));
        case CHANGE -> out.raw(proofs.of(declared.tokens()));
      }
    } else if (step instanceof Step.Shuffle shuffle) {
      out.raw(" ").tokens(shuffle.tokens()).raw(";");
      shuffle.uniform().forEach(each -> out.raw(proofs.of(each)));
    } else if (step instanceof Step.Active active) {
      regions.active(active);
    } else if (step instanceof Step.Scope scope) {
      out.raw(" {");
      steps(scope.steps());
      out.raw(" }");
    } else if (step instanceof Step.UniformIf choice) {
      out.raw(choice.isConstant() ? "" : proofs.of(choice.condition()));
      boolean isGuarded = regions.some(choice.readers());
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
    } else if (step instanceof Step.UniformJump jump) {
      out.raw(jump.word().is("return") ? " goto hal_group_end;" : " " + jump.word() + ";");
    } else if (step instanceof Step.DivergentIf choice) {
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

  private void choice(Step.DivergentIf choice) throws UnfitException {
    String array = "hal_choice" + choice.number();
    String some = "hal_some" + choice.number();
    String rest = "hal_rest" + choice.number();
    out.raw(
        " { bool " + array + "[HAL_ITEMS] = {}; bool " + some + " = false, " + rest + " = false;");
    regions.begin(choice.choice());
    out.raw(" bool hal_is = (").tokens(choice.condition()).raw(");");
    boolean areAll = choice.choice().masks.isEmpty(); // then the array says it
    out.raw(" " + array + "[hal_i] = hal_is;");
    out.raw(areAll ? "" : " " + some + " |= hal_is; " + rest + " |= !hal_is;");
    out.raw(" HAL_ITEMS_END");
    String span = "hal_span" + choice.number();
    out.raw(" const hal_span<HAL_Y * HAL_Z, HAL_X * hal_most> " + span);
    out.raw("(" + array + ", hal_width); (void)" + span + ";");
    out.raw(areAll ? " " + some + " = " + span + ".some; " + rest + " = " + span + ".rest;" : "");
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
    if (loop.isConvergent) {
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
      if (loop.hasBreaks || loop.mayBecomeEmpty) {
        regions.breakWithout(loop);
      }
      regions.iterations(loop);
      iteration(loop);
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
      iteration(loop);
      steps(loop.body);
      if (!loop.step.isEmpty()) {
        regions.begin(Objects.requireNonNull(loop.next));
        out.raw(" ").tokens(loop.step).raw("; HAL_ITEMS_END");
      }
      if (loop.isConditionLast) {
        test(loop);
      }
      out.raw(" }");
    }
    out.raw(" }");
  }

  private void iteration(Step.Loop loop) {
    if (loop.hasContinues) {
      out.raw(" bool " + loop.iteration() + "[HAL_ITEMS]; HAL_SET(" + loop.iteration() + ");");
    }
  }

  /** Lets the items leave whose condition is false, and ends the loop behind the last one. */
  private void test(Step.Loop loop) {
    out.raw(" bool hal_more = false;");
    regions.begin(Objects.requireNonNull(loop.test));
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
