// SPDX-License-Identifier: Apache-2.0
package org.jhal.spirv.translate;

import org.jhal.spirv.assembly.FunctionBuilder;
import org.jhal.spirv.assembly.ModuleBuilder;
import org.jhal.spirv.assembly.Storage;
import org.jhal.spirv.module.Op;

/** Integers of 8 to 64 bits in an array of words, at an offset in bytes. */
final class WordAccess {
  private static final int DEVICE = 1;

  private final FunctionBuilder code;
  private final ModuleBuilder out;

  WordAccess(FunctionBuilder code) {
    this.code = code;
    out = code.module();
  }

  /** A pointer to the word with the byte at an address, a number of 64 bits. */
  int word(int array, int storage, int address, int more) {
    return element(array, storage, index(address, more));
  }

  private int index(int address, int more) {
    Long known = out.number(address);
    if (known != null) {
      return out.constant((int) ((known & 0xffffffffL) >>> 2) + more);
    }
    int offset = code.u32(Op.U_CONVERT, address);
    int index = code.u32(Op.SHIFT_RIGHT_LOGICAL, offset, out.constant(2));
    return more == 0 ? index : code.u32(Op.I_ADD, index, out.constant(more));
  }

  private int element(int array, int storage, int index) {
    code.global(array);
    int pointer = out.pointer(storage, out.u32());
    if (storage == Storage.PUSH_CONSTANT) {
      return code.value(Op.ACCESS_CHAIN, pointer, array, out.constant(0), index);
    }
    return code.value(Op.ACCESS_CHAIN, pointer, array, index);
  }

  /** Loads an integer, which is aligned to its size or to 4 bytes. */
  int load(int array, int storage, int address, int bits) {
    int low = code.load(out.u32(), word(array, storage, address, 0));
    if (bits == 32) {
      return low;
    }
    if (bits == 64) {
      int high = code.load(out.u32(), word(array, storage, address, 1));
      return joined(low, high);
    }
    int part = code.u32(Op.SHIFT_RIGHT_LOGICAL, low, shift(address));
    return code.value(Op.U_CONVERT, out.integer(bits), part);
  }

  /** Two words as one number. */
  int joined(int low, int high) {
    int pair = code.value(Op.COMPOSITE_CONSTRUCT, pair(), low, high);
    return code.u64(Op.BITCAST, pair);
  }

  private int pair() {
    return out.type(Op.TYPE_VECTOR, out.u32(), 2);
  }

  /** How far the bytes at an address are from the lowest bits of their word. */
  private int shift(int address) {
    Long known = out.number(address);
    if (known != null) {
      return out.constant((int) (known & 3) * 8);
    }
    int part = code.u32(Op.BITWISE_AND, code.u32(Op.U_CONVERT, address), out.constant(3));
    return code.u32(Op.SHIFT_LEFT_LOGICAL, part, out.constant(3));
  }

  /** Stores an integer, which is aligned to its size or to 4 bytes. */
  void store(int array, int storage, int address, int bits, int value) {
    int at = word(array, storage, address, 0);
    if (bits == 32) {
      code.add(Op.STORE, at, value);
    } else if (bits == 64) {
      int pair = code.value(Op.BITCAST, pair(), value);
      code.add(Op.STORE, at, code.u32(Op.COMPOSITE_EXTRACT, pair, 0));
      code.add(Op.STORE, word(array, storage, address, 1), code.u32(Op.COMPOSITE_EXTRACT, pair, 1));
    } else {
      storePart(at, storage, address, bits, value);
    }
  }

  /** Stores some bytes of a word, the others of which another work item may store meanwhile. */
  private void storePart(int at, int storage, int address, int bits, int value) {
    int shift = shift(address);
    int mask = code.u32(Op.SHIFT_LEFT_LOGICAL, out.constant((int) ((1L << bits) - 1)), shift);
    int keep = code.u32(Op.NOT, mask);
    int wide = code.u32(Op.U_CONVERT, value);
    int placed = code.u32(Op.SHIFT_LEFT_LOGICAL, wide, shift);
    if (storage == Storage.WORKGROUP) {
      code.u32(Op.ATOMIC_AND, at, out.constant(DEVICE), out.constant(0), keep);
      code.u32(Op.ATOMIC_OR, at, out.constant(DEVICE), out.constant(0), placed);
    } else {
      int rest = code.u32(Op.BITWISE_AND, code.load(out.u32(), at), keep);
      code.add(Op.STORE, at, code.u32(Op.BITWISE_OR, rest, placed));
    }
  }
}
