// SPDX-License-Identifier: Apache-2.0
package org.jhal.spirv.translate;

import java.util.function.IntSupplier;
import org.jhal.spirv.assembly.Capability;
import org.jhal.spirv.assembly.FunctionBuilder;
import org.jhal.spirv.assembly.ModuleBuilder;
import org.jhal.spirv.assembly.Storage;
import org.jhal.spirv.module.Instruction;
import org.jhal.spirv.module.KernelTypes;
import org.jhal.spirv.module.Op;

/** Loads and stores, of any type and in any memory. */
final class Accesses {
  private static final int VOLATILE = 1;
  private static final int ALIGNED = 2;
  private static final long MOST_BYTES = 65536;
  private static final long MOST_WRITTEN_OUT = 64;

  private final Scope scope;
  private final FunctionBuilder code;
  private final ModuleBuilder out;
  private final KernelTypes types;
  private final WordAccess words;

  Accesses(Scope scope) {
    this.scope = scope;
    code = scope.code;
    out = scope.out();
    types = scope.translation.types();
    words = new WordAccess(code);
  }

  /** Where something is: the pointer decides in which memory, the address where there. */
  private record Place(int pointer, int address, int alignment, boolean isVolatile) {
    Place at(int address, long offset) {
      int still = alignment;
      while (offset % still != 0) {
        still /= 2;
      }
      return new Place(pointer, address, still, isVolatile);
    }
  }

  void load(Instruction in) {
    Instruction type = scope.resultType(in);
    Place place = place(in, in.word(2), type, 3);
    scope.values.define(in, load(in, type, place));
  }

  void store(Instruction in) {
    Instruction type = scope.typeOf(in, in.word(1));
    int value = scope.value(in, in.word(1));
    Place place = place(in, in.word(0), type, 2);
    checkPointer(in, in.word(0));
    store(in, type, place, value);
  }

  private Place place(Instruction in, int pointer, Instruction type, int operands) {
    int access = in.count() > operands ? in.word(operands) : 0;
    int alignment =
        (access & ALIGNED) != 0 ? in.word(operands + 1) : types.layout(type).alignment();
    return place(in, pointer, alignment, (access & VOLATILE) != 0);
  }

  private Place place(Instruction in, int pointer, int alignment, boolean isVolatile) {
    if (alignment <= 0 || Integer.bitCount(alignment) != 1) {
      throw in.invalid("has an alignment of " + alignment + ", which is no power of two");
    }
    return new Place(pointer, scope.value(in, pointer), alignment, isVolatile);
  }

  /** Fails if an instruction writes to what is no pointer. */
  void checkPointer(Instruction in, int pointer) {
    if (!KernelTypes.isPointer(scope.typeOf(in, pointer))) {
      throw in.invalid("writes to id " + pointer + ", which is no pointer");
    }
  }

  private int offset(Place place, long bytes) {
    if (bytes == 0) {
      return place.address;
    }
    Long known = out.number(place.address);
    return known != null
        ? out.constant(known + bytes)
        : code.u64(Op.I_ADD, place.address, out.constant(bytes));
  }

  private int load(Instruction in, Instruction type, Place place) {
    int outType = scope.translation.outTypes().of(type);
    if (isEmpty(in, type)) {
      return out.declared(Op.CONSTANT_NULL, outType);
    }
    switch (type.op()) {
      case Op.TYPE_INT, Op.TYPE_FLOAT:
        return scalar(place, type.word(1), outType, type.op() == Op.TYPE_FLOAT);
      case Op.TYPE_POINTER:
        return scalar(place, 64, outType, false);
      case Op.TYPE_BOOL:
        int number = scalar(place, 8, out.integer(8), false);
        return code.test(Op.I_NOT_EQUAL, number, out.constant(8, 0));
      default:
        int[] parts = new int[parts(in, type)];
        for (int i = 0; i < parts.length; i++) {
          long offset = partOffset(in, type, i);
          parts[i] = load(in, partType(type, i), place.at(offset(place, offset), offset));
        }
        return code.value(Op.COMPOSITE_CONSTRUCT, outType, parts);
    }
  }

  /** Whether a value has no bytes; fails if it has too many to be accessed at once. */
  private boolean isEmpty(Instruction in, Instruction type) {
    long size = types.layout(type).size();
    if (size > MOST_BYTES) {
      throw in.invalid("accesses " + size + " bytes at once; at most 65536 are possible");
    }
    return size == 0;
  }

