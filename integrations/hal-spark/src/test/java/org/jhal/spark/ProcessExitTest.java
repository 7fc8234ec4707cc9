// SPDX-License-Identifier: Apache-2.0
package org.jhal.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A process that has lost a device ends, whatever its shutdown hooks do. */
class ProcessExitTest {
  /** A process with a hook that does nothing, or that never ends. */
  static final class Victim {
    private Victim() {}

    public static void main(String[] args) throws InterruptedException {
      boolean hangs = args[0].equals("hangs");
      Thread main = Thread.currentThread();
      Runtime.getRuntime()
          .addShutdownHook(new Thread(() -> join(hangs ? main : new Thread(() -> {}))));
      // A hook that hangs is waited for; one that does not must not be cut short.
      ProcessExit.begin(
          HalPlugin.EXIT_DEVICE_LOST, hangs ? Duration.ofMillis(200) : Duration.ofMinutes(5));
      main.join(); // for ever
    }

    private static void join(Thread thread) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"ends", "hangs"})
  void endsTheProcessWithTheCode(String hook) throws Exception {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                Victim.class.getName(),
                hook)
            .inheritIO()
            .start();
    try {
      if (!process.waitFor(Tasks.LIMIT.toSeconds(), TimeUnit.SECONDS)) {
        throw new AssertionError("waited in vain for a process whose hook " + hook);
      }
      assertEquals(HalPlugin.EXIT_DEVICE_LOST, process.exitValue());
    } finally {
      process.destroyForcibly();
    }
  }
}
