// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli;

import java.util.List;
import java.util.concurrent.Callable;
import org.jhal.ExecutableSource;
import org.jhal.examples.pipeline.Pipeline;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code hal pipeline}: stages on several devices. */
@Command(
    name = "pipeline",
    sortOptions = false,
    customSynopsis = "hal pipeline [OPTIONS] [DEVICE ...]",
    description = {
      "Example: stages on several devices, ordered by one timeline.",
      "",
      "The first device generates values, each one between smooths them, and the last one adds them"
          + " up. Where there are fewer than three, the first one smooths as well. Then the result is"
          + " checked.",
      ""
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "  0:the result is correct",
      "  1:it is not, or a stage failed",
      "  2:wrong usage",
      "  3:a device cannot be opened",
      "130:interrupted"
    })
final class PipelineCommand implements Callable<Integer> {
  private static final List<String> DEFAULT = List.of("mock://0?devices=2", "mock://1?devices=2");

  @Spec private CommandSpec spec;

  @Parameters(
      arity = "0..*",
      hideParamSyntax = true,
      paramLabel = "DEVICE ...",
      description =
          "The devices, of one driver or of several. A device may be named more than once. By"
              + " default two of the mock.")
  private List<String> uris = List.of();

  @Mixin private KernelOptions kernels;

  @Override
  public Integer call() throws InterruptedException {
    ExecutableSource bundle = kernels.bundle(Pipeline.KERNELS);
    try (OpenedDevices opened =
        OpenedDevices.open(uris.isEmpty() ? DEFAULT : uris, bundle, spec.commandLine().getErr())) {
      return Pipeline.run(
          opened.devices(), bundle, spec.commandLine().getOut(), spec.commandLine().getErr());
    }
  }
}
