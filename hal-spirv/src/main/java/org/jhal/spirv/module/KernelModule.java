// SPDX-License-Identifier: Apache-2.0
package org.jhal.spirv.module;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jhal.HalException;
import org.jhal.Status;
import org.jspecify.annotations.Nullable;

/** A module as read: its functions, and what is declared outside them. */
public final class KernelModule {
  /** The decoration {@code Alignment}. */
  public static final int ALIGNMENT = 44;

  private static final int DEEPEST = 64;
  private static final int CAPABILITY_KERNEL = 6;
  private static final int LINKAGE_ATTRIBUTES = 41;
  private static final int FUNC_PARAM_ATTR = 38;
  private static final int BY_VALUE = 2;
  private static final int PACKED = 10; // the decoration CPacked

  private final @Nullable Instruction[] definitions;
  private final Map<Integer, KernelFunction> functions = new LinkedHashMap<>();
  private final Map<Integer, String> entries = new LinkedHashMap<>();
  private final Map<Integer, String> names = new HashMap<>();
  private final Map<Integer, String> imports = new HashMap<>();
  private final Map<String, Integer> exports = new HashMap<>();
  private final Map<Integer, Integer> alignments = new HashMap<>();
  private final Map<Integer, String> instructionSets = new HashMap<>();
  private final List<Instruction> variables = new ArrayList<>();
  private final Set<Integer> packed = new HashSet<>();
  private final Set<Integer> byValue = new HashSet<>();
  private final Map<Integer, Integer> depths = new HashMap<>(); // of types and constants
  private boolean isKernels;

  KernelModule(int bound) {
    definitions = new Instruction[bound];
  }

  void define(Instruction instruction) {
    int id = instruction.result();
    if (id <= 0 || id >= definitions.length) {
      throw instruction.invalid("defines id " + id + "; ids are from 1 to " + (bound() - 1));
    }
    if (definitions[id] != null) {
      throw instruction.invalid(
          "defines id " + id + " again, after word " + definitions[id].offset());
    }
    definitions[id] = instruction;
  }

  void declare(Instruction instruction) {
    switch (instruction.op()) {
      case Op.CAPABILITY -> isKernels |= instruction.word(0) == CAPABILITY_KERNEL;
      case Op.ENTRY_POINT -> entries.put(instruction.word(1), instruction.string(2));
      case Op.NAME -> names.put(instruction.word(0), instruction.string(1));
      case Op.EXT_INST_IMPORT -> instructionSets.put(instruction.result(), instruction.string(1));
      case Op.VARIABLE -> variables.add(instruction);
      case Op.DECORATE -> decorate(instruction);
      case Op.EXTENSION, Op.MEMORY_MODEL, Op.EXECUTION_MODE, Op.MEMBER_DECORATE -> {}
      default -> {
        if (!Op.hasResult(instruction.op())) {
          throw instruction.invalid("outside functions is unknown");
        }
        checkOrder(instruction);
      }
    }
  }

  /** Types and constants are made of earlier ones, so none contains itself. */
  private void checkOrder(Instruction in) {
    int first;
    int last = in.count();
    switch (in.op()) {
      case Op.TYPE_VECTOR -> {
        first = 1;
        last = Math.min(last, 2);
      }
      case Op.TYPE_ARRAY, Op.TYPE_STRUCT -> first = 1;
      case Op.TYPE_POINTER -> first = 2;
      case Op.CONSTANT_COMPOSITE -> first = 2;
      case Op.SPEC_CONSTANT_OP -> first = 3;
      default -> first = last;
    }
    int depth = 0;
    for (int i = first; i < last; i++) {
      if (definition(in, in.word(i)).offset() >= in.offset()) {
        throw in.invalid("names id " + in.word(i) + " before its definition");
      }
      depth = Math.max(depth, depths.getOrDefault(in.word(i), 0) + 1);
    }
    if (depth > DEEPEST) {
      throw in.invalid("is made of others in more than " + DEEPEST + " steps");
    }
    depths.put(in.result(), depth);
  }

  private void decorate(Instruction instruction) {
    int id = instruction.word(0);
    switch (instruction.word(1)) {
      case ALIGNMENT -> alignments.put(id, instruction.word(2));
      case PACKED -> packed.add(id);
      case FUNC_PARAM_ATTR -> {
        if (instruction.word(2) == BY_VALUE) {
          byValue.add(id);
        }
      }
      case LINKAGE_ATTRIBUTES -> {
        String name = instruction.string(2);
        if (instruction.word(instruction.count() - 1) == 1) {
          imports.put(id, name);
        } else {
          exports.put(name, id);
        }
      }
      default -> {}
    }
  }

  /** What only the whole module shows. */
  void check() {
    if (!isKernels) {
      throw new HalException(
          Status.INVALID_ARGUMENT,
          "SPIR-V: the module does not declare the capability Kernel; only kernels of OpenCL's"
              + " memory model are translated");
    }
    if (entries.isEmpty()) {
      throw new HalException(Status.INVALID_ARGUMENT, "SPIR-V: the module has no kernel");
    }
    for (Map.Entry<Integer, String> entry : entries.entrySet()) {
      KernelFunction function = functions.get(entry.getKey());
      if (function == null || function.blocks().isEmpty()) {
        throw new HalException(
            Status.INVALID_ARGUMENT,
            "SPIR-V: kernel '" + entry.getValue() + "' has no function " + entry.getKey());
      }
    }
  }

  /** One more than the greatest id. */
  public int bound() {
    return definitions.length;
  }

  /** The instruction that defines an id which {@code user} names. */
  public Instruction definition(Instruction user, int id) {
    Instruction definition = id > 0 && id < definitions.length ? definitions[id] : null;
    if (definition == null) {
      throw user.invalid("names id " + id + ", which nothing defines");
    }
    return definition;
  }

  /** The functions by id, in the order of the module. */
  public Map<Integer, KernelFunction> functions() {
    return functions;
  }

  /** The names of the kernels, by the ids of their functions. */
  public Map<Integer, String> entries() {
    return entries;
  }

  /** The variables outside functions. */
  public List<Instruction> variables() {
    return variables;
  }

  /** How an id is called in messages. */
  public String name(int id) {
    String name = imports.getOrDefault(id, names.get(id));
    return name == null ? "%" + id : "'" + name + "'";
  }

  /** The name under which the module imports a function or variable; null if it defines it. */
  public @Nullable String importName(int id) {
    return imports.get(id);
  }

  /** The names under which the module exports functions and variables, by id. */
  public Map<Integer, String> exportNames() {
    Map<Integer, String> names = new HashMap<>();
    exports.forEach((name, id) -> names.put(id, name));
    return names;
  }

  /** The id that the module exports under a name; null if none. */
  public @Nullable Integer export(String name) {
    return exports.get(name);
  }

  /** The declared alignment of a variable or parameter in bytes, or 0. */
  public int alignment(int id) {
    return alignments.getOrDefault(id, 0);
  }

  /** Whether a parameter is a pointer to a struct that is passed by value. */
  public boolean isByValue(int parameter) {
    return byValue.contains(parameter);
  }

  /** Whether the members of a struct have no gaps between them. */
  public boolean isPacked(int struct) {
    return packed.contains(struct);
  }

  /** The name of an imported set of instructions. */
  public String instructionSet(Instruction user, int id) {
    String name = instructionSets.get(id);
    if (name == null) {
      throw user.invalid("names id " + id + ", which is no set of instructions");
    }
    return name;
  }
}
