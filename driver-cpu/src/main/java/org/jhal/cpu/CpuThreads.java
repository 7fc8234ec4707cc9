// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu;

import org.jhal.QueueRequest.Priority;
import org.jhal.cpu.runtime.HalRuntime;

/**
 * The threads that run the kernels of a stream, and how they choose among kernels.
 *
 * @param pool those for kernels in C++; see {@link HalRuntime#hal_pool_open}
 * @param java those that help a stream's own with kernels in Java
 * @param priority of the stream
 */
record CpuThreads(long pool, JavaThreads java, Priority priority) {
  /** Threads that have to choose run kernels of a higher rank first. */
  int rank() {
    return priority.ordinal();
  }

  /** The same threads, for a stream with another priority. */
  CpuThreads withPriority(Priority other) {
    return new CpuThreads(pool, java, other);
  }

  /** Lets at most {@code most} threads run kernels from now on; at least 1. */
  void limit(int most) {
    HalRuntime.hal_pool_limit(pool, most);
    java.limit(most - 1);
  }

  /** Ends the threads, none of which runs a kernel. */
  void close() {
    java.close();
    HalRuntime.hal_pool_close(pool);
  }
}
