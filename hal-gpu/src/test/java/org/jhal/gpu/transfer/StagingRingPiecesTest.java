// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.transfer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import org.jhal.HostMemory;
import org.jhal.driver.DeviceMemory;
import org.jhal.driver.MappedRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Pieces of different sizes in one ring, while the stream is anywhere in them. */
class StagingRingPiecesTest {
  private static final int KIB = 1 << 10;
  private static final int PIECE = 256 * KIB;

  /** Certainly fit. */
  private static final int CAPACITY = 15 * PIECE;

  /** Sizes around each limit at which the ring does something else. */
  private static final int[] SIZES = {
    1,
    255,
    256,
    257,
    KIB,
    60 * KIB,
    64 * KIB - 256,
    64 * KIB - 255,
    64 * KIB,
    64 * KIB + 1,
    PIECE - 1,
    PIECE,
    PIECE + 1,
    PIECE + 64 * KIB,
    3 * PIECE - 5
  };

  /** Memory that the host and the device see alike. */
  private static final class Memory implements DeviceMemory {
    final ByteBuffer bytes;

    Memory(int size) {
      bytes = ByteBuffer.allocate(size);
    }

    @Override
    public long size() {
      return bytes.capacity();
    }

    @Override
    public MappedRange map(long offset, int length) {
      return new MappedRange() {
        @Override
        public ByteBuffer bytes() {
          return bytes;
        }

        @Override
        public void flush() {}

        @Override
        public void invalidate() {}
      };
    }

    @Override
    public void free() {}
  }

  /** A stream that makes a copy when the test says so. */
  private static final class SteppedStream implements CopyStream {
    private final Deque<Runnable> copies = new ArrayDeque<>();
    private long begun;
    private long done;
    int synchronizations;

    /** Makes so many copies, or all there are. */
    void step(int count) {
      for (int i = 0; i < count && !copies.isEmpty(); i++) {
        copies.remove().run();
        done++;
      }
    }

    @Override
    public DeviceMemory allocate(int bytes, boolean isPinned) {
      return new Memory(bytes);
    }

    @Override
    public void upload(DeviceMemory staging, long from, DeviceMemory target, long to, long bytes) {
      ByteBuffer source = ((Memory) staging).bytes;
      ByteBuffer memory = ((Memory) target).bytes;
      begun++;
      copies.add(() -> memory.put((int) to, source.duplicate().clear(), (int) from, (int) bytes));
    }

    @Override
    public void readback(
        DeviceMemory source, long from, DeviceMemory staging, long to, long bytes) {
      throw new AssertionError("the ring only uploads");
    }

    @Override
    public long mark() {
      return begun;
    }

    @Override
    public boolean isPast(long mark) {
      return done >= mark;
    }

    @Override
    public void synchronize() {
      synchronizations++;
      step(Integer.MAX_VALUE);
    }

    @Override
    public void close() {}
  }

  /** An upload that is in the stream, and what it is to write. */
  private record Upload(Memory target, byte[] content, long end) {}

  private final SteppedStream stream = new SteppedStream();
  private final StagingRing ring = new StagingRing(stream);
  private final Deque<Upload> uploads = new ArrayDeque<>();
  private int number;

  private void upload(int size) {
    byte[] content = new byte[size];
    new Random(++number).nextBytes(content);
    Memory target = new Memory(size + 2);
    ring.upload(HostMemory.of(content), target, 1);
    uploads.add(new Upload(target, content, stream.mark()));
  }

  /** Checks what the uploads have written that the stream is past. */
  private void check() {
    for (Upload next = uploads.peek();
        next != null && stream.isPast(next.end);
        next = uploads.peek()) {
      byte[] expected = new byte[next.content.length + 2];
      System.arraycopy(next.content, 0, expected, 1, next.content.length);
      assertArrayEquals(expected, next.target.bytes.array(), "an upload of " + next.content.length);
      uploads.remove();
    }
  }

  private static int space(int size) {
    return (size + 255) & -256;
  }

  /** The stream has made the first of three uploads, and the others lie in the ring. */
  @ParameterizedTest
  @CsvSource({
    "1, 60, 256",
    "60, 1, 256",
    "256, 60, 1",
    "60, 256, 1",
    "256, 256, 256",
    "64, 1, 64",
    "1, 1, 64"
  })
  void aThirdPieceLeavesTheSecondAlone(int first, int second, int third) {
    upload(first * KIB);
    stream.step(1);
    upload(second * KIB);
    upload(third * KIB);
    upload(first * KIB);
    assertEquals(0, stream.synchronizations, "waits although there is room");
    stream.step(Integer.MAX_VALUE);
    check();
  }

  /** Some parts of the ring are read, others are not, and the end of its memory is anywhere. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
  void piecesOfAnySizeArriveWhole(int seed) {
    Random random = new Random(seed);
    List<Integer> weights = new ArrayList<>(); // of the uploads in the stream
    for (int i = 0; i < 300; i++) {
      int size = SIZES[random.nextInt(random.nextBoolean() ? 6 : SIZES.length)];
      int total = space(size) + weights.stream().mapToInt(each -> each).sum();
      while (total > CAPACITY) { // as the engine waits for room
        stream.step(1);
        check();
        while (weights.size() > uploads.size()) {
          total -= weights.remove(0);
        }
      }
      upload(size);
      weights.add(space(size));
      stream.step(random.nextInt(4) == 0 ? random.nextInt(12) : 0);
      check();
      while (weights.size() > uploads.size()) {
        weights.remove(0);
      }
    }
    assertEquals(0, stream.synchronizations, "waits although there is room");
    stream.step(Integer.MAX_VALUE);
    check();
    assertEquals(0, uploads.size(), "uploads that have not ended");
  }

  /** Exactly as much as fits, in pieces of one size, from any place in the ring. */
  @ParameterizedTest
  @ValueSource(ints = {256, 5 * KIB, 100 * KIB, PIECE})
  void theCapacityFitsFromAnyPlace(int size) {
    for (int start = 0; start < 40; start++) {
      upload(PIECE - 256 * start);
      stream.step(Integer.MAX_VALUE);
      for (int left = CAPACITY; left >= size; left -= size) {
        upload(size);
      }
      assertEquals(0, stream.synchronizations, "waits although there is room");
      stream.step(Integer.MAX_VALUE);
      check();
    }
  }

  @Test
  void whatIsLargerThanTheRingWaitsForItself() {
    upload(9 * CAPACITY / 2 + 77);
    upload(1);
    stream.step(Integer.MAX_VALUE);
    check();
    assertEquals(0, uploads.size(), "uploads that have not ended");
  }
}
