// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The outcome of a command, as its caller sees it.
 *
 * @param exitCode of the process
 * @param out the output on stdout
 * @param err the output on stderr
 */
record Outcome(int exitCode, String out, String err) {
  /** Runs {@code hal} with these arguments. */
  static Outcome hal(String... args) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int exitCode = Main.run(new PrintWriter(out), new PrintWriter(err), args);
    return new Outcome(exitCode, out.toString(), err.toString());
  }

  /** Runs a separate JVM with the class path of this test, in {@code folder}. */
  static Outcome java(Path folder, String... args) throws IOException, InterruptedException {
    ProcessBuilder builder =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            // The options of the script for short-lived commands.
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "--enable-native-access=ALL-UNNAMED",
            "-cp",
            System.getProperty("java.class.path"));
    builder.command().addAll(List.of(args));
    return of(builder.directory(folder.toFile()));
  }

  /** Writes a script that does what {@code hal} does, with the class path of this test. */
  static Path script(Path file) throws IOException {
    String java = System.getProperty("java.home") + "/bin/java";
    String classPath = System.getProperty("java.class.path");
    Files.writeString(
        file,
        """
        #!/bin/sh
        exec '%s' --enable-native-access=ALL-UNNAMED -cp '%s' org.jhal.cli.Main "$@"
        """
            .formatted(java, classPath));
    assertTrue(file.toFile().setExecutable(true), () -> "cannot make this executable: " + file);
    return file;
  }

  /** Runs a process. */
  static Outcome of(ProcessBuilder builder) throws IOException, InterruptedException {
    Path out = Files.createTempFile("out", ".txt");
    Path err = Files.createTempFile("err", ".txt");
    try {
      builder.redirectOutput(out.toFile()).redirectError(err.toFile());
      Process process = builder.start();
      try {
        assertTrue(
            process.waitFor(60, TimeUnit.SECONDS),
            () -> "waited 60 s for this to end: " + builder.command());
      } finally {
        process.destroyForcibly();
      }
      return new Outcome(process.exitValue(), Files.readString(out), Files.readString(err));
    } finally {
      Files.delete(out);
      Files.delete(err);
    }
  }

  /** Checks that it succeeded and wrote nothing to stderr. */
  Outcome succeeded() {
    assertEquals(0, exitCode, this::toString);
    assertEquals("", err, this::toString);
    return this;
  }

  /** Checks that it failed with one line that has all of {@code words}, and printed no result. */
  Outcome failed(int expectedCode, String... words) {
    assertEquals(expectedCode, exitCode, this::toString);
    assertEquals("", out, this::toString);
    assertTrue(err.matches("hal: [A-Z_]+: [^\\r\\n]+\\R"), this::toString);
    for (String word : words) {
      assertTrue(err.contains(word), () -> "no '" + word + "' in " + this);
    }
    return this;
  }
}
