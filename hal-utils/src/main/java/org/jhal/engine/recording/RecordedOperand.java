// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.recording;

import java.util.Objects;
import org.jhal.BufferRef;
import org.jhal.BufferUsage;
import org.jhal.DeviceBuffer;
import org.jhal.HalException;
import org.jhal.Parameter;
import org.jhal.Slot;
import org.jhal.Status;
import org.jhal.driver.Operand;
import org.jhal.engine.base.Checks;
import org.jhal.engine.base.DeviceCore;
import org.jhal.engine.kernel.EngineKernel;
import org.jhal.engine.memory.BufferStorage;
import org.jhal.engine.memory.EngineBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A range that a command reads or writes: part of a buffer, or of the buffer that a slot of the
 * binding table will hold.
 */
public final class RecordedOperand implements Operand {
  private final @Nullable BufferStorage storage; // null for a slot
  private final int slot; // -1 for a buffer
  public final long offset; // from the start of the storage, or of the bound buffer
  public final long length; // for a slot also Slot.WHOLE

  private RecordedOperand(@Nullable BufferStorage storage, int slot, long offset, long length) {
    this.storage = storage;
    this.slot = slot;
    this.offset = offset;
    this.length = length;
  }

  private static RecordedOperand of(Slot slot, long offset, long length) {
    return new RecordedOperand(null, slot.index(), slot.offset() + offset, length);
  }

  /** A range of a buffer, which was checked. */
  static RecordedOperand of(EngineBuffer buffer, long offset, long length) {
    return new RecordedOperand(buffer.storage, -1, buffer.offset + offset, length);
  }

  /** Checks a range of a buffer or a slot. */
  static RecordedOperand range(
      DeviceCore<?> device,
      String what,
      BufferRef ref,
      long offset,
      long length,
      BufferUsage usage) {
    Objects.requireNonNull(ref, what);
    if (ref instanceof Slot slot) {
      boolean isOpenEnded = slot.length() == Slot.WHOLE;
      Checks.range(
          what, offset, length, isOpenEnded ? Long.MAX_VALUE - slot.offset() : slot.length());
      return of(slot, offset, length);
    }
    EngineBuffer buffer = EngineBuffer.usable(device, what, (DeviceBuffer) ref);
    Checks.range(what, offset, length, buffer.size());
    buffer.checkUsage(what, usage);
    return of(buffer, offset, length);
  }

  /**
   * Checks the buffer for a kernel's parameter, also the alignment of its offset. For a slot this
   * covers the offset in the bound buffer; the rest is checked with the binding table.
   */
  static RecordedOperand argument(
      DeviceCore<?> device, EngineKernel kernel, int index, Object value) {
    Parameter parameter = kernel.parameter(index);
    if (!(value instanceof BufferRef ref)) {
      throw new HalException(
          Status.INVALID_ARGUMENT,
          "%s: needs a buffer, got %s %s"
              .formatted(kernel.argument(index), value.getClass().getSimpleName(), value));
    }
    RecordedOperand operand;
    if (ref instanceof Slot slot) {
      operand = of(slot, 0, slot.length());
    } else {
      EngineBuffer buffer = EngineBuffer.usable(device, parameter.name(), (DeviceBuffer) ref);
      if (parameter.isRead()) {
        buffer.checkUsage(parameter.name(), BufferUsage.DISPATCH_READ);
      }
      if (parameter.isWritten()) {
        buffer.checkUsage(parameter.name(), BufferUsage.DISPATCH_WRITE);
      }
      operand = of(buffer, 0, buffer.size());
    }
    if (operand.offset % parameter.type().bytes() != 0) {
      throw new HalException(
          Status.INVALID_ARGUMENT,
          "%s: offset %s must be a multiple of %s, the size of %s"
              .formatted(
                  kernel.argument(index),
                  operand.offset,
                  parameter.type().bytes(),
                  parameter.type().label()));
    }
    return operand;
  }

  @Override
  public int slot() {
    return slot;
  }

  /** Whether it is a slot whose length depends on the bound buffer. */
  public boolean isOpenEnded() {
    return isSlot() && length == Slot.WHOLE;
  }

  public boolean isSlot() {
    return storage == null;
  }

  public BufferStorage storage() {
    return Objects.requireNonNull(storage);
  }
}
