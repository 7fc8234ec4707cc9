// SPDX-License-Identifier: Apache-2.0
package org.jhal.spirv.assembly;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jhal.spirv.module.Op;
import org.jspecify.annotations.Nullable;

/**
 * A module for Vulkan in the making. Types and constants that are asked for twice are declared
 * once. Not thread-safe.
 */
public final class ModuleBuilder {
  private static final int MAGIC = 0x07230203;
  private static final int VERSION_1_5 = 0x00010500;
  private static final int PHYSICAL_STORAGE_BUFFER_64 = 5348;
  private static final int GLSL_450 = 1;
  private static final int GL_COMPUTE = 5;
  private static final int LOCAL_SIZE = 17;

  private final TreeSet<Integer> capabilities = new TreeSet<>();
  private final Words entries = new Words();
  private final Words modes = new Words();
  private final Words names = new Words();
  private final Words notes = new Words();
  private final Words decorations = new Words();
  private final Words declarations = new Words();
  private final Words functions = new Words();
  private final Map<List<Integer>, Integer> declared = new HashMap<>();
  private final Map<Integer, Long> numbers = new HashMap<>(); // of 64 bits, by constant
  private final Map<Integer, Integer> blocks = new HashMap<>(); // types, by number of words
  private final Set<Integer> specialized = new HashSet<>();
  private int bound = 1;
  private int glsl;

  /** A module for Vulkan 1.2 without functions. */
  public ModuleBuilder() {
    capability(Capability.SHADER);
    capability(Capability.INT64);
    capability(Capability.PHYSICAL_STORAGE_BUFFER_ADDRESSES);
  }

  /** An id that nothing has yet. */
  public int id() {
    return bound++;
  }

  /** Declares that the module needs a capability, one of {@link Capability}. */
  public void capability(int capability) {
    capabilities.add(capability);
  }

  /** The set of instructions GLSL.std.450. */
  public int glsl() {
    if (glsl == 0) {
      glsl = id();
    }
    return glsl;
  }

  /** A type, declared when it is first asked for. */
  public int type(int op, int... operands) {
    List<Integer> key = new ArrayList<>();
    key.add(op);
    for (int operand : operands) {
      key.add(operand);
    }
    Integer known = declared.get(key);
    if (known != null) {
      return known;
    }
    int id = id();
    declarations.instruction(op, Words.joined(new int[] {id}, operands));
    declared.put(key, id);
    return id;
  }

  /** The type of nothing. */
  public int nothing() {
    return type(Op.TYPE_VOID);
  }

  /** The type of truth. */
  public int bool() {
    return type(Op.TYPE_BOOL);
  }

  /** The type of integers of 8, 16, 32 or 64 bits. */
  public int integer(int bits) {
    if (bits == 8) {
      capability(Capability.INT8);
    } else if (bits == 16) {
      capability(Capability.INT16);
    }
    return type(Op.TYPE_INT, bits, 0);
  }

  /** The type of floating-point numbers of 16, 32 or 64 bits. */
  public int floating(int bits) {
    if (bits == 16) {
      capability(Capability.FLOAT16);
    } else if (bits == 64) {
      capability(Capability.FLOAT64);
    }
    return type(Op.TYPE_FLOAT, bits);
  }

  /** The type of integers of 32 bits. */
  public int u32() {
    return integer(32);
  }

  /** The type of integers of 64 bits, and so of addresses. */
  public int u64() {
    return integer(64);
  }

  /** The type of pointers in a storage class. */
  public int pointer(int storage, int type) {
    return type(Op.TYPE_POINTER, storage, type);
  }

  /** A constant, declared when it is first asked for. */
  public int declared(int op, int type, int... words) {
    List<Integer> key = new ArrayList<>(words.length + 2);
    key.add(op);
    key.add(type);
    for (int word : words) {
      key.add(word);
    }
    Integer known = declared.get(key);
    if (known != null) {
      return known;
    }
    int id = declare(op, type, words);
    declared.put(key, id);
    return id;
  }

  /** Declares something with a type outside functions that is not shared. */
  public int declare(int op, int type, int... operands) {
    int id = id();
    declarations.instruction(op, Words.joined(new int[] {type, id}, operands));
    return id;
  }

  /** A number of 32 bits. */
  public int constant(int value) {
    return declared(Op.CONSTANT, u32(), value);
  }

  /** A number of 64 bits. */
  public int constant(long value) {
    int id = declared(Op.CONSTANT, u64(), (int) value, (int) (value >>> 32));
    numbers.put(id, value);
    return id;
  }

  /** The number of 64 bits that an id stands for; null if it is no such constant. */
  public @Nullable Long number(int id) {
    return numbers.get(id);
  }

  /** An integer of a number of bits. */
  public int constant(int bits, long value) {
    if (bits == 64) {
      return constant(value);
    }
    long cut = bits == 32 ? value : value & ((1L << bits) - 1);
    return declared(Op.CONSTANT, integer(bits), (int) cut);
  }

