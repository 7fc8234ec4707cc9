// SPDX-License-Identifier: Apache-2.0
package org.jhal.spark;

import java.io.IOException;
import java.io.ObjectOutputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.HalException;
import org.jhal.HostMemory;
import org.jhal.Parameter;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jspecify.annotations.Nullable;

/**
 * Runs a kernel over items, in batches of which several are in flight. Items come out in the order
 * in which they came in.
 *
 * <p>An item that fills a batch alone goes to the device as it is, and a longer one in parts;
 * smaller ones are joined. If memory runs out, the work in flight ends, batches become half as
 * large, and failed batches run again from their items, which are kept until their results have
 * arrived. If not even one element fits, this waits for other tasks of the device, and then begins
 * with large batches again.
 *
 * <p>For one thread.
 */
final class BatchPipeline implements AutoCloseable {
  /** How many batches are in flight: one goes to the device, one is computed, one comes back. */
  static final int IN_FLIGHT = 3;

  /** How many items are joined at most, so that tiny ones do not fill the heap with objects. */
  static final int MOST_ITEMS = 1 << 16;

  private static final Duration RETIREMENT = Duration.ofSeconds(5);

  private final TaskDevice task;
  private final BatchKernel kernel;
  private final Supplier<@Nullable BatchItem> source;
  private final List<PrimitiveArray> resultKinds;
  private final long inputBytes; // of an element
  private final long outputBytes;
  private final Deque<Batch.Piece> waiting = new ArrayDeque<>(); // taken before the source
  private final Deque<BatchItem> order = new ArrayDeque<>(); // items that have not come out yet
  private final Deque<Batch> inFlight = new ArrayDeque<>();
  private final Deque<BatchSlot> free = new ArrayDeque<>();
  private final int mostElements; // of a batch
  private int limit; // current number of elements of a batch
  private MemoryLine.@Nullable Place place; // while it waits for memory of other tasks
  private long taken; // elements that came from the source
  private boolean isSourceEmpty;
  private boolean isClosed;

  /**
   * A pipeline.
   *
   * @param kernel is closed with it
   * @param limit elements of a batch, at least 1
   * @param source the next item, or null after the last one
   */
  BatchPipeline(
      TaskDevice task, BatchKernel kernel, int limit, Supplier<@Nullable BatchItem> source) {
    this.task = task;
    this.kernel = kernel;
    this.mostElements = limit;
    this.limit = limit;
    this.source = source;
    this.resultKinds = kernel.outputs().stream().map(own -> PrimitiveArray.of(own.type())).toList();
    this.inputBytes = bytes(kernel.inputs());
    this.outputBytes = bytes(kernel.outputs());
  }

  private static long bytes(List<Parameter> parameters) {
    return parameters.stream().mapToLong(own -> own.type().bytes()).sum();
  }

  /**
   * The next item, with its results; null after the last one.
   *
   * @throws HalException the failure of the kernel or of a transfer
   */
  @Nullable BatchItem next() {
    if (isClosed) {
      throw new HalException(
          Status.FAILED_PRECONDITION, "the results of a task are requested after its end");
    }
    while (true) {
      fill();
      BatchItem first = order.peek();
      if (first != null && first.isComplete()) {
        return order.remove();
      }
      Batch oldest = inFlight.peek();
      if (oldest == null) {
        return null;
      }
      finish(oldest);
    }
  }

  /** The current number of elements of a batch. */
  int limit() {
    return limit;
  }

  private void fill() {
    while (inFlight.size() < IN_FLIGHT) {
      Batch batch = gather();
      if (batch == null) {
        return;
      }
      inFlight.add(batch);
      if (batch.count() > 0) {
        start(batch);
      }
    }
  }

  /** The next batch; null if there is nothing left. */
  private @Nullable Batch gather() {
    Batch batch = new Batch();
    while (batch.count() < limit && batch.pieces().size() < MOST_ITEMS) {
      Batch.Piece piece = waiting.poll();
      if (piece == null) {
        piece = take();
        if (piece == null) {
          break;
        }
      }
      if (piece.length() <= limit - batch.count()) {
        batch.add(piece);
      } else if (batch.count() == 0) {
        batch.add(new Batch.Piece(piece.item(), piece.from(), limit));
        waiting.addFirst(
            new Batch.Piece(piece.item(), piece.from() + limit, piece.length() - limit));
      } else {
        waiting.addFirst(piece);
        break;
      }
    }
    return batch.pieces().isEmpty() ? null : batch;
  }

