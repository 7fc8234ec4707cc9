// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.base;

import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jhal.BufferParams;
import org.jhal.Capability;
import org.jhal.Device;
import org.jhal.DeviceInfo;
import org.jhal.DeviceQueue;
import org.jhal.DeviceStatistics;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.driver.Command;
import org.jhal.driver.DeviceBackend;
import org.jhal.driver.options.EngineConfig;
import org.jhal.engine.flightrecorder.FlightRecorder;
import org.jhal.engine.flightrecorder.Names;
import org.jhal.engine.hazard.HazardRecord;
import org.jhal.engine.journal.Journal;
import org.jhal.engine.journal.JournalModule;
import org.jhal.engine.queue.DeferredWorkQueue;
import org.jhal.engine.queue.DeviceEnd;
import org.jhal.engine.queue.DeviceLoss;
import org.jhal.engine.queue.QueueSettings;
import org.jhal.engine.timeline.Failures;
import org.jhal.spi.Explainable;
import org.jhal.spi.OpenOperation;
import org.jspecify.annotations.Nullable;

/**
 * What all parts of a device need of it: its name, its backend and the calls into that, its queues,
 * what it has handed out, who holds it, and the cause of its loss. A part gets it in its
 * constructor; it knows none of the parts.
 *
 * <p>Thread-safe.
 *
 * @param <E> the driver's native event
 */
public final class DeviceCore<E> implements Explainable {
  private static final System.Logger LOG = System.getLogger(DeviceCore.class.getName());

  /** How long a completion thread queries no event while nobody wants to know the outcome. */
  private static final long QUIET_NANOS = 50_000;

  private final Device view;
  private final DeviceBackend<E> backend;
  private final EngineConfig config;
  private final DeviceInfo info;
  private final Set<Command.Kind> supportedCommands = EnumSet.noneOf(Command.Kind.class);
  private final String name;
  private final long number; // by which recordings name it
  private final DeviceEnd end = new DeviceEnd(); // by which its queues know each other
  private final DevicePools pools;
  private final List<DeferredWorkQueue<E>> queues =
      new CopyOnWriteArrayList<>(); // hidden ones last

  // Views for the transfers that a copy between devices, or a file, consists of.
  private final List<DeviceQueue> copyQueues = new CopyOnWriteArrayList<>();

  private final DeviceResources resources = new DeviceResources();
  private final Leases leases;
  private final Peers peers;
  private final BackendCalls calls;

  // The first cause of the device's loss; set once, by any thread.
  private final AtomicReference<@Nullable HalException> lost = new AtomicReference<>();

  // Set by the one thread that fails the queues' operations after the loss.
  private final AtomicBoolean isLossPropagated = new AtomicBoolean();
  private final DeviceLoss loss = new Loss();
  private volatile Consumer<HalException> onLost = cause -> {}; // set once, before there are queues

  private final AtomicBoolean isRecorded = new AtomicBoolean(); // see HazardRecord#open
  private @Nullable Journal journal; // null unless it is recorded; set before there are queues
  private volatile boolean isCloseOver; // written by the closing thread

  /**
   * Creates the core of a device without queues.
   *
   * @param view the device as users see it
   */
  public DeviceCore(Device view, DeviceBackend<E> backend, EngineConfig config) {
    this.view = view;
    this.backend = backend;
    this.config = config;
    this.info = backend.info();
    this.name = info.driver() + "-" + info.index();
    this.supportedCommands.addAll(backend.supportedCommands());
    this.peers = new Peers(this, backend, config);
    this.number = Names.add("device", name + " (" + info.name() + ")", 0);
    this.calls = new BackendCalls(name, backend, lost, this::loseUnlessClosed);
    this.leases = new Leases(name, calls);
    this.pools = new DevicePools(name, config, calls, this::loseBecause);
    if (config.findsHazards()) { // last: the close of the device ends it
      HazardRecord.open(text -> Failures.log(LOG, Level.WARNING, text, null));
      isRecorded.set(true);
    }
  }

  public Device view() {
    return view;
  }

  /** {@code DRIVER-INDEX}, which is also the prefix of its threads' names. */
  @Override
  public String name() {
    return name;
  }

  public long number() {
    return number;
  }

  @Override
  public DeviceInfo info() {
    return info;
  }

  public DeviceBackend<E> backend() {
    return backend;
  }

  Set<Command.Kind> supportedCommands() {
    return supportedCommands;
  }

