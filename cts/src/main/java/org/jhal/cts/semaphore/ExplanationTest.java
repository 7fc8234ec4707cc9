// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.semaphore;

import static org.jhal.cts.support.TestData.assertHal;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import org.jhal.Fence;
import org.jhal.Hal;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.cts.Need;
import org.jhal.cts.Needs;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Blocker;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.HeldOperation;
import org.jhal.cts.support.Waits;
import org.junit.jupiter.api.Test;

/** The explanation in the error of a missed deadline (rule S10). */
@CtsSuite
class ExplanationTest {
  private static final Duration SHORT = Duration.ofMillis(1);

  private static void assertContains(String text, Object... parts) {
    for (Object part : parts) {
      assertTrue(text.contains(part.toString()), () -> "'" + part + "' is missing in: " + text);
    }
    assertEquals(1, text.lines().count(), () -> "more than one line: " + text);
  }

  @Test
  @Rule("S10")
  void reportsThatNoOperationWouldSignal(Cts cts) {
    TimelineSemaphore semaphore = cts.semaphore(2);
    HalException missed = assertHal(Status.DEADLINE_EXCEEDED, () -> semaphore.await(7, SHORT));
    assertContains(
        String.valueOf(missed.getMessage()), semaphore, "2", "7", "no open operation would");
    assertContains(semaphore.explain(7), semaphore, "2", "7", "no open operation would");
  }

  @Test
  @Rule("S10")
  void reportsTheProducerAndItsWaits(Cts cts) {
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    cts.queue().barrier(go.at(3), done.at(8));
    HalException missed = assertHal(Status.DEADLINE_EXCEEDED, () -> done.await(8, SHORT));
    assertContains(String.valueOf(missed.getMessage()), done, "8", go, "3");
    assertTrue(!done.explain(8).contains("no open operation would"), done.explain(8));
    // An operation that signals a smaller value does not count.
    assertContains(done.explain(9), "no open operation would");
    go.signal(3);
    Waits.awaitReached(done, 8);
  }

  @Test
  @Rule("S10")
  void explainsAMissedWaitForSeveralTimepoints(Cts cts) {
    TimelineSemaphore reached = cts.semaphore(1);
    TimelineSemaphore open = cts.semaphore();
    TimelineSemaphore go = cts.semaphore();
    cts.queue().barrier(go.at(1), open.at(1));
    HalException missed =
        assertHal(
            Status.DEADLINE_EXCEEDED, () -> Fence.of(reached.at(1), open.at(1)).awaitAll(SHORT));
    assertContains(String.valueOf(missed.getMessage()), open, go);
    go.signal(1);
    Waits.awaitReached(open, 1);
  }

  @Test
  @Rule("S10")
  @Needs(Need.SECOND_DEVICE)
  void findsOperationsOfOtherDevices(Cts cts) {
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    cts.second().queue(0).barrier(go.at(1), done.at(1));
    assertContains(done.explain(1), done, go);
    go.signal(1);
    Waits.awaitReached(done, 1);
  }

  @Test
  @Rule("S10")
  void explainsIssuedWorkAndHostCalls(Cts cts) {
    TimelineSemaphore done = cts.semaphore();
    TimelineSemaphore called = cts.semaphore();
    Blocker blocker = new Blocker(cts, cts.queue());
    cts.queue().barrier(blocker.timepoint(), done.at(1));
    assertTrue(!done.explain(1).contains("no open operation would"), done.explain(1));
    HeldOperation held = new HeldOperation(cts, cts.queue(), Fence.NONE, called.at(1));
    assertTrue(!called.explain(1).contains("no open operation would"), called.explain(1));
    blocker.release();
    held.complete();
    Waits.awaitReached(Fence.of(done.at(1), called.at(1)));
  }

  @Test
  @Rule("S10")
  void explainsReachedFailedAndClosedSemaphores(Cts cts) {
    TimelineSemaphore reached = cts.semaphore(5);
    TimelineSemaphore failed = cts.semaphore();
    TimelineSemaphore closed = cts.semaphore();
    failed.fail(new HalException(Status.DATA_LOSS, "gone"));
    closed.close();
    assertContains(reached.explain(3), reached, "5");
    assertContains(failed.explain(1), failed, "DATA_LOSS", "gone");
    assertContains(closed.explain(1), closed);
  }

