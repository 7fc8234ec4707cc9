// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.transfer;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Supplier;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.HostThreads;
import org.jhal.driver.ThreadBinding;
import org.jhal.driver.support.Attempt;
import org.jhal.driver.support.BoundCalls;
import org.jspecify.annotations.Nullable;

/**
 * Moves pageable memory through a bounded number of page-locked slots, which all transfers of a
 * device share (rule K7).
 *
 * <p>A transfer is cut into chunks. Each chunk gets a slot, in turn with the chunks of other
 * transfers. An upload's chunk is copied to the slot by the host, and then by the device; a
 * readback's chunk goes the other way. Both kinds of copies overlap with those of other slots.
 *
 * <p>The work is done by a few <em>workers</em>, which are tasks on the device's copying threads. A
 * worker takes what can be done: it finishes a chunk that the device has copied, else starts one,
 * else waits for the chunk whose copy the device began first. It ends when there is nothing to
 * take, and gives way between two steps if anything else needs its thread. The thread on which a
 * transfer begins is its first worker, so a small transfer never changes threads.
 *
 * <p>Slots are created when they are first needed. If too little memory can be page-locked, fewer
 * do; if none can, a small slot of ordinary memory does.
 *
 * <p>A copy that fails fails its transfer alone. The device counts as lost if a call fails with
 * UNAVAILABLE, if a stream cannot be waited for after a failure, or if the device cannot be bound
 * to a thread. Then all transfers fail with UNAVAILABLE, later ones at once.
 *
 * <p>A driver makes one for each device, and closes it with the device. Thread-safe.
 */
public final class TransferRing {
  /** The size of a slot, unless the ring is too small for {@link #MIN_SLOTS} of them. */
  static final int SLOT_BYTES = 4 << 20;

  private static final int MIN_SLOTS = 4;
  static final int PAGE = 4096;

  /** Lists of slots hardly ever have to grow, so that they do not fail where memory is short. */
  private static final int USUAL_SLOTS = 256;

  /** The size of a slot that is not page-locked. */
  private static final int ORDINARY_BYTES = 256 << 10;

  /** A transfer asks for one more worker for each further piece of this size. */
  private static final int BYTES_PER_WORKER = 512 << 10;

  /**
   * How many slots a worker uses at most: the host copies one, and the device another. The device
   * is faster, so further slots would have left the processor's caches when their turn comes.
   */
  private static final int SLOTS_PER_WORKER = 2;

  private final ThreadBinding device;
  private final Supplier<CopyStream> streams;
  private final int slotBytes;
  private final int maxSlots;
  private final int maxWorkers;

  // No native call and no callback is made under the lock.
  //
  // Invariant: while a transfer has not ended there is a worker. A worker ends only if it finds, in
  // the same critical section, nothing to take. Any slot that is left belongs to another worker.

  /** The transfers that have bytes in no slot yet, in the order in which they get the next slot. */
  @GuardedBy("this")
  private final Deque<PageableTransfer> waiting = new ArrayDeque<>();

  /** Slots whose chunk the device copies, and that no worker has taken; oldest first. */
  @GuardedBy("this")
  private final Deque<TransferSlot> inFlight = new ArrayDeque<>(USUAL_SLOTS);

  /** Page-locked slots; last used first. */
  @GuardedBy("this")
  private final Deque<TransferSlot> free = new ArrayDeque<>(USUAL_SLOTS);

  @GuardedBy("this")
  private int taken; // slots that are not free: with workers, or in flight

  @GuardedBy("this")
  private int pinnedSlots; // how many page-locked slots are in use, free, or being made

  @GuardedBy("this")
  private boolean isPinningRefused; // too little can be page-locked; reset when none is open

  private final TransferSlot ordinary; // not page-locked

  @GuardedBy("this")
  private boolean isOrdinaryTaken;

  @GuardedBy("this")
  private int open; // transfers that are not over

  @GuardedBy("this")
  private int workers; // that run, or wait for a thread

  /** The transfers whose operations have yet to end. */
  @GuardedBy("this")
  private final Deque<PageableTransfer> over = new ArrayDeque<>();

  @GuardedBy("this")
  private @Nullable HalException loss; // of the device; from then on all transfers fail with it

  /**
   * Creates a ring without slots.
   *
   * @param device is bound to copying threads during native calls
   * @param streams opens a stream for each slot; called with the device bound
   * @param bytes how much memory is page-locked at most; at least 16 KiB
   * @param threads how many copying threads the device has
   */
  public TransferRing(ThreadBinding device, Supplier<CopyStream> streams, long bytes, int threads) {
    this.device = device;
    this.streams = streams;
    this.slotBytes = (int) Math.min(SLOT_BYTES, bytes / MIN_SLOTS / PAGE * PAGE);
    this.maxSlots = (int) (bytes / slotBytes);
    this.maxWorkers = Math.min(threads, maxSlots);
    this.ordinary = new TransferSlot(streams, false, ORDINARY_BYTES);
  }

