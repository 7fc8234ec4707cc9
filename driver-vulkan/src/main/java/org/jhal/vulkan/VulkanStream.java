// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan;

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

  private final VulkanDevice device;
  private final CommandStream stream;
  private final HostTransfers transfers;
  private final StreamFrees frees;
  private final Arguments arguments = new Arguments();

  VulkanStream(VulkanDevice device, TransferRing ring) {
    this.device = device;
    this.stream = new CommandStream(device.logical());
    this.transfers = new HostTransfers(new StreamCopies(device.logical(), stream), ring);
    this.frees = new StreamFrees(stream.timeline());
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
    return event.hasFired();
  }

  @Override
  public void synchronizeEvent(VulkanEvent event) {
    event.await();
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
    return transfers.mayBlock(commands);
  }

  @Override
  public boolean allocMayBlock(BufferParams params) {
    return params.type() != MemoryType.DEVICE;
  }

  @Override
  public @Nullable Throwable submit(StreamBatch<VulkanEvent> batch) {
    for (int i = 0; i < batch.waitCount(); i++) {
      waitFor(batch.waitEvent(i));
    }
    StreamBatch.Allocation allocation = batch.allocation();
    DeviceMemory memory = null;
    boolean isDone = false;
    try {
      CommandList commands = batch.commands();
      if (commands != null) {
        issue(commands, batch.submission());
      }
      if (allocation != null) {
        memory = allocate(allocation.bytes(), allocation.params());
      }
      submit(batch.event());
      isDone = true;
    } catch (HalException e) {
      throw e;
    } catch (RuntimeException | LinkageError | OutOfMemoryError e) {
      throw new HalException(
          e instanceof OutOfMemoryError ? Status.RESOURCE_EXHAUSTED : Status.INTERNAL,
          "unexpected " + e,
          e);
    } finally {
      if (!isDone) {
        stream.discard();
        if (memory != null) {
          frees.add(memory, stream.lastValue()); // earlier work may still use what it was before
        }
      }
    }
    if (allocation != null && memory != null) {
      allocation.allocated(memory);
    }
    StreamBatch.Deallocation deallocation = batch.deallocation();
    if (deallocation != null) {
      long last = stream.hasWaits() ? stream.nextValue() : stream.lastValue();
      frees.add(deallocation.memory(), last);
      deallocation.taken();
    }
    return null;
  }

  private void waitFor(VulkanEvent event) {
    Work.Point latest = event.latest();
    if (latest.timeline() != stream.timeline()) {
      stream.waitFor(latest);
    }
  }

  /** Submits what is new, and records the event behind all that was submitted. */
  private void submit(@Nullable VulkanEvent event) {
    if (stream.hasRecorded() || (event != null && (stream.hasWaits() || isHeld()))) {
      long unused = stream.submit();
    }
    frees.freePassed();
    if (event != null) {
      event.record(stream.lastValue());
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

  private void issue(CommandList commands, Submission submission) {
    for (int i = 0; i < commands.size(); i++) {
      beforeCommand();
      Command command = commands.get(i);
      switch (command.kind()) {
        case FILL -> fill(command, submission);
        case UPDATE -> transfers.update(command, submission);
        case UPLOAD -> {
          boolean unused = transfers.upload(command, submission);
        }
        case READBACK -> {
          boolean unused = transfers.readback(command, submission);
        }
        case COPY -> copy(command, submission);
        case DISPATCH -> dispatch(command, submission);
        case BARRIER -> stream.recording().barrier();
        default -> throw new IllegalArgumentException("not supported: " + command.kind());
      }
    }
  }

  private void fill(Command command, Submission submission) {
    Operand target = command.target();
    stream
        .recording()
        .fill(
            (VulkanMemory) submission.memory(target),
            submission.offset(target),
            submission.length(target),
            command.pattern(),
            command.patternBytes());
  }

  private void copy(Command command, Submission submission) {
    stream
        .recording()
        .copy(
            (VulkanMemory) submission.memory(command.source()),
            submission.offset(command.source()),
            (VulkanMemory) submission.memory(command.target()),
            submission.offset(command.target()),
            submission.length(command.target()));
  }

  private void dispatch(Command command, Submission submission) {
    LoadedKernel kernel = command.kernel();
    Recording recording = stream.recording();
    arguments.push(command, submission, recording);
    recording.dispatch(
        ((VulkanModule) kernel.module()).pipeline(kernel.index()),
        new Workgroups(command.groupsX(), command.groupsY(), command.groupsZ()));
  }

  @Override
  public boolean isIdle() {
    return stream.isIdle();
  }

  @Override
  public void close() {
    frees.close();
    transfers.close();
    stream.close();
  }
}
