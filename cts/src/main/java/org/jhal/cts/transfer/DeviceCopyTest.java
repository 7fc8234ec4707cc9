// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.transfer;

import static org.jhal.cts.support.TestData.assertBytes;
import static org.jhal.cts.support.TestData.assertHal;
import static org.jhal.cts.support.TestData.bytes;
import static org.jhal.cts.support.TestData.filled;
import static org.jhal.cts.support.Waits.LIMIT;
import static org.jhal.cts.support.Waits.assertPending;
import static org.jhal.cts.support.Waits.assertStaysPending;
import static org.jhal.cts.support.Waits.awaitFailure;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.stream.Stream;
import org.jhal.BufferParams;
import org.jhal.BufferUsage;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.DeviceStatistics;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.HostCall.Mode;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.cts.Controls;
import org.jhal.cts.Need;
import org.jhal.cts.Needs;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.Peers;
import org.jhal.cts.support.Task;
import org.jhal.cts.support.TransferCases;
import org.jhal.cts.support.Waits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Copies between two devices, of the same driver and of different ones. */
@CtsSuite
class DeviceCopyTest {
  /** The device that the device under test exchanges data with. */
  enum Partner {
    SAME_DRIVER {
      @Override
      Device of(Cts cts) {
        return cts.second();
      }
    },
    OTHER_DRIVER {
      @Override
      Device of(Cts cts) {
        return cts.other();
      }
    };

    abstract Device of(Cts cts);
  }

  static Stream<Arguments> copies() {
    return Stream.of(Partner.values())
        .flatMap(
            partner ->
                Stream.of(
                        new TransferCases.Copy(0, 0, 1),
                        new TransferCases.Copy(3, 1, 31),
                        new TransferCases.Copy(0, 0, 65_536),
                        new TransferCases.Copy(1, 2, (4 << 20) - 1),
                        new TransferCases.Copy(0, 0, 4 << 20),
                        new TransferCases.Copy(5, 0, (4 << 20) + 1),
                        new TransferCases.Copy(1, 7, (17 << 20) + 3))
                    .map(copy -> Arguments.of(partner, copy)));
  }

