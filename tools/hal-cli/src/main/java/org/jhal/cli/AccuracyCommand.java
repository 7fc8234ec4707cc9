// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli;

import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jhal.Device;
import org.jhal.examples.Accuracy;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code hal accuracy}: how far off the results of a device are. */
@Command(
    name = "accuracy",
    sortOptions = false,
    abbreviateSynopsis = true,
    description = {
      "Compares results of a device with 64-bit arithmetic.",
      "",
      "Runs the examples saxpy, reduction and matmul on random data. For each, prints the largest"
          + " error of all elements, and the bound on it. The error of saxpy is relative to the"
          + " element; that of reduction and matmul is relative to the sum of the magnitudes of what"
          + " is added up. The bound is what rounding each operation to the nearest 32-bit number can"
          + " make of it.",
      "",
      "On a device that compiles C++, then compares the functions that kernels can call with the"
          + " results of a GPU, or with the exact values: how many are equal in every bit; the"
          + " distances of those that vary between devices, such as sinf, here and on the GPU, and"
          + " the most that is allowed; those that differ where devices may, with an example; and"
          + " those that are wrong.",
      "",
      "A kernel that cannot be loaded is reported, and the others run.",
      ""
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:all are within the bounds",
      "1:one is not, or failed, or cannot be loaded, or a function is wrong",
      "2:wrong usage",
      "3:the device cannot be opened"
    })
final class AccuracyCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Option(names = "--device", paramLabel = "URI", description = "The device.")
  private @Nullable String device;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "The seed of the random data (${DEFAULT-VALUE}).")
  private long seed;

  @Option(
      names = "--operands",
      paramLabel = "N",
      defaultValue = "262144",
      description =
          "Of how many numbers of the whole range of float the functions of one are measured in"
              + " addition (${DEFAULT-VALUE}; at most 4294967296).")
  private long operands;

  @Option(
      names = "--all",
      description =
          "Names the functions that are equal, too, and gives an example of each that is not.")
  private boolean all;

  @Option(
      names = "--kernels",
      paramLabel = "FOLDER",
      description =
          "The bundles saxpy, reduction and matmul, for a device that loads none of the formats of"
              + " those that are built in.")
  private @Nullable Path kernels;

  @Option(
      names = "--variants",
      paramLabel = "FOLDER",
      description = "Further variants of the kernels, which are tried first.")
  private @Nullable Path variants;

  @Option(
      names = "--write",
      paramLabel = "FOLDER",
      description =
          "Only writes the bundles with the functions into folders in this one, for 'hal compile'"
              + " on a machine with a compiler; --variants takes what it makes.")
  private @Nullable Path write;

  @Override
  public Integer call() throws InterruptedException {
    if (write != null) {
      Accuracy.write(write);
      return ExitCode.SUCCESS;
    }
    Accuracy.Options options =
        CommandFailure.ofOptions(
            spec, () -> new Accuracy.Options(seed, operands, all, kernels, variants));
    try (Device opened = CommandFailure.openDevice(device)) {
      return Accuracy.run(
          opened, options, spec.commandLine().getOut(), spec.commandLine().getErr());
    }
  }
}
