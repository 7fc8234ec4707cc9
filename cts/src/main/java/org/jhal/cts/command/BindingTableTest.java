// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.command;

import static org.jhal.cts.support.TestData.assertBytes;
import static org.jhal.cts.support.TestData.assertHal;
import static org.jhal.cts.support.TestData.bytes;
import static org.jhal.cts.support.TestData.filled;
import static org.jhal.cts.support.Waits.assertPending;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jhal.Args;
import org.jhal.BindingTable;
import org.jhal.BufferParams;
import org.jhal.BufferUsage;
import org.jhal.CommandBuffer;
import org.jhal.DeviceBuffer;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.MemoryType;
import org.jhal.Slot;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.Workgroups;
import org.jhal.cts.Need;
import org.jhal.cts.Needs;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.TestData;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The required content of binding tables, and the buffers that slots refer to. */
@CtsSuite
class BindingTableTest {
  private static CommandBuffer reusable(Cts cts) {
    return cts.closing(cts.device().createCommandBuffer(CommandBuffer.Mode.REUSABLE));
  }

  /** Checks that a table is rejected without any effect. */
  private static void assertRefused(
      Cts cts, Status status, CommandBuffer commands, BindingTable table, String... parts) {
    TimelineSemaphore done = cts.semaphore();
    long enqueued = cts.device().statistics().enqueued();
    assertHal(status, () -> cts.queue().execute(Fence.NONE, done.at(1), commands, table), parts);
    assertEquals(enqueued, cts.device().statistics().enqueued(), "operations enqueued");
    assertPending(done, 1);
  }

  private static void execute(Cts cts, CommandBuffer commands, BindingTable table) {
    TimelineSemaphore done = cts.semaphore();
    cts.queue().execute(Fence.NONE, done.at(1), commands, table);
    awaitReached(done, 1);
  }

  @Test
  @Rule("M5")
  void aTableThatIsTooShortIsRejected(Cts cts) {
    CommandBuffer commands = reusable(cts);
    commands.fill(Slot.of(2), 0, 4, FillPattern.ZERO);
    commands.end();
    DeviceBuffer buffer = cts.buffer(16);
    assertRefused(cts, Status.OUT_OF_RANGE, commands, BindingTable.EMPTY, "0", "slot 2");
    assertRefused(
        cts, Status.OUT_OF_RANGE, commands, BindingTable.of(buffer, buffer), "2 slots", "slot 2");
    TimelineSemaphore done = cts.semaphore();
    assertHal(
        Status.OUT_OF_RANGE,
        () -> cts.queue().execute(Fence.NONE, done.at(1), commands),
        "binding table",
        "slot 2");
  }

  @Test
  @Rule("M5")
  void aUsedEmptySlotIsRejected(Cts cts) {
    CommandBuffer commands = reusable(cts);
    commands.fill(Slot.of(1), 0, 4, FillPattern.ZERO);
    commands.end();
    BindingTable table = new BindingTable(2).set(0, cts.buffer(16));
    assertRefused(cts, Status.INVALID_ARGUMENT, commands, table, "slot 1", "empty");
    execute(cts, commands, table.set(1, cts.buffer(16)));
  }

  @Test
  @Rule({"M5", "Q3"})
  @Needs(Need.SECOND_DEVICE)
  void entriesThatNoCommandUsesAreIgnored(Cts cts) {
    DeviceBuffer target = cts.buffer(filled(16, 0));
    DeviceBuffer closed = cts.buffer(4);
    closed.close();
    CommandBuffer commands = reusable(cts);
    commands.fill(Slot.of(1), 0, 16, FillPattern.of8(5));
    commands.end();
    BindingTable table =
        new BindingTable(5)
            .set(0, closed)
            .set(1, target)
            .set(3, cts.buffer(cts.second(), 16, BufferParams.DEVICE))
            .set(4, cts.buffer(cts.device(), 16, readOnly()));
    execute(cts, commands, table);
    assertBytes(filled(16, 5), cts.read(target), "the buffer in slot 1");
  }

  private static BufferParams readOnly() {
    return BufferParams.DEVICE.withUsage(BufferUsage.DISPATCH_READ);
  }

