// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The option of a command that is about one device: which. */
final class DeviceOption {
  @Option(
      names = "--device",
      paramLabel = "URI",
      description = "The device, as hal devices lists it; hal --help says which is the default.")
  private @Nullable String uri;

  /** Its URI; null for the default. */
  @Nullable String uri() {
    return uri;
  }
}
