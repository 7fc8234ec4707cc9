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

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jhal.Args;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.DeviceStatistics;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.HalException;
import org.jhal.HostCall;
import org.jhal.HostCall.Mode;
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
import org.jhal.cts.support.HeldOperation;
import org.jhal.cts.support.OperationKind;
import org.jhal.cts.support.TestData;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Failures that concern single operations: rules Q6, Q7b, Q9 and Q10. */
@CtsSuite
class QueueFailureTest {
  private static HalException failure(String message) {
    return new HalException(Status.DATA_LOSS, message, new IllegalStateException("cause"));
  }

  private static void assertWorks(Cts cts, DeviceQueue queue) {
    TimelineSemaphore done = cts.semaphore();
    DeviceBuffer buffer = cts.buffer(16);
    queue.fill(Fence.NONE, done.at(1), buffer, 0, 16, FillPattern.of8(3));
    awaitReached("the queue goes on after a failure", done.at(1));
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
  void whatDoesNotDependOnAFailureGoesOn(Cts cts) {
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

  @Test
  @Rule("Q6")
  void aFailureIsPassedOnAsSoonAsItIsKnown(Cts cts) {
    TimelineSemaphore never = cts.semaphore();
    TimelineSemaphore failing = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    cts.queue().barrier(Fence.of(never.at(1), failing.at(1)), done.at(1));
    failing.fail(failure("at once"));
    assertHal(Status.DATA_LOSS, awaitFailure(done, 1), "at once");
    assertPending(never, 1);
  }

  @Test
  @Rule({"Q6", "Q10"})
  void theFirstFailedWaitCounts(Cts cts) {
    TimelineSemaphore first = cts.semaphore();
    TimelineSemaphore second = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    AtomicInteger failures = new AtomicInteger();
    done.onReach(1, failure -> failures.incrementAndGet());
    cts.queue().barrier(Fence.of(first.at(1), second.at(1)), done.at(1));
    second.fail(failure("first to fail"));
    first.fail(failure("second to fail"));
    assertHal(Status.DATA_LOSS, awaitFailure(done, 1), "first to fail");
    cts.awaitIdle();
    assertEquals(1, failures.get());
  }

  @Test
  @Rule("Q6")
  void aWaitThatWasMetStaysMet(Cts cts) {
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

  @Test
  @Rule("Q6")
  void aWaitOnAFailedSemaphoreFailsTheOperation(Cts cts) {
    TimelineSemaphore failed = cts.semaphore(9);
    TimelineSemaphore done = cts.semaphore();
    failed.fail(failure("before"));
    cts.queue().barrier(failed.at(1), done.at(1));
    assertHal(Status.DATA_LOSS, awaitFailure(done, 1), "before");
    assertWorks(cts, cts.queue());
  }

  @Test
  @Rule({"Q9", "Q6"})
  void aHostCallThatFailsFailsItsConsumers(Cts cts) {
    TimelineSemaphore produced = cts.semaphore();
    TimelineSemaphore consumed = cts.semaphore();
    TimelineSemaphore last = cts.semaphore();
    HeldOperation held = new HeldOperation(cts, cts.queue(), Fence.NONE, produced.at(1));
    DeviceQueue other = cts.queue(cts.device().queueCount() - 1);
    other.barrier(produced.at(1), consumed.at(1));
    other.barrier(consumed.at(1), last.at(1));
    held.fail(failure("by the host"));
    for (TimelineSemaphore semaphore : List.of(produced, consumed, last)) {
      assertHal(Status.DATA_LOSS, awaitFailure(semaphore, 1), "by the host");
    }
  }

  @Test
  @Rule({"Q9", "Q6"})
  @FreshDevice("inflight=64")
  @GivesUp
  @Needs(Need.KERNEL_FAILURES)
  void aProducerThatFailsAfterItsConsumerWasIssuedFailsItToo(Cts cts) {
    cts.allowWarnings(); // of a device that is lost by this
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
    // A trap costs some devices their life (rule Q7), others this operation only.
    HalException failure = awaitFailure(produced, 1);
    Status expected = cts.device().lostCause() == null ? Status.ABORTED : Status.UNAVAILABLE;
    assertHal(expected, failure);
    awaitFailure(consumed, 1, expected);
    awaitFailure(last, 1, expected);
    if (expected == Status.ABORTED) {
      assertEquals(failure.getMessage(), awaitFailure(last, 1).getMessage());
      assertEquals(IllegalStateException.class, causeOf(failure));
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
  @FreshDevice
  void everyOperationRetiresOnce(Cts cts) {
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
  void aQueueCountsWhatHasNotRetired(OperationKind kind, Cts cts) {
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
      kind.enqueue(cts, queue, go.at(1), end, buffer);
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

  /** Each test fails if anything else is logged. */
  @Test
  @Rule("Q7b")
  void aFailureThatNothingSignalsIsLogged(Cts cts) {
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore told = cts.semaphore();
    HostCall nobody =
        call -> {
          throw new HalException(Status.DATA_LOSS, "nobody is told");
        };
    HostCall somebody =
        call -> {
          throw new HalException(Status.DATA_LOSS, "somebody is told");
        };
    cts.queue().hostCall(Fence.NONE, told.at(1), Mode.BLOCKING, somebody);
    cts.queue().barrier(go.at(1), Fence.NONE); // go tells why it fails
    cts.queue().hostCall(Fence.NONE, Fence.NONE, Mode.BLOCKING, nobody);
    cts.awaitLog("nobody is told");
    assertEquals("somebody is told", awaitFailure(told, 1).getMessage());
    go.fail(failure("go"));
    assertWorks(cts, cts.queue());
  }
}
