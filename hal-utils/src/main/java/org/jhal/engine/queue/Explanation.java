package org.jhal.engine.queue;

import org.jhal.HalException;
import org.jhal.spi.OpenOperation;

/** Builds the text that says what keeps a value from being reached (rule S10). */
final class Explanation {
  private static final int MOST = 5;

  private final StringBuilder text = new StringBuilder();
  private int count;

  private Explanation() {}

  static String of(EngineSemaphore semaphore, long value) {
    HalException failed = semaphore.over();
    if (failed != null) {
      return semaphore + " has failed or was closed: " + failed;
    }
    Explanation explanation = new Explanation();
    for (DeferredWorkQueue<?> queue : OpenQueues.all()) {
      queue.explain(semaphore, value, explanation);
    }
    return semaphore + " is at " + semaphore.currentValue() + explanation.finish(value);
  }

  /**
   * Adds an operation that would raise the value. The first few are described, the rest only
   * counted.
   */
  void add(Operation<?> operation) {
    if (count < MOST) {
      OpenOperation told = operation.tell();
      if (told == null) {
        return; // it has just ended
      }
      text.append(count == 0 ? "" : "; or by ").append(told);
    }
    count++;
  }

  private String finish(long value) {
    if (count == 0) {
      return ", and no open operation would raise it to " + value;
    }
    return "; to be raised to "
        + value
        + " by "
        + text
        + (count > MOST ? "; or by " + (count - MOST) + " more" : "");
  }
}
