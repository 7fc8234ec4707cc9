// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jhal.BufferParams;
import org.jhal.HalException;
import org.jhal.MemoryType;
import org.jhal.Status;
import org.jhal.Workgroups;
import org.jhal.driver.Command;
import org.jhal.driver.CommandList;
import org.jhal.driver.DeviceMemory;
import org.jhal.driver.LoadedKernel;
import org.jhal.driver.NativeStream;
import org.jhal.driver.Operand;
import org.jhal.driver.StreamBatch;
import org.jhal.driver.Submission;
import org.jhal.gpu.transfer.HostTransfers;
import org.jhal.gpu.transfer.TransferRing;
import org.jspecify.annotations.Nullable;

/**
 * A stream: each batch becomes one submission, with what it waits for, a command buffer, and a
 * value of the stream's timeline.
 *
 * <p>Thread-safe as {@link NativeStream} requires.
 */
class VulkanStream implements NativeStream<VulkanEvent> {
  /** A native queue takes any number of submissions; this is what staging memory is shared by. */
  private static final int CAPACITY = 1024;

  private static final Workgroups ONE = new Workgroups(1, 1, 1);

  private final VulkanDevice device;
  private final CommandStream stream;
  private final StreamTransfers transfers;
  private final StreamFrees frees;
  private final KeptRecordings kept;
  private final Arguments arguments = new Arguments();
  private final @Nullable StreamTimes times; // null where they cannot be measured
  private final Set<Long> seen = new HashSet<>(); // pipelines that were dispatched
  private boolean isElsewhere; // a part of the operation runs in other streams

  VulkanStream(VulkanDevice device, TransferRing ring) {
    this.device = device;
    this.stream = new CommandStream(device.logical(), device.leastForKernel());
    this.transfers = new StreamTransfers(device.logical(), stream, ring);
    this.kept = new KeptRecordings(stream);
    this.frees = new StreamFrees(stream.timeline());
    DeviceTimes clock = device.logical().times();
    this.times = clock == null ? null : new StreamTimes(device.logical(), clock);
  }

  final VulkanDevice device() {
    return device;
  }

  final CommandStream commands() {
    return stream;
  }

  final StreamFrees frees() {
    return frees;
  }

  // Events.

  @Override
  public VulkanEvent createEvent() {
    return new VulkanEvent(stream);
  }

  @Override
  public void destroyEvent(VulkanEvent event) {}

  @Override
  public boolean queryEvent(VulkanEvent event) {
    boolean hasFired = event.hasFired();
    if (hasFired) {
      device.logical().lookAtEnds();
    }
    return hasFired;
  }

  @Override
  public void synchronizeEvent(VulkanEvent event) {
    event.await();
    device.logical().lookAtEnds();
  }

  // Submissions.

  @Override
  public int capacity() {
    return CAPACITY;
  }

  @Override
  public int weight(Command command) {
    return HostTransfers.weight(command, CAPACITY);
  }

  @Override
  public boolean issueMayBlock(CommandList commands) {
    return transfers.mayBlock(commands)
        || commands.hasIndirectDispatch() && !device.logical().grids().isReady();
  }

  @Override
  public boolean allocMayBlock(BufferParams params) {
    return params.type() != MemoryType.DEVICE;
  }

  @Override
  public boolean gathers() {
    return true;
  }

  @Override
  public boolean isBusy() {
    return stream.isBusy();
  }

  @Override
  public void flush() {
    stream.flush();
    frees.freePassed();
    device.logical().disposals().look();
  }

