// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jhal.cpu.translate.Translation.Form;

/**
 * Writes a source with the kernels in their new forms, and without the code of the host. Behind it
 * comes {@code HAL_ENTRY(0, hal_divided, (64, 1, 1), (saxpy__groups<64, 1, 1>), "...")} for each
 * kernel.
 */
final class SourceWriter {
  /** What an index is in a function that is given the item: nothing changes it. */
  private static final Map<String, String> INDEXES =
      new TreeMap<>( // so that the same is written each time
          Map.of(
              "threadIdx", "((const uint3&)hal_self.hal_thread)",
              "blockIdx", "((const uint3&)hal_self.hal_block)",
              "blockDim", "((const dim3&)hal_self.hal_size)",
              "gridDim", "((const dim3&)hal_self.hal_grid)"));

  /** What it is elsewhere: the variable of the thread. */
  private static final Map<String, String> OF_THREAD =
      Map.of(
          "threadIdx", "((const uint3&)threadIdx)",
          "blockIdx", "((const uint3&)blockIdx)",
          "blockDim", "((const dim3&)blockDim)",
          "gridDim", "((const dim3&)gridDim)");

  private final SourceFile source;
  private final List<Token> tokens;
  private final CallGraph calls;
  private final Set<String> indexes; // those whose names mean nothing else
  private final Map<Token, Function> plain = new IdentityHashMap<>(); // by their parentheses

  /**
   * For a source.
   *
   * @param source in which functions are given the item
   * @param plain in which they are not
   */
  SourceWriter(SourceFile source, SourceFile plain, CallGraph calls) {
    this.source = source;
    this.tokens = source.tokens();
    this.calls = calls;
    this.indexes = UnresolvedNames.indexes(plain, calls);
    plain
        .functions()
        .forEach(function -> this.plain.put(plain.tokens().get(function.open()), function));
  }

  /**
   * Writes the source.
   *
   * @param groups the divided kernels, by name
   * @param coroutines those that are coroutines
   * @param withItem those that are called with the item
   * @param unchanged those that ask the thread for it
   */
  void write(
      Writer out,
      Map<String, String> groups,
      Map<String, List<Token>> coroutines,
      Set<String> withItem,
      Set<String> unchanged) {
    Map<Integer, Function> starts = new HashMap<>();
    source.functions().forEach(function -> starts.put(function.start(), function));
    Map<Integer, Integer> skipped = new HashMap<>();
    source.instantiations().forEach(range -> skipped.put(range[0], range[1]));
    Set<String> fast = new HashSet<>(groups.keySet());
    fast.addAll(coroutines.keySet());
    fast.addAll(withItem);
    Set<String> kernels = new HashSet<>(fast);
    kernels.addAll(unchanged);
    Set<String> used = used(starts, kernels);
    Set<String> called = called(fast);
    for (int i = 0; i < tokens.size(); i++) {
      if (skipped.containsKey(i)) {
        i = skipped.get(i) - 1;
        continue;
      }
      Function function = starts.get(i);
      if (function == null) {
        out.token(tokens.get(i), written(tokens.get(i)));
        continue;
      }
      String name = AddedNames.withoutItem(function.text());
      if (function.isKernel() && function.hasBody()) {
        String divided = groups.get(name);
        if (divided != null) {
          beginGiven(out);
          out.raw("extern \"C++\" {\n" + divided + "}");
          endGiven(out);
        }
        if (coroutines.containsKey(name)) {
          beginGiven(out);
          out.tokens(coroutines.getOrDefault(name, List.of()));
          endGiven(out);
        }
        if (withItem.contains(name)) {
          clone(out, function);
        }
        if (unchanged.contains(name)) {
          plain(out, function, true);
        }
      } else if (!function.isKernel()
          && (!function.isForHost() || function.isOperator() || used.contains(name))) {
        plain(out, function, false);
        if (calls.hasItem(name) && called.contains(function.text())) {
          clone(out, function);
        }
      }
      i = function.end() - 1;
    }
  }

  /** Writes a function as it is in the source, if it is. */
  private void plain(Writer out, Function function, boolean isKernel) {
    Function same = plain.get(tokens.get(function.open()));
    if (same != null) {
      boolean isExtern = same.source().get(same.start()).is("extern");
      write(out, same, isKernel && isExtern ? same.start() + 2 : same.start(), true);
    }
  }

