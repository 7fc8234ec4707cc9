// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.queue;

import static org.jhal.cts.support.TestData.assertBytes;
import static org.jhal.cts.support.TestData.assertHal;
import static org.jhal.cts.support.TestData.bytes;
import static org.jhal.cts.support.TestData.filled;
import static org.jhal.cts.support.Waits.assertPending;
import static org.jhal.cts.support.Waits.assertStaysPending;
import static org.jhal.cts.support.Waits.awaitFailure;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.jhal.cts.support.Waits.awaitStatistics;
import static org.jhal.cts.support.Waits.awaitTrue;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jhal.Args;
import org.jhal.BufferParams;
import org.jhal.CommandBuffer;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.Workgroups;
import org.jhal.cts.FreshDevice;
import org.jhal.cts.Need;
import org.jhal.cts.Needs;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Blocker;
import org.jhal.cts.support.Commands;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.Culprits;
import org.jhal.cts.support.HeldOperation;
import org.jhal.cts.support.Task;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Of several things that an operation or a device has, one is not as the others are. */
@CtsSuite
class SecondOfSeveralTest {
  private static final int PART = 64;

  static Stream<Culprits> oneOfTwo() {
    return Stream.of(new Culprits(2, List.of(0)), new Culprits(2, List.of(1)));
  }

  // Two waits that issued work covers.

  /** The work of two queues, behind a blocker each, and an operation that waits for both. */
  private static final class Covered {
    final List<Blocker> blockers = new ArrayList<>();
    final List<TimelineSemaphore> produced = new ArrayList<>();
    final TimelineSemaphore consumed;
    final DeviceBuffer buffer;

    Covered(Cts cts) {
      consumed = cts.semaphore();
      buffer = cts.buffer(filled(3 * PART, 9));
      cts.loadKernels();
      for (int i = 0; i < 2; i++) {
        produced.add(cts.semaphore());
        blockers.add(new Blocker(cts, cts.queue(i)));
        cts.queue(i)
            .fill(
                blockers.get(i).timepoint(),
                produced.get(i).at(1),
                buffer,
                (long) PART * i,
                PART,
                FillPattern.of8(1 + i));
      }
      cts.queue(2)
          .copy(
              produced.get(0).at(1).and(produced.get(1).at(1)),
              consumed.at(1),
              buffer,
              0,
              buffer,
              2 * PART,
              PART);
      cts.queue(2).copy(consumed.at(1), consumed.at(2), buffer, PART, buffer, 2 * PART, PART);
      awaitTrue("the consumer to be issued", () -> consumed.explain(2).contains("ISSUED"));
    }
  }

  /** The consumer follows both, whichever ends last. */
  @ParameterizedTest
  @MethodSource("oneOfTwo")
  @Rule({"Q5", "Q9"})
  @Needs(Need.THREE_QUEUES)
  @FreshDevice({"queues=3", "inflight=64"})
  void anOperationFollowsBothOfItsProducers(Culprits last, Cts cts) {
    Covered work = new Covered(cts);
    int first = last.others().get(0);
    work.blockers.get(first).release();
    awaitReached(work.produced.get(first), 1);
    assertStaysPending(work.consumed.at(1));
    work.blockers.get(1 - first).release();
    awaitReached(work.consumed, 2);
    assertBytes(
        filled(PART, 2), cts.read(work.buffer, 2 * PART, PART), "a copy of the second part");
  }

