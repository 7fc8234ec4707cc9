package org.jhal.gpu.stream;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jhal.driver.DeviceMemory;
import org.jhal.gpu.runtime.GpuRuntime;
import org.jhal.gpu.transfer.StreamMark;

/**
 * Host memory that is freed in stream order. The runtime cannot free it in stream order, so it is
 * kept here until a later operation is issued or the stream closes.
 *
 * <p>Used by the thread that issues, with the device bound.
 *
 * @param <E> the native event
 */
final class DeferredFrees<E> {
  private record Entry<E>(DeviceMemory memory, StreamMark<E> mark) {}

  private final GpuRuntime<?, E, ?> runtime;
  private final Deque<Entry<E>> entries = new ArrayDeque<>(); // in stream order

  DeferredFrees(GpuRuntime<?, E, ?> runtime) {
    this.runtime = runtime;
  }

  /** Adds memory to free when the stream has passed {@code mark}. */
  void add(DeviceMemory memory, StreamMark<E> mark) {
    entries.add(new Entry<>(memory, mark));
  }

  /** Frees all memory whose mark the stream has passed. */
  void freePassed() {
    for (Entry<E> oldest = entries.peek(); oldest != null; oldest = entries.peek()) {
      if (!oldest.mark.isPassed(runtime)) {
        return;
      }
      entries.remove();
      oldest.memory.free();
    }
  }

  /** Frees everything. Called when the stream is idle or lost. */
  void close() {
    for (Entry<E> oldest = entries.poll(); oldest != null; oldest = entries.poll()) {
      oldest.memory.free();
    }
  }
}
