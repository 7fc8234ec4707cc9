// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.memory;

import static org.jhal.cts.support.TestData.assertBytes;
import static org.jhal.cts.support.TestData.assertHal;
import static org.jhal.cts.support.TestData.bytes;
import static org.jhal.cts.support.TestData.filled;
import static org.jhal.cts.support.Waits.awaitFailure;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.jhal.cts.support.Waits.awaitTrue;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.ByteBuffer;
import java.nio.ReadOnlyBufferException;
import java.util.ArrayList;
import java.util.List;
import org.jhal.BufferParams;
import org.jhal.BufferUsage;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceBuffer.MapMode;
import org.jhal.DeviceStatistics;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.cts.FreshDevice;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Cts;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Which buffers may be mapped, what a mapping keeps alive, and that its view never refers to memory
 * that has been reused.
 */
@CtsSuite
class MappingLifeTest {
  @Test
  @Rule({"M5", "M7"})
  void aMappingNeedsItsUsage(Cts cts) {
    DeviceBuffer device = cts.buffer(64);
    DeviceBuffer readable =
        cts.buffer(
            cts.device(),
            64,
            BufferParams.HOST.withUsage(BufferUsage.MAP_READ, BufferUsage.TRANSFER_TARGET));
    DeviceBuffer writable =
        cts.buffer(cts.device(), 64, BufferParams.HOST.withUsage(BufferUsage.MAP_WRITE));
    for (MapMode mode : MapMode.values()) {
      assertHal(Status.PERMISSION_DENIED, () -> device.map(mode), "mapped buffer", "MAP_");
      if (mode != MapMode.READ) {
        assertHal(Status.PERMISSION_DENIED, () -> readable.map(mode), "MAP_WRITE", "MAP_READ");
      }
      if (mode == MapMode.READ || mode == MapMode.READ_WRITE) {
        assertHal(Status.PERMISSION_DENIED, () -> writable.map(mode), "MAP_READ");
      }
    }
    cts.write(readable, 0, bytes(64));
    try (DeviceBuffer.Mapping mapping = readable.map(MapMode.READ)) {
      byte[] seen = new byte[64];
      mapping.bytes().get(seen);
      assertBytes(bytes(64), seen, "a mapping for reading");
    }
    try (DeviceBuffer.Mapping mapping = writable.map(MapMode.WRITE)) {
      mapping.bytes().put(bytes(64));
    }
  }

  @Test
  @Rule("M5")
  void mappingOutsideTheBufferIsRejected(Cts cts) {
    DeviceBuffer buffer = cts.buffer(cts.device(), 64, BufferParams.HOST);
    DeviceBuffer slice = buffer.slice(16, 16);
    long[][] wrong = {
      {0, 17}, {16, 1}, {17, 0}, {-1, 1}, {0, -1}, {Long.MAX_VALUE, 1}, {0, Long.MAX_VALUE}
    };
    for (long[] range : wrong) {
      assertHal(
          Status.OUT_OF_RANGE,
          () -> slice.map(range[0], range[1], MapMode.READ),
          "mapping",
          "" + range[0],
          "" + range[1],
          "16");
    }
    slice.map(16, 0, MapMode.READ).close();
    slice.map(15, 1, MapMode.READ).close();
  }

  @Test
  @Rule("M7")
  void aMappingForReadingCannotWrite(Cts cts) {
    DeviceBuffer buffer = cts.buffer(cts.device(), 64, BufferParams.HOST);
    try (DeviceBuffer.Mapping mapping = buffer.map(MapMode.READ)) {
      assertThrows(
          ReadOnlyBufferException.class, () -> mapping.bytes().put(0, (byte) 1), "a write");
      mapping.flush(); // nothing to do
    }
  }

  @Test
  @Rule({"M5", "M7"})
  void closedAndUnallocatedBuffersCannotBeMapped(Cts cts) {
    DeviceBuffer closed = cts.buffer(cts.device(), 64, BufferParams.HOST);
    DeviceBuffer slice = closed.slice(0, 8);
    closed.close();
    assertHal(Status.FAILED_PRECONDITION, () -> closed.map(MapMode.READ), "closed");
    assertHal(Status.FAILED_PRECONDITION, () -> slice.map(MapMode.READ), "closed");
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore timeline = cts.semaphore();
    DeviceBuffer scratch =
        cts.closing(cts.queue().alloca(go.at(1), timeline.at(1), 64, BufferParams.HOST));
    assertHal(Status.FAILED_PRECONDITION, () -> scratch.map(MapMode.WRITE));
    go.signal(1);
    awaitReached(timeline, 1);
    try (DeviceBuffer.Mapping mapping = scratch.map(MapMode.WRITE)) {
      mapping.bytes().put(bytes(64));
    }
    assertBytes(bytes(64), cts.read(scratch), "mapped once it was there");
    cts.queue().dealloca(Fence.NONE, timeline.at(2), scratch);
    awaitReached(timeline, 2);
    assertHal(Status.FAILED_PRECONDITION, () -> scratch.map(MapMode.WRITE));
  }

