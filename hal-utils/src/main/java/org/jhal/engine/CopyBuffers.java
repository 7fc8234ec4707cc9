package org.jhal.engine;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * The host memory through which a device's copies to and from other devices go: a few large blocks,
 * used again and again. Who finds none free gets a small piece of the heap instead of waiting: a
 * block may be in use for as long as the stream of some other device stands still.
 *
 * <p>Thread-safe.
 */
final class CopyBuffers {
  private static final int BLOCK_BYTES = 4 << 20;
  private static final int MAX_BLOCKS = 4;
  private static final int SMALL_BYTES = 256 << 10;

  private final Deque<ByteBuffer> free = new ArrayDeque<>(); // guarded by this
  private int blocks; // free ones and those in use; at most MAX_BLOCKS; guarded by this

  /**
   * Memory for a part of a copy, with at least one byte, and no more than the rest of the copy
   * wants. To be given back, or else forgotten.
   *
   * @param rest how many bytes are still to be copied, at least 1
   */
  ByteBuffer take(long rest) {
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
    } catch (OutOfMemoryError e) { // of direct memory, which has a limit of its own
      forgetBlock();
      return null;
    }
  }

  /** Takes back memory that nothing uses any more. */
  void giveBack(ByteBuffer memory) {
    if (memory.isDirect()) {
      synchronized (this) {
        free.push(memory);
      }
    }
  }

  /** The same for memory that a transfer may still use: it is left to the garbage collector. */
  void forget(ByteBuffer memory) {
    if (memory.isDirect()) {
      forgetBlock();
    }
  }

  private synchronized void forgetBlock() {
    blocks--;
  }

  /** How many blocks there are. */
  synchronized int blocks() {
    return blocks;
  }

  /** Lets go of what is free: the device is closed. */
  synchronized void clear() {
    blocks -= free.size();
    free.clear();
  }
}
