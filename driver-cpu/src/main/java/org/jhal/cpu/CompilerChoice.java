// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu;

import org.jhal.HalException;
import org.jhal.cpu.compile.HostCompiler;
import org.jspecify.annotations.Nullable;

/**
 * The compiler that the option {@code compiler} selects.
 *
 * @param compiler null if there is none
 * @param absence why there is none, for messages; empty if there is one
 */
record CompilerChoice(@Nullable HostCompiler compiler, String absence) {
  private static final String NONE = "none";

  /**
   * Reads the option. Looks at files, and runs nothing.
   *
   * @param option a file, the name of one on the path of executables, "none", or empty to search
   * @param origin where the option was set
   * @throws HalException INVALID_ARGUMENT if the file cannot be executed
   */
  static CompilerChoice of(String option, String origin) {
    if (option.equals(NONE)) {
      return new CompilerChoice(null, "the option compiler is none (" + origin + ")");
    }
    HostCompiler found =
        option.isEmpty() ? HostCompiler.find().orElse(null) : HostCompiler.at(option);
    return new CompilerChoice(found, found == null ? HostCompiler.absence() : "");
  }

  @Override
  public String toString() {
    return compiler == null ? NONE : compiler.toString();
  }
}
