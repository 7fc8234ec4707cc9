// SPDX-License-Identifier: Apache-2.0
package org.jhal.simulator;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The machine's compilers.
 *
 * @param c the C compiler
 * @param cpp the C++ compiler
 * @param unavailable why there are not both, where both are needed
 */
record Toolchain(String c, String cpp, Optional<String> unavailable) {

  static Toolchain find(boolean needsCpp) {
    return find(needsCpp, Optional.ofNullable(System.getenv("PATH")).orElse(""));
  }

  static Toolchain find(boolean needsCpp, String path) {
    String os = System.getProperty("os.name").toLowerCase(Locale.ROOT);
    if (!os.contains("linux")) {
      return none("the GPU simulator runs on Linux only, this is " + os);
    }
    Optional<String> c = first(List.of("gcc", "cc", "clang"), path);
    Optional<String> cpp = first(List.of("g++", "c++", "clang++"), path);
    if (c.isEmpty()) {
      return none("the GPU simulator is built with a C compiler: no gcc, cc or clang in PATH");
    }
    if (needsCpp && cpp.isEmpty()) {
      return none("the GPU simulator compiles kernels: no g++, c++ or clang++ in PATH");
    }
    return new Toolchain(c.get(), cpp.orElse("c++"), Optional.empty());
  }

  private static Toolchain none(String reason) {
    return new Toolchain("", "", Optional.of(reason));
  }

  private static Optional<String> first(List<String> names, String path) {
    return names.stream()
        .flatMap(
            name ->
                List.of(path.split(File.pathSeparator)).stream()
                    .filter(folder -> !folder.isEmpty())
                    .map(folder -> Path.of(folder, name)))
        .filter(Files::isExecutable)
        .map(Path::toString)
        .findFirst();
  }

  /** Runs a command to its end; its output is in the exception if it fails. */
  static void run(Path folder, List<String> command) throws IOException {
    Path log = folder.resolve("build.log");
    Process process =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    try {
      int code = process.waitFor();
      if (code != 0) {
        String output = new String(Files.readAllBytes(log), StandardCharsets.UTF_8);
        throw new IOException(String.join(" ", command) + " ended with " + code + ":\n" + output);
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while " + command.get(0) + " ran", e);
    }
  }
}
