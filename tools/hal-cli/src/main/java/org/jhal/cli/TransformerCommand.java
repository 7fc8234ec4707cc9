// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli;

import java.util.concurrent.Callable;
import org.jhal.ExecutableSource;
import org.jhal.examples.transformer.Transformer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code hal transformer}: a small language model on each device. */
@Command(
    name = "transformer",
    sortOptions = false,
    abbreviateSynopsis = true,
    description = {
      "Example: a small language model on each device.",
      "",
      "Has devices continue a text with a small transformer, checks what they write against plain"
          + " Java, and prints how many tokens a second each of them takes.",
      ""
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "  0:all texts are right",
      "  1:the kernels cannot be loaded, a pass failed, or a text is wrong",
      "  2:wrong usage",
      "  3:a device cannot be opened",
      "130:interrupted"
    })
final class TransformerCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Mixin private DevicesOption devices;

  @Option(
      names = "--tokens",
      paramLabel = "N",
      defaultValue = "60",
      description = "How many tokens follow a prompt of 4 (${DEFAULT-VALUE}), from 1 to 250.")
  private int tokens;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "The seed of the weights and the prompt (${DEFAULT-VALUE}).")
  private int seed;

  @Mixin private KernelOptions kernels;

  @Override
  public Integer call() throws InterruptedException {
    Transformer.Options options =
        CommandFailure.ofOptions(spec, () -> new Transformer.Options(tokens, seed));
    ExecutableSource bundle = kernels.bundle(Transformer.KERNELS);
    try (OpenedDevices opened = devices.open(bundle)) {
      return Transformer.run(
          opened.devices(),
          bundle,
          options,
          spec.commandLine().getOut(),
          spec.commandLine().getErr());
    }
  }
}