  /** Whether operations that touch the same bytes without an order are reported. */
  public boolean findsHazards() {
    return config.findsHazards();
  }

  /** Begins the record of the device, if its configuration asks for it. Before it is used. */
  public void startJournal() {
    String file = config.recordsTo();
    if (file != null) {
      journal = JournalModule.require().open(file, name, info);
    }
  }

  /** The record of the device; null if it is not recorded. */
  public @Nullable Journal journal() {
    return journal;
  }

  /** Whether such operations fail instead. */
  public boolean failsByHazards() {
    return config.failsByHazards();
  }

  public boolean tracesLeaks() {
    return config.tracesLeaks();
  }

  /** How long closing waits for work. */
  public Duration closeTimeout() {
    return config.closeTimeout();
  }

  /** How long its part in a collective may take to end, once that has failed. */
  public Duration abortTimeout() {
    Duration least = config.abortTimeout();
    return least.compareTo(closeTimeout()) < 0 ? closeTimeout() : least;
  }

  public DevicePools pools() {
    return pools;
  }

  public BackendCalls calls() {
    return calls;
  }

  public DeviceResources resources() {
    return resources;
  }

  /** Counts memory that was allocated, or, if negative, given back. */
  public void addBytes(long size, BufferParams params) {
    FlightRecorder.memory(number, size, params.type().name(), resources.addBytes(size));
  }

  public Leases leases() {
    return leases;
  }

  public Peers peers() {
    return peers;
  }

  public void checkOpen() {
    if (calls.isShut()) {
      throw calls.closedFailure();
    }
  }

  public void checkUsable() {
    checkOpen();
    HalException cause = lost.get();
    if (cause != null) {
      throw cause.again();
    }
  }

  /** Refuses {@code what} unless the driver lends its native runtime. */
  public void checkNativeAccess(String what) {
    if (!backend.capabilities().contains(Capability.NATIVE_ACCESS)) {
      throw new HalException(
          Status.UNIMPLEMENTED, name + " cannot " + what + ": it has no native runtime to share");
    }
  }

  // Queues.

  public List<DeferredWorkQueue<E>> queues() {
    return queues;
  }

  /** How many queues users see. */
  public int queueCount() {
    return copyQueues.size();
  }

  /** Makes a queue of users, which is not started yet. In a call. */
  public DeferredWorkQueue<E> addQueue() {
    int index = queues.size();
    DeferredWorkQueue<E> queue = createQueue(index, name + "-q" + index, 0);
    queues.add(queue);
    return queue;
  }

  /**
   * Makes and starts a queue that users do not see. In a call, for which closing waits: it finds
   * the queue, or the queue is refused.
   *
   * @param nth from 0
   */
  public DeferredWorkQueue<E> startHidden(int nth, String suffix, long issueSpinNanos) {
    DeferredWorkQueue<E> queue = createQueue(queueCount() + nth, name + suffix, issueSpinNanos);
    boolean isStarted = false;
    try {
      queue.start();
      queues.add(queue);
      isStarted = true;
      return queue;
    } finally {
      if (!isStarted) { // out of memory, or no thread can be started
        discard(queue);
      }
    }
  }

  private void discard(DeferredWorkQueue<E> queue) {
    queues.remove(queue);
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(1);
    if (queue.shutdown().shut(deadline) & queue.shutdown().stop(deadline)) {
      calls.quietly("closing a stream", queue.shutdown()::closeStream);
    }
  }

  private DeferredWorkQueue<E> createQueue(int index, String queueName, long issueSpinNanos) {
    return new DeferredWorkQueue<>(
        new QueueSettings(
            queueName,
            Names.add("queue", queueName, number),
            end,
            eventDomain(),
            backend.outcomesCanFail(),
            config.inflight(),
            config.spinNanos(),
            issueSpinNanos,
            config.completionSpinNanos(),
            QUIET_NANOS,
            config.closeTimeout()),
        backend.createStream(index),
        loss,
        pools.aside());
  }

  @Override
  public void reportOpen(Consumer<OpenOperation> looker) {
    queues.forEach(queue -> queue.describeOpen(null, looker));
  }

  @Override
  public void reportOpen(TimelineSemaphore semaphore, Consumer<OpenOperation> looker) {
    queues.forEach(queue -> queue.describeOpen(semaphore, looker));
  }

  @Override
  public @Nullable OpenOperation oldestOpen() {
    OpenOperation oldest = null;
    for (DeferredWorkQueue<E> queue : queues) {
      OpenOperation next = queue.describeOldest();
      if (next != null && (oldest == null || next.since() - oldest.since() < 0)) {
        oldest = next;
      }
    }
    return oldest;
  }

