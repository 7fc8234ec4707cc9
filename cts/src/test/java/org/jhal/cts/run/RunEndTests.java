package org.jhal.cts.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jhal.cts.run.CtsReport.Ending;
import org.jhal.cts.run.CtsReport.Outcome;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/** How a run ends before everything was run. */
class RunEndTests {
  /** One passes, one fails at its second repetition, one would pass. */
  @CtsSuite
  @TestMethodOrder(MethodOrderer.OrderAnnotation.class)
  static class OneFails {
    static final AtomicInteger REPETITIONS = new AtomicInteger();

    @Test
    @Order(1)
    void passes() {}

    @RepeatedTest(3)
    @Order(2)
    void fails() {
      assertFalse(REPETITIONS.incrementAndGet() == 2, "the second one");
    }

    @Test
    @Order(3)
    void wouldPass() {}
  }

  private static CtsRun oneFails() {
    OneFails.REPETITIONS.set(0);
    return new CtsRun(new FakeBackend()).only(OneFails.class).device("fake");
  }

  private static List<Outcome> outcomes(CtsReport report) {
    return report.entries().stream().map(CtsReport.Entry::outcome).toList();
  }

  @Test
  void afterAFailureTheOthersAreRun() {
    CtsReport report = oneFails().run();
    assertEquals(
        List.of(Outcome.PASSED, Outcome.PASSED, Outcome.FAILED, Outcome.PASSED, Outcome.PASSED),
        outcomes(report));
    assertEquals(Ending.COMPLETE, report.ending());
    assertEquals("complete", report.facts().get("ended"));
  }

  @Test
  void failFastBeginsNothingAfterAFailure() {
    CtsReport report = oneFails().failFast().repeat(5).run();
    assertEquals(List.of(Outcome.PASSED, Outcome.PASSED, Outcome.FAILED), outcomes(report));
    assertEquals(Ending.FIRST_FAILURE, report.ending());
    String ended = "after the first failure, in round 1 of 5; 1 of 3 tests did not run";
    assertEquals(ended, report.facts().get("ended"));
    assertFalse(report.isSuccess());
    assertTrue(report.toJson().contains("\"ended\": \"" + ended + "\""), report::toJson);
    assertTrue(
        report.toJunitXml().contains("<property name=\"ended\" value=\"" + ended + "\"/>"),
        report::toJunitXml);
  }

  @Test
  void failFastChangesNothingWhereNothingFails() {
    CtsReport report = oneFails().tests("*.passes", "*.wouldPass").failFast().repeat(2).run();
    assertEquals(4, report.entries(Outcome.PASSED).size());
    assertTrue(report.isSuccess(), report::toJson);
  }
}
