package org.jhal.cpu.translate;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jhal.cpu.translate.Declarations.Declarator;
import org.jhal.cpu.translate.Statement.Block;
import org.jhal.cpu.translate.Statement.Do;
import org.jhal.cpu.translate.Statement.For;
import org.jhal.cpu.translate.Statement.If;
import org.jhal.cpu.translate.Statement.Jump;
import org.jhal.cpu.translate.Statement.Plain;
import org.jhal.cpu.translate.Statement.Variables;
import org.jhal.cpu.translate.Statement.Whole;
import org.jspecify.annotations.Nullable;

/**
 * Writes a kernel as a function that runs workgroups, from the plan of a {@link Planner}. The
 * macros that it uses are in {@code hal_cpu.h}.
 */
final class Fission {
  private final Planner plan;
  private final Writer out;
  private String jumpTo = ""; // the end of the loop over the items that is being written

  private Fission(Planner plan, Writer out) {
    this.plan = plan;
    this.out = out;
  }

  /**
   * Writes {@code NAME__groups}.
   *
   * @param name of the function
   * @param template the kernel's template parameters, or null
   * @param parameters as they are declared, without default values
   */
  static void write(
      String name,
      @Nullable List<Token> template,
      List<List<Token>> parameters,
      Planner plan,
      List<Step> steps,
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
    out.raw(") { HAL_GROUPS_BEGIN {");
    if (plan.hasReturns()) {
      out.raw(" bool hal_alive[HAL_ITEMS]; HAL_SET(hal_alive);");
    }
    Fission fission = new Fission(plan, out);
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
      segment(segment);
    } else if (step instanceof Step.Declared declared) {
      declared(declared.tokens());
    } else if (step instanceof Step.Scope scope) {
      out.raw(" {");
      steps(scope.steps());
      out.raw(" }");
    } else if (step instanceof Step.GroupIf choice) {
      out.raw(choice.isConstant() ? " if constexpr (" : " if (");
      out.tokens(choice.condition()).raw(") {");
      steps(choice.then());
      out.raw(" }");
      if (choice.otherwise() != null) {
        out.raw(" else {");
        steps(choice.otherwise());
        out.raw(" }");
      }
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
      out.token(token, token.is("__shared__") || token.is("static") ? "" : token.text());
    }
    out.raw(";");
  }

  // Segments.

  private void segment(Step.Segment segment) throws UnfitException {
    for (Variable variable : segment.declares) {
      array(variable);
    }
    if (!segment.isGuarded()) {
      items(segment, false);
      return;
    }
    String all = "hal_all" + segment.number;
    out.raw(" bool " + all + " = true; {");
    uses(segment, Variable.Kind.REPEATED);
    for (Statement before : segment.statements.subList(0, segment.guard)) {
      statement(before, segment, 0, new boolean[1]);
    }
    for (int i = 0; i < segment.growing.size(); i++) {
      out.raw(" const auto hal_first" + i + " = ").tokens(segment.growing.get(i)).raw(";");
    }
    passes(segment, all);
    out.raw(" { hal_item hal_self(hal_group, HAL_X - 1, HAL_Y - 1, HAL_Z - 1);");
    uses(segment, Variable.Kind.REPEATED);
    for (Statement before : segment.statements.subList(0, segment.guard)) {
      statement(before, segment, 0, new boolean[1]);
    }
    for (int i = 0; i < segment.growing.size(); i++) {
      out.raw(" " + all + " = " + all + " && (").tokens(segment.growing.get(i));
      out.raw(") >= hal_first" + i + ";");
    }
    passes(segment, all);
    out.raw(" } } if (" + all + ") {");
    items(segment, true);
    out.raw(" } else {");
    items(segment, false);
    out.raw(" }");
  }

  private void passes(Step.Segment segment, String all) {
    If guard = (If) segment.statements.get(segment.guard);
    out.raw(" if (" + (segment.isGuardJump ? "" : "!") + "(").tokens(guard.condition());
    out.raw(")) " + all + " = false;");
  }

  /** Runs the items one after the other, perhaps without the guard, which then lets all pass. */
  private void items(Step.Segment segment, boolean isPassed) throws UnfitException {
    begin(segment);
    String end = "hal_end" + segment.number + (isPassed ? "_passed" : "");
    boolean[] hasJump = new boolean[1];
    jumpTo = end;
    out.raw(" {");
    for (int i = 0; i < segment.statements.size(); i++) {
      Statement statement = segment.statements.get(i);
      if (!isPassed || i != segment.guard) {
        statement(statement, segment, 0, hasJump);
      } else if (!segment.isGuardJump) {
        out.raw(" {");
        statement(((If) statement).then(), segment, 0, hasJump);
        out.raw(" }");
      }
    }
    out.raw(" }");
    if (hasJump[0]) {
      out.raw(" " + end + ":;");
    }
    out.raw(" HAL_ITEMS_END");
  }

  /** Declares the variable for all items, and under its own name that of the first. */
  private void array(Variable variable) {
    String name = variable.name();
    if (variable.kind == Variable.Kind.REPEATED) {
      out.raw(" " + variable.text() + ";");
    }
    if (variable.kind != Variable.Kind.ARRAY) {
      return;
    }
    Declarator declarator = variable.declarator;
    String type =
        variable.declaration.is("auto")
            ? "decltype(" + Tokens.text(value(declarator)) + ")"
            : Tokens.text(variable.declaration.plainType()) + Tokens.text(declarator.pointers());
    out.raw(
        " typedef hal_bare<"
            + type
            + "> "
            + typeName(variable)
            + Tokens.text(declarator.dimensions())
            + "; "
            + typeName(variable)
            + " "
            + variable.array()
            + "[HAL_ITEMS]"
            + (isFlag(variable) ? " = {}" : "")
            + "; auto& "
            + name
            + " = "
            + variable.array()
            + "[0];");
  }

  /** Whether it says which items take part in an exchange. */
  private static boolean isFlag(Variable variable) {
    return variable.name().startsWith(Meetings.EXCHANGED) && variable.declaration.is("bool");
  }

  private static String typeName(Variable variable) {
    return variable.array() + "_t";
  }

  private static List<Token> value(Declarator declarator) {
    List<Token> initial = declarator.initial();
    return Tokens.is(initial, 0, "=") ? initial.subList(1, initial.size()) : initial;
  }

  /** Begins the loop over the items that take part, with the variables of other segments. */
  private void begin(Step.Segment segment) {
    out.raw(" HAL_ITEMS_BEGIN");
    String masks =
        segment.masks.stream()
            .filter(mask -> mask.isNeeded().getAsBoolean())
            .map(Step.Mask::text)
            .collect(Collectors.joining(" && "));
    if (!masks.isEmpty()) {
      out.raw(" if (!(" + masks + ")) continue;");
    }
    uses(segment, Variable.Kind.REPEATED, Variable.Kind.ARRAY);
  }

  /** Gives an item the variables of other segments that are of some kinds. */
  private void uses(Step.Segment segment, Variable.Kind... kinds) {
    Set<String> seen = new HashSet<>();
    List<Variable> uses = new ArrayList<>(segment.uses);
    uses.sort((a, b) -> Integer.compare(b.number, a.number)); // inner ones hide outer ones
    List<Variable> visible = uses.stream().filter(use -> seen.add(use.name())).toList();
    for (int i = visible.size() - 1; i >= 0; i--) {
      Variable use = visible.get(i);
      if (!List.of(kinds).contains(use.kind)) {
        continue;
      }
      if (use.kind == Variable.Kind.ARRAY) {
        out.raw(" auto& " + use.name() + " = " + use.array() + "[hal_i];");
      } else if (use.kind == Variable.Kind.REPEATED) {
        out.raw(" " + use.text() + ";");
      }
    }
  }

  // Statements of a segment.

  private void statement(Statement statement, Step.Segment segment, int depth, boolean[] hasJump)
      throws UnfitException {
    if (statement instanceof Plain plain) {
      out.raw(" ").tokens(plain.tokens()).raw(";");
    } else if (statement instanceof Whole whole) {
      out.raw(" ").tokens(whole.tokens());
    } else if (statement instanceof Variables declared) {
      variables(declared, segment);
    } else if (statement instanceof Block block) {
      out.raw(" {");
      for (Statement inside : block.statements()) {
        statement(inside, segment, depth, hasJump);
      }
      out.raw(" }");
    } else if (statement instanceof If choice) {
      out.goTo(choice.at()).raw(choice.isConstant() ? " if constexpr (" : " if (");
      out.tokens(choice.condition()).raw(") {");
      statement(choice.then(), segment, depth, hasJump);
      out.raw(" }");
      if (choice.otherwise() != null) {
        out.raw(" else {");
        statement(choice.otherwise(), segment, depth, hasJump);
        out.raw(" }");
      }
    } else if (statement instanceof For loop) {
      out.goTo(loop.at()).raw(" for (");
      if (loop.start() instanceof Plain start) {
        out.tokens(start.tokens());
      } else if (loop.start() instanceof Variables start) {
        out.tokens(start.tokens());
      }
      out.raw("; ").tokens(loop.condition()).raw("; ").tokens(loop.step()).raw(") {");
      statement(loop.body(), segment, depth + 1, hasJump);
      out.raw(" }");
    } else if (statement instanceof Do loop) {
      out.goTo(loop.at()).raw(" do {");
      statement(loop.body(), segment, depth + 1, hasJump);
      out.raw(" } while (").tokens(loop.condition()).raw(");");
    } else if (statement instanceof Jump jump) {
      jump(jump, segment, depth, hasJump);
    }
  }

  private void jump(Jump jump, Step.Segment segment, int depth, boolean[] hasJump)
      throws UnfitException {
    if (jump.word().is("return")) {
      if (!jump.value().isEmpty()) {
        throw new UnfitException("a return with a value", jump.word());
      }
      out.raw(" { hal_alive[hal_i] = false; goto " + jumpTo + "; }");
      hasJump[0] = true;
    } else if (depth > 0) {
      out.raw(" " + jump.word() + ";");
    } else {
      Step.Loop loop = Objects.requireNonNull(segment.loop);
      String mask = jump.word().is("break") ? loop.inside() : loop.round();
      out.raw(" { " + mask + "[hal_i] = false; goto " + jumpTo + "; }");
      hasJump[0] = true;
    }
  }

  private void variables(Variables declared, Step.Segment segment) {
    for (Declarator declarator : declared.declaration().declarators()) {
      Variable variable =
          segment.declares.stream()
              .filter(own -> own.declarator == declarator)
              .findFirst()
              .orElse(null);
      if (variable != null && variable.kind == Variable.Kind.ARRAY) {
        element(variable);
      } else {
        out.raw(" ").tokens(declared.declaration().type()).tokens(declarator.pointers());
        out.token(declarator.name(), " " + declarator.name().text());
        out.tokens(declarator.dimensions()).tokens(declarator.initial()).raw(";");
      }
    }
  }

  private void element(Variable variable) {
    Declarator declarator = variable.declarator;
    String name = variable.name();
    out.goTo(declarator.name());
    out.raw(" auto& " + name + " = " + variable.array() + "[hal_i];");
    if (declarator.initial().isEmpty()) {
      return;
    }
    boolean isPlain =
        Tokens.is(declarator.initial(), 0, "=")
            && declarator.dimensions().isEmpty()
            && !Tokens.is(declarator.initial(), 1, "{");
    if (isPlain) {
      out.raw(" " + name).tokens(declarator.initial()).raw(";");
    } else {
      out.raw(" { " + typeName(variable) + " hal_new").tokens(declarator.initial());
      out.raw("; __builtin_memcpy(&" + name + ", &hal_new, sizeof hal_new); }");
    }
  }

  // Branches and loops.

  private void choice(Step.ItemIf choice) throws UnfitException {
    String array = "hal_choice" + choice.number();
    String some = "hal_some" + choice.number();
    String rest = "hal_rest" + choice.number();
    out.raw(" { bool " + array + "[HAL_ITEMS]; bool " + some + " = false, " + rest + " = false;");
    begin(choice.choice());
    out.raw(" bool hal_is = (").tokens(choice.condition()).raw(");");
    out.raw(" " + array + "[hal_i] = hal_is; " + some + " |= hal_is; " + rest + " |= !hal_is;");
    out.raw(" HAL_ITEMS_END if (" + some + ") {");
    steps(choice.then());
    out.raw(" }");
    if (!choice.otherwise().isEmpty()) {
      out.raw(" if (" + rest + ") {");
      steps(choice.otherwise());
      out.raw(" }");
    }
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
      }
      if (loop.hasBreaks) {
        out.raw(" if (!HAL_ANY(" + loop.inside() + ")) break;");
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
        begin(Objects.requireNonNull(loop.next));
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
    begin(Objects.requireNonNull(loop.test));
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
