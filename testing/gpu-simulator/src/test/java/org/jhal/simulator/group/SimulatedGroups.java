// SPDX-License-Identifier: Apache-2.0
package org.jhal.simulator.group;

import static org.jhal.cts.support.TestData.assertHal;
import static org.jhal.cts.support.Waits.assertPending;
import static org.jhal.cts.support.Waits.awaitFailure;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.jhal.cts.support.Waits.awaitTrue;
import static org.jhal.cts.support.Waits.becomesTrue;
import static org.jhal.cts.support.Waits.isOver;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jhal.BufferParams;
import org.jhal.CollectiveGroup.Options;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.cts.faults.FaultLog;
import org.jhal.simulator.SimulatedCollectives;
import org.jhal.simulator.SimulatedLibrary;
import org.jhal.simulator.fixture.HeldStream;
import org.jhal.simulator.fixture.NativeDeadline;
import org.jhal.simulator.fixture.SimulatedDevices;
import org.jhal.simulator.fixture.SimulatedGpu;
import org.jhal.spi.DurationText;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Groups of simulated devices whose ranks, aborts and streams may be held. After each test,
 * everything must have been released.
 */
@Timeout(60)
public abstract class SimulatedGroups {
  /**
   * For tests that wait for the deadline, or for longer. On a busy machine, communicators are still
   * made within it, and collectives that do not stall end.
   */
  static final Options SHORT = Options.DEFAULT.withDeadline(Duration.ofMillis(2500));

  /** What a failure at that deadline says. */
  static final String LATE = "deadline of " + DurationText.of(SHORT.deadline());

  /** Before this version, the library's calls block until creation and launches are over. */
  private static final int NON_BLOCKING = 21400;

  /** Before this version, each rank is aborted by itself. */
  private static final int ABORTS_TOGETHER = 22200;

  @RegisterExtension final SimulatedDevices sim = new SimulatedDevices();
  private final SimulatedGpu gpu = sim.gpu();
  private final int version;
  final String name = sim.driver().name();
  final List<Device> opened = new ArrayList<>();
  private final List<HeldStream> held = new ArrayList<>();
  final FaultLog log = new FaultLog();
  private final NativeDeadline deadline = new NativeDeadline();
  private String before = ""; // the file of the library

  SimulatedGroups() {
    this(SimulatedLibrary.NEWEST_COLLECTIVES);
  }

  /**
   * With some version of the library.
   *
   * @param version as in {@link SimulatedLibrary#collectives}
   */
  SimulatedGroups(int version) {
    this.version = version;
  }

  @BeforeEach
  final void begin() {
    before = System.getProperty(gpu.collectivesProperty(), "");
    System.setProperty(gpu.collectivesProperty(), gpu.collectives(version).path().toString());
    deadline.begin(sim.simulator()); // the library is compiled by now
  }

  @AfterEach
  final void end() {
    letAllGo(); // if the test has failed half-way
    try {
      held.forEach(HeldStream::close);
      opened.forEach(Device::close);
      awaitFreed();
    } finally {
      System.setProperty(gpu.collectivesProperty(), before);
      deadline.end();
      log.close();
    }
  }

  /** Whether the calls of this version block, so that a hanging call cannot be abandoned. */
  boolean isBlocking() {
    return version < NON_BLOCKING;
  }

  void assumeNotBlocking() {
    assumeFalse(isBlocking(), "the calls of this version of the library block");
  }

  boolean abortsTogether() {
    return version >= ABORTS_TOGETHER;
  }

  /** The function that creates communicators. */
  String making() {
    return isBlocking() ? "ncclCommInitAll" : "ncclCommInitRankConfig";
  }

  void letAllGo() {
    for (int rank = 0; rank < 4; rank++) {
      collectives().go(rank);
      collectives().releaseAbort(rank);
      sim.simulator().resume(rank, 0);
    }
  }

