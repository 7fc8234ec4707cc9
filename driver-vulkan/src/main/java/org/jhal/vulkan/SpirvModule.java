// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.kernels.bundle.KernelArgument;

/**
 * What the driver reads of a SPIR-V module before a vendor's compiler gets it: its form, the
 * capabilities that it declares, and the names of its kernels.
 *
 * @param capabilities their numbers
 * @param kernels the names of the entry points that are kernels
 * @param arguments those of the kernels for which the module has a note about them, by name
 * @param reportsTraps whether its kernels report that they give up, as a note says
 * @param mayLoseValues whether its kernels can be told to keep values behind loops, as a note says
 * @param variables those outside functions, as notes say
 */
record SpirvModule(
    Set<Integer> capabilities,
    Set<String> kernels,
    Map<String, List<KernelArgument>> arguments,
    boolean reportsTraps,
    boolean mayLoseValues,
    ModuleVariables variables) {
  private static final String[] NONE = {};

  private static final int MAGIC = 0x07230203;
  private static final int HEADER_WORDS = 5;

  /** SPIR-V 1.5, the newest version of Vulkan 1.2. */
  private static final int NEWEST = 0x00010500;

  private static final int OP_ENTRY_POINT = 15;
  private static final int OP_CAPABILITY = 17;
  private static final int OP_FUNCTION = 54;
  private static final int OP_FUNCTION_END = 56;
  private static final int OP_MODULE_PROCESSED = 330;
  private static final int GL_COMPUTE = 5;

  /** The number of words of instructions that are read: capability, entry point with a name. */
  private static final int CAPABILITY_WORDS = 2;

  private static final int ENTRY_POINT_WORDS = 4;

  /** What hal-spirv says of kernels that report traps. */
  private static final String TRAPS = "jhal-traps";

  private static final String LOOP_VALUES = "jhal-loop-values";

  /** What hal-spirv says of a kernel's arguments: size or p for a pointer, and offset of each. */
  private static final Pattern NOTE =
      Pattern.compile("jhal-arguments (-|(?:(?:p|\\d{1,9})@\\d{1,9},?)+) (.+)");

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
    Map<String, List<KernelArgument>> arguments = new HashMap<>();
    ModuleVariables.Reader variables = new ModuleVariables.Reader();
    boolean reportsTraps = false;
    boolean mayLoseValues = false;
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
      if (opcode == OP_MODULE_PROCESSED) {
        String note = text(code, (at + 1) * Integer.BYTES, (at + count) * Integer.BYTES, what);
        reportsTraps |= note.equals(TRAPS);
        mayLoseValues |= note.equals(LOOP_VALUES);
        addArguments(note, arguments);
        String wrong = variables.take(note);
        if (wrong != null) {
          throw malformed(what, wrong);
        }
      }
      isInFunction = opcode == OP_FUNCTION || (isInFunction && opcode != OP_FUNCTION_END);
      at += count;
    }
    if (isInFunction) {
      throw malformed(what, "it ends within a function");
    }
    return new SpirvModule(
        capabilities, kernels, arguments, reportsTraps, mayLoseValues, variables.done());
  }

  private static void addArguments(String note, Map<String, List<KernelArgument>> to) {
    Matcher matcher = NOTE.matcher(note);
    if (!matcher.matches()) {
      return; // of another tool
    }
    List<KernelArgument> arguments = new ArrayList<>();
    for (String argument : matcher.group(1).equals("-") ? NONE : matcher.group(1).split(",")) {
      int at = argument.indexOf('@');
      boolean isPointer = argument.charAt(0) == 'p';
      int size = isPointer ? Long.BYTES : Integer.parseInt(argument.substring(0, at));
      arguments.add(
          new KernelArgument(Integer.parseInt(argument.substring(at + 1)), size, isPointer));
    }
    to.put(matcher.group(2), arguments);
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
