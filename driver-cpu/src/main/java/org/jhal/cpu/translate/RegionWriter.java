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
import org.jhal.cpu.translate.Statement.Opaque;
import org.jhal.cpu.translate.Statement.Plain;
import org.jhal.cpu.translate.Statement.Variables;
import org.jspecify.annotations.Nullable;

/**
 * Writes a parallel region as a loop over the work items: a region with {@code v += in[i];}, where
 * {@code i} is rematerialized and {@code v} is live across a barrier, becomes
 *
 * <pre>{@code
 * HAL_ITEMS_BEGIN
 *   int i = threadIdx.x;
 *   auto& v = hal_own_v_1[hal_i];
 *   { v += in[i]; }
 * HAL_ITEMS_END
 * }</pre>
 */
final class RegionWriter {
  private static final String ITEMS = " HAL_ITEMS_BEGIN";
  private static final String ALIVE = "hal_alive[hal_i]";

  private final Writer out;
  private final Proofs proofs;
  private final IndexWidening widening;
  private final OwnedAtomics atomics;
  private final InnerRanges ranges;
  private final UnclampedRows unclamped;
  private final SharedCalls calls;
  private final DelayedAdds adds;
  private final ConditionalStores stores;
  private final Conjunctions conjunctions;
  private final UnrollAndJam jams;
  private final @Nullable Lockstep lockstep;
  private SharedCalls.@Nullable Shared shared; // by the items that are being written
  private InnerRanges.@Nullable Range inner; // whose items are being written
  private InnerRanges.@Nullable Range
      shortRow; // of rows that are written as a whole, a few vectors
  private int ends; // makes the names of the ends of loops unique
  private int takes; // makes the names of conditions unique
  private int seals; // makes the names of what is sealed unique
  private String jumpTo = ""; // the end of the loop over the items that is being written
  private boolean hasReturn; // which that loop has
  private @Nullable Jammed jammed; // the iterations that are being written, if several
  private @Nullable Statement passed; // a branch that all items take that are being written

  /**
   * For a kernel.
   *
   * @param proofs that its expressions may be computed once, or again
   * @param widening for subscripts
   * @param atomics on shared memory
   * @param ranges of items for which no clamp acts
   * @param calls whose results items share
   * @param adds to memory of the thread first
   * @param stores that are made in any case
   * @param conjunctions that are computed whole
   * @param jams loops of which items make several iterations in a row
   * @param lockstep for loops that items go through together; null if there are none
   */
  RegionWriter(
      Writer out,
      Proofs proofs,
      IndexWidening widening,
      OwnedAtomics atomics,
      InnerRanges ranges,
      SharedCalls calls,
      DelayedAdds adds,
      ConditionalStores stores,
      Conjunctions conjunctions,
      UnrollAndJam jams,
      @Nullable Lockstep lockstep) {
    this.out = out;
    this.proofs = proofs;
    this.widening = widening;
    this.atomics = atomics;
    this.ranges = ranges;
    this.unclamped = new UnclampedRows(ranges);
    this.calls = calls;
    this.adds = adds;
    this.stores = stores;
    this.conjunctions = conjunctions;
    this.jams = jams;
    this.lockstep = lockstep;
  }

  /** What the loops need, as declarations before the workgroups run. */
  String declarations() {
    return SharedCalls.TABLES + adds.declarations();
  }

  /** Writes the loop, and before it the arrays of the variables that are declared in it. */
  void region(Step.Region region) throws UnfitException {
    for (Variable variable : region.declares) {
      array(variable);
    }
    if (region.isLockstep) {
      together(region);
      return;
    }
    if (!region.isGuarded()) {
      items(region, Guard.KEPT);
      return;
    }
    String all = "hal_all" + region.number;
    String leads = "hal_leads" + region.number; // whether those that pass are the first ones
    out.raw(" bool " + all + " = true, " + leads + " = HAL_Y * HAL_Z == 1; {");
    uses(region, Variable.Kind.REMATERIALIZED);
    for (Statement before : region.statements.subList(0, region.guard)) {
      statement(before, region, 0, new boolean[1]);
    }
    for (int i = 0; i < region.growing.size(); i++) {
      out.raw(" const auto hal_first" + i + " = ").tokens(region.growing.get(i)).raw(";");
    }
    out.raw(proofs.of(((If) region.statements.get(region.guard)).condition()));
    passes(region, all);
    out.raw(" { hal_item hal_self(hal_group, hal_width - 1, HAL_Y - 1, HAL_Z - 1);");
    uses(region, Variable.Kind.REMATERIALIZED);
    for (Statement before : region.statements.subList(0, region.guard)) {
      statement(before, region, 0, new boolean[1]);
    }
    for (int i = 0; i < region.growing.size(); i++) {
      out.raw(" if (!((").tokens(region.growing.get(i)).raw(") >= hal_first" + i + "))");
      out.raw(" " + all + " = " + leads + " = false;");
      // Compared with an unsigned limit, a negative number is greater than others.
      out.raw(" if (hal_is_negative(hal_first" + i + ")) " + all + " = " + leads + " = false;");
    }
    passes(region, all);
    out.raw(" } } if (" + all + ") {");
    items(region, Guard.PASSED);
    if (!region.isGuardJump) {
      out.raw(" } else if (" + leads + ") {");
      items(region, Guard.ENDS);
    }
    out.raw(" } else {");
    items(region, Guard.KEPT);
    out.raw(" }");
  }

