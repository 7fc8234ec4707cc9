// SPDX-License-Identifier: Apache-2.0
package org.jhal.spirv.translate;

import java.util.Map;
import org.jhal.spirv.assembly.FunctionBuilder;
import org.jhal.spirv.assembly.ModuleBuilder;
import org.jhal.spirv.module.Instruction;
import org.jhal.spirv.module.Op;

/**
 * The instructions of the set OpenCL.std. Those that GLSL.std.450 computes exactly are its own; of
 * the others, functions of real numbers are calls of the functions of C, which the module must
 * have.
 */
final class ExtendedInstructions {
  /** Exact functions: their numbers in GLSL.std.450. */
  private static final Map<Integer, Integer> EXACT =
      Map.of(12, 9, 23, 4, 25, 8, 53, 2, 66, 3); // ceil, fabs, floor, rint, trunc

  /** Functions of C. */
  private static final Map<Integer, String> OF_C =
      Map.ofEntries(
          Map.entry(0, "acos"),
          Map.entry(1, "acosh"),
          Map.entry(3, "asin"),
          Map.entry(4, "asinh"),
          Map.entry(6, "atan"),
          Map.entry(7, "atan2"),
          Map.entry(8, "atanh"),
          Map.entry(11, "cbrt"),
          Map.entry(14, "cos"),
          Map.entry(15, "cosh"),
          Map.entry(17, "erfc"),
          Map.entry(18, "erf"),
          Map.entry(19, "exp"),
          Map.entry(20, "exp2"),
          Map.entry(21, "exp10"),
          Map.entry(22, "expm1"),
          Map.entry(26, "fma"),
          Map.entry(27, "fmax"),
          Map.entry(28, "fmin"),
          Map.entry(29, "fmod"),
          Map.entry(32, "hypot"),
          Map.entry(34, "ldexp"),
          Map.entry(35, "lgamma"),
          Map.entry(37, "log"),
          Map.entry(38, "log2"),
          Map.entry(39, "log10"),
          Map.entry(40, "log1p"),
          Map.entry(42, "fma"), // mad, which LLVM uses for what may be fused
          Map.entry(48, "pow"),
          Map.entry(51, "remainder"),
          Map.entry(55, "round"),
          Map.entry(57, "sin"),
          Map.entry(59, "sinh"),
          Map.entry(61, "sqrt"),
          Map.entry(62, "tan"),
          Map.entry(63, "tanh"),
          Map.entry(65, "tgamma"));

  private static final int COPYSIGN = 13;
  private static final int S_ABS = 141;
  private static final int S_ADD_SAT = 143;
  private static final int U_ADD_SAT = 144;
  private static final int CLZ = 151;
  private static final int CTZ = 152;
  private static final int S_MAX = 156;
  private static final int U_MAX = 157;
  private static final int S_MIN = 158;
  private static final int U_MIN = 159;
  private static final int ROTATE = 161;
  private static final int S_SUB_SAT = 162;
  private static final int U_SUB_SAT = 163;
  private static final int POPCOUNT = 166;
  private static final int PRINTF = 184;

  private final Scope scope;
  private final FunctionBuilder code;
  private final ModuleBuilder out;
  private final Calls calls;
  private final BitFunctions bits;

  ExtendedInstructions(Scope scope, Calls calls) {
    this.scope = scope;
    code = scope.code;
    out = scope.out();
    this.calls = calls;
    bits = new BitFunctions(scope);
  }

  void translate(Instruction in) {
    String set = scope.translation.module().instructionSet(in, in.word(2));
    if (!set.equals("OpenCL.std")) {
      throw scope.unsupported("an instruction of the set " + set);
    }
    int number = in.word(3);
    if (number == PRINTF) {
      throw calls.unsupported("printf");
    }
    scope.values.define(in, value(in, number));
  }

  private int value(Instruction in, int number) {
    switch (number) {
      case CLZ:
        return bits.leadingZeros(in, in.word(4));
      case CTZ:
        return bits.trailingZeros(in, in.word(4));
      case POPCOUNT:
        return bits.count(in, in.word(4));
      default:
    }
    int[] values = Operands.values(in);
    for (int i = 0; i < values.length; i++) {
      values[i] = scope.value(in, values[i]);
    }
    Integer exact = EXACT.get(number);
    if (exact != null) {
      return code.glsl(exact, scope.outType(in), values);
    }
    Instruction type = scope.resultType(in);
    String name = OF_C.get(number);
    if (name != null && type.op() == Op.TYPE_FLOAT) {
      return calls.math(in, type.word(1) == 64 ? name : name + "f", values);
    }
    if (number == COPYSIGN && type.op() == Op.TYPE_FLOAT) {
      return copySign(type.word(1), scope.outType(in), values);
    }
    Instruction part =
        type.op() == Op.TYPE_VECTOR ? scope.translation.types().type(type, type.word(1)) : type;
    if (part.op() == Op.TYPE_INT && values.length > 0) {
      int result = integer(number, part.word(1), scope.count(type), values);
      if (result != 0) {
        return result;
      }
    }
    throw scope.unsupported("OpenCL's function " + number + " of type " + Op.name(type.op()));
  }

