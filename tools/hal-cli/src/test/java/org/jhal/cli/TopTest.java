// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli;

import static org.jhal.cli.Outcome.hal;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jhal.cli.top.WatchedJvm;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The command {@code hal top}, with a second JVM. */
@Timeout(200)
class TopTest {
  private static final String NO_PROCESS = "99999999"; // more than any system has

  @Test
  void printsAsManySamplesAsWanted() throws Exception {
    try (WatchedJvm watched = WatchedJvm.withDevice()) {
      String out =
          hal("top", watched.pid(), "--count", "3", "--interval", "0.05").succeeded().out();
      assertEquals(3, out.lines().filter(line -> line.startsWith("mock-0 ")).count(), out);
      String json = hal("top", "--json", "--count=1", watched.pid()).succeeded().out();
      assertTrue(json.startsWith("{\"time\":\""), json);
      assertTrue(json.contains("\"process\":" + watched.pid() + ","), json);
    }
  }

  /** Other processes of this user may have devices, too. */
  @Test
  void findsTheOnlyProcessWithADeviceOrListsThem() throws Exception {
    try (WatchedJvm watched = WatchedJvm.withDevice()) {
      Outcome outcome = hal("top", "--json", "--count=1");
      String silent = "hal: process " + watched.pid() + " cannot be asked";
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
      while (outcome.err().contains(silent) && System.nanoTime() - deadline < 0) {
        outcome = hal("top", "--json", "--count=1"); // the machine is busy
      }
      if (outcome.exitCode() == ExitCode.SUCCESS) {
        assertTrue(outcome.out().contains("\"process\":" + watched.pid() + ","), outcome::toString);
      } else {
        assertEquals(ExitCode.USAGE, outcome.exitCode(), outcome::toString);
        assertTrue(
            outcome.err().lines().anyMatch(line -> line.startsWith("    " + watched.pid() + "  ")),
            outcome::toString);
      }
    }
  }

  @Test
  void aProcessThatEndsIsAFailure() throws Exception {
    try (WatchedJvm watched = WatchedJvm.withDevice()) {
      StringWriter out = new StringWriter();
      StringWriter err = new StringWriter();
      CompletableFuture<Integer> exitCode =
          CompletableFuture.supplyAsync(
              () ->
                  Main.run(
                      new PrintWriter(out),
                      new PrintWriter(err),
                      "top",
                      watched.pid(),
                      "--interval=0.05"));
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
      while (!out.toString().contains("mock-0 ")) {
        assertTrue(System.nanoTime() - deadline < 0, "waited 60 s for a sample; " + err);
        Thread.yield();
      }
      watched.kill();
      assertEquals(ExitCode.FAILED, exitCode.get(60, TimeUnit.SECONDS));
      assertEquals(
          "hal: UNAVAILABLE: process " + watched.pid() + " has ended" + System.lineSeparator(),
          err.toString());
    }
  }

  @Test
  void aProcessWithoutADeviceCannotBeWatched() throws Exception {
    hal("top", NO_PROCESS).failed(3, "NOT_FOUND: there is no process " + NO_PROCESS);
    try (WatchedJvm watched = WatchedJvm.withoutDevice()) {
      hal("top", watched.pid())
          .failed(3, "NOT_FOUND: process " + watched.pid() + " has no open device of JHAL");
    }
  }

  /** Attaching would end it. */
  @Test
  void aProcessThatIsNoJavaProcessIsLeftAlone() throws Exception {
    Assumptions.assumeTrue(
        new File("/proc/self/status").exists(), "this system does not show what a process handles");
    Process other = new ProcessBuilder("sleep", "600").start();
    try {
      hal("top", String.valueOf(other.pid()))
          .failed(3, "FAILED_PRECONDITION: process " + other.pid() + " is no Java process");
      assertTrue(other.isAlive(), "it was ended");
    } finally {
      other.destroyForcibly();
    }
  }

  @Test
  void wrongArgumentsAreWrongUsage() {
    hal("top", "abc").failed(2, "'abc' is no whole number (see hal top --help)");
    hal("top", "-1").failed(2, "PID '-1' is not positive");
    hal("top", "0").failed(2, "PID '0' is not positive");
    hal("top", "1", "--jmx=localhost:1").failed(2, "PID and --jmx exclude each other");
    hal("top", "1", "--count=0").failed(2, "--count '0' is not positive");
    hal("top", "1", "--interval=0").failed(2, "--interval '0.0' is not from 0.05 to 86400");
    hal("top", "1", "--interval=NaN").failed(2, "--interval 'NaN' is not from 0.05");
    hal("top", "--jmx=here and there").failed(2, "INVALID_ARGUMENT", "is no JMX address");
  }

  @Test
  void anAddressWhereNothingListensCannotBeWatched() {
    hal("top", "--jmx=localhost:1")
        .failed(3, "UNAVAILABLE: cannot connect to localhost:1: ", "ConnectException");
  }
}
