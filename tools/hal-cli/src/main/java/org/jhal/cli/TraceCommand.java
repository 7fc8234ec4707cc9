// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Recording;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.cli.data.DataFiles;
import org.jhal.cli.trace.BadRecordingException;
import org.jhal.cli.trace.DiskSpace;
import org.jhal.cli.trace.TraceFiles;
import org.jhal.cli.trace.TraceFiles.Form;
import org.jhal.cli.trace.TraceOutputs;
import org.jhal.cli.trace.TraceSummary;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code hal trace}: what ran when, and which timepoint held it back. */
@Command(
    name = "trace",
    description = "Records what a command does, or makes a trace of a recording.",
    subcommands = {
      TraceCommand.Run.class,
      TraceCommand.Convert.class,
      TraceCommand.Summary.class,
      TraceCommand.Settings.class
    },
    synopsisSubcommandLabel = "(run | convert | summary | settings)")
final class TraceCommand implements Runnable {
  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(), "run, convert, summary or settings is missing");
  }

  /** Where traces go. */
  static final class Outputs {
    @Option(
        names = "--out",
        paramLabel = "FILE",
        description = "The trace as JSON, for ui.perfetto.dev or chrome://tracing.")
    private @Nullable Path json;

    @Option(names = "--html", paramLabel = "FILE", description = "A page for any browser.")
    private @Nullable Path html;

    @Option(names = "--svg", paramLabel = "FILE", description = "A picture.")
    private @Nullable Path svg;

    @Option(
        names = "--width",
        paramLabel = "PIXELS",
        defaultValue = "1230",
        description = "The width of the picture, ${DEFAULT-VALUE} by default.")
    private int width;

    int width() {
      if (width < TraceOutputs.LEAST_WIDTH) {
        throw CommandFailure.wrongUsage(
            "--width: at least " + TraceOutputs.LEAST_WIDTH + ", not " + width);
      }
      return width;
    }

    Map<Form, Path> byForm() {
      Map<Form, Path> files = new EnumMap<>(Form.class);
      if (json != null) {
        files.put(Form.JSON, json);
      }
      if (html != null) {
        files.put(Form.HTML, html);
      }
      if (svg != null) {
        files.put(Form.SVG, svg);
      }
      return files;
    }
  }

  /** {@code hal trace run}. */
  @Command(
      name = "run",
      description = {
        "Runs another command of hal and records what it does, times on the device included.",
        "Prints a summary to stderr.",
        "The exit code is that of the command, or 1 if the trace cannot be written."
      })
  static final class Run implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Mixin private Outputs outputs;

    @Option(
        names = "--jfr",
        paramLabel = "FILE",
        description = "The recording, for hal trace convert or JDK Mission Control.")
    private @Nullable Path kept;

    @Option(
        names = "--max-size",
        paramLabel = "SIZE",
        description = {
          "How large the recording may become, such as 200m. Of more, the latest part is kept.",
          "By default 1g, or a quarter of what the folder for temporary files has left."
        })
    private @Nullable String maxSize;

    @Option(
        names = "--commands",
        description = {
          "Records the time of each command within command buffers, with its label. They are",
          "issued one by one then, and no graphs are used, so the whole takes longer."
        })
    private boolean hasCommands;

    @Parameters(
        arity = "1..*",
        paramLabel = "COMMAND",
        description = "The command and its arguments, behind --.")
    private List<String> command = List.of();

    @Override
    public Integer call() {
      Map<Form, Path> files = outputs.byForm();
      if (files.isEmpty() && kept == null) {
        files.put(Form.JSON, Path.of("trace.json"));
      }
      if (!FlightRecorder.isAvailable()) {
        throw new HalException(Status.UNIMPLEMENTED, "this Java has no flight recorder");
      }
      PrintWriter out = spec.commandLine().getOut();
      PrintWriter err = spec.commandLine().getErr();
      long limit = limit();
      int width = outputs.width();
      Path temporary = kept == null ? temporaryFile() : null;
      Path file = kept == null ? Objects.requireNonNull(temporary) : kept;
      try (TraceOutputs opened =
              CommandFailure.badInput(() -> new TraceOutputs(files, file, null));
          Recording recording = TraceFiles.newRecording(limit, hasCommands)) {
        recording.start();
        int exitCode = Main.run(out, err, command.toArray(new String[0]));
        recording.stop();
        opened.save(recording);
        if (!TraceFiles.hasEvents(file)) {
          if (exitCode != ExitCode.SUCCESS || files.isEmpty()) {
            return exitCode; // it has said why, and there is nothing to show
          }
          throw CommandFailure.wrongUsage(
              "'" + String.join(" ", command) + "' used no device, so there is no trace of it");
        }
        opened.convert(file, width).forEach(err::println);
        err.flush();
        return exitCode;
      } catch (BadRecordingException e) {
        throw CommandFailure.badRecording(e);
      } finally {
        delete(temporary);
      }
    }

    private static Path temporaryFile() {
      try {
        return Files.createTempFile("hal-trace", ".jfr");
      } catch (IOException e) {
        throw DataFiles.failure("cannot make a temporary file", e);
      }
    }

    private long limit() {
      try {
        return DiskSpace.forRecording(maxSize);
      } catch (IllegalArgumentException e) {
        throw CommandFailure.wrongUsage("--max-size: " + e.getMessage());
      }
    }

    private static void delete(@Nullable Path file) {
      try {
        if (file != null) {
          Files.deleteIfExists(file);
        }
      } catch (IOException e) {
        // It is in the folder for temporary files.
      }
    }
  }

  /** {@code hal trace convert}. */
  @Command(
      name = "convert",
      description = {
        "Makes a trace of a recording that the flight recorder of a JDK has made.",
        "Prints a summary."
      })
  static final class Convert implements Runnable {
    @Spec private CommandSpec spec;

    @Mixin private Outputs outputs;

    @Parameters(arity = "1", paramLabel = "FILE.jfr", description = "The recording.")
    private Path recording = Path.of("");

    @Override
    public void run() {
      PrintWriter out = spec.commandLine().getOut();
      if (outputs.byForm().isEmpty()) {
        throw new ParameterException(spec.commandLine(), "--out, --html or --svg is missing");
      }
      int width = outputs.width();
      CommandFailure.badInput(
          () -> {
            TraceFiles.checkReadable(recording);
            return recording;
          });
      try (TraceOutputs opened =
          CommandFailure.badInput(() -> new TraceOutputs(outputs.byForm(), null, recording))) {
        opened.convert(recording, width).forEach(out::println);
        out.flush();
      } catch (BadRecordingException e) {
        throw CommandFailure.badRecording(e);
      }
    }
  }

  /** {@code hal trace summary}. */
  @Command(
      name = "summary",
      description = {
        "Sums a recording up: where the time went, the longest waits, and the critical path."
      })
  static final class Summary implements Runnable {
    @Spec private CommandSpec spec;

    @Option(
        names = "--json",
        description = "Prints one JSON object instead of tables; times are nanoseconds.")
    private boolean json;

    @Parameters(arity = "1", paramLabel = "FILE.jfr", description = "The recording.")
    private Path recording = Path.of("");

    @Override
    public void run() {
      PrintWriter out = spec.commandLine().getOut();
      CommandFailure.badInput(
          () -> {
            TraceFiles.checkReadable(recording);
            return recording;
          });
      try {
        TraceSummary summary = TraceFiles.summary(recording);
        if (json) {
          out.println(TraceFiles.json(summary));
        } else {
          TraceFiles.lines(summary).forEach(out::println);
        }
        out.flush();
      } catch (BadRecordingException e) {
        throw CommandFailure.badRecording(e);
      }
    }
  }

  /** {@code hal trace settings}. */
  @Command(
      name = "settings",
      description = {
        "Prints settings that enable all events of JHAL, for a file that",
        "-XX:StartFlightRecording:settings=FILE takes."
      })
  static final class Settings implements Runnable {
    @Spec private CommandSpec spec;

    @Override
    public void run() {
      PrintWriter out = spec.commandLine().getOut();
      out.print(TraceFiles.settings());
      out.flush();
    }
  }
}
