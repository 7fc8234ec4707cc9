package org.jhal.gpu;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.jhal.BufferParams;
import org.jhal.Capability;
import org.jhal.DeviceInfo;
import org.jhal.ExecutableSource;
import org.jhal.GraphStatistics;
import org.jhal.HalException;
import org.jhal.HostMemory;
import org.jhal.MemoryType;
import org.jhal.Status;
import org.jhal.driver.Command;
import org.jhal.driver.CommandList;
import org.jhal.driver.DeviceBackend;
import org.jhal.driver.DeviceMemory;
import org.jhal.driver.KernelModule;
import org.jhal.driver.NativeGroup;
import org.jhal.driver.NativeStream;
import org.jhal.driver.PreparedCommands;
import org.jhal.driver.bundle.KernelSpec;
import org.jhal.driver.bundle.Variant;
import org.jhal.driver.cache.KernelCache;
import org.jhal.driver.options.MemoryBudget;
import org.jhal.driver.support.EarlyClasses;
import org.jhal.driver.support.Once;
import org.jspecify.annotations.Nullable;

/**
 * A device backend over a {@link GpuRuntime}.
 *
 * @param <S> the native stream
 * @param <E> the native event
 * @param <K> the native kernel
 */
public final class GpuDevice<S, E, K> implements DeviceBackend<GpuEvent<E>> {
  static {
    EarlyClasses.initialize(
        Clique.class,
        ClockFit.class,
        CollectiveLibrary.class,
        DeviceClock.class,
        FreeThread.class,
        GpuGroup.class,
        GpuStream.class,
        GraphCache.class,
        GraphFallback.class,
        GraphInstance.class,
        GraphNodes.class,
        LaunchGate.class,
        UploadMemory.class);
  }

  private final GpuRuntime<S, E, K> runtime;
  private final GpuProperties properties;
  private final MemoryPool<S> pool;
  private final TransferRing<S, E> ring;
  private final FreeThread frees;
  private final @Nullable KernelCache cache;
  private final @Nullable GraphCache<S, K> graphs; // null if the device uses none
  private final GpuNativeCalls<S, E, K> nativeCalls;
  private final DeviceClock<S, E> clock;
  private final Profile profile;
  private final @Nullable RangeMarks ranges; // null if nothing is marked
  private final Once<S> groupStream = new Once<>(); // on which the collectives of all groups run
  private volatile @Nullable CommunicatorCache cliques; // of the first group that it is in
  private volatile boolean isClosing;
  private final AtomicInteger streams = new AtomicInteger(); // how many were created

  /**
   * Opens a device.
   *
   * @param runtime is released when this device is closed, or if this constructor throws
   * @param config what the settings of the device say
   */
  GpuDevice(GpuRuntime<S, E, K> runtime, GpuProperties properties, GpuConfig config) {
    this.runtime = runtime;
    this.properties = properties;
    this.cache = config.cache();
    this.nativeCalls = new GpuNativeCalls<>(runtime);
    this.clock = new DeviceClock<>(runtime);
    this.profile = config.profile();
    this.ranges = config.ranges();
    MemoryPool<S> made = null;
    try {
      long token = runtime.bindToThread();
      try {
        made =
            new MemoryPool<>(
                runtime, place(), new MemoryBudget(name(), info().memoryBytes()), this::evictGraph);
      } finally {
        runtime.unbindFromThread(token);
      }
      this.pool = made;
      this.ring = new TransferRing<>(runtime, config.stagingBytes(), config.copyThreads());
      this.frees = new FreeThread(runtime, name());
      GraphRuntime<S, K> calls = config.graphs().isOff() ? null : runtime.graphs();
      this.graphs = calls == null ? null : new GraphCache<>(this, calls, config.graphs());
    } catch (Throwable t) {
      MemoryPool<S> left = made;
      if (left != null) {
        runtime.giveBack(left::close);
      }
      runtime.release();
      throw t;
    }
  }

  /** {@code DRIVER-INDEX}. */
  String name() {
    return info().driver() + "-" + info().index();
  }

  /** The native calls. Public for tests. */
  public GpuRuntime<S, E, K> runtime() {
    return runtime;
  }

  /** Releases what the runtime releases only when the device is idle. Public for tests. */
  public FreeThread frees() {
    return frees;
  }

  /** The {@link GpuMemory#place} of its own memory. */
  int place() {
    return properties.ordinal();
  }

  MemoryPool<S> pool() {
    return pool;
  }

  /** Maps times of the device to those of the host. */
  DeviceClock<S, E> clock() {
    return clock;
  }

  Profile profile() {
    return profile;
  }

  /** Marks operations for a profiler; null if they are not marked. */
  @Nullable RangeMarks ranges() {
    return ranges;
  }

  /** The stream on which the collectives of all groups run. The device is bound. */
  S groupStream() {
    return groupStream.get(runtime::openStream);
  }

  /** The same if there was a group, else null. Public for tests. */
  public @Nullable S groupStreamIfMade() {
    return groupStream.ifMade();
  }

  /** Moves pageable memory. */
  TransferRing<S, E> ring() {
    return ring;
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
    return Set.of(Capability.HOST_IMPORT, Capability.NATIVE_ACCESS);
  }

  @Override
  public Set<Command.Kind> supportedCommands() {
    return Set.copyOf(EnumSet.allOf(Command.Kind.class));
  }

  @Override
  public Set<String> executableFormats() {
    return runtime.kernels().formats();
  }

  @Override
  public NativeStream<GpuEvent<E>> createStream(int index) {
    streams.incrementAndGet();
    GpuStream<S, E, K> made = new GpuStream<>(this, index);
    nativeCalls.lend(made.handle());
    return made;
  }

