// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.stream;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jhal.BufferParams;
import org.jhal.HalException;
import org.jhal.MemoryType;
import org.jhal.Status;
import org.jhal.Workgroups;
import org.jhal.driver.Command;
import org.jhal.driver.CommandList;
import org.jhal.driver.DeviceMemory;
import org.jhal.driver.LoadedKernel;
import org.jhal.driver.NativeAccess;
import org.jhal.driver.NativeStream;
import org.jhal.driver.Operand;
import org.jhal.driver.PreparedCommands;
import org.jhal.driver.StepwiseStream;
import org.jhal.driver.StreamBatch;
import org.jhal.driver.Submission;
import org.jhal.gpu.compile.KernelLoader;
import org.jhal.gpu.graph.GraphCache;
import org.jhal.gpu.graph.GraphSet;
import org.jhal.gpu.graph.GraphStream;
import org.jhal.gpu.graph.OneNodeGraphs;
import org.jhal.gpu.memory.MemoryPool;
import org.jhal.gpu.natives.CooperativeCalls;
import org.jhal.gpu.natives.Profile;
import org.jhal.gpu.natives.RangeMarks;
import org.jhal.gpu.runtime.GpuCore;
import org.jhal.gpu.runtime.GpuEvent;
import org.jhal.gpu.runtime.GpuMemory;
import org.jhal.gpu.runtime.GpuRuntime;
import org.jhal.gpu.time.CommandTimer;
import org.jhal.gpu.time.DeviceClock;
import org.jhal.gpu.time.StreamTimer;
import org.jhal.gpu.transfer.CopyStream;
import org.jhal.gpu.transfer.DeferredFrees;
import org.jhal.gpu.transfer.HostTransfers;
import org.jhal.gpu.transfer.TransferRing;
import org.jspecify.annotations.Nullable;

/**
 * A stream of a device, over a native stream.
 *
 * <p>Thread-safe as {@link NativeStream} requires.
 */
public final class GpuStream extends StepwiseStream<GpuEvent> implements GraphStream {
  /**
   * Less than a native stream holds (see docs/results/README.md), since a command may expand to
   * several.
   */
  private static final int CAPACITY = 800;

  /**
   * How many native commands external work is given room for. If it enqueues more, its calls block
   * until the device has gone on, on a thread that may block.
   */
  private static final int EXTERNAL_WEIGHT = 64;

  private final int index;
  private final GpuRuntime runtime;
  private final Profile profile;
  private final @Nullable RangeMarks ranges; // null if nothing is marked
  private final @Nullable OneNodeGraphs oneNodes; // null if all single commands are issued plainly
  private final Home home;
  private volatile long handle; // the native stream of the place; 0 when it is closed

  // Where its kernels run; null for everywhere. Both by the thread that issues.
  private @Nullable ComputePlace place;
  private final Map<Optional<ComputePlace>, Long> handles = new HashMap<>();
  private long moved; // an event behind what was issued elsewhere; 0 if it has never moved

  private final StreamEvents events;
  private final StreamMemory kept;

  // Used by the thread that issues.
  private final StreamTransfers transfers;
  private final DeferredFrees hostFrees;
  private final LaunchBuffer launch;
  private final GridReader grids;
  private final StreamTimer timer;
  private final CommandTimer commandTimer;
  private final @Nullable CooperativeCalls cooperative; // null if no such kernel can be loaded
  private boolean isElsewhere; // a part of what is being issued runs in other streams

