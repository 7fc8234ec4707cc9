// SPDX-License-Identifier: Apache-2.0
package org.jhal.spirv.translate;

import java.util.HashSet;
import java.util.Set;
import org.jhal.spirv.assembly.Storage;
import org.jhal.spirv.module.Block;
import org.jhal.spirv.module.Instruction;
import org.jhal.spirv.module.KernelFunction;
import org.jhal.spirv.module.KernelModule;
import org.jhal.spirv.module.KernelTypes;
import org.jhal.spirv.module.Op;

/**
 * Divides the pointers of a module into classes, such that two pointers to the same object are in
 * one class, and says of each class in which kinds of memory its objects are.
 *
 * <p>Pointers that are copied, chosen between, compared, or passed to a function are in one class;
 * all that are kept in memory are in another. Integers that are made from pointers count as such.
 */
final class PointerClasses {
  /** Memory of the device. */
  static final int GLOBAL = 1;

  /** Memory of a workgroup. */
  static final int SHARED = 2;

  /** Memory of a work item. */
  static final int PRIVATE = 4;

  private static final int MEMORY = 0; // stands for all pointers that are kept in memory

  private final KernelModule module;
  private final KernelTypes types;
  private final FunctionPointers functions;
  private final int[] parent;
  private final int[] spaces;
  private final Set<Integer> carriers = new HashSet<>(); // integers made from pointers
  private boolean changed;

  PointerClasses(KernelModule module, KernelTypes types, FunctionPointers functions) {
    this.module = module;
    this.types = types;
    this.functions = functions;
    parent = new int[module.bound()];
    spaces = new int[module.bound()];
    for (int i = 0; i < parent.length; i++) {
      parent[i] = i;
    }
    spaces[MEMORY] = GLOBAL;
    int dynamic = -1;
    for (Instruction variable : module.variables()) {
      boolean isShared = variable.word(2) == Storage.WORKGROUP;
      spaces[variable.result()] = isShared ? SHARED : GLOBAL;
      if (isShared && module.importName(variable.result()) != null) {
        // All arrays of a size that the dispatch decides are the same memory.
        dynamic = dynamic < 0 ? variable.result() : dynamic;
        join(dynamic, variable.result());
      }
    }
    do {
      changed = false;
      module.functions().values().forEach(this::visit);
    } while (changed);
  }

  /** The class of a pointer: the same number for all that are in it. */
  int of(int pointer) {
    int at = pointer;
    while (parent[at] != at) {
      parent[at] = parent[parent[at]];
      at = parent[at];
    }
    return at;
  }

  /** The kinds of memory to which a pointer may point. */
  int spaces(int pointer) {
    int found = spaces[of(pointer)];
    return found == 0 ? GLOBAL : found;
  }

  private void visit(KernelFunction function) {
    boolean isKernel = module.entries().containsKey(function.id());
    for (Instruction parameter : function.parameters()) {
      if (isPointer(parameter, parameter.result())) {
        if (module.isByValue(parameter.result())) {
          mark(parameter.result(), PRIVATE);
        } else if (isKernel) {
          int storage = types.typeOf(parameter, parameter.result()).word(1);
          mark(parameter.result(), storage == Storage.WORKGROUP ? SHARED : GLOBAL);
        }
      }
    }
    for (Block block : function.blocks()) {
      block.phis().forEach(this::visitPhi);
      block.body().forEach(this::visit);
      if (block.end().op() == Op.RETURN_VALUE && isCarrying(block.end(), block.end().word(0))) {
        join(function.id(), block.end().word(0));
      }
    }
  }

  private void visitPhi(Instruction phi) {
    for (int i = 2; i < phi.count(); i += 2) {
      copy(phi, phi.result(), phi.word(i));
    }
  }

