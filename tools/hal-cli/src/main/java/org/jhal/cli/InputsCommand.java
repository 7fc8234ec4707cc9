// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli;

import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jhal.examples.MakeInputs;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code hal inputs}: the input files of the examples. */
@Command(
    name = "inputs",
    description = "Makes the input files of the examples, also larger ones.",
    customSynopsis = "hal inputs FOLDER [ELEMENTS]")
final class InputsCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  // Not required, or picocli would report it as missing if there is an unknown option.
  @Parameters(
      index = "0",
      arity = "0..1",
      hideParamSyntax = true,
      paramLabel = "FOLDER",
      description = "The folder that gets them.")
  private @Nullable Path folder;

  @Parameters(
      index = "1",
      arity = "0..1",
      hideParamSyntax = true,
      paramLabel = "ELEMENTS",
      defaultValue = "" + MakeInputs.ELEMENTS,
      description = "How many elements saxpy's arrays get (${DEFAULT-VALUE}; 268435456 are 1 GiB).")
  private long elements;

  @Override
  public Integer call() {
    Path target = folder;
    if (target == null) {
      throw new ParameterException(spec.commandLine(), "FOLDER is missing");
    }
    MakeInputs.Options options =
        CommandFailure.ofOptions(spec, () -> new MakeInputs.Options(target, elements));
    MakeInputs.run(options);
    return ExitCode.SUCCESS;
  }
}
