// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jhal.AcquiredQueue;
import org.jhal.Capability;
import org.jhal.Device;
import org.jhal.DeviceQueue;
import org.jhal.HalException;
import org.jhal.QueueGrant;
import org.jhal.QueueRequest;
import org.jhal.Status;
import org.jhal.driver.GrantedStream;
import org.jhal.driver.support.Attempt;
import org.jhal.driver.support.BackOff;
import org.jhal.driver.support.PlatformThreads;
import org.jhal.engine.base.DeviceCore;
import org.jhal.engine.queue.DeferredWorkQueue;
import org.jhal.engine.queue.QueueShutdown;
import org.jhal.engine.timeline.Cascade;
import org.jhal.engine.timeline.Failures;
import org.jhal.engine.transfer.StagingPool;
import org.jhal.spi.DurationText;

/**
 * The queues that a program acquires from a device and closes before it (rule Q12). Each has a
 * place, from which its index follows. Closing the device closes those that are left, as all
 * queues.
 *
 * <p>Thread-safe.
 *
 * @param <E> the driver's native event
 */
final class AcquiredQueues<E> {
  private static final System.Logger LOG = System.getLogger(AcquiredQueues.class.getName());

  /** How long the threads of a queue may take to end when none of its operations is open. */
  private static final Duration THREADS = Duration.ofSeconds(10);

  private final DeviceCore<E> core;
  private final List<StagingPool> staging; // see EngineDevice; with those of places

  /** Places of queues that exist, or are being made. */
  @GuardedBy("this")
  private final BitSet places = new BitSet();

  /** What files are staged in, by place; kept for the next queue there. */
  @GuardedBy("this")
  private final Map<Integer, StagingPool> files = new HashMap<>();

  /** Closed by their owners, and their work went on. A thread that takes one out closes it. */
  private final Queue<Acquired> unfinished = new ConcurrentLinkedQueue<>();

  AcquiredQueues(DeviceCore<E> core, List<StagingPool> staging) {
    this.core = core;
    this.staging = staging;
  }

  /**
   * Makes a queue.
   *
   * @throws HalException see {@link Device#acquireQueue}
   */
  AcquiredQueue acquire(QueueRequest request) {
    if (request.share().isPresent() && !core.capabilities().contains(Capability.QUEUE_SHARE)) {
      throw new HalException(
          Status.UNIMPLEMENTED,
          core.name()
              + " gives queues no share of its compute units: "
              + core.backend().noShares());
    }
    return core.calls()
        .call(
            () -> {
              finishOthers();
              int place = takePlace();
              Acquired made = null;
              try {
                made = make(place, request);
                return made;
              } finally {
                if (made == null) {
                  freePlace(place);
                }
              }
            });
  }

  private Acquired make(int place, QueueRequest request) {
    int index = core.firstAcquired() + place;
    String name = core.name() + "-q" + index;
    GrantedStream<E> granted = core.backend().acquireStream(index, request);
    DeferredWorkQueue<E> queue =
        core.startAcquired(
            request.name().isEmpty() ? name : name + "-" + request.name(), granted.stream());
    boolean isMade = false;
    try {
      Acquired made = new Acquired(place, queue, request, granted.grant());
      core.recordAcquired(queue.name(), request, granted.grant());
      isMade = true;
      return made;
    } finally {
      if (!isMade) {
        core.discard(queue);
      }
    }
  }

  private synchronized int takePlace() {
    int most = Math.min(Device.MAX_ACQUIRED_QUEUES, core.info().maxQueues() - core.queueCount());
    int place = places.nextClearBit(0);
    if (place >= most) {
      throw new HalException(
          Status.RESOURCE_EXHAUSTED,
          core.name() + " has " + places.cardinality() + " acquired queues; the limit is " + most);
    }
    places.set(place);
    return place;
  }

  private synchronized StagingPool files(int place) {
    StagingPool known = files.get(place);
    if (known == null) {
      known = new StagingPool(core, true);
      files.put(place, known);
      staging.add(known);
    }
    return known;
  }

  private synchronized void freePlace(int place) {
    places.clear(place);
  }