  /** Moves a transfer, on this copying thread and others. It may end after this returns. */
  void move(PageableTransfer transfer, HostThreads threads) {
    Worker first = new Worker(threads); // before it counts
    int started = add(transfer);
    for (int i = 1; i < started; i++) {
      try {
        threads.execute(new Worker(threads));
      } catch (Throwable t) { // no thread can be started, or the close timeout has passed
        synchronized (this) {
          workers--;
        }
      }
    }
    if (started > 0) {
      first.run();
    } else {
      endFinished(); // on a lost device it is over already
    }
  }

  /** Returns how many workers are to be started. They are counted already. */
  private synchronized int add(PageableTransfer transfer) {
    if (loss != null) {
      open++;
      fail(transfer, loss);
      return 0;
    }
    waiting.add(transfer); // first, as it may be out of memory
    open++;
    long wanted = workers + 1 + (transfer.host().size() - 1) / BYTES_PER_WORKER;
    int before = workers;
    workers = (int) Math.min(maxWorkers, wanted);
    return workers - before;
  }

  /** A task on a copying thread. The device is bound only during a step, not during callbacks. */
  private final class Worker implements Runnable {
    private final HostThreads threads;

    Worker(HostThreads threads) {
      this.threads = threads;
    }

    @Override
    public void run() {
      try {
        do {
          BoundCalls.run(device, TransferRing.this::step);
          endFinished();
        } while (!isDone() && !threads.giveWay(this));
      } catch (Throwable t) { // the device cannot be bound, or an error of the lines here
        crashed(t);
        endFinished();
      }
    }
  }

  /** Ends the worker if there is nothing that it could take. */
  private synchronized boolean isDone() {
    if (!inFlight.isEmpty() || canGrant()) {
      return false;
    }
    workers--;
    return true;
  }

  /** Ends the operations whose transfers are over. */
  private void endFinished() {
    for (PageableTransfer next = nextOver(); next != null; next = nextOver()) {
      next.end();
    }
  }

  private synchronized @Nullable PageableTransfer nextOver() {
    return over.poll();
  }

  // Steps. In between a slot is free, in flight, or with one worker.

  private void step() {
    TransferSlot oldest;
    synchronized (this) {
      oldest = inFlight.poll();
    }
    if (oldest == null) {
      start();
      return;
    }
    try {
      if (!oldest.isOver()) {
        if (putBack(oldest)) {
          start();
          return;
        }
        oldest.await();
      }
      oldest.finish();
    } catch (Throwable t) {
      failed(oldest, t);
      return;
    }
    finished(oldest);
  }

  /** Puts a slot back that is still in flight, if there is a chunk to start meanwhile. */
  private synchronized boolean putBack(TransferSlot oldest) {
    if (!canGrant()) {
      return false;
    }
    inFlight.addFirst(oldest);
    return true;
  }

  /** Starts a chunk, unless other workers have taken all chunks or slots. */
  private void start() {
    TransferSlot slot = takeFree();
    if (slot == null) {
      return;
    }
    try {
      slot.prepare();
    } catch (Throwable t) {
      notMade(slot, t);
      return;
    }
    if (grant(slot)) {
      try {
        slot.start();
        synchronized (this) {
          inFlight.add(slot);
        }
      } catch (Throwable t) {
        failed(slot, t);
      }
    }
  }

  @GuardedBy("this")
  private boolean canPin() {
    return pinnedSlots < maxSlots && !isPinningRefused;
  }

  @GuardedBy("this")
  private boolean canGrant() {
    if (taken >= SLOTS_PER_WORKER * workers) {
      return false;
    }
    boolean hasSlot = !free.isEmpty() || canPin() || (pinnedSlots == 0 && !isOrdinaryTaken);
    return hasSlot && !waiting.isEmpty();
  }

  private synchronized @Nullable TransferSlot takeFree() {
    if (!canGrant()) {
      return null;
    }
    taken++;
    if (!free.isEmpty()) {
      return free.remove();
    }
    if (canPin()) {
      pinnedSlots++;
      return new TransferSlot(streams, true, slotBytes);
    }
    isOrdinaryTaken = true;
    return ordinary;
  }

