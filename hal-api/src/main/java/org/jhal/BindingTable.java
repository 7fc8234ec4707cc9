package org.jhal;

import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The buffers for the {@link Slot}s of a command buffer in one submission. The table is copied at
 * the call that submits it (rule Q2), so it may be changed and reused right after that call.
 * Entries that no command uses are ignored.
 *
 * <p>Not thread-safe.
 */
public final class BindingTable {
  /** The table without entries. */
  public static final BindingTable EMPTY = new BindingTable(0);

  private final @Nullable DeviceBuffer[] buffers;

  /**
   * A table of {@code size} empty slots.
   *
   * @throws HalException OUT_OF_RANGE if {@code size} is negative
   */
  public BindingTable(int size) {
    if (size < 0) {
      throw new HalException(Status.OUT_OF_RANGE, "binding table size " + size + " is negative");
    }
    this.buffers = new @Nullable DeviceBuffer[size];
  }

  /** A table with {@code buffers} in slots 0, 1, 2 and so on. */
  public static BindingTable of(DeviceBuffer... buffers) {
    Objects.requireNonNull(buffers, "buffers");
    BindingTable table = new BindingTable(buffers.length);
    for (int i = 0; i < buffers.length; i++) {
      table.set(i, Objects.requireNonNull(buffers[i], "buffers[" + i + "]"));
    }
    return table;
  }

  /** The number of slots. */
  public int size() {
    return buffers.length;
  }

  /**
   * Puts {@code buffer}, which may be a slice, into a slot.
   *
   * @throws HalException OUT_OF_RANGE if {@code slot} is not in {@code [0, size())}
   */
  public BindingTable set(int slot, DeviceBuffer buffer) {
    buffers[check(slot)] = Objects.requireNonNull(buffer, "buffer");
    return this;
  }

  /**
   * What is in a slot, or null if it is empty.
   *
   * @throws HalException OUT_OF_RANGE if {@code slot} is not in {@code [0, size())}
   */
  public @Nullable DeviceBuffer get(int slot) {
    return buffers[check(slot)];
  }

  private int check(int slot) {
    if (slot < 0 || slot >= buffers.length) {
      throw new HalException(
          Status.OUT_OF_RANGE,
          "slot " + slot + " of a binding table with " + buffers.length + " slots");
    }
    return slot;
  }

  @Override
  public String toString() {
    return Arrays.toString(buffers);
  }
}