  /**
   * Begins the body of a loop: while enough iterations are left, each item makes several of them in
   * a row. Writes nothing if that does not pay, or is not known to be right.
   */
  void iterations(Step.Loop loop) throws UnfitException {
    UnrollAndJam.Jam jam = jams.of(loop);
    if (jam == null) {
      return;
    }
    Step.Region region = jam.region();
    int branch = branch(region.masks);
    String others = text(region.masks.stream().filter(mask -> mask.branch() == 0).toList());
    boolean isOfAlive = branch == 0 && others.equals(ALIVE);
    if (reads(region)
        || !(others.isEmpty() || isOfAlive)
        || calls.of(region, ranges.of(region, false), false) != null) {
      return;
    }
    String areAll =
        branch > 0 ? "!hal_span" + branch + ".has_gaps" : isOfAlive ? "hal_all_alive" : "true";
    for (int times : jam.times()) {
      List<String> counters = new ArrayList<>(List.of(jam.counter()));
      out.raw(" {");
      for (int i = 1; i < times; i++) {
        String next = "hal_next" + region.number + "_" + i;
        out.raw(" hal_bare<decltype(" + jam.counter() + ")> " + next);
        out.raw(" = " + counters.get(i - 1) + "; " + jam.step(next) + ";");
        counters.add(next);
      }
      out.raw(" if (" + areAll);
      for (String next : counters.subList(1, times)) {
        out.raw(" && (" + jam.condition(next) + ")");
      }
      out.raw(") {");
      jammed = new Jammed(jam, counters);
      items(region, Guard.KEPT, List.of(), branch);
      jammed = null;
      out.raw(" " + jam.counter() + " = " + counters.get(times - 1) + "; continue; } }");
    }
  }

  /**
   * Iterations that each item makes in a row.
   *
   * @param counters what the counter of the loop is in each of them
   */
  private record Jammed(UnrollAndJam.Jam jam, List<String> counters) {
    /** Begins a block for one of them, in which the counter has its name. */
    String begin(int iteration) {
      return iteration == 0
          ? " {"
          : " { const auto& " + jam.counter() + " = " + counters.get(iteration) + ";";
    }

    /** Something for all of them. */
    String blocks(String inside) {
      StringBuilder all = new StringBuilder();
      for (int i = 0; i < counters.size(); i++) {
        all.append(begin(i)).append(inside).append(" }");
      }
      return all.toString();
    }
  }

  /** Items go through the loop that the region is, several at once. */
  private void together(Step.Region region) throws UnfitException {
    Lockstep loops = Objects.requireNonNull(lockstep);
    Statement loop = region.statements.get(0);
    String masks = text(region.masks);
    out.raw(
        " HAL_TOGETHER_BEGIN hal_truth hal_taking = hal_items_where(hal_first_item, hal_items_left,");
    out.raw(" [&](unsigned hal_i) -> bool { (void)hal_i; return ");
    out.raw(masks.isEmpty() ? "true" : masks).raw("; }); if (hal_taking.any()) {");
    StringBuilder kept = new StringBuilder();
    region.together.forEach(
        (name, variable) -> {
          String items = variable.array() + " + hal_first_item";
          out.raw(" auto " + name + " = hal_items_of(" + items + ", hal_items_left);");
          if (!region.unread.contains(name)) {
            kept.append(" hal_items_to(").append(items).append(", ").append(name);
            kept.append(", hal_items_left);");
          }
        });
    loops.write(loop, "hal_taking", region.unread, out);
    out.raw(kept + " } HAL_TOGETHER_END");
  }

