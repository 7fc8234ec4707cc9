// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu;

import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
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
import org.jhal.driver.options.MemoryBudget;
import org.jhal.driver.support.Attempt;
import org.jhal.driver.support.HostEvent;
import org.jhal.driver.support.Liveness;
import org.jhal.kernels.bundle.KernelSpec;
import org.jhal.kernels.bundle.Variant;
import org.jhal.kernels.workgroup.GridKernel;
import org.jspecify.annotations.Nullable;

/** The processors of this machine as a device: a pool of threads, and memory of the process. */
final class CpuDevice implements DeviceBackend<HostEvent> {
  private static final Set<Capability> CAPABILITIES =
      Set.of(
          Capability.HOST_IMPORT,
          Capability.SHARED_MEMORY,
          Capability.HOST_ADDRESSES,
          Capability.SATURATING_CASTS);

  /** All but native events. */
  private static final Set<Command.Kind> COMMANDS =
      Set.copyOf(EnumSet.complementOf(EnumSet.of(Command.Kind.EVENT)));

  /** All devices share events, and use each other's memory. */
  private static final Object EVENTS = new Object();

  private static final System.Logger LOG = System.getLogger(CpuDevice.class.getName());

  /** How many times {@link #overwritten} logs. */
  private static final int MOST_OVERWRITTEN = 10;

  private final AtomicInteger overwritten = new AtomicInteger();
  private final DeviceInfo info;
  private final MemoryBudget budget;
  private final Liveness liveness = new Liveness();
  private final KernelCompiler compiler;
  private final @Nullable CpuCheck check;
  private final Set<String> formats;
  private final long pool;
  private final JavaThreads javaThreads;
  private final Function<CpuDevice, CpuExecution> executions;

  private CpuDevice(
      DeviceInfo info,
      KernelCompiler compiler,
      @Nullable CpuCheck check,
      long pool,
      int threads,
      Function<CpuDevice, CpuExecution> executions) {
    this.info = info;
    this.budget = new MemoryBudget(info.uri(), info.memoryBytes());
    this.compiler = compiler;
    this.check = check;
    this.formats =
        Stream.concat(compiler.formats().stream(), Stream.of(Variant.JAVA))
            .collect(Collectors.toUnmodifiableSet());
    this.pool = pool;
    this.executions = executions;
    this.javaThreads = new JavaThreads(name(), threads - 1);
  }

  /**
   * Opens a device.
   *
   * @param check what checks its dispatches, or null
   * @param executions makes what carries out the commands of a stream
   */
  static CpuDevice open(
      DeviceInfo info,
      int threads,
      KernelCompiler compiler,
      @Nullable CpuCheck check,
      Function<CpuDevice, CpuExecution> executions) {
    compiler.loadRuntime();
    if (check != null) {
      check.open(threads);
    }
    long pool = HalRuntime.hal_pool_open(threads, "cpu-" + info.index());
    if (pool == 0) {
      throw new HalException(
          Status.RESOURCE_EXHAUSTED,
          "cannot start %s threads for kernels, each with a stack of 16 MiB; the option threads asks for fewer"
              .formatted(threads));
    }
    return new CpuDevice(info, compiler, check, pool, threads, executions);
  }

  String name() {
    return info.driver() + "-" + info.index();
  }

  /** The threads that run kernels in C++. */
  long pool() {
    return pool;
  }

  /** What checks dispatches, or null. */
  @Nullable CpuCheck check() {
    return check;
  }

  /** The threads that help a stream's own with kernels in Java. */
  Executor javaThreads() {
    return javaThreads;
  }

  /** How many of them there are at most. */
  int javaThreadCount() {
    return javaThreads.count();
  }

  Liveness liveness() {
    return liveness;
  }

  MemoryBudget budget() {
    return budget;
  }

  /**
   * Logs that memory outside a buffer was overwritten, where no operation can fail with it: the
   * buffer is being freed.
   */
  void overwritten(String message) {
    int count = overwritten.incrementAndGet();
    if (count <= MOST_OVERWRITTEN) {
      String end = count == MOST_OVERWRITTEN ? "; further buffers like this are not logged" : "";
      // The thread may be the stream's, and a logger may throw.
      Attempt.of(() -> LOG.log(System.Logger.Level.ERROR, message + end));
    }
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
    return formats;
  }

  @Override
  public String refusal(String format) {
    return format.equals(Variant.CPP) ? compiler.absence() : DeviceBackend.super.refusal(format);
  }

  @Override
  public int rank(Variant variant) {
    return KernelCompiler.rank(variant);
  }

  @Override
  public NativeStream<HostEvent> createStream(int index) {
    return new CpuStream(this, executions.apply(this), name() + "-stream" + index);
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
  public DeviceMemory importDevice(long address, long bytes) {
    if (address == 0) {
      throw new HalException(Status.INVALID_ARGUMENT, "there is no memory at address 0");
    }
    if (Long.compareUnsigned(address + bytes, address) < 0) {
      throw new HalException(
          Status.INVALID_ARGUMENT,
          "%s bytes at address 0x%x: the range ends after the last address"
              .formatted(bytes, address));
    }
    return CpuMemory.at(this, address, bytes);
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
    return variant.format().equals(Variant.JAVA)
        ? new JavaModule(GridKernel.load(source, variant, kernels))
        : compiler.load(source, variant, kernels);
  }

  @Override
  public void abandon() {
    liveness.abandon();
  }

  @Override
  public void close() {
    javaThreads.close();
    HalRuntime.hal_pool_close(pool);
    if (check != null) {
      check.close();
    }
    HalRuntime.hal_memory_trim();
  }
}
