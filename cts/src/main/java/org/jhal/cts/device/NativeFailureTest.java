// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.device;

import static org.jhal.cts.support.TestData.assertBytes;
import static org.jhal.cts.support.TestData.assertHal;
import static org.jhal.cts.support.Waits.awaitFailure;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.jhal.cts.support.Waits.awaitRetiredOrLost;
import static org.jhal.cts.support.Waits.awaitTrue;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jhal.Args;
import org.jhal.BufferParams;
import org.jhal.CommandBuffer;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.DeviceStatistics;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.HalException;
import org.jhal.HostCall;
import org.jhal.HostMemory;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.Timepoint;
import org.jhal.Workgroups;
import org.jhal.cts.FreshDevice;
import org.jhal.cts.Need;
import org.jhal.cts.Needs;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Blocker;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.Culprits;
import org.jhal.cts.support.Task;
import org.jhal.cts.support.TestData;
import org.jhal.cts.support.Waits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Native calls that fail, one at a time (rules Q7, Q7a and Q10). */
@CtsSuite(deadlineSeconds = 300)
@Needs(Need.CONTROLS)
@FreshDevice
class NativeFailureTest {
  /** How long a test watches for resources that are released too early. */
  private static final Duration CHANCE = Duration.ofMillis(50);

  /** Calls whose failure loses the device. */
  private static final Set<String> LOSING =
      Set.of("recordEvent", "waitEvent", "queryEvent", "synchronizeEvent");

  /** Calls whose failure affects one operation or one object. */
  private static final List<String> SINGLE =
      List.of(
          "createEvent",
          "submit",
          "issue",
          "command",
          "execute",
          "outcome",
          "allocAsync",
          "freeAsync",
          "allocate",
          "load");

  static Stream<Arguments> positions() {
    return Stream.concat(SINGLE.stream(), LOSING.stream().sorted())
        .flatMap(call -> IntStream.rangeClosed(1, 6).mapToObj(nth -> Arguments.of(call, nth)));
  }

  /** A call that enqueues an operation. */
  @FunctionalInterface
  private interface Enqueueing {
    void enqueue(Fence waits, Fence signals);
  }

  /** Work that makes all native calls, and its signals. */
  private static final class Work {
    private final Cts cts;
    private final List<TimelineSemaphore> signals = new ArrayList<>();

    Work(Cts cts) {
      this.cts = cts;
    }

    /** Enqueues an operation. If the call is rejected, the failure goes to the signal instead. */
    private Timepoint then(Fence waits, Enqueueing call) {
      TimelineSemaphore signal = cts.semaphore();
      signals.add(signal);
      try {
        call.enqueue(waits, signal.at(1));
      } catch (HalException refused) {
        signal.fail(refused);
      }
      return signal.at(1);
    }

    void enqueue() {
      DeviceQueue first = cts.queue(0);
      DeviceQueue second = cts.queue(cts.device().queueCount() - 1);
      try {
        transients(first, second);
        buffers(first, second);
      } catch (HalException refused) {
        signals.add(cts.semaphore());
        signals.get(signals.size() - 1).fail(refused);
      }
    }

    private void transients(DeviceQueue first, DeviceQueue second) {
      TimelineSemaphore allocated = cts.semaphore();
      DeviceBuffer scratch =
          cts.closing(first.alloca(Fence.NONE, allocated.at(1), 1024, BufferParams.DEVICE));
      signals.add(allocated);
      FillPattern pattern = FillPattern.of8(1);
      ByteBuffer host = ByteBuffer.allocate(1024);
      Timepoint filled =
          then(allocated.at(1), (w, s) -> second.fill(w, s, scratch, 0, 1024, pattern));
      Timepoint read = then(filled, (w, s) -> second.readback(w, s, scratch, 0, host));
      then(read, (w, s) -> first.dealloca(w, s, scratch));
    }

