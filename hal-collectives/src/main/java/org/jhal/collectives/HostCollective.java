// SPDX-License-Identifier: Apache-2.0
package org.jhal.collectives;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.jhal.ElementType;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.HostMemory;
import org.jhal.Reduction;
import org.jhal.Status;
import org.jhal.collectives.arithmetic.Accumulator;
import org.jhal.collectives.arithmetic.Cursor;
import org.jhal.collectives.arithmetic.Layout;
import org.jhal.driver.HostCompletion;
import org.jhal.driver.NativeStream;
import org.jhal.engine.base.DeviceCore;
import org.jhal.engine.memory.EngineBuffer;
import org.jhal.engine.queue.Batch;
import org.jhal.engine.queue.Operation;
import org.jhal.engine.transfer.ChunkedTransfer;
import org.jspecify.annotations.Nullable;

/**
 * A collective that goes through host memory. It moves chunks in a few lanes: a lane reads a chunk
 * of each source in turn, combines it, and writes the result to each target in turn. At most one
 * transfer of a lane is under way at any time, on the hidden queue of the device it concerns, and
 * it is enqueued only when the one before is over. So no thread waits, no stream waits for another
 * device, and a lane that has failed has nothing under way.
 *
 * <p>Thread-safe.
 */
final class HostCollective<E> extends Collective<E> implements HostCompletion {
  private static final int LANES = 4;

  /** The most that a lane reads at once: bytes to move, and elements to combine. */
  private static final int CHUNK_BYTES = 1 << 20;

  private static final int CHUNK_ELEMENTS = 1 << 17;

  private final Layout layout;
  private final Cursor cursor;

  // Written by the issue thread before it has begun.
  private volatile @Nullable Transfers transfers;

  // The lanes are started, or never will be. Set once, by run() or by an earlier failure.
  private final AtomicBoolean isStarted = new AtomicBoolean();

  // How many transfers of each rank are under way. Changed by the lanes.
  private final AtomicIntegerArray underWay;

  HostCollective(DeviceCore<E> device, GroupLife group, CollectiveRequest request) {
    super(device, group, request);
    completeOnHost(this, true);
    this.layout = request.layout();
    this.cursor = new Cursor(layout);
    this.underWay = new AtomicIntegerArray(group.devices.size());
  }

  @Override
  protected @Nullable Throwable issue(NativeStream<E> stream, Batch<E> batch) {
    checkMemory();
    transfers = new Transfers(operation(), layout.bytes());
    beginHolding();
    return batch.submitTo(stream);
  }

  /** Starts the lanes. On a copying thread of rank 0's device. */
  @Override
  public void run(Context context) {
    Transfers own = Objects.requireNonNull(transfers);
    if (isStarted.compareAndSet(false, true) && layout.bytes() > 0) {
      own.run(context);
    } else {
      own.end(null); // there is nothing to move, or it has failed meanwhile
    }
  }

  private int chunkBytes() {
    ElementType type = request().type();
    return type == null ? CHUNK_BYTES : CHUNK_ELEMENTS * type.bytes();
  }

  @Override
  void stop(HalException cause) {
    Transfers begun = transfers;
    if (begun != null) {
      begun.stop(cause);
    }
  }

  @Override
  void stopped() {
    if (isStarted.compareAndSet(false, true)) {
      letGo(); // the operation may never leave a lost device's stream
    }
  }

  @Override
  String whatIsMissing() {
    if (!isStarted.get()) {
      return "; it waits for the device of rank 0";
    }
    List<String> ranks = new ArrayList<>();
    for (int rank = 0; rank < underWay.length(); rank++) {
      if (underWay.get(rank) > 0) {
        ranks.add("rank " + rank);
      }
    }
    return ranks.isEmpty() ? "" : "; it waits for transfers of " + String.join(", ", ranks);
  }

  /** All transfers of the collective. */
  private final class Transfers extends ChunkedTransfer<E> {
    Transfers(Operation<E> operation, long bytes) {
      super(operation, FAILED, bytes);
    }

