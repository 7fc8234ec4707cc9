// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.transfer;

import static org.jhal.cts.support.TestData.assertBytes;
import static org.jhal.cts.support.TestData.assertHal;
import static org.jhal.cts.support.TestData.bytes;
import static org.jhal.cts.support.TestData.filled;
import static org.jhal.cts.support.Waits.awaitFailure;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.cts.Controls;
import org.jhal.cts.Need;
import org.jhal.cts.Needs;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.Culprits;
import org.jhal.cts.support.Peers;
import org.jhal.cts.support.TestData;
import org.jhal.cts.support.Waits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The parts of copies between two devices. The devices share nothing, so that a copy goes through
 * the host.
 */
@CtsSuite
class DeviceCopyPartsTest {
  /** How long a test watches for something that need not, or must not, happen. */
  private static final Duration CHANCE = Duration.ofMillis(100);

  private static final int PARTS = 5;

  /** Copied in {@link #PARTS} parts, of which the last one is short. */
  private static final int PARTS_BYTES = 17 << 20;

  @Test
  @Rule({"S9", "Q7"})
  @Needs(Need.CONTROLS)
  void losingADeviceFailsARunningCopy(Cts cts) {
    Device broken = Peers.openAlone(cts);
    int size = 32 << 20;
    DeviceBuffer source = cts.buffer(broken, size, BufferParams.DEVICE);
    DeviceBuffer target = cts.buffer(size);
    TimelineSemaphore done = cts.semaphore();
    cts.controls(broken).pause(broken.queue(0)); // the copy begins and makes no progress
    cts.queue().copy(Fence.NONE, done.at(1), source, 0, target, 0, size);
    Waits.awaitTrue("the copy to reach the other device", () -> broken.statistics().issued() > 0);
    cts.allowWarnings();
    cts.controls(broken).loseDevice(new HalException(Status.UNAVAILABLE, "it fell off"));
    assertHal(Status.UNAVAILABLE, awaitFailure(done, 1), "it fell off");
    TimelineSemaphore after = cts.semaphore();
    cts.queue().barrier(Fence.NONE, after.at(1));
    awaitReached(after, 1);
  }

  /**
   * Two workers share each of these lengths unevenly, whatever power of two the size of a part is.
   * So one of them is done while the other one cannot read the rest.
   */
  @ParameterizedTest
  @ValueSource(ints = {3 << 18, 3 << 20, 3 << 22})
  @Rule({"S9", "Q9"})
  @Needs(Need.CONTROLS)
  void aCopySignalsOnlyWhenAllPartsAreWritten(int length, Cts cts) {
    Device from = Peers.openAlone(cts);
    Device to = Peers.openAlone(cts);
    byte[] data = bytes(length);
    DeviceBuffer source = cts.buffer(from, data);
    DeviceBuffer target = cts.buffer(to, filled(length, 0));
    TimelineSemaphore done = cts.semaphore();
    cts.controls(to).pause(to.queue(0));
    from.queue(0).copy(Fence.NONE, done.at(1), source, 0, target, 0, length);
    Waits.awaitTrue("the copy to reach the other device", () -> to.statistics().issued() > 0);
    cts.flush(from.queue(0)); // so that everything that can be read now is read
    cts.controls(from).pause(from.queue(0));
    cts.controls(to).resume(to.queue(0));
    Waits.awaitTrue("what was read to be written", () -> to.statistics().issued() == 0);
    if (Waits.becomesTrue(CHANCE, () -> done.value() >= 1)) {
      assertBytes(data, cts.read(target), "the target when the copy has signalled");
    }
    cts.controls(from).resume(from.queue(0));
    awaitReached(done, 1);
    assertBytes(data, cts.read(target), "the copy");
  }

