// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine;

import java.nio.channels.FileChannel;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import org.jhal.AcquiredQueue;
import org.jhal.Allocator;
import org.jhal.Capability;
import org.jhal.CollectiveGroup;
import org.jhal.CommandBuffer;
import org.jhal.Device;
import org.jhal.DeviceFile;
import org.jhal.DeviceInfo;
import org.jhal.DeviceQueue;
import org.jhal.DeviceStatistics;
import org.jhal.Executable;
import org.jhal.ExecutableSource;
import org.jhal.HalException;
import org.jhal.MemoryPool;
import org.jhal.PoolRequest;
import org.jhal.QueueRequest;
import org.jhal.Setting;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.driver.DeviceBackend;
import org.jhal.driver.options.EngineConfig;
import org.jhal.driver.support.Attempt;
import org.jhal.driver.support.Lazy;
import org.jhal.driver.support.PlatformThreads;
import org.jhal.engine.base.DeviceCore;
import org.jhal.engine.base.DeviceResources;
import org.jhal.engine.base.SemaphorePlace;
import org.jhal.engine.collective.CollectivesModule;
import org.jhal.engine.collective.DeviceCollectives;
import org.jhal.engine.file.EngineFile;
import org.jhal.engine.flightrecorder.FlightRecorder;
import org.jhal.engine.flightrecorder.Span;
import org.jhal.engine.kernel.ExecutableLoader;
import org.jhal.engine.memory.EngineAllocator;
import org.jhal.engine.memory.EnginePool;
import org.jhal.engine.queue.DeferredWorkQueue;
import org.jhal.engine.queue.Operation.State;
import org.jhal.engine.recording.EngineCommandBuffer;
import org.jhal.engine.timeline.Cascade;
import org.jhal.engine.transfer.StagingPool;
import org.jhal.spi.CollectiveDevice;
import org.jhal.spi.HostFailures;
import org.jspecify.annotations.Nullable;

/**
 * The device class of every driver on this engine, which contributes a {@link DeviceBackend}.
 *
 * <p>Thread-safe.
 *
 * @param <E> the driver's native event
 */
public final class EngineDevice<E> implements CollectiveDevice {
  private final DeviceCore<E> core;
  private final List<Setting> settings;
  private final EngineAllocator allocator;
  private final ExecutableLoader loader;
  private final List<EngineQueue<E>> queues = new ArrayList<>();

  // What files are staged in, by queue, then what is staged between devices, and then what files of
  // acquired queues are staged in.
  private final List<StagingPool> staging = new CopyOnWriteArrayList<>();
  private final Lazy<DeviceCollectives> collectives = new Lazy<>(); // made for the first group
  private final AcquiredQueues<E> acquired;
  final DeviceShutdown<E> shutdown;

  /**
   * Opens a device: creates its streams and starts the threads of its queues. If that fails,
   * everything created so far is closed again, {@code backend} included.
   *
   * @param settings the result of {@link #settings()}
   * @throws HalException what the backend throws; RESOURCE_EXHAUSTED if there is no memory, or no
   *     thread can be started
   */
  public EngineDevice(DeviceBackend<E> backend, EngineConfig config, List<Setting> settings) {
    this.settings = List.copyOf(settings);
    this.core = new DeviceCore<>(this, backend, config);
    StagingPool between = new StagingPool(core, false);
    core.onLost(this::failGroups);
    this.allocator = new EngineAllocator(core);
    this.loader = new ExecutableLoader(core);
    this.acquired = new AcquiredQueues<>(core, staging);
    this.shutdown = new DeviceShutdown<>(core, collectives, staging);
    boolean isOpen = false;
    try {
      core.startJournal();
      core.calls().call(() -> createQueues(config.queues(), between));
      core.queues().forEach(DeferredWorkQueue::start);
      shutdown.open();
      isOpen = true;
    } catch (OutOfMemoryError e) { // also if no thread can be started
      throw HostFailures.of(Status.RESOURCE_EXHAUSTED, core.name() + " cannot be opened", e);
    } finally {
      if (!isOpen) {
        shutdown.closeHalfMade();
      }
    }
  }

