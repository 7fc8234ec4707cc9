// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.memory;

import static org.jhal.cts.support.TestData.assertBytes;
import static org.jhal.cts.support.TestData.assertHal;
import static org.jhal.cts.support.TestData.bytes;
import static org.jhal.cts.support.TestData.filled;
import static org.jhal.cts.support.TestData.ints;
import static org.jhal.cts.support.Waits.awaitReached;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jhal.Args;
import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceBuffer.MapMode;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.HalException;
import org.jhal.MemoryType;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.Workgroups;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Commands;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.TestData;
import org.jhal.cts.support.Waits;
import org.junit.jupiter.api.Test;
import org.opentest4j.TestAbortedException;

/**
 * Buffers of more than 2 GiB and of more than 4 GiB, with offsets and lengths that do not fit into
 * an int, and offsets that do not fit into 32 bits (rule M7). Allocating such memory takes seconds,
 * so each test allocates one buffer and uses it for all its checks.
 */
@CtsSuite(deadlineSeconds = 300)
class LargeBufferTest {
  /** For operations on gigabytes, which take one core of a busy machine many seconds. */
  private static final Duration LIMIT = Waits.LIMIT.multipliedBy(5);

  private static final long EDGE = 1L << 31; // the first offset that does not fit into an int
  private static final long SIZE = EDGE + (1 << 20);

  private static final long WRAP = 1L << 32; // the first offset that needs more than 32 bits
  private static final long WRAPPING_SIZE = WRAP + (1 << 20);

  /** A buffer of more than 4 GiB or, if the device has no such buffers, of more than 2 GiB. */
  private static DeviceBuffer large(Cts cts, BufferParams params) {
    try {
      return large(cts, WRAPPING_SIZE, params);
    } catch (TestAbortedException tooLarge) {
      return large(cts, SIZE, params);
    }
  }

  /** Ends the test as unsupported if only offsets below 4 GiB could be tested. */
  private static void needWrapping(DeviceBuffer buffer) {
    if (buffer.size() < WRAPPING_SIZE) {
      throw Cts.unsupported(
          "the device has no buffers of " + WRAPPING_SIZE + " bytes; one of " + SIZE + " was used");
    }
  }

  /**
   * A buffer of {@code size} bytes. The test is unsupported if the device has less memory or
   * reports a lower limit for a buffer, or if there is not enough memory left even for pieces with
   * sizes that fit into an int. If there is enough for the pieces, there must be enough for the
   * whole.
   */
  private static DeviceBuffer large(Cts cts, long size, BufferParams params) {
    Device device = cts.device();
    if (device.info().memoryBytes() < size) {
      throw Cts.unsupported("the device has less than " + size + " bytes of memory");
    }
    boolean isOnDevice = params.type() == MemoryType.DEVICE || params.type() == MemoryType.SHARED;
    if (isOnDevice && device.info().maxAllocationBytes() < size) {
      throw Cts.unsupported("the device has no buffers of " + size + " bytes");
    }
    try {
      return cts.closing(device.allocate(size, params));
    } catch (HalException e) {
      List<DeviceBuffer> pieces = new ArrayList<>();
      try {
        for (long left = size; left > 0; left -= 1 << 29) {
          pieces.add(device.allocate(Math.min(left, 1 << 29), params));
        }
      } catch (HalException alsoNotInPieces) {
        throw Cts.unsupported(
            "the device has no " + size + " bytes of memory left: " + e.getMessage());
      } finally {
        pieces.forEach(DeviceBuffer::close);
      }
      throw e;
    }
  }

  private static void write(Cts cts, DeviceBuffer buffer, long offset, byte[] content) {
    cts.write(buffer, offset, content);
    assertBytes(content, cts.read(buffer, offset, content.length), "written at " + offset);
  }

  @Test
  @Rule({"M2", "M5", "M7", "M8"})
  void everyOffsetOfALargeBufferIsAccessible(Cts cts) {
    DeviceBuffer buffer = large(cts, BufferParams.DEVICE);
    transfersReachEveryPlace(cts, buffer);
    for (Commands.Form form : Commands.Form.values()) {
      commandsAndKernelsReachEveryPlace(cts, form, buffer);
    }
    limitsAreWhereTheyAre(cts, buffer);
    needWrapping(buffer);
    nothingIsCutTo32Bits(cts, buffer);
  }

