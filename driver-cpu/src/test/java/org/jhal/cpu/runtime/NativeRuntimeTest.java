// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jhal.cpu.compile.HostCompiler;
import org.jhal.cpu.compile.NeedsCompiler;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The native runtime under kernels in C, without Java: who gets a signal, what stacks and memory do
 * at their limits, how workgroups are spread, and what is printed. Each case of {@code
 * runtime_cases.c} runs in its own process.
 */
@NeedsCompiler
class NativeRuntimeTest {
  private static final long DEADLINE_SECONDS = 120;
  private static final int SEGMENTATION_FAULT = 128 + 11;
  private static final int ARITHMETIC_FAULT = 128 + 8;
  private static final Pattern LINE = Pattern.compile("workgroup (\\d+) 0{100} ends here");

  @TempDir private static Path folder;

  @BeforeAll
  static void compile() throws Exception {
    Resources.writeHeaders(folder);
    List<Path> sources = Resources.writeRuntime(folder);
    copy("runtime_cases.c");
    copy("keeps.c");
    List<String> runtime = new ArrayList<>(List.of("-shared", "-fPIC", "-fvisibility=hidden"));
    sources.forEach(source -> runtime.add(source.getFileName().toString()));
    runtime.addAll(List.of("-o", "libruntime.so", "-ldl", "-lm"));
    compile(runtime);
    List<String> cases = new ArrayList<>(List.of("runtime_cases.c", "-o", "cases"));
    cases.addAll(List.of("-L.", "-lruntime", "-Wl,-rpath,$ORIGIN", "-lm"));
    compile(cases);
    for (int number = 1; number <= 2; number++) {
      // The loader keeps such a library, as it keeps one whose destructors of threads have not run.
      List<String> kept = new ArrayList<>(List.of("-shared", "-fPIC", "-DNUMBER=" + number));
      kept.addAll(List.of("keeps.c", "-Wl,-z,nodelete", "-lm", "-o", "keeps" + number + ".so"));
      compile(kept);
    }
  }

  private static void copy(String name) throws IOException {
    try (InputStream in = NativeRuntimeTest.class.getResourceAsStream(name)) {
      Files.write(folder.resolve(name), Objects.requireNonNull(in).readAllBytes());
    }
  }

  private static void compile(List<String> arguments) throws Exception {
    String compiler = HostCompiler.find().orElseThrow().toString();
    List<String> command = new ArrayList<>(List.of(compiler, "-O2"));
    // Some systems compile with this by default, and it forbids some jumps.
    command.addAll(List.of("-U_FORTIFY_SOURCE", "-D_FORTIFY_SOURCE=2"));
    command.addAll(List.of("-Wall", "-Wextra", "-Werror", "-pthread"));
    for (String argument : arguments) {
      // g++ would take the sources behind the first one for C++.
      command.addAll(argument.endsWith(".c") ? List.of("-x", "c", argument) : List.of(argument));
    }
    Ended ended = run(command);
    assertEquals(0, ended.code(), () -> command + ":\n" + String.join("\n", ended.output()));
  }

  private record Ended(int code, List<String> output) {}

