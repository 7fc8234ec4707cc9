// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.support;

import java.util.ArrayList;
import java.util.List;
import org.jhal.BindingTable;
import org.jhal.BufferRef;
import org.jhal.CommandBuffer;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.Fence;
import org.jhal.Slot;
import org.jhal.TimelineSemaphore;

/**
 * A command buffer that names its buffers in one of two forms, so that one test covers both:
 *
 * <pre>{@code
 * @ParameterizedTest
 * @EnumSource
 * void fillsWhole(Commands.Form form, Cts cts) {
 *   DeviceBuffer target = cts.buffer(16);
 *   Commands commands = new Commands(cts, form);
 *   commands.buffer().fill(commands.ref(target), 0, 16, FillPattern.of8(7));
 *   commands.run(cts.queue());
 * }
 * }</pre>
 */
public final class Commands {
  /** How commands name buffers. */
  public enum Form {
    /** By the buffer itself. */
    DIRECT,
    /** By a slot of the binding table. */
    BINDING_TABLE
  }

  private final Cts cts;
  private final Form form;
  private final CommandBuffer buffer;
  private final List<DeviceBuffer> bound = new ArrayList<>();

  /** A one-shot recording on the device under test, closed after the test. */
  public Commands(Cts cts, Form form) {
    this(cts, form, CommandBuffer.Mode.ONE_SHOT);
  }

  /** A recording on the device under test, closed after the test. */
  public Commands(Cts cts, Form form, CommandBuffer.Mode mode) {
    this.cts = cts;
    this.form = form;
    this.buffer = cts.closing(cts.device().createCommandBuffer(mode));
  }

  /** The recording. */
  public CommandBuffer buffer() {
    return buffer;
  }

  /**
   * The reference by which commands name {@code target}. In the binding table form, each new buffer
   * gets a new slot.
   */
  public BufferRef ref(DeviceBuffer target) {
    return form == Form.DIRECT ? target : Slot.of(slot(target));
  }

  /** The reference by which commands name a range of {@code target}. */
  public BufferRef ref(DeviceBuffer target, long offset, long length) {
    return form == Form.DIRECT
        ? target.slice(offset, length)
        : new Slot(slot(target), offset, length);
  }

  private int slot(DeviceBuffer target) {
    int slot = bound.indexOf(target);
    if (slot < 0) {
      bound.add(target);
      slot = bound.size() - 1;
    }
    return slot;
  }

  /** A table for the slots that {@link #ref} has assigned. */
  public BindingTable bindings() {
    return BindingTable.of(bound.toArray(new DeviceBuffer[0]));
  }

  /** Ends the recording, if it is not ended, and submits it to {@code queue}. */
  public void submit(DeviceQueue queue, Fence waits, Fence signals) {
    if (buffer.state() == CommandBuffer.State.RECORDING) {
      buffer.end();
    }
    queue.execute(waits, signals, buffer, bindings());
  }

  /** Submits the recording and waits until it is done. */
  public void run(DeviceQueue queue) {
    TimelineSemaphore done = cts.semaphore();
    submit(queue, Fence.NONE, done.at(1));
    Waits.awaitReached(done, 1);
  }
}
