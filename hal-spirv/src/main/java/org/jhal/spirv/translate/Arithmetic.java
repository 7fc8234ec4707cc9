// SPDX-License-Identifier: Apache-2.0
package org.jhal.spirv.translate;

import org.jhal.spirv.assembly.FunctionBuilder;
import org.jhal.spirv.assembly.ModuleBuilder;
import org.jhal.spirv.module.Instruction;
import org.jhal.spirv.module.KernelFunction;
import org.jhal.spirv.module.Op;

/** Arithmetic, comparisons, and operations on bits. */
final class Arithmetic {
  private static final int HALF = 16;
  private static final int FLOAT = 32;

  private final Scope scope;
  private final FunctionBuilder code;
  private final ModuleBuilder out;
  private final BitFunctions bits;
  private final HalfRounding halves;

  Arithmetic(Scope scope) {
    this.scope = scope;
    code = scope.code;
    out = scope.out();
    bits = new BitFunctions(scope);
    halves = new HalfRounding(scope);
  }

  /** Translates an instruction; false if it is none of these. */
  boolean translate(Instruction in) {
    switch (in.op()) {
      case Op.F_ADD, Op.F_SUB, Op.F_MUL, Op.F_NEGATE -> {
        int[] values = values(in);
        scope.values.define(in, code.exact(in.op(), scope.outType(in), values));
      }
      case Op.F_DIV -> divide(in, "hal_divide", Op.F_DIV);
      case Op.F_REM -> divide(in, "hal_remainder", 0);
      case Op.BIT_COUNT -> define(in, bits.count(in, in.word(2)));
      case Op.BIT_REVERSE -> define(in, bits.reverse(in, in.word(2)));
      case Op.IS_NAN, Op.IS_INF -> {
        int value = scope.value(in, in.word(2));
        define(in, code.value(in.op(), scope.outType(in), value));
      }
      case Op.IS_FINITE -> {
        int value = scope.value(in, in.word(2));
        int type = scope.outType(in);
        int isNot =
            code.value(
                Op.LOGICAL_OR,
                type,
                code.value(Op.IS_NAN, type, value),
                code.value(Op.IS_INF, type, value));
        define(in, code.value(Op.LOGICAL_NOT, type, isNot));
      }
      case Op.SIGN_BIT_SET -> {
        Instruction type = scope.typeOf(in, in.word(2));
        int width = scope.bits(in, type);
        int count = scope.count(type);
        int whole = out.vector(out.integer(width), count);
        int raw = code.value(Op.BITCAST, whole, scope.value(in, in.word(2)));
        int zero = out.constant(width, count, 0);
        define(in, code.testSigned(Op.S_LESS_THAN, width, count, raw, zero));
      }
      case Op.ORDERED, Op.UNORDERED -> {
        int[] values = values(in);
        int type = scope.outType(in);
        int isUnordered =
            code.value(
                Op.LOGICAL_OR,
                type,
                code.value(Op.IS_NAN, type, values[0]),
                code.value(Op.IS_NAN, type, values[1]));
        define(
            in,
            in.op() == Op.UNORDERED ? isUnordered : code.value(Op.LOGICAL_NOT, type, isUnordered));
      }
      case Op.S_NEGATE,
          Op.I_ADD,
          Op.I_SUB,
          Op.I_MUL,
          Op.U_DIV,
          Op.S_DIV,
          Op.U_MOD,
          Op.I_ADD_CARRY,
          Op.I_SUB_BORROW,
          Op.U_MUL_EXTENDED,
          Op.S_MUL_EXTENDED,
          Op.SHIFT_RIGHT_LOGICAL,
          Op.SHIFT_RIGHT_ARITHMETIC,
          Op.SHIFT_LEFT_LOGICAL,
          Op.BITWISE_OR,
          Op.BITWISE_XOR,
          Op.BITWISE_AND,
          Op.NOT ->
          define(in, code.value(in.op(), scope.outType(in), values(in)));
      case Op.S_REM -> define(in, signedRemainder(in));
      case Op.S_LESS_THAN, Op.S_LESS_THAN_EQUAL, Op.S_GREATER_THAN, Op.S_GREATER_THAN_EQUAL ->
          compareSigned(in);
      default -> {
        if (in.op() < Op.I_EQUAL || in.op() > Op.F_UNORD_GREATER_THAN_EQUAL) {
          return false;
        }
        define(in, code.value(in.op(), scope.outType(in), values(in)));
      }
    }
    return true;
  }

  private void define(Instruction in, int value) {
    scope.values.define(in, value);
  }

  private int[] values(Instruction in) {
    int[] values = Operands.values(in);
    for (int i = 0; i < values.length; i++) {
      values[i] = scope.value(in, values[i]);
    }
    return values;
  }

  /**
   * What a division leaves. Vulkan leaves open what its own operation gives for negative numbers:
   * an H200 takes those as large ones if the divisor is constant.
   */
  private int signedRemainder(Instruction in) {
    int type = scope.outType(in);
    int[] values = values(in);
    int quotient = code.value(Op.S_DIV, type, values);
    int product = code.value(Op.I_MUL, type, quotient, values[1]);
    return code.value(Op.I_SUB, type, values[0], product);
  }

  /** Compares signed integers, or vectors of them. */
  private void compareSigned(Instruction in) {
    int[] values = values(in);
    Instruction type = scope.typeOf(in, in.word(2));
    int bits = scope.bits(in, type);
    define(in, code.testSigned(in.op(), bits, scope.count(type), values[0], values[1]));
  }

  /**
   * Divides by a function of the module, since Vulkan promises no exact quotients. Where it has
   * none, or in that function itself, Vulkan divides.
   */
  private void divide(Instruction in, String name, int otherwise) {
    Instruction type = scope.resultType(in);
    int[] values = values(in);
    int bits = scope.bits(in, type);
    int count = scope.count(type);
    if (count == 1) {
      define(in, quotient(in, bits, values[0], values[1], name, otherwise));
      return;
    }
    int one = out.floating(bits);
    int[] quotients = new int[count];
    for (int i = 0; i < count; i++) {
      int a = code.value(Op.COMPOSITE_EXTRACT, one, values[0], i);
      int b = code.value(Op.COMPOSITE_EXTRACT, one, values[1], i);
      quotients[i] = quotient(in, bits, a, b, name, otherwise);
    }
    define(in, code.value(Op.COMPOSITE_CONSTRUCT, scope.outType(in), quotients));
  }

  /** Divides two numbers; halves as floats, which have more than twice their digits. */
  private int quotient(Instruction in, int bits, int a, int b, String name, int otherwise) {
    int type = out.floating(bits);
    if (bits == HALF) {
      int wide = out.floating(FLOAT);
      int x = code.value(Op.F_CONVERT, wide, a);
      int y = code.value(Op.F_CONVERT, wide, b);
      return halves.round(quotient(in, FLOAT, x, y, name, otherwise), 1);
    }
    KernelFunction function = scope.translation.exported(name + "_f" + bits);
    if (function != null && function != scope.function) {
      return code.call(type, scope.translation.function(function), new int[] {a, b});
    }
    if (otherwise == 0) {
      throw scope.unsupported(Op.name(in.op()) + " without a function " + name);
    }
    return code.exact(otherwise, type, a, b);
  }
}
