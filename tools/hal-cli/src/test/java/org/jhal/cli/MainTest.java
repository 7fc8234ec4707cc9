// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli;

import static org.jhal.cli.Outcome.hal;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.Gson;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jhal.Hal;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class MainTest {
  @Test
  void printsTheVersionOfTheBuild() {
    String out = hal("version").succeeded().out();
    assertTrue(out.matches("(?s)hal \\d+\\.\\d+\\.\\d+\\S*\\R.*"), out);
    assertEquals(out, hal("--version").succeeded().out());
  }

  @Test
  void anUnknownCommandIsWrongUsageAndListsTheCommands() {
    hal("nosuch")
        .failed(
            2,
            "INVALID_ARGUMENT",
            "'nosuch'",
            "devices, drivers, info, run, top, trace, version",
            "echo");
  }

  @Test
  void suggestsTheNameForAMistypedOne() {
    hal("devcies").failed(2, "'devcies', did you mean 'devices'?; commands are");
    hal("dev").failed(2, "did you mean 'devices'?");
    hal("ehco").failed(2, "did you mean 'echo'?");
    hal("devices", "--jsn").failed(2, "'--jsn', did you mean '--json'? (see hal devices --help)");
    hal("run", "--devise=mock").failed(2, "did you mean '--device'?");
    hal("run", "b", "--arg=x=1", "--time").failed(2, "did you mean '--timeout'?");
    hal("trace", "rnu").failed(2, "'rnu', did you mean 'run'?");
    hal("trace", "run", "--ouy=x", "--", "version").failed(2, "did you mean '--out'?");
    for (String far : new String[] {"nosuch", "x", "", "d", "x".repeat(100_000)}) {
      assertFalse(hal(far).err().contains("did you mean"), far);
    }
    assertFalse(hal("devices", "--nosuchoption").err().contains("did you mean"));
  }

  @Test
  void reportsTooLittleMemoryAsResourceExhausted() {
    hal("echo", "memory").failed(1, "RESOURCE_EXHAUSTED: out of memory: heap");
  }

  @Test
  void noCommandIsWrongUsage() {
    hal().failed(2, "a command is missing", "hal --help");
  }

  @Test
  void anUnknownOptionIsWrongUsage() {
    hal("--nosuch").failed(2, "--nosuch");
    hal("drivers", "--nosuch").failed(2, "--nosuch", "hal drivers --help");
    hal("drivers", "surplus").failed(2, "unexpected argument 'surplus' (see hal drivers --help)");
    hal("cts", "--device", "a", "--device", "b")
        .failed(2, "'--device'", "should be specified only once (see hal cts --help)");
    hal("run").failed(2, "BUNDLE[:KERNEL] is missing", "hal run --help");
    hal("run", "--foo").failed(2, "unknown option '--foo' (see hal run --help)");
    hal("run", "a", "b").failed(2, "unexpected argument 'b'");
    hal("run", "--repeat", "x", "bundle").failed(2, "--repeat", "'x' is no whole number");
    hal("run", "--timeout", "99999999999", "b").failed(2, "is no whole number up to 2147483647");
  }

  @ParameterizedTest
  @ValueSource(strings = {"--help", "-h", "help"})
  void helpListsTheCommandsAndTheExitCodes(String option) {
    String out = hal(option).succeeded().out();
    for (String line :
        new String[] {
          "  devices ",
          "  drivers ",
          "  info ",
          "  run ",
          "  top ",
          "  version ",
          "  echo         Prints 100 % of its arguments.",
          "  pipeline     Example: stages on",
          "  0 ",
          "  1 ",
          "  2 ",
          "  3 ",
          "  4 ",
          "130 ",
          "JHAL_DEVICE",
          "jhal.device",
          "--version",
          "--rebuild"
        }) {
      assertTrue(out.contains(line), () -> "no '" + line + "' in " + out);
    }
    assertFalse(out.contains("  See "), out);
  }

  @ParameterizedTest
  @MethodSource("commands")
  void everyCommandHasHelp(String command) {
    String out = hal(command, "--help").succeeded().out();
    assertTrue(out.startsWith("Usage: hal " + command), out);
    assertTrue(out.lines().allMatch(line -> line.length() <= 80), out);
    assertEquals(count(out, '['), count(out, ']'), out);
    assertTrue(out.lines().allMatch(line -> count(line, '[') == count(line, ']')), out);
    assertEquals(out, hal("help", command).succeeded().out());
  }

  private static List<String> commands() {
    List<String> commands = Commands.names();
    assertTrue(
        commands.containsAll(
            List.of(
                "devices", "accuracy", "bench", "cache", "check", "compile", "cts", "pipeline")),
        commands::toString);
    return commands;
  }

  /** A program may have hal-cli and drivers alone. */
  @Test
  void aCommandWhoseJarIsAbsentDoesNotExist(@TempDir Path folder) throws Exception {
    List<String> path = new ArrayList<>();
    for (Class<?> needed : List.of(Main.class, Hal.class, CommandLine.class, Gson.class)) {
      path.add(
          Path.of(needed.getProtectionDomain().getCodeSource().getLocation().toURI()).toString());
    }
    String[] alone = {"-cp", String.join(File.pathSeparator, path), Main.class.getName(), "--help"};
    String help = Outcome.java(folder, alone).succeeded().out();
    assertTrue(help.contains("  devices ") && help.contains("  trace "), help);
    for (String command :
        List.of("bench", "cache", "check", "compile", "cts", "fractal", "record", "replay")) {
      assertFalse(help.contains("  " + command + " "), help);
      alone[3] = command;
      Outcome.java(folder, alone).failed(2, "unknown command '" + command + "'");
    }
  }

  private static long count(String text, char wanted) {
    return text.chars().filter(c -> c == wanted).count();
  }

  @Test
  void aToolOfAnotherModuleGetsItsArguments() {
    Outcome outcome = hal("echo", "--help", "a b", "-x", "@y");
    assertEquals("[--help, a b, -x, @y]" + System.lineSeparator(), outcome.out());
    assertEquals(4, outcome.exitCode());
  }

  @Test
  void aToolThatThrowsIsReported() {
    hal("echo", "throw").failed(1, "INTERNAL", "as asked");
    assertTrue(hal("echo", "throw", "--verbose").err().contains("\tat "), "as the last argument");
    Outcome verbose = hal("--verbose", "echo", "throw");
    assertTrue(verbose.err().contains("\tat " + EchoTool.class.getName()), verbose::toString);
  }

  @Test
  void reportsAnInterruptThatClosedAFileAsAnInterrupt() {
    hal("echo", "interrupt").failed(130, "CANCELLED: interrupted");
  }

  @Test
  void printsAStackTraceOnlyWithVerbose() {
    hal("info", "no such device").failed(2, "malformed device URI");
    for (Outcome outcome :
        new Outcome[] {
          hal("--verbose", "info", "no such device"), hal("info", "no such device", "--verbose")
        }) {
      assertTrue(outcome.err().contains("\tat org.jhal.DeviceUri"), outcome::toString);
      assertEquals(2, outcome.exitCode());
    }
  }

  @Test
  void logsAStackTraceOnlyWithVerbose(@TempDir Path folder) throws Exception {
    String line = System.lineSeparator();
    String lines =
        "hal: WARNING: device echo://0 is lost: UNAVAILABLE: a kernel trapped"
            + line
            + "    in a warp"
            + line;
    Outcome quiet = Outcome.java(folder, Main.class.getName(), "echo", "log");
    assertEquals(lines, quiet.err());
    Outcome verbose = Outcome.java(folder, Main.class.getName(), "--verbose", "echo", "log");
    assertTrue(verbose.err().startsWith(lines), verbose::toString);
    assertTrue(verbose.err().contains("\tat " + EchoTool.class.getName()), verbose::toString);
    Path own = Files.writeString(folder.resolve("logging.properties"), ".level=OFF\n");
    Outcome configured =
        Outcome.java(
            folder, "-Djava.util.logging.config.file=" + own, Main.class.getName(), "echo", "log");
    assertEquals("", configured.err());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "version",
        "--version",
        "--help",
        "drivers",
        "devices",
        "devices --json",
        "info mock",
        "run --help",
        "pipeline"
      })
  void outputThatCannotBeWrittenIsAFailure(String arguments, @TempDir Path folder)
      throws Exception {
    Assumptions.assumeTrue(
        Files.exists(Path.of("/dev/full")), "this system has no /dev/full to write to");
    List<String> command = new ArrayList<>();
    command.addAll(List.of("sh", "-c", "exec \"$@\" >/dev/full", "sh"));
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName()));
    command.addAll(List.of(arguments.split(" ")));
    Outcome.of(new ProcessBuilder(command).directory(folder.toFile()))
        .failed(1, "DATA_LOSS", "not all output could be written");
  }

  /** A command runs after its output has no reader any more: {@code hal info mock | head -n 0}. */
  @Test
  void aClosedPipeEndsACommandSilently(@TempDir Path folder) throws Exception {
    Assumptions.assumeTrue(
        Files.isSymbolicLink(Path.of("/proc/self/fd/1")),
        "this system does not show what a pipe is");
    Path err = folder.resolve("err");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                AfterInput.class.getName(),
                "info",
                "mock")
            .redirectError(err.toFile())
            .start();
    try {
      process.getInputStream().close();
      process.getOutputStream().close();
      assertTrue(process.waitFor(100, TimeUnit.SECONDS), "waited 100 s for hal info to end");
    } finally {
      process.destroyForcibly();
    }
    assertEquals("", Files.readString(err));
    assertEquals(ExitCode.CLOSED_PIPE, process.exitValue());
  }

  /** Runs a command when its input has ended. */
  static final class AfterInput {
    private AfterInput() {}

    public static void main(String[] args) throws IOException {
      long unused = System.in.transferTo(OutputStream.nullOutputStream());
      Main.main(args);
    }
  }

  @Test
  void keepsTheLinesOfAMessage() {
    Outcome outcome = hal("echo", "throw", "cannot compile k:\nk.cpp(1): error\n    floatt x;\n");
    assertEquals(
        List.of(
            "hal: INVALID_ARGUMENT: cannot compile k:", "    k.cpp(1): error", "        floatt x;"),
        outcome.err().lines().toList());
  }
}
