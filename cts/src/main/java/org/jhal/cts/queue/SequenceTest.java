// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.queue;

import static org.jhal.cts.support.TestData.assertBytes;
import static org.jhal.cts.support.TestData.assertHal;
import static org.jhal.cts.support.TestData.filled;
import static org.jhal.cts.support.TestData.ints;
import static org.jhal.cts.support.Waits.assertStaysPending;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jhal.Args;
import org.jhal.CommandBuffer;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.ElementType;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.HalException;
import org.jhal.HostCall;
import org.jhal.HostMemory;
import org.jhal.QueueSteps;
import org.jhal.Sequence;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.Timepoint;
import org.jhal.Workgroups;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.Waits;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Sequences: each step waits for the one before. */
@CtsSuite
class SequenceTest {
  private static final long LIMIT_MS = Waits.LIMIT.toMillis();

  /**
   * Each step reads what the one before wrote. Uploads, copies and readbacks use the first queue,
   * dispatches the last one.
   */
  @Test
  @Rule({"Q5", "Q9"})
  void eachStepSeesTheEffectsOfTheStepBefore(Cts cts) throws Exception {
    DeviceQueue first = cts.queue(0);
    DeviceQueue last = cts.queue(cts.device().queueCount() - 1);
    Workgroups items = Workgroups.of(64);
    byte[] result = new byte[256];
    DeviceBuffer a = cts.buffer(256);
    DeviceBuffer b = cts.buffer(256);
    try (Sequence steps = cts.device().createSequence()) {
      awaitReached("the end of a sequence without steps", steps.last());
      byte[] input = ints(64, i -> i);
      steps.step((w, s) -> first.upload(w, s, HostMemory.of(input), a, 0));
      for (int i = 0; i < 3; i++) {
        steps.step((w, s) -> last.dispatch(w, s, cts.kernel("twice"), items, Args.of(a, b)));
        steps.step((w, s) -> first.copy(w, s, b, 0, a, 0, 256));
      }
      Timepoint end = steps.step((w, s) -> last.readback(w, s, a, 0, HostMemory.of(result)));
      assertEquals(8, end.value());
      assertEquals(end, steps.last());
      steps.await(Waits.LIMIT);
    }
    assertBytes(ints(64, i -> 8 * i), result, "numbers that were doubled three times");
  }

  @Test
  @Rule({"S5", "Q4"})
  void aStepMayWaitForAnotherTimelineToo(Cts cts) throws Exception {
    TimelineSemaphore go = cts.semaphore();
    DeviceBuffer buffer = cts.buffer(16);
    try (Sequence steps = cts.device().createSequence()) {
      Timepoint filled =
          steps.step((w, s) -> cts.queue().fill(w, s, buffer, 0, 16, FillPattern.of8(1)));
      steps.step(go.at(1), (w, s) -> cts.queue().fill(w, s, buffer, 0, 16, FillPattern.of8(2)));
      awaitReached("the first step", filled);
      assertStaysPending(steps.last());
      assertBytes(filled(16, 1), cts.read(buffer), "while the second step waits");
      go.signal(1);
      steps.await(Waits.LIMIT);
    }
    assertBytes(filled(16, 2), cts.read(buffer), "behind the second step");
  }

  @Test
  @Rule({"S3", "Q6"})
  void aFailedStepFailsTheLaterOnes(Cts cts) {
    DeviceBuffer buffer = cts.buffer(filled(16, 1));
    AtomicInteger calls = new AtomicInteger();
    IllegalStateException thrown = new IllegalStateException("the second step fails");
    try (Sequence steps = cts.device().createSequence()) {
      steps.step((w, s) -> cts.queue().fill(w, s, buffer, 0, 16, FillPattern.of8(2)));
      steps.step(
          (w, s) ->
              cts.queue()
                  .hostCall(
                      w,
                      s,
                      HostCall.Mode.BLOCKING,
                      context -> {
                        throw thrown;
                      }));
      steps.step((w, s) -> cts.queue().fill(w, s, buffer, 0, 16, FillPattern.of8(3)));
      steps.step(
          (w, s) ->
              cts.queue()
                  .hostCall(w, s, HostCall.Mode.BLOCKING, context -> calls.incrementAndGet()));
      HalException failure = assertHal(Status.ABORTED, () -> steps.await(Waits.LIMIT));
      assertSame(thrown, failure.getCause());
    }
    cts.awaitIdle();
    assertBytes(filled(16, 2), cts.read(buffer), "behind a sequence whose second step failed");
    assertEquals(0, calls.get(), "calls of a step behind one that failed");
  }

