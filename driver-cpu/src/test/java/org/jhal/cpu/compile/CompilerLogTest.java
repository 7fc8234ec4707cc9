// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.compile;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which messages of compilers report that the machine lacks something. */
class CompilerLogTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "g++: fatal error: Killed signal terminated program cc1plus\ncompilation terminated.",
        "g++: internal compiler error: File size limit exceeded signal terminated program cc1plus",
        "g++: internal compiler error: CPU time limit exceeded signal terminated program as",
        "collect2: fatal error: ld terminated with signal 9 [Killed]\ncompilation terminated.",
        "cc1plus: out of memory allocating 65536 bytes after a total of 45453312 bytes",
        "virtual memory exhausted: Cannot allocate memory",
        "code.cpp:7:1: fatal error: error writing to /tmp/cc.s: No space left on device",
        "/usr/bin/ld: final link failed: memory exhausted",
        "g++: fatal error: cannot execute 'cc1plus': vfork: Resource temporarily unavailable",
        "cc1plus: error while loading shared libraries: libgmp.so.10: failed to map segment from"
            + " shared object",
        "clang++: error: unable to execute command: Killed",
        "LLVM ERROR: out of memory\nAllocation failed",
        "terminate called after throwing an instance of 'std::bad_alloc'"
      })
  void aLackOfResourcesIsSeen(String log) {
    assertTrue(CompilerLog.isExhausted(log));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "code.cpp:3:2: error: #error cc1plus: out of memory allocating 1 bytes",
        "code.cpp:3:5: error: 'x' was not declared\n    3 | x; // Cannot allocate memory",
        "g++: internal compiler error: Segmentation fault signal terminated program cc1plus",
        "cc1plus: error while loading shared libraries: libgmp.so.10: failed to map segment from"
            + " shared object: Operation not permitted",
        ""
      })
  void whatTheSourceSaysAndOtherFailuresAreNone(String log) {
    assertFalse(CompilerLog.isExhausted(log));
  }
}
