// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.TreeSet;

/**
 * Has a module keep NaN, infinities and the signs of zeros. Without its word for that, a runtime
 * may ignore them: NVIDIA's makes {@code x < y ? x : y} a minimum, which is never NaN.
 */
final class FloatModes {
  private static final int OP_ENTRY_POINT = 15;
  private static final int OP_EXECUTION_MODE = 16;
  private static final int OP_CAPABILITY = 17;
  private static final int OP_TYPE_FLOAT = 22;
  private static final int OP_FUNCTION = 54;
  private static final int HEADER_WORDS = 5;

  /** Both the capability, and from this version on without an extension. */
  private static final int SIGNED_ZERO_INF_NAN_PRESERVE = 4466;

  private static final int VERSION_1_4 = 0x00010400;
  private static final int MODE = 4461;

  private FloatModes() {}

  /**
   * Adds that to a module, unless it has its own words about it, or its version knows none.
   *
   * @param module what was read of it
   * @param bits of the floats for which the device can
   */
  static byte[] keepNans(byte[] code, SpirvModule module, Set<Integer> bits) {
    ByteBuffer words = ByteBuffer.wrap(code).order(ByteOrder.LITTLE_ENDIAN);
    if (words.getInt(Integer.BYTES) < VERSION_1_4
        || module.capabilities().contains(SIGNED_ZERO_INF_NAN_PRESERVE)) {
      return code;
    }
    Set<Integer> entries = new LinkedHashSet<>(); // a function may be several
    Set<Integer> used = new TreeSet<>(); // of the module's floats, those for which the device can
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
      if (opcode == OP_TYPE_FLOAT
          && count > 2
          && bits.contains(words.getInt(at + 2 * Integer.BYTES))) {
        used.add(words.getInt(at + 2 * Integer.BYTES));
      }
      at = next;
    }
    if (used.isEmpty()) {
      return code;
    }
    int added = 2 + 4 * entries.size() * used.size();
    ByteBuffer all =
        ByteBuffer.allocate(code.length + added * Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    all.put(code, 0, HEADER_WORDS * Integer.BYTES);
    all.putInt(2 << 16 | OP_CAPABILITY).putInt(SIGNED_ZERO_INF_NAN_PRESERVE);
    all.put(code, HEADER_WORDS * Integer.BYTES, end - HEADER_WORDS * Integer.BYTES);
    for (int entry : entries) {
      for (int width : used) {
        all.putInt(4 << 16 | OP_EXECUTION_MODE).putInt(entry).putInt(MODE).putInt(width);
      }
    }
    return all.put(code, end, code.length - end).array();
  }
}
