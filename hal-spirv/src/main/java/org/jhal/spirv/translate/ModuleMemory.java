// SPDX-License-Identifier: Apache-2.0
package org.jhal.spirv.translate;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jhal.spirv.assembly.ModuleBuilder;
import org.jhal.spirv.module.Instruction;
import org.jhal.spirv.module.KernelModule;
import org.jhal.spirv.module.KernelTypes;
import org.jhal.spirv.module.Op;
import org.jspecify.annotations.Nullable;

/**
 * The variables outside functions that are not in shared memory: the places that they have in one
 * piece of memory of the device, whose address is a specialization constant. Texts in the module
 * say what is there before the first kernel runs; docs/spirv.md describes them.
 */
final class ModuleMemory {
  /** The mark of places in this memory, whose address is not known yet. */
  private static final long MARK = 0x20L << 56;

  private static final int CONSTANT = 7; // the number of the specialization constant
  private static final int ALIGNMENT = 16; // of every variable, at least
  private static final int MOST_ALIGNED = 256; // of the memory itself
  private static final long MOST = 1 << 30;

  /** How many bytes one text has: four characters for three bytes, of at most 65,535. */
  private static final int CHUNK = 45 << 10;

  private final KernelModule module;
  private final KernelTypes types;
  private final ModuleBuilder out;
  private final Map<Integer, Instruction> variables = new LinkedHashMap<>(); // by id
  private final List<Instruction> placed = new ArrayList<>(); // those that something uses
  private final Map<Integer, Long> offsets = new HashMap<>(); // of these
  private final Map<Long, Integer> addresses = new HashMap<>(); // in code, by offset
  private long size;
  private int base; // the specialization constant, 0 until it is used

  ModuleMemory(KernelModule module, KernelTypes types, ModuleBuilder out) {
    this.module = module;
    this.types = types;
    this.out = out;
  }

  /** Adds a variable, which gets a place when it is first used. */
  void add(Instruction variable) {
    variables.put(variable.result(), variable);
  }

  /** The place of a variable; null if it is none of these. */
  @Nullable Long place(int id) {
    Instruction variable = variables.get(id);
    if (variable == null) {
      return null;
    }
    Long known = offsets.get(id);
    if (known != null) {
      return MARK | known;
    }
    int declared = module.alignment(id);
    if (Integer.bitCount(declared) > 1 || declared > MOST_ALIGNED || declared < 0) {
      throw variable.invalid(
          "has an alignment of " + declared + "; possible are powers of two up to " + MOST_ALIGNED);
    }
    long offset = KernelTypes.aligned(size, Math.max(ALIGNMENT, declared));
    size = offset + bytes(variable);
    if (size > MOST) {
      throw variable.invalid(
          "brings the variables outside functions to "
              + size
              + " bytes; at most "
              + MOST
              + " are possible");
    }
    offsets.put(id, offset);
    placed.add(variable);
    return MARK | offset;
  }

  private long bytes(Instruction variable) {
    Instruction pointer = types.typeOf(variable, variable.result());
    return types.layout(types.pointee(variable, pointer)).size();
  }

  /** Whether a constant pointer is a place here, perhaps outside all variables. */
  static boolean isPlace(long pointer) {
    return pointer >= MARK - MOST && pointer <= MARK + 2 * MOST;
  }

  /** The address of a place, as code has it. */
  int address(long place) {
    if (base == 0) {
      base = out.specialization64(CONSTANT);
    }
    long offset = place - MARK;
    return offset == 0
        ? base
        : addresses.computeIfAbsent(
            offset,
            absent ->
                out.specialized(
                    Op.SPEC_CONSTANT_OP, out.u64(), Op.I_ADD, base, out.constant((long) offset)));
  }

  /** Says what is in this memory: the variables that kernels use, or the host may ask for. */
  void describe(ConstantBytes bytes) {
    Map<Integer, String> names = module.exportNames();
    for (int id : variables.keySet()) {
      if (names.containsKey(id)) {
        Long unused = place(id);
      }
    }
    List<String> notes = new ArrayList<>();
    for (int i = 0; i < placed.size(); i++) { // more are placed meanwhile, to which these point
      describe(placed.get(i), names, bytes, notes);
    }
    if (!placed.isEmpty()) {
      out.note("jhal-memory " + size);
      notes.forEach(out::note);
    }
  }

  private void describe(
      Instruction variable, Map<Integer, String> names, ConstantBytes bytes, List<String> notes) {
    long offset = Objects.requireNonNull(offsets.get(variable.result()));
    String name = names.get(variable.result());
    if (name != null) {
      notes.add("jhal-variable " + offset + " " + bytes(variable) + " " + name);
    }
    if (variable.count() > 3 && !isZero(variable, variable.word(3))) {
      byte[] content = new byte[(int) bytes(variable)];
      bytes.write(
          variable,
          variable.word(3),
          content,
          0,
          (at, place) -> notes.add(pointer(offset + at, place)));
      addContent(offset, content, notes);
    }
  }

  private boolean isZero(Instruction variable, int value) {
    int op = module.definition(variable, value).op();
    return op == Op.CONSTANT_NULL || op == Op.UNDEF;
  }

  private String pointer(long at, long place) {
    long target = place - MARK;
    if (target < 0 || target > size) {
      throw Unsupported.in(
          "a variable outside functions", "a pointer that is outside all variables");
    }
    return "jhal-pointer " + at + " " + target;
  }

  /** Adds bytes, except for zeros at the end. */
  private static void addContent(long offset, byte[] content, List<String> notes) {
    int end = content.length;
    while (end > 0 && content[end - 1] == 0) {
      end--;
    }
    for (int from = 0; from < end; from += CHUNK) {
      byte[] part = Arrays.copyOfRange(content, from, Math.min(end, from + CHUNK));
      notes.add("jhal-bytes " + (offset + from) + " " + Base64.getEncoder().encodeToString(part));
    }
  }
}
