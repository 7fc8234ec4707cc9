// SPDX-License-Identifier: Apache-2.0
package org.jhal.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The JVM exits, and Spring's shutdown hook runs at the same time as that of JHAL. */
class ExitTest {
  @Test
  void beansMayComputeUntilTheyAreDestroyed(@TempDir Path folder) throws Exception {
    Path output = folder.resolve("output");
    Process program =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                ExitProgram.class.getName(),
                "--jhal.device=mock")
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      assertTrue(program.waitFor(120, TimeUnit.SECONDS), "the program does not exit");
    } finally {
      program.destroyForcibly();
    }
    String text = Files.readString(output);
    assertTrue(text.contains("computed [42.0]"), text);
    assertEquals(0, program.exitValue(), text);
  }
}
