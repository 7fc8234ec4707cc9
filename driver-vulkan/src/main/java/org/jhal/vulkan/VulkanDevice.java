// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan;

import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.jhal.BufferParams;
import org.jhal.Capability;
import org.jhal.DeviceInfo;
import org.jhal.ExecutableSource;
import org.jhal.Global;
import org.jhal.HalException;
import org.jhal.MemoryType;
import org.jhal.QueueGrant;
import org.jhal.QueueRequest;
import org.jhal.Status;
import org.jhal.driver.Command;
import org.jhal.driver.CommandList;
import org.jhal.driver.DeviceBackend;
import org.jhal.driver.DeviceMemory;
import org.jhal.driver.GrantedStream;
import org.jhal.driver.KernelModule;
import org.jhal.driver.NativeStream;
import org.jhal.driver.PreparedCommands;
import org.jhal.driver.options.MemoryBudget;
import org.jhal.gpu.natives.Profile;
import org.jhal.gpu.transfer.TransferRing;
import org.jhal.kernels.bundle.KernelSpec;
import org.jhal.kernels.bundle.Variant;
import org.jspecify.annotations.Nullable;

/** A device that is open: a share of a {@link LogicalDevice}. */
class VulkanDevice implements DeviceBackend<VulkanEvent> {
  /** How long an allocation waits for each stream that is to free memory. */
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(2);

  /**
   * The settings of a device, apart from the engine's.
   *
   * @param stagingBytes the most memory of the host for transfers
   * @param copyThreads how many threads move such transfers
   * @param profile when times on the device are measured
   * @param compiler of kernels in C++
   * @param leastForKernel as in {@link Recording}
   */
  record Config(
      long stagingBytes,
      int copyThreads,
      Profile profile,
      VulkanCompiler compiler,
      long leastForKernel) {}

  private final LogicalDevice logical;
  private final DeviceInfo info;
  private final Profile profile;
  private final MemoryBudget budget;
  private final TransferRing ring;
  private final VulkanCompiler compiler;
  private final long leastForKernel;
  private final List<VulkanStream> streams = new CopyOnWriteArrayList<>(); // all that were made
  private final Set<VulkanStream> acquired = ConcurrentHashMap.newKeySet(); // in use
  private final Queue<VulkanStream> left = new ConcurrentLinkedQueue<>(); // idle, see keep()

  /**
   * For an open device.
   *
   * @param logical released when this closes
   */
  VulkanDevice(LogicalDevice logical, DeviceInfo info, Config config) {
    this.logical = logical;
    this.info = info;
    this.profile = config.profile;
    this.compiler = config.compiler;
    this.leastForKernel = config.leastForKernel;
    this.budget = new MemoryBudget(info.driver() + "-" + info.index(), info.memoryBytes());
    this.ring =
        new TransferRing(
            this,
            () -> new OwnCopies(logical, leastForKernel),
            config.stagingBytes,
            config.copyThreads);
  }

  final LogicalDevice logical() {
    return logical;
  }

  final Profile profile() {
    return profile;
  }

  /** From how many bytes on copies are work of {@link CopyKernels}. */
  final long leastForKernel() {
    return leastForKernel;
  }

  final TransferRing ring() {
    return ring;
  }

  @Override
  public final DeviceInfo info() {
    return info;
  }

  @Override
  public final Set<Capability> capabilities() {
    Set<Capability> capabilities =
        EnumSet.of(Capability.KERNEL_GLOBALS, Capability.SATURATING_CASTS);
    if (logical.physical().keepsSubnormals()) {
      capabilities.add(Capability.SUBNORMALS);
    }
    if (logical.physical().limits().importAlignment() > 0) {
      capabilities.add(Capability.HOST_IMPORT);
    }
    if (logical.hasSharedMemory()) {
      capabilities.add(Capability.SHARED_MEMORY);
    }
    if (logical.times() != null && profile().measures(true)) {
      capabilities.add(Capability.COMMAND_TIMES);
    }
    return capabilities;
  }

  @Override
  public final Set<String> executableFormats() {
    return compiler.absence() == null
        ? Set.of(Variant.CPP, VulkanModule.FORMAT)
        : Set.of(VulkanModule.FORMAT);
  }

