// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.transfer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.ReadOnlyBufferException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jhal.HalException;
import org.jhal.HostMemory;
import org.jhal.Status;
import org.jhal.gpu.transfer.PlainDevice.Memory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Small readbacks, which get their part of the staging memory when they are issued. */
@Timeout(120)
class ReadbackRingTest {
  private static final int MOST = ReadbackRing.MAX_BYTES;
  private static final int PIECE = 256 << 10;

  private final PlainDevice device = new PlainDevice(1 << 30, 64 << 10, 1);
  private final Memory memory = device.allocate(2 * MOST);
  private long token;
  private CopyStream stream;
  private ReadbackRing ring;

  @BeforeEach
  void open() {
    new Random(7).nextBytes(memory.bytes);
    token = device.bindToThread();
    stream = device.open();
    ring = new ReadbackRing(stream);
  }

  @AfterEach
  void close() throws Exception {
    device.gate.countDown();
    device.copies.drainPermits();
    device.copies.release(Integer.MAX_VALUE);
    stream.synchronize();
    ring.close();
    stream.close();
    device.unbindFromThread(token);
    device.close();
    assertEquals(0, device.live.get(), "streams and staging memory");
  }

  /** Holds the stream until the gate is opened. */
  private void hold() {
    device.gate = new CountDownLatch(1);
  }

  private void go() {
    device.gate.countDown();
    stream.synchronize();
  }

  private ReadbackRing.@Nullable Part begin(byte[] target, int from) {
    ReadbackRing.Part part = ring.begin(HostMemory.of(target), true);
    if (part != null) {
      start(part, from, target.length);
    }
    return part;
  }

  private void start(ReadbackRing.Part part, int from, int bytes) {
    if (part.isLarge()) {
      part.copyInPieces(memory, from);
    } else {
      stream.readback(memory, from, part.staging(), part.offset(), bytes);
    }
  }

  private void end(ReadbackRing.@Nullable Part part) {
    assertNotNull(part);
    part.run(device.new Transfer());
    part.retire();
  }

