// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.stream;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.Arrays;
import java.util.Objects;
import java.util.function.LongSupplier;
import org.jhal.BufferParams;
import org.jhal.MemoryType;
import org.jhal.driver.DeviceMemory;
import org.jhal.gpu.memory.MemoryPool;
import org.jhal.gpu.memory.MemoryPool.PoolMemory;
import org.jspecify.annotations.Nullable;

/**
 * Allocates and frees device memory in the order of a stream. Blocks that are freed are kept, up to
 * a limit, for later allocations of the same size in the same stream. Both then make no native
 * call: as the stream is in order, and the free was behind all uses, these are over before anything
 * that is put into the stream later begins.
 *
 * <p>Kept blocks count as used memory of the device. They are given back as soon as an allocation
 * of the device fails without them. Nothing waits for this stream because of that.
 *
 * <p>For the thread that issues, except for {@link #giveBack}.
 */
final class StreamMemory implements MemoryPool.Reserve {
  // Larger blocks are used for so long that their allocation does not matter.
  private static final long LARGEST = 16L << 20;
  private static final long MOST_BYTES = 64L << 20;
  private static final int MOST_BLOCKS = 16;

  private final MemoryPool pool;
  private final StreamEvents events;
  private final LongSupplier stream; // the native one, which may change

  // The blocks that are kept, from the oldest on, and the recordings that cover their last use.
  @GuardedBy("this")
  private @Nullable PoolMemory[] blocks = new PoolMemory[MOST_BLOCKS];

  @GuardedBy("this")
  private long[] positions = new long[MOST_BLOCKS];

  @GuardedBy("this")
  private int count;

  @GuardedBy("this")
  private long bytes;

  /** For a native stream, which is used no more once this is closed. */
  StreamMemory(MemoryPool pool, StreamEvents events, LongSupplier stream) {
    this.pool = pool;
    this.events = events;
    this.stream = stream;
    pool.add(this);
  }

  /** See {@link MemoryPool#allocate(long, BufferParams, long)}. */
  DeviceMemory allocate(long size, BufferParams params) {
    PoolMemory kept = params.type() == MemoryType.DEVICE ? takeOfSize(size) : null;
    if (kept != null) {
      return kept;
    }
    events.putBehind();
    return pool.allocate(size, params, stream.getAsLong());
  }

  /**
   * Frees device memory behind the work that is now in the stream. Returns false for memory of the
   * host, which it does not free. If it throws, the memory is not freed.
   */
  boolean free(DeviceMemory memory) {
    if (!(memory instanceof PoolMemory block)) {
      return false;
    }
    if (block.size() == 0 || block.size() > LARGEST) {
      events.putBehind();
      pool.free(block, stream.getAsLong());
      return true;
    }
    while (!hasRoom(block.size())) {
      events.putBehind();
      freeOldest(stream.getAsLong()); // false if another thread has freed all
    }
    keep(block, events.covering());
    return true;
  }

  private synchronized boolean hasRoom(long size) {
    return count < MOST_BLOCKS && bytes + size <= MOST_BYTES;
  }

  private synchronized void keep(PoolMemory block, long position) {
    if (count == blocks.length) { // while memory is given back, and the runtime refuses that
      blocks = Arrays.copyOf(blocks, 2 * count);
      positions = Arrays.copyOf(positions, 2 * count);
    }
    blocks[count] = block;
    positions[count] = position;
    count++;
    bytes += block.size();
  }

  /**
   * The newest block of a size, whose last use is most likely to be over; null if there is none.
   */
  private synchronized @Nullable PoolMemory takeOfSize(long size) {
    for (int i = count - 1; i >= 0; i--) {
      if (Objects.requireNonNull(blocks[i]).size() == size) {
        return take(i);
      }
    }
    return null;
  }

  @GuardedBy("this")
  private PoolMemory take(int index) {
    PoolMemory taken = Objects.requireNonNull(blocks[index]);
    count--;
    System.arraycopy(blocks, index + 1, blocks, index, count - index);
    System.arraycopy(positions, index + 1, positions, index, count - index);
    blocks[count] = null;
    bytes -= taken.size();
    return taken;
  }

  @Override
  public boolean giveBack(long on) {
    boolean isAny = false;
    while (freeOldest(on)) {
      isAny = true;
    }
    return isAny;
  }

  /**
   * Frees the oldest block in stream {@code on} if its use is over, so that an allocation there can
   * have it at once; else in this stream, so that the other one need not wait.
   *
   * <p>Another thread may do the latter while this stream's own one issues: the free is behind the
   * use, which was issued before the block was kept, and needs no recording behind it. No native
   * stream is closed before all threads have left the device.
   */
  private boolean freeOldest(long on) {
    PoolMemory block;
    long position;
    synchronized (this) {
      if (count == 0) {
        return false;
      }
      position = positions[0];
      block = take(0);
    }
    boolean isFree = false;
    try {
      long own = stream.getAsLong();
      pool.free(block, on == own || !events.isPast(position) ? own : on);
      isFree = true;
    } finally {
      if (!isFree) {
        keep(block, position);
      }
    }
    return true;
  }

  /**
   * Frees everything, outside the stream, which is idle or lost: its last frees might not be over
   * when the pool ends.
   */
  void close() {
    for (PoolMemory block = takeOldest(); block != null; block = takeOldest()) {
      block.free();
    }
  }

  private synchronized @Nullable PoolMemory takeOldest() {
    return count == 0 ? null : take(0);
  }
}