  @Test
  @Rule({"M1", "M7"})
  void aBufferWithAFailedAllocaCannotBeMapped(Cts cts) {
    TimelineSemaphore timeline = cts.semaphore();
    DeviceBuffer huge =
        cts.closing(cts.queue().alloca(Fence.NONE, timeline.at(1), 1L << 60, BufferParams.HOST));
    awaitFailure(timeline, 1, Status.RESOURCE_EXHAUSTED);
    assertHal(Status.FAILED_PRECONDITION, () -> huge.map(0, 16, MapMode.WRITE));
  }

  @Test
  @Rule("M7")
  void aMappingKeepsTheMemoryOfAClosedBuffer(Cts cts) {
    Device device = cts.device();
    DeviceStatistics before = device.statistics();
    DeviceBuffer buffer = cts.buffer(device, 64, BufferParams.HOST);
    DeviceBuffer.Mapping mapping = cts.closing(buffer.map(MapMode.READ_WRITE));
    mapping.bytes().put(0, bytes(64));
    buffer.close();
    assertEquals(before.buffers() + 1, device.statistics().buffers(), "while it is mapped");
    byte[] seen = new byte[64];
    mapping.bytes().get(0, seen);
    assertBytes(bytes(64), seen, "the mapping of a closed buffer");
    mapping.close();
    mapping.close();
    assertEquals(before.buffers(), device.statistics().buffers(), "after the mapping");
    assertEquals(before.bytes(), device.statistics().bytes());
  }

  @Test
  @Rule("M7")
  void aBufferMayHaveSeveralMappings(Cts cts) {
    DeviceBuffer buffer = cts.buffer(cts.device(), 64, BufferParams.HOST);
    List<DeviceBuffer.Mapping> mappings = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      mappings.add(cts.closing(buffer.map(8L * i, 8, MapMode.WRITE)));
    }
    for (int i = 0; i < 8; i++) {
      mappings.get(i).bytes().put(filled(8, 1 + i));
    }
    mappings.forEach(DeviceBuffer.Mapping::close);
    byte[] content = cts.read(buffer);
    for (int i = 0; i < 64; i++) {
      assertEquals(1 + i / 8, content[i], "byte " + i);
    }
  }

  /** What ends the memory of a view. */
  enum End {
    CLOSE,
    DEALLOCA,
    DEVICE
  }

  /** Reads and writes all of a view, whose content is undefined. */
  private static void touch(ByteBuffer view) {
    for (int i = 0; i < view.capacity(); i++) {
      view.put(i, (byte) (view.get(i) + 1));
    }
  }

  @ParameterizedTest
  @EnumSource
  @Rule("M7")
  @FreshDevice
  void aViewMayBeAccessedAfterItsMemoryWasFreed(End end, Cts cts) {
    Device device = cts.device();
    int size = 1 << 16;
    List<ByteBuffer> views = new ArrayList<>();
    for (int i = 0; i < 16; i++) {
      TimelineSemaphore timeline = cts.semaphore();
      DeviceBuffer buffer =
          end == End.DEALLOCA
              ? cts.closing(cts.queue().alloca(Fence.NONE, timeline.at(1), size, BufferParams.HOST))
              : cts.buffer(device, size, BufferParams.HOST);
      if (end == End.DEALLOCA) {
        awaitReached(timeline, 1);
      }
      DeviceBuffer.Mapping mapping = cts.closing(buffer.map(MapMode.READ_WRITE));
      views.add(mapping.bytes());
      switch (end) {
        case CLOSE -> {
          mapping.close();
          buffer.close();
        }
        case DEALLOCA -> {
          cts.queue().dealloca(Fence.NONE, timeline.at(2), buffer);
          awaitReached(timeline, 2);
        }
        case DEVICE -> {} // closed below
      }
    }
    if (end == End.DEVICE) {
      device.close();
      views.forEach(MappingLifeTest::touch);
      return;
    }
    System.gc();
    List<DeviceBuffer> others = new ArrayList<>();
    for (int i = 0; i < 16; i++) {
      DeviceBuffer other = cts.buffer(device, size, BufferParams.HOST);
      cts.write(other, 0, filled(size, i));
      others.add(other);
    }
    views.forEach(MappingLifeTest::touch);
    for (int i = 0; i < 16; i++) {
      assertBytes(filled(size, i), cts.read(others.get(i)), "memory of another buffer");
    }
  }

  @Test
  @Rule("M7")
  void aFailedMapKeepsNothing(Cts cts) {
    Device device = cts.device();
    DeviceStatistics before = device.statistics();
    DeviceBuffer buffer = cts.buffer(device, 64, BufferParams.HOST);
    for (int i = 0; i < 10; i++) {
      try {
        buffer.map(60, 5, MapMode.READ);
        throw new AssertionError("mapped a range that does not fit");
      } catch (HalException expected) {
        assertEquals(Status.OUT_OF_RANGE, expected.status());
      }
    }
    buffer.close();
    awaitTrue("the buffer to go", () -> device.statistics().buffers() == before.buffers());
  }
}