  /**
   * Takes over a native stream. The device is bound.
   *
   * @param index its number among the device's streams, from 0
   * @param home where it belongs
   * @param clock maps times of the device to those of the host
   * @param graphs those of the device; null if it uses none
   * @param ranges marks operations for a profiler; null if they are not marked
   */
  public GpuStream(
      GpuCore core,
      int index,
      Home home,
      MemoryPool pool,
      TransferRing ring,
      @Nullable GraphCache graphs,
      DeviceClock clock,
      Profile profile,
      @Nullable RangeMarks ranges) {
    this.index = index;
    this.home = home;
    this.runtime = core.runtime();
    this.profile = profile;
    this.ranges = ranges;
    this.oneNodes = graphs == null ? null : graphs.oneNodes();
    this.events = new StreamEvents(runtime);
    this.launch = new LaunchBuffer(runtime.library().vendor().launchListEnd());
    this.place = home.place();
    this.handle = home.openStream(place);
    this.handles.put(Optional.ofNullable(place), handle);
    this.kept = new StreamMemory(pool, events, this::handle);
    CopyStream copies = copies(core);
    this.transfers = new StreamTransfers(core, ring, copies, this, oneNodes);
    this.hostFrees = new DeferredFrees(copies);
    this.grids = new GridReader(core, oneNodes);
    this.timer = new StreamTimer(runtime, clock, this::handle);
    this.commandTimer = new CommandTimer(runtime, clock, this::handle);
    this.cooperative = runtime.cooperative();
  }

  /** The copies of this stream, whose marks are the recordings of events. */
  private CopyStream copies(GpuCore core) {
    return new GpuCopyStream(core, this::handle) {
      @Override
      public long mark() {
        return events.next();
      }

      @Override
      public boolean isPast(long mark) {
        return events.isPast(mark);
      }

      @Override
      public void close() {} // this stream closes itself
    };
  }

  @Override
  public long handle() {
    return handle;
  }

  /**
   * The handle, to put something into the stream. By the thread that issues, or while nothing is
   * issued.
   */
  public long lend() {
    events.putBehind();
    return handle;
  }

  @Override
  public int index() {
    return index;
  }

  @Override
  public @Nullable Object place() {
    return place;
  }

  @Override
  public boolean keepsGraphs() {
    ComputePlace now = place;
    return now == null || now.hasGraphs();
  }

  @Override
  public long context() {
    ComputePlace now = place;
    return now == null ? 0 : now.context();
  }

  /** What a stream needs of its device. */
  public interface Home {
    /** Where its kernels run from now on; null for everywhere. */
    @Nullable ComputePlace place();

    /** Opens a native stream for a place. */
    long openStream(@Nullable ComputePlace place);

    /** The stream is closed: whether it is kept for another queue. */
    boolean keep(GpuStream stream);

    /** It cannot go where its kernels are to run. */
    void stays(HalException cause);
  }

  @Override
  public @Nullable Throwable submit(StreamBatch<GpuEvent> batch) {
    ComputePlace wanted = home.place();
    if (wanted != place) {
      moveTo(wanted);
    }
    return super.submit(batch);
  }

  /**
   * Goes on in the native stream of another place, behind all that is in the present one. If that
   * fails, it stays, and the next submission tries again.
   */
  private void moveTo(@Nullable ComputePlace wanted) {
    try {
      Long known = handles.get(Optional.ofNullable(wanted));
      if (known == null) {
        known = home.openStream(wanted);
        handles.put(Optional.ofNullable(wanted), known);
      }
      if (moved == 0) {
        moved = runtime.createEvent(false);
      }
      runtime.recordEvent(moved, handle);
      runtime.waitEvent(known, moved);
      events.putBehind();
      handle = known;
      place = wanted;
    } catch (HalException e) {
      if (e.status() == Status.UNAVAILABLE) {
        throw e;
      }
      home.stays(e);
    }
  }

  @Override
  public long nextPosition() {
    return events.next();
  }

  @Override
  public boolean isPast(long position) {
    return events.isPast(position);
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
    if (command.kind() == Command.Kind.INDIRECT_DISPATCH) {
      return GridReader.WEIGHT;
    }
    return HostTransfers.weight(command, CAPACITY);
  }

  /** A launch of a graph counts as one, however large it is (see docs/results/README.md). */
  @Override
  public int weight(PreparedCommands prepared) {
    return ((GraphSet) prepared).isReady(index) ? 1 : 0;
  }