  @Override
  public DeviceStatistics statistics() {
    return view.statistics();
  }

  /** The token of the devices that share events with this one. */
  public Object eventDomain() {
    Object shared = config.sharesEvents() ? backend.eventDomain() : null;
    return shared == null ? end : shared;
  }

  /** Adds the view of the next queue for {@link #copyQueue}. */
  public void addCopyQueue(DeviceQueue queue) {
    copyQueues.add(queue);
  }

  /**
   * The queue for the chunks of a copy between devices that was enqueued on queue {@code index} of
   * either device, or of a file operation of this device's queue {@code index}. It accepts them
   * even while the device is being closed.
   */
  public DeviceQueue copyQueue(int index) {
    return copyQueues.get(index % copyQueues.size());
  }

  // Loss and close.

  /**
   * Has {@code body} called with the cause when the device is lost and the queues have failed what
   * they had; more than once if an error has interrupted it.
   */
  public void onLost(Consumer<HalException> body) {
    onLost = body;
  }

  @Override
  public @Nullable HalException lostCause() {
    return lost.get();
  }

  /**
   * Declares the device lost: everything fails with the first cause (rule Q7). Users' callbacks
   * run.
   *
   * @return the first cause
   */
  public HalException lose(HalException cause) {
    HalException first =
        cause.status() == Status.UNAVAILABLE
            ? cause
            : new HalException(
                Status.UNAVAILABLE, "device " + name + " is lost: " + cause.getMessage(), cause);
    HalException known = loss.note(first);
    loss.propagate();
    return known;
  }

  /**
   * A step of the engine for this device has ended half-way, by an error of the engine or the
   * driver: the device is lost (rule E2).
   */
  public void loseBecause(Throwable thrown) {
    String thread = "thread " + Thread.currentThread().getName();
    Failures.log(LOG, Level.ERROR, "an error has interrupted a step of " + thread, thrown);
    lose(
        new HalException(
            Status.UNAVAILABLE,
            "device "
                + name
                + " is lost: an error has interrupted a step of "
                + thread
                + ": "
                + Failures.describe(thrown),
            thrown));
  }

  /**
   * For a call that lost the device. One that was still running when the device had been closed may
   * fail as well, and is ignored.
   */
  private void loseUnlessClosed(HalException cause) {
    if (!isCloseOver) {
      lose(cause);
    }
  }

  /**
   * Finds out whether the device is lost, by asking its streams. For a thread of another device,
   * whose call about this one's memory has failed.
   *
   * @return the first cause of the loss, or null
   */
  public @Nullable HalException findLoss() {
    for (DeferredWorkQueue<E> queue : queues) {
      if (queue.findLoss() != null) {
        break;
      }
    }
    return lost.get();
  }

  /** Closing is done, apart from what may still have to be freed. */
  public void setCloseOver() {
    isCloseOver = true;
    if (isRecorded.compareAndSet(true, false)) {
      HazardRecord.close();
    }
    Journal recorded = journal;
    if (recorded != null) {
      recorded.close();
    }
  }

  /** Whether closing is done, apart from what may still have to be freed. */
  public boolean isCloseOver() {
    return isCloseOver;
  }

  /** Whether closing has begun. */
  public boolean isClosed() {
    return calls.isShut();
  }

  /** Keeps the first cause, and fails everything once. */
  private final class Loss implements DeviceLoss {
    @Override
    public @Nullable HalException cause() {
      return lost.get();
    }

    @Override
    public HalException note(HalException failure) {
      if (lost.compareAndSet(null, failure)) {
        end.begin(System.nanoTime());
      }
      return Objects.requireNonNull(lost.get());
    }

    @Override
    public void propagate() {
      HalException cause = Objects.requireNonNull(lost.get());
      if (!end.hasBegun()) { // an error has ended note()
        end.begin(System.nanoTime());
      }
      if (isLossPropagated.compareAndSet(false, true)) {
        queues.forEach(DeferredWorkQueue::lose); // an error ends this: the issue threads go on
        FlightRecorder.lost(number, String.valueOf(cause.getMessage()));
        Failures.log(LOG, Level.WARNING, "device " + name + " is lost", cause);
      }
      onLost.accept(cause); // each time, since an error may have ended it
    }
  }

  @Override
  public String toString() {
    return name;
  }
}