  /** What becomes of the guard of a region. */
  private enum Guard {
    /** Each item looks at it. */
    KEPT,
    /** It lets all pass. */
    PASSED,
    /** The first item that it keeps from the rest is followed by none that passes. */
    ENDS
  }

  private void passes(Step.Region region, String all) {
    If guard = (If) region.statements.get(region.guard);
    out.raw(" if (" + (region.isGuardJump ? "" : "!") + "(").tokens(guard.condition());
    out.raw(")) " + all + " = false;");
  }

  /** Runs the items one after the other. */
  private void items(Step.Region region, Guard guard) throws UnfitException {
    Variable flag = flag(region);
    if (flag == null) {
      branches(region, guard);
      return;
    }
    // Those whose flag is set mostly lie beside each other, and then need not look at it.
    String span = "hal_set" + region.number;
    out.raw(" { const hal_span<HAL_Y * HAL_Z, HAL_X * hal_most> " + span + "(" + flag.array());
    out.raw(", hal_width); if (!" + span + ".has_gaps) {");
    begin(region, List.of(), " HAL_ITEMS_IN(" + span + ")", 0);
    passed = region.statements.get(0);
    body(region, guard, "hal_end" + region.number + "_" + ++ends);
    passed = null;
    out.raw(" HAL_ITEMS_END } else {");
    branches(region, guard);
    out.raw(" } }");
  }

  /** The variable of each item that decides whether it does anything in a region; null if none. */
  private @Nullable Variable flag(Step.Region region) {
    if (region.statements.size() != 1
        || !(region.statements.get(0) instanceof If choice)
        || choice.isConstant()
        || choice.otherwise() != null
        || choice.leaves()
        || !text(region.masks).isEmpty()
        || region.residue != null
        || region.isGuarded()
        || choice.condition().size() != 1
        || reads(region)
        || ranges.of(region, false).hasBounds()) {
      return null;
    }
    for (Variable use : region.uses) {
      if (use.kind == Variable.Kind.EXPANDED
          && use.name().equals(choice.condition().get(0).text())
          && Tokens.text(use.declaration.type()).equals("bool")
          && use.declarator.pointers().isEmpty()
          && use.declarator.dimensions().isEmpty()
          && use.original() == null) {
        return use;
      }
    }
    return null;
  }

  private void branches(Step.Region region, Guard guard) throws UnfitException {
    int branch = branch(region.masks);
    Residues.Residue residue = region.residue;
    if (residue != null) {
      String every = "hal_every" + region.number;
      out.raw(" const hal_every " + every + "(").tokens(residue.modulus());
      out.raw(residue.modulus().isEmpty() ? "" : ", ").tokens(residue.rest());
      out.raw(", hal_width);" + proofs.of(residue.modulus()) + proofs.of(residue.rest()));
      items(region, guard, region.masks, 0);
    } else if (text(region.masks).equals(ALIVE)) { // in most workgroups all are
      out.raw(" if (hal_all_alive) {");
      items(region, guard, List.of(), 0);
      out.raw(" } else {");
      items(region, guard, region.masks, 0);
      out.raw(" }");
    } else if (branch == 0) {
      items(region, guard, region.masks, 0);
    } else { // most branches are taken by items beside each other, which then need no mask
      out.raw(" if (!hal_span" + branch + ".has_gaps) {");
      items(region, guard, region.masks, branch);
      out.raw(" } else {");
      items(region, guard, region.masks, 0);
      out.raw(" }");
    }
  }

  private void items(Step.Region region, Guard guard, List<Step.Mask> masks, int branch)
      throws UnfitException {
    boolean isEvery = region.residue != null;
    boolean reads = reads(region);
    boolean isRegular =
        !isEvery
            && !reads
            && branch == branch(region.masks)
            && guard != Guard.ENDS
            && !(guard == Guard.KEPT && region.isGuarded() && region.isGuardJump);
    InnerRanges.Range range = isRegular ? ranges.of(region, guard == Guard.PASSED) : null;
    SharedCalls.Shared rows = range == null ? null : calls.of(region, range, guard == Guard.PASSED);
    String end = "hal_end" + region.number + "_" + ++ends;
    if (range != null && (range.hasBounds() || rows != null)) {
      // Rows that are a few vectors long are faster as a whole.
      out.raw(" if constexpr (HAL_X * hal_most >= HAL_LONG_ROW) {");
      items(region, guard, masks, branch, range, rows, end + "_outer");
      out.raw(" } else {");
      shortRow = range;
      shortRows(region, guard, masks, branch, end);
      shortRow = null;
      out.raw(" }");
    } else {
      loop(region, guard, masks, branch, end);
    }
    if (hasReturn) { // what shared memory then holds must not keep the workgroup in a loop
      out.raw(" if (!HAL_ANY(hal_alive)) goto hal_group_end;");
      out.raw(" hal_all_alive = HAL_EVERY(hal_alive);");
    }
  }

