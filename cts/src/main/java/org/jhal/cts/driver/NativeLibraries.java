// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.driver;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jhal.DriverRegistry;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.Waits;
import org.opentest4j.AssertionFailedError;

/**
 * Lists the native libraries that a JVM loads when it looks for drivers, with a program for a
 * separate JVM.
 */
final class NativeLibraries {
  private static final Path MAPS = Path.of("/proc/self/maps");

  private NativeLibraries() {}

  /**
   * The libraries that a new JVM with the class path of this one loads while it lists all drivers
   * and creates the one called {@code driver}.
   */
  static List<String> loadedByListing(String driver) throws IOException, InterruptedException {
    if (!Files.isReadable(MAPS)) {
      throw Cts.unsupported("this system does not list the libraries that a process has loaded");
    }
    Path result = Files.createTempFile("jhal-cts", ".txt");
    try {
      String classes =
          Stream.of("java.class.path", "jdk.module.path")
              .map(name -> System.getProperty(name, ""))
              .filter(path -> !path.isEmpty())
              .reduce((a, b) -> a + File.pathSeparator + b)
              .orElse("");
      Process process =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-cp",
                  classes,
                  NativeLibraries.class.getName(),
                  driver,
                  result.toString())
              .redirectErrorStream(true)
              .start();
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (!process.waitFor(Waits.LIMIT.toSeconds(), TimeUnit.SECONDS) || process.exitValue() != 0) {
        process.destroyForcibly();
        throw new AssertionFailedError("listing drivers in a JVM of its own failed: " + output);
      }
      return Files.readAllLines(result);
    } finally {
      Files.delete(result);
    }
  }

  /** Lists the drivers, creates one, and writes the libraries that this loads to a file. */
  public static void main(String[] args) throws IOException {
    Set<String> before = loaded();
    DriverRegistry registry = DriverRegistry.load();
    List<DriverRegistry.Entry> entries = registry.entries();
    if (entries.isEmpty()) {
      throw new IllegalStateException("no driver on the class path");
    }
    registry.driver(args[0]);
    List<String> after = new ArrayList<>(loaded());
    after.removeAll(before);
    Files.write(Path.of(args[1]), after);
  }

  /** All libraries of this process except those of the JVM itself. */
  private static Set<String> loaded() throws IOException {
    String ours = System.getProperty("java.home");
    Set<String> libraries = new TreeSet<>();
    for (String line : Files.readAllLines(MAPS)) {
      int start = line.indexOf('/');
      if (start >= 0 && line.contains(".so") && !line.startsWith(ours, start)) {
        libraries.add(line.substring(start));
      }
    }
    return libraries;
  }
}
