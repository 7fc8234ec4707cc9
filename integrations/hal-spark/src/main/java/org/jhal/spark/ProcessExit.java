// SPDX-License-Identifier: Apache-2.0
package org.jhal.spark;

import java.time.Duration;

/** Ends this process, even if its shutdown hooks hang. */
final class ProcessExit {
  /** How long the hooks may take. */
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private ProcessExit() {}

  /**
   * Begins to end the process, and returns. A hook of Spark waits for tasks, and this may be called
   * from one, so separate threads do it.
   */
  static void begin(int code) {
    begin(code, PATIENCE);
  }

  static void begin(int code, Duration patience) {
    var unused = start("jhal-spark-halt", () -> exitOrHalt(code, patience));
  }

  private static Thread start(String name, Runnable work) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  private static void exitOrHalt(int code, Duration patience) {
    try {
      Thread exit = start("jhal-spark-exit", () -> System.exit(code));
      exit.join(patience.toMillis()); // it returns only if the exit is refused
    } catch (InterruptedException e) {
      // an unexpected interrupt: halt at once
    } finally {
      Runtime.getRuntime().halt(code);
    }
  }
}
