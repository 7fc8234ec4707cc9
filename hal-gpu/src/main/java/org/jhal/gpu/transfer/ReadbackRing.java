// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.transfer;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import org.jhal.HalException;
import org.jhal.HostMemory;
import org.jhal.Status;
import org.jhal.driver.DeviceMemory;
import org.jhal.driver.HostCompletion;
import org.jhal.driver.support.Attempt;
import org.jhal.gpu.transfer.CopyStream.Milestone;
import org.jspecify.annotations.Nullable;

/**
 * Page-locked memory of a stream for small readbacks. A readback that finds room when it is issued
 * gets a part of it, and the caller puts its copy into the stream at once. The thread that sees the
 * event of the operation fire copies the part to the program's memory, so no thread is changed.
 * Without room a readback is left to the {@link TransferRing}: nothing waits for a part.
 *
 * <p>A larger part is copied in pieces, each but the last with a milestone of the stream behind it.
 * A thread that waits for the event copies the pieces that have arrived, while later ones are on
 * their way.
 *
 * <p>The memory is made by the first readback for which issuing may block. If it cannot be had, it
 * is not asked for again.
 *
 * <p>Used by the thread that issues, with the device bound; {@link #isSettled} by any thread. A
 * part is given back by any thread.
 */
final class ReadbackRing {
  /** The most bytes that one readback copies: what takes a host thread about 100 us. */
  static final int MAX_BYTES = 1 << 20;

  /**
   * What the device and the host copy at once of a larger readback. So few pieces are in the stream
   * that they need no weight.
   */
  private static final int PIECE = 256 << 10;

  /** Two of the largest: one is on its way while the host copies the other. */
  private static final int BYTES = 2 * MAX_BYTES;

  private static final int ALIGNMENT = 256;

  private final CopyStream stream;
  private volatile @Nullable StagingMemory memory;
  private volatile boolean isRefused; // it could not be page-locked

  // The parts are between begin and end, in the order in which they were issued. Positions count
  // all bytes since the ring was last empty; the place in the ring is the position modulo its size.
  private final Deque<Part> parts = new ArrayDeque<>();
  private long begin;
  private long end;

  // Of the pieces that begin in each PIECE bytes of the memory, of which only one is in the stream
  // at a time. Each is made by the thread that issues, before others can see it.
  private final @Nullable Milestone[] milestones = new Milestone[BYTES / PIECE];

  /** A ring without memory, for a stream that it does not close. */
  ReadbackRing(CopyStream stream) {
    this.stream = stream;
  }

  /** Whether the memory was asked for; if not, the next {@link #begin} that may block does that. */
  boolean isSettled() {
    return memory != null || isRefused;
  }

  /**
   * Takes a part for a readback of so many bytes, if there is one.
   *
   * @param mayBlock whether memory may be page-locked
   * @param target gets the bytes when the part is run as host completion
   */
  @Nullable Part begin(HostMemory target, boolean mayBlock) {
    if (target.size() > MAX_BYTES) {
      return null;
    }
    StagingMemory own = memory;
    if (own == null) {
      own = mayBlock && !isRefused ? make() : null;
      memory = own;
    }
    long at = own == null ? -1 : place((int) target.size());
    if (own == null || at < 0) {
      return null;
    }
    Part part = new Part(own, target, (int) (at % BYTES), at + space(target.size()));
    parts.add(part);
    end = part.end;
    return part;
  }

  private @Nullable StagingMemory make() {
    try {
      return StagingMemory.make(stream, BYTES, true);
    } catch (HalException e) {
      if (e.status() != Status.RESOURCE_EXHAUSTED) {
        throw e;
      }
      isRefused = true;
      return null;
    }
  }

  private static long space(long bytes) {
    return (bytes + ALIGNMENT - 1) & -ALIGNMENT;
  }

  /** The position of so many free bytes in a row, or -1. */
  private long place(int bytes) {
    for (Part oldest = parts.peek(); oldest != null && oldest.isFree(); oldest = parts.peek()) {
      begin = oldest.end;
      parts.remove();
    }
    if (parts.isEmpty()) { // the same bytes again, as they are in the processor's caches
      begin = 0;
      end = 0;
    }
    long left = BYTES - end % BYTES;
    long at = space(bytes) <= left ? end : end + left;
    return at + space(bytes) - begin <= BYTES ? at : -1;
  }

