package org.jhal.gpu.transfer;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;
import org.jhal.gpu.memory.HostBlock;
import org.jhal.gpu.runtime.FreeThread;
import org.jhal.gpu.runtime.GpuRuntime;
import org.jspecify.annotations.Nullable;

/**
 * Page-locked memory for bytes that are captured while an operation is issued and that the stream
 * reads later. Each stream has one ring; parts that the stream has passed are reused.
 *
 * <p>The memory is created, and space in it is waited for, only while issuing may block. The weight
 * of commands ensures this: all staged bytes in the stream fit into the ring ({@code
 * GpuStream.weight}), except those of an operation that alone needs more, which the thread of its
 * queue issues.
 *
 * <p>Used by the thread that issues, with the device bound; {@link #isMade} by any thread.
 */
public final class StagingRing {
  /** The maximum number of bytes that are put at once. */
  public static final int MAX_PIECE = 256 << 10;

  /**
   * How many staged bytes certainly fit: up to one piece is lost, as a piece does not wrap around
   * the end.
   */
  public static final int CAPACITY = (4 << 20) - MAX_PIECE;

  private static final int ALIGNMENT = 256;
  private static final int BYTES = CAPACITY + MAX_PIECE;

  private final GpuRuntime runtime;
  private final long stream;
  private final FreeThread frees;
  private volatile @Nullable HostBlock memory; // created on first use
  private ByteBuffer bytes = ByteBuffer.allocate(0); // a view of the memory

  // Positions count all bytes ever put; the place in the ring is the position modulo its size.
  private long begin; // the stream may still read from here on
  private long end; // the next bytes go here
  private final Deque<StreamMark> marks = new ArrayDeque<>(); // between begin and end, in order

  public StagingRing(GpuRuntime runtime, long stream, FreeThread frees) {
    this.runtime = runtime;
    this.stream = stream;
    this.frees = frees;
  }

  /** How much of the ring this many bytes take, with alignment. */
  public static long space(long bytes) {
    return (bytes + ALIGNMENT - 1) & -ALIGNMENT;
  }

  /** Whether the memory exists; if not, the next {@link #put} blocks while it is page-locked. */
  public boolean isMade() {
    return memory != null;
  }

  /**
   * Puts bytes where the stream may read them until it has passed {@code mark}; returns their
   * address.
   *
   * @param size at most {@link #MAX_PIECE}
   * @param source called at once with the space to fill
   */
  public long put(int size, StreamMark mark, Consumer<ByteBuffer> source) {
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
      StreamMark oldest = marks.poll();
      if (oldest != null && oldest.isPassed(runtime)) {
        begin = oldest.stagedEnd();
      } else {
        runtime.synchronizeStream(stream); // an operation that alone needs more than the ring
        marks.clear();
        begin = end;
      }
    }
    end = at + space;
    return at;
  }

  /** Releases the memory. Called when the stream is idle or lost. */
  public void close() {
    HostBlock made = memory;
    if (made != null) {
      made.release(frees);
    }
  }
}
