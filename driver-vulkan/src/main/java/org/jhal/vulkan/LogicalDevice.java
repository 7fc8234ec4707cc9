// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jhal.HalException;
import org.jhal.MemoryType;
import org.jhal.Status;
import org.jhal.gpu.natives.NativeBinding;
import org.jhal.gpu.natives.Undo;
import org.jhal.vulkan.jna.Structs;
import org.jhal.vulkan.jna.VulkanApi;
import org.jhal.vulkan.jna.VulkanConstants;
import org.jhal.vulkan.jna.VulkanSetup;
import org.jhal.vulkan.jna.VulkanTable;
import org.jspecify.annotations.Nullable;

/**
 * A VkDevice, with its queues, timelines and memory. All devices that are open on the same hardware
 * share one, so that they wait for each other's events and use each other's memory. It is destroyed
 * when nothing uses it any more; after a loss, the next open creates another one.
 *
 * <p>Thread-safe.
 */
final class LogicalDevice {
  /** What takes work to its queue. */
  @FunctionalInterface
  interface Submitter {
    /** Hands over work now, or later if it must wait for other work to be handed over first. */
    void submit(Work work);
  }

  private record Key(long physical, @Nullable NativeBinding binding) {}

  /** The devices that are open, or being created; null where that has failed. Guarded by itself. */
  private static final Map<Key, CompletableFuture<@Nullable LogicalDevice>> OPEN = new HashMap<>();

  private final Key key;
  private final PhysicalDevice physical;
  private final VulkanTable calls;
  private final long handle;
  private final List<NativeQueue> queues = new ArrayList<>();
  private final long pipelineLayout;
  private final Map<MemoryType, MemoryBlocks> memory = new EnumMap<>(MemoryType.class);
  private final MemoryBlocks visibleMemory;
  private final MappedMemory mapped = new MappedMemory();
  private final @Nullable DeviceTimes times; // null where they cannot be measured
  private volatile @Nullable TrapReports traps; // null until a module is loaded
  private final CopyKernels copyKernels = new CopyKernels(this);
  private final Disposals disposals = new Disposals();
  private final Submissions submissions = new Submissions(this);
  private final GridChecks grids = new GridChecks(this);
  private final AtomicReference<@Nullable HalException> lost = new AtomicReference<>();
  private volatile Submitter submitter = submissions::submit;

  @GuardedBy("this")
  private final Deque<Timeline> timelines = new ArrayDeque<>(); // of closed streams

  private int users = 1; // guarded by OPEN

  private LogicalDevice(Key key, PhysicalDevice physical) {
    this.key = key;
    this.physical = physical;
    this.calls = VulkanApi.API.calls(key.binding);
    this.handle = create(physical);
    this.times = DeviceTimes.obstacle(physical) == null ? new DeviceTimes(this) : null;
    boolean isOpen = false;
    try {
      for (int i = 0; i < physical.family().count(); i++) {
        long[] queue = new long[1];
        setup().getDeviceQueue(handle, physical.family().index(), i, queue);
        queues.add(new NativeQueue(this, queue[0]));
      }
      pipelineLayout = createPipelineLayout();
      isOpen = true;
    } finally {
      if (!isOpen) {
        setup().destroyDevice(handle, 0);
      }
    }
    Map<Integer, MemoryBlocks> byType = new HashMap<>();
    for (MemoryType type : MemoryType.values()) {
      int index = physical.memory().index(type);
      if (index != MemoryTypes.NONE) {
        boolean isMapped = type != MemoryType.DEVICE;
        memory.put(
            type,
            byType.computeIfAbsent(
                isMapped ? ~index : index, each -> new MemoryBlocks(this, index, isMapped)));
      }
    }
    int visible = physical.memory().visible();
    visibleMemory =
        visible == MemoryTypes.NONE
            ? memory(MemoryType.HOST)
            : byType.computeIfAbsent(~visible, each -> new MemoryBlocks(this, visible, true));
  }

  /**
   * Opens a device, or returns the one that is open on this hardware. Each call is undone by a
   * {@link #release}.
   *
   * @param binding of the functions that operations call; null for the driver's own
   */
  static LogicalDevice open(PhysicalDevice physical, @Nullable NativeBinding binding) {
    Key key = new Key(physical.handle(), binding);
    CompletableFuture<@Nullable LogicalDevice> own = new CompletableFuture<>();
    while (true) {
      CompletableFuture<@Nullable LogicalDevice> other;
      synchronized (OPEN) {
        other = OPEN.putIfAbsent(key, own);
      }
      if (other == null) {
        return create(key, physical, own);
      }
      LogicalDevice open = other.join(); // outside, since another thread may be creating it
      if (open != null && open.tryRetain()) {
        return open;
      }
      synchronized (OPEN) {
        OPEN.remove(key, other);
      }
    }
  }

