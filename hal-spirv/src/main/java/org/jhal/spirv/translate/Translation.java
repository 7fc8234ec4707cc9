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
import java.util.TreeSet;
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
  private final boolean hasWarps;
  private final Map<Integer, Integer> functions = new HashMap<>(); // translated, by function
  private final Deque<KernelFunction> open = new ArrayDeque<>();
  private final Map<Integer, FunctionBuilder> done = new HashMap<>(); // by translated function

  private Translation(KernelModule module) {
    this.module = module;
    types = new KernelTypes(module);
    outTypes = new OutTypes(types, out);
    classes = new PointerClasses(module, types);
    memories = new Memories(module, types, out, classes);
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
      FunctionBuilder code = new FunctionTranslator(this, function, id).translate();
      add(id, code);
    }
    module.entries().forEach(this::addEntry);
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
      throw Unsupported.in(kernel, "more than " + DEEPEST + " calls inside each other");
    }
    if (path.contains(function)) {
      throw Unsupported.in(kernel, "a function that calls itself");
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

  /** The translated function, which is translated after the present one. */
  int function(KernelFunction function) {
    return functions.computeIfAbsent(
        function.id(),
        absent -> {
          open.add(function);
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

  /** Whether kernels have functions of warps. */
  boolean hasWarps() {
    return hasWarps;
  }
}
