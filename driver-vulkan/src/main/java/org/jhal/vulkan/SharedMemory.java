// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * How much shared memory a kernel takes at least: the sizes of its variables in the storage class
 * Workgroup, with the values of specialization constants. Vulkan compilers do not report it, and
 * some end the process if it is too much.
 *
 * <p>Used by one thread.
 */
final class SharedMemory {
  private static final int HEADER_WORDS = 5;
  private static final int LISTS_ALL_VARIABLES = 0x00010400; // from SPIR-V 1.4 on
  private static final int WORKGROUP = 4;
  private static final int SPEC_ID = 1;

  private static final int OP_ENTRY_POINT = 15;
  private static final int OP_TYPE_BOOL = 20;
  private static final int OP_TYPE_INT = 21;
  private static final int OP_TYPE_FLOAT = 22;
  private static final int OP_TYPE_VECTOR = 23;
  private static final int OP_TYPE_MATRIX = 24;
  private static final int OP_TYPE_ARRAY = 28;
  private static final int OP_TYPE_STRUCT = 30;
  private static final int OP_TYPE_POINTER = 32;
  private static final int OP_CONSTANT = 43;
  private static final int OP_SPEC_CONSTANT = 50;
  private static final int OP_SPEC_CONSTANT_OP = 52;
  private static final int OP_VARIABLE = 59;
  private static final int OP_DECORATE = 71;
  private static final int OP_I_ADD = 128;
  private static final int OP_I_SUB = 130;
  private static final int OP_I_MUL = 132;
  private static final int OP_U_DIV = 134;
  private static final int OP_S_DIV = 135;

  private final ByteBuffer code;
  private final int words;
  private final int[] specialization;
  private final Map<Integer, Integer> specIds = new HashMap<>();
  private final Map<Integer, Long> constants = new HashMap<>();
  private final Map<Integer, Long> sizes = new HashMap<>(); // of types, in bytes
  private final Map<Integer, Integer> pointees = new HashMap<>();

  private SharedMemory(byte[] code, int[] specialization) {
    this.code = ByteBuffer.wrap(code).order(ByteOrder.LITTLE_ENDIAN);
    this.words = code.length / Integer.BYTES;
    this.specialization = specialization;
  }

  /**
   * The bytes that a kernel takes.
   *
   * @param code that {@link SpirvModule#read} has accepted
   * @param specialization the values of the constants with the numbers from 0 on
   */
  static long bytes(byte[] code, String kernel, int[] specialization) {
    return new SharedMemory(code, specialization).sum(kernel);
  }

  private long sum(String kernel) {
    Set<Integer> used = new HashSet<>();
    boolean isListed = word(1) >= LISTS_ALL_VARIABLES;
    long sum = 0;
    for (int at = HEADER_WORDS; at < words; at += word(at) >>> 16) {
      int count = word(at) >>> 16;
      switch (word(at) & 0xFFFF) {
        case OP_ENTRY_POINT -> addInterface(at, count, kernel, used);
        case OP_DECORATE -> {
          if (count > 3 && word(at + 2) == SPEC_ID) {
            specIds.put(word(at + 1), word(at + 3));
          }
        }
        case OP_VARIABLE -> {
          if (count > 3
              && word(at + 3) == WORKGROUP
              && (!isListed || used.contains(word(at + 2)))) {
            sum += size(pointees.getOrDefault(word(at + 1), 0));
          }
        }
        default -> define(at, count);
      }
    }
    return sum;
  }

  /** The variables of an entry point follow its name. */
  private void addInterface(int at, int count, String kernel, Set<Integer> used) {
    int next = at + 3;
    StringBuilder name = new StringBuilder();
    for (int i = next * Integer.BYTES; i < (at + count) * Integer.BYTES; i++) {
      if (code.get(i) == 0) {
        next = i / Integer.BYTES + 1;
        break;
      }
      name.append((char) (code.get(i) & 0xFF));
    }
    if (name.toString().equals(kernel)) {
      for (int i = next; i < at + count; i++) {
        used.add(word(i));
      }
    }
  }

  private void define(int at, int count) {
    if (count < 2) {
      return;
    }
    int result = word(at + 1);
    switch (word(at) & 0xFFFF) {
      case OP_TYPE_BOOL -> sizes.put(result, 4L);
      case OP_TYPE_INT, OP_TYPE_FLOAT -> sizes.put(result, count > 2 ? word(at + 2) / 8L : 0);
      case OP_TYPE_VECTOR, OP_TYPE_MATRIX ->
          sizes.put(result, count > 3 ? size(word(at + 2)) * word(at + 3) : 0);
      case OP_TYPE_ARRAY ->
          sizes.put(result, count > 3 ? size(word(at + 2)) * constant(word(at + 3)) : 0);
      case OP_TYPE_STRUCT -> {
        long size = 0;
        for (int i = at + 2; i < at + count; i++) {
          size += size(word(i));
        }
        sizes.put(result, size);
      }
      case OP_TYPE_POINTER -> {
        sizes.put(result, (long) Long.BYTES);
        pointees.put(result, count > 3 ? word(at + 3) : 0);
      }
      case OP_CONSTANT, OP_SPEC_CONSTANT -> {
        if (count > 3) {
          int id = word(at + 2);
          int number = specIds.getOrDefault(id, -1);
          constants.put(
              id,
              Integer.toUnsignedLong(
                  number >= 0 && number < specialization.length
                      ? specialization[number]
                      : word(at + 3)));
        }
      }
      case OP_SPEC_CONSTANT_OP -> {
        if (count == 6) {
          constants.put(
              word(at + 2), compute(word(at + 3), constant(word(at + 4)), constant(word(at + 5))));
        }
      }
      default -> {}
    }
  }

  private static long compute(int operation, long first, long second) {
    return switch (operation) {
      case OP_I_ADD -> first + second;
      case OP_I_SUB -> first - second;
      case OP_I_MUL -> first * second;
      case OP_U_DIV, OP_S_DIV -> second == 0 ? 0 : first / second;
      default -> 0; // counts as nothing
    };
  }

  private long size(int type) {
    return sizes.getOrDefault(type, 0L);
  }

  private long constant(int id) {
    return constants.getOrDefault(id, 0L);
  }

  private int word(int at) {
    return code.getInt(at * Integer.BYTES);
  }
}
