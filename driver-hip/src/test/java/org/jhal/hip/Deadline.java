package org.jhal.hip;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jhal.simulator.Simulator;

/**
 * Ends a test that waits in a native call, which no interruption reaches: after 30 s all contexts
 * end, the call returns a code that the test does not expect, and the log says why.
 */
final class Deadline {
  private CompletableFuture<?> waiting = CompletableFuture.completedFuture(null);

  void begin(Simulator simulator) {
    Thread test = Thread.currentThread();
    waiting = new CompletableFuture<>();
    CompletableFuture<?> mine = waiting;
    mine.orTimeout(30, TimeUnit.SECONDS)
        .exceptionally(
            late -> {
              Exception where = new Exception("the test waits here, for longer than 30 s");
              where.setStackTrace(test.getStackTrace());
              System.getLogger("sim").log(System.Logger.Level.ERROR, "too late", where);
              simulator.reset();
              return null;
            });
  }

  void end() {
    waiting.complete(null);
  }
}
