// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.memory;

import static org.jhal.cts.support.TestData.assertBytes;
import static org.jhal.cts.support.TestData.bytes;
import static org.jhal.cts.support.TestData.filled;
import static org.jhal.cts.support.TestData.ints;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Set;
import org.jhal.Args;
import org.jhal.BufferParams;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceBuffer.MapMode;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.MemoryType;
import org.jhal.TimelineSemaphore;
import org.jhal.Workgroups;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.TestData;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Memory that the host accesses through mappings, of each type that can be mapped. */
@CtsSuite
class BufferMappingTest {
  /** The types of memory that can be mapped. */
  enum Mappable {
    SHARED(MemoryType.SHARED),
    HOST(MemoryType.HOST),
    HOST_UPLOAD(MemoryType.HOST_UPLOAD);

    private final BufferParams params;

    Mappable(MemoryType type) {
      this.params = new BufferParams(type, Set.of());
    }

    /** A buffer that contains {@code content}, which is written through a mapping. */
    DeviceBuffer buffer(Cts cts, byte[] content) {
      if (!cts.device().allocator().supports(params)) {
        throw Cts.unsupported("the device has no memory of type " + params.type());
      }
      DeviceBuffer buffer = cts.buffer(cts.device(), content.length, params);
      write(buffer, 0, content);
      return buffer;
    }
  }

  private static void write(DeviceBuffer buffer, long offset, byte[] content) {
    try (DeviceBuffer.Mapping mapping = buffer.map(offset, content.length, MapMode.DISCARD_WRITE)) {
      mapping.bytes().put(content);
    }
  }

  private static byte[] read(DeviceBuffer buffer) {
    return read(buffer, 0, buffer.size());
  }

  private static byte[] read(DeviceBuffer buffer, long offset, long length) {
    byte[] content = new byte[(int) length];
    try (DeviceBuffer.Mapping mapping = buffer.map(offset, length, MapMode.READ)) {
      mapping.bytes().get(content);
    }
    return content;
  }

  @ParameterizedTest
  @EnumSource
  @Rule("M7")
  void aMappingShowsTheContentOfItsRange(Mappable type, Cts cts) {
    DeviceBuffer buffer = type.buffer(cts, bytes(16));
    try (DeviceBuffer.Mapping mapping = buffer.map(MapMode.READ)) {
      assertSame(buffer, mapping.buffer());
      ByteBuffer view = mapping.bytes();
      assertEquals(0, view.position());
      assertEquals(16, view.limit());
      assertEquals(16, view.capacity());
      assertTrue(view.isReadOnly(), "a mapping for reading is read-only");
      assertSame(ByteOrder.nativeOrder(), view.order());
    }
    assertBytes(bytes(16), read(buffer), "all of it");
    byte[] part = Arrays.copyOfRange(bytes(16), 4, 12);
    assertBytes(part, read(buffer, 4, 8), "8 bytes at 4");
    assertBytes(part, cts.read(buffer, 4, 8), "8 bytes at 4, as the device sees them");
  }

