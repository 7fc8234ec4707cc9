// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jhal.cpu.compile.NeedsCompiler;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A kernel that never ends costs its device, and nothing else. */
@NeedsCompiler
class EndlessKernelTest {
  @TempDir private Path folder;

  @Test
  void closeGivesUpAndTheProgramEnds() throws Exception {
    List<String> options = List.of("-XX:TieredStopAtLevel=1");
    ChildJvm.Ended ended = ChildJvm.run(folder, 180, options, Map.of(), EndlessProgram.class);
    assertEquals(0, ended.code(), ended::toString);
    assertEquals(
        List.of("DEADLINE_EXCEEDED", "workgroup 0 item 0", "workgroup 0 item 32", "null"),
        ended.output(),
        ended::toString);
  }
}
