// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.measure;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import org.jspecify.annotations.Nullable;

/**
 * How much the live threads of this JVM allocate on the heap. Allocations of threads that start or
 * end meanwhile are not counted.
 */
public final class Allocations {
  private final ThreadMXBean threads;
  private final long[] ids;
  private final long[] before;

  private Allocations(ThreadMXBean threads) {
    this.threads = threads;
    this.ids = threads.getAllThreadIds();
    this.before = threads.getThreadAllocatedBytes(ids);
  }

  /** Begins to count, or returns null on a JVM that does not. */
  public static @Nullable Allocations begin() {
    return ManagementFactory.getThreadMXBean() instanceof ThreadMXBean threads
            && threads.isThreadAllocatedMemorySupported()
            && threads.isThreadAllocatedMemoryEnabled()
        ? new Allocations(threads)
        : null;
  }

  /** Bytes that were allocated since, by all threads. */
  public long bytes() {
    long[] after = threads.getThreadAllocatedBytes(ids);
    long bytes = 0;
    for (int i = 0; i < ids.length; i++) {
      if (before[i] >= 0 && after[i] > before[i]) {
        bytes += after[i] - before[i];
      }
    }
    return bytes;
  }
}
