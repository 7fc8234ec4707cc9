// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.compile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** Which calls of hooks get a number, and what else stays as it is. */
class CheckedAssemblyTest {
  private static final String READ = "\tcall\t__tsan_read4@PLT\n";

  @Test
  void eachAccessHasANumber() {
    String text =
        CheckedAssembly.withSites(
            "f:\n" + READ + "\tcallq\t__tsan_unaligned_write16@PLT\n\tret\n", false);
    assertTrue(
        text.startsWith(
            "f:\n\tmovl\t$0, %esi\n\tcall\thal_site_read4\n"
                + "\tmovl\t$1, %esi\n\tcall\thal_site_write16\n\tret\n"),
        text);
    assertTrue(text.endsWith("hal_site_count:\n\t.long\t2\n"), text);
  }

  @Test
  void addressesAreComparedBeforeACall() {
    String text = CheckedAssembly.withSites(READ + READ, true);
    assertTrue(
        text.contains("\tsubq\t64(%rax), %rcx\n\tcmpq\t72(%rax), %rcx\n\tjb\t.Lhal_site_1\n"),
        text);
  }

  @Test
  void otherCallsStay() {
    String others =
        "\tcall\t__tsan_atomic32_load@PLT\n\tcall\t__tsan_volatile_read4@PLT\n\tcall\tmemcpy@PLT\n";
    assertTrue(CheckedAssembly.withSites(others, true).startsWith(others));
  }

  @Test
  void theCallsAroundAFunctionGo() {
    String text =
        CheckedAssembly.withSites(
            "\tcall\t__tsan_func_entry@PLT\n\tcall\t__tsan_func_exit@PLT\n", true);
    assertFalse(text.contains("__tsan"), text);
  }

  @Test
  void numbersEnd() {
    String text = CheckedAssembly.withSites(READ.repeat(4097), true);
    assertEquals(4097, text.split("hal_site_read4|__tsan_read4", -1).length - 1);
    assertEquals(1, text.split("__tsan_read4", -1).length - 1);
    assertTrue(text.endsWith("\t.long\t4096\n"), "not 4096");
  }
}
