// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.transfer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jhal.HalException;
import org.jhal.HostMemory;
import org.jhal.Status;
import org.jhal.gpu.transfer.PlainDevice.Memory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is staged, and what is freed, behind the work of a stream. */
@Timeout(120)
class StagingRingTest {
  private static final int MIB = 1 << 20;

  /** More than twice the ring, and no multiple of a piece. */
  private static final int LARGE = 9 * MIB + 77;

  private final PlainDevice device = new PlainDevice(1 << 30, 64 << 10, 1);

  private static byte[] bytes(int length) {
    byte[] bytes = new byte[length];
    new Random(length).nextBytes(bytes);
    return bytes;
  }

  /** Holds all streams until {@link #go}. */
  private void hold() {
    device.gate = new CountDownLatch(1);
  }

  private void go() {
    device.gate.countDown();
  }

  /** An operation may stage more than the ring holds: then it waits for its own first half. */
  @Test
  void anOperationThatAloneNeedsMoreThanTheRingWaitsForItself() throws Exception {
    byte[] content = bytes(LARGE);
    Memory memory = device.allocate(LARGE + 5);
    hold();
    CompletableFuture<Void> issued =
        CompletableFuture.runAsync(
            () ->
                device.run(
                    () -> {
                      CopyStream stream = device.open();
                      StagingRing ring = new StagingRing(stream);
                      ring.upload(HostMemory.of(content), memory, 5);
                      stream.synchronize();
                      ring.close();
                      stream.close();
                    }));
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PlainDevice.DEADLINE_SECONDS);
    while (device.waiting.get() == 0) {
      assertFalse(issued.isDone(), "it has staged all without waiting");
      assertTrue(System.nanoTime() < deadline, "this thread waits until the ring is full");
      Thread.onSpinWait();
    }
    go();
    assertNull(issued.get(PlainDevice.DEADLINE_SECONDS, TimeUnit.SECONDS));
    byte[] expected = new byte[LARGE + 5];
    System.arraycopy(content, 0, expected, 5, LARGE);
    assertArrayEquals(expected, memory.bytes);
    assertEquals(0, device.live.get(), "streams and staging memory");
  }

  @Test
  void bytesOfABufferAreCapturedWhenTheyAreStaged() {
    byte[] content = bytes(MIB);
    Memory memory = device.allocate(MIB);
    device.run(
        () -> {
          CopyStream stream = device.open();
          StagingRing ring = new StagingRing(stream);
          assertFalse(ring.isMade());
          hold();
          byte[] source = content.clone();
          ring.upload(ByteBuffer.wrap(source, 3, MIB - 5), memory, 1);
          assertTrue(ring.isMade());
          Arrays.fill(source, (byte) 0);
          go();
          stream.synchronize();
          ring.close();
          stream.close();
        });
    byte[] expected = new byte[MIB];
    System.arraycopy(content, 3, expected, 1, MIB - 5);
    assertArrayEquals(expected, memory.bytes);
  }

  /** So the thread of a user never waits. */
  @ParameterizedTest
  @CsvSource({
    "1, 800",
    "255, 800",
    "257, 800",
    "5000, 800",
    "100000, 800",
    "262144, 800",
    "262145, 800",
    "1048576, 800",
    "1, 7",
    "300000, 7",
    "3932160, 1",
    "4096, 100000",
    "1048576, 2147483647"
  })
  void stagesWithoutWaitingIfTheWeightFits(int size, int capacity) {
    int weight = StagingRing.weight(size, capacity);
    int count = Math.min(capacity / weight, 2000);
    assertTrue(count > 0, "the ring holds one");
    byte[] content = bytes(size);
    Memory memory = device.allocate(size);
    device.faults.countUses();
    device.run(
        () -> {
          CopyStream stream = device.open();
          StagingRing ring = new StagingRing(stream);
          for (int round = 0; round < 3; round++) {
            hold();
            for (int i = 0; i < count; i++) {
              ring.upload(HostMemory.of(content), memory, 0);
            }
            assertNull(device.faults.uses().get("synchronize"), "waits while it is staged");
            go();
            long mark = stream.mark();
            while (!stream.isPast(mark)) {
              Thread.onSpinWait();
            }
          }
          ring.close();
          stream.close();
        });
    assertArrayEquals(content, memory.bytes);
  }

  @ParameterizedTest
  @ValueSource(strings = {"pin", "map"})
  void aRingWithoutMemoryTriesAgain(String call) {
    device.run(
        () -> {
          CopyStream stream = device.open();
          StagingRing ring = new StagingRing(stream);
          Memory memory = device.allocate(4);
          HostMemory source = HostMemory.of(new byte[] {1, 2, 3, 4});
          device.fail(call, 1, Status.RESOURCE_EXHAUSTED);
          HalException refusal =
              assertThrows(HalException.class, () -> ring.upload(source, memory, 0));
          assertEquals(Status.RESOURCE_EXHAUSTED, refusal.status());
          assertFalse(ring.isMade());
          assertEquals(0, device.pinned.get());
          ring.upload(source, memory, 0);
          stream.synchronize();
          assertArrayEquals(new byte[] {1, 2, 3, 4}, memory.bytes);
          ring.close();
          stream.close();
        });
    assertEquals(0, device.live.get(), "streams and staging memory");
  }

  // Deferred frees, and the budget that they give back to.

  @Test
  void memoryIsFreedWhenTheStreamIsPastWhatWasInItBefore() {
    device.run(
        () -> {
          CopyStream stream = device.open();
          StagingRing ring = new StagingRing(stream);
          DeferredFrees frees = new DeferredFrees(stream);
          Memory used = device.allocate(100);
          Memory later = device.allocate(10);
          ring.upload(HostMemory.of(new byte[100]), used, 0);
          stream.synchronize();
          hold();
          ring.upload(HostMemory.of(new byte[100]), used, 0);
          frees.add(used);
          frees.freePassed();
          assertEquals(0, used.frees.get(), "freed while the stream uses it");
          assertEquals(110, device.budget.used());
          go();
          stream.synchronize();
          hold();
          ring.upload(HostMemory.of(new byte[10]), later, 0);
          frees.add(later);
          frees.freePassed();
          assertEquals(1, used.frees.get(), "frees of what the stream is past");
          assertEquals(0, later.frees.get(), "freed while the stream uses it");
          assertEquals(10, device.budget.used());
          go();
          stream.synchronize();
          frees.close();
          assertEquals(1, used.frees.get());
          assertEquals(1, later.frees.get());
          assertEquals(0, device.budget.used());
          ring.close();
          stream.close();
        });
  }

  @Test
  void freesTheRestIfAFreeFails() {
    device.run(
        () -> {
          CopyStream stream = device.open();
          DeferredFrees frees = new DeferredFrees(stream);
          Memory first = device.allocate(1);
          Memory second = device.allocate(1);
          frees.add(first);
          frees.add(second);
          first.frees.incrementAndGet(); // so that it refuses to be freed
          assertThrows(AssertionError.class, frees::close);
          assertEquals(1, second.frees.get());
          stream.close();
        });
  }

  @Test
  void theBudgetRefusesWhatExceedsItUntilMemoryIsFreed() {
    PlainDevice small = new PlainDevice(100, 64 << 10, 1);
    Memory most = small.allocate(90);
    HalException refusal = assertThrows(HalException.class, () -> small.allocate(11));
    assertEquals(Status.RESOURCE_EXHAUSTED, refusal.status());
    assertEquals("cannot allocate 11 bytes on plain-0: 90 of 100 are in use", refusal.getMessage());
    small.run(
        () -> {
          CopyStream stream = small.open();
          DeferredFrees frees = new DeferredFrees(stream);
          frees.add(most);
          frees.freePassed();
          stream.close();
        });
    small.allocate(100).free();
    assertEquals(0, small.budget.used());
  }
}