  @ParameterizedTest
  @MethodSource("copies")
  @Rule({"M2", "S9"})
  void copiesToAndFromAnotherDeviceAreExact(Partner partner, TransferCases.Copy copy, Cts cts) {
    Device other = partner.of(cts);
    DeviceBuffer source = cts.buffer(cts.device(), copy.source());
    DeviceBuffer there = cts.buffer(other, copy.before());
    DeviceBuffer back = cts.buffer(cts.device(), copy.source());
    TimelineSemaphore timeline = cts.semaphore();
    cts.queue()
        .copy(
            Fence.NONE,
            timeline.at(1),
            source,
            copy.sourceOffset(),
            there,
            copy.targetOffset(),
            copy.length());
    // The copy back is enqueued on the other device's queue.
    other
        .queue(0)
        .copy(
            timeline.at(1),
            timeline.at(2),
            there,
            copy.targetOffset(),
            back,
            copy.sourceOffset(),
            copy.length());
    awaitReached(timeline, 2);
    assertBytes(copy.after(), cts.read(there), "the bytes that came to the other device");
    assertBytes(copy.source(), cts.read(back), "the bytes that came back");
    assertBytes(copy.source(), cts.read(source), "the source");
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"S9", "S5", "Q2", "Q3"})
  void aParkedCopyKeepsItsClosedSource(Partner partner, Cts cts) {
    Device other = partner.of(cts);
    TimelineSemaphore go = cts.semaphore(other, 0);
    TimelineSemaphore done = cts.semaphore();
    DeviceBuffer target = cts.buffer(cts.device(), filled(4096, 0));
    DeviceBuffer source = cts.buffer(other, 8192, BufferParams.DEVICE);
    cts.queue().copy(go.at(1), done.at(1), source.slice(1024, 4096), 0, target, 0, 4096);
    cts.flush(cts.queue());
    assertPending(done, 1);
    cts.write(source, 1024, bytes(4096));
    source.close();
    go.signal(1);
    awaitReached(done, 1);
    assertBytes(bytes(4096), cts.read(target), "the copy of a buffer that was closed");
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"M2", "S9"})
  void aCopyOfLengthZeroWaitsAndSignals(Partner partner, Cts cts) {
    Device other = partner.of(cts);
    DeviceBuffer source = cts.buffer(cts.device(), bytes(16));
    DeviceBuffer target = cts.buffer(other, filled(16, 0));
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    cts.queue().copy(go.at(1), done.at(1), source, 16, target, 0, 0);
    cts.flush(cts.queue());
    assertPending(done, 1);
    go.signal(1);
    awaitReached(done, 1);
    assertBytes(filled(16, 0), cts.read(target), "the target");
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"S9", "Q1"})
  void manyCopiesMayBeInFlight(Partner partner, Cts cts) {
    int count = 100;
    Device other = partner.of(cts);
    DeviceBuffer source = cts.buffer(cts.device(), bytes(1000 * count));
    DeviceBuffer target = cts.buffer(other, filled(1000 * count, 0));
    TimelineSemaphore[] ends = new TimelineSemaphore[count];
    for (int i = 0; i < count; i++) {
      ends[i] = cts.semaphore();
      DeviceQueue queue = i % 2 == 0 ? cts.queue() : other.queue(0);
      queue.copy(Fence.NONE, ends[i].at(1), source, 1000L * i, target, 1000L * i, 1000);
    }
    for (TimelineSemaphore end : ends) {
      awaitReached(end, 1);
    }
    assertBytes(bytes(1000 * count), cts.read(target), "all parts");
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"S9", "Q6"})
  void aFailedWaitCopiesNothing(Partner partner, Cts cts) {
    Device other = partner.of(cts);
    DeviceBuffer source = cts.buffer(other, bytes(64));
    DeviceBuffer target = cts.buffer(cts.device(), filled(64, 0));
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    cts.queue().copy(go.at(1), done.at(1), source, 0, target, 0, 64);
    go.fail(new HalException(Status.ABORTED, "another plan"));
    assertHal(Status.ABORTED, awaitFailure(done, 1), "another plan");
    assertBytes(filled(64, 0), cts.read(target), "the target");
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"S9", "M1"})
  void aDeallocatedSourceFailsTheCopy(Partner partner, Cts cts) {
    Device other = partner.of(cts);
    DeviceQueue otherQueue = other.queue(0);
    TimelineSemaphore timeline = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    DeviceBuffer target = cts.buffer(cts.device(), filled(64, 0));
    DeviceBuffer source =
        cts.closing(otherQueue.alloca(Fence.NONE, timeline.at(1), 64, BufferParams.DEVICE));
    cts.queue().copy(timeline.at(2), done.at(1), source, 0, target, 0, 64);
    otherQueue.dealloca(timeline.at(1), timeline.at(2), source);
    awaitFailure(done, 1, Status.FAILED_PRECONDITION);
    assertBytes(filled(64, 0), cts.read(target), "the target");
  }

  @Test
  @Rule({"S9", "Q8"})
  void aDeviceClosedBeforeTheCopyIsIssuedFailsIt(Cts cts) {
    Device gone = cts.open();
    DeviceBuffer source = cts.buffer(gone, bytes(64));
    DeviceBuffer target = cts.buffer(cts.device(), filled(64, 0));
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    cts.queue().copy(go.at(1), done.at(1), source, 0, target, 0, 64);
    gone.close();
    go.signal(1);
    awaitFailure(done, 1, Status.FAILED_PRECONDITION);
    assertBytes(filled(64, 0), cts.read(target), "the target");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @Rule({"S9", "Q8"})
  @Needs(Need.CONTROLS)
  void closingEitherDeviceWaitsForACopyThatHasBegun(boolean closesTheSource, Cts cts)
      throws Exception {
    Device from = Peers.openAlone(cts);
    Device to = Peers.openAlone(cts);
    byte[] data = bytes(17 << 20);
    DeviceBuffer source = cts.buffer(from, data);
    DeviceBuffer target = cts.buffer(to, filled(data.length, 0));
    TimelineSemaphore done = cts.semaphore();
    Controls controls = cts.controls(to);
    controls.pause(to.queue(0)); // the copy begins and makes no progress
    from.queue(0).copy(Fence.NONE, done.at(1), source, 0, target, 0, data.length);
    Waits.awaitTrue("the copy to reach the other device", () -> to.statistics().issued() > 0);
    Device closed = closesTheSource ? from : to;
    TimelineSemaphore parked = cts.semaphore();
    closed.queue(0).barrier(cts.semaphore().at(1), parked.at(1));
    Task<?> closing = Task.run("close", closed::close);
    Waits.awaitTrue("the device to be closing", closed::isClosed);
    awaitFailure(parked, 1, Status.CANCELLED); // immediately, not when the copy ends
    TimelineSemaphore refused = cts.semaphore();
    assertHal(Status.FAILED_PRECONDITION, () -> closed.queue(0).barrier(Fence.NONE, refused.at(1)));
    assertPending(done, 1);
    controls.resume(to.queue(0));
    awaitReached(done, 1);
    closing.join();
    if (closesTheSource) {
      assertBytes(data, cts.read(target), "the copy from a device that was closed meanwhile");
    }
  }

  /** Of the chunks on the closing device, one is in the stream, and one waits for room there. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @Rule({"S9", "Q8"})
  @Needs(Need.CONTROLS)
  void closingEitherDeviceWaitsForChunksThatAreNotIssued(boolean closesTheSource, Cts cts)
      throws Exception {
    Device closed = Peers.openAlone(cts, "inflight=1");
    Device other = Peers.openAlone(cts);
    byte[] data = bytes(17 << 20);
    DeviceBuffer source = cts.buffer(closesTheSource ? closed : other, data);
    DeviceBuffer target = cts.buffer(closesTheSource ? other : closed, filled(data.length, 0));
    TimelineSemaphore done = cts.semaphore();
    Controls controls = cts.controls(closed);
    controls.pause(closed.queue(0));
    other.queue(0).copy(Fence.NONE, done.at(1), source, 0, target, 0, data.length);
    Waits.awaitTrue(
        "a chunk to be in the stream, and another one to wait for room",
        () -> {
          DeviceStatistics statistics = closed.statistics();
          return statistics.issued() == 1 && statistics.ready() == 1;
        });
    TimelineSemaphore parked = cts.semaphore();
    closed.queue(0).barrier(cts.semaphore().at(1), parked.at(1));
    Task<?> closing = Task.run("close", closed::close);
    awaitFailure(parked, 1, Status.CANCELLED);
    assertPending(done, 1);
    controls.resume(closed.queue(0));
    awaitReached(done, 1);
    closing.join();
    if (closesTheSource) {
      assertBytes(data, cts.read(target), "the copy from a device that was closed meanwhile");
    }
  }

  /** The copy has no operation on that device at that moment. */
  @Test
  @Rule({"S9", "Q8"})
  @Needs(Need.CONTROLS)
  void closingADeviceWaitsForACopyThatIsIdleOnIt(Cts cts) throws Exception {
    Device from = Peers.openAlone(cts);
    Device to = Peers.openAlone(cts);
    byte[] data = bytes(17 << 20);
    DeviceBuffer source = cts.buffer(from, data);
    DeviceBuffer target = cts.buffer(to, filled(data.length, 0));
    TimelineSemaphore done = cts.semaphore();
    cts.controls(from).pause(from.queue(0));
    to.queue(0).copy(Fence.NONE, done.at(1), source, 0, target, 0, data.length);
    Waits.awaitTrue("the copy to read its source", () -> from.statistics().issued() > 0);
    cts.controls(to).pause(to.queue(0));
    cts.controls(from).resume(from.queue(0));
    Waits.awaitTrue("the reads to complete", () -> from.statistics().issued() == 0);
    Task<?> closing = Task.run("close", from::close);
    Waits.awaitTrue("the device to be closing", from::isClosed);
    assertStaysPending(done.at(1));
    assertTrue(closing.isRunning(), "close() returned during a copy from the device");
    cts.controls(to).resume(to.queue(0));
    awaitReached(done, 1);
    closing.join();
    assertBytes(data, cts.read(target), "the copy from a device that was closed meanwhile");
  }

  @Test
  @Rule({"S9", "Q8"})
  @Needs(Need.CONTROLS)
  void closingADeviceDoesNotWaitForACopyThatHasNotBegun(Cts cts) {
    Device stuck = Peers.openAlone(cts);
    Device closed = cts.open();
    DeviceBuffer source = cts.buffer(closed, bytes(64));
    DeviceBuffer target = cts.buffer(stuck, filled(64, 0));
    TimelineSemaphore done = cts.semaphore();
    cts.controls(stuck).pause(stuck.queue(0));
    stuck.queue(0).copy(Fence.NONE, done.at(1), source, 0, target, 0, 64);
    closed.close(); // if it waited, it would end late and with a warning
    assertPending(done, 1);
    cts.controls(stuck).resume(stuck.queue(0));
    awaitFailure(done, 1, Status.FAILED_PRECONDITION);
    assertBytes(filled(64, 0), cts.read(target), "the target");
  }

  @Test
  @Rule({"S9", "Q8"})
  void parkedWorkDoesNotDelayACopyWhileItsDeviceCloses(Cts cts) {
    Device closed = Peers.openAlone(cts, "host-calls=2", "inflight=64");
    Device other = cts.open();
    DeviceBuffer source = cts.buffer(closed, bytes(64));
    DeviceBuffer target = cts.buffer(other, filled(64, 0));
    TimelineSemaphore parked = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    closed.queue(0).barrier(cts.semaphore().at(1), parked.at(1));
    for (int i = 0; i < 2; i++) { // as many as can run at the same time
      TimelineSemaphore failing = cts.semaphore();
      closed
          .queue(0)
          .hostCall(Fence.NONE, failing.at(1), Mode.BLOCKING, call -> parked.await(1, LIMIT));
    }
    closed.queue(0).copy(Fence.NONE, done.at(1), source, 0, target, 0, 64);
    closed.close();
    awaitReached(done, 1);
    assertBytes(bytes(64), cts.read(target), "the copy");
  }

  /** The calls occupy all threads for host calls; the copies that they wait for still complete. */
  @ParameterizedTest
  @EnumSource
  @Rule({"S9", "Q4"})
  void hostCallsMayWaitForCopiesThatTheyEnqueue(Partner partner, Cts cts) {
    int count = 40;
    Device other = partner.of(cts);
    DeviceBuffer source = cts.buffer(cts.device(), bytes(1000 * count));
    DeviceBuffer target = cts.buffer(other, filled(1000 * count, 0));
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore[] ends = new TimelineSemaphore[count];
    for (int i = 0; i < count; i++) {
      long offset = 1000L * i;
      TimelineSemaphore own = cts.semaphore();
      ends[i] = cts.semaphore();
      DeviceQueue queue = i % 2 == 0 ? cts.queue() : other.queue(0);
      queue.hostCall(
          go.at(1),
          ends[i].at(1),
          Mode.BLOCKING,
          call -> {
            queue.copy(Fence.NONE, own.at(1), source, offset, target, offset, 1000);
            own.await(1, LIMIT);
          });
    }
    go.signal(1);
    for (TimelineSemaphore end : ends) {
      awaitReached(end, 1);
    }
    assertBytes(bytes(1000 * count), cts.read(target), "all parts");
  }

  @ParameterizedTest
  @EnumSource
  @Rule("M5")
  void invalidCopiesAreRejected(Partner partner, Cts cts) {
    Device other = partner.of(cts);
    DeviceBuffer here = cts.buffer(16);
    DeviceBuffer there = cts.buffer(other, 16, BufferParams.DEVICE);
    DeviceBuffer writeOnly =
        cts.buffer(other, 16, BufferParams.DEVICE.withUsage(BufferUsage.TRANSFER_TARGET));
    DeviceBuffer closed = cts.buffer(other, 16, BufferParams.DEVICE);
    closed.close();
    DeviceQueue queue = cts.queue();
    TimelineSemaphore done = cts.semaphore();
    long enqueued = cts.device().statistics().enqueued();
    Fence signals = done.at(1);
    assertHal(
        Status.OUT_OF_RANGE,
        () -> queue.copy(Fence.NONE, signals, here, 0, there, 8, 9),
        "target",
        "8",
        "9",
        "16");
    assertHal(
        Status.OUT_OF_RANGE,
        () -> queue.copy(Fence.NONE, signals, there, 17, here, 0, 0),
        "source",
        "17");
    assertHal(
        Status.OUT_OF_RANGE,
        () -> queue.copy(Fence.NONE, signals, here, -1, there, 0, 1),
        "source",
        "-1");
    assertHal(
        Status.PERMISSION_DENIED,
        () -> queue.copy(Fence.NONE, signals, writeOnly, 0, here, 0, 4),
        "source",
        "TRANSFER_SOURCE");
    assertHal(
        Status.FAILED_PRECONDITION,
        () -> queue.copy(Fence.NONE, signals, here, 0, closed, 0, 4),
        "closed");
    assertHal(
        Status.INVALID_ARGUMENT,
        () -> queue.copy(Fence.NONE, signals, there, 0, writeOnly, 0, 4),
        "another device");
    assertEquals(enqueued, cts.device().statistics().enqueued(), "operations enqueued");
    assertPending(done, 1);
  }

  @Test
  @Rule("M5")
  @Needs({Need.SECOND_DEVICE, Need.OTHER_DRIVER})
  void aCopyBetweenTwoOtherDevicesIsRejected(Cts cts) {
    DeviceBuffer one = cts.buffer(cts.second(), 16, BufferParams.DEVICE);
    DeviceBuffer two = cts.buffer(cts.other(), 16, BufferParams.DEVICE);
    TimelineSemaphore done = cts.semaphore();
    assertHal(
        Status.INVALID_ARGUMENT,
        () -> cts.queue().copy(Fence.NONE, done.at(1), one, 0, two, 0, 16),
        "one of them must belong to");
    assertPending(done, 1);
  }

  @Test
  @Rule({"M2", "S9"})
  void oneDeviceOpenedTwiceIsTwoDevices(Cts cts) {
    Device again = cts.open();
    DeviceBuffer source = cts.buffer(cts.device(), bytes(1 << 20));
    DeviceBuffer target = cts.buffer(again, filled(1 << 20, 0));
    TimelineSemaphore done = cts.semaphore();
    again.queue(0).copy(Fence.NONE, done.at(1), source, 0, target, 0, 1 << 20);
    awaitReached(done, 1);
    assertBytes(bytes(1 << 20), cts.read(target), "the copy");
  }
}