  @Test
  @Rule("M5")
  void requirementsOfAllCommandsOnASlotAddUp(Cts cts) {
    CommandBuffer commands = reusable(cts);
    commands.fill(Slot.of(0), 0, 8, FillPattern.ZERO);
    commands.fill(new Slot(0, 24, 8), 4, 4, FillPattern.ZERO); // up to byte 32
    commands.update(ByteBuffer.allocate(3), new Slot(0, 8, Slot.WHOLE), 2); // up to byte 13
    commands.barrier();
    commands.copy(Slot.of(0), 0, Slot.of(1), 0, 16);
    commands.end();
    DeviceBuffer target = cts.buffer(16);
    assertRefused(
        cts,
        Status.OUT_OF_RANGE,
        commands,
        BindingTable.of(cts.buffer(31), target),
        "slot 0",
        "32",
        "31");
    assertRefused(
        cts,
        Status.OUT_OF_RANGE,
        commands,
        BindingTable.of(cts.buffer(64).slice(0, 31), target),
        "slot 0",
        "32",
        "31");
    DeviceBuffer writeOnly =
        cts.buffer(cts.device(), 32, BufferParams.DEVICE.withUsage(BufferUsage.TRANSFER_TARGET));
    assertRefused(
        cts,
        Status.PERMISSION_DENIED,
        commands,
        BindingTable.of(writeOnly, target),
        "slot 0",
        "TRANSFER_SOURCE");
    execute(cts, commands, BindingTable.of(cts.buffer(32), target));
  }

  @Test
  @Rule("M5")
  void aLaterCommandDoesNotLowerTheRequirements(Cts cts) {
    CommandBuffer commands = reusable(cts);
    DeviceBuffer sink = cts.buffer(64);
    commands.dispatch(cts.kernel("negate"), Workgroups.of(16), Args.of(Slot.of(0), sink));
    commands.copy(Slot.of(0), 0, Slot.of(1), 0, 64);
    commands.barrier();
    commands.fill(Slot.of(0), 3, 1, FillPattern.of8(1));
    commands.end();
    DeviceBuffer target = cts.buffer(64);
    DeviceBuffer large = cts.buffer(filled(128, 0));
    for (BufferUsage missing : List.of(BufferUsage.DISPATCH_READ, BufferUsage.TRANSFER_SOURCE)) {
      Set<BufferUsage> usages = EnumSet.copyOf(BufferParams.DEVICE.usage());
      usages.remove(missing);
      BufferParams params = new BufferParams(MemoryType.DEVICE, usages);
      assertRefused(
          cts,
          Status.PERMISSION_DENIED,
          commands,
          BindingTable.of(cts.buffer(cts.device(), 64, params), target),
          "slot 0",
          missing.name());
    }
    assertRefused(
        cts,
        Status.INVALID_ARGUMENT,
        commands,
        BindingTable.of(large.slice(2, 64), target),
        "slot 0",
        "4",
        "2");
    assertRefused(
        cts,
        Status.OUT_OF_RANGE,
        commands,
        BindingTable.of(large.slice(0, 63), target),
        "slot 0",
        "64",
        "63");
    execute(cts, commands, BindingTable.of(large.slice(4, 64), target));
  }

  @Test
  @Rule("M2")
  void aSlotMayReferToARangeOfTheBoundBuffer(Cts cts) {
    DeviceBuffer first = cts.buffer(filled(64, 0));
    DeviceBuffer second = cts.buffer(filled(64, 0));
    CommandBuffer commands = reusable(cts);
    commands.fill(Slot.of(0).slice(8, 16).slice(4, 8), 2, 4, FillPattern.of8(7));
    commands.end();
    execute(cts, commands, BindingTable.of(first));
    execute(cts, commands, BindingTable.of(second.slice(20, 40)));
    assertBytes(TestData.with(filled(64, 0), 14, filled(4, 7)), cts.read(first), "a whole buffer");
    assertBytes(TestData.with(filled(64, 0), 34, filled(4, 7)), cts.read(second), "a bound slice");
  }

  @Test
  @Rule({"M4", "M8"})
  void anOpenEndedSlotReachesToTheEndOfTheBoundBuffer(Cts cts) {
    CommandBuffer commands = reusable(cts);
    commands.dispatch(
        cts.kernel("negate"),
        Workgroups.of(4),
        Args.of(new Slot(0, 16, Slot.WHOLE), new Slot(1, 0, Slot.WHOLE)));
    commands.end();
    for (int size : new int[] {32, 64, 1024}) {
      DeviceBuffer x = cts.buffer(TestData.ints(size / 4, i -> i));
      DeviceBuffer y = cts.buffer(filled(size, 0));
      execute(cts, commands, BindingTable.of(x, y));
      byte[] expected = TestData.with(filled(size, 0), 0, TestData.ints(-4, -5, -6, -7));
      assertBytes(expected, cts.read(y), "negated ints of a buffer of " + size);
    }
    assertRefused(
        cts,
        Status.OUT_OF_RANGE,
        commands,
        BindingTable.of(cts.buffer(8), cts.buffer(16)),
        "slot 0",
        "16",
        "8");
  }

