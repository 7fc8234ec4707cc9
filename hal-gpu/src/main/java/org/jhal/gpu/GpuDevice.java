// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jhal.BufferParams;
import org.jhal.Capability;
import org.jhal.DeviceInfo;
import org.jhal.ExecutableSource;
import org.jhal.Global;
import org.jhal.GraphStatistics;
import org.jhal.HalException;
import org.jhal.MemoryType;
import org.jhal.QueueGrant;
import org.jhal.QueueRequest;
import org.jhal.QueueRequest.Priority;
import org.jhal.Status;
import org.jhal.driver.Command;
import org.jhal.driver.CommandList;
import org.jhal.driver.DeviceBackend;
import org.jhal.driver.DeviceMemory;
import org.jhal.driver.GrantedStream;
import org.jhal.driver.KernelModule;
import org.jhal.driver.NativeGroup;
import org.jhal.driver.NativeStream;
import org.jhal.driver.PreparedCommands;
import org.jhal.driver.options.MemoryBudget;
import org.jhal.driver.support.FreeThread;
import org.jhal.gpu.collective.GpuGroup;
import org.jhal.gpu.collective.GroupDevice;
import org.jhal.gpu.collective.LaunchBlocking;
import org.jhal.gpu.compile.KernelLoader;
import org.jhal.gpu.graph.GraphCache;
import org.jhal.gpu.graph.GraphOptions;
import org.jhal.gpu.memory.ForeignMemory;
import org.jhal.gpu.memory.ImportedMemory;
import org.jhal.gpu.memory.MemoryPool;
import org.jhal.gpu.natives.CooperativeCalls;
import org.jhal.gpu.natives.GpuProperties;
import org.jhal.gpu.natives.GpuVendor;
import org.jhal.gpu.natives.Profile;
import org.jhal.gpu.natives.RangeMarks;
import org.jhal.gpu.runtime.ComputeSplit;
import org.jhal.gpu.runtime.GpuCore;
import org.jhal.gpu.runtime.GpuEvent;
import org.jhal.gpu.runtime.GpuRuntime;
import org.jhal.gpu.runtime.GraphRuntime;
import org.jhal.gpu.stream.ComputePlace;
import org.jhal.gpu.stream.ComputePlaces;
import org.jhal.gpu.stream.GpuStream;
import org.jhal.gpu.stream.OwnCopyStream;
import org.jhal.gpu.time.DeviceClock;
import org.jhal.gpu.transfer.TransferRing;
import org.jhal.kernels.bundle.KernelSpec;
import org.jhal.kernels.bundle.Variant;
import org.jhal.kernels.cache.KernelCache;
import org.jspecify.annotations.Nullable;

/** A device backend over a {@link GpuRuntime}. */
public final class GpuDevice implements DeviceBackend<GpuEvent> {
  /**
   * The settings of a device, apart from the engine's.
   *
   * @param cache where compiled kernels are kept; null to keep none
   * @param graphs when graphs are used
   * @param stagingBytes the largest amount of page-locked memory for transfers of pageable memory
   * @param copyThreads the number of threads that move such memory
   * @param profile when times on the device are measured
   * @param ranges marks operations for the vendor's profiler; null if they are not marked
   */
  record Config(
      @Nullable KernelCache cache,
      GraphOptions graphs,
      long stagingBytes,
      int copyThreads,
      Profile profile,
      @Nullable RangeMarks ranges) {}

  private static final System.Logger LOG = System.getLogger(GpuDevice.class.getName());

  private final GpuRuntime runtime;
  private final GpuProperties properties;
  private final FreeThread frees;
  private final GpuCore core;
  private final KernelLoader kernels;
  private final MemoryPool pool;
  private final TransferRing ring; // moves pageable memory
  private final @Nullable KernelCache cache;
  private final @Nullable GraphCache graphs; // null if the device uses none
  private final GpuNativeCalls nativeCalls;
  private final @Nullable String noCooperation; // why; null if it launches cooperative kernels
  private final DeviceClock clock;
  private final Profile profile;
  private final @Nullable RangeMarks ranges; // null if nothing is marked
  private final GroupDevice groups;
  private final List<GpuStream> streams = new CopyOnWriteArrayList<>(); // all that were created
  private final AtomicInteger numbers = new AtomicInteger(); // of streams