  /** Writes the clone of a function that takes the item, which may be overloaded. */
  private void clone(Writer out, Function function) {
    beginGiven(out);
    out.raw(function.isC() ? "extern \"C++\" {\n" : "");
    int from = function.start() + (tokens.get(function.start()).is("extern") ? 2 : 0);
    write(out, function, from, false);
    out.raw(function.isC() ? "}" : "");
    endGiven(out);
  }

  private void write(Writer out, Function function, int from, boolean isPlain) {
    for (int i = from; i < function.end(); i++) {
      Token token = function.source().get(i);
      boolean isDevice = i < function.name() && token.is("__device__") && !function.isInline();
      out.token(token, isDevice ? "HAL_DEVICE" : isPlain ? written(token) : token.written());
    }
  }

  /** What is written for a token of code that asks the thread for its item. */
  private String written(Token token) {
    return token.isWord() && indexes.contains(token.text())
        ? OF_THREAD.getOrDefault(token.text(), token.text())
        : token.written();
  }

  private static void beginGiven(Writer out) {
    out.raw("\n");
    INDEXES.forEach((name, text) -> out.raw("#define " + name + " " + text + "\n"));
    out.generated();
  }

  private static void endGiven(Writer out) {
    out.raw("\n");
    INDEXES.keySet().forEach(name -> out.raw("#undef " + name + "\n"));
    out.generated();
  }

  /** The words in kernels that are given the item, and in the functions that these call. */
  private Set<String> called(Set<String> kernels) {
    Map<String, List<Function>> byName = new HashMap<>();
    source
        .functions()
        .forEach(each -> byName.computeIfAbsent(each.text(), name -> new ArrayList<>()).add(each));
    Set<String> called = new HashSet<>(kernels);
    Deque<String> left = new ArrayDeque<>(kernels);
    while (!left.isEmpty()) {
      for (Function function : byName.getOrDefault(left.remove(), List.of())) {
        for (Token token : tokens.subList(function.open(), function.end())) {
          if (byName.containsKey(token.text()) && called.add(token.text())) {
            left.add(token.text());
          }
        }
      }
    }
    return called;
  }

  /** The words outside functions, and in those functions that the kernels use. */
  private Set<String> used(Map<Integer, Function> starts, Set<String> kernels) {
    Set<String> used = new HashSet<>();
    for (int i = 0; i < tokens.size(); i++) {
      Function function = starts.get(i);
      if (function == null) {
        used.add(AddedNames.withoutItem(tokens.get(i).text()));
      } else {
        i = function.end() - 1;
      }
    }
    List<Function> left = new ArrayList<>(source.functions());
    boolean isChanged = true;
    while (isChanged) {
      isChanged = false;
      for (Function function : List.copyOf(left)) {
        String name = AddedNames.withoutItem(function.text());
        if (kernels.contains(name)
            || used.contains(name)
            || (!function.isForHost() && !function.isKernel())) {
          tokens
              .subList(function.name() + 1, function.end())
              .forEach(word -> used.add(AddedNames.withoutItem(word.text())));
          left.remove(function);
          isChanged = true;
        }
      }
    }
    return used;
  }

  /**
   * Writes what the runtime finds a kernel by.
   *
   * @param isFoundByName whether GPUs find it by its name, too
   */
  static void entry(Writer out, int index, KernelRequest kernel, Form how, boolean isFoundByName) {
    String form =
        switch (how.level()) {
          case PLAIN -> "hal_plain";
          case ASKING -> "hal_asking";
          case LOCKSTEP, FISSION -> "hal_divided";
          case COROUTINE -> "hal_coroutines";
          case FIBER -> "hal_fibers";
        };
    String function =
        how.level() == Level.FISSION || how.level() == Level.LOCKSTEP
            ? kernel.scope()
                + kernel.name()
                + "__groups<"
                + kernel.sizes()
                + kernel.arguments()
                + ">"
            : kernel.entry();
    String note = literal(how.text()) + (isFoundByName ? "" : "\\n" + Translation.MANGLED);
    out.raw(
        "HAL_ENTRY("
            + index
            + ", %s, (%s), (%s), \"%s\")\n".formatted(form, kernel.sizes(), function, note));
  }

  private static String literal(String text) {
    return text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", " ");
  }
}
