// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.transfer;

import static org.jhal.cts.support.Waits.awaitFailure;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.jhal.cts.support.Waits.awaitStatistics;
import static org.jhal.cts.support.Waits.awaitTrue;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.HostMemory;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.cts.FreshDevice;
import org.jhal.cts.Need;
import org.jhal.cts.Needs;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Blocker;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.Waits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * When a borrow of host memory ends (rule Q2). Signals may fail while the device still reads or
 * writes the memory.
 */
@CtsSuite
class HostMemoryBorrowTest {
  private static final int BYTES = 1000;

  /** The two operations that borrow host memory. */
  enum Kind {
    UPLOAD,
    READBACK;

    void enqueue(
        DeviceQueue queue, Fence waits, Fence signals, DeviceBuffer buffer, HostMemory memory) {
      if (this == UPLOAD) {
        queue.upload(waits, signals, memory, buffer, 0);
      } else {
        queue.readback(waits, signals, buffer, 0, memory);
      }
    }
  }

  private static HostMemory heap(int bytes) {
    return HostMemory.of(new byte[bytes]);
  }

  @ParameterizedTest
  @EnumSource
  @Rule("Q2")
  void theBorrowEndsBeforeTheSignalIsVisible(Kind kind, Cts cts) {
    DeviceBuffer buffer = cts.buffer(BYTES);
    TimelineSemaphore done = cts.semaphore();
    HostMemory onHeap = heap(BYTES);
    HostMemory direct = HostMemory.of(ByteBuffer.allocateDirect(BYTES));
    for (int i = 1; i <= 200; i++) {
      HostMemory memory = i % 2 == 0 ? onHeap : direct;
      kind.enqueue(cts.queue(), Fence.NONE, done.at(i), buffer, memory);
      awaitReached(done, i);
      assertFalse(memory.isBorrowed(), "although signal " + i + " is reached");
    }
  }

