// SPDX-License-Identifier: Apache-2.0
package org.jhal.spirv.translate;

import org.jhal.spirv.assembly.FunctionBuilder;
import org.jhal.spirv.assembly.ModuleBuilder;
import org.jhal.spirv.module.Instruction;
import org.jhal.spirv.module.Op;

/** Conversions between numbers. Those to integers saturate, as on other devices. */
final class Conversions {
  private final Scope scope;
  private final FunctionBuilder code;
  private final ModuleBuilder out;
  private final HalfRounding halves;

  Conversions(Scope scope) {
    this.scope = scope;
    code = scope.code;
    out = scope.out();
    halves = new HalfRounding(scope);
  }

  void translate(Instruction in) {
    int value = scope.value(in, in.word(2));
    Instruction from = scope.typeOf(in, in.word(2));
    int type = scope.outType(in);
    boolean isToInteger = in.op() == Op.CONVERT_F_TO_S || in.op() == Op.CONVERT_F_TO_U;
    if (isToInteger && from.op() == Op.TYPE_FLOAT) {
      int bits = scope.bits(in, scope.resultType(in));
      scope.values.define(in, toInteger(value, from.word(1), bits, in.op() == Op.CONVERT_F_TO_S));
    } else if (scope.translation.outTypes().of(from) == type) {
      scope.values.define(in, value);
    } else if (in.op() == Op.F_CONVERT
        && scope.bits(in, from) == 32
        && scope.bits(in, scope.resultType(in)) == 16) {
      scope.values.define(in, halves.round(value, scope.count(from)));
    } else {
      scope.values.define(in, code.value(in.op(), type, value));
    }
  }

  /**
   * The nearest integer towards zero: beyond the range the nearest one that there is, as 32 bits if
   * there are fewer. NaN gives 0, but from 64 bits, or to 64 bits, the integer that has only the
   * highest bit.
   */
  private int toInteger(int value, int floatBits, int bits, boolean isSigned) {
    if (bits < 32) {
      int wide = toInteger(value, floatBits, 32, isSigned);
      return code.value(Op.U_CONVERT, out.integer(bits), wide);
    }
    int type = out.integer(bits);
    double limit = Math.scalb(1.0, isSigned ? bits - 1 : bits);
    long least = isSigned ? 1L << bits - 1 : 0;
    int isBelow = code.test(Op.F_ORD_GREATER_THAN, real(floatBits, isSigned ? -limit : 0), value);
    int isAbove = code.test(Op.F_ORD_GREATER_THAN_EQUAL, value, real(floatBits, limit));
    int isNan = code.test(Op.IS_NAN, value);
    int isBeyond = code.test(Op.LOGICAL_OR, isBelow, code.test(Op.LOGICAL_OR, isAbove, isNan));
    int inside =
        code.value(Op.SELECT, out.floating(floatBits), isBeyond, real(floatBits, 0), value);
    int whole = code.value(isSigned ? Op.CONVERT_F_TO_S : Op.CONVERT_F_TO_U, type, inside);
    int orLeast = code.value(Op.SELECT, type, isBelow, out.constant(bits, least), whole);
    int orMost = code.value(Op.SELECT, type, isAbove, out.constant(bits, ~least), orLeast);
    long ofNan = floatBits == 64 || bits == 64 ? 1L << bits - 1 : 0;
    return code.value(Op.SELECT, type, isNan, out.constant(bits, ofNan), orMost);
  }

  private int real(int bits, double value) {
    int type = out.floating(bits);
    if (bits == 64) {
      long raw = Double.doubleToRawLongBits(value);
      return out.declared(Op.CONSTANT, type, (int) raw, (int) (raw >>> 32));
    }
    if (bits == 32) {
      return out.declared(Op.CONSTANT, type, Float.floatToRawIntBits((float) value));
    }
    // Of 16 bits: all limits are beyond the greatest number, so infinity will do.
    return out.declared(Op.CONSTANT, type, value == 0 ? 0 : value > 0 ? 0x7c00 : 0xfc00);
  }
}