  /** A loop over all items, and before it the same without clamps if none acts. */
  private void shortRows(
      Step.Region region, Guard guard, List<Step.Mask> masks, int branch, String end)
      throws UnfitException {
    UnclampedRows.Rows rows = unclamped.of(region, guard == Guard.PASSED);
    if (rows == null || jammed != null) { // it is known for one iteration at a time
      loop(region, guard, masks, branch, end);
      return;
    }
    out.raw(rows.test() + " if (!hal_clamps) {");
    Set<String> saved = widening.saved();
    inner = rows.range();
    loop(region, guard, masks, branch, end + "_unclamped");
    inner = null;
    widening.restore(saved);
    out.raw(" } else {");
    loop(region, guard, masks, branch, end);
    out.raw(" }");
  }

  private void loop(Step.Region region, Guard guard, List<Step.Mask> masks, int branch, String end)
      throws UnfitException {
    boolean isEvery = region.residue != null;
    boolean isOfWarps = branch == 0 && !isEvery && reads(region);
    begin(
        region,
        masks,
        isEvery
            ? " HAL_ITEMS_EVERY(hal_every" + region.number + ")"
            : isOfWarps
                ? " HAL_WARPS_BEGIN"
                : branch == 0 ? ITEMS : " HAL_ITEMS_IN(hal_span" + branch + ")",
        branch);
    body(region, guard, end);
    out.raw(isOfWarps ? " HAL_WARPS_END" : " HAL_ITEMS_END");
  }

  /** Those in a range of each row run in a form of their own. */
  private void items(
      Step.Region region,
      Guard guard,
      List<Step.Mask> masks,
      int branch,
      InnerRanges.Range range,
      SharedCalls.@Nullable Shared rows,
      String end)
      throws UnfitException {
    List<String> sealed = seal(region);
    String row = "hal_span" + branch;
    out.raw(branch == 0 ? " HAL_ROWS_BEGIN(0, hal_width)" : " HAL_ROWS_BEGIN(");
    if (branch != 0) {
      out.raw(row + ".from[hal_z * HAL_Y + hal_y], " + row + ".to[hal_z * HAL_Y + hal_y])");
    }
    String bounds = range.bounds();
    out.raw(" HAL_RANGE_BEGIN(" + range.isSameInRows() + ")");
    out.raw(jammed == null ? bounds : jammed.blocks(bounds));
    out.raw(" HAL_RANGE_END HAL_OUTER_BEGIN");
    begun(region, masks, branch, sealed);
    body(region, guard, end);
    inner = range;
    if (rows == null) {
      out.raw(" HAL_INNER_BEGIN");
      innerItems(region, guard, masks, branch, sealed, end + "_inner");
      out.raw(" HAL_INNER_END");
    } else {
      out.raw(" HAL_SHARED_BEGIN" + rows.rows() + " if (hal_has_rows) { HAL_SHARED_ITEMS");
      shared = rows;
      innerItems(region, guard, masks, branch, sealed, end + "_rows");
      shared = null;
      out.raw(" } } else { HAL_SHARED_ITEMS");
      innerItems(region, guard, masks, branch, sealed, end + "_inner");
      out.raw(" } } HAL_SHARED_END");
    }
    inner = null;
  }

  private void innerItems(
      Step.Region region,
      Guard guard,
      List<Step.Mask> masks,
      int branch,
      List<String> sealed,
      String end)
      throws UnfitException {
    Set<String> saved = widening.saved();
    begun(region, masks, branch, sealed);
    body(region, guard, end);
    widening.restore(saved);
  }

  /** An expression as it is for the items that are being written. */
  private List<Token> forItems(List<Token> tokens) {
    List<Token> all = shared == null ? tokens : shared.expression(tokens);
    return inner == null ? all : inner.expression(all);
  }

