// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.device;

import static org.jhal.cts.support.TestData.assertHal;
import static org.jhal.cts.support.Waits.awaitFailure;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.jhal.cts.support.Waits.awaitRetired;
import static org.jhal.cts.support.Waits.awaitStatistics;
import static org.junit.jupiter.api.Assertions.assertEquals;

import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.cts.Controls;
import org.jhal.cts.Need;
import org.jhal.cts.Needs;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Blocker;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.Peers;
import org.jhal.cts.support.Waits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How long memory is kept that other devices use, even through imports of imports (rule S9b). */
@CtsSuite
@Needs(Need.PEER_MEMORY)
class PeerImportLifeTest {
  private static final int BYTES = 4096;
  private static final String SHORT = "close-timeout=100ms";

  private static DeviceBuffer buffer(Cts cts, Device device) {
    return cts.buffer(device, BYTES, BufferParams.DEVICE);
  }

  private static DeviceBuffer imported(Cts cts, Device device, DeviceBuffer buffer) {
    return cts.closing(device.allocator().importPeer(buffer));
  }

  @Test
  @Rule("S9b")
  void anImportOfAnImportOutlivesTheDeviceBetween(Cts cts) {
    Device owner = cts.open();
    Device between = cts.openSecond();
    Device user = cts.open();
    DeviceBuffer middle = imported(cts, between, buffer(cts, owner));
    DeviceBuffer last = imported(cts, user, middle);
    between.close();
    TimelineSemaphore done = cts.semaphore();
    user.queue(0).fill(Fence.NONE, done.at(1), last, 0, BYTES, FillPattern.ZERO);
    awaitReached(done, 1);
  }

  @Test
  @Rule("S9b")
  void importingAnImportOfAClosedDeviceIsRejected(Cts cts) {
    Device owner = cts.open();
    Device between = cts.openSecond();
    Device user = cts.open();
    DeviceBuffer middle = imported(cts, between, buffer(cts, owner));
    between.close();
    assertHal(Status.FAILED_PRECONDITION, () -> imported(cts, user, middle));
  }

  /** The device in between and all buffers are closed while a stream uses the memory. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @Rule("S9b")
  @Needs(Need.CONTROLS)
  void memoryInUseIsKeptIfTheDeviceBetweenIsClosed(boolean isCopy, Cts cts) {
    Device owner = cts.open();
    Device between = cts.openSecond();
    Device user = cts.open();
    DeviceBuffer home = buffer(cts, owner);
    DeviceBuffer middle = imported(cts, between, home);
    DeviceBuffer last = imported(cts, user, middle);
    DeviceBuffer local = buffer(cts, user);
    TimelineSemaphore done = cts.semaphore();
    Blocker blocker = new Blocker(cts, user.queue(0));
    if (isCopy) {
      user.queue(0).copy(Fence.NONE, done.at(1), middle, 0, local, 0, BYTES);
    } else {
      user.queue(0).fill(Fence.NONE, done.at(1), last, 0, BYTES, FillPattern.ZERO);
    }
    user.queue(0).barrier(blocker.timepoint(), Fence.NONE);
    // An operation counts as issued when its turn has come. So when the next one counts, it has
    // been issued.
    awaitStatistics("the operation to be issued", user, now -> now.issued() == 3);
    home.close();
    middle.close();
    last.close();
    between.close();
    assertEquals(BYTES, owner.statistics().bytes(), "bytes that a stream uses");
    blocker.release();
    awaitReached(done, 1);
    awaitStatistics("the memory to be freed", owner, now -> now.bytes() == 0);
  }

  /** The close of a device fails a copy through the host, but a part of the copy still runs. */
  @Test
  @Rule("S9b")
  @Needs(Need.CONTROLS)
  void memoryInUseByAPartOfACopyIsKept(Cts cts) {
    cts.allowWarnings();
    cts.allowLeftovers();
    Device owner = cts.open(SHORT);
    Device between = cts.openSecond(SHORT);
    Device other = Peers.openAlone(cts);
    DeviceBuffer middle = imported(cts, between, buffer(cts, owner));
    DeviceBuffer target = buffer(cts, other);
    TimelineSemaphore done = cts.semaphore();
    Blocker blocker = new Blocker(cts, between.queue(0));
    other.queue(0).copy(Fence.NONE, done.at(1), middle, 0, target, 0, BYTES);
    awaitStatistics("the part to be issued", between, now -> now.issued() >= 2);
    between.close();
    assertHal(Status.DEADLINE_EXCEEDED, awaitFailure(done, 1), "closed");
    awaitRetired(other);
    owner.close();
    assertEquals(BYTES, owner.statistics().bytes(), "bytes that a stream uses");
    blocker.release();
    awaitStatistics("the memory to be freed", owner, now -> now.bytes() == 0);
  }

