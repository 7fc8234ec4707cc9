// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.queue;

import static org.jhal.cts.support.TestData.assertBytes;
import static org.jhal.cts.support.TestData.assertHal;
import static org.jhal.cts.support.TestData.ints;
import static org.jhal.cts.support.Waits.assertStaysPending;
import static org.jhal.cts.support.Waits.awaitFailure;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.jhal.cts.support.Waits.awaitTrue;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.jhal.AcquiredQueue;
import org.jhal.Args;
import org.jhal.Capability;
import org.jhal.CommandBuffer;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceFile;
import org.jhal.DeviceQueue;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.HalException;
import org.jhal.HostCall;
import org.jhal.QueueGrant;
import org.jhal.QueueRequest;
import org.jhal.QueueRequest.Priority;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.Workgroups;
import org.jhal.cts.FreshDevice;
import org.jhal.cts.Need;
import org.jhal.cts.Needs;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Blocker;
import org.jhal.cts.support.Commands;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.HeldOperation;
import org.jhal.cts.support.OperationKind;
import org.jhal.cts.support.Task;
import org.jhal.cts.support.TestData;
import org.jhal.cts.support.TestFolder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Queues that a program acquires, with a priority and a share: rule Q12. */
@CtsSuite
class QueueRankTest {
  private static final QueueRequest HIGH = QueueRequest.DEFAULT.withPriority(Priority.HIGH);

  @ParameterizedTest
  @EnumSource
  @Rule("Q12")
  void runsOperationsOfAllKinds(OperationKind kind, Cts cts) {
    kind.need(cts);
    AcquiredQueue queue = cts.closing(cts.device().acquireQueue(HIGH));
    DeviceBuffer buffer = cts.buffer(16);
    TimelineSemaphore timeline = cts.semaphore();
    kind.enqueue(cts, queue, timeline.at(1), timeline.at(2), buffer);
    kind.enqueue(cts, cts.queue(), timeline.at(2), timeline.at(3), buffer);
    kind.enqueue(cts, queue, timeline.at(3), timeline.at(4), buffer);
    assertStaysPending(timeline.at(2));
    timeline.signal(1);
    awaitReached(timeline, 4);
  }

  @ParameterizedTest
  @EnumSource
  @Rule("Q12")
  void theQueueSaysWhatItGot(Priority priority, Cts cts) {
    QueueRequest request = QueueRequest.DEFAULT.withPriority(priority).withName("a.test-of_names");
    try (AcquiredQueue queue = cts.device().acquireQueue(request)) {
      assertEquals(request, queue.request());
      QueueGrant granted = queue.granted();
      boolean hasPriorities = cts.device().capabilities().contains(Capability.QUEUE_PRIORITY);
      boolean isGranted = granted.priority() == priority;
      assertTrue(isGranted || granted.priority() == Priority.NORMAL, granted.toString());
      assertTrue(!isGranted || hasPriorities || priority == Priority.NORMAL, granted.toString());
      assertTrue(isGranted || !hasPriorities || priority == Priority.LOW, granted.toString());
      assertEquals(0, granted.computeUnits());
      assertEquals(0, granted.share());
      assertFalse(granted.isExclusive());
      assertEquals(cts.device(), queue.device());
      assertTrue(queue.index() >= cts.device().queueCount(), "index " + queue.index());
      assertTrue(queue.toString().endsWith("-a.test-of_names"), queue.toString());
      assertFalse(queue.isClosed());
      assertEquals(0, queue.openOperations());
    }
  }

  @Test
  @Rule("Q12")
  @FreshDevice
  @Needs(capabilities = Capability.QUEUE_SHARE)
  void aShareIsTakenFromTheOthers(Cts cts) {
    try (AcquiredQueue queue = cts.device().acquireQueue(QueueRequest.DEFAULT.withShare(0.5))) {
      QueueGrant granted = queue.granted();
      assertTrue(granted.computeUnits() > 0, granted.toString());
      assertTrue(granted.computeUnits() < granted.deviceComputeUnits(), granted.toString());
      assertEquals(
          (double) granted.computeUnits() / granted.deviceComputeUnits(), granted.share(), 1e-9);
      fillOn(cts, List.of(queue, cts.queue(), queue, cts.queue()));
    }
    fillOn(cts, List.of(cts.queue()));
  }

