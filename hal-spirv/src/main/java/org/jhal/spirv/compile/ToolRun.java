// SPDX-License-Identifier: Apache-2.0
package org.jhal.spirv.compile;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jhal.HalException;
import org.jhal.Status;

/** Runs of programs in a folder of their own, which is deleted afterwards. Used by one thread. */
final class ToolRun implements AutoCloseable {
  private static final long MINUTES = 5; // that a run may take
  private static final int LOG_BYTES = 64 << 10; // that a message quotes at most

  /** Variables that would add files or options of the user to those of the bundle. */
  private static final List<String> CLEARED =
      List.of("CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "CCC_OVERRIDE_OPTIONS");

  /** The function that LLVM was at when it crashed. */
  private static final Pattern CRASH = Pattern.compile("Running pass .* on function '@([^']*)'");

  private final LlvmTools tools;
  private final Path folder;

  ToolRun(LlvmTools tools) throws IOException {
    this.tools = tools;
    folder = Files.createTempDirectory("jhal-spirv");
  }

  Path folder() {
    return folder;
  }

  void write(String name, String text) throws IOException {
    Path file = folder.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }

  /** Runs a program. Returns what it printed, or fails with {@code status} if it fails. */
  String run(List<String> command, Status status, String what) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("log").toFile());
    builder.environment().keySet().removeAll(CLEARED);
    builder.environment().put("LC_ALL", "C");
    Path libraries = tools.libraries();
    if (libraries != null) {
      builder.environment().put("LD_LIBRARY_PATH", libraries.toString());
    }
    Process process = builder.start();
    process.getOutputStream().close();
    int code = exitCode(process, what);
    byte[] log = Files.readAllBytes(folder.resolve("log"));
    String text = new String(log, 0, Math.min(log.length, LOG_BYTES), StandardCharsets.UTF_8);
    if (code == 0) {
      return text;
    }
    String reason = status == Status.INVALID_ARGUMENT ? text : firstLine(text);
    boolean isMissingMemory = code == 137 || text.contains("out of memory");
    throw new HalException(
        isMissingMemory ? Status.RESOURCE_EXHAUSTED : status,
        "cannot compile %s with %s (exit code %s): %s"
            .formatted(what, command.get(0), code, reason));
  }

  private static String firstLine(String log) {
    Matcher crash = CRASH.matcher(log);
    if (crash.find()) {
      return "it crashed at function " + crash.group(1);
    }
    return log.lines().findFirst().orElse("it printed nothing");
  }

  private static int exitCode(Process process, String what) {
    long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(MINUTES);
    boolean isInterrupted = false;
    try {
      while (true) {
        try {
          if (process.waitFor(end - System.nanoTime(), TimeUnit.NANOSECONDS)) {
            return process.exitValue();
          }
          throw new HalException(
              Status.DEADLINE_EXCEEDED,
              "compiling " + what + " took more than " + MINUTES + " minutes");
        } catch (InterruptedException e) {
          isInterrupted = true; // the run goes on
        }
      }
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
      if (isInterrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Whether an llc has the target that is needed. */
  static boolean canTranslate(LlvmTools tools) {
    return versionOf(tools, tools.llc()).contains("spirv64");
  }

  /** What Clang prints about its version; empty if it fails, as the next call then does. */
  static String version(LlvmTools tools) {
    return versionOf(tools, tools.clang());
  }

  private static String versionOf(LlvmTools tools, Path program) {
    try (ToolRun run = new ToolRun(tools)) {
      return run.run(List.of(program.toString(), "--version"), Status.UNIMPLEMENTED, "nothing");
    } catch (IOException | HalException e) {
      return "";
    }
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      for (Path file : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    }
  }

  @Override
  public void close() throws IOException {
    delete(folder);
  }
}