  private static LogicalDevice create(
      Key key, PhysicalDevice physical, CompletableFuture<@Nullable LogicalDevice> promise) {
    LogicalDevice made = null;
    try {
      made = new LogicalDevice(key, physical);
      return made;
    } finally {
      promise.complete(made);
    }
  }

  private boolean tryRetain() {
    synchronized (OPEN) {
      if (users == 0 || lost.get() != null) {
        return false;
      }
      users++;
      return true;
    }
  }

  /** Keeps it until one more {@link #release}. */
  void retain() {
    synchronized (OPEN) {
      users++;
    }
  }

  /** Destroys it if that was the last use. */
  void release() {
    synchronized (OPEN) {
      users--;
      if (users > 0) {
        return;
      }
      CompletableFuture<@Nullable LogicalDevice> current = OPEN.get(key);
      if (current != null && current.getNow(null) == this) {
        OPEN.remove(key);
      }
    }
    destroy();
  }

  private void destroy() {
    submissions.close();
    disposals.close();
    grids.close();
    TrapReports reports = traps;
    if (reports != null) {
      reports.close();
    }
    Stream.concat(memory.values().stream(), Stream.of(visibleMemory))
        .distinct()
        .forEach(MemoryBlocks::close);
    copyKernels.close();
    setup().destroyPipelineLayout(handle, pipelineLayout, 0);
    synchronized (this) {
      timelines.forEach(each -> setup().destroySemaphore(handle, each.handle(), 0));
    }
    setup().destroyDevice(handle, 0);
  }

  private static long create(PhysicalDevice physical) {
    List<String> extensions = new ArrayList<>();
    boolean hasFloats = physical.extensions().contains(FeatureChain.FLOATS_EXTENSION);
    if (hasFloats) {
      extensions.add(FeatureChain.FLOATS_EXTENSION);
    }
    if (physical.limits().importAlignment() > 0) {
      extensions.add(PhysicalDevice.HOST_MEMORY_EXTENSION);
    }
    if (DeviceTimes.obstacle(physical) == null) {
      extensions.add(DeviceTimes.EXTENSION);
    }
    try (Structs structs = new Structs()) {
      FeatureChain features = new FeatureChain(structs, hasFloats);
      features.enable(physical.features());
      int count = physical.family().count();
      Structs.Struct priorities = structs.zeros(Float.BYTES * count);
      Structs.Struct queues =
          structs
              .typed(VulkanConstants.VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, 0, 40)
              .int32(0)
              .int32(physical.family().index())
              .int32(count)
              .int64(priorities.address());
      long names = structs.texts(extensions);
      Structs.Struct info =
          structs
              .typed(VulkanConstants.VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, features.address(), 72)
              .int32(0)
              .int32(1)
              .int64(queues.address())
              .int32(0)
              .int64(0)
              .int32(extensions.size())
              .int64(names)
              .int64(0);
      long[] device = new long[1];
      VulkanResult.check(
          "createDevice", setup().createDevice(physical.handle(), info.address(), 0, device));
      return device[0];
    }
  }

  private long createPipelineLayout() {
    try (Structs structs = new Structs()) {
      Structs.Struct range =
          structs
              .zeros(12)
              .int32(VulkanConstants.VK_SHADER_STAGE_COMPUTE_BIT)
              .int32(0)
              .int32(Arguments.MAX_PUSHED);
      Structs.Struct info =
          structs
              .typed(VulkanConstants.VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, 0, 48)
              .int32(0)
              .int32(0)
              .int64(0)
              .int32(1)
              .int64(range.address());
      long[] layout = new long[1];
      check(
          "createPipelineLayout", setup().createPipelineLayout(handle, info.address(), 0, layout));
      return layout[0];
    }
  }

  static VulkanSetup setup() {
    return VulkanApi.API.setup();
  }

  VulkanTable calls() {
    return calls;
  }

  /** The VkDevice. */
  long handle() {
    return handle;
  }

  PhysicalDevice physical() {
    return physical;
  }

  /** The layout of all pipelines: {@link Arguments#MAX_PUSHED} bytes of push constants. */
  long pipelineLayout() {
    return pipelineLayout;
  }

