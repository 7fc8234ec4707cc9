package org.jhal.engine;

import java.lang.System.Logger.Level;
import java.nio.channels.FileChannel;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jhal.Allocator;
import org.jhal.Args;
import org.jhal.BindingTable;
import org.jhal.BufferParams;
import org.jhal.BufferUsage;
import org.jhal.Capability;
import org.jhal.CollectiveGroup;
import org.jhal.CommandBuffer;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceFile;
import org.jhal.DeviceInfo;
import org.jhal.DeviceQueue;
import org.jhal.DeviceStatistics;
import org.jhal.ElementType;
import org.jhal.Executable;
import org.jhal.ExecutableSource;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.HalException;
import org.jhal.HostCall;
import org.jhal.HostMemory;
import org.jhal.MemoryType;
import org.jhal.Reduction;
import org.jhal.Setting;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.driver.Command;
import org.jhal.driver.DeviceBackend;
import org.jhal.driver.HostThreads;
import org.jhal.driver.options.EngineConfig;
import org.jhal.driver.support.EarlyClasses;
import org.jhal.driver.support.PlatformThreads;
import org.jhal.engine.concurrent.StackReserve;
import org.jhal.engine.events.Events;
import org.jhal.engine.events.Names;
import org.jhal.engine.events.Span;
import org.jhal.engine.queue.Cascade;
import org.jhal.engine.queue.DeferredWorkQueue;
import org.jhal.engine.queue.DeviceLoss;
import org.jhal.engine.queue.Failures;
import org.jhal.engine.queue.Operation.State;
import org.jhal.engine.queue.QueueSettings;
import org.jhal.spi.CollectiveDevice;
import org.jhal.spi.Explanations;
import org.jhal.spi.HostWaits;
import org.jspecify.annotations.Nullable;

/**
 * The device class of every driver built on this engine. A driver contributes a {@link
 * DeviceBackend}; everything else is here.
 *
 * <p>Thread-safe.
 *
 * @param <E> the driver's native event
 */
public final class EngineDevice<E> implements CollectiveDevice {
  private static final System.Logger LOG = System.getLogger(EngineDevice.class.getName());

  static {
    // Of the API, what operations, waits and their failures need.
    EarlyClasses.initialize(
        Args.class,
        BindingTable.class,
        BufferParams.class,
        BufferUsage.class,
        Capability.class,
        CollectiveGroup.class,
        CommandBuffer.class,
        Device.class,
        DeviceBuffer.class,
        ElementType.class,
        Explanations.class,
        Fence.class,
        FillPattern.class,
        HostCall.class,
        HostMemory.class,
        HostWaits.class,
        MemoryType.class,
        Reduction.class,
        Status.class);
    EarlyClasses.initialize(
        BackendCalls.class,
        BufferStorage.class,
        Collective.class,
        Constants.class,
        Deadlines.class,
        DevicePools.class,
        DeviceShutdown.class,
        EngineFile.class,
        FileFailures.class,
        FileStaging.class,
        HostCallRun.class,
        Lanes.class,
        LiveOwners.class,
        LiveStorages.class,
        NativeCollective.class,
        NativeForm.class,
        OpenDevices.class,
        Owner.class,
        QueueWork.class,
        CommandWork.class,
        CrossDeviceCopyWork.class,
        ExecuteWork.class,
        AllocaWork.class,
        DeallocaWork.class,
        HostWork.class,
        CollectiveWork.class,
        Reclaimer.class,
        RankHold.class,
        StackReserve.class,
        RecordedCommand.class);
    Object ignored = new Throwable().getStackTrace(); // HalException.again() needs its classes
  }

  private final DeviceBackend<E> backend;
  private final EngineConfig config;
  private final List<Setting> settings;
  private final DeviceInfo info;
  private final Set<Command.Kind> supportedCommands = EnumSet.noneOf(Command.Kind.class);
  private final String name;
  private final long number; // by which recordings name it
  private final Object domain = new Object(); // the token by which its queues know it
  private final EngineAllocator allocator;
  private final DevicePools pools;
  private final List<DeferredWorkQueue<E>> queues =
      new CopyOnWriteArrayList<>(); // hidden ones last
  private final List<EngineQueue<E>> queueViews = new ArrayList<>();

  // Views for the transfers that a copy between devices, or a file, consists of.
  private final List<EngineQueue<E>> copyQueues = new ArrayList<>();

  private final DeviceGroups<E> groups = new DeviceGroups<>(this);

  private final DeviceResources resources = new DeviceResources();
  private final Holds holds;
  private final Peers peers;

