// SPDX-License-Identifier: Apache-2.0
package org.jhal.spirv.translate;

import java.util.function.IntFunction;
import org.jhal.spirv.module.Instruction;
import org.jhal.spirv.module.KernelModule;
import org.jhal.spirv.module.KernelTypes;
import org.jhal.spirv.module.Op;
import org.jspecify.annotations.Nullable;

/** What constants are in memory, byte for byte. */
final class ConstantBytes {
  private final KernelModule module;
  private final KernelTypes types;
  private final IntFunction<@Nullable Long> addresses;

  /** Constants of a module; {@code addresses} has those of variables. */
  ConstantBytes(KernelModule module, KernelTypes types, IntFunction<@Nullable Long> addresses) {
    this.module = module;
    this.types = types;
    this.addresses = addresses;
  }

  /** Takes the places in the module's memory to which pointers in a constant point. */
  interface Pointers {
    void add(int at, long place);
  }

  /** Writes a constant at an offset, except for pointers to other variables. */
  void write(Instruction user, int constant, byte[] to, int at, Pointers pointers) {
    Instruction definition = module.definition(user, constant);
    switch (definition.op()) {
      case Op.CONSTANT_NULL, Op.UNDEF, Op.CONSTANT_FALSE -> {}
      case Op.CONSTANT_TRUE -> write(user, 1, 1, to, at);
      case Op.CONSTANT -> {
        long size = types.layout(types.typeOf(user, constant)).size();
        long value = definition.count() > 3 ? definition.longAt(2) : definition.word(2);
        write(user, value, (int) size, to, at);
      }
      case Op.CONSTANT_COMPOSITE -> {
        Instruction type = types.typeOf(user, constant);
        for (int i = 2; i < definition.count(); i++) {
          long offset =
              type.op() == Op.TYPE_STRUCT
                  ? types.offset(definition, type, i - 2)
                  : (i - 2) * types.layout(types.type(type, type.word(1))).size();
          write(definition, definition.word(i), to, at + (int) offset, pointers);
        }
      }
      default -> {
        long address = address(definition);
        if (ModuleMemory.isPlace(address)) {
          pointers.add(at, address);
        } else {
          write(user, address, 8, to, at);
        }
      }
    }
  }

  private static void write(Instruction user, long value, int size, byte[] to, int at) {
    if (at + size > to.length) {
      throw user.invalid("has an initial value with more bytes than its type");
    }
    for (int i = 0; i < size; i++) {
      to[at + i] = (byte) (value >>> 8 * i);
    }
  }

  /** The value of a constant pointer. */
  long address(Instruction definition) {
    Long address = addresses.apply(definition.result());
    if (address != null) {
      return address;
    }
    if (definition.op() == Op.CONSTANT_NULL || definition.op() == Op.UNDEF) {
      return 0;
    }
    if (definition.op() != Op.SPEC_CONSTANT_OP) {
      throw Unsupported.in(
          "a variable outside functions", "the address of " + module.name(definition.result()));
    }
    Instruction base = module.definition(definition, definition.word(3));
    switch (definition.word(2)) {
      case Op.PTR_CAST_TO_GENERIC,
      Op.GENERIC_CAST_TO_PTR,
      Op.BITCAST,
      Op.CONVERT_PTR_TO_U,
      Op.CONVERT_U_TO_PTR:
        return base.op() == Op.CONSTANT ? base.longAt(2) : address(base);
      case Op.IN_BOUNDS_PTR_ACCESS_CHAIN, Op.PTR_ACCESS_CHAIN:
        return address(base) + offset(definition);
      default:
        throw definition.invalid("computes a constant with " + Op.name(definition.word(2)));
    }
  }

  private long offset(Instruction chain) {
    Instruction type = types.pointee(chain, types.typeOf(chain, chain.word(3)));
    long offset = 0;
    for (int i = 4; i < chain.count(); i++) {
      Instruction index = module.definition(chain, chain.word(i));
      long value =
          index.op() == Op.CONSTANT_NULL ? 0 : index.count() > 3 ? index.longAt(2) : index.word(2);
      if (i == 4) {
        offset += value * types.layout(type).size();
      } else if (type.op() == Op.TYPE_STRUCT) {
        offset += types.offset(chain, type, (int) value);
        type = types.type(type, type.word((int) value + 1));
      } else {
        type = types.type(type, type.word(1));
        offset += value * types.layout(type).size();
      }
    }
    return offset;
  }
}
