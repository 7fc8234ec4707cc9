// SPDX-License-Identifier: Apache-2.0
package org.jhal.simulator.tests;

import static org.jhal.cts.support.TestData.assertBytes;
import static org.jhal.cts.support.TestData.assertHal;
import static org.jhal.cts.support.TestData.bytes;
import static org.jhal.cts.support.TestData.filled;
import static org.jhal.cts.support.Waits.awaitFailure;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.jhal.simulator.fixture.NativeCall.COPY_TO_HOST;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.Fence;
import org.jhal.HostMemory;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.cts.support.Task;
import org.jhal.cts.support.Waits;
import org.jhal.simulator.fixture.GpuFault;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Readbacks that are issued into page-locked memory of the stream (rule K7). */
class GpuSmallReadbackTest extends SimulatedRing {
  private static final int MIB = 1 << 20;
  private static final int PIECE = 256 << 10;

  /** How long a wait lasts that ends between two pieces. */
  private static final Duration SHORT = Duration.ofMillis(600);

  private static void readback(
      Device device, DeviceBuffer buffer, long offset, byte[] target, Fence signals) {
    device.queue(0).readback(Fence.NONE, signals, buffer, offset, ByteBuffer.wrap(target));
  }

  /** What is issued holds its part, and what finds none holds nothing that others need. */
  @Test
  void whatFindsNoRoomIsLeftToTheRing() throws Exception {
    int count = 5;
    byte[] content = bytes(count * MIB);
    try (Device device = open(1);
        DeviceBuffer buffer = device.allocate(content.length, BufferParams.DEVICE);
        DeviceBuffer other = device.allocate(LARGE, BufferParams.DEVICE);
        TimelineSemaphore moved = device.createSemaphore(0);
        TimelineSemaphore done = device.createSemaphore(0)) {
      upload(device, content, buffer);
      read(device, other); // more than goes through the stream
      readback(device, buffer, 0, new byte[1], done.at(1));
      awaitReached(done, 1); // so that the memory is there
      long before = sim.calls(COPY_TO_HOST);
      byte[][] targets = new byte[count][MIB];
      List<HostMemory> memories = new ArrayList<>();
      sim.simulator().pause(0, 0);
      try {
        for (int i = 0; i < count; i++) {
          memories.add(HostMemory.of(targets[i]));
          device
              .queue(0)
              .readback(Fence.NONE, done.at(i + 2), buffer, (long) i * MIB, memories.get(i));
        }
        sim.awaitCalls(COPY_TO_HOST, before + 2 * 4);
        assertEquals(before + 2 * 4, sim.calls(COPY_TO_HOST), "pieces in the stream");
        ByteBuffer large = ByteBuffer.wrap(content, 0, LARGE);
        device.queue(1).upload(Fence.NONE, moved.at(1), large, other, 0);
      } finally {
        sim.simulator().resume(0, 0);
      }
      awaitReached(moved, 1);
      for (int i = 0; i < count; i++) {
        memories.get(i).awaitFree(Waits.LIMIT); // they may end in any order
        assertBytes(part(content, i * MIB, MIB), targets[i], "readback " + i);
      }
    }
  }

  /** Of one piece and of several, and what is in a stream meets nothing of what was before. */
  @ParameterizedTest
  @ValueSource(ints = {PIECE, PIECE + 1, 2 * PIECE, 3 * PIECE + 5, MIB - 1, MIB})
  void theBytesAreTheSameInPieces(int size) {
    byte[] content = bytes(MIB + 64);
    try (Device device = open(1, "&spin=1s");
        DeviceBuffer buffer = device.allocate(content.length, BufferParams.DEVICE);
        TimelineSemaphore done = device.createSemaphore(0)) {
      upload(device, content, buffer);
      for (int i = 0; i < 12; i++) {
        byte[] array = new byte[size];
        ByteBuffer direct = ByteBuffer.allocateDirect(size);
        ByteBuffer target = i % 2 == 0 ? ByteBuffer.wrap(array) : direct;
        device.queue(0).readback(Fence.NONE, done.at(i + 1), buffer, i, target);
        awaitReached(done, i + 1);
        if (i % 2 == 1) {
          direct.get(array);
        }
        assertBytes(part(content, i, size), array, "readback " + i);
      }
    }
  }

