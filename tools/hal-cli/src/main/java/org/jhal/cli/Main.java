// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.spi.ToolProvider;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.spi.HostFailures;
import org.jhal.spi.Suggestion;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/**
 * The {@code hal} command. Its exit codes are those of {@link ExitCode}. A failure is printed to
 * stderr as {@code hal: STATUS: message}, on one line unless the message has several, such as a
 * compiler's log.
 *
 * <p>{@link Commands} has the subcommands. Jars of other projects add their own: a {@link
 * ToolProvider} service with the name {@code hal-NAME} becomes {@code hal NAME}. It gets the
 * arguments that follow, and its return value is the exit code. A public method {@code
 * Optional<String> description()}, as {@link ToolProvider} has from Java 19 on, gives the line that
 * {@code hal --help} shows for it.
 */
@Command(
    name = "hal",
    description = "Lists accelerators and runs work on them.",
    synopsisSubcommandLabel = "COMMAND",
    sortOptions = false,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "  0:success",
      "  1:the work failed while it ran, or its output could not be written",
      "  2:wrong usage or bad input; nothing ran",
      "  3:no such driver, device or process, or it cannot be used for this; nothing ran",
      "  4:cts: tests failed",
      "  5:cts: the run was stopped at its deadline",
      "  6:check: something is wrong with a kernel",
      "130:interrupted",
      "141:the reader of the output closed its pipe, as head does"
    },
    footer = {
      "",
      "A device is named DRIVER, DRIVER://INDEX, DRIVER://UUID or DRIVER://pci:ADDRESS,",
      "and may have options: DRIVER://INDEX?OPTION=VALUE&OPTION=VALUE. The default is",
      "in the system property jhal.device, else in the variable JHAL_DEVICE, else it",
      "is the first device that can be used: of a GPU, then cpu, then mock.",
      "",
      "./hal --rebuild [COMMAND ...] builds JHAL again before it runs the command.",
      "./hal kit packs it for machines without a JDK and Maven."
    })
public final class Main implements Runnable {
  private static final String VERBOSE = "--verbose";
  private static final Path STDOUT = Path.of("/proc/self/fd/1");

  private static volatile boolean leavesWork;

