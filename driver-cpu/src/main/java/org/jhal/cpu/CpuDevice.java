package org.jhal.cpu;

import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jhal.BufferParams;
import org.jhal.Capability;
import org.jhal.DeviceInfo;
import org.jhal.ExecutableSource;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.cpu.runtime.HalRuntime;
import org.jhal.driver.Command;
import org.jhal.driver.DeviceBackend;
import org.jhal.driver.DeviceMemory;
import org.jhal.driver.KernelModule;
import org.jhal.driver.NativeStream;
import org.jhal.driver.bundle.KernelSpec;
import org.jhal.driver.bundle.Variant;
import org.jhal.driver.options.MemoryBudget;
import org.jspecify.annotations.Nullable;

/** The processors of this machine as a device: a pool of threads, and memory of the process. */
final class CpuDevice implements DeviceBackend<CpuEvent> {
  private static final Set<Capability> CAPABILITIES =
      Set.of(Capability.HOST_IMPORT, Capability.SHARED_MEMORY);

  /** All but native events. */
  private static final Set<Command.Kind> COMMANDS =
      Set.copyOf(EnumSet.complementOf(EnumSet.of(Command.Kind.EVENT)));

  /** All devices share events, and use each other's memory. */
  private static final Object EVENTS = new Object();

  private final DeviceInfo info;
  private final MemoryBudget budget;
  private final KernelCompiler compiler;
  private final long pool;

  private CpuDevice(DeviceInfo info, KernelCompiler compiler, long pool) {
    this.info = info;
    this.budget = new MemoryBudget(info.uri(), info.memoryBytes());
    this.compiler = compiler;
    this.pool = pool;
  }

  static CpuDevice open(DeviceInfo info, int threads, KernelCompiler compiler) {
    compiler.loadRuntime();
    long pool = HalRuntime.hal_pool_open(threads, "cpu-" + info.index());
    if (pool == 0 || HalRuntime.hal_pool_threads(pool) == 0) {
      throw new HalException(Status.RESOURCE_EXHAUSTED, "no thread can be started for kernels");
    }
    return new CpuDevice(info, compiler, pool);
  }

  long pool() {
    return pool;
  }

  MemoryBudget budget() {
    return budget;
  }

  @Override
  public DeviceInfo info() {
    return info;
  }

  @Override
  public Set<Capability> capabilities() {
    return CAPABILITIES;
  }

  @Override
  public Set<Command.Kind> supportedCommands() {
    return COMMANDS;
  }

  @Override
  public Set<String> executableFormats() {
    return KernelCompiler.FORMATS;
  }

  @Override
  public int rank(Variant variant) {
    return KernelCompiler.rank(variant);
  }

  @Override
  public NativeStream<CpuEvent> createStream(int index) {
    return new CpuStream(this, info.driver() + "-" + info.index() + "-stream" + index);
  }

  @Override
  public DeviceMemory allocate(long bytes, BufferParams params) {
    return CpuMemory.allocate(this, bytes);
  }

  @Override
  public DeviceMemory importHost(ByteBuffer memory, BufferParams params) {
    return CpuMemory.imported(this, memory);
  }

  @Override
  public Object eventDomain() {
    return EVENTS;
  }

  @Override
  public @Nullable String noAccess(DeviceBackend<?> owner) {
    return owner instanceof CpuDevice
        ? null
        : "cpu devices cannot use the memory of " + owner.info().driver() + " devices";
  }

  @Override
  public KernelModule load(ExecutableSource source, Variant variant, List<KernelSpec> kernels) {
    return compiler.load(source, variant, kernels);
  }

  @Override
  public void close() {
    HalRuntime.hal_pool_close(pool);
  }
}
