// SPDX-License-Identifier: Apache-2.0
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

/**
 * Writes a segment as a loop over the work items: a segment with {@code v += in[i];}, where {@code
 * i} is computed again and {@code v} lives over a barrier, becomes
 *
 * <pre>{@code
 * HAL_ITEMS_BEGIN
 *   int i = threadIdx.x;
 *   auto& v = hal_own_v_1[hal_i];
 *   { v += in[i]; }
 * HAL_ITEMS_END
 * }</pre>
 */
final class SegmentWriter {
  private final Writer out;
  private final Proofs proofs;
  private final AccessOrder order;
  private int seals; // makes the names of what is sealed unique
  private String jumpTo = ""; // the end of the loop over the items that is being written
  private boolean hasReturn; // which that loop has

  SegmentWriter(Writer out, Proofs proofs, AccessOrder order) {
    this.out = out;
    this.proofs = proofs;
    this.order = order;
  }

  /** Writes the loop, and before it the arrays of the variables that are declared in it. */
  void segment(Step.Segment segment) throws UnfitException {
    for (Variable variable : segment.declares) {
      array(variable);
    }
    if (!segment.isGuarded()) {
      items(segment, Guard.KEPT);
      return;
    }
    String all = "hal_all" + segment.number;
    String leads = "hal_leads" + segment.number; // whether those that pass are the first ones
    out.raw(" bool " + all + " = true, " + leads + " = HAL_Y * HAL_Z == 1; {");
    uses(segment, Variable.Kind.REPEATED);
    for (Statement before : segment.statements.subList(0, segment.guard)) {
      statement(before, segment, 0, new boolean[1]);
    }
    for (int i = 0; i < segment.growing.size(); i++) {
      out.raw(" const auto hal_first" + i + " = ").tokens(segment.growing.get(i)).raw(";");
    }
    out.raw(proofs.of(((If) segment.statements.get(segment.guard)).condition()));
    passes(segment, all);
    out.raw(" { hal_item hal_self(hal_group, HAL_X - 1, HAL_Y - 1, HAL_Z - 1);");
    uses(segment, Variable.Kind.REPEATED);
    for (Statement before : segment.statements.subList(0, segment.guard)) {
      statement(before, segment, 0, new boolean[1]);
    }
    for (int i = 0; i < segment.growing.size(); i++) {
      out.raw(" if (!((").tokens(segment.growing.get(i)).raw(") >= hal_first" + i + "))");
      out.raw(" " + all + " = " + leads + " = false;");
      // Compared with an unsigned limit, a negative number is greater than others.
      out.raw(" if (hal_first" + i + " < 0) " + all + " = " + leads + " = false;");
    }
    passes(segment, all);
    out.raw(" } } if (" + all + ") {");
    items(segment, Guard.PASSED);
    if (!segment.isGuardJump) {
      out.raw(" } else if (" + leads + ") {");
      items(segment, Guard.ENDS);
    }
    out.raw(" } else {");
    items(segment, Guard.KEPT);
    out.raw(" }");
  }

  /** What becomes of the guard of a segment. */
  private enum Guard {
    /** Each item looks at it. */
    KEPT,
    /** It lets all pass. */
    PASSED,
    /** The first item that it keeps from the rest is followed by none that passes. */
    ENDS
  }

  private void passes(Step.Segment segment, String all) {
    If guard = (If) segment.statements.get(segment.guard);
    out.raw(" if (" + (segment.isGuardJump ? "" : "!") + "(").tokens(guard.condition());
    out.raw(")) " + all + " = false;");
  }

  /** Runs the items one after the other. */
  private void items(Step.Segment segment, Guard guard) throws UnfitException {
    begin(segment, List.of());
    String end = "hal_end" + segment.number + "_" + guard.ordinal();
    boolean[] hasJump = new boolean[1];
    jumpTo = end;
    hasReturn = false;
    out.raw(" {");
    for (int i = 0; i < segment.statements.size(); i++) {
      Statement statement = segment.statements.get(i);
      if (guard == Guard.KEPT || i != segment.guard) {
        statement(statement, segment, 0, hasJump);
      } else if (!segment.isGuardJump) {
        If choice = (If) statement;
        if (guard == Guard.ENDS) {
          out.raw(" if (!(").tokens(choice.condition()).raw(")) break;");
        }
        out.raw(" {");
        statement(choice.then(), segment, 0, hasJump);
        out.raw(" }");
      }
    }
    out.raw(" }");
    if (hasJump[0]) {
      out.raw(" " + end + ":;");
    }
    out.raw(" HAL_ITEMS_END");
    if (hasReturn) { // what shared memory then holds must not keep the workgroup in a loop
      out.raw(" if (!HAL_ANY(hal_alive)) goto hal_group_end;");
    }
  }

