package org.jhal.engine;

import java.lang.System.Logger.Level;
import java.lang.invoke.MethodHandles;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jhal.Allocator;
import org.jhal.BufferParams;
import org.jhal.Capability;
import org.jhal.CommandBuffer;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceFile;
import org.jhal.DeviceInfo;
import org.jhal.DeviceQueue;
import org.jhal.DeviceStatistics;
import org.jhal.Executable;
import org.jhal.ExecutableSource;
import org.jhal.HalException;
import org.jhal.Setting;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.driver.Command;
import org.jhal.driver.DeviceBackend;
import org.jhal.driver.DeviceMemory;
import org.jhal.driver.HostThreads;
import org.jhal.driver.KernelModule;
import org.jhal.driver.bundle.KernelSpec;
import org.jhal.driver.bundle.Manifest;
import org.jhal.driver.bundle.Variant;
import org.jhal.driver.options.EngineConfig;
import org.jhal.driver.support.PlatformThreads;
import org.jhal.engine.concurrent.DeviceThread;
import org.jhal.engine.concurrent.Gate;
import org.jhal.engine.queue.Cascade;
import org.jhal.engine.queue.DeferredWorkQueue;
import org.jhal.engine.queue.DeviceLoss;
import org.jhal.engine.queue.EngineSemaphore;
import org.jhal.engine.queue.Failures;
import org.jhal.engine.queue.Operation.State;
import org.jspecify.annotations.Nullable;

/**
 * The device class of every driver built on this engine. A driver contributes a {@link
 * DeviceBackend}; everything else is here.
 *
 * <p>Thread-safe.
 *
 * @param <E> the driver's native event
 */
public final class EngineDevice<E> implements Device {
  private static final System.Logger LOG = System.getLogger(EngineDevice.class.getName());

  /** While one thread waits for a disk, the other one still serves files in memory. */
  private static final int FILE_THREADS = 2;

  private final DeviceBackend<E> backend;
  private final EngineConfig config;
  private final List<Setting> settings;
  private final DeviceInfo info;
  private final Set<Command.Kind> supportedCommands = EnumSet.noneOf(Command.Kind.class);
  private final String name;
  private final Object domain = new Object(); // the token by which semaphores and threads know it
  private final EngineAllocator allocator = new EngineAllocator(this);
  private final HostCompletionPool hostCalls; // runs users' host calls
  private final HostCompletionPool copyThreads; // runs all other host completions
  private final HostCompletionPool fileThreads; // does file I/O, and nothing else that may block
  private final HostCompletionPool background; // runs what drivers do apart from any stream
  private final List<DeferredWorkQueue<E>> queues = new ArrayList<>();
  private final List<EngineQueue<E>> queueViews = new ArrayList<>();

  // Views for the transfers that a copy between devices, or a file, consists of.
  private final List<EngineQueue<E>> copyQueues = new ArrayList<>();

  private final DeviceResources resources = new DeviceResources();
  private final Gate copies = new Gate(); // copies by other devices' queues are inside

  // The first cause of the device's loss; set once, by any thread.
  private final AtomicReference<@Nullable HalException> lost = new AtomicReference<>();

  // Set by the one thread that fails the queues' operations after the loss.
  private final AtomicBoolean isLossTold = new AtomicBoolean();
  private final DeviceLoss loss = new Loss();
  private final BackendCalls calls;
  private final DeviceShutdown<E> shutdown;

  /**
   * Opens a device: creates its streams and starts the threads of its queues. If that fails,
   * everything created so far is closed again, {@code backend} included.
   *
   * @param settings the result of {@link #settings()}
   * @throws HalException what the backend throws
   */
  public EngineDevice(DeviceBackend<E> backend, EngineConfig config, List<Setting> settings) {
    this.backend = backend;
    this.config = config;
    this.settings = List.copyOf(settings);
    this.info = backend.info();
    this.name = info.driver() + "-" + info.index();
    this.supportedCommands.addAll(backend.supportedCommands());
    this.calls = new BackendCalls(name, backend, lost, this::loseUnlessClosed);
    this.hostCalls = new HostCompletionPool(name + "-call", domain, config.hostCalls());
    this.copyThreads = new HostCompletionPool(name + "-copy", domain, config.copyThreads());
    this.fileThreads = new HostCompletionPool(name + "-file", domain, FILE_THREADS);
    this.background = new HostCompletionPool(name + "-prepare", domain, 1);
    this.shutdown =
        new DeviceShutdown<>(
            name,
            domain,
            backend,
            config.closeTimeout(),
            calls,
            resources,
            copies,
            queues,
            List.of(hostCalls, copyThreads, fileThreads, background));
    try {
      calls.call(this::createQueues);
      queues.forEach(DeferredWorkQueue::start);
      shutdown.open();
    } catch (Throwable t) {
      shutdown.closeHalfMade();
      throw t;
    }
  }

