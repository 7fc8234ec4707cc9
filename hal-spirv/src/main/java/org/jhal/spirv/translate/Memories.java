// SPDX-License-Identifier: Apache-2.0
package org.jhal.spirv.translate;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jhal.spirv.assembly.ModuleBuilder;
import org.jhal.spirv.assembly.Storage;
import org.jhal.spirv.module.Block;
import org.jhal.spirv.module.Instruction;
import org.jhal.spirv.module.KernelFunction;
import org.jhal.spirv.module.KernelModule;
import org.jhal.spirv.module.KernelTypes;
import org.jhal.spirv.module.Op;
import org.jspecify.annotations.Nullable;

/**
 * Where the variables of kernels are. Those outside functions are in {@link ModuleMemory}, except
 * for those of a workgroup. These and the ones of a work item are parts of arrays of words, one for
 * each class of pointers and kind of memory. A pointer to them is a number of 64 bits: a mark for
 * the kind of memory in the highest byte, and the offset in the array.
 */
final class Memories {
  /** The mark of addresses in shared memory. */
  static final long SHARED_MARK = 0x80L << 56;

  /** The mark of addresses in memory of a work item. */
  static final long PRIVATE_MARK = 0x40L << 56;

  private static final int ALIGNMENT = 16; // of every variable
  private static final long MOST_PRIVATE = 1 << 20;

  /** An array of words. */
  private static final class WordArray {
    long size; // in bytes
    final List<Instruction> dynamic = new ArrayList<>(); // of a size known at the dispatch
    int variable; // 0 until it is used
  }

  private final KernelModule module;
  private final KernelTypes types;
  private final ModuleBuilder out;
  private final PointerClasses classes;
  private final Map<Long, WordArray> arrays = new HashMap<>(); // by class and kind of memory
  private final Map<Integer, Long> addresses = new HashMap<>(); // by id
  private final ModuleMemory outside;
  private int dynamicBytes; // the specialization constant, 0 until it is used

  Memories(
      KernelModule module,
      KernelTypes types,
      ModuleBuilder out,
      PointerClasses classes,
      FunctionPointers functions) {
    this.module = module;
    this.types = types;
    this.out = out;
    this.classes = classes;
    this.outside = new ModuleMemory(module, types, out);
    addresses.putAll(functions.values());
    for (Instruction variable : module.variables()) {
      if (!isOfCompiler(module.name(variable.result()))) {
        if (variable.word(2) == Storage.WORKGROUP) {
          place(variable, types.typeOf(variable, variable.result()));
        } else {
          outside.add(variable);
        }
      }
    }
    for (KernelFunction function : module.functions().values()) {
      for (Instruction parameter : function.parameters()) {
        if (module.isByValue(parameter.result())) {
          place(parameter, types.typeOf(parameter, parameter.result()));
        }
      }
      for (Block block : function.blocks()) {
        for (Instruction in : block.body()) {
          if (in.op() == Op.VARIABLE) {
            place(in, types.typeOf(in, in.result()));
          }
        }
      }
    }
    for (WordArray array : arrays.values()) {
      array.size = KernelTypes.aligned(array.size, ALIGNMENT);
      for (Instruction variable : array.dynamic) {
        addresses.put(variable.result(), SHARED_MARK | array.size);
      }
    }
  }

  /** Whether a variable says something to tools, and no code uses it. */
  private static boolean isOfCompiler(String name) {
    return name.equals("'llvm.compiler.used'")
        || name.equals("'llvm.used'")
        || name.startsWith("'__hip_cuid_");
  }

  private void place(Instruction variable, Instruction pointer) {
    int id = variable.result();
    boolean isShared = variable.op() == Op.VARIABLE && variable.word(2) == Storage.WORKGROUP;
    WordArray array = array(id, isShared ? PointerClasses.SHARED : PointerClasses.PRIVATE);
    Instruction type = types.pointee(variable, pointer);
    if (isShared && module.importName(id) != null) {
      array.dynamic.add(variable);
      return;
    }
    array.size = KernelTypes.aligned(array.size, ALIGNMENT);
    addresses.put(id, (isShared ? SHARED_MARK : PRIVATE_MARK) | array.size);
    array.size += types.layout(type).size();
    if (array.size > MOST_PRIVATE) {
      throw variable.invalid(
          "makes an array of " + array.size + " bytes; at most " + MOST_PRIVATE + " are possible");
    }
  }

  private WordArray array(int pointer, int space) {
    long key = (long) classes.of(pointer) << 8 | space;
    return arrays.computeIfAbsent(key, absent -> new WordArray());
  }

  /**
   * The address of a variable or a struct that is passed by value, and the number of the function
   * to which a constant points; null if the id is none of these. The address of a variable outside
   * functions is a place in {@link ModuleMemory}.
   */
  @Nullable Long address(int id) {
    Long address = addresses.get(id);
    return address != null ? address : outside.place(id);
  }

  /** The value of a pointer that is constant. */
  int pointer(long address) {
    return ModuleMemory.isPlace(address) ? outside.address(address) : out.constant(address);
  }

  /** Says what is in memory outside functions before the first kernel runs. */
  void describe() {
    outside.describe(new ConstantBytes(module, types, this::address));
  }

  /** The array of words to which a pointer points, in shared memory or that of a work item. */
  int words(int pointer, int space) {
    WordArray array = array(pointer, space);
    if (array.variable == 0) {
      array.variable = space == PointerClasses.SHARED ? shared(array) : ofWorkItem(array);
    }
    return array.variable;
  }

  private int shared(WordArray array) {
    int length = out.constant((int) (array.size / 4) + 1);
    if (!array.dynamic.isEmpty()) {
      int words =
          out.declare(
              Op.SPEC_CONSTANT_OP,
              out.u32(),
              Op.SHIFT_RIGHT_LOGICAL,
              dynamicBytes(),
              out.constant(2));
      length = out.declare(Op.SPEC_CONSTANT_OP, out.u32(), Op.I_ADD, length, words);
    }
    return out.variable(Storage.WORKGROUP, out.type(Op.TYPE_ARRAY, out.u32(), length));
  }

  /** The specialization constant for the bytes of dynamic shared memory. */
  private int dynamicBytes() {
    if (dynamicBytes == 0) {
      dynamicBytes = out.specialization(3, 0);
    }
    return dynamicBytes;
  }

  private int ofWorkItem(WordArray array) {
    int count = Math.max(1, (int) (array.size / 4));
    int type = out.type(Op.TYPE_ARRAY, out.u32(), out.constant(count));
    return out.variable(Storage.PRIVATE, type);
  }
}
