// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.device;

import static org.jhal.cts.support.TestData.assertBytes;
import static org.jhal.cts.support.TestData.assertHal;
import static org.jhal.cts.support.TestData.bytes;
import static org.jhal.cts.support.TestData.filled;
import static org.jhal.cts.support.Waits.assertPending;
import static org.jhal.cts.support.Waits.assertStaysPending;
import static org.jhal.cts.support.Waits.awaitFailure;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.jhal.cts.support.Waits.awaitRetired;
import static org.jhal.cts.support.Waits.awaitSet;
import static org.jhal.cts.support.Waits.awaitStatistics;
import static org.jhal.cts.support.Waits.awaitTrue;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jhal.Args;
import org.jhal.BindingTable;
import org.jhal.CommandBuffer;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.HostMemory;
import org.jhal.Kernel;
import org.jhal.Slot;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.Workgroups;
import org.jhal.cts.Need;
import org.jhal.cts.Needs;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Blocker;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.Culprits;
import org.jhal.cts.support.HeldOperation;
import org.jhal.cts.support.Task;
import org.jhal.cts.support.TestData;
import org.jhal.cts.support.Waits;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Operations of one device that wait for timelines of two other devices, and signal both (rule S9):
 * only the first of those devices is late, fails, ends or is closed, only the second one, or both.
 */
@CtsSuite
class TwoOtherDevicesTest {
  /** Where the two other devices come from. */
  enum Others {
    SAME_DRIVER,
    /** The second one is of another driver. */
    ANOTHER_DRIVER
  }

  static Stream<Arguments> cases() {
    return Stream.of(Others.values())
        .flatMap(others -> Culprits.positions(2).map(culprits -> Arguments.of(others, culprits)));
  }

  /**
   * Operations of the device under test between two others, each with a producer and a consumer.
   */
  private static final class Scene {
    private static final int SIZE = 16;

    final Cts cts;
    final List<Device> others = new ArrayList<>();
    final List<TimelineSemaphore> produced = new ArrayList<>(); // one of each other device
    final List<TimelineSemaphore> signals = new ArrayList<>(); // one of each other device
    final List<TimelineSemaphore> consumed = new ArrayList<>(); // by each other device
    final DeviceBuffer buffer;
    final HostMemory source = HostMemory.of(bytes(SIZE));
    private final AtomicReference<@Nullable Boolean> borrowed = new AtomicReference<>();

    Scene(Cts cts, Others from, String... options) {
      this.cts = cts;
      others.add(cts.openSecond(options));
      others.add(
          from == Others.SAME_DRIVER
              ? cts.open(options)
              : cts.closing(
                  cts.backend()
                      .openOther()
                      .orElseThrow(() -> Cts.unsupported(Need.OTHER_DRIVER.absence()))));
      buffer = cts.buffer(filled(SIZE, TestData.GUARD));
      for (Device other : others) {
        produced.add(cts.closing(other.createSemaphore(0)));
        signals.add(cts.closing(other.createSemaphore(0)));
        consumed.add(cts.closing(other.createSemaphore(0)));
      }
    }

    Fence produced() {
      return produced.get(0).at(1).and(produced.get(1).at(1));
    }

    Fence signals() {
      return signals.get(0).at(1).and(signals.get(1).at(1));
    }

    /** An upload that waits for both other devices, and on each of them work that waits for it. */
    void enqueue() {
      upload();
      for (int i = 0; i < 2; i++) {
        others.get(i).queue(0).barrier(signals.get(i).at(1), consumed.get(i).at(1));
      }
    }

    void upload() {
      signals.get(1).onReach(1, failure -> borrowed.set(source.isBorrowed()));
      cts.queue().upload(produced(), signals(), source, buffer, 0);
    }

    /** A host call on each other device that ends when the test decides. */
    List<HeldOperation> holdProducers() {
      List<HeldOperation> held = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        held.add(new HeldOperation(cts, others.get(i).queue(0), Fence.NONE, produced.get(i).at(1)));
      }
      held.forEach(HeldOperation::awaitRunning);
      return held;
    }