  private static void transfersReachEveryPlace(Cts cts, DeviceBuffer buffer) {
    TimelineSemaphore timeline = cts.semaphore();
    // The length does not fit into an int.
    cts.queue().fill(Fence.NONE, timeline.at(1), buffer, 0, SIZE, FillPattern.of8(0x21));
    awaitReached(timeline.at(1), LIMIT);
    long[] places = {0, EDGE / 2 - 32, EDGE - 32, EDGE, SIZE - 64};
    for (long place : places) {
      assertBytes(filled(64, 0x21), cts.read(buffer, place, 64), "filled at " + place);
    }
    // Around the edge and at the end, by upload, update, fill and copy.
    write(cts, buffer, EDGE - 500, bytes(1000));
    write(cts, buffer, SIZE - 100, bytes(100));
    cts.queue()
        .update(Fence.NONE, timeline.at(2), ByteBuffer.wrap(filled(16, 0x44)), buffer, EDGE - 8);
    cts.queue().fill(timeline.at(2), timeline.at(3), buffer, EDGE + 100, 4, FillPattern.of32(-1));
    cts.queue().copy(timeline.at(3), timeline.at(4), buffer, EDGE - 16, buffer, SIZE - 4096, 256);
    cts.queue().copy(timeline.at(4), timeline.at(5), buffer, SIZE - 4096, buffer, 8, 256);
    awaitReached(timeline.at(5), LIMIT);
    byte[] expected = TestData.with(bytes(1000), 492, filled(16, 0x44));
    expected = TestData.with(expected, 600, filled(4, 0xFF));
    assertBytes(expected, cts.read(buffer, EDGE - 500, 1000), "around the edge");
    byte[] moved = Arrays.copyOfRange(expected, 484, 740);
    assertBytes(moved, cts.read(buffer, SIZE - 4096, 256), "copied to the end");
    assertBytes(moved, cts.read(buffer, 8, 256), "copied to the start");
    assertBytes(filled(8, 0x21), cts.read(buffer, 0, 8), "before it");
  }

  private static void commandsAndKernelsReachEveryPlace(
      Cts cts, Commands.Form form, DeviceBuffer buffer) {
    DeviceBuffer result = cts.buffer(64);
    Commands commands = new Commands(cts, form);
    commands
        .buffer()
        .update(ByteBuffer.wrap(ints(16, i -> i)), commands.ref(buffer, EDGE - 32, 64), 0);
    commands.buffer().fill(commands.ref(buffer), SIZE - 64, 64, FillPattern.of32(9));
    commands.buffer().barrier();
    commands
        .buffer()
        .dispatch(
            cts.kernel("scale_and_offset"),
            Workgroups.of(16),
            Args.of(
                commands.ref(buffer, EDGE - 32, 64), commands.ref(buffer, SIZE - 128, 64), 3, 1));
    commands.buffer().barrier();
    commands.buffer().copy(commands.ref(buffer), SIZE - 128, commands.ref(result), 0, 64);
    commands.run(cts.queue());
    assertBytes(ints(16, i -> 3 * i + 1), cts.read(result), "3x + 1");
    assertBytes(ints(16, i -> 9), cts.read(buffer, SIZE - 64, 64), "the end");
    assertBytes(ints(16, i -> i), cts.read(buffer, EDGE - 32, 64), "around the edge");
  }

  @Test
  @Rule({"M5", "M7"})
  void everyOffsetCanBeMappedButNotMoreThanMaxIntBytes(Cts cts) {
    DeviceBuffer buffer = large(cts, BufferParams.HOST);
    String limit = String.valueOf(Integer.MAX_VALUE);
    assertHal(
        Status.OUT_OF_RANGE, () -> buffer.map(MapMode.READ), "mapping", "" + buffer.size(), limit);
    assertHal(Status.OUT_OF_RANGE, () -> buffer.map(8, EDGE, MapMode.READ), "" + EDGE, limit);
    long[] places = {EDGE / 2 - 128, EDGE - 128, EDGE, SIZE - 256};
    for (int i = 0; i < places.length; i++) {
      byte[] content = filled(256, 1 + i);
      try (DeviceBuffer.Mapping mapping = buffer.map(places[i], 256, MapMode.DISCARD_WRITE)) {
        mapping.bytes().put(content);
      }
      assertBytes(content, cts.read(buffer, places[i], 256), "mapped at " + places[i]);
      DeviceBuffer slice = buffer.slice(places[i] - 8, 16);
      cts.write(slice, 4, bytes(8));
      byte[] seen = new byte[16];
      try (DeviceBuffer.Mapping mapping = slice.map(MapMode.READ)) {
        mapping.bytes().get(seen);
      }
      assertBytes(cts.read(buffer, places[i] - 8, 16), seen, "a slice mapped at " + places[i]);
      assertBytes(bytes(8), Arrays.copyOfRange(seen, 4, 12), "the bytes that were written there");
    }
    needWrapping(buffer);
    noMappingIsCutTo32Bits(cts, buffer);
  }

