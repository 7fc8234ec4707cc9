// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.transfer;

import static org.jhal.cts.support.TestData.assertBytes;
import static org.jhal.cts.support.TestData.assertHal;
import static org.jhal.cts.support.TestData.bytes;
import static org.jhal.cts.support.TestData.direct;
import static org.jhal.cts.support.TestData.filled;
import static org.jhal.cts.support.Waits.assertPending;
import static org.jhal.cts.support.Waits.assertStaysPending;
import static org.jhal.cts.support.Waits.awaitFailure;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.jhal.cts.support.Waits.awaitStatistics;
import static org.jhal.cts.support.Waits.awaitTrue;
import static org.jhal.cts.support.Waits.becomesTrue;
import static org.jhal.cts.support.Waits.isOver;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.jhal.BufferParams;
import org.jhal.Capability;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.DeviceStatistics;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.MemoryType;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.Timepoint;
import org.jhal.cts.Need;
import org.jhal.cts.Needs;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Blocker;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.Peers;
import org.jhal.cts.support.Task;
import org.jhal.cts.support.TransferCases;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Copies between two devices of one driver: native where the devices can access each other's
 * memory, otherwise through the host (rule S9b). {@link DeviceCopyTest} tests what applies to any
 * two devices.
 */
@CtsSuite
class CrossDeviceCopyTest {
  /**
   * Room for all operations that a test expects to be issued, whatever the options of the device
   * under test.
   */
  private static final String ROOM = "inflight=64";

  /** How long a test watches that a close keeps waiting. */
  private static final Duration CHANCE = Duration.ofMillis(300);

  /** The device on whose queue a copy is enqueued. */
  enum Side {
    SOURCE,
    TARGET;

    Device of(DeviceBuffer source, DeviceBuffer target) {
      return (this == SOURCE ? source : target).device();
    }
  }

  private static final List<TransferCases.Copy> COPIES =
      List.of(
          new TransferCases.Copy(0, 0, 0),
          new TransferCases.Copy(0, 0, 1),
          new TransferCases.Copy(3, 1, 7),
          new TransferCases.Copy(0, 0, 4096),
          new TransferCases.Copy(1, 2, 65_537),
          new TransferCases.Copy(0, 0, 4 << 20),
          new TransferCases.Copy(5, 7, (5 << 20) + 13));

  private static void copyAll(
      Side side, Fence waits, Fence signals, DeviceBuffer source, DeviceBuffer target) {
    side.of(source, target)
        .queue(0)
        .copy(waits, signals, source, 0, target, 0, Math.min(source.size(), target.size()));
  }

  private static void assertUsable(Cts cts, Device device) {
    assertNull(device.lostCause(), () -> "why " + device + " is lost");
    TimelineSemaphore works = cts.semaphore();
    device.queue(0).barrier(Fence.NONE, works.at(1));
    awaitReached(works, 1);
  }

  /** The result does not depend on what the two devices share. */
  @ParameterizedTest
  @CsvSource({
    "memory, memory",
    "memory, events",
    "events, memory",
    "events, events",
    "none, memory",
    "memory, none",
    "none, none"
  })
  @Rule({"S9b", "S9", "M2", "D5"})
  @Needs(Need.SECOND_DEVICE)
  void copiesAreExactForEachPeersOption(String one, String other, Cts cts) {
    Device here = cts.open(Peers.options(cts, one));
    Device there = cts.openSecond(Peers.options(cts, other));
    if (!one.equals("memory") || !other.equals("memory")) {
      assertFalse(here.canAccess(there), "access to memory that is not shared");
      assertFalse(there.canAccess(here), "access to memory that is not shared");
    }
    for (TransferCases.Copy copy : COPIES) {
      for (Side side : Side.values()) {
        DeviceBuffer source = cts.buffer(here, copy.source());
        DeviceBuffer target = cts.buffer(there, copy.before());
        DeviceBuffer back = cts.buffer(here, copy.source());
        TimelineSemaphore timeline = cts.semaphore();
        side.of(source, target)
            .queue(0)
            .copy(
                Fence.NONE,
                timeline.at(1),
                source,
                copy.sourceOffset(),
                target,
                copy.targetOffset(),
                copy.length());
        side.of(target, back)
            .queue(0)
            .copy(
                timeline.at(1),
                timeline.at(2),
                target,
                copy.targetOffset(),
                back,
                copy.sourceOffset(),
                copy.length());
        awaitReached(copy + " enqueued at " + side, timeline.at(2));
        assertBytes(copy.after(), cts.read(target), copy + " enqueued at " + side);
        assertBytes(copy.source(), cts.read(back), copy + " and back, enqueued at " + side);
      }
    }
  }