  @Test
  @Rule("M5")
  void aRejectedStepIsNotAdded(Cts cts) throws Exception {
    DeviceBuffer buffer = cts.buffer(16);
    try (Sequence steps = cts.device().createSequence()) {
      assertHal(
          Status.OUT_OF_RANGE,
          () -> steps.step((w, s) -> cts.queue().fill(w, s, buffer, 0, 32, FillPattern.of8(1))));
      assertEquals(0, steps.last().value());
      steps.step((w, s) -> cts.queue().fill(w, s, buffer, 0, 16, FillPattern.of8(2)));
      steps.await(Waits.LIMIT);
      assertEquals(1, steps.last().value());
    }
    assertBytes(filled(16, 2), cts.read(buffer), "filled by the step that was taken");
  }

  /**
   * Operations that wait for a step are cancelled. A step that waits for another timeline
   * continues.
   */
  @Test
  @Rule("S8")
  void closingCancelsOperationsThatWaitForAStep(Cts cts) {
    TimelineSemaphore go = cts.semaphore();
    DeviceBuffer buffer = cts.buffer(filled(16, 1));
    AtomicReference<@Nullable HalException> over = new AtomicReference<>();
    try (Sequence steps = cts.device().createSequence()) {
      steps.step(go.at(1), (w, s) -> cts.queue().fill(w, s, buffer, 0, 16, FillPattern.of8(2)));
      steps.step((w, s) -> cts.queue().fill(w, s, buffer, 0, 16, FillPattern.of8(3)));
      Timepoint last = steps.last();
      var unused = last.semaphore().onReach(last.value(), over::set);
    }
    assertHal(Status.CANCELLED, Waits.awaitSet("the failure of the last step", over));
    go.signal(1);
    cts.awaitIdle();
    assertBytes(filled(16, 2), cts.read(buffer), "behind a sequence that was closed");
  }

  /** The common operations, in turn on the first and the last queue. */
  @Test
  @Rule({"Q5", "Q9"})
  void stepsOfTwoQueuesFollowOneAnother(Cts cts) throws Exception {
    byte[] result = new byte[256];
    try (Sequence sequence = cts.device().createSequence();
        CommandBuffer recorded = cts.device().createCommandBuffer(CommandBuffer.Mode.REUSABLE)) {
      QueueSteps first = sequence.on(cts.queue(0));
      QueueSteps last = sequence.on(cts.queue(cts.device().queueCount() - 1));
      DeviceBuffer a = first.uploading(HostMemory.of(ints(64, i -> i)));
      DeviceBuffer b = last.allocate(ElementType.I32, 64);
      assertEquals(256, b.size());
      last.dispatch(cts.kernel("twice"), Workgroups.of(64), Args.of(a, b));
      first.fill(a, FillPattern.of(-1));
      first.copy(b.slice(0, 128), a.slice(128, 128));
      recorded.copy(a, 128, b, 0, 128);
      recorded.end();
      last.execute(recorded);
      Timepoint end = first.readback(b, HostMemory.of(result));
      assertEquals(6, end.value());
      sequence.await(Waits.LIMIT);
    }
    byte[] twice = ints(64, i -> 2 * (i % 32));
    System.arraycopy(ints(64, i -> 2 * i), 128, twice, 128, 128);
    assertBytes(twice, result, "numbers that were doubled, the first half copied there and back");
    cts.awaitIdle();
    awaitBuffers(cts, 0);
  }

