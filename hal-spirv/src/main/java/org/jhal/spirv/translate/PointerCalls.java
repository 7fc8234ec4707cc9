// SPDX-License-Identifier: Apache-2.0
package org.jhal.spirv.translate;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jhal.spirv.assembly.FunctionBuilder;
import org.jhal.spirv.assembly.ModuleBuilder;
import org.jhal.spirv.module.Instruction;
import org.jhal.spirv.module.KernelFunction;
import org.jhal.spirv.module.Op;

/**
 * Calls by pointer: each calls a function of its types of arguments and result, which calls the one
 * that has the pointer's number. A pointer that is none of these numbers, such as null, calls
 * nothing, is reported as a trap, and gives 0.
 */
final class PointerCalls {
  /** What a vtable has in place of functions without code; no object has that one. */
  private static final Set<String> WITHOUT_CODE =
      Set.of("__cxa_pure_virtual", "__cxa_deleted_virtual");

  private final Translation translation;
  private final FunctionPointers pointers;
  private final Map<List<Integer>, Integer> chosen = new HashMap<>(); // functions, by types

  PointerCalls(Translation translation, FunctionPointers pointers) {
    this.translation = translation;
    this.pointers = pointers;
  }

  /** Whether a translated function is one of those that choose another by a pointer. */
  boolean isChoice(int function) {
    return chosen.containsValue(function);
  }

  /**
   * The translated function that a call by pointer calls, with the pointer before its arguments.
   */
  int function(Scope scope, Instruction call) {
    if (pointers.functions(call).isEmpty()) {
      throw scope.unsupported(
          "a call by pointer of functions of which it knows none",
          "kernels of the same source must take the addresses of all functions that it may call");
    }
    return chosen.computeIfAbsent(pointers.types(call), absent -> make(scope, call));
  }

  private int make(Scope scope, Instruction call) {
    ModuleBuilder out = translation.out();
    int id = out.id();
    out.name(id, "by_pointer_" + chosen.size());
    List<Integer> types = new ArrayList<>();
    List<Integer> parameters = new ArrayList<>();
    for (int i = 2; i < call.count(); i++) {
      types.add(translation.outTypes().of(scope.typeOf(call, call.word(i))));
      parameters.add(out.id());
    }
    int type = scope.outType(call);
    boolean isVoid = scope.resultType(call).op() == Op.TYPE_VOID;
    FunctionBuilder code = new FunctionBuilder(out, id, type, types, parameters);
    int result = isVoid ? 0 : code.variable(type);
    addChoice(code, call, parameters, type, result);
    if (isVoid) {
      code.add(Op.RETURN);
    } else {
      code.add(Op.RETURN_VALUE, code.load(type, result));
    }
    translation.add(id, code);
    return id;
  }

  private void addChoice(
      FunctionBuilder code, Instruction call, List<Integer> parameters, int type, int result) {
    ModuleBuilder out = translation.out();
    List<KernelFunction> functions = new ArrayList<>(pointers.functions(call));
    functions.removeIf(
        function -> {
          String imported = translation.module().importName(function.id());
          return imported != null && WITHOUT_CODE.contains(imported);
        });
    int merge = out.id();
    int none = out.id();
    List<Integer> choice = new ArrayList<>();
    choice.add(code.u32(Op.U_CONVERT, parameters.get(0)));
    choice.add(none);
    for (KernelFunction function : functions) {
      choice.add((int) pointers.number(function));
      choice.add(out.id());
    }
    code.add(Op.SELECTION_MERGE, merge, 0);
    code.add(Op.SWITCH, choice.stream().mapToInt(word -> word).toArray());
    int[] arguments =
        parameters.subList(1, parameters.size()).stream().mapToInt(id -> id).toArray();
    for (int i = 0; i < functions.size(); i++) {
      code.begin(choice.get(2 * i + 3));
      int value = code.call(type, translated(functions.get(i)), arguments);
      if (result != 0) {
        code.add(Op.STORE, result, value);
      }
      code.add(Op.BRANCH, merge);
    }
    code.begin(none);
    new Traps(translation, code).report(out.constant(0));
    if (result != 0) {
      code.add(Op.STORE, result, out.declared(Op.CONSTANT_NULL, type));
    }
    code.add(Op.BRANCH, merge);
    code.begin(merge);
  }

  private int translated(KernelFunction function) {
    if (translation.module().entries().containsKey(function.id())) {
      throw Unsupported.in(translation.nameOf(function), "a pointer to itself");
    }
    if (function.blocks().isEmpty()) {
      throw Unsupported.in(
          translation.nameOf(function), "a pointer to it, but no code, so a call by that pointer");
    }
    return translation.function(function);
  }
}
