// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import org.jhal.driver.DeviceMemory;
import org.jspecify.annotations.Nullable;

/**
 * Memory that was freed in the order of a stream, until the stream is past what may use it. An
 * allocation of the same size in the same stream takes it at once, as the stream is in order.
 *
 * <p>Thread-safe.
 */
final class StreamFrees {
  private record Entry(DeviceMemory memory, long value) {
    void free() {
      if (memory instanceof DeviceRange range) {
        range.freeLate();
      } else {
        memory.free();
      }
    }
  }

  private final Timeline timeline;

  @GuardedBy("this")
  private final Deque<Entry> entries = new ArrayDeque<>(); // in stream order

  StreamFrees(Timeline timeline) {
    this.timeline = timeline;
  }

  /**
   * Takes over memory.
   *
   * @param value where the stream is past what uses it
   */
  synchronized void add(DeviceMemory memory, long value) {
    if (memory instanceof DeviceRange range) {
      range.endAccount(); // so that allocations after this can use the bytes
    }
    entries.add(new Entry(memory, value));
  }

  /** Memory of the device that was freed in this stream; null if none has this size. */
  synchronized @Nullable DeviceMemory takeOfSize(long bytes) {
    for (Iterator<Entry> newest = entries.descendingIterator(); newest.hasNext(); ) {
      if (newest.next().memory instanceof DeviceRange range && range.size() == bytes) {
        DeviceRange taken = range.again();
        newest.remove();
        return taken;
      }
    }
    return null;
  }

  /** Frees what the stream is past. */
  synchronized void freePassed() {
    for (Entry oldest = entries.peek();
        oldest != null && timeline.isPast(oldest.value);
        oldest = entries.peek()) {
      entries.remove().free();
    }
  }

  /**
   * Waits for the stream, and frees what it is past then.
   *
   * @return whether there was anything to free
   */
  boolean await(long nanos) {
    long value;
    synchronized (this) {
      if (entries.isEmpty()) {
        return false;
      }
      value = entries.element().value;
    }
    timeline.await(value, nanos);
    freePassed();
    return true;
  }

  /** Frees everything, when the stream is idle or lost. */
  synchronized void close() {
    entries.forEach(Entry::free);
    entries.clear();
  }
}