  /**
   * The first commands that stage anything page-lock the staging ring, and a graph may have to be
   * made. A grid that is in memory is read, which waits for the stream.
   */
  @Override
  public boolean issueMayBlock(CommandList commands) {
    OneNodeGraphs singles = oneNodes;
    return commands.hasIndirectDispatch()
        || commands.prepared() instanceof GraphSet graphs && graphs.makesNext(index)
        || singles != null && singles.makesNext(commands, index)
        || transfers.mayBlock(commands);
  }

  /** Host memory is page-locked, which may block. */
  @Override
  public boolean allocMayBlock(BufferParams params) {
    return params.type() != MemoryType.DEVICE;
  }

  // Events.

  @Override
  public GpuEvent createEvent() {
    return events.create();
  }

  @Override
  public void destroyEvent(GpuEvent event) {
    events.destroy(event);
  }

  @Override
  protected void recordEvent(GpuEvent event) {
    events.record(event, handle);
    hostFrees.freePassed();
  }

  @Override
  protected void waitEvent(GpuEvent event) {
    events.putBehind();
    runtime.waitEvent(handle, event.pair().recorded());
  }

  @Override
  public boolean across(boolean mayBlock, Runnable body) {
    return runtime.gate().across(mayBlock, body);
  }

  @Override
  public boolean queryEvent(GpuEvent event) {
    return events.query(event);
  }

  @Override
  public void synchronizeEvent(GpuEvent event) {
    events.synchronize(event);
  }

  // Commands.

  @Override
  public int timingWeight(boolean isRecorded) {
    return profile.measures(isRecorded) ? StreamTimer.WEIGHT : -1;
  }

  @Override
  public int commandTimingWeight() {
    return profile.measures(true) ? CommandTimer.WEIGHT : -1;
  }

  @Override
  protected void issue(CommandList commands, Submission submission) {
    events.putBehind();
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
    return only.kind().runsKernel() ? word + " of " + only.kernel().name() : word;
  }

  private void issueAll(CommandList commands, Submission submission) {
    PreparedCommands prepared = commands.prepared();
    if (submission.timesCommands()) {
      if (prepared != null) {
        ((GraphSet) prepared).leaveOut();
      }
      issueTimed(commands, submission);
      return;
    }
    if (prepared != null && ((GraphSet) prepared).issue(this, submission)) {
      return;
    }
    OneNodeGraphs singles = oneNodes;
    if (singles != null
        && commands.size() == 1
        && singles.launch(this, commands.get(0), submission)) {
      return;
    }
    for (int i = 0; i < commands.size(); i++) {
      issueOne(commands.get(i), submission);
    }
  }

  private void issueTimed(CommandList commands, Submission submission) {
    boolean isWhole = false;
    try {
      commandTimer.begin(submission);
      for (int i = 0; i < commands.size(); i++) {
        Command command = commands.get(i);
        if (command.kind() != Command.Kind.BARRIER) {
          issueOne(command, submission);
          commandTimer.mark(i);
        }
      }
      isWhole = true;
    } finally {
      commandTimer.end(isWhole ? submission : null);
    }
  }

