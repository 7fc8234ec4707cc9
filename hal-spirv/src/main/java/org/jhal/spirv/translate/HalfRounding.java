// SPDX-License-Identifier: Apache-2.0
package org.jhal.spirv.translate;

import org.jhal.spirv.assembly.FunctionBuilder;
import org.jhal.spirv.assembly.ModuleBuilder;
import org.jhal.spirv.module.Op;

/**
 * Rounds numbers of 32 bits to the nearest ones of 16, with integers. A driver of NVIDIA (580)
 * leaves out Vulkan's own conversion if the number is converted back, whatever the modes that the
 * kernel demands.
 */
final class HalfRounding {
  private static final int MAGNITUDE = 0x7FFFFFFF;
  private static final int INFINITY = 0x7F800000;

  /** From 2^16 on, all are infinite; those from 65520 on become so when they are rounded. */
  private static final int BEYOND = 0x47800000;

  /** 2^-14: what is smaller is a multiple of 2^-24, as the sum of a float and 0.5 is. */
  private static final int LEAST_NORMAL = 0x38800000;

  private static final int ONE_HALF = 0x3F000000;

  /** By how much the exponents of the two types differ, in units of a float. */
  private static final int EXPONENTS = 112 << 23;

  private static final int DROPPED_BITS = 13;
  private static final int ALMOST_HALF_A_UNIT = 0xFFF;
  private static final int HALF_INFINITY = 0x7C00;
  private static final int HALF_NAN = 0x7FFF;
  private static final int HALF_SIGN = 0x8000;

  private final FunctionBuilder code;
  private final ModuleBuilder out;

  HalfRounding(Scope scope) {
    code = scope.code;
    out = scope.out();
  }

  /** Rounds a number, or each of a vector. */
  int round(int value, int count) {
    if (count == 1) {
      return round(value);
    }
    int[] rounded = new int[count];
    for (int i = 0; i < count; i++) {
      rounded[i] = round(code.value(Op.COMPOSITE_EXTRACT, out.floating(32), value, i));
    }
    return code.value(Op.COMPOSITE_CONSTRUCT, out.vector(out.floating(16), count), rounded);
  }

  private int round(int value) {
    int bits = code.value(Op.BITCAST, out.u32(), value);
    int sign = code.u32(Op.BITWISE_AND, shifted(bits, 16), out.constant(HALF_SIGN));
    int size = code.u32(Op.BITWISE_AND, bits, out.constant(MAGNITUDE));
    int number = below(LEAST_NORMAL, size, small(size), normal(size));
    number = below(BEYOND, size, number, out.constant(HALF_INFINITY));
    number = below(INFINITY + 1, size, number, out.constant(HALF_NAN));
    int half = code.u32(Op.BITWISE_OR, sign, number);
    return code.value(
        Op.BITCAST, out.floating(16), code.value(Op.U_CONVERT, out.integer(16), half));
  }

  /** Half a unit is added, or a bit less if the last bit that stays is even. */
  private int normal(int size) {
    int odd = code.u32(Op.BITWISE_AND, shifted(size, DROPPED_BITS), out.constant(1));
    int moved = code.u32(Op.I_ADD, size, out.constant(ALMOST_HALF_A_UNIT - EXPONENTS));
    return shifted(code.u32(Op.I_ADD, moved, odd), DROPPED_BITS);
  }

  private int small(int size) {
    int number = code.value(Op.BITCAST, out.floating(32), size);
    int half = code.value(Op.BITCAST, out.floating(32), out.constant(ONE_HALF));
    int sum = code.exact(Op.F_ADD, out.floating(32), number, half);
    return code.u32(Op.I_SUB, code.value(Op.BITCAST, out.u32(), sum), out.constant(ONE_HALF));
  }

  private int shifted(int bits, int by) {
    return code.u32(Op.SHIFT_RIGHT_LOGICAL, bits, out.constant(by));
  }

  private int below(int limit, int size, int then, int otherwise) {
    int is = code.test(Op.U_LESS_THAN, size, out.constant(limit));
    return code.value(Op.SELECT, out.u32(), is, then, otherwise);
  }
}
