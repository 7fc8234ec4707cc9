// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Lets the thread that created it finish cleanly when the process is asked to stop, such as by
 * Ctrl-C: the thread is interrupted, and has a few seconds to remove unfinished files.
 */
final class Interruption implements AutoCloseable {
  private static final long PATIENCE_SECONDS = 3;

  private final CountDownLatch over = new CountDownLatch(1);
  private final Thread hook;

  /** Interrupts this thread if the process is asked to stop before {@link #close()}. */
  Interruption() {
    Thread worker = Thread.currentThread();
    hook =
        new Thread(
            () -> {
              worker.interrupt();
              try {
                over.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
              } catch (InterruptedException e) {
                // A second request: stop at once.
              }
            },
            "hal-interruption");
    Runtime.getRuntime().addShutdownHook(hook);
  }

  @Override
  public void close() {
    over.countDown();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The process is stopping already.
    }
  }
}