  private List<DeferredWorkQueue<E>> createQueues() {
    for (int i = 0; i < config.queues(); i++) {
      DeferredWorkQueue<E> queue =
          new DeferredWorkQueue<>(
              name + "-q" + i,
              domain,
              backend.createStream(i),
              config.inflight(),
              config.spinNanos(),
              config.completionSpinNanos(),
              operation -> new QueueWork<>(this, operation),
              loss);
      queues.add(queue);
      queueViews.add(new EngineQueue<>(this, i, queue, false));
      copyQueues.add(new EngineQueue<>(this, i, queue, true));
      resources.fileStaging().add(new FileStaging(this));
    }
    return queues;
  }

  /** {@code DRIVER-INDEX}, which is also the prefix of its threads' names. */
  public String name() {
    return name;
  }

  /** The driver's part of the device. */
  public DeviceBackend<E> backend() {
    return backend;
  }

  boolean tracesLeaks() {
    return config.tracesLeaks();
  }

  @Override
  public DeviceInfo info() {
    return info;
  }

  @Override
  public Set<Capability> capabilities() {
    return backend.capabilities();
  }

  @Override
  public List<Setting> settings() {
    return settings;
  }

  @Override
  public int queueCount() {
    return queueViews.size();
  }

  @Override
  public DeviceQueue queue(int index) {
    if (index < 0 || index >= queueViews.size()) {
      throw new HalException(
          Status.OUT_OF_RANGE,
          "queue "
              + index
              + " of "
              + name
              + ", which has the queues 0 to "
              + (queueViews.size() - 1));
    }
    return queueViews.get(index);
  }

  @Override
  public TimelineSemaphore createSemaphore(long initialValue) {
    checkOpen();
    TimelineSemaphore semaphore = new EngineSemaphore(initialValue, resources::removeSemaphore);
    resources.addSemaphore();
    return semaphore;
  }

  @Override
  public Allocator allocator() {
    return allocator;
  }

  @Override
  public CommandBuffer createCommandBuffer(CommandBuffer.Mode mode) {
    checkUsable();
    return new EngineCommandBuffer(this, mode);
  }

  Set<Command.Kind> supportedCommands() {
    return supportedCommands;
  }

  @Override
  public Set<String> executableFormats() {
    return backend.executableFormats();
  }

  /** Loads a variant. Unlike a lambda it can be made ready by {@link #rehearseLoading}. */
  private record Loading(
      EngineDevice<?> device,
      ExecutableSource source,
      Variant variant,
      Manifest manifest,
      List<String> refusals)
      implements Supplier<Executable> {
    @Override
    public Executable get() {
      List<KernelSpec> kernels = manifest.kernels();
      KernelModule module = device.backend.load(source, variant, kernels);
      EngineExecutable made =
          new EngineExecutable(
              device, manifest.name(), variant.format(), refusals, kernels, module);
      device.resources.add(made);
      return made;
    }
  }

  /**
   * Initialises the classes of the engine that {@link #loadExecutable} needs, so that its first
   * call in a process takes less time.
   */
  public static void rehearseLoading() throws IllegalAccessException {
    for (Class<?> needed :
        List.of(Loading.class, Validation.class, EngineExecutable.class, EngineKernel.class)) {
      Class<?> unused = MethodHandles.lookup().ensureInitialized(needed);
    }
  }