  private Batch.@Nullable Piece take() {
    BatchItem item = isSourceEmpty ? null : source.get();
    if (item == null) {
      isSourceEmpty = true;
      return null;
    }
    if (item.length() == 0) {
      var unused = item.outputs(resultKinds); // it is complete as it is
    }
    order.add(item);
    taken += item.length();
    return new Batch.Piece(item, 0, item.length());
  }

  private void start(Batch batch) {
    BatchSlot slot = free.isEmpty() ? new BatchSlot(task, kernel) : free.remove();
    batch.setSlot(slot);
    try {
      enqueue(batch, slot);
    } catch (HalException e) {
      slot.timeline().fail(e); // stops the operations that were enqueued before it
      if (e.status() != Status.RESOURCE_EXHAUSTED) {
        throw described(e);
      }
      recover();
    }
  }

  private void enqueue(Batch batch, BatchSlot slot) {
    int count = batch.count();
    slot.reserve(count, limit);
    DeviceQueue queue = task.queue();
    TimelineSemaphore timeline = slot.timeline();
    Batch.Piece first = batch.pieces().get(0);
    boolean isJoined = batch.pieces().size() > 1;
    List<Object> sources = isJoined ? join(batch, slot) : first.item().inputs();
    List<Object> targets = isJoined ? slot.joinedOutputs(count) : first.item().outputs(resultKinds);
    int from = isJoined ? 0 : first.from();
    List<DeviceBuffer> read = slot.read(count);
    List<DeviceBuffer> written = slot.written(count);
    for (int i = 0; i < read.size(); i++) {
      HostMemory memory = batch.borrow(sources.get(i), from);
      queue.upload(timeline.at(slot.last()), timeline.at(slot.next()), memory, read.get(i), 0);
    }
    queue.dispatch(
        timeline.at(slot.last()),
        timeline.at(slot.next()),
        kernel.kernel(),
        kernel.kernel().covering(count),
        kernel.args(count, read, written));
    for (int i = 0; i < written.size(); i++) {
      HostMemory memory = batch.borrow(targets.get(i), from);
      queue.readback(timeline.at(slot.last()), timeline.at(slot.next()), written.get(i), 0, memory);
    }
  }

  private List<Object> join(Batch batch, BatchSlot slot) {
    List<Object> joined = slot.joinedInputs(batch.count());
    for (int i = 0; i < joined.size(); i++) {
      int at = 0;
      for (Batch.Piece piece : batch.pieces()) {
        System.arraycopy(
            piece.item().inputs().get(i), piece.from(), joined.get(i), at, piece.length());
        at += piece.length();
      }
    }
    return joined;
  }

  private void finish(Batch batch) {
    BatchSlot slot = batch.slot();
    if (slot != null) {
      try {
        task.await(slot.timeline().at(slot.last()));
      } catch (HalException e) {
        if (e.status() != Status.RESOURCE_EXHAUSTED) {
          throw described(e);
        }
        recover();
        return;
      }
    }
    inFlight.remove();
    deliver(batch);
    if (slot != null) {
      free.add(slot);
    }
  }

  private void deliver(Batch batch) {
    if (batch.slot() != null) {
      task.counts().batch(batch.count() * inputBytes, batch.count() * outputBytes);
      if (place != null) {
        leaveLine();
        limit = mostElements;
      }
    }
    boolean isJoined = batch.pieces().size() > 1;
    int at = 0;
    for (Batch.Piece piece : batch.pieces()) {
      List<Object> results = piece.item().outputs(resultKinds);
      if (isJoined && batch.slot() != null) {
        List<Object> joined = batch.slot().joinedOutputs(batch.count());
        for (int i = 0; i < results.size(); i++) {
          System.arraycopy(joined.get(i), at, results.get(i), piece.from(), piece.length());
        }
      }
      at += piece.length();
      piece.item().complete(piece.length());
    }
  }