  /**
   * Runs a kernel on each queue behind that on the one before, and reads what they have written.
   */
  private static void fillOn(Cts cts, List<? extends DeviceQueue> queues) {
    TimelineSemaphore timeline = cts.semaphore();
    DeviceBuffer ids = cts.buffer(12 * 64 * queues.size());
    for (int i = 0; i < queues.size(); i++) {
      queues
          .get(i)
          .dispatch(
              timeline.at(i),
              timeline.at(i + 1),
              cts.kernel("write_group_ids"),
              Workgroups.of(64),
              Args.of(ids.slice(12L * 64 * i, 12 * 64)));
    }
    awaitReached(timeline, queues.size());
    byte[] each = ints(3 * 64, i -> i % 3 == 0 ? i / 3 : 0);
    for (int i = 0; i < queues.size(); i++) {
      assertBytes(each, cts.read(ids, 12L * 64 * i, 12 * 64), "what queue " + i + " has written");
    }
  }

  @Test
  @Rule("Q12")
  @FreshDevice
  @Needs(capabilities = Capability.QUEUE_SHARE)
  void moreThanTheDeviceIsRefused(Cts cts) {
    Device device = cts.device();
    AcquiredQueue most = cts.closing(device.acquireQueue(QueueRequest.DEFAULT.withShare(0.75)));
    assertHal(
        Status.RESOURCE_EXHAUSTED,
        () -> device.acquireQueue(QueueRequest.DEFAULT.withShare(0.5)),
        "a share of 0.5",
        "0.75",
        String.valueOf(most.granted().deviceComputeUnits()));
    QueueGrant granted = most.granted();
    most.close();
    try (AcquiredQueue again = device.acquireQueue(QueueRequest.DEFAULT.withShare(0.75))) {
      assertEquals(granted, again.granted());
    }
    try (AcquiredQueue all = device.acquireQueue(QueueRequest.DEFAULT.withShare(1))) {
      assertTrue(
          all.granted().computeUnits() < all.granted().deviceComputeUnits(),
          "something must be left for the other queues: " + all.granted());
      assertHal(
          Status.RESOURCE_EXHAUSTED,
          () -> device.acquireQueue(QueueRequest.DEFAULT.withShare(0.001)));
      fillOn(cts, List.of(all, cts.queue()));
    }
  }

  @Test
  @Rule("Q12")
  void aShareOfADeviceWithoutSharesIsUnimplemented(Cts cts) {
    if (cts.device().capabilities().contains(Capability.QUEUE_SHARE)) {
      throw Cts.unsupported("the device offers " + Capability.QUEUE_SHARE);
    }
    HalException refused =
        assertHal(
            Status.UNIMPLEMENTED,
            () -> cts.device().acquireQueue(QueueRequest.DEFAULT.withShare(0.5)),
            "share");
    String[] parts = String.valueOf(refused.getMessage()).split(": ", 2);
    assertTrue(parts.length == 2 && !parts[1].isBlank(), "no reason: " + refused.getMessage());
  }

  @Test
  @Rule("Q12")
  @FreshDevice
  void moreQueuesThanTheLimitAreRefused(Cts cts) {
    Device device = cts.device();
    int most =
        Math.min(Device.MAX_ACQUIRED_QUEUES, device.info().maxQueues() - device.queueCount());
    List<AcquiredQueue> queues = new ArrayList<>();
    Set<Integer> indexes = new HashSet<>();
    for (int i = 0; i < most; i++) {
      queues.add(device.acquireQueue(HIGH));
      indexes.add(queues.get(i).index());
    }
    assertEquals(most, indexes.size(), "different indexes");
    assertHal(
        Status.RESOURCE_EXHAUSTED, () -> device.acquireQueue(HIGH), "limit", String.valueOf(most));
    if (most > 0) {
      queues.get(most / 2).close();
      queues.set(most / 2, device.acquireQueue(HIGH));
      assertTrue(indexes.contains(queues.get(most / 2).index()), "the index that was given up");
    }
    queues.forEach(AcquiredQueue::close);
  }

