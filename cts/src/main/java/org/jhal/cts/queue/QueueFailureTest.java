// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.queue;

import static org.jhal.cts.support.TestData.assertBytes;
import static org.jhal.cts.support.TestData.assertHal;
import static org.jhal.cts.support.Waits.assertPending;
import static org.jhal.cts.support.Waits.awaitFailure;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.jhal.cts.support.Waits.awaitTrue;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jhal.Args;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.DeviceStatistics;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.HalException;
import org.jhal.HostCall;
import org.jhal.HostCall.Mode;
import org.jhal.HostMemory;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.Timepoint;
import org.jhal.Workgroups;
import org.jhal.cts.FreshDevice;
import org.jhal.cts.GivesUp;
import org.jhal.cts.Need;
import org.jhal.cts.Needs;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Blocker;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.Culprits;
import org.jhal.cts.support.HeldOperation;
import org.jhal.cts.support.OperationKind;
import org.jhal.cts.support.TestData;
import org.jhal.cts.support.Waits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Failures that affect single operations: rules Q6, Q7b, Q9 and Q10. */
@CtsSuite
class QueueFailureTest {
  private static HalException failure(String message) {
    return new HalException(Status.DATA_LOSS, message, new IllegalStateException("cause"));
  }

  private static void assertWorks(Cts cts, DeviceQueue queue) {
    TimelineSemaphore done = cts.semaphore();
    DeviceBuffer buffer = cts.buffer(16);
    queue.fill(Fence.NONE, done.at(1), buffer, 0, 16, FillPattern.of8(3));
    awaitReached("the queue continues after a failure", done.at(1));
    assertBytes(TestData.filled(16, 3), cts.read(buffer), "work after a failure");
  }

  @Test
  @Rule("Q6")
  void aFailedWaitFailsAllSignalsWithTheSameFailure(Cts cts) {
    TimelineSemaphore go = cts.semaphore();
    List<TimelineSemaphore> signals = List.of(cts.semaphore(3), cts.semaphore(), cts.semaphore());
    cts.queue().barrier(go.at(1), Fence.of(signals.stream().map(s -> s.at(9)).toList()));
    HalException original = failure("gone");
    go.fail(original);
    for (TimelineSemaphore signal : signals) {
      HalException seen = awaitFailure(signal, 9, Status.DATA_LOSS);
      assertEquals("gone", seen.getMessage(), "message of the failure of a signal");
      assertSame(original.getCause(), seen.getCause(), "cause of the failure of a signal");
    }
    assertWorks(cts, cts.queue());
  }

  @Test
  @Rule("Q6")
  void anOperationWithAFailedWaitNeverRuns(Cts cts) {
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore called = cts.semaphore();
    TimelineSemaphore filled = cts.semaphore();
    DeviceBuffer buffer = cts.buffer(TestData.ints(0));
    AtomicInteger calls = new AtomicInteger();
    cts.queue().hostCall(go.at(1), called.at(1), Mode.BLOCKING, c -> calls.incrementAndGet());
    cts.queue().fill(go.at(1), filled.at(1), buffer, 0, 4, FillPattern.of8(7));
    go.fail(failure("gone"));
    awaitFailure(called, 1);
    awaitFailure(filled, 1);
    cts.awaitIdle();
    assertEquals(0, calls.get());
    assertBytes(TestData.ints(0), cts.read(buffer), "the target of an operation that failed");
  }

  @Test
  @Rule("Q6")
  void independentOperationsGoOnAfterAFailure(Cts cts) {
    TimelineSemaphore failing = cts.semaphore();
    TimelineSemaphore healthy = cts.semaphore();
    TimelineSemaphore failed = cts.semaphore();
    TimelineSemaphore parked = cts.semaphore();
    TimelineSemaphore held = cts.semaphore();
    Blocker blocker = new Blocker(cts, cts.queue());
    cts.queue().barrier(healthy.at(1), parked.at(1));
    cts.queue().barrier(failing.at(1), failed.at(1));
    cts.queue().barrier(blocker.timepoint(), held.at(1));
    failing.fail(failure("gone"));
    awaitFailure(failed, 1);
    assertPending(parked, 1);
    assertPending(held, 1);
    healthy.signal(1);
    blocker.release();
    awaitReached(Fence.of(parked.at(1), held.at(1)));
    for (int i = 0; i < cts.device().queueCount(); i++) {
      assertWorks(cts, cts.queue(i));
    }
  }

