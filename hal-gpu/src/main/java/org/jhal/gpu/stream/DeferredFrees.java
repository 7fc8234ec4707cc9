package org.jhal.gpu.stream;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jhal.driver.DeviceMemory;
import org.jhal.gpu.runtime.GpuRuntime;
import org.jhal.gpu.transfer.StreamMark;

/**
 * Host memory to be freed in stream order, which the runtime cannot do: it is kept until a later
 * operation is issued or the stream closes.
 *
 * <p>Used by the issuing thread with the device bound.
 */
final class DeferredFrees {
  private record Entry(DeviceMemory memory, StreamMark mark) {}

  private final GpuRuntime runtime;
  private final Deque<Entry> entries = new ArrayDeque<>(); // in stream order

  DeferredFrees(GpuRuntime runtime) {
    this.runtime = runtime;
  }

  /** Adds memory to free when the stream has passed {@code mark}. */
  void add(DeviceMemory memory, StreamMark mark) {
    entries.add(new Entry(memory, mark));
  }

  /** Frees all memory whose mark the stream has passed. */
  void freePassed() {
    for (Entry oldest = entries.peek(); oldest != null; oldest = entries.peek()) {
      if (!oldest.mark.isPassed(runtime)) {
        return;
      }
      entries.remove();
      oldest.memory.free();
    }
  }

  /** Frees everything. Called when the stream is idle or lost. */
  void close() {
    for (Entry oldest = entries.poll(); oldest != null; oldest = entries.poll()) {
      oldest.memory.free();
    }
  }
}