  private void body(Step.Region region, Guard guard, String end) throws UnfitException {
    if (jammed == null) {
      iteration(region, guard, end);
      return;
    }
    List<Variable> kept = jammed.jam.kept(); // in registers, between the first and the last one
    for (Variable each : kept) {
      out.raw(" auto " + each.array() + "_kept = " + each.name() + ";");
    }
    out.raw(" {");
    for (Variable each : kept) {
      out.raw(" auto& " + each.name() + " = " + each.array() + "_kept;");
    }
    for (int i = 0; i < jammed.counters.size(); i++) {
      Set<String> saved = widening.saved();
      out.raw(jammed.begin(i));
      iteration(region, guard, end);
      out.raw(" }");
      widening.restore(saved);
    }
    out.raw(" }");
    for (Variable each : kept) {
      out.raw(" " + each.name() + " = " + each.array() + "_kept;");
    }
  }

  private void iteration(Step.Region region, Guard guard, String end) throws UnfitException {
    boolean[] hasJump = new boolean[1];
    jumpTo = end;
    hasReturn = false;
    out.raw(" {");
    for (int i = 0; i < region.statements.size(); i++) {
      Statement statement = region.statements.get(i);
      if (guard == Guard.KEPT || i != region.guard) {
        statement(statement, region, 0, hasJump);
      } else if (!region.isGuardJump) {
        If choice = (If) statement;
        if (guard == Guard.ENDS) {
          out.raw(" if (!(").tokens(choice.condition()).raw(")) break;");
        }
        out.raw(" {");
        statement(choice.then(), region, 0, hasJump);
        out.raw(" }");
      }
    }
    out.raw(" }");
    if (hasJump[0]) {
      out.raw(" " + end + ":;");
    }
  }

  /** Declares the variable for all items, and under its own name that of the first. */
  private void array(Variable variable) {
    String name = variable.name();
    if (variable.kind == Variable.Kind.REMATERIALIZED
        && variable.isMentioned) { // only its type counts
      out.raw(" hal_bare<" + type(variable) + "> " + name + ";");
    }
    if (variable.kind != Variable.Kind.EXPANDED) {
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
    } else if (variable.original() != null) {
      out.raw(" HAL_ALL_OF(" + typeName + ", " + array + ", " + variable.number + ", ");
      out.raw(variable.original() + ");");
    } else {
      out.raw(" HAL_ALL(" + typeName + ", " + array + ", " + variable.number + ");");
    }
    if (isQualified(variable)) {
      String kept =
          variable.declaration.is("auto")
              ? (is(variable, "const") ? "const " : "")
                  + (is(variable, "volatile") ? "volatile " : "")
                  + ("hal_bare<" + type + ">")
              : "hal_kept<" + type + ">";
      out.raw(" typedef " + kept + " " + keptName(variable) + dimensions + ";");
    }
    out.raw(" " + reference(variable) + " " + name + " = " + array + "[0];");
  }

  /** Whether the type of a variable has, or may have, a {@code const} or a {@code volatile}. */
  private static boolean isQualified(Variable variable) {
    List<Token> pointers = variable.declarator.pointers();
    if (variable.name().startsWith(BarrierLowering.EXCHANGED)) {
      return false;
    }
    if (variable.declaration.is("auto") || !pointers.isEmpty()) {
      return is(variable, "const") || is(variable, "volatile");
    }
    return !Declarations.isBuiltIn(variable.declaration, variable.declarator)
        || variable.declaration.is("const")
        || variable.declaration.is("volatile");
  }

  /** Whether a variable itself is declared so, rather than what it points to. */
  private static boolean is(Variable variable, String qualifier) {
    List<Token> pointers = variable.declarator.pointers();
    for (int i = pointers.size() - 1; i >= 0 && !pointers.get(i).is("*"); i--) {
      if (pointers.get(i).is(qualifier)) {
        return true;
      }
    }
    return pointers.stream().noneMatch(token -> token.is("*"))
        && variable.declaration.is(qualifier);
  }

  private static String keptName(Variable variable) {
    return variable.array() + "_k";
  }

  /** How each item refers to its element, which is as constant as the variable. */
  private static String reference(Variable variable) {
    return isQualified(variable) ? keptName(variable) + "&" : "auto&";
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
    out.raw(" auto " + typed + " = [&](unsigned hal_i) { const unsigned hal_warp_i = hal_i / 32;");
    out.raw(" (void)hal_warp_i; return " + Tokens.code(value) + "; };");
    return "decltype(" + typed + "(0u))";
  }

  /** Whether it says which items take part in an exchange. */
  private static boolean isFlag(Variable variable) {
    return variable.name().startsWith(BarrierLowering.EXCHANGED) && variable.declaration.is("bool");
  }

  private static String typeName(Variable variable) {
    return variable.array() + "_t";
  }

  private static List<Token> value(Declarator declarator) {
    List<Token> initial = declarator.initial();
    return Tokens.is(initial, 0, "=") ? initial.subList(1, initial.size()) : initial;
  }

