// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.stream;

import org.jhal.BufferParams;
import org.jhal.HalException;
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
import org.jhal.driver.StepwiseStream;
import org.jhal.driver.Submission;
import org.jhal.gpu.compile.KernelLoader;
import org.jhal.gpu.graph.GraphCache;
import org.jhal.gpu.graph.GraphSet;
import org.jhal.gpu.graph.GraphStream;
import org.jhal.gpu.graph.OneNodeGraphs;
import org.jhal.gpu.memory.MemoryPool;
import org.jhal.gpu.natives.Profile;
import org.jhal.gpu.natives.RangeMarks;
import org.jhal.gpu.runtime.GpuCore;
import org.jhal.gpu.runtime.GpuEvent;
import org.jhal.gpu.runtime.GpuMemory;
import org.jhal.gpu.runtime.GpuRuntime;
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
  private long handle; // 0 when it is closed

  private final StreamEvents events;
  private final StreamMemory kept;

  // Used by the thread that issues.
  private final StreamTransfers transfers;
  private final DeferredFrees hostFrees;
  private final LaunchBuffer launch;
  private final StreamTimer timer;
  private boolean isElsewhere; // a part of what is being issued runs in other streams

  /**
   * Opens a stream. The device is bound.
   *
   * @param index its place among the device's streams, from 0
   * @param clock maps times of the device to those of the host
   * @param graphs those of the device; null if it uses none
   * @param ranges marks operations for a profiler; null if they are not marked
   */
  public GpuStream(
      GpuCore core,
      int index,
      MemoryPool pool,
      TransferRing ring,
      @Nullable GraphCache graphs,
      DeviceClock clock,
      Profile profile,
      @Nullable RangeMarks ranges) {
    this.index = index;
    this.runtime = core.runtime();
    this.profile = profile;
    this.ranges = ranges;
    this.oneNodes = graphs == null ? null : graphs.oneNodes();
    this.events = new StreamEvents(runtime);
    this.launch = new LaunchBuffer(runtime.library().vendor().launchListEnd());
    this.handle = runtime.openStream();
    this.kept = new StreamMemory(pool, events, handle);
    CopyStream copies = copies(core);
    this.transfers = new StreamTransfers(core, ring, copies, this, oneNodes);
    this.hostFrees = new DeferredFrees(copies);
    this.timer = new StreamTimer(runtime, clock, handle);
  }

  /** The copies of this stream, whose marks are the recordings of events. */
  private CopyStream copies(GpuCore core) {
    return new GpuCopyStream(core, handle) {
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
    return HostTransfers.weight(command, CAPACITY);
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
    OneNodeGraphs singles = oneNodes;
    return commands.prepared() instanceof GraphSet graphs && graphs.makesNext(index)
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
    return only.kind() == Command.Kind.DISPATCH ? word + " of " + only.kernel().name() : word;
  }

  private void issueAll(CommandList commands, Submission submission) {
    PreparedCommands prepared = commands.prepared();
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
      Command command = commands.get(i);
      switch (command.kind()) {
        case FILL -> fill(command, submission);
        case UPDATE -> transfers.update(command, submission);
        case UPLOAD -> isElsewhere |= transfers.upload(command, submission);
        case READBACK -> isElsewhere |= transfers.readback(command, submission);
        case COPY -> transfers.copy(command, submission);
        case DISPATCH -> dispatch(command, submission);
        case EXTERNAL -> external(command, submission);
        case EVENT -> runtime.waitEvent(handle, command.event());
        case BARRIER -> {} // the stream runs commands in order anyway
      }
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

  @Override
  public void close() {
    timer.close();
    runtime.giveBack(kept::close);
    long ended = handle;
    handle = 0;
    runtime.closeStream(ended);
  }

  /**
   * Frees host memory that the stream has used, once all streams of the device are closed: a
   * runtime may keep a lock that those need until other streams on the same hardware are idle.
   */
  public void freeMemory() {
    OneNodeGraphs singles = oneNodes;
    if (singles != null) {
      singles.endReadbacks(); // first, since its node has an address in what is freed next
    }
    runtime.giveBack(transfers::close);
    runtime.giveBack(hostFrees::close);
  }
}