    private void buffers(DeviceQueue first, DeviceQueue second) {
      DeviceBuffer buffer = cts.buffer(256);
      ByteBuffer host = ByteBuffer.allocate(128);
      Timepoint written = then(Fence.NONE, (w, s) -> first.upload(w, s, host, buffer, 0));
      Timepoint called =
          then(written, (w, s) -> second.hostCall(w, s, HostCall.Mode.BLOCKING, context -> {}));
      Timepoint copied = then(called, (w, s) -> second.copy(w, s, buffer, 0, buffer, 128, 128));
      Args args = Args.of(buffer, 1, 2, 3);
      then(
          copied,
          (w, s) -> first.dispatch(w, s, cts.kernel("write_parameters"), Workgroups.of(1), args));
    }

    /** Waits until each signal is reached or failed, and returns the failures. */
    List<HalException> awaitOver() {
      List<HalException> failures = new ArrayList<>();
      for (TimelineSemaphore signal : signals) {
        awaitTrue(
            signal + " to be reached or failed: " + signal.explain(1),
            () -> Waits.isOver(signal, 1));
        HalException failure = signal.failure();
        if (failure != null) {
          failures.add(failure);
        }
      }
      return failures;
    }
  }

  private static void assertWorks(Cts cts) {
    TimelineSemaphore done = cts.semaphore();
    DeviceBuffer buffer = cts.buffer(16);
    cts.queue().fill(Fence.NONE, done.at(1), buffer, 0, 16, FillPattern.of8(3));
    awaitReached("the queue continues after a native failure", done.at(1));
    assertBytes(TestData.filled(16, 3), cts.read(buffer), "work after a native failure");
  }

  private static void assertAllRetired(Cts cts) {
    awaitRetiredOrLost(cts.device());
    if (cts.device().lostCause() != null) {
      cts.device().close(); // its resources may be kept until then (rule Q7)
    }
    DeviceStatistics statistics = cts.device().statistics();
    assertEquals(statistics.enqueued(), statistics.retired(), statistics::toString);
  }

  @ParameterizedTest
  @MethodSource("positions")
  @Rule({"Q7a", "Q10"})
  void aFailedCallFailsTheAffectedWorkAndNothingHangs(String call, int nth, Cts cts) {
    cts.needCall(cts.device(), call);
    cts.allowWarnings();
    cts.controls().failNext(call, nth, Status.INTERNAL, false);
    Work work = new Work(cts);
    work.enqueue();
    List<HalException> failures = work.awaitOver();
    awaitRetiredOrLost(cts.device()); // the failing call may come after the last signal
    cts.controls().reset();
    if (cts.device().lostCause() == null) {
      assertReported(failures);
      assertWorks(cts);
    } else {
      assertTrue(LOSING.contains(call), () -> "a failed " + call + " lost the device");
    }
    assertAllRetired(cts);
  }