  private static void awaitBuffers(Cts cts, long count) {
    Waits.awaitStatistics("buffers to be freed", cts.device(), now -> now.buffers() == count);
  }

  @Test
  @Rule({"S6", "M2"})
  void aComputationReturnsItsResultAndLeavesNothing(Cts cts) throws Exception {
    CompletableFuture<byte[]> result =
        cts.queue()
            .compute(
                steps -> {
                  DeviceBuffer a = steps.uploading(HostMemory.of(ints(64, i -> i)));
                  DeviceBuffer b = steps.allocate(ElementType.I32, 64);
                  steps.dispatch(cts.kernel("twice"), Workgroups.of(64), Args.of(a, b));
                  byte[] doubled = new byte[256];
                  steps.readback(b, HostMemory.of(doubled));
                  return doubled;
                });
    assertBytes(ints(64, i -> 2 * i), result.get(LIMIT_MS, TimeUnit.MILLISECONDS), "doubled");
    cts.awaitIdle();
    awaitBuffers(cts, 0);
  }

  @Test
  @Rule({"S6", "S8"})
  void aLateComputationFailsAndIsCancelled(Cts cts) throws Exception {
    TimelineSemaphore never = cts.semaphore();
    byte[] target = new byte[16];
    CompletableFuture<String> result =
        cts.queue()
            .compute(
                Duration.ofMillis(20),
                steps -> {
                  DeviceBuffer buffer = steps.uploading(HostMemory.of(filled(16, 1)));
                  steps.hostCall(HostCall.Mode.BLOCKING, context -> never.await(1, Waits.LIMIT));
                  steps.readback(buffer, HostMemory.of(target));
                  return "not reached";
                });
    ExecutionException thrown =
        assertThrows(ExecutionException.class, () -> result.get(LIMIT_MS, TimeUnit.MILLISECONDS));
    assertHal(Status.DEADLINE_EXCEEDED, assertInstanceOf(HalException.class, thrown.getCause()));
    never.signal(1); // the host call ends; the readback behind it was cancelled
    cts.awaitIdle();
    assertBytes(new byte[16], target, "the target of a step that was cancelled");
    awaitBuffers(cts, 0);
  }

  @Test
  @Rule("M5")
  void aComputationThatThrowsLeavesNothing(Cts cts) {
    IllegalStateException thrown = new IllegalStateException("on purpose");
    IllegalStateException caught =
        assertThrows(
            IllegalStateException.class,
            () ->
                cts.queue()
                    .compute(
                        steps -> {
                          steps.uploading(HostMemory.of(filled(16, 1)));
                          throw thrown;
                        }));
    assertSame(thrown, caught);
    cts.awaitIdle();
    awaitBuffers(cts, 0);
  }

  @Test
  @Rule("M5")
  void anUploadThatIsRefusedAllocatesNothing(Cts cts) {
    TimelineSemaphore reached = cts.semaphore();
    reached.signal(1);
    assertHal(
        Status.OUT_OF_RANGE,
        () -> cts.queue().uploading(Fence.NONE, reached.at(1), HostMemory.of(new byte[16])));
    awaitBuffers(cts, 0);
    TimelineSemaphore written = cts.semaphore();
    DeviceBuffer buffer =
        cts.closing(cts.queue().uploading(Fence.NONE, written.at(1), HostMemory.of(filled(16, 7))));
    awaitReached(written, 1);
    assertBytes(filled(16, 7), cts.read(buffer), "uploaded");
  }

  @Test
  @Rule("M5")
  void aClosedSequenceAllocatesNothing(Cts cts) {
    Sequence sequence = cts.device().createSequence();
    QueueSteps steps = sequence.on(cts.queue());
    sequence.close();
    assertHal(Status.FAILED_PRECONDITION, () -> steps.allocate(ElementType.F32, 4));
    assertHal(Status.FAILED_PRECONDITION, () -> steps.uploading(HostMemory.of(new byte[16])));
    awaitBuffers(cts, 0);
  }
}
