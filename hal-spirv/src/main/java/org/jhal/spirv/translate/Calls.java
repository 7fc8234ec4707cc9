// SPDX-License-Identifier: Apache-2.0
package org.jhal.spirv.translate;

import java.util.Map;
import java.util.Set;
import org.jhal.HalException;
import org.jhal.spirv.assembly.Decoration;
import org.jhal.spirv.assembly.FunctionBuilder;
import org.jhal.spirv.assembly.ModuleBuilder;
import org.jhal.spirv.module.Instruction;
import org.jhal.spirv.module.KernelFunction;
import org.jhal.spirv.module.KernelModule;
import org.jhal.spirv.module.Op;

/**
 * Calls: of functions of the module, and of those that it imports from the translator, whose names
 * begin with {@code hal_}.
 */
final class Calls {
  private static final int WORKGROUP = 2;
  private static final int DEVICE = 1;

  /** Acquire and release, of memory of the device and of the workgroup. */
  static final int ALL_MEMORY = 0x8 | 0x40 | 0x100;

  /** How many parameters functions have that use them by number. */
  private static final Map<String, Integer> PARAMETERS =
      Map.of(
          "hal_shuffle", 3,
          "hal_ballot", 2,
          "hal_warp_barrier", 1,
          "hal_trap_at", 1,
          "hal_compare_exchange_32", 3,
          "hal_compare_exchange_64", 3);

  private static final Set<String> ALLOCATORS = Set.of("malloc", "calloc", "realloc", "free");

  private final Scope scope;
  private final FunctionBuilder code;
  private final ModuleBuilder out;
  private final BuiltIns builtIns;
  private final Warps warps;
  private final Traps traps;
  private final Atomics atomics;

  Calls(Scope scope, Atomics atomics) {
    this.scope = scope;
    this.atomics = atomics;
    code = scope.code;
    out = scope.out();
    builtIns = scope.translation.builtIns();
    warps = new Warps(scope.translation, code);
    traps = new Traps(scope.translation, code);
  }

  void call(Instruction in) {
    KernelModule module = scope.translation.module();
    KernelFunction callee = module.functions().get(in.word(2));
    if (callee == null) {
      throw in.invalid("calls id " + in.word(2) + ", which is no function");
    }
    int[] arguments = new int[in.count() - 3];
    for (int i = 0; i < arguments.length; i++) {
      arguments[i] = scope.value(in, in.word(i + 3));
    }
    if (callee.blocks().isEmpty()) {
      String name = module.importName(callee.id());
      int result = imported(in, name == null ? module.name(callee.id()) : name, arguments);
      if (result != 0) {
        scope.values.define(in, result);
      }
      return;
    }
    call(in, scope.translation.function(callee), arguments);
  }

  /** Calls a translated function, which gives the instruction its result, if there is one. */
  private void call(Instruction in, int function, int[] arguments) {
    int result = code.call(scope.outType(in), function, arguments);
    if (scope.resultType(in).op() != Op.TYPE_VOID) {
      scope.values.define(in, result);
    }
  }

  /** Calls the function to which a pointer points. */
  void callByPointer(Instruction in) {
    int[] values = Operands.values(in);
    for (int i = 0; i < values.length; i++) {
      values[i] = scope.value(in, values[i]);
    }
    call(in, scope.translation.pointerCalls().function(scope, in), values);
  }

  /** Calls a function of the module that computes a function of numbers. */
  int math(Instruction in, String name, int... arguments) {
    KernelFunction function = scope.translation.exported(name);
    if (function == null) {
      throw scope.unsupported("the function " + name);
    }
    return code.call(scope.outType(in), scope.translation.function(function), arguments);
  }

  private int imported(Instruction in, String name, int[] arguments) {
    Integer needed = PARAMETERS.get(name);
    if (needed != null && needed != arguments.length) {
      throw in.invalid("passes " + arguments.length + " arguments to " + name);
    }
    switch (name) {
      case "hal_local_id":
        return builtIns.component(code, Decoration.LOCAL_INVOCATION_ID, dimension(in));
      case "hal_group_id":
        return builtIns.component(code, Decoration.WORKGROUP_ID, dimension(in));
      case "hal_grid_size":
        return builtIns.component(code, Decoration.NUM_WORKGROUPS, dimension(in));
      case "hal_group_size":
        return builtIns.size(dimension(in));
      case "hal_barrier":
        barrier();
        return 0;
      case "hal_fence":
        fence(true);
        return 0;
      case "hal_group_fence":
        fence(false);
        return 0;
      case "hal_trap":
        traps.report(out.constant(0));
        return 0;
      case "hal_trap_at":
        traps.report(arguments[0]);
        return 0;
      case "hal_shuffle":
        return warps.shuffle(arguments[0], arguments[1], arguments[2]);
      case "hal_ballot":
        return warps.ballot(arguments[0], arguments[1]);
      case "hal_active":
        return warps.active();
      case "hal_warp_barrier":
        warps.meet(arguments[0]);
        return 0;
      case "hal_compare_exchange_32":
        return atomics.compareExchange(in.word(3), arguments[0], 32, arguments[1], arguments[2]);
      case "hal_compare_exchange_64":
        return atomics.compareExchange(in.word(3), arguments[0], 64, arguments[1], arguments[2]);
      case "hal_sqrt_f32", "hal_sqrt_f64":
        return code.glsl(31, scope.outType(in), arguments);
      default:
        if (name.startsWith("_Zdl") || name.startsWith("_Zda")) {
          // In destructors of objects that are never deleted, since none is made by new.
          traps.report(out.constant(0));
          return 0;
        }
        throw unsupported(name);
    }
  }

  /** The refusal of a call of a function of C or C++, and what to do instead. */
  HalException unsupported(String name) {
    if (name.equals("printf")) {
      return scope.unsupported(
          "a call of printf",
          "store what it should print in a buffer, or run the kernel on the device cpu");
    }
    boolean isNew = name.startsWith("_Znw") || name.startsWith("_Zna");
    if (isNew || ALLOCATORS.contains(name)) {
      return scope.unsupported(
          "a call of " + (isNew ? "new" : name), "pass a buffer, or use an array of fixed size");
    }
    return scope.unsupported("a call of " + name);
  }

  private int dimension(Instruction in) {
    int dimension = (int) scope.constant(in, in.word(3));
    if (dimension < 0 || dimension > 2) {
      throw in.invalid("asks for dimension " + dimension + "; there are 0 to 2");
    }
    return dimension;
  }

  /** Waits until all work items of the workgroup are here. */
  void barrier() {
    if (scope.translation.hasWarps()) {
      warps.sync(this::addBarrier);
    } else {
      addBarrier();
    }
  }

  private void addBarrier() {
    code.add(
        Op.CONTROL_BARRIER,
        out.constant(WORKGROUP),
        out.constant(WORKGROUP),
        out.constant(ALL_MEMORY));
  }

  /** Orders accesses before and after, as other work items see them. */
  void fence(boolean isForDevice) {
    code.add(
        Op.MEMORY_BARRIER,
        out.constant(isForDevice ? DEVICE : WORKGROUP),
        out.constant(ALL_MEMORY));
  }
}
