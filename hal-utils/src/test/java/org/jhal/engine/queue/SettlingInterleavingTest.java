// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.queue;

import static org.jhal.engine.queue.Interleavings.SOME;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Operations settle, retire and end while other threads act, in every order (rules Q1 to Q10); a
 * class of its own beside {@link QueueInterleavingTest}, so that two processes share them.
 */
class SettlingInterleavingTest {
  private static final List<String> SETTLING =
      List.of(
          "produce -> consume complete1 | complete0 work",
          "produce consume -> pollSecond | complete0",
          "produce consume -> pollSecond | complete1 readBoth",
          "produce consume -> complete0 | complete1 readBoth",
          "produceFailure consume -> complete0 | complete1",
          "produce run -> pollFirst | complete0",
          "work -> produce | complete0 readBoth",
          "produce consume run -> pollSecond | complete0 complete1",
          "produceWithHostCompletion complete0 -> host | consume",
          "produceLater work -> failGate aside | complete0",
          "produceWithHostCompletion complete0 work -> host aside | complete0",
          "produceBriefly run -> pollFirst | complete0",
          "produceBriefly run -> pollFirst | pollFirst",
          "produceBriefly consume run -> pollFirst work | complete0",
          "produceBriefly work run -> pollFirst | complete0 readBoth");
  private static final List<String> ENDING =
      List.of(
          "produceWithHostCompletion complete0 -> host | lose",
          "produceBriefly run -> pollFirst complete0 | lose",
          "produceBriefly run lose -> pollFirst | complete0",
          "produceBriefly loseStream -> pollFirst | complete0",
          "produceBriefly run -> pollFirst | close complete0",
          "-> produce complete0 | lose",
          "produce -> consume | lose",
          "produce consume loseStream -> complete0 | complete1",
          "produce consume loseStream -> pollSecond | complete0",
          "produceLater -> signalGate | lose",
          "produceLater -> signalGate | close",
          "-> work | close",
          "produce -> consume complete1 | close");

  private static final String SLEEPING = "-> complete | fail look wake";

  private static void sample(List<String> scenarios) {
    new Interleavings(QueueScenario.class, null).sample(scenarios);
  }

  private static void check(int count, List<String> scenarios) {
    new Interleavings(QueueScenario.class, null).check(count, scenarios);
  }

  @Test
  void anyThreadThatSeesAnEventFireSettlesTheOperation() {
    sample(SETTLING);
  }

  @Test
  void leavesNothingWhenTheDeviceIsLostOrCloses() {
    sample(ENDING);
  }

  /**
   * One of the two sees the other: the thread that falls asleep, and the one that fails an
   * operation. Fewer interleavings do not find a thread that does not look again before it sleeps.
   */
  @Test
  void whatFailsRetiresAlsoIfTheCompletionThreadIsFallingAsleep() {
    new Interleavings(DeputyScenario.class, null).check(600, List.of(SLEEPING));
  }

  /** The check above can fail. */
  @Test
  void withoutADeputyNobodyRetiresWhileTheCompletionThreadSleeps() {
    String report =
        new Interleavings(DeputyScenario.class, null).rejects("-> complete | fail lookInVain wake");
    assertTrue(report.contains("nobody retires"), report);
  }

  @Test
  @Tag("long")
  void theSameInMoreInterleavings() {
    check(SOME, SETTLING);
    check(SOME, ENDING);
    new Interleavings(DeputyScenario.class, null).check(3_000, List.of(SLEEPING));
  }

  @Test
  @Tag("exhaustive")
  void theSameInManyInterleavings() {
    check(1_000, SETTLING);
    check(1_000, ENDING);
  }
}
