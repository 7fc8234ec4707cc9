// SPDX-License-Identifier: Apache-2.0
package org.jhal.mock;

import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.jhal.BufferParams;
import org.jhal.Capability;
import org.jhal.DeviceInfo;
import org.jhal.ExecutableSource;
import org.jhal.HalException;
import org.jhal.QueueGrant;
import org.jhal.QueueRequest;
import org.jhal.Status;
import org.jhal.driver.Command;
import org.jhal.driver.DeviceBackend;
import org.jhal.driver.DeviceMemory;
import org.jhal.driver.GrantedStream;
import org.jhal.driver.KernelModule;
import org.jhal.driver.NativeStream;
import org.jhal.driver.options.MemoryBudget;
import org.jhal.driver.support.ComputeShares;
import org.jhal.driver.support.EngineThread;
import org.jhal.driver.support.Faults;
import org.jhal.driver.support.Liveness;
import org.jhal.kernels.bundle.KernelSpec;
import org.jhal.kernels.bundle.Variant;
import org.jhal.kernels.check.KernelChecks;
import org.jhal.kernels.workgroup.GridKernel;
import org.jspecify.annotations.Nullable;

/** A device that consists of a few threads and some memory of this process. */
final class MockDevice implements DeviceBackend<MockEvent> {
  private static final Set<Capability> CAPABILITIES =
      Set.of(
          Capability.HOST_IMPORT,
          Capability.SHARED_MEMORY,
          Capability.COOPERATIVE_DISPATCH,
          Capability.SUBNORMALS,
          Capability.COMMAND_TIMES,
          Capability.QUEUE_PRIORITY,
          Capability.QUEUE_SHARE);

  /** Checked workgroups run one after the other. */
  private static final Set<Capability> CHECKED_CAPABILITIES =
      CAPABILITIES.stream()
          .filter(each -> each != Capability.COOPERATIVE_DISPATCH)
          .collect(Collectors.toUnmodifiableSet());

  /** How many compute units it seems to have; nothing but the books of shares knows them. */
  private static final int COMPUTE_UNITS = 16;

  private static final String FORMAT = "java";

  /** The tokens by which the devices of a driver share events, by the driver's name. */
  private static final Map<String, Object> EVENTS = new ConcurrentHashMap<>();

  /** All but native events. */
  private static final Set<Command.Kind> COMMANDS =
      Set.copyOf(EnumSet.complementOf(EnumSet.of(Command.Kind.EVENT)));

  /** The calls that can fail: those of the driver interface, and later steps of a stream. */
  private static final Set<String> CALLS =
      Set.of(
          "createStream",
          "closeStream",
          "bindToThread",
          "unbindFromThread",
          "createEvent",
          "submit",
          "destroyEvent",
          "recordEvent",
          "waitEvent",
          "queryEvent",
          "synchronizeEvent",
          "outcome", // only on a device with outcomes=asked
          "issue",
          "command", // one command while it is issued: those before it have reached the stream
          "execute", // one command while the stream runs it
          "allocAsync",
          "freeAsync",
          "allocate",
          "importHost",
          "map",
          "flush",
          "invalidate",
          "free",
          "enableAccess",
          "load",
          "unload",
          "close");

  private final DeviceInfo info;
  private final long seed;
  private final long delayNanos;
  private final int workerCount;
  private final boolean outcomesCanFail;
  private final @Nullable KernelChecks checks;
  private final Faults faults;
  private final MemoryBudget budget;
  private final AtomicInteger liveModules = new AtomicInteger();
  private final Set<MockEvent> events = ConcurrentHashMap.newKeySet();
  private final Map<Integer, MockStream> streams = new ConcurrentHashMap<>(); // by index
  private final MockTurns turns = new MockTurns();
  private final ComputeShares shares;
  private final ExecutorService workers;
  private final ExecutorService groupThreads; // one for each workgroup of a cooperative kernel
  private final Queue<Runnable> givenBack = new ConcurrentLinkedQueue<>(); // see notifyOwner

  // Devices whose streams have waited for events of this one, and vice versa.
  private final Set<MockDevice> waiters = new CopyOnWriteArraySet<>();
  private final Set<MockDevice> awaited = new CopyOnWriteArraySet<>();

  // Devices whose memory this one may use, and vice versa.
  private final Set<MockDevice> accessible = new CopyOnWriteArraySet<>();
  private final Set<MockDevice> users = new CopyOnWriteArraySet<>();
  private final Liveness liveness = new Liveness();
  private volatile boolean reportsLossOnce;

  private final AtomicInteger openStreams = new AtomicInteger();

