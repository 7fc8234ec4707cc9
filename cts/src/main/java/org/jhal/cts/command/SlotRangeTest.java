// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.command;

import static org.jhal.cts.support.TestData.assertBytes;
import static org.jhal.cts.support.TestData.assertHal;
import static org.jhal.cts.support.TestData.bytes;
import static org.jhal.cts.support.TestData.filled;
import static org.jhal.cts.support.TestData.ints;
import static org.jhal.cts.support.TestData.with;
import static org.jhal.cts.support.Waits.awaitReached;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.jhal.Args;
import org.jhal.BindingTable;
import org.jhal.CommandBuffer;
import org.jhal.DeviceBuffer;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.Slot;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.Workgroups;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Cts;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Slots that refer to a range of what is bound: the offsets of the slot, the command and the bound
 * slice add up. Each test checks all bytes.
 */
@CtsSuite
class SlotRangeTest {
  private static final int SIZE = 256;
  private static final int SLOT_OFFSET = 16;
  private static final int SLOT_LENGTH = 32;

  /** A command that names a slot. Each moves or changes 16 bytes. */
  enum Use {
    FILL(8) {
      @Override
      void record(CommandBuffer commands, Slot slot, DeviceBuffer other, Cts cts) {
        commands.fill(slot, at, 16, FillPattern.of8(0x5A));
      }
    },
    UPDATE(3) {
      @Override
      void record(CommandBuffer commands, Slot slot, DeviceBuffer other, Cts cts) {
        commands.update(ByteBuffer.wrap(filled(16, 0x5A)), slot, at);
      }
    },
    COPY_TO(5) {
      @Override
      void record(CommandBuffer commands, Slot slot, DeviceBuffer other, Cts cts) {
        commands.copy(other, 0, slot, at, 16);
      }
    },
    COPY_FROM(7) {
      @Override
      void record(CommandBuffer commands, Slot slot, DeviceBuffer other, Cts cts) {
        commands.copy(slot, at, other, 0, 16);
      }
    },
    DISPATCH_WRITE(0) {
      @Override
      void record(CommandBuffer commands, Slot slot, DeviceBuffer other, Cts cts) {
        commands.dispatch(cts.kernel("twice"), Workgroups.of(4), Args.of(other, slot));
      }
    },
    DISPATCH_READ(0) {
      @Override
      void record(CommandBuffer commands, Slot slot, DeviceBuffer other, Cts cts) {
        commands.dispatch(cts.kernel("twice"), Workgroups.of(4), Args.of(slot, other));
      }
    };

    final int at; // where the command begins in the slot's range

    Use(int at) {
      this.at = at;
    }

    /** Records the command; {@code other} is the buffer that it also uses, if any. */
    abstract void record(CommandBuffer commands, Slot slot, DeviceBuffer other, Cts cts);

    boolean isDispatch() {
      return this == DISPATCH_READ || this == DISPATCH_WRITE;
    }

    boolean readsSlot() {
      return this == COPY_FROM || this == DISPATCH_READ;
    }

    /** How many bytes must be bound. A kernel may use its whole argument. */
    int needs() {
      return SLOT_OFFSET + (isDispatch() ? SLOT_LENGTH : at + 16);
    }

    /** What the command writes, computed from what it reads. */
    byte[] result(byte[] source) {
      return switch (this) {
        case FILL, UPDATE -> filled(16, 0x5A);
        case COPY_TO, COPY_FROM -> source;
        default -> {
          ByteBuffer numbers = ByteBuffer.wrap(source).order(ByteOrder.nativeOrder());
          yield ints(4, i -> 2 * numbers.getInt(4 * i));
        }
      };
    }
  }

  private static CommandBuffer record(Use use, DeviceBuffer other, Cts cts) {
    CommandBuffer commands =
        cts.closing(cts.device().createCommandBuffer(CommandBuffer.Mode.REUSABLE));
    use.record(commands, new Slot(1, SLOT_OFFSET, SLOT_LENGTH), other, cts);
    commands.end();
    return commands;
  }