  /** The type of some numbers of a type: a vector, or the type itself for one number. */
  public int vector(int type, int count) {
    return count == 1 ? type : type(Op.TYPE_VECTOR, type, count);
  }

  /** An integer of a number of bits, or a vector that consists of it. */
  public int constant(int bits, int count, long value) {
    int one = constant(bits, value);
    if (count == 1) {
      return one;
    }
    int[] parts = new int[count];
    Arrays.fill(parts, one);
    return declared(Op.CONSTANT_COMPOSITE, vector(integer(bits), count), parts);
  }

  /** A variable outside functions. */
  public int variable(int storage, int type, int... initializer) {
    return declare(
        Op.VARIABLE, pointer(storage, type), Words.joined(new int[] {storage}, initializer));
  }

  /** The type of a struct with an array of words, which has its layout in memory. */
  public int block(int words) {
    Integer known = blocks.get(words);
    if (known != null) {
      return known;
    }
    // A type of its own: the type of arrays in other memory must have no layout.
    int length = constant(words);
    int array = id();
    declarations.instruction(Op.TYPE_ARRAY, array, u32(), length);
    int struct = id();
    declarations.instruction(Op.TYPE_STRUCT, struct, array);
    decorate(array, Decoration.ARRAY_STRIDE, 4);
    decorate(struct, Decoration.BLOCK);
    decorateMember(struct, 0, Decoration.OFFSET, 0);
    blocks.put(words, struct);
    return struct;
  }

  /** A specialization constant of 32 bits. */
  public int specialization(int number, int value) {
    int id = declare(Op.SPEC_CONSTANT, u32(), value);
    decorate(id, Decoration.SPEC_ID, number);
    return id;
  }

  /** A specialization constant of 64 bits, 0 unless it is given. */
  public int specialization64(int number) {
    int id = specialized(Op.SPEC_CONSTANT, u64(), 0, 0);
    decorate(id, Decoration.SPEC_ID, number);
    return id;
  }

  /** Declares a value that depends on specialization constants. */
  public int specialized(int op, int type, int... operands) {
    int id = declare(op, type, operands);
    specialized.add(id);
    return id;
  }

  /** Whether a value was declared as one that depends on specialization constants. */
  public boolean isSpecialized(int id) {
    return specialized.contains(id);
  }

  /** Decorates an id. */
  public void decorate(int id, int decoration, int... literals) {
    decorations.instruction(Op.DECORATE, Words.joined(new int[] {id, decoration}, literals));
  }

  /** Decorates a member of a struct. */
  public void decorateMember(int struct, int member, int decoration, int... literals) {
    decorations.instruction(
        Op.MEMBER_DECORATE, Words.joined(new int[] {struct, member, decoration}, literals));
  }

  /** Names an id, for those who read the module. */
  public void name(int id, String name) {
    names.instruction(Op.NAME, Words.joined(new int[] {id}, Words.ofString(name)));
  }

  /** Adds a text for those who load the module; it has no meaning for Vulkan. */
  public void note(String text) {
    notes.instruction(Op.MODULE_PROCESSED, Words.ofString(text));
  }

  /** Makes a function a kernel, which uses these variables. */
  public void entry(int function, String name, List<Integer> variables) {
    int[] operands = Words.joined(new int[] {GL_COMPUTE, function}, Words.ofString(name));
    for (int variable : variables) {
      operands = Words.joined(operands, variable);
    }
    entries.instruction(Op.ENTRY_POINT, operands);
    modes.instruction(Op.EXECUTION_MODE, function, LOCAL_SIZE, 1, 1, 1);
  }

  /** Adds a finished function. */
  void add(Words function) {
    functions.addAll(function);
  }

  /** The module in its binary form, little-endian. */
  public byte[] toBytes() {
    Words all = new Words();
    for (int word : new int[] {MAGIC, VERSION_1_5, 0, bound, 0}) {
      all.add(word);
    }
    for (int capability : capabilities) {
      all.instruction(Op.CAPABILITY, capability);
      if (capability == Capability.WORKGROUP_MEMORY_EXPLICIT_LAYOUT) {
        all.instruction(Op.EXTENSION, Words.ofString("SPV_KHR_workgroup_memory_explicit_layout"));
      }
    }
    if (glsl != 0) {
      all.instruction(
          Op.EXT_INST_IMPORT, Words.joined(new int[] {glsl}, Words.ofString("GLSL.std.450")));
    }
    all.instruction(Op.MEMORY_MODEL, PHYSICAL_STORAGE_BUFFER_64, GLSL_450);
    for (Words part : List.of(entries, modes, names, notes, decorations, declarations, functions)) {
      all.addAll(part);
    }
    int[] words = all.toArray();
    ByteBuffer bytes = ByteBuffer.allocate(4 * words.length).order(ByteOrder.LITTLE_ENDIAN);
    bytes.asIntBuffer().put(words);
    return Arrays.copyOf(bytes.array(), 4 * words.length);
  }
}
