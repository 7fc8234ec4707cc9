package org.jhal.cts.semaphore;

import static org.jhal.cts.support.TestData.assertHal;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import org.jhal.Fence;
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

/** What a missed deadline says (rule S10). */
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
  void saysThatNobodyWouldSignal(Cts cts) {
    TimelineSemaphore semaphore = cts.semaphore(2);
    HalException missed = assertHal(Status.DEADLINE_EXCEEDED, () -> semaphore.await(7, SHORT));
    assertContains(
        String.valueOf(missed.getMessage()), semaphore, "2", "7", "no open operation would");
    assertContains(semaphore.explain(7), semaphore, "2", "7", "no open operation would");
  }

  @Test
  @Rule("S10")
  void saysWhichOperationWouldSignalAndWhatThatWaitsFor(Cts cts) {
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    cts.queue().barrier(go.at(3), done.at(8));
    HalException missed = assertHal(Status.DEADLINE_EXCEEDED, () -> done.await(8, SHORT));
    assertContains(String.valueOf(missed.getMessage()), done, "8", go, "3");
    assertTrue(!done.explain(8).contains("no open operation would"), done.explain(8));
    // One that signals less does not count.
    assertContains(done.explain(9), "no open operation would");
    go.signal(3);
    Waits.awaitReached(done, 8);
  }

  @Test
  @Rule("S10")
  void saysItForWaitsForSeveral(Cts cts) {
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
  void explainsWhatIsOver(Cts cts) {
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
  void staysShortWhenManyWouldSignal(Cts cts) {
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
}