  @Test
  @Rule("Q12")
  void aClosedQueueRefusesWork(Cts cts) {
    AcquiredQueue queue = cts.device().acquireQueue(HIGH.withName("short-lived"));
    TimelineSemaphore done = cts.semaphore();
    DeviceBuffer buffer = cts.buffer(16);
    queue.close();
    queue.close();
    assertTrue(queue.isClosed());
    for (OperationKind kind : OperationKind.of(cts, cts.device())) {
      assertHal(
          Status.FAILED_PRECONDITION,
          () -> kind.enqueue(cts, queue, Fence.NONE, done.at(1), buffer),
          "short-lived",
          "closed");
    }
    fillOn(cts, List.of(cts.queue()));
    assertEquals(0, done.value());
  }

  @Test
  @Rule("Q12")
  void closingCancelsParkedWorkAndWaitsForTheRest(Cts cts) throws Exception {
    AcquiredQueue queue = cts.device().acquireQueue(HIGH);
    TimelineSemaphore done = cts.semaphore();
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore parked = cts.semaphore();
    TimelineSemaphore behind = cts.semaphore();
    TimelineSemaphore elsewhere = cts.semaphore();
    HeldOperation held = new HeldOperation(cts, queue, Fence.NONE, done.at(1));
    held.awaitRunning();
    queue.barrier(go.at(1), parked.at(1));
    cts.queue().barrier(parked.at(1), behind.at(1));
    cts.queue().barrier(done.at(1), elsewhere.at(1));
    Task<?> closer = Task.run("closer", queue::close);
    awaitFailure(parked, 1, Status.CANCELLED);
    awaitFailure(behind, 1, Status.CANCELLED);
    assertStaysPending(done.at(1));
    assertTrue(closer.isRunning(), "close() returned while a host call ran");
    Task<?> second = Task.run("second-closer", queue::close);
    held.complete();
    closer.join();
    second.join();
    assertEquals(1, done.value(), "the value of the held operation when close() had returned");
    awaitReached(elsewhere, 1);
    assertEquals(0, queue.openOperations());
  }

  @Test
  @Rule("Q12")
  @Needs(Need.CONTROLS)
  void closingWaitsForIssuedWork(Cts cts) throws Exception {
    AcquiredQueue queue = cts.device().acquireQueue(HIGH);
    Blocker blocker = new Blocker(cts, queue);
    TimelineSemaphore behind = cts.semaphore();
    cts.queue().barrier(blocker.timepoint(), behind.at(1)); // may wait on the device
    Task<?> closer = Task.run("closer", queue::close);
    awaitTrue("the queue to be closing", queue::isClosed);
    assertStaysPending(blocker.timepoint());
    assertTrue(closer.isRunning(), "close() returned while work was in flight");
    blocker.release();
    awaitReached(behind, 1);
    closer.join();
  }

  @Test
  @Rule("Q12")
  @FreshDevice("close-timeout=100ms")
  void workThatDoesNotEndGoesOnBehindTheClose(Cts cts) {
    Device device = cts.device();
    int before = acquiredIndex(device);
    AcquiredQueue queue = device.acquireQueue(HIGH);
    TimelineSemaphore done = cts.semaphore();
    HeldOperation held = new HeldOperation(cts, queue, Fence.NONE, done.at(1));
    held.awaitRunning();
    cts.allowLog("closing queue");
    queue.close();
    assertStaysPending(done.at(1));
    held.complete();
    awaitReached(done, 1);
    awaitTrue("the operation to retire", () -> queue.openOperations() == 0);
    awaitTrue("the place to be free again", () -> acquiredIndex(device) == before);
  }

  private static int acquiredIndex(Device device) {
    try (AcquiredQueue queue = device.acquireQueue(HIGH)) {
      return queue.index();
    }
  }

