// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.run;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command that repeats a failed test. */
class RepeatCommandTests {
  @Test
  void theRepeatCommandFitsTheProject(@TempDir Path folder) throws IOException {
    Path root = Files.createDirectories(folder.resolve("root"));
    Path module = Files.createDirectories(root.resolve("examples/driver"));
    Files.createFile(module.resolve("pom.xml"));
    assertEquals("mvn verify", RepeatCommand.maven(module));
    Files.createFile(root.resolve("examples/pom.xml"));
    Files.createFile(root.resolve("pom.xml"));
    assertEquals(
        "mvn -pl examples/driver -am verify -Dsurefire.failIfNoSpecifiedTests=false",
        RepeatCommand.maven(module).replace('\\', '/'));
  }
}