  @ParameterizedTest
  @MethodSource("oneOfTwo")
  @Rule({"Q6", "Q9", "Q7a"})
  @Needs({Need.THREE_QUEUES, Need.CONTROLS})
  @FreshDevice({"queues=3", "inflight=64"})
  void anOperationFailsWithEitherOfItsProducers(Culprits culprit, Cts cts) {
    cts.needCall(cts.device(), "execute");
    Covered work = new Covered(cts);
    int bad = culprit.which().get(0);
    cts.controls().failNext("execute", 1, Status.DATA_LOSS, false);
    work.blockers.get(bad).release();
    String why = awaitFailure(work.produced.get(bad), 1, Status.DATA_LOSS).getMessage();
    work.blockers.get(1 - bad).release();
    awaitReached(work.produced.get(1 - bad), 1);
    for (int value = 1; value <= 2; value++) {
      assertEquals(why, awaitFailure(work.consumed, value, Status.DATA_LOSS).getMessage());
    }
    cts.awaitIdle();
    assertBytes(
        filled(PART, 2 - bad), cts.read(work.buffer, PART * (1 - bad), PART), "the sound producer");
  }

  // Two buffers of allocas.

  /** What is wrong with one of two buffers when an operation that names both is issued. */
  enum Lack {
    NOT_YET_ALLOCATED,
    DEALLOCATED,
    ALLOCA_FAILED
  }

  /** How an operation names both. */
  enum Use {
    COPY,
    DISPATCH,
    RECORDING,
    BINDING_TABLE
  }

  static Stream<Arguments> lacks() {
    return Stream.of(Lack.values())
        .flatMap(
            lack ->
                Stream.of(Use.values())
                    .flatMap(use -> oneOfTwo().map(culprit -> Arguments.of(lack, use, culprit))));
  }

  private static void use(
      Cts cts, Use use, Fence waits, Fence signals, DeviceBuffer from, DeviceBuffer to) {
    switch (use) {
      case COPY -> cts.queue().copy(waits, signals, from, 0, to, 0, PART);
      case DISPATCH ->
          cts.queue()
              .dispatch(
                  waits, signals, cts.kernel("absolute"), Workgroups.of(1), Args.of(from, to));
      case RECORDING, BINDING_TABLE -> {
        Commands commands =
            new Commands(
                cts,
                use == Use.RECORDING ? Commands.Form.DIRECT : Commands.Form.BINDING_TABLE,
                CommandBuffer.Mode.ONE_SHOT);
        commands.buffer().copy(commands.ref(from), 0, commands.ref(to), 0, PART);
        commands.submit(cts.queue(), waits, signals);
        commands.buffer().close(); // which keeps its buffers
      }
    }
  }