  // Out of memory.

  /** Ends the work in flight, and puts failed pieces first in line for smaller batches. */
  private void recover() {
    List<Batch> failed = new ArrayList<>();
    HalException first = null;
    for (Batch batch : inFlight) {
      BatchSlot slot = batch.slot();
      try {
        if (slot != null) {
          task.await(slot.timeline().at(slot.last()));
        }
        deliver(batch);
      } catch (HalException e) {
        if (e.status() != Status.RESOURCE_EXHAUSTED) {
          throw described(e);
        }
        failed.add(batch);
        first = first == null ? e : first;
      }
    }
    boolean isWithoutMemory = limit == 1 && failed.size() == inFlight.size();
    if (!isWithoutMemory) {
      // Half of the limit, not of the failed batch, which may have been a small rest.
      limit = Math.max(1, limit / 2);
      task.counts().halved();
    }
    awaitMemory(failed);
    closeSlots();
    awaitRetirement();
    inFlight.clear();
    Deque<Batch.Piece> again = new ArrayDeque<>();
    failed.forEach(batch -> again.addAll(batch.pieces()));
    while (!again.isEmpty()) {
      waiting.addFirst(again.removeLast());
    }
    if (first != null && isWithoutMemory) {
      awaitOthers(first);
    }
  }

  /** Waits for memory that other tasks hold. This one holds none. */
  private void awaitOthers(HalException failure) {
    if (place == null) {
      place = task.memory().join(task);
    }
    if (!task.memory().await(place)) {
      throw described(failure);
    }
  }

  private void leaveLine() {
    if (place != null) {
      task.memory().leave(place);
      place = null;
    }
  }

  /** A failed operation may still use the arrays into which the next one writes. */
  private void awaitMemory(List<Batch> failed) {
    List<HostMemory> borrowed = failed.stream().flatMap(batch -> batch.memory().stream()).toList();
    if (borrowed.isEmpty()) {
      return;
    }
    try (TimelineSemaphore isFree = task.createTimeline()) {
      AtomicInteger left = new AtomicInteger(borrowed.size());
      for (HostMemory memory : borrowed) {
        var unused =
            memory.onFree(
                () -> {
                  if (left.decrementAndGet() == 0) {
                    isFree.signal(1);
                  }
                });
      }
      task.await(isFree.at(1));
    }
  }

  /**
   * Waits a while for the memory of closed buffers, which is freed when their operations retire,
   * soon after their signals. Other operations of the task may stay open for longer.
   */
  private void awaitRetirement() {
    long end = System.nanoTime() + RETIREMENT.toNanos();
    while (task.queue().openOperations() > 0 && System.nanoTime() - end < 0) {
      task.checkGoesOn("waited for memory to come back");
      LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(100));
    }
  }

  private void closeSlots() {
    inFlight.forEach(
        batch -> {
          if (batch.slot() != null) {
            batch.slot().close();
          }
        });
    free.forEach(BatchSlot::close);
    free.clear();
  }

  private HalException described(HalException cause) {
    return new HalException(
        cause.status(),
        "kernel "
            + kernel.kernel().name()
            + ", in one of the last batches of the first "
            + taken
            + " elements of the partition: "
            + cause.getMessage(),
        forTheWire(cause));
  }

  /**
   * The failure, without its causes if they cannot be serialised: Spark would drop all of it, and
   * the status with it.
   */
  static HalException forTheWire(HalException failure) {
    try (ObjectOutputStream out = new ObjectOutputStream(OutputStream.nullOutputStream())) {
      out.writeObject(failure);
      return failure;
    } catch (IOException | RuntimeException e) {
      return failure.alone();
    }
  }

  /** Cancels work that has not begun, and releases everything. */
  @Override
  public void close() {
    if (!isClosed) {
      isClosed = true;
      try {
        closeSlots();
        kernel.close();
        inFlight.clear();
        waiting.clear();
        order.clear();
      } finally {
        leaveLine();
      }
    }
  }
}
