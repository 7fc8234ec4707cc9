// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;
import org.jhal.HalException;
import org.jhal.MemoryType;
import org.jhal.driver.Submission;
import org.jhal.vulkan.jna.Structs;
import org.jhal.vulkan.jna.VulkanConstants;
import org.jspecify.annotations.Nullable;

/**
 * Measures when operations run in a stream: the command buffer writes a timestamp in front of an
 * operation and one behind it, and copies both to host memory.
 *
 * <p>The issuing thread begins a measurement, and any thread reads it.
 */
final class StreamTimes {
  private static final int PAIRS = 256; // of one pool
  private static final int PAIR_BYTES = 2 * Long.BYTES;

  /** A VkQueryPool, and the host memory for its timestamps. */
  private record Pool(long handle, StagingRange memory, ByteBuffer bytes) {}

  /** Two timestamps. */
  static final class Pair {
    private final Pool pool;
    private final int index;

    private Pair(Pool pool, int index) {
      this.pool = pool;
      this.index = index;
    }

    /** The VkQueryPool. */
    long pool() {
      return pool.handle;
    }

    /** The number of the first timestamp; the other one follows. */
    int first() {
      return 2 * index;
    }

    /** Where they are copied to. */
    VulkanMemory memory() {
      return pool.memory;
    }

    /** The offset of the first in that memory, in bytes. */
    long offset() {
      return (long) index * PAIR_BYTES;
    }
  }

  private final LogicalDevice device;
  private final DeviceTimes times;
  private final List<Pool> pools = new ArrayList<>();
  private final ConcurrentLinkedDeque<Pair> free = new ConcurrentLinkedDeque<>();

  StreamTimes(LogicalDevice device, DeviceTimes times) {
    this.device = device;
    this.times = times;
  }

  /** A pair to measure with; null if none can be made, as memory is short. */
  @Nullable Pair take() {
    Pair pair = free.pollFirst();
    if (pair != null) {
      return pair;
    }
    try {
      makePool();
    } catch (HalException e) {
      device.checkAlive();
      return null;
    }
    return free.pollFirst();
  }

  private void makePool() {
    StagingRange memory = new StagingRange(device.memory(MemoryType.HOST), PAIRS * PAIR_BYTES);
    boolean isDone = false;
    try (Structs structs = new Structs()) {
      Structs.Struct info =
          structs
              .typed(VulkanConstants.VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, 0, 32)
              .int32(0)
              .int32(VulkanConstants.VK_QUERY_TYPE_TIMESTAMP)
              .int32(2 * PAIRS);
      long[] made = new long[1];
      device.check(
          "createQueryPool",
          LogicalDevice.setup().createQueryPool(device.handle(), info.address(), 0, made));
      Pool pool = new Pool(made[0], memory, memory.map(0, PAIRS * PAIR_BYTES).bytes());
      pools.add(pool);
      for (int i = 0; i < PAIRS; i++) {
        free.add(new Pair(pool, i));
      }
      isDone = true;
    } finally {
      if (!isDone) {
        memory.free();
      }
    }
  }

  /** Has a measurement reported when its operation is over. */
  void end(Pair pair, Submission submission) {
    submission.whenFired(() -> read(pair, submission));
  }

  private void read(Pair pair, Submission submission) {
    try {
      report(pair, submission::ranOnDevice);
    } finally {
      giveBack(pair);
    }
  }

  private void report(Pair pair, DeviceTimes.Report to) {
    ByteBuffer bytes = pair.pool.bytes;
    int offset = (int) pair.offset();
    times.report(bytes.getLong(offset), bytes.getLong(offset + Long.BYTES), to);
  }

  /**
   * Has measurements of commands reported when their operation is over.
   *
   * @param indexes of the commands in their list
   */
  void end(List<Pair> pairs, List<Integer> indexes, Submission submission) {
    submission.whenFired(
        () -> {
          try {
            for (int i = 0; i < pairs.size(); i++) {
              int index = indexes.get(i);
              report(
                  pairs.get(i),
                  (begin, end, error) -> submission.commandRan(index, begin, end, error));
            }
          } finally {
            pairs.forEach(this::giveBack);
          }
        });
  }

  /** Takes back a pair that nothing in the stream uses. */
  void giveBack(Pair pair) {
    free.addFirst(pair);
  }

  /** Releases everything, when the stream is idle or lost. */
  void close() {
    for (Pool pool : pools) {
      LogicalDevice.setup().destroyQueryPool(device.handle(), pool.handle, 0);
      pool.memory.free();
    }
  }
}
