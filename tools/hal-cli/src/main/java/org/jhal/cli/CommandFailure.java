// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli;

import java.util.function.Function;
import java.util.function.Supplier;
import org.jhal.Device;
import org.jhal.Hal;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.cli.trace.BadRecordingException;
import org.jhal.spi.Suggestion;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** A failure of a command whose exit code is decided by the step that failed. */
final class CommandFailure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int exitCode;
  private final HalException failure;

  private CommandFailure(int exitCode, HalException failure) {
    super(failure);
    this.exitCode = exitCode;
    this.failure = failure;
  }

  /** The command line itself is wrong. */
  static CommandFailure wrongUsage(String message) {
    return new CommandFailure(ExitCode.USAGE, new HalException(Status.INVALID_ARGUMENT, message));
  }

  /** The command line itself is wrong. */
  static CommandFailure wrongUsage(ParameterException e) {
    String command = e.getCommandLine().getCommandSpec().qualifiedName();
    String message =
        String.valueOf(e.getMessage())
            .replaceFirst("^Error: ", "")
            .replaceFirst("' is not a long$", "' is no whole number")
            .replaceFirst("' is not an int$", "' is no whole number up to " + Integer.MAX_VALUE);
    if (e instanceof UnmatchedArgumentException unmatched) {
      String what = unmatched.isUnknownOption() ? "unknown option" : "unexpected argument";
      String given = unmatched.getUnmatched().get(0);
      CommandSpec spec = e.getCommandLine().getCommandSpec();
      message =
          what
              + " '"
              + given
              + "'"
              + Suggestion.of(
                  given.replaceFirst("=.*", ""),
                  unmatched.isUnknownOption()
                      ? spec.optionsMap().keySet()
                      : spec.subcommands().keySet());
    }
    return wrongUsage(message + " (see " + command + " --help)");
  }

  /**
   * Makes what the options of a command say. Its failures count as wrong usage; one whose message
   * begins with the name of an option gets the dashes.
   */
  static <T> T ofOptions(CommandSpec spec, Supplier<T> options) {
    try {
      return options.get();
    } catch (HalException e) {
      String message = String.valueOf(e.getMessage());
      boolean isOption = spec.optionsMap().containsKey("--" + message.replaceFirst(" .*", ""));
      throw wrongOption(spec, (isOption ? "--" : "") + message, e);
    }
  }

  /** Reads what an option names. Its failures count as wrong usage. */
  static <V, T> T ofOption(CommandSpec spec, String option, V value, Function<V, T> step) {
    try {
      return step.apply(value);
    } catch (HalException e) {
      throw wrongOption(spec, option + " " + value + ": " + e.getMessage(), e);
    }
  }

  private static CommandFailure wrongOption(CommandSpec spec, String message, HalException e) {
    String help = " (see " + spec.qualifiedName() + " --help)";
    return new CommandFailure(ExitCode.USAGE, new HalException(e.status(), message + help, e));
  }

  /** A recording that is damaged, or has nothing of JHAL. */
  static CommandFailure badRecording(BadRecordingException e) {
    return new CommandFailure(
        ExitCode.USAGE,
        new HalException(Status.INVALID_ARGUMENT, String.valueOf(e.getMessage()), e));
  }

  /** The device cannot do what was requested. */
  static CommandFailure unusable(HalException failure) {
    return new CommandFailure(ExitCode.NO_DEVICE, failure);
  }

  int exitCode() {
    return exitCode;
  }

  HalException failure() {
    return failure;
  }

  /** Runs a step that only checks the user's input: its failures count as bad input. */
  static <T> T badInput(Supplier<T> step) {
    try {
      return step.get();
    } catch (HalException e) {
      throw new CommandFailure(ExitCode.USAGE, e);
    }
  }

  /** Opens a device, the default one if {@code uri} is null. */
  static Device openDevice(@Nullable String uri) {
    try {
      return uri == null ? Hal.openDevice() : Hal.openDevice(uri);
    } catch (HalException e) {
      throw ofUri(e);
    }
  }

  /** A device cannot be opened, or a process watched: its name is wrong, or there is none. */
  static CommandFailure ofUri(HalException e) {
    boolean malformed = e.status() == Status.INVALID_ARGUMENT || e.status() == Status.OUT_OF_RANGE;
    return new CommandFailure(malformed ? ExitCode.USAGE : ExitCode.NO_DEVICE, e);
  }
}
