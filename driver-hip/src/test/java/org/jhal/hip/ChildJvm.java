// SPDX-License-Identifier: Apache-2.0
package org.jhal.hip;

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
import org.jhal.simulator.kit.ProbeJvm;

/**
 * Runs {@link ProbeMain} in a separate process: a process can be bound to one HIP runtime only, and
 * a foreign library may end it.
 */
final class ChildJvm {
  private static final long DEADLINE_SECONDS = 500;

  private ChildJvm() {}

  /**
   * Returns its output, once it has ended successfully.
   *
   * @param properties {@code -Dname=value}, for the process
   */
  static String run(
      Path folder, Map<String, String> variables, List<String> properties, String... arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(ProbeJvm.SHORT_LIVED);
    command.add("--enable-native-access=ALL-UNNAMED");
    command.addAll(properties);
    command.addAll(List.of("-cp", absolute(System.getProperty("java.class.path"))));
    command.add(ProbeMain.class.getName());
    command.addAll(List.of(arguments));
    Path output = Files.createTempFile(folder, "child", ".out");
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder
        .environment()
        .keySet()
        .removeAll(List.of("ROCM_PATH", HipDriver.WANTED.variable(), Hiprtc.WANTED.variable()));
    builder.environment().putAll(variables);
    Process process = builder.redirectOutput(output.toFile()).directory(folder.toFile()).start();
    try {
      boolean ended = process.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS);
      String text = Files.readString(output);
      assertTrue(ended, () -> "no end after " + DEADLINE_SECONDS + " s; it printed " + text);
      assertEquals(0, process.exitValue(), text);
      return text;
    } finally {
      process.destroyForcibly();
    }
  }

  private static String absolute(String classPath) {
    return Stream.of(classPath.split(File.pathSeparator))
        .map(entry -> new File(entry).getAbsolutePath())
        .collect(Collectors.joining(File.pathSeparator));
  }
}
