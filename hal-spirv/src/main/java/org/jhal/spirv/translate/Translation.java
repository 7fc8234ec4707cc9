// SPDX-License-Identifier: Apache-2.0
package org.jhal.spirv.translate;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jhal.HalException;
import org.jhal.spirv.assembly.FunctionBuilder;
import org.jhal.spirv.assembly.ModuleBuilder;
import org.jhal.spirv.module.KernelFunction;
import org.jhal.spirv.module.KernelModule;
import org.jhal.spirv.module.KernelTypes;
import org.jspecify.annotations.Nullable;

/** The translation of one module: what its functions share. Not thread-safe. */
public final class Translation {
  private static final int DEEPEST = 200;

  private final KernelModule module;
  private final KernelTypes types;
  private final ModuleBuilder out = new ModuleBuilder();
  private final OutTypes outTypes;
  private final PointerClasses classes;
  private final Memories memories;
  private final BuiltIns builtIns;
  private final Meetings meetings;
  private final PointerCalls pointerCalls;
  private final boolean hasWarps;
  private final Map<Integer, Integer> functions = new HashMap<>(); // translated, by function
  private final Deque<KernelFunction> open = new ArrayDeque<>();
  private final Map<Integer, KernelFunction> callers = new HashMap<>(); // the first, by function
  private @Nullable KernelFunction present; // which is being translated
  private final Map<Integer, FunctionBuilder> done = new HashMap<>(); // by translated function

  private Translation(KernelModule module) {
    this.module = module;
    types = new KernelTypes(module);
    outTypes = new OutTypes(types, out);
    FunctionPointers pointers = new FunctionPointers(module, types);
    classes = new PointerClasses(module, types, pointers);
    memories = new Memories(module, types, out, classes, pointers);
    pointerCalls = new PointerCalls(this, pointers);
    builtIns = new BuiltIns(out);
    meetings = new Meetings(this);
    hasWarps = Warps.areUsed(module);
  }

  /** Translates all kernels of a module. */
  public static byte[] translate(KernelModule module) {
    Translation translation = new Translation(module);
    translation.run();
    return translation.out.toBytes();
  }

  private void run() {
    for (int entry : module.entries().keySet()) {
      function(Objects.requireNonNull(module.functions().get(entry)));
    }
    while (!open.isEmpty()) {
      KernelFunction function = open.remove();
      int id = function(function);
      present = function;
      FunctionBuilder code = new FunctionTranslator(this, function, id).translate();
      add(id, code);
    }
    module.entries().forEach(this::addEntry);
    memories.describe();
  }

  private void addEntry(int function, String name) {
    int entry = function(function);
    if (hasWarps) {
      entry = out.id();
      FunctionBuilder around = new FunctionBuilder(out, entry, out.nothing(), List.of(), List.of());
      new Warps(this, around).addKernel(function(function));
      add(entry, around);
    }
    Set<Integer> globals = new TreeSet<>();
    collect(name, entry, globals, new ArrayList<>(), new HashSet<>());
    out.entry(entry, name, new ArrayList<>(globals));
  }

  private int function(int id) {
    return Objects.requireNonNull(functions.get(id));
  }

  /** Adds a finished function. */
  void add(int id, FunctionBuilder code) {
    code.finish();
    done.put(id, code);
  }

  /** Collects the variables that a function and those that it calls use. */
  private void collect(
      String kernel, int function, Set<Integer> globals, List<Integer> path, Set<Integer> seen) {
    if (path.size() > DEEPEST) {
      throw Unsupported.in(
          "kernel '" + kernel + "'", "more than " + DEEPEST + " calls inside each other");
    }
    int before = path.indexOf(function);
    if (before >= 0) {
      throw recursive(kernel, path.subList(before, path.size()));
    }
    if (!seen.add(function)) {
      return;
    }
    path.add(function);
    FunctionBuilder code = Objects.requireNonNull(done.get(function));
    globals.addAll(code.globals());
    for (int callee : code.callees()) {
      collect(kernel, callee, globals, path, seen);
    }
    path.remove(path.size() - 1);
  }

  private HalException recursive(String kernel, List<Integer> cycle) {
    List<String> names = new ArrayList<>();
    functions.forEach(
        (function, translated) -> {
          if (cycle.contains(translated)) {
            names.add(module.name(function));
          }
        });
    Collections.sort(names);
    String code = "kernel '" + kernel + "'";
    String which = String.join(", ", names);
    return cycle.stream().anyMatch(pointerCalls::isChoice)
        ? Unsupported.in(
            code,
            "functions that may call themselves by pointer (" + which + ")",
            "a call by pointer may call each function of its type to which there is a pointer")
        : Unsupported.in(
            code, "functions that call themselves (" + which + ")", "use a loop instead");
  }

  /** What a function is called in messages: by its own name and that of a kernel. */
  String nameOf(KernelFunction function) {
    String kernel = module.entries().get(function.id());
    if (kernel != null) {
      return "kernel '" + kernel + "'";
    }
    KernelFunction caller = callers.get(function.id());
    while (caller != null && callers.containsKey(caller.id())) {
      caller = callers.get(caller.id());
    }
    String of = caller == null ? null : module.entries().get(caller.id());
    return "function " + module.name(function.id()) + (of == null ? "" : " of kernel '" + of + "'");
  }

  /** The translated function, which is translated after the present one. */
  int function(KernelFunction function) {
    return functions.computeIfAbsent(
        function.id(),
        absent -> {
          open.add(function);
          if (present != null) {
            callers.put(function.id(), present);
          }
          int id = out.id();
          String name = module.name(function.id());
          out.name(id, name.replace("'", ""));
          return id;
        });
  }

  /** The function that the module exports under a name; null if none. */
  @Nullable KernelFunction exported(String name) {
    Integer id = module.export(name);
    KernelFunction function = id == null ? null : module.functions().get(id);
    return function == null || function.blocks().isEmpty() ? null : function;
  }

  KernelModule module() {
    return module;
  }

  KernelTypes types() {
    return types;
  }

  ModuleBuilder out() {
    return out;
  }

  OutTypes outTypes() {
    return outTypes;
  }

  PointerClasses classes() {
    return classes;
  }

  Memories memories() {
    return memories;
  }

  BuiltIns builtIns() {
    return builtIns;
  }

  Meetings meetings() {
    return meetings;
  }

  PointerCalls pointerCalls() {
    return pointerCalls;
  }

  /** Whether kernels have functions of warps. */
  boolean hasWarps() {
    return hasWarps;
  }
}