  static Stream<Culprits> culprits() {
    return Culprits.positions(3);
  }

  private static List<TimelineSemaphore> three(Cts cts) {
    return List.of(cts.semaphore(), cts.semaphore(), cts.semaphore());
  }

  private static Fence first(List<TimelineSemaphore> timelines) {
    return Fence.of(timelines.stream().map(one -> one.at(1)).toList());
  }

  /**
   * The earliest failure counts, even if it is not that of the first wait. No bytes are moved, and
   * nothing is kept.
   */
  @ParameterizedTest
  @MethodSource("culprits")
  @Rule({"Q6", "Q2", "Q10"})
  @FreshDevice
  void theFirstFailedWaitFailsTheSignalsImmediately(Culprits culprits, Cts cts) throws Exception {
    List<TimelineSemaphore> waits = three(cts);
    TimelineSemaphore uploaded = cts.semaphore();
    TimelineSemaphore read = cts.semaphore();
    byte[] guard = TestData.filled(16, TestData.GUARD);
    DeviceBuffer buffer = cts.buffer(guard);
    HostMemory source = HostMemory.of(TestData.bytes(16));
    byte[] found = guard.clone();
    HostMemory target = HostMemory.of(found);
    AtomicInteger failures = new AtomicInteger();
    uploaded.onReach(1, failure -> failures.incrementAndGet());
    cts.queue().upload(first(waits), uploaded.at(1), source, buffer, 0);
    cts.queue().readback(first(waits), read.at(1), buffer, 0, target);
    List<Integer> order = new ArrayList<>(culprits.which());
    Collections.reverse(order);
    order.forEach(culprit -> waits.get(culprit).fail(failure("wait " + culprit)));
    for (TimelineSemaphore end : List.of(uploaded, read)) {
      assertHal(Status.DATA_LOSS, awaitFailure(end, 1), "wait " + order.get(0));
    }
    source.awaitFree(Waits.LIMIT);
    target.awaitFree(Waits.LIMIT);
    for (int other : culprits.others()) {
      assertPending(waits.get(other), 1);
      waits.get(other).signal(1); // after the last wait for it
    }
    cts.awaitIdle();
    assertEquals(1, failures.get());
    assertBytes(guard, cts.read(buffer), "the target of an upload whose wait failed");
    assertBytes(guard, found, "the target of a readback whose wait failed");
    buffer.close();
    cts.awaitIdle();
    assertEquals(0, cts.device().statistics().buffers(), "buffers in the end");
    assertWorks(cts, cts.queue());
  }

  @Test
  @Rule("Q6")
  void aReachedWaitIsNotAffectedByALaterFailure(Cts cts) {
    TimelineSemaphore met = cts.semaphore();
    TimelineSemaphore open = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    cts.queue().barrier(Fence.of(met.at(1), open.at(1)), done.at(1));
    met.signal(1);
    met.fail(failure("after it was met"));
    open.signal(1);
    awaitReached(done, 1);
  }

  @Test
  @Rule("Q6")
  void failuresPassThroughChains(Cts cts) {
    TimelineSemaphore start = cts.semaphore();
    List<TimelineSemaphore> chain = new ArrayList<>(List.of(start));
    for (int i = 0; i < 100; i++) {
      TimelineSemaphore next = cts.semaphore();
      DeviceQueue queue = cts.queue(i % cts.device().queueCount());
      queue.barrier(chain.get(i).at(1), next.at(1));
      chain.add(next);
    }
    start.fail(failure("from the start"));
    for (TimelineSemaphore semaphore : chain) {
      assertHal(Status.DATA_LOSS, awaitFailure(semaphore, 1), "from the start");
    }
    assertWorks(cts, cts.queue());
  }