  private static Ended run(List<String> command) throws IOException, InterruptedException {
    Path log = Files.createTempFile(folder, "run", ".log");
    Process process =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    try {
      boolean ended = process.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS);
      List<String> output = Files.readAllLines(log);
      assertTrue(
          ended,
          () -> command + " did not end in " + DEADLINE_SECONDS + " s; it printed " + output);
      return new Ended(process.exitValue(), output);
    } finally {
      process.destroyForcibly();
    }
  }

  private static Ended runCase(String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of(folder.resolve("cases").toString()));
    command.addAll(List.of(arguments));
    return run(command);
  }

  private static List<String> passes(String... arguments) throws Exception {
    Ended ended = runCase(arguments);
    assertEquals(0, ended.code(), () -> String.join("\n", ended.output()));
    return ended.output();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "faults_of_others",
        "sent_signal",
        "ignored",
        "mask",
        "high_stack",
        "many_stacks",
        "many_failures",
        "no_thread",
        "no_memory",
        "memory_of_kernels",
        "blocks",
        "canaries",
        "blocks_without_memory",
        "blocks_without_guards",
        "blocks_of_threads",
        "largest_grid",
        "slower_than_before",
        "caller_runs_short_grid",
        "caller_keeps_its_signals",
        "callers_are_among_the_threads",
        "list_in_order",
        "list_with_failures",
        "lists_take_turns",
        "higher_rank_first",
        "limited_threads",
        "limited_crew",
        "higher_rank_first_in_crew",
        "idle_threads_sleep",
        "no_library"
      })
  void passesInItsOwnProcess(String name) throws Exception {
    assertEquals(List.of(), passes(name));
  }

  /** As on a system that cannot mark guards inside a mapping. */
  @Test
  void stacksHaveGuardsOnOlderSystems() throws Exception {
    Files.createDirectories(folder.resolve("older"));
    List<String> arguments = new ArrayList<>();
    arguments.addAll(List.of("-shared", "-fPIC", "-fvisibility=hidden", "-DMADV_GUARD_INSTALL=-1"));
    for (Path source : Resources.writeRuntime(folder)) {
      arguments.add(source.getFileName().toString());
    }
    arguments.addAll(List.of("-o", "older/libruntime.so", "-ldl", "-lm"));
    compile(arguments);
    Path older = folder.resolve("older");
    Ended ended =
        run(
            List.of(
                "env",
                "LD_PRELOAD=" + older.resolve("libruntime.so"),
                folder.resolve("cases").toString(),
                "few_stacks"));
    assertEquals(0, ended.code(), () -> String.join("\n", ended.output()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"default_fault", "default_sent"})
  void theDefaultActionEndsTheProcess(String name) throws Exception {
    assertEquals(SEGMENTATION_FAULT, runCase(name).code());
  }

  @Test
  void aHandlerThatWasToRunOnceRunsOnce() throws Exception {
    assertEquals(ARITHMETIC_FAULT, runCase("once").code());
  }

  @Test
  void aLibraryThatTheLoaderKeepsIsNotTakenForAnother() throws Exception {
    passes("kept_library", "keeps1.so", "keeps2.so");
  }

  @Test
  void loadingALibraryKeepsTheFloatingPointMode() throws Exception {
    passes("floating_point", "keeps1.so");
  }

  @ParameterizedTest
  @ValueSource(strings = {"output", "output_of_a_list"})
  void outputOfADispatchIsInTheOrderOfItsWorkgroups(String name) throws Exception {
    List<String> lines = passes(name);
    List<Integer> expected = new ArrayList<>();
    for (int dispatch = 0; dispatch < 3; dispatch++) {
      for (int group = 0; group < 2000; group++) {
        expected.add(group);
      }
    }
    assertEquals(expected, groups(lines));
  }

  @Test
  void outputBeyondTheLimitIsCounted() throws Exception {
    List<String> lines = passes("too_much_output");
    String note = lines.get(lines.size() - 1);
    var dropped =
        Pattern.compile(
                "\\.\\.\\. (\\d+) more calls of printf had no room:"
                    + " a dispatch prints 1048576 bytes at most")
            .matcher(note);
    assertTrue(dropped.matches(), note);
    List<String> printed = lines.subList(0, lines.size() - 1);
    long calls = 0;
    for (String line : printed) {
      calls += line.endsWith(" ends here") ? 2 : 1; // a line is printed by two calls
    }
    assertEquals(40_000, calls + Long.parseLong(dropped.group(1)));
    List<Integer> groups = groups(printed.stream().filter(l -> l.endsWith("here")).toList());
    List<Integer> sorted = new ArrayList<>(groups);
    Collections.sort(sorted);
    assertEquals(sorted, groups);
    assertTrue(groups.size() > 8000, () -> groups.size() + " lines");
  }

  @Test
  void outputOfAFailedKernelIsShown() throws Exception {
    assertEquals(List.of(0), groups(passes("output_of_a_failure")));
  }

  private static List<Integer> groups(List<String> lines) {
    List<Integer> groups = new ArrayList<>();
    for (String line : lines) {
      var parts = LINE.matcher(line);
      assertTrue(parts.matches(), line);
      groups.add(Integer.parseInt(parts.group(1)));
    }
    return groups;
  }
}
