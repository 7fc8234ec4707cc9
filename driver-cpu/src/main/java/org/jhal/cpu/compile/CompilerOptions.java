// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.compile;

import java.util.regex.Pattern;

/** The options that a bundle may give the host's compiler, which could run any program. */
final class CompilerOptions {
  /** All of them, for messages. */
  static final String ALLOWED =
      "-DNAME, -DNAME=VALUE, -UNAME, -std=, -O0 to -O3, -ffast-math, -ffp-contract=off|on|fast,"
          + " -funroll-loops, -fassociative-math, -freciprocal-math, -ffinite-math-only,"
          + " -fno-signed-zeros, and -fno- forms of these";

  private static final Pattern FORM =
      Pattern.compile(
          "-D[A-Za-z_]\\w*(=[^\\n]*)?|-U[A-Za-z_]\\w*|-{1,2}std=[a-z0-9+]+|-O[0-3]|-ffp-contract=(off|on|fast)"
              + "|-f(no-)?(fast-math|unroll-loops|associative-math|reciprocal-math"
              + "|finite-math-only|signed-zeros)");

  private CompilerOptions() {}

  /** Whether it has no effect on the translation of a source. */
  static boolean isPreprocessed(String option) {
    return option.startsWith("-D") || option.startsWith("-U");
  }

  static boolean isAllowed(String option) {
    return FORM.matcher(option).matches();
  }
}