  @Test
  @Rule("S10")
  void staysShortWithAThousandProducers(Cts cts) {
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    for (int i = 1; i <= 1_000; i++) {
      cts.queue().barrier(go.at(i), done.at(i));
    }
    String text = done.explain(1);
    assertContains(text, done, go);
    assertTrue(text.length() < 4_000, () -> text.length() + " characters");
    go.signal(1_000);
    Waits.awaitReached(done, 1_000);
  }

  private static final String VAIN = "promised only by itself";

  /** The semaphore, the error of a missed deadline and the process all report the same. */
  @Test
  @Rule({"S10", "S11"})
  void reportsAnOperationThatWaitsForItsOwnSignal(Cts cts) {
    TimelineSemaphore own = cts.semaphore();
    TimelineSemaphore reached = cts.semaphore(1);
    cts.queue().barrier(own.at(2).and(reached.at(1)), own.at(2));
    HalException missed = assertHal(Status.DEADLINE_EXCEEDED, () -> own.await(1, SHORT));
    for (String text : List.of(String.valueOf(missed.getMessage()), own.explain(2))) {
      assertContains(text, own, cts.queue() + " operation", "to reach 2, now at 0", VAIN);
      assertFalse(text.contains(reached + " to"), () -> "a wait that is reached in: " + text);
    }
    HalException both =
        assertHal(
            Status.DEADLINE_EXCEEDED, () -> own.at(2).and(cts.semaphore().at(1)).awaitAll(SHORT));
    assertContains(String.valueOf(both.getMessage()), own, VAIN, "no open operation would");
    assertReported(own, "to reach 2, now at 0, " + VAIN);
    own.signal(2);
    cts.awaitIdle();
  }

  /**
   * An operation that starts only when a value is reached is not reported as one that would raise
   * the timeline to it.
   */
  @Test
  @Rule({"S10", "S11"})
  void reportsAnUnstartedChainAsNotPromised(Cts cts) {
    TimelineSemaphore timeline = cts.semaphore();
    for (int i = 1; i < 8; i++) {
      cts.queue().barrier(timeline.at(i), timeline.at(i + 1));
    }
    assertContains(timeline.explain(1), "no open operation would");
    assertReported(timeline, "to reach 1, now at 0, which no operation has promised");
    String third = timeline.explain(3);
    assertContains(third, "to be raised to 3 by", "to reach 2, now at 0");
    assertFalse(third.contains("to reach 3") || third.contains("more"), third);
    timeline.signal(1);
    Waits.awaitReached(timeline, 8);
  }

  @Test
  @Rule({"S10", "S11"})
  void reportsAnOperationThatWaitsForBothOfItsSignals(Cts cts) {
    TimelineSemaphore one = cts.semaphore();
    TimelineSemaphore two = cts.semaphore();
    cts.queue().barrier(one.at(1).and(two.at(2)), one.at(1).and(two.at(2)));
    assertContains(one.explain(1), one, two, VAIN);
    assertContains(two.explain(2), one, two, VAIN);
    assertReported(one, "to reach 1, now at 0, " + VAIN);
    assertReported(two, "to reach 2, now at 0, " + VAIN);
    // Another operation that would signal the value changes that.
    TimelineSemaphore go = cts.semaphore();
    cts.queue().barrier(go.at(1), one.at(1));
    assertFalse(one.explain(1).contains(VAIN), () -> one.explain(1));
    assertContains(two.explain(2), two, VAIN);
    go.signal(1);
    Waits.awaitReached(one, 1);
    two.signal(2);
    cts.awaitIdle();
  }

  /** Five operations are named; a sixth is counted. */
  @Test
  @Rule("S10")
  void countsProducersBeyondTheFifth(Cts cts) {
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    for (int i = 1; i <= 5; i++) {
      cts.queue().barrier(go.at(1), done.at(i));
    }
    String five = done.explain(1);
    assertEquals(5, five.split(" operation ", -1).length - 1, five);
    assertFalse(five.contains("more"), five);
    cts.queue().barrier(go.at(1), done.at(6));
    assertContains(done.explain(1), "; or by 1 more");
    go.signal(1);
    Waits.awaitReached(done, 6);
  }

  /** Asserts that a line of {@link Hal#explain} names {@code semaphore} with {@code text}. */
  private static void assertReported(TimelineSemaphore semaphore, String text) {
    String all = Hal.explain();
    assertTrue(
        all.lines().anyMatch(line -> line.contains(semaphore + " " + text)),
        () -> "no line with '" + semaphore + " " + text + "' in:\n" + all);
  }
}
