// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Has a module demand modes of floating-point numbers. Without its word, a runtime may ignore NaN,
 * infinities and the signs of zeros, and take subnormal numbers as zeros: NVIDIA's makes {@code x <
 * y ? x : y} a minimum, which is never NaN.
 */
final class FloatModes {
  private static final int OP_ENTRY_POINT = 15;
  private static final int OP_EXECUTION_MODE = 16;
  private static final int OP_CAPABILITY = 17;
  private static final int OP_TYPE_FLOAT = 22;
  private static final int OP_FUNCTION = 54;
  private static final int HEADER_WORDS = 5;

  /** From this version on, the modes need no extension. */
  private static final int VERSION_1_4 = 0x00010400;

  private FloatModes() {}

  /**
   * Adds modes to a module, unless its version knows none.
   *
   * @param module what was read of it
   * @param modes with the bits of the floats for which the device has them
   */
  static byte[] demand(byte[] code, SpirvModule module, Map<FloatMode, Set<Integer>> modes) {
    ByteBuffer words = ByteBuffer.wrap(code).order(ByteOrder.LITTLE_ENDIAN);
    if (words.getInt(Integer.BYTES) < VERSION_1_4) {
      return code;
    }
    Set<Integer> entries = new LinkedHashSet<>(); // a function may be several
    Set<Integer> widths = new TreeSet<>(); // of the module's floats
    int end = 0; // of the entry points
    int opcode = 0;
    for (int at = HEADER_WORDS * Integer.BYTES; at < code.length && opcode != OP_FUNCTION; ) {
      int first = words.getInt(at);
      opcode = first & 0xFFFF;
      int count = first >>> 16;
      int next = at + count * Integer.BYTES;
      if (opcode == OP_ENTRY_POINT && count > 2) {
        entries.add(words.getInt(at + 2 * Integer.BYTES));
        end = next;
      }
      if (opcode == OP_TYPE_FLOAT && count > 2) {
        widths.add(words.getInt(at + 2 * Integer.BYTES));
      }
      at = next;
    }
    List<int[]> capabilities = new ArrayList<>();
    List<int[]> demands = new ArrayList<>();
    modes.forEach(
        (mode, bits) -> {
          Set<Integer> used = new TreeSet<>(widths);
          used.retainAll(bits);
          if (used.isEmpty() || hasOwnWord(module, mode)) {
            return;
          }
          capabilities.add(new int[] {2 << 16 | OP_CAPABILITY, mode.capability});
          for (int entry : entries) {
            for (int width : used) {
              demands.add(new int[] {4 << 16 | OP_EXECUTION_MODE, entry, mode.mode, width});
            }
          }
        });
    if (capabilities.isEmpty()) {
      return code;
    }
    int added = 2 * capabilities.size() + 4 * demands.size();
    ByteBuffer all =
        ByteBuffer.allocate(code.length + added * Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    all.put(code, 0, HEADER_WORDS * Integer.BYTES);
    put(all, capabilities);
    all.put(code, HEADER_WORDS * Integer.BYTES, end - HEADER_WORDS * Integer.BYTES);
    put(all, demands);
    return all.put(code, end, code.length - end).array();
  }

  private static void put(ByteBuffer words, List<int[]> instructions) {
    for (int[] instruction : instructions) {
      for (int word : instruction) {
        words.putInt(word);
      }
    }
  }

  private static boolean hasOwnWord(SpirvModule module, FloatMode mode) {
    Set<Integer> own = module.capabilities();
    return own.contains(mode.capability)
        || (mode == FloatMode.DENORM_PRESERVE
            && own.contains(FloatMode.DENORM_FLUSH_TO_ZERO.capability));
  }
}
