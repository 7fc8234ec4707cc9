// SPDX-License-Identifier: Apache-2.0
package org.jhal.mock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.ref.PhantomReference;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jhal.cts.run.CtsRun;
import org.jhal.cts.run.report.CtsReport;
import org.jhal.cts.run.report.CtsReport.Outcome;
import org.jhal.driver.Command;
import org.jhal.mock.cts.MockCtsBackend;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The suite finds defects: each of these backends has one, and fails in the test that is meant to
 * find it, with a message that says what is wrong. {@link CtsControlTest} shows that the mock
 * without a defect passes the same tests.
 *
 * <p>Some defects show only as an event that does not come. The suite waits for it as long as the
 * system property {@code jhal.cts.limit} says; the build sets it to a few seconds for this class.
 */
class CtsSelfTest {
  /** Releases the calls in which a wrong backend hangs. */
  private static final CountDownLatch END = new CountDownLatch(1);

  /**
   * A wrong backend, and how the suite reports it.
   *
   * @param defect in a few words
   * @param backend that has it
   * @param test that finds it
   * @param rule that it breaks
   * @param message of the failure, a regular expression
   */
  private record Case(
      String defect, WrongBackend backend, String test, String rule, String message) {
    @Override
    public String toString() {
      return defect;
    }
  }

  /** The message if an operation signals too early, whose work may fail after that. */
  private static final String TOO_EARLY =
      "semaphore#\\d+@1 (was reached too early: the value is 1|failed too early: .*ABORTED)";

  static Stream<Case> cases() {
    return Stream.of(inStreams(), inQueues(), inSemaphores(), inDevices()).flatMap(List::stream);
  }

  private static List<Case> inStreams() {
    return List.of(
        new Case(
            "events fire before earlier work has ended",
            WrongBackend.ofStream(WrongStreams.FiresEarly::new),
            "QueueOrderTest.noSignalIsVisibleBeforeItsWorkIsDone",
            "Q9",
            TOO_EARLY),
        new Case(
            "events that are recorded again count as fired",
            WrongBackend.ofStream(WrongStreams.KeepsOldFirings::new),
            "QueueOrderTest.noSignalIsVisibleBeforeItsWorkIsDone",
            "Q9",
            TOO_EARLY),
        new Case(
            "waits for other streams are left out",
            WrongBackend.ofStream(WrongStreams.IgnoresOtherStreams::new),
            "QueueOrderTest.aConsumerOnAnotherQueueSeesTheWritesOfItsProducer",
            "Q5",
            TOO_EARLY),
        new Case(
            "waits for other devices are left out",
            WrongBackend.ofStream(WrongStreams.IgnoresOtherStreams::new),
            "CrossDeviceCopyTest.aNativeCopyIsIssuedBeforeWorkOfBothDevicesEnds",
            "S9a",
            "the bytes that went through three copies: \\d+ of \\d+ bytes differ"),
        new Case(
            "waits for more than 32 events are left out",
            WrongBackend.ofStream(WrongStreams.WaitsForAFew::new),
            "QueueOrderTest.aConsumerWaitsForAllOfManyUnfinishedProducers",
            "Q5",
            TOO_EARLY),
        new Case(
            "a stream that swaps work says that it keeps the order",
            WrongBackend.ofSwappingStream(WrongStreams.ClaimsToBeInOrder::new),
            "QueueTransferOrderTest.aLongChainKeepsItsOrder",
            "Q5",
            "the buffer after a hundred copies and fills: \\d+ of 256 bytes differ"),
        new Case(
            "fills write whole words",
            WrongBackend.ofStream(s -> new WrongStreams.MovesWholeWords(s, Command.Kind.FILL)),
            "QueueTransferTest.fillsEachClassOfSizeAlignmentAndPattern",
            "M2",
            "the filled buffer: 3 of 16 bytes differ; the first at 1: expected 0xA5, got 0x07"),
        new Case(
            "copies move whole words",
            WrongBackend.ofStream(s -> new WrongStreams.MovesWholeWords(s, Command.Kind.COPY)),
            "QueueTransferTest.copiesEachClassOfSizeAndAlignment",
            "M2",
            "the target: 1 of 47 bytes differ; the first at 31: expected 0xA5, got 0x37"),
        new Case(
            "kernels get the start of the memory",
            WrongBackend.ofStream(WrongStreams.PassesTheStartOfTheMemory::new),
            "DispatchTest.aKernelAccessesTheRangesOfItsArguments",
            "M8",
            "the absolute values of elements 1 and 2: \\d+ of 16 bytes differ"),
        new Case(
            "kernels get their arguments swapped",
            WrongBackend.ofStream(WrongStreams.SwapsArguments::new),
            "QueueDispatchTest.runsWithConstantsAndBuffers",
            "M8",
            "3x \\+ 10: \\d+ of 16 bytes differ; the first at 0: expected 0x0A, got 0xCD"),
        new Case(
            "transfers are not counted",
            WrongBackend.ofStream(WrongStreams.ReportsNoTransfers::new),
            "TransferCountTest.eachRepetitionCounts",
            "D6",
            "bytes that were uploaded ==> expected: <50000> but was: <0>"),
        new Case(
            "parts of a file are counted twice",
            WrongBackend.ofStream(WrongStreams.ReportsTransfersTwice::new),
            "TransferCountTest.filesCountAsTransfersOfTheirBytes",
            "D6",
            "bytes that were uploaded ==> expected: <22020097> but was: <44040194>"),
        new Case(
            "failures on the device are not reported",
            WrongBackend.ofStream(WrongStreams.SwallowsFailures::new),
            "NativeFailureTest.aFailureOfRunningWorkFailsItsIssuedConsumers",
            "Q7a",
            "semaphore#\\d+@1 was reached, but should have failed; its value is 1"),
        new Case(
            "waiting for an event of a lost device never ends",
            WrongBackend.ofStream(s -> new WrongStreams.HangsWhenLost(s, END)),
            "DeviceLossTest.losingTheDeviceFailsIssuedAndParkedWorkWithTheCause",
            "Q7",
            "waited \\d+ s for all operations of mock:\\S+ to retire; there are DeviceStat"),
        new Case(
            "memory is freed at once instead of in the stream's order",
            WrongBackend.ofStream(WrongStreams.FreesAtOnce::new),
            "QueueDeallocaTest.workOrderedBeforeTheDeallocaSeesTheMemory",
            "M1",
            "semaphore#\\d+@6 to be reached, but it failed: .*: memory is used after it was freed"),
        new Case(
            "memory is never freed",
            WrongBackend.ofStream(WrongStreams.NeverFrees::new),
            "MemoryLimitTest.anAllocaChainReusesFreedMemory",
            "M1",
            "semaphore#\\d+@150 to be reached, but it failed: .*: cannot allocate 3145728 bytes"));
  }