  @Test
  @Rule("S9b")
  @Needs(Need.PEER_MEMORY)
  void canAccessIsTrueOnlyWhileBothDevicesAreOpen(Cts cts) {
    Device here = cts.open();
    Device there = cts.openSecond();
    assertTrue(here.canAccess(here), "its own memory");
    assertTrue(here.canAccess(there));
    assertTrue(there.canAccess(here));
    there.close();
    assertFalse(here.canAccess(there), "access to a closed device");
    assertFalse(there.canAccess(here), "access by a closed device");
    assertFalse(there.canAccess(there), "access to a closed device by itself");
    assertUsable(cts, here);
  }

  /** The held streams of the other device would hold a copy that goes through the host. */
  @ParameterizedTest
  @EnumSource
  @Rule("S9b")
  @Needs(Need.PEER_MEMORY)
  void aNativeCopyNeedsNoStreamOfTheOtherDevice(Side side, Cts cts) {
    Device from = cts.open();
    Device to = cts.openSecond();
    DeviceBuffer source = cts.buffer(from, bytes(70_001));
    DeviceBuffer target = cts.buffer(to, filled(70_001, 0));
    Device other = side == Side.SOURCE ? to : from;
    List<Blocker> blockers = new ArrayList<>();
    for (int i = 0; i < other.queueCount(); i++) {
      blockers.add(new Blocker(cts, other.queue(i)));
    }
    DeviceStatistics before = other.statistics();
    TimelineSemaphore done = cts.semaphore();
    copyAll(side, Fence.NONE, done.at(1), source, target);
    awaitReached("a copy while the other device is held", done.at(1));
    assertEquals(before.enqueued(), other.statistics().enqueued(), "operations of the other one");
    assertEquals(before.issued(), other.statistics().issued(), "operations of the other one");
    blockers.forEach(Blocker::release);
    assertBytes(bytes(70_001), cts.read(target), "the copy");
  }

