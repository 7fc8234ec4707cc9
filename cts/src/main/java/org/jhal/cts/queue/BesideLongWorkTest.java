// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.queue;

import static org.jhal.cts.support.Waits.assertPending;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.jhal.cts.support.Waits.awaitTrue;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.HalException;
import org.jhal.HostCall;
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
import org.jhal.cts.support.OperationKind;
import org.jhal.cts.support.Task;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What becomes of short operations that nobody waits for, beside long work in another stream and in
 * front of long work in their own.
 */
@CtsSuite
class BesideLongWorkTest {
  private static final String ROOM = "inflight=64";
  private static final int MANY = 500;

  /** What they use comes back, although nothing asks for it. */
  @ParameterizedTest
  @EnumSource
  @Rule({"Q3", "Q10"})
  @Needs(Need.TWO_QUEUES)
  @FreshDevice({ROOM, "queues=2"})
  void operationsRetireWithoutAWaiter(OperationKind kind, Cts cts) {
    kind.need(cts);
    DeviceBuffer buffer = cts.buffer(20 * 64);
    Blocker blocker = new Blocker(cts, cts.queue(1));
    for (int i = 0; i < 20; i++) {
      kind.enqueue(cts, cts.queue(0), Fence.NONE, Fence.NONE, buffer.slice(64L * i, 64));
    }
    awaitTrue("all operations of the queue to retire", () -> cts.queue(0).openOperations() == 0);
    assertPending(blocker.timepoint().semaphore(), 1);
  }

  /** All but the long work and what is behind it. */
  @Test
  @Rule({"Q3", "Q10"})
  @Needs(Need.TWO_QUEUES)
  @FreshDevice({"inflight=1024", "queues=2"})
  void operationsInFrontOfLongWorkRetireWithoutAWaiter(Cts cts) {
    DeviceBuffer buffer = cts.buffer(16 * 2 * MANY);
    TimelineSemaphore done = cts.semaphore();
    Blocker blocker = new Blocker(cts, cts.queue(1));
    for (int i = 0; i < 2 * MANY; i++) {
      Fence waits = i == MANY ? blocker.timepoint() : Fence.NONE;
      cts.queue(0).fill(waits, done.at(i + 1), buffer, 16L * i, 16, FillPattern.ZERO);
    }
    awaitTrue(
        "the operations in front of the long work to retire",
        () -> cts.queue(0).openOperations() == MANY);
    assertEquals(MANY, done.value());
    blocker.release();
    awaitReached(done, 2 * MANY);
    cts.awaitIdle();
  }

  /** Enqueues work on the first queue that does not end before the blocker is released. */
  private static void enqueueLongWork(Cts cts, Blocker blocker) {
    TimelineSemaphore late = cts.semaphore();
    DeviceBuffer buffer = cts.buffer(16);
    cts.queue(0).fill(blocker.timepoint(), late.at(1), buffer, 0, 16, FillPattern.ZERO);
    awaitTrue("the long work to be issued", () -> late.explain(1).contains("ISSUED"));
  }

  private static void awaitOneLeft(Cts cts) {
    awaitTrue("all but the long work to retire", () -> cts.queue(0).openOperations() == 1);
  }

  /** The rest of them is done by the host, while the stream is busy with something else. */
  @ParameterizedTest
  @EnumSource
  @Rule({"Q3", "Q10"})
  @Needs(Need.TWO_QUEUES)
  @FreshDevice({ROOM, "queues=2"})
  void aHostCallRetiresInFrontOfLongWork(HostCall.Mode mode, Cts cts) {
    CountDownLatch isIssued = new CountDownLatch(1);
    TimelineSemaphore done = cts.semaphore();
    Blocker blocker = new Blocker(cts, cts.queue(1));
    cts.closing(isIssued::countDown);
    cts.queue(0).hostCall(Fence.NONE, done.at(1), mode, context -> isIssued.await());
    enqueueLongWork(cts, blocker);
    isIssued.countDown();
    awaitReached(done, 1);
    awaitOneLeft(cts);
    assertPending(blocker.timepoint().semaphore(), 1);
  }

