// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.queue;

import static org.jhal.cts.support.Waits.assertPending;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.jhal.cts.support.Waits.awaitTrue;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.concurrent.atomic.AtomicLong;
import org.jhal.DeviceBuffer;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.TimelineSemaphore;
import org.jhal.cts.FreshDevice;
import org.jhal.cts.Need;
import org.jhal.cts.Needs;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Blocker;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.OperationKind;
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
    DeviceBuffer buffer = cts.buffer(64);
    Blocker blocker = new Blocker(cts, cts.queue(1));
    for (int i = 0; i < 20; i++) {
      kind.enqueue(cts, cts.queue(0), Fence.NONE, Fence.NONE, buffer);
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
    DeviceBuffer buffer = cts.buffer(64);
    TimelineSemaphore done = cts.semaphore();
    Blocker blocker = new Blocker(cts, cts.queue(1));
    for (int i = 1; i <= MANY; i++) {
      cts.queue(0).fill(Fence.NONE, done.at(i), buffer, 0, 16, FillPattern.ZERO);
    }
    for (int i = 1; i <= MANY; i++) {
      Fence waits = i == 1 ? blocker.timepoint() : Fence.NONE;
      cts.queue(0).fill(waits, done.at(MANY + i), buffer, 0, 16, FillPattern.ZERO);
    }
    awaitTrue(
        "the operations in front of the long work to retire",
        () -> cts.queue(0).openOperations() == MANY);
    assertEquals(MANY, done.value());
    blocker.release();
    awaitReached(done, 2 * MANY);
    cts.awaitIdle();
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
