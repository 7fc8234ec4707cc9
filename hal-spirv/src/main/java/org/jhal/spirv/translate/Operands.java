// SPDX-License-Identifier: Apache-2.0
package org.jhal.spirv.translate;

import java.util.Arrays;
import org.jhal.spirv.module.Instruction;
import org.jhal.spirv.module.Op;

/** Which operands of an instruction are values. */
final class Operands {
  private Operands() {}

  /** The ids of the values that an instruction uses; of a phi none. */
  static int[] values(Instruction in) {
    int[] words = in.words();
    switch (in.op()) {
      case Op.LOAD, Op.COMPOSITE_EXTRACT, Op.GENERIC_CAST_TO_PTR_EXPLICIT:
        return slice(words, 2, 3);
      case Op.COMPOSITE_INSERT, Op.VECTOR_SHUFFLE:
        return slice(words, 2, 4);
      case Op.STORE, Op.COPY_MEMORY:
        return slice(words, 0, 2);
      case Op.COPY_MEMORY_SIZED:
        return slice(words, 0, 3);
      case Op.EXT_INST:
        return slice(words, 4, words.length);
      case Op.FUNCTION_CALL:
        return slice(words, 3, words.length);
      case Op.BRANCH_CONDITIONAL, Op.SWITCH, Op.RETURN_VALUE:
        return slice(words, 0, 1);
      case Op.ATOMIC_STORE:
        return new int[] {in.word(0), in.word(3)};
      case Op.PHI, Op.VARIABLE, Op.UNDEF, Op.BRANCH, Op.RETURN, Op.UNREACHABLE:
      case Op.LIFETIME_START, Op.LIFETIME_STOP, Op.CONTROL_BARRIER, Op.MEMORY_BARRIER:
        return new int[0];
      default:
        return Op.hasType(in.op()) ? slice(words, 2, words.length) : new int[0];
    }
  }

  private static int[] slice(int[] words, int from, int to) {
    return from >= words.length
        ? new int[0]
        : Arrays.copyOfRange(words, from, Math.min(to, words.length));
  }
}