  @ParameterizedTest
  @CsvSource({"2,i32,4", "1,i32,4", "3,i32,4"})
  @Rule({"M5", "M8"})
  void boundBuffersMustBeAlignedToTheElementType(long offset, String type, int unit, Cts cts) {
    CommandBuffer commands = reusable(cts);
    commands.dispatch(cts.kernel("negate"), Workgroups.of(2), Args.of(Slot.of(0), Slot.of(1)));
    commands.end();
    DeviceBuffer buffer = cts.buffer(64);
    assertRefused(
        cts,
        Status.INVALID_ARGUMENT,
        commands,
        BindingTable.of(buffer.slice(offset, 16), buffer.slice(32, 16)),
        "slot 0",
        String.valueOf(offset),
        String.valueOf(unit));
    CommandBuffer inside = reusable(cts);
    assertHal(
        Status.INVALID_ARGUMENT,
        () ->
            inside.dispatch(
                cts.kernel("negate"),
                Workgroups.of(2),
                Args.of(new Slot(0, offset, 16), Slot.of(1))),
        "x",
        String.valueOf(offset),
        type);
  }

  @Test
  @Rule("M5")
  void commandsWithoutEffectNeedNoBoundBuffers(Cts cts) {
    CommandBuffer commands = reusable(cts);
    commands.fill(Slot.of(7), 100, 0, FillPattern.ZERO);
    commands.update(ByteBuffer.allocate(0), Slot.of(8), 100);
    commands.copy(Slot.of(9), 5, Slot.of(9), 5, 0);
    commands.dispatch(cts.kernel("negate"), Workgroups.of(0), Args.of(Slot.of(10), Slot.of(11)));
    commands.end();
    execute(cts, commands, BindingTable.EMPTY);
  }

  @Test
  @Rule("M5")
  void invalidSlotsAreRejected(Cts cts) {
    assertHal(Status.OUT_OF_RANGE, () -> Slot.of(-1), "slot index", "-1");
    assertHal(Status.OUT_OF_RANGE, () -> new Slot(0, -5, 1), "offset", "-5");
    assertHal(Status.OUT_OF_RANGE, () -> new Slot(0, 0, -2), "length", "-2");
    assertHal(Status.OUT_OF_RANGE, () -> new Slot(0, 4, 8).slice(4, 5), "4", "5");
    assertHal(Status.OUT_OF_RANGE, () -> new BindingTable(-1), "-1");
    BindingTable table = new BindingTable(2);
    assertHal(Status.OUT_OF_RANGE, () -> table.set(2, cts.buffer(4)), "slot 2", "2 slots");
    assertHal(Status.OUT_OF_RANGE, () -> table.get(-1), "slot -1", "2 slots");
    CommandBuffer commands = reusable(cts);
    assertHal(
        Status.OUT_OF_RANGE,
        () -> commands.fill(new Slot(0, 4, 8), 4, 5, FillPattern.ZERO),
        "target",
        "4",
        "5",
        "8");
  }

  @Test
  @Rule("M5")
  void theLastSlotWorksAndLaterOnesAreRejected(Cts cts) {
    int last = BindingTable.MAX_SIZE - 1;
    for (int index : new int[] {last + 1, 20_000_000, Integer.MAX_VALUE}) {
      String limit = String.valueOf(BindingTable.MAX_SIZE);
      assertHal(Status.OUT_OF_RANGE, () -> Slot.of(index), "slot index " + index, limit);
      assertHal(Status.OUT_OF_RANGE, () -> new Slot(index, 0, 4), "slot index " + index, limit);
      assertHal(
          Status.OUT_OF_RANGE, () -> new BindingTable(index + 1 < 0 ? index : index + 1), limit);
    }
    DeviceBuffer target = cts.buffer(filled(8, 1));
    CommandBuffer commands = reusable(cts);
    commands.fill(Slot.of(last), 0, 4, FillPattern.of8(2));
    commands.end();
    BindingTable table = new BindingTable(BindingTable.MAX_SIZE).set(last, target);
    execute(cts, commands, table);
    assertBytes(TestData.with(filled(8, 1), 0, filled(4, 2)), cts.read(target), "the last slot");
    BindingTable shorter = new BindingTable(last);
    assertRefused(cts, Status.OUT_OF_RANGE, commands, shorter, "slot " + last, last + " slots");
  }

  @Test
  @Rule({"M3", "M5"})
  void oneBufferMayBeBoundToSeveralSlots(Cts cts) {
    DeviceBuffer buffer = cts.buffer(bytes(64));
    CommandBuffer commands = reusable(cts);
    commands.fill(Slot.of(0), 0, 16, FillPattern.of8(1));
    commands.fill(Slot.of(1), 16, 16, FillPattern.of8(2));
    commands.barrier();
    commands.copy(Slot.of(0), 8, Slot.of(2), 40, 16);
    commands.end();
    execute(cts, commands, BindingTable.of(buffer, buffer, buffer));
    byte[] expected = TestData.with(bytes(64), 0, filled(16, 1));
    expected = TestData.with(expected, 16, filled(16, 2));
    expected = TestData.with(expected, 40, filled(8, 1));
    expected = TestData.with(expected, 48, filled(8, 2));
    assertBytes(expected, cts.read(buffer), "the buffer");
  }
}
