// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.device;

import static org.jhal.cts.support.TestData.assertBytes;
import static org.jhal.cts.support.TestData.assertHal;
import static org.jhal.cts.support.TestData.bytes;
import static org.jhal.cts.support.TestData.filled;
import static org.jhal.cts.support.TestData.ints;
import static org.jhal.cts.support.TestData.with;
import static org.jhal.cts.support.Waits.assertPending;
import static org.jhal.cts.support.Waits.assertStaysPending;
import static org.jhal.cts.support.Waits.awaitFailure;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.jhal.cts.support.Waits.awaitStatistics;
import static org.jhal.cts.support.Waits.awaitTrue;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jhal.Args;
import org.jhal.BindingTable;
import org.jhal.BufferParams;
import org.jhal.BufferUsage;
import org.jhal.Capability;
import org.jhal.CommandBuffer;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.HalException;
import org.jhal.IndirectWorkgroups;
import org.jhal.MemoryType;
import org.jhal.Slot;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.Timepoint;
import org.jhal.Workgroups;
import org.jhal.cts.Controls;
import org.jhal.cts.Need;
import org.jhal.cts.Needs;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Blocker;
import org.jhal.cts.support.Commands;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.OperationKind;
import org.jhal.cts.support.Peers;
import org.jhal.cts.support.Task;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Buffers of a device over another device's memory (rule S9b). */
@CtsSuite
@Needs(Need.PEER_MEMORY)
class PeerImportTest {
  private static final int COUNT = 256;

  private static DeviceBuffer importPeer(Cts cts, Device device, DeviceBuffer theirs) {
    return cts.closing(device.allocator().importPeer(theirs));
  }

  private static void assertUsable(Cts cts, Device device) {
    assertNull(device.lostCause(), () -> "why " + device + " is lost");
    TimelineSemaphore works = cts.semaphore();
    device.queue(0).barrier(Fence.NONE, works.at(1));
    awaitReached(works, 1);
  }

  @Test
  @Rule("S9b")
  void anImportIsABufferOfTheImportingDevice(Cts cts) {
    BufferParams params =
        BufferParams.DEVICE.withUsage(BufferUsage.TRANSFER_SOURCE, BufferUsage.DISPATCH_READ);
    DeviceBuffer theirs = cts.buffer(cts.second(), 4096, params);
    DeviceBuffer mine = importPeer(cts, cts.device(), theirs);
    assertSame(cts.device(), mine.device());
    assertEquals(4096, mine.size());
    assertEquals(params.usage(), mine.params().usage());
    assertEquals(16, mine.slice(4080, 16).size());
    TimelineSemaphore done = cts.semaphore();
    assertHal(
        Status.PERMISSION_DENIED,
        () -> cts.queue().fill(Fence.NONE, done.at(1), mine, 0, 16, FillPattern.ZERO),
        "TRANSFER_TARGET");
    assertHal(
        Status.OUT_OF_RANGE,
        () -> cts.queue().copy(Fence.NONE, done.at(1), mine, 4090, cts.buffer(16), 0, 7),
        "4096");
    DeviceBuffer empty =
        importPeer(cts, cts.device(), cts.buffer(cts.second(), 0, BufferParams.DEVICE));
    assertEquals(0, empty.size());
  }

