// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli;

import java.io.PrintWriter;
import java.util.List;
import org.jhal.DriverRegistry;
import org.jhal.cli.text.Table;
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
    List<DriverRegistry.Entry> entries = DriverRegistry.load().entries();
    Table table = new Table();
    if (entries.isEmpty()) {
      table.row("no driver on the class path");
    }
    for (DriverRegistry.Entry entry : entries) {
      String problem = entry.problem();
      table.row(entry.name(), entry.location(), problem == null ? "" : "problem: " + problem);
    }
    PrintWriter out = spec.commandLine().getOut();
    table.print(out);
    out.flush();
  }
}
