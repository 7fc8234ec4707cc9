// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.measure;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Objects that several cases use. They are created on first use, and closed at the end of the run
 * in reverse order.
 */
public final class Shared implements AutoCloseable {
  private final Map<String, AutoCloseable> made = new HashMap<>();
  private final Deque<AutoCloseable> order = new ArrayDeque<>();

  /** The object with this name; {@code maker} creates it if there is none. */
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
   * Closes everything, even if some objects cannot be closed.
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