  private int createQueues(int count, StagingPool between) {
    if (count > info().maxQueues()) {
      throw new HalException(
          Status.OUT_OF_RANGE,
          "queues=" + count + ": " + info() + " has at most " + info().maxQueues());
    }
    for (int i = 0; i < count; i++) {
      DeferredWorkQueue<E> queue = core.addQueue();
      StagingPool files = new StagingPool(core, true);
      staging.add(files);
      queues.add(new EngineQueue<>(core, i, queue, files, between, false));
      core.addCopyQueue(new EngineQueue<>(core, i, queue, files, between, true));
    }
    staging.add(between);
    return count;
  }

  /** A view of a hidden queue for transfers, none of files, also while the device is closing. */
  private EngineQueue<E> transfers(DeferredWorkQueue<E> queue) {
    return new EngineQueue<>(core, queueCount(), queue, staging.get(0), between(), true);
  }

  /** What is staged between devices. */
  private StagingPool between() {
    return staging.get(queues.size());
  }

  /** What its bytes are staged in: those of files, by queue, and last those between devices. */
  List<StagingPool> staging() {
    return staging;
  }

  DeviceCore<E> core() {
    return core;
  }

  /** {@code DRIVER-INDEX}, which is also the prefix of its threads' names. */
  public String name() {
    return core.name();
  }

  /** The driver's side of the device. */
  public DeviceBackend<E> backend() {
    return core.backend();
  }

  @Override
  public DeviceInfo info() {
    return core.info();
  }

  @Override
  public Set<Capability> capabilities() {
    return core.capabilities();
  }

  @Override
  public List<Setting> settings() {
    return settings;
  }

  @Override
  public int queueCount() {
    return queues.size();
  }

  @Override
  public DeviceQueue queue(int index) {
    if (index < 0 || index >= queues.size()) {
      throw new HalException(
          Status.OUT_OF_RANGE,
          "queue %s of %s, which has the queues 0 to %s"
              .formatted(index, name(), queues.size() - 1));
    }
    return queues.get(index);
  }

  @Override
  public AcquiredQueue acquireQueue(QueueRequest request) {
    Objects.requireNonNull(request, "request");
    core.checkUsable();
    return acquired.acquire(request);
  }

  @Override
  public TimelineSemaphore createSemaphore(long initialValue) {
    core.checkOpen();
    return SemaphorePlace.make(initialValue, core);
  }

  @Override
  public Allocator allocator() {
    return allocator;
  }

  @Override
  public MemoryPool createPool(PoolRequest request) {
    Objects.requireNonNull(request, "request");
    core.checkUsable();
    return new EnginePool(core, request);
  }

  @Override
  public CommandBuffer createCommandBuffer(CommandBuffer.Mode mode) {
    core.checkUsable();
    return new EngineCommandBuffer(core, mode);
  }

  @Override
  public Set<String> executableFormats() {
    return backend().executableFormats();
  }

  @Override
  public Executable loadExecutable(ExecutableSource source) {
    core.checkUsable();
    Span span = FlightRecorder.load(core.number(), Objects.requireNonNull(source, "source").name());
    Executable loaded = null;
    try {
      loaded = loader.load(source);
      return loaded;
    } finally {
      Span.end(span, loaded == null ? null : loaded.format());
    }
  }

  @Override
  public CompletableFuture<Executable> loadExecutableAsync(ExecutableSource source) {
    Objects.requireNonNull(source, "source");
    core.checkUsable();
    CompletableFuture<Executable> future = new CompletableFuture<>();
    try {
      core.pools().loads().execute(() -> load(source, future));
    } catch (RejectedExecutionException e) {
      core.checkUsable(); // closed meanwhile
      throw new HalException(Status.RESOURCE_EXHAUSTED, name() + ": " + e.getMessage(), e);
    }
    return future;
  }

