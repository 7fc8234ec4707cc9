// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.collective;

import static org.jhal.cts.support.TestData.assertHal;
import static org.jhal.cts.support.Waits.assertPending;
import static org.jhal.cts.support.Waits.assertStaysPending;
import static org.jhal.cts.support.Waits.awaitFailure;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.jhal.cts.support.Waits.awaitSet;
import static org.jhal.cts.support.Waits.awaitStatistics;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jhal.CollectiveGroup;
import org.jhal.Device;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.HostCall;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.cts.Need;
import org.jhal.cts.Needs;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.ExternalCommands;
import org.jhal.cts.support.Task;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Closing groups, and devices that are in groups (rules G3 and Q8). */
@CtsSuite
@Needs(Need.SECOND_DEVICE)
class CollectiveCloseTest {
  private static final String SHORT = "close-timeout=300ms";

  @Test
  @Rule("G3")
  void closingTheGroupCancelsParkedCollectives(Cts cts) {
    GroupFixture group = new GroupFixture(cts);
    TimelineSemaphore start = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    group.sum(start.at(1), done.at(1));
    assertFalse(group.group.isClosed());
    group.group.close();
    assertTrue(group.group.isClosed());
    assertNull(group.group.failure());
    assertHal(Status.CANCELLED, awaitFailure(done, 1), "closed");
    start.signal(1);
    TimelineSemaphore unused = cts.semaphore();
    assertHal(
        Status.FAILED_PRECONDITION, () -> group.sum(Fence.NONE, unused.at(1)), "group", "closed");
    group.group.close(); // does nothing
    new GroupFixture(cts, group.devices).checkWorks();
    group.checkUnwritten();
  }

  @Test
  @Rule("G3")
  @Needs(Need.CONTROLS)
  void closingTheGroupWaitsForCollectivesThatHaveBegun(Cts cts) throws Exception {
    GroupFixture group = new GroupFixture(cts, cts.ownRanks(2));
    TimelineSemaphore done = cts.semaphore();
    group.hold(1);
    group.sum(Fence.NONE, done.at(1));
    group.awaitUnderWay(1);
    Task<?> first = Task.run("close", group.group::close);
    Task<?> second = Task.run("close-too", group.group::close);
    first.awaitBlocked();
    second.awaitBlocked();
    assertStaysPending(done.at(1));
    assertTrue(first.isRunning() && second.isRunning(), "a close did not wait");
    group.letGo(1);
    first.join();
    second.join();
    awaitReached(done, 1);
    group.checkSum();
  }

  @Test
  @Rule("G3")
  @Needs(Need.CONTROLS)
  void closingTheGroupFailsCollectivesAtTheCloseTimeout(Cts cts) {
    GroupFixture group = new GroupFixture(cts, cts.ownRanks(2, SHORT));
    cts.allowLog("its native resources are given back later"); // the timeout is their devices' too
    TimelineSemaphore done = cts.semaphore();
    group.hold(1);
    group.sum(Fence.NONE, done.at(1));
    group.awaitUnderWay(1);
    group.group.close();
    assertHal(Status.DEADLINE_EXCEEDED, awaitFailure(done, 1), "closed", "within 0.3 s");
    group.letGo(1);
    group.awaitIdle();
    new GroupFixture(cts, group.devices).checkWorks();
  }