  @Override
  public Executable loadExecutable(ExecutableSource source) {
    checkUsable();
    Manifest manifest = Manifest.read(Objects.requireNonNull(source, "source"));
    List<String> refusals = new ArrayList<>();
    for (Variant variant : manifest.variants()) {
      if (!backend.executableFormats().contains(variant.format())) {
        refusals.add(variant.format() + ": " + name + " loads " + backend.executableFormats());
        continue;
      }
      Validation.workgroups(this, manifest);
      try {
        return calls.call(new Loading(this, source, variant, manifest, refusals));
      } catch (HalException e) {
        if (e.status() != Status.UNIMPLEMENTED) {
          throw e;
        }
        refusals.add(variant.format() + ": " + e.getMessage());
      }
    }
    throw new HalException(
        Status.UNIMPLEMENTED,
        name
            + " can load no variant of bundle "
            + source.name()
            + ": "
            + String.join("; ", refusals));
  }

  // Files.

  @Override
  public DeviceFile openFile(Path path, OpenOption... options) {
    checkUsable();
    return EngineFile.open(this, path, options);
  }

  @Override
  public DeviceFile wrapFile(FileChannel channel) {
    checkUsable();
    return EngineFile.wrap(this, channel);
  }

  // Memory.

  boolean supports(BufferParams params) {
    return backend.supports(params);
  }

  void checkAllocation(long size, BufferParams params) {
    Objects.requireNonNull(params, "params");
    if (size < 0) {
      throw new HalException(Status.OUT_OF_RANGE, "buffer size " + size + " is negative");
    }
    if (!backend.supports(params)) {
      throw new HalException(
          Status.UNIMPLEMENTED, name + " has no memory of type " + params.type());
    }
  }

  @Override
  public DeviceBuffer allocate(long size, BufferParams params) {
    checkAllocation(size, params);
    Validation.allocation(this, size, params);
    return adopt(size, params, () -> backend.allocate(size, params), null);
  }

  DeviceBuffer importHost(ByteBuffer memory, BufferParams params, @Nullable Runnable onRelease) {
    Objects.requireNonNull(params, "params");
    if (!backend.capabilities().contains(Capability.HOST_IMPORT)) {
      throw new HalException(Status.UNIMPLEMENTED, name + " cannot import host memory");
    }
    if (!memory.isDirect() || memory.isReadOnly()) {
      throw new HalException(
          Status.INVALID_ARGUMENT,
          "memory to import is "
              + (memory.isDirect() ? "read-only" : "on the heap")
              + "; it must be direct and writable");
    }
    ByteBuffer range = memory.slice();
    return adopt(range.capacity(), params, () -> backend.importHost(range, params), onRelease);
  }

  private DeviceBuffer adopt(
      long size, BufferParams params, Supplier<DeviceMemory> maker, @Nullable Runnable onRelease) {
    // In one call: the device may be closed between the allocation and add(). Closing waits for the
    // call, so it finds the storage, or it refuses the call.
    return calls.call(
        () -> {
          BufferStorage storage = new BufferStorage(this, params, size, maker.get(), onRelease);
          resources.storages().add(storage);
          resources.addBytes(size);
          return new EngineBuffer(storage);
        });
  }

  /** The threads that run users' host calls. */
  HostThreads hostCalls() {
    return hostCalls;
  }

  /** The threads that run the host's part of transfers and of copies between devices. */
  HostThreads copyThreads() {
    return copyThreads;
  }

  /** The threads that do file I/O. Nobody interrupts them while they do. */
  HostThreads fileThreads() {
    return fileThreads;
  }

  /** The memory through which queue {@code index} reads and writes files. */
  FileStaging fileStaging(int index) {
    return resources.fileStaging().get(index);
  }

  /**
   * Does work on a thread of the device, unless the device is closed or lost before. The device is
   * bound.
   *
   * @param recording is kept until then, unless it is null
   */
  void inBackground(@Nullable Recording recording, Runnable work) {
    if (recording != null && !recording.tryRetain()) {
      return;
    }
    Runnable then = recording == null ? () -> {} : recording::release;
    try {
      background.execute(
          () -> {
            try {
              calls.callIfOpen(work);
            } catch (Throwable t) { // there is nobody to tell
              if (Failures.of(t).status() != Status.UNAVAILABLE) { // a loss is logged elsewhere
                LOG.log(Level.WARNING, name + ": work in the background failed", t);
              }
            } finally {
              then.run();
            }
          });
    } catch (RejectedExecutionException e) {
      then.run(); // the device is closed
    } catch (Throwable t) { // no thread can be started
      then.run();
      throw t;
    }
  }

