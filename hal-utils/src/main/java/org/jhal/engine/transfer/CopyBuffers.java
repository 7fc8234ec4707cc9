package org.jhal.engine.transfer;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * The host memory through which a device copies to and from other devices: a few large blocks,
 * which are reused. A caller that finds no free block gets a small heap buffer instead of waiting,
 * since a block may stay in use for as long as another device's stream is blocked.
 *
 * <p>Thread-safe.
 */
public final class CopyBuffers {
  private static final int BLOCK_BYTES = 4 << 20;
  private static final int MAX_BLOCKS = 4;
  private static final int SMALL_BYTES = 256 << 10;

  private final Deque<ByteBuffer> free = new ArrayDeque<>(); // guarded by this
  private int blocks; // free and in use, at most MAX_BLOCKS; guarded by this

  /**
   * Returns memory for a part of a copy: at least one byte, and at most {@code rest} bytes. The
   * caller must {@link #giveBack} or {@link #forget} it.
   *
   * @param rest how many bytes are left to copy, at least 1
   */
  public ByteBuffer take(long rest) {
    ByteBuffer block = rest > SMALL_BYTES ? takeBlock() : null;
    return block != null
        ? block.clear().limit((int) Math.min(BLOCK_BYTES, rest))
        : ByteBuffer.allocate((int) Math.min(SMALL_BYTES, rest));
  }

  private @Nullable ByteBuffer takeBlock() {
    synchronized (this) {
      ByteBuffer block = free.poll();
      if (block != null || blocks == MAX_BLOCKS) {
        return block;
      }
      blocks++;
    }
    try {
      return ByteBuffer.allocateDirect(BLOCK_BYTES);
    } catch (OutOfMemoryError e) { // direct memory has a limit of its own
      forgetBlock();
      return null;
    }
  }

  /** Takes back memory that is no longer in use. */
  public void giveBack(ByteBuffer memory) {
    if (memory.isDirect()) {
      synchronized (this) {
        free.push(memory);
      }
    }
  }

  /** Abandons memory that a transfer may still use. The garbage collector frees it. */
  public void forget(ByteBuffer memory) {
    if (memory.isDirect()) {
      forgetBlock();
    }
  }

  private synchronized void forgetBlock() {
    blocks--;
  }

  /** How many blocks exist, free or in use. */
  synchronized int blocks() {
    return blocks;
  }

  /** Drops the free blocks: the device is closed. */
  public synchronized void clear() {
    blocks -= free.size();
    free.clear();
  }
}
