// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.memory;

import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.Set;
import org.jhal.Args;
import org.jhal.BindingTable;
import org.jhal.BufferParams;
import org.jhal.BufferRef;
import org.jhal.BufferUsage;
import org.jhal.CommandBuffer;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.Slot;
import org.jhal.Workgroups;
import org.jhal.cts.support.Cts;

/**
 * Every way to name a buffer in an operation, for tests of rejected uses: in a call of a queue, in
 * a recorded command, and in a slot of a recorded command, whose table is passed when it is
 * executed.
 */
enum BufferUse {
  QUEUE_FILL("target", BufferUsage.TRANSFER_TARGET),
  QUEUE_UPDATE("target", BufferUsage.TRANSFER_TARGET),
  QUEUE_UPLOAD("target", BufferUsage.TRANSFER_TARGET),
  QUEUE_READBACK("source", BufferUsage.TRANSFER_SOURCE),
  QUEUE_COPY_FROM("source", BufferUsage.TRANSFER_SOURCE),
  QUEUE_COPY_TO("target", BufferUsage.TRANSFER_TARGET),
  QUEUE_DISPATCH_IN("x:", BufferUsage.DISPATCH_READ),
  QUEUE_DISPATCH_OUT("y:", BufferUsage.DISPATCH_WRITE),
  COMMAND_FILL("target", BufferUsage.TRANSFER_TARGET),
  COMMAND_UPDATE("target", BufferUsage.TRANSFER_TARGET),
  COMMAND_COPY_FROM("source", BufferUsage.TRANSFER_SOURCE),
  COMMAND_COPY_TO("target", BufferUsage.TRANSFER_TARGET),
  COMMAND_DISPATCH_IN("x:", BufferUsage.DISPATCH_READ),
  COMMAND_DISPATCH_OUT("y:", BufferUsage.DISPATCH_WRITE),
  SLOT_FILL("slot 0", BufferUsage.TRANSFER_TARGET),
  SLOT_UPDATE("slot 0", BufferUsage.TRANSFER_TARGET),
  SLOT_COPY_FROM("slot 0", BufferUsage.TRANSFER_SOURCE),
  SLOT_COPY_TO("slot 0", BufferUsage.TRANSFER_TARGET),
  SLOT_DISPATCH_IN("slot 0", BufferUsage.DISPATCH_READ),
  SLOT_DISPATCH_OUT("slot 0", BufferUsage.DISPATCH_WRITE);

  private final String argument;
  private final BufferUsage usage;

  BufferUse(String argument, BufferUsage usage) {
    this.argument = argument;
    this.usage = usage;
  }

  /** The name of the buffer in messages. */
  String argument() {
    return argument;
  }

  /** The usage that the buffer must have. */
  BufferUsage usage() {
    return usage;
  }

  /** Whether the use names a range of the buffer. Otherwise, {@link #enqueue} uses all of it. */
  boolean hasRange() {
    return !name().contains("DISPATCH");
  }

  /**
   * Whether the buffer is named when the recording is executed, not when the command is recorded.
   */
  boolean isBound() {
    return name().startsWith("SLOT");
  }

  /** Whether the two buffers may belong to different devices. */
  boolean crossesDevices() {
    return this == QUEUE_COPY_FROM || this == QUEUE_COPY_TO;
  }

  /** The uses that name a range. */
  static Set<BufferUse> withRange() {
    Set<BufferUse> uses = EnumSet.allOf(BufferUse.class);
    uses.removeIf(use -> !use.hasRange());
    return uses;
  }

  /**
   * Enqueues an operation that uses a range of {@code buffer}. For a dispatch, the buffer must have
   * at least 16 bytes.
   */
  void enqueue(Cts cts, Fence signals, DeviceBuffer buffer, long offset, long length) {
    enqueue(cts, Fence.NONE, signals, buffer, offset, length);
  }

  /** The same, with waits. */
  void enqueue(Cts cts, Fence waits, Fence signals, DeviceBuffer buffer, long offset, long length) {
    DeviceQueue queue = cts.queue();
    switch (this) {
      case QUEUE_FILL -> queue.fill(waits, signals, buffer, offset, length, FillPattern.of8(1));
      case QUEUE_UPDATE -> queue.update(waits, signals, bytes(length), buffer, offset);
      case QUEUE_UPLOAD -> queue.upload(waits, signals, bytes(length), buffer, offset);
      case QUEUE_READBACK -> queue.readback(waits, signals, buffer, offset, bytes(length));
      case QUEUE_COPY_FROM -> queue.copy(waits, signals, buffer, offset, cts.buffer(64), 0, length);
      case QUEUE_COPY_TO -> queue.copy(waits, signals, cts.buffer(64), 0, buffer, offset, length);
      case QUEUE_DISPATCH_IN, QUEUE_DISPATCH_OUT ->
          queue.dispatch(waits, signals, cts.kernel("negate"), Workgroups.of(4), args(cts, buffer));
      default -> execute(cts, waits, signals, buffer, offset, length);
    }
  }

  private void execute(
      Cts cts, Fence waits, Fence signals, DeviceBuffer buffer, long offset, long length) {
    try (CommandBuffer commands = cts.device().createCommandBuffer(CommandBuffer.Mode.ONE_SHOT)) {
      record(cts, commands, isBound() ? Slot.of(0) : buffer, offset, length);
      commands.end();
      BindingTable table = isBound() ? BindingTable.of(buffer) : BindingTable.EMPTY;
      cts.queue().execute(waits, signals, commands, table);
    }
  }

  /** Records the command that {@link #enqueue} executes. Not for uses by a queue. */
  void record(Cts cts, CommandBuffer commands, BufferRef buffer, long offset, long length) {
    switch (this) {
      case COMMAND_FILL, SLOT_FILL -> commands.fill(buffer, offset, length, FillPattern.of8(1));
      case COMMAND_UPDATE, SLOT_UPDATE -> commands.update(bytes(length), buffer, offset);
      case COMMAND_COPY_FROM, SLOT_COPY_FROM ->
          commands.copy(buffer, offset, cts.buffer(64), 0, length);
      case COMMAND_COPY_TO, SLOT_COPY_TO ->
          commands.copy(cts.buffer(64), 0, buffer, offset, length);
      default -> commands.dispatch(cts.kernel("negate"), Workgroups.of(4), args(cts, buffer));
    }
  }

  private Args args(Cts cts, BufferRef buffer) {
    return usage == BufferUsage.DISPATCH_READ
        ? Args.of(buffer, cts.buffer(64))
        : Args.of(written(cts), buffer);
  }

  /** A buffer that the host has written, without an operation. */
  private static DeviceBuffer written(Cts cts) {
    DeviceBuffer buffer = cts.buffer(cts.device(), 64, BufferParams.HOST);
    try (DeviceBuffer.Mapping mapping = buffer.map(0, 64, DeviceBuffer.MapMode.DISCARD_WRITE)) {
      mapping.bytes().put(new byte[64]);
    }
    return buffer;
  }

  private static ByteBuffer bytes(long length) {
    return ByteBuffer.allocate(Math.toIntExact(length));
  }
}
