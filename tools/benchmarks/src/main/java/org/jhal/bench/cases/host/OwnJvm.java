// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.cases.host;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;
import org.jhal.bench.measure.Bench;

/** Samples that are taken in a separate JVM, because they depend on what a process did before. */
final class OwnJvm {
  private static final String RESULT = "result: ";

  private OwnJvm() {}

  /**
   * Runs a {@code main} in a JVM with the class path of this one.
   *
   * @return what it passed to {@link #answer}
   * @throws IOException with all that it printed if it failed
   */
  static double[] numbers(Class<?> main, String... arguments)
      throws IOException, InterruptedException, TimeoutException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    command.addAll(List.of(arguments));
    Path output = Files.createTempFile("hal-bench", ".txt");
    try {
      Process process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(output.toFile())
              .start();
      try {
        if (!process.waitFor(Bench.DEADLINE.toSeconds(), TimeUnit.SECONDS)) {
          throw new TimeoutException(
              "the JVM of " + main.getSimpleName() + " is not done after " + Bench.DEADLINE);
        }
      } finally {
        process.destroyForcibly();
      }
      String text = Files.readString(output);
      if (process.exitValue() != 0 || !text.contains(RESULT)) {
        throw new IOException("the JVM of " + main.getSimpleName() + " failed: " + text);
      }
      return text.lines()
          .filter(line -> line.startsWith(RESULT))
          .flatMapToDouble(line -> parse(line.substring(RESULT.length())))
          .toArray();
    } finally {
      Files.delete(output);
    }
  }

  private static DoubleStream parse(String numbers) {
    return Stream.of(numbers.split(" ", -1)).mapToDouble(Double::parseDouble);
  }

  /** Passes the numbers of a sample to the JVM that started this one. */
  @SuppressWarnings("SystemOut") // the pipe to it
  static void answer(double... numbers) {
    System.out.println(
        DoubleStream.of(numbers)
            .mapToObj(Double::toString)
            .collect(Collectors.joining(" ", RESULT, "")));
  }
}