  private int copySign(int width, int type, int[] values) {
    int whole = out.integer(width);
    int sign = out.constant(width, 1L << width - 1);
    int rest = out.constant(width, ~(1L << width - 1));
    int size = code.value(Op.BITWISE_AND, whole, code.value(Op.BITCAST, whole, values[0]), rest);
    int signOf = code.value(Op.BITWISE_AND, whole, code.value(Op.BITCAST, whole, values[1]), sign);
    return code.value(Op.BITCAST, type, code.value(Op.BITWISE_OR, whole, size, signOf));
  }

  /** Functions of integers, or of vectors of some of them; 0 if there is no such function. */
  private int integer(int number, int width, int count, int[] values) {
    int type = out.vector(out.integer(width), count);
    int zero = out.constant(width, count, 0);
    int a = values[0];
    int b = values[Math.min(1, values.length - 1)];
    return switch (number) {
      case S_ABS -> {
        int negative = code.value(Op.S_NEGATE, type, a);
        yield select(type, code.testSigned(Op.S_LESS_THAN, width, count, a, zero), negative, a);
      }
      case S_MAX -> select(type, code.testSigned(Op.S_GREATER_THAN, width, count, a, b), a, b);
      case U_MAX -> select(type, code.testEach(count, Op.U_GREATER_THAN, a, b), a, b);
      case S_MIN -> select(type, code.testSigned(Op.S_LESS_THAN, width, count, a, b), a, b);
      case U_MIN -> select(type, code.testEach(count, Op.U_LESS_THAN, a, b), a, b);
      case U_ADD_SAT -> {
        int sum = code.value(Op.I_ADD, type, a, b);
        yield select(
            type,
            code.testEach(count, Op.U_LESS_THAN, sum, a),
            out.constant(width, count, -1L),
            sum);
      }
      case U_SUB_SAT -> {
        int difference = code.value(Op.I_SUB, type, a, b);
        yield select(type, code.testEach(count, Op.U_LESS_THAN, a, b), zero, difference);
      }
      case S_ADD_SAT, S_SUB_SAT -> saturated(number == S_ADD_SAT, width, count, a, b);
      case ROTATE -> {
        int by = code.value(Op.BITWISE_AND, type, b, out.constant(width, count, width - 1));
        int left = code.value(Op.SHIFT_LEFT_LOGICAL, type, a, by);
        int back =
            code.value(
                Op.BITWISE_AND,
                type,
                code.value(Op.S_NEGATE, type, by),
                out.constant(width, count, width - 1));
        yield code.value(
            Op.BITWISE_OR, type, left, code.value(Op.SHIFT_RIGHT_LOGICAL, type, a, back));
      }
      default -> 0;
    };
  }

  private int select(int type, int condition, int yes, int no) {
    return code.value(Op.SELECT, type, condition, yes, no);
  }

  /** A sum or difference of signed numbers; beyond the range, the nearest number that there is. */
  private int saturated(boolean isSum, int width, int count, int a, int b) {
    int type = out.vector(out.integer(width), count);
    int result = code.value(isSum ? Op.I_ADD : Op.I_SUB, type, a, b);
    // It went beyond if its sign differs from that of a, where those of a and b say that it can't.
    int ofA = code.value(Op.BITWISE_XOR, type, a, result);
    int ofB = code.value(Op.BITWISE_XOR, type, isSum ? b : a, isSum ? result : b);
    int both = code.value(Op.BITWISE_AND, type, ofA, ofB);
    int isBeyond =
        code.testSigned(Op.S_LESS_THAN, width, count, both, out.constant(width, count, 0));
    int signs =
        code.value(Op.SHIFT_RIGHT_ARITHMETIC, type, a, out.constant(width, count, width - 1));
    int nearest =
        code.value(Op.BITWISE_XOR, type, signs, out.constant(width, count, ~(1L << width - 1)));
    return select(type, isBeyond, nearest, result);
  }
}
