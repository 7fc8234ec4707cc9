// SPDX-License-Identifier: Apache-2.0
package org.jhal;

import java.util.Objects;

/**
 * The steps of a {@link Sequence} that run on one queue; {@link Sequence#on} creates them. Each
 * method adds one step, which waits for the previous step of the sequence, whichever queue that ran
 * on, and returns the timepoint that the step reaches. Each throws what the corresponding method of
 * {@link DeviceQueue} throws; in that case no step was added.
 *
 * <p>{@link DeviceBuffer#slice} selects a part of a buffer. {@link #waitFor} waits for other
 * timelines, and {@link Sequence#step} adds any other operation.
 *
 * <p>Only one thread at a time may add steps to a sequence.
 */
public final class QueueSteps {
  private final Sequence sequence;
  private final DeviceQueue queue;

  QueueSteps(Sequence sequence, DeviceQueue queue) {
    this.sequence = sequence;
    this.queue = queue;
  }

  /**
   * Allocates device memory for {@code count} elements at once, without a step. The sequence closes
   * the buffer when it is closed itself; closing it earlier is allowed.
   *
   * @throws HalException as {@link Device#allocate(ElementType, long)}; FAILED_PRECONDITION if the
   *     sequence is closed
   */
  public DeviceBuffer allocate(ElementType type, long count) {
    return sequence.own(queue.device().allocate(type, count));
  }

  /**
   * Allocates device memory as {@link #allocate} does, and writes all of {@code source} to it as
   * one step.
   *
   * @throws HalException as {@link #allocate} and {@link #upload}
   */
  public DeviceBuffer uploading(HostMemory source) {
    Objects.requireNonNull(source, "source");
    DeviceBuffer target = allocate(ElementType.U8, source.size());
    try {
      upload(source, target);
    } catch (Throwable t) {
      target.close();
      throw t;
    }
    return target;
  }

  /** Writes all of {@code source} to the start of {@code target}. */
  public Timepoint upload(HostMemory source, DeviceBuffer target) {
    return sequence.step((waits, signals) -> queue.upload(waits, signals, source, target, 0));
  }

  /** Reads the start of {@code source} into all of {@code target}. */
  public Timepoint readback(DeviceBuffer source, HostMemory target) {
    return sequence.step((waits, signals) -> queue.readback(waits, signals, source, 0, target));
  }

  /** Fills all of {@code target} with a repeated pattern. */
  public Timepoint fill(DeviceBuffer target, FillPattern pattern) {
    long size = Objects.requireNonNull(target, "target").size();
    return sequence.step((waits, signals) -> queue.fill(waits, signals, target, 0, size, pattern));
  }

  /** Copies all of {@code source} to the start of {@code target}. */
  public Timepoint copy(DeviceBuffer source, DeviceBuffer target) {
    long size = Objects.requireNonNull(source, "source").size();
    return sequence.step(
        (waits, signals) -> queue.copy(waits, signals, source, 0, target, 0, size));
  }

  /** Reads as many bytes of a file as {@code target} has, from byte {@code offset} on. */
  public Timepoint read(DeviceFile file, long offset, DeviceBuffer target) {
    long size = Objects.requireNonNull(target, "target").size();
    return sequence.step(
        (waits, signals) -> queue.read(waits, signals, file, offset, target, 0, size));
  }

  /** Writes all of {@code source} to a file, from byte {@code offset} on. */
  public Timepoint write(DeviceBuffer source, DeviceFile file, long offset) {
    long size = Objects.requireNonNull(source, "source").size();
    return sequence.step(
        (waits, signals) -> queue.write(waits, signals, file, offset, source, 0, size));
  }

  /** Runs a kernel. */
  public Timepoint dispatch(Kernel kernel, Workgroups count, Args args) {
    return sequence.step((waits, signals) -> queue.dispatch(waits, signals, kernel, count, args));
  }

  /** Runs a kernel over a grid that earlier steps have computed. */
  public Timepoint dispatch(Kernel kernel, IndirectWorkgroups count, Args args) {
    return sequence.step((waits, signals) -> queue.dispatch(waits, signals, kernel, count, args));
  }

  /** Runs a command buffer that uses no slots. */
  public Timepoint execute(CommandBuffer commands) {
    return execute(commands, BindingTable.EMPTY);
  }

  /** Runs a command buffer, with {@code bindings} in its slots. */
  public Timepoint execute(CommandBuffer commands, BindingTable bindings) {
    return sequence.step((waits, signals) -> queue.execute(waits, signals, commands, bindings));
  }

  /** Adds a step that does nothing but wait for {@code others} too. */
  public Timepoint waitFor(Fence others) {
    return sequence.step(others, queue::barrier);
  }

  /** Calls a function on a host thread. */
  public Timepoint hostCall(HostCall.Mode mode, HostCall call) {
    return sequence.step((waits, signals) -> queue.hostCall(waits, signals, mode, call));
  }

  @Override
  public String toString() {
    return "steps of " + sequence + " on " + queue;
  }
}
