// SPDX-License-Identifier: Apache-2.0
package org.jhal.simulator.tests;

import static org.jhal.cts.support.TestData.assertBytes;
import static org.jhal.cts.support.TestData.assertHal;
import static org.jhal.cts.support.TestData.bytes;
import static org.jhal.cts.support.TestData.filled;
import static org.jhal.cts.support.TestData.ints;
import static org.jhal.cts.support.Waits.assertStaysPending;
import static org.jhal.cts.support.Waits.awaitFailure;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.jhal.simulator.fixture.NativeCall.COPY;
import static org.jhal.simulator.fixture.NativeCall.COPY_ANY;
import static org.jhal.simulator.fixture.NativeCall.COPY_TO_DEVICE;
import static org.jhal.simulator.fixture.NativeCall.COPY_TO_HOST;
import static org.jhal.simulator.fixture.NativeCall.EVENT_RECORD;
import static org.jhal.simulator.fixture.NativeCall.GRAPH_ADD_COPY;
import static org.jhal.simulator.fixture.NativeCall.PEER_ENABLE;
import static org.jhal.simulator.fixture.NativeCall.POOL_ENABLE;
import static org.jhal.simulator.fixture.NativeCall.STREAM_QUERY;
import static org.jhal.simulator.fixture.NativeCall.STREAM_WAIT_EVENT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.Map;
import org.jhal.Args;
import org.jhal.BindingTable;
import org.jhal.BufferParams;
import org.jhal.CommandBuffer;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.Executable;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.GraphStatistics;
import org.jhal.HalException;
import org.jhal.Slot;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.Workgroups;
import org.jhal.cts.kernels.CtsKernels;
import org.jhal.cts.support.Task;
import org.jhal.simulator.fixture.GpuFault;
import org.jhal.simulator.fixture.NativeCall;
import org.jhal.simulator.fixture.SimulatedDevices;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Two GPUs that use each other's memory, as programs see it. */
@Timeout(60)
class GpuPeerTest {
  private static final int SIZE = 1 << 12;

  /** More than is staged at the issue. */
  private static final int LARGE = 2 << 20;

  private static final String OTHER_MEMORY = "a slot has memory of another kind";

  @RegisterExtension final SimulatedDevices sim = new SimulatedDevices();
  private final String name = sim.driver().name();

  private Device open(int index) {
    return sim.open(name + "://" + index + "?queues=1&graph=on");
  }

  private static DeviceBuffer filledBuffer(Device device, int value, int size) {
    return buffer(device, filled(size, value));
  }

  private static DeviceBuffer buffer(Device device, byte[] content) {
    DeviceBuffer buffer = device.allocate(content.length, BufferParams.DEVICE);
    try (TimelineSemaphore done = device.createSemaphore(0)) {
      device.queue(0).upload(Fence.NONE, done.at(1), ByteBuffer.wrap(content), buffer, 0);
      awaitReached(done, 1);
    }
    return buffer;
  }

  private static void assertHolds(byte[] expected, Device device, DeviceBuffer buffer) {
    byte[] found = new byte[Math.toIntExact(buffer.size())];
    try (TimelineSemaphore done = device.createSemaphore(0)) {
      device.queue(0).readback(Fence.NONE, done.at(1), buffer, 0, ByteBuffer.wrap(found));
      awaitReached(done, 1);
    }
    assertBytes(expected, found, "the buffer");
  }

  private static void assertFilled(int value, Device device, DeviceBuffer buffer) {
    assertHolds(filled(Math.toIntExact(buffer.size()), value), device, buffer);
  }

  /** Copies all of a buffer on a queue of {@code device}. */
  private static void copy(Device device, DeviceBuffer source, DeviceBuffer target) {
    try (TimelineSemaphore done = device.createSemaphore(0)) {
      device.queue(0).copy(Fence.NONE, done.at(1), source, 0, target, 0, source.size());
      awaitReached(done, 1);
    }
  }

  private static void run(Device device, CommandBuffer commands, BindingTable bindings) {
    try (TimelineSemaphore done = device.createSemaphore(0)) {
      device.queue(0).execute(Fence.NONE, done.at(1), commands, bindings);
      awaitReached(done, 1);
    }
  }

