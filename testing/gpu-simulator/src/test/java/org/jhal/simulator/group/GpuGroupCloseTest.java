// SPDX-License-Identifier: Apache-2.0
package org.jhal.simulator.group;

import static org.jhal.cts.support.Waits.awaitRetired;
import static org.jhal.cts.support.Waits.awaitTrue;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.jhal.Device;
import org.jhal.Fence;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.cts.support.Task;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Devices that close while a part of their group hangs: each close gives up waiting, and memory in
 * use is freed later.
 */
@ParameterizedClass
@MethodSource("org.jhal.simulator.group.CollectiveVersions#newestAnd21300")
class GpuGroupCloseTest extends SimulatedGroups {
  GpuGroupCloseTest(int version) {
    super(version);
  }

  /** Memory that the other rank's kernel still uses is kept until that kernel has ended. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void closingADevicePastItsTimeoutKeepsMemoryInUse(int closed) {
    Device[] devices = {open(0), open(1)};
    SummingGroup group = new SummingGroup(devices);
    collectives().stall(1 - closed);
    collectives().hangAbort(0);
    collectives().hangAbort(1);
    List<TimelineSemaphore> ends = group.start(Fence.NONE);
    awaitLaunched(1);
    devices[closed].close();
    assertAllFail(ends.subList(1 - closed, 2 - closed), Status.DEADLINE_EXCEEDED, "was closed");
    collectives().go(1 - closed); // it runs at last, and all its memory is still there
    awaitRetired(devices[0]);
    assertEquals(List.of(), collectives().misuses());
    collectives().releaseAbort(0);
    collectives().releaseAbort(1);
    group.close();
  }

  /** The abort may use the memory until it returns. */
  @Test
  void memoryThatAnAbortHoldsIsFreedWhenItReturns() throws Exception {
    int hanging = 0;
    Device[] devices = {openHasty(0), openHasty(1)};
    SummingGroup group = new SummingGroup(SHORT, devices);
    collectives().stall(1);
    collectives().hangAbort(hanging);
    assertAllFail(group.start(Fence.NONE), Status.DEADLINE_EXCEEDED, "deadline");
    awaitTrue("the loss", () -> devices[hanging].lostCause() != null);
    group.close();
    Task<?> closing = Task.run("close", devices[0]::close);
    devices[1].close();
    var unused = closing.join();
    awaitTrue("the end of the other rank", () -> collectives().live() == 1);
    collectives().releaseAbort(hanging);
    awaitFreed();
  }

  /** The device's close does not wait for the hanging rank, and other devices continue. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void closesItsDevicesAlthoughARankNeverEnds(int hanging) throws Exception {
    Device here = open(0);
    Device there = open(1);
    SummingGroup.checkUsable(here, there);
    String end = isBlocking() ? "ncclCommDestroy" : "@finalize";
    collectives().hang(end, hanging);
    Task<?> closing = Task.run("close", there::close);
    var unused = closing.join();
    collectives().release(end, hanging);
    awaitNoCommunicators();
    assertEquals(List.of(), collectives().misuses());
  }
}