  /**
   * Checks that the failed call is reported, and that otherwise only the memory is missing that it
   * should have allocated.
   */
  private static void assertReported(List<HalException> failures) {
    List<Status> statuses = failures.stream().map(HalException::status).toList();
    assertTrue(failures.isEmpty() || statuses.contains(Status.INTERNAL), failures::toString);
    assertTrue(
        Set.of(Status.INTERNAL, Status.FAILED_PRECONDITION).containsAll(statuses),
        failures::toString);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"submit", "issue", "outcome", "allocAsync", "freeAsync", "allocate", "load"})
  @Rule("Q7")
  void aStickyErrorLosesTheDevice(String call, Cts cts) {
    cts.needCall(cts.device(), call);
    cts.allowWarnings();
    cts.controls().failNext(call, 1, Status.INTERNAL, true);
    Work work = new Work(cts);
    work.enqueue();
    List<HalException> failures = work.awaitOver();
    assertNotNull(cts.device().lostCause(), "lostCause() after a sticky error of " + call);
    assertTrue(!failures.isEmpty(), "nothing failed");
    failures.forEach(failure -> assertHal(Status.UNAVAILABLE, failure));
    assertAllRetired(cts);
  }

  @ParameterizedTest
  @ValueSource(strings = {"recordEvent", "waitEvent"})
  @Rule("Q7a")
  void aFailedEventRecordOrWaitLosesTheDevice(String call, Cts cts) {
    cts.needCall(cts.device(), call);
    Blocker blocker = new Blocker(cts, cts.queue(0));
    DeviceQueue other = cts.queue(cts.device().queueCount() - 1);
    if (other.index() == 0 && call.equals("waitEvent")) {
      throw Cts.unsupported("with one queue, no stream waits for another one's events");
    }
    TimelineSemaphore done = cts.semaphore();
    cts.allowWarnings();
    cts.controls().failNext(call, 1, Status.INTERNAL, false);
    other.barrier(blocker.timepoint(), done.at(1));
    awaitFailure(done, 1, Status.UNAVAILABLE);
    assertNotNull(cts.device().lostCause());
  }

  /** Only an idle stream at the close shows that it is past the work. */
  @ParameterizedTest
  @ValueSource(strings = {"queryEvent", "synchronizeEvent"})
  @Rule({"Q7a", "Q2", "Q3"})
  void workThatCannotBeQueriedKeepsItsResourcesWhileTheStreamIsHeld(String call, Cts cts)
      throws Exception {
    cts.needCall(cts.device(), call);
    TimelineSemaphore done = cts.semaphore();
    DeviceBuffer buffer = cts.buffer(64);
    HostMemory memory = HostMemory.of(new byte[64]);
    cts.allowWarnings();
    cts.controls().pause(cts.queue());
    cts.controls().failNext(call, 1, Status.INTERNAL, false);
    cts.queue().readback(Fence.NONE, done.at(1), buffer, 0, memory);
    buffer.close();
    // No thread of the test waits, so that the completion thread meets the failure.
    awaitTrue(call + " to lose the device", () -> cts.device().lostCause() != null);
    awaitFailure(done, 1, Status.UNAVAILABLE);
    Task<?> closing = Task.run("close", cts.device()::close);
    awaitTrue("the device to be closing", cts.device()::isClosed);
    assertFalse(
        Waits.becomesTrue(
            CHANCE, () -> !memory.isBorrowed() || cts.device().statistics().buffers() == 0),
        "memory was given up that the stream may still use");
    assertTrue(closing.isRunning(), "close() returned while work was in flight");
    cts.controls().resume(cts.queue());
    closing.join();
    memory.awaitFree(Waits.LIMIT);
    assertEquals(0, cts.device().statistics().buffers(), "buffers in the end");
  }

  static Stream<Culprits> culprits() {
    return Culprits.positions(3);
  }

  /** Where the part of each of three operations begins. There are guards around all parts. */
  private static int part(int operation) {
    return 16 + 16 * operation;
  }

  private static byte[] guarded() {
    return TestData.filled(80, TestData.GUARD);
  }

  /**
   * The expected bytes if these operations succeed: each fills its part with its number, from 1.
   */
  private static byte[] written(List<Integer> operations) {
    byte[] expected = guarded();
    for (int one : operations) {
      expected = TestData.with(expected, part(one), TestData.filled(16, 1 + one));
    }
    return expected;
  }

  @ParameterizedTest
  @MethodSource("culprits")
  @Rule({"Q7a", "Q6", "Q2"})
  void aFailedIssueFailsOneOperation(Culprits culprits, Cts cts) throws Exception {
    TimelineSemaphore go = cts.semaphore();
    DeviceBuffer buffer = cts.buffer(guarded());
    List<TimelineSemaphore> done = List.of(cts.semaphore(), cts.semaphore(), cts.semaphore());
    List<TimelineSemaphore> dependants = List.of(cts.semaphore(), cts.semaphore(), cts.semaphore());
    List<HostMemory> sources = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      sources.add(HostMemory.of(TestData.filled(16, 1 + i)));
      cts.queue().upload(go.at(1), done.get(i).at(1), sources.get(i), buffer, part(i));
      cts.queue().barrier(done.get(i).at(1), dependants.get(i).at(1));
    }
    cts.allowWarnings();
    for (int culprit : culprits.which()) {
      cts.controls().failNext("issue", 1 + culprit, Status.RESOURCE_EXHAUSTED, false);
    }
    go.signal(1);
    for (int sound : culprits.others()) {
      awaitReached(Fence.of(done.get(sound).at(1), dependants.get(sound).at(1)));
    }
    for (int culprit : culprits.which()) {
      awaitFailure(done.get(culprit), 1, Status.RESOURCE_EXHAUSTED);
      awaitFailure(dependants.get(culprit), 1, Status.RESOURCE_EXHAUSTED);
    }
    for (HostMemory source : sources) {
      source.awaitFree(Waits.LIMIT);
    }
    assertNull(cts.device().lostCause());
    assertBytes(written(culprits.others()), cts.read(buffer), "after " + culprits + " failed");
    buffer.close();
    cts.awaitIdle();
    assertEquals(0, cts.device().statistics().buffers(), "buffers in the end");
    assertWorks(cts);
  }

  @ParameterizedTest
  @ValueSource(strings = {"issue", "command"})
  @Rule({"Q7a", "Q3"})
  void aHalfIssuedOperationKeepsItsResourcesUntilTheStreamPassesIt(String call, Cts cts) {
    cts.needCall(cts.device(), call);
    DeviceQueue other = cts.queue(cts.device().queueCount() - 1);
    Blocker blocker = new Blocker(cts, cts.queue(0));
    TimelineSemaphore done = cts.semaphore();
    DeviceBuffer buffer = cts.buffer(64);
    CommandBuffer commands =
        cts.closing(cts.device().createCommandBuffer(CommandBuffer.Mode.ONE_SHOT));
    commands.fill(buffer, 0, 32, FillPattern.of8(1));
    commands.fill(buffer, 32, 32, FillPattern.of8(2));
    commands.end();
    cts.allowWarnings();
    cts.controls().failNext(call, call.equals("issue") ? 1 : 2, Status.INTERNAL, false);
    // It fails after the wait for the blocked stream, and after the first fill if the second one
    // fails.
    other.execute(blocker.timepoint(), done.at(1), commands);
    buffer.close();
    commands.close();
    assertEquals(1, cts.device().statistics().buffers(), "buffers that the stream may still use");
    blocker.release();
    awaitFailure(done, 1, Status.INTERNAL);
    assertNull(cts.device().lostCause());
    assertAllRetired(cts);
    assertEquals(0, cts.device().statistics().buffers(), "buffers when the stream is past it");
    assertWorks(cts);
  }

  /** It does not matter which producers fail. A stream that reorders work determines which. */
  @ParameterizedTest
  @MethodSource("culprits")
  @FreshDevice("inflight=64")
  @Rule({"Q9", "Q7a"})
  void aFailureOfRunningWorkFailsItsIssuedConsumers(Culprits culprits, Cts cts) {
    cts.needCall(cts.device(), "execute");
    DeviceQueue other = cts.queue(cts.device().queueCount() - 1);
    DeviceBuffer buffer = cts.buffer(guarded());
    Blocker blocker = new Blocker(cts, cts.queue(0));
    List<TimelineSemaphore> produced = List.of(cts.semaphore(), cts.semaphore(), cts.semaphore());
    List<TimelineSemaphore> consumed = List.of(cts.semaphore(), cts.semaphore(), cts.semaphore());
    TimelineSemaphore all = cts.semaphore();
    TimelineSemaphore free = cts.semaphore();
    long issued = cts.device().statistics().issued();
    for (int i = 0; i < 3; i++) {
      cts.queue(0)
          .fill(
              blocker.timepoint(),
              produced.get(i).at(1),
              buffer,
              part(i),
              16,
              FillPattern.of8(1 + i));
      other.barrier(produced.get(i).at(1), consumed.get(i).at(1));
    }
    other.barrier(Fence.of(produced.stream().map(one -> one.at(1)).toList()), all.at(1));
    other.barrier(blocker.timepoint(), free.at(1));
    awaitTrue("all to be issued", () -> cts.device().statistics().issued() >= issued + 8);
    for (int culprit : culprits.which()) {
      cts.controls().failNext("execute", 1 + culprit, Status.ABORTED, false);
    }
    blocker.release();
    awaitFailure(all, 1, Status.ABORTED);
    awaitReached(free, 1);
    List<Integer> sound = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      TimelineSemaphore end = produced.get(i);
      awaitTrue(end + " to be reached or failed", () -> Waits.isOver(end, 1));
      if (end.failure() == null) {
        sound.add(i);
        awaitReached(consumed.get(i), 1);
      } else {
        awaitFailure(end, 1, Status.ABORTED);
        awaitFailure(consumed.get(i), 1, Status.ABORTED);
      }
    }
    assertEquals(culprits.others().size(), sound.size(), "producers that succeed");
    assertNull(cts.device().lostCause());
    assertBytes(
        written(sound), cts.read(buffer), "the bytes that were written besides " + culprits);
    buffer.close();
    cts.awaitIdle();
    assertEquals(0, cts.device().statistics().buffers(), "buffers in the end");
    assertWorks(cts);
  }

  /** The other value that the parked operation waits for is never signalled. */
  @Test
  @Rule({"Q6", "Q7a"})
  void aFailureOfRunningWorkFailsItsParkedConsumers(Cts cts) {
    cts.needCall(cts.device(), "execute");
    DeviceQueue other = cts.queue(cts.device().queueCount() - 1);
    Blocker blocker = new Blocker(cts, cts.queue(0));
    TimelineSemaphore produced = cts.semaphore();
    TimelineSemaphore parked = cts.semaphore();
    TimelineSemaphore never = cts.semaphore();
    DeviceBuffer buffer = cts.buffer(64);
    long issued = cts.device().statistics().issued();
    cts.queue(0).fill(blocker.timepoint(), produced.at(1), buffer, 0, 64, FillPattern.ZERO);
    awaitTrue("it to be issued", () -> cts.device().statistics().issued() > issued);
    other.barrier(Fence.of(produced.at(1), never.at(1)), parked.at(1));
    cts.controls().failNext("execute", 1, Status.ABORTED, false);
    blocker.release();
    awaitFailure(produced, 1, Status.ABORTED);
    awaitFailure(parked, 1, Status.ABORTED);
    assertWorks(cts);
  }

  @Test
  @Rule({"Q9", "Q7a"})
  void failedWorkFailsWhicheverThreadCompletesIt(Cts cts) {
    cts.needCall(cts.device(), "execute");
    DeviceQueue queue = cts.queue();
    DeviceBuffer buffer = cts.buffer(64);
    for (int round = 0; round < 200; round++) {
      TimelineSemaphore produced = cts.semaphore();
      TimelineSemaphore consumed = cts.semaphore();
      TimelineSemaphore last = cts.semaphore();
      cts.controls().failNext("execute", 1, Status.ABORTED, false);
      queue.fill(Fence.NONE, produced.at(1), buffer, 0, 64, FillPattern.ZERO);
      queue.barrier(produced.at(1), consumed.at(1));
      // A thread that enqueues or waits may be the first to see that the work has ended.
      for (int i = 1; i <= 20; i++) {
        queue.barrier(Fence.NONE, last.at(i));
      }
      awaitReached(last, 20);
      awaitFailure(consumed, 1, Status.ABORTED);
      awaitFailure(produced, 1, Status.ABORTED);
    }
    assertNull(cts.device().lostCause());
    assertWorks(cts);
  }

  @ParameterizedTest
  @MethodSource("culprits")
  @Rule({"M1", "Q7a"})
  void aFailedAllocaFailsItsSignalsAndEveryUse(Culprits culprits, Cts cts) {
    cts.needCall(cts.device(), "allocAsync");
    cts.allowWarnings();
    DeviceStatistics before = cts.device().statistics();
    for (int culprit : culprits.which()) {
      cts.controls().failNext("allocAsync", 1 + culprit, Status.RESOURCE_EXHAUSTED, false);
    }
    List<DeviceBuffer> scratches = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      TimelineSemaphore timeline = cts.semaphore();
      TimelineSemaphore used = cts.semaphore();
      DeviceBuffer scratch =
          cts.closing(cts.queue().alloca(Fence.NONE, timeline.at(1), 64, BufferParams.DEVICE));
      scratches.add(scratch);
      if (culprits.has(i)) {
        awaitFailure(timeline, 1, Status.RESOURCE_EXHAUSTED);
        cts.queue().fill(Fence.NONE, used.at(1), scratch, 0, 64, FillPattern.ZERO);
        awaitFailure(used, 1, Status.FAILED_PRECONDITION);
      } else {
        cts.queue().fill(timeline.at(1), used.at(1), scratch, 0, 64, FillPattern.of8(1 + i));
        awaitReached(used, 1);
      }
    }
    for (int sound : culprits.others()) {
      assertBytes(TestData.filled(64, 1 + sound), cts.read(scratches.get(sound)), "an alloca");
    }
    scratches.forEach(DeviceBuffer::close);
    cts.awaitIdle();
    DeviceStatistics after = cts.device().statistics();
    assertEquals(before.buffers(), after.buffers(), "buffers in the end");
    assertEquals(before.bytes(), after.bytes(), "bytes in the end");
    assertWorks(cts);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @Rule({"M1", "Q7a"})
  void aFailedDeallocaKeepsTheMemory(boolean isDeallocatedAgain, Cts cts) {
    cts.needCall(cts.device(), "freeAsync");
    long before = cts.device().statistics().bytes();
    TimelineSemaphore timeline = cts.semaphore();
    TimelineSemaphore failed = cts.semaphore();
    DeviceBuffer scratch =
        cts.closing(cts.queue().alloca(Fence.NONE, timeline.at(1), 64, BufferParams.DEVICE));
    awaitReached(timeline, 1);
    cts.write(scratch, 0, TestData.bytes(64));
    cts.allowWarnings();
    cts.controls().failNext("freeAsync", 1, Status.INTERNAL, false);
    cts.queue().dealloca(Fence.NONE, failed.at(1), scratch);
    awaitFailure(failed, 1, Status.INTERNAL);
    assertBytes(TestData.bytes(64), cts.read(scratch), "a buffer whose dealloca failed");
    assertEquals(before + 64, cts.device().statistics().bytes(), "bytes after a failed dealloca");
    if (isDeallocatedAgain) {
      cts.queue().dealloca(Fence.NONE, timeline.at(2), scratch);
      awaitReached(timeline, 2);
    }
    scratch.close();
    cts.awaitIdle();
    assertEquals(before, cts.device().statistics().bytes(), "bytes in the end");
  }

  @Test
  @Rule("Q7a")
  void aFailedAllocationThrowsAndLosesNothing(Cts cts) {
    cts.needCall(cts.device(), "allocate");
    long before = cts.device().statistics().liveResources();
    cts.allowWarnings();
    cts.controls().failNext("allocate", 1, Status.RESOURCE_EXHAUSTED, false);
    assertHal(Status.RESOURCE_EXHAUSTED, () -> cts.device().allocate(64, BufferParams.DEVICE));
    assertEquals(before, cts.device().statistics().liveResources());
    assertWorks(cts);
  }

  @Test
  @Rule({"Q7a", "M7"})
  void aFailedFlushIsThrownByCloseAndEndsTheMapping(Cts cts) {
    cts.needCall(cts.device(), "flush");
    DeviceBuffer buffer = cts.buffer(cts.device(), 64, BufferParams.HOST);
    long before = cts.device().statistics().buffers();
    DeviceBuffer.Mapping mapping = buffer.map(DeviceBuffer.MapMode.WRITE);
    cts.controls().failNext("flush", 1, Status.DATA_LOSS, false);
    assertHal(Status.DATA_LOSS, mapping::close);
    mapping.close();
    buffer.close();
    assertEquals(before - 1, cts.device().statistics().buffers());
    assertWorks(cts);
  }
}
