// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.compile;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A bundle must not make the compiler read files or run programs. */
class CompilerOptionsTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "-DTILE=16",
        "-D_A",
        "-UA",
        "-O2",
        "-std=c++17",
        "--std=c++14",
        "-ffast-math",
        "-ffp-contract=fast",
        "-fno-unroll-loops"
      })
  void allowsOptionsAboutTheLanguageAndArithmetic(String option) {
    assertTrue(CompilerOptions.isAllowed(option));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "-fplugin=evil.so",
        "-I/etc",
        "-include",
        "@file",
        "-wrapper",
        "-B/tmp",
        "-specs=x",
        "-Wl,-rpath=/tmp",
        "-o",
        "/etc/passwd",
        "-D",
        "-O",
        "-DA=1\n-fplugin=x",
        "-march=native",
        "",
        "-Xclang",
        "-std=c++17 -fplugin=x"
      })
  void refusesEverythingElse(String option) {
    assertFalse(CompilerOptions.isAllowed(option));
  }
}
