// SPDX-License-Identifier: Apache-2.0
package org.jhal.kernels.source;

import java.util.List;
import java.util.regex.Pattern;
import org.jhal.HalException;
import org.jhal.Status;

/**
 * The options that a bundle may give a compiler that runs on the host as a program, where others
 * could read files and run programs: those about the language and arithmetic alone.
 */
public final class CompilerOptions {
  /** All of them, for messages. */
  private static final String ALLOWED =
      "-DNAME, -DNAME=VALUE, -UNAME, -std=, -O0 to -O3, -ffast-math, -ffp-contract=off|on|fast,"
          + " -funroll-loops, -fassociative-math, -freciprocal-math, -ffinite-math-only,"
          + " -fno-signed-zeros, and -fno- forms of these";

  private static final Pattern FORM =
      Pattern.compile(
          "-D[A-Za-z_]\\w*(=[^\\n]*)?|-U[A-Za-z_]\\w*|-{1,2}std=[a-z0-9+]+|-O[0-3]|-ffp-contract=(off|on|fast)"
              + "|-f(no-)?(fast-math|unroll-loops|associative-math|reciprocal-math"
              + "|finite-math-only|signed-zeros)");

  private CompilerOptions() {}

  /**
   * Checks the options of a bundle.
   *
   * @param where the sources are compiled for, such as {@code the CPU}
   * @param what is being compiled, for people
   * @throws HalException INVALID_ARGUMENT for any other option, such as one that names a file or a
   *     plugin
   */
  public static void check(List<String> options, String where, String what) {
    for (String option : options) {
      if (!isAllowed(option)) {
        throw new HalException(
            Status.INVALID_ARGUMENT,
            "cannot compile %s: the option '%s' is not allowed on %s; allowed are %s"
                .formatted(what, option, where, ALLOWED));
      }
    }
  }

  /** Whether it is for the preprocessor alone. */
  public static boolean isPreprocessed(String option) {
    return option.startsWith("-D") || option.startsWith("-U");
  }

  static boolean isAllowed(String option) {
    return FORM.matcher(option).matches();
  }
}
