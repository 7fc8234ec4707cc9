// SPDX-License-Identifier: Apache-2.0
package org.jhal.spirv.translate;

import org.jhal.spirv.assembly.FunctionBuilder;
import org.jhal.spirv.assembly.ModuleBuilder;
import org.jhal.spirv.module.Instruction;
import org.jhal.spirv.module.KernelTypes;
import org.jhal.spirv.module.Op;

/** Arithmetic of pointers, which are numbers of 64 bits. */
final class Addresses {
  private final Scope scope;
  private final FunctionBuilder code;
  private final ModuleBuilder out;
  private final KernelTypes types;

  Addresses(Scope scope) {
    this.scope = scope;
    code = scope.code;
    out = scope.out();
    types = scope.translation.types();
  }

  /** The address of a part of what a pointer points to. */
  void chain(Instruction in) {
    Instruction type = types.pointee(in, scope.typeOf(in, in.word(2)));
    int address = scope.value(in, in.word(2));
    boolean hasElement = in.op() == Op.PTR_ACCESS_CHAIN || in.op() == Op.IN_BOUNDS_PTR_ACCESS_CHAIN;
    long fixed = 0;
    for (int i = 3; i < in.count(); i++) {
      long stride;
      if (i == 3 && hasElement) {
        stride = types.layout(type).size();
      } else if (type.op() == Op.TYPE_STRUCT) {
        int member = (int) scope.constant(in, in.word(i));
        fixed += types.offset(in, type, member);
        type = types.type(type, type.word(member + 1));
        continue;
      } else if (type.op() == Op.TYPE_ARRAY || type.op() == Op.TYPE_VECTOR) {
        type = types.type(type, type.word(1));
        stride = types.layout(type).size();
      } else {
        throw in.invalid("goes into a value of type " + type.result() + ", which has no parts");
      }
      if (scope.isConstant(in, in.word(i))) {
        fixed += signed(in, in.word(i)) * stride;
      } else {
        address = code.u64(Op.I_ADD, address, times(index(in, in.word(i)), stride));
      }
    }
    scope.values.define(in, plus(address, fixed));
  }

  private long signed(Instruction in, int id) {
    long value = scope.constant(in, id);
    int bits = scope.bits(in, scope.typeOf(in, id));
    return value << 64 - bits >> 64 - bits;
  }

  private int index(Instruction in, int id) {
    int value = scope.value(in, id);
    return scope.bits(in, scope.typeOf(in, id)) == 64 ? value : code.u64(Op.S_CONVERT, value);
  }

  private int times(int index, long stride) {
    if (stride == 1) {
      return index;
    }
    return Long.bitCount(stride) == 1
        ? code.u64(Op.SHIFT_LEFT_LOGICAL, index, out.constant(Long.numberOfTrailingZeros(stride)))
        : code.u64(Op.I_MUL, index, out.constant(stride));
  }

  private int plus(int address, long bytes) {
    if (bytes == 0) {
      return address;
    }
    Long known = out.number(address);
    return known != null
        ? out.constant(known + bytes)
        : code.u64(Op.I_ADD, address, out.constant(bytes));
  }

  /** A pointer to a kind of memory, or null if the address is not there. */
  void castExplicitly(Instruction in) {
    int address = scope.value(in, in.word(2));
    int storage = in.word(3);
    int kind = code.u64(Op.SHIFT_RIGHT_LOGICAL, address, out.constant(62));
    long mark =
        storage == org.jhal.spirv.assembly.Storage.WORKGROUP
            ? Memories.SHARED_MARK
            : storage == org.jhal.spirv.assembly.Storage.FUNCTION ? Memories.PRIVATE_MARK : 0;
    int isThere = code.test(Op.I_EQUAL, kind, out.constant(mark >>> 62));
    scope.values.define(in, code.u64(Op.SELECT, isThere, address, out.constant(0L)));
  }

  /** The number of elements between two pointers. */
  void difference(Instruction in) {
    Instruction type = types.pointee(in, scope.typeOf(in, in.word(2)));
    int bytes = code.u64(Op.I_SUB, scope.value(in, in.word(2)), scope.value(in, in.word(3)));
    long size = Math.max(1, types.layout(type).size());
    scope.values.define(in, code.u64(Op.S_DIV, bytes, out.constant(size)));
  }
}
