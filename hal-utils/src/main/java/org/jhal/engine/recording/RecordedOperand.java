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
  @Nullable BufferStorage storage; // null for a slot
  public int slot;
  public long offset; // from the start of the storage, or of the bound buffer
  public long length; // for a slot also Slot.WHOLE

  RecordedOperand() {}

  void set(BufferStorage newStorage, long newOffset, long newLength) {
    storage = newStorage;
    offset = newOffset;
    length = newLength;
  }

  void set(Slot newSlot, long newOffset, long newLength) {
    storage = null;
    slot = newSlot.index();
    offset = newSlot.offset() + newOffset;
    length = newLength;
  }

  /** Checks a range of a buffer or a slot, and sets it. */
  void set(
      DeviceCore<?> device,
      String what,
      BufferRef ref,
      long newOffset,
      long newLength,
      BufferUsage usage) {
    Objects.requireNonNull(ref, what);
    if (ref instanceof Slot slot) {
      if (slot.length() != Slot.WHOLE) {
        Checks.range(what, newOffset, newLength, slot.length());
      } else {
        Checks.range(what, newOffset, newLength, Long.MAX_VALUE - slot.offset());
      }
      set(slot, newOffset, newLength);
      return;
    }
    EngineBuffer buffer = EngineBuffer.usable(device, what, (DeviceBuffer) ref);
    Checks.range(what, newOffset, newLength, buffer.size());
    buffer.checkUsage(what, usage);
    set(buffer.storage, buffer.offset + newOffset, newLength);
  }

  /** Checks the buffer for a kernel's parameter, and sets it. */
  void setArgument(DeviceCore<?> device, EngineKernel kernel, int index, Object value) {
    Parameter parameter = kernel.parameter(index);
    if (!(value instanceof BufferRef ref)) {
      throw new HalException(
          Status.INVALID_ARGUMENT,
          kernel.argument(index)
              + ": needs a buffer, got "
              + value.getClass().getSimpleName()
              + " "
              + value);
    }
    if (ref instanceof Slot slot) {
      set(slot, 0, slot.length());
    } else {
      EngineBuffer buffer = EngineBuffer.usable(device, parameter.name(), (DeviceBuffer) ref);
      if (parameter.isRead()) {
        buffer.checkUsage(parameter.name(), BufferUsage.DISPATCH_READ);
      }
      if (parameter.isWritten()) {
        buffer.checkUsage(parameter.name(), BufferUsage.DISPATCH_WRITE);
      }
      set(buffer.storage, buffer.offset, buffer.size());
    }
    if (offset % parameter.type().bytes() != 0) {
      throw new HalException(
          Status.INVALID_ARGUMENT,
          kernel.argument(index)
              + ": offset "
              + offset
              + " must be a multiple of "
              + parameter.type().bytes()
              + ", the size of "
              + parameter.type().label());
    }
  }

  /**
   * Checks the alignment of the offset. For a slot this covers the offset in the bound buffer; the
   * rest is checked with the binding table.
   */
  void checkMultiple(String what, int unit) {
    Checks.multiple(what, offset, unit);
  }

  @Override
  public int slot() {
    return isSlot() ? slot : -1;
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
