// SPDX-License-Identifier: Apache-2.0
package org.jhal.mock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.Workgroups;
import org.jhal.cts.Need;
import org.jhal.cts.run.CtsRun;
import org.jhal.cts.run.report.CtsReport;
import org.jhal.cts.run.report.CtsReport.Outcome;
import org.jhal.driver.Command;
import org.jhal.driver.CommandList;
import org.jhal.driver.NativeStream;
import org.jhal.driver.Submission;
import org.junit.jupiter.api.Test;

/**
 * A device that declares what it lacks passes the suite, which skips the tests that need it. A
 * device that declares a lack but has the feature fails.
 */
class DeclaredLackTest {
  private static final String TELLS_NOTHING =
      "DispatchTest.kernelFailuresAreNotReportedWhereTheDeviceDetectsNone";

  private static CtsReport run(WrongBackend backend, String... tests) {
    return new CtsRun(backend).tests(tests).seed(1).run();
  }

  /** Tests and how they ended; all invocations of a test end in the same way. */
  private static Map<String, String> ends(CtsReport report) {
    return report.entries().stream()
        .collect(
            Collectors.toMap(
                CtsReport.Entry::test,
                entry ->
                    entry.outcome() == Outcome.UNSUPPORTED
                        ? entry.detail()
                        : entry.outcome() + entry.detail(),
                (one, other) -> one.equals(other) ? one : one + " and " + other,
                TreeMap::new));
  }

  private static void assertEnds(CtsReport report, Map<String, String> expected) {
    assertEquals(new TreeMap<>(expected), ends(report));
  }

  @Test
  void aDeviceThatDeclaresNoKernelFailuresPasses() {
    WrongBackend backend =
        WrongBackend.thatSays(
            info -> info.toBuilder().reportsKernelFailures(false).build(),
            WrongStreams.SwallowsFailures::new);
    List<String> givesUp =
        List.of(
            "DispatchTest.aKernelThatGivesUpFailsItsSignals",
            "QueueDeallocaTest.aProducerFailureAfterIssueDoesNotLeakTheBuffer",
            "QueueHostCallTest.aCallDoesNotRunIfItsIssuedProducerFails",
            "QueueFailureTest.aProducerFailureFailsItsIssuedConsumer",
            "RepeatedExecuteTest.aKernelThatGivesUpFailsItsUse");
    CtsReport skipped = run(backend, givesUp.toArray(String[]::new));
    assertEnds(
        skipped,
        givesUp.stream().collect(Collectors.toMap(t -> t, t -> Need.KERNEL_FAILURES.absence())));
    assertEquals("[KERNEL_FAILURES]", skipped.facts().get("lacks"));
    assertEnds(run(backend, TELLS_NOTHING), Map.of(TELLS_NOTHING, "PASSED"));
  }

  @Test
  void findsADeviceThatReportsKernelFailuresButDeniesIt() {
    WrongBackend backend =
        WrongBackend.thatSays(
            info -> info.toBuilder().reportsKernelFailures(false).build(), ForwardingStream::new);
    String end = ends(run(backend, TELLS_NOTHING)).toString();
    assertTrue(end.contains("FAILED"), end);
    assertTrue(end.contains("says that it reports no kernel that gave up, but "), end);
    assertTrue(end.contains("trap 42"), end);
  }

  @Test
  void aDeviceThatLimitsItsQueuesPasses() {
    WrongBackend backend =
        WrongBackend.thatSays(info -> info.toBuilder().maxQueues(2).build(), ForwardingStream::new);
    String several = "QueueOrderTest.aConsumerWaitsForAllOfManyUnfinishedProducers";
    String limit = "DriverTest.moreQueuesThanMaxQueuesAreRejected";
    CtsReport report = run(backend, several, limit);
    assertEquals("[THREE_QUEUES]", report.facts().get("lacks"));
    assertEnds(report, Map.of(several, Need.THREE_QUEUES.absence(), limit, "PASSED"));
  }