  /**
   * A device.
   *
   * @param seed determines how unordered work is swapped; 0 to keep everything in order
   * @param delayNanos a stream's delay before each task, in nanoseconds
   * @param threads the maximum number of threads of a dispatch, including the stream's own
   * @param outcomesCanFail whether only the outcome of an event reports a failure of work
   * @param checks what is checked while kernels run; null for nothing
   * @param faults the faults of its calls, from the first one on
   */
  MockDevice(
      DeviceInfo info,
      long seed,
      long delayNanos,
      int threads,
      boolean outcomesCanFail,
      @Nullable KernelChecks checks,
      Faults faults) {
    this.info = info;
    this.budget = new MemoryBudget(name(), info.memoryBytes());
    this.shares = new ComputeShares(name(), COMPUTE_UNITS, 1);
    this.checks = checks;
    this.faults = faults;
    this.seed = seed;
    this.delayNanos = delayNanos;
    this.workerCount = threads - 1;
    this.outcomesCanFail = outcomesCanFail;
    AtomicInteger count = new AtomicInteger();
    this.workers =
        Executors.newFixedThreadPool(
            Math.max(1, workerCount),
            body -> {
              return new EngineThread(name() + "-worker" + count.getAndIncrement(), body);
            });
    AtomicInteger groups = new AtomicInteger();
    this.groupThreads =
        Executors.newCachedThreadPool(
            body -> new EngineThread(name() + "-group" + groups.getAndIncrement(), body));
  }

  String name() {
    return info.driver() + "-" + info.index();
  }

  long seed() {
    return seed;
  }

  long delayNanos() {
    return delayNanos;
  }

  /** Without pending failures. */
  static Faults newFaults() {
    return new Faults(CALLS);
  }

  Faults faults() {
    return faults;
  }

  /** How many threads may help a stream's own thread. */
  int workers() {
    return workerCount;
  }

  @Nullable KernelChecks checks() {
    return checks;
  }

  /** Runs each task at once, on a thread of its own. */
  Executor groupThreads() {
    return groupThreads;
  }

  void work(Runnable body) {
    workers.execute(body);
  }

  /**
   * Called at the start of each native call: throws if the device reports a loss, or if the call is
   * to fail.
   */
  void enter(String call) {
    if (!reportsLossOnce) {
      checkAlive();
    }
    check(call);
  }

  /**
   * Called in each native call that also works on a lost device, because it binds a thread or
   * releases something: throws if the call is to fail. Releases happen first, so that such a
   * failure leaks nothing.
   */
  void check(String call) {
    try {
      faults.check(call);
    } catch (HalException e) {
      if (e.status() == Status.UNAVAILABLE) {
        lose(e);
      }
      throw e;
    }
  }

  // Loss.

  Liveness liveness() {
    return liveness;
  }

  boolean isLost() {
    return liveness.isLost();
  }

  void checkAlive() {
    liveness.checkAlive();
  }

  void reportLossOnce() {
    reportsLossOnce = true;
  }

  /** Loses the device: every later call fails with UNAVAILABLE, and waiting threads are woken. */
  void lose(HalException cause) {
    liveness.lose(cause);
    pokeStreams();
    pokeWaiters();
  }

  /** A stream of this device is going to wait for an event of {@code other}. */
  void awaitFrom(MockDevice other) {
    awaited.add(other);
    other.waiters.add(this);
  }

  /** An event has fired for which streams of other devices may wait. */
  void pokeWaiters() {
    for (MockDevice waiter : waiters) {
      waiter.pokeStreams();
    }
  }

  /**
   * Returns {@code memory} if commands on this device may use it.
   *
   * @throws HalException INVALID_ARGUMENT if it is another device's, and access was not enabled
   */
  MockMemory accessible(MockMemory memory) {
    MockDevice owner = memory.device();
    if (owner != this && !accessible.contains(owner)) {
      throw new HalException(
          Status.INVALID_ARGUMENT, name() + " has no access to the memory of " + owner.name());
    }
    return memory;
  }

  void pokeStreams() {
    streams.values().forEach(MockStream::poke);
    turns.changed();
  }

  /** A stream that is not closed; null if there is none of this index. */
  @Nullable MockStream stream(int index) {
    return streams.get(index);
  }

  void resumeAll() {
    streams.values().forEach(stream -> stream.setPaused(false));
  }

  /** In which order streams begin. */
  MockTurns turns() {
    return turns;
  }

  MockEvent makeEvent() {
    MockEvent event = new MockEvent(this);
    events.add(event);
    return event;
  }

  void dropEvent(MockEvent event) {
    events.remove(event);
  }

  void dropStream(MockStream stream) {
    streams.remove(stream.index(), stream);
    turns.remove(stream);
    ComputeShares.Share share = stream.share();
    if (share != null) {
      shares.giveBack(share);
    }
    openStreams.decrementAndGet();
  }

  void dropModule() {
    liveModules.decrementAndGet();
  }

