// SPDX-License-Identifier: Apache-2.0
package org.jhal.spirv.translate;

import java.util.Objects;
import java.util.StringJoiner;
import org.jhal.spirv.assembly.Capability;
import org.jhal.spirv.assembly.FunctionBuilder;
import org.jhal.spirv.assembly.ModuleBuilder;
import org.jhal.spirv.assembly.Storage;
import org.jhal.spirv.module.Instruction;
import org.jhal.spirv.module.KernelTypes;
import org.jhal.spirv.module.Op;

/**
 * The arguments of a kernel: in push constants as in a C struct, or, if they need too many bytes,
 * in memory whose address is there.
 */
final class Arguments {
  private static final int MOST_PUSHED = 128;

  /** How the note about a kernel's arguments begins; docs/vulkan.md describes it. */
  private static final String NOTE = "jhal-arguments ";

  private final Scope scope;
  private final FunctionBuilder code;
  private final ModuleBuilder out;
  private final KernelTypes types;
  private final WordAccess words;

  Arguments(Scope scope) {
    this.scope = scope;
    code = scope.code;
    out = scope.out();
    types = scope.translation.types();
    words = new WordAccess(code);
  }

  /** Loads the arguments, and defines the kernel's parameters. */
  void define() {
    long size = 0;
    for (Instruction parameter : scope.function.parameters()) {
      size = KernelTypes.aligned(size, alignment(parameter)) + layout(parameter).size();
    }
    addNote();
    if (size == 0) {
      return;
    }
    boolean isPushed = size <= MOST_PUSHED;
    int block = variable(isPushed ? (int) (size + 3) / 4 : 2);
    int base = isPushed ? 0 : words.load(block, Storage.PUSH_CONSTANT, out.constant(0L), 64);
    long offset = 0;
    for (Instruction parameter : scope.function.parameters()) {
      offset = KernelTypes.aligned(offset, alignment(parameter));
      KernelTypes.Layout layout = layout(parameter);
      if (scope.translation.module().isByValue(parameter.result())) {
        copyStruct(parameter, block, base, offset, layout.size());
      } else {
        scope.values.define(parameter, argument(parameter, block, base, offset));
      }
      offset += layout.size();
    }
  }

  /** Says what the arguments are, for a comparison with the manifest of a bundle. */
  private void addNote() {
    StringJoiner arguments = new StringJoiner(",", NOTE, " ").setEmptyValue(NOTE + "- ");
    long offset = 0;
    for (Instruction parameter : scope.function.parameters()) {
      offset = KernelTypes.aligned(offset, alignment(parameter));
      long size = layout(parameter).size();
      boolean isPointer = type(parameter).op() == Op.TYPE_POINTER;
      arguments.add((isPointer ? "p" : "" + size) + "@" + offset);
      offset += size;
    }
    out.note(arguments + scope.translation.module().entries().get(scope.function.id()));
  }

  private Instruction type(Instruction parameter) {
    Instruction type = types.type(parameter, parameter.type());
    return scope.translation.module().isByValue(parameter.result())
        ? types.pointee(parameter, type)
        : type;
  }

  private KernelTypes.Layout layout(Instruction parameter) {
    return types.layout(type(parameter));
  }

  private int alignment(Instruction parameter) {
    int declared =
        scope.translation.module().isByValue(parameter.result())
            ? scope.translation.module().alignment(parameter.result())
            : 0;
    if (declared < 0 || Integer.bitCount(declared) > 1) {
      throw parameter.invalid("has an alignment of " + declared + ", which is no power of two");
    }
    return declared > 0 ? declared : layout(parameter).alignment();
  }

  private int variable(int count) {
    return code.global(out.variable(Storage.PUSH_CONSTANT, out.block(count)));
  }

  private int argument(Instruction parameter, int block, int base, long offset) {
    Instruction type = type(parameter);
    switch (type.op()) {
      case Op.TYPE_INT:
        return bits(block, base, offset, type.word(1));
      case Op.TYPE_FLOAT:
        int bits = bits(block, base, offset, type.word(1));
        return code.value(Op.BITCAST, scope.translation.outTypes().of(type), bits);
      case Op.TYPE_POINTER:
        return bits(block, base, offset, 64);
      case Op.TYPE_BOOL:
        return code.test(Op.I_NOT_EQUAL, bits(block, base, offset, 8), out.constant(8, 0));
      default:
        throw scope.unsupported("a parameter of type " + Op.name(type.op()));
    }
  }

  private int bits(int block, int base, long offset, int bits) {
    if (base == 0) {
      return words.load(block, Storage.PUSH_CONSTANT, out.constant(offset), bits);
    }
    if (bits == 8) {
      out.capability(Capability.STORAGE_BUFFER_8);
    } else if (bits == 16) {
      out.capability(Capability.STORAGE_BUFFER_16);
    }
    int type = out.integer(bits);
    int pointer =
        code.value(
            Op.CONVERT_U_TO_PTR,
            out.pointer(Storage.PHYSICAL_STORAGE_BUFFER, type),
            code.u64(Op.I_ADD, base, out.constant(offset)));
    return code.value(Op.LOAD, type, pointer, 2, bits / 8);
  }

  /** Copies a struct to a variable of the work item, which is the kernel's own. */
  private void copyStruct(Instruction parameter, int block, int base, long offset, long size) {
    int array = scope.translation.memories().words(parameter.result(), PointerClasses.PRIVATE);
    long address = Objects.requireNonNull(scope.translation.memories().address(parameter.result()));
    for (long at = 0; at < size; ) {
      int bytes = 4;
      while (at + bytes > size || ((offset + at) | (address + at)) % bytes != 0) {
        bytes /= 2;
      }
      int value = bits(block, base, offset + at, 8 * bytes);
      words.store(array, Storage.PRIVATE, out.constant(address + at), 8 * bytes, value);
      at += bytes;
    }
  }
}