  private void store(Instruction in, Instruction type, Place place, int value) {
    if (isEmpty(in, type)) {
      return;
    }
    switch (type.op()) {
      case Op.TYPE_INT, Op.TYPE_FLOAT ->
          storeScalar(
              place,
              type.word(1),
              scope.translation.outTypes().of(type),
              type.op() == Op.TYPE_FLOAT,
              value);
      case Op.TYPE_POINTER -> storeScalar(place, 64, out.u64(), false, value);
      case Op.TYPE_BOOL -> {
        int byteType = out.integer(8);
        int number = code.value(Op.SELECT, byteType, value, out.constant(8, 1), out.constant(8, 0));
        storeScalar(place, 8, byteType, false, number);
      }
      default -> {
        for (int i = 0; i < parts(in, type); i++) {
          long offset = partOffset(in, type, i);
          Instruction part = partType(type, i);
          int partValue =
              code.value(Op.COMPOSITE_EXTRACT, scope.translation.outTypes().of(part), value, i);
          store(in, part, place.at(offset(place, offset), offset), partValue);
        }
      }
    }
  }

  private int parts(Instruction in, Instruction type) {
    return switch (type.op()) {
      case Op.TYPE_VECTOR -> type.word(2);
      case Op.TYPE_ARRAY -> (int) types.length(type);
      case Op.TYPE_STRUCT -> type.count() - 1;
      default -> throw in.invalid("accesses a value of type " + type.result());
    };
  }

  private Instruction partType(Instruction type, int index) {
    return types.type(type, type.word(type.op() == Op.TYPE_STRUCT ? index + 1 : 1));
  }

  private long partOffset(Instruction in, Instruction type, int index) {
    return type.op() == Op.TYPE_STRUCT
        ? types.offset(in, type, index)
        : index * types.layout(partType(type, index)).size();
  }

  // ---- numbers ----

  private int scalar(Place place, int bits, int type, boolean isFloat) {
    if (place.alignment < Math.min(bits / 8, bits == 64 ? 8 : 4)) {
      return fromBits(pieces(place, bits), bits, type, isFloat);
    }
    return inSpace(
        place,
        type,
        () -> global(place, bits, type),
        (space, storage) -> {
          int array = scope.translation.memories().words(place.pointer, space);
          return fromBits(words.load(array, storage, place.address, bits), bits, type, isFloat);
        });
  }

  private int fromBits(int value, int bits, int type, boolean isFloat) {
    return isFloat ? code.value(Op.BITCAST, type, value) : value;
  }

  private int global(Place place, int bits, int type) {
    return code.value(
        Op.LOAD, type, globalPointer(place.address, bits, type), access(place), bits / 8);
  }

  private static int access(Place place) {
    return ALIGNED | (place.isVolatile ? VOLATILE : 0);
  }

  /** A pointer to a number in memory of the device. */
  private int globalPointer(int address, int bits, int type) {
    if (bits == 8) {
      out.capability(Capability.STORAGE_BUFFER_8);
    } else if (bits == 16) {
      out.capability(Capability.STORAGE_BUFFER_16);
    }
    return code.value(
        Op.CONVERT_U_TO_PTR, out.pointer(Storage.PHYSICAL_STORAGE_BUFFER, type), address);
  }

  /** Loads an integer that is not aligned to its size from parts that are. */
  private int pieces(Place place, int bits) {
    int part = place.alignment * 8;
    int type = out.integer(bits);
    int all = 0;
    for (int at = 0; at < bits; at += part) {
      Place there =
          new Place(place.pointer, offset(place, at / 8), place.alignment, place.isVolatile);
      int piece = code.value(Op.U_CONVERT, type, scalar(there, part, out.integer(part), false));
      if (at > 0) {
        piece = code.value(Op.SHIFT_LEFT_LOGICAL, type, piece, out.constant(at));
      }
      all = all == 0 ? piece : code.value(Op.BITWISE_OR, type, all, piece);
    }
    return all;
  }

  private void storeScalar(Place place, int bits, int type, boolean isFloat, int value) {
    if (place.alignment < Math.min(bits / 8, bits == 64 ? 8 : 4)) {
      storePieces(place, bits, toBits(value, bits, isFloat));
      return;
    }
    int raw =
        scope.translation.classes().spaces(place.pointer) == PointerClasses.GLOBAL
            ? value
            : toBits(value, bits, isFloat);
    inSpace(
        place,
        0,
        () -> {
          code.add(
              Op.STORE, globalPointer(place.address, bits, type), value, access(place), bits / 8);
          return 0;
        },
        (space, storage) -> {
          int array = scope.translation.memories().words(place.pointer, space);
          words.store(array, storage, place.address, bits, raw);
          return 0;
        });
  }

  private int toBits(int value, int bits, boolean isFloat) {
    return isFloat ? code.value(Op.BITCAST, out.integer(bits), value) : value;
  }

  private void storePieces(Place place, int bits, int value) {
    int part = place.alignment * 8;
    int type = out.integer(bits);
    for (int at = 0; at < bits; at += part) {
      int shifted =
          at == 0 ? value : code.value(Op.SHIFT_RIGHT_LOGICAL, type, value, out.constant(at));
      Place there =
          new Place(place.pointer, offset(place, at / 8), place.alignment, place.isVolatile);
      int partType = out.integer(part);
      storeScalar(there, part, partType, false, code.value(Op.U_CONVERT, partType, shifted));
    }
  }

  // ---- kinds of memory ----