  @Test
  @Rule("G3")
  void closingRacesWithCollectiveCalls(Cts cts) throws Exception {
    for (int round = 0; round < 5; round++) {
      GroupFixture group = new GroupFixture(cts);
      TimelineSemaphore last = cts.semaphore();
      Task<?> caller =
          Task.run(
              "caller",
              () -> {
                for (int i = 1; i < 1_000_000; i++) {
                  TimelineSemaphore done = group.devices.get(0).createSemaphore(0);
                  try {
                    group.sum(Fence.NONE, done.at(1));
                  } catch (HalException closed) {
                    assertHal(Status.FAILED_PRECONDITION, closed, "closed");
                    done.close();
                    last.signal(1);
                    return;
                  }
                  awaitReached(done, 1); // it has no waits, so a close waits for it
                  done.close();
                }
              });
      Task<?> first = Task.run("close", group.group::close);
      Task<?> second = Task.run("close-too", group.group::close);
      first.join();
      second.join();
      caller.join();
      awaitReached(last, 1);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  @Rule({"G3", "Q8"})
  void closingADeviceCancelsParkedCollectives(int closed, Cts cts) {
    List<Device> devices = cts.ownRanks(3);
    GroupFixture group = new GroupFixture(cts, devices.subList(0, 2));
    GroupFixture other = new GroupFixture(cts, List.of(devices.get(1 - closed), devices.get(2)));
    TimelineSemaphore start = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    group.sum(start.at(1), done.at(1));
    devices.get(closed).close();
    assertHal(Status.CANCELLED, awaitFailure(done, 1), "closed");
    start.signal(1);
    TimelineSemaphore unused = cts.semaphore();
    assertHal(Status.FAILED_PRECONDITION, () -> group.sum(Fence.NONE, unused.at(1)), "was closed");
    HalException ended = group.group.failure();
    assertNotNull(ended);
    assertHal(Status.FAILED_PRECONDITION, ended, "was closed");
    other.checkWorks();
    other.awaitIdle(); // it has the device that is open
    group.checkUnwritten(1 - closed);
    group.group.close(); // the devices first, the group later
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  @Rule({"G3", "Q8"})
  @Needs(Need.CONTROLS)
  void closingADeviceWaitsForCollectivesThatHaveBegun(int closed, Cts cts) throws Exception {
    GroupFixture group = new GroupFixture(cts, cts.ownRanks(2));
    TimelineSemaphore done = cts.semaphore();
    group.hold(1 - closed);
    group.sum(Fence.NONE, done.at(1));
    group.awaitUnderWay(1 - closed);
    Task<?> closing = Task.run("close", group.devices.get(closed)::close);
    closing.awaitBlocked();
    assertStaysPending(done.at(1));
    assertTrue(closing.isRunning(), "the close of a device did not wait");
    group.letGo(1 - closed);
    closing.join();
    awaitReached(done, 1);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  @Rule({"G3", "G4", "Q8"})
  @Needs(Need.CONTROLS)
  void closingADeviceFailsCollectivesAtTheCloseTimeout(int closed, Cts cts) {
    cts.allowWarnings(); // a close that gives up is logged
    GroupFixture group = new GroupFixture(cts, cts.ownRanks(2, SHORT, "validate=off"));
    TimelineSemaphore done = cts.semaphore();
    TimelineSemaphore next = cts.semaphore();
    group.hold(1 - closed);
    group.sum(Fence.NONE, done.at(1));
    group.sum(Fence.NONE, next.at(1));
    group.awaitUnderWay(1 - closed);
    awaitStatistics(
        "both to begin", group.devices.get(0), now -> now.parked() == 0 && now.ready() == 0);
    group.devices.get(closed).close();
    assertHal(Status.DEADLINE_EXCEEDED, awaitFailure(done, 1), "closed", "within 0.3 s");
    assertHal(Status.DEADLINE_EXCEEDED, awaitFailure(next, 1), "closed", "within 0.3 s");
    HalException ended = group.group.failure();
    assertNotNull(ended);
    assertHal(Status.FAILED_PRECONDITION, ended, "was closed");
    group.letGo(1 - closed);
  }

  @Test
  @Rule({"G3", "Q8"})
  void groupsMayBeClosedAfterTheirDevices(Cts cts) {
    List<Device> devices = cts.ownRanks(2);
    CollectiveGroup used = CollectiveGroup.of(devices, CollectiveGroup.Options.DEFAULT);
    CollectiveGroup never = CollectiveGroup.of(devices.get(1), devices.get(0));
    devices.get(1).close();
    devices.get(0).close();
    used.close();
    used.close();
    assertTrue(used.isClosed());
    assertNotNull(never.failure());
    assertHal(
        Status.FAILED_PRECONDITION,
        () -> CollectiveGroup.of(devices.get(0), devices.get(1)),
        "rank 0",
        "closed");
  }

  /** A closed group says so, whatever it has ended with before. */
  private static void assertSaysThatItIsClosed(GroupFixture group, Cts cts) {
    HalException before = group.group.failure();
    group.group.close();
    TimelineSemaphore unused = cts.semaphore();
    assertHal(
        Status.FAILED_PRECONDITION,
        () -> group.sum(Fence.NONE, unused.at(1)),
        "group",
        "is closed");
    assertPending(unused, 1);
    assertSame(before, group.group.failure());
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  @Rule("G3")
  void aClosedGroupOfAClosedDeviceSaysThatItIsClosed(int closed, Cts cts) {
    GroupFixture group = new GroupFixture(cts, cts.ownRanks(2));
    group.devices.get(closed).close();
    assertSaysThatItIsClosed(group, cts);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  @Rule({"G3", "Q7"})
  @Needs(Need.CONTROLS)
  void aClosedGroupOfALostDeviceSaysThatItIsClosed(int lost, Cts cts) {
    GroupFixture group = new GroupFixture(cts, cts.ownRanks(2));
    cts.allowWarnings();
    cts.controls(group.devices.get(lost))
        .loseDevice(new HalException(Status.UNAVAILABLE, "it fell off"));
    group.assertEnded(Status.UNAVAILABLE);
    assertSaysThatItIsClosed(group, cts);
  }

  @Test
  @Rule("G3")
  void creatingAndClosingGroupsIsRejectedInCallbacksAndHostCalls(Cts cts) {
    GroupFixture group = new GroupFixture(cts);
    AtomicReference<@Nullable HalException> made = new AtomicReference<>();
    AtomicReference<@Nullable HalException> closed = new AtomicReference<>();
    Runnable both =
        () -> {
          made.set(thrownBy(() -> CollectiveGroup.of(cts.device())));
          closed.set(thrownBy(group.group::close));
        };
    TimelineSemaphore timeline = cts.semaphore();
    var unused = timeline.onReach(1, failure -> both.run());
    timeline.signal(1);
    assertHal(Status.FAILED_PRECONDITION, awaitSet("a callback", made), "callback");
    assertHal(Status.FAILED_PRECONDITION, awaitSet("a callback", closed), "callback");
    made.set(null);
    closed.set(null);
    cts.queue()
        .hostCall(timeline.at(1), timeline.at(2), HostCall.Mode.BLOCKING, call -> both.run());
    awaitReached(timeline, 2);
    assertHal(Status.FAILED_PRECONDITION, awaitSet("a host call", made), "host call");
    assertHal(Status.FAILED_PRECONDITION, awaitSet("a host call", closed), "host call");
    group.checkWorks();
  }

  @Test
  @Rule({"G3", "Q11"})
  void creatingAndClosingGroupsIsRejectedInExternalWork(Cts cts) {
    var unused = new ExternalCommands(cts, cts.device());
    GroupFixture group = new GroupFixture(cts);
    AtomicReference<@Nullable HalException> made = new AtomicReference<>();
    AtomicReference<@Nullable HalException> closed = new AtomicReference<>();
    TimelineSemaphore done = cts.semaphore();
    cts.queue()
        .external(
            Fence.NONE,
            done.at(1),
            List.of(),
            context -> {
              made.set(thrownBy(() -> CollectiveGroup.of(cts.device())));
              closed.set(thrownBy(group.group::close));
            });
    awaitReached(done, 1);
    assertHal(Status.FAILED_PRECONDITION, awaitSet("external work", made), "external work");
    assertHal(Status.FAILED_PRECONDITION, awaitSet("external work", closed), "external work");
    group.checkWorks();
  }

  private static @Nullable HalException thrownBy(Runnable call) {
    try {
      call.run();
      return null;
    } catch (HalException e) {
      return e;
    }
  }
}
