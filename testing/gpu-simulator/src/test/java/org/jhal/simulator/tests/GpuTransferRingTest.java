// SPDX-License-Identifier: Apache-2.0
package org.jhal.simulator.tests;

import static org.jhal.cts.support.TestData.assertBytes;
import static org.jhal.cts.support.TestData.assertHal;
import static org.jhal.cts.support.TestData.bytes;
import static org.jhal.cts.support.TestData.filled;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.jhal.simulator.fixture.NativeCall.COPY_TO_DEVICE;
import static org.jhal.simulator.fixture.NativeCall.COPY_TO_HOST;
import static org.jhal.simulator.fixture.NativeCall.HOST_REGISTER;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.HalException;
import org.jhal.HostMemory;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.cts.support.TestData;
import org.jhal.cts.support.Waits;
import org.jhal.simulator.fixture.GpuFault;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The ring through which a device moves pageable memory (rule K7), made small. */
class GpuTransferRingTest extends SimulatedRing {
  private long copyThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith(name + "-0-copy-"))
        .count();
  }

  private static ByteBuffer place(boolean isDirect, byte[] content) {
    return isDirect ? TestData.direct(content) : ByteBuffer.wrap(content);
  }

  // Bytes.

  @ParameterizedTest
  @CsvSource({
    "1,false",
    "1,true",
    "16383,false",
    "16384,true",
    "16385,false",
    "65535,true",
    "65536,false",
    "65537,true",
    "262143,true",
    "262144,false",
    "262145,true",
    "262145,false",
    "1048699,true",
    "1048699,false"
  })
  void movesExactlyTheBytesOfARange(int length, boolean isDirect) {
    int offset = 5;
    byte[] before = filled(length + 2 * offset, 0x7F);
    byte[] content = bytes(length);
    byte[] after = TestData.with(before, offset, content);
    try (Device device = open(2);
        DeviceBuffer buffer = device.allocate(before.length, BufferParams.DEVICE);
        TimelineSemaphore done = device.createSemaphore(0)) {
      upload(device, before, buffer);
      device.queue(0).upload(Fence.NONE, done.at(1), place(isDirect, content), buffer, offset);
      awaitReached(done, 1);
      assertBytes(after, read(device, buffer), "the buffer");
      ByteBuffer host = place(isDirect, filled(length + 2, 0x55));
      ByteBuffer range = host.duplicate().position(1).limit(1 + length);
      device.queue(0).readback(Fence.NONE, done.at(2), buffer, offset, range);
      awaitReached(done, 2);
      byte[] back = new byte[length + 2];
      host.get(back);
      assertBytes(TestData.with(filled(length + 2, 0x55), 1, content), back, "the host's memory");
      assertTrue(registrations() <= SLOTS + 2, () -> registrations() + " registrations");
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void manyTransfersBothWaysShareTheRing(int threads) {
    int count = 24;
    try (Device device = open(threads);
        DeviceBuffer buffer = device.allocate((long) count * LARGE, BufferParams.DEVICE);
        TimelineSemaphore go = device.createSemaphore(0)) {
      List<TimelineSemaphore> ends = new ArrayList<>();
      List<int[]> read = new ArrayList<>();
      int[] content = new int[LARGE / 4];
      for (int i = 0; i < count; i++) {
        TimelineSemaphore end = device.createSemaphore(0);
        long offset = (long) i * LARGE;
        int[] own = new int[content.length];
        Arrays.setAll(own, at -> at * 31 + offsetOf(offset));
        int[] back = new int[content.length];
        device.queue(i % 2).upload(go.at(1), end.at(1), HostMemory.of(own), buffer, offset);
        device.queue(1 - i % 2).readback(end.at(1), end.at(2), buffer, offset, HostMemory.of(back));
        ends.add(end);
        read.add(back);
      }
      go.signal(1);
      for (int i = 0; i < count; i++) {
        awaitReached(ends.get(i), 2);
        long offset = (long) i * LARGE;
        int[] back = read.get(i);
        for (int at = 0; at < back.length; at++) {
          assertEquals(at * 31 + offsetOf(offset), back[at], "element " + at + " of " + i);
        }
        ends.get(i).close();
      }
      assertTrue(registrations() <= SLOTS, () -> registrations() + " registrations");
      assertTrue(copyThreads() <= threads, () -> copyThreads() + " copying threads");
    }
  }

  private static int offsetOf(long offset) {
    return (int) (offset * 7);
  }

  // Threads.

  @Test
  void severalThreadsServeALargeTransfer() {
    try (Device device = open(3);
        DeviceBuffer buffer = device.allocate(8 << 20, BufferParams.DEVICE)) {
      upload(device, bytes(8 << 20), buffer);
      Waits.awaitTrue("three copying threads", () -> copyThreads() == 3); // two may do it all
    }
  }

  @Test
  void noThreadServesASmallReadback() {
    byte[] content = bytes(256 << 10);
    try (Device device = sim.open(name + "://0?copy-threads=4");
        DeviceBuffer buffer = device.allocate(content.length, BufferParams.DEVICE)) {
      upload(device, content, buffer); // makes the memory of uploads
      long before = sim.calls(COPY_TO_HOST);
      assertBytes(content, read(device, buffer), "the bytes");
      assertEquals(before + 1, sim.calls(COPY_TO_HOST), "copies");
      assertEquals(0, copyThreads());
      assertEquals(2, registrations());
    }
  }

  /** The stream has no page-locked memory for readbacks, so the ring moves the bytes. */
  @Test
  void oneThreadServesASmallTransferThroughTheRing() {
    try (Device device = sim.open(name + "://0?copy-threads=4");
        DeviceBuffer buffer = device.allocate(256 << 10, BufferParams.DEVICE)) {
      sim.fail(HOST_REGISTER, 1, GpuFault.PLAIN_CODE);
      long before = sim.calls(COPY_TO_HOST);
      read(device, buffer);
      assertEquals(before + 1, sim.calls(COPY_TO_HOST), "chunks");
      assertEquals(1, copyThreads());
      assertEquals(1, registrations());
    }
  }

  /** Without turns, it would have thousands of chunks in front of it. */
  @Test
  void aSmallTransferOvertakesAHugeOne() {
    int huge = 64 << 20;
    try (Device device = open(1);
        DeviceBuffer target = device.allocate(huge, BufferParams.DEVICE);
        DeviceBuffer source = device.allocate(8 * SLOT, BufferParams.DEVICE);
        TimelineSemaphore first = device.createSemaphore(0);
        TimelineSemaphore second = device.createSemaphore(0)) {
      sim.simulator().delay("@copy", LINGER);
      byte[] content = new byte[huge];
      byte[] back = new byte[8 * SLOT];
      device.queue(0).upload(Fence.NONE, first.at(1), ByteBuffer.wrap(content), target, 0);
      sim.awaitCalls(COPY_TO_DEVICE, 2 * SLOTS);
      device.queue(1).readback(Fence.NONE, second.at(1), source, 0, ByteBuffer.wrap(back));
      awaitReached(second, 1);
      long chunks = sim.calls(COPY_TO_DEVICE);
      assertEquals(0, first.value(), "the huge transfer, after " + chunks + " chunks");
      sim.simulator().delay("@copy", Duration.ZERO);
      awaitReached(first, 1);
    }
  }

  /** Waiting transfers hold no slot, so ready ones get all of them. */
  @Test
  void aHeldTransferOccupiesNoSlot() {
    try (Device device = open(1);
        DeviceBuffer buffer = device.allocate(LARGE, BufferParams.DEVICE);
        DeviceBuffer other = device.allocate(LARGE, BufferParams.DEVICE);
        TimelineSemaphore never = device.createSemaphore(0);
        TimelineSemaphore parked = device.createSemaphore(0)) {
      List<HostMemory> memories = new ArrayList<>();
      for (int i = 1; i <= 3 * SLOTS; i++) {
        HostMemory memory = HostMemory.of(new byte[LARGE]);
        memories.add(memory);
        device.queue(0).upload(never.at(1), parked.at(i), memory, buffer, 0);
      }
      upload(device, bytes(LARGE), other);
      assertBytes(bytes(LARGE), read(device, other), "the bytes of the overtaking transfer");
      assertTrue(memories.stream().allMatch(HostMemory::isBorrowed), "parked transfers");
      never.signal(1);
      awaitReached(parked, 3 * SLOTS);
    }
  }

  // Uploads that are read at the issue.

  /**
   * While a producer is still in a stream, it may write into any direct memory that other code has
   * page-locked in part. No device reaches the heap.
   */
  @Test
  void directMemoryBehindAProducerIsNotReadEarly() {
    try (Device device = open(1);
        DeviceBuffer buffer = device.allocate(64, BufferParams.DEVICE);
        TimelineSemaphore filled = device.createSemaphore(0);
        TimelineSemaphore heap = device.createSemaphore(0);
        TimelineSemaphore direct = device.createSemaphore(0);
        TimelineSemaphore made = device.createSemaphore(0)) {
      device.queue(0).upload(Fence.NONE, made.at(1), ByteBuffer.allocate(64), buffer, 0);
      awaitReached(made, 1);
      long before = sim.calls(COPY_TO_DEVICE);
      ByteBuffer late = TestData.direct(TestData.filled(64, 1));
      sim.simulator().pause(0, 0);
      try {
        device.queue(0).fill(Fence.NONE, filled.at(1), buffer, 0, 64, FillPattern.of8(9));
        device.queue(0).upload(filled.at(1), heap.at(1), ByteBuffer.allocate(64), buffer, 0);
        sim.awaitCalls(COPY_TO_DEVICE, before + 1);
        assertEquals(before + 1, sim.calls(COPY_TO_DEVICE), "copies with the heap's");
        device.queue(0).upload(heap.at(1), direct.at(1), late, buffer, 0);
        late.put(0, TestData.filled(64, 2)); // as a device may
        assertEquals(before + 1, sim.calls(COPY_TO_DEVICE), "copies with the direct one");
      } finally {
        sim.simulator().resume(0, 0);
      }
      awaitReached(direct, 1);
      assertBytes(TestData.filled(64, 2), read(device, buffer), "the last content of the memory");
      // No work is in front of these. The queue's thread may still issue the first ones.
      AtomicLong value = new AtomicLong(1);
      Waits.awaitTrue(
          "an upload that has copied when it returns",
          () -> {
            long calls = sim.calls(COPY_TO_DEVICE);
            long next = value.incrementAndGet();
            device.queue(0).upload(direct.at(next - 1), direct.at(next), late, buffer, 0);
            boolean hasCopied = sim.calls(COPY_TO_DEVICE) == calls + 1;
            awaitReached(direct, next);
            return hasCopied;
          });
    }
  }

  // Too little memory that can be page-locked.

  @Test
  void transfersWorkWithoutPageLockedMemory() {
    try (Device device = open(1);
        DeviceBuffer buffer = device.allocate(LARGE, BufferParams.DEVICE)) {
      byte[] content = bytes(LARGE);
      sim.fail(HOST_REGISTER, 1, GpuFault.PLAIN_CODE);
      upload(device, content, buffer);
      assertEquals(0, registrations(), "after the upload");
      sim.fail(HOST_REGISTER, 1, GpuFault.PLAIN_CODE);
      assertBytes(content, read(device, buffer), "without page-locked memory");
      assertEquals(0, registrations(), "after the readback");
      assertBytes(content, read(device, buffer), "with it");
      assertTrue(registrations() > 0, "the ring was not page-locked although that works again");
    }
  }

  @Test
  void manyTransfersShareTheSlotWithoutPageLockedMemory() {
    int count = 8;
    try (Device device = open(3);
        DeviceBuffer buffer = device.allocate((long) count * LARGE, BufferParams.DEVICE);
        TimelineSemaphore go = device.createSemaphore(0);
        TimelineSemaphore end = device.createSemaphore(0)) {
      for (int i = 0; i < 1000; i++) {
        sim.fail(HOST_REGISTER, 1, GpuFault.PLAIN_CODE);
      }
      byte[] content = bytes(count * LARGE);
      for (int i = 0; i < count; i++) {
        ByteBuffer host = place(i % 2 == 0, part(content, i * LARGE, LARGE));
        device.queue(0).upload(go.at(1), Fence.NONE, host, buffer, (long) i * LARGE);
      }
      go.signal(1);
      for (int i = 0; i < count; i++) { // and, beside them, some that can be waited for
        ByteBuffer host = ByteBuffer.wrap(content, i * LARGE, LARGE);
        device.queue(1).upload(go.at(1), end.at(i + 1), host, buffer, (long) i * LARGE);
      }
      awaitReached(end, count);
      assertBytes(content, read(device, buffer), "without page-locked memory");
      assertEquals(0, registrations());
    }
  }

  @Test
  void transfersWorkWithAPartOfTheRing() {
    try (Device device = open(2);
        DeviceBuffer buffer = device.allocate(LARGE, BufferParams.DEVICE);
        TimelineSemaphore done = device.createSemaphore(0)) {
      byte[] content = bytes(LARGE);
      sim.simulator().hold("@copy", 1); // so that it wants all slots
      for (int i = 0; i < 2; i++) { // the third and the fourth, if two threads try at once
        sim.fail(HOST_REGISTER, 3, GpuFault.PLAIN_CODE);
      }
      device.queue(0).upload(Fence.NONE, done.at(1), ByteBuffer.wrap(content), buffer, 0);
      sim.awaitCalls(HOST_REGISTER, 3);
      sim.simulator().release("@copy");
      awaitReached(done, 1);
      assertEquals(2, registrations());
      assertBytes(content, read(device, buffer), "the bytes that went through two slots");
    }
  }

  // The option.

  @ParameterizedTest
  @CsvSource({
    "63k,OUT_OF_RANGE", "0,OUT_OF_RANGE", "2g,OUT_OF_RANGE",
    "-1,OUT_OF_RANGE", "much,INVALID_ARGUMENT", "4.5m,INVALID_ARGUMENT"
  })
  void refusesAMalformedSetting(String value, Status status) {
    HalException refusal =
        assertThrows(HalException.class, () -> sim.open(name + "://0?staging=" + value).close());
    assertHal(
        status,
        refusal,
        "option 'staging' is '" + value + "' (from uri); it must be a size from 64k");
  }

  /** Even if it is no multiple of a slot. */
  @ParameterizedTest
  @ValueSource(strings = {"64k", "65537", "100000", "1m", "5m", "33m", "1g"})
  void acceptsAnySizeOfTheRingWithinItsLimits(String value) {
    try (Device device = sim.open(name + "://0?staging=" + value);
        DeviceBuffer buffer = device.allocate(LARGE, BufferParams.DEVICE)) {
      upload(device, bytes(LARGE), buffer);
      assertBytes(bytes(LARGE), read(device, buffer), "staging=" + value);
    }
  }
}
