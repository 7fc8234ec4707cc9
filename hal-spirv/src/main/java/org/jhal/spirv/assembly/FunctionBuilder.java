// SPDX-License-Identifier: Apache-2.0
package org.jhal.spirv.assembly;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.IntConsumer;
import java.util.function.IntSupplier;
import org.jhal.spirv.module.Op;

/**
 * The code of a function in the making. Values are ids; a method that computes something returns
 * the id of its result. Not thread-safe.
 */
public final class FunctionBuilder {
  private final ModuleBuilder module;
  private final Words head = new Words();
  private final Words variables = new Words();
  private final Words code = new Words();
  private final Set<Integer> globals = new TreeSet<>();
  private final Set<Integer> callees = new TreeSet<>();
  private int label;

  /** A function that begins with the block {@code entry}. */
  public FunctionBuilder(
      ModuleBuilder module, int id, int returns, List<Integer> types, List<Integer> parameters) {
    this.module = module;
    int[] all = new int[types.size() + 1];
    all[0] = returns;
    Arrays.setAll(all, i -> i == 0 ? returns : types.get(i - 1));
    head.instruction(Op.FUNCTION, returns, id, 0, module.type(Op.TYPE_FUNCTION, all));
    for (int i = 0; i < types.size(); i++) {
      head.instruction(Op.FUNCTION_PARAMETER, types.get(i), parameters.get(i));
    }
    label = module.id();
    head.instruction(Op.LABEL, label);
  }

  /** The module. */
  public ModuleBuilder module() {
    return module;
  }

  /** The label of the block to which code is added. */
  public int label() {
    return label;
  }

  /** The variables outside functions that the code has named. */
  public Set<Integer> globals() {
    return globals;
  }

  /** The functions that the code calls. */
  public Set<Integer> callees() {
    return callees;
  }

  /** Notes that the code names a variable outside functions, and returns it. */
  public int global(int variable) {
    globals.add(variable);
    return variable;
  }

  /** A variable of the function. */
  public int variable(int type) {
    int id = module.id();
    variables.instruction(
        Op.VARIABLE, module.pointer(Storage.FUNCTION, type), id, Storage.FUNCTION);
    return id;
  }

  /** A variable of the function with several elements. */
  public int array(int type, int length) {
    return variable(module.type(Op.TYPE_ARRAY, type, module.constant(length)));
  }

  /** Adds an instruction without a result. */
  public void add(int op, int... operands) {
    code.instruction(op, operands);
  }

  /** Begins a block. */
  public void begin(int label) {
    code.instruction(Op.LABEL, label);
    this.label = label;
  }

  /** Adds an instruction with a result. */
  public int value(int op, int type, int... operands) {
    int id = module.id();
    code.instruction(op, Words.joined(new int[] {type, id}, operands));
    return id;
  }

  /** Adds arithmetic of floating-point numbers, which must be done as it is written. */
  public int exact(int op, int type, int... operands) {
    int id = value(op, type, operands);
    module.decorate(id, Decoration.NO_CONTRACTION);
    return id;
  }

  /** Adds an instruction of GLSL.std.450. */
  public int glsl(int instruction, int type, int... operands) {
    return value(Op.EXT_INST, type, Words.joined(new int[] {module.glsl(), instruction}, operands));
  }

  /** Calls a function. */
  public int call(int type, int function, int... arguments) {
    callees.add(function);
    return value(Op.FUNCTION_CALL, type, Words.joined(new int[] {function}, arguments));
  }

  /** Loads from a pointer. */
  public int load(int type, int pointer) {
    return value(Op.LOAD, type, pointer);
  }

  /** Computes with numbers of 32 bits. */
  public int u32(int op, int... operands) {
    return value(op, module.u32(), operands);
  }

  /** Computes with numbers of 64 bits. */
  public int u64(int op, int... operands) {
    return value(op, module.u64(), operands);
  }

  /** Compares. */
  public int test(int op, int... operands) {
    return value(op, module.bool(), operands);
  }

  /** Compares vectors of some numbers, or single numbers. */
  public int testEach(int count, int op, int... operands) {
    return value(op, module.vector(module.bool(), count), operands);
  }