  /** Ends queues that could not be ended when they were closed, and are idle now. */
  private void finishOthers() {
    for (int left = unfinished.size(); left > 0; left--) {
      Acquired queue = unfinished.poll();
      if (queue != null) {
        Throwable thrown = Attempt.of(() -> queue.finish(System.nanoTime() + THREADS.toNanos()));
        if (thrown != null) { // it is left for later
          Failures.log(LOG, Level.WARNING, "cannot end queue " + queue.queue.name(), thrown);
        }
      }
    }
  }

  /** A queue with an owner. */
  private final class Acquired extends EngineQueue<E> implements AcquiredQueue {
    private final int place;
    private final DeviceQueue chunks;
    private final DeferredWorkQueue<E> queue;
    private final QueueRequest request;
    private final QueueGrant grant;

    // Set by the one thread that closes it, and when that has ended.
    @GuardedBy("this")
    private boolean isClosing;

    private volatile boolean isCloseOver;

    Acquired(int place, DeferredWorkQueue<E> queue, QueueRequest request, QueueGrant grant) {
      super(
          core,
          core.firstAcquired() + place,
          queue,
          files(place),
          staging.get(core.queueCount()),
          false);
      this.chunks =
          new EngineQueue<>(
              core, index(), queue, files(place), staging.get(core.queueCount()), true);
      this.place = place;
      this.queue = queue;
      this.request = request;
      this.grant = grant;
    }

    @Override
    DeviceQueue chunks() {
      return chunks;
    }

    @Override
    public QueueRequest request() {
      return request;
    }

    @Override
    public QueueGrant granted() {
      return grant;
    }

    @Override
    public synchronized boolean isClosed() {
      return isClosing || core.isClosed();
    }

    private synchronized boolean beginClose() {
      boolean isFirst = !isClosing;
      isClosing = true;
      return isFirst;
    }

    @Override
    public void close() {
      Cascade.checkOutside("closing queue " + queue.name(), "a close waits for host calls");
      PlatformThreads.callUnlimited(
          queue.name() + "-close",
          () -> {
            if (beginClose()) {
              try {
                closeOnce();
              } finally {
                isCloseOver = true;
              }
            } else {
              BackOff.await(this, BackOff.never(), () -> isCloseOver || core.isCloseOver());
            }
            return this;
          });
    }

    private void closeOnce() {
      queue
          .shutdown()
          .cancelAlone(new HalException(Status.CANCELLED, "queue " + queue.name() + " was closed"));
      if (core.lostCause() != null) {
        return; // its work has failed; the close of the device does the rest
      }
      try {
        core.calls().callIfOpen(this::end);
      } catch (HalException e) {
        if (core.lostCause() == null) { // otherwise likewise
          throw e;
        }
      }
    }

    /** In a call, for which the close of the device waits. */
    private void end() {
      long deadline = System.nanoTime() + core.closeTimeout().toNanos();
      QueueShutdown<E> steps = queue.shutdown();
      BackOff.await(this, deadline, () -> core.isClosed() || steps.awaitIdle(System.nanoTime()));
      boolean isIdle = steps.awaitIdle(System.nanoTime());
      if (!isIdle && core.isClosed()) {
        return; // the close of the device waits for this call, and then does the rest
      }
      if (!isIdle && core.lostCause() == null) {
        Failures.log(
            LOG,
            Level.WARNING,
            "closing queue %s: %s of its operations did not end within %s, and go on"
                .formatted(
                    queue.name(), queue.openOperations(), DurationText.of(core.closeTimeout())),
            null);
      }
      finish(isIdle ? System.nanoTime() + THREADS.toNanos() : System.nanoTime());
    }

    /** Ends its threads and its stream if none of its work is open; otherwise, another one does. */
    void finish(long deadline) {
      QueueShutdown<E> steps = queue.shutdown();
      boolean isOver = false;
      try {
        isOver =
            steps.awaitIdle(System.nanoTime())
                && steps.shut(deadline)
                && steps.awaitRetired(deadline, deadline)
                && steps.stop(deadline)
                && steps.awaitStreamIdle(deadline)
                && steps.awaitEvents(deadline)
                && steps.awaitDeputy(deadline);
      } finally {
        if (!isOver) {
          unfinished.add(this);
        }
      }
      if (isOver) {
        queue.noteNoneOpen();
        steps.closeStream();
        core.removeAcquired(queue);
        freePlace(place);
      }
    }
  }
}
