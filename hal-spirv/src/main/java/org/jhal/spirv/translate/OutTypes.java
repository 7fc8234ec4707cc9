// SPDX-License-Identifier: Apache-2.0
package org.jhal.spirv.translate;

import java.util.HashMap;
import java.util.Map;
import org.jhal.spirv.assembly.ModuleBuilder;
import org.jhal.spirv.module.Instruction;
import org.jhal.spirv.module.KernelTypes;
import org.jhal.spirv.module.Op;

/** The types of translated values: those of the kernels, but pointers are numbers of 64 bits. */
final class OutTypes {
  private static final int DEEPEST = 64;

  private final KernelTypes types;
  private final ModuleBuilder out;
  private final Map<Integer, Integer> translated = new HashMap<>();

  OutTypes(KernelTypes types, ModuleBuilder out) {
    this.types = types;
    this.out = out;
  }

  /** The translated type. */
  int of(Instruction type) {
    return of(type, 0);
  }

  private int of(Instruction type, int depth) {
    Integer known = translated.get(type.result());
    if (known != null) {
      return known;
    }
    int made = make(type, depth);
    translated.put(type.result(), made);
    return made;
  }

  private int make(Instruction type, int depth) {
    if (depth > DEEPEST) {
      throw type.invalid("is nested more than " + DEEPEST + " times");
    }
    switch (type.op()) {
      case Op.TYPE_VOID:
        return out.nothing();
      case Op.TYPE_BOOL:
        return out.bool();
      case Op.TYPE_INT:
        types.layout(type);
        return out.integer(type.word(1));
      case Op.TYPE_FLOAT:
        types.layout(type);
        return out.floating(type.word(1));
      case Op.TYPE_POINTER:
        return out.u64();
      case Op.TYPE_VECTOR:
        if (type.word(2) > 4) {
          throw type.invalid("has " + type.word(2) + " components; Vulkan has 4 at most");
        }
        return out.type(
            Op.TYPE_VECTOR, of(types.type(type, type.word(1)), depth + 1), type.word(2));
      case Op.TYPE_ARRAY:
        return out.type(
            Op.TYPE_ARRAY,
            of(types.type(type, type.word(1)), depth + 1),
            out.constant((int) Math.max(1, types.length(type))));
      case Op.TYPE_STRUCT:
        int[] members = new int[type.count() - 1];
        for (int i = 0; i < members.length; i++) {
          members[i] = of(types.type(type, type.word(i + 1)), depth + 1);
        }
        return out.type(Op.TYPE_STRUCT, members);
      default:
        throw type.invalid("is no type of a value in Vulkan");
    }
  }
}