  @Test
  void aDeviceWithoutLargeBuffersPasses() {
    WrongBackend backend =
        WrongBackend.thatSays(
            info -> info.toBuilder().maxAllocationBytes(1 << 30).build(), ForwardingStream::new);
    String large = "LargeBufferTest.everyOffsetOfALargeBufferIsAccessible";
    String refused = "MemoryLimitTest.aBufferAboveMaxAllocationBytesIsRejected";
    assertEnds(
        run(backend, large, refused),
        Map.of(
            large,
            "the device has no buffers of " + ((1L << 31) + (1 << 20)) + " bytes",
            refused,
            "PASSED"));
  }

  /** Many runtimes have one queue, and promise no larger grids than these. */
  @Test
  void aDeviceWithOneQueueAndSmallGridsPasses() {
    WrongBackend backend =
        WrongBackend.thatSays(
            info ->
                info.toBuilder()
                    .maxQueues(1)
                    .maxWorkgroupCount(new Workgroups(65_535, 65_535, 65_535))
                    .build(),
            ForwardingStream::new);
    String second = "QueueFailureTest.openOperationsCountsUnretiredOperations";
    String groups = "HostImportTest.anUploadSeesDeviceWritesToAnImportedPart";
    String grids = "QueueDispatchTest.aGridThatIsTooLargeIsRejected";
    assertEnds(
        new CtsRun(backend).device("mock://?queues=1").tests(second, groups, grids).seed(1).run(),
        Map.of(second, Need.TWO_QUEUES.absence(), groups, "PASSED", grids, "PASSED"));
  }

  /** The largest arguments of the suite's kernels, those of write_structs, have 101 bytes. */
  @Test
  void aDeviceThatLimitsTheBytesOfArgumentsPasses() {
    String largest = "StructArgumentTest.structsArriveInEachFormat";
    String beyond = "StructArgumentTest.moreBytesOfArgumentsThanTheDeviceTakesAreRejected";
    assertEnds(run(thatTakes(101), largest, beyond), Map.of(largest, "PASSED", beyond, "PASSED"));
    String others = "StructArgumentTest.structsArriveAsDeclared";
    assertEnds(run(thatTakes(157), others), Map.of(others, "PASSED"));
    assertEnds(
        run(thatTakes(156), others),
        Map.of(others, "the device passes 156 bytes of arguments, not 157"));
    String end = ends(run(thatTakes(100), largest)).toString();
    assertTrue(end.contains("OUT_OF_RANGE"), end);
    assertTrue(end.contains("kernel 'write_structs' of cts-kernels has 101 bytes of arg"), end);
  }

  private static WrongBackend thatTakes(int argumentBytes) {
    return WrongBackend.thatSays(
        info -> info.toBuilder().maxArgumentBytes(argumentBytes).build(), ForwardingStream::new);
  }

  /** Refuses a kernel that would write past its buffer if each work item wrote one int. */
  private static final class WritesForEachItem extends ForwardingStream {
    WritesForEachItem(NativeStream<MockEvent> right) {
      super(right);
    }

    @Override
    protected void issue(CommandList commands, Submission submission) {
      Command first = commands.size() == 0 ? null : commands.get(0);
      if (first != null
          && first.kind() == Command.Kind.DISPATCH
          && first.kernel().name().equals("negate")) {
        var size = first.kernel().workgroupSize();
        long items = (long) size.x() * size.y() * size.z() * first.groupsX();
        long bytes = submission.length(first.argument(1));
        if (4 * items > bytes) {
          throw new HalException(
              Status.INTERNAL, items + " work items write past the " + bytes + " bytes");
        }
      }
      steps.issue(commands, submission);
    }
  }

  @Test
  void theSuitesKernelsWriteAtMostOneElementPerWorkItem() {
    String largest = "WorkgroupLimitTest.workgroupsOfTheLargestSizesRun";
    WrongBackend backend = WrongBackend.ofStream(WritesForEachItem::new);
    assertEnds(run(backend, largest), Map.of(largest, "PASSED"));
  }
}