  /** Declares the variable for all items, and under its own name that of the first. */
  private void array(Variable variable) {
    String name = variable.name();
    if (variable.kind == Variable.Kind.REPEATED && variable.isMentioned) { // only its type counts
      out.raw(" hal_bare<" + type(variable) + "> " + name + ";");
    }
    if (variable.kind != Variable.Kind.ARRAY) {
      return;
    }
    out.goTo(variable.declarator.name());
    String array = variable.array();
    String typeName = typeName(variable);
    String dimensions = Tokens.code(variable.declarator.dimensions());
    String type = type(variable);
    if (!variable.declaration.is("auto")
        && !Declarations.isBuiltIn(variable.declaration, variable.declarator)) {
      out.raw(
          " static_assert(hal_no_reference<" + type + ">::value, \"a reference that lives over");
      out.raw(" a barrier\");");
    }
    out.raw(" typedef hal_bare<" + type + "> " + typeName + dimensions + ";");
    if (isFlag(variable)) {
      out.raw(" " + typeName + " " + array + "[HAL_ITEMS] = {};");
    } else {
      out.raw(" HAL_ALL(" + typeName + ", " + array + ", " + variable.number + ");");
    }
    out.raw(" auto& " + name + " = " + array + "[0];");
  }

  /** The type of a variable, outside the loop over the items. */
  private String type(Variable variable) {
    Declarator declarator = variable.declarator;
    if (!variable.declaration.is("auto")) {
      return Tokens.code(variable.declaration.plainType()) + Tokens.code(declarator.pointers());
    }
    List<Token> value = value(declarator);
    if (value.stream().noneMatch(token -> token.text().startsWith("HAL_READ"))) {
      return "decltype(" + Tokens.code(value) + ")";
    }
    // A read of what others have given needs the item's number, and may have a lambda, which
    // decltype does not take.
    String typed = "hal_typed" + variable.number;
    out.raw(" auto " + typed + " = [&](unsigned hal_i) { (void)hal_i; return ");
    out.raw(Tokens.code(value) + "; };");
    return "decltype(" + typed + "(0u))";
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

  /**
   * Begins the loop over the items that take part, with the variables of other segments.
   *
   * @param more what the caller writes behind the statements
   */
  void begin(Step.Segment segment, List<Token> more) {
    List<String> sealed = seal(segment);
    boolean isOrdered = order.matters(segment.statements, more);
    out.raw(isOrdered ? " HAL_ITEMS_IN_ORDER_BEGIN" : " HAL_ITEMS_BEGIN");
    sealed.forEach(out::raw);
    String masks = text(segment.masks);
    if (!masks.isEmpty()) {
      out.raw(" if (!(" + masks + ")) continue;");
    }
    uses(segment, Variable.Kind.REPEATED, Variable.Kind.ARRAY);
  }

  /**
   * Lets items only read what the workgroup has once: what changes it in a way that tokens do not
   * show does not compile. Returns the declarations for each item.
   */
  private List<String> seal(Step.Segment segment) {
    List<String> sealed = new ArrayList<>();
    Set<String> seen = new HashSet<>();
    for (Variable use : segment.uses) {
      if (use.kind == Variable.Kind.GROUP
          && !use.declaration.is("__shared__")
          && !use.declaration.is("constexpr")
          && seen.add(use.name())) {
        String seal = "hal_sealed" + ++seals;
        out.raw(" const auto& " + seal + " = " + use.name() + ";");
        sealed.add(" const auto& " + use.name() + " = " + seal + "; (void)" + use.name() + ";");
      }
    }
    return sealed;
  }

  /** A variable that is computed again, which nothing may change. */
  private String repeated(Variable variable) {
    if (variable.declarator.isReference()
        || Homes.isGroup(variable.declaration, variable.declarator)) {
      return " " + variable.text() + ";";
    }
    String seal = "hal_sealed" + ++seals;
    String name = variable.name();
    return " "
        + variable.text(seal)
        + "; const auto& "
        + name
        + " = "
        + seal
        + "; (void)"
        + name
        + ";";
  }

  private static String text(List<Step.Mask> masks) {
    return masks.stream()
        .filter(mask -> mask.isNeeded().getAsBoolean())
        .map(Step.Mask::text)
        .collect(Collectors.joining(" && "));
  }

  void full(Step.Full full) {
    String masks = text(full.masks());
    out.raw(" bool " + full.name() + " = true;");
    if (!masks.isEmpty()) {
      out.raw(" HAL_ITEMS_BEGIN " + full.name() + " &= " + masks + "; HAL_ITEMS_END");
    }
  }

  /** Opens two braces in which some item takes part; none if all do, and returns false. */
  boolean some(List<Step.Mask> masks) {
    String some = text(masks);
    if (!some.isEmpty()) {
      out.raw(" { bool hal_some = false; HAL_ITEMS_BEGIN hal_some |= " + some + ";");
      out.raw(" HAL_ITEMS_END if (hal_some) {");
    }
    return !some.isEmpty();
  }

  /**
   * Ends a loop in which no item is left. An item that has returned, or is in another branch, has
   * not left it by itself.
   */
  void breakWithout(Step.Loop loop) {
    String masks = text(loop.masks);
    if (masks.equals(loop.inside() + "[hal_i]")) {
      out.raw(" if (!HAL_ANY(" + loop.inside() + ")) break;");
      return;
    }
    out.raw(" { bool hal_some = false; HAL_ITEMS_BEGIN hal_some |= " + masks + ";");
    out.raw(" HAL_ITEMS_END if (!hal_some) break; }");
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
        out.raw(repeated(use));
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
      hasReturn = true;
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
      } else if (variable != null && variable.kind == Variable.Kind.REPEATED) {
        out.goTo(declarator.name()).raw(repeated(variable));
      } else {
        out.raw(" ").tokens(declared.declaration().type()).tokens(declarator.pointers());
        out.token(declarator.name(), " " + declarator.name().text());
        out.tokens(declarator.dimensions()).tokens(declarator.initial()).raw(";");
      }
      if (variable != null && variable.isRepeatable) {
        out.raw(proofs.of(declared.declaration(), declarator));
      }
      if (variable != null && !Declarations.isBuiltIn(declared.declaration(), declarator)) {
        String name = declarator.name().text();
        out.raw(" static_assert(__has_trivial_destructor(hal_bare<decltype(" + name + ")>),");
        out.raw(" \"a variable with a destructor where the kernel is divided\");");
      }
    }
  }

  private void element(Variable variable) {
    Declarator declarator = variable.declarator;
    String name = variable.name();
    out.goTo(declarator.name());
    out.raw(" auto& " + name + " = " + variable.array() + "[hal_i];");
    List<Token> initial = declarator.initial();
    boolean isBuiltIn = Declarations.isBuiltIn(variable.declaration, declarator);
    boolean isList = Tokens.is(initial, 1, "{");
    if (initial.isEmpty()) {
      out.raw(isBuiltIn ? "" : " hal_declare(" + name + ");");
    } else if (!declarator.dimensions().isEmpty() || (isBuiltIn && isList)) {
      out.raw(" { " + typeName(variable) + " hal_new").tokens(initial);
      out.raw("; __builtin_memcpy(&" + name + ", &hal_new, sizeof hal_new); }");
    } else if (!Tokens.is(initial, 0, "=")) {
      out.raw(" ::new (hal_place{&" + name + "}) " + typeName(variable)).tokens(initial).raw(";");
    } else if (isBuiltIn || name.startsWith(Meetings.EXCHANGED)) {
      out.raw(" " + name).tokens(initial).raw(";");
    } else { // as if it were declared here: an assignment may be another function
      String type = typeName(variable);
      out.raw(" ::new (hal_place{&" + name + "}) " + type + "([&]() -> " + type + " { return ");
      out.tokens(initial.subList(1, initial.size())).raw("; }());");
    }
  }
}
