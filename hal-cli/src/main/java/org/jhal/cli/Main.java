package org.jhal.cli;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.spi.ToolProvider;
import org.jhal.HalException;
import org.jhal.Status;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/**
 * The {@code hal} command. Its exit codes are those of {@link ExitCode}; a failure is one line on
 * stderr, {@code hal: STATUS: message}.
 *
 * <p>Other modules add subcommands: a {@link ToolProvider} service with the name {@code hal-NAME}
 * becomes {@code hal NAME}. It gets the arguments that follow, and its return value is the exit
 * code.
 */
@Command(
    name = "hal",
    description = "Lists accelerators and runs work on them.",
    synopsisSubcommandLabel = "COMMAND",
    sortOptions = false,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "  0:success",
      "  1:the work failed while it ran",
      "  2:wrong usage or bad input; nothing ran",
      "  3:no such driver or device, or it cannot be used for this; nothing ran",
      "  4:cts: tests failed",
      "  5:cts: the run was given up at its deadline",
      "130:interrupted"
    },
    footer = {
      "",
      "A device is named DRIVER, DRIVER://INDEX or DRIVER://UUID, and may have options:",
      "DRIVER://INDEX?OPTION=VALUE&OPTION=VALUE. Where none is named it is that of the",
      "system property jhal.device, else that of the variable JHAL_DEVICE, else the",
      "first that can be used.",
      "",
      "./hal --rebuild [COMMAND ...] builds JHAL again before it runs the command.",
      "./hal kit packs it for machines without a JDK and Maven."
    })
public final class Main implements Runnable {
  private static final List<String> COMMANDS =
      List.of("devices", "drivers", "info", "run", "version");

  @Spec private CommandSpec spec;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      scope = ScopeType.INHERIT,
      description = "Shows this help.")
  @SuppressWarnings("UnusedVariable") // picocli acts on it
  private boolean help;

  @Option(
      names = "--verbose",
      scope = ScopeType.INHERIT,
      description = "Prints the stack trace of a failure.")
  private boolean verbose;

  @Option(names = "--version", description = "Prints the version of JHAL and of Java.")
  private boolean version;

  private Main() {}

  /** Runs the command and ends the JVM with its exit code. */
  public static void main(String[] args) {
    System.setProperty("java.awt.headless", "true"); // pictures are files, not windows
    int exitCode;
    try (Interruption interruption = new Interruption()) {
      exitCode = run(null, null, args);
    }
    System.exit(exitCode);
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
    String[] arguments = args;
    if (args.length > 0 && args[0].equals("help")) {
      arguments = args.length > 1 ? new String[] {args[1], "--help"} : new String[] {"--help"};
    }
    int place = 0;
    while (place < arguments.length && arguments[place].startsWith("-")) {
      place++;
    }
    String name = place < arguments.length ? arguments[place] : null;
    Object command = name == null ? null : command(name);
    if (command != null) {
      line.addSubcommand(name, command);
    } else {
      ToolProvider tool = name == null ? null : Tools.find(name);
      if (tool != null) {
        main.verbose = List.of(arguments).subList(0, place).contains("--verbose");
        return main.run(
            results, errors, tool, List.of(arguments).subList(place + 1, arguments.length));
      }
      if (name != null) {
        return main.failure(errors, unknownCommand(name));
      }
      addAll(line);
    }
    line.setOut(results).setErr(errors).setExpandAtFiles(false);
    line.setParameterExceptionHandler(
        (e, ignored) -> main.failure(errors, CommandFailure.wrongUsage(e)));
    line.setExecutionExceptionHandler((e, where, ignored) -> main.failure(errors, e));
    try {
      return line.execute(arguments);
    } catch (Error e) { // such as too little memory, or a class that is missing
      return main.failure(errors, e);
    }
  }

  private static @Nullable Object command(String name) {
    return switch (name) {
      case "devices" -> new DevicesCommand();
      case "drivers" -> new DriversCommand();
      case "info" -> new InfoCommand();
      case "run" -> new RunCommand();
      case "version" -> new VersionCommand();
      default -> null;
    };
  }

  private static CommandFailure unknownCommand(String name) {
    List<String> known = new ArrayList<>(COMMANDS);
    known.addAll(Tools.names());
    return CommandFailure.wrongUsage(
        "unknown command '" + name + "'; there are " + String.join(", ", known));
  }

  private static void addAll(CommandLine line) {
    for (String name : COMMANDS) {
      line.addSubcommand(name, command(name));
    }
    for (String name : Tools.names()) {
      CommandSpec tool = CommandSpec.create();
      tool.usageMessage().description("See hal " + name + " --help.");
      line.addSubcommand(name, tool);
    }
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

  /** Prints what went wrong on one line, and returns the exit code. */
  private int failure(PrintWriter err, Throwable thrown) {
    int exitCode = ExitCode.FAILED;
    String text;
    if (thrown instanceof CommandFailure failure) {
      exitCode = failure.exitCode();
      text = failure.failure().toString();
    } else if (thrown instanceof HalException) {
      text = thrown.toString();
    } else if (thrown instanceof InterruptedException) {
      exitCode = ExitCode.INTERRUPTED;
      text = Status.CANCELLED + ": interrupted";
    } else if (thrown instanceof OutOfMemoryError) {
      text = Status.RESOURCE_EXHAUSTED + ": the host has too little memory: " + thrown.getMessage();
    } else {
      text = Status.INTERNAL + ": " + thrown + " (--verbose shows where)";
    }
    err.println("hal: " + text.strip().replaceAll("\\s*\\R\\s*", "; "));
    if (verbose) {
      (thrown instanceof CommandFailure failure ? failure.failure() : thrown).printStackTrace(err);
    }
    err.flush();
    return exitCode;
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
