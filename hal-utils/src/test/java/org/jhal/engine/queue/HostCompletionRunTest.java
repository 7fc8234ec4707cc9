// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.queue;

import static org.jhal.engine.queue.FailureAssert.assertFailure;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Objects;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.HostCompletion;
import org.jhal.engine.timeline.EngineSemaphore;
import org.jhal.engine.timeline.FailuresTest;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Host completions of drivers that defer the end of their operation. */
class HostCompletionRunTest {
  private static final HalException FAULT = new HalException(Status.DATA_LOSS, "fault");
  private static final HalException GONE = new HalException(Status.UNAVAILABLE, "gone");

  private final QueueHarness harness = new QueueHarness(1);
  private final EngineSemaphore done = QueueHarness.semaphore();
  private HostCompletion.@Nullable Completion completion;

  private QueueUse enqueue(HostCompletion hostCompletion) {
    QueueUse use = new QueueUse("work", Fence.NONE, done.at(1));
    use.hostCompletion = hostCompletion;
    harness.enqueue(0, use);
    harness.run();
    return use;
  }

  private void end(@Nullable Throwable failure) {
    Objects.requireNonNull(completion).end(failure);
    harness.run();
  }

  @Test
  void aDeferredOperationEndsWhenItsCompletionSaysSo() {
    QueueUse use = enqueue(context -> completion = context.defer());
    assertEquals(0, done.currentValue());
    assertEquals(1, use.borrowed.get());
    assertEquals(0, use.retired.get());
    end(null);
    assertEquals(1, done.currentValue());
    assertEquals(0, use.borrowed.get());
    assertEquals(1, use.retired.get());
    harness.finish();
  }

  @Test
  void aHostCompletionMayEndBeforeItReturns() {
    QueueUse use = enqueue(context -> context.defer().end(null));
    assertEquals(1, done.currentValue());
    assertEquals(1, use.retired.get());
    harness.finish();
  }

  @Test
  void aDeferredOperationFailsWithTheGivenFailure() {
    enqueue(context -> completion = context.defer());
    end(FAULT);
    assertFailure(FAULT, done.failure());
    assertNull(harness.lost());
    harness.finish();
  }

  @Test
  void itsFailureMayBeTheLossOfTheDevice() {
    enqueue(context -> completion = context.defer());
    end(GONE);
    assertEquals(Status.UNAVAILABLE, Objects.requireNonNull(done.failure()).status());
    assertNotNull(harness.lost());
    harness.finish();
  }

  /** Rule Q10. */
  @Test
  void theFirstEndCounts() {
    QueueUse use = enqueue(context -> completion = context.defer());
    end(null);
    end(FAULT);
    end(GONE);
    assertEquals(1, done.currentValue());
    assertEquals(1, use.retired.get());
    assertNull(harness.lost());
    harness.finish();
  }

  @Test
  void anExceptionAfterDeferringIsLogged() {
    try (Quiet log = new Quiet()) {
      enqueue(
          context -> {
            completion = context.defer();
            throw FAULT;
          });
      assertEquals(1, log.count("threw after it had deferred"));
      assertEquals(0, done.currentValue());
      end(null);
      assertEquals(1, done.currentValue());
      harness.finish();
    }
  }

  @Test
  void aLossThatItThrowsAfterDeferringLosesTheDevice() {
    QueueUse use =
        enqueue(
            context -> {
              completion = context.defer();
              throw GONE;
            });
    assertEquals(Status.UNAVAILABLE, Objects.requireNonNull(done.failure()).status());
    assertEquals(1, use.borrowed.get());
    end(null);
    assertEquals(0, use.borrowed.get());
    assertEquals(1, use.retired.get());
    harness.finish();
  }

  /**
   * A user's host call ends its operation itself. If an error keeps it from that, no other thread
   * would end the operation, so the device is lost (rule E2).
   */
  @Test
  void anErrorOfACompletionThatDoesNotEndItsOperationLosesTheDevice() {
    QueueUse use = new QueueUse("call", Fence.NONE, done.at(1));
    use.endsWithHostCompletion = false;
    use.hostCompletion =
        context -> {
          throw new StackOverflowError("on purpose");
        };
    harness.enqueue(0, use);
    harness.run();
    assertNotNull(harness.lost(), "whether the device is lost");
    assertEquals(Status.UNAVAILABLE, Objects.requireNonNull(done.failure()).status());
    Operation<FakeStream.Event> operation = Objects.requireNonNull(use.operation);
    operation.queue.hostCompletionOver(operation, null); // what was under way may end all the same
    harness.finish();
  }

  /** The operation counts as ended, so it is not ended a second time. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void anErrorBehindTheEndLosesTheDevice(boolean isDeferred) {
    try (Quiet ignored = new Quiet()) {
      QueueUse use = new QueueUse("work", Fence.NONE, done.at(1));
      use.hostCompletion =
          context -> {
            if (isDeferred) {
              completion = context.defer();
            }
            use.failsAtEndOfBorrow = new StackOverflowError("on purpose");
          };
      harness.enqueue(0, use);
      if (isDeferred) {
        harness.run();
        assertThrows(StackOverflowError.class, () -> end(null));
      } else {
        assertThrows(StackOverflowError.class, harness::run);
      }
      harness.issueSteps();
      assertNotNull(harness.lost(), "whether the device is lost");
      assertEquals(Status.UNAVAILABLE, Objects.requireNonNull(done.failure()).status());
      harness.finish();
    }
  }

  @Test
  void anIndescribableThrowableFailsTheOperationToo() {
    enqueue(
        context -> {
          throw new FailuresTest.Mute();
        });
    HalException failure = Objects.requireNonNull(done.failure());
    assertEquals(Status.ABORTED, failure.status());
    harness.finish();
  }

  @Test
  void deferringTwiceOrTooLateIsRejected() {
    HostCompletion.Context[] leaked = new HostCompletion.Context[1];
    enqueue(context -> leaked[0] = context);
    assertEquals(1, done.currentValue());
    HalException late = assertThrows(HalException.class, () -> leaked[0].defer());
    assertEquals(Status.FAILED_PRECONDITION, late.status());
    QueueUse twice = new QueueUse("twice", Fence.NONE, done.at(2));
    twice.hostCompletion =
        context -> {
          completion = context.defer();
          HalException again = assertThrows(HalException.class, context::defer);
          assertEquals(Status.FAILED_PRECONDITION, again.status());
        };
    harness.enqueue(0, twice);
    harness.run();
    end(null);
    assertEquals(2, done.currentValue());
    harness.finish();
  }
}
