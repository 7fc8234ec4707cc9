// SPDX-License-Identifier: Apache-2.0
package org.jhal.simulator.kit;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jhal.simulator.Simulator;

/**
 * Ends a test that waits in a native call, which no interruption reaches: after 30 s all contexts
 * end, the call returns a code that the test does not expect, and the log says why.
 */
public final class NativeDeadline {
  private CompletableFuture<?> waiting = CompletableFuture.completedFuture(null);

  /** Creates a deadline that is not running. */
  public NativeDeadline() {}

  /**
   * Starts the deadline for a test of the calling thread on a simulator.
   *
   * @throws IllegalStateException if one has begun and is not over: its deadline would end the
   *     contexts of a later test
   */
  public void begin(Simulator simulator) {
    if (!waiting.isDone()) {
      throw new IllegalStateException("a test has begun and is not over");
    }
    Thread test = Thread.currentThread();
    waiting = new CompletableFuture<>();
    CompletableFuture<?> mine = waiting;
    mine.orTimeout(30, TimeUnit.SECONDS)
        .exceptionally(
            late -> {
              Exception where = new Exception("the test has waited here for more than 30 s");
              where.setStackTrace(test.getStackTrace());
              System.getLogger("sim").log(System.Logger.Level.ERROR, "too late", where);
              simulator.reset();
              return null;
            });
  }

  /** Stops the deadline at the end of the test. */
  public void end() {
    waiting.complete(null);
  }
}
