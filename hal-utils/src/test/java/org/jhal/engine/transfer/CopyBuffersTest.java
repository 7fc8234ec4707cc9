package org.jhal.engine.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The memory of copies between devices: a few blocks, however much is copied. */
@Timeout(60)
class CopyBuffersTest {
  private static final Duration LONG = Duration.ofSeconds(20);
  private static final int BLOCK = 4 << 20;

  private final CopyBuffers buffers = new CopyBuffers();

  @Test
  void aBlockIsUsedAgain() {
    ByteBuffer first = buffers.take(3L << 30);
    assertTrue(first.isDirect());
    assertEquals(BLOCK, first.remaining());
    buffers.giveBack(first.limit(7));
    ByteBuffer second = buffers.take(BLOCK - 5);
    assertSame(first, second);
    assertEquals(BLOCK - 5, second.remaining());
    assertEquals(1, buffers.blocks());
  }

  @Test
  void whoFindsNoneFreeGetsASmallPieceOfTheHeap() {
    List<ByteBuffer> taken = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      taken.add(buffers.take(1L << 40));
    }
    ByteBuffer more = buffers.take(1L << 40);
    assertFalse(more.isDirect());
    assertEquals(256 << 10, more.remaining());
    buffers.giveBack(more);
    assertNotSame(more, buffers.take(1L << 40));
    buffers.giveBack(taken.get(2));
    assertSame(taken.get(2), buffers.take(1L << 40));
    assertEquals(4, buffers.blocks());
  }

  @Test
  void aSmallCopyNeedsNoBlock() {
    assertEquals(1000, buffers.take(1000).remaining());
    assertEquals(0, buffers.blocks());
  }

  @Test
  void whatIsForgottenMayBeMadeAnew() {
    for (int i = 0; i < 20; i++) {
      ByteBuffer block = buffers.take(BLOCK);
      assertTrue(block.isDirect());
      buffers.forget(block);
    }
    buffers.giveBack(buffers.take(BLOCK));
    buffers.clear();
    assertEquals(0, buffers.blocks());
  }

  @Test
  void manyLargeCopiesUseFewBlocks() throws Exception {
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
      Threads.await("copies to use all blocks", () -> blocks(from) == 4);
      slow.device.setHeld(false);
      done.await(20, LONG);
      assertEquals(4, blocks(from));
      assertEquals(0, blocks(to));
      from.close();
      assertEquals(0, blocks(from));
    }
  }

  /** The readback has not failed, and may still write into the block. */
  @Test
  void aCopyThatFailsGivesNoBlockBack() {
    FakeBackend failing = new FakeBackend();
    try (EngineDevice<Event> from = new FakeBackend().open(1, LONG);
        EngineDevice<Event> to = failing.open(1, LONG);
        DeviceBuffer source = from.allocate(4 << 20, BufferParams.DEVICE);
        DeviceBuffer target = to.allocate(4 << 20, BufferParams.DEVICE);
        TimelineSemaphore done = from.createSemaphore(0)) {
      failing.device.failNth("issue", 1, new HalException(Status.INTERNAL, "on purpose"));
      from.queue(0).copy(Fence.NONE, done.at(1), source, 0, target, 0, source.size());
      assertThrows(HalException.class, () -> done.await(1, LONG));
      assertEquals(0, blocks(from));
    }
  }

  private static int blocks(EngineDevice<?> device) {
    return Inside.core(device).resources().copyBuffers.blocks();
  }
}
