// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jhal.cpu.translate.Translation.Form;

/**
 * Writes a source with the kernels in their new forms, and without the code of the host. Behind it
 * comes {@code HAL_ENTRY(0, hal_divided, (64, 1, 1), (saxpy__groups<64, 1, 1>), "...")} for each
 * kernel.
 */
final class SourceWriter {
  private final List<Token> tokens;
  private final SourceFile source;

  SourceWriter(SourceFile source) {
    this.tokens = source.tokens();
    this.source = source;
  }

  /**
   * Writes the source.
   *
   * @param groups the divided kernels, by name
   * @param coroutines those that are coroutines
   * @param whole those that stay as they are
   */
  void write(
      Writer out,
      Map<String, String> groups,
      Map<String, List<Token>> coroutines,
      Set<String> whole) {
    Map<Integer, Function> starts = new HashMap<>();
    source.functions().forEach(function -> starts.put(function.start(), function));
    Map<Integer, Integer> skipped = new HashMap<>();
    source.instantiations().forEach(range -> skipped.put(range[0], range[1]));
    Set<String> kernels = new HashSet<>(groups.keySet());
    kernels.addAll(coroutines.keySet());
    kernels.addAll(whole);
    Set<String> used = used(starts, kernels);
    for (int i = 0; i < tokens.size(); i++) {
      if (skipped.containsKey(i)) {
        i = skipped.get(i) - 1;
        continue;
      }
      Function function = starts.get(i);
      if (function == null) {
        out.token(tokens.get(i), tokens.get(i).written());
        continue;
      }
      String name = function.text();
      if (function.isKernel() && function.hasBody()) {
        String divided = groups.get(name);
        if (divided != null) {
          out.raw("\nextern \"C++\" {\n" + divided + "}\n");
          out.generated();
        }
        out.tokens(coroutines.getOrDefault(name, List.of()));
        if (whole.contains(name)) {
          int from = function.start();
          if (tokens.get(from).is("extern")) {
            from += 2;
          }
          out.tokens(tokens.subList(from, function.end()));
        }
      } else if (!function.isKernel() && (!function.isForHost() || used.contains(name))) {
        out.tokens(tokens.subList(function.start(), function.end()));
      }
      i = function.end() - 1;
    }
  }

  /** The words outside functions, and in those functions that the kernels use. */
  private Set<String> used(Map<Integer, Function> starts, Set<String> kernels) {
    Set<String> used = new HashSet<>();
    for (int i = 0; i < tokens.size(); i++) {
      Function function = starts.get(i);
      if (function == null) {
        used.add(tokens.get(i).text());
      } else {
        i = function.end() - 1;
      }
    }
    List<Function> left = new ArrayList<>(source.functions());
    boolean isChanged = true;
    while (isChanged) {
      isChanged = false;
      for (Function function : List.copyOf(left)) {
        String name = function.text();
        if (kernels.contains(name)
            || used.contains(name)
            || (!function.isForHost() && !function.isKernel())) {
          tokens
              .subList(function.name() + 1, function.end())
              .forEach(word -> used.add(word.text()));
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
          case FISSION -> "hal_divided";
          case COROUTINE -> "hal_coroutines";
          case FIBER -> "hal_fibers";
        };
    String function =
        how.level() == Level.FISSION
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
