// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.transfer;

import static org.jhal.cts.support.TestData.assertBytes;
import static org.jhal.cts.support.TestData.assertHal;
import static org.jhal.cts.support.TestData.bytes;
import static org.jhal.cts.support.Waits.assertPending;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.stream.Stream;
import org.jhal.BindingTable;
import org.jhal.CommandBuffer;
import org.jhal.DeviceBuffer;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.HostMemory;
import org.jhal.Slot;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Commands;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.TestData;
import org.jhal.cts.support.TransferCases;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Patterns, alignments, overlaps and host memory that are rejected: rules M2 and M5. */
@CtsSuite
class TransferRefusalTest {
  @ParameterizedTest
  @CsvSource({"0,0", "3,0", "8,0", "-1,0", "1,0x100", "2,0x10000", "1,-1"})
  @Rule({"M2", "M5"})
  void invalidPatternLengthsAndBitsAreRejected(int patternBytes, String bits) {
    assertHal(
        Status.INVALID_ARGUMENT,
        () -> new FillPattern(Integer.decode(bits), patternBytes),
        "fill pattern",
        String.valueOf(patternBytes));
  }

  @ParameterizedTest
  @CsvSource({
    "2,1,4,offset,1",
    "2,0,3,length,3",
    "4,2,8,offset,2",
    "4,0,6,length,6",
    "4,3,4,offset,3",
    "4,4,5,length,5",
    "2,0,1,length,1"
  })
  @Rule({"M2", "M5"})
  void fillsNotAlignedToThePatternAreRejected(
      int patternBytes, long offset, long length, String what, String value, Cts cts) {
    DeviceBuffer target = cts.buffer(bytes(32));
    TimelineSemaphore done = cts.semaphore();
    FillPattern pattern = new FillPattern(7, patternBytes);
    CommandBuffer commands =
        cts.closing(cts.device().createCommandBuffer(CommandBuffer.Mode.ONE_SHOT));
    String[] parts = {what, value, "multiple of " + patternBytes};
    assertHal(
        Status.INVALID_ARGUMENT,
        () -> cts.queue().fill(Fence.NONE, done.at(1), target, offset, length, pattern),
        parts);
    assertHal(Status.INVALID_ARGUMENT, () -> commands.fill(target, offset, length, pattern), parts);
    assertHal(
        Status.INVALID_ARGUMENT, () -> commands.fill(Slot.of(0), offset, length, pattern), parts);
    assertPending(done, 1);
    assertBytes(bytes(32), cts.read(target), "the buffer");
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"M2", "M5"})
  void alignmentIsRelativeToTheUnderlyingBuffer(Commands.Form form, Cts cts) {
    DeviceBuffer target = cts.buffer(bytes(32));
    DeviceBuffer odd = target.slice(2, 16);
    TimelineSemaphore done = cts.semaphore();
    FillPattern pattern = FillPattern.of32(1);
    if (form == Commands.Form.DIRECT) {
      CommandBuffer commands =
          cts.closing(cts.device().createCommandBuffer(CommandBuffer.Mode.ONE_SHOT));
      assertHal(Status.INVALID_ARGUMENT, () -> commands.fill(odd, 0, 8, pattern), "offset", "4");
      assertHal(
          Status.INVALID_ARGUMENT,
          () -> cts.queue().fill(Fence.NONE, done.at(1), odd, 4, 8, pattern),
          "offset",
          "4");
      commands.fill(odd, 2, 8, pattern); // byte 4 of the buffer
      commands.end();
      cts.queue().execute(Fence.NONE, done.at(1), commands);
    } else {
      CommandBuffer commands =
          cts.closing(cts.device().createCommandBuffer(CommandBuffer.Mode.REUSABLE));
      commands.fill(Slot.of(0), 0, 8, pattern);
      commands.end();
      assertHal(
          Status.INVALID_ARGUMENT,
          () -> cts.queue().execute(Fence.NONE, done.at(1), commands, BindingTable.of(odd)),
          "slot 0",
          "2",
          "4");
      DeviceBuffer even = target.slice(4, 16);
      cts.queue().execute(Fence.NONE, done.at(1), commands, BindingTable.of(even));
    }
    awaitReached(done, 1);
    byte[] expected = TestData.with(bytes(32), 4, TransferCases.repeated(pattern, 8));
    assertBytes(expected, cts.read(target), "the buffer");
  }

  /** Ranges of one buffer that overlap: source, target, length. */
  static Stream<Arguments> overlaps() {
    return Stream.of(
        Arguments.of(0L, 0L, 16L),
        Arguments.of(0L, 15L, 16L),
        Arguments.of(15L, 0L, 16L),
        Arguments.of(8L, 9L, 2L),
        Arguments.of(0L, 0L, 64L),
        Arguments.of(63L, 63L, 1L));
  }

  @ParameterizedTest
  @MethodSource("overlaps")
  @Rule({"M2", "M5"})
  void overlappingCopiesAreRejected(long source, long target, long length, Cts cts) {
    DeviceBuffer buffer = cts.buffer(bytes(64));
    TimelineSemaphore done = cts.semaphore();
    CommandBuffer commands =
        cts.closing(cts.device().createCommandBuffer(CommandBuffer.Mode.ONE_SHOT));
    String[] parts = {"overlap", "" + source, "" + target, "" + length};
    assertHal(
        Status.INVALID_ARGUMENT,
        () -> cts.queue().copy(Fence.NONE, done.at(1), buffer, source, buffer, target, length),
        parts);
    assertHal(
        Status.INVALID_ARGUMENT,
        () -> commands.copy(buffer, source, buffer, target, length),
        parts);
    // Other handles on the same bytes do not circumvent the check.
    DeviceBuffer from = buffer.slice(source, length);
    DeviceBuffer to = buffer.slice(target, length);
    assertHal(
        Status.INVALID_ARGUMENT,
        () -> cts.queue().copy(Fence.NONE, done.at(1), from, 0, to, 0, length),
        parts);
    assertHal(Status.INVALID_ARGUMENT, () -> commands.copy(from, 0, to, 0, length), parts);
    assertPending(done, 1);
    assertBytes(bytes(64), cts.read(buffer), "the buffer");
  }

  @ParameterizedTest
  @MethodSource("overlaps")
  @Rule({"M2", "M5"})
  void overlappingCopiesThroughSlotsAreRejected(long source, long target, long length, Cts cts) {
    DeviceBuffer buffer = cts.buffer(bytes(64));
    DeviceBuffer other = cts.buffer(64);
    TimelineSemaphore done = cts.semaphore();
    CommandBuffer bothSlots =
        cts.closing(cts.device().createCommandBuffer(CommandBuffer.Mode.REUSABLE));
    bothSlots.copy(Slot.of(0), source, Slot.of(1), target, length);
    bothSlots.end();
    CommandBuffer oneSlot =
        cts.closing(cts.device().createCommandBuffer(CommandBuffer.Mode.REUSABLE));
    oneSlot.copy(buffer, source, Slot.of(0), target, length);
    oneSlot.end();
    CommandBuffer sameSlot =
        cts.closing(cts.device().createCommandBuffer(CommandBuffer.Mode.REUSABLE));
    long enqueued = cts.device().statistics().enqueued();
    assertHal(
        Status.INVALID_ARGUMENT,
        () ->
            cts.queue().execute(Fence.NONE, done.at(1), bothSlots, BindingTable.of(buffer, buffer)),
        "overlap",
        String.valueOf(length));
    assertHal(
        Status.INVALID_ARGUMENT,
        () -> cts.queue().execute(Fence.NONE, done.at(1), oneSlot, BindingTable.of(buffer)),
        "overlap");
    // Two ranges of one slot overlap whatever is bound. Any of the three calls may reject them.
    assertHal(
        Status.INVALID_ARGUMENT,
        () -> {
          sameSlot.copy(Slot.of(0), source, Slot.of(0), target, length);
          sameSlot.end();
          cts.queue().execute(Fence.NONE, done.at(1), sameSlot, BindingTable.of(buffer));
        },
        "overlap");
    assertEquals(enqueued, cts.device().statistics().enqueued(), "operations enqueued");
    assertPending(done, 1);
    cts.queue().execute(Fence.NONE, done.at(1), bothSlots, BindingTable.of(buffer, other));
    awaitReached(done, 1);
    assertBytes(bytes(64), cts.read(buffer), "the buffer");
  }

  @Test
  @Rule({"M2", "M5"})
  void disjointSlicesInSlotsAreAccepted(Cts cts) {
    DeviceBuffer buffer = cts.buffer(bytes(64));
    TimelineSemaphore done = cts.semaphore();
    CommandBuffer commands =
        cts.closing(cts.device().createCommandBuffer(CommandBuffer.Mode.REUSABLE));
    commands.copy(Slot.of(0), 0, Slot.of(1), 0, 32);
    commands.end();
    cts.queue()
        .execute(
            Fence.NONE,
            done.at(1),
            commands,
            BindingTable.of(buffer.slice(0, 32), buffer.slice(32, 32)));
    awaitReached(done, 1);
    byte[] half = Arrays.copyOf(bytes(64), 32);
    assertBytes(TestData.with(bytes(64), 32, half), cts.read(buffer), "the buffer");
  }

  @Test
  @Rule({"Q2", "M5"})
  void aReadOnlyTargetOfAReadbackIsRejected(Cts cts) {
    DeviceBuffer buffer = cts.buffer(16);
    TimelineSemaphore done = cts.semaphore();
    ByteBuffer[] targets = {
      ByteBuffer.allocate(16).asReadOnlyBuffer(), ByteBuffer.allocateDirect(16).asReadOnlyBuffer()
    };
    for (ByteBuffer target : targets) {
      assertHal(
          Status.INVALID_ARGUMENT,
          () -> cts.queue().readback(Fence.NONE, done.at(1), buffer, 0, HostMemory.of(target)),
          "target",
          "read-only");
    }
    assertPending(done, 1);
  }
}
