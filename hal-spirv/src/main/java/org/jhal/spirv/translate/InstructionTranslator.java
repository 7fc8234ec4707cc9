// SPDX-License-Identifier: Apache-2.0
package org.jhal.spirv.translate;

import org.jhal.spirv.assembly.FunctionBuilder;
import org.jhal.spirv.assembly.ModuleBuilder;
import org.jhal.spirv.module.Instruction;
import org.jhal.spirv.module.KernelTypes;
import org.jhal.spirv.module.Op;

/** Translates the instructions of a function's blocks: the simple ones, and others by others. */
final class InstructionTranslator {
  private final Scope scope;
  private final FunctionBuilder code;
  private final ModuleBuilder out;
  private final Accesses accesses;
  private final Addresses addresses;
  private final Arithmetic arithmetic;
  private final Atomics atomics;
  private final Calls calls;
  private final Conversions conversions;
  private final ExtendedInstructions extended;

  InstructionTranslator(Scope scope) {
    this.scope = scope;
    code = scope.code;
    out = scope.out();
    accesses = new Accesses(scope);
    addresses = new Addresses(scope);
    arithmetic = new Arithmetic(scope);
    atomics = new Atomics(scope, accesses);
    calls = new Calls(scope, atomics);
    conversions = new Conversions(scope);
    extended = new ExtendedInstructions(scope, calls);
  }

  /** See {@link Accesses#copyArgument}. */
  void copyArgument(Instruction parameter, int address) {
    accesses.copyArgument(parameter, address);
  }

  void translate(Instruction in) {
    switch (in.op()) {
      case Op.VARIABLE -> addVariable(in);
      case Op.LIFETIME_START, Op.LIFETIME_STOP, Op.NOP -> {}
      case Op.UNDEF -> scope.values.define(in, undefined(in));
      case Op.LOAD -> accesses.load(in);
      case Op.STORE -> accesses.store(in);
      case Op.COPY_MEMORY, Op.COPY_MEMORY_SIZED -> accesses.copy(in);
      case Op.ACCESS_CHAIN,
          Op.IN_BOUNDS_ACCESS_CHAIN,
          Op.PTR_ACCESS_CHAIN,
          Op.IN_BOUNDS_PTR_ACCESS_CHAIN ->
          addresses.chain(in);
      case Op.GENERIC_CAST_TO_PTR_EXPLICIT -> addresses.castExplicitly(in);
      case Op.PTR_DIFF -> addresses.difference(in);
      case Op.PTR_EQUAL, Op.PTR_NOT_EQUAL -> {
        int op = in.op() == Op.PTR_EQUAL ? Op.I_EQUAL : Op.I_NOT_EQUAL;
        define(in, op, scope.value(in, in.word(2)), scope.value(in, in.word(3)));
      }
      case Op.PTR_CAST_TO_GENERIC,
          Op.GENERIC_CAST_TO_PTR,
          Op.CONVERT_PTR_TO_U,
          Op.CONVERT_U_TO_PTR,
          Op.COPY_OBJECT ->
          copy(in);
      case Op.BITCAST -> {
        boolean isPointer = KernelTypes.isPointer(scope.resultType(in));
        if (isPointer || outTypeOf(in, in.word(2)) == scope.outType(in)) {
          copy(in);
        } else {
          define(in, Op.BITCAST, scope.value(in, in.word(2)));
        }
      }
      case Op.COMPOSITE_EXTRACT, Op.COMPOSITE_INSERT, Op.VECTOR_SHUFFLE -> partly(in);
      case Op.COMPOSITE_CONSTRUCT, Op.VECTOR_EXTRACT_DYNAMIC, Op.VECTOR_INSERT_DYNAMIC ->
          define(in, in.op(), values(in));
      case Op.SELECT,
          Op.LOGICAL_EQUAL,
          Op.LOGICAL_NOT_EQUAL,
          Op.LOGICAL_OR,
          Op.LOGICAL_AND,
          Op.LOGICAL_NOT,
          Op.ANY,
          Op.ALL ->
          define(in, in.op(), values(in));
      case Op.FUNCTION_CALL -> calls.call(in);
      case Op.FUNCTION_POINTER_CALL -> calls.callByPointer(in);
      case Op.EXT_INST -> extended.translate(in);
      case Op.CONTROL_BARRIER -> calls.barrier();
      case Op.MEMORY_BARRIER -> calls.fence(true);
      case Op.CONVERT_F_TO_U,
          Op.CONVERT_F_TO_S,
          Op.CONVERT_S_TO_F,
          Op.CONVERT_U_TO_F,
          Op.U_CONVERT,
          Op.S_CONVERT,
          Op.F_CONVERT ->
          conversions.translate(in);
      default -> {
        if (in.op() >= Op.ATOMIC_LOAD && in.op() <= Op.ATOMIC_XOR) {
          atomics.translate(in);
        } else if (!arithmetic.translate(in)) {
          throw scope.unsupported(Op.name(in.op()) + " (word " + in.offset() + " of its SPIR-V)");
        }
      }
    }
  }

  private void addVariable(Instruction in) {
    if (in.count() > 3) {
      throw scope.unsupported("a variable with an initial value in a function");
    }
    Long address = scope.translation.memories().address(in.result());
    if (address == null) {
      throw in.invalid("has no place");
    }
    scope.values.define(in, out.constant((long) address));
  }

  private int undefined(Instruction in) {
    return KernelTypes.isPointer(scope.resultType(in))
        ? out.constant(0L)
        : out.declared(Op.CONSTANT_NULL, scope.outType(in));
  }

  private int outTypeOf(Instruction user, int id) {
    return scope.translation.outTypes().of(scope.typeOf(user, id));
  }

  /** A pointer that is another one by another type, or a number that is one. */
  private void copy(Instruction in) {
    int value = scope.value(in, in.word(2));
    int type = scope.outType(in);
    scope.values.define(
        in, outTypeOf(in, in.word(2)) == type ? value : code.value(Op.U_CONVERT, type, value));
  }

  private int[] values(Instruction in) {
    int[] values = Operands.values(in);
    for (int i = 0; i < values.length; i++) {
      values[i] = scope.value(in, values[i]);
    }
    return values;
  }

  private void define(Instruction in, int op, int... operands) {
    scope.values.define(in, code.value(op, scope.outType(in), operands));
  }

  /** An instruction whose last operands are numbers. */
  private void partly(Instruction in) {
    int[] values = values(in);
    int[] operands = java.util.Arrays.copyOf(values, in.count() - 2);
    for (int i = values.length; i < operands.length; i++) {
      operands[i] = in.word(i + 2);
    }
    define(in, in.op(), operands);
  }
}
