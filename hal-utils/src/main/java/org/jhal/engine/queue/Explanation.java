package org.jhal.engine.queue;

import org.jhal.HalException;

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
  void add(String queue, Operation<?> operation) {
    if (count++ < MOST) {
      text.append(count == 1 ? "" : "; or by ")
          .append(queue)
          .append(' ')
          .append(operation.describe());
    }
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