  private synchronized void notMade(TransferSlot slot, Throwable thrown) {
    boolean isExhausted =
        thrown instanceof HalException failure && failure.status() == Status.RESOURCE_EXHAUSTED;
    taken--;
    if (slot.isPinned()) {
      pinnedSlots--;
    } else {
      isOrdinaryTaken = false;
    }
    if (slot.isPinned() && isExhausted) {
      isPinningRefused = true; // what there is must do
      return;
    }
    noteLoss(thrown);
    if (!waiting.isEmpty()) {
      fail(waiting.element(), thrown);
    }
  }

  /** Gives a slot to the transfer whose turn it is. Returns false if none waits any more. */
  private synchronized boolean grant(TransferSlot slot) {
    PageableTransfer next = waiting.poll();
    if (next == null) {
      free(slot);
      return false;
    }
    next.grant(slot, Math.min(slotBytes, slot.capacity()));
    if (next.isWaiting()) {
      waiting.add(next);
    }
    return true;
  }

  private synchronized void finished(TransferSlot slot) {
    PageableTransfer transfer = slot.empty();
    free(slot);
    transfer.chunkIsOver();
    if (transfer.isOver()) {
      end(transfer);
    }
  }

  @GuardedBy("this")
  private void free(TransferSlot slot) {
    taken--;
    if (slot.isPinned()) {
      free.addFirst(slot);
    } else {
      isOrdinaryTaken = false;
    }
  }

  // Failure. A transfer that fails gets no further slots, and ends when its last chunk is over.

  /** A chunk has failed. The device may still be copying, so it is waited for. */
  private void failed(TransferSlot slot, Throwable thrown) {
    Throwable unsettled = null;
    try {
      BoundCalls.run(device, slot::settle); // bound already, unless a worker ends
    } catch (Throwable t) {
      unsettled = t;
    }
    failed(slot, thrown, unsettled);
  }

  private synchronized void failed(
      TransferSlot slot, Throwable thrown, @Nullable Throwable unsettled) {
    Throwable cause = thrown;
    if (unsettled != null && !isLoss(thrown)) {
      // It is not known when the device is done with the slot: it counts as lost (rule Q7a).
      cause = asLoss(unsettled);
    }
    noteLoss(cause);
    PageableTransfer transfer = slot.empty();
    transfer.chunkIsOver();
    free(slot); // after a loss nothing is put into it any more
    fail(transfer, cause);
  }

  private static HalException asLoss(Throwable unsettled) {
    return unsettled instanceof HalException failure
        ? BoundCalls.asLoss(failure)
        : new HalException(Status.UNAVAILABLE, "a stream cannot be waited for", unsettled);
  }

  private static boolean isLoss(Throwable thrown) {
    return thrown instanceof HalException failure && failure.status() == Status.UNAVAILABLE;
  }

  /** After a loss no transfer gets a slot any more. */
  @GuardedBy("this")
  private void noteLoss(Throwable thrown) {
    if (loss == null && isLoss(thrown)) {
      loss = (HalException) thrown;
      failWaiting(thrown);
    }
  }

  @GuardedBy("this")
  private void failWaiting(Throwable thrown) {
    for (PageableTransfer next = waiting.peek(); next != null; next = waiting.peek()) {
      fail(next, thrown);
    }
  }

  @GuardedBy("this")
  private void fail(PageableTransfer transfer, Throwable thrown) {
    if (transfer.isWaiting()) {
      waiting.remove(transfer);
    }
    transfer.fail(thrown);
    if (transfer.isOver()) {
      end(transfer);
    }
  }

  @GuardedBy("this")
  private void end(PageableTransfer transfer) {
    over.add(transfer);
    open--;
    if (open == 0) {
      isPinningRefused = false; // next time, there may be more
    }
  }

  /** Ends a worker after an error. The last one ends all chunks, since no other worker would. */
  private void crashed(Throwable thrown) {
    for (TransferSlot left = leave(thrown); left != null; left = leave(thrown)) {
      failed(left, thrown);
    }
  }

  /** Ends the worker, or, if it is the last one, returns a chunk that must be ended before. */
  private synchronized @Nullable TransferSlot leave(Throwable thrown) {
    noteLoss(thrown);
    TransferSlot left = workers == 1 ? inFlight.poll() : null;
    if (left == null) {
      workers--;
      if (workers == 0) {
        failWaiting(thrown);
      }
    }
    return left;
  }

  /** Frees the slots. Called when no transfer is open and none can begin; the device is bound. */
  public void close() {
    List<Runnable> all = new ArrayList<>(List.of(ordinary::close));
    synchronized (this) {
      free.forEach(slot -> all.add(slot::close));
      free.clear();
    }
    Attempt.all(all);
  }
}