  /** The operation without an event retires only when its stream is idle. */
  @Test
  @Rule("S9b")
  @Needs(Need.CONTROLS)
  void aDeviceWithAnOperationWithoutAnEventReleasesImportedMemoryWhenClosed(Cts cts) {
    cts.allowWarnings();
    cts.allowLeftovers();
    Device owner = cts.open(SHORT);
    Device user = cts.openSecond(SHORT);
    useWithoutEvent(cts, user, imported(cts, user, buffer(cts, owner)));
    owner.close();
    user.close();
    awaitStatistics("the memory to be freed", owner, now -> now.bytes() == 0);
  }

  /** One has an operation without an event, and the other one whose event cannot be queried. */
  @Test
  @Rule("S9b")
  @Needs(Need.CONTROLS)
  void lostDevicesThatUseEachOthersMemoryCanBothBeClosed(Cts cts) {
    cts.allowWarnings();
    cts.allowLeftovers();
    Device one = cts.open(SHORT);
    Device two = cts.openSecond(SHORT);
    DeviceBuffer ofOne = buffer(cts, one);
    DeviceBuffer ofTwo = imported(cts, one, buffer(cts, two));
    TimelineSemaphore done = cts.semaphore();
    Blocker blocker = new Blocker(cts, one.queue(0));
    long issued = one.statistics().issued();
    one.queue(0).fill(Fence.NONE, done.at(1), ofTwo, 0, 16, FillPattern.ZERO);
    one.queue(0).barrier(Fence.NONE, done.at(2)); // counts as issued once the fill is in the stream
    awaitStatistics("the fill to be issued", one, now -> now.issued() > issued + 1);
    useWithoutEvent(cts, two, imported(cts, two, ofOne));
    cts.controls(one).failNext("queryEvent", 1, Status.INTERNAL, false);
    assertHal(Status.UNAVAILABLE, () -> done.await(1, Waits.LIMIT)); // while the stream is held
    one.close();
    two.close();
    blocker.release();
    awaitStatistics("the memory to be freed", one, now -> now.bytes() == 0);
    awaitStatistics("the memory to be freed", two, now -> now.bytes() == 0);
  }

  private static void useWithoutEvent(Cts cts, Device device, DeviceBuffer buffer) {
    Controls controls = cts.controls(device);
    controls.failNext("recordEvent", 1, Status.INTERNAL, false);
    TimelineSemaphore done = cts.semaphore();
    device.queue(0).fill(Fence.NONE, done.at(1), buffer, 0, 16, FillPattern.ZERO);
    assertHal(Status.UNAVAILABLE, awaitFailure(done, 1), "recordEvent");
  }

  /** A copy between devices has its own buffer over the other device's memory. */
  @Test
  @Rule("S9b")
  @Needs(Need.CONTROLS)
  void aCopyThatNeverRetiredDoesNotKeepTheOtherDevicesMemory(Cts cts) {
    cts.allowWarnings();
    cts.allowLeftovers();
    Device owner = cts.open();
    Device user = cts.openSecond();
    DeviceBuffer home = buffer(cts, owner);
    DeviceBuffer target = buffer(cts, user);
    cts.controls(user).failNext("recordEvent", 1, Status.INTERNAL, false);
    TimelineSemaphore done = cts.semaphore();
    user.queue(0).copy(Fence.NONE, done.at(1), home, 0, target, 0, BYTES);
    assertHal(Status.UNAVAILABLE, awaitFailure(done, 1), "recordEvent");
    user.close();
    home.close();
    awaitStatistics("the memory to be freed", owner, now -> now.bytes() == 0);
  }
}