  /** A read fails. Another part that was read before is then not written, or is. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @Rule({"S9", "Q7a"})
  @Needs(Need.CONTROLS)
  void aCopyReportsItsFirstFailure(boolean failsAgain, Cts cts) {
    Device from = Peers.openAlone(cts);
    Device to = Peers.openAlone(cts);
    byte[] data = bytes(PARTS_BYTES);
    DeviceBuffer source = cts.buffer(from, data);
    DeviceBuffer target = cts.buffer(to, filled(data.length, 0));
    TimelineSemaphore done = cts.semaphore();
    cts.allowWarnings();
    cts.controls(from).pause(from.queue(0));
    cts.controls(from).failNext("issue", 1, Status.ABORTED, false);
    to.queue(0).copy(Fence.NONE, done.at(1), source, 0, target, 0, data.length);
    Waits.awaitTrue("the copy to read its source", () -> from.statistics().issued() > 0);
    var unused = Waits.becomesTrue(CHANCE, () -> from.statistics().issued() > 1); // a second part
    cts.controls(to).pause(to.queue(0)); // the parts that were read are not written yet
    if (failsAgain) {
      cts.controls(to).failNext("issue", 1, Status.DATA_LOSS, false);
    }
    cts.controls(from).resume(from.queue(0));
    Waits.awaitRetired(from); // a read has failed
    cts.controls(to).resume(to.queue(0));
    awaitFailure(done, 1, Status.ABORTED);
  }

  /**
   * The write of the fourth part fails while the fifth part is being read, which then fails. The
   * first two parts are written before: the thread that starts the copy may still be at it when
   * they have failed.
   */
  @Test
  @Rule({"S9", "Q7a"})
  @Needs(Need.CONTROLS)
  void aCopyReportsAWriteThatFailsBeforeARead(Cts cts) {
    Device from = Peers.openAlone(cts);
    Device to = Peers.openAlone(cts);
    cts.needCall(from, "execute");
    byte[] data = bytes(PARTS_BYTES);
    DeviceBuffer source = cts.buffer(from, data);
    DeviceBuffer target = cts.buffer(to, filled(data.length, 0));
    TimelineSemaphore done = cts.semaphore();
    cts.allowWarnings();
    cts.controls(from).pause(from.queue(0));
    to.queue(0).copy(Fence.NONE, done.at(1), source, 0, target, 0, data.length);
    awaitReads(from);
    long issued = to.statistics().issued(); // the copy itself, perhaps
    writeTwoParts(cts, from, to, issued);
    cts.controls(to).resume(to.queue(0));
    awaitReads(from);
    writeTwoParts(cts, from, to, issued);
    cts.controls(from).failNext("execute", 1, Status.ABORTED, false);
    cts.controls(to).failNext("execute", 2, Status.DATA_LOSS, false);
    cts.controls(to).resume(to.queue(0));
    // Retired, not only settled: the copy learns of a failure in between. The fifth write is
    // parked.
    Waits.awaitStatistics(
        "two writes to retire", to, now -> now.issued() <= issued && now.settled() == 0);
    // The fifth part is being read, unless the device has swapped the two writes.
    cts.controls(from).resume(from.queue(0));
    awaitFailure(done, 1, Status.DATA_LOSS);
  }

  private static void awaitReads(Device from) {
    Waits.awaitTrue("two parts to be read", () -> from.statistics().issued() == 2);
  }

  /** Reads the two parts that are held, and holds their writes, and the reads that follow. */
  private static void writeTwoParts(Cts cts, Device from, Device to, long issued) {
    cts.controls(to).pause(to.queue(0));
    cts.controls(from).resume(from.queue(0));
    Waits.awaitTrue("two parts to be written", () -> to.statistics().issued() == issued + 2);
    Waits.awaitStatistics("the reads to end", from, now -> now.issued() == 0);
    cts.controls(from).pause(from.queue(0));
  }

  /** Which parts cannot be read, and which cannot be written. */
  static Stream<Arguments> culprits() {
    Culprits none = new Culprits(PARTS, List.of());
    return Stream.concat(
        Culprits.positions(PARTS)
            .flatMap(some -> Stream.of(Arguments.of(some, none), Arguments.of(none, some))),
        Stream.of(
            Arguments.of(one(0), one(PARTS - 1)),
            Arguments.of(one(PARTS - 1), one(0)),
            Arguments.of(one(2), one(2)),
            Arguments.of(one(3), one(1))));
  }

