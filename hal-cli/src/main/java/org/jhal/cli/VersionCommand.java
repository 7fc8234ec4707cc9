package org.jhal.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code hal version}: prints the version of JHAL and of the Java that runs it. */
@Command(name = "version", description = "Prints the version.", mixinStandardHelpOptions = true)
final class VersionCommand implements Runnable {
  @Spec private CommandSpec spec;

  @Override
  public void run() {
    for (String line : new Version().getVersion()) {
      spec.commandLine().getOut().println(line);
    }
  }
}
