// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.device;

import static org.jhal.cts.support.TestData.assertBytes;
import static org.jhal.cts.support.TestData.assertHal;
import static org.jhal.cts.support.TestData.bytes;
import static org.jhal.cts.support.Waits.LIMIT;
import static org.jhal.cts.support.Waits.assertPending;
import static org.jhal.cts.support.Waits.assertStaysPending;
import static org.jhal.cts.support.Waits.awaitFailure;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import java.nio.ByteBuffer;
import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Blocker;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.HeldOperation;
import org.jhal.cts.support.Task;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Timelines that span devices, of one driver and of several (rules S6 and S9). */
@CtsSuite
class CrossDeviceTest {
  /** The other device of a test. */
  enum Partner {
    SECOND_DEVICE,
    OTHER_DRIVER;

    Device device(Cts cts) {
      return this == SECOND_DEVICE ? cts.second() : cts.other();
    }
  }

  @ParameterizedTest
  @EnumSource
  @Rule("S9")
  void oneTimelineOrdersTransfersOfBothDevices(Partner partner, Cts cts) {
    Device here = cts.device();
    Device there = partner.device(cts);
    byte[] data = bytes(100_000);
    byte[] middle = new byte[data.length];
    byte[] read = new byte[data.length];
    DeviceBuffer mine = cts.buffer(here, data.length, BufferParams.DEVICE);
    DeviceBuffer theirs = cts.buffer(there, data.length, BufferParams.DEVICE);
    TimelineSemaphore timeline = cts.semaphore(here, 0);
    // Enqueued in reverse order: every wait comes before its signal.
    there.queue(0).readback(timeline.at(4), timeline.at(5), theirs, 0, ByteBuffer.wrap(read));
    there.queue(0).upload(timeline.at(3), timeline.at(4), ByteBuffer.wrap(middle), theirs, 0);
    here.queue(0).readback(timeline.at(2), timeline.at(3), mine, 0, ByteBuffer.wrap(middle));
    here.queue(0).upload(timeline.at(1), timeline.at(2), ByteBuffer.wrap(data), mine, 0);
    there.queue(0).barrier(Fence.NONE, timeline.at(1));
    awaitReached(timeline, 5);
    assertBytes(data, read, "through two devices");
  }

  @ParameterizedTest
  @EnumSource
  @Rule("S9")
  void twoDevicesAlternateOnOneTimeline(Partner partner, Cts cts) {
    Device there = partner.device(cts);
    DeviceQueue[] queues = {cts.queue(), there.queue(0)};
    for (Device owner : new Device[] {cts.device(), there}) {
      TimelineSemaphore timeline = cts.semaphore(owner, 0);
      int rounds = 500;
      for (int i = 0; i < rounds; i++) {
        queues[i % 2].barrier(timeline.at(i), timeline.at(i + 1));
      }
      awaitReached(timeline, rounds);
    }
  }

