// SPDX-License-Identifier: Apache-2.0
package org.jhal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class SequenceTest {
  private final FakeTimelineSemaphore timeline = new FakeTimelineSemaphore("t");
  private final Sequence steps = new Sequence(timeline);
  private final List<String> enqueued = new ArrayList<>();

  private void note(Fence waits, Fence signals) {
    enqueued.add(waits + " -> " + signals);
  }

  @Test
  void eachStepWaitsForTheOneBefore() {
    assertEquals(timeline.at(0), steps.last());
    assertEquals(timeline.at(1), steps.step(this::note));
    assertEquals(timeline.at(2), steps.step(this::note));
    assertEquals(timeline.at(2), steps.last());
    assertEquals(List.of("t@0 -> t@1", "t@1 -> t@2"), enqueued);
  }

  @Test
  void aStepMayWaitForOthersToo() {
    Timepoint other = new FakeTimelineSemaphore("o").at(7);
    Timepoint first = steps.step(other, this::note);
    assertEquals(timeline.at(1), first);
    assertEquals(List.of("[t@0, o@7] -> t@1"), enqueued);
  }

  /** A refused call takes no value, so the next step waits for the one before it. */
  @Test
  void aStepThatThrowsTakesNoValue() {
    Timepoint first = steps.step(this::note);
    HalException refusal = new HalException(Status.INVALID_ARGUMENT, "no");
    HalException thrown =
        assertThrows(
            HalException.class,
            () ->
                steps.step(
                    (waits, signals) -> {
                      throw refusal;
                    }));
    assertSame(refusal, thrown);
    assertEquals(first, steps.last());
    assertEquals(timeline.at(2), steps.step(this::note));
    assertEquals(List.of("t@0 -> t@1", "t@1 -> t@2"), enqueued);
  }

  @Test
  void refusesAStepWithinAStep() {
    HalException thrown =
        assertThrows(
            HalException.class,
            () ->
                steps.step(
                    (waits, signals) -> {
                      var unused = steps.step(this::note);
                    }));
    assertEquals(Status.FAILED_PRECONDITION, thrown.status());
    assertEquals(timeline.at(1), steps.step(this::note));
    assertEquals(List.of("t@0 -> t@1"), enqueued);
  }

  @Test
  void waitsAreForTheLastStep() throws Exception {
    var first = steps.step(this::note);
    var second = steps.step(this::note);
    steps.await();
    steps.await(Duration.ofSeconds(3));
    assertEquals(List.of("2", "2 PT3S"), timeline.awaited());
    assertEquals(1, first.value());
    assertEquals(2, second.value());
  }

  @Test
  void closingClosesTheTimeline() {
    steps.close();
    assertThrows(HalException.class, () -> timeline.onReach(1, failed -> {}));
  }

  private static HalException failureOf(CompletableFuture<?> future) {
    CompletionException thrown = assertThrows(CompletionException.class, future::join);
    return assertInstanceOf(HalException.class, thrown.getCause());
  }

  @Test
  void finishingReturnsTheResultAndClosesTheTimeline() {
    steps.step(this::note);
    CompletableFuture<String> result = steps.finish("result");
    assertFalse(result.isDone());
    HalException refused = assertThrows(HalException.class, () -> steps.step(this::note));
    assertEquals(Status.FAILED_PRECONDITION, refused.status());

    AtomicBoolean wasClosed = new AtomicBoolean();
    var seen = result.thenRun(() -> wasClosed.set(timeline.isClosed()));
    timeline.signal(1);
    assertEquals("result", result.join());
    assertTrue(wasClosed.get(), "the timeline is closed before the result is seen");
    assertEquals(0, timeline.registered());
  }

  @Test
  void finishingFailsWithTheStepThatFailed() {
    steps.step(this::note);
    CompletableFuture<String> result = steps.finish("result");
    timeline.fail(new HalException(Status.DATA_LOSS, "gone"));
    assertEquals("gone", failureOf(result).getMessage());
    assertTrue(timeline.isClosed());
  }

  @Test
  void aResultThatIsLateFailsLikeAWait() {
    steps.step(this::note);
    HalException late = failureOf(steps.finish("result", Duration.ofMillis(1)));
    assertEquals(Status.DEADLINE_EXCEEDED, late.status());
    assertTrue(timeline.isClosed());
    FenceWaitTest.until("nothing is registered", () -> timeline.registered() == 0);
  }

  @Test
  void aResultThatIsCancelledClosesTheTimeline() {
    steps.step(this::note);
    assertTrue(steps.finish("result").cancel(true));
    assertTrue(timeline.isClosed());
    assertEquals(0, timeline.registered());
  }

  @Test
  void aClosedSequenceCannotBeFinished() {
    steps.close();
    HalException refused = assertThrows(HalException.class, () -> steps.finish("result"));
    assertEquals(Status.FAILED_PRECONDITION, refused.status());
  }
}