  // The first cause of the device's loss; set once, by any thread.
  private final AtomicReference<@Nullable HalException> lost = new AtomicReference<>();

  // Set by the one thread that fails the queues' operations after the loss.
  private final AtomicBoolean isLossTold = new AtomicBoolean();
  private final DeviceLoss loss = new Loss();
  private final BackendCalls calls;
  private final ExecutableLoader loader;
  private final DeviceShutdown<E> shutdown;

  /**
   * Opens a device: creates its streams and starts the threads of its queues. If that fails,
   * everything created so far is closed again, {@code backend} included.
   *
   * @param settings the result of {@link #settings()}
   * @throws HalException what the backend throws
   */
  public EngineDevice(DeviceBackend<E> backend, EngineConfig config, List<Setting> settings) {
    this.backend = backend;
    this.config = config;
    this.settings = List.copyOf(settings);
    this.info = backend.info();
    this.name = info.driver() + "-" + info.index();
    this.supportedCommands.addAll(backend.supportedCommands());
    this.peers = new Peers(this, backend, config);
    this.allocator = new EngineAllocator(this, backend);
    this.number = Names.add("device", name + " (" + info.name() + ")", 0);
    this.calls = new BackendCalls(name, backend, lost, this::loseUnlessClosed);
    this.holds = new Holds(name, calls);
    this.pools = new DevicePools(name, config, calls);
    this.loader = new ExecutableLoader(this, backend, calls);
    this.shutdown =
        new DeviceShutdown<>(
            name,
            number,
            backend,
            config.closeTimeout(),
            calls,
            resources,
            holds,
            queues,
            groups,
            pools.all(),
            new DeviceExplanation(this));
    try {
      calls.call(this::createQueues);
      queues.forEach(DeferredWorkQueue::start);
      shutdown.open();
    } catch (Throwable t) {
      shutdown.closeHalfMade();
      throw t;
    }
  }

  private List<DeferredWorkQueue<E>> createQueues() {
    if (config.queues() > info.maxQueues()) {
      throw new HalException(
          Status.OUT_OF_RANGE,
          "queues=" + config.queues() + ": " + info + " has at most " + info.maxQueues());
    }
    for (int i = 0; i < config.queues(); i++) {
      DeferredWorkQueue<E> queue = createQueue(i, name + "-q" + i, 0);
      queues.add(queue);
      queueViews.add(new EngineQueue<>(this, i, queue, false));
      copyQueues.add(new EngineQueue<>(this, i, queue, true));
      resources.fileStaging().add(new FileStaging(this));
    }
    return queues;
  }

  private DeferredWorkQueue<E> createQueue(int index, String queueName, long issueSpinNanos) {
    return new DeferredWorkQueue<>(
        new QueueSettings(
            queueName,
            Names.add("queue", queueName, number),
            domain,
            eventDomain(),
            backend.outcomesCanFail(),
            config.inflight(),
            config.spinNanos(),
            issueSpinNanos,
            config.completionSpinNanos(),
            config.closeTimeout()),
        backend.createStream(index),
        loss);
  }

  /** The token of the devices that share events with this one. */
  Object eventDomain() {
    Object shared = config.sharesEvents() ? backend.eventDomain() : null;
    return shared == null ? domain : shared;
  }

  /** {@code DRIVER-INDEX}, which is also the prefix of its threads' names. */
  public String name() {
    return name;
  }

  /** The number by which recordings name it. */
  long number() {
    return number;
  }

  /** The driver's part of the device. */
  public DeviceBackend<E> backend() {
    return backend;
  }

  List<DeferredWorkQueue<E>> queues() {
    return queues;
  }

  boolean tracesLeaks() {
    return config.tracesLeaks();
  }

  @Override
  public DeviceInfo info() {
    return info;
  }

  @Override
  public Set<Capability> capabilities() {
    return backend.capabilities();
  }

  @Override
  public List<Setting> settings() {
    return settings;
  }

  @Override
  public int queueCount() {
    return queueViews.size();
  }

  @Override
  public DeviceQueue queue(int index) {
    if (index < 0 || index >= queueViews.size()) {
      throw new HalException(
          Status.OUT_OF_RANGE,
          "queue "
              + index
              + " of "
              + name
              + ", which has the queues 0 to "
              + (queueViews.size() - 1));
    }
    return queueViews.get(index);
  }

  @Override
  public TimelineSemaphore createSemaphore(long initialValue) {
    checkOpen();
    return SemaphoreOwner.make(initialValue, this);
  }