  @ParameterizedTest
  @MethodSource("culprits")
  @Rule("Q6")
  void aWaitOnAFailedSemaphoreFailsTheOperation(Culprits culprits, Cts cts) {
    List<TimelineSemaphore> waits = three(cts);
    TimelineSemaphore done = cts.semaphore();
    DeviceBuffer buffer = cts.buffer(TestData.ints(0));
    culprits.which().forEach(culprit -> waits.get(culprit).fail(failure("before")));
    cts.queue().fill(first(waits), done.at(1), buffer, 0, 4, FillPattern.of8(7));
    assertHal(Status.DATA_LOSS, awaitFailure(done, 1), "before");
    culprits.others().forEach(other -> waits.get(other).signal(1));
    cts.awaitIdle();
    assertBytes(TestData.ints(0), cts.read(buffer), "the target of an operation that failed");
    assertWorks(cts, cts.queue());
  }

  @ParameterizedTest
  @MethodSource("culprits")
  @Rule({"Q9", "Q6"})
  void aHostCallThatFailsFailsItsConsumers(Culprits culprits, Cts cts) {
    List<TimelineSemaphore> produced = three(cts);
    TimelineSemaphore consumed = cts.semaphore();
    TimelineSemaphore last = cts.semaphore();
    DeviceBuffer buffer = cts.buffer(TestData.ints(0));
    List<HeldOperation> calls =
        produced.stream()
            .map(end -> new HeldOperation(cts, cts.queue(), Fence.NONE, end.at(1)))
            .toList();
    DeviceQueue other = cts.queue(cts.device().queueCount() - 1);
    other.fill(first(produced), consumed.at(1), buffer, 0, 4, FillPattern.of8(7));
    other.barrier(consumed.at(1), last.at(1));
    culprits.others().forEach(sound -> calls.get(sound).complete());
    culprits.which().forEach(culprit -> calls.get(culprit).fail(failure("by the host")));
    culprits.others().forEach(sound -> awaitReached(produced.get(sound), 1));
    for (int culprit : culprits.which()) {
      assertHal(Status.DATA_LOSS, awaitFailure(produced.get(culprit), 1), "by the host");
    }
    for (TimelineSemaphore end : List.of(consumed, last)) {
      assertHal(Status.DATA_LOSS, awaitFailure(end, 1), "by the host");
    }
    cts.awaitIdle();
    assertBytes(TestData.ints(0), cts.read(buffer), "the target of a consumer that failed");
  }

  @Test
  @Rule({"Q9", "Q6"})
  @FreshDevice("inflight=64")
  @GivesUp
  @Needs(Need.KERNEL_FAILURES)
  void aProducerFailureFailsItsIssuedConsumer(Cts cts) {
    cts.allowWarnings(); // if this loses the device
    Blocker blocker = new Blocker(cts, cts.queue(0));
    DeviceQueue other = cts.queue(cts.device().queueCount() - 1);
    TimelineSemaphore produced = cts.semaphore();
    TimelineSemaphore consumed = cts.semaphore();
    TimelineSemaphore last = cts.semaphore();
    long issued = cts.device().statistics().issued();
    cts.queue(0)
        .dispatch(
            blocker.timepoint(), produced.at(1), cts.kernel("trap"), Workgroups.of(1), Args.of(41));
    other.barrier(produced.at(1), consumed.at(1));
    other.barrier(consumed.at(1), last.at(1));
    awaitTrue(
        "producer and consumers to be issued",
        () -> cts.device().statistics().issued() >= issued + 3);
    blocker.release();
    // Some devices are lost by a trap (rule Q7); others fail only this operation.
    HalException failure = awaitFailure(produced, 1);
    Status expected = cts.device().lostCause() == null ? Status.ABORTED : Status.UNAVAILABLE;
    assertHal(expected, failure);
    awaitFailure(consumed, 1, expected);
    awaitFailure(last, 1, expected);
    if (expected == Status.ABORTED) {
      assertEquals(failure.getMessage(), awaitFailure(last, 1).getMessage());
      if (cts.kernels().format().equals("java")) {
        assertEquals(IllegalStateException.class, causeOf(failure));
      }
      assertWorks(cts, cts.queue(0));
      assertWorks(cts, other);
    }
  }

  private static Class<?> causeOf(HalException failure) {
    Throwable cause = failure.getCause();
    return cause == null ? Void.class : cause.getClass();
  }

