// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli;

import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jhal.kernels.cache.CacheTool;
import org.jhal.kernels.cache.CacheTool.Action;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** {@code hal cache}: the folders in which compiled kernels are kept. */
@Command(
    name = "cache",
    description = {
      "Shows, verifies or empties the kept compiled kernels.",
      "",
      "These are in the default folder, and in those that the setting 'cache' of a driver names"
          + " (JHAL_DRIVER_CACHE, jhal.DRIVER.cache). Without a command, all are shown.",
      ""
    },
    synopsisSubcommandLabel = "[show | verify | empty]",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:success",
      "1:the folder cannot be used, or verify found something",
      "2:wrong usage"
    })
final class CacheCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Option(
      names = "--folder",
      paramLabel = "DIR",
      scope = ScopeType.INHERIT,
      description = "This folder only; hal info DEVICE shows that of a device as 'cache'.")
  private @Nullable Path folder;

  @Override
  public Integer call() {
    return run(Action.SHOW);
  }

  @Command(
      name = "show",
      description = "Lists the entries: when each was last used, its size, and what it is.")
  int show() {
    return run(Action.SHOW);
  }

  @Command(
      name = "verify",
      description = "Reads each entry, and reports those that are damaged or cannot be trusted.")
  int verify() {
    return run(Action.VERIFY);
  }

  @Command(
      name = "empty",
      description =
          "Removes all entries, and nothing else. With several folders, --folder is needed.")
  int empty() {
    return run(Action.EMPTY);
  }

  private int run(Action action) {
    return CommandFailure.ofOptions(
        spec,
        () ->
            CacheTool.run(
                new CacheTool.Options(action, folder),
                spec.commandLine().getOut(),
                spec.commandLine().getErr()));
  }
}
