package org.jhal.cuda;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jhal.utils.DeviceMemory;
import org.jspecify.annotations.Nullable;

/**
 * Host memory that is to be freed when the stream gets there. Freeing it has no stream order of its
 * own, so it waits here until a later operation is issued, or the stream closes.
 *
 * <p>For the thread that issues, with the context current.
 */
final class DeferredFrees {
  private static final class Entry {
    final DeviceMemory memory;
    @Nullable StreamMark mark; // null until the next event is recorded

    Entry(DeviceMemory memory) {
      this.memory = memory;
    }
  }

  private final CudaContext context;
  private final Deque<Entry> entries = new ArrayDeque<>(); // in stream order
  private @Nullable Entry unmarked;

  DeferredFrees(CudaContext context) {
    this.context = context;
  }

  void add(DeviceMemory memory) {
    Entry entry = new Entry(memory);
    entries.add(entry);
    unmarked = entry;
  }

  /** An event was recorded; frees what the stream has passed. */
  void recorded(CudaEvent event) {
    if (entries.isEmpty()) {
      return;
    }
    if (unmarked != null) {
      unmarked.mark = new StreamMark(event); // one operation frees at most one
      unmarked = null;
    }
    for (Entry oldest = entries.peek(); oldest != null; oldest = entries.peek()) {
      StreamMark mark = oldest.mark;
      if (mark == null || !mark.isPassed(context)) {
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