    @Override
    public void run(Context ignored) {
      start((int) Math.min(LANES, length() / chunkBytes() + 1), CollectiveLane::new);
    }

    @Override
    protected void failed(HalException first) {
      failWith(named(first));
    }

    @Override
    protected void end(@Nullable HalException first) {
      try {
        endOperation(operation().workFailure());
      } finally {
        letGo(); // afterwards, so that no device is closed before the signals are applied
      }
    }

    /** Its timeline counts its transfers. */
    private final class CollectiveLane extends Lane {
      private static final int NONE = -1;

      private @Nullable Accumulator accumulator; // set by the first step
      private int most; // bytes of a chunk; likewise

      // These are used by one step after the other.
      private Cursor.@Nullable Chunk chunk;
      private int next; // the next source, and then the next target
      private int rank = NONE; // whose transfer is under way

      @Override
      protected void begin() {
        long wanted = Math.min(chunkBytes(), layout.length());
        setStaging(group.ranks.get(0).staging().take(wanted));
        most = (int) Math.min(staging().size(), wanted);
        Reduction reduction = request().reduction();
        ElementType type = request().type();
        if (reduction != null && type != null) {
          accumulator = Accumulator.of(reduction, type, most / type.bytes());
          most -= most % type.bytes();
        }
        moveNext();
      }

      private Cursor.Chunk chunk() {
        return Objects.requireNonNull(chunk);
      }

      private int elements() {
        return chunk().size() / Objects.requireNonNull(request().type()).bytes();
      }

      private void moveNext() {
        chunk = left() == 0 ? null : cursor.next(most);
        next = 0;
        if (chunk == null) {
          end(null);
        } else {
          readNext();
        }
      }

      /** Moves the chunk from or to a rank. Ends the lane if another one has failed. */
      private void transfer(Layout.Place place, boolean isRead, Runnable then) {
        if (left() == 0) {
          end(null);
          return;
        }
        rank = place.rank();
        underWay.incrementAndGet(rank);
        transfer(
            () -> enqueue(place, isRead),
            () -> {
              underWay.decrementAndGet(rank);
              rank = NONE;
              then.run();
            });
      }

      private void enqueue(Layout.Place place, boolean isRead) {
        HostMemory memory = staging().memory(chunk().size());
        long offset = place.offset() + chunk().start();
        EngineBuffer buffer =
            Objects.requireNonNull((isRead ? request().sources() : request().targets())[rank]);
        var queue = group.ranks.get(rank).transfers();
        if (isRead) {
          queue.readback(Fence.NONE, nextSignal(), buffer, offset, memory);
        } else {
          queue.upload(Fence.NONE, nextSignal(), memory, buffer, offset);
        }
      }

      private void readNext() {
        transfer(chunk().piece().sources().get(next), true, this::sourceRead);
      }

      private void sourceRead() {
        if (accumulator == null) {
          next = 0;
          writeNext();
        } else { // away from this thread, which serves a device
          Accumulator sum = accumulator;
          stepOn(group.first().pools().copyThreads(), () -> combine(sum));
        }
      }

      /** On a copying thread. */
      private void combine(Accumulator sum) {
        ByteBuffer bytes = staging().bytes(chunk().size());
        if (next == 0) {
          sum.first(bytes, elements());
        } else {
          sum.next(bytes, elements());
        }
        if (++next < chunk().piece().sources().size()) {
          readNext();
        } else {
          sum.result(staging().bytes(chunk().size()), elements(), next);
          next = 0;
          writeNext();
        }
      }

      private void writeNext() {
        transfer(chunk().piece().targets().get(next), false, this::targetWritten);
      }

      private void targetWritten() {
        if (++next < chunk().piece().targets().size()) {
          writeNext();
        } else {
          moveNext();
        }
      }

      /** Adds the rank whose transfer has failed; the loss of a device names the device already. */
      @Override
      protected HalException explain(HalException thrown) {
        return rank == NONE || thrown.status() == Status.UNAVAILABLE
            ? thrown
            : new HalException(
                thrown.status(),
                "a transfer of rank " + rank + " failed: " + thrown.getMessage(),
                thrown);
      }
    }
  }
}