  /** Those that acquired queues have left. */
  private final Map<StreamKind, Queue<GpuStream>> left = new ConcurrentHashMap<>();

  /** The shares of queues that are acquired. */
  private final Map<GpuStream, ComputePlaces.Share> lent = new ConcurrentHashMap<>();

  private final @Nullable ComputePlaces places; // null if the compute units cannot be divided
  private final AtomicBoolean hasStayed = new AtomicBoolean(); // a stream; logged once

  /**
   * Opens a device.
   *
   * @param runtime released when this device closes, or if this constructor throws
   * @param config the device's settings
   */
  GpuDevice(GpuRuntime runtime, GpuProperties properties, Config config) {
    this.runtime = runtime;
    this.properties = properties;
    this.cache = config.cache();
    this.nativeCalls = new GpuNativeCalls(runtime);
    this.noCooperation = CooperativeCalls.obstacle(runtime, properties);
    this.clock = new DeviceClock(runtime);
    this.profile = config.profile();
    this.ranges = config.ranges();
    MemoryPool made = null;
    boolean isOpen = false;
    try {
      this.frees =
          new FreeThread(
              name(),
              free -> runtime.gate().run(() -> runtime.giveBack(free)),
              () -> streams.stream().allMatch(GpuStream::isKnownIdle));
      this.core = new GpuCore(runtime, frees, name(), properties.ordinal());
      GraphRuntime graphCalls =
          config.graphs().isOff() || !runtime.library().hasGraphs() ? null : runtime.makeGraphs();
      this.groups = new GroupDevice(core, graphCalls);
      this.kernels = runtime.makeKernels(properties);
      long token = runtime.bindToThread();
      try {
        ComputeSplit split = runtime.makeSplit();
        this.places = split == null ? null : new ComputePlaces(core, split);
        made =
            new MemoryPool(core, new MemoryBudget(name(), info().memoryBytes()), this::evictGraph);
      } finally {
        runtime.unbindFromThread(token);
      }
      this.pool = made;
      this.ring =
          new TransferRing(
              runtime, () -> OwnCopyStream.open(core), config.stagingBytes(), config.copyThreads());
      this.graphs = graphCalls == null ? null : new GraphCache(core, graphCalls, config.graphs());
      isOpen = true;
    } finally {
      if (!isOpen) {
        if (made != null) {
          runtime.giveBack(made::close);
        }
        runtime.release();
      }
    }
  }

  private String name() {
    return info().driver() + "-" + info().index();
  }

  /** The native calls. Public for tests. */
  public GpuRuntime runtime() {
    return runtime;
  }

  /** Makes the releases for which the runtime waits until the device is idle. Public for tests. */
  public FreeThread frees() {
    return frees;
  }

  /** The stream of all groups' collectives; null if no group has used it. Public for tests. */
  public @Nullable Long groupStreamIfMade() {
    return groups.streamIfMade();
  }

  @Override
  public long bindToThread() {
    return runtime.bindToThread();
  }

  @Override
  public void unbindFromThread(long token) {
    runtime.unbindFromThread(token);
  }

  @Override
  public DeviceInfo info() {
    return properties.info();
  }

  @Override
  public Set<Capability> capabilities() {
    Set<Capability> all =
        EnumSet.of(
            Capability.HOST_IMPORT,
            Capability.NATIVE_ACCESS,
            Capability.SATURATING_CASTS,
            Capability.SUBNORMALS,
            Capability.KERNEL_GLOBALS,
            Capability.QUEUE_PRIORITY);
    if (profile.measures(true)) {
      all.add(Capability.COMMAND_TIMES);
    }
    if (noCooperation == null) {
      all.add(Capability.COOPERATIVE_DISPATCH);
    }
    if (places != null) {
      all.add(Capability.QUEUE_SHARE);
    }
    return all;
  }

  @Override
  public String noCooperation() {
    return String.valueOf(noCooperation);
  }

  @Override
  public String noShares() {
    return runtime.noSplit();
  }

  @Override
  public Set<Command.Kind> supportedCommands() {
    return Set.copyOf(EnumSet.allOf(Command.Kind.class));
  }

  @Override
  public Set<String> executableFormats() {
    return kernels.formats();
  }