  String leftovers() {
    StringBuilder text = new StringBuilder();
    if (!events.isEmpty()) {
      text.append(events.size()).append(" events ");
    }
    if (openStreams.get() != 0) {
      text.append(openStreams).append(" streams ");
    }
    if (budget.used() != 0) {
      text.append(budget.used()).append(" bytes ");
    }
    if (liveModules.get() != 0) {
      text.append(liveModules).append(" modules ");
    }
    return text.toString();
  }

  // DeviceBackend.

  @Override
  public long bindToThread() {
    check("bindToThread");
    return 0;
  }

  @Override
  public void unbindFromThread(long token) {
    notifyOwners();
    check("unbindFromThread");
  }

  /**
   * Calls {@code then} for the owner of imported memory once a thread leaves the device: a little
   * after the free, as some devices do.
   */
  void notifyOwner(Runnable then) {
    givenBack.add(then);
  }

  private void notifyOwners() {
    for (Runnable then = givenBack.poll(); then != null; then = givenBack.poll()) {
      then.run();
    }
  }

  @Override
  public DeviceInfo info() {
    return info;
  }

  @Override
  public Set<Capability> capabilities() {
    return checks == null ? CAPABILITIES : CHECKED_CAPABILITIES;
  }

  @Override
  public String noCooperation() {
    return "runs the workgroups of kernels that are checked one after the other";
  }

  @Override
  public Set<Command.Kind> supportedCommands() {
    return COMMANDS;
  }

  @Override
  public Set<String> executableFormats() {
    return Set.of(FORMAT);
  }

  @Override
  public String refusal(String format) {
    return format.equals(Variant.CPP)
        ? info.driver()
            + "-"
            + info.index()
            + " runs kernels in Java only; the device 'cpu' runs those in C++. There, work pauses"
            + " if it waits for a timeline that the program signals later, and fails if a kernel"
            + " calls __trap() or the program throws in a host call"
        : DeviceBackend.super.refusal(format);
  }

  @Override
  public NativeStream<MockEvent> createStream(int index) {
    enter("createStream");
    return add(new MockStream(this, index, QueueRequest.Priority.NORMAL, null));
  }

  @Override
  public GrantedStream<MockEvent> acquireStream(int index, QueueRequest request) {
    ComputeShares.Share share =
        request.share().isPresent() ? shares.take(request.share().getAsDouble()) : null;
    MockStream stream = null;
    try {
      enter("createStream");
      stream = add(new MockStream(this, index, request.priority(), share));
    } finally {
      if (stream == null && share != null) {
        shares.giveBack(share);
      }
    }
    int units = share == null ? 0 : share.units();
    return new GrantedStream<>(
        stream, new QueueGrant(request.priority(), units, shares.units(), units > 0));
  }

  private MockStream add(MockStream stream) {
    streams.put(stream.index(), stream);
    turns.add(stream);
    openStreams.incrementAndGet();
    return stream;
  }

  @Override
  public boolean supports(BufferParams params) {
    return true;
  }

  @Override
  public DeviceMemory allocate(long bytes, BufferParams params) {
    enter("allocate");
    budget.reserve(bytes);
    MockMemory memory = MockMemory.promised(this, bytes);
    try {
      memory.materialise();
    } catch (HalException e) {
      budget.giveBack(bytes);
      throw e;
    }
    return memory;
  }

  @Override
  public DeviceMemory importHost(ByteBuffer memory, BufferParams params) {
    enter("importHost");
    return MockMemory.imported(this, memory);
  }

  MemoryBudget budget() {
    return budget;
  }

  @Override
  public boolean outcomesCanFail() {
    return outcomesCanFail;
  }

  @Override
  public Object eventDomain() {
    return EVENTS.computeIfAbsent(info.driver(), name -> new Object());
  }

  @Override
  public @Nullable String noAccess(DeviceBackend<?> owner) {
    return owner.info().driver().equals(info.driver())
        ? null
        : info.driver() + " devices cannot use the memory of " + owner.info().driver() + " devices";
  }

  @Override
  public void enableAccess(DeviceBackend<?> owner) {
    enter("enableAccess");
    MockDevice other = (MockDevice) owner;
    other.users.add(this);
    accessible.add(other);
  }

  @Override
  public KernelModule load(ExecutableSource source, Variant variant, List<KernelSpec> kernels) {
    enter("load");
    MockModule module = new MockModule(this, GridKernel.load(source, variant, kernels));
    liveModules.incrementAndGet();
    return module;
  }

  @Override
  public void close() {
    accessible.forEach(other -> other.users.remove(this));
    users.forEach(other -> other.accessible.remove(this));
    awaited.forEach(other -> other.waiters.remove(this));
    waiters.forEach(other -> other.awaited.remove(this));
    workers.shutdown();
    groupThreads.shutdown();
    notifyOwners();
    check("close");
  }
}