  // Copies.

  @Test
  void aCopyBetweenDevicesIsOneNativeCall() {
    try (Device here = open(0);
        Device there = open(1);
        DeviceBuffer mine = filledBuffer(here, 1, SIZE);
        DeviceBuffer theirs = filledBuffer(there, 2, SIZE)) {
      assertTrue(here.canAccess(there));
      long up = sim.calls(COPY_TO_DEVICE);
      long down = sim.calls(COPY_TO_HOST);
      copy(here, theirs, mine);
      assertEquals(1, sim.calls(COPY_ANY));
      assertEquals(up, sim.calls(COPY_TO_DEVICE));
      assertEquals(down, sim.calls(COPY_TO_HOST));
      assertFilled(2, here, mine);
    }
  }

  @Test
  void copiesGoBothWaysOnBothDevices() {
    try (Device here = open(0);
        Device there = open(1);
        DeviceBuffer mine = filledBuffer(here, 0, SIZE);
        DeviceBuffer theirs = filledBuffer(there, 2, SIZE);
        DeviceBuffer next = filledBuffer(here, 3, SIZE)) {
      copy(here, theirs, mine);
      assertFilled(2, here, mine);
      copy(here, next, theirs);
      assertFilled(3, there, theirs);
      copy(there, mine, theirs);
      assertFilled(2, there, theirs);
      copy(there, theirs, next);
      assertFilled(2, here, next);
      assertEquals(4, sim.calls(COPY_ANY));
      assertEquals(0, sim.calls(COPY));
    }
  }

  @Test
  void aCopyWithinADeviceUsesTheOrdinaryCall() {
    try (Device here = open(0);
        Device there = open(1);
        DeviceBuffer one = filledBuffer(here, 1, SIZE);
        DeviceBuffer two = filledBuffer(here, 2, SIZE)) {
      assertTrue(here.canAccess(there));
      copy(here, one, two);
      assertEquals(1, sim.calls(COPY));
      assertEquals(0, sim.calls(COPY_ANY));
      assertEquals(0, sim.calls(PEER_ENABLE));
      assertFilled(1, here, two);
    }
  }

  @Test
  void theFirstOperationThatNeedsAccessEnablesItOnce() {
    try (Device here = open(0);
        Device there = open(1);
        DeviceBuffer mine = filledBuffer(here, 1, SIZE);
        DeviceBuffer theirs = filledBuffer(there, 2, SIZE)) {
      assertEquals(0, sim.calls(PEER_ENABLE));
      for (int i = 0; i < 3; i++) {
        copy(here, theirs, mine);
      }
      assertEquals(1, sim.calls(PEER_ENABLE));
      assertEquals(1, sim.calls(POOL_ENABLE));
    }
  }

  // Views.

  @Test
  void everyKindOfCommandUsesPeerMemory() {
    byte[] large = bytes(LARGE);
    try (Device here = open(0);
        Device there = open(1);
        DeviceBuffer theirs = filledBuffer(there, 0, LARGE);
        DeviceBuffer view = here.allocator().importPeer(theirs);
        DeviceBuffer mine = filledBuffer(here, 7, LARGE);
        Executable kernels = here.loadExecutable(CtsKernels.bundle());
        TimelineSemaphore done = here.createSemaphore(0)) {
      here.queue(0).fill(Fence.NONE, done.at(1), view, 0, LARGE, FillPattern.of8(5));
      awaitReached(done, 1);
      assertFilled(5, there, theirs);

      here.queue(0).upload(Fence.NONE, done.at(2), ByteBuffer.wrap(large), view, 0);
      awaitReached(done, 2);
      assertHolds(large, there, theirs);
      assertHolds(large, here, view);

      here.queue(0).update(Fence.NONE, done.at(3), ByteBuffer.wrap(ints(1, 2, 3, 4)), view, 0);
      here.queue(0).copy(done.at(3), done.at(4), view, 0, view, 32, 16);
      here.queue(0).copy(done.at(4), done.at(5), view, 32, mine, 0, 16);
      here.queue(0)
          .dispatch(
              done.at(5),
              done.at(6),
              kernels.kernel("twice"),
              Workgroups.of(4),
              Args.of(view.slice(32, 16), view.slice(64, 16)));
      here.queue(0)
          .dispatch(
              done.at(6),
              done.at(7),
              kernels.kernel("negate"),
              Workgroups.of(4),
              Args.of(view.slice(64, 16), mine.slice(16, 16)));
      awaitReached(done, 7);
      byte[] found = new byte[32];
      here.queue(0).readback(Fence.NONE, done.at(8), mine, 0, ByteBuffer.wrap(found));
      awaitReached(done, 8);
      assertBytes(ints(1, 2, 3, 4, -2, -4, -6, -8), found, "mine");
      byte[] twice = new byte[16];
      try (TimelineSemaphore read = there.createSemaphore(0)) {
        there.queue(0).readback(Fence.NONE, read.at(1), theirs, 64, ByteBuffer.wrap(twice));
        awaitReached(read, 1);
      }
      assertBytes(ints(2, 4, 6, 8), twice, "theirs");
    }
  }