  private static void limitsAreWhereTheyAre(Cts cts, DeviceBuffer buffer) {
    long size = buffer.size();
    TimelineSemaphore done = cts.semaphore();
    assertHal(
        Status.OUT_OF_RANGE,
        () -> cts.queue().fill(Fence.NONE, done.at(1), buffer, 1, size, FillPattern.of8(1)),
        "target",
        "" + size);
    assertHal(
        Status.OUT_OF_RANGE,
        () -> cts.queue().readback(Fence.NONE, done.at(1), buffer, size, ByteBuffer.allocate(1)),
        "source",
        "" + size);
    // Overlaps beyond the edge are detected. Offsets that are equal only when truncated to int do
    // not overlap.
    assertHal(
        Status.INVALID_ARGUMENT,
        () -> cts.queue().copy(Fence.NONE, done.at(1), buffer, EDGE, buffer, EDGE + 8, 16),
        "overlap",
        "" + EDGE);
    cts.write(buffer, EDGE, bytes(64));
    cts.queue().copy(Fence.NONE, done.at(1), buffer, EDGE, buffer, 0, 64);
    awaitReached(done.at(1), LIMIT);
    assertBytes(bytes(64), cts.read(buffer, 0, 64), "copied from 2 GiB to 0");
  }

  /**
   * Writes in each way at offsets that are near the start when truncated to 32 bits. Little else is
   * accessed, because the buffer may exceed the physical memory of the machine.
   */
  private static void nothingIsCutTo32Bits(Cts cts, DeviceBuffer buffer) {
    cts.write(buffer, 0, filled(4096, TestData.GUARD));
    cts.write(buffer, WRAP, filled(4096, 0));
    TimelineSemaphore timeline = cts.semaphore();
    cts.write(buffer, WRAP, bytes(64));
    cts.queue()
        .update(Fence.NONE, timeline.at(1), ByteBuffer.wrap(filled(64, 1)), buffer, WRAP + 64);
    cts.queue().fill(timeline.at(1), timeline.at(2), buffer, WRAP + 128, 64, FillPattern.of8(2));
    cts.queue().copy(timeline.at(2), timeline.at(3), buffer, WRAP, buffer, WRAP + 192, 64);
    awaitReached(timeline.at(3), LIMIT);
    byte[] expected = TestData.with(filled(4096, 0), 0, bytes(64));
    expected = TestData.with(expected, 64, filled(64, 1));
    expected = TestData.with(expected, 128, filled(64, 2));
    expected = TestData.with(expected, 192, bytes(64));
    for (Commands.Form form : Commands.Form.values()) {
      int start = 1024 * (1 + form.ordinal());
      recordBeyond(cts, form, buffer, WRAP + start);
      expected = TestData.with(expected, start, ints(16, i -> i));
      expected = TestData.with(expected, start + 64, ints(16, i -> 3 * i + 1));
      expected = TestData.with(expected, start + 128, filled(64, 9));
      expected = TestData.with(expected, start + 192, ints(16, i -> i));
    }
    assertBytes(expected, cts.read(buffer, WRAP, 4096), "from 4 GiB on");
    assertBytes(filled(4096, TestData.GUARD), cts.read(buffer, 0, 4096), "the start");
  }

  /** Records each kind of command at an offset of {@code buffer}, and runs them. */
  private static void recordBeyond(Cts cts, Commands.Form form, DeviceBuffer buffer, long at) {
    Commands commands = new Commands(cts, form);
    commands.buffer().update(ByteBuffer.wrap(ints(16, i -> i)), commands.ref(buffer), at);
    commands.buffer().fill(commands.ref(buffer), at + 128, 64, FillPattern.of8(9));
    commands.buffer().barrier();
    commands
        .buffer()
        .dispatch(
            cts.kernel("scale_and_offset"),
            Workgroups.of(16),
            Args.of(commands.ref(buffer, at, 64), commands.ref(buffer, at + 64, 64), 3, 1));
    commands.buffer().copy(commands.ref(buffer), at, commands.ref(buffer, at + 192, 64), 0, 64);
    commands.run(cts.queue());
  }

  private static void noMappingIsCutTo32Bits(Cts cts, DeviceBuffer buffer) {
    cts.write(buffer, 0, filled(512, TestData.GUARD));
    try (DeviceBuffer.Mapping mapping = buffer.map(WRAP, 256, MapMode.DISCARD_WRITE)) {
      mapping.bytes().put(bytes(256));
    }
    DeviceBuffer slice = buffer.slice(WRAP + 256, 256);
    try (DeviceBuffer.Mapping mapping = slice.map(MapMode.DISCARD_WRITE)) {
      mapping.bytes().put(filled(256, 3));
    }
    assertBytes(bytes(256), cts.read(buffer, WRAP, 256), "mapped at 4 GiB");
    assertBytes(filled(256, 3), cts.read(slice), "a slice behind it");
    assertBytes(filled(512, TestData.GUARD), cts.read(buffer, 0, 512), "the start");
    assertHal(Status.OUT_OF_RANGE, () -> buffer.map(WRAPPING_SIZE, 1, MapMode.READ), "mapping");
    assertHal(Status.OUT_OF_RANGE, () -> buffer.slice(WRAPPING_SIZE + 1, 0));
  }
}