  private void visit(Instruction in) {
    switch (in.op()) {
      case Op.VARIABLE -> mark(in.result(), PRIVATE);
      case Op.ACCESS_CHAIN,
          Op.IN_BOUNDS_ACCESS_CHAIN,
          Op.PTR_ACCESS_CHAIN,
          Op.IN_BOUNDS_PTR_ACCESS_CHAIN,
          Op.COPY_OBJECT,
          Op.BITCAST,
          Op.PTR_CAST_TO_GENERIC,
          Op.GENERIC_CAST_TO_PTR,
          Op.GENERIC_CAST_TO_PTR_EXPLICIT,
          Op.CONVERT_PTR_TO_U ->
          copy(in, in.result(), in.word(2));
      case Op.CONVERT_U_TO_PTR -> {
        if (isCarrying(in, in.word(2))) {
          join(in.result(), in.word(2));
        } else {
          join(in.result(), MEMORY);
        }
      }
      case Op.SELECT -> {
        copy(in, in.result(), in.word(3));
        copy(in, in.result(), in.word(4));
      }
      case Op.I_ADD, Op.I_SUB, Op.BITWISE_AND, Op.BITWISE_OR, Op.BITWISE_XOR -> {
        copy(in, in.result(), in.word(2));
        copy(in, in.result(), in.word(3));
      }
      case Op.PTR_EQUAL, Op.PTR_NOT_EQUAL, Op.PTR_DIFF, Op.I_EQUAL, Op.I_NOT_EQUAL -> {
        if (isCarrying(in, in.word(2)) && isCarrying(in, in.word(3))) {
          join(in.word(2), in.word(3));
        }
      }
      case Op.LOAD, Op.COMPOSITE_EXTRACT -> {
        if (isPointer(in, in.result())) {
          join(in.result(), MEMORY);
        }
      }
      case Op.STORE, Op.COMPOSITE_INSERT -> keep(in, in.word(in.op() == Op.STORE ? 1 : 2));
      case Op.COMPOSITE_CONSTRUCT -> {
        for (int i = 2; i < in.count(); i++) {
          keep(in, in.word(i));
        }
      }
      case Op.ATOMIC_EXCHANGE, Op.ATOMIC_STORE -> keep(in, in.word(in.count() - 1));
      case Op.FUNCTION_CALL -> visitCall(in);
      case Op.FUNCTION_POINTER_CALL ->
          functions.functions(in).forEach(function -> visitCall(in, function));
      default -> {}
    }
  }

  private void visitCall(Instruction call) {
    KernelFunction callee = module.functions().get(call.word(2));
    if (callee == null) {
      throw call.invalid("calls id " + call.word(2) + ", which is no function");
    }
    if (call.count() - 3 != callee.parameters().size()) {
      throw call.invalid(
          "passes "
              + (call.count() - 3)
              + " arguments to "
              + module.name(callee.id())
              + ", which has "
              + callee.parameters().size()
              + " parameters");
    }
    visitCall(call, callee);
  }

  private void visitCall(Instruction call, KernelFunction callee) {
    if (callee.blocks().isEmpty()) {
      return; // a function of the translator, which keeps no pointer
    }
    for (int i = 0; i < callee.parameters().size(); i++) {
      if (isCarrying(call, call.word(i + 3))) {
        int parameter = callee.parameters().get(i).result();
        join(parameter, call.word(i + 3));
        carry(parameter);
      }
    }
    if (isPointer(call, call.result())) {
      join(call.result(), callee.id());
    }
  }

  private void keep(Instruction user, int value) {
    if (isCarrying(user, value)) {
      join(value, MEMORY);
    }
  }

  /** Notes that {@code result} may be the pointer {@code from}. */
  private void copy(Instruction user, int result, int from) {
    if (isCarrying(user, from)) {
      join(result, from);
      carry(result);
    }
  }

  private void carry(int value) {
    changed |= carriers.add(value);
  }

  private boolean isPointer(Instruction user, int id) {
    return KernelTypes.isPointer(types.typeOf(user, id));
  }

  /** Whether a value is a pointer or made from one. Constants such as null point nowhere. */
  private boolean isCarrying(Instruction user, int id) {
    if (carriers.contains(id)) {
      return true;
    }
    Instruction definition = module.definition(user, id);
    if (definition.op() == Op.SPEC_CONSTANT_OP) {
      // An address that is known: the beginning of a variable, or something in it.
      if (isPointer(user, id) && definition.count() > 3) {
        copy(definition, id, definition.word(3));
      }
      return carriers.contains(id);
    }
    return definition.op() != Op.CONSTANT_NULL
        && definition.op() != Op.UNDEF
        && isPointer(user, id);
  }

  private void mark(int pointer, int space) {
    int of = of(pointer);
    changed |= (spaces[of] & space) == 0;
    spaces[of] |= space;
  }

  private void join(int a, int b) {
    int first = of(a);
    int second = of(b);
    if (first != second) {
      parent[second] = first;
      spaces[first] |= spaces[second];
      changed = true;
    }
  }
}