  /** Copies of it still work. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void doesNotShareHostMemory(boolean isUpload) {
    BufferParams params = isUpload ? BufferParams.HOST_UPLOAD : BufferParams.HOST;
    try (Device here = open(0);
        Device there = open(1);
        DeviceBuffer theirs = there.allocate(SIZE, params);
        DeviceBuffer mine = filledBuffer(here, 1, SIZE)) {
      assertHal(
          Status.UNIMPLEMENTED,
          () -> here.allocator().importPeer(theirs),
          "it is " + params.type() + " memory");
      try (DeviceBuffer.Mapping mapping = theirs.map(DeviceBuffer.MapMode.DISCARD_WRITE)) {
        mapping.bytes().put(filled(SIZE, 9));
        mapping.flush();
      }
      copy(here, theirs, mine);
      assertFilled(9, here, mine);
    }
  }

  @Test
  void aGraphCopiesFromAnotherDevice() {
    try (Device here = open(0);
        Device there = open(1);
        DeviceBuffer theirs = filledBuffer(there, 1, SIZE);
        DeviceBuffer view = here.allocator().importPeer(theirs);
        DeviceBuffer mine = filledBuffer(here, 0, SIZE);
        Executable kernels = here.loadExecutable(CtsKernels.bundle());
        CommandBuffer commands = here.createCommandBuffer(CommandBuffer.Mode.REUSABLE)) {
      commands.copy(view, 0, mine, 0, SIZE / 2);
      commands.fill(view, SIZE / 2, SIZE / 4, FillPattern.of8(4));
      commands.barrier();
      commands.dispatch(
          kernels.kernel("twice"),
          Workgroups.of(SIZE / 16),
          Args.of(view.slice(SIZE / 2, SIZE / 4), mine.slice(SIZE / 2, SIZE / 4)));
      commands.copy(mine, 0, view, SIZE * 3 / 4, SIZE / 4);
      commands.end();
      long copies = 0; // other commands may be graphs as well
      for (int round = 1; round <= 4; round++) {
        try (TimelineSemaphore done = there.createSemaphore(0)) {
          there.queue(0).fill(Fence.NONE, done.at(1), theirs, 0, SIZE, FillPattern.of8(round));
          awaitReached(done, 1);
        }
        long before = sim.calls(GRAPH_ADD_COPY);
        run(here, commands, BindingTable.EMPTY);
        copies += sim.calls(GRAPH_ADD_COPY) - before;
        ByteBuffer expected = ByteBuffer.allocate(SIZE);
        expected.put(filled(SIZE / 2, round)).put(filled(SIZE / 4, 8));
        assertHolds(expected.array(), here, mine);
        ByteBuffer back = ByteBuffer.allocate(SIZE);
        back.put(filled(SIZE / 2, round)).put(filled(SIZE / 4, 4)).put(filled(SIZE / 4, round));
        assertHolds(back.array(), there, theirs);
      }
      GraphStatistics graphs = here.statistics().graphs();
      assertEquals(3, graphs.launches(), graphs::toString);
      assertEquals(2, copies);
    }
  }

  @Test
  void issuesCommandsOneByOneForMemoryOfAnotherPlace() {
    try (Device here = open(0);
        Device there = open(1);
        DeviceBuffer theirs = filledBuffer(there, 1, SIZE);
        DeviceBuffer view = here.allocator().importPeer(theirs);
        DeviceBuffer mine = filledBuffer(here, 2, SIZE);
        DeviceBuffer target = filledBuffer(here, 0, SIZE);
        CommandBuffer commands = here.createCommandBuffer(CommandBuffer.Mode.REUSABLE)) {
      commands.copy(Slot.of(0), 0, target, 0, SIZE);
      commands.end();
      for (DeviceBuffer source : new DeviceBuffer[] {mine, mine, mine, view, view, mine}) {
        run(here, commands, BindingTable.of(source));
        assertFilled(source == view ? 1 : 2, here, target);
      }
      GraphStatistics graphs = here.statistics().graphs();
      assertEquals(3, graphs.launches(), graphs::toString);
      assertEquals(Map.of(OTHER_MEMORY, 2L), graphs.fallbacks());
    }
  }

  // No access.

  @Test
  void withoutAccessCopiesUseTheHostAndImportsAreRefused() {
    sim.simulator().peer(0, 1, false);
    try (Device here = open(0);
        Device there = open(1);
        DeviceBuffer mine = filledBuffer(here, 1, SIZE);
        DeviceBuffer theirs = filledBuffer(there, 2, SIZE)) {
      assertFalse(here.canAccess(there));
      assertTrue(there.canAccess(here), "the other way round");
      copy(here, theirs, mine);
      assertFilled(2, here, mine);
      assertHal(
          Status.UNIMPLEMENTED,
          () -> here.allocator().importPeer(theirs),
          "the runtime offers no access");
      there.allocator().importPeer(mine).close();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aFailedEnableFailsOnlyTheOperation(boolean isPool) {
    NativeCall call = isPool ? POOL_ENABLE : PEER_ENABLE;
    try (Device here = open(0);
        Device there = open(1);
        DeviceBuffer mine = filledBuffer(here, 1, SIZE);
        DeviceBuffer theirs = filledBuffer(there, 2, SIZE);
        TimelineSemaphore done = here.createSemaphore(0)) {
      sim.fail(call, 1, GpuFault.PLAIN_CODE);
      here.queue(0).copy(Fence.NONE, done.at(1), theirs, 0, mine, 0, SIZE);
      HalException failure = awaitFailure(done, 1, Status.UNKNOWN);
      assertTrue(
          failure.getMessage().contains(sim.name(call) + " returned 999"), failure::getMessage);
      assertNull(here.lostCause());
      assertNull(there.lostCause());
      copy(here, theirs, mine);
      assertFilled(2, here, mine);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"events", "none"})
  void copiesUseTheHostIfMemoryIsNotShared(String peers) {
    try (Device here = sim.open(name + "://0?queues=1&peers=" + peers);
        Device there = open(1);
        DeviceBuffer mine = filledBuffer(here, 1, SIZE);
        DeviceBuffer theirs = filledBuffer(there, 2, SIZE)) {
      assertFalse(here.canAccess(there));
      assertFalse(there.canAccess(here));
      copy(here, theirs, mine);
      assertFilled(2, here, mine);
      assertEquals(0, sim.calls(COPY_ANY));
      assertEquals(0, sim.calls(PEER_ENABLE));
    }
  }

  // Waits, and the end of devices.

  @Test
  void aConsumerWaitsForItsProducerOnTheDevice() {
    try (Device here = open(0);
        Device there = open(1);
        DeviceBuffer mine = filledBuffer(here, 1, SIZE);
        DeviceBuffer theirs = filledBuffer(there, 2, SIZE);
        TimelineSemaphore timeline = here.createSemaphore(0)) {
      copy(here, theirs, mine); // access is enabled
      long waits = sim.calls(STREAM_WAIT_EVENT);
      sim.simulator().pause(1, 0);
      there.queue(0).fill(Fence.NONE, timeline.at(1), theirs, 0, SIZE, FillPattern.of8(3));
      here.queue(0).copy(timeline.at(1), timeline.at(2), theirs, 0, mine, 0, SIZE);
      sim.awaitCalls(STREAM_WAIT_EVENT, waits + 1);
      sim.awaitCalls(COPY_ANY, 2);
      assertStaysPending(timeline.at(2));
      sim.simulator().resume(1, 0);
      awaitReached(timeline, 2);
      assertFilled(3, here, mine);
    }
  }

  /** The simulator finds memory that is used after it was freed. */
  @Test
  void closingADeviceWaitsForUsersOfItsMemory() throws Exception {
    try (Device here = open(0);
        DeviceBuffer mine = filledBuffer(here, 1, SIZE);
        TimelineSemaphore done = here.createSemaphore(0)) {
      Device there = open(1);
      DeviceBuffer theirs = filledBuffer(there, 2, SIZE);
      sim.simulator().pause(0, 0);
      here.queue(0).copy(Fence.NONE, done.at(1), theirs, 0, mine, 0, SIZE);
      sim.awaitCalls(COPY_ANY, 1);
      theirs.close();
      Task<?> closing = Task.run("closing", there::close);
      assertStaysPending(done.at(1));
      assertTrue(closing.isRunning(), "close() returned while its memory was used");
      sim.simulator().resume(0, 0);
      closing.join();
      awaitReached(done, 1);
      assertFilled(2, here, mine);
    }
  }