  @Override
  public boolean supports(BufferParams params) {
    return params.type() != MemoryType.SHARED;
  }

  @Override
  public DeviceMemory allocate(long bytes, BufferParams params) {
    return switch (params.type()) {
      case DEVICE -> pool.allocate(bytes);
      case HOST -> new PinnedMemory(runtime, frees, bytes);
      case HOST_UPLOAD -> new UploadMemory(runtime, frees, bytes);
      default -> throw new HalException(Status.UNIMPLEMENTED, "no memory of type " + params.type());
    };
  }

  @Override
  public DeviceMemory importHost(ByteBuffer memory, BufferParams params) {
    return new ImportedMemory(runtime, frees, memory);
  }

  @Override
  public DeviceMemory importDevice(long address, long bytes) {
    runtime.checkDeviceMemory(address, bytes);
    return new ForeignMemory(frees, place(), address, bytes);
  }

  @Override
  public List<Object> views() {
    return List.of(runtime.view(), nativeCalls);
  }

  @Override
  public Object eventDomain() {
    return runtime.library();
  }

  /** Devices that were opened on the same GPU share its context, and so all of its memory. */
  @Override
  public @Nullable String noAccess(DeviceBackend<?> owner) {
    if (owner instanceof GpuDevice<?, ?, ?> other && other.runtime.library() == runtime.library()) {
      return properties.peers().obstacle(other.place());
    }
    return "devices of the driver "
        + info().driver()
        + " do not use the memory of those of "
        + owner.info().driver();
  }

  @Override
  @SuppressWarnings("unchecked") // devices of one library are of one type
  public void enableAccess(DeviceBackend<?> owner) {
    GpuDevice<S, E, K> other = (GpuDevice<S, E, K>) owner;
    if (other.place() == place()) {
      return;
    }
    try {
      runtime.gate().run(() -> runtime.enableAccess(other.runtime));
    } catch (HalException e) {
      if (e.status() != Status.UNAVAILABLE) {
        throw e;
      }
      pool.checkWorks(); // the call may have told of the other device's loss
      throw new HalException(
          Status.FAILED_PRECONDITION, other.name() + " is lost: " + e.getMessage(), e);
    }
  }

  @Override
  public NativeGroup<GpuEvent<E>> createGroup(List<DeviceBackend<?>> ranks, long patience) {
    List<GpuDevice<S, E, ?>> devices = new ArrayList<>();
    for (DeviceBackend<?> rank : ranks) {
      GpuDevice<S, E, ?> device = sameDriver(devices.size(), rank);
      for (GpuDevice<S, E, ?> other : devices) {
        if (other.place() == device.place()) {
          throw new HalException(
              Status.UNIMPLEMENTED,
              "ranks " + devices.indexOf(other) + " and " + devices.size() + " are on one GPU");
        }
      }
      devices.add(device);
    }
    LaunchBlocking.check(devices.size(), runtime.launchBlocking(), System.getenv());
    CollectiveLibrary library = runtime.collectives();
    devices.forEach(device -> device.cliques = library.cache());
    return GpuGroup.create(library, runtime.gate(), devices, patience);
  }

  @SuppressWarnings("unchecked") // devices of one library are of one type
  private GpuDevice<S, E, ?> sameDriver(int rank, DeviceBackend<?> backend) {
    if (backend instanceof GpuDevice<?, ?, ?> device
        && device.runtime.library() == runtime.library()) {
      return (GpuDevice<S, E, ?>) device;
    }
    throw new HalException(
        Status.UNIMPLEMENTED,
        "rank 0 is a device of the driver "
            + info().driver()
            + ", rank "
            + rank
            + " of "
            + backend.info().driver());
  }

  /** Memory is short, so a graph that is not in use ends; it can be made again. */
  private boolean evictGraph() {
    GraphCache<S, K> cache = graphs;
    return cache != null && cache.evictOldest();
  }

  /** Whether this driver itself has page-locked all of the memory. Calls no native function. */
  boolean hasPinned(HostMemory memory) {
    long address = address(memory);
    return address != 0 && runtime.hasPinned(address, address + memory.size() - 1);
  }

  /**
   * The address of host memory if all of it is page-locked, so that the device can access it; else
   * 0.
   */
  long pinnedAddress(HostMemory memory) {
    long address = address(memory);
    return address != 0 && runtime.isPinned(address, address + memory.size() - 1) ? address : 0;
  }

  /** The native address of host memory, or 0 if it is on the heap. */
  private static long address(HostMemory memory) {
    Buffer direct = memory.direct();
    return direct == null ? memory.address() : GpuRuntime.address(direct);
  }

  @Override
  public KernelModule load(ExecutableSource source, Variant variant, List<KernelSpec> kernels) {
    return runtime.kernels().load(source, variant, kernels, frees, cache);
  }

  @Override
  public @Nullable PreparedCommands prepare(CommandList commands) {
    return graphs == null ? null : graphs.prepare(commands, streams.get());
  }

  @Override
  public GraphStatistics graphs() {
    return graphs == null ? GraphStatistics.NONE : graphs.statistics();
  }

  @Override
  public void close() {
    isClosing = true; // from now on nobody keeps its communicators
    nativeCalls.close();
    frees.close(this::closeLast);
  }

  /** Whether it is being closed, or is closed. */
  boolean isClosing() {
    return isClosing;
  }

  private void closeLast() {
    CommunicatorCache used = cliques;
    if (used != null) {
      used.end(this);
    }
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
    S collectives = groupStreamIfMade();
    if (collectives != null) {
      runtime.giveBack(() -> runtime.closeStream(collectives));
    }
    runtime.forgetPinned();
  }
}
