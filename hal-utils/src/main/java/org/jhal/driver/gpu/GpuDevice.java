package org.jhal.driver.gpu;

import java.nio.ByteBuffer;
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
import org.jhal.driver.CommandList;
import org.jhal.driver.DeviceBackend;
import org.jhal.driver.DeviceMemory;
import org.jhal.driver.KernelModule;
import org.jhal.driver.NativeStream;
import org.jhal.driver.PreparedCommands;
import org.jhal.driver.bundle.KernelSpec;
import org.jhal.driver.bundle.Variant;
import org.jhal.driver.cache.KernelCache;
import org.jhal.driver.options.MemoryBudget;
import org.jspecify.annotations.Nullable;

/**
 * A device backend over a {@link GpuRuntime}.
 *
 * @param <S> the native stream
 * @param <E> the native event
 * @param <K> the native kernel
 */
public final class GpuDevice<S, E, K> implements DeviceBackend<GpuEvent<E>> {
  private final GpuRuntime<S, E, K> runtime;
  private final GpuProperties properties;
  private final MemoryPool<S> pool;
  private final TransferRing<S, E> ring;
  private final FreeThread frees;
  private final @Nullable KernelCache cache;
  private final @Nullable GraphCache<S, K> graphs; // null if the device uses none
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
    MemoryPool<S> made = null;
    try {
      long token = runtime.bindToThread();
      try {
        made =
            new MemoryPool<>(
                runtime, new MemoryBudget(name(), info().memoryBytes()), this::evictGraph);
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

  MemoryPool<S> pool() {
    return pool;
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
    return Set.of(Capability.HOST_IMPORT);
  }

  @Override
  public Set<String> executableFormats() {
    return runtime.kernels().formats();
  }

  @Override
  public NativeStream<GpuEvent<E>> createStream(int index) {
    streams.incrementAndGet();
    return new GpuStream<>(this, index);
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

  /** Memory is short, so a graph that is not in use ends; it can be made again. */
  private boolean evictGraph() {
    GraphCache<S, K> cache = graphs;
    return cache != null && cache.evictOldest();
  }

  /** Whether this driver itself has page-locked all of the memory. Calls no native function. */
  boolean hasPinned(HostMemory memory) {
    ByteBuffer direct = memory.direct();
    if (direct == null) {
      return false;
    }
    long address = GpuRuntime.address(direct);
    return runtime.hasPinned(address, address + memory.size() - 1);
  }

  /**
   * The address of host memory if all of it is page-locked, so that the device can access it; else
   * 0.
   */
  long pinnedAddress(HostMemory memory) {
    ByteBuffer direct = memory.direct();
    if (direct == null) {
      return 0;
    }
    long address = GpuRuntime.address(direct);
    return runtime.isPinned(address, address + memory.size() - 1) ? address : 0;
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
    frees.close(this::closeLast);
  }

  private void closeLast() {
    if (graphs != null) {
      runtime.giveBack(graphs::close);
    }
    runtime.giveBack(ring::close);
    runtime.giveBack(pool::close);
    runtime.forgetPinned();
    runtime.release();
  }
}
