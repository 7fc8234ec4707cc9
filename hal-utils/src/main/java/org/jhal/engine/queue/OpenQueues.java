package org.jhal.engine.queue;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The queues of all open devices in this process, for messages that say which operations would
 * signal a value (rule S10). Thread-safe.
 */
final class OpenQueues {
  private static final List<DeferredWorkQueue<?>> ALL = new CopyOnWriteArrayList<>();

  private OpenQueues() {}

  static void add(DeferredWorkQueue<?> queue) {
    ALL.add(queue);
  }

  static void remove(DeferredWorkQueue<?> queue) {
    ALL.remove(queue);
  }

  static List<DeferredWorkQueue<?>> all() {
    return ALL;
  }
}
