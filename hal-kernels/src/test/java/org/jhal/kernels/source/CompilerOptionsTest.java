// SPDX-License-Identifier: Apache-2.0
package org.jhal.kernels.source;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.jhal.HalException;
import org.jhal.Status;
import org.junit.jupiter.api.Test;
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

  @Test
  void namesTheOptionThatIsRefused() {
    CompilerOptions.check(List.of("-DA=1", "-O3"), "the CPU", "a.cpp");
    HalException failure =
        assertThrows(
            HalException.class,
            () -> CompilerOptions.check(List.of("-DA=1", "-fplugin=x"), "the CPU", "a.cpp"));
    assertEquals(Status.INVALID_ARGUMENT, failure.status());
    String message = String.valueOf(failure.getMessage());
    assertTrue(
        message.startsWith(
            "cannot compile a.cpp: the option '-fplugin=x' is not allowed on the CPU; allowed are"),
        message);
  }
}
