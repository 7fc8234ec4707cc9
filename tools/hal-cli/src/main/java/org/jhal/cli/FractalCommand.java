// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli;

import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jhal.ExecutableSource;
import org.jhal.examples.fractal.Fractal;
import org.jhal.examples.fractal.FractalRun;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code hal fractal}: a picture split over all devices. */
@Command(
    name = "fractal",
    sortOptions = false,
    abbreviateSynopsis = true,
    description = {
      "Example: a picture split over all devices of the machine.",
      "",
      "Computes the Mandelbrot set on several devices at once, and prints how much each device has"
          + " computed. In the picture, each device has its own colour.",
      ""
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "  0:the picture is complete",
      "  1:the kernels cannot be loaded, a band failed, or the picture cannot be written",
      "  2:wrong usage",
      "  3:a device cannot be opened",
      "130:interrupted"
    })
final class FractalCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Mixin private DevicesOption devices;

  @Option(
      names = "--size",
      paramLabel = "N",
      defaultValue = "2048",
      description =
          "The picture has N columns (${DEFAULT-VALUE}) and three quarters as many rows; N is from"
              + " 16 to 16384.")
  private int size;

  @Mixin private KernelOptions kernels;

  @Option(names = "--out", paramLabel = "PICTURE.png", description = "The file of the picture.")
  private @Nullable Path picture;

  @Override
  public Integer call() throws InterruptedException {
    Fractal.Options options =
        CommandFailure.ofOptions(spec, () -> new Fractal.Options(size, picture));
    ExecutableSource bundle = kernels.bundle(FractalRun.KERNELS);
    try (OpenedDevices opened = devices.open(bundle)) {
      return Fractal.run(
          opened.devices(),
          bundle,
          options,
          spec.commandLine().getOut(),
          spec.commandLine().getErr());
    }
  }
}
