package org.jhal.driver.gpu;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Page-locked memory for bytes that are captured while an operation is issued and that the stream
 * reads later: one ring for a stream, in which is used again what the stream has passed.
 *
 * <p>It is made, and waited for, only where issuing may block. The weight of commands sees to that:
 * what is in the stream at a time fits into the ring ({@link GpuStream#weight}), but for an
 * operation that alone wants more, and that one is issued by the thread of its queue.
 *
 * <p>For the thread that issues, with the device bound; {@link #isMade} for any.
 *
 * @param <S> a native stream
 * @param <E> a native event
 */
final class StagingRing<S, E> {
  /** The most bytes that are put at once. */
  static final int MAX_PIECE = 256 << 10;

  /** How many bytes in the stream fit for sure: a piece does not lie around the end of the ring. */
  static final int CAPACITY = (4 << 20) - MAX_PIECE;

  private static final int ALIGNMENT = 256;
  private static final int BYTES = CAPACITY + MAX_PIECE;

  private final GpuRuntime<S, E, ?> runtime;
  private final S stream;
  private final FreeThread frees;
  private volatile @Nullable HostBlock memory; // made by the first use
  private ByteBuffer bytes = ByteBuffer.allocate(0); // of it

  // Positions count all bytes that were ever put; the place in the ring is the rest of a division.
  private long begin; // of what the stream may still read
  private long end; // of what was put
  private final Deque<StreamMark<E>> marks = new ArrayDeque<>(); // behind what is between; in order

  StagingRing(GpuRuntime<S, E, ?> runtime, S stream, FreeThread frees) {
    this.runtime = runtime;
    this.stream = stream;
    this.frees = frees;
  }

  /** How much of the ring so many bytes take at the most. */
  static long space(long bytes) {
    return (bytes + ALIGNMENT - 1) & -ALIGNMENT;
  }

  /** Whether there is memory: whoever puts something first waits until it is page-locked. */
  boolean isMade() {
    return memory != null;
  }

  /**
   * Puts bytes where the stream may read them until it has passed {@code mark}; returns their
   * address.
   *
   * @param size at most {@link #MAX_PIECE}
   * @param source called at once with the space to fill
   */
  long put(int size, StreamMark<E> mark, Consumer<ByteBuffer> source) {
    HostBlock made = memory;
    if (made == null) {
      made = new HostBlock(runtime, BYTES);
      bytes = made.view(0, BYTES);
      memory = made;
    }
    long at = reserve((int) space(size));
    mark.setStagedEnd(end);
    if (marks.peekLast() != mark) {
      marks.add(mark);
    }
    int offset = (int) (at % BYTES);
    source.accept(bytes.limit(offset + size).position(offset));
    return made.hostAddress() + offset;
  }

  private long reserve(int space) {
    long left = BYTES - end % BYTES;
    long at = space <= left ? end : end + left;
    while (at + space - begin > BYTES) {
      StreamMark<E> oldest = marks.poll();
      if (oldest != null && oldest.isPassed(runtime)) {
        begin = oldest.stagedEnd();
      } else {
        runtime.synchronizeStream(stream); // an operation that alone wants more than there is
        marks.clear();
        begin = end;
      }
    }
    end = at + space;
    return at;
  }

  /** Gives the memory back; the stream is idle, or lost. */
  void close() {
    HostBlock made = memory;
    if (made != null) {
      made.release(frees);
    }
  }
}