  private static void execute(Cts cts, CommandBuffer commands, DeviceBuffer bound) {
    TimelineSemaphore done = cts.semaphore();
    BindingTable table = new BindingTable(2).set(1, bound);
    cts.queue().execute(Fence.NONE, done.at(1), commands, table);
    awaitReached(done, 1);
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"M2", "M4", "M8"})
  void theOffsetsOfSlotCommandAndBoundSliceAddUp(Use use, Cts cts) {
    DeviceBuffer other = cts.buffer(bytes(16));
    CommandBuffer commands = record(use, other, cts);
    for (int sliceOffset : new int[] {0, 4, 100, 164}) { // enough for a driver to change the form
      byte[] before = new byte[SIZE];
      for (int i = 0; i < SIZE; i++) {
        before[i] = (byte) (3 * i + sliceOffset);
      }
      DeviceBuffer bound = cts.buffer(before);
      cts.write(other, 0, bytes(16));
      execute(cts, commands, bound.slice(sliceOffset, SIZE - sliceOffset));
      int at = sliceOffset + SLOT_OFFSET + use.at;
      String where = use + " in a slice from byte " + sliceOffset + " on";
      if (use.readsSlot()) {
        byte[] read = Arrays.copyOfRange(before, at, at + 16);
        assertBytes(before, cts.read(bound), where + ": the bytes that were read");
        assertBytes(use.result(read), cts.read(other), where + ": the other buffer");
      } else {
        byte[] written = use.result(bytes(16));
        assertBytes(
            with(before, at, written), cts.read(bound), where + ": the bytes that were written");
        assertBytes(bytes(16), cts.read(other), where + ": the other buffer");
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"M2", "M5"})
  void aBoundBufferMustCoverTheUsedRange(Use use, Cts cts) {
    DeviceBuffer other = cts.buffer(bytes(16));
    CommandBuffer commands = record(use, other, cts);
    DeviceBuffer bound = cts.buffer(filled(SIZE, 1));
    int needs = use.needs();
    assertHal(
        Status.OUT_OF_RANGE,
        () -> execute(cts, commands, bound.slice(8, needs - 1)),
        "slot 1",
        String.valueOf(needs),
        String.valueOf(needs - 1));
    assertBytes(filled(SIZE, 1), cts.read(bound), "a buffer that was refused");
    execute(cts, commands, bound.slice(8, needs));
  }

  @Test
  @Rule({"M2", "M5"})
  void overlapChecksIncludeSlotOffsets(Cts cts) {
    DeviceBuffer buffer = cts.buffer(bytes(64));
    CommandBuffer overlapping =
        cts.closing(cts.device().createCommandBuffer(CommandBuffer.Mode.REUSABLE));
    overlapping.copy(new Slot(0, 0, 16), 0, new Slot(1, 12, 20), 3, 16);
    overlapping.end();
    TimelineSemaphore done = cts.semaphore();
    assertHal(
        Status.INVALID_ARGUMENT,
        () ->
            cts.queue()
                .execute(Fence.NONE, done.at(1), overlapping, BindingTable.of(buffer, buffer)),
        "overlap");
    CommandBuffer disjoint =
        cts.closing(cts.device().createCommandBuffer(CommandBuffer.Mode.REUSABLE));
    disjoint.copy(new Slot(0, 0, 16), 0, new Slot(1, 12, 20), 4, 16);
    disjoint.end();
    cts.queue().execute(Fence.NONE, done.at(1), disjoint, BindingTable.of(buffer, buffer));
    awaitReached(done, 1);
    byte[] expected = with(bytes(64), 16, Arrays.copyOfRange(bytes(64), 0, 16));
    assertBytes(expected, cts.read(buffer), "the first 16 bytes, twice");
  }

  @Test
  @Rule({"M2", "M5"})
  void theSumOfOffsetsMustBeAlignedToThePattern(Cts cts) {
    DeviceBuffer buffer = cts.buffer(filled(32, 1));
    CommandBuffer commands =
        cts.closing(cts.device().createCommandBuffer(CommandBuffer.Mode.REUSABLE));
    assertHal(
        Status.INVALID_ARGUMENT,
        () -> commands.fill(new Slot(0, 2, 16), 4, 4, FillPattern.of32(7)),
        "6",
        "4");
    commands.fill(new Slot(0, 2, 16), 2, 4, FillPattern.of32(7));
    commands.end();
    TimelineSemaphore done = cts.semaphore();
    cts.queue().execute(Fence.NONE, done.at(1), commands, BindingTable.of(buffer));
    awaitReached(done, 1);
    assertBytes(with(filled(32, 1), 4, ints(7)), cts.read(buffer), "a word at byte 4");
  }
}