  /** Whether items read what is the same for their warp, or what others of it have given. */
  private static boolean reads(Step.Region region) {
    if (region.uses.stream().anyMatch(use -> !use.ofWarp.isEmpty())) {
      return true;
    }
    List<Token> all = new ArrayList<>();
    region.statements.forEach(statement -> statement.collect(all));
    return all.stream().anyMatch(token -> token.text().startsWith("HAL_READ_"));
  }

  /** Begins the loop over the items that take part, with the variables of other regions. */
  void begin(Step.Region region) {
    begin(region, region.masks, ITEMS, 0);
  }

  /**
   * The same in a loop of another kind.
   *
   * @param branch in which all items are that it goes through; 0 if that is not known
   */
  private void begin(Step.Region region, List<Step.Mask> masks, String loop, int branch) {
    List<String> sealed = seal(region);
    out.raw(loop);
    begun(region, masks, branch, sealed);
  }

  /** What each item begins with. */
  private void begun(Step.Region region, List<Step.Mask> masks, int branch, List<String> sealed) {
    sealed.forEach(out::raw);
    String others =
        text(branch == 0 ? masks : masks.stream().filter(mask -> mask.branch() == 0).toList());
    if (!others.isEmpty()) {
      out.raw(" if (!(" + others + ")) continue;");
    }
    uses(region, Variable.Kind.REMATERIALIZED, Variable.Kind.EXPANDED);
  }

