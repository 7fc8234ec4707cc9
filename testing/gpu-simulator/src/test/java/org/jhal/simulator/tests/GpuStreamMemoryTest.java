// SPDX-License-Identifier: Apache-2.0
package org.jhal.simulator.tests;

import static org.jhal.cts.support.Waits.assertStaysPending;
import static org.jhal.cts.support.Waits.awaitFailure;
import static org.jhal.simulator.fixture.NativeCall.ALLOCATE;
import static org.jhal.simulator.fixture.NativeCall.EVENT_RECORD;
import static org.jhal.simulator.fixture.NativeCall.FREE;
import static org.jhal.simulator.fixture.NativeCall.STREAM_WAIT_EVENT;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.Timepoint;
import org.jhal.cts.support.Task;
import org.jhal.cts.support.TestData;
import org.jhal.cts.support.Waits;
import org.jhal.simulator.fixture.GpuFault;
import org.jhal.simulator.fixture.HeldStream;
import org.jhal.simulator.fixture.QueueChain;
import org.jhal.simulator.fixture.SimulatedDevices;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The memory that a stream keeps for its later allocations. */
@Timeout(60)
class GpuStreamMemoryTest {
  private static final int BLOCK = 1 << 20;
  private static final int OUT_OF_MEMORY = 2;

  @RegisterExtension final SimulatedDevices sim = new SimulatedDevices();
  private final String name = sim.driver().name();

  private Device open(String options) {
    return sim.open(name + "://0?" + options);
  }

  private List<Long> calls() {
    return List.of(
        sim.calls(ALLOCATE),
        sim.calls(FREE),
        sim.calls(EVENT_RECORD),
        sim.calls(STREAM_WAIT_EVENT));
  }

  @Test
  void aPairOfASizeThatTheStreamHasFreedMakesNoNativeCall() {
    try (Device device = open("queues=1");
        QueueChain chain = new QueueChain(device, 0)) {
      chain.pair(BLOCK);
      chain.await();
      List<Long> before = calls();
      for (int i = 0; i < 2000; i++) {
        chain.pair(BLOCK);
      }
      chain.await();
      assertEquals(before, calls(), "calls to allocate, free, record, and wait");
    }
  }

  /** The twin: neither another size nor another stream gets it. */
  @ParameterizedTest
  @CsvSource({"0,2097152", "1,1048576"})
  void otherPairsAllocateAndFree(int queue, long bytes) {
    try (Device device = open("queues=2");
        QueueChain chain = new QueueChain(device, 0);
        QueueChain other = new QueueChain(device, queue)) {
      chain.pair(BLOCK);
      chain.await();
      long allocated = sim.calls(ALLOCATE);
      other.pair(bytes);
      other.await();
      assertEquals(allocated + 1, sim.calls(ALLOCATE));
    }
  }

  @Test
  void severalBlocksAndSizesAreKept() {
    try (Device device = open("queues=1");
        QueueChain chain = new QueueChain(device, 0)) {
      for (int round = 0; round < 3; round++) {
        long allocated = sim.calls(ALLOCATE);
        List<DeviceBuffer> buffers =
            List.of(chain.alloca(4096), chain.alloca(BLOCK), chain.alloca(4096));
        for (int i = 0; i < buffers.size(); i++) {
          chain.fill(buffers.get(i), 10 * round + i);
        }
        for (int i = 0; i < buffers.size(); i++) {
          DeviceBuffer buffer = buffers.get(i);
          assertArrayEquals(
              TestData.filled((int) buffer.size(), 10 * round + i), chain.read(buffer));
        }
        buffers.forEach(chain::dealloca);
        chain.await();
        assertEquals(round == 0 ? 3 : 0, sim.calls(ALLOCATE) - allocated, "round " + round);
      }
    }
  }

  /** Rule M1: each user has the block for itself, whichever queues use it in between. */
  @Test
  void bytesAreRightWhenOtherQueuesUseTheBlocks() {
    try (Device device = open("queues=2");
        QueueChain chain = new QueueChain(device, 0);
        QueueChain other = new QueueChain(device, 1);
        DeviceBuffer kept = device.allocate(64L * 4096, BufferParams.DEVICE)) {
      for (int i = 0; i < 64; i++) {
        DeviceBuffer buffer = chain.alloca(4096);
        Timepoint allocated = chain.now();
        other.queue.fill(allocated, other.next(), buffer, 0, 4096, FillPattern.of8(i));
        other.queue.copy(other.now(), other.next(), buffer, 0, kept, 4096L * i, 4096);
        chain.queue.dealloca(other.now(), chain.next(), buffer);
        buffer.close();
      }
      chain.await();
      byte[] bytes = other.read(kept);
      for (int i = 0; i < bytes.length; i++) {
        assertEquals((byte) (i / 4096), bytes[i], "byte " + i);
      }
    }
  }