  @Override
  public Allocator allocator() {
    return allocator;
  }

  @Override
  public CommandBuffer createCommandBuffer(CommandBuffer.Mode mode) {
    checkUsable();
    return new EngineCommandBuffer(this, mode);
  }

  Set<Command.Kind> supportedCommands() {
    return supportedCommands;
  }

  @Override
  public Set<String> executableFormats() {
    return backend.executableFormats();
  }

  /**
   * Initialises the classes of the engine that {@link #loadExecutable} needs, so that its first
   * call in a process takes less time.
   */
  public static void rehearseLoading() throws IllegalAccessException {
    ExecutableLoader.rehearse();
  }

  @Override
  public Executable loadExecutable(ExecutableSource source) {
    checkUsable();
    Span span = Events.load(number, Objects.requireNonNull(source, "source").name());
    Executable loaded = null;
    try {
      loaded = loader.load(source);
      return loaded;
    } finally {
      Span.end(span, loaded == null ? null : loaded.format());
    }
  }

  // Files.

  @Override
  public DeviceFile openFile(Path path, OpenOption... options) {
    checkUsable();
    return EngineFile.open(this, path, options);
  }

  @Override
  public DeviceFile wrapFile(FileChannel channel) {
    checkUsable();
    return EngineFile.wrap(this, channel);
  }

  // Memory.

  void checkAllocation(long size, BufferParams params) {
    Objects.requireNonNull(params, "params");
    if (size < 0) {
      throw new HalException(Status.OUT_OF_RANGE, "buffer size " + size + " is negative");
    }
    if (!backend.supports(params)) {
      throw new HalException(
          Status.UNIMPLEMENTED, name + " has no memory of type " + params.type());
    }
  }

  /** Counts memory that was allocated, or, if negative, given back. */
  void addBytes(long size, BufferParams params) {
    Events.memory(number, size, params.type().name(), resources.addBytes(size));
  }

  // Memory of other devices.

  Peers peers() {
    return peers;
  }

  @Override
  public boolean canAccess(Device other) {
    Objects.requireNonNull(other, "other");
    return other instanceof EngineDevice<?> engine && peers.canAccess(engine);
  }

  /** What other devices do with this one, and what its close waits for. */
  Holds holds() {
    return holds;
  }

  /** Refuses {@code what} unless the driver lends its native runtime. */
  void checkNativeAccess(String what) {
    if (!backend.capabilities().contains(Capability.NATIVE_ACCESS)) {
      throw new HalException(
          Status.UNIMPLEMENTED, name + " cannot " + what + ": it has no native runtime to share");
    }
  }

  @Override
  public <T> T unwrap(Class<T> type) {
    Objects.requireNonNull(type, "type");
    checkOpen();
    List<String> offered = new ArrayList<>();
    for (Object view : backend.views()) {
      if (type.isInstance(view)) {
        return type.cast(view);
      }
      offered.add(view.getClass().getName());
    }
    throw new HalException(
        Status.INVALID_ARGUMENT, name + " offers no " + type.getName() + "; it offers " + offered);
  }

  /** The threads that run users' host calls. */
  HostThreads hostCalls() {
    return pools.hostCalls();
  }

  /** The threads that run the host's part of transfers and of copies between devices. */
  HostThreads copyThreads() {
    return pools.copyThreads();
  }

  /** The threads that do file I/O. Nobody interrupts them while they do. */
  HostThreads fileThreads() {
    return pools.fileThreads();
  }

  /** See {@link DevicePools#inBackground}. */
  void inBackground(@Nullable Recording recording, Runnable work) {
    pools.inBackground(recording, work);
  }

  /** The memory through which queue {@code index} reads and writes files. */
  FileStaging fileStaging(int index) {
    return resources.fileStaging().get(index);
  }

  DeviceResources resources() {
    return resources;
  }

  /** Calls into the backend, apart from those of the queues. */
  BackendCalls calls() {
    return calls;
  }

  void checkOpen() {
    if (calls.isShut()) {
      throw calls.closedFailure();
    }
  }

  void checkUsable() {
    checkOpen();
    HalException cause = lost.get();
    if (cause != null) {
      throw cause.again();
    }
  }

  // Copies between devices.

  /**
   * The queue for the chunks of a copy between devices that was enqueued on queue {@code index} of
   * either device, or of a file operation of this device's queue {@code index}.
   */
  EngineQueue<E> copyQueue(int index) {
    return copyQueues.get(index % copyQueues.size());
  }

  // Collectives.

