// SPDX-License-Identifier: Apache-2.0
package org.jhal.spirv.translate;

import org.jhal.HalException;
import org.jhal.spirv.assembly.FunctionBuilder;
import org.jhal.spirv.assembly.ModuleBuilder;
import org.jhal.spirv.module.Instruction;
import org.jhal.spirv.module.KernelFunction;
import org.jhal.spirv.module.Op;

/** A function while it is translated: what the classes for its instructions share. */
final class Scope {
  final Translation translation;
  final KernelFunction function;
  final FunctionBuilder code;
  final Values values;

  Scope(Translation translation, KernelFunction function, FunctionBuilder code) {
    this.translation = translation;
    this.function = function;
    this.code = code;
    this.values = new Values(this);
  }

  ModuleBuilder out() {
    return translation.out();
  }

  /** The translated value of an operand. */
  int value(Instruction user, int id) {
    return values.of(user, id);
  }

  /** The type of an operand. */
  Instruction typeOf(Instruction user, int id) {
    return translation.types().typeOf(user, id);
  }

  /** The type of an instruction's result. */
  Instruction resultType(Instruction in) {
    return translation.types().type(in, in.type());
  }

  /** The translated type of an instruction's result. */
  int outType(Instruction in) {
    return translation.outTypes().of(resultType(in));
  }

  /** The number of bits of a number or of its components. */
  int bits(Instruction user, Instruction type) {
    return switch (type.op()) {
      case Op.TYPE_INT, Op.TYPE_FLOAT -> type.word(1);
      case Op.TYPE_POINTER -> 64;
      case Op.TYPE_VECTOR -> bits(user, translation.types().type(type, type.word(1)));
      default -> throw user.invalid("needs a number, not a value of type " + type.result());
    };
  }

  /** How many numbers a value of a type consists of: those of a vector, else one. */
  int count(Instruction type) {
    int unused = translation.outTypes().of(type); // which refuses vectors that are too long
    return type.op() == Op.TYPE_VECTOR ? type.word(2) : 1;
  }

  /** The number that an operand must be. */
  long constant(Instruction user, int id) {
    Instruction definition = translation.module().definition(user, id);
    if (definition.op() == Op.CONSTANT_NULL) {
      return 0;
    }
    if (definition.op() != Op.CONSTANT) {
      throw user.invalid("needs a constant, which id " + id + " is not");
    }
    return definition.count() > 3
        ? definition.longAt(2)
        : Integer.toUnsignedLong(definition.word(2));
  }

  /** Whether an operand is a constant number. */
  boolean isConstant(Instruction user, int id) {
    int op = translation.module().definition(user, id).op();
    return op == Op.CONSTANT || op == Op.CONSTANT_NULL;
  }

  /** The refusal of what is in this function. */
  HalException unsupported(String what) {
    return Unsupported.in(translation.nameOf(function), what);
  }

  /** The same, and what to do instead. */
  HalException unsupported(String what, String instead) {
    return Unsupported.in(translation.nameOf(function), what, instead);
  }
}
