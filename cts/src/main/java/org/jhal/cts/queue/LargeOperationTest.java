// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.queue;

import static org.jhal.cts.support.TestData.assertBytes;
import static org.jhal.cts.support.Waits.assertPending;
import static org.jhal.cts.support.Waits.assertStaysPending;
import static org.jhal.cts.support.Waits.awaitFailure;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jhal.CommandBuffer;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.DeviceStatistics;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.Timepoint;
import org.jhal.cts.FreshDevice;
import org.jhal.cts.Need;
import org.jhal.cts.Needs;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Blocker;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.Task;
import org.jhal.cts.support.TestData;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Operations that are larger than what a native stream accepts before a call blocks (rule Q1). The
 * thread that issues such an operation may block, so it must not be a thread of the program.
 */
@CtsSuite(deadlineSeconds = 120)
class LargeOperationTest {
  /** More commands than a stream is expected to accept while it runs none. */
  private static final int COMMANDS = 6_000;

  /** What the stream waits for. */
  enum Held {
    /** Earlier work in the same stream. */
    BEHIND_WORK,
    /** Work of another stream; the operation's own stream is empty. */
    BEHIND_AN_EVENT
  }

  /** What makes the operation ready. */
  enum Ready {
    AT_ONCE,
    BY_A_SIGNAL
  }

  static Stream<Arguments> cases() {
    return Stream.of(Held.values())
        .flatMap(
            held ->
                Stream.of(Ready.values())
                    .flatMap(
                        ready ->
                            Stream.of(CommandBuffer.Mode.values())
                                .map(mode -> Arguments.of(held, ready, mode))));
  }

  /** Fills each int of {@code target} with its index. */
  private static CommandBuffer large(Cts cts, DeviceBuffer target, CommandBuffer.Mode mode) {
    CommandBuffer commands = cts.closing(target.device().createCommandBuffer(mode));
    for (int i = 0; i < COMMANDS; i++) {
      commands.fill(target, 4L * i, 4, FillPattern.of32(i));
    }
    commands.end();
    return commands;
  }

  private static DeviceQueue heldQueue(Cts cts, Held held) {
    if (held == Held.BEHIND_WORK) {
      return cts.queue(0);
    }
    if (cts.device().queueCount() == 1) {
      throw Cts.unsupported("with one queue, no stream waits for another one's events");
    }
    return cts.queue(1);
  }

  @ParameterizedTest
  @MethodSource("cases")
  @Rule({"Q1", "Q4"})
  void noProgramThreadBlocksOnALargeOperation(
      Held held, Ready ready, CommandBuffer.Mode mode, Cts cts) throws Exception {
    DeviceQueue queue = heldQueue(cts, held);
    DeviceBuffer target = cts.buffer(new byte[4 * COMMANDS]);
    DeviceBuffer small = cts.buffer(new byte[16]);
    CommandBuffer commands = large(cts, target, mode);
    int uses = mode == CommandBuffer.Mode.REUSABLE ? 3 : 1;
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    TimelineSemaphore behind = cts.semaphore();
    TimelineSemaphore later = cts.semaphore();
    Blocker blocker = new Blocker(cts, cts.queue(0));
    List<Timepoint> waits = new ArrayList<>();
    if (held == Held.BEHIND_AN_EVENT) {
      waits.add(blocker.timepoint());
    }
    if (ready == Ready.BY_A_SIGNAL) {
      waits.add(go.at(1));
    }
    Task.run(
            "submitter",
            () -> {
              for (int use = 0; use < uses; use++) {
                Fence before = use == 0 ? Fence.of(waits) : done.at(use);
                queue.execute(before, done.at(use + 1), commands);
              }
              queue.fill(done.at(uses), behind.at(1), small, 0, 16, FillPattern.of8(5));
            })
        .join();
    if (ready == Ready.BY_A_SIGNAL) {
      Task.run("signaller", () -> go.signal(1)).join();
    }
    Task.run("later submitter", () -> queue.barrier(Fence.NONE, later.at(1))).join();
    assertPending(done, 1);
    if (cts.device().queueCount() > 2) { // an unheld queue continues
      TimelineSemaphore free = cts.semaphore();
      cts.queue(2).barrier(Fence.NONE, free.at(1));
      awaitReached(free, 1);
    }
    blocker.release();
    awaitReached("all uses of the command buffer that fills the stream", done.at(uses));
    awaitReached(Fence.of(behind.at(1), later.at(1)));
    assertBytes(
        TestData.ints(COMMANDS, i -> i),
        cts.read(target),
        "the bytes that the large operation has filled");
    assertBytes(TestData.filled(16, 5), cts.read(small), "the buffer of the next operation");
  }

  /** The thread that issues the operation may be inside the blocking native call. */
  @ParameterizedTest
  @EnumSource
  @Rule({"Q7", "Q8", "Q10"})
  @Needs(Need.CONTROLS)
  @FreshDevice
  void aLargeOperationFailsWithItsLostDevice(Held held, Cts cts) {
    DeviceQueue queue = heldQueue(cts, held);
    DeviceBuffer target = cts.buffer(new byte[4 * COMMANDS]);
    CommandBuffer commands = large(cts, target, CommandBuffer.Mode.ONE_SHOT);
    TimelineSemaphore done = cts.semaphore();
    TimelineSemaphore behind = cts.semaphore();
    Blocker blocker = new Blocker(cts, cts.queue(0));
    Fence waits = held == Held.BEHIND_WORK ? Fence.NONE : Fence.of(blocker.timepoint());
    queue.execute(waits, done.at(1), commands);
    queue.barrier(done.at(1), behind.at(1));
    assertStaysPending(done.at(1)); // long enough to submit as much of it as the stream accepts
    cts.allowWarnings();
    cts.controls().loseDevice(new HalException(Status.UNAVAILABLE, "the cable was pulled"));
    awaitFailure(done, 1, Status.UNAVAILABLE);
    awaitFailure(behind, 1, Status.UNAVAILABLE);
    target.close();
    commands.close();
    cts.device().close();
    DeviceStatistics statistics = cts.device().statistics();
    assertEquals(statistics.enqueued(), statistics.retired(), statistics::toString);
    assertEquals(0, statistics.buffers(), statistics::toString);
  }
}
