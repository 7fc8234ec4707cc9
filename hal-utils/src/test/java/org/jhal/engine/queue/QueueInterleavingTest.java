// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.queue;

import static org.jhal.engine.queue.Interleavings.SOME;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Users, the threads of two queues, a host completion, the loss and the closing of the device meet
 * in every order. Each operation is issued at most once, settles and retires exactly once, and none
 * is forgotten (rules Q1 to Q10). {@link SettlingInterleavingTest} has what comes after the issue.
 */
class QueueInterleavingTest {
  private static final List<String> PARKING =
      List.of(
          "-> produceLater | signalGate",
          "-> produceLater | failGate",
          "-> produceLater | closeGate",
          "-> produce | consume complete1",
          "-> consumeLater | signalGate | signalFirst",
          "-> consumeLater | signalGate | failFirst",
          "-> consumeLater | signalGate | produce");
  private static final List<String> ISSUING =
      List.of(
          "-> work | work",
          "-> work | work | issue0",
          "work work -> work | complete0",
          "work work work -> work | complete0",
          "work work work -> complete0 | issue0");

  private static final List<String> STARTS =
      List.of(
          "",
          "produce consume",
          "produceFailure consume",
          "produceWithHostCompletion complete0",
          "produceLater consume",
          "produce consumeLater",
          "work work work",
          "produce consume loseStream");
  private static final List<String> CALLS =
      List.of(
          "produce",
          "produceLater",
          "produceWithHostCompletion",
          "produceFailure",
          "consume",
          "consumeLater",
          "work",
          "signalGate",
          "failGate",
          "closeGate",
          "signalFirst",
          "failFirst",
          "pollFirst",
          "pollSecond",
          "readBoth",
          "issue0",
          "host",
          "aside",
          "run",
          "lose",
          "loseStream",
          // Those below must not run twice at once.
          "complete0",
          "complete1",
          "close");

  private static void sample(List<String> scenarios) {
    new Interleavings(QueueScenario.class, null).sample(scenarios);
  }

  private static void check(int count, List<String> scenarios) {
    new Interleavings(QueueScenario.class, null).check(count, scenarios);
  }

  @Test
  void operationsParkAndAreReleased() {
    sample(PARKING);
  }

  @Test
  void operationsAreIssuedByOneAtATime() {
    sample(ISSUING);
  }

  /** The role may become free, or the stream get room, right after an operation becomes ready. */
  @Test
  @Tag("long")
  void anOperationIsClaimedAlsoIfItHasJustBecomeReady() {
    check(300, List.of("work work -> work | complete0"));
  }

  @Test
  @Tag("long")
  void theSameInMoreInterleavings() {
    check(SOME, PARKING);
    check(SOME, ISSUING);
  }

  @Test
  @Tag("exhaustive")
  void theSameInManyInterleavings() {
    for (List<String> scenarios : List.of(PARKING, ISSUING)) {
      check(1_000, scenarios);
    }
  }

  /** After each start, every call on one thread with every call on another. */
  @Test
  @Tag("exhaustive")
  void everyTwoThreadsDoEveryTwoThings() {
    int last = CALLS.indexOf("complete0");
    List<String> scenarios = new ArrayList<>();
    for (String start : STARTS) {
      for (int i = 0; i < CALLS.size(); i++) {
        for (int j = i < last ? i : i + 1; j < CALLS.size(); j++) {
          scenarios.add(start + " -> " + CALLS.get(i) + " | " + CALLS.get(j));
        }
      }
    }
    check(25, scenarios);
  }

  // A wrong use of a queue, which must be rejected, or the tests above mean nothing.

  /** Has a thread that ends a wait which is still open. */
  public static class ForgetsAWait extends QueueScenario {
    /** For Lincheck. */
    public ForgetsAWait() {}

    /** Counts down the waits of the first operation. */
    public void forget() {
      attempt(this::forgetWait);
    }
  }

  @Test
  void aWaitThatIsCountedTwiceIsFound() {
    String said =
        new Interleavings(ForgetsAWait.class, null).rejects("produceLater -> forget | signalGate");
    assertTrue(said.contains("stays open although all its waits have ended"), said);
  }
}