    void assertAllPending() {
      assertStaysPending(
          Fence.of(
              signals.get(0).at(1),
              signals.get(1).at(1),
              consumed.get(0).at(1),
              consumed.get(1).at(1)));
      assertUnwritten();
    }

    void assertUnwritten() {
      assertBytes(filled(SIZE, TestData.GUARD), cts.read(buffer), "the target of the upload");
    }

    void checkSucceeded() {
      awaitReached("both signals and what waits for them", signals());
      awaitReached("work behind the signals", consumed.get(0).at(1).and(consumed.get(1).at(1)));
      assertNotBorrowed();
      assertBytes(bytes(SIZE), cts.read(buffer), "the target of the upload");
    }

    /** Checks that the borrow had ended when the second signal was applied (rule Q2). */
    private void assertNotBorrowed() {
      boolean isBorrowed = awaitSet("the callback of the second signal", borrowed);
      assertFalse(isBorrowed, "whether the source was borrowed when the signal was applied");
    }

    /** Checks that all that depends on the upload has failed in the same way, and nothing else. */
    HalException checkFailed(Status status, List<TimelineSemaphore> dependents) {
      HalException first = awaitFailure(signals.get(0), 1, status);
      for (TimelineSemaphore one : dependents) {
        HalException failure = awaitFailure(one, 1, status);
        assertEquals(first.getMessage(), failure.getMessage());
        assertEquals(first.operation(), failure.operation());
        assertSame(first.getCause(), failure.getCause(), "the cause");
      }
      assertNotBorrowed();
      cts.awaitIdle();
      assertUnwritten();
      assertWorks(cts.device());
      return first;
    }

    List<TimelineSemaphore> dependents() {
      return List.of(signals.get(1), consumed.get(0), consumed.get(1));
    }

