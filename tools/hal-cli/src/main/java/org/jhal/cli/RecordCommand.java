// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import org.jhal.HalException;
import org.jhal.Status;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code hal record}: runs a command, all of whose devices are recorded. */
@Command(
    name = "record",
    customSynopsis = "hal record FILE -- COMMAND ...",
    description = {
      "Runs a command and records what its devices do, for hal replay.",
      "",
      "The command is one of hal, or any program that uses JHAL, which gets the name of the file in"
          + " the variable JHAL_RECORD. %%p in the name becomes the number of the process.",
      "The exit code is that of the command.",
      ""
    },
    footer = {"", "Example:", "  hal record run.jrec -- run examples/edges --arg image=in.png"})
final class RecordCommand implements Callable<Integer> {
  private static final String PROPERTY = "jhal.record";
  private static final String VARIABLE = "JHAL_RECORD";

  @Spec private CommandSpec spec;

  @Parameters(index = "0", paramLabel = "FILE", description = "The recording.")
  private String file = "";

  @Parameters(
      index = "1..*",
      arity = "1..*",
      paramLabel = "COMMAND",
      description = "The command and its arguments, behind --.")
  private List<String> command = List.of();

  @Override
  public Integer call() throws InterruptedException {
    return Commands.names().contains(command.get(0)) ? runHere() : runProcess();
  }

  private int runHere() {
    String before = System.getProperty(PROPERTY);
    System.setProperty(PROPERTY, file);
    try {
      return Main.run(
          spec.commandLine().getOut(), spec.commandLine().getErr(), command.toArray(new String[0]));
    } finally {
      if (before == null) {
        System.clearProperty(PROPERTY);
      } else {
        System.setProperty(PROPERTY, before);
      }
    }
  }

  private int runProcess() throws InterruptedException {
    ProcessBuilder builder = new ProcessBuilder(command).inheritIO();
    builder.environment().put(VARIABLE, file);
    try {
      return builder.start().waitFor();
    } catch (IOException e) {
      throw new HalException(
          Status.NOT_FOUND, "'" + command.get(0) + "' is no command of hal and no program", e);
    }
  }
}