  @ParameterizedTest
  @MethodSource("lacks")
  @Rule({"M1", "Q6"})
  @FreshDevice
  void anOperationFailsIfEitherOfItsBuffersLacksMemory(
      Lack lack, Use use, Culprits culprit, Cts cts) {
    int bad = culprit.which().get(0);
    TimelineSemaphore made = cts.semaphore();
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    long before = cts.device().statistics().bytes();
    List<DeviceBuffer> both = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      boolean isBad = i == bad;
      long size = isBad && lack == Lack.ALLOCA_FAILED ? Long.MAX_VALUE / 4 : PART;
      Fence waits = isBad && lack == Lack.NOT_YET_ALLOCATED ? go.at(1) : Fence.NONE;
      TimelineSemaphore own = cts.semaphore();
      both.add(cts.closing(cts.queue().alloca(waits, own.at(1), size, BufferParams.DEVICE)));
      if (isBad && lack == Lack.ALLOCA_FAILED) {
        awaitFailure(own, 1, Status.RESOURCE_EXHAUSTED);
      } else if (!isBad || lack == Lack.DEALLOCATED) {
        awaitReached(own, 1);
      }
      if (!isBad) {
        cts.write(both.get(i), 0, bytes(PART));
      }
    }
    if (lack == Lack.DEALLOCATED) {
      cts.queue().dealloca(Fence.NONE, made.at(1), both.get(bad));
      awaitReached(made, 1);
    }
    use(cts, use, Fence.NONE, done.at(1), both.get(0), both.get(1));
    assertHal(Status.FAILED_PRECONDITION, awaitFailure(done, 1));
    assertBytes(bytes(PART), cts.read(both.get(1 - bad)), "the buffer that has memory");
    go.signal(1);
    both.forEach(DeviceBuffer::close);
    cts.awaitIdle();
    awaitStatistics("all memory to be freed", cts.device(), now -> now.bytes() == before);
  }

  // Two queues with open work.

  /** The close waits for the work of each queue, whichever queue that is. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  @Rule("Q8")
  @Needs(Need.TWO_QUEUES)
  void aCloseWaitsForTheWorkOfEachQueue(int busy, Cts cts) throws Exception {
    Device device = cts.open("queues=2", "close-timeout=1000s"); // longer than a test may take
    List<TimelineSemaphore> ends = List.of(cts.semaphore(), cts.semaphore());
    List<HeldOperation> held = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      held.add(new HeldOperation(cts, device.queue(i), Fence.NONE, ends.get(i).at(1)));
      held.get(i).awaitRunning();
    }
    Task<?> closing = Task.run("close", device::close);
    awaitTrue("the device to be closing", device::isClosed);
    held.get(1 - busy).complete();
    awaitReached(ends.get(1 - busy), 1);
    assertStaysPending(ends.get(busy).at(1));
    assertTrue(closing.isRunning(), "close() returned while a queue had work");
    held.get(busy).complete();
    closing.join();
    assertEquals(1, ends.get(busy).value(), "the end of the work when close() had returned");
  }

  /** At the deadline, the work of the other queue has succeeded. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  @Rule("Q8")
  @Needs({Need.TWO_QUEUES, Need.CONTROLS})
  void onlyTheWorkThatDoesNotEndFailsAtTheDeadline(int stuck, Cts cts) {
    Device device = cts.open("queues=2", "close-timeout=2s", "inflight=64");
    List<TimelineSemaphore> ends = List.of(cts.semaphore(), cts.semaphore());
    DeviceBuffer buffer = cts.buffer(device, PART, BufferParams.DEVICE);
    List<Blocker> blockers =
        List.of(new Blocker(cts, device.queue(0)), new Blocker(cts, device.queue(1)));
    for (int i = 0; i < 2; i++) {
      device
          .queue(i)
          .fill(
              blockers.get(i).timepoint(),
              ends.get(i).at(1),
              buffer,
              PART / 2 * i,
              PART / 2,
              FillPattern.ZERO);
    }
    awaitStatistics("all work to be issued", device, now -> now.issued() >= 4);
    blockers.get(1 - stuck).release();
    awaitReached(ends.get(1 - stuck), 1);
    assertPending(ends.get(stuck), 1);
    cts.allowWarnings();
    cts.allowLeftovers();
    device.close();
    awaitFailure(ends.get(stuck), 1, Status.DEADLINE_EXCEEDED);
    assertEquals(1, ends.get(1 - stuck).value(), "the end of the other queue's work");
  }

  /** Work that is parked, ready and issued, on both queues, fails with the first cause. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  @Rule("Q7")
  @Needs({Need.TWO_QUEUES, Need.CONTROLS})
  void aLossFailsTheWorkOfBothQueues(int first, Cts cts) {
    Device device = cts.open("queues=2", "inflight=2");
    cts.allowWarnings();
    TimelineSemaphore go = cts.semaphore();
    List<TimelineSemaphore> ends = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      new Blocker(cts, device.queue(i));
    }
    for (int i : List.of(first, 1 - first)) {
      for (Fence waits : List.of(Fence.NONE, Fence.NONE, go.at(1))) {
        ends.add(cts.semaphore());
        device.queue(i).barrier(waits, ends.get(ends.size() - 1).at(1));
      }
    }
    cts.controls(device).loseDevice(new HalException(Status.UNAVAILABLE, "it fell off"));
    for (TimelineSemaphore end : ends) {
      assertHal(Status.UNAVAILABLE, awaitFailure(end, 1), "it fell off");
    }
  }
}