  private static List<Case> inQueues() {
    return List.of(
        new Case(
            "the bytes of an update are read when it runs",
            WrongBackend.ofQueue(WrongQueues.CapturesUpdatesLate::new),
            "QueueCaptureTest.theBytesOfAnUpdateAreCapturedAtTheCall",
            "Q2",
            "the bytes of an update: \\d+ of 131169 bytes differ; .*: expected 0x5A, got 0xEE"),
        new Case(
            "an upload moves the position of its source",
            WrongBackend.ofQueue(WrongQueues.MovesPositions::new),
            "QueueCaptureTest.theRangeOfBorrowedMemoryIsFixedAtTheCall",
            "Q2",
            "position of the source of an upload ==> expected: <100> but was: <164>"),
        new Case(
            "a failed wait fails the whole queue",
            WrongBackend.ofQueue(WrongQueues.StaysFailed::new),
            "QueueFailureTest.aFailedWaitFailsAllSignalsWithTheSameFailure",
            "Q6",
            "the queue continues after a failure: .* to be reached, but it failed: .*DATA_LOSS: gone"),
        new Case(
            "a queue counts the operations of all queues",
            WrongBackend.ofQueue(WrongQueues.CountsForAll::new),
            "QueueFailureTest.openOperationsCountsUnretiredOperations",
            "Q10",
            "operations of a queue that took none ==> expected: <0> but was: <6>"),
        new Case(
            "all waits but the first are ignored",
            WrongBackend.ofQueue(WrongQueues.TakesOneWait::new),
            "SemaphoreSubmissionTest.allWaitsAreRequiredAndAllSignalsRaised",
            "S5",
            TOO_EARLY),
        new Case(
            "an empty grid runs once",
            WrongBackend.ofQueue(WrongQueues.RunsEmptyGrids::new),
            "QueueDispatchTest.anEmptyGridWaitsAndSignalsWithoutRunning",
            "M6",
            "the bytes that no workgroup wrote: 12 of 64 bytes differ; .*: expected 0xCD, got 0x00"),
        new Case(
            "a grid in memory counts as one workgroup",
            WrongBackend.ofQueue(WrongQueues.IgnoresGridsInMemory::new),
            "IndirectDispatchTest.aCountOfZeroRunsNothing",
            "M6a",
            "what no workgroup wrote: 12 of 64 bytes differ; .*: expected 0xCD, got 0x00"),
        new Case(
            "of two other devices, only the first is waited for",
            WrongBackend.ofQueue(WrongQueues.TakesOneWait::new),
            "TwoOtherDevicesTest.aBadTimelineOfEitherIsRejected",
            "M5",
            "nothing was thrown instead of a HalException with FAILED_PRECONDITION that names sem"),
        new Case(
            "a mistake beside a failed wait is reported through the signals",
            WrongBackend.ofQueue(WrongQueues.ChecksAfterItsWaits::new),
            "BufferRefusalTest.aFailedWaitHidesNoWrongBuffer",
            "M5",
            "nothing was thrown instead of a HalException with FAILED_PRECONDITION that names target"),
        new Case(
            "the first binding table is used again",
            WrongBackend.ofQueue(WrongQueues.KeepsTheFirstTable::new),
            "QueueCaptureTest.eachExecuteCapturesItsOwnBindingTable",
            "M4",
            "bound at the second submission: 16 of 16 bytes differ; .*: expected 0x09, got 0x00"),
        new Case(
            "a later binding table changes one slot",
            WrongBackend.ofQueue(WrongQueues.ChangesOneSlot::new),
            "RepeatedExecuteTest.anyOfManySlotsMayChange",
            "K6",
            "the bytes that one use has filled: .* bytes differ"),
        new Case(
            "a file is read from its beginning",
            WrongBackend.ofQueue(WrongQueues.ReadsFromTheBeginning::new),
            "FileTransferTest.aFileIsRead",
            "M9",
            "the buffer: .* bytes differ"),
        new Case(
            "an alloca blocks its caller",
            WrongBackend.ofQueue(WrongQueues.AllocatesWhileTheCallerWaits::new),
            "QueueAllocaTest.anOpenWaitDelaysTheAllocationButNotTheCall",
            "Q1",
            "waited \\d+ s for thread cts-submitter to end\\nJHAL at .*\\n(.*\\n)*Device mock-0.*\\n(.*\\n)*threads:"),
        new Case(
            "host calls run twice",
            WrongBackend.ofQueue(WrongQueues.CallsTheHostTwice::new),
            "QueueHostCallTest.runsOnceAfterItsWaitAndBeforeItsSignal",
            "Q10",
            "calls when the signal was reached ==> expected: <1> but was: <2>"),
        new Case(
            "barriers leak",
            WrongBackend.ofQueue(WrongQueues.LeaksSemaphores::new),
            "QueueTransferOrderTest.aBarrierSignals",
            "M3",
            "left behind on mock://0: .* semaphores=1, .*; before the test: 0 live resources"));
  }