  /** Null if there is none, or it cannot be had: then the rest is copied in one piece. */
  private @Nullable Milestone makeMilestone(int index) {
    try {
      if (milestones[index] == null) {
        milestones[index] = stream.milestone();
      }
    } catch (HalException e) {
      if (e.status() != Status.RESOURCE_EXHAUSTED) {
        throw e;
      }
    }
    return milestones[index];
  }

  /** Frees the memory. Called when the stream is idle or lost. */
  void close() {
    List<Runnable> releases = new ArrayList<>();
    for (Milestone milestone : milestones) {
      if (milestone != null) {
        releases.add(milestone::close);
      }
    }
    StagingMemory own = memory;
    if (own != null) {
      releases.add(own.whole()::free);
    }
    Attempt.all(releases);
  }

  /** What a part is used for. */
  private enum Use {
    /** The stream writes it, or the host reads it. */
    TAKEN,
    /** The operation has ended without a copy, and the stream may still write it. */
    DROPPED,
    /** Nothing uses it. */
    FREE
  }

  /** The part of one readback, and its host completion. */
  final class Part implements HostCompletion {
    private final StagingMemory memory;
    private final HostMemory target;
    private final int offset;
    private final long end; // the position behind it

    // Set by the thread that ends the operation, read by the one that issues.
    private volatile Use use = Use.TAKEN;

    // What has a milestone behind it; written when it is issued. What the host has copied of that;
    // used by one thread at a time.
    private int marked;
    private int copied;

    private long mark; // once it was seen to be dropped; used by the thread that issues

    private Part(StagingMemory memory, HostMemory target, int offset, long end) {
      this.memory = memory;
      this.target = target;
      this.offset = offset;
      this.end = end;
    }

    /** Where the caller has the stream copy the bytes. */
    DeviceMemory staging() {
      return memory.whole();
    }

    /** The place in {@link #staging}, in bytes. */
    int offset() {
      return offset;
    }

    /** Whether it is more than a piece. */
    boolean isLarge() {
      return target.size() > PIECE;
    }

    /**
     * Puts the copies of all pieces into the stream. If this throws, some of them may be in it.
     *
     * @param from where in the source, in bytes
     */
    void copyInPieces(DeviceMemory source, long from) {
      while (target.size() - marked > PIECE) {
        Milestone behind = makeMilestone((offset + marked) / PIECE);
        if (behind == null) {
          break;
        }
        stream.readback(source, from + marked, memory.whole(), offset + marked, PIECE);
        behind.set();
        marked += PIECE;
      }
      long rest = target.size() - marked;
      stream.readback(source, from + marked, memory.whole(), offset + marked, rest);
    }

    @Override
    public boolean isBrief() {
      return true;
    }

    @Override
    public boolean advance() {
      if (copied < marked) {
        Milestone behind = Objects.requireNonNull(milestones[(offset + copied) / PIECE]);
        if (behind.isPassed()) {
          copyTo(copied + PIECE);
        }
      }
      return copied < marked;
    }

    @Override
    public void run(Context context) {
      try {
        copyTo((int) target.size());
      } finally {
        use = Use.FREE; // before the signals: the next readback finds it
      }
    }

    /** Copies what has arrived, up to {@code end}, to the program's memory. */
    private void copyTo(int end) {
      memory.range().invalidate();
      ByteBuffer arrived = memory.bytes().duplicate();
      target.write(copied, arrived.limit(offset + end).position(offset + copied));
      copied = end;
    }

    @Override
    public void retire() {
      if (use == Use.TAKEN) {
        use = Use.DROPPED;
      }
    }

    /** Whether nothing uses it any more. */
    private boolean isFree() {
      if (use != Use.DROPPED) {
        return use == Use.FREE;
      }
      if (mark == 0) {
        mark = stream.mark();
      }
      return stream.isPast(mark);
    }
  }
}
