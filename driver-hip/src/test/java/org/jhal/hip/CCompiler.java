// SPDX-License-Identifier: Apache-2.0
package org.jhal.hip;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** The C compiler of this machine. */
public final class CCompiler {
  private static final long DEADLINE_SECONDS = 60;

  /** The result of a run. */
  public record Result(int code, String output) {}

  private final String command;

  private CCompiler(String command) {
    this.command = command;
  }

  /** The first of gcc, cc and clang in PATH, if there is one. */
  public static Optional<CCompiler> find() {
    String path = Optional.ofNullable(System.getenv("PATH")).orElse("");
    return Stream.of("gcc", "cc", "clang")
        .flatMap(
            name -> Stream.of(path.split(File.pathSeparator)).map(folder -> Path.of(folder, name)))
        .filter(Files::isExecutable)
        .map(file -> new CCompiler(file.toString()))
        .findFirst();
  }

  /** The reason for skipping a test without a compiler. */
  public static String absent() {
    return "there is no C compiler: no gcc, cc or clang in PATH";
  }

  /** Runs it in a folder, to its end. */
  public Result run(Path folder, String... arguments) throws IOException, InterruptedException {
    List<String> all = new ArrayList<>(List.of(command));
    all.addAll(List.of(arguments));
    Path log = folder.resolve("compiler.log");
    Process process =
        new ProcessBuilder(all)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    try {
      if (!process.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS)) {
        throw new IOException(all + " has not ended after " + DEADLINE_SECONDS + " s");
      }
      return new Result(process.exitValue(), Files.readString(log));
    } finally {
      process.destroyForcibly();
    }
  }
}
