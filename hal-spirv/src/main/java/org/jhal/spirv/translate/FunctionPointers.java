// SPDX-License-Identifier: Apache-2.0
package org.jhal.spirv.translate;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jhal.spirv.module.Block;
import org.jhal.spirv.module.Instruction;
import org.jhal.spirv.module.KernelFunction;
import org.jhal.spirv.module.KernelModule;
import org.jhal.spirv.module.KernelTypes;
import org.jhal.spirv.module.Op;

/**
 * The functions of a module to which there are pointers. Each has a number, which is the value of
 * pointers to it. A call by pointer may call those that kernels get pointers to, and that have the
 * types of its arguments and result, where all types of pointers are the same.
 */
final class FunctionPointers {
  /** What numbers are multiples of: C++ marks pointers to virtual functions in the lowest bit. */
  private static final long STEP = 16;

  private static final int POINTER = 0; // stands for all types of pointers

  private final KernelModule module;
  private final KernelTypes types;
  private final Map<Integer, Long> values = new HashMap<>(); // by the id of the constant
  private final Map<Integer, Long> numbers = new HashMap<>(); // by function
  private final Map<List<Integer>, List<KernelFunction>> functions = new HashMap<>(); // by types
  private final Deque<Instruction> open = new ArrayDeque<>();
  private final Set<Integer> seen = new HashSet<>();
  private boolean isForKernels = true; // what is followed now

  FunctionPointers(KernelModule module, KernelTypes types) {
    this.module = module;
    this.types = types;
    for (int kernel : module.entries().keySet()) {
      visit(Objects.requireNonNull(module.functions().get(kernel)).head(), kernel);
    }
    followAll();
    isForKernels = false;
    for (Instruction variable : module.variables()) {
      visit(variable, variable.result()); // what no kernel uses may be in memory, too
    }
    followAll();
  }

  private void followAll() {
    while (!open.isEmpty()) {
      follow(open.remove());
    }
  }

  private void visit(Instruction user, int id) {
    Instruction definition = module.definition(user, id);
    if (seen.add(id)) {
      open.add(definition);
    }
  }

  private void visit(Instruction user, int[] ids) {
    for (int id : ids) {
      visit(user, id);
    }
  }

  private void follow(Instruction in) {
    switch (in.op()) {
      case Op.FUNCTION -> {
        KernelFunction function = module.functions().get(in.result());
        if (function != null) {
          function.blocks().forEach(this::follow);
        }
      }
      case Op.CONSTANT_FUNCTION_POINTER -> add(in);
      case Op.CONSTANT_COMPOSITE -> followFrom(in, 2);
      case Op.SPEC_CONSTANT_OP, Op.VARIABLE -> followFrom(in, 3);
      default -> {}
    }
  }

  private void followFrom(Instruction in, int first) {
    for (int i = first; i < in.count(); i++) {
      visit(in, in.word(i));
    }
  }

  private void follow(Block block) {
    for (Instruction phi : block.phis()) {
      for (int i = 2; i < phi.count(); i += 2) {
        visit(phi, phi.word(i));
      }
    }
    for (Instruction in : block.body()) {
      visit(in, Operands.values(in));
      if (in.op() == Op.FUNCTION_CALL) {
        visit(in, in.word(2));
      }
    }
    visit(block.end(), Operands.values(block.end()));
  }

  private void add(Instruction constant) {
    KernelFunction function = module.functions().get(constant.word(2));
    if (function == null) {
      throw constant.invalid("names id " + constant.word(2) + ", which is no function");
    }
    Long known = numbers.get(function.id());
    if (known == null) {
      known = STEP * (numbers.size() + 1);
      numbers.put(function.id(), known);
      if (isForKernels) {
        functions.computeIfAbsent(types(function), absent -> new ArrayList<>()).add(function);
        visit(constant, function.id());
      }
    }
    values.put(constant.result(), known);
  }

  private List<Integer> types(KernelFunction function) {
    List<Integer> all = new ArrayList<>();
    all.add(type(function.head(), function.returnType()));
    for (Instruction parameter : function.parameters()) {
      all.add(type(parameter, parameter.type()));
    }
    return all;
  }

  /** The types of what a call by pointer returns, and of its arguments. */
  List<Integer> types(Instruction call) {
    List<Integer> all = new ArrayList<>();
    all.add(type(call, call.type()));
    for (int i = 3; i < call.count(); i++) {
      all.add(type(call, types.typeOf(call, call.word(i)).result()));
    }
    return all;
  }

  private int type(Instruction user, int id) {
    return KernelTypes.isPointer(types.type(user, id)) ? POINTER : id;
  }

  /** The functions that a call by pointer may call, in the order of their numbers. */
  List<KernelFunction> functions(Instruction call) {
    return functions.getOrDefault(types(call), List.of());
  }

  /** The number of a function that {@link #functions} has named. */
  long number(KernelFunction function) {
    Long number = numbers.get(function.id());
    if (number == null) {
      throw new IllegalArgumentException("nothing points to function " + function.id());
    }
    return number;
  }

  /** The values of the constants that are pointers to functions, by id. */
  Map<Integer, Long> values() {
    return values;
  }
}