  @Override
  public NativeStream<GpuEvent> createStream(int index) {
    return makeStream(new StreamHome(0, null));
  }

  /**
   * A stream that an earlier queue with this priority and place has left, or a new one. Those that
   * are left stay until the device is closed: to free what a stream has used may wait until the
   * device is idle.
   */
  @Override
  public GrantedStream<GpuEvent> acquireStream(int index, QueueRequest request) {
    int priority = runtime.priority(request.priority());
    Priority granted = priority == 0 ? Priority.NORMAL : request.priority();
    ComputePlaces division = places;
    if (request.share().isEmpty() || division == null) {
      int units = division == null ? 0 : division.units();
      return new GrantedStream<>(
          takeStream(priority, null), new QueueGrant(granted, 0, units, false));
    }
    ComputePlaces.Share share = division.take(request.share().getAsDouble());
    GpuStream stream = null;
    try {
      stream = takeStream(priority, share);
      return new GrantedStream<>(
          stream,
          new QueueGrant(
              division.hasPriorities() ? granted : Priority.NORMAL,
              share.units(),
              division.units(),
              division.hasPriorities()));
    } finally {
      if (stream == null) {
        share.giveBack();
      }
    }
  }

  private GpuStream takeStream(int priority, ComputePlaces.@Nullable Share share) {
    StreamKind kind = new StreamKind(priority, share == null ? null : share.place());
    GpuStream kept = leftOf(kind).poll();
    GpuStream stream = kept != null ? kept : makeStream(new StreamHome(priority, kind));
    if (share != null) {
      lent.put(stream, share);
    }
    return stream;
  }

  private Queue<GpuStream> leftOf(StreamKind kind) {
    return left.computeIfAbsent(kind, key -> new ConcurrentLinkedQueue<>());
  }

  private GpuStream makeStream(StreamHome home) {
    GpuStream made =
        new GpuStream(
            core, numbers.getAndIncrement(), home, pool, ring, graphs, clock, profile, ranges);
    streams.add(made);
    return made;
  }

  /**
   * Which queues a stream is good for.
   *
   * @param priority the runtime's number
   * @param place that of a share; null without one
   */
  private record StreamKind(int priority, @Nullable ComputePlace place) {}

  /** What a stream needs of this device. */
  private final class StreamHome implements GpuStream.Home {
    private final int priority;
    private final @Nullable StreamKind kind; // null for a stream that is not acquired

    StreamHome(int priority, @Nullable StreamKind kind) {
      this.priority = priority;
      this.kind = kind;
    }

    @Override
    public @Nullable ComputePlace place() {
      ComputePlace own = kind == null ? null : kind.place();
      ComputePlaces division = places;
      if (own != null || division == null) {
        return own;
      }
      return priority == 0 || division.hasPriorities() ? division.rest() : null;
    }

    @Override
    public long openStream(@Nullable ComputePlace place) {
      long made =
          place != null
              ? place.openStream(priority)
              : priority == 0 ? runtime.openStream() : runtime.openStream(priority);
      nativeCalls.lend(made);
      return made;
    }

    @Override
    public boolean keep(GpuStream stream) {
      ComputePlaces.Share share = lent.remove(stream);
      if (share != null) {
        share.giveBack();
      }
      return kind != null && leftOf(kind).add(stream);
    }

    @Override
    public void stays(HalException cause) {
      if (!hasStayed.getAndSet(true)) {
        LOG.log(
            System.Logger.Level.WARNING,
            name() + ": a stream goes on where its kernels ran, beside a queue's share",
            cause);
      }
    }
  }

  @Override
  public boolean supports(BufferParams params) {
    return params.type() != MemoryType.SHARED;
  }

  @Override
  public DeviceMemory allocate(long bytes, BufferParams params) {
    return pool.allocate(bytes, params);
  }

  @Override
  public DeviceMemory importHost(ByteBuffer memory, BufferParams params) {
    return new ImportedMemory(runtime, frees, memory);
  }

  @Override
  public DeviceMemory importDevice(long address, long bytes) {
    runtime.checkDeviceMemory(address, bytes);
    return new ForeignMemory(frees, core.place(), address, bytes);
  }

  @Override
  public List<Object> views() {
    return List.of(runtime.view(), nativeCalls);
  }

  @Override
  public Object eventDomain() {
    return runtime.library();
  }

