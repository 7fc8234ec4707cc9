// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.transfer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.jhal.HalException;
import org.jhal.HostMemory;
import org.jhal.Status;
import org.jhal.gpu.transfer.PlainDevice.Memory;
import org.jhal.gpu.transfer.PlainDevice.Transfer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The ring for pageable memory, made small: four slots of 16 KiB. */
@Timeout(120)
class TransferRingTest {
  private static final int SLOT = 16 << 10;
  private static final int SLOTS = 4;
  private static final int RING = SLOTS * SLOT;
  private static final int LARGE = 10 * RING + 123;

  private static PlainDevice device(int threads) {
    return new PlainDevice(1 << 30, RING, threads);
  }

  private static byte[] bytes(int length, int seed) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  private static Transfer upload(PlainDevice device, byte[] host, Memory target, long offset) {
    return device.start(PageableTransfer.upload(device.ring, HostMemory.of(host), target, offset));
  }

  private static Transfer readback(PlainDevice device, Memory source, long offset, byte[] host) {
    return device.start(
        PageableTransfer.readback(device.ring, source, offset, HostMemory.of(host)));
  }

  private static void assertStatus(Status status, @Nullable Throwable failure) {
    HalException thrown = assertInstanceOf(HalException.class, failure);
    assertEquals(status, thrown.status(), thrown::toString);
  }

  @ParameterizedTest
  @CsvSource({"1,1", "16384,1", "16385,2", "65536,3", "65537,1", "655483,1", "655483,3"})
  void exactlyTheBytesOfARangeAreMoved(int length, int threads) throws Exception {
    int offset = 7;
    byte[] content = bytes(length, 1);
    try (PlainDevice device = device(threads)) {
      Memory memory = device.allocate(length + 2 * offset);
      assertNull(upload(device, content, memory, offset).await());
      byte[] expected = new byte[length + 2 * offset];
      System.arraycopy(content, 0, expected, offset, length);
      assertArrayEquals(expected, memory.bytes, "the device's memory");
      byte[] back = new byte[length];
      assertNull(readback(device, memory, offset, back).await());
      assertArrayEquals(content, back, "the host's memory");
      assertTrue(device.pinned.get() <= SLOTS, "page-locked slots");
    }
  }

