package org.jhal.spark;

import java.time.Duration;

/** Ends this process, even if its shutdown hooks hang. */
final class ProcessExit {
  /** How long the hooks may take. */
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private ProcessExit() {}

  /**
   * Begins to end the process, and returns. A hook of Spark waits for tasks, and may be called from
   * one, so threads of their own do it.
   */
  static void begin(int code) {
    begin(code, PATIENCE);
  }

  static void begin(int code, Duration patience) {
    start("jhal-spark-halt", () -> haltLater(code, patience));
    start("jhal-spark-exit", () -> System.exit(code));
  }

  private static void start(String name, Runnable work) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    thread.start();
  }

  private static void haltLater(int code, Duration patience) {
    try {
      Thread.sleep(patience.toMillis());
    } catch (InterruptedException e) {
      // then at once: nobody should have interrupted this thread
    }
    Runtime.getRuntime().halt(code);
  }
}
