// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jhal.Hal;
import org.jhal.recording.replay.ReplayTool;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code hal replay}: does what was recorded on any device, or on two that are compared. */
@Command(
    name = "replay",
    sortOptions = false,
    customSynopsis = {
      "hal replay FILE [--device URI] [--repeat N] [--substitute BUNDLE=FOLDER]",
      "hal replay FILE [--device URI] --compare URI [--scope A..B] [--ulps N]",
      "                [--absolute X] [--scaled] [--noise] [--all]",
      "                [--substitute BUNDLE=FOLDER] [--out FOLDER]",
      "                [--html FILE]"
    },
    description = {
      "Replays a recording on a device, or on two, whose results are compared.",
      "",
      "A comparison runs each dispatch on both devices, with equal inputs, and names the first one"
          + " whose results differ. docs/recording.md says what a recording has.",
      ""
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {"0:the results are the same", "6:the results differ", "others:as for hal"},
    footer = {"", "Example:", "  hal replay run.jrec --device cpu --compare mock --out wrong"})
final class ReplayCommand implements Callable<Integer> {
  private static final Pattern SCOPE = Pattern.compile("(\\d{1,9})?\\.\\.(\\d{1,9})?");
  private static final String DEFAULT = "cpu"; // as the README runs everything

  /** The variable in which the script {@code hal} says how the user has called it. */
  private static final String LAUNCHER = "JHAL_LAUNCHER";

  @Spec private CommandSpec spec;

  @Parameters(arity = "1", paramLabel = "FILE", description = "The recording.")
  private Path file = Path.of("");

  @Option(
      names = "--device",
      paramLabel = "URI",
      description = "The device; without it, that of jhal.device or JHAL_DEVICE, or else cpu.")
  private @Nullable String device;

  @Option(names = "--compare", paramLabel = "URI", description = "The device to compare with.")
  private @Nullable String compare;

  @Option(
      names = "--repeat",
      paramLabel = "N",
      defaultValue = "1",
      description = "Replays N times; the times of kernels are those of all runs.")
  private int repeat;

  @Option(
      names = "--scope",
      paramLabel = "A..B",
      defaultValue = "..",
      description = "Compares only dispatches of the operations A to B - 1, counted from 0.")
  private String scope = "..";

  @Option(
      names = "--ulps",
      paramLabel = "N",
      defaultValue = "16",
      description =
          "How many units in the last place floating-point numbers may be apart"
              + " (${DEFAULT-VALUE}).")
  private long ulps;

  @Option(
      names = "--absolute",
      paramLabel = "X",
      defaultValue = "0",
      description = "Floating-point numbers that are no farther apart count as equal.")
  private double absolute;

  @Option(
      names = "--scaled",
      description = "The unit in the last place is that of the largest number of the buffer.")
  private boolean isScaled;

  @Option(
      names = "--all",
      description =
          "Goes on behind a dispatch whose results differ; names the first one of each kernel, and"
              + " counts the others.")
  private boolean goesOn;

  @Option(
      names = "--noise",
      description =
          "Replays twice on the device first, to learn in what it differs from itself; no more"
              + " than that counts as equal.")
  private boolean hasNoise;

  @Option(
      names = "--substitute",
      paramLabel = "BUNDLE=FOLDER",
      description =
          "Tries another bundle in the place of the recorded one of this name; with --compare, on"
              + " that device only. Repeatable.")
  private Map<String, Path> substitutes = new LinkedHashMap<>();

  @Option(
      names = "--html",
      paramLabel = "FILE",
      description =
          "Writes a page there: times of dispatches, where the devices part, and the buffer that"
              + " differs.")
  private @Nullable Path page;

  @Option(
      names = "--out",
      paramLabel = "FOLDER",
      description = "Gets the bundle, the inputs and the outputs of the dispatch that is found.")
  private @Nullable Path out;

  @Override
  public Integer call() throws InterruptedException {
    Matcher range = SCOPE.matcher(scope);
    if (!range.matches()) {
      throw CommandFailure.wrongUsage("--scope: A..B, such as 100..200, not '" + scope + "'");
    }
    ReplayTool.Options options =
        CommandFailure.ofOptions(
            spec,
            () ->
                new ReplayTool.Options(
                    file,
                    device == null ? Hal.configuredDevice().orElse(DEFAULT) : device,
                    compare,
                    repeat,
                    range.group(1) == null ? 0 : Integer.parseInt(range.group(1)),
                    range.group(2) == null ? Integer.MAX_VALUE : Integer.parseInt(range.group(2)),
                    ulps,
                    absolute,
                    isScaled,
                    goesOn,
                    hasNoise,
                    substitutes,
                    page,
                    out,
                    System.getenv().getOrDefault(LAUNCHER, "hal")));
    ReplayTool tool = CommandFailure.badInput(() -> ReplayTool.of(options));
    PrintWriter out = spec.commandLine().getOut();
    if (!Progress.isOnTerminal()) {
      return tool.run(out, () -> {});
    }
    StringWriter text = new StringWriter(); // printed when the bar has gone
    try (Progress progress = new Progress(spec.commandLine().getErr(), tool.steps())) {
      return tool.run(new PrintWriter(text), progress::step);
    } finally {
      out.print(text);
      out.flush();
    }
  }
}
