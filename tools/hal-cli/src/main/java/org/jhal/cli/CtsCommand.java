// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.jhal.cts.run.tool.CtsTool;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code hal cts}: the conformance suite. */
@Command(
    name = "cts",
    sortOptions = false,
    customSynopsis = {"hal cts [OPTIONS]", "       hal cts verify DIR|FILE"},
    description = {
      "Runs the conformance suite on a device.",
      "",
      "The device may belong to any driver on the class path.",
      ""
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "  0:all passed",
      "  1:the report cannot be written",
      "  2:wrong usage",
      "  3:the device cannot be opened",
      "  4:a test failed",
      "  5:the run was stopped at its deadline",
      "130:interrupted"
    })
final class CtsCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Mixin private DeviceOption device;

  @Option(
      names = "--variants",
      paramLabel = "FOLDER",
      description = "Further variants of the suite's kernels, which are tried first.")
  private @Nullable Path variants;

  @Option(
      names = "--tests",
      paramLabel = "PATTERN",
      description = "Only these tests: Class or Class.method, * matches anything. Repeatable.")
  private List<String> tests = List.of();

  @Option(
      names = "--repeat",
      paramLabel = "N",
      defaultValue = "1",
      description = "Runs everything N times.")
  private int repeat;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "The seed of tests that draw random numbers.")
  private @Nullable Long seed;

  @Option(
      names = "--report",
      paramLabel = "DIR",
      description = "Writes report.json, report.html and report.xml (JUnit's format) there.")
  private @Nullable Path report;

  @Option(names = "--fail-fast", description = "Starts no further test after a failure.")
  private boolean failFast;

  @Option(
      names = "--timeout",
      paramLabel = "SECONDS",
      description =
          "Stops the whole run after this time. The test under way then fails, and the report has"
              + " the stacks of the threads. By default there is no limit.")
  private @Nullable Long timeout;

  @Option(
      names = "--verify-expected-failures",
      description = "Also runs tests that are expected to fail, and fails if one passes.")
  private boolean verifyExpectedFailures;

  @Option(
      names = "--list",
      description = "Lists the tests, with the rules that they check, and runs nothing.")
  private boolean list;

  @Override
  public Integer call() {
    Duration limit = timeout == null ? null : Duration.ofSeconds(timeout);
    CtsTool.Options options =
        CommandFailure.ofOptions(
            spec,
            () ->
                new CtsTool.Options(
                    device.uri(),
                    tests,
                    repeat,
                    seed,
                    variants,
                    report,
                    failFast,
                    limit,
                    verifyExpectedFailures));
    if (list) {
      CtsTool.list(options, spec.commandLine().getOut());
      return ExitCode.SUCCESS;
    }
    return CtsTool.run(options, spec.commandLine().getOut(), spec.commandLine().getErr());
  }

  @Command(
      name = "verify",
      description = {
        "Checks the report of a run.",
        "",
        "It must be from a complete run of this very suite in which nothing failed, and agree with"
            + " itself. In a folder, report.html and report.xml must be what report.json makes."
            + " Prints the verdict, each discrepancy in a line, and the verdict again.",
        ""
      },
      exitCodeListHeading = "%nExit codes:%n",
      exitCodeList = {
        "0:the report proves conformance, in the rules that were checked",
        "1:the report cannot be read",
        "2:wrong usage",
        "4:there are discrepancies",
        "6:there are none, but the report is from another suite"
      })
  int verify(
      @Option(names = "--all", description = "Prints all discrepancies, and not only the first 20.")
          boolean all,
      @Parameters(paramLabel = "DIR|FILE", description = "The folder or the file of one report.")
          Path of) {
    for (OptionSpec option : spec.commandLine().getParseResult().matchedOptions()) {
      if (!option.inherited()) { // --verbose is
        throw new ParameterException(
            spec.commandLine(), option.longestName() + " is not for verify");
      }
    }
    return CtsTool.verify(of, all, spec.commandLine().getOut(), spec.commandLine().getErr());
  }
}
