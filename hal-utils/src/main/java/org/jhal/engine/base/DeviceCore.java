// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.base;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Collections;
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
import org.jhal.QueueGrant;
import org.jhal.QueueRequest;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.driver.Command;
import org.jhal.driver.DeviceBackend;
import org.jhal.driver.NativeStream;
import org.jhal.driver.options.EngineConfig;
import org.jhal.engine.flightrecorder.FlightRecorder;
import org.jhal.engine.flightrecorder.Names;
import org.jhal.engine.hazard.HazardRecord;
import org.jhal.engine.journal.Journal;
import org.jhal.engine.journal.JournalModule;
import org.jhal.engine.queue.DeferredWorkQueue;
import org.jhal.engine.queue.DeviceEnd;
import org.jhal.engine.queue.DeviceLoss;
import org.jhal.engine.queue.Operation.State;
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
  // First those of users, then hidden and acquired ones. An acquired one is removed with `past`
  // held.
  private final List<DeferredWorkQueue<E>> queues = new CopyOnWriteArrayList<>();

  private final List<DeferredWorkQueue<E>> hidden = new CopyOnWriteArrayList<>();
  private final PastQueues past = new PastQueues();

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

  /** Those of the backend, and what follows from the kinds of commands that it runs. */
  public Set<Capability> capabilities() {
    Set<Capability> all = EnumSet.noneOf(Capability.class);
    all.addAll(backend.capabilities());
    if (supportedCommands.contains(Command.Kind.INDIRECT_DISPATCH)) {
      all.add(Capability.INDIRECT_DISPATCH);
    }
    return Collections.unmodifiableSet(all);
  }

  Set<Command.Kind> supportedCommands() {
    return supportedCommands;
  }

  /** Whether operations that touch the same bytes without an order are reported, or recorded. */
  public boolean findsHazards() {
    return config.findsHazards() || journal != null;
  }

  /** Takes the text of a hazard, whether or not it fails an operation. */
  public void reportHazard(String text) {
    if (config.findsHazards() && !config.failsByHazards()) {
      Failures.log(LOG, Level.WARNING, text, null);
    }
    Journal recording = journal;
    if (recording != null) {
      recording.hazard(text);
    }
  }

  /** Begins the record of the device, if its configuration asks for it. Before it is used. */
  public void startJournal() {
    String file = config.recordsTo();
    if (file != null) {
      journal = JournalModule.require().open(file, name, info);
      if (isRecorded.compareAndSet(false, true)) {
        HazardRecord.open(null); // a recording says what was not ordered
      }
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

  /** How many hidden queues there are at most. */
  private static final int MOST_HIDDEN = 2;

  /** The index of the first acquired queue: those below are of other queues. */
  public int firstAcquired() {
    return queueCount() + MOST_HIDDEN;
  }

  /** How many queues users see that are not acquired. */
  public int queueCount() {
    return copyQueues.size();
  }

  /** Makes a queue of users, which is not started yet. In a call. */
  public DeferredWorkQueue<E> addQueue() {
    int index = queues.size();
    DeferredWorkQueue<E> queue = createQueue(name + "-q" + index, 0, backend.createStream(index));
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
    NativeStream<E> stream = backend.createStream(queueCount() + nth);
    DeferredWorkQueue<E> queue = createQueue(name + suffix, issueSpinNanos, stream);
    hidden.add(queue);
    return start(queue);
  }

  /** Makes and starts an acquired queue, likewise. If that fails, its stream is closed. */
  public DeferredWorkQueue<E> startAcquired(String queueName, NativeStream<E> stream) {
    return start(createQueue(queueName, 0, stream));
  }

  private DeferredWorkQueue<E> start(DeferredWorkQueue<E> queue) {
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

  /** Ends a queue that nobody has used, and its stream. In a call. */
  public void discard(DeferredWorkQueue<E> queue) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
    if (queue.shutdown().shut(deadline) & queue.shutdown().stop(deadline)) {
      past.add(queue);
      hidden.remove(queue);
      calls.quietly("closing a stream", queue.shutdown()::closeStream);
    } else if (!queues.contains(queue)) {
      queues.add(queue); // its threads hang: the close of the device waits for them, and ends it
    }
  }

  /** Makes a queue of a stream. If that fails, the stream is closed. */
  private DeferredWorkQueue<E> createQueue(
      String queueName, long issueSpinNanos, NativeStream<E> stream) {
    DeferredWorkQueue<E> made = null;
    try {
      made =
          new DeferredWorkQueue<>(
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
              stream,
              loss,
              pools.aside());
      return made;
    } finally {
      if (made == null) {
        calls.quietly("closing a stream", stream::close);
      }
    }
  }

  /** Records an acquired queue, if the device is recorded. */
  public void recordAcquired(String queueName, QueueRequest request, QueueGrant grant) {
    Journal recording = journal;
    if (recording != null) {
      recording.acquired(queueName, request, grant);
    }
  }

  /** Forgets an acquired queue that is closed; what it has done counts on. */
  public void removeAcquired(DeferredWorkQueue<E> queue) {
    past.add(queue);
  }

  /** Adds what queues have done so far, and are doing now. */
  public Counts count() {
    long[] states = new long[State.values().length];
    long[] done = new long[3];
    for (DeferredWorkQueue<E> queue : past.copyTo(done)) {
      queue.count(states);
      if (!hidden.contains(queue)) { // the operations of a hidden queue are the groups'
        done[2] += queue.failed(); // first, so that no more have failed than retired
        done[1] += queue.retired();
        done[0] += queue.enqueued();
      }
    }
    return new Counts(states, done[0], done[1], done[2]);
  }

  /**
   * What the queues of a device have done.
   *
   * @param states how many operations are open, by {@link State#ordinal()}
   * @param enqueued how many the program has enqueued so far
   * @param retired how many of them have retired
   * @param failed how many of these have failed
   */
  public record Counts(long[] states, long enqueued, long retired, long failed) {}

  /** What acquired queues have done that are closed. */
  private final class PastQueues {
    @GuardedBy("this")
    private long enqueued;

    @GuardedBy("this")
    private long retired;

    @GuardedBy("this")
    private long failed;

    synchronized void add(DeferredWorkQueue<E> queue) {
      if (queues.remove(queue)) { // its numbers do not change any more
        enqueued += queue.enqueued();
        retired += queue.retired();
        failed += queue.failed();
      }
    }

    /** Returns the queues that do not count here. */
    synchronized List<DeferredWorkQueue<E>> copyTo(long[] counts) {
      counts[0] = enqueued;
      counts[1] = retired;
      counts[2] = failed;
      return List.copyOf(queues);
    }
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
   * even while the device is being closed. Queues that are acquired have such a view themselves.
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
