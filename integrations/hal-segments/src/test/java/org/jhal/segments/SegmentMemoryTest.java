// SPDX-License-Identifier: Apache-2.0
package org.jhal.segments;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.stream.Stream;
import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.Fence;
import org.jhal.Hal;
import org.jhal.HalException;
import org.jhal.HostMemory;
import org.jhal.Sequence;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(120)
class SegmentMemoryTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final Arena SHARED = Arena.ofShared();

  private Device device;
  private DeviceQueue queue;

  @BeforeEach
  void open() {
    device = Hal.openDevice("mock");
    queue = device.queue(0);
  }

  @AfterEach
  void close() {
    device.close();
  }

  @AfterAll
  static void closeArena() {
    SHARED.close();
  }

  private void write(HostMemory source, DeviceBuffer target) throws InterruptedException {
    try (Sequence steps = device.createSequence()) {
      steps.step((w, s) -> queue.upload(w, s, source, target, 0));
      steps.await(LIMIT);
    }
  }

  private void read(DeviceBuffer source, HostMemory target) throws InterruptedException {
    try (Sequence steps = device.createSequence()) {
      steps.step((w, s) -> queue.readback(w, s, source, 0, target));
      steps.await(LIMIT);
    }
  }

  static Stream<MemorySegment> segments() {
    return Stream.of(
        SHARED.allocate(1000),
        Arena.ofAuto().allocate(1000),
        Arena.global().allocate(1000),
        SHARED.allocate(1003).asSlice(3), // not aligned
        MemorySegment.ofArray(new byte[1000]),
        MemorySegment.ofArray(new float[250]),
        MemorySegment.ofArray(new double[125]),
        MemorySegment.ofBuffer(ByteBuffer.allocateDirect(1000)),
        MemorySegment.ofBuffer(ByteBuffer.allocate(1000)));
  }

  @ParameterizedTest
  @MethodSource("segments")
  void transfersAnySharedSegmentBothWays(MemorySegment segment) throws Exception {
    for (int i = 0; i < 1000; i++) {
      segment.set(ValueLayout.JAVA_BYTE, i, (byte) (i * 7));
    }
    byte[] before = segment.toArray(ValueLayout.JAVA_BYTE);
    try (DeviceBuffer buffer = device.allocate(1000, BufferParams.DEVICE)) {
      write(SegmentMemory.of(segment), buffer);
      segment.fill((byte) 0);
      read(buffer, SegmentMemory.of(segment));
    }
    assertArrayEquals(before, segment.toArray(ValueLayout.JAVA_BYTE));
  }

  @Test
  void elementsHaveNativeByteOrderOnTheDevice() throws Exception {
    float[] values = {1.5f, -2};
    byte[] bytes = new byte[8];
    try (DeviceBuffer buffer = device.allocate(8, BufferParams.DEVICE)) {
      write(SegmentMemory.of(MemorySegment.ofArray(values)), buffer);
      read(buffer, HostMemory.of(bytes));
    }
    ByteBuffer read = ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
    assertEquals(1.5f, read.getFloat(0));
    assertEquals(-2f, read.getFloat(4));
  }

  @Test
  void returnsTheAddressOfASegment() {
    try (Arena arena = Arena.ofShared()) {
      MemorySegment segment = arena.allocate(16);
      HostMemory memory = SegmentMemory.of(segment.asReadOnly());
      assertEquals(segment.address(), memory.address());
      assertFalse(memory.isOnHeap());
      assertFalse(memory.isWritable());
      assertEquals(16, memory.size());
    }
    HostMemory array = SegmentMemory.of(MemorySegment.ofArray(new int[3]));
    assertTrue(array.isOnHeap());
    assertTrue(array.isWritable());
    assertEquals(0, array.address());
    assertEquals(12, array.size());
  }

  @Test
  void refusesAReadbackIntoAReadOnlySegment() {
    HostMemory memory = SegmentMemory.of(MemorySegment.ofArray(new byte[8]).asReadOnly());
    try (DeviceBuffer buffer = device.allocate(8, BufferParams.DEVICE)) {
      HalException refused =
          assertThrows(
              HalException.class, () -> queue.readback(Fence.NONE, Fence.NONE, buffer, 0, memory));
      assertEquals(Status.INVALID_ARGUMENT, refused.status());
    }
  }

  @Test
  void refusesASegmentOfOneThread() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment segment = arena.allocate(16);
      HalException refused = assertThrows(HalException.class, () -> SegmentMemory.of(segment));
      assertEquals(Status.INVALID_ARGUMENT, refused.status());
      assertTrue(refused.getMessage().contains("Arena.ofShared()"), refused.getMessage());
    }
  }

  @Test
  void refusesASegmentOfAClosedArena() {
    MemorySegment segment;
    try (Arena arena = Arena.ofShared()) {
      segment = arena.allocate(16);
    }
    HalException refused = assertThrows(HalException.class, () -> SegmentMemory.of(segment));
    assertEquals(Status.FAILED_PRECONDITION, refused.status());
  }

  @Test
  void closingTheArenaTooEarlyFailsOnlyTheOperation() throws Exception {
    TimelineSemaphore start = device.createSemaphore();
    TimelineSemaphore done = device.createSemaphore();
    HostMemory memory;
    try (DeviceBuffer buffer = device.allocate(1 << 20, BufferParams.DEVICE)) {
      try (Arena arena = Arena.ofShared()) {
        memory = SegmentMemory.of(arena.allocate(1 << 20));
        queue.upload(start.at(1), done.at(1), memory, buffer, 0);
      }
      start.signal(1);
      HalException failed =
          assertThrows(HalException.class, () -> done.await(1, LIMIT), "the upload ended well");
      assertTrue(failed.getMessage().contains("closed"), failed.getMessage());
      memory.awaitFree(LIMIT);
      write(HostMemory.of(new byte[1 << 20]), buffer); // the device goes on
    }
  }

  @Test
  void transfersASegmentLongerThanAnyBuffer(@TempDir Path folder) throws Exception {
    long size = (1L << 31) + 4096;
    Path file = folder.resolve("sparse");
    try (FileChannel channel =
            FileChannel.open(
                file,
                StandardOpenOption.CREATE_NEW,
                StandardOpenOption.SPARSE,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE);
        Arena arena = Arena.ofShared();
        DeviceBuffer buffer = device.allocate(size, BufferParams.DEVICE)) {
      MemorySegment segment = channel.map(FileChannel.MapMode.READ_WRITE, 0, size, arena);
      segment.set(ValueLayout.JAVA_LONG, size - 8, 0x1234_5678_9abc_def0L);
      write(SegmentMemory.of(segment), buffer);
      long[] last = new long[1];
      try (Sequence steps = device.createSequence()) {
        steps.step((w, s) -> queue.readback(w, s, buffer, size - 8, HostMemory.of(last)));
        steps.await(LIMIT);
      }
      assertEquals(0x1234_5678_9abc_def0L, last[0]);
    } finally {
      Files.deleteIfExists(file);
    }
  }
}
