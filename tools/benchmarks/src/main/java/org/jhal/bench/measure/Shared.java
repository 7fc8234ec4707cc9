package org.jhal.bench.measure;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * What several cases use: made when it is first asked for, closed at the end of the run, the last
 * made first.
 */
public final class Shared implements AutoCloseable {
  private final Map<String, AutoCloseable> made = new HashMap<>();
  private final Deque<AutoCloseable> order = new ArrayDeque<>();

  /** What has this name; {@code maker} makes it if nothing has. */
  public <T extends AutoCloseable> T get(String name, Class<T> type, Supplier<T> maker) {
    AutoCloseable known = made.get(name);
    if (known == null) {
      known = maker.get();
      made.put(name, known);
      order.push(known);
    }
    return type.cast(known);
  }

  /**
   * Closes everything, also after something could not be closed.
   *
   * @throws Exception the first that was thrown, with the others added to it
   */
  @Override
  public void close() throws Exception {
    made.clear();
    Exception first = null;
    while (!order.isEmpty()) {
      try {
        order.pop().close();
      } catch (Exception e) {
        if (first == null) {
          first = e;
        } else {
          first.addSuppressed(e);
        }
      }
    }
    if (first != null) {
      throw first;
    }
  }
}
