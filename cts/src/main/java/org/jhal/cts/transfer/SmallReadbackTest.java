// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.transfer;

import static org.jhal.cts.support.TestData.assertBytes;
import static org.jhal.cts.support.TestData.bytes;
import static org.jhal.cts.support.TestData.filled;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.HostMemory;
import org.jhal.TimelineSemaphore;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Blocker;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.Task;
import org.jhal.cts.support.Waits;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Small results that the host reads back, as programs do most often. */
@CtsSuite
class SmallReadbackTest {
  private static final int MIB = 1 << 20;

  /** Each is behind the fill of its own bytes, and nothing else orders them. */
  @ParameterizedTest
  @ValueSource(ints = {1, 4096, 70_001, MIB / 4 + 1, MIB - 1, MIB})
  @Rule({"K7", "M2", "Q9"})
  void manyInFlightOnAllQueuesGetTheirOwnBytes(int size, Cts cts) {
    int count = size > 100_000 ? 12 : 100;
    DeviceBuffer buffer = cts.buffer((long) count * size);
    List<TimelineSemaphore> ends = new ArrayList<>();
    byte[][] read = new byte[count][size];
    for (int i = 0; i < count; i++) {
      TimelineSemaphore end = cts.semaphore();
      DeviceQueue queue = cts.queue(i % cts.device().queueCount());
      long offset = (long) i * size;
      queue.fill(Fence.NONE, end.at(1), buffer, offset, size, FillPattern.of8(i));
      queue.readback(end.at(1), end.at(2), buffer, offset, HostMemory.of(read[i]));
      ends.add(end);
    }
    for (int i = 0; i < count; i++) {
      awaitReached(ends.get(i), 2);
      assertBytes(filled(size, i), read[i], "readback " + i);
    }
  }

  /** The host waits for each, so that it often sees the end before a thread of the device does. */
  @ParameterizedTest
  @ValueSource(ints = {1024, MIB / 16 + 1, MIB / 4})
  @Rule({"M2", "Q9"})
  void eachOfARowIsVisibleWhenItsWaitReturns(int count, Cts cts) {
    int bytes = 4 * count;
    DeviceBuffer buffer = cts.buffer(bytes);
    TimelineSemaphore done = cts.semaphore();
    int[] read = new int[count];
    HostMemory memory = HostMemory.of(read);
    int rounds = count == 1024 ? 300 : 40;
    for (int i = 1; i <= rounds; i++) {
      cts.queue()
          .fill(Fence.NONE, done.at(2L * i - 1), buffer, 0, bytes, FillPattern.of32(i * 0x10203));
      cts.queue().readback(done.at(2L * i - 1), done.at(2L * i), buffer, 0, memory);
      awaitReached(done, 2L * i);
      assertFalse(memory.isBorrowed(), "the memory is borrowed after its signal");
      for (int at = 0; at < count; at += 1023) {
        assertEquals(i * 0x10203, read[at], "word " + at + " of readback " + i);
      }
      assertEquals(i * 0x10203, read[count - 1], "the last word of readback " + i);
    }
  }

  @Test
  @Rule("M2")
  void aRangeOfAnArrayIsFilledExactly(Cts cts) {
    DeviceBuffer buffer = cts.buffer(bytes(4096));
    float[] read = new float[700];
    TimelineSemaphore done = cts.semaphore();
    cts.queue().readback(Fence.NONE, done.at(1), buffer, 13, HostMemory.of(read, 3, 600));
    awaitReached(done, 1);
    float[] expected = new float[700];
    ByteBuffer.wrap(bytes(4096), 13, 2400)
        .slice()
        .order(ByteOrder.nativeOrder())
        .asFloatBuffer()
        .get(expected, 3, 600);
    assertArrayEquals(expected, read);
  }

  /** The host has to write the array before the upload may read it. */
  @ParameterizedTest
  @ValueSource(ints = {100, 300_000, MIB})
  @Rule({"Q5", "Q9"})
  void anUploadOfTheSameMemoryWaitsForTheHost(int size, Cts cts) {
    DeviceBuffer first = cts.buffer(bytes(size));
    DeviceBuffer second = cts.buffer(size);
    TimelineSemaphore done = cts.semaphore();
    HostMemory memory = HostMemory.of(new byte[size]);
    int last = cts.device().queueCount() - 1;
    cts.queue(0).readback(Fence.NONE, done.at(1), first, 0, memory);
    cts.queue(last).upload(done.at(1), done.at(2), memory, second, 0);
    awaitReached(done, 2);
    assertBytes(bytes(size), cts.read(second), "the bytes that went through the array");
  }

  /** More than any memory that is set aside for readbacks, behind work that holds the stream. */
  @Test
  @Rule({"K7", "Q1"})
  void whatIsHeldInAStreamDoesNotHoldUpOtherTransfers(Cts cts) throws Exception {
    int count = 24;
    DeviceBuffer buffer = cts.buffer(bytes(MIB));
    DeviceBuffer other = cts.buffer(MIB);
    TimelineSemaphore held = cts.semaphore();
    TimelineSemaphore moved = cts.semaphore();
    byte[][] read = new byte[count][MIB];
    List<HostMemory> memories = new ArrayList<>();
    DeviceQueue blocked = cts.queue(0);
    DeviceQueue free = cts.queue(cts.device().queueCount() - 1);
    if (free == blocked) {
      throw Cts.unsupported("the device has one queue");
    }
    try (Blocker blocker = new Blocker(cts, blocked)) {
      for (int i = 0; i < count; i++) {
        memories.add(HostMemory.of(read[i]));
        blocked.readback(Fence.NONE, held.at(i + 1), buffer, 0, memories.get(i));
      }
      byte[] back = new byte[MIB];
      free.upload(Fence.NONE, moved.at(1), HostMemory.of(bytes(MIB)), other, 0);
      free.readback(moved.at(1), moved.at(2), other, 0, HostMemory.of(back));
      awaitReached(moved, 2);
      assertBytes(bytes(MIB), back, "the bytes of the free queue");
      assertEquals(0, held.value());
    }
    for (int i = 0; i < count; i++) {
      memories.get(i).awaitFree(Waits.LIMIT); // they may end in any order
      assertBytes(bytes(MIB), read[i], "held readback " + i);
    }
  }

  @Test
  @Rule({"S7", "Q9"})
  void callbacksAndSeveralThreadsSeeTheBytes(Cts cts) throws Exception {
    DeviceBuffer buffer = cts.buffer(bytes(MIB));
    for (int round = 0; round < 20; round++) {
      TimelineSemaphore done = cts.semaphore();
      byte[] read = new byte[MIB];
      AtomicReference<@Nullable Byte> seen = new AtomicReference<>();
      var registration = done.onReach(1, failure -> seen.set(read[MIB - 1]));
      cts.queue().readback(Fence.NONE, done.at(1), buffer, 0, HostMemory.of(read));
      List<Task<@Nullable Void>> tasks = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        tasks.add(
            Task.run(
                "waits",
                () -> {
                  done.await(1, Waits.LIMIT);
                  assertBytes(bytes(MIB), read, "what a waiting thread sees");
                }));
      }
      for (Task<@Nullable Void> task : tasks) {
        task.join();
      }
      Waits.awaitTrue("the callback", () -> seen.get() != null);
      assertEquals(bytes(MIB)[MIB - 1], seen.get(), "what the callback saw");
      registration.cancel();
    }
  }
}