  @ParameterizedTest
  @EnumSource
  @Rule("M7")
  void aMappingOfASliceShowsTheSlice(Mappable type, Cts cts) {
    byte[] blocks = ints(0xAAAAAAAA, 0xBBBBBBBB, 0xCCCCCCCC, 0xDDDDDDDD);
    DeviceBuffer buffer = type.buffer(cts, blocks);
    DeviceBuffer slice = buffer.slice(4, 8);
    assertBytes(ints(0xBBBBBBBB, 0xCCCCCCCC), read(slice), "the slice");
    assertBytes(ints(0xCCCCCCCC), read(slice, 4, 4), "the second half of the slice");
    write(slice, 4, ints(0x11111111));
    assertBytes(ints(0xAAAAAAAA, 0xBBBBBBBB, 0x11111111, 0xDDDDDDDD), read(buffer), "all of it");
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"M2", "M7"})
  void writingChangesTheMappedRangeOnly(Mappable type, Cts cts) {
    DeviceBuffer buffer = type.buffer(cts, bytes(16));
    write(buffer, 4, filled(8, 0xFF)); // a fill of a range
    byte[] expected = TestData.with(bytes(16), 4, filled(8, 0xFF));
    assertBytes(expected, read(buffer), "with 8 bytes filled");
    write(buffer.slice(4, 8), 4, filled(4, 0)); // zeros in a slice
    expected = TestData.with(expected, 8, filled(4, 0));
    assertBytes(expected, read(buffer), "with zeros in it");
    write(buffer, 0, new byte[0]);
    assertBytes(expected, cts.read(buffer), "as the device sees it");
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"M2", "M7"})
  void aWholeBufferIsWrittenAndCleared(Mappable type, Cts cts) {
    DeviceBuffer buffer = type.buffer(cts, bytes(1024));
    assertBytes(bytes(1024), cts.read(buffer), "written by the host");
    write(buffer, 0, new byte[1024]);
    assertBytes(new byte[1024], read(buffer), "cleared");
    write(buffer, 0, filled(1024, 0xFF));
    assertBytes(filled(1024, 0xFF), cts.read(buffer), "filled");
  }

  @ParameterizedTest
  @EnumSource
  @Rule("M7")
  void writingKeepsOtherBytes(Mappable type, Cts cts) {
    DeviceBuffer buffer = type.buffer(cts, bytes(64));
    for (MapMode mode : new MapMode[] {MapMode.WRITE, MapMode.READ_WRITE}) {
      try (DeviceBuffer.Mapping mapping = buffer.map(mode)) {
        mapping.bytes().put(10, (byte) 0x77);
      }
      byte[] expected = TestData.with(bytes(64), 10, filled(1, 0x77));
      assertBytes(expected, cts.read(buffer), "one byte written, mode " + mode);
      write(buffer, 0, bytes(64));
    }
  }

  @ParameterizedTest
  @EnumSource
  @Rule("M7")
  void bytesCanBeCopiedBetweenMappings(Mappable type, Cts cts) {
    DeviceBuffer source = type.buffer(cts, filled(1024, 7));
    DeviceBuffer target = type.buffer(cts, new byte[1024]);
    try (DeviceBuffer.Mapping from = source.map(MapMode.READ);
        DeviceBuffer.Mapping to = target.map(MapMode.DISCARD_WRITE)) {
      to.bytes().put(from.bytes());
    }
    assertBytes(filled(1024, 7), cts.read(target), "the target");
  }

  @ParameterizedTest
  @EnumSource
  @Rule("M7")
  void aFlushMakesWritesVisibleWhileMapped(Mappable type, Cts cts) {
    DeviceBuffer buffer = type.buffer(cts, new byte[64]);
    try (DeviceBuffer.Mapping mapping = buffer.map(MapMode.DISCARD_WRITE)) {
      mapping.bytes().put(bytes(64));
      mapping.flush();
      assertBytes(bytes(64), read(buffer), "through another mapping");
      assertBytes(bytes(64), cts.read(buffer), "through the device");
      mapping.bytes().put(0, (byte) 1);
      mapping.flush();
      assertBytes(TestData.with(bytes(64), 0, filled(1, 1)), cts.read(buffer), "once more");
    }
  }

  @ParameterizedTest
  @EnumSource
  @Rule("M7")
  void anInvalidateMakesDeviceWritesVisible(Mappable type, Cts cts) {
    DeviceBuffer buffer = type.buffer(cts, bytes(64));
    TimelineSemaphore done = cts.semaphore();
    try (DeviceBuffer.Mapping mapping = buffer.map(MapMode.READ)) {
      byte[] seen = new byte[64];
      for (int i = 1; i <= 3; i++) {
        cts.queue().fill(Fence.NONE, done.at(i), buffer, 0, 64, FillPattern.of8(i));
        awaitReached(done, i);
        mapping.invalidate();
        mapping.bytes().get(0, seen);
        assertBytes(filled(64, i), seen, "after fill " + i);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"M7", "M8"})
  void kernelsAndMappingsSeeTheSameBytes(Mappable type, Cts cts) {
    DeviceBuffer x = type.buffer(cts, ints(1, 2, 3, 4));
    DeviceBuffer y = type.buffer(cts, new byte[16]);
    TimelineSemaphore done = cts.semaphore();
    cts.queue()
        .dispatch(
            Fence.NONE,
            done.at(1),
            cts.kernel("scale_and_offset"),
            Workgroups.of(4),
            Args.of(x, y, 10, 1));
    awaitReached(done, 1);
    assertBytes(ints(11, 21, 31, 41), read(y), "10x + 1, as the host sees it");
  }
}
