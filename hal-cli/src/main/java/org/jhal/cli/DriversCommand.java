package org.jhal.cli;

import java.io.PrintWriter;
import org.jhal.DriverRegistry;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code hal drivers}: what is on the class path. Initialises no driver. */
@Command(
    name = "drivers",
    description = "Lists the drivers that were found, without starting them.")
final class DriversCommand implements Runnable {
  @Spec private CommandSpec spec;

  @Override
  public void run() {
    Table table = new Table();
    for (DriverRegistry.Entry entry : DriverRegistry.load().entries()) {
      String problem = entry.problem();
      table.row(entry.name(), entry.location(), problem == null ? "" : "problem: " + problem);
    }
    PrintWriter out = spec.commandLine().getOut();
    table.print(out);
    out.flush();
  }
}