  private void load(ExecutableSource source, CompletableFuture<Executable> future) {
    if (future.isDone()) {
      return; // its owner has cancelled it
    }
    Throwable thrown =
        Attempt.of(
            () -> {
              Executable loaded = loadExecutable(source);
              if (!future.complete(loaded)) {
                loaded.close();
              }
            });
    if (thrown != null) {
      future.completeExceptionally(thrown);
    }
  }

  @Override
  public DeviceFile openFile(Path path, OpenOption... options) {
    core.checkUsable();
    return EngineFile.open(core, path, options);
  }

  @Override
  public DeviceFile wrapFile(FileChannel channel) {
    core.checkUsable();
    return EngineFile.wrap(core, channel);
  }

  @Override
  public boolean canAccess(Device other) {
    Objects.requireNonNull(other, "other");
    return other instanceof EngineDevice<?> engine && core.peers().canAccess(engine.core);
  }

  @Override
  public <T> T unwrap(Class<T> type) {
    Objects.requireNonNull(type, "type");
    core.checkOpen();
    List<String> offered = new ArrayList<>();
    for (Object view : backend().views()) {
      if (type.isInstance(view)) {
        return type.cast(view);
      }
      offered.add(view.getClass().getName());
    }
    throw new HalException(
        Status.INVALID_ARGUMENT,
        name() + " offers no " + type.getName() + "; it offers " + offered);
  }

  @Override
  public CollectiveGroup createGroup(List<Device> devices, CollectiveGroup.Options options) {
    Cascade.checkOutside("making a group", "the devices may wait for it");
    List<DeviceCollectives> ranks = new ArrayList<>();
    for (Device device : devices) {
      if (!(device instanceof EngineDevice<?> rank)) {
        throw new HalException(
            Status.UNIMPLEMENTED,
            "rank " + ranks.size() + ", " + device + ", was not made by the engine of " + devices);
      }
      ranks.add(rank.collectives());
    }
    return collectives().createGroup(ranks, options);
  }

  /** The groups that this device is in. */
  DeviceCollectives collectives() {
    return collectives.get(() -> CollectivesModule.require().of(core, between(), this::transfers));
  }

  private void failGroups(HalException cause) {
    DeviceCollectives made = collectives.ifMade();
    if (made != null) { // a group that is being made finds out by itself
      made.lost(cause);
    }
  }

  // Loss and close.

  @Override
  public @Nullable HalException lostCause() {
    return core.lostCause();
  }

  /**
   * Declares the device lost: all fails with the first cause (rule Q7). Runs users' callbacks.
   *
   * @return the first cause
   */
  public HalException lose(HalException cause) {
    return core.lose(cause);
  }

  @Override
  public boolean isClosed() {
    return core.isClosed();
  }

  @Override
  public void setExitPatience(Duration patience) {
    shutdown.setExitPatience(patience);
  }

  @Override
  public void close() {
    Cascade.checkOutside("closing device " + name(), "a close waits for host calls");
    PlatformThreads.callUnlimited(
        name() + "-close",
        () -> {
          shutdown.close();
          return this;
        });
  }

  @Override
  public DeviceStatistics statistics() {
    DeviceCore.Counts counts = core.count();
    long[] states = counts.states();
    if (Arrays.stream(states).sum() == 0) {
      core.queues().forEach(DeferredWorkQueue::noteNoneOpen);
    }
    DeviceResources resources = core.resources();
    return new DeviceStatistics(
        resources.storages.size(),
        resources.bytes(),
        resources.recordings.size(),
        resources.executables.size(),
        resources.semaphores.size(),
        states[State.PARKED.ordinal()],
        states[State.READY.ordinal()],
        states[State.ISSUED.ordinal()],
        states[State.DONE.ordinal()],
        counts.enqueued(),
        counts.retired(),
        counts.failed(),
        resources.uploaded.get(),
        resources.readBack.get(),
        backend().graphs());
  }

  @Override
  public String toString() {
    return name();
  }
}
