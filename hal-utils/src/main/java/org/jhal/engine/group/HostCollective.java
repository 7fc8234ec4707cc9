package org.jhal.engine.group;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jhal.DeviceQueue;
import org.jhal.ElementType;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.Reduction;
import org.jhal.Status;
import org.jhal.driver.HostCompletion;
import org.jhal.driver.NativeStream;
import org.jhal.engine.collective.Accumulator;
import org.jhal.engine.collective.Cursor;
import org.jhal.engine.collective.Layout;
import org.jhal.engine.memory.EngineBuffer;
import org.jhal.engine.queue.Failures;
import org.jhal.engine.queue.Operation;
import org.jhal.engine.transfer.ChunkedTransfer;
import org.jhal.engine.transfer.CopyBuffers;
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
final class HostCollective extends Collective implements HostCompletion {
  private static final int LANES = 4;

  /** The most that a lane reads at once: bytes to move, and elements to combine. */
  private static final int CHUNK_BYTES = 1 << 20;

  private static final int CHUNK_ELEMENTS = 1 << 17;

  private final Layout layout;
  private final Cursor cursor;
  private final Transfers transfers;

  // The lanes are started, or never will be. Set once, by run() or by who fails it before.
  private final AtomicBoolean isStarted = new AtomicBoolean();

  private final ConcurrentLinkedQueue<ByteBuffer> blocks = new ConcurrentLinkedQueue<>();

  // How many transfers of each rank are under way. Changed by the lanes.
  private final AtomicIntegerArray underWay;

  HostCollective(GroupLife group, Operation<?> operation, CollectiveRequest request) {
    super(group, operation, request);
    this.layout = request.layout();
    this.cursor = new Cursor(layout);
    this.transfers = new Transfers(layout.bytes());
    this.underWay = new AtomicIntegerArray(group.devices().size());
  }

  @Override
  void issue(NativeStream<?> stream) {
    begin();
  }

  /** Starts the lanes. On a copying thread of rank 0's device. Throws nothing. */
  @Override
  public void run(Context ignored) {
    if (!isStarted.compareAndSet(false, true)) {
      finish(); // it has failed meanwhile
      return;
    }
    if (layout.bytes() == 0) {
      transfers.over(null);
      return;
    }
    Supplier<CollectiveLane> lanes;
    try {
      lanes = () -> new CollectiveLane(transfers);
    } catch (Throwable t) { // out of memory
      transfers.over(Failures.aborted(FAILED, t));
      return;
    }
    transfers.start((int) Math.min(LANES, layout.bytes() / chunkBytes() + 1), lanes);
  }

  private int chunkBytes() {
    ElementType type = request.type();
    return type == null ? CHUNK_BYTES : CHUNK_ELEMENTS * type.bytes();
  }