  private static List<Case> inSemaphores() {
    return List.of(
        new Case(
            "a signal of the same value is accepted",
            WrongBackend.ofSemaphore(WrongSemaphores.TakesTheSameValue::new),
            "SemaphoreTest.rejectsSignalsNotAboveTheCurrentValue",
            "S1",
            "nothing was thrown instead of a HalException with OUT_OF_RANGE that names 7, 7"),
        new Case(
            "a semaphore keeps its last failure, not its first",
            WrongBackend.ofSemaphore(WrongSemaphores.KeepsTheLastFailure::new),
            "SemaphoreTest.theFirstFailureStays",
            "S3",
            "expected status DATA_LOSS, got .*CANCELLED: second"),
        new Case(
            "the reason of a failure is lost",
            WrongBackend.ofSemaphore(WrongSemaphores.ForgetsWhyItFailed::new),
            "SemaphoreTest.aFailureKeepsStatusMessageAndCause",
            "S3",
            "the failure that a waiter got ==> expected: <the message> but was: <the semaphore failed>"),
        new Case(
            "a wait returns normally at its deadline",
            WrongBackend.ofSemaphore(WrongSemaphores.ReturnsAtTheDeadline::new),
            "SemaphoreTest.aWaitEndsAtItsDeadline",
            "S4",
            "nothing was thrown instead of a HalException with DEADLINE_EXCEEDED"),
        new Case(
            "closing a semaphore cancels no callback",
            WrongBackend.ofSemaphore(WrongSemaphores.ClosesNothing::new),
            "SemaphoreCloseTest.closingCancelsCallbacksAndStages",
            "S8",
            "callbacks that were cancelled ==> expected: <2> but was: <0>"),
        new Case(
            "callbacks run twice",
            WrongBackend.ofSemaphore(WrongSemaphores.CallsBackTwice::new),
            "SemaphoreObserverTest.aCallbackRunsOnceOnTheSignallingThread",
            "S7",
            "calls when signal\\(\\) has returned ==> expected: <1> but was: <2>"));
  }

