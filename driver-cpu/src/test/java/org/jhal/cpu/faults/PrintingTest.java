// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jhal.cpu.compile.NeedsCompiler;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Kernels print to the standard output of the process, in the order of their workgroups. */
@NeedsCompiler
class PrintingTest {
  @TempDir private Path folder;

  @ParameterizedTest
  @ValueSource(strings = "coroutine")
  void kernelsPrintAsInC(String form) throws Exception {
    List<String> expected = new ArrayList<>();
    expected.add("nothing");
    expected.add("-1 4000000000 -5000000000 18446744073709551615 ff    42|42   |00042");
    expected.add("1.500000 0.667 1.234568e+04 0.1 x text 0x1234 %");
    expected.add("0".repeat(1021) + "1"); // with the end of the line the most that a call prints
    expected.add("0".repeat(1019) + "...");
    expected.add("1024");
    for (int group = 0; group < 50; group++) {
      expected.add("workgroup " + group + " item 0");
      expected.add("workgroup " + group + " item 32");
    }
    expected.add("before the trap");
    List<String> options = List.of("-XX:TieredStopAtLevel=1");
    ChildJvm.Ended ended =
        ChildJvm.run(folder, 180, options, Map.of(), PrintingProgram.class, form);
    assertEquals(0, ended.code(), ended::toString);
    assertEquals(expected, ended.output(), ended::toString);
  }

  @ParameterizedTest
  @Tag("long")
  @ValueSource(strings = {"fission", "fiber"})
  void kernelsPrintTheSameInOtherForms(String form) throws Exception {
    kernelsPrintAsInC(form);
  }
}