  /**
   * Lets items only read what the workgroup has once: what changes it in a way that tokens do not
   * show does not compile. Returns the declarations for each item.
   */
  private List<String> seal(Step.Region region) {
    List<String> sealed = new ArrayList<>();
    Set<String> seen = new HashSet<>();
    for (Variable use : region.uses) {
      if (use.kind == Variable.Kind.UNIFORM
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

  /** What a variable begins with for the items that are being written. */
  private Declarator forItems(Declarations.Declaration declaration, Declarator declarator) {
    List<Token> initial =
        inner == null ? declarator.initial() : inner.initial(declaration, declarator);
    List<Token> all = shared == null ? initial : shared.expression(initial);
    boolean isBool =
        Tokens.text(declaration.plainType()).equals("bool")
            && declarator.pointers().isEmpty()
            && declarator.dimensions().isEmpty()
            && Tokens.is(all, 0, "=");
    if (isBool) {
      List<Token> value = all.subList(1, all.size());
      all = new ArrayList<>(all.subList(0, 1));
      all.addAll(whole(value));
    }
    return new Declarator(declarator.pointers(), declarator.name(), declarator.dimensions(), all);
  }

  /** A variable that is rematerialized, which nothing may change. */
  private String rematerialized(Variable variable) {
    Declarator declarator = forItems(variable.declaration, variable.declarator);
    if (variable.declarator.isReference()
        || Privatization.isGroup(variable.declaration, variable.declarator)) {
      return " " + variable.text() + ";";
    }
    String seal = "hal_sealed" + ++seals;
    String name = variable.name();
    return " "
        + variable.text(seal, declarator.initial())
        + "; const auto& "
        + name
        + " = "
        + seal
        + "; (void)"
        + name
        + ";"
        + widening.declared(variable.declaration, declarator);
  }

  private static String text(List<Step.Mask> masks) {
    return masks.stream()
        .filter(mask -> mask.isNeeded().getAsBoolean())
        .map(Step.Mask::text)
        .collect(Collectors.joining(" && "));
  }

  /** The innermost branch that they are in; 0 if in none. */
  private static int branch(List<Step.Mask> masks) {
    return masks.stream()
        .mapToInt(Step.Mask::branch)
        .filter(each -> each > 0)
        .reduce(0, (a, b) -> b);
  }

  void active(Step.Active active) {
    String masks = text(active.masks());
    boolean isAny = active.isAny() && !masks.isEmpty();
    List<Step.Mask> needed =
        active.masks().stream().filter(mask -> mask.isNeeded().getAsBoolean()).toList();
    if (!needed.isEmpty() && needed.stream().allMatch(mask -> mask.branch() > 0)) {
      // Whoever takes a branch takes those around it, which says so already.
      String all =
          needed.stream()
              .map(mask -> "!hal_rest" + mask.branch())
              .collect(Collectors.joining(" && "));
      out.raw(" bool " + active.name() + " = " + (isAny ? "hal_some" + branch(needed) : all) + ";");
      return;
    }
    out.raw(" bool " + active.name() + " = " + !isAny + ";");
    if (!masks.isEmpty()) {
      out.raw(" HAL_ITEMS_BEGIN " + active.name() + (isAny ? " |= " : " &= ") + masks);
      out.raw("; HAL_ITEMS_END");
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
    if (masks.equals(ALIVE)) { // the region in which the last one has returned ends the workgroup
      return;
    }
    if (masks.equals(loop.inside() + "[hal_i]")) {
      out.raw(" if (!HAL_ANY(" + loop.inside() + ")) break;");
      return;
    }
    out.raw(" { bool hal_some = false; HAL_ITEMS_BEGIN hal_some |= " + masks + ";");
    out.raw(" HAL_ITEMS_END if (!hal_some) break; }");
  }

  /** Gives an item the variables of other regions that are of some kinds. */
  private void uses(Step.Region region, Variable.Kind... kinds) {
    Set<String> seen = new HashSet<>();
    List<Variable> uses = new ArrayList<>(region.uses);
    uses.sort((a, b) -> Integer.compare(b.number, a.number)); // inner ones hide outer ones
    List<Variable> visible = uses.stream().filter(use -> seen.add(use.name())).toList();
    for (int i = visible.size() - 1; i >= 0; i--) {
      Variable use = visible.get(i);
      if (!List.of(kinds).contains(use.kind)) {
        continue;
      }
      if (use.kind == Variable.Kind.EXPANDED) {
        out.raw(" " + reference(use) + " " + use.name() + " = " + use.array() + "[hal_i];");
      } else if (use.kind == Variable.Kind.REMATERIALIZED) {
        out.raw(rematerialized(use));
      }
    }
  }

  // Statements of a region.

  private void statement(Statement statement, Step.Region region, int depth, boolean[] hasJump)
      throws UnfitException {
    if (statement instanceof Plain plain) {
      List<Token> tokens = forItems(plain.tokens());
      out.raw(" ").tokens(widening.subscripts(adds.statement(atomics.statement(tokens)))).raw(";");
    } else if (statement instanceof Opaque whole) {
      out.raw(" ").tokens(whole.tokens());
    } else if (statement instanceof Variables declared) {
      variables(declared, region);
    } else if (statement instanceof Block block) {
      out.raw(" {");
      for (Statement inside : block.statements()) {
        statement(inside, region, depth, hasJump);
      }
      out.raw(" }");
    } else if (statement instanceof If choice && choice == passed) {
      out.raw(" {");
      statement(choice.then(), region, depth, hasJump);
      out.raw(" }");
    } else if (statement instanceof If choice && stores.isOne(choice)) {
      stores(choice, region);
    } else if (statement instanceof If choice) {
      out.goTo(choice.at()).raw(choice.isConstant() ? " if constexpr (" : " if (");
      List<Token> condition = inner == null ? choice.condition() : inner.condition(choice);
      boolean isEvery = region.residue != null && region.residue.isWhole(choice);
      out.raw(isEvery ? "hal_every" + region.number + ".is_exact || (" : "");
      out.tokens(widening.subscripts(choice.isConstant() ? condition : whole(condition)));
      out.raw(isEvery ? ")) {" : ") {");
      statement(choice.then(), region, depth, hasJump);
      out.raw(" }");
      if (choice.otherwise() != null) {
        out.raw(" else {");
        statement(choice.otherwise(), region, depth, hasJump);
        out.raw(" }");
      }
    } else if (statement instanceof For loop) {
      out.goTo(loop.at()).raw(" for (");
      if (loop.start() instanceof Plain start) {
        out.tokens(widening.subscripts(start.tokens()));
      } else if (loop.start() instanceof Variables start) {
        out.tokens(start.tokens());
      }
      out.raw("; ").tokens(widening.subscripts(loop.condition()));
      out.raw("; ").tokens(widening.subscripts(loop.step())).raw(") {");
      statement(loop.body(), region, depth + 1, hasJump);
      out.raw(" }");
    } else if (statement instanceof Do loop) {
      out.goTo(loop.at()).raw(" do {");
      statement(loop.body(), region, depth + 1, hasJump);
      out.raw(" } while (").tokens(widening.subscripts(loop.condition())).raw(");");
    } else if (statement instanceof Jump jump) {
      jump(jump, region, depth, hasJump);
    }
  }

  /** A condition as it is for the items that are being written. */
  private List<Token> whole(List<Token> condition) {
    return shortRow == null ? condition : conjunctions.whole(condition, shortRow::isSameInRow);
  }

  /** A branch that only replaces elements, which are written in any case. */
  private void stores(If choice, Step.Region region) {
    String taken = "hal_taken" + ++takes;
    List<Token> condition = inner == null ? choice.condition() : inner.condition(choice);
    out.goTo(choice.at()).raw(" { const bool " + taken + " = ");
    out.tokens(widening.subscripts(condition)).raw(";");
    for (Statement statement : ConditionalStores.statements(choice.then())) {
      if (statement instanceof Variables declared) {
        variables(declared, region);
      } else if (statement instanceof Plain store) {
        List<List<Token>> parts = ConditionalStores.parts(forItems(store.tokens()));
        out.raw(" hal_replace(" + taken + ",").tokens(widening.subscripts(parts.get(0)));
        out.raw(",").tokens(widening.subscripts(parts.get(1))).raw(");");
      }
    }
    out.raw(" }");
  }

  private void jump(Jump jump, Step.Region region, int depth, boolean[] hasJump)
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
      Step.Loop loop = Objects.requireNonNull(region.loop);
      String mask = jump.word().is("break") ? loop.inside() : loop.iteration();
      out.raw(" { " + mask + "[hal_i] = false; goto " + jumpTo + "; }");
      hasJump[0] = true;
    }
  }

  private void variables(Variables declared, Step.Region region) {
    for (Declarator declarator : declared.declaration().declarators()) {
      Variable variable =
          region.declares.stream()
              .filter(own -> own.declarator == declarator)
              .findFirst()
              .orElse(null);
      if (variable != null && variable.kind == Variable.Kind.EXPANDED) {
        element(variable);
      } else if (variable != null && variable.kind == Variable.Kind.REMATERIALIZED) {
        out.goTo(declarator.name()).raw(rematerialized(variable));
      } else {
        Declarator own = forItems(declared.declaration(), declarator);
        String wide = widening.declaredIfFixed(declared.declaration(), own);
        out.raw(" ").tokens(declared.declaration().type()).tokens(declarator.pointers());
        out.raw(wide.isEmpty() || declared.declaration().is("const") ? "" : " const");
        out.token(declarator.name(), " " + declarator.name().text());
        out.tokens(declarator.dimensions());
        out.tokens(widening.subscripts(own.initial())).raw(";");
        out.raw(wide);
      }
      if (variable != null && variable.isRematerializable) {
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
    if (isQualified(variable)) { // it is written where it begins
      String element = variable.array() + "_i";
      out.raw(" auto& " + element + " = " + variable.array() + "[hal_i];");
      out.raw(" " + keptName(variable) + "& " + name + " = " + element + "; (void)" + name + ";");
      name = element;
    } else {
      out.raw(" auto& " + name + " = " + variable.array() + "[hal_i];");
    }
    if (variable.original() != null) {
      out.raw(" if constexpr (!" + variable.array() + "_is_other)");
    }
    List<Token> initial = forItems(variable.declaration, declarator).initial();
    boolean isBuiltIn = Declarations.isBuiltIn(variable.declaration, declarator);
    boolean isList = Tokens.is(initial, 1, "{");
    if (initial.isEmpty()) {
      out.raw(isBuiltIn ? "" : " hal_declare(" + name + ");");
    } else if (variable.isOfClass && Tokens.is(initial, 0, "=")) { // its address may be kept
      out.raw(
          " ::new (hal_place{__builtin_addressof("
              + name
              + ")}) hal_initial<"
              + typeName(variable)
              + ">{");
      out.tokens(widening.subscripts(initial.subList(1, initial.size()))).raw("};");
    } else if (!declarator.dimensions().isEmpty() || (isBuiltIn && isList)) {
      out.raw(" { " + typeName(variable) + " hal_new").tokens(initial);
      out.raw("; __builtin_memcpy(&" + name + ", &hal_new, sizeof hal_new); }");
    } else if (!Tokens.is(initial, 0, "=")) {
      out.raw(" ::new (hal_place{__builtin_addressof(" + name + ")}) " + typeName(variable))
          .tokens(initial)
          .raw(";");
    } else if (isBuiltIn || variable.name().startsWith(BarrierLowering.EXCHANGED)) {
      out.raw(" " + name).tokens(widening.subscripts(initial)).raw(";");
    } else { // as if it were declared here: an assignment may be another function
      String type = typeName(variable);
      out.raw(
          " ::new (hal_place{__builtin_addressof("
              + name
              + ")}) "
              + type
              + "([&]() -> "
              + type
              + " { return ");
      out.tokens(widening.subscripts(initial.subList(1, initial.size()))).raw("; }());");
    }
  }
}
