// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.time;

import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The timing events of one stream, alone or in pairs, which are used again and again.
 *
 * <p>Thread-safe: the issuing thread takes them, and the completion thread gives them back.
 */
final class TimingPool<T> {
  private final Supplier<T> make;
  private final Consumer<T> destroy;
  private final ConcurrentLinkedDeque<T> free = new ConcurrentLinkedDeque<>();
  private volatile boolean isClosed;

  TimingPool(Supplier<T> make, Consumer<T> destroy) {
    this.make = make;
    this.destroy = destroy;
  }

  /** Returns the one that was given back last, or makes one. */
  T take() {
    T known = free.pollFirst();
    return known == null ? make.get() : known;
  }

  /** Nobody uses it any more. */
  void giveBack(T used) {
    free.addFirst(used);
    if (isClosed) {
      destroyAll(); // close() may have missed it
    }
  }

  boolean isClosed() {
    return isClosed;
  }

  /** Called when the stream is idle, before it is destroyed. What is given back later goes, too. */
  void close() {
    isClosed = true;
    destroyAll();
  }

  private void destroyAll() {
    for (T each = free.pollFirst(); each != null; each = free.pollFirst()) {
      destroy.accept(each);
    }
  }
}
