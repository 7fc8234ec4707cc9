// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.run;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jhal.Device;
import org.jhal.HalException;
import org.jhal.cts.CtsBackend;
import org.jhal.cts.Rule;
import org.jhal.cts.run.report.CtsReport;
import org.jhal.cts.run.report.CtsReport.Ending;
import org.jhal.cts.run.report.CtsReport.Outcome;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.Task;
import org.jhal.cts.support.Waits;
import org.jhal.spi.Explainable;
import org.jhal.spi.Explanations;
import org.jhal.spi.OpenOperation;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/** Runs that end early. */
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

  /** A deadline for runs that hang. It counts from then on. */
  private static final Duration DEADLINE = Duration.ofSeconds(1);

  private static final Duration LIMIT = Duration.ofMinutes(2);

  /** Lets the time of a run begin when its thread waits in {@code method}. */
  private static CtsRun timedFrom(CtsRun run, String method) {
    CountDownLatch clock = new CountDownLatch(1);
    var unused =
        Task.run(
            "clock",
            () -> {
              try {
                Waits.awaitTrue("a thread to wait in " + method, LIMIT, () -> waitsIn(method));
              } finally {
                clock.countDown();
              }
            });
    return run.timeout(DEADLINE).timeoutFrom(clock);
  }

  private static boolean waitsIn(String method) {
    return Thread.getAllStackTraces().entrySet().stream()
        .filter(entry -> entry.getKey().getState() == Thread.State.WAITING)
        .flatMap(entry -> Arrays.stream(entry.getValue()))
        .anyMatch(frame -> (frame.getClassName() + "." + frame.getMethodName()).matches(method));
  }

  private static CtsRun oneFails() {
    OneFails.REPETITIONS.set(0);
    return new CtsRun(new FakeBackend()).only(OneFails.class).device("fake");
  }

  private static List<Outcome> outcomes(CtsReport report) {
    return report.entries().stream().map(CtsReport.Entry::outcome).toList();
  }

  @Test
  void theOtherTestsRunAfterAFailure() {
    CtsReport report = oneFails().run();
    assertEquals(
        List.of(Outcome.PASSED, Outcome.PASSED, Outcome.FAILED, Outcome.PASSED, Outcome.PASSED),
        outcomes(report));
    assertEquals(Ending.COMPLETE, report.ending());
    assertEquals("complete", report.facts().get("ended"));
  }

  @Test
  void failFastStartsNoTestAfterAFailure() {
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
  void failFastChangesNothingWithoutAFailure() {
    CtsReport report = oneFails().tests("*.passes", "*.wouldPass").failFast().repeat(2).run();
    assertEquals(4, report.entries(Outcome.PASSED).size());
    assertTrue(report.isSuccess(), report::toJson);
  }

  /** One passes, one hangs until {@link #end}, one would pass. */
  @CtsSuite
  @TestMethodOrder(MethodOrderer.OrderAnnotation.class)
  static class OneHangs {
    static volatile CountDownLatch end = new CountDownLatch(0);
    static volatile boolean hasGoneOn;

    /** Facts that a device of a driver under test may report. */
    static final Explainable STUCK =
        new Explainable() {
          @Override
          public String name() {
            return "stuck-0";
          }

          @Override
          public @Nullable HalException lostCause() {
            return null;
          }

          @Override
          public void reportOpen(Consumer<OpenOperation> looker) {
            looker.accept(
                new OpenOperation(
                    "stuck-0-q0", 7, "fill", "PARKED", System.nanoTime(), List.of(), List.of()));
          }
        };

    @Test
    @Order(1)
    void passes() {}

    @Test
    @Order(2)
    @Rule("Q8")
    void hangs(Cts cts) throws InterruptedException {
      CountDownLatch mine = end;
      Explanations.register(STUCK);
      cts.closing(mine::await);
      mine.await();
    }

    @Test
    @Order(3)
    void wouldPass() {
      hasGoneOn = true;
    }
  }

  @BeforeEach
  void begin() {
    OneHangs.end = new CountDownLatch(1);
    OneHangs.hasGoneOn = false;
  }

  @AfterEach
  void end() {
    OneHangs.end.countDown();
    Explanations.unregister(OneHangs.STUCK);
    Waits.awaitTrue("the hanging test to end", () -> !Waits.threads().contains("OneHangs.hangs"));
  }

  private static CtsRun oneHangs(CtsBackend backend) {
    return new CtsRun(backend).only(OneHangs.class).device("fake");
  }

  private static CtsReport.Entry last(CtsReport report) {
    return report.entries().get(report.entries().size() - 1);
  }

  private static void assertHas(String text, String... parts) {
    for (String part : parts) {
      assertTrue(text.contains(part), () -> part + " is not in " + text);
    }
  }

  @Test
  void theDeadlineFailsAHangingTestWithItsStack() {
    CtsReport report = timedFrom(oneHangs(new FakeBackend()), ".*OneHangs[.]hangs").run();
    assertEquals(List.of(Outcome.PASSED, Outcome.FAILED), outcomes(report));
    CtsReport.Entry hung = last(report);
    assertEquals("RunEndTests$OneHangs.hangs", hung.test());
    assertEquals(List.of("Q8"), hung.rules());
    assertHas(
        hung.detail(),
        "the run reached its deadline of 1 s",
        "JHAL at ",
        "Device stuck-0:",
        "stuck-0-q0 operation 7 (fill, PARKED, for ",
        "cts-RunEndTests$OneHangs.hangs-body WAITING",
        OneHangs.class.getName() + ".hangs(");
    assertEquals(Ending.DEADLINE, report.ending());
    String ended =
        "at the deadline of 1 s, during RunEndTests$OneHangs.hangs; 1 of 3 tests did not run";
    assertEquals(ended, report.facts().get("ended"));
    assertHas(report.toJson(), "\"ended\": \"" + ended + "\"", "OneHangs.hangs(");
    assertHas(report.toJunitXml(), "<failure message=\"the run reached its deadline of 1 s");
    assertFalse(OneHangs.hasGoneOn, "a test began after the end of the run");
  }

  /** It makes something as late as it can: when it is interrupted. */
  @CtsSuite
  static class MakesSomethingLate {
    static final CountDownLatch closed = new CountDownLatch(1);

    @Test
    void waits(Cts cts) throws InterruptedException {
      try {
        new CountDownLatch(1).await();
      } finally {
        cts.closing(closed::countDown);
      }
    }
  }

  @Test
  void whatATestMakesBeforeTheDeadlineStopsItIsClosed() throws InterruptedException {
    boolean isClosed = false;
    for (int i = 0; i < 3 && !isClosed; i++) { // a body that notices too late misses its cleanup
      CtsRun run = new CtsRun(new FakeBackend()).only(MakesSomethingLate.class);
      run = timedFrom(run, ".*MakesSomethingLate[.]waits");
      assertEquals(Ending.DEADLINE, run.run().ending());
      isClosed = MakesSomethingLate.closed.await(Waits.LIMIT.toSeconds(), TimeUnit.SECONDS);
    }
    assertTrue(isClosed, "what the test made was not closed");
  }

  /** Its cleanup lasts until {@link #end}. */
  @CtsSuite
  static class ClosesSlowly {
    static final CountDownLatch end = new CountDownLatch(1);
    static final CompletableFuture<Boolean> isInterrupted = new CompletableFuture<>();

    @Test
    void leavesSomethingToClose(Cts cts) {
      cts.closing(
          () -> {
            try {
              end.await();
              isInterrupted.complete(false);
            } catch (InterruptedException e) {
              isInterrupted.complete(true);
            }
          });
    }
  }

  @Test
  void theDeadlineDoesNotInterruptACleanup() throws Exception {
    CtsRun run = new CtsRun(new FakeBackend()).only(ClosesSlowly.class);
    CtsReport report = timedFrom(run, ".*ClosesSlowly[.]lambda.*").run();
    ClosesSlowly.end.countDown();
    assertEquals(Ending.DEADLINE, report.ending());
    assertFalse(
        ClosesSlowly.isInterrupted.get(Waits.LIMIT.toSeconds(), TimeUnit.SECONDS),
        "the cleanup was interrupted");
  }

  @Test
  void aMetDeadlineChangesNothing() {
    CtsReport report =
        oneHangs(new FakeBackend()).tests("*.passes").timeout(Duration.ofMinutes(5)).run();
    assertTrue(report.isSuccess(), report::toJson);
    assertEquals("complete", report.facts().get("ended"));
  }

  @Test
  void theDeadlineEndsAHangingOpenOfTheDevice() {
    CtsBackend hanging =
        new FakeBackend() {
          @Override
          public Device open(String uri) {
            try {
              OneHangs.end.await();
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
            return super.open(uri);
          }
        };
    CtsReport report = timedFrom(oneHangs(hanging), ".*RunEndTests[$]\\d+[.]open").run();
    assertEquals(1, report.entries().size(), report::toJson);
    assertEquals("the opening of the device", last(report).display());
    assertEquals(
        "at the deadline of 1 s, during the opening of the device; no test was run",
        report.facts().get("ended"));
    assertEquals("fake", report.facts().get("device"));
    assertHas(report.toJunitXml(), "conformance of fake");
  }

  @Test
  void anInterruptEndsTheRunWithAReport() {
    Task<CtsReport> waiter =
        Task.start(
            "interrupted",
            () -> {
              CtsReport report = oneHangs(new FakeBackend()).run();
              assertTrue(Thread.interrupted(), "the interrupt is kept");
              return report;
            });
    Waits.awaitTrue("the test to hang", () -> Waits.threads().contains("OneHangs.hangs("));
    waiter.interrupt();
    CtsReport report = assertDoesNotThrow(waiter::join);
    assertEquals(Ending.INTERRUPTED, report.ending());
    assertEquals(
        "interrupted, during RunEndTests$OneHangs.hangs; 2 of 3 tests did not run",
        report.facts().get("ended"));
    assertEquals(List.of(Outcome.PASSED), outcomes(report));
  }
}