  /** Accesses an array of words. */
  interface InWords {
    int access(int space, int storage);
  }

  private int inSpace(Place place, int type, IntSupplier global, InWords inWords) {
    return inSpace(scope, place.pointer, place.address, type, global, inWords);
  }

  /** Accesses the memory to which an address belongs; type is 0 if there is no result. */
  static int inSpace(
      Scope scope, int pointer, int address, int type, IntSupplier global, InWords inWords) {
    int spaces = scope.translation.classes().spaces(pointer);
    return inOneOf(scope, spaces, address, type, global, inWords);
  }

  private static int inOneOf(
      Scope scope, int spaces, int address, int type, IntSupplier global, InWords inWords) {
    if (spaces == PointerClasses.GLOBAL) {
      return global.getAsInt();
    }
    if (spaces == PointerClasses.SHARED) {
      return inWords.access(spaces, Storage.WORKGROUP);
    }
    if (spaces == PointerClasses.PRIVATE) {
      return inWords.access(spaces, Storage.PRIVATE);
    }
    boolean isShared = (spaces & PointerClasses.SHARED) != 0;
    int space = isShared ? PointerClasses.SHARED : PointerClasses.PRIVATE;
    long mark = isShared ? Memories.SHARED_MARK : Memories.PRIVATE_MARK;
    FunctionBuilder code = scope.code;
    int isThere = code.test(Op.U_GREATER_THAN_EQUAL, address, scope.out().constant(mark));
    IntSupplier there = () -> inWords.access(space, isShared ? Storage.WORKGROUP : Storage.PRIVATE);
    IntSupplier elsewhere = () -> inOneOf(scope, spaces & ~space, address, type, global, inWords);
    if (type != 0) {
      return code.choose(type, isThere, there, elsewhere);
    }
    code.branch(isThere, there, elsewhere);
    return 0;
  }

  // ---- copies ----

  void copy(Instruction in) {
    boolean isSized = in.op() == Op.COPY_MEMORY_SIZED;
    int target = in.word(0);
    int source = in.word(1);
    checkPointer(in, target);
    int operands = isSized ? 3 : 2;
    int access = in.count() > operands ? in.word(operands) : 0;
    Instruction pointee = isSized ? null : types.pointee(in, scope.typeOf(in, source));
    int alignment =
        (access & ALIGNED) != 0
            ? in.word(operands + 1)
            : pointee == null ? 1 : types.layout(pointee).alignment();
    Place to = place(in, target, alignment, (access & VOLATILE) != 0);
    Place from = place(in, source, alignment, (access & VOLATILE) != 0);
    int unit = Math.min(alignment, 8);
    if (pointee == null && !scope.isConstant(in, in.word(2))) {
      int size = scope.value(in, in.word(2));
      copyInLoop(to, from, unit, code.u64(Op.U_DIV, size, out.constant((long) unit)));
      return;
    }
    long size = pointee == null ? scope.constant(in, in.word(2)) : types.layout(pointee).size();
    copy(to, from, unit, size);
  }

  /**
   * Copies a struct that is passed by value to memory of the function, which may change it, and
   * from which its instructions then read it.
   *
   * @param address where it is
   */
  void copyArgument(Instruction parameter, int address) {
    KernelTypes.Layout layout = types.layout(types.pointee(parameter, scope.resultType(parameter)));
    Place to =
        new Place(
            parameter.result(),
            scope.value(parameter, parameter.result()),
            layout.alignment(),
            false);
    Place from = new Place(parameter.result(), address, layout.alignment(), false);
    copy(to, from, Math.min(layout.alignment(), 8), layout.size());
  }

  private void copy(Place to, Place from, int unit, long size) {
    long whole = size / unit;
    if (whole > MOST_WRITTEN_OUT) {
      copyInLoop(to, from, unit, out.constant(whole));
      whole *= unit;
    } else {
      whole = 0;
    }
    for (long at = whole; at < size; ) {
      int bytes = unit;
      while (at + bytes > size) {
        bytes /= 2;
      }
      copyUnit(to, from, bytes, offset(to, at), offset(from, at));
      at += bytes;
    }
  }

  private void copyUnit(Place to, Place from, int bytes, int toAddress, int fromAddress) {
    int type = out.integer(8 * bytes);
    int value =
        scalar(
            new Place(from.pointer, fromAddress, from.alignment, from.isVolatile),
            8 * bytes,
            type,
            false);
    storeScalar(
        new Place(to.pointer, toAddress, to.alignment, to.isVolatile),
        8 * bytes,
        type,
        false,
        value);
  }

  private void copyInLoop(Place to, Place from, int unit, int count) {
    code.repeat(
        count,
        i -> {
          int offset = code.u64(Op.I_MUL, i, out.constant((long) unit));
          copyUnit(
              to,
              from,
              unit,
              code.u64(Op.I_ADD, to.address, offset),
              code.u64(Op.I_ADD, from.address, offset));
        });
  }
}
