// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.external;

import static org.jhal.cts.support.TestData.assertBytes;
import static org.jhal.cts.support.TestData.bytes;
import static org.jhal.cts.support.TestData.filled;
import static org.jhal.cts.support.TestData.ints;
import static org.jhal.cts.support.Waits.assertStaysPending;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.jhal.cts.support.Waits.awaitTrue;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jhal.Args;
import org.jhal.BufferParams;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.TimelineSemaphore;
import org.jhal.Workgroups;
import org.jhal.cts.Need;
import org.jhal.cts.Needs;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Blocker;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.ExternalCommands;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** External work in the order of timelines. */
@CtsSuite
class ExternalOrderTest {
  @Test
  @Rule({"Q9", "Q10", "Q11"})
  void runsOnceAfterItsWaitAndBeforeItsSignal(Cts cts) {
    ExternalCommands external = new ExternalCommands(cts, cts.device());
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    DeviceBuffer buffer = cts.buffer(64);
    AtomicInteger calls = new AtomicInteger();
    AtomicReference<@Nullable Throwable> wrong = new AtomicReference<>();
    cts.queue()
        .external(
            go.at(1),
            done.at(1),
            List.of(buffer),
            context -> {
              calls.incrementAndGet();
              try {
                assertSame(cts.queue().device(), context.queue().device());
                assertEquals(cts.queue().index(), context.queue().index());
                assertEquals(1, go.value());
                assertEquals(0, done.value());
              } catch (AssertionError e) {
                wrong.set(e);
              }
              external.fill(context, buffer, 7);
            });
    cts.flush(cts.queue());
    assertEquals(0, calls.get(), "calls before the wait was met");
    go.signal(1);
    awaitReached(done, 1);
    assertEquals(1, calls.get(), "calls when the signal was reached");
    assertNull(wrong.get(), "in the work");
    assertBytes(filled(64, 7), cts.read(buffer), "the bytes that external work has filled");
  }

  /** A kernel, external work, a kernel, external work: each reads what the one before it wrote. */
  @Test
  @Rule({"Q5", "Q9", "Q11"})
  void keepsItsOrderInAChainWithKernels(Cts cts) {
    ExternalCommands external = new ExternalCommands(cts, cts.device());
    TimelineSemaphore timeline = cts.semaphore();
    int[] values = {3, 1, 4, 1, 5, 9, 2, 6};
    DeviceBuffer a = cts.buffer(ints(values));
    DeviceBuffer b = cts.buffer(4 * values.length);
    DeviceQueue queue = cts.queue();
    Workgroups items = Workgroups.of(values.length);
    queue.dispatch(Fence.NONE, timeline.at(1), cts.kernel("twice"), items, Args.of(a, b));
    queue.external(
        timeline.at(1), timeline.at(2), List.of(a, b), context -> external.copy(context, b, a));
    queue.dispatch(timeline.at(2), timeline.at(3), cts.kernel("twice"), items, Args.of(a, b));
    queue.external(
        timeline.at(3), timeline.at(4), List.of(b, a), context -> external.copy(context, b, a));
    awaitReached(timeline, 4);
    byte[] expected = ints(values.length, i -> 4 * values[i]);
    assertBytes(expected, cts.read(a), "a chain through external work");
  }

  @Test
  @Rule({"Q5", "Q11"})
  void waitsForAnUnfinishedProducer(Cts cts) {
    ExternalCommands external = new ExternalCommands(cts, cts.device());
    DeviceBuffer buffer = cts.buffer(64);
    TimelineSemaphore done = cts.semaphore();
    Blocker blocker = new Blocker(cts, cts.queue(0));
    DeviceQueue other = cts.queue(cts.device().queueCount() - 1);
    other.fill(blocker.timepoint(), done.at(1), buffer, 0, 64, FillPattern.of8(1));
    other.external(
        done.at(1), done.at(2), List.of(buffer), context -> external.fill(context, buffer, 2));
    assertStaysPending(done.at(2));
    blocker.release();
    awaitReached(done, 2);
    assertBytes(filled(64, 2), cts.read(buffer), "filled behind a blocked operation");
  }

  /** Each operation waits for the last one of the other queue. */
  @Test
  @Rule({"Q5", "Q9", "Q11"})
  @Needs(Need.TWO_QUEUES)
  void otherQueuesWaitForExternalWork(Cts cts) {
    ExternalCommands external = new ExternalCommands(cts, cts.device());
    DeviceBuffer first = cts.buffer(1 << 16);
    DeviceBuffer second = cts.buffer(1 << 16);
    TimelineSemaphore timeline = cts.semaphore();
    for (int i = 1; i <= 50; i++) {
      int value = i;
      cts.queue(i % 2)
          .external(
              timeline.at(2L * i - 2),
              timeline.at(2L * i - 1),
              List.of(first),
              context -> external.fill(context, first, value));
      cts.queue((i + 1) % 2)
          .copy(timeline.at(2L * i - 1), timeline.at(2L * i), first, 0, second, 0, 1 << 16);
    }
    awaitReached(timeline, 100);
    assertBytes(filled(1 << 16, 50), cts.read(second), "copied on the other queue");
  }