  /** Each size is one that a driver may treat differently. */
  @ParameterizedTest
  @ValueSource(ints = {1, 64 << 10, 256 << 10, (256 << 10) + 1, 9 << 20})
  @Rule("Q2")
  void failingOrClosingTheTimelineDoesNotEndTheBorrow(int bytes, Cts cts) throws Exception {
    for (Kind kind : Kind.values()) {
      Blocker blocker = new Blocker(cts, cts.queue());
      TimelineSemaphore byUser = cts.semaphore();
      TimelineSemaphore byOther = cts.semaphore();
      TimelineSemaphore closed = cts.semaphore();
      HostMemory[] memories = {heap(bytes), heap(bytes), heap(bytes)};
      kind.enqueue(cts.queue(), Fence.NONE, byUser.at(1), cts.buffer(bytes), memories[0]);
      kind.enqueue(cts.queue(), Fence.NONE, byOther.at(1), cts.buffer(bytes), memories[1]);
      kind.enqueue(cts.queue(), Fence.NONE, closed.at(1), cts.buffer(bytes), memories[2]);
      AtomicInteger freed = new AtomicInteger();
      for (HostMemory memory : memories) {
        memory.onFree(freed::incrementAndGet);
      }

      byUser.fail(new HalException(Status.ABORTED, "by the user"));
      TimelineSemaphore failed = cts.semaphore();
      failed.fail(new HalException(Status.ABORTED, "by another operation"));
      cts.queue().barrier(failed.at(1), byOther.at(2));
      awaitFailure(byOther, 1, Status.ABORTED);
      closed.close();
      for (HostMemory memory : memories) {
        assertTrue(memory.isBorrowed(), "the device has not come to the " + kind);
        HalException late =
            assertThrows(HalException.class, () -> memory.awaitFree(Duration.ofMillis(1)));
        assertEquals(Status.DEADLINE_EXCEEDED, late.status());
      }
      assertEquals(0, freed.get());
      blocker.release();
      for (HostMemory memory : memories) {
        memory.awaitFree(Waits.LIMIT);
      }
      awaitTrue("the callbacks on the memory to run", () -> freed.get() == memories.length);
    }
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"Q2", "Q6"})
  void theBorrowEndsWhenAnUnissuedOperationFails(Kind kind, Cts cts) throws Exception {
    DeviceBuffer buffer = cts.buffer(BYTES);
    TimelineSemaphore gate = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    HostMemory memory = heap(BYTES);
    kind.enqueue(cts.queue(), gate.at(1), done.at(1), buffer, memory);
    assertTrue(memory.isBorrowed());
    gate.fail(new HalException(Status.ABORTED, "no gate"));
    awaitFailure(done, 1, Status.ABORTED);
    memory.awaitFree(Waits.LIMIT);
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"Q2", "Q8"})
  @FreshDevice("close-timeout=100ms")
  void theBorrowOutlastsACloseThatTimesOut(Kind kind, Cts cts) throws Exception {
    DeviceBuffer buffer = cts.buffer(BYTES);
    Blocker blocker = new Blocker(cts, cts.queue());
    TimelineSemaphore done = cts.semaphore();
    HostMemory memory = heap(BYTES);
    kind.enqueue(cts.queue(), Fence.NONE, done.at(1), buffer, memory);
    awaitStatistics("the " + kind + " to be issued", cts.device(), now -> now.issued() == 2);
    cts.allowWarnings();
    cts.device().close();
    awaitFailure(done, 1, Status.DEADLINE_EXCEEDED);
    assertTrue(memory.isBorrowed(), "the device has not come to the " + kind);
    blocker.release();
    memory.awaitFree(Waits.LIMIT);
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"Q2", "Q7"})
  @Needs(Need.CONTROLS)
  @FreshDevice
  void theBorrowEndsWhenTheStreamOfALostDevicePassesTheWork(Kind kind, Cts cts) throws Exception {
    DeviceBuffer buffer = cts.buffer(BYTES);
    Blocker blocker = new Blocker(cts, cts.queue());
    TimelineSemaphore done = cts.semaphore();
    HostMemory memory = heap(BYTES);
    kind.enqueue(cts.queue(), Fence.NONE, done.at(1), buffer, memory);
    cts.allowWarnings();
    cts.controls().loseDevice(new HalException(Status.UNAVAILABLE, "lost on purpose"));
    awaitFailure(done, 1, Status.UNAVAILABLE);
    blocker.close();
    memory.awaitFree(Waits.LIMIT);
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"Q2", "M5"})
  void aRejectedCallBorrowsNothing(Kind kind, Cts cts) {
    DeviceBuffer buffer = cts.buffer(BYTES - 1);
    TimelineSemaphore done = cts.semaphore();
    HostMemory memory = heap(BYTES);
    assertThrows(
        HalException.class,
        () -> kind.enqueue(cts.queue(), Fence.NONE, done.at(1), buffer, memory));
    assertFalse(memory.isBorrowed());
    kind.enqueue(cts.queue(), Fence.NONE, done.at(1), buffer, heap(0));
    awaitReached(done, 1);
  }

  @Test
  @Rule("Q2")
  void overlappingMemoriesAreBorrowedSeparately(Cts cts) {
    DeviceBuffer buffer = cts.buffer(BYTES);
    TimelineSemaphore gate = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    byte[] array = new byte[BYTES];
    HostMemory used = HostMemory.of(array);
    HostMemory idle = HostMemory.of(array);
    cts.queue().upload(gate.at(1), done.at(1), used, buffer, 0);
    assertTrue(used.isBorrowed());
    assertFalse(idle.isBorrowed());
    gate.signal(1);
    awaitReached(done, 1);
  }

  @Test
  @Rule({"Q2", "S7"})
  void aCallbackMayUseTheMemoryAgain(Cts cts) {
    DeviceBuffer buffer = cts.buffer(BYTES);
    TimelineSemaphore done = cts.semaphore();
    HostMemory memory = heap(BYTES);
    TimelineSemaphore gate = cts.semaphore();
    cts.queue().upload(gate.at(1), done.at(1), memory, buffer, 0);
    memory.onFree(() -> cts.queue().readback(done.at(1), done.at(2), buffer, 0, memory));
    gate.signal(1);
    awaitReached(done, 2);
    assertFalse(memory.isBorrowed());
  }
}
