// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jhal.HalException;
import org.jhal.Status;

/**
 * What the driver reads of a SPIR-V module before a vendor's compiler gets it: its form, the
 * capabilities that it declares, and the names of its kernels.
 *
 * @param capabilities their numbers
 * @param kernels the names of the entry points that are kernels
 */
record SpirvModule(Set<Integer> capabilities, Set<String> kernels) {
  private static final int MAGIC = 0x07230203;
  private static final int HEADER_WORDS = 5;

  /** SPIR-V 1.5, the newest version of Vulkan 1.2. */
  private static final int NEWEST = 0x00010500;

  private static final int OP_ENTRY_POINT = 15;
  private static final int OP_CAPABILITY = 17;
  private static final int OP_FUNCTION = 54;
  private static final int OP_FUNCTION_END = 56;
  private static final int GL_COMPUTE = 5;

  /** The number of words of instructions that are read: capability, entry point with a name. */
  private static final int CAPABILITY_WORDS = 2;

  private static final int ENTRY_POINT_WORDS = 4;

  /**
   * Reads a module.
   *
   * @param what it is, for messages
   * @throws HalException INVALID_ARGUMENT if it is malformed; UNIMPLEMENTED if it is of a newer
   *     version than Vulkan 1.2 takes
   */
  static SpirvModule read(byte[] code, String what) {
    ByteBuffer bytes = ByteBuffer.wrap(code).order(ByteOrder.LITTLE_ENDIAN);
    int words = code.length / Integer.BYTES;
    if (words < HEADER_WORDS || code.length % Integer.BYTES != 0) {
      throw malformed(
          what, "it has " + code.length + " bytes, and a module has 20 or more, a multiple of 4");
    }
    if (bytes.getInt(0) != MAGIC) {
      throw malformed(
          what, "its first word is 0x%08x, and must be 0x%08x".formatted(bytes.getInt(0), MAGIC));
    }
    int version = bytes.getInt(Integer.BYTES);
    if (Integer.compareUnsigned(version, NEWEST) > 0) {
      throw new HalException(
          Status.UNIMPLEMENTED,
          "%s is of SPIR-V %s.%s; Vulkan 1.2 takes up to 1.5"
              .formatted(what, version >>> 16, version >>> 8 & 0xFF));
    }
    Set<Integer> capabilities = new LinkedHashSet<>();
    Set<String> kernels = new HashSet<>();
    boolean isInFunction = false;
    for (int at = HEADER_WORDS; at < words; ) {
      int first = bytes.getInt(at * Integer.BYTES);
      int count = first >>> 16;
      if (count == 0 || count > words - at) {
        throw malformed(
            what,
            "the instruction at word %s has %s words, and %s are left"
                .formatted(at, count, words - at));
      }
      int opcode = first & 0xFFFF;
      if (opcode == OP_CAPABILITY && count >= CAPABILITY_WORDS) {
        capabilities.add(bytes.getInt((at + 1) * Integer.BYTES));
      }
      if (opcode == OP_ENTRY_POINT
          && count >= ENTRY_POINT_WORDS
          && bytes.getInt((at + 1) * Integer.BYTES) == GL_COMPUTE) {
        kernels.add(text(code, (at + 3) * Integer.BYTES, (at + count) * Integer.BYTES, what));
      }
      isInFunction = opcode == OP_FUNCTION || (isInFunction && opcode != OP_FUNCTION_END);
      at += count;
    }
    if (isInFunction) {
      throw malformed(what, "it ends within a function");
    }
    return new SpirvModule(capabilities, kernels);
  }

  /** A string that ends with a zero before {@code limit}. */
  private static String text(byte[] code, int start, int limit, String what) {
    for (int end = start; end < limit; end++) {
      if (code[end] == 0) {
        return new String(code, start, end - start, StandardCharsets.UTF_8);
      }
    }
    throw malformed(what, "the name at word " + start / Integer.BYTES + " has no end");
  }

  private static HalException malformed(String what, String why) {
    return new HalException(Status.INVALID_ARGUMENT, what + " is no SPIR-V module: " + why);
  }
}
