package org.jhal.driver.gpu;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jhal.driver.DeviceMemory;

/**
 * Host memory that is to be freed when the stream gets there. Freeing it has no stream order of its
 * own, so it waits here until a later operation is issued, or the stream closes.
 *
 * <p>For the thread that issues, with the device bound.
 *
 * @param <E> a native event
 */
final class DeferredFrees<E> {
  private record Entry<E>(DeviceMemory memory, StreamMark<E> mark) {}

  private final GpuRuntime<?, E, ?> runtime;
  private final Deque<Entry<E>> entries = new ArrayDeque<>(); // in stream order

  DeferredFrees(GpuRuntime<?, E, ?> runtime) {
    this.runtime = runtime;
  }

  /** Memory to free when the stream has passed {@code mark}. */
  void add(DeviceMemory memory, StreamMark<E> mark) {
    entries.add(new Entry<>(memory, mark));
  }

  /** Frees what the stream has passed. */
  void freePassed() {
    for (Entry<E> oldest = entries.peek(); oldest != null; oldest = entries.peek()) {
      if (!oldest.mark.isPassed(runtime)) {
        return;
      }
      entries.remove();
      oldest.memory.free();
    }
  }

  /** Frees everything; the stream is idle, or lost. */
  void close() {
    for (Entry<E> oldest = entries.poll(); oldest != null; oldest = entries.poll()) {
      oldest.memory.free();
    }
  }
}