  /** The native queue for one more stream: one that has the fewest. */
  NativeQueue assignQueue() {
    synchronized (queues) {
      NativeQueue least = queues.get(0);
      for (NativeQueue queue : queues) {
        if (queue.streams().get() < least.streams().get()) {
          least = queue;
        }
      }
      least.streams().incrementAndGet();
      return least;
    }
  }

  /** Maps the times of its clock; null where they cannot be measured. */
  @Nullable DeviceTimes times() {
    return times;
  }

  /** What takes the reports of work items that give up. */
  synchronized TrapReports traps() {
    TrapReports reports = traps;
    if (reports == null) {
      reports = new TrapReports(this);
      traps = reports;
    }
    return reports;
  }

  /**
   * Looks at what operations that are over have left for the host: grids that were too large, and
   * work items that gave up. Called behind the look that has found an event fired.
   */
  void lookAtEnds() {
    grids.look();
    TrapReports reports = traps;
    if (reports != null) {
      reports.look();
    }
  }

  /** The driver's own kernels. */
  CopyKernels copyKernels() {
    return copyKernels;
  }

  /** What is destroyed when no submission uses it any more. */
  Disposals disposals() {
    return disposals;
  }

  /** The grids of indirect dispatches. */
  GridChecks grids() {
    return grids;
  }

  /** Memory for buffers of a type that the device supports. */
  MemoryBlocks memory(MemoryType type) {
    return Objects.requireNonNull(memory.get(type));
  }

  /** Memory of the device that the host sees, perhaps little; of the host if there is none. */
  MemoryBlocks visibleMemory() {
    return visibleMemory;
  }

  /** What of its memory the host sees. */
  MappedMemory mapped() {
    return mapped;
  }

  boolean hasSharedMemory() {
    return memory.containsKey(MemoryType.SHARED);
  }

  // Submissions.

  void submit(Work work) {
    submitter.submit(work);
  }

  /** What takes work to its queue; for tests, which replace it. */
  Submitter submitter() {
    return submitter;
  }

  /** From now on all work goes through {@code other}; for tests. */
  void setSubmitter(Submitter other) {
    submitter = other;
  }

  /** A timeline for a stream. */
  Timeline takeTimeline() {
    Timeline taken;
    synchronized (this) {
      taken = timelines.poll();
    }
    if (taken == null) {
      taken = createTimeline();
    }
    disposals.opened(taken);
    return taken;
  }

  private Timeline createTimeline() {
    try (Structs structs = new Structs()) {
      Structs.Struct type =
          structs
              .typed(VulkanConstants.VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, 0, 32)
              .int32(VulkanConstants.VK_SEMAPHORE_TYPE_TIMELINE)
              .int64(0);
      Structs.Struct info =
          structs.typed(
              VulkanConstants.VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, type.address(), 24);
      long[] semaphore = new long[1];
      check("createSemaphore", setup().createSemaphore(handle, info.address(), 0, semaphore));
      return Undo.onFailure(
          () -> new Timeline(this, semaphore[0]),
          () -> setup().destroySemaphore(handle, semaphore[0], 0));
    }
  }

  /** Takes back what a stream had that is closed. */
  void giveBack(Timeline timeline, NativeQueue queue) {
    disposals.closed(timeline);
    queue.streams().decrementAndGet();
    synchronized (this) {
      timelines.add(timeline);
    }
  }

  // Loss.

  /**
   * Throws the failure of a call unless {@code code} is VK_SUCCESS. One that means the loss of the
   * device is kept.
   */
  void check(String function, int code) {
    if (code != VulkanConstants.VK_SUCCESS) {
      throw failure(function, code, "");
    }
  }

  /** Makes the failure of a call; see {@link #check}. */
  HalException failure(String function, int code, String what) {
    HalException failure = VulkanResult.failure(function, code, what);
    if (failure.status() == Status.UNAVAILABLE) {
      lost.compareAndSet(null, failure);
    }
    return failure;
  }

  /** Loses the device, since work cannot be submitted that others may wait for. */
  void lose(HalException failure) {
    lost.compareAndSet(
        null,
        failure.status() == Status.UNAVAILABLE
            ? failure
            : new HalException(
                Status.UNAVAILABLE, "work could not be submitted: " + failure.getMessage()));
  }

  /** Throws a copy of the cause if the device is lost. */
  void checkAlive() {
    HalException cause = lost.get();
    if (cause != null) {
      throw cause.again();
    }
  }
}
