package org.jhal.driver.gpu;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Page-locked memory for bytes that are captured while an operation is issued and that the stream
 * reads later. Space is taken from blocks one after the other, and a block is used again when the
 * event behind its last use has fired. Never waits: when no block is free, there is a new one.
 *
 * <p>For the thread that issues, with the device bound.
 *
 * @param <E> a native event
 */
final class StagingBlocks<E> {
  private static final int BLOCK_BYTES = 1 << 20;
  private static final int ALIGNMENT = 256;
  private static final int MAX_IDLE = 4; // more are given back

  /** A block, what of it is taken, and the event that ends its use. */
  private static final class Block<E> {
    final HostBlock memory;
    final ByteBuffer bytes;
    int taken;
    @Nullable StreamMark<E> lastUse; // null if it is not in use

    Block(HostBlock memory) {
      this.memory = memory;
      this.bytes = memory.view(0, (int) memory.size());
    }
  }

  private final GpuRuntime<?, E, ?> runtime;
  private final FreeThread frees;
  private final Deque<Block<E>> full = new ArrayDeque<>(); // the oldest first
  private final Deque<Block<E>> idle = new ArrayDeque<>();
  private @Nullable Block<E> current;

  StagingBlocks(GpuRuntime<?, E, ?> runtime, FreeThread frees) {
    this.runtime = runtime;
    this.frees = frees;
  }

  /**
   * Puts {@code size} bytes where the stream may read them until it has passed {@code mark};
   * returns their address.
   *
   * @param source called at once with the space to fill
   */
  long put(int size, StreamMark<E> mark, Consumer<ByteBuffer> source) {
    Block<E> block = current;
    if (block == null || block.memory.size() - block.taken < size) {
      block = next(size);
      current = block;
    }
    int at = block.taken;
    block.taken = Math.min((int) block.memory.size(), (at + size + ALIGNMENT - 1) & -ALIGNMENT);
    block.lastUse = mark;
    source.accept(block.bytes.limit(at + size).position(at));
    return block.memory.hostAddress() + at;
  }

  private Block<E> next(int size) {
    if (current != null) {
      full.add(current);
      current = null;
    }
    while (!full.isEmpty() && isOver(full.getFirst())) {
      Block<E> block = full.removeFirst();
      block.taken = 0;
      block.lastUse = null;
      if (block.memory.size() == BLOCK_BYTES && idle.size() < MAX_IDLE) {
        idle.add(block);
      } else {
        giveBack(block);
      }
    }
    Block<E> reused = size <= BLOCK_BYTES ? idle.poll() : null;
    return reused != null
        ? reused
        : new Block<>(new HostBlock(runtime, Math.max(size, BLOCK_BYTES)));
  }

  private boolean isOver(Block<E> block) {
    StreamMark<E> lastUse = block.lastUse;
    return lastUse == null || lastUse.isPassed(runtime);
  }

  /** Gives all back; the stream is idle, or lost. */
  void close() {
    if (current != null) {
      full.add(current);
    }
    full.forEach(this::giveBack);
    idle.forEach(this::giveBack);
  }

  private void giveBack(Block<E> block) {
    block.memory.release(frees);
  }
}
