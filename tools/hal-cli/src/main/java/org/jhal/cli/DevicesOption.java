// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli;

import java.util.List;
import org.jhal.ExecutableSource;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The option of a command that spreads work over devices: over which. */
final class DevicesOption {
  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec;

  @Option(
      names = "--device",
      paramLabel = "URI",
      defaultValue = OpenedDevices.ALL,
      description =
          "A device; '${DEFAULT-VALUE}', the default, stands for every device of every driver."
              + " Repeatable.")
  private List<String> uris = List.of();

  /** Opens the chosen devices, of all devices only those that can load the kernels. */
  OpenedDevices open(ExecutableSource kernels) throws InterruptedException {
    return OpenedDevices.open(uris, kernels, spec.commandLine().getErr());
  }
}
