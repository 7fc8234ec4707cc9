package org.jhal.gpu.stream;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.util.function.Consumer;
import org.jhal.BufferParams;
import org.jhal.HalException;
import org.jhal.HostMemory;
import org.jhal.MemoryType;
import org.jhal.Status;
import org.jhal.driver.Command;
import org.jhal.driver.CommandList;
import org.jhal.driver.DeviceMemory;
import org.jhal.driver.LoadedKernel;
import org.jhal.driver.NativeAccess;
import org.jhal.driver.NativeStream;
import org.jhal.driver.Operand;
import org.jhal.driver.PreparedCommands;
import org.jhal.driver.Submission;
import org.jhal.driver.TransferPath;
import org.jhal.driver.support.BackOff;
import org.jhal.gpu.compile.KernelLoader;
import org.jhal.gpu.graph.GraphSet;
import org.jhal.gpu.graph.GraphStream;
import org.jhal.gpu.memory.DeviceAllocator;
import org.jhal.gpu.memory.PoolMemory;
import org.jhal.gpu.natives.NativeBlock;
import org.jhal.gpu.natives.RangeMarks;
import org.jhal.gpu.runtime.GpuCore;
import org.jhal.gpu.runtime.GpuEvent;
import org.jhal.gpu.runtime.GpuMemory;
import org.jhal.gpu.runtime.GpuRuntime;
import org.jhal.gpu.time.DeviceClock;
import org.jhal.gpu.time.Profile;
import org.jhal.gpu.time.StreamTimer;
import org.jhal.gpu.transfer.PageableTransfer;
import org.jhal.gpu.transfer.StagingRing;
import org.jhal.gpu.transfer.StreamMark;
import org.jhal.gpu.transfer.TransferRing;
import org.jspecify.annotations.Nullable;

/**
 * A stream of a device, over a native stream.
 *
 * <p>Completion is detected with events. Events on which a thread can sleep (BLOCKING_SYNC) are
 * scarce: a stream holds only a few dozen that have not fired, and then recording blocks. So they
 * are recorded only while the stream is nearly empty. Otherwise a plain event is recorded, and a
 * thread that waits for it polls from time to time.
 *
 * <p>A query takes a lock of the runtime that launches need too. So when an event has fired and
 * many are behind it, a query of a later one saves those in between.
 *
 * <p>Thread-safe as {@link NativeStream} requires.
 */
public final class GpuStream implements NativeStream<GpuEvent>, GraphStream {
  /**
   * Less than a native stream holds (see docs/results/README.md), since a command may expand to
   * several.
   */
  private static final int CAPACITY = 800;

  /** An event with more unfired events in front of it is a plain one. */
  private static final int SHALLOW = 16;

  /**
   * If no thread has slept for this many recordings, plain events are recorded until one sleeps
   * again: an event that wakes a thread costs an interrupt.
   */
  private static final int WAKEFUL = 64;

  /** If an event has fired and more recordings than this are behind it, a later one is queried. */
  private static final int FEW = 2;

  /**
   * How many native commands external work is given room for. If it enqueues more, its calls block
   * until the device has gone on, on a thread that may block.
   */
  private static final int EXTERNAL_WEIGHT = 64;

  private static final int KEPT_EVENTS = 1024; // a power of two

  /**
   * Uploads of pageable memory up to this size are copied while they are issued: that is faster
   * than handing them to other threads.
   */
  private static final int MAX_CAPTURED = 1 << 20;

  /** This many staged bytes weigh as much as one command. */
  private static final int BYTES_PER_WEIGHT = StagingRing.CAPACITY / CAPACITY;

  private final int index;
  private final GpuRuntime runtime;
  private final DeviceAllocator allocator;
  private final TransferRing ring; // moves pageable memory
  private final Profile profile;
  private final @Nullable RangeMarks ranges; // null if nothing is marked
  private final int place; // of the device's own memory
  private long handle; // 0 when it is closed

  // Recordings are counted from 1. Written by the thread that issues: events first, then
  // recordings.
  private final @Nullable GpuEvent[] events = newEvents(); // the latest ones, by number
  private volatile long recordings;

  /**
   * All recordings up to this one have fired. Written without a lock by any thread that sees events
   * fire: if a smaller number overwrites a larger one, it is still true.
   */
  private volatile long fired;

  /** The latest recording when a thread last went to sleep. */
  private volatile long lastSleep;

  // Used by the thread that issues.
  private final StagingRing staging;
  private final DeferredFrees hostFrees;
  private @Nullable StreamMark nextMark; // for work issued since the last recording
  private final LaunchBuffer launch;
  private final StreamTimer timer;
  private boolean isElsewhere; // a part of what is being issued runs in other streams