  @Test
  @Rule({"Q3", "Q11", "M1"})
  void slicesAndAllocaBuffersMayBeClosedRightAfterTheCall(Cts cts) {
    ExternalCommands external = new ExternalCommands(cts, cts.device());
    DeviceQueue queue = cts.queue();
    TimelineSemaphore timeline = cts.semaphore();
    TimelineSemaphore go = cts.semaphore();
    byte[] data = bytes(256);
    byte[] read = new byte[64];
    DeviceBuffer whole = cts.buffer(data);
    DeviceBuffer part = whole.slice(64, 64);
    DeviceBuffer result = cts.buffer(64);
    DeviceBuffer scratch = queue.alloca(go.at(1), timeline.at(1), 64, BufferParams.DEVICE);
    queue.external(
        timeline.at(1),
        timeline.at(2),
        List.of(part, scratch),
        context -> external.copy(context, part, scratch));
    queue.external(
        timeline.at(2),
        timeline.at(3),
        List.of(scratch, result),
        context -> external.copy(context, scratch, result));
    queue.dealloca(timeline.at(3), timeline.at(4), scratch);
    queue.readback(timeline.at(4), timeline.at(5), result, 0, ByteBuffer.wrap(read));
    part.close();
    whole.close();
    result.close();
    scratch.close();
    go.signal(1);
    awaitReached(timeline, 5);
    assertBytes(Arrays.copyOfRange(data, 64, 128), read, "read through a slice");
  }

  @Test
  @Rule({"Q9", "Q11"})
  void workThatEnqueuesNothingSignals(Cts cts) {
    ExternalCommands external = new ExternalCommands(cts, cts.device());
    TimelineSemaphore done = cts.semaphore();
    DeviceBuffer empty = cts.buffer(0);
    cts.queue().external(Fence.NONE, done.at(1), List.of(), context -> {});
    cts.queue()
        .external(
            done.at(1),
            done.at(2),
            List.of(empty),
            context -> {
              if (!external.isNative()) {
                assertEquals(0, context.bytes(empty).capacity());
              }
            });
    awaitReached(done, 2);
  }

  @Test
  @Rule({"Q2", "Q11"})
  void theListOfBuffersIsCopied(Cts cts) {
    ExternalCommands external = new ExternalCommands(cts, cts.device());
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    DeviceBuffer buffer = cts.buffer(16);
    List<DeviceBuffer> buffers = new ArrayList<>(List.of(buffer));
    cts.queue()
        .external(go.at(1), done.at(1), buffers, context -> external.fill(context, buffer, 9));
    buffers.clear();
    go.signal(1);
    awaitReached(done, 1);
    assertBytes(filled(16, 9), cts.read(buffer), "a buffer that left the list after the call");
  }

  /** The queue issues nothing else during the work; another queue continues. */
  @Test
  @Rule({"Q1", "Q4", "Q11"})
  @Needs(Need.TWO_QUEUES)
  void runningExternalWorkDelaysOnlyItsQueue(Cts cts) {
    var unused = new ExternalCommands(cts, cts.device());
    TimelineSemaphore held = cts.semaphore();
    TimelineSemaphore behind = cts.semaphore();
    TimelineSemaphore elsewhere = cts.semaphore();
    DeviceBuffer buffer = cts.buffer(16);
    AtomicInteger running = new AtomicInteger();
    AtomicInteger mayEnd = new AtomicInteger();
    cts.queue(0)
        .external(
            Fence.NONE,
            held.at(1),
            List.of(),
            context -> {
              running.set(1);
              awaitTrue("the test to let external work end", () -> mayEnd.get() == 1);
            });
    try {
      awaitTrue("external work to run", () -> running.get() == 1);
      cts.queue(0).fill(Fence.NONE, behind.at(1), buffer, 0, 16, FillPattern.of8(1));
      cts.queue(1).fill(Fence.NONE, elsewhere.at(1), cts.buffer(16), 0, 16, FillPattern.of8(2));
      awaitReached(elsewhere, 1);
      assertStaysPending(behind.at(1).and(held.at(1)));
    } finally {
      mayEnd.set(1);
    }
    awaitReached(behind.at(1).and(held.at(1)));
  }

  /** This includes its own queue. */
  @Test
  @Rule({"Q1", "Q11"})
  void maySignalAndEnqueue(Cts cts) {
    var unused = new ExternalCommands(cts, cts.device());
    TimelineSemaphore signalled = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    TimelineSemaphore enqueued = cts.semaphore();
    DeviceBuffer buffer = cts.buffer(16);
    cts.queue().barrier(signalled.at(1), enqueued.at(1));
    cts.queue()
        .external(
            Fence.NONE,
            done.at(1),
            List.of(),
            context -> {
              signalled.signal(1);
              context
                  .queue()
                  .fill(signalled.at(1), enqueued.at(2), buffer, 0, 16, FillPattern.of8(3));
            });
    awaitReached(done.at(1).and(enqueued.at(2)));
    assertBytes(filled(16, 3), cts.read(buffer), "filled by work that external work has enqueued");
  }
}