  private void assertContent(int from, byte[] target) {
    byte[] expected = new byte[target.length];
    System.arraycopy(memory.bytes, from, expected, 0, expected.length);
    assertArrayEquals(expected, target);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3, 255, 256, 257, 4096, 65537, 524_287, 524_288, 655_373, 1 << 20})
  void movesExactlyTheBytes(int length) {
    byte[] target = new byte[length];
    ReadbackRing.Part part = begin(target, 11);
    stream.synchronize();
    end(part);
    assertContent(11, target);
  }

  @ParameterizedTest
  @CsvSource({"0,1", "3,4", "1000,77"})
  void movesExactlyTheElementsOfARange(int from, int length) {
    int[] target = new int[from + length + 5];
    HostMemory range = HostMemory.of(target, from, length);
    ReadbackRing.Part part = assertNotNullPart(ring.begin(range, true));
    start(part, 5, 4 * length);
    stream.synchronize();
    end(part);
    int[] expected = new int[target.length];
    ByteBuffer.wrap(memory.bytes, 5, 4 * length)
        .slice()
        .order(ByteOrder.nativeOrder())
        .asIntBuffer()
        .get(expected, from, length);
    assertArrayEquals(expected, target);
  }

  private static ReadbackRing.Part assertNotNullPart(ReadbackRing.@Nullable Part part) {
    assertNotNull(part);
    return part;
  }

  @Test
  void aLargerOneGetsNoPart() {
    assertNull(begin(new byte[MOST + 1], 0));
    assertFalse(ring.isSettled(), "memory was made for it");
  }

  /** No thread waits for a part, so no two readbacks can wait for each other. */
  @Test
  void withoutRoomItGetsNoPart() {
    hold();
    byte[] first = new byte[MOST];
    byte[] second = new byte[MOST];
    byte[] third = new byte[1];
    ReadbackRing.Part one = begin(first, 0);
    ReadbackRing.Part two = begin(second, 5);
    assertNull(begin(third, 0));
    go();
    assertNull(begin(third, 0), "the host has yet to copy");
    end(one);
    ReadbackRing.Part three = begin(third, 9);
    stream.synchronize();
    end(two);
    end(three);
    assertContent(0, first);
    assertContent(5, second);
    assertContent(9, third);
  }

  @Test
  void partsMayEndInAnyOrder() {
    byte[] first = new byte[MOST];
    byte[] second = new byte[MOST];
    ReadbackRing.Part one = begin(first, 0);
    ReadbackRing.Part two = begin(second, 3);
    stream.synchronize();
    end(two);
    assertNull(begin(new byte[1], 0), "the first part is in front of the free one");
    end(one);
    assertContent(0, first);
    assertContent(3, second);
    end(begin(new byte[MOST], 0));
  }

  /** Lets the stream make one copy, and waits until it has made {@code copies} in all. */
  private void letArrive(long copies) {
    device.copies.release(1);
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PlainDevice.DEADLINE_SECONDS);
    while (!stream.isPast(copies)) {
      assertTrue(System.nanoTime() - end < 0, "copy " + copies + " was not made");
      Thread.onSpinWait();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {PIECE + 1, 2 * PIECE - 1, 2 * PIECE, 2 * PIECE + 1, MOST - 1, MOST})
  void piecesAreCopiedAsTheyArrive(int length) {
    device.copies.drainPermits();
    byte[] array = new byte[length];
    ByteBuffer direct = ByteBuffer.allocateDirect(length);
    for (HostMemory target : new HostMemory[] {HostMemory.of(array), HostMemory.of(direct)}) {
      ReadbackRing.Part part = assertNotNullPart(ring.begin(target, true));
      long before = stream.mark();
      start(part, 3, length);
      int pieces = (length - 1) / PIECE; // those with a milestone
      assertEquals(before + pieces + 1, stream.mark(), "copies");
      for (int i = 1; i <= pieces; i++) {
        assertTrue(part.advance(), "before piece " + i + " has arrived");
        assertContent(target, length, (i - 1) * PIECE);
        letArrive(before + i);
        assertEquals(i < pieces, part.advance(), "more to come before the event");
        assertContent(target, length, i * PIECE);
      }
      assertFalse(part.advance());
      letArrive(before + pieces + 1);
      assertContent(target, length, pieces * PIECE);
      end(part);
      assertContent(target, length, length);
    }
  }

  /** Checks that so many bytes have been copied, and no more. */
  private void assertContent(HostMemory target, int length, int copied) {
    ByteBuffer expected = ByteBuffer.allocate(length).put(memory.bytes, 3, copied).clear();
    ByteBuffer content = ByteBuffer.allocate(length);
    target.read(0, content);
    assertEquals(expected, content.clear(), copied + " bytes");
  }

  @Test
  void aSmallerOneIsCopiedAtOnce() {
    for (int length : new int[] {1, PIECE}) {
      byte[] target = new byte[length];
      ReadbackRing.Part part = assertNotNullPart(begin(target, 0));
      stream.synchronize();
      assertFalse(part.advance());
      assertArrayEquals(new byte[length], target);
      end(part);
      assertContent(0, target);
    }
  }

  /** As many as are in the ring at once, at all places of it. */
  @Test
  void piecesOfSeveralPartsDoNotMixUp() {
    for (int length : new int[] {MOST, PIECE + 7, 3 * PIECE - 300}) {
      for (int round = 0; round < 5; round++) {
        Deque<Runnable> ends = new ArrayDeque<>();
        while (true) {
          byte[] target = new byte[length];
          int from = 100 * ends.size() + round;
          ReadbackRing.Part part = begin(target, from);
          if (part == null) {
            break;
          }
          ends.add(
              () -> {
                while (part.advance()) {
                  Thread.onSpinWait();
                }
                stream.synchronize();
                end(part);
                assertContent(from, target);
              });
        }
        assertTrue(ends.size() > 1, ends.size() + " parts");
        ends.forEach(Runnable::run);
      }
    }
  }

  /** What a thread that waits does not find out, the one that sees the event does not need. */
  @Test
  void theRestIsCopiedAtTheEnd() {
    byte[] target = new byte[MOST];
    ReadbackRing.Part part = assertNotNullPart(begin(target, 1));
    stream.synchronize();
    assertTrue(part.advance());
    device.fail("isPassed", 1, Status.UNAVAILABLE);
    assertThrows(HalException.class, part::advance);
    end(part);
    assertContent(1, target);
  }

  @Test
  void aPieceThatIsNotIssuedGivesThePartBack() {
    for (String call : new String[] {"milestone", "readback", "mark"}) {
      for (int nth = 1; nth <= 3; nth++) {
        ReadbackRing fresh = new ReadbackRing(stream);
        for (int i = 0; i < 3; i++) {
          ReadbackRing.Part part =
              assertNotNullPart(fresh.begin(HostMemory.of(new byte[MOST]), true));
          if (i == 0) {
            device.fail(call, nth, Status.ABORTED);
            assertThrows(HalException.class, () -> part.copyInPieces(memory, 0), call + nth);
          } else {
            part.copyInPieces(memory, 0);
          }
          part.retire();
          stream.synchronize();
        }
        fresh.close();
      }
    }
  }

  /** Rule K7: what the system does not grant makes transfers slower, but they do not fail. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void withoutAMilestoneTheRestIsCopiedInOnePiece(int nth) {
    device.fail("milestone", nth, Status.RESOURCE_EXHAUSTED);
    byte[] target = new byte[MOST];
    ReadbackRing.Part part = assertNotNullPart(begin(target, 1));
    stream.synchronize();
    for (int i = 1; i < nth; i++) {
      assertEquals(i + 1 < nth, part.advance(), "after piece " + i);
    }
    assertFalse(part.advance());
    end(part);
    assertContent(1, target);
  }

  /** Sizes at which parts do not fit the end of the ring. */
  @Test
  void manyInARowShareTheMemory() {
    Random random = new Random(3);
    Deque<Runnable> open = new ArrayDeque<>();
    int parts = 0;
    for (int i = 0; i < 2000; i++) {
      int from = random.nextInt(MOST);
      byte[] target = new byte[1 + random.nextInt(i % 10 == 0 ? MOST : 9000)];
      ReadbackRing.Part part = begin(target, from);
      if (part != null) {
        parts++;
        open.add(
            () -> {
              end(part);
              assertContent(from, target);
            });
      }
      while (open.size() > random.nextInt(8) || (part == null && !open.isEmpty())) {
        stream.synchronize();
        open.remove().run();
      }
    }
    stream.synchronize();
    open.forEach(Runnable::run);
    assertTrue(parts > 1500, parts + " parts");
    assertEquals(1, device.pinned.get());
  }

  /** Its operation has failed, for example because a producer has. */
  @Test
  void onePartIsFreeOnceTheStreamIsPastItEvenIfItWasNotCopied() {
    hold();
    for (int i = 0; i < 2; i++) {
      assertNotNullPart(begin(new byte[MOST], 0)).retire();
    }
    assertNull(begin(new byte[1], 0), "the stream may still write the part");
    go();
    byte[] target = new byte[MOST];
    ReadbackRing.Part part = begin(target, 0);
    stream.synchronize();
    end(part);
    assertContent(0, target);
  }

  /** The program's memory may be gone when the bytes arrive. */
  @Test
  void aPartIsFreeIfTheMemoryCannotBeWritten() {
    HostMemory closed = HostMemory.of(ByteBuffer.allocate(MOST).asReadOnlyBuffer());
    for (int i = 0; i < 3; i++) {
      ReadbackRing.Part part = assertNotNullPart(ring.begin(closed, true));
      start(part, 0, MOST);
      stream.synchronize();
      assertThrows(ReadOnlyBufferException.class, () -> end(part));
      part.retire();
    }
  }

  @Test
  void aCopyThatFailsGivesThePartBack() {
    for (int i = 0; i < 3; i++) {
      device.fail("readback", 1, Status.ABORTED);
      ReadbackRing.Part part = assertNotNullPart(ring.begin(HostMemory.of(new byte[MOST]), true));
      assertThrows(HalException.class, () -> start(part, 0, MOST));
      part.retire();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"pin", "map"})
  void withoutPageLockedMemoryThereAreNoParts(String call) {
    device.fail(call, 1, Status.RESOURCE_EXHAUSTED);
    assertNull(begin(new byte[1], 0));
    assertTrue(ring.isSettled());
    assertNull(begin(new byte[1], 0));
    assertEquals(0, device.pinned.get());
  }

  @ParameterizedTest
  @ValueSource(strings = {"pin", "map"})
  void anotherFailureIsReported(String call) {
    device.fail(call, 1, Status.UNAVAILABLE);
    assertThrows(HalException.class, () -> begin(new byte[1], 0));
    assertEquals(0, device.pinned.get());
  }

  @Test
  void aThreadThatMustNotBlockMakesNoMemory() {
    assertNull(ring.begin(HostMemory.of(new byte[1]), false));
    assertFalse(ring.isSettled());
  }
}