  @Override
  public CollectiveGroup createGroup(List<Device> devices, CollectiveGroup.Options options) {
    return EngineGroup.make(devices, options);
  }

  /** The groups that this device is in. */
  DeviceGroups<E> groups() {
    return groups;
  }

  /**
   * Makes and starts a queue that users do not see. In a call, for which closing waits: it finds
   * the queue, or the queue is refused.
   *
   * @param nth from 0
   */
  DeferredWorkQueue<E> startHidden(int nth, String suffix, long issueSpinNanos) {
    DeferredWorkQueue<E> queue =
        createQueue(queueViews.size() + nth, name + suffix, issueSpinNanos);
    try {
      queue.start();
      queues.add(queue);
      HalException cause = lost.get();
      if (cause != null) { // the thread that has lost the device may not have seen the queue
        queue.noteLost(cause);
      }
      return queue;
    } catch (Throwable t) { // out of memory, or no thread can be started
      queues.remove(queue);
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(1);
      if (queue.shutdown().shut(deadline) & queue.shutdown().stop(deadline)) {
        calls.quietly("closing a stream", queue.shutdown()::closeStream);
      }
      throw t;
    }
  }

  /** How long closing waits for work. */
  Duration closeTimeout() {
    return config.closeTimeout();
  }

  /** How long its part in a collective may take to end, once that has failed. */
  Duration abortTimeout() {
    Duration least = config.abortTimeout();
    return least.compareTo(closeTimeout()) < 0 ? closeTimeout() : least;
  }

  // Loss and close.

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
    loss.tell();
    return known;
  }

  /**
   * For a call that lost the device. One that was still running when the device had been closed may
   * fail as well, and is ignored.
   */
  private void loseUnlessClosed(HalException cause) {
    if (!shutdown.isOver()) {
      lose(cause);
    }
  }

  /**
   * Finds out whether the device is lost, for a thread of another device to which a call has failed
   * that concerns this one's memory: asks the streams.
   *
   * @return the first cause of the loss, or null
   */
  @Nullable HalException findLoss() {
    for (DeferredWorkQueue<E> queue : queues) {
      if (queue.findLoss() != null) {
        break;
      }
    }
    return lost.get();
  }

  @Override
  public boolean isClosed() {
    return calls.isShut();
  }

  @Override
  public void close() {
    Cascade.checkOutside("closing device " + name, "a close waits for host calls");
    PlatformThreads.callUnlimited(
        name + "-close",
        () -> {
          shutdown.close();
          return this;
        });
  }

  @Override
  public DeviceStatistics statistics() {
    long[] states = new long[State.values().length];
    long enqueued = 0;
    long retired = 0;
    int own = queueViews.size();
    for (DeferredWorkQueue<E> queue : queues) {
      queue.count(states);
      if (own-- > 0) { // the hidden queue has what groups enqueue
        retired += queue.retired();
        enqueued += queue.enqueued();
      }
    }
    return new DeviceStatistics(
        resources.storages().size(),
        resources.bytes(),
        resources.recordings().size(),
        resources.executables().size(),
        resources.semaphores().size(),
        states[State.PARKED.ordinal()],
        states[State.READY.ordinal()],
        states[State.ISSUED.ordinal()],
        states[State.SETTLED.ordinal()]
            + states[State.FAILED.ordinal()]
            + states[State.RETIRED.ordinal()],
        enqueued,
        retired,
        backend.graphs());
  }

  /** Keeps the first cause, and fails everything once. */
  private final class Loss implements DeviceLoss {
    @Override
    public HalException note(HalException failure) {
      if (lost.compareAndSet(null, failure)) {
        queues.forEach(queue -> queue.noteLost(failure));
      }
      return Objects.requireNonNull(lost.get());
    }

    @Override
    public void tell() {
      HalException cause = Objects.requireNonNull(lost.get());
      if (isLossTold.compareAndSet(false, true)) {
        // An error may end this anywhere. What is left then, the queues' issue threads do. Without
        // lambdas: one that is linked for the first time while the stack runs out never works
        // again.
        for (DeferredWorkQueue<E> queue : queues) {
          queue.expectLoss();
        }
        for (DeferredWorkQueue<E> queue : queues) {
          queue.lose(cause);
        }
        DeferredWorkQueue.failBehindGone();
        Events.lost(number, String.valueOf(cause.getMessage()));
        Failures.log(LOG, Level.WARNING, "device " + name + " is lost", cause);
      }
      groups.lost(cause); // each time, since an error may have ended it
    }
  }

  @Override
  public String toString() {
    return name;
  }
}
