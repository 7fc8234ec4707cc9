// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.baselines;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jhal.bench.measure.Bench;
import org.jhal.bench.measure.NotAvailableException;
import org.jspecify.annotations.Nullable;

/** A folder with sources of this package, and the output of a compiler. */
public final class NativeBuild implements AutoCloseable {
  private final Path folder;

  private NativeBuild(Path folder) {
    this.folder = folder;
  }

  /** Makes the folder, with the named resources that lie in {@code folder}. */
  public static NativeBuild of(String folder, String... names) throws IOException {
    NativeBuild made = new NativeBuild(Files.createTempDirectory("hal-bench"));
    try {
      for (String name : names) {
        try (InputStream in = NativeBuild.class.getResourceAsStream(folder + "/" + name)) {
          Files.copy(Objects.requireNonNull(in, name), made.file(name));
        }
      }
      return made;
    } catch (Throwable t) {
      made.close();
      throw t;
    }
  }

  /** The program in one of the folders of {@code path}, or null if none has it. */
  static @Nullable Path executable(String name, String path) {
    for (String folder : path.split(File.pathSeparator, -1)) {
      Path file = Path.of(folder, name);
      if (!folder.isEmpty() && Files.isExecutable(file) && !Files.isDirectory(file)) {
        return file;
      }
    }
    return null;
  }

  /**
   * The first C compiler on the {@code PATH} of {@code environment}.
   *
   * @throws NotAvailableException if there is none
   */
  static Path compiler(Map<String, String> environment) throws NotAvailableException {
    for (String name : List.of("gcc", "cc", "clang")) {
      Path found = executable(name, environment.getOrDefault("PATH", ""));
      if (found != null) {
        return found;
      }
    }
    throw new NotAvailableException("it cannot be compiled: no gcc, cc or clang on the PATH");
  }

  /** The file of this name; it need not be there. */
  Path file(String name) {
    return folder.resolve(name);
  }

  /**
   * Runs a compiler to its end.
   *
   * @throws IOException with the compiler's output if it fails
   * @throws TimeoutException if it takes longer than {@link Bench#DEADLINE}
   */
  public void run(List<String> command) throws IOException, InterruptedException, TimeoutException {
    Path log = file("log");
    Process compiling =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    try {
      if (!compiling.waitFor(Bench.DEADLINE.toSeconds(), TimeUnit.SECONDS)) {
        throw new TimeoutException(command + " is not done after " + Bench.DEADLINE);
      }
    } finally {
      compiling.destroyForcibly();
    }
    if (compiling.exitValue() != 0) {
      throw new IOException(command + " fails: " + Files.readString(log).strip());
    }
  }

  /** Removes the folder. */
  @Override
  public void close() throws IOException {
    try (var files = Files.list(folder)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
    Files.delete(folder);
  }
}