  /** Parts of files and staging are those of the queue, whatever the others do. */
  @Test
  @Rule({"Q12", "M9"})
  @FreshDevice("queues=1")
  void filesDoNotWaitForOtherQueues(Cts cts) {
    byte[] content = TestData.bytes(9 << 20);
    TestFolder folder = new TestFolder(cts);
    DeviceFile file = folder.open(folder.file("some", content), StandardOpenOption.READ);
    DeviceBuffer buffer = cts.buffer(content.length);
    AcquiredQueue queue = cts.device().acquireQueue(HIGH);
    Blocker blocker = new Blocker(cts, cts.queue(0));
    TimelineSemaphore done = cts.semaphore();
    for (int i = 0; i < 6; i++) { // more than there are chunks
      queue.read(Fence.NONE, done.at(i + 1), file, 0, buffer, 0, content.length);
      awaitReached(done, i + 1);
    }
    assertStaysPending(blocker.timepoint());
    blocker.release();
    queue.close();
    assertBytes(content, cts.read(buffer), "what was read");
  }

  /** What the queue waits for may wait for the close of the device to begin. */
  @Test
  @Rule({"Q12", "Q8"})
  @FreshDevice
  void aCloseThatWaitsDelaysThatOfTheDeviceNoFurther(Cts cts) throws Exception {
    AcquiredQueue queue = cts.device().acquireQueue(HIGH);
    TimelineSemaphore done = cts.semaphore();
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore parked = cts.semaphore();
    HeldOperation held = new HeldOperation(cts, queue, Fence.NONE, done.at(1));
    held.awaitRunning();
    cts.queue().barrier(go.at(1), parked.at(1));
    var unused = parked.onReach(1, failure -> held.complete());
    Task<?> closer = Task.run("closer", queue::close);
    awaitTrue("the queue to be closing", queue::isClosed);
    cts.device().close();
    closer.join();
    awaitFailure(parked, 1, Status.CANCELLED);
    assertEquals(1, done.value(), "the value of the held operation");
  }

  @Test
  @Rule({"Q12", "Q8"})
  @FreshDevice
  void theDeviceClosesItsQueues(Cts cts) {
    Device device = cts.device();
    List<TimelineSemaphore> parked = new ArrayList<>();
    List<AcquiredQueue> queues = new ArrayList<>();
    TimelineSemaphore go = cts.semaphore();
    for (int i = 0; i < 3 && i < device.info().maxQueues() - device.queueCount(); i++) {
      queues.add(device.acquireQueue(HIGH));
      parked.add(cts.semaphore());
      queues.get(i).barrier(go.at(1), parked.get(i).at(1));
    }
    device.close();
    parked.forEach(one -> awaitFailure(one, 1, Status.CANCELLED));
    queues.forEach(queue -> assertTrue(queue.isClosed()));
    queues.forEach(AcquiredQueue::close);
    assertHal(Status.FAILED_PRECONDITION, () -> device.acquireQueue(HIGH), "closed");
    for (AcquiredQueue queue : queues) {
      assertHal(Status.FAILED_PRECONDITION, () -> queue.barrier(Fence.NONE, Fence.NONE), "closed");
    }
  }

  @Test
  @Rule("Q12")
  void closingInACallbackOrHostCallIsRejected(Cts cts) {
    AcquiredQueue queue = cts.closing(cts.device().acquireQueue(HIGH));
    TimelineSemaphore done = cts.semaphore();
    AtomicReference<HalException> inCall = new AtomicReference<>();
    AtomicReference<HalException> inCallback = new AtomicReference<>();
    HostCall close = context -> inCall.set(assertHal(Status.FAILED_PRECONDITION, queue::close));
    queue.hostCall(Fence.NONE, done.at(1), HostCall.Mode.BLOCKING, close);
    awaitReached(done, 1);
    done.onReach(2, failure -> inCallback.set(assertHal(Status.FAILED_PRECONDITION, queue::close)));
    done.signal(2);
    awaitTrue("both to have tried", () -> inCall.get() != null && inCallback.get() != null);
    assertFalse(queue.isClosed());
    fillOn(cts, List.of(queue));
  }

