package org.jhal.cuda;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jhal.utils.DeviceMemory;

/**
 * Host memory that is to be freed when the stream gets there. Freeing it has no stream order of its
 * own, so it waits here until a later operation is issued, or the stream closes.
 *
 * <p>For the thread that issues, with the context current.
 */
final class DeferredFrees {
  private record Entry(DeviceMemory memory, StreamMark mark) {}

  private final CudaContext context;
  private final Deque<Entry> entries = new ArrayDeque<>(); // in stream order

  DeferredFrees(CudaContext context) {
    this.context = context;
  }

  /** Memory to free when the stream has passed {@code mark}. */
  void add(DeviceMemory memory, StreamMark mark) {
    entries.add(new Entry(memory, mark));
  }

  /** Frees what the stream has passed. */
  void freePassed() {
    for (Entry oldest = entries.peek(); oldest != null; oldest = entries.peek()) {
      if (!oldest.mark.isPassed(context)) {
        return;
      }
      entries.remove();
      oldest.memory.free();
    }
  }

  /** Frees everything; the stream is idle, or lost. */
  void close() {
    for (Entry oldest = entries.poll(); oldest != null; oldest = entries.poll()) {
      oldest.memory.free();
    }
  }
}
