// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.device;

import static org.jhal.cts.support.TestData.assertHal;
import static org.jhal.cts.support.Waits.assertStaysPending;
import static org.jhal.cts.support.Waits.awaitFailure;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.List;
import org.jhal.BufferParams;
import org.jhal.CommandBuffer;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.HalException;
import org.jhal.HostCall.Mode;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.cts.FreshDevice;
import org.jhal.cts.Need;
import org.jhal.cts.Needs;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Blocker;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.Task;
import org.jhal.cts.support.Waits;
import org.junit.jupiter.api.Test;

/** The loss of a device (rule Q7). */
@CtsSuite
@Needs(Need.CONTROLS)
@FreshDevice
class DeviceLossTest {
  private static final String WHY = "the cable was pulled";

  private static void lose(Cts cts) {
    cts.allowWarnings();
    cts.controls().loseDevice(new HalException(Status.UNAVAILABLE, WHY));
  }

  private static void assertLost(HalException failure) {
    assertHal(Status.UNAVAILABLE, failure);
    assertNull(failure.operation(), () -> "a loss that names an operation: " + failure);
    StringBuilder texts = new StringBuilder();
    for (Throwable t = failure; t != null; t = t.getCause()) {
      texts.append(t).append('\n');
    }
    assertTrue(texts.indexOf(WHY) >= 0, () -> "the first cause is missing: " + texts);
  }

  @Test
  @Rule("Q7")
  void losingTheDeviceFailsIssuedAndParkedWorkWithTheCause(Cts cts) throws Exception {
    TimelineSemaphore go = cts.semaphore();
    Blocker blocker = new Blocker(cts, cts.queue(0));
    TimelineSemaphore issued = cts.semaphore();
    TimelineSemaphore behind = cts.semaphore();
    TimelineSemaphore parked = cts.semaphore();
    DeviceBuffer buffer = cts.buffer(64);
    DeviceQueue other = cts.queue(cts.device().queueCount() - 1);
    cts.queue(0).fill(blocker.timepoint(), issued.at(1), buffer, 0, 64, FillPattern.ZERO);
    other.fill(issued.at(1), behind.at(1), buffer, 0, 64, FillPattern.ZERO);
    other.barrier(go.at(1), parked.at(1));
    Task<?> waiter = Task.run("waiter", () -> behind.await(1, Waits.LIMIT));
    waiter.awaitBlocked();
    assertStaysPending(behind.at(1)); // long enough for the waits on the device to begin
    lose(cts);
    for (TimelineSemaphore semaphore :
        List.of(issued, behind, parked, blocker.timepoint().semaphore())) {
      assertLost(awaitFailure(semaphore, 1));
    }
    assertLost(assertInstanceOf(HalException.class, waiter.joined()));
    cts.awaitIdle();
    assertEquals(0, go.value(), "a semaphore that no operation signals is not affected");
    go.signal(1);
  }

  @Test
  @Rule("Q7")
  @FreshDevice("inflight=1")
  void losingTheDeviceFailsReadyWork(Cts cts) {
    Blocker blocker = new Blocker(cts, cts.queue());
    TimelineSemaphore ready = cts.semaphore();
    cts.queue().barrier(Fence.NONE, ready.at(1));
    assertEquals(1, cts.device().statistics().ready());
    lose(cts);
    assertLost(awaitFailure(ready, 1));
    assertLost(awaitFailure(blocker.timepoint().semaphore(), 1));
  }

  @Test
  @Rule("Q7")
  void aLostDeviceRejectsEveryCall(Cts cts) {
    TimelineSemaphore done = cts.semaphore();
    DeviceBuffer buffer = cts.buffer(16);
    lose(cts);
    DeviceQueue queue = cts.queue();
    Device device = cts.device();
    List<HalException> refusals =
        List.of(
            assertHal(Status.UNAVAILABLE, () -> queue.barrier(Fence.NONE, done.at(1))),
            assertHal(
                Status.UNAVAILABLE,
                () -> queue.fill(Fence.NONE, done.at(1), buffer, 0, 16, FillPattern.ZERO)),
            assertHal(Status.UNAVAILABLE, () -> device.allocate(16, BufferParams.DEVICE)),
            assertHal(
                Status.UNAVAILABLE,
                () -> queue.alloca(Fence.NONE, done.at(1), 16, BufferParams.DEVICE)),
            assertHal(
                Status.UNAVAILABLE, () -> device.createCommandBuffer(CommandBuffer.Mode.ONE_SHOT)),
            assertHal(
                Status.UNAVAILABLE, () -> device.loadExecutable(cts.backend().kernels().get(0))));
    refusals.forEach(DeviceLossTest::assertLost);
    Waits.assertPending(done, 1);
    assertLost(lostCause(device));
  }

  private static HalException lostCause(Device device) {
    HalException cause = device.lostCause();
    assertNotNull(cause, "lostCause()");
    return cause;
  }