  /** What is freed while another queue's use is still to come is given out behind that. */
  @Test
  void aKeptBlockIsUsedBehindTheWorkThatItsDeallocaWaitedFor() {
    try (Device device = open("queues=2")) {
      try (HeldStream held = new HeldStream(sim.simulator(), device);
          QueueChain chain = new QueueChain(device, 1)) {
        Timepoint use = held.producer(); // in queue 0, which is paused
        DeviceBuffer first = chain.alloca(BLOCK);
        chain.await();
        chain.queue.dealloca(use, chain.next(), first);
        DeviceBuffer second = chain.alloca(BLOCK);
        assertStaysPending(chain.now());
        held.release();
        chain.await();
        assertEquals(1, sim.calls(ALLOCATE), "the second has another block");
        first.close();
        chain.dealloca(second);
        chain.await();
      }
    }
  }

  /** How an allocation is made that has no room beside the kept blocks. */
  private enum Need {
    SAME_QUEUE,
    OTHER_QUEUE,
    AT_ONCE
  }

  private void allocates(Need need, Device device, long bytes) {
    if (need == Need.AT_ONCE) {
      device.allocate(bytes, BufferParams.DEVICE).close();
      return;
    }
    try (QueueChain chain = new QueueChain(device, need == Need.SAME_QUEUE ? 0 : 1)) {
      chain.pair(bytes);
      chain.await();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "SAME_QUEUE,true", "SAME_QUEUE,false",
    "OTHER_QUEUE,true", "OTHER_QUEUE,false",
    "AT_ONCE,true", "AT_ONCE,false"
  })
  void keptBlocksAreGivenBackWhenMemoryIsScarce(Need need, boolean isBudget) {
    long all = 8L * BLOCK;
    try (Device device = open("queues=2" + (isBudget ? "&memory=" + all : ""));
        QueueChain chain = new QueueChain(device, 0)) {
      for (int i = 0; i < 4; i++) {
        chain.pair(BLOCK + 4096L * i); // each is kept
      }
      chain.await();
      if (!isBudget) {
        sim.simulator().memory(all);
      }
      allocates(need, device, all - BLOCK);
      assertNull(device.lostCause());
      chain.pair(BLOCK); // and the stream goes on
      chain.await();
    }
  }

  /** A freed block is free for the budget at once, however long its last use takes. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void noAllocationWaitsForAUseThatIsNotOver(boolean isAtOnce) throws Exception {
    long all = 8L * BLOCK;
    try (Device device = open("queues=2&memory=" + all);
        HeldStream held = new HeldStream(sim.simulator(), device);
        QueueChain here = new QueueChain(device, 0);
        QueueChain there = new QueueChain(device, 1)) {
      keepInUse(device, here);
      if (isAtOnce) {
        Task<?> task =
            Task.run(
                "allocating",
                () -> {
                  allocates(Need.AT_ONCE, device, all);
                  allocates(Need.AT_ONCE, device, 4096);
                });
        task.join();
      } else {
        DeviceBuffer second = there.alloca(all);
        there.fill(second, 8);
        there.dealloca(second);
        there.await();
      }
      assertStaysPending(here.now());
      held.release();
      here.await();
      assertNull(device.lostCause());
    }
  }

  /** Nor where the device itself has no memory left, and nothing waits later because of that. */
  @ParameterizedTest
  @EnumSource(names = {"OTHER_QUEUE", "AT_ONCE"})
  void noAllocationWaitsWhereTheDeviceHasNoMemory(Need need) throws Exception {
    try (Device device = open("queues=2");
        HeldStream held = new HeldStream(sim.simulator(), device);
        QueueChain here = new QueueChain(device, 0)) {
      keepInUse(device, here);
      sim.fail(ALLOCATE, 1, OUT_OF_MEMORY);
      Task<?> task =
          Task.run(
              "allocating",
              () -> {
                allocates(need, device, BLOCK);
                allocates(need, device, 4096);
              });
      task.join();
      assertStaysPending(here.now());
      held.release();
      here.await();
      assertNull(device.lostCause());
    }
  }

