// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.transfer;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jhal.driver.DeviceMemory;
import org.jhal.driver.support.Attempt;

/**
 * Memory that is freed in stream order though its runtime cannot do that: it is kept here until the
 * stream is past what may use it. The driver asks for that each time that it has put something into
 * the stream; nothing else frees it earlier.
 *
 * <p>To the engine, memory that is kept here is free (see {@link
 * org.jhal.driver.StreamBatch.Allocation}). So a driver gives it back to its {@link
 * org.jhal.driver.options.MemoryBudget} when it adds it, and not when it is freed. An allocation
 * for which the runtime itself lacks memory meanwhile waits on a thread of the queue ({@link
 * org.jhal.driver.NativeStream#allocMayBlock}) until the streams are past what they keep, frees
 * that, and tries again.
 *
 * <p>Used by one thread at a time, with the device bound, as the stream is.
 */
public final class DeferredFrees {
  private record Entry(DeviceMemory memory, long mark) {}

  private final CopyStream stream;
  private final Deque<Entry> entries = new ArrayDeque<>(); // in stream order

  /** For a stream, which this does not close. */
  public DeferredFrees(CopyStream stream) {
    this.stream = stream;
  }

  /** Takes over memory, and frees it when the stream is past all that is in it now. */
  public void add(DeviceMemory memory) {
    entries.add(new Entry(memory, stream.mark()));
  }

  /** Frees all memory that the stream is past. */
  public void freePassed() {
    for (Entry oldest = entries.peek(); oldest != null; oldest = entries.peek()) {
      if (!stream.isPast(oldest.mark)) {
        return;
      }
      entries.remove();
      oldest.memory.free();
    }
  }

  /** Frees everything. Called when the stream is idle or lost. */
  public void close() {
    List<Runnable> all = new ArrayList<>();
    entries.forEach(entry -> all.add(entry.memory::free));
    entries.clear();
    Attempt.all(all);
  }
}
