package org.jhal.utils;

import java.util.ArrayList;
import java.util.List;
import org.jhal.HalException;

/** The text that says what keeps a value from being reached (rule S10). */
final class Explanation {
  private static final int MOST = 5;

  private Explanation() {}

  static String of(TimelineSemaphore semaphore, long value) {
    HalException failed = semaphore.over();
    if (failed != null) {
      return semaphore + " is over: " + failed;
    }
    StringBuilder text = new StringBuilder();
    text.append(semaphore).append(" is at ").append(semaphore.currentValue());
    List<String> signallers = new ArrayList<>();
    for (DeferredWorkQueue<?> queue : OpenQueues.all()) {
      queue.explain(semaphore, value, signallers);
    }
    if (signallers.isEmpty()) {
      return text.append(", and no open operation would raise it to ").append(value).toString();
    }
    text.append("; to be raised to ").append(value).append(" by ");
    text.append(String.join("; or by ", signallers.subList(0, Math.min(MOST, signallers.size()))));
    if (signallers.size() > MOST) {
      text.append("; and by ").append(signallers.size() - MOST).append(" more");
    }
    return text.toString();
  }
}
