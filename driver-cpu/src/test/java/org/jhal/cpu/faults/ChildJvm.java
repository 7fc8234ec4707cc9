// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.faults;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Runs a class in a JVM of its own, with the class path of this one. */
public final class ChildJvm {
  private ChildJvm() {}

  /** How it ended, and the lines that it wrote. */
  public record Ended(int code, List<String> output, List<String> errors) {
    @Override
    public String toString() {
      return "exit code "
          + code
          + "\n"
          + String.join("\n", output)
          + "\n"
          + String.join("\n", errors);
    }
  }

  /**
   * Runs it to its end.
   *
   * @param folder for what it writes, and where it runs
   * @param seconds that it may take
   */
  public static Ended run(
      Path folder,
      long seconds,
      List<String> options,
      Map<String, String> variables,
      Class<?> main,
      String... arguments)
      throws IOException, InterruptedException {
    return runBehind(List.of(), folder, seconds, options, variables, main, arguments);
  }

  /**
   * Like {@link #run}, but starts it through another program.
   *
   * @param launcher the program and its first arguments, in front of the command
   */
  public static Ended runBehind(
      List<String> launcher,
      Path folder,
      long seconds,
      List<String> options,
      Map<String, String> variables,
      Class<?> main,
      String... arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(launcher);
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx512m", "--enable-native-access=ALL-UNNAMED"));
    command.addAll(options);
    command.addAll(List.of("-cp", classPath(), main.getName()));
    command.addAll(List.of(arguments));
    Path output = Files.createTempFile(folder, "child", ".out");
    Path errors = Files.createTempFile(folder, "child", ".err");
    ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
    builder.environment().putAll(variables);
    Process process =
        builder.redirectOutput(output.toFile()).redirectError(errors.toFile()).start();
    try {
      process.getOutputStream().close();
      boolean hasEnded = process.waitFor(seconds, TimeUnit.SECONDS);
      List<String> lines = Files.readAllLines(output);
      List<String> problems = Files.readAllLines(errors);
      assertTrue(
          hasEnded, () -> main + " did not end in " + seconds + " s; it wrote " + lines + problems);
      return new Ended(process.exitValue(), lines, problems);
    } finally {
      process.destroyForcibly();
    }
  }

  private static String classPath() {
    StringBuilder path = new StringBuilder();
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
      path.append(path.isEmpty() ? "" : File.pathSeparator)
          .append(new File(entry).getAbsolutePath());
    }
    return path.toString();
  }
}