  @Override
  public @Nullable Throwable submit(StreamBatch<VulkanEvent> batch) {
    long before = stream.lastValue();
    HalException failure = null;
    try {
      for (int i = 0; i < batch.waitCount(); i++) {
        waitFor(batch.waitEvent(i));
      }
      work(batch);
    } catch (HalException e) {
      failure = e;
    } catch (RuntimeException | LinkageError | OutOfMemoryError e) {
      failure =
          new HalException(
              e instanceof OutOfMemoryError ? Status.RESOURCE_EXHAUSTED : Status.INTERNAL,
              "unexpected " + e,
              e);
    }
    if (failure != null && stream.discard() && stream.lastValue() == before) {
      throw failure; // nothing of it is left
    }
    VulkanEvent event = batch.event();
    boolean isAwaited = event != null && (stream.hasWaits() || isHeld());
    if (stream.hasRecorded() || isAwaited) {
      long unused = stream.endOperation();
    }
    if (event != null) {
      event.record(stream.lastValue());
    }
    StreamBatch.Deallocation deallocation = batch.deallocation();
    if (deallocation != null && failure == null) {
      frees.add(deallocation.memory(), stream.lastValue());
      deallocation.taken();
    }
    return failure;
  }

  @Override
  public int timingWeight(boolean isRecorded) {
    return times != null && device.profile().measures(isRecorded) ? 0 : -1;
  }

  @Override
  public int commandTimingWeight() {
    return timingWeight(true);
  }

  private void work(StreamBatch<VulkanEvent> batch) {
    CommandList commands = batch.commands();
    if (commands != null) {
      Submission submission = batch.submission();
      StreamTimes.Pair pair = times != null && submission.isTimed() ? times.take() : null;
      if (times == null || pair == null) {
        issue(commands, submission);
      } else {
        issue(commands, submission, times, pair);
      }
    }
    StreamBatch.Allocation allocation = batch.allocation();
    if (allocation != null) {
      allocation.allocated(allocate(allocation.bytes(), allocation.params()));
    }
  }

  private void waitFor(VulkanEvent event) {
    Work.Point latest = event.latest();
    if (latest.timeline() != stream.timeline() && !latest.isPast()) {
      stream.waitFor(latest);
    }
  }

  private DeviceMemory allocate(long bytes, BufferParams params) {
    DeviceMemory kept = params.type() == MemoryType.DEVICE ? frees.takeOfSize(bytes) : null;
    return kept != null ? kept : device.allocate(bytes, params);
  }

  /** Whether what is submitted now is kept back; for tests, which hold streams. */
  boolean isHeld() {
    return false;
  }

  /** Called before each command is recorded; for tests, where it may throw. */
  void beforeCommand() {}

  private void issue(
      CommandList commands, Submission submission, StreamTimes measured, StreamTimes.Pair pair) {
    for (int i = 0; i < commands.size(); i++) {
      warmUp(commands.get(i));
    }
    isElsewhere = false;
    boolean isWhole = false;
    stream.measure(pair);
    try {
      issue(commands, submission);
      isWhole = !isElsewhere;
    } finally {
      if (isWhole) {
        measured.end(pair, submission);
      } else {
        submission.whenFired(() -> measured.giveBack(pair));
      }
    }
  }

  /**
   * Lets a runtime translate a kernel at its first dispatch, of nothing, so that it is not timed.
   */
  private void warmUp(Command command) {
    if (command.kind().runsKernel()) {
      long pipeline = pipeline(command.kernel());
      if (seen.add(pipeline)) {
        arguments.pushNone(stream.recording());
        stream.recording().dispatch(pipeline, new Workgroups(0, 0, 0));
      }
    }
  }

  /** Writes a time in front of each command and one behind it, as far as there is memory. */
  private void issueTimed(CommandList commands, Submission submission, StreamTimes measured) {
    for (int i = 0; i < commands.size(); i++) {
      warmUp(commands.get(i));
    }
    List<StreamTimes.Pair> pairs = new ArrayList<>();
    List<Integer> indexes = new ArrayList<>();
    boolean isWhole = false;
    try {
      for (int i = 0; i < commands.size(); i++) {
        boolean isBarrier = commands.get(i).kind() == Command.Kind.BARRIER;
        StreamTimes.Pair pair = isBarrier ? null : measured.take();
        if (pair != null) {
          pairs.add(pair);
          indexes.add(i);
          stream.recording().beginTimes(pair);
        }
        issue(commands.get(i), submission);
        if (pair != null) {
          stream.recording().endTimes(pair);
        }
      }
      pairs.forEach(pair -> stream.recording().copyTimes(pair));
      isWhole = true;
    } finally {
      if (isWhole) {
        measured.end(pairs, indexes, submission);
      } else {
        submission.whenFired(() -> pairs.forEach(measured::giveBack));
      }
    }
  }