  @Override
  void stop(HalException cause) {
    transfers.stop(cause);
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

  private void finish() {
    try {
      operation.queue.hostCompletionOver(asOwn(), decidedFailure());
    } finally {
      setTold();
      letGo(); // afterwards, so that no device is closed before the signals are told
    }
  }

  private void giveBackBlocks(boolean areUnused) {
    CopyBuffers buffers = group.first().resources().copyBuffers;
    for (ByteBuffer block = blocks.poll(); block != null; block = blocks.poll()) {
      if (areUnused) {
        buffers.giveBack(block);
      } else {
        buffers.forget(block); // a failed transfer may still use it
      }
    }
  }

  /** What a transfer failed with, and whose it was; the loss of a device names that. */
  private static Throwable ofRank(int rank, Throwable failed) {
    return failed instanceof HalException failure && failure.status() != Status.UNAVAILABLE
        ? new HalException(
            failure.status(),
            "a transfer of rank " + rank + " failed: " + failure.getMessage(),
            failure)
        : failed;
  }

  /** All transfers of the collective. */
  private final class Transfers extends ChunkedTransfer {
    Transfers(long bytes) {
      super(FAILED, bytes);
    }

    @Override
    protected void failed(HalException first) {
      fail(named(first));
    }

    @Override
    protected void over(@Nullable HalException failure) {
      try {
        if (failure != null) {
          fail(named(failure));
        } else {
          decideDone();
        }
        giveBackBlocks(failure == null);
      } finally {
        finish();
      }
    }
  }

  /** Its timeline counts its transfers. */
  private final class CollectiveLane extends ChunkedTransfer.Lane {
    private final @Nullable Accumulator accumulator;
    private final ByteBuffer block;
    private final int most; // bytes of a chunk
    private Cursor.@Nullable Chunk chunk; // used by one step after the other
    private int next; // the next source, and then the next target

    CollectiveLane(Transfers transfers) {
      transfers.super();
      Reduction reduction = request.reduction();
      ElementType type = request.type();
      long wanted = Math.min(chunkBytes(), request.layout().length());
      this.block = group.first().resources().copyBuffers.take(wanted);
      try {
        blocks.add(block);
      } catch (Throwable t) { // no memory for the list
        group.first().resources().copyBuffers.giveBack(block);
        throw t;
      }
      int bytes = (int) Math.min(block.capacity(), wanted);
      if (reduction == null || type == null) {
        this.accumulator = null;
        this.most = bytes;
      } else {
        this.accumulator = Accumulator.of(reduction, type, bytes / type.bytes());
        this.most = bytes - bytes % type.bytes();
      }
    }

    private Cursor.Chunk chunk() {
      return Objects.requireNonNull(chunk);
    }

    private ByteBuffer memory() {
      return block.duplicate().clear().limit(chunk().size());
    }

    private int elements() {
      return chunk().size() / Objects.requireNonNull(request.type()).bytes();
    }

    @Override
    protected void moveNext() {
      chunk = transfers.left() == 0 ? null : cursor.next(most);
      next = 0;
      if (chunk == null) {
        end(null);
      } else {
        readNext();
      }
    }

    /** Moves the block from or to a rank. */
    private void transfer(
        Layout.Place place, Runnable enqueue, Consumer<@Nullable Throwable> then) {
      underWay.incrementAndGet(place.rank());
      transfer(
          enqueue,
          failed -> {
            underWay.decrementAndGet(place.rank());
            then.accept(failed == null ? null : ofRank(place.rank(), failed));
          });
    }

    private void readNext() {
      List<Layout.Place> sources = chunk().piece().sources();
      if (isStopped()) {
        return;
      }
      Layout.Place place = sources.get(next);
      transfer(
          place,
          () -> {
            EngineBuffer source = Objects.requireNonNull(request.sources()[place.rank()]);
            queue(place)
                .readback(
                    Fence.NONE, nextSignal(), source, place.offset() + chunk().start(), memory());
          },
          failed -> {
            if (failed != null) {
              end(failed);
            } else if (accumulator == null) {
              next = 0;
              writeNext();
            } else {
              // Away from the thread that told us, which serves a device.
              group.first().pools().copyThreads().execute(() -> step(() -> combine(accumulator)));
            }
          });
    }

    /** On a copying thread. */
    private void combine(Accumulator sum) {
      if (next == 0) {
        sum.first(memory(), elements());
      } else {
        sum.next(memory(), elements());
      }
      if (++next < chunk().piece().sources().size()) {
        readNext();
      } else {
        sum.result(memory(), elements(), next);
        next = 0;
        writeNext();
      }
    }

    private void writeNext() {
      List<Layout.Place> targets = chunk().piece().targets();
      if (isStopped()) {
        return;
      }
      Layout.Place place = targets.get(next);
      transfer(
          place,
          () -> {
            EngineBuffer target = Objects.requireNonNull(request.targets()[place.rank()]);
            queue(place)
                .upload(
                    Fence.NONE, nextSignal(), memory(), target, place.offset() + chunk().start());
          },
          failed -> {
            if (failed != null) {
              end(failed);
            } else if (++next < targets.size()) {
              writeNext();
            } else {
              moveNext();
            }
          });
    }

    private DeviceQueue queue(Layout.Place place) {
      return group.ranks().get(place.rank()).transfers();
    }

    private boolean isStopped() {
      if (transfers.left() == 0) {
        end(null);
        return true;
      }
      return false;
    }
  }
}
