// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli;

import java.io.PrintWriter;
import java.util.List;
import org.jhal.HalException;
import org.jhal.cpu.CheckTool;
import org.jhal.cpu.Finding;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code hal check}: runs one kernel of a bundle as {@code hal run} does, and says what is wrong.
 */
@Command(
    name = "check",
    sortOptions = false,
    customSynopsis = {
      "hal check BUNDLE[:KERNEL] [--checks LIST] [--arg NAME=VALUE]... [--shape NAME=N,...]...",
      "                 [--groups X[,Y[,Z]]] [OPTIONS OF hal run]"
    },
    description = {
      "Finds what is wrong with a kernel in C++, while it runs on the processors.",
      "",
      "Takes the arguments of hal run. For each access to memory it looks whether the kernel may make"
          + " it. A finding names the line of the source, the buffer and the work item.",
      ""
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:nothing is wrong, as far as this run shows",
      "6:something is wrong with the kernel",
      "others:as for hal run"
    })
final class CheckCommand extends RunCommand {
  private static final String DEFAULT_DEVICE = "cpu";

  @Option(
      names = "--checks",
      paramLabel = "LIST",
      defaultValue = "all",
      description =
          "What is checked, separated by commas: memory, races, barriers, values, or all"
              + " (${DEFAULT-VALUE}).")
  private String checks = "";

  @Override
  @Nullable String device(@Nullable String named) {
    return CommandFailure.ofOption(
        spec,
        "--checks",
        checks,
        list -> CheckTool.device(named == null ? DEFAULT_DEVICE : named, list));
  }

  @Override
  boolean hintsOutputs() {
    return false;
  }

  @Override
  public Integer call() throws InterruptedException {
    CheckTool.take(); // of runs before this one
    try {
      super.call();
    } catch (HalException e) {
      print(CheckTool.take());
      throw e;
    }
    List<Finding> findings = CheckTool.take();
    print(findings);
    return findings.stream().allMatch(Finding::isBenign) ? ExitCode.SUCCESS : ExitCode.FOUND;
  }

  private void print(List<Finding> findings) {
    PrintWriter out = spec.commandLine().getOut();
    for (Finding finding : findings) {
      out.println(finding);
    }
    out.println(
        findings.isEmpty()
            ? "nothing is wrong, as far as this run shows"
            : "findings: " + findings.size());
    out.flush();
  }
}
