// SPDX-License-Identifier: Apache-2.0
package org.jhal.spirv.translate;

import org.jhal.spirv.assembly.FunctionBuilder;
import org.jhal.spirv.assembly.ModuleBuilder;
import org.jhal.spirv.module.Instruction;
import org.jhal.spirv.module.Op;

/** Functions of the bits of an integer, which Vulkan has for 32 bits alone. */
final class BitFunctions {
  private static final int FIND_I_LSB = 73;
  private static final int FIND_U_MSB = 75;

  private final Scope scope;
  private final FunctionBuilder code;
  private final ModuleBuilder out;

  BitFunctions(Scope scope) {
    this.scope = scope;
    code = scope.code;
    out = scope.out();
  }

  private int width(Instruction in, int id) {
    Instruction type = scope.typeOf(in, id);
    if (type.op() != Op.TYPE_INT) {
      throw scope.unsupported(Op.name(in.op()) + " of something other than an integer");
    }
    return type.word(1);
  }

  private int low(int value) {
    return code.u32(Op.U_CONVERT, value);
  }

  private int high(int value) {
    return low(code.u64(Op.SHIFT_RIGHT_LOGICAL, value, out.constant(32)));
  }

  private int asWord(int value, int width) {
    return width == 32 ? value : low(value);
  }

  private int as(int word, int width) {
    return width == 32 ? word : code.value(Op.U_CONVERT, out.integer(width), word);
  }

  /** The number of ones. */
  int count(Instruction in, int id) {
    int value = scope.value(in, id);
    int width = width(in, id);
    if (width == 64) {
      int both =
          code.u32(
              Op.I_ADD, code.u32(Op.BIT_COUNT, low(value)), code.u32(Op.BIT_COUNT, high(value)));
      return as(both, scope.bits(in, scope.resultType(in)));
    }
    int ones = code.u32(Op.BIT_COUNT, asWord(value, width));
    return as(ones, scope.bits(in, scope.resultType(in)));
  }

  /** The bits in the other order. */
  int reverse(Instruction in, int id) {
    int value = scope.value(in, id);
    int width = width(in, id);
    if (width == 64) {
      return new WordAccess(code)
          .joined(code.u32(Op.BIT_REVERSE, high(value)), code.u32(Op.BIT_REVERSE, low(value)));
    }
    int reversed = code.u32(Op.BIT_REVERSE, asWord(value, width));
    int placed =
        width == 32
            ? reversed
            : code.u32(Op.SHIFT_RIGHT_LOGICAL, reversed, out.constant(32 - width));
    return as(placed, width);
  }

  /** The number of zeros above the highest one; all if there is none. */
  int leadingZeros(Instruction in, int id) {
    int value = scope.value(in, id);
    int width = width(in, id);
    if (width == 64) {
      int high = high(value);
      int inLow = code.u32(Op.I_ADD, leading(low(value), 32), out.constant(32));
      int isLow = code.test(Op.I_EQUAL, high, out.constant(0));
      return as(code.u32(Op.SELECT, isLow, inLow, leading(high, 32)), 64);
    }
    return as(leading(asWord(value, width), width), width);
  }

  /** The zeros of a word above its highest one, below a bit; the instruction gives -1 for zero. */
  private int leading(int word, int width) {
    int highest = code.glsl(FIND_U_MSB, out.u32(), word);
    return code.u32(Op.I_SUB, out.constant(width - 1), highest);
  }

  /** The number of zeros below the lowest one; all if there is none. */
  int trailingZeros(Instruction in, int id) {
    int value = scope.value(in, id);
    int width = width(in, id);
    if (width == 64) {
      int low = low(value);
      int inHigh = code.u32(Op.I_ADD, trailing(high(value), 32), out.constant(32));
      int isHigh = code.test(Op.I_EQUAL, low, out.constant(0));
      return as(code.u32(Op.SELECT, isHigh, inHigh, trailing(low, 32)), 64);
    }
    return as(trailing(asWord(value, width), width), width);
  }

  private int trailing(int word, int width) {
    int lowest = code.glsl(FIND_I_LSB, out.u32(), word);
    int isZero = code.test(Op.I_EQUAL, word, out.constant(0));
    return code.u32(Op.SELECT, isZero, out.constant(width), lowest);
  }
}