  /**
   * Opens a stream. The device is bound.
   *
   * @param index its place among the device's streams, from 0
   * @param clock maps times of the device to those of the host
   * @param ranges marks operations for a profiler; null if they are not marked
   */
  public GpuStream(
      GpuCore core,
      int index,
      DeviceAllocator allocator,
      TransferRing ring,
      DeviceClock clock,
      Profile profile,
      @Nullable RangeMarks ranges) {
    this.index = index;
    this.runtime = core.runtime();
    this.allocator = allocator;
    this.ring = ring;
    this.profile = profile;
    this.ranges = ranges;
    this.place = core.place();
    this.hostFrees = new DeferredFrees(runtime);
    this.launch = new LaunchBuffer(runtime.endOfLaunchList());
    this.handle = runtime.openStream();
    this.staging = new StagingRing(runtime, handle, core.frees());
    this.timer = new StreamTimer(runtime, clock, handle);
  }

  @SuppressWarnings("unchecked") // it holds only nulls
  private static @Nullable GpuEvent[] newEvents() {
    return (@Nullable GpuEvent[]) new GpuEvent[KEPT_EVENTS];
  }

  @Override
  public long handle() {
    return handle;
  }

  @Override
  public int index() {
    return index;
  }

  @Override
  public long nextPosition() {
    return recordings + 1;
  }