  private void issueOne(Command command, Submission submission) {
    OneNodeGraphs singles = oneNodes;
    switch (command.kind()) {
      case FILL -> fill(command, submission);
      case UPDATE -> transfers.update(command, submission);
      case UPLOAD -> isElsewhere |= transfers.upload(command, submission);
      case READBACK -> isElsewhere |= transfers.readback(command, submission);
      case COPY -> transfers.copy(command, submission);
      case DISPATCH -> dispatch(command, submission);
      case INDIRECT_DISPATCH -> {
        Workgroups grid = grids.read(this, command, submission);
        KnownGrid known = new KnownGrid(command, grid);
        boolean isOver =
            grid.isEmpty() || singles != null && singles.launch(this, known, submission);
        if (!isOver) {
          dispatch(known, submission);
        }
      }
      case EXTERNAL -> external(command, submission);
      case EVENT -> runtime.waitEvent(handle, command.event());
      case BARRIER -> {} // the stream runs commands in order anyway
    }
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

  private void dispatch(Command command, Submission submission) {
    LoadedKernel kernel = command.kernel();
    launch.set(command, submission);
    if (kernel.isCooperative()) {
      Workgroups count = new Workgroups(command.groupsX(), command.groupsY(), command.groupsZ());
      checkRoom(kernel, count);
      Objects.requireNonNull(cooperative, "cooperative")
          .launch(
              handle,
              KernelLoader.nativeKernel(kernel),
              count,
              kernel.workgroupSize(),
              kernel.dynamicSharedMemory(),
              launch.parameters(kernel));
      return;
    }
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

  /** A grid that fits on the device may be too large for the compute units of this stream. */
  private void checkRoom(LoadedKernel kernel, Workgroups count) {
    ComputePlace here = place;
    if (here == null) {
      return;
    }
    long most = here.residents(kernel.module().residentWorkgroups(kernel.index()));
    if ((long) count.x() * count.y() * count.z() > most) { // fits on the device: no overflow
      throw new HalException(
          Status.OUT_OF_RANGE,
          "grid %s of %s: beside the shares of other queues, the compute units of this queue hold at most %s workgroups of this cooperative kernel at the same time"
              .formatted(count, kernel, most));
    }
  }

  /**
   * Runs external work. It may have made another device current, and it may have lost this one:
   * that counts more than what the work itself has reported.
   */
  private void external(Command command, Submission submission) {
    HalException failure;
    try {
      failure = runtime.gate().callUsers(() -> command.external().run(lease(command, submission)));
    } finally {
      bindAgain();
    }
    if (failure != null) {
      runtime.isIdle(handle);
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
  private NativeAccess lease(Command command, Submission submission) {
    return new NativeAccess() {
      @Override
      public long stream() {
        return handle;
      }

      @Override
      public long address(int index) {
        return GpuMemory.address(command.argument(index), submission);
      }
    };
  }

  @Override
  protected DeviceMemory allocAsync(long bytes, BufferParams params, Submission submission) {
    return kept.allocate(bytes, params);
  }

  @Override
  protected void freeAsync(DeviceMemory memory) {
    if (!kept.free(memory)) {
      events.putBehind(); // so that an event shows when the stream is past what uses it
      hostFrees.add(memory);
    }
  }

  @Override
  public boolean isIdle() {
    return runtime.isIdle(handle);
  }

  /** Whether the stream is past all that an event was recorded behind. Makes no native call. */
  public boolean isKnownIdle() {
    return events.areKnownPast();
  }

  /**
   * Ends the use by a queue: the native stream is destroyed, or kept for another queue. Nothing of
   * this use is left in it then.
   */
  @Override
  public void close() {
    events.endUse();
    hostFrees.freePassed();
    if (!home.keep(this)) {
      destroy();
    }
  }

  /** Destroys the native stream. */
  public void destroy() {
    timer.close();
    commandTimer.close();
    runtime.giveBack(grids::close);
    runtime.giveBack(kept::close);
    handle = 0;
    if (moved != 0) {
      runtime.destroyEvent(moved);
    }
    handles.values().forEach(runtime::closeStream);
    handles.clear();
  }

  /**
   * Frees host memory that the stream has used, once all streams of the device are closed: a
   * runtime may keep a lock that those need until other streams on the same hardware are idle.
   */
  public void freeMemory() {
    OneNodeGraphs singles = oneNodes;
    if (singles != null) {
      singles.endReadbacks(); // first, since their nodes have addresses in what is freed next
    }
    runtime.giveBack(transfers::close);
    runtime.giveBack(hostFrees::close);
    runtime.giveBack(grids::freeMemory);
  }
}
