// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A separate JVM with the class path of the tests. */
final class Child {
  private static final long SECONDS = 120;

  private Child() {}

  /** Runs it, which must succeed, and returns what it prints to stdout. */
  static String java(Path folder, String... args) throws IOException, InterruptedException {
    Path out = Files.createTempFile(folder, "out", ".txt");
    Path err = Files.createTempFile(folder, "err", ".txt");
    ProcessBuilder builder =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"));
    builder.command().addAll(List.of(args));
    Process process = builder.redirectOutput(out.toFile()).redirectError(err.toFile()).start();
    try {
      assertTrue(
          process.waitFor(SECONDS, TimeUnit.SECONDS),
          () -> "waited " + SECONDS + " s for this to end: " + builder.command());
    } finally {
      process.destroyForcibly();
    }
    String said = Files.readString(err);
    assertEquals(0, process.exitValue(), () -> "exit code; it said: " + said);
    return Files.readString(out);
  }
}
