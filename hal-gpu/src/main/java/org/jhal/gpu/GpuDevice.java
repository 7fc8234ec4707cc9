// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jhal.BufferParams;
import org.jhal.Capability;
import org.jhal.DeviceInfo;
import org.jhal.ExecutableSource;
import org.jhal.GraphStatistics;
import org.jhal.HalException;
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
import org.jhal.gpu.natives.GpuProperties;
import org.jhal.gpu.natives.GpuVendor;
import org.jhal.gpu.natives.Profile;
import org.jhal.gpu.natives.RangeMarks;
import org.jhal.gpu.runtime.GpuCore;
import org.jhal.gpu.runtime.GpuEvent;
import org.jhal.gpu.runtime.GpuRuntime;
import org.jhal.gpu.runtime.GraphRuntime;
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
  private final DeviceClock clock;
  private final Profile profile;
  private final @Nullable RangeMarks ranges; // null if nothing is marked
  private final GroupDevice groups;
  private final List<GpuStream> streams = new CopyOnWriteArrayList<>(); // all that were created

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
    this.clock = new DeviceClock(runtime);
    this.profile = config.profile();
    this.ranges = config.ranges();
    MemoryPool made = null;
    boolean isOpen = false;
    try {
      this.frees = new FreeThread(name(), free -> runtime.gate().run(() -> runtime.giveBack(free)));
      this.core = new GpuCore(runtime, frees, name(), properties.ordinal());
      GraphRuntime graphCalls =
          config.graphs().isOff() || !runtime.library().hasGraphs() ? null : runtime.makeGraphs();
      this.groups = new GroupDevice(core, graphCalls);
      this.kernels = runtime.makeKernels(properties);
      long token = runtime.bindToThread();
      try {
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
    return Set.of(Capability.HOST_IMPORT, Capability.NATIVE_ACCESS, Capability.SATURATING_CASTS);
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
    GpuStream made = new GpuStream(core, index, pool, ring, graphs, clock, profile, ranges);
    nativeCalls.lend(made.handle());
    streams.add(made);
    return made;
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
    return kernels.load(source, variant, specs, frees::free, cache);
  }

  @Override
  public @Nullable PreparedCommands prepare(CommandList commands) {
    return graphs == null ? null : graphs.prepare(commands, streams.size());
  }

  @Override
  public GraphStatistics graphs() {
    return graphs == null ? GraphStatistics.NONE : graphs.statistics();
  }

  @Override
  public void close() {
    groups.beginClose();
    nativeCalls.close();
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
    runtime.pinning().forget();
  }
}