  /** By the host thread that polls, or the completion thread if none does. */
  @ParameterizedTest
  @ValueSource(strings = {"&spin=1s", "&spin=0ns&completion-spin=1s"})
  void piecesAreCopiedAsTheyArrive(String options) throws Exception {
    byte[] content = filled(MIB, 7);
    byte[] target = new byte[MIB];
    try (Device device = open(1, options);
        DeviceBuffer buffer = device.allocate(MIB, BufferParams.DEVICE);
        TimelineSemaphore done = device.createSemaphore(0)) {
      upload(device, content, buffer);
      readback(device, buffer, 0, new byte[1], done.at(1));
      awaitReached(done, 1);
      sim.simulator().hold("@copy", 2);
      readback(device, buffer, 0, target, done.at(2));
      Task<?> waiter = Task.run("waits", () -> done.await(2, Waits.LIMIT));
      Waits.awaitTrue("the first piece", () -> target[PIECE - 1] != 0);
      try {
        assertEquals(1, done.value(), "the rest is on its way");
        assertEquals(0, target[MIB - 1]);
      } finally {
        sim.simulator().release("@copy");
      }
      waiter.join();
      assertBytes(content, target, "the bytes that were read");
    }
  }

  /** Rule S4. */
  @Test
  void aWaitMayEndBetweenPieces() throws Exception {
    byte[] content = filled(MIB, 7);
    byte[] target = new byte[MIB];
    try (Device device = open(1, "&spin=1s");
        DeviceBuffer buffer = device.allocate(MIB, BufferParams.DEVICE);
        TimelineSemaphore done = device.createSemaphore(0)) {
      upload(device, content, buffer);
      readback(device, buffer, 0, new byte[1], done.at(1));
      awaitReached(done, 1);
      sim.simulator().hold("@copy", 2);
      readback(device, buffer, 0, target, done.at(2));
      do { // until one has copied the first piece
        assertFalse(done.tryAwait(2, SHORT));
      } while (target[PIECE - 1] == 0);
      sim.simulator().release("@copy");
      awaitReached(done, 2);
      assertBytes(content, target, "the bytes that were read");
      for (int i = 0; i < 3; i++) {
        assertBytes(content, read(device, buffer), "afterwards");
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"&spin=1s", "&spin=0ns&completion-spin=1s", "&spin=0ns"})
  void aLossBetweenPiecesFailsTheReadback(String options) throws Exception {
    byte[] target = new byte[MIB];
    HostMemory memory = HostMemory.of(target);
    try (Device device = open(1, options);
        DeviceBuffer buffer = device.allocate(MIB, BufferParams.DEVICE);
        TimelineSemaphore done = device.createSemaphore(0)) {
      upload(device, filled(MIB, 7), buffer);
      readback(device, buffer, 0, new byte[1], done.at(1));
      awaitReached(done, 1);
      sim.simulator().hold("@copy", 3);
      device.queue(0).readback(Fence.NONE, done.at(2), buffer, 0, memory);
      Task<?> waiter = Task.run("waits", () -> awaitFailure(done, 2, Status.UNAVAILABLE));
      if (options.contains("1s")) { // a thread polls
        Waits.awaitTrue("the first piece", () -> target[PIECE - 1] != 0);
      }
      sim.simulator().failForGood("@copy", 1, GpuFault.STICKY_CODE);
      sim.simulator().release("@copy");
      waiter.join();
      memory.awaitFree(Waits.LIMIT);
      assertNotNull(device.lostCause());
    }
  }

  /** Behind it, so many readbacks fit as before. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4})
  void aPieceThatIsNotIssuedFailsItsOperationAlone(int nth) throws Exception {
    byte[] content = bytes(MIB);
    try (Device device = open(1);
        DeviceBuffer buffer = device.allocate(MIB, BufferParams.DEVICE);
        TimelineSemaphore done = device.createSemaphore(0);
        TimelineSemaphore failed = device.createSemaphore(0)) {
      upload(device, content, buffer);
      readback(device, buffer, 0, new byte[1], done.at(1));
      awaitReached(done, 1);
      sim.fail(COPY_TO_HOST, nth, GpuFault.PLAIN_CODE);
      HostMemory memory = HostMemory.of(new byte[MIB]);
      device.queue(0).readback(Fence.NONE, failed.at(1), buffer, 0, memory);
      assertHal(Status.UNKNOWN, awaitFailure(failed, 1, Status.UNKNOWN), "returned 999");
      memory.awaitFree(Waits.LIMIT);
      Waits.awaitRetired(device); // an operation frees its part of the stream's memory last
      long before = sim.calls(COPY_TO_HOST);
      for (int i = 0; i < 3; i++) {
        assertBytes(content, read(device, buffer), "afterwards");
        Waits.awaitRetired(device);
      }
      assertEquals(before + 3 * 4, sim.calls(COPY_TO_HOST), "pieces in the stream");
      assertNull(device.lostCause());
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void aFailedCopyFailsItsOperationAlone(int nth) {
    byte[] content = bytes(MIB);
    try (Device device = open(1);
        DeviceBuffer buffer = device.allocate(MIB, BufferParams.DEVICE);
        TimelineSemaphore done = device.createSemaphore(0);
        TimelineSemaphore failed = device.createSemaphore(0)) {
      upload(device, content, buffer);
      for (int i = 1; i < nth; i++) {
        assertBytes(content, read(device, buffer), "before");
      }
      sim.fail(COPY_TO_HOST, 1, GpuFault.PLAIN_CODE);
      HostMemory memory = HostMemory.of(new byte[MIB]);
      device.queue(0).readback(Fence.NONE, failed.at(1), buffer, 0, memory);
      assertHal(Status.UNKNOWN, awaitFailure(failed, 1, Status.UNKNOWN), "returned 999");
      Waits.awaitTrue("the memory to be free", () -> !memory.isBorrowed());
      for (int i = 0; i < 3; i++) {
        assertBytes(content, read(device, buffer), "afterwards");
      }
      assertNull(device.lostCause());
      readback(device, buffer, 0, new byte[1], done.at(1));
      awaitReached(done, 1);
    }
  }

  /** Rule Q7: whether the host waits by polling, or the completion thread sees the loss. */
  @ParameterizedTest
  @ValueSource(strings = {"1ms", "0ns"})
  void aLossFailsWhatIsInTheStream(String spin) {
    HostMemory memory = HostMemory.of(new byte[MIB]);
    try (Device device = open(1, "&spin=" + spin);
        DeviceBuffer buffer = device.allocate(MIB, BufferParams.DEVICE);
        TimelineSemaphore done = device.createSemaphore(0);
        TimelineSemaphore lost = device.createSemaphore(0)) {
      readback(device, buffer, 0, new byte[1], done.at(1));
      awaitReached(done, 1);
      sim.simulator().pause(0, 0);
      try {
        device.queue(0).readback(Fence.NONE, done.at(2), buffer, 0, memory);
        sim.failForGood(COPY_TO_HOST, 1, GpuFault.STICKY_CODE);
        readback(device, buffer, 0, new byte[1], lost.at(1));
        awaitFailure(done, 2, Status.UNAVAILABLE);
        awaitFailure(lost, 1, Status.UNAVAILABLE);
      } finally {
        sim.simulator().resume(0, 0);
      }
      assertNotNull(device.lostCause());
    }
    assertFalse(memory.isBorrowed());
  }

  /** Rule Q8. */
  @Test
  void closingWaitsForWhatIsInTheStream() {
    Device device = open(1);
    DeviceBuffer buffer = device.allocate(MIB, BufferParams.DEVICE);
    TimelineSemaphore done = device.createSemaphore(0);
    byte[] content = bytes(MIB);
    byte[] back = new byte[MIB];
    upload(device, content, buffer);
    sim.simulator().delay("@copy", LINGER);
    long before = sim.calls(COPY_TO_HOST);
    readback(device, buffer, 0, back, done.at(1));
    sim.awaitCalls(COPY_TO_HOST, before + 1);
    device.close();
    assertEquals(1, done.value());
    assertBytes(content, back, "the bytes that were read");
    buffer.close();
    done.close();
  }

  /** Rule Q8: past the deadline, everything in use is kept until the work is over. */
  @Test
  void itsMemoryIsKeptPastTheClose() throws Exception {
    Device device = open(1, "&close-timeout=0s");
    DeviceBuffer buffer = device.allocate(MIB, BufferParams.DEVICE);
    TimelineSemaphore done = device.createSemaphore(0);
    HostMemory memory = HostMemory.of(new byte[MIB]);
    readback(device, buffer, 0, new byte[1], done.at(1));
    awaitReached(done, 1);
    sim.simulator().pause(0, 0);
    try {
      device.queue(0).readback(Fence.NONE, done.at(2), buffer, 0, memory);
      Task.run("closing", device::close).join();
      awaitFailure(done, 2);
      assertTrue(memory.isBorrowed(), "while the stream may write");
    } finally {
      sim.simulator().resume(0, 0);
    }
    memory.awaitFree(Duration.ofSeconds(30));
    Waits.awaitTrue("all native objects to be released", () -> sim.live().isEmpty());
    buffer.close();
    done.close();
  }
}