  private void issue(CommandList commands, Submission submission) {
    StreamTimes measured = times;
    if (measured != null && submission.timesCommands()) {
      issueTimed(commands, submission, measured);
      return;
    }
    if (commands.prepared() instanceof KeptCommands prepared) {
      Recording found =
          kept.find(
              prepared,
              prepared.places(submission),
              recording -> recordKept(commands, submission, recording));
      if (found != null) {
        stream.recording().execute(found);
        return;
      }
    }
    for (int i = 0; i < commands.size(); i++) {
      issue(commands.get(i), submission);
    }
  }

  private void issue(Command command, Submission submission) {
    beforeCommand();
    switch (command.kind()) {
      case UPDATE -> transfers.update(command, submission);
      case UPLOAD -> isElsewhere |= transfers.upload(command, submission);
      case READBACK -> isElsewhere |= transfers.readback(command, submission);
      default -> record(command, submission, stream.recording());
    }
  }

  private void recordKept(CommandList commands, Submission submission, Recording recording) {
    for (int i = 0; i < commands.size(); i++) {
      beforeCommand();
      Command command = commands.get(i);
      if (command.kind() == Command.Kind.UPDATE) {
        update(command, submission, recording);
      } else {
        record(command, submission, recording);
      }
    }
  }

  /** Copies the bytes of an update to memory of the command buffer, where they stay. */
  private static void update(Command command, Submission submission, Recording recording) {
    Operand target = command.target();
    ByteBuffer bytes = command.bytes();
    recording.update(bytes, (VulkanMemory) submission.memory(target), submission.offset(target));
  }

  private void record(Command command, Submission submission, Recording recording) {
    switch (command.kind()) {
      case FILL -> fill(command, submission, recording);
      case COPY -> copy(command, submission, recording);
      case DISPATCH -> dispatch(command, submission, recording);
      case INDIRECT_DISPATCH -> dispatchIndirect(command, submission, recording);
      case BARRIER -> recording.barrier();
      default -> throw new IllegalArgumentException("not supported: " + command.kind());
    }
  }

  private static void fill(Command command, Submission submission, Recording recording) {
    Operand target = command.target();
    recording.fill(
        (VulkanMemory) submission.memory(target),
        submission.offset(target),
        submission.length(target),
        command.pattern(),
        command.patternBytes());
  }

  private static void copy(Command command, Submission submission, Recording recording) {
    recording.copy(
        (VulkanMemory) submission.memory(command.source()),
        submission.offset(command.source()),
        (VulkanMemory) submission.memory(command.target()),
        submission.offset(command.target()),
        submission.length(command.target()));
  }

  private void dispatch(Command command, Submission submission, Recording recording) {
    arguments.push(command, submission, recording);
    recording.dispatch(
        pipeline(command.kernel()),
        new Workgroups(command.groupsX(), command.groupsY(), command.groupsZ()));
  }

  private void dispatchIndirect(Command command, Submission submission, Recording recording) {
    GridChecks grids = device.logical().grids();
    Work.Point end = new Work.Point(stream.timeline(), stream.nextValue(), stream.queue());
    GridChecks.Check check = grids.begin(command.kernel(), submission, end);
    VulkanMemory counts = (VulkanMemory) submission.memory(command.source());
    arguments.push(check, counts.address() + submission.offset(command.source()), recording);
    recording.dispatch(grids.pipeline(), ONE);
    recording.barrier();
    arguments.push(command, submission, recording);
    recording.dispatchIndirect(pipeline(command.kernel()), check);
  }

  private static long pipeline(LoadedKernel kernel) {
    return ((VulkanModule) kernel.module()).pipeline(kernel.index());
  }

  @Override
  public boolean isIdle() {
    return stream.isIdle();
  }

  @Override
  public void close() {
    if (device.keep(this)) {
      frees.freePassed(); // everything, as the stream is idle
      return;
    }
    frees.close();
    transfers.close();
    if (times != null) {
      times.close();
    }
    stream.close();
  }
}
