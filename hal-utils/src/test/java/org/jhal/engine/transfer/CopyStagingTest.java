// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jhal.BufferParams;
import org.jhal.DeviceBuffer;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.engine.EngineDevice;
import org.jhal.engine.FakeBackend;
import org.jhal.engine.Inside;
import org.jhal.engine.queue.FakeStream.Event;
import org.jhal.engine.queue.Threads;
import org.jhal.engine.transfer.StagingPool.Loan;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What copies between devices are staged in: a few chunks, however much is copied. */
@Timeout(60)
class CopyStagingTest {
  private static final Duration LONG = Duration.ofSeconds(20);
  private static final int CHUNK = 4 << 20;

  private final EngineDevice<Event> device = new FakeBackend().open(1, LONG);
  private final StagingPool pool = new StagingPool(Inside.core(device), false);

  @AfterEach
  void close() {
    device.close();
  }

  @Test
  void aChunkIsUsedAgain() {
    Loan first = pool.take(3L << 30);
    assertEquals(CHUNK, first.size());
    assertTrue(first.bytes(7).isDirect());
    first.bytes(7).put(3, (byte) 5);
    first.end();
    Loan second = pool.take(CHUNK - 5);
    assertEquals(5, second.bytes(CHUNK).get(3));
    assertEquals(1, pool.chunks());
  }

  @Test
  void aLaneWithoutAFreeChunkGetsASmallPieceOfTheHeap() {
    List<Loan> taken = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      taken.add(pool.take(1L << 40));
    }
    Loan more = pool.take(1L << 40);
    assertFalse(more.bytes(1).isDirect());
    assertEquals(256 << 10, more.size());
    more.end();
    assertEquals(256 << 10, pool.take(1L << 40).size());
    taken.get(2).end();
    assertEquals(CHUNK, pool.take(1L << 40).size());
    assertEquals(4, pool.chunks());
  }

  @Test
  void aSmallCopyNeedsNoChunk() {
    assertEquals(1000, pool.take(1000).size());
    assertEquals(0, pool.chunks());
  }

  @Test
  void withoutAnyChunkSmallPiecesServe() {
    StagingPool poor =
        new StagingPool(Inside.core(device), false) {
          @Override
          ByteBuffer make() {
            throw new HalException(Status.RESOURCE_EXHAUSTED, "on purpose");
          }
        };
    for (int i = 0; i < 10; i++) {
      assertEquals(256 << 10, poor.take(CHUNK).size());
    }
    assertEquals(0, poor.chunks());
  }

  @Test
  void manyLargeCopiesUseFewChunks() throws Exception {
    FakeBackend slow = new FakeBackend();
    try (EngineDevice<Event> from = new FakeBackend().open(1, LONG);
        EngineDevice<Event> to = slow.open(1, LONG);
        DeviceBuffer source = from.allocate(9 << 20, BufferParams.DEVICE);
        DeviceBuffer target = to.allocate(9 << 20, BufferParams.DEVICE);
        TimelineSemaphore done = from.createSemaphore(0)) {
      slow.device.setHeld(true);
      for (int i = 1; i <= 20; i++) {
        from.queue(0).copy(Fence.NONE, done.at(i), source, 0, target, 0, source.size());
      }
      Threads.await("copies to use all chunks", () -> chunks(from) == 4);
      slow.device.setHeld(false);
      done.await(20, LONG);
      assertEquals(4, chunks(from));
      assertEquals(0, chunks(to));
      from.close();
      assertEquals(0, chunks(from));
    }
  }

  /** The readback has not failed, and may still write into it. */
  @Test
  void theChunkOfACopyThatFailsComesBackWhenBothTransfersAreOver() {
    FakeBackend slow = new FakeBackend();
    FakeBackend failing = new FakeBackend();
    try (EngineDevice<Event> from = slow.open(1, LONG);
        EngineDevice<Event> to = failing.open(1, LONG);
        DeviceBuffer source = from.allocate(4 << 20, BufferParams.DEVICE);
        DeviceBuffer target = to.allocate(4 << 20, BufferParams.DEVICE);
        TimelineSemaphore done = from.createSemaphore(0)) {
      failing.device.failNth("issue", 1, new HalException(Status.INTERNAL, "on purpose"));
      to.queue(0).copy(Fence.NONE, done.at(1), source, 0, target, 0, source.size());
      assertThrows(HalException.class, () -> done.await(1, LONG));
      StagingPool staging = Inside.copyStaging(to);
      Threads.await("the chunk to come back", () -> staging.chunks() == staging.freeChunks());
      assertEquals(1, staging.chunks());
    }
  }

  private static int chunks(EngineDevice<?> device) {
    return Inside.copyStaging(device).chunks();
  }
}
