// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Objects;
import org.jhal.cts.Need;
import org.jhal.cts.run.plan.CtsCatalog;
import org.jhal.cts.run.plan.CtsPlan;
import org.jhal.cts.run.plan.SkipReasons;
import org.jhal.cts.run.plan.TestName;
import org.jhal.cts.run.report.GoodReport;
import org.jhal.cts.support.Cts;
import org.junit.jupiter.api.Test;
import org.opentest4j.AssertionFailedError;
import org.opentest4j.TestAbortedException;

/** The reasons for which tests of the suite may be skipped, and the extent of a complete run. */
class SkipTests {
  private static final TestName LISTED =
      new TestName("VirtualThreadTest", "virtualThreadsOpenLoadAndCloseDevices");

  private static Throwable check(Class<?> testClass, TestName test, String message) {
    return check(testClass, test, test.method(), message);
  }

  private static Throwable check(
      Class<?> testClass, TestName test, String display, String message) {
    Throwable ended =
        SkipReasons.check(testClass, test, display, new TestAbortedException(message), false);
    return Objects.requireNonNull(ended, "what it ended with");
  }

  @Test
  void eachLineOfTheFileNamesATest() {
    assertEquals(
        List.of(),
        SkipReasons.patterns().stream()
            .filter(
                pattern ->
                    GoodReport.PLAN.values().stream()
                        .flatMap(
                            test ->
                                test.displays().stream()
                                    .map(d -> new TestName(test.name().testClass(), d)))
                        .noneMatch(one -> one.matches(pattern)))
            .toList());
  }

  @Test
  void reasonsOfTheSuiteAreKept() {
    assertInstanceOf(
        TestAbortedException.class,
        check(CtsBackendTest.class, LISTED, Cts.UNSUPPORTED + "virtual threads came with Java 21"));
    String reason = Cts.UNSUPPORTED + Need.OTHER_DRIVER.absence();
    TestName crossing = new TestName("CrossDeviceTest", "aFailureReachesConsumersOnOtherDevices");
    assertInstanceOf(
        TestAbortedException.class,
        check(
            CtsBackendTest.class,
            crossing,
            "aFailureReachesConsumersOnOtherDevices [2] partner=OTHER_DRIVER",
            reason));
    assertInstanceOf(
        AssertionFailedError.class,
        check(
            CtsBackendTest.class,
            crossing,
            "aFailureReachesConsumersOnOtherDevices [1] partner=SECOND_DEVICE",
            reason));
  }

  @Test
  void aTestThatIsSkippedForAnotherReasonFails() {
    TestName other = new TestName("SignalOrderTest", "x");
    for (String message :
        List.of(
            "I would rather not",
            Cts.UNSUPPORTED + Need.CONTROLS.absence(),
            Cts.UNSUPPORTED + "virtual threads came with Java 21")) {
      Throwable ended = check(CtsBackendTest.class, other, message);
      assertInstanceOf(AssertionFailedError.class, ended);
      assertTrue(ended.toString().contains(message), ended::toString);
    }
  }

  /** External work may be absent; tests that do not use it run without it. */
  @Test
  void onlyTestsOfExternalWorkMayBeSkippedForItsAbsence() {
    String reason = Cts.UNSUPPORTED + SkipReasons.NO_EXTERNAL_WORK;
    TestName kinds = new TestName("QueueOrderTest", "aParkedOperationDoesNotDelayOthers");
    String fill = "aParkedOperationDoesNotDelayOthers [4] kind=FILL";
    String external = "aParkedOperationDoesNotDelayOthers [14] kind=EXTERNAL";
    assertInstanceOf(
        TestAbortedException.class, check(CtsBackendTest.class, kinds, external, reason));
    assertInstanceOf(AssertionFailedError.class, check(CtsBackendTest.class, kinds, fill, reason));
    TestName all = new TestName("QueueFailureTest", "everyOperationSettlesAndRetiresOnce");
    assertInstanceOf(AssertionFailedError.class, check(CtsBackendTest.class, all, reason));
    TestName own = new TestName("ExternalOrderTest", "maySignalAndEnqueue");
    assertInstanceOf(TestAbortedException.class, check(CtsBackendTest.class, own, reason));
    String noCalls = Cts.UNSUPPORTED + "the driver offers no NativeCalls";
    assertInstanceOf(AssertionFailedError.class, check(CtsBackendTest.class, own, noCalls));
  }

  /** Tests of several queues need two; tests of one queue run everywhere. */
  @Test
  void onlyTestsOfSeveralQueuesMayBeSkippedForOneQueue() {
    String reason = Cts.UNSUPPORTED + Need.TWO_QUEUES.absence();
    TestName order = new TestName("QueueTransferOrderTest", "aLongChainKeepsItsOrder");
    assertInstanceOf(
        TestAbortedException.class,
        check(CtsBackendTest.class, order, order.method() + " [2] over=ALL_QUEUES", reason));
    assertInstanceOf(
        AssertionFailedError.class,
        check(CtsBackendTest.class, order, order.method() + " [1] over=ONE_QUEUE", reason));
  }

  @Test
  void otherTestsAndOutcomesAreNotChecked() {
    assertInstanceOf(
        TestAbortedException.class, check(SkipTests.class, LISTED, "not one of the suite"));
    Throwable failure = new AssertionError();
    assertSame(failure, SkipReasons.check(CtsBackendTest.class, LISTED, "", failure, false));
    assertSame(null, SkipReasons.check(CtsBackendTest.class, LISTED, "", null, false));
  }

  /** The plan has what the catalogue has, with the invocations. */
  @Test
  void aPlanListsEachInvocationAndRunsNothing() {
    assertEquals(
        CtsCatalog.tests().stream().map(test -> test.name().toString()).toList(),
        GoodReport.PLAN.keySet().stream().sorted().toList());
    assertEquals(
        List.of("aSignalMaySkipValues"),
        GoodReport.planned("SemaphoreTest.aSignalMaySkipValues").displays());
    List<String> several = GoodReport.planned("SemaphoreTest.aWaitEndsAtItsDeadline").displays();
    assertEquals("aWaitEndsAtItsDeadline [1] nanos=0", several.get(0));
    assertEquals(5, several.size());
    assertEquals(GoodReport.PLAN, CtsPlan.ofSuite());
  }
}