  DeviceResources resources() {
    return resources;
  }

  /** Calls into the backend, apart from those of the queues. */
  BackendCalls calls() {
    return calls;
  }

  void checkOpen() {
    if (calls.isShut()) {
      throw calls.closedFailure();
    }
  }

  private void checkUsable() {
    checkOpen();
    HalException cause = lost.get();
    if (cause != null) {
      throw cause.again();
    }
  }

  // Copies between devices.

  /**
   * The queue for the chunks of a copy between devices that was enqueued on queue {@code index} of
   * either device, or of a file operation of this device's queue {@code index}.
   */
  EngineQueue<E> copyQueue(int index) {
    return copyQueues.get(index % copyQueues.size());
  }

  /**
   * Starts a copy that was enqueued on another device. Closing this device waits for {@link
   * #endCopy}, and its queues keep accepting the copy's chunks until then.
   */
  void beginCopy() {
    if (!copies.tryEnter()) {
      throw calls.closedFailure();
    }
  }

  void endCopy() {
    copies.leave();
  }

  // Loss and close.

  @Override
  public @Nullable HalException lostCause() {
    return lost.get();
  }

  /**
   * Declares the device lost: everything fails with the first cause (rule Q7). Users' callbacks
   * run.
   *
   * @return the first cause
   */
  public HalException lose(HalException cause) {
    HalException first =
        cause.status() == Status.UNAVAILABLE
            ? cause
            : new HalException(
                Status.UNAVAILABLE, "device " + name + " is lost: " + cause.getMessage(), cause);
    HalException known = loss.note(first);
    loss.tell();
    return known;
  }

  /**
   * For a call that lost the device. One that was still running when the device had been closed may
   * fail as well, and is ignored.
   */
  private void loseUnlessClosed(HalException cause) {
    if (!shutdown.isOver()) {
      lose(cause);
    }
  }

  @Override
  public boolean isClosed() {
    return calls.isShut();
  }

  @Override
  public void close() {
    if (Cascade.current().isInCallback() || DeviceThread.isOf(domain)) {
      throw new HalException(
          Status.FAILED_PRECONDITION,
          "device "
              + name
              + " cannot be closed from a callback, a host call or one of its threads");
    }
    PlatformThreads.call(
        name + "-close",
        () -> {
          shutdown.close();
          return this;
        });
  }

  @Override
  public DeviceStatistics statistics() {
    long[] states = new long[State.values().length];
    long enqueued = 0;
    long retired = 0;
    for (DeferredWorkQueue<E> queue : queues) {
      queue.count(states);
      retired += queue.retired();
      enqueued += queue.enqueued();
    }
    return new DeviceStatistics(
        resources.storages().size(),
        resources.bytes(),
        resources.commandBuffers(),
        resources.executables().size(),
        resources.semaphores(),
        states[State.REGISTERING.ordinal()] + states[State.PARKED.ordinal()],
        states[State.READY.ordinal()],
        states[State.ISSUED.ordinal()],
        states[State.SETTLED.ordinal()]
            + states[State.FAILED.ordinal()]
            + states[State.RETIRED.ordinal()],
        enqueued,
        retired,
        backend.graphs());
  }

  /** Keeps the first cause, and fails everything once. */
  private final class Loss implements DeviceLoss {
    @Override
    public HalException note(HalException failure) {
      if (lost.compareAndSet(null, failure)) {
        queues.forEach(queue -> queue.noteLost(failure));
      }
      return Objects.requireNonNull(lost.get());
    }

    @Override
    public void tell() {
      HalException cause = Objects.requireNonNull(lost.get());
      if (isLossTold.compareAndSet(false, true)) {
        // An error may end this anywhere. What is left then, the queues' issue threads do.
        queues.forEach(DeferredWorkQueue::expectLoss);
        queues.forEach(queue -> queue.lose(cause));
        LOG.log(Level.WARNING, "device " + name + " is lost", cause);
      }
    }
  }

  @Override
  public String toString() {
    return name;
  }
}
