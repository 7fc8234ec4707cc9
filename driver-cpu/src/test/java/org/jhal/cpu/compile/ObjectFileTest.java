// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.compile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What the functions of a compiled file use. */
@NeedsCompiler
class ObjectFileTest {
  private static final String SOURCE =
      """
      extern "C" {
      void elsewhere();
      __attribute__((visibility("hidden"))) thread_local int of_thread;
      static int local;
      __attribute__((noinline)) static int asks() { return of_thread; }
      static int (*const table[])() = {asks, nullptr};
      int (*changing[])() = {asks};
      struct Base { virtual int get() { return 1; } };
      struct Asking : Base { int get() override { return of_thread; } };

      int direct() { return of_thread + 1; }
      int by_call() { return asks() + 1; }
      int by_table(int i) { return table[i](); }
      int by_variable() { return changing[0](); }
      int by_method(Base* base) { Asking other; return (base ? base : &other)->get(); }
      int calls_elsewhere() { elsewhere(); return ++local; }
      int neither() { return ++local; }
      }
      """;

  private static void look(String source, HostCompiler.Check check) {
    HostCompiler.find()
        .orElseThrow()
        .compile(source, "native", false, 0, List.of("-fno-rtti"), "it", check);
  }

  @Test
  void functionsUseWhatTheyReach() {
    Map<String, Boolean> uses = new LinkedHashMap<>();
    look(
        SOURCE,
        file -> {
          for (String function :
              List.of("direct", "by_call", "by_table", "by_variable", "by_method", "neither")) {
            uses.put(function, file.uses(function, Set.of("of_thread", "another")));
          }
          uses.put("calls_elsewhere", file.uses("calls_elsewhere", Set.of("elsewhere")));
          uses.put("local", file.uses("calls_elsewhere", Set.of("of_thread")));
          IllegalArgumentException missing =
              assertThrows(
                  IllegalArgumentException.class, () -> file.uses("missing", Set.of("of_thread")));
          assertEquals("the compiled file has no missing", missing.getMessage());
        });
    Map<String, Boolean> wanted = new LinkedHashMap<>();
    List.of("direct", "by_call", "by_table", "by_variable", "by_method")
        .forEach(function -> wanted.put(function, true));
    wanted.put("neither", false);
    wanted.put("calls_elsewhere", true);
    wanted.put("local", false);
    assertEquals(wanted, uses);
  }

  /** More sections than a symbol's usual field can number. */
  @Test
  void filesMayHaveManySections() {
    String many =
        "__asm__(\".altmacro\\n.macro one n\\n.section .many\\\\n\\n.byte 1\\n.endm\\n"
            + ".set number, 0\\n.rept 70000\\none %number\\n.set number, number + 1\\n.endr\\n"
            + ".noaltmacro\\n.text\\n\");\n";
    boolean[] uses = new boolean[2];
    look(
        many + SOURCE,
        file -> {
          uses[0] = file.uses("by_table", Set.of("of_thread"));
          uses[1] = file.uses("neither", Set.of("of_thread"));
        });
    assertTrue(uses[0] && !uses[1]);
  }
}