  @Test
  @Rule("Q10")
  @FreshDevice("validate=off") // nothing orders its operations
  void everyOperationSettlesAndRetiresOnce(Cts cts) {
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore failing = cts.semaphore();
    TimelineSemaphore closing = cts.semaphore();
    DeviceBuffer buffer = cts.buffer(64);
    List<OperationKind> kinds = OperationKind.of(cts, cts.device());
    List<TimelineSemaphore> over = new ArrayList<>();
    AtomicInteger verdicts = new AtomicInteger();
    int rounds = 50;
    for (int i = 0; i < rounds; i++) {
      for (OperationKind kind : kinds) {
        for (Fence wait : List.of(go.at(1), failing.at(1), closing.at(1), Fence.NONE)) {
          TimelineSemaphore done = cts.semaphore();
          done.onReach(1, failure -> verdicts.incrementAndGet());
          kind.enqueue(cts, cts.queue(), wait, done.at(1), buffer);
          over.add(done);
        }
      }
    }
    cts.allowLog("a host call fails");
    cts.queue()
        .hostCall(
            go.at(1),
            Fence.NONE,
            Mode.BLOCKING,
            context -> {
              throw new IllegalStateException("a host call fails");
            });
    failing.fail(failure("gone"));
    go.signal(1);
    closing.close();
    awaitTrue("a verdict for each operation", () -> verdicts.get() == over.size());
    cts.awaitIdle();
    DeviceStatistics statistics = cts.device().statistics();
    assertEquals(statistics.enqueued(), statistics.retired(), statistics::toString);
    assertEquals(over.size(), verdicts.get());
  }

  @ParameterizedTest
  @EnumSource
  @Rule("Q10")
  @FreshDevice("queues=2")
  @Needs(Need.TWO_QUEUES)
  void openOperationsCountsUnretiredOperations(OperationKind kind, Cts cts) {
    kind.need(cts);
    DeviceQueue queue = cts.queue(0);
    DeviceQueue other = cts.queue(1);
    DeviceBuffer buffer = cts.buffer(16);
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore never = cts.semaphore();
    List<Timepoint> succeed = new ArrayList<>();
    List<TimelineSemaphore> fail = new ArrayList<>();
    cts.awaitIdle();
    long enqueued = cts.device().statistics().enqueued();
    for (int i = 0; i < 3; i++) {
      Timepoint end = cts.semaphore().at(1);
      kind.enqueue(cts, queue, go.at(1), end, cts.buffer(16));
      succeed.add(end);
      TimelineSemaphore failing = cts.semaphore();
      kind.enqueue(cts, queue, never.at(1), failing.at(1), buffer);
      fail.add(failing);
    }
    long open = cts.device().statistics().enqueued() - enqueued;
    assertEquals(open, queue.openOperations(), "operations that wait");
    assertEquals(0, other.openOperations(), "operations of a queue that took none");
    assertThrows(
        HalException.class,
        () -> queue.fill(Fence.NONE, Fence.NONE, buffer, 12, 8, FillPattern.ZERO));
    assertEquals(open, queue.openOperations(), "operations, after one was refused");
    go.signal(1);
    awaitReached(Fence.of(succeed));
    awaitTrue("half of the operations to retire", () -> queue.openOperations() == open / 2);
    never.fail(failure("gone"));
    fail.forEach(failing -> awaitFailure(failing, 1, Status.DATA_LOSS));
    awaitTrue("all operations to retire", () -> queue.openOperations() == 0);
    assertEquals(0, other.openOperations(), "operations of a queue that took none");
  }

  /** Like every test, it fails if anything else is logged. */
  @Test
  @Rule("Q7b")
  void aFailureWithoutASignalIsLogged(Cts cts) {
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    HostCall unobserved =
        call -> {
          throw new HalException(Status.DATA_LOSS, "without a signal");
        };
    HostCall signalling =
        call -> {
          throw new HalException(Status.DATA_LOSS, "with a signal");
        };
    cts.queue().hostCall(Fence.NONE, done.at(1), Mode.BLOCKING, signalling);
    cts.queue().barrier(go.at(1), Fence.NONE); // go reports why it fails
    cts.queue().hostCall(Fence.NONE, Fence.NONE, Mode.BLOCKING, unobserved);
    cts.awaitLog("without a signal");
    HalException seen = awaitFailure(done, 1);
    assertTrue(seen.getMessage().endsWith(": with a signal"), seen::toString);
    go.fail(failure("go"));
    assertWorks(cts, cts.queue());
  }
}
