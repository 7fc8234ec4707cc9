package org.jhal.engine;

import java.util.Objects;
import org.jhal.Slot;
import org.jhal.driver.Operand;
import org.jspecify.annotations.Nullable;

/**
 * A range that a command reads or writes: part of a buffer, or part of what a slot of the binding
 * table will hold.
 */
final class RecordedOperand implements Operand {
  @Nullable BufferStorage storage; // null for a slot
  int slot;
  long offset; // from the start of the storage, or of the bound buffer
  long length; // for a slot also Slot.WHOLE

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

  @Override
  public int slot() {
    return isSlot() ? slot : -1;
  }

  /** Whether it is a slot whose range is known only once a buffer is bound. */
  boolean isOpenEnded() {
    return isSlot() && length == Slot.WHOLE;
  }

  boolean isSlot() {
    return storage == null;
  }

  BufferStorage storage() {
    return Objects.requireNonNull(storage);
  }
}