  /** Its operation keeps the other device's memory until the stream is closed, but not longer. */
  @Test
  void aLostDeviceReleasesPeerMemory() throws Exception {
    Device there = open(1);
    DeviceBuffer theirs = filledBuffer(there, 2, SIZE);
    Device here = open(0);
    DeviceBuffer mine = filledBuffer(here, 1, SIZE);
    copy(here, theirs, mine);
    try (TimelineSemaphore done = here.createSemaphore(0)) {
      sim.simulator().pause(0, 0);
      sim.fail(EVENT_RECORD, 1, GpuFault.PLAIN_CODE);
      here.queue(0).copy(Fence.NONE, done.at(1), theirs, 0, mine, 0, SIZE);
      awaitFailure(done, 1, Status.UNAVAILABLE);
    }
    theirs.close();
    mine.close();
    Task<?> closing = Task.run("closing", here::close);
    sim.awaitCalls(STREAM_QUERY, 1);
    sim.simulator().resume(0, 0);
    closing.join();
    assertEquals(0, here.statistics().liveResources(), () -> here.statistics().toString());
    assertEquals(0, there.statistics().liveResources(), () -> there.statistics().toString());
    assertEquals(0, there.statistics().bytes(), () -> there.statistics().toString());
    there.close();
  }

  /** Access that was enabled for the closed device is enabled again for the new one. */
  @Test
  void aReopenedDeviceIsAccessibleAgain() {
    try (Device here = open(0);
        DeviceBuffer mine = filledBuffer(here, 1, SIZE)) {
      for (int round = 2; round <= 4; round++) {
        try (Device there = open(1);
            DeviceBuffer theirs = filledBuffer(there, round, SIZE)) {
          copy(here, theirs, mine);
          assertFilled(round, here, mine);
        }
      }
      assertEquals(3, sim.calls(POOL_ENABLE));
    }
  }

  // One GPU.

  @Test
  void devicesOfOneGpuShareItsMemory() {
    sim.simulator().peer(0, 1, false);
    try (Device one = open(0);
        Device two = open(0);
        DeviceBuffer mine = filledBuffer(one, 1, SIZE);
        DeviceBuffer theirs = filledBuffer(two, 2, SIZE);
        DeviceBuffer view = one.allocator().importPeer(theirs)) {
      assertTrue(one.canAccess(two));
      copy(one, theirs, mine);
      assertFilled(2, one, mine);
      try (TimelineSemaphore done = one.createSemaphore(0)) {
        one.queue(0).fill(Fence.NONE, done.at(1), view, 0, SIZE, FillPattern.of8(3));
        awaitReached(done, 1);
      }
      assertFilled(3, two, theirs);
      assertEquals(0, sim.calls(PEER_ENABLE));
      assertEquals(0, sim.calls(COPY_ANY));
    }
  }
}