  private static Culprits one(int part) {
    return new Culprits(PARTS, List.of(part));
  }

  /** Whichever parts fail, only the target's range is written. */
  @ParameterizedTest
  @MethodSource("culprits")
  @Rule({"S9", "Q7a", "Q3"})
  @Needs(Need.CONTROLS)
  void aFailureOfAnyPartFailsTheCopy(Culprits reads, Culprits writes, Cts cts) {
    Device from = Peers.openAlone(cts);
    Device to = Peers.openAlone(cts);
    byte[] data = bytes(PARTS_BYTES);
    byte[] guard = filled(PARTS_BYTES + 32, TestData.GUARD);
    DeviceBuffer source = cts.buffer(from, data);
    DeviceBuffer target = cts.buffer(to, guard);
    TimelineSemaphore done = cts.semaphore();
    cts.allowWarnings();
    fail(cts.controls(from), reads);
    fail(cts.controls(to), writes);
    from.queue(0).copy(Fence.NONE, done.at(1), source, 0, target, 16, PARTS_BYTES);
    awaitFailure(done, 1, Status.ABORTED);
    for (Device device : List.of(from, to)) {
      Waits.awaitRetired(device);
      cts.controls(device).reset(); // the copy may have failed before another injected failure
    }
    byte[] found = cts.read(target);
    byte[] moved = Arrays.copyOfRange(found, 16, 16 + PARTS_BYTES);
    assertBytes(TestData.with(guard, 16, moved), found, "around the target");
    assertBytes(data, cts.read(source), "the source");
    TimelineSemaphore next = cts.semaphore();
    from.queue(0).copy(Fence.NONE, next.at(1), source, 0, target, 16, PARTS_BYTES);
    awaitReached(next, 1);
    assertBytes(TestData.with(guard, 16, data), cts.read(target), "a copy afterwards");
    source.close();
    target.close();
    for (Device device : List.of(from, to)) {
      Waits.awaitStatistics("all memory to be free", device, now -> now.bytes() == 0);
    }
  }

  private static void fail(Controls controls, Culprits parts) {
    for (int part : parts.which()) {
      controls.failNext("issue", 1 + part, Status.ABORTED, false);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @Rule({"S9", "Q7"})
  @Needs(Need.CONTROLS)
  void aCopyThatDetectsALossLosesOnlyThatDevice(boolean losesTheSource, Cts cts) {
    Device from = Peers.openAlone(cts);
    Device to = Peers.openAlone(cts);
    Device broken = losesTheSource ? from : to;
    Device sound = losesTheSource ? to : from;
    if (!cts.controls(broken).calls().contains("hostCompletion")) {
      throw Cts.unsupported("nothing that this driver leaves to the host can be made to fail");
    }
    int size = 1 << 20; // more than a driver is likely to read while it issues an upload
    DeviceBuffer source = cts.buffer(from, size, BufferParams.DEVICE);
    DeviceBuffer target = cts.buffer(to, size, BufferParams.DEVICE);
    TimelineSemaphore parked = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    broken.queue(0).barrier(cts.semaphore().at(1), parked.at(1));
    cts.allowWarnings();
    cts.controls(broken).failNext("hostCompletion", 1, Status.INTERNAL, true);
    sound.queue(0).copy(Fence.NONE, done.at(1), source, 0, target, 0, size);
    Waits.awaitTrue("the copy to end", () -> Waits.isOver(done, 1));
    if (done.failure() == null) {
      throw Cts.unsupported("this driver leaves no part of a transfer to the host");
    }
    assertHal(Status.UNAVAILABLE, awaitFailure(done, 1), "hostCompletion");
    assertHal(Status.UNAVAILABLE, awaitFailure(parked, 1), "hostCompletion");
    assertNotNull(broken.lostCause(), "why the device is lost");
    assertNull(sound.lostCause(), "why the other device is lost");
    TimelineSemaphore after = cts.semaphore();
    sound.queue(0).barrier(Fence.NONE, after.at(1));
    awaitReached(after, 1);
  }
}
