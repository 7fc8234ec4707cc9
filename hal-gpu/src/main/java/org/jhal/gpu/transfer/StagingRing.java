// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.transfer;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;
import org.jhal.HostMemory;
import org.jhal.driver.DeviceMemory;
import org.jspecify.annotations.Nullable;

/**
 * Page-locked memory for bytes that are captured while an operation is issued and that the stream
 * reads later. Each stream has one ring; parts that the stream is past are reused.
 *
 * <p>The memory is made, and space in it is waited for, only where issuing may block, on two
 * conditions. The first command that stages bytes is said to block ({@link #isMade}). And commands
 * weigh at least what {@link #weight} says: then all staged bytes in the stream fit, except those
 * of an operation that alone needs more, which a thread of its queue issues.
 *
 * <p>Used by the thread that issues, with the device bound; {@link #isMade} by any thread.
 */
final class StagingRing {
  /** The maximum number of bytes that are copied at once. */
  private static final int MAX_PIECE = 256 << 10;

  /**
   * How many staged bytes certainly fit: up to one piece is lost, as a piece does not wrap around
   * the end.
   */
  private static final int CAPACITY = (4 << 20) - MAX_PIECE;

  private static final int ALIGNMENT = 256;

  /** For so many bytes it is worth asking whether the ring is empty. */
  private static final int LARGE = 64 << 10;

  private static final int BYTES = CAPACITY + MAX_PIECE;

  /** What was staged before a mark. */
  private static final class Part {
    final long mark;
    long end; // of its bytes

    Part(long mark, long end) {
      this.mark = mark;
      this.end = end;
    }
  }

  private final CopyStream stream;
  private volatile @Nullable StagingMemory memory; // made on first use

  // Positions count all bytes ever put; the place in the ring is the position modulo its size.
  private long begin; // the stream may still read from here on
  private long end; // the next bytes go here
  private final Deque<Part> parts = new ArrayDeque<>(); // between begin and end, in order

  /** A ring without memory, for a stream that it does not close. */
  StagingRing(CopyStream stream) {
    this.stream = stream;
  }

  /**
   * What a command weighs that stages bytes, on a stream of this {@linkplain
   * org.jhal.driver.NativeStream#capacity capacity}; at least 1.
   */
  static int weight(long bytes, int capacity) {
    long share = (space(bytes) * capacity + CAPACITY - 1) / CAPACITY;
    return (int) Math.min(Integer.MAX_VALUE, Math.max(1, share));
  }

  /** How much of the ring a piece takes, with alignment. */
  private static long space(long bytes) {
    return (bytes + ALIGNMENT - 1) & -ALIGNMENT;
  }

  /** Whether the memory exists; if not, the next use blocks while it is page-locked. */
  boolean isMade() {
    return memory != null;
  }

  /** Reads memory of the host now, and copies it to the device in stream order. */
  void upload(HostMemory source, DeviceMemory target, long offset) {
    for (long at = 0; at < source.size(); at += MAX_PIECE) {
      long from = at;
      int size = (int) Math.min(MAX_PIECE, source.size() - at);
      copy(size, target, offset + at, space -> source.read(from, space));
    }
  }

  /** Copies the remaining bytes now, and from there to the device in stream order. */
  void upload(ByteBuffer source, DeviceMemory target, long offset) {
    long to = offset;
    int last = source.limit();
    while (source.position() < last) {
      int size = Math.min(MAX_PIECE, last - source.position());
      source.limit(source.position() + size);
      copy(size, target, to, space -> space.put(source));
      to += size;
    }
  }

  private void copy(int size, DeviceMemory target, long to, Consumer<ByteBuffer> source) {
    StagingMemory made = memory;
    if (made == null) {
      made = StagingMemory.make(stream, BYTES, true);
      memory = made;
    }
    int offset = (int) (reserve((int) space(size)) % BYTES);
    source.accept(made.bytes().limit(offset + size).position(offset));
    made.range().flush();
    stream.upload(made.whole(), offset, target, to, size);
    noteMark();
  }

  private long reserve(int space) {
    Part last = parts.peekLast();
    if (space >= LARGE && last != null && stream.isPast(last.mark)) {
      // The same bytes again, which are in the processor's caches.
      parts.clear();
      begin = 0;
      end = 0;
    }
    long left = BYTES - end % BYTES;
    long at = space <= left ? end : end + left;
    while (at + space - begin > BYTES) {
      Part oldest = parts.poll();
      if (oldest != null && stream.isPast(oldest.mark)) {
        begin = oldest.end;
      } else {
        stream.synchronize(); // an operation that alone needs more than the ring
        parts.clear();
        begin = end;
      }
    }
    end = at + space;
    return at;
  }

  /** Without a mark, as after a failure, the mark of a later part counts. */
  private void noteMark() {
    long mark = stream.mark();
    Part last = parts.peekLast();
    if (last != null && last.mark == mark) {
      last.end = end;
    } else {
      parts.add(new Part(mark, end));
    }
  }

  /** Frees the memory. Called when the stream is idle or lost. */
  void close() {
    StagingMemory made = memory;
    if (made != null) {
      made.whole().free();
    }
  }
}
