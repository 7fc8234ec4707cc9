// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli;

import java.io.PrintWriter;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jhal.HalException;
import org.jhal.cli.top.TopView;
import org.jhal.cli.top.TopView.Form;
import org.jhal.cli.top.WatchedProcess;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code hal top}: what the devices of a running process do. */
@Command(
    name = "top",
    description = {
      "Watches the devices of a running process: memory, operations, and what waits longest.",
      "The process needs no preparation; its Java starts a JMX agent for this machine.",
      "Ends with Ctrl-C, after --count samples, or with exit code 1 when the process ends."
    })
final class TopCommand implements Callable<Integer> {
  private static final double LEAST_SECONDS = 0.05;
  private static final double MOST_SECONDS = 86_400;

  @Spec private CommandSpec spec;

  @Parameters(
      arity = "0..1",
      paramLabel = "PID",
      description = "The process. By default the only one of this user with an open device.")
  private @Nullable Long pid;

  @Option(
      names = "--jmx",
      paramLabel = "ADDRESS",
      description = "Connects to a JMX server, HOST:PORT or service:jmx:..., instead.")
  private @Nullable String address;

  @Option(
      names = "--interval",
      paramLabel = "SECONDS",
      description = "The time between samples; by default 2.")
  private double seconds = 2;

  @Option(
      names = "--count",
      paramLabel = "N",
      description = "Ends after N samples. Rates are known from the second on.")
  private @Nullable Integer count;

  @Option(
      names = "--json",
      description = {
        "Prints each sample as a JSON object in a line: all items that the process reports, and"
            + " rates."
      })
  private boolean json;

  @Override
  public Integer call() throws InterruptedException {
    check(pid == null || address == null, "PID and --jmx exclude each other");
    check(pid == null || pid > 0, "PID '" + pid + "' is not positive");
    check(count == null || count > 0, "--count '" + count + "' is not positive");
    check(
        seconds >= LEAST_SECONDS && seconds <= MOST_SECONDS,
        "--interval '" + seconds + "' is not from " + LEAST_SECONDS + " to 86400 seconds");
    PrintWriter out = spec.commandLine().getOut();
    Form form = json ? Form.JSON : isOnTerminal() ? Form.SCREEN : Form.LINES;
    try (WatchedProcess process = open()) {
      TopView view = new TopView(process, form);
      long period = (long) (seconds * 1e9);
      long next = System.nanoTime();
      for (long i = 1; ; i++) {
        view.print(out);
        if ((count != null && i >= count) || out.checkError()) { // nobody reads on
          return ExitCode.SUCCESS;
        }
        next = Math.max(next + period, System.nanoTime());
        TimeUnit.NANOSECONDS.sleep(next - System.nanoTime());
      }
    }
  }

  private WatchedProcess open() {
    try {
      if (address != null) {
        return WatchedProcess.connect(address);
      }
      return pid == null
          ? WatchedProcess.attachOnly(this::reportSilent)
          : WatchedProcess.attach(pid);
    } catch (HalException e) {
      throw CommandFailure.ofUri(e);
    }
  }

  private void reportSilent(long process) {
    PrintWriter err = spec.commandLine().getErr();
    err.println("hal: process " + process + " cannot be asked; it may also have open devices");
  }

  private void check(boolean isRight, String message) {
    if (!isRight) {
      throw new ParameterException(spec.commandLine(), message);
    }
  }

  /** Whether stdout is a terminal; the launcher knows it, Java does not. */
  private static boolean isOnTerminal() {
    return Boolean.getBoolean("jhal.screen");
  }
}