  @Test
  void transfersBothWaysShareTheRing() throws Exception {
    int count = 12;
    PlainDevice device = device(3);
    try (device) {
      List<Transfer> transfers = new ArrayList<>();
      List<Memory> targets = new ArrayList<>();
      List<byte[]> hosts = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        Memory target = device.allocate(LARGE);
        Memory source = device.allocate(LARGE);
        System.arraycopy(bytes(LARGE, count + i), 0, source.bytes, 0, LARGE);
        byte[] host = new byte[LARGE];
        transfers.add(upload(device, bytes(LARGE, i), target, 0));
        transfers.add(readback(device, source, 0, host));
        targets.add(target);
        hosts.add(host);
      }
      for (Transfer transfer : transfers) {
        assertNull(transfer.await());
      }
      for (int i = 0; i < count; i++) {
        assertArrayEquals(bytes(LARGE, i), targets.get(i).bytes, "upload " + i);
        assertArrayEquals(bytes(LARGE, count + i), hosts.get(i), "readback " + i);
      }
      assertTrue(device.pinned.get() <= SLOTS, "page-locked slots");
    }
    assertEquals(0, device.live.get(), "streams and staging memory after the close");
  }

  static Stream<Arguments> failures() {
    return Stream.of("upload", "readback", "mark")
        .flatMap(call -> Stream.of(1, 2, 7, 30).map(nth -> Arguments.of(call, nth)));
  }

  /** Rule Q7a: the others do not notice. */
  @ParameterizedTest
  @MethodSource("failures")
  void aCopyThatFailsFailsItsTransferAlone(String call, int nth) throws Exception {
    int count = 5;
    PlainDevice device = device(2);
    try (device) {
      device.fail(call, nth, Status.UNKNOWN);
      List<Transfer> transfers = new ArrayList<>();
      List<Memory> memories = new ArrayList<>();
      List<byte[]> hosts = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        Memory memory = device.allocate(LARGE);
        byte[] host = bytes(LARGE, i);
        memories.add(memory);
        hosts.add(host);
        transfers.add(
            call.equals("readback")
                ? readback(device, memory, 0, host)
                : upload(device, host, memory, 0));
      }
      int failed = 0;
      for (int i = 0; i < count; i++) {
        Throwable failure = transfers.get(i).await();
        if (failure == null) {
          assertArrayEquals(hosts.get(i), memories.get(i).bytes, "transfer " + i);
        } else {
          assertStatus(Status.UNKNOWN, failure);
          failed++;
        }
      }
      assertEquals(1, failed, "transfers that failed");
      assertNull(upload(device, hosts.get(0), memories.get(0), 0).await(), "a later transfer");
    }
    assertEquals(0, device.live.get(), "streams and staging memory after the close");
  }

  /** Rule Q7a: its slot may be in use until then. */
  @Test
  void aSlotIsGivenOutAgainOnlyWhenItsStreamIsPastTheCopyThatFailed() throws Exception {
    byte[] content = bytes(SLOT, 1);
    try (PlainDevice device = device(1)) {
      Memory first = device.allocate(SLOT);
      Memory second = device.allocate(LARGE);
      device.gate = new CountDownLatch(1);
      device.fail("mark", 1, Status.UNKNOWN); // the copy itself is in the stream
      Transfer failed = upload(device, content, first, 0);
      await(() -> device.waiting.get() == 1, "the slot's stream to be waited for");
      Transfer next = upload(device, bytes(LARGE, 2), second, 0);
      device.gate.countDown();
      assertStatus(Status.UNKNOWN, failed.await());
      assertArrayEquals(content, first.bytes, "what was in the stream");
      assertNull(next.await());
      assertArrayEquals(bytes(LARGE, 2), second.bytes, "the next transfer");
    }
  }

  private static void await(BooleanSupplier condition, String what) {
    long deadline = System.nanoTime() + PlainDevice.DEADLINE_SECONDS * 1_000_000_000L;
    while (!condition.getAsBoolean()) {
      assertTrue(System.nanoTime() < deadline, "this thread waits for " + what);
      Thread.onSpinWait();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4})
  void whereTooLittleCanBePageLockedFewerSlotsDo(int first) throws Exception {
    byte[] content = bytes(LARGE, 1);
    try (PlainDevice device = device(2)) {
      Memory memory = device.allocate(LARGE);
      for (int i = first; i <= first + 1; i++) { // two workers may try at once
        device.fail("pin", i, Status.RESOURCE_EXHAUSTED);
      }
      assertNull(upload(device, content, memory, 0).await());
      assertArrayEquals(content, memory.bytes);
      assertTrue(device.pinned.get() <= first, "page-locked slots");
      byte[] back = new byte[LARGE];
      device.faults.clear();
      assertNull(readback(device, memory, 0, back).await());
      assertArrayEquals(content, back);
    }
  }

  @Test
  void whereNothingCanBePageLockedOrdinaryMemoryDoes() throws Exception {
    byte[] content = bytes(LARGE, 1);
    PlainDevice device = device(3);
    try (device) {
      Memory memory = device.allocate(LARGE);
      for (int i = 1; i <= 1000; i++) {
        device.fail("pin", i, Status.RESOURCE_EXHAUSTED);
      }
      Transfer up = upload(device, content, memory, 0);
      assertNull(up.await());
      assertArrayEquals(content, memory.bytes);
      assertEquals(0, device.pinned.get(), "page-locked slots");
      device.faults.clear();
      byte[] back = new byte[LARGE];
      assertNull(readback(device, memory, 0, back).await());
      assertArrayEquals(content, back);
      assertTrue(device.pinned.get() > 0, "it tries anew once no transfer is open");
    }
    assertEquals(0, device.live.get(), "streams and staging memory after the close");
  }

  /** Rule Q7. */
  @ParameterizedTest
  @CsvSource({"upload,1", "upload,12", "mark,5"})
  void aLossEndsAllTransfers(String call, int nth) throws Exception {
    checkLoss(call, nth, false);
  }

  /** The same if the worker that detects it has no chunk, which alone would keep its transfer. */
  @ParameterizedTest
  @CsvSource({"open,2", "pin,1", "bind,1", "bind,4", "bind,6"})
  void aLossBetweenChunksEndsAllTransfers(String call, int nth) throws Exception {
    checkLoss(call, nth, true);
  }

  private static void checkLoss(String call, int nth, boolean isHeld) throws Exception {
    int count = 4;
    int threads = 2;
    PlainDevice device = device(threads);
    try (device) {
      device.gate = new CountDownLatch(isHeld ? 1 : 0);
      device.fail(call, nth, Status.UNAVAILABLE);
      List<Transfer> transfers = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        transfers.add(upload(device, bytes(LARGE, i), device.allocate(LARGE), 0));
      }
      if (isHeld) { // no copy is over before the loss, so two slots are wanted, and no upload ends
        await(
            () -> device.waiting.get() == Math.min(threads, device.tasks.get()),
            "the copying threads to be stuck, or to have nothing left to do");
      }
      device.gate.countDown();
      int lost = 0;
      for (Transfer transfer : transfers) {
        Throwable failure = transfer.await();
        if (failure != null) {
          assertStatus(Status.UNAVAILABLE, failure);
          lost++;
        }
      }
      assertTrue(lost > 0, "transfers that the loss has ended");
      Transfer late = upload(device, bytes(1, 0), device.allocate(1), 0);
      assertStatus(Status.UNAVAILABLE, late.await());
    }
    assertEquals(0, device.live.get(), "streams and staging memory after the close");
  }

  @Test
  void freesTheRestIfAFreeFails() throws Exception {
    PlainDevice device = device(3);
    device.gate = new CountDownLatch(1); // else one slot may be enough
    Transfer transfer = upload(device, bytes(LARGE, 1), device.allocate(LARGE), 0);
    await(() -> device.pinned.get() > 1, "several slots");
    device.gate.countDown();
    assertNull(transfer.await());
    device.fail("free", 1, Status.INTERNAL);
    assertThrows(HalException.class, device::close);
    assertEquals(0, device.live.get(), "streams and staging memory after the close");
  }

  /** Rule Q7a: it is not known when the device is done with the slot. */
  @Test
  void aStreamThatCannotBeWaitedForMeansALoss() throws Exception {
    PlainDevice device = device(1);
    try (device) {
      device.fail("upload", 2, Status.UNKNOWN);
      device.fail("synchronize", 1, Status.UNKNOWN);
      device.fail("synchronize", 2, Status.UNKNOWN); // of the copy, and of what has failed
      Transfer transfer = upload(device, bytes(LARGE, 1), device.allocate(LARGE), 0);
      assertStatus(Status.UNAVAILABLE, transfer.await());
    }
    assertEquals(0, device.live.get(), "streams and staging memory after the close");
  }

  @Test
  void aFailureToBindIsALossWithAnyStatus() throws Exception {
    try (PlainDevice device = device(1)) {
      device.fail("bind", 1, Status.UNKNOWN);
      byte[] content = new byte[SLOT];
      Arrays.fill(content, (byte) 1);
      Memory memory = device.allocate(SLOT);
      assertStatus(Status.UNAVAILABLE, upload(device, content, memory, 0).await());
      assertArrayEquals(new byte[SLOT], memory.bytes, "memory that nothing was copied to");
    }
  }
}