  private static List<Case> inDevices() {
    return List.of(
        new Case(
            "closing a device does not wait for its work",
            WrongBackend.ofDevice(WrongDevices.ClosesLater::new),
            "DeviceCloseTest.closingWaitsForARunningHostCall",
            "Q8",
            "close\\(\\) returned while a host call ran ==> expected: <true> but was: <false>"),
        new Case(
            "a device does not report that it is lost",
            WrongBackend.ofDevice(WrongDevices.HidesItsLoss::new),
            "DeviceLossTest.theFirstCauseStays",
            "Q7",
            "lostCause\\(\\) ==> expected: not <null>"),
        new Case(
            "a device claims access to a closed device",
            WrongBackend.ofDevice(WrongDevices.ClaimsAccess::new),
            "CrossDeviceCopyTest.canAccessIsTrueOnlyWhileBothDevicesAreOpen",
            "S9b",
            "access to a closed device ==> expected: <false> but was: <true>"),
        new Case(
            "bytes in use never fall",
            WrongBackend.ofDevice(WrongDevices.CountsUpOnly::new),
            "AllocatorTest.statisticsCountBuffersAndBytes",
            "M7",
            "bytes, one closed ==> expected: <9000> but was: <10000>"),
        new Case(
            "unknown options are ignored",
            WrongBackend.ofUri(WrongDevices::withoutUnknownOptions),
            "DriverTest.anUnknownOptionIsRejectedWithTheKnownOnes",
            "D3",
            "instead of a HalException with INVALID_ARGUMENT that names close-timeuot, close-timeout"));
  }

  /** The tests of the suite that find the defects. */
  static String[] tests() {
    return cases().map(Case::test).distinct().toArray(String[]::new);
  }

  private static List<CtsReport.Entry> run(WrongBackend backend, String test) {
    // Closing the device of a test that hangs then takes a second at most.
    CtsRun run = new CtsRun(backend).device("mock://?close-timeout=1s");
    return run.tests(test).seed(1).run().entries();
  }

  @AfterAll
  static void endWhatHangs() {
    END.countDown();
  }

  @ParameterizedTest
  @MethodSource("cases")
  void theSuiteFindsTheDefect(Case wrong) {
    List<String> failures = new ArrayList<>();
    for (CtsReport.Entry entry : run(wrong.backend(), wrong.test())) {
      assertTrue(entry.rules().contains(wrong.rule()), () -> wrong.rule() + " is not cited");
      if (entry.outcome() == Outcome.FAILED) {
        failures.add(entry.detail());
      } else {
        assertEquals(Outcome.PASSED, entry.outcome(), entry::toString);
      }
    }
    Pattern message = Pattern.compile(wrong.message());
    assertTrue(
        failures.stream().anyMatch(failure -> message.matcher(failure).find()),
        () -> "no failure says '" + message + "', but " + failures);
    for (String failure : failures) {
      assertTrue(failure.contains(" rules: "), () -> "the rules are missing in " + failure);
      assertTrue(failure.contains(" to repeat: "), () -> "how to repeat is missing in " + failure);
    }
  }

  /**
   * A semaphore that a wrong backend does not close is reported when it is collected. This must not
   * happen in the run of another case.
   */
  @AfterEach
  void collectWhatTheBackendHasLeft() throws InterruptedException {
    ReferenceQueue<Object> collected = new ReferenceQueue<>();
    PhantomReference<Object> canary = new PhantomReference<>(new Object(), collected);
    Reference<?> found = null;
    for (int i = 0; i < 20 && found == null; i++) {
      System.gc();
      found = collected.remove(1_000);
    }
    assertSame(canary, found, "the garbage collector did not run within 20 s");
  }

  @Test
  void theReportNamesTheDriverAndItsVersion() {
    Map<String, String> facts =
        new CtsRun(new MockCtsBackend()).tests("SemaphoreTest.aSignalMaySkipValues").run().facts();
    assertEquals(new MockDriver("mock").probe().detail(), facts.get("driver.version"));
    for (String name :
        List.of("driver.location", "device", "uuid", "capabilities", "jhal", "java", "system")) {
      assertFalse(facts.getOrDefault(name, "").isEmpty(), () -> name + " is missing in " + facts);
    }
  }
}