    void assertWorks(Device device) {
      assertNull(device.lostCause(), () -> "why " + device + " is lost");
      TimelineSemaphore works = cts.semaphore();
      device.queue(0).barrier(Fence.NONE, works.at(1));
      awaitReached("work of a device that goes on", works.at(1));
    }
  }

  @ParameterizedTest
  @MethodSource("cases")
  @Rule({"S9", "S5"})
  void anOperationWaitsForEachOfTheOthers(Others others, Culprits late, Cts cts) {
    Scene scene = new Scene(cts, others);
    List<HeldOperation> held = scene.holdProducers();
    scene.enqueue();
    late.others().forEach(other -> held.get(other).complete());
    for (int i : late.others()) {
      awaitReached(scene.produced.get(i), 1);
    }
    for (int i : late.which()) {
      scene.assertAllPending();
      held.get(i).complete();
    }
    scene.checkSucceeded();
  }

  static Stream<Culprits> culprits() {
    return Culprits.positions(2);
  }

  /** As above, where the devices may wait for each other without the host. */
  @ParameterizedTest
  @MethodSource("culprits")
  @Rule({"S9", "S9a"})
  @Needs(Need.SECOND_DEVICE)
  void issuedWorkWaitsForEachOfTheOthers(Culprits late, Cts cts) {
    Scene scene = new Scene(cts, Others.SAME_DRIVER);
    cts.read(scene.buffer); // all is loaded before a stream is held
    List<Blocker> blockers = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      Device other = scene.others.get(i);
      blockers.add(new Blocker(cts, other.queue(0)));
      other.queue(0).barrier(blockers.get(i).timepoint(), scene.produced.get(i).at(1));
    }
    scene.enqueue();
    late.others().forEach(other -> blockers.get(other).release());
    for (int i : late.others()) {
      awaitReached(scene.produced.get(i), 1);
    }
    for (int i : late.which()) {
      assertStaysPending(scene.signals.get(0).at(1).and(scene.signals.get(1).at(1)));
      blockers.get(i).release();
    }
    scene.checkSucceeded();
  }

  /** The failure of either producer reaches both devices, with its cause and its operation. */
  @ParameterizedTest
  @MethodSource("cases")
  @Rule({"S9", "Q6", "Q9"})
  void aFailedProducerFailsBothSignals(Others others, Culprits culprits, Cts cts) {
    Scene scene = new Scene(cts, others);
    List<HeldOperation> held = scene.holdProducers();
    scene.enqueue();
    int first = culprits.which().get(culprits.which().size() - 1);
    HalException thrown =
        new HalException(Status.DATA_LOSS, "over there", new IllegalStateException("why"));
    held.get(first).fail(thrown);
    HalException seen = scene.checkFailed(Status.DATA_LOSS, scene.dependents());
    HalException own = awaitFailure(scene.produced.get(first), 1, Status.DATA_LOSS);
    assertEquals(own.getMessage(), seen.getMessage());
    assertEquals(own.operation(), seen.operation());
    assertNotNull(seen.operation(), seen::toString);
    assertSame(thrown.getCause(), seen.getCause(), "the cause");
    for (int i = 0; i < 2; i++) {
      if (culprits.has(i)) {
        held.get(i).fail(new HalException(Status.ABORTED, "too late, unless it was the first"));
        awaitFailure(scene.produced.get(i), 1);
      } else {
        assertPending(scene.produced.get(i), 1);
        held.get(i).complete();
        awaitReached(scene.produced.get(i), 1);
      }
      scene.assertWorks(scene.others.get(i));
    }
  }

  /** Of timelines that the operation waits for. */
  @ParameterizedTest
  @MethodSource("cases")
  @Rule({"S9", "S8"})
  void aClosedWaitCancelsBothSignals(Others others, Culprits culprits, Cts cts) {
    Scene scene = new Scene(cts, others);
    scene.enqueue();
    culprits.which().forEach(culprit -> scene.produced.get(culprit).close());
    HalException seen = scene.checkFailed(Status.CANCELLED, scene.dependents());
    assertNull(seen.operation(), seen::toString);
    culprits.others().forEach(other -> scene.produced.get(other).signal(1));
    scene.others.forEach(scene::assertWorks);
  }

  /** Of timelines that the operation signals: the other one is raised. */
  @ParameterizedTest
  @MethodSource("cases")
  @Rule({"S9", "S8", "S1a"})
  void aClosedSignalIsDroppedAlone(Others others, Culprits culprits, Cts cts) {
    Scene scene = new Scene(cts, others);
    scene.upload();
    TimelineSemaphore after = cts.semaphore();
    cts.queue().barrier(scene.produced(), after.at(1));
    culprits.which().forEach(culprit -> scene.signals.get(culprit).close());
    scene.produced.forEach(one -> one.signal(1));
    for (int sound : culprits.others()) {
      awaitReached("the signal that is not closed", scene.signals.get(sound).at(1));
    }
    awaitReached(after, 1);
    cts.awaitIdle();
    assertBytes(bytes(Scene.SIZE), cts.read(scene.buffer), "the target of the upload");
  }

  /** A failed one as well. */
  @ParameterizedTest
  @MethodSource("cases")
  @Rule({"S9", "S3", "S1a"})
  void aFailedSignalStaysAsItIsAlone(Others others, Culprits culprits, Cts cts) {
    Scene scene = new Scene(cts, others);
    scene.enqueue();
    for (int culprit : culprits.which()) {
      scene.signals.get(culprit).fail(new HalException(Status.ABORTED, "no longer needed"));
      assertHal(Status.ABORTED, awaitFailure(scene.consumed.get(culprit), 1), "no longer needed");
    }
    scene.produced.forEach(one -> one.signal(1));
    for (int sound : culprits.others()) {
      awaitReached("the work behind the sound signal", scene.consumed.get(sound).at(1));
    }
    cts.awaitIdle();
    for (int culprit : culprits.which()) {
      assertHal(Status.ABORTED, awaitFailure(scene.signals.get(culprit), 1), "no longer needed");
    }
    assertBytes(bytes(Scene.SIZE), cts.read(scene.buffer), "the target of the upload");
  }

  /** At the call, with a message that names the timeline, and without any effect. */
  @ParameterizedTest
  @MethodSource("cases")
  @Rule({"S9", "M5", "S1a", "S8"})
  void aBadTimelineOfEitherIsRejected(Others others, Culprits culprits, Cts cts) {
    for (boolean isClosed : new boolean[] {false, true}) {
      for (boolean isWait : isClosed ? new boolean[] {false, true} : new boolean[] {false}) {
        Scene scene = new Scene(cts, others);
        List<TimelineSemaphore> bad = isWait ? scene.produced : scene.signals;
        Fence waits = scene.produced();
        Fence signals = scene.signals();
        for (int culprit : culprits.which()) {
          if (isClosed) {
            bad.get(culprit).close();
          } else {
            bad.get(culprit).signal(1);
          }
        }
        long enqueued = cts.device().statistics().enqueued();
        assertHal(
            isClosed ? Status.FAILED_PRECONDITION : Status.OUT_OF_RANGE,
            () -> cts.queue().upload(waits, signals, scene.source, scene.buffer, 0),
            bad.get(culprits.which().get(0)).toString());
        assertEquals(enqueued, cts.device().statistics().enqueued(), "operations");
        assertFalse(scene.source.isBorrowed(), "whether the source is borrowed");
        for (int i = 0; i < 2; i++) {
          if (!isWait || !culprits.has(i)) {
            scene.produced.get(i).signal(1);
          }
        }
        cts.flush(cts.queue());
        for (int i = 0; i < 2; i++) {
          if (isWait || !culprits.has(i)) {
            assertPending(scene.signals.get(i), 1);
          }
        }
        scene.assertUnwritten();
      }
    }
  }

  /** Its producer is cancelled, so all that depends on it is. Its timelines stay usable. */
  @ParameterizedTest
  @MethodSource("cases")
  @Rule({"S9", "Q8", "S8"})
  void closingAProducersDeviceCancelsBothSignals(Others others, Culprits culprits, Cts cts) {
    Scene scene = new Scene(cts, others);
    TimelineSemaphore go = cts.semaphore();
    for (int i = 0; i < 2; i++) {
      scene.others.get(i).queue(0).barrier(go.at(1), scene.produced.get(i).at(1));
    }
    scene.upload();
    culprits.which().forEach(culprit -> scene.others.get(culprit).close());
    HalException seen = scene.checkFailed(Status.CANCELLED, List.of(scene.signals.get(1)));
    assertNull(seen.operation(), seen::toString);
    go.signal(1);
    for (int sound : culprits.others()) {
      awaitReached("the producer of a device that goes on", scene.produced.get(sound).at(1));
      scene.assertWorks(scene.others.get(sound));
    }
  }

  /** Timelines outlive their devices, as waits and as signals. */
  @ParameterizedTest
  @MethodSource("cases")
  @Rule({"S9", "S8"})
  void timelinesOfClosedDevicesAreReachedAndRaised(Others others, Culprits culprits, Cts cts) {
    Scene scene = new Scene(cts, others);
    scene.upload();
    TimelineSemaphore behind = cts.semaphore();
    cts.queue().barrier(scene.signals(), behind.at(1));
    culprits.which().forEach(culprit -> scene.others.get(culprit).close());
    assertStaysPending(scene.signals());
    scene.produced.forEach(one -> one.signal(1));
    awaitReached(scene.signals());
    awaitReached(behind, 1);
    assertBytes(bytes(Scene.SIZE), cts.read(scene.buffer), "the target of the upload");
    culprits.others().forEach(other -> scene.assertWorks(scene.others.get(other)));
  }

  /** The producers are parked on their devices, so nothing of them is in a stream. */
  @ParameterizedTest
  @MethodSource("culprits")
  @Rule({"S9", "Q7"})
  @Needs({Need.SECOND_DEVICE, Need.CONTROLS})
  void losingAProducersDeviceFailsBothSignals(Culprits culprits, Cts cts) {
    Scene scene = new Scene(cts, Others.SAME_DRIVER);
    TimelineSemaphore go = cts.semaphore();
    for (int i = 0; i < 2; i++) {
      scene.others.get(i).queue(0).barrier(go.at(1), scene.produced.get(i).at(1));
    }
    scene.enqueue();
    List<TimelineSemaphore> dependents = new ArrayList<>(List.of(scene.signals.get(1)));
    // What waits on a lost device fails with that loss.
    for (int sound : culprits.others()) {
      dependents.add(scene.consumed.get(sound));
    }
    cts.allowWarnings();
    List<String> reasons = new ArrayList<>(); // if both are lost, that of either
    for (int culprit : culprits.which()) {
      reasons.add("pulled " + culprit);
      cts.controls(scene.others.get(culprit))
          .loseDevice(
              new HalException(
                  Status.UNAVAILABLE, "lost", new IllegalStateException("pulled " + culprit)));
    }
    HalException seen = scene.checkFailed(Status.UNAVAILABLE, dependents);
    assertNull(seen.operation(), seen::toString);
    boolean isKnown = false;
    for (Throwable next = seen; next != null; next = next.getCause()) {
      isKnown |= reasons.contains(next.getMessage());
    }
    assertTrue(isKnown, () -> "none of " + reasons + " is among the causes of " + seen);
    go.signal(1);
    for (int culprit : culprits.which()) {
      awaitFailure(scene.consumed.get(culprit), 1, Status.UNAVAILABLE);
    }
    for (int sound : culprits.others()) {
      awaitReached("the producer of a device that goes on", scene.produced.get(sound).at(1));
      scene.assertWorks(scene.others.get(sound));
      awaitRetired(scene.others.get(sound));
    }
  }

  /** A thread of the host that waits for both, and one that waits for any. */
  @ParameterizedTest
  @MethodSource("cases")
  @Rule({"S6", "S3"})
  void hostWaitsFailWithEitherOfTheOthers(Others others, Culprits culprits, Cts cts) {
    Scene scene = new Scene(cts, others);
    List<Task<?>> waiters =
        List.of(
            Task.run("all", () -> scene.produced().awaitAll(Waits.LIMIT)),
            Task.run("any", () -> scene.produced().awaitAny(Waits.LIMIT)));
    waiters.forEach(Task::awaitBlocked);
    int first = culprits.which().get(culprits.which().size() - 1);
    IllegalStateException cause = new IllegalStateException("why");
    scene.produced.get(first).fail(new HalException(Status.DATA_LOSS, "over there", cause));
    for (Task<?> waiter : waiters) {
      HalException thrown = (HalException) waiter.joined();
      assertNotNull(thrown, "what the waiting thread has thrown");
      assertHal(Status.DATA_LOSS, thrown, "over there");
      assertSame(cause, thrown.getCause(), "the cause");
    }
    for (int i = 0; i < 2; i++) {
      if (i != first) {
        assertPending(scene.produced.get(i), 1);
      }
    }
  }

  // Memory of two other devices (rule S9b).

  private static final int PART = 64;

  /** How one operation names the memory of both. */
  enum Use {
    COPY,
    DISPATCH,
    RECORDING,
    BINDING_TABLE
  }

  static Stream<Arguments> uses() {
    return Stream.of(Use.values())
        .flatMap(use -> Culprits.positions(2).map(culprits -> Arguments.of(use, culprits)));
  }

  /** Two buffers of other devices, the first of which is to be copied to the second one. */
  private static final class Lent {
    final Cts cts;
    final Device here;
    final List<Device> owners;
    final List<DeviceBuffer> theirs = new ArrayList<>();
    final List<DeviceBuffer> imported = new ArrayList<>();
    final Kernel kernel;

    Lent(Cts cts) {
      this.cts = cts;
      here = cts.open("inflight=64");
      owners = List.of(cts.openSecond(), cts.open());
      for (Device owner : owners) {
        theirs.add(cts.buffer(owner, owner == owners.get(0) ? bytes(PART) : guards()));
        imported.add(cts.closing(here.allocator().importPeer(theirs.get(theirs.size() - 1))));
      }
      kernel = cts.kernel(here, "absolute");
    }

    static byte[] guards() {
      return filled(PART, TestData.GUARD);
    }

    void enqueue(Use use, Fence waits, Fence signals) {
      DeviceBuffer from = imported.get(0);
      DeviceBuffer to = imported.get(1);
      DeviceQueue queue = here.queue(0);
      switch (use) {
        case COPY -> queue.copy(waits, signals, from, 0, to, 0, PART);
        case DISPATCH ->
            queue.dispatch(waits, signals, kernel, Workgroups.of(1), Args.of(from, to));
        case RECORDING, BINDING_TABLE -> {
          boolean isBound = use == Use.BINDING_TABLE;
          CommandBuffer commands =
              cts.closing(here.createCommandBuffer(CommandBuffer.Mode.ONE_SHOT));
          commands.copy(isBound ? Slot.of(0) : from, 0, isBound ? Slot.of(1) : to, 0, PART);
          commands.end();
          queue.execute(
              waits, signals, commands, isBound ? BindingTable.of(from, to) : BindingTable.EMPTY);
        }
      }
    }
  }

  @ParameterizedTest
  @MethodSource("uses")
  @Rule({"S9b", "Q8"})
  @Needs(Need.PEER_MEMORY)
  void theCloseOfEitherOwnerWaitsForTheOperation(Use use, Culprits culprits, Cts cts)
      throws Exception {
    Lent lent = new Lent(cts);
    TimelineSemaphore done = cts.semaphore();
    Blocker blocker = new Blocker(cts, lent.here.queue(0));
    lent.enqueue(use, blocker.timepoint(), done.at(1));
    // An operation counts as issued when its turn has come, so the next one shows that it is.
    lent.here.queue(0).barrier(blocker.timepoint(), Fence.NONE);
    awaitStatistics("the operation to be issued", lent.here, now -> now.issued() == 3);
    List<Task<?>> closing = new ArrayList<>();
    for (int culprit : culprits.which()) {
      Device owner = lent.owners.get(culprit);
      closing.add(Task.run("close-" + culprit, owner::close));
      awaitTrue("owner " + culprit + " to be closing", owner::isClosed);
    }
    assertStaysPending(done.at(1));
    for (Task<?> task : closing) {
      assertTrue(task.isRunning(), "close() returned while work used the device's memory");
    }
    blocker.release();
    awaitReached(done, 1);
    for (Task<?> task : closing) {
      task.join();
    }
    if (!culprits.has(1) && use != Use.DISPATCH) {
      assertBytes(bytes(PART), cts.read(lent.theirs.get(1)), "the target");
    }
    assertNull(lent.here.lostCause());
  }

  @ParameterizedTest
  @MethodSource("uses")
  @Rule({"S9b", "Q6"})
  @Needs(Need.PEER_MEMORY)
  void aClosedOwnerFailsTheOperation(Use use, Culprits culprits, Cts cts) {
    Lent lent = new Lent(cts);
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore one = cts.semaphore();
    TimelineSemaphore two = cts.semaphore();
    lent.enqueue(use, go.at(1), one.at(1).and(two.at(1)));
    culprits.which().forEach(culprit -> lent.owners.get(culprit).close());
    assertPending(one, 1);
    go.signal(1);
    for (TimelineSemaphore signal : List.of(one, two)) {
      HalException failure = awaitFailure(signal, 1, Status.FAILED_PRECONDITION);
      assertHal(Status.FAILED_PRECONDITION, failure, "whose memory", "closed");
      assertNotNull(failure.operation(), failure::toString);
    }
    for (int sound : culprits.others()) {
      assertBytes(
          sound == 0 ? bytes(PART) : Lent.guards(),
          cts.read(lent.theirs.get(sound)),
          "the memory of the owner that is open");
    }
    awaitRetired(lent.here);
    assertNull(lent.here.lostCause());
  }
}