  /** A driver may leave a part of a transfer to the host, which then detects the loss first. */
  @Test
  @Rule("Q7")
  void aLossDetectedByTheHostPartOfATransferLosesTheDevice(Cts cts) {
    if (!cts.controls().calls().contains("hostCompletion")) {
      throw Cts.unsupported("nothing that this driver leaves to the host can be made to fail");
    }
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore parked = cts.semaphore();
    TimelineSemaphore read = cts.semaphore();
    DeviceBuffer buffer = cts.buffer(64);
    cts.queue().barrier(go.at(1), parked.at(1));
    cts.allowWarnings();
    cts.controls().failNext("hostCompletion", 1, Status.INTERNAL, true);
    cts.queue().readback(Fence.NONE, read.at(1), buffer, 0, ByteBuffer.allocate(64));
    Waits.awaitTrue("the readback to end", () -> Waits.isOver(read, 1));
    if (read.failure() == null) {
      cts.controls().reset();
      go.signal(1);
      throw Cts.unsupported("this driver leaves no part of a readback to the host");
    }
    for (HalException failure :
        List.of(awaitFailure(read, 1), awaitFailure(parked, 1), lostCause(cts.device()))) {
      assertHal(Status.UNAVAILABLE, failure, "hostCompletion");
      assertNull(failure.operation(), failure::toString);
    }
  }

  /** A status that the program throws says nothing about the device. */
  @Test
  @Rule({"Q7", "Q6"})
  void aHostCallThatThrowsUnavailableFailsAlone(Cts cts) {
    TimelineSemaphore thrown = cts.semaphore();
    TimelineSemaphore deferred = cts.semaphore();
    HalException failure = new HalException(Status.UNAVAILABLE, "the printer is off");
    cts.queue()
        .hostCall(
            Fence.NONE,
            thrown.at(1),
            Mode.BLOCKING,
            call -> {
              throw failure;
            });
    cts.queue()
        .hostCall(Fence.NONE, deferred.at(1), Mode.BLOCKING, call -> call.defer().fail(failure));
    assertHal(Status.UNAVAILABLE, awaitFailure(thrown, 1), "printer");
    assertHal(Status.UNAVAILABLE, awaitFailure(deferred, 1), "printer");
    TimelineSemaphore after = cts.semaphore();
    cts.queue().barrier(Fence.NONE, after.at(1));
    awaitReached(after, 1);
    assertNull(cts.device().lostCause());
  }

  @Test
  @Rule("Q7")
  void theFirstCauseStays(Cts cts) {
    assertNull(cts.device().lostCause());
    lose(cts);
    cts.controls().loseDevice(new HalException(Status.UNAVAILABLE, "a second cause"));
    assertLost(lostCause(cts.device()));
  }

  @Test
  @Rule("Q7")
  void aLostDeviceCanBeClosed(Cts cts) {
    Blocker blocker = new Blocker(cts, cts.queue());
    TimelineSemaphore done = cts.semaphore();
    DeviceBuffer buffer = cts.buffer(16);
    cts.queue().fill(blocker.timepoint(), done.at(1), buffer, 0, 16, FillPattern.ZERO);
    assertStaysPending(done.at(1)); // long enough for the waits on the device to begin
    lose(cts);
    cts.device().close();
    assertLost(awaitFailure(done, 1));
    assertTrue(cts.device().isClosed());
    buffer.close();
  }

  @Test
  @Rule("Q7")
  @Needs(Need.SECOND_DEVICE)
  void otherDevicesGoOn(Cts cts) {
    Device second = cts.second();
    TimelineSemaphore produced = cts.semaphore();
    TimelineSemaphore dependant = cts.semaphore(second, 0);
    TimelineSemaphore free = cts.semaphore(second, 0);
    Blocker blocker = new Blocker(cts, cts.queue());
    cts.queue().barrier(blocker.timepoint(), produced.at(1));
    second.queue(0).barrier(produced.at(1), dependant.at(1));
    lose(cts);
    assertLost(awaitFailure(dependant, 1));
    second.queue(0).barrier(Fence.NONE, free.at(1));
    awaitReached(free, 1);
    assertNull(second.lostCause());
  }

  @Test
  @Rule({"Q7", "Q9"})
  void aValueReachedBeforeTheLossStaysReached(Cts cts) {
    TimelineSemaphore done = cts.semaphore();
    cts.queue().barrier(Fence.NONE, done.at(1));
    awaitReached(done, 1);
    lose(cts);
    assertEquals(1, done.value());
    done.signal(2);
  }

  @Test
  @Rule({"Q7", "Q10"})
  void losingADeviceRacesWithSubmitters(Cts cts) throws Exception {
    List<Task<Integer>> submitters =
        List.of(submitter(cts, 0), submitter(cts, cts.device().queueCount() - 1));
    Waits.awaitTrue("submissions", () -> cts.device().statistics().retired() > 100);
    lose(cts);
    for (Task<Integer> submitter : submitters) {
      submitter.join();
    }
    cts.awaitIdle();
    assertEquals(cts.device().statistics().enqueued(), cts.device().statistics().retired());
  }

  /** Submits until a call is rejected. Each accepted operation must be reached or fail. */
  private static Task<Integer> submitter(Cts cts, int queue) {
    return Task.start(
        "submitter",
        () -> {
          TimelineSemaphore timeline = cts.semaphore();
          int accepted = 0;
          while (true) {
            try {
              cts.queue(queue).barrier(timeline.at(accepted), timeline.at(accepted + 1));
            } catch (HalException e) {
              assertLost(e);
              break;
            }
            accepted++;
            if (accepted % 100 == 0 && timeline.failure() == null) {
              awaitOver(timeline, accepted);
            }
          }
          awaitOver(timeline, accepted);
          return accepted;
        });
  }

  private static void awaitOver(TimelineSemaphore timeline, long value)
      throws InterruptedException {
    try {
      timeline.await(value, Waits.LIMIT);
    } catch (HalException e) {
      assertLost(e);
    }
  }
}
