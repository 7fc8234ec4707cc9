// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.compile;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.support.LastingThreads;
import org.jhal.spi.HostFailures;

/**
 * Runs of a compiler in a folder of their own, which is deleted afterwards. Paths are relative to
 * that folder, so messages do not contain it. A run that takes too long ends with all its
 * processes. An interrupt of the thread ends none: it keeps its status, and the run goes on.
 *
 * <p>Used by one thread.
 */
final class CompilerRun {
  private static final long MINUTES = 5; // that a run may take
  private static final int DELETIONS = 10; // times that a folder is deleted at most
  private static final int LOG_BYTES = 256 << 10; // of a log that are kept

  /** Variables that would add files or options of the user to those of the bundle. */
  private static final List<String> CLEARED =
      List.of(
          "CPATH",
          "C_INCLUDE_PATH",
          "CPLUS_INCLUDE_PATH",
          "LIBRARY_PATH",
          "COMPILER_PATH",
          "GCC_EXEC_PREFIX",
          "DEPENDENCIES_OUTPUT",
          "SUNPRO_DEPENDENCIES",
          "CCC_OVERRIDE_OPTIONS");

  /** Exit codes of processes that SIGKILL, SIGXCPU or SIGXFSZ has ended: 128 and the signal. */
  private static final Set<Integer> ENDED_BY_LIMIT = Set.of(137, 152, 153);

  private final Path folder;

  private CompilerRun(Path folder) {
    this.folder = folder;
  }

  /** What is done in a folder. */
  interface Body<T> {
    T in(CompilerRun run) throws IOException;
  }

  /**
   * Makes a folder for {@code body}.
   *
   * @throws HalException RESOURCE_EXHAUSTED if files cannot be written, PERMISSION_DENIED if they
   *     may not be
   */
  static <T> T run(Body<T> body) {
    try {
      Path folder = Files.createTempDirectory("jhal-cpu");
      try {
        return body.in(new CompilerRun(folder));
      } finally {
        delete(folder);
      }
    } catch (IOException e) {
      throw HostFailures.of(
          Status.RESOURCE_EXHAUSTED,
          "cannot keep the files of a compiler in " + System.getProperty("java.io.tmpdir"),
          e);
    }
  }

  Path folder() {
    return folder;
  }

  /** Writes a file, with the folders that it is in. */
  void write(String name, String text) throws IOException {
    Path file = folder.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }

  /**
   * Runs a compiler.
   *
   * @param what is being compiled, for people
   * @throws HalException INVALID_ARGUMENT if it reports an error in the source, RESOURCE_EXHAUSTED
   *     if it lacks memory, processes, file handles or space or the system ends it, UNIMPLEMENTED
   *     if it fails otherwise, DEADLINE_EXCEEDED if it takes too long
   */
  void call(List<String> command, String what) throws IOException {
    int code = start(command, what);
    if (code == 0) {
      return;
    }
    String all = log();
    String log = CompilerLog.withoutInternals(all);
    String compiler = command.get(0);
    if (ENDED_BY_LIMIT.contains(code) || CompilerLog.isExhausted(all)) {
      throw new HalException(
          Status.RESOURCE_EXHAUSTED,
          "cannot compile %s with %s, which ended for lack of memory, time or other resources (exit code %s): %s"
              .formatted(what, compiler, code, log.isEmpty() ? "it printed nothing" : log));
    }
    if (CompilerLog.hasError(log)) {
      throw new HalException(
          Status.INVALID_ARGUMENT, "cannot compile " + what + " with " + compiler + ":\n" + log);
    }
    throw new HalException(
        Status.UNIMPLEMENTED,
        "cannot compile %s: %s failed with exit code %s, and reported no error in the source: %s"
            .formatted(what, compiler, code, log.isEmpty() ? "it printed nothing" : log));
  }

  /** Runs a program, and returns its exit code. */
  private int start(List<String> command, String what) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("log").toFile());
    builder.environment().keySet().removeAll(CLEARED);
    builder.environment().put("LC_ALL", "C"); // messages are searched for English words
    Process process;
    try {
      process = start(builder);
    } catch (IOException e) {
      // Only a lack of processes is no reason to take another variant, such as one in Java.
      throw new HalException(
          HostFailures.isExhausted(e) ? Status.RESOURCE_EXHAUSTED : Status.UNIMPLEMENTED,
          "cannot compile " + what + ": " + e.getMessage(),
          e);
    }
    try {
      process.getOutputStream().close();
      if (hasEnded(process)) {
        return process.exitValue();
      }
    } finally {
      end(process);
    }
    throw new HalException(
        Status.DEADLINE_EXCEEDED, "compiling " + what + " took more than " + MINUTES + " minutes");
  }

  private static Process start(ProcessBuilder builder) throws IOException {
    try {
      return LastingThreads.start(
          () -> {
            try {
              return builder.start();
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          });
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  /** Waits for the end of a process. Returns false if it takes too long. */
  private static boolean hasEnded(Process process) {
    long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(MINUTES);
    boolean isInterrupted = false;
    try {
      while (true) {
        try {
          return process.waitFor(end - System.nanoTime(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
          isInterrupted = true;
        }
      }
    } finally {
      if (isInterrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Ends a process and those that it has started, which do the work. */
  private static void end(Process process) {
    List<ProcessHandle> all =
        Stream.concat(process.descendants(), Stream.of(process.toHandle())).toList();
    all.forEach(ProcessHandle::destroyForcibly);
    all.forEach(one -> one.onExit().join()); // they may write to the folder until then
  }

  /** What the last run has printed; of a longer log, the beginning. */
  String log() throws IOException {
    Path file = folder.resolve("log");
    try (InputStream in = Files.newInputStream(file)) {
      String log = new String(in.readNBytes(LOG_BYTES), StandardCharsets.UTF_8).strip();
      long rest = Files.size(file) - LOG_BYTES;
      return rest <= 0 ? log : log + "\n... " + rest + " more bytes of the compiler's log";
    }
  }

  /** Deletes a folder, in which processes of a killed compiler may still make a few files. */
  private static void delete(Path folder) {
    for (int i = 0; i < DELETIONS && Files.exists(folder); i++) {
      try (Stream<Path> all = Files.walk(folder)) {
        for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
          Files.deleteIfExists(path);
        }
      } catch (IOException | UncheckedIOException e) {
        // if this was the last time, the system's cleaner will do it
      }
    }
  }
}
