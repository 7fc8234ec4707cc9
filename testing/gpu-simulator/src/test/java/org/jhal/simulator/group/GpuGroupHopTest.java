// SPDX-License-Identifier: Apache-2.0
package org.jhal.simulator.group;

import static org.jhal.cts.support.TestData.assertBytes;
import static org.jhal.cts.support.Waits.awaitFailure;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.jhal.cts.support.Waits.awaitTrue;
import static org.jhal.cts.support.Waits.becomesTrue;
import static org.jhal.cts.support.Waits.isOver;
import static org.jhal.simulator.fixture.NativeCall.STREAM_WAIT_EVENT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.cts.support.Task;
import org.jhal.simulator.fixture.GpuFault;
import org.jhal.simulator.fixture.HeldStream;
import org.jhal.spi.NativeCalls;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * No call that involves two devices comes between the launches of a collective's ranks, and only a
 * thread of the queue waits for the launches. The simulator reports each wait that breaks this.
 */
class GpuGroupHopTest extends SimulatedGroups {
  private static final Duration CHANCE = Duration.ofMillis(100);

  /** The thread that makes a stream wait. */
  enum Caller {
    USER {
      @Override
      void call(Device device, Runnable body) {
        body.run();
      }
    },
    CALLBACK {
      @Override
      void call(Device device, Runnable body) {
        try (TimelineSemaphore begin = device.createSemaphore(0)) {
          var called = begin.whenReached(1).thenRun(body);
          device.queue(0).barrier(Fence.NONE, begin.at(1));
          var unused = called.join();
        }
      }
    };

    abstract void call(Device device, Runnable body);
  }

  private List<TimelineSemaphore> launchInPart(SummingGroup group) {
    collectives().openGap();
    List<TimelineSemaphore> ends = group.start(Fence.NONE);
    awaitTrue("a group launched in part", collectives()::isHalfLaunched);
    return ends;
  }

  @ParameterizedTest
  @EnumSource
  void aStreamWaitsBeforeOrAfterALaunch(Caller caller) {
    Device here = open(0);
    Device there = open(1);
    SummingGroup group = new SummingGroup(here, there);
    HeldStream stream = hold(there);
    Fence producer = stream.producer();
    List<TimelineSemaphore> ends = launchInPart(group);
    TimelineSemaphore done = here.createSemaphore(0);
    caller.call(here, () -> here.queue(0).barrier(producer, done.at(1))); // which returns
    assertTrue(collectives().isHalfLaunched());
    collectives().closeGap();
    awaitReached(all(ends));
    stream.release();
    awaitReached(done, 1);
    done.close();
    group.close();
    assertEquals(List.of(), sim.simulator().misuses());
  }

  /** The event may belong to any device. */
  @ParameterizedTest
  @EnumSource
  void aWaitForAnImportedEventComesBeforeOrAfterALaunch(Caller caller) {
    Device here = open(0);
    Device there = open(1);
    SummingGroup group = new SummingGroup(here, there);
    NativeCalls calls = there.unwrap(NativeCalls.class);
    long stream = calls.createStream();
    long event = calls.createEvent();
    calls.record(event, stream);
    TimelineSemaphore done = here.createSemaphore(0);
    List<TimelineSemaphore> ends = launchInPart(group);
    caller.call(here, () -> here.queue(0).importEvent(done.at(1), event, null)); // which returns
    assertTrue(collectives().isHalfLaunched());
    collectives().closeGap();
    awaitReached(all(ends));
    awaitReached(done, 1);
    flush(here);
    calls.destroyEvent(event);
    calls.destroyStream(stream);
    done.close();
    group.close();
    assertEquals(List.of(), sim.simulator().misuses());
  }

  @Test
  void peerMemoryIsUsedBeforeOrAfterALaunch() {
    Device here = open(0);
    Device there = open(1);
    SummingGroup group = new SummingGroup(here, there);
    DeviceBuffer theirs = there.allocate(64, BufferParams.DEVICE);
    DeviceBuffer view = here.allocator().importPeer(theirs);
    TimelineSemaphore done = here.createSemaphore(0);
    here.queue(0).fill(Fence.NONE, done.at(1), view, 0, 64, FillPattern.of8(1)); // enables it
    awaitReached(done, 1);
    List<TimelineSemaphore> ends = launchInPart(group);
    here.queue(0).fill(Fence.NONE, done.at(2), view, 0, 64, FillPattern.of8(2));
    assertFalse(becomesTrue(CHANCE, () -> done.value() == 2), "filled within the launch");
    collectives().closeGap();
    awaitReached(all(ends));
    awaitReached(done, 2);
    byte[] twos = new byte[64];
    Arrays.fill(twos, (byte) 2);
    assertBytes(twos, SummingGroup.content(there, theirs), "the memory of the other device");
    done.close();
    view.close();
    theirs.close();
    group.close();
  }

  /** The place in the gate's line is released even if the wait fails. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aFailedWaitDoesNotBlockTheNextLaunch(boolean isBesideALaunch) {
    Device here = open(0);
    Device there = open(1);
    SummingGroup group = new SummingGroup(there, open(0));
    HeldStream stream = hold(there);
    Fence producer = stream.producer();
    TimelineSemaphore done = here.createSemaphore(0);
    List<TimelineSemaphore> ends = isBesideALaunch ? launchInPart(group) : List.of();
    sim.fail(STREAM_WAIT_EVENT, 1, GpuFault.PLAIN_CODE);
    here.queue(0).barrier(producer, done.at(1));
    collectives().closeGap();
    if (isBesideALaunch) {
      awaitTrue("the end", () -> ends.stream().allMatch(end -> isOver(end, 1)));
    } else {
      assertEquals(
          Status.UNAVAILABLE, awaitFailure(done, 1).status(), "of a device that cannot wait");
    }
    stream.release();
    group.close();
    SummingGroup.checkUsable(open(0), open(1));
    assertEquals(List.of(), sim.simulator().misuses());
  }

  @Test
  void collectivesAndHopsOfManyThreadsComplete() throws Exception {
    Device here = open(0);
    Device there = open(1);
    SummingGroup group = new SummingGroup(here, there);
    collectives().launchGap(Duration.ofMillis(1));
    Task<?> hops =
        Task.run(
            "hops",
            () -> {
              try (TimelineSemaphore line = here.createSemaphore(0)) {
                for (int i = 0; i < 400; i += 2) {
                  here.queue(0).barrier(line.at(i), line.at(i + 1));
                  there.queue(0).barrier(line.at(i + 1), line.at(i + 2));
                }
                awaitReached(line, 400);
              }
            });
    for (int i = 0; i < 25; i++) {
      group.check();
    }
    var unused = hops.join();
    group.close();
    assertEquals(List.of(), sim.simulator().misuses());
  }
}