  @Test
  @Rule({"Q12", "Q5"})
  void queuesComeAndGoBesideOthersWork(Cts cts) {
    Device device = cts.device();
    long enqueued = device.statistics().enqueued();
    TimelineSemaphore timeline = cts.semaphore();
    DeviceBuffer buffer = cts.buffer(16);
    int rounds = 50;
    for (int i = 0; i < rounds; i++) {
      try (AcquiredQueue queue = device.acquireQueue(HIGH)) {
        cts.queue()
            .fill(timeline.at(3L * i), timeline.at(3L * i + 1), buffer, 0, 4, FillPattern.of(i));
        queue.copy(timeline.at(3L * i + 1), timeline.at(3L * i + 2), buffer, 0, buffer, 4, 4);
        // Issued with a wait on the device, for an event of a queue that is closed meanwhile.
        cts.queue().copy(timeline.at(3L * i + 2), timeline.at(3L * i + 3), buffer, 4, buffer, 8, 4);
      }
    }
    awaitReached(timeline, 3L * rounds);
    assertBytes(ints(rounds - 1, rounds - 1), cts.read(buffer, 4, 8), "what was copied last");
    awaitTrue(
        "the operations of closed queues to count",
        () -> device.statistics().enqueued() - enqueued >= 3L * rounds);
  }

  /** On some devices a graph of it is made for each queue. */
  @Test
  @Rule({"Q12", "K6"})
  void recordingsRunOnQueuesThatComeAndGo(Cts cts) {
    Commands commands = new Commands(cts, Commands.Form.DIRECT, CommandBuffer.Mode.REUSABLE);
    CommandBuffer buffer = commands.buffer();
    DeviceBuffer ids = cts.buffer(12 * 64);
    buffer.fill(ids, 0, 12 * 64, FillPattern.ZERO);
    buffer.barrier();
    buffer.dispatch(cts.kernel("write_group_ids"), Workgroups.of(64), Args.of(ids));
    byte[] expected = ints(3 * 64, i -> i % 3 == 0 ? i / 3 : 0);
    commands.run(cts.queue());
    boolean canShare = cts.device().capabilities().contains(Capability.QUEUE_SHARE);
    for (int round = 0; round < 4; round++) {
      QueueRequest request = round % 2 == 1 && canShare ? HIGH.withShare(0.25) : HIGH;
      try (AcquiredQueue queue = cts.device().acquireQueue(request)) {
        for (int i = 0; i < 4; i++) {
          cts.write(ids, 0, new byte[12 * 64]);
          commands.run(i % 2 == 0 ? queue : cts.queue());
          assertBytes(expected, cts.read(ids), "round " + round + ", run " + i);
        }
      }
    }
    commands.run(cts.queue());
    assertBytes(expected, cts.read(ids), "behind the last one");
  }

  @Test
  @Rule({"Q12", "Q7"})
  @FreshDevice
  @Needs(Need.CONTROLS)
  void aLostDeviceLosesTheWorkOfAcquiredQueues(Cts cts) {
    AcquiredQueue queue = cts.closing(cts.device().acquireQueue(HIGH));
    Blocker blocker = new Blocker(cts, queue);
    TimelineSemaphore parked = cts.semaphore();
    TimelineSemaphore go = cts.semaphore();
    queue.barrier(go.at(1), parked.at(1));
    cts.allowWarnings();
    cts.controls().loseDevice(new HalException(Status.UNAVAILABLE, "lost by a test"));
    awaitFailure(parked, 1, Status.UNAVAILABLE);
    awaitFailure(blocker.timepoint().semaphore(), 1, Status.UNAVAILABLE);
    assertHal(Status.UNAVAILABLE, () -> queue.barrier(Fence.NONE, Fence.NONE));
    assertHal(Status.UNAVAILABLE, () -> cts.device().acquireQueue(HIGH));
    queue.close();
  }
}
