// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu;

import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jhal.BufferParams;
import org.jhal.Capability;
import org.jhal.DeviceInfo;
import org.jhal.ExecutableSource;
import org.jhal.Global;
import org.jhal.HalException;
import org.jhal.QueueGrant;
import org.jhal.QueueRequest;
import org.jhal.Status;
import org.jhal.cpu.runtime.HalRuntime;
import org.jhal.driver.Command;
import org.jhal.driver.DeviceBackend;
import org.jhal.driver.DeviceMemory;
import org.jhal.driver.GrantedStream;
import org.jhal.driver.KernelModule;
import org.jhal.driver.NativeStream;
import org.jhal.driver.options.MemoryBudget;
import org.jhal.driver.support.Attempt;
import org.jhal.driver.support.ComputeShares;
import org.jhal.driver.support.HostEvent;
import org.jhal.driver.support.Liveness;
import org.jhal.kernels.bundle.KernelSpec;
import org.jhal.kernels.bundle.Variant;
import org.jhal.kernels.check.KernelChecks;
import org.jhal.kernels.workgroup.GridKernel;
import org.jspecify.annotations.Nullable;

/** The processors of this machine as a device: a pool of threads, and memory of the process. */
final class CpuDevice implements DeviceBackend<HostEvent> {
  private static final Set<Capability> CAPABILITIES =
      Set.of(
          Capability.HOST_IMPORT,
          Capability.SHARED_MEMORY,
          Capability.HOST_ADDRESSES,
          Capability.SATURATING_CASTS,
          Capability.SUBNORMALS,
          Capability.KERNEL_GLOBALS,
          Capability.QUEUE_PRIORITY,
          Capability.COMMAND_TIMES);

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
  private final CpuThreads threads; // of all streams without a share
  private final ComputeShares shares;
  private final BiFunction<CpuDevice, CpuThreads, CpuExecution> executions;

  private CpuDevice(
      DeviceInfo info,
      KernelCompiler compiler,
      @Nullable CpuCheck check,
      long pool,
      int threads,
      BiFunction<CpuDevice, CpuThreads, CpuExecution> executions) {
    this.info = info;
    this.budget = new MemoryBudget(info.uri(), info.memoryBytes());
    this.compiler = compiler;
    this.check = check;
    this.formats =
        Stream.concat(compiler.formats().stream(), Stream.of(Variant.JAVA))
            .collect(Collectors.toUnmodifiableSet());
    this.executions = executions;
    this.shares = new ComputeShares(name(), threads, 1);
    this.threads =
        new CpuThreads(pool, new JavaThreads(name(), threads - 1), QueueRequest.Priority.NORMAL);
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
      BiFunction<CpuDevice, CpuThreads, CpuExecution> executions) {
    compiler.loadRuntime();
    if (check != null) {
      check.open(threads);
    }
    return new CpuDevice(info, compiler, check, openPool(info, threads), threads, executions);
  }

  private static long openPool(DeviceInfo info, int threads) {
    long pool = HalRuntime.hal_pool_open(threads, "cpu-" + info.index());
    if (pool == 0) {
      throw new HalException(
          Status.RESOURCE_EXHAUSTED,
          "cannot start %s threads for kernels, each with a stack of 16 MiB; the option threads asks for fewer"
              .formatted(threads));
    }
    return pool;
  }

  String name() {
    return info.driver() + "-" + info.index();
  }

  /** What checks dispatches, or null. */
  @Nullable CpuCheck check() {
    return check;
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
    Set<Capability> all = EnumSet.copyOf(CAPABILITIES);
    if (check == null) { // checks know no order between workgroups that wait for each other
      all.add(Capability.COOPERATIVE_DISPATCH);
    } else if (check.checks().fails() && check.checks().has(KernelChecks.VALUES)) {
      all.remove(Capability.SATURATING_CASTS); // a cast of what is too large fails the operation
    }
    if (canBeShared()) {
      all.add(Capability.QUEUE_SHARE);
    }
    return all;
  }

  @Override
  public String noCooperation() {
    return "checks kernels, which it cannot if workgroups wait for each other; leave out the option"
        + " 'check'";
  }

  private boolean canBeShared() {
    return shares.canBeShared() && check == null;
  }

  @Override
  public String noShares() {
    return check == null
        ? "it has one thread for kernels, which cannot be divided"
        : "kernels that are checked run one after the other";
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
    return stream(index, threads, () -> {});
  }

  private CpuStream stream(int index, CpuThreads with, Runnable onClose) {
    return new CpuStream(this, executions.apply(this, with), name() + "-stream" + index, onClose);
  }

  @Override
  public GrantedStream<HostEvent> acquireStream(int index, QueueRequest request) {
    if (request.share().isEmpty()) {
      return new GrantedStream<>(
          stream(index, threads.withPriority(request.priority()), () -> {}),
          new QueueGrant(request.priority(), 0, shares.units(), false));
    }
    ComputeShares.Share share = shares.take(request.share().getAsDouble());
    CpuThreads own = null;
    CpuStream made = null;
    boolean isGranted = false;
    try {
      own =
          new CpuThreads(
              openPool(info, share.units()),
              new JavaThreads(name() + "-q" + index, share.units() - 1),
              request.priority());
      CpuThreads ending = own;
      made = stream(index, own, () -> end(ending, share));
      limitOthers();
      isGranted = true;
      return new GrantedStream<>(
          made, new QueueGrant(request.priority(), share.units(), shares.units(), true));
    } finally {
      if (!isGranted && made != null) {
        made.close(); // which ends the rest
      } else if (!isGranted) {
        end(own, share);
      }
    }
  }

  private void end(@Nullable CpuThreads own, ComputeShares.Share share) {
    if (own != null) {
      own.close();
    }
    shares.giveBack(share);
    limitOthers();
  }

  /** Lets kernels of queues without a share run on what is left. */
  private void limitOthers() {
    int rest;
    do {
      rest = shares.rest();
      threads.limit(rest);
    } while (rest != shares.rest()); // so that the limit that is set last is the latest
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
    return load(source, variant, kernels, List.of());
  }

  @Override
  public KernelModule load(
      ExecutableSource source, Variant variant, List<KernelSpec> kernels, List<Global> globals) {
    return variant.format().equals(Variant.JAVA)
        ? new JavaModule(GridKernel.load(source, variant, kernels))
        : compiler.load(source, variant, kernels, globals);
  }

  @Override
  public DeviceMemory global(KernelModule module, int index) {
    if (!(module instanceof CpuModule compiled)) {
      throw new HalException(
          Status.UNIMPLEMENTED, "kernels in Java have no variables for the host; pass buffers");
    }
    return CpuMemory.at(this, compiled.global(index), compiled.globalBytes(index));
  }

  @Override
  public void abandon() {
    liveness.abandon();
  }

  @Override
  public void close() {
    threads.close();
    if (check != null) {
      check.close();
    }
    HalRuntime.hal_memory_trim();
  }
}
