// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.compile;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The assembly of checked kernels for x86-64, in which each access to memory calls a hook. Most
 * accesses of a place in the code are in the same buffer. So the hook gets a number of the place,
 * for which it notes where that is, in a {@code hal_site}. Where only memory is checked, code
 * compares the address with it, and calls the hook only if it is elsewhere. Compilers keep nothing
 * in a register that a call may change, so what stands before the call may change these.
 */
final class CheckedAssembly {
  private static final Pattern CALL =
      Pattern.compile("\\tcallq?\\t__tsan_(?:unaligned_)?((?:read|write)(?:1|2|4|8|16))(?:@PLT)?");

  private static final Pattern BOUNDARY =
      Pattern.compile("\\tcallq?\\t__tsan_func_(?:entry|exit)(?:@PLT)?");

  /** That of {@code HAL_SITES}. */
  private static final int MOST = 4096;

  private static final int BYTES = 64; // of a hal_site

  private CheckedAssembly() {}

  /**
   * Changes what a compiler has written.
   *
   * @param compares whether an access at an address like the one before calls no hook
   */
  static String withSites(String assembly, boolean compares) {
    StringBuilder text = new StringBuilder();
    int sites = 0;
    for (String line : (Iterable<String>) assembly.lines()::iterator) {
      Matcher call = CALL.matcher(line);
      if (call.matches() && sites < MOST) {
        text.append(site(call.group(1), sites, compares));
        sites++;
      } else if (!BOUNDARY.matcher(line).matches()) {
        text.append(line).append('\n');
      }
    }
    text.append("\t.data\n\t.globl\thal_site_count\n\t.hidden\thal_site_count\n\t.balign\t4\n")
        .append("hal_site_count:\n\t.long\t")
        .append(sites)
        .append('\n');
    return text.toString();
  }

  /** What it makes of a call, for the key of what is compiled. */
  static String version() {
    return site("read4", 1, true) + site("write4", 1, false) + MOST;
  }

  private static String site(String access, int number, boolean compares) {
    String hook = "\tmovl\t$" + number + ", %esi\n\tcall\thal_site_" + access + "\n";
    if (!compares) {
      return hook;
    }
    int at = number * BYTES;
    String end = ".Lhal_site_" + number;
    return "\tmovq\thal_self_offset(%rip), %rax\n"
        + "\tmovq\t%fs:(%rax), %rax\n"
        + "\tmovq\t%rdi, %rcx\n"
        + ("\tsubq\t" + at + "(%rax), %rcx\n")
        + ("\tcmpq\t" + (at + 8) + "(%rax), %rcx\n")
        + ("\tjb\t" + end + "\n")
        + hook
        + (end + ":\n");
  }
}