  /** Devices on the same GPU share its context, and so its memory. */
  @Override
  public @Nullable String noAccess(DeviceBackend<?> owner) {
    if (owner instanceof GpuDevice other && other.runtime.library() == runtime.library()) {
      return properties.peers().obstacle(other.core.place());
    }
    return "devices of the driver %s do not use the memory of those of %s"
        .formatted(info().driver(), owner.info().driver());
  }

  @Override
  public void enableAccess(DeviceBackend<?> owner) {
    GpuDevice other = (GpuDevice) owner;
    if (other.core.place() == core.place()) {
      return;
    }
    try {
      runtime.gate().run(() -> runtime.enableAccess(other.runtime));
    } catch (HalException e) {
      if (e.status() != Status.UNAVAILABLE) {
        throw e;
      }
      pool.checkWorks(); // the call may have reported the other device's loss
      throw new HalException(
          Status.FAILED_PRECONDITION, other.name() + " is lost: " + e.getMessage(), e);
    }
  }

  @Override
  public NativeGroup<GpuEvent> createGroup(List<DeviceBackend<?>> ranks, long patience) {
    List<GpuDevice> devices = new ArrayList<>();
    for (DeviceBackend<?> rank : ranks) {
      GpuDevice device = sameDriver(devices.size(), rank);
      for (GpuDevice other : devices) {
        if (other.core.place() == device.core.place()) {
          throw new HalException(
              Status.UNIMPLEMENTED,
              "ranks " + devices.indexOf(other) + " and " + devices.size() + " are on one GPU");
        }
      }
      devices.add(device);
    }
    GpuVendor vendor = runtime.library().vendor();
    LaunchBlocking.check(devices.size(), vendor.launchBlocking(), System.getenv());
    List<GroupDevice> members = devices.stream().map(device -> device.groups).toList();
    return GpuGroup.create(vendor.collectives(), runtime.gate(), members, patience);
  }

  private GpuDevice sameDriver(int rank, DeviceBackend<?> backend) {
    if (backend instanceof GpuDevice device && device.runtime.library() == runtime.library()) {
      return device;
    }
    throw new HalException(
        Status.UNIMPLEMENTED,
        "rank 0 is a device of the driver %s, rank %s of %s"
            .formatted(info().driver(), rank, backend.info().driver()));
  }

  /** Ends an idle graph, because memory is short; it can be made again. */
  private boolean evictGraph() {
    GraphCache cache = graphs;
    return cache != null && cache.evictOldest();
  }

  @Override
  public KernelModule load(ExecutableSource source, Variant variant, List<KernelSpec> specs) {
    return load(source, variant, specs, List.of());
  }

  @Override
  public KernelModule load(
      ExecutableSource source, Variant variant, List<KernelSpec> specs, List<Global> globals) {
    return kernels.load(source, variant, specs, globals, frees::free, cache);
  }

  @Override
  public DeviceMemory global(KernelModule module, int index) {
    KernelLoader.Variable found = KernelLoader.variable(module, index);
    return new ForeignMemory(frees, core.place(), found.address(), found.bytes());
  }

  @Override
  public @Nullable PreparedCommands prepare(CommandList commands) {
    return graphs == null ? null : graphs.prepare(commands);
  }

  @Override
  public GraphStatistics graphs() {
    return graphs == null ? GraphStatistics.NONE : graphs.statistics();
  }

  @Override
  public void close() {
    groups.beginClose();
    nativeCalls.close();
    left.values().forEach(kept -> kept.forEach(stream -> runtime.giveBack(stream::destroy)));
    streams.forEach(stream -> runtime.giveBack(stream::freeMemory));
    frees.close(this::closeLast);
  }

  private void closeLast() {
    groups.endCommunicators();
    runtime.gate().run(this::freeAll);
    runtime.release();
  }

  private void freeAll() {
    if (graphs != null) {
      runtime.giveBack(graphs::close);
    }
    runtime.giveBack(clock::close);
    runtime.giveBack(ring::close);
    runtime.giveBack(pool::close);
    Long collectives = groupStreamIfMade();
    if (collectives != null) {
      runtime.giveBack(() -> runtime.closeStream(collectives));
    }
    if (places != null) {
      runtime.giveBack(places::close);
    }
    runtime.pinning().forget();
  }
}