  @Spec private CommandSpec spec;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      scope = ScopeType.INHERIT,
      description = "Shows this help.")
  @SuppressWarnings("UnusedVariable") // picocli acts on it
  private boolean help;

  @Option(
      names = VERBOSE,
      scope = ScopeType.INHERIT,
      description = "Prints the stack trace of a failure.")
  private boolean verbose;

  @Option(names = "--version", description = "Prints the version of JHAL and of Java.")
  private boolean version;

  private Main() {}

  /** Runs the command and ends the JVM with its exit code. */
  public static void main(String[] args) {
    System.setProperty("java.awt.headless", "true"); // pictures are files, not windows
    LogLines.install(List.of(args).contains(VERBOSE));
    int exitCode;
    try (Interruption interruption = new Interruption()) {
      exitCode = run(null, null, args);
    }
    if (leavesWork) {
      Runtime.getRuntime().halt(exitCode);
    }
    System.exit(exitCode);
  }

  /**
   * Notes that the user does not wait any longer for work on a device that is still open. The
   * process then halts at once, instead of closing the device when it exits.
   */
  static void leaveWork() {
    leavesWork = true;
  }

  /**
   * Runs the command without ending the JVM.
   *
   * @param out where results go, or null for stdout
   * @param err where errors go, or null for stderr
   * @return the exit code
   */
  static int run(@Nullable PrintWriter out, @Nullable PrintWriter err, String... args) {
    Main main = new Main();
    CommandLine line = new CommandLine(main);
    PrintWriter results = out == null ? line.getOut() : out;
    PrintWriter errors = err == null ? line.getErr() : err;
    int exitCode = main.execute(line, results, errors, args);
    // A PrintWriter does not throw if it cannot write, such as to a full disk; neither does
    // System.out.
    boolean isLost = results.checkError() | (out == null && System.out.checkError());
    if (!isLost) {
      return exitCode;
    }
    if (out == null && isPipe()) { // its reader, such as head, needs no more
      return exitCode == ExitCode.SUCCESS ? ExitCode.CLOSED_PIPE : exitCode;
    }
    int failed =
        main.failure(
            errors,
            new HalException(
                Status.DATA_LOSS, "not all output could be written; the disk may be full"));
    return exitCode == ExitCode.SUCCESS ? failed : exitCode;
  }

  /** Whether stdout is a pipe, as far as the system shows it. A pipe fails only if it is closed. */
  private static boolean isPipe() {
    try {
      return Files.readSymbolicLink(STDOUT).toString().startsWith("pipe:");
    } catch (IOException | UnsupportedOperationException e) {
      return false;
    }
  }

  private int execute(CommandLine line, PrintWriter results, PrintWriter errors, String... args) {
    String[] arguments = args;
    if (args.length > 0 && args[0].equals("help")) {
      arguments = args.length > 1 ? new String[] {args[1], "--help"} : new String[] {"--help"};
    }
    int place = 0;
    while (place < arguments.length && arguments[place].startsWith("-")) {
      place++;
    }
    String name = place < arguments.length ? arguments[place] : null;
    Object command = name == null ? null : Commands.create(name);
    if (command != null) {
      line.addSubcommand(name, command);
    } else {
      ToolProvider tool = name == null ? null : Tools.find(name);
      if (tool != null) {
        verbose = List.of(arguments).contains(VERBOSE);
        List<String> own = new ArrayList<>(List.of(arguments).subList(place + 1, arguments.length));
        own.removeIf(VERBOSE::equals); // it is the same for all commands, so no tool has to know it
        return run(results, errors, tool, own);
      }
      if (name != null) {
        return failure(errors, unknownCommand(name));
      }
      addAll(line);
    }
    line.registerConverter(Path.class, new PathConverter());
    line.setOut(results).setErr(errors).setExpandAtFiles(false);
    line.setParameterExceptionHandler(
        (e, ignored) -> failure(errors, CommandFailure.wrongUsage(e)));
    line.setExecutionExceptionHandler((e, where, ignored) -> failure(errors, e));
    try {
      return line.execute(arguments);
    } catch (Error e) { // such as too little memory, or a missing class
      return failure(errors, e);
    }
  }

  private static CommandFailure unknownCommand(String name) {
    List<String> known = new ArrayList<>(Commands.names());
    known.addAll(Tools.names());
    return CommandFailure.wrongUsage(
        "unknown command '"
            + name
            + "'"
            + Suggestion.of(name, known)
            + "; commands are "
            + String.join(", ", known));
  }

  /** Adds what {@code hal --help} shows of the commands; to read all their options takes longer. */
  private static void addAll(CommandLine line) {
    for (String name : Commands.names()) {
      add(line, name, Commands.description(name));
    }
    Tools.descriptions()
        .forEach((name, description) -> add(line, name, description.replace("%", "%%")));
  }

  private static void add(CommandLine line, String name, String description) {
    CommandSpec command = CommandSpec.create();
    command.usageMessage().description(description);
    line.addSubcommand(name, command);
  }

  private int run(PrintWriter out, PrintWriter err, ToolProvider tool, List<String> arguments) {
    try {
      return tool.run(out, err, arguments.toArray(new String[0]));
    } catch (RuntimeException | Error e) {
      return failure(err, e);
    } finally {
      out.flush();
      err.flush();
    }
  }

  /** The status and the message of a failure, for people. */
  static String describe(Throwable thrown) {
    return thrown instanceof HalException e
        ? e.status() + ": " + e.getMessage()
        : thrown.toString();
  }

  /** Prints {@code hal: text}; further lines of the text are indented. */
  static void print(PrintWriter err, String text) {
    err.println("hal: " + text.strip().replaceAll("\\R", System.lineSeparator() + "    "));
  }

  /** Prints what went wrong, and returns the exit code. */
  private int failure(PrintWriter err, Throwable thrown) {
    int exitCode = ExitCode.FAILED;
    String text;
    if (isInterruption(thrown)) {
      exitCode = ExitCode.INTERRUPTED;
      text = Status.CANCELLED + ": interrupted";
    } else if (thrown instanceof CommandFailure failure) {
      exitCode = failure.exitCode();
      text = describe(failure.failure());
    } else if (thrown instanceof HalException) {
      text = describe(thrown);
    } else if (thrown instanceof OutOfMemoryError) {
      text = Status.RESOURCE_EXHAUSTED + ": " + HostFailures.reason(thrown);
    } else {
      text = Status.INTERNAL + ": " + thrown + " (--verbose shows where)";
    }
    print(err, text);
    if (verbose) {
      (thrown instanceof CommandFailure failure ? failure.failure() : thrown).printStackTrace(err);
    }
    err.flush();
    return exitCode;
  }

  /** Whether a wait was interrupted, or the use of a file, which an interrupt closes. */
  private static boolean isInterruption(Throwable thrown) {
    Throwable failure = thrown instanceof CommandFailure f ? f.failure() : thrown;
    return failure instanceof InterruptedException
        || failure.getCause() instanceof ClosedByInterruptException;
  }

  @Override
  public void run() {
    if (version) {
      VersionCommand.print(spec.commandLine().getOut());
      return;
    }
    throw new ParameterException(spec.commandLine(), "a command is missing");
  }
}