  void awaitFreed() {
    awaitTrue("all to be freed, of " + sim.live(), () -> sim.live().isEmpty());
  }

  SimulatedCollectives collectives() {
    return SimulatedCollectives.of(sim.simulator());
  }

  /** The device is closed at the end of the test at the latest. */
  Device open(int index, String options) {
    Device device = sim.open(name + "://" + index + "?queues=1&close-timeout=300ms" + options);
    opened.add(device);
    return device;
  }

  Device open(int index) {
    return open(index, "");
  }

  /** A device that is lost soon if its part in a collective does not end. */
  Device openHasty(int index) {
    return open(index, "&abort-timeout=400ms");
  }

  /** The same, with enough time for a part that does end. */
  Device openLessHasty(int index) {
    return open(index, "&abort-timeout=3s");
  }

  /** A device whose close waits longer than any test. */
  Device openPatient(int index) {
    Device device = sim.open(name + "://" + index + "?queues=1&close-timeout=600s");
    opened.add(device);
    return device;
  }

  /** A device that is no rank; it is on the second one's GPU. */
  Device openApart() {
    return open(1);
  }

  HeldStream hold(Device device) {
    HeldStream made = new HeldStream(sim.simulator(), device);
    held.add(made);
    return made;
  }

  long launches() {
    return collectives().launches();
  }

  void awaitLaunched(int groups) {
    awaitTrue(groups + " launches", () -> launches() == groups);
  }

  long aborts() {
    return collectives().calls().getOrDefault("ncclCommAbort", 0L);
  }

  void awaitNoCommunicators() {
    awaitTrue("the end of all communicators", () -> collectives().live() == 0);
  }

  /** Both ranks, and nothing is left of the group's graphs. */
  void assertAborted() {
    awaitNoCommunicators();
    assertEquals(2, aborts());
    assertEquals(0, collectives().captured());
  }

  static Fence all(List<TimelineSemaphore> ends) {
    Fence all = Fence.NONE;
    for (TimelineSemaphore end : ends) {
      all = all.and(end.at(1));
    }
    return all;
  }

  static void assertAllFail(List<TimelineSemaphore> ends, Status status, String... parts) {
    for (TimelineSemaphore end : ends) {
      assertHal(status, awaitFailure(end, 1), parts);
    }
  }

  static void assertEnded(SummingGroup group, Status status, String... parts) {
    awaitTrue("the group to end", () -> group.group.failure() != null);
    assertHal(status, present(group.group.failure()), parts);
  }

  /** Watches a group with the deadline {@link #SHORT} for longer than that. */
  static void assertNotLate(SummingGroup group, List<TimelineSemaphore> ends) {
    assertFalse(
        becomesTrue(SHORT.deadline().plusSeconds(1), () -> group.group.failure() != null),
        () -> "the group has ended: " + group.group.failure());
    ends.forEach(end -> assertPending(end, 1));
  }

  static HalException present(@Nullable HalException failure) {
    assertNotNull(failure);
    return failure;
  }

  static void assertNoneLost(Device... devices) {
    for (Device device : devices) {
      assertNull(device.lostCause());
    }
  }

  /** Adds work, since the loss of a device that has only its part would not be detected. */
  static boolean isLost(Device device) {
    try (DeviceBuffer buffer = device.allocate(4, BufferParams.DEVICE);
        TimelineSemaphore done = device.createSemaphore(0)) {
      device.queue(0).fill(Fence.NONE, done.at(1), buffer, 0, 4, FillPattern.of8(1));
      awaitTrue("a fill", () -> isOver(done, 1));
    } catch (HalException e) {
      assertHal(Status.UNAVAILABLE, e);
    }
    return device.lostCause() != null;
  }

  /** Waits until earlier work of the queues is over. */
  static void flush(Device device) {
    try (TimelineSemaphore done = device.createSemaphore(0)) {
      device.queue(0).barrier(Fence.NONE, done.at(1));
      awaitReached(done, 1);
    }
  }
}