  /** The copy waits for work of both devices, and a later copy waits for it. */
  @ParameterizedTest
  @EnumSource
  @Rule({"S9b", "S9a"})
  @Needs({Need.PEER_MEMORY, Need.SHARED_EVENTS})
  void aNativeCopyIsIssuedBeforeWorkOfBothDevicesEnds(Side side, Cts cts) {
    int size = (1 << 20) + 3;
    Device here = cts.open(ROOM);
    Device there = cts.openSecond(ROOM);
    DeviceBuffer first = cts.buffer(here, bytes(size));
    DeviceBuffer source = cts.buffer(here, filled(size, 1));
    DeviceBuffer target = cts.buffer(there, filled(size, 2));
    DeviceBuffer last = cts.buffer(there, filled(size, 3));
    TimelineSemaphore timeline = cts.semaphore();
    Blocker fromHere = new Blocker(cts, here.queue(0));
    Blocker fromThere = new Blocker(cts, there.queue(0));
    there.queue(0).copy(timeline.at(2), timeline.at(3), target, 0, last, 0, size);
    Device copying = side == Side.SOURCE ? here : there;
    copying
        .queue(0)
        .copy(
            Fence.of(timeline.at(1), fromThere.timepoint()),
            timeline.at(2),
            source,
            0,
            target,
            0,
            size);
    here.queue(0).copy(fromHere.timepoint(), timeline.at(1), first, 0, source, 0, size);
    awaitStatistics(
        "three copies on two devices to be issued",
        there,
        now ->
            now.issued() + here.statistics().issued() == 5
                && now.parked() + here.statistics().parked() == 0);
    fromThere.release();
    assertStaysPending(timeline.at(1));
    fromHere.release();
    awaitReached(timeline, 3);
    assertBytes(bytes(size), cts.read(last), "the bytes that went through three copies");
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"S9b", "M2", "Q2"})
  @Needs(Need.SECOND_DEVICE)
  void slicesAreCopied(Side side, Cts cts) {
    DeviceBuffer source = cts.buffer(cts.device(), bytes(10_000));
    DeviceBuffer target = cts.buffer(cts.second(), filled(10_000, 0));
    TimelineSemaphore done = cts.semaphore();
    DeviceBuffer part = source.slice(101, 5_000).slice(3, 4_001);
    DeviceBuffer place = target.slice(999, 6_000);
    side.of(source, target).queue(0).copy(Fence.NONE, done.at(1), part, 1, place, 2, 4_000);
    awaitReached(done, 1);
    byte[] expected = filled(10_000, 0);
    System.arraycopy(bytes(10_000), 105, expected, 1001, 4_000);
    assertBytes(expected, cts.read(target), "a slice that was copied into a slice");
  }

  /** Each buffer is allocated and freed on a queue of its own device. */
  @ParameterizedTest
  @EnumSource
  @Rule({"S9b", "M1"})
  @Needs(Need.SECOND_DEVICE)
  void allocaMemoryIsCopied(Side side, Cts cts) {
    int size = (1 << 20) + 1;
    Device here = cts.device();
    Device there = cts.second();
    DeviceBuffer start = cts.buffer(here, bytes(size));
    DeviceBuffer end = cts.buffer(here, filled(size, 0));
    TimelineSemaphore timeline = cts.semaphore();
    Blocker blocker = new Blocker(cts, there.queue(0));
    DeviceBuffer theirs =
        cts.closing(
            there.queue(0).alloca(blocker.timepoint(), timeline.at(1), size, BufferParams.DEVICE));
    DeviceBuffer mine =
        cts.closing(
            here.queue(0).alloca(timeline.at(1), timeline.at(2), size, BufferParams.DEVICE));
    copyAll(side, timeline.at(2), timeline.at(3), start, theirs);
    copyAll(side, timeline.at(3), timeline.at(4), theirs, mine);
    there.queue(0).dealloca(timeline.at(4), timeline.at(5), theirs);
    here.queue(0).copy(timeline.at(5), timeline.at(6), mine, 0, end, 0, size);
    here.queue(0).dealloca(timeline.at(6), timeline.at(7), mine);
    assertStaysPending(timeline.at(1));
    blocker.release();
    awaitReached(timeline, 7);
    assertBytes(bytes(size), cts.read(end), "the bytes that went there and back");
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"S9b", "Q2", "Q3"})
  @Needs(Need.SECOND_DEVICE)
  void buffersMayBeClosedRightAfterTheCall(Side side, Cts cts) {
    Device here = cts.open();
    Device there = cts.openSecond();
    TimelineSemaphore timeline = cts.semaphore();
    DeviceBuffer source = cts.buffer(here, bytes(100_000));
    DeviceBuffer between = cts.buffer(there, filled(100_000, 0));
    DeviceBuffer target = cts.buffer(here, filled(100_000, 0));
    copyAll(side, timeline.at(1), timeline.at(2), source, between);
    copyAll(side, timeline.at(2), timeline.at(3), between, target);
    source.close();
    between.close();
    assertEquals(1, there.statistics().buffers(), "buffers that operations use");
    timeline.signal(1);
    awaitReached(timeline, 3);
    assertBytes(bytes(100_000), cts.read(target), "a copy through buffers that are closed");
    awaitStatistics("the other device to free its memory", there, now -> now.bytes() == 0);
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"S9b", "M7"})
  @Needs(value = Need.SECOND_DEVICE, capabilities = Capability.HOST_IMPORT)
  void importedHostMemoryIsCopied(Side side, Cts cts) {
    int size = (1 << 20) + 5;
    ByteBuffer from = direct(bytes(size));
    ByteBuffer to = direct(filled(size, 0));
    DeviceBuffer source =
        cts.closing(cts.second().allocator().importHost(from, BufferParams.HOST, null));
    DeviceBuffer target =
        cts.closing(cts.device().allocator().importHost(to, BufferParams.HOST, null));
    DeviceBuffer plain = cts.buffer(cts.device(), filled(size, 0));
    TimelineSemaphore timeline = cts.semaphore();
    copyAll(side, Fence.NONE, timeline.at(1), source, plain); // only the source is host memory
    copyAll(side, timeline.at(1), timeline.at(2), source, target);
    awaitReached(timeline, 2);
    assertBytes(bytes(size), cts.read(plain), "a copy of the host's memory");
    assertBytes(bytes(size), cts.read(target), "a copy from the host's memory into other such");
  }

  /** Copies from and to memory of every type that the devices have. */
  @ParameterizedTest
  @EnumSource
  @Rule({"S9b", "S9", "M2"})
  @Needs(Need.SECOND_DEVICE)
  void memoryOfEveryTypeIsCopied(MemoryType type, Cts cts) {
    int size = 70_001;
    BufferParams params = new BufferParams(type, Set.of());
    DeviceBuffer plain = cts.buffer(cts.device(), bytes(size));
    TimelineSemaphore timeline = cts.semaphore();
    if (!cts.second().allocator().supports(params)) {
      throw Cts.unsupported("the device has no memory of type " + type);
    }
    DeviceBuffer theirs = cts.buffer(cts.second(), size, params);
    DeviceBuffer back = cts.buffer(cts.device(), filled(size, 0));
    copyAll(Side.SOURCE, Fence.NONE, timeline.at(1), plain, theirs);
    copyAll(Side.SOURCE, timeline.at(1), timeline.at(2), theirs, back);
    copyAll(Side.TARGET, timeline.at(2), timeline.at(3), back, theirs);
    copyAll(Side.TARGET, timeline.at(3), timeline.at(4), theirs, plain);
    awaitReached(timeline, 4);
    assertBytes(bytes(size), cts.read(back), "the bytes that went there and back");
    assertBytes(bytes(size), cts.read(plain), "the bytes that went there and back twice");
  }

  /** Copies run in both directions at the same time, on all queues, in parts that must not mix. */
  @Test
  @Rule({"S9b", "M2", "M3"})
  @Needs(Need.SECOND_DEVICE)
  void concurrentCopiesInBothDirectionsDoNotMix(Cts cts) {
    int count = 200;
    int size = 5_003;
    Device[] devices = {cts.device(), cts.second()};
    Random random = cts.random();
    DeviceBuffer[] sources = new DeviceBuffer[2];
    DeviceBuffer[] targets = new DeviceBuffer[2];
    for (int i = 0; i < 2; i++) {
      sources[i] = cts.buffer(devices[i], bytes(count * size));
      targets[i] = cts.buffer(devices[i], filled(count * size, 0));
    }
    List<Timepoint> ends = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      for (int from = 0; from < 2; from++) {
        Device device = devices[random.nextInt(2)];
        Timepoint end = cts.semaphore().at(1);
        device
            .queue(random.nextInt(device.queueCount()))
            .copy(
                Fence.NONE,
                end,
                sources[from],
                (long) i * size,
                targets[1 - from],
                (long) i * size,
                size);
        ends.add(end);
      }
    }
    awaitReached(Fence.of(ends));
    assertBytes(bytes(count * size), cts.read(targets[0]), "all parts");
    assertBytes(bytes(count * size), cts.read(targets[1]), "all parts");
  }

  /** The other device is the one on whose queue the copy is not enqueued. */
  @ParameterizedTest
  @EnumSource
  @Rule({"S9b", "Q8"})
  @Needs(Need.SECOND_DEVICE)
  void closingTheOtherDeviceBeforeTheCopyIsIssuedFailsIt(Side side, Cts cts) {
    Device from = cts.open();
    Device to = cts.openSecond();
    DeviceBuffer source = cts.buffer(from, bytes(64));
    DeviceBuffer target = cts.buffer(to, filled(64, 7));
    Device copying = side == Side.SOURCE ? from : to;
    Device other = side == Side.SOURCE ? to : from;
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    copyAll(side, go.at(1), done.at(1), source, target);
    other.close();
    go.signal(1);
    awaitFailure(done, 1, Status.FAILED_PRECONDITION);
    if (side == Side.TARGET) {
      assertBytes(filled(64, 7), cts.read(target), "the target of a copy that did not happen");
    }
    assertUsable(cts, copying);
  }

  /**
   * A device copies to another one and back, in two operations that are issued and held, so that
   * the copying device can still be read after the other one is closed.
   */
  private static final class HeldCopies {
    static final int SIZE = 100_001;

    final Device copying;
    final Device other;
    final DeviceBuffer near;
    final DeviceBuffer far;
    final DeviceBuffer spare; // of the other device, and used by no copy
    final DeviceBuffer back;
    final Blocker blocker;
    final TimelineSemaphore timeline; // reaches 2 when the bytes are back

    HeldCopies(Cts cts, Device copying, Device other) {
      this.copying = copying;
      this.other = other;
      near = cts.buffer(copying, bytes(SIZE));
      far = cts.buffer(other, filled(SIZE, 1));
      spare = cts.buffer(other, 16, BufferParams.DEVICE);
      back = cts.buffer(copying, filled(SIZE, 2));
      timeline = cts.semaphore();
      blocker = new Blocker(cts, copying.queue(0));
      DeviceQueue queue = copying.queue(0);
      queue.copy(blocker.timepoint(), timeline.at(1), near, 0, far, 0, SIZE);
      queue.copy(timeline.at(1), timeline.at(2), far, 0, back, 0, SIZE);
      queue.barrier(blocker.timepoint(), Fence.NONE);
      // An operation counts as issued when its turn has come. So when the barrier counts, the
      // copies have been issued.
      awaitStatistics("two copies to be issued", copying, now -> now.issued() == 4);
      assertEquals(0, copying.statistics().parked(), "operations that wait for the host");
    }

    void assertCopied(Cts cts) {
      awaitReached("copies that were held", timeline.at(2));
      assertBytes(bytes(SIZE), cts.read(back), "the bytes that went there and back");
    }
  }

  @Test
  @Rule({"S9b", "Q8"})
  @Needs({Need.PEER_MEMORY, Need.SHARED_EVENTS})
  void closingTheOtherDeviceWaitsForNativeCopies(Cts cts) throws Exception {
    HeldCopies copies = new HeldCopies(cts, cts.open(ROOM), cts.openSecond());
    TimelineSemaphore parked = cts.semaphore();
    copies.other.queue(0).barrier(cts.semaphore().at(1), parked.at(1));
    Task<?> closing = Task.run("close", copies.other::close);
    awaitFailure(parked, 1, Status.CANCELLED);
    assertStaysPending(copies.timeline.at(1));
    assertTrue(closing.isRunning(), "close() returned while a copy used the device's memory");
    copies.blocker.release();
    copies.assertCopied(cts);
    closing.join();
    assertUsable(cts, copies.copying);
  }

  @Test
  @Rule({"S9b", "Q8"})
  @Needs({Need.PEER_MEMORY, Need.SHARED_EVENTS, Need.THREE_QUEUES})
  void aCopyIssuedWhileTheOtherDeviceClosesFails(Cts cts) throws Exception {
    HeldCopies copies = new HeldCopies(cts, cts.open("queues=2", ROOM), cts.openSecond());
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore late = cts.semaphore();
    DeviceQueue free = copies.copying.queue(1);
    free.copy(go.at(1), late.at(1), copies.near, 0, copies.spare, 0, 16);
    Task<?> closing = Task.run("close", copies.other::close);
    awaitTrue("the device to be closing", copies.other::isClosed);
    go.signal(1);
    awaitFailure(late, 1, Status.FAILED_PRECONDITION);
    assertTrue(closing.isRunning(), "close() returned while a copy used the device's memory");
    copies.blocker.release();
    copies.assertCopied(cts);
    closing.join();
  }

  @Test
  @Rule({"S9b", "Q8"})
  @Needs({Need.PEER_MEMORY, Need.SHARED_EVENTS})
  void aTimedOutCloseOfTheOtherDeviceKeepsItsMemory(Cts cts) {
    HeldCopies copies = new HeldCopies(cts, cts.open(ROOM), cts.openSecond("close-timeout=100ms"));
    cts.allowWarnings();
    copies.other.close();
    assertPending(copies.timeline, 1); // the copy is not an operation of that device
    copies.far.close();
    assertNotEquals(0, copies.other.statistics().bytes(), "the memory that is being copied");
    copies.blocker.release();
    copies.assertCopied(cts);
    awaitStatistics("the memory to be freed", copies.other, now -> now.bytes() == 0);
    assertUsable(cts, copies.copying);
  }

  @Test
  @Rule({"S9b", "Q8"})
  @Needs({Need.PEER_MEMORY, Need.SHARED_EVENTS, Need.CONTROLS}) // a kernel might end too early
  void aTimedOutCloseOfTheCopyingDeviceStillHoldsTheOther(Cts cts) throws Exception {
    HeldCopies copies =
        new HeldCopies(cts, cts.open("close-timeout=100ms", ROOM), cts.openSecond());
    cts.allowWarnings();
    cts.allowLeftovers();
    copies.copying.close();
    awaitFailure(copies.timeline, 1, Status.DEADLINE_EXCEEDED);
    assertUsable(cts, copies.other);
    Task<?> closing = Task.run("close", copies.other::close);
    awaitTrue("the device to be closing", copies.other::isClosed);
    assertFalse(
        becomesTrue(CHANCE, () -> !closing.isRunning()),
        "close() returned while a stream may use the device's memory");
    copies.blocker.release();
    closing.join();
  }

  @Test
  @Rule({"S9b", "Q7"})
  @Needs({Need.PEER_MEMORY, Need.SHARED_EVENTS, Need.CONTROLS})
  void losingTheCopyingDeviceReleasesTheOther(Cts cts) {
    HeldCopies copies = new HeldCopies(cts, cts.open(ROOM), cts.openSecond());
    cts.allowWarnings();
    cts.controls(copies.copying).loseDevice(new HalException(Status.UNAVAILABLE, "it fell off"));
    assertHal(Status.UNAVAILABLE, awaitFailure(copies.timeline, 2), "it fell off");
    assertUsable(cts, copies.other);
    copies.other.close();
  }

  @Test
  @Rule({"S9b", "Q7"})
  @Needs({Need.PEER_MEMORY, Need.SHARED_EVENTS, Need.CONTROLS, Need.THREE_QUEUES})
  void losingTheOtherDeviceDoesNotLoseTheCopyingOne(Cts cts) {
    HeldCopies copies = new HeldCopies(cts, cts.open("queues=2", ROOM), cts.openSecond());
    cts.allowWarnings();
    cts.controls(copies.other).loseDevice(new HalException(Status.UNAVAILABLE, "it fell off"));
    TimelineSemaphore late = cts.semaphore();
    DeviceQueue free = copies.copying.queue(1);
    free.copy(Fence.NONE, late.at(1), copies.near, 0, copies.spare, 0, 16);
    assertHal(Status.FAILED_PRECONDITION, awaitFailure(late, 1), "lost", "it fell off");
    copies.blocker.release();
    awaitTrue("the copies to end", () -> isOver(copies.timeline, 2)); // they may have succeeded
    assertUsable(cts, copies.copying);
  }

  @Test
  @Rule({"S9b", "Q7a"})
  @Needs({Need.PEER_MEMORY, Need.CONTROLS})
  void aFailedEnableAccessFailsTheOperation(Cts cts) {
    Device here = cts.open();
    Device there = cts.openSecond();
    cts.needCall(here, "enableAccess");
    DeviceBuffer source = cts.buffer(here, bytes(64));
    DeviceBuffer target = cts.buffer(there, filled(64, 0));
    TimelineSemaphore failed = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    cts.controls(here).failNext("enableAccess", 1, Status.RESOURCE_EXHAUSTED, false);
    copyAll(Side.SOURCE, Fence.NONE, failed.at(1), source, target);
    awaitFailure(failed, 1, Status.RESOURCE_EXHAUSTED);
    assertBytes(filled(64, 0), cts.read(target), "the target of a copy that failed");
    copyAll(Side.SOURCE, Fence.NONE, done.at(1), source, target);
    awaitReached(done, 1);
    assertBytes(bytes(64), cts.read(target), "the copy");
    assertUsable(cts, here);
    assertUsable(cts, there);
  }
}