  /**
   * Compares signed integers of a number of bits, or vectors of some of them. Those of 64 bits are
   * compared as unsigned ones with the highest bit changed: lavapipe of Mesa 22.3 compares with
   * constants wrongly, and a number may become one when a loop is unrolled.
   */
  public int testSigned(int op, int bits, int count, int a, int b) {
    if (bits != Long.SIZE) {
      return testEach(count, op, a, b);
    }
    int unsigned =
        switch (op) {
          case Op.S_LESS_THAN -> Op.U_LESS_THAN;
          case Op.S_LESS_THAN_EQUAL -> Op.U_LESS_THAN_EQUAL;
          case Op.S_GREATER_THAN -> Op.U_GREATER_THAN;
          case Op.S_GREATER_THAN_EQUAL -> Op.U_GREATER_THAN_EQUAL;
          default -> throw new IllegalArgumentException(Op.name(op) + " compares nothing signed");
        };
    return testEach(count, unsigned, withoutSign(count, a), withoutSign(count, b));
  }

  private int withoutSign(int count, int value) {
    Long known = module.number(value);
    return known != null
        ? module.constant(known ^ Long.MIN_VALUE)
        : value(
            Op.BITWISE_XOR,
            module.vector(module.u64(), count),
            value,
            module.constant(Long.SIZE, count, Long.MIN_VALUE));
  }

  /** A constant of 32 bits. */
  public int constant(int value) {
    return module.constant(value);
  }

  /** Adds code that runs where a condition holds. */
  public void when(int condition, Runnable code) {
    int then = module.id();
    int merge = module.id();
    add(Op.SELECTION_MERGE, merge, 0);
    add(Op.BRANCH_CONDITIONAL, condition, then, merge);
    begin(then);
    code.run();
    add(Op.BRANCH, merge);
    begin(merge);
  }

  /** Adds code that computes one value where a condition holds, and another where not. */
  public int choose(int type, int condition, IntSupplier yes, IntSupplier no) {
    int then = module.id();
    int otherwise = module.id();
    int merge = module.id();
    add(Op.SELECTION_MERGE, merge, 0);
    add(Op.BRANCH_CONDITIONAL, condition, then, otherwise);
    begin(then);
    int first = yes.getAsInt();
    int firstLabel = label;
    add(Op.BRANCH, merge);
    begin(otherwise);
    int second = no.getAsInt();
    int secondLabel = label;
    add(Op.BRANCH, merge);
    begin(merge);
    return value(Op.PHI, type, first, firstLabel, second, secondLabel);
  }

  /** Adds code that runs where a condition holds, and other code where not; both return 0. */
  public void branch(int condition, IntSupplier yes, IntSupplier no) {
    int then = module.id();
    int otherwise = module.id();
    int merge = module.id();
    add(Op.SELECTION_MERGE, merge, 0);
    add(Op.BRANCH_CONDITIONAL, condition, then, otherwise);
    begin(then);
    int first = yes.getAsInt();
    add(Op.BRANCH, merge);
    begin(otherwise);
    int second = no.getAsInt();
    add(Op.BRANCH, merge);
    begin(merge);
    if (first != 0 && second != 0) {
      throw new IllegalArgumentException("values, which have to be chosen between");
    }
  }

  /** Adds code that runs for each number of 64 bits below {@code count}. */
  public void repeat(int count, IntConsumer body) {
    int variable = variable(module.u64());
    int head = module.id();
    int test = module.id();
    int inside = module.id();
    int again = module.id();
    int merge = module.id();
    add(Op.STORE, variable, module.constant(0L));
    add(Op.BRANCH, head);
    begin(head);
    add(Op.LOOP_MERGE, merge, again, 0);
    add(Op.BRANCH, test);
    begin(test);
    int i = load(module.u64(), variable);
    add(Op.BRANCH_CONDITIONAL, test(Op.U_LESS_THAN, i, count), inside, merge);
    begin(inside);
    body.accept(i);
    add(Op.BRANCH, again);
    begin(again);
    add(Op.STORE, variable, u64(Op.I_ADD, load(module.u64(), variable), module.constant(1L)));
    add(Op.BRANCH, head);
    begin(merge);
  }

  /** Adds the finished function to the module. */
  public void finish() {
    Words all = new Words();
    all.addAll(head);
    all.addAll(variables);
    all.addAll(code);
    all.instruction(Op.FUNCTION_END);
    module.add(all);
  }
}
