// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli;

import java.nio.file.Path;
import org.jhal.ExecutableSource;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The options of a command with built-in kernels: which it runs instead. */
final class KernelOptions {
  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec;

  @Option(
      names = "--kernels",
      paramLabel = "PATH",
      description =
          "A bundle with the same kernels, instead of the built-in one, for a device that loads none"
              + " of its formats.")
  private @Nullable Path kernels;

  @Option(
      names = "--variants",
      paramLabel = "FOLDER",
      description = "Further variants of the kernels, which are tried first.")
  private @Nullable Path variants;

  /** The chosen bundle. */
  ExecutableSource bundle(ExecutableSource builtIn) {
    ExecutableSource bundle =
        kernels == null
            ? builtIn
            : CommandFailure.ofOption(spec, "--kernels", kernels, ExecutableSource::of);
    return variants == null
        ? bundle
        : CommandFailure.ofOption(spec, "--variants", variants, bundle::withVariants);
  }
}