  @Override
  public long fired() {
    return fired;
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
  public int capacity() {
    return CAPACITY;
  }

  /** Staged bytes weigh in proportion to their share of the staging ring. */
  @Override
  public int weight(Command command) {
    if (command.kind() == Command.Kind.EXTERNAL) {
      return EXTERNAL_WEIGHT;
    }
    long staged = StagingRing.space(stagedBytes(command));
    return (int) Math.max(1, (staged + BYTES_PER_WEIGHT - 1) / BYTES_PER_WEIGHT);
  }

  /** The maximum number of bytes that are copied to staging memory when the command is issued. */
  private static long stagedBytes(Command command) {
    return switch (command.kind()) {
      case UPDATE -> command.bytes().remaining();
      case UPLOAD -> command.host().size() <= MAX_CAPTURED ? command.host().size() : 0;
      default -> 0;
    };
  }

  /** A launch of a graph counts as one, however large it is (see docs/results/README.md). */
  @Override
  public int weight(PreparedCommands prepared) {
    return ((GraphSet) prepared).isReady(index) ? 1 : 0;
  }

  /**
   * The first commands that stage anything page-lock the staging ring, and a graph may have to be
   * made.
   */
  @Override
  public boolean issueMayBlock(CommandList commands) {
    if (commands.prepared() instanceof GraphSet graphs && graphs.makesNext(index)) {
      return true;
    }
    for (int i = 0; i < commands.size() && !staging.isMade(); i++) {
      Command command = commands.get(i);
      boolean isPinned = command.kind() == Command.Kind.UPLOAD && hasPinned(command.host());
      if (!isPinned && stagedBytes(command) > 0) {
        return true;
      }
    }
    return false;
  }

  /** Whether this driver itself has page-locked all of the memory. Calls no native function. */
  private boolean hasPinned(HostMemory memory) {
    long address = address(memory);
    return address != 0 && runtime.pinning().has(address, address + memory.size() - 1);
  }

  /**
   * The address of host memory if all of it is page-locked, so that the device can access it; else
   * 0.
   */
  private long pinnedAddress(HostMemory memory) {
    long address = address(memory);
    return address != 0 && runtime.isPinned(address, address + memory.size() - 1) ? address : 0;
  }

  /** The native address of host memory, or 0 if it is on the heap. */
  private static long address(HostMemory memory) {
    Buffer direct = memory.direct();
    return direct == null ? memory.address() : NativeBlock.addressOf(direct);
  }

  /** Host memory is page-locked, which may block. */
  @Override
  public boolean allocMayBlock(BufferParams params) {
    return params.type() != MemoryType.DEVICE;
  }

  // Events.

  @Override
  public GpuEvent createEvent() {
    long plain = runtime.createEvent(false);
    try {
      return new GpuEvent(runtime.createEvent(true), plain);
    } catch (Throwable t) {
      runtime.destroyEvent(plain);
      throw t;
    }
  }

  @Override
  public void destroyEvent(GpuEvent event) {
    event.destroy(runtime);
  }

  @Override
  public void recordEvent(GpuEvent event) {
    long position = recordings + 1;
    boolean isAsleep = position - lastSleep <= WAKEFUL;
    event.setRecorded(isAsleep && position - fired <= SHALLOW, position);
    runtime.recordEvent(event.recorded(), handle);
    events[(int) position & (KEPT_EVENTS - 1)] = event;
    recordings = position;
    StreamMark mark = nextMark;
    if (mark != null) {
      mark.set(event);
      nextMark = null;
    }
    hostFrees.freePassed();
  }

  /** The mark for the next recording. */
  private StreamMark nextMark() {
    StreamMark mark = nextMark;
    if (mark == null) {
      mark = new StreamMark();
      nextMark = mark;
    }
    return mark;
  }

  @Override
  public void waitEvent(GpuEvent event) {
    runtime.waitEvent(handle, event.recorded());
  }

  @Override
  public boolean across(boolean mayBlock, Runnable body) {
    return runtime.gate().across(mayBlock, body);
  }

  @Override
  public boolean queryEvent(GpuEvent event) {
    long position = event.position();
    if (position <= fired) {
      return true;
    }
    if (!runtime.queryEvent(event.recorded())) {
      return false;
    }
    fired = Math.max(fired, lastFired(position));
    return true;
  }

  @Override
  public void synchronizeEvent(GpuEvent event) {
    long position = event.position();
    if (position <= fired) {
      return;
    }
    lastSleep = recordings;
    if (event.isBlocking()) {
      runtime.synchronizeEvent(event.recorded());
    } else {
      boolean ignored = BackOff.await(this, BackOff.never(), () -> queryEvent(event));
    }
    fired = Math.max(fired, position);
  }

  /**
   * The latest recording that is known to have fired: {@code position}, or a later one found by
   * queries.
   */
  private long lastFired(long position) {
    long last = position;
    for (long step = 1; recordings - last > Math.max(FEW, step); step *= 2) {
      GpuEvent next = events[(int) (last + step) & (KEPT_EVENTS - 1)];
      if (next == null || next.position() != last + step || !runtime.queryEvent(next.recorded())) {
        break;
      }
      last += step;
    }
    return last;
  }

  // Commands.

  @Override
  public int timingWeight(boolean isRecorded) {
    return profile.measures(isRecorded) ? StreamTimer.WEIGHT : -1;
  }

  @Override
  public void issue(CommandList commands, Submission submission) {
    RangeMarks marks = ranges;
    if (marks != null && !submission.wasPutBack()) { // it keeps the range that it has
      long range = marks.start(title(commands));
      submission.whenFired(() -> marks.end(range));
    }
    StreamTimer.Pair timing = submission.isTimed() ? timer.begin() : null;
    if (timing == null) {
      issueAll(commands, submission);
      return;
    }
    isElsewhere = false;
    boolean isWhole = false;
    boolean wasPutBack = submission.wasPutBack();
    try {
      issueAll(commands, submission);
      isWhole = submission.wasPutBack() == wasPutBack && !isElsewhere;
    } finally {
      if (!isWhole) {
        timer.giveBack(timing);
      }
    }
    if (isWhole) {
      timer.end(timing, submission);
    }
  }

  private static String title(CommandList commands) {
    if (commands.size() != 1) {
      return commands.size() + " commands";
    }
    Command only = commands.get(0);
    String word = only.kind().word();
    return only.kind() == Command.Kind.DISPATCH ? word + " of " + only.kernel().name() : word;
  }

  private void issueAll(CommandList commands, Submission submission) {
    PreparedCommands prepared = commands.prepared();
    if (prepared != null && graphs(prepared).issue(this, submission)) {
      return;
    }
    for (int i = 0; i < commands.size(); i++) {
      Command command = commands.get(i);
      switch (command.kind()) {
        case FILL -> fill(command, submission);
        case UPDATE -> update(command, submission);
        case UPLOAD -> upload(command, submission);
        case READBACK -> readback(command, submission);
        case COPY -> copy(command, submission);
        case DISPATCH -> dispatch(command, submission);
        case EXTERNAL -> external(command, submission);
        case EVENT -> runtime.waitEvent(handle, command.event());
        case BARRIER -> {} // the stream runs commands in order anyway
      }
    }
  }

  @SuppressWarnings("unchecked") // this device has prepared them
  private GraphSet graphs(PreparedCommands prepared) {
    return (GraphSet) prepared;
  }

  private void fill(Command command, Submission submission) {
    Operand target = command.target();
    int patternBytes = command.patternBytes();
    runtime.fill(
        handle,
        GpuMemory.address(target, submission),
        command.pattern(),
        patternBytes,
        submission.length(target) / patternBytes);
  }

  private void copy(Command command, Submission submission) {
    GpuMemory from = GpuMemory.of(command.source(), submission);
    GpuMemory to = GpuMemory.of(command.target(), submission);
    long source = from.address() + submission.offset(command.source());
    long target = to.address() + submission.offset(command.target());
    long bytes = submission.length(command.target());
    if (from.place() == place && to.place() == place) {
      runtime.copy(handle, target, source, bytes);
    } else {
      runtime.copyAcross(handle, target, source, bytes);
    }
  }

  private void update(Command command, Submission submission) {
    ByteBuffer bytes = command.bytes();
    long target = GpuMemory.address(command.target(), submission);
    int end = bytes.limit();
    while (bytes.position() < end) {
      int at = bytes.position();
      bytes.limit(Math.min(at + StagingRing.MAX_PIECE, end));
      capture(target + at, bytes.remaining(), space -> space.put(bytes));
    }
  }

  /** Stages bytes of the host now, and copies them to {@code target} in stream order. */
  private void capture(long target, int size, Consumer<ByteBuffer> source) {
    long staged = staging.put(size, nextMark(), source);
    runtime.copyToDevice(handle, target, staged, size);
  }

  /**
   * A small source is read now, unless the device may still write it: that is possible while a
   * producer has not completed and a part of the source is page-locked. Heap memory is never
   * page-locked. For other memory this cannot be ruled out: no runtime can tell whether anybody in
   * the process has page-locked a part of a range.
   */
  private void upload(Command command, Submission submission) {
    HostMemory source = command.host();
    long target = GpuMemory.address(command.target(), submission);
    long pinned = pinnedAddress(source);
    if (pinned != 0) {
      submission.moves(command, TransferPath.DIRECT);
      runtime.copyToDevice(handle, target, pinned, source.size());
    } else if (source.size() <= MAX_CAPTURED && (source.isOnHeap() || submission.waitsReached())) {
      submission.moves(command, TransferPath.STAGED);
      for (long at = 0; at < source.size(); at += StagingRing.MAX_PIECE) {
        long from = at;
        int size = (int) Math.min(StagingRing.MAX_PIECE, source.size() - at);
        capture(target + at, size, space -> source.read(from, space));
      }
    } else {
      submission.moves(command, TransferPath.RING);
      isElsewhere = true;
      submission.afterwards(PageableTransfer.upload(ring, source, target));
    }
  }

  private void readback(Command command, Submission submission) {
    HostMemory target = command.host();
    long source = GpuMemory.address(command.source(), submission);
    long pinned = pinnedAddress(target);
    if (pinned != 0) {
      submission.moves(command, TransferPath.DIRECT);
      runtime.copyToHost(handle, pinned, source, target.size());
    } else {
      submission.moves(command, TransferPath.RING);
      isElsewhere = true;
      submission.afterwards(PageableTransfer.readback(ring, source, target));
    }
  }

  private void dispatch(Command command, Submission submission) {
    LoadedKernel kernel = command.kernel();
    launch.set(command, submission);
    runtime.launch(
        handle,
        KernelLoader.nativeKernel(kernel),
        command.groupsX(),
        command.groupsY(),
        command.groupsZ(),
        kernel.workgroupSize(),
        kernel.dynamicSharedMemory(),
        launch.list());
  }

  /**
   * Runs external work. It may have made another device current, and it may have lost this one:
   * that counts more than what the work itself has reported.
   */
  private void external(Command command, Submission submission) {
    HalException failure;
    try {
      failure =
          runtime.gate().callUsers(() -> command.external().run(new Lease(command, submission)));
    } finally {
      bindAgain();
    }
    if (failure != null) {
      boolean ignored = runtime.isIdle(handle);
      submission.fail(failure);
    }
  }

  /** Without this nothing more can be put into the stream, so a failure means the loss. */
  private void bindAgain() {
    try {
      runtime.bindAgain();
    } catch (HalException e) {
      throw new HalException(
          Status.UNAVAILABLE,
          "the device cannot be made current again after external work: " + e.getMessage(),
          e);
    }
  }

  /** What external work is lent. */
  private final class Lease implements NativeAccess {
    private final Command command;
    private final Submission submission;

    Lease(Command command, Submission submission) {
      this.command = command;
      this.submission = submission;
    }

    @Override
    public long stream() {
      return handle;
    }

    @Override
    public long address(int index) {
      return GpuMemory.address(command.argument(index), submission);
    }
  }

  @Override
  public DeviceMemory allocAsync(long bytes, BufferParams params, Submission submission) {
    return allocator.allocate(bytes, params, handle);
  }

  @Override
  public void freeAsync(DeviceMemory memory) {
    if (memory instanceof PoolMemory pooled) {
      allocator.free(pooled, handle);
    } else {
      hostFrees.add(memory, nextMark());
    }
  }

  @Override
  public boolean isIdle() {
    return runtime.isIdle(handle);
  }

  @Override
  public void close() {
    timer.close();
    staging.close();
    hostFrees.close();
    long ended = handle;
    handle = 0;
    runtime.closeStream(ended);
  }
}
