// SPDX-License-Identifier: Apache-2.0
package org.jhal.simulator.kit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A separate process with the class path and the settings of this one, and its output. */
public final class ProbeJvm {
  /** Options that let a JVM which lives for a second use half the processor time. */
  public static final List<String> SHORT_LIVED =
      List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC");

  private static final long DEADLINE_SECONDS = 100;

  private final Process process;
  private final Path output;

  /**
   * Starts it.
   *
   * @param folder for its output
   * @param variables of its environment, in addition to those of this process
   * @param properties in addition to those of this process, or replacing them
   */
  public ProbeJvm(
      Path folder,
      Map<String, String> variables,
      Map<String, String> properties,
      Class<?> main,
      String... arguments)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(SHORT_LIVED);
    command.add("--enable-native-access=ALL-UNNAMED");
    System.getProperties()
        .forEach(
            (key, value) -> {
              if (key.toString().matches("(jhal|gpusim)\\..*")) {
                command.add("-D" + key + "=" + value);
              }
            });
    properties.forEach((key, value) -> command.add("-D" + key + "=" + value));
    command.addAll(List.of("-cp", absoluteClassPath(), main.getName()));
    command.addAll(List.of(arguments));
    output = Files.createTempFile(folder, "probe", ".out");
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().putAll(variables);
    process = builder.redirectOutput(output.toFile()).start();
  }

  private static String absoluteClassPath() {
    return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
        .map(entry -> new File(entry).getAbsolutePath())
        .collect(Collectors.joining(File.pathSeparator));
  }

  /** Waits until it has ended successfully, and returns its output. */
  public List<String> lines() throws IOException, InterruptedException {
    try {
      boolean ended = process.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS);
      List<String> lines = Files.readAllLines(output);
      assertTrue(ended, () -> "no end after " + DEADLINE_SECONDS + " s; it printed " + lines);
      assertEquals(0, process.exitValue(), lines::toString);
      return lines;
    } finally {
      process.destroyForcibly();
    }
  }
}