  @Override
  public final String refusal(String format) {
    String absence = format.equals(Variant.CPP) ? compiler.absence() : null;
    return absence == null ? DeviceBackend.super.refusal(format) : absence;
  }

  @Override
  public final NativeStream<VulkanEvent> createStream(int index) {
    VulkanStream stream = makeStream();
    streams.add(stream);
    return stream;
  }

  /**
   * A stream that an earlier queue has left, or a new one. Priorities of Vulkan's queues are fixed
   * when a device is made, before any queue is requested.
   */
  @Override
  public final GrantedStream<VulkanEvent> acquireStream(int index, QueueRequest request) {
    VulkanStream stream = left.poll();
    if (stream == null) {
      stream = makeStream();
      streams.add(stream);
    }
    acquired.add(stream);
    return new GrantedStream<>(stream, new QueueGrant(QueueRequest.Priority.NORMAL, 0, 0, false));
  }

  @Override
  public final String noShares() {
    return "Vulkan runs the work of all queues on all compute units";
  }

  /**
   * Keeps the stream of an acquired queue that is closed, for the next one: submissions of other
   * streams may still refer to its timeline. Returns false if there is no such queue.
   */
  final boolean keep(VulkanStream stream) {
    return acquired.remove(stream) && left.add(stream);
  }

  /** Makes a stream; tests make one whose calls fail. */
  VulkanStream makeStream() {
    return new VulkanStream(this, ring);
  }

  @Override
  public final DeviceMemory allocate(long bytes, BufferParams params) {
    MemoryType type = params.type();
    try {
      return allocateNow(bytes, type);
    } catch (HalException e) {
      if (e.status() != Status.RESOURCE_EXHAUSTED || !awaitFrees()) {
        throw e;
      }
      return allocateNow(bytes, type);
    }
  }

  private DeviceMemory allocateNow(long bytes, MemoryType type) {
    return switch (type) {
      case DEVICE -> DeviceRange.allocate(logical.memory(type), budget, bytes);
      case SHARED -> HostRange.allocate(logical, logical.memory(type), budget, bytes);
      case HOST, HOST_UPLOAD -> HostRange.allocate(logical, logical.memory(type), null, bytes);
    };
  }

  /** Waits until streams are past memory that was freed in their order; whether there was any. */
  private boolean awaitFrees() {
    boolean isAny = false;
    for (VulkanStream stream : streams) {
      isAny |= stream.frees().await(PATIENCE_NANOS);
    }
    isAny |= logical.disposals().await(PATIENCE_NANOS);
    return isAny;
  }

  @Override
  public final DeviceMemory importHost(ByteBuffer memory, BufferParams params) {
    return new ImportedRange(logical, memory);
  }

  @Override
  public final Object eventDomain() {
    return logical;
  }

  @Override
  public final String noCooperation() {
    return "cannot run it: Vulkan does not promise that all workgroups of a dispatch run at the same"
        + " time";
  }

  @Override
  public final @Nullable String noAccess(DeviceBackend<?> owner) {
    return owner instanceof VulkanDevice other && other.logical == logical
        ? null
        : "it uses the memory of devices of the driver vulkan on the same hardware only";
  }

  @Override
  public final Set<Command.Kind> supportedCommands() {
    Set<Command.Kind> kinds = EnumSet.copyOf(BASE_COMMANDS);
    kinds.add(Command.Kind.INDIRECT_DISPATCH);
    return kinds;
  }

  /** A check of a grid belongs to one submission, so a command buffer with one is not kept. */
  @Override
  public final @Nullable PreparedCommands prepare(CommandList commands) {
    return commands.hasIndirectDispatch() ? null : new KeptCommands(commands);
  }

  @Override
  public final KernelModule load(
      ExecutableSource source, Variant variant, List<KernelSpec> kernels) {
    return load(source, variant, kernels, List.of());
  }

  @Override
  public final KernelModule load(
      ExecutableSource source, Variant variant, List<KernelSpec> kernels, List<Global> globals) {
    return VulkanModule.load(logical, compiler, source, variant, kernels, globals);
  }

  @Override
  public final DeviceMemory global(KernelModule module, int index) {
    return ((VulkanModule) module).global(index);
  }

  @Override
  public void close() {
    try {
      left.forEach(VulkanStream::close);
      ring.close();
    } finally {
      logical.release();
    }
  }
}