  /** Frees a block of 6 MiB behind a use of it, in a queue that is held. */
  private static void keepInUse(Device device, QueueChain chain) {
    DeviceBuffer buffer = chain.alloca(6L * BLOCK);
    chain.fill(buffer, 7);
    chain.dealloca(buffer);
    Waits.awaitTrue("the dealloca to be issued", () -> device.statistics().issued() == 3);
  }

  @Test
  void neitherManyNorLargeBlocksAreKept() {
    try (Device device = open("queues=1");
        QueueChain chain = new QueueChain(device, 0)) {
      long freed = sim.calls(FREE);
      for (int i = 1; i <= 20; i++) {
        chain.pair(4096L * i);
      }
      chain.await();
      assertEquals(4, sim.calls(FREE) - freed, "of many");
      for (int i = 1; i <= 20; i++) {
        chain.pair((8L << 20) + 4096L * i);
      }
      chain.await();
      long kept = 40 - (sim.calls(FREE) - freed);
      assertTrue(kept >= 1 && kept <= 8, () -> kept + " blocks are kept");
      freed = sim.calls(FREE);
      chain.pair(1L << 30);
      chain.await();
      assertEquals(1, sim.calls(FREE) - freed, "of a large one");
    }
  }

  /** Blocks of sizes that are in use no more make room for others. */
  @Test
  void theOldestBlocksGoFirst() {
    try (Device device = open("queues=1");
        QueueChain chain = new QueueChain(device, 0)) {
      for (int i = 1; i <= 40; i++) {
        chain.pair(4096L * i);
      }
      chain.await();
      long allocated = sim.calls(ALLOCATE);
      for (int i = 40; i > 24; i--) {
        chain.pair(4096L * i);
      }
      chain.await();
      assertEquals(allocated, sim.calls(ALLOCATE));
    }
  }

  @Test
  void theStatisticsCountWhatBuffersUse() {
    try (Device device = open("queues=1");
        QueueChain chain = new QueueChain(device, 0)) {
      long before = device.statistics().bytes();
      DeviceBuffer buffer = chain.alloca(BLOCK);
      chain.await();
      assertEquals(before + BLOCK, device.statistics().bytes());
      chain.dealloca(buffer);
      chain.await();
      assertEquals(before, device.statistics().bytes());
    }
  }

  /** If an old block cannot be freed, the dealloca that needed its place has done nothing. */
  @Test
  void aFailedFreeKeepsBothBlocks() {
    try (Device device = open("queues=1");
        QueueChain chain = new QueueChain(device, 0);
        TimelineSemaphore failed = device.createSemaphore(0)) {
      for (int i = 1; i <= 16; i++) {
        chain.pair(4096L * i);
      }
      DeviceBuffer buffer = chain.alloca(BLOCK);
      chain.await();
      sim.fail(FREE, 1, GpuFault.PLAIN_CODE);
      chain.queue.dealloca(Fence.NONE, failed.at(1), buffer);
      awaitFailure(failed, 1, Status.UNKNOWN);
      chain.fill(buffer, 5);
      assertArrayEquals(TestData.filled(BLOCK, 5), chain.read(buffer));
      long allocated = sim.calls(ALLOCATE);
      chain.dealloca(buffer);
      chain.pair(BLOCK);
      chain.await();
      assertEquals(allocated, sim.calls(ALLOCATE));
    }
  }

  @Test
  void aFailureWhileMemoryIsGivenBackLosesNoBlock() {
    try (Device device = open("queues=1&memory=" + 4L * BLOCK);
        QueueChain chain = new QueueChain(device, 0);
        TimelineSemaphore failed = device.createSemaphore(0)) {
      chain.pair(BLOCK);
      chain.pair(2L * BLOCK);
      chain.await();
      sim.fail(FREE, 1, GpuFault.PLAIN_CODE);
      try (DeviceBuffer never =
          chain.queue.alloca(Fence.NONE, failed.at(1), 4L * BLOCK, BufferParams.DEVICE)) {
        awaitFailure(failed, 1, Status.UNKNOWN);
      }
      chain.pair(4L * BLOCK);
      chain.await();
    }
  }

  @Test
  void aLostDeviceIsClosedWithItsBlocks() {
    Device device = open("queues=1");
    try (device;
        QueueChain chain = new QueueChain(device, 0)) {
      chain.pair(BLOCK);
      chain.await();
      DeviceBuffer buffer = chain.alloca(4096);
      chain.await();
      sim.fail(EVENT_RECORD, 1, GpuFault.STICKY_CODE);
      chain.fill(buffer, 1);
      awaitFailure(chain.timeline, chain.now().value(), Status.UNAVAILABLE);
      buffer.close();
    }
  }
}
