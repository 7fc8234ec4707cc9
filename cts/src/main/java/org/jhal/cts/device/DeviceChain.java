// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.device;

import static org.jhal.cts.support.TestData.assertHal;
import static org.jhal.cts.support.Waits.assertStaysPending;
import static org.jhal.cts.support.Waits.awaitFailure;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.jhal.cts.support.Waits.awaitStatistics;
import static org.junit.jupiter.api.Assertions.assertNull;

import org.jhal.Device;
import org.jhal.Fence;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.cts.support.Blocker;
import org.jhal.cts.support.Cts;

/**
 * Work that is issued on three devices: the first one's is held, the second one's waits for it, and
 * the third one's for that.
 */
final class DeviceChain {
  /** For tests that check which work is issued, whatever the options of the device under test. */
  static final String ROOM = "inflight=64";

  final Device first;
  final Device second;
  final Device third;
  final Blocker held; // on the first device
  final Blocker elsewhere; // on the second device's last queue
  final TimelineSemaphore produced;
  final TimelineSemaphore consumed;
  final TimelineSemaphore last;
  final TimelineSemaphore go; // never signalled by the device
  final TimelineSemaphore parked; // on the second device
  final TimelineSemaphore unrelated; // on the second device

  static DeviceChain open(Cts cts) {
    return new DeviceChain(cts, cts.open(ROOM), cts.openSecond(ROOM, "queues=2"), cts.open(ROOM));
  }

  /** A chain of devices with these values of {@code close-timeout}. */
  static DeviceChain open(Cts cts, String first, String second, String third) {
    return new DeviceChain(
        cts,
        cts.open(ROOM, "close-timeout=" + first),
        cts.openSecond(ROOM, "queues=2", "close-timeout=" + second),
        cts.open(ROOM, "close-timeout=" + third));
  }

  private DeviceChain(Cts cts, Device first, Device second, Device third) {
    this.first = first;
    this.second = second;
    this.third = third;
    produced = cts.semaphore();
    consumed = cts.semaphore();
    last = cts.semaphore();
    go = cts.semaphore();
    parked = cts.semaphore();
    unrelated = cts.semaphore();
    held = new Blocker(cts, first.queue(0));
    elsewhere = new Blocker(cts, second.queue(1));
    first.queue(0).barrier(held.timepoint(), produced.at(1));
    second.queue(0).barrier(produced.at(1), consumed.at(1));
    third.queue(0).barrier(consumed.at(1), last.at(1));
    second.queue(1).barrier(elsewhere.timepoint(), unrelated.at(1));
    second.queue(1).barrier(Fence.of(consumed.at(1), go.at(1)), parked.at(1));
    awaitIssued(first, 2);
    awaitIssued(second, 3);
    awaitIssued(third, 1);
    assertStaysPending(Fence.of(produced.at(1), consumed.at(1), last.at(1), unrelated.at(1)));
  }

  static void awaitIssued(Device device, int count) {
    awaitStatistics(count + " operations to be issued", device, now -> now.issued() == count);
  }

  /**
   * The dependants fail with {@code status} once their streams are past the first device's work;
   * the rest of their devices goes on.
   */
  void assertDependantsFail(Status status, String part) {
    elsewhere.release();
    awaitReached("work that does not depend on that device", unrelated.at(1));
    held.release();
    assertHal(status, awaitFailure(consumed, 1), part);
    assertHal(status, awaitFailure(last, 1), part);
    assertHal(status, awaitFailure(parked, 1), part);
  }

  static void assertUsable(Cts cts, Device device) {
    assertNull(device.lostCause(), () -> "why " + device + " is lost");
    TimelineSemaphore works = cts.semaphore();
    for (int i = 0; i < device.queueCount(); i++) {
      device.queue(i).barrier(Fence.NONE, works.at(i + 1));
      awaitReached("work on a device that goes on", works.at(i + 1));
    }
  }
}