  @ParameterizedTest
  @EnumSource
  @Rule("S9")
  void workOnAnotherDeviceWaitsForItsProducer(Partner partner, Cts cts) {
    Device there = partner.device(cts);
    TimelineSemaphore produced = cts.semaphore();
    TimelineSemaphore consumed = cts.semaphore(there, 0);
    TimelineSemaphore back = cts.semaphore();
    Blocker blocker = new Blocker(cts, cts.queue());
    cts.queue().barrier(blocker.timepoint(), produced.at(1));
    there.queue(0).barrier(produced.at(1), consumed.at(1));
    cts.queue().barrier(consumed.at(1), back.at(1));
    assertStaysPending(Fence.of(produced.at(1), consumed.at(1)));
    blocker.release();
    awaitReached(back, 1);
    assertEquals(1, produced.value());
    assertEquals(1, consumed.value());
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"S9", "Q6"})
  void aFailureReachesConsumersOnOtherDevices(Partner partner, Cts cts) {
    Device there = partner.device(cts);
    TimelineSemaphore start = cts.semaphore();
    TimelineSemaphore middle = cts.semaphore(there, 0);
    TimelineSemaphore end = cts.semaphore();
    there.queue(0).barrier(start.at(1), middle.at(1));
    cts.queue().barrier(middle.at(1), end.at(1));
    start.fail(new HalException(Status.DATA_LOSS, "here"));
    assertHal(Status.DATA_LOSS, awaitFailure(middle, 1), "here");
    assertHal(Status.DATA_LOSS, awaitFailure(end, 1), "here");
    TimelineSemaphore works = cts.semaphore(there, 0);
    there.queue(0).barrier(Fence.NONE, works.at(1));
    awaitReached(works, 1);
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"S9", "Q9"})
  void aFailedProducerFailsConsumersOnAnotherDevice(Partner partner, Cts cts) {
    Device there = partner.device(cts);
    TimelineSemaphore produced = cts.semaphore(there, 0);
    TimelineSemaphore consumed = cts.semaphore();
    HeldOperation held = new HeldOperation(cts, there.queue(0), Fence.NONE, produced.at(1));
    cts.queue().barrier(produced.at(1), consumed.at(1));
    held.fail(new HalException(Status.ABORTED, "over there"));
    assertHal(Status.ABORTED, awaitFailure(consumed, 1), "over there");
  }

  @ParameterizedTest
  @EnumSource
  @Rule("S9")
  void workMayWaitForAndSignalBoth(Partner partner, Cts cts) {
    Device there = partner.device(cts);
    TimelineSemaphore mine = cts.semaphore();
    TimelineSemaphore theirs = cts.semaphore(there, 0);
    TimelineSemaphore here = cts.semaphore();
    TimelineSemaphore beyond = cts.semaphore(there, 0);
    cts.queue().barrier(Fence.of(mine.at(1), theirs.at(1)), Fence.of(beyond.at(1), here.at(1)));
    mine.signal(1);
    cts.flush(cts.queue());
    assertPending(here, 1);
    assertPending(beyond, 1);
    there.queue(0).barrier(Fence.NONE, theirs.at(1));
    awaitReached(Fence.of(here.at(1), beyond.at(1)));
  }

  @ParameterizedTest
  @EnumSource
  @Rule("S6")
  void theHostWaitsForSeveralDevices(Partner partner, Cts cts) throws Exception {
    Device there = partner.device(cts);
    TimelineSemaphore mine = cts.semaphore();
    TimelineSemaphore theirs = cts.semaphore(there, 0);
    Fence both = Fence.of(mine.at(1), theirs.at(1));
    Task<?> all = Task.run("all", () -> both.awaitAll(LIMIT));
    Task<?> any = Task.run("any", () -> both.awaitAny(LIMIT));
    all.awaitBlocked();
    any.awaitBlocked();
    there.queue(0).barrier(Fence.NONE, theirs.at(1));
    any.join();
    assertPending(mine, 1);
    cts.queue().barrier(Fence.NONE, mine.at(1));
    all.join();
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"S6", "S3"})
  void aHostWaitFailsWithAFailureOnAnyDevice(Partner partner, Cts cts) {
    Device there = partner.device(cts);
    TimelineSemaphore mine = cts.semaphore();
    TimelineSemaphore theirs = cts.semaphore(there, 0);
    Task<?> all = Task.run("all", () -> Fence.of(mine.at(1), theirs.at(1)).awaitAll(LIMIT));
    all.awaitBlocked();
    theirs.fail(new HalException(Status.ABORTED, "over there"));
    assertHal(Status.ABORTED, assertInstanceOf(HalException.class, all.joined()), "over there");
  }

  @Test
  @Rule({"S9", "Q8"})
  void closingADeviceCancelsConsumersOnOtherDevices(Cts cts) {
    Device closing = cts.open();
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore produced = cts.semaphore();
    TimelineSemaphore consumed = cts.semaphore();
    closing.queue(0).barrier(go.at(1), produced.at(1));
    cts.queue().barrier(produced.at(1), consumed.at(1));
    closing.close();
    awaitFailure(consumed, 1, Status.CANCELLED);
    go.signal(1);
    TimelineSemaphore works = cts.semaphore();
    cts.queue().barrier(go.at(1), works.at(1));
    awaitReached(works, 1);
  }

  @Test
  @Rule({"S9", "S8"})
  void aDeviceMaySignalASemaphoreWhoseDeviceIsClosed(Cts cts) {
    Device closing = cts.open();
    TimelineSemaphore orphan = closing.createSemaphore(0);
    HeldOperation held = new HeldOperation(cts, cts.queue(), Fence.NONE, orphan.at(1));
    held.awaitRunning();
    closing.close();
    held.complete();
    awaitReached(orphan, 1);
    orphan.close();
  }
}
