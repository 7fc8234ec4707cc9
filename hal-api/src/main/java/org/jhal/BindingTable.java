// SPDX-License-Identifier: Apache-2.0
package org.jhal;

import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The buffers for the {@link Slot}s of a command buffer in one submission. The call that submits
 * the table copies it (rule Q2), so the caller may change and reuse it right after that call.
 * Entries that no command uses are ignored.
 *
 * <p>Not thread-safe.
 */
public final class BindingTable {
  /**
   * The maximum number of slots of a table. The cost of a submission, in time and in memory, grows
   * with the largest slot that its commands name, so keep slot numbers dense.
   */
  public static final int MAX_SIZE = 4096;

  /** The table without slots. */
  public static final BindingTable EMPTY = new BindingTable(0);

  private final @Nullable DeviceBuffer[] buffers;

  /**
   * Creates a table of {@code size} empty slots.
   *
   * @throws HalException OUT_OF_RANGE if {@code size} is not in {@code [0, MAX_SIZE]}
   */
  public BindingTable(int size) {
    if (size < 0 || size > MAX_SIZE) {
      throw new HalException(
          Status.OUT_OF_RANGE, "binding table size " + size + " is not between 0 and " + MAX_SIZE);
    }
    this.buffers = new @Nullable DeviceBuffer[size];
  }

  /**
   * Returns a table with {@code buffers} in slots 0, 1, 2 and so on.
   *
   * @throws HalException OUT_OF_RANGE if there are more than {@link #MAX_SIZE}
   */
  public static BindingTable of(DeviceBuffer... buffers) {
    Objects.requireNonNull(buffers, "buffers");
    BindingTable table = new BindingTable(buffers.length);
    for (int i = 0; i < buffers.length; i++) {
      table.set(i, Objects.requireNonNull(buffers[i], "buffers[" + i + "]"));
    }
    return table;
  }

  /** Returns the number of slots. */
  public int size() {
    return buffers.length;
  }

  /**
   * Puts {@code buffer}, which may be a slice, into a slot, and returns this table.
   *
   * @throws HalException OUT_OF_RANGE if {@code slot} is not in {@code [0, size())}
   */
  public BindingTable set(int slot, DeviceBuffer buffer) {
    buffers[check(slot)] = Objects.requireNonNull(buffer, "buffer");
    return this;
  }

  /**
   * Returns the buffer in a slot, or null if the slot is empty.
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