  /** What a large readback has used is free, also where the host takes part in moving it. */
  @Test
  @Rule({"Q3", "Q10"})
  @Needs(Need.TWO_QUEUES)
  @FreshDevice({ROOM, "queues=2"})
  void theMemoryOfALargeReadbackIsFreedInFrontOfLongWork(Cts cts) {
    int length = 32 << 20;
    TimelineSemaphore done = cts.semaphore();
    Blocker blocker = new Blocker(cts, cts.queue(1));
    DeviceBuffer small = cts.buffer(16); // the first of a device may cost more than its bytes
    long before = cts.device().statistics().bytes();
    DeviceBuffer large = cts.device().allocate(length, BufferParams.DEVICE);
    cts.queue(0).readback(Fence.NONE, done.at(1), large, 0, HostMemory.of(new byte[length]));
    TimelineSemaphore late = cts.semaphore();
    cts.queue(0).fill(blocker.timepoint(), late.at(1), small, 0, 16, FillPattern.ZERO);
    awaitReached(done, 1);
    large.close();
    awaitTrue("the memory to be freed", () -> cts.device().statistics().bytes() < before + length);
    awaitOneLeft(cts);
    assertPending(late, 1);
  }

  /** They were never in the stream, so its work does not hold up what they use. */
  @ParameterizedTest
  @EnumSource
  @Rule({"Q3", "Q6", "Q10"})
  @Needs(Need.TWO_QUEUES)
  @FreshDevice({ROOM, "queues=2"})
  void whatFailsWhileItIsParkedRetiresBesideLongWork(OperationKind kind, Cts cts) {
    kind.need(cts);
    TimelineSemaphore gate = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    Blocker blocker = new Blocker(cts, cts.queue(1));
    kind.enqueue(cts, cts.queue(0), gate.at(1), done.at(1), cts.buffer(64));
    enqueueLongWork(cts, blocker);
    gate.fail(new HalException(Status.ABORTED, "on purpose"));
    awaitOneLeft(cts);
    assertPending(blocker.timepoint().semaphore(), 1);
  }

  /** The close of a device waits for what uses its memory, and not for what is behind that. */
  @Test
  @Rule({"Q8", "S9b"})
  @Needs({Need.TWO_QUEUES, Need.PEER_MEMORY})
  @FreshDevice({ROOM, "queues=2"})
  void aDeviceWhoseMemoryWasUsedClosesBesideLongWork(Cts cts) throws Exception {
    cts.allowLog("its native resources are given back later"); // both devices may be one GPU
    int length = 32 << 20;
    Device other = cts.openSecond("close-timeout=600s");
    TimelineSemaphore done = cts.semaphore();
    DeviceBuffer memory = cts.closing(other.allocate(length, BufferParams.DEVICE));
    DeviceBuffer large = cts.closing(cts.device().allocator().importPeer(memory));
    DeviceBuffer small = cts.buffer(16);
    Blocker blocker = new Blocker(cts, cts.queue(1));
    cts.queue(0).readback(Fence.NONE, done.at(1), large, 0, HostMemory.of(new byte[length]));
    TimelineSemaphore late = cts.semaphore();
    cts.queue(0).fill(blocker.timepoint(), late.at(1), small, 0, 16, FillPattern.ZERO);
    awaitReached(done, 1);
    Task.run("close", other::close).join();
    assertPending(late, 1);
  }

  /** A program that only looks sees each value, and none goes back. */
  @Test
  @Rule("S1")
  @Needs(Need.TWO_QUEUES)
  void valuesRiseForAProgramThatOnlyLooks(Cts cts) {
    DeviceBuffer buffer = cts.buffer(64);
    TimelineSemaphore done = cts.semaphore();
    Blocker blocker = new Blocker(cts, cts.queue(1));
    AtomicLong seen = new AtomicLong();
    for (int i = 1; i <= 50; i++) {
      long value = i;
      cts.queue(0).fill(Fence.NONE, done.at(value), buffer, 0, 16, FillPattern.ZERO);
      awaitTrue("value " + value, () -> seen.accumulateAndGet(done.value(), Math::max) >= value);
      assertEquals(value, seen.get());
    }
    assertPending(blocker.timepoint().semaphore(), 1);
  }
}