  @Test
  @Rule({"S9b", "M8"})
  void kernelsReadAndWriteAnImport(Cts cts) {
    DeviceBuffer theirs = cts.buffer(cts.second(), ints(2 * COUNT, i -> i));
    DeviceBuffer mine = importPeer(cts, cts.device(), theirs);
    DeviceBuffer local = cts.buffer(4 * COUNT);
    TimelineSemaphore timeline = cts.semaphore();
    cts.queue()
        .dispatch(
            Fence.NONE,
            timeline.at(1),
            cts.kernel("scale_and_offset"),
            Workgroups.of(COUNT),
            Args.of(mine.slice(0, 4 * COUNT), local, 3, 10));
    cts.queue()
        .dispatch(
            timeline.at(1),
            timeline.at(2),
            cts.kernel("negate"),
            Workgroups.of(COUNT),
            Args.of(local, mine.slice(4 * COUNT, 4 * COUNT)));
    // Finally, the other device reads what was written.
    DeviceBuffer last = cts.buffer(cts.second(), 4 * COUNT, BufferParams.DEVICE);
    cts.second()
        .queue(0)
        .dispatch(
            timeline.at(2),
            timeline.at(3),
            cts.kernel(cts.second(), "twice"),
            Workgroups.of(COUNT),
            Args.of(theirs.slice(4 * COUNT, 4 * COUNT), last));
    awaitReached(timeline, 3);
    assertBytes(ints(COUNT, i -> 3 * i + 10), cts.read(local), "read from the other device");
    assertBytes(ints(COUNT, i -> -2 * (3 * i + 10)), cts.read(last), "written there");
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 7, 65_537, (4 << 20) + 3})
  @Rule({"S9b", "M2"})
  void transfersOfAnImportAreExact(int length, Cts cts) {
    int size = length + 64;
    DeviceBuffer theirs = cts.buffer(cts.second(), filled(size, 0x11));
    DeviceBuffer mine = importPeer(cts, cts.device(), theirs);
    DeviceBuffer local = cts.buffer(bytes(size));
    TimelineSemaphore timeline = cts.semaphore();
    byte[] read = filled(length, 0);
    cts.queue().copy(Fence.NONE, timeline.at(1), local, 5, mine, 3, length);
    cts.queue().readback(timeline.at(1), timeline.at(2), mine, 3, ByteBuffer.wrap(read));
    cts.queue()
        .upload(timeline.at(1), timeline.at(3), ByteBuffer.wrap(bytes(5)), mine, 50 + length);
    awaitReached(timeline, 3);
    awaitReached(timeline, 2);
    cts.awaitIdle();
    byte[] moved = new byte[length];
    System.arraycopy(bytes(size), 5, moved, 0, length);
    byte[] expected = with(with(filled(size, 0x11), 3, moved), 50 + length, bytes(5));
    assertBytes(moved, read, "read back through the import");
    assertBytes(expected, cts.read(theirs), "the other device's buffer");
    assertBytes(expected, cts.read(mine), "the import");
    cts.queue().copy(timeline.at(3), timeline.at(4), mine, 3, local, 0, length);
    cts.queue().fill(timeline.at(4), timeline.at(5), mine, 0, size, FillPattern.of8(0x2C));
    cts.queue().update(timeline.at(5), timeline.at(6), ByteBuffer.wrap(bytes(9)), mine, length);
    awaitReached(timeline, 6);
    assertBytes(with(bytes(size), 0, moved), cts.read(local), "copied from the import");
    assertBytes(with(filled(size, 0x2C), length, bytes(9)), cts.read(theirs), "filled, updated");
  }

  /** Every operation that accepts a buffer accepts this one. */
  @ParameterizedTest
  @EnumSource
  @Rule("S9b")
  void everyOperationAcceptsAnImport(OperationKind kind, Cts cts) {
    kind.need(cts);
    DeviceBuffer mine = importPeer(cts, cts.device(), cts.buffer(cts.second(), bytes(64)));
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    kind.enqueue(cts, cts.queue(), go.at(1), done.at(1), mine);
    kind.enqueue(cts, cts.queue(), done.at(1), done.at(2), mine);
    go.signal(1);
    awaitReached(done, 2);
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"S9b", "M4"})
  void recordingsUseImports(Commands.Form form, Cts cts) {
    DeviceBuffer theirs = cts.buffer(cts.second(), ints(COUNT, i -> i));
    DeviceBuffer x = importPeer(cts, cts.device(), theirs);
    DeviceBuffer target = cts.buffer(cts.second(), filled(4 * COUNT + 64, 0));
    DeviceBuffer y = importPeer(cts, cts.device(), target);
    DeviceBuffer local = cts.buffer(4 * COUNT);
    Commands commands = new Commands(cts, form);
    commands
        .buffer()
        .dispatch(
            cts.kernel("twice"),
            Workgroups.of(COUNT),
            Args.of(commands.ref(x), commands.ref(local)));
    commands.buffer().barrier();
    commands.buffer().copy(commands.ref(local), 0, commands.ref(y), 0, 4 * COUNT);
    commands.buffer().fill(commands.ref(y, 4 * COUNT, 32), 0, 32, FillPattern.of8(9));
    commands.buffer().update(ByteBuffer.wrap(bytes(32)), commands.ref(y, 4 * COUNT + 32, 32), 0);
    commands.run(cts.queue());
    byte[] expected = with(filled(4 * COUNT + 64, 9), 0, ints(COUNT, i -> 2 * i));
    assertBytes(
        with(expected, 4 * COUNT + 32, bytes(32)),
        cts.read(target),
        "the results of the recorded commands");
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"S9b", "M6a"})
  @Needs(capabilities = Capability.INDIRECT_DISPATCH)
  void theGridOfADispatchMayBeInAnImport(Commands.Form form, Cts cts) {
    DeviceBuffer grid = importPeer(cts, cts.device(), cts.buffer(cts.second(), ints(0, 2, 1, 1)));
    DeviceBuffer x = cts.buffer(ints(1, 2, 3, 4));
    DeviceBuffer y = cts.buffer(ints(9, 9, 9, 9));
    TimelineSemaphore done = cts.semaphore();
    Commands commands = new Commands(cts, form);
    commands
        .buffer()
        .dispatch(
            cts.kernel("twice"),
            IndirectWorkgroups.of(commands.ref(grid), 4),
            Args.of(commands.ref(x), commands.ref(y)));
    commands.run(cts.queue());
    assertBytes(ints(2, 4, 9, 9), cts.read(y), "two of the values, recorded");
    cts.queue()
        .dispatch(
            Fence.NONE,
            done.at(1),
            cts.kernel("negate"),
            IndirectWorkgroups.of(grid, 4),
            Args.of(x, y));
    awaitReached(done, 1);
    assertBytes(ints(-1, -2, 9, 9), cts.read(y), "two of the values");
  }

  /**
   * Each submission uses other buffers, of either device. Some of them are in flight at the same
   * time.
   */
  @Test
  @Rule({"S9b", "M4", "K6"})
  void aReusableRecordingAcceptsImportsInSomeSubmissions(Cts cts) {
    int uses = 12;
    CommandBuffer commands =
        cts.closing(cts.device().createCommandBuffer(CommandBuffer.Mode.REUSABLE));
    commands.dispatch(
        cts.kernel("scale_and_offset"),
        Workgroups.of(COUNT),
        Args.of(Slot.of(0), Slot.of(1), 5, 1));
    commands.barrier();
    commands.copy(Slot.of(1), 0, Slot.of(2), 0, 4 * COUNT);
    commands.end();
    DeviceBuffer[] results = new DeviceBuffer[uses];
    List<Timepoint> ends = new ArrayList<>();
    for (int use = 0; use < uses; use++) {
      int base = 1000 * use;
      DeviceBuffer[] bound = new DeviceBuffer[3];
      for (int slot = 0; slot < 3; slot++) {
        boolean isPeer = (use >> slot & 1) != 0;
        DeviceBuffer own =
            cts.buffer(isPeer ? cts.second() : cts.device(), ints(COUNT, i -> base + i));
        bound[slot] = isPeer ? importPeer(cts, cts.device(), own) : own;
        results[use] = own; // the buffer of the last slot
      }
      Timepoint end = cts.semaphore().at(1);
      cts.queue().execute(Fence.NONE, end, commands, BindingTable.of(bound));
      ends.add(end);
      if (use % 3 == 2) {
        awaitReached("use " + use, end);
      }
    }
    awaitReached(Fence.of(ends));
    for (int use = 0; use < uses; use++) {
      int base = 1000 * use;
      assertBytes(ints(COUNT, i -> 5 * (base + i) + 1), cts.read(results[use]), "use " + use);
    }
  }

  @Test
  @Rule("S9b")
  void anImportedSliceHasItsLength(Cts cts) {
    DeviceBuffer theirs = cts.buffer(cts.second(), filled(1000, 1));
    DeviceBuffer mine = importPeer(cts, cts.device(), theirs.slice(100, 300).slice(50, 200));
    assertEquals(200, mine.size());
    TimelineSemaphore done = cts.semaphore();
    cts.queue().fill(Fence.NONE, done.at(1), mine.slice(10, 20), 4, 8, FillPattern.of8(2));
    awaitReached(done, 1);
    assertBytes(with(filled(1000, 1), 164, filled(8, 2)), cts.read(theirs), "all of it");
    assertHal(
        Status.OUT_OF_RANGE,
        () -> cts.queue().fill(Fence.NONE, done.at(2), mine, 196, 8, FillPattern.ZERO),
        "200");
  }

  @Test
  @Rule("S9b")
  void severalImportsSeeTheSameMemory(Cts cts) {
    DeviceBuffer theirs = cts.buffer(cts.second(), filled(64, 0));
    DeviceBuffer one = importPeer(cts, cts.device(), theirs);
    DeviceBuffer two = importPeer(cts, cts.device(), theirs);
    TimelineSemaphore done = cts.semaphore();
    cts.queue().fill(Fence.NONE, done.at(1), one, 0, 32, FillPattern.of8(3));
    cts.queue().copy(done.at(1), done.at(2), two, 0, two, 32, 16);
    awaitReached(done, 2);
    assertBytes(with(filled(64, 0), 0, filled(48, 3)), cts.read(theirs), "all of it");
  }

  /** A program need not check whether two devices are the same. */
  @Test
  @Rule("S9b")
  void aDeviceMayImportItsOwnMemory(Cts cts) {
    DeviceBuffer own = cts.buffer(filled(64, 0));
    DeviceBuffer again = importPeer(cts, cts.device(), own);
    TimelineSemaphore done = cts.semaphore();
    cts.queue().fill(Fence.NONE, done.at(1), again, 0, 64, FillPattern.of8(6));
    awaitReached(done, 1);
    assertBytes(filled(64, 6), cts.read(own), "the device's own buffer");
  }

  /**
   * Both sides of a copy may be one memory under two names; a table shows that when it is bound.
   */
  @ParameterizedTest
  @EnumSource
  @Rule({"S9b", "M5"})
  void aCopyThatOverlapsThroughAnImportIsRejected(Commands.Form form, Cts cts) {
    DeviceBuffer own = cts.buffer(bytes(64));
    DeviceBuffer again = importPeer(cts, cts.device(), own);
    TimelineSemaphore done = cts.semaphore();
    for (boolean isForward : new boolean[] {true, false}) {
      DeviceBuffer from = isForward ? own : again;
      DeviceBuffer to = isForward ? again : own;
      assertHal(
          Status.INVALID_ARGUMENT,
          () -> {
            Commands commands = new Commands(cts, form);
            commands.buffer().copy(commands.ref(from), 0, commands.ref(to), 31, 32);
            commands.submit(cts.queue(), Fence.NONE, done.at(1));
          },
          "overlap");
      assertHal(
          Status.INVALID_ARGUMENT,
          () -> cts.queue().copy(Fence.NONE, done.at(1), from, 31, to, 0, 32),
          "overlap");
    }
    Commands apart = new Commands(cts, form);
    apart.buffer().copy(apart.ref(own), 0, apart.ref(again), 32, 32);
    apart.run(cts.queue());
    assertBytes(with(bytes(64), 32, bytes(32)), cts.read(own), "one half over the other");
  }

  @ParameterizedTest
  @CsvSource({"true, false", "false, true"})
  @Rule({"S9b", "M7"})
  void originalAndImportMayBeClosedInAnyOrder(
      boolean closesTheOriginal, boolean closesTheImport, Cts cts) {
    Device here = cts.open();
    Device there = cts.openSecond();
    DeviceBuffer theirs = cts.buffer(there, bytes(100_000));
    DeviceBuffer mine = importPeer(cts, here, theirs);
    awaitStatistics("the upload to retire", there, now -> now.openOperations() == 0);
    long held = there.statistics().bytes();
    if (closesTheOriginal) {
      theirs.close();
      assertBytes(bytes(100_000), cts.read(mine), "an import of a buffer that is closed");
    }
    if (closesTheImport) {
      mine.close();
      mine.close();
      assertBytes(bytes(100_000), cts.read(theirs), "a buffer whose import is closed");
      TimelineSemaphore done = cts.semaphore();
      assertHal(
          Status.FAILED_PRECONDITION,
          () -> here.queue(0).fill(Fence.NONE, done.at(1), mine, 0, 4, FillPattern.ZERO),
          "closed");
    }
    assertEquals(held, there.statistics().bytes(), "memory that a buffer is still open for");
    theirs.close();
    mine.close();
    awaitStatistics("the memory to be freed", there, now -> now.bytes() == 0);
    awaitStatistics("the import to go", here, now -> now.buffers() == 0);
  }

  @Test
  @Rule({"S9b", "Q2", "Q3"})
  void originalAndImportMayBeClosedWhileInUse(Cts cts) {
    Device here = cts.open();
    Device there = cts.openSecond();
    DeviceBuffer local = cts.buffer(here, filled(4096, 0));
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    DeviceBuffer theirs = cts.buffer(there, bytes(4096));
    DeviceBuffer mine = importPeer(cts, here, theirs);
    here.queue(0).copy(go.at(1), done.at(1), mine, 0, local, 0, 4096);
    mine.close();
    theirs.close();
    assertNotEquals(0, there.statistics().bytes(), "memory that an operation uses");
    go.signal(1);
    awaitReached(done, 1);
    assertBytes(bytes(4096), cts.read(local), "a copy of a buffer closed during the copy");
    awaitStatistics("the memory to be freed", there, now -> now.bytes() == 0);
  }

  /** Only a timeline orders the work of both devices on one buffer. */
  @Test
  @Rule({"S9b", "S9a", "Q9"})
  void twoDevicesAlternateOnOneBuffer(Cts cts) {
    int rounds = 200;
    Device[] devices = {cts.device(), cts.second()};
    DeviceBuffer theirs = cts.buffer(devices[1], filled(4 * (rounds + 1), 0));
    DeviceBuffer[] lists = {importPeer(cts, devices[0], theirs), theirs};
    TimelineSemaphore timeline = cts.semaphore();
    for (int i = 0; i < rounds; i++) {
      Device device = devices[i % 2];
      device
          .queue(i % device.queueCount())
          .dispatch(
              timeline.at(i),
              timeline.at(i + 1),
              cts.kernel(device, "append"),
              Workgroups.of(1),
              Args.of(lists[i % 2], 10 * i));
    }
    awaitReached(timeline, rounds);
    assertBytes(
        ints(rounds + 1, i -> i == 0 ? rounds : 10 * (i - 1)),
        cts.read(theirs),
        "a list to which two devices append in turn");
  }

  @Test
  @Rule({"S9b", "Q8"})
  void theOwnersCloseDoesNotWaitForAnIdleImport(Cts cts) {
    Device here = cts.open();
    Device there = cts.openSecond("close-timeout=1000s"); // longer than a test may take
    DeviceBuffer theirs = cts.buffer(there, bytes(64));
    DeviceBuffer mine = importPeer(cts, here, theirs);
    DeviceBuffer local = cts.buffer(here, filled(64, 7));
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore parked = cts.semaphore();
    here.queue(0).copy(go.at(1), parked.at(1), mine, 0, local, 0, 64);
    there.close();
    go.signal(1);
    assertHal(
        Status.FAILED_PRECONDITION, awaitFailure(parked, 1), "whose memory is used, is closed");
    assertBytes(filled(64, 7), cts.read(local), "the target of a copy that did not happen");
    mine.close();
    theirs.close();
    assertUsable(cts, here);
    here.close();
  }

  /** Waits until the second operation of the queue is issued. The blocker is the first. */
  private static void awaitIssued(Device device, Blocker blocker) {
    // An operation counts as issued when its turn has come. So when the next one counts, it has
    // been issued.
    device.queue(0).barrier(blocker.timepoint(), Fence.NONE);
    awaitStatistics("a copy to be issued", device, now -> now.issued() == 3);
  }

  @Test
  @Rule({"S9b", "Q8"})
  void theOwnersCloseWaitsForWorkThatUsesItsMemory(Cts cts) throws Exception {
    Device here = cts.open("inflight=64");
    Device there = cts.openSecond();
    DeviceBuffer mine = importPeer(cts, here, cts.buffer(there, bytes(4096)));
    DeviceBuffer local = cts.buffer(here, filled(4096, 0));
    TimelineSemaphore done = cts.semaphore();
    Blocker blocker = new Blocker(cts, here.queue(0));
    here.queue(0).copy(blocker.timepoint(), done.at(1), mine, 0, local, 0, 4096);
    awaitIssued(here, blocker);
    Task<?> closing = Task.run("close", there::close);
    awaitTrue("the device to be closing", there::isClosed);
    assertStaysPending(done.at(1));
    assertTrue(closing.isRunning(), "close() returned while work used the device's memory");
    blocker.release();
    awaitReached(done, 1);
    closing.join();
    assertBytes(bytes(4096), cts.read(local), "a copy of the other device's memory");
    assertUsable(cts, here);
  }

  @Test
  @Rule({"S9b", "Q8"})
  void theOwnersMemoryIsKeptIfItsCloseTimesOut(Cts cts) {
    Device here = cts.open("inflight=64");
    Device there = cts.openSecond("close-timeout=100ms");
    DeviceBuffer theirs = cts.buffer(there, bytes(4096));
    DeviceBuffer mine = importPeer(cts, here, theirs);
    DeviceBuffer local = cts.buffer(here, filled(4096, 0));
    TimelineSemaphore done = cts.semaphore();
    Blocker blocker = new Blocker(cts, here.queue(0));
    here.queue(0).copy(blocker.timepoint(), done.at(1), mine, 0, local, 0, 4096);
    awaitIssued(here, blocker);
    cts.allowWarnings();
    there.close();
    assertPending(done, 1); // the copy is not an operation of that device
    mine.close();
    theirs.close();
    blocker.release();
    awaitReached(done, 1);
    assertBytes(bytes(4096), cts.read(local), "a copy of the other device's memory");
    awaitStatistics("the memory to be freed", there, now -> now.bytes() == 0);
    assertUsable(cts, here);
  }

  @Test
  @Rule({"S9b", "Q8"})
  void theImportersCloseDoesNotAffectTheOriginal(Cts cts) {
    Device here = cts.open();
    Device there = cts.openSecond();
    DeviceBuffer theirs = cts.buffer(there, bytes(4096));
    DeviceBuffer mine = here.allocator().importPeer(theirs);
    here.close();
    assertBytes(bytes(4096), cts.read(theirs), "a buffer whose importer is closed");
    mine.close();
    theirs.close();
    awaitStatistics("the memory to be freed", there, now -> now.bytes() == 0);
    there.close();
  }

  @Test
  @Rule({"S9b", "Q7"})
  @Needs(Need.CONTROLS)
  void theImportersLossDoesNotAffectTheOriginal(Cts cts) {
    Device here = cts.open();
    Device there = cts.openSecond();
    DeviceBuffer theirs = cts.buffer(there, bytes(4096));
    DeviceBuffer mine = importPeer(cts, here, theirs);
    DeviceBuffer other = cts.buffer(there, bytes(16));
    cts.allowWarnings();
    cts.controls(here).loseDevice(new HalException(Status.UNAVAILABLE, "it fell off"));
    assertHal(Status.UNAVAILABLE, () -> here.allocator().importPeer(other), "it fell off");
    assertBytes(bytes(4096), cts.read(theirs), "a buffer whose importer is lost");
    mine.close();
    assertUsable(cts, there);
  }

  /** How an operation uses another device's memory. */
  enum Use {
    FILL,
    COPY_FROM,
    COPY_TO,
    DISPATCH,
    RECORDING,
    BINDING_TABLE
  }

  /** Each use, enqueued before the owner is lost and ready only behind that, or enqueued then. */
  static Stream<Arguments> usesOfALostOwner() {
    return Stream.of(Use.values())
        .flatMap(use -> Stream.of(Arguments.of(use, true), Arguments.of(use, false)));
  }

  private static void use(
      Cts cts, Use use, Fence waits, Fence signals, DeviceBuffer mine, DeviceBuffer local) {
    DeviceQueue queue = cts.queue();
    switch (use) {
      case FILL -> queue.fill(waits, signals, mine, 0, 64, FillPattern.ZERO);
      case COPY_FROM -> queue.copy(waits, signals, mine, 0, local, 0, 64);
      case COPY_TO -> queue.copy(waits, signals, local, 0, mine, 0, 64);
      case DISPATCH ->
          queue.dispatch(
              waits, signals, cts.kernel("negate"), Workgroups.of(16), Args.of(mine, local));
      case RECORDING, BINDING_TABLE -> {
        Commands commands =
            new Commands(
                cts, use == Use.RECORDING ? Commands.Form.DIRECT : Commands.Form.BINDING_TABLE);
        commands.buffer().copy(commands.ref(mine), 0, commands.ref(local), 0, 64);
        commands.submit(queue, waits, signals);
      }
    }
  }

  /** Loses a device, and returns the cause. */
  private static HalException lose(Cts cts, Device device) {
    cts.allowWarnings();
    cts.controls(device)
        .loseDevice(new HalException(Status.UNAVAILABLE, "it fell off", null, Controls.INJECTED));
    return Objects.requireNonNull(device.lostCause());
  }

  /** Checks that an operation has failed because the owner of memory was lost. */
  private static void assertFailedByLoss(TimelineSemaphore done, HalException loss) {
    HalException failure = awaitFailure(done, 1);
    assertHal(Status.FAILED_PRECONDITION, failure, "whose memory", "lost", "it fell off");
    assertEquals(loss.nativeCode(), failure.nativeCode(), "native code of the failure");
    assertTrue(causes(failure).contains(loss), () -> "the loss as a cause: " + causes(failure));
  }

  private static List<Throwable> causes(Throwable failure) {
    return Stream.iterate(failure, Objects::nonNull, Throwable::getCause).toList();
  }

  @ParameterizedTest
  @MethodSource("usesOfALostOwner")
  @Rule({"S9b", "Q7"})
  @Needs(Need.CONTROLS)
  void theOwnersLossFailsWorkThatUsesItsMemory(Use use, boolean isParked, Cts cts) {
    Device there = cts.openSecond();
    DeviceBuffer mine = importPeer(cts, cts.device(), cts.buffer(there, bytes(64)));
    DeviceBuffer local = cts.buffer(filled(64, 7));
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    if (isParked) {
      use(cts, use, go.at(1), done.at(1), mine, local);
    }
    HalException loss = lose(cts, there);
    if (!isParked) {
      use(cts, use, go.at(1), done.at(1), mine, local);
    }
    assertPending(done, 1);
    go.signal(1);
    assertFailedByLoss(done, loss);
    assertBytes(filled(64, 7), cts.read(local), "the buffer beside that of the lost device");
    assertUsable(cts, cts.device());
  }

  /** An operation that uses the memory of two other devices, of which one is lost. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  @Rule({"S9b", "Q7", "Q8"})
  @Needs(Need.CONTROLS)
  void theLossOfEitherOwnerFailsWorkThatUsesBoth(int bad, Cts cts) {
    List<Device> owners = List.of(cts.openSecond(), cts.openSecond());
    List<DeviceBuffer> mine = new ArrayList<>();
    for (Device owner : owners) {
      mine.add(importPeer(cts, cts.device(), cts.buffer(owner, bytes(64))));
    }
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    cts.queue().copy(go.at(1), done.at(1), mine.get(0), 0, mine.get(1), 0, 64);
    HalException loss = lose(cts, owners.get(bad));
    go.signal(1);
    assertFailedByLoss(done, loss);
    assertUsable(cts, cts.device());
    assertUsable(cts, owners.get(1 - bad));
    mine.forEach(DeviceBuffer::close);
    owners.forEach(Device::close); // neither is held any more
  }

  @Test
  @Rule({"S9b", "M5"})
  void mappingAnImportIsRejected(Cts cts) {
    DeviceBuffer mine =
        importPeer(cts, cts.device(), cts.buffer(cts.second(), 64, BufferParams.DEVICE));
    for (DeviceBuffer.MapMode mode : DeviceBuffer.MapMode.values()) {
      assertHal(Status.PERMISSION_DENIED, () -> mine.map(mode), "mapped");
    }
  }

  /** A device may share memory of other types than DEVICE. If it does, that memory must work. */
  @ParameterizedTest
  @EnumSource
  @Rule({"S9b", "M5"})
  void memoryOfOtherTypesWorksOrIsRejected(MemoryType type, Cts cts) {
    BufferParams params = new BufferParams(type, Set.of());
    if (!cts.second().allocator().supports(params)) {
      throw Cts.unsupported("the device has no memory of type " + type);
    }
    DeviceBuffer theirs = cts.buffer(cts.second(), 64, params);
    DeviceBuffer mine;
    try {
      mine = importPeer(cts, cts.device(), theirs);
    } catch (HalException refused) {
      assertNotEquals(MemoryType.DEVICE, type, "memory that every device lends");
      assertHal(Status.UNIMPLEMENTED, refused, type.name());
      return;
    }
    TimelineSemaphore done = cts.semaphore();
    cts.queue().fill(Fence.NONE, done.at(1), mine, 0, 64, FillPattern.of8(4));
    awaitReached(done, 1);
    assertBytes(filled(64, 4), cts.read(theirs), "memory of type " + type);
  }

  @Test
  @Rule({"S9b", "M5"})
  void closedBuffersAndDevicesAreRejected(Cts cts) {
    Device here = cts.open();
    Device there = cts.openSecond();
    DeviceBuffer closed = cts.buffer(there, 64, BufferParams.DEVICE);
    closed.close();
    assertHal(Status.FAILED_PRECONDITION, () -> here.allocator().importPeer(closed), "closed");
    DeviceBuffer orphan = cts.buffer(there, 64, BufferParams.DEVICE);
    there.close();
    assertHal(Status.FAILED_PRECONDITION, () -> here.allocator().importPeer(orphan), "closed");
    DeviceBuffer other = cts.buffer(cts.second(), 64, BufferParams.DEVICE);
    here.close();
    assertHal(Status.FAILED_PRECONDITION, () -> here.allocator().importPeer(other), "closed");
  }

  @Test
  @Rule({"S9b", "M5", "M1"})
  void allocaMemoryIsRejected(Cts cts) {
    TimelineSemaphore done = cts.semaphore();
    DeviceBuffer scratch =
        cts.closing(cts.second().queue(0).alloca(Fence.NONE, done.at(1), 64, BufferParams.DEVICE));
    awaitReached(done, 1);
    assertHal(
        Status.INVALID_ARGUMENT, () -> cts.device().allocator().importPeer(scratch), "alloca");
    assertHal(
        Status.INVALID_ARGUMENT,
        () -> cts.device().allocator().importPeer(scratch.slice(0, 16)),
        "alloca");
  }

  @Test
  @Rule({"S9b", "M5"})
  @Needs(capabilities = Capability.HOST_IMPORT)
  void importedHostMemoryIsRejected(Cts cts) {
    DeviceBuffer lent =
        cts.closing(
            cts.second()
                .allocator()
                .importHost(ByteBuffer.allocateDirect(4096), BufferParams.HOST, null));
    assertHal(Status.UNIMPLEMENTED, () -> cts.device().allocator().importPeer(lent), "imported");
  }

  /** By the owner of the memory, by the device that has imported it already, and by a third one. */
  @Test
  @Rule({"S9b", "M7"})
  void anImportMayBeImportedAgain(Cts cts) {
    Device here = cts.open();
    Device there = cts.openSecond();
    Device third = cts.open();
    DeviceBuffer theirs = cts.buffer(there, filled(64, 0));
    DeviceBuffer mine = importPeer(cts, here, theirs);
    List<DeviceBuffer> again =
        List.of(
            importPeer(cts, there, mine.slice(0, 16)),
            importPeer(cts, here, mine.slice(16, 16)),
            importPeer(cts, third, mine.slice(32, 16)));
    mine.close();
    TimelineSemaphore done = cts.semaphore();
    for (int i = 0; i < again.size(); i++) {
      DeviceBuffer one = again.get(i);
      one.device().queue(0).fill(done.at(i), done.at(i + 1), one, 0, 16, FillPattern.of8(i + 1));
    }
    awaitReached(done, 3);
    byte[] expected = with(with(filled(64, 0), 0, filled(16, 1)), 16, filled(16, 2));
    assertBytes(with(expected, 32, filled(16, 3)), cts.read(theirs), "filled by three devices");
    theirs.close();
    assertBytes(filled(16, 3), cts.read(again.get(2)), "the bytes that the third device keeps");
    again.forEach(DeviceBuffer::close);
    awaitStatistics("the memory to be freed", there, now -> now.bytes() == 0);
  }

  @ParameterizedTest
  @CsvSource({"events, memory", "memory, events", "none, memory", "memory, none"})
  @Rule({"S9b", "M5", "D5"})
  void memoryThatIsNotSharedIsRejected(String one, String other, Cts cts) {
    Device here = cts.open(Peers.options(cts, one));
    Device there = cts.openSecond(Peers.options(cts, other));
    DeviceBuffer theirs = cts.buffer(there, 64, BufferParams.DEVICE);
    assertHal(
        Status.UNIMPLEMENTED,
        () -> here.allocator().importPeer(theirs),
        "was opened with peers=" + (one.equals("memory") ? other : one));
  }
}
