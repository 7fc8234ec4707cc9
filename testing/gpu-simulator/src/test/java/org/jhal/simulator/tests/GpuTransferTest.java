// SPDX-License-Identifier: Apache-2.0
package org.jhal.simulator.tests;

import static org.jhal.cts.support.TestData.assertBytes;
import static org.jhal.cts.support.TestData.assertHal;
import static org.jhal.cts.support.TestData.bytes;
import static org.jhal.cts.support.TestData.filled;
import static org.jhal.cts.support.Waits.assertStaysPending;
import static org.jhal.cts.support.Waits.awaitFailure;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.jhal.simulator.fixture.NativeCall.BIND;
import static org.jhal.simulator.fixture.NativeCall.COPY_TO_DEVICE;
import static org.jhal.simulator.fixture.NativeCall.COPY_TO_HOST;
import static org.jhal.simulator.fixture.NativeCall.HOST_REGISTER;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import com.sun.jna.Native;
import com.sun.jna.Pointer;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import org.jhal.BufferParams;
import org.jhal.CommandBuffer;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.HostMemory;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.cts.faults.FaultLog;
import org.jhal.cts.support.Task;
import org.jhal.cts.support.Waits;
import org.jhal.simulator.fixture.GpuFault;
import org.jhal.simulator.fixture.NativeCall;
import org.jhal.simulator.fixture.SimulatedDevices;
import org.jhal.spi.HostRange;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Transfers of memory that is not page-locked. */
@Timeout(60)
class GpuTransferTest {
  /** More than is staged at the issue, and more than a few chunks. */
  private static final int LARGE = (6 << 20) + 123;

  @RegisterExtension final SimulatedDevices sim = new SimulatedDevices();
  private final String name = sim.driver().name();
  private FaultLog log;

  @BeforeEach
  void listen() {
    log = new FaultLog();
  }

  @AfterEach
  void stopListening() {
    log.close();
  }

  private Device open() {
    return sim.open(name + "://0?queues=1");
  }

  private static void transfer(
      Device device, DeviceBuffer buffer, boolean isUpload, byte[] host, Fence signals) {
    if (isUpload) {
      device.queue(0).upload(Fence.NONE, signals, ByteBuffer.wrap(host), buffer, 0);
    } else {
      device.queue(0).readback(Fence.NONE, signals, buffer, 0, ByteBuffer.wrap(host));
    }
  }

  /** Rule Q7: a loss fails everything, whichever thread detects it first. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aTransferThatReportsALossLosesTheDevice(boolean isUpload) {
    NativeCall call = isUpload ? COPY_TO_DEVICE : COPY_TO_HOST;
    try (Device device = open();
        DeviceBuffer buffer = device.allocate(LARGE, BufferParams.DEVICE);
        TimelineSemaphore never = device.createSemaphore(0);
        TimelineSemaphore parked = device.createSemaphore(0);
        TimelineSemaphore done = device.createSemaphore(0)) {
      device.queue(0).barrier(never.at(1), parked.at(1));
      sim.failForGood(call, 2, GpuFault.STICKY_CODE);
      transfer(device, buffer, isUpload, new byte[LARGE], done.at(1));
      for (TimelineSemaphore signal : List.of(done, parked)) {
        HalException failure = awaitFailure(signal, 1, Status.UNAVAILABLE);
        assertHal(Status.UNAVAILABLE, failure, sim.shortName(call) + " returned 719");
      }
      assertNotNull(device.lostCause());
    }
  }

  /** Rule Q7a: a device that cannot be made current is lost, on whichever thread. */
  @Test
  void aTransferThatCannotMakeTheDeviceCurrentLosesIt() {
    // Without spin= this thread never binds the device in order to poll.
    try (Device device = sim.open(name + "://0?queues=1&spin=0ns");
        DeviceBuffer buffer = device.allocate(LARGE, BufferParams.DEVICE);
        TimelineSemaphore bound = device.createSemaphore(0);
        TimelineSemaphore done = device.createSemaphore(0)) {
      device.queue(0).barrier(Fence.NONE, bound.at(1));
      awaitReached(bound, 1); // so the completion thread has bound it
      sim.fail(BIND, 2, GpuFault.PLAIN_CODE); // the first enqueues the transfer
      transfer(device, buffer, false, new byte[LARGE], done.at(1));
      HalException failure = awaitFailure(done, 1, Status.UNAVAILABLE);
      assertHal(Status.UNAVAILABLE, failure, sim.shortName(BIND) + " returned 999");
      assertNotNull(device.lostCause());
    }
  }

  /** Rule Q7a: whichever of its copies it is. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aFailedCopyFailsOnlyItsTransfer(boolean isUpload) {
    NativeCall call = isUpload ? COPY_TO_DEVICE : COPY_TO_HOST;
    byte[] content = bytes(LARGE);
    try (Device device = open();
        DeviceBuffer buffer = device.allocate(LARGE, BufferParams.DEVICE);
        TimelineSemaphore ready = device.createSemaphore(0)) {
      transfer(device, buffer, true, content, ready.at(1));
      awaitReached(ready, 1);
      for (int nth = 1; nth <= 4; nth++) {
        try (TimelineSemaphore done = device.createSemaphore(0);
            TimelineSemaphore again = device.createSemaphore(0)) {
          sim.fail(call, nth, GpuFault.PLAIN_CODE);
          transfer(device, buffer, isUpload, content.clone(), done.at(1));
          HalException failure = awaitFailure(done, 1, Status.UNKNOWN);
          assertHal(Status.UNKNOWN, failure, sim.shortName(call) + " returned 999");
          assertNull(device.lostCause());
          byte[] back = filled(LARGE, 0);
          transfer(device, buffer, true, content, again.at(1));
          awaitReached(again, 1);
          transfer(device, buffer, false, back, again.at(2));
          awaitReached(again, 2);
          assertBytes(content, back, "the bytes that were read after copy " + nth + " had failed");
        }
      }
    }
  }

  // Uploads and updates that are read at the issue.

  private long registrations() {
    return sim.live().getOrDefault("registration", 0L);
  }

  private static byte[] read(Device device, DeviceBuffer buffer) {
    byte[] content = new byte[Math.toIntExact(buffer.size())];
    try (TimelineSemaphore done = device.createSemaphore(0)) {
      transfer(device, buffer, false, content, done.at(1));
      awaitReached(done, 1);
    }
    return content;
  }

  /** Rule Q1: uploads that do not fit wait for their turn, but no user's thread does. */
  @Test
  void manyUploadsUseAFixedAmountOfPageLockedMemory() throws Exception {
    int count = 500;
    int size = 64_321;
    byte[] content = bytes(count * size);
    try (Device device = open();
        DeviceBuffer buffer = device.allocate(content.length, BufferParams.DEVICE);
        TimelineSemaphore done = device.createSemaphore(0)) {
      // Nearly as much as fits. From here on, users issue uploads, and memory has to be reused.
      uploadParts(device, bytes(55 * size), size, buffer, done);
      awaitReached(done, 55);
      sim.simulator().pause(0, 0);
      try {
        Task.run("enqueueing", () -> uploadParts(device, content, size, buffer, done)).join();
        Waits.awaitStatistics(
            "what fits to be issued, and the rest to wait",
            device,
            now -> now.issued() > 50 && now.ready() > 50);
        assertEquals(1, registrations());
      } finally {
        sim.simulator().resume(0, 0);
      }
      awaitReached(done, 55 + count);
      assertEquals(1, registrations());
      assertBytes(content, read(device, buffer), "the uploaded bytes");
    }
  }

  private static void uploadParts(
      Device device, byte[] content, int size, DeviceBuffer buffer, TimelineSemaphore done) {
    long first = done.value() + 1;
    for (int i = 0; i < content.length / size; i++) {
      ByteBuffer part = ByteBuffer.wrap(content, i * size, size);
      device.queue(0).upload(Fence.NONE, done.at(first + i), part, buffer, (long) i * size);
    }
  }

  /** Rule Q1: the call does not block even if the commands alone exceed the staging memory. */
  @Test
  void aCommandBufferMayUpdateMoreThanTheStagingMemoryHolds() throws Exception {
    int count = 300;
    int size = 60_001;
    byte[] content = bytes(count * size);
    try (Device device = open();
        DeviceBuffer buffer = device.allocate(content.length, BufferParams.DEVICE);
        CommandBuffer commands = device.createCommandBuffer(CommandBuffer.Mode.REUSABLE);
        TimelineSemaphore done = device.createSemaphore(0)) {
      for (int i = 0; i < count; i++) {
        commands.update(ByteBuffer.wrap(content, i * size, size), buffer, (long) i * size);
      }
      commands.end();
      sim.simulator().pause(0, 0);
      try {
        Task.run("enqueueing", () -> device.queue(0).execute(Fence.NONE, done.at(1), commands))
            .join();
        sim.awaitCalls(COPY_TO_DEVICE, 60); // nearly what fits
        assertStaysPending(done.at(1)); // and meanwhile more is put there, if it is
      } finally {
        sim.simulator().resume(0, 0);
      }
      awaitReached(done, 1);
      assertEquals(1, registrations());
      assertBytes(content, read(device, buffer), "the bytes that the commands wrote");
    }
  }

  @Test
  void anUpdateMayBeLargerThanTheStagingMemory() {
    byte[] content = bytes((10 << 20) + 7);
    try (Device device = open();
        DeviceBuffer buffer = device.allocate(content.length, BufferParams.DEVICE);
        TimelineSemaphore done = device.createSemaphore(0)) {
      device.queue(0).update(Fence.NONE, done.at(1), ByteBuffer.wrap(content), buffer, 0);
      awaitReached(done, 1);
      assertEquals(1, registrations());
      assertBytes(content, read(device, buffer), "the bytes that the update wrote");
    }
  }

  /**
   * Bytes that wrap around the end of the staging memory leave a gap there. The first bytes that
   * the device has not read yet are right after the beginning, where few had been staged before.
   */
  @Test
  void stagedBytesThatWrapAroundOverwriteNoUnreadBytes() throws Exception {
    int pieces = 16;
    byte[] content = bytes(pieces * (256 << 10)); // as much as there is, without the first few
    try (Device device = open();
        DeviceBuffer buffer = device.allocate(content.length, BufferParams.DEVICE);
        TimelineSemaphore done = device.createSemaphore(0)) {
      device.queue(0).update(Fence.NONE, done.at(1), ByteBuffer.wrap(content, 0, 64), buffer, 0);
      awaitReached(done, 1);
      long before = sim.calls(COPY_TO_DEVICE);
      sim.simulator().pause(0, 0);
      try {
        device.queue(0).update(Fence.NONE, done.at(2), ByteBuffer.wrap(content), buffer, 0);
        sim.awaitCalls(COPY_TO_DEVICE, before + pieces - 1);
        assertStaysPending(done.at(2)); // and meanwhile the last one is put there, if it is
      } finally {
        sim.simulator().resume(0, 0);
      }
      awaitReached(done, 2);
      assertBytes(content, read(device, buffer), "the bytes that the update wrote");
    }
  }

  /** Rule Q1: page-locking takes long, and no user's thread waits for it. */
  @Test
  void theThreadOfTheQueuePageLocksMemory() {
    try (Device device = open();
        DeviceBuffer buffer = device.allocate(64, BufferParams.DEVICE);
        TimelineSemaphore uploaded = device.createSemaphore(0);
        TimelineSemaphore allocated = device.createSemaphore(0);
        TimelineSemaphore again = device.createSemaphore(0)) {
      sim.fail(HOST_REGISTER, 1, GpuFault.PLAIN_CODE);
      transfer(device, buffer, true, new byte[64], uploaded.at(1));
      assertNotOnThisThread(awaitFailure(uploaded, 1, Status.RESOURCE_EXHAUSTED));
      sim.fail(HOST_REGISTER, 1, GpuFault.PLAIN_CODE);
      device.queue(0).alloca(Fence.NONE, allocated.at(1), 64, BufferParams.HOST).close();
      assertNotOnThisThread(awaitFailure(allocated, 1, Status.RESOURCE_EXHAUSTED));
      transfer(device, buffer, true, filled(64, 3), again.at(1));
      awaitReached(again, 1);
      assertBytes(filled(64, 3), read(device, buffer), "the bytes of the last upload");
    }
  }

  /** It needs no staging memory, and an upload that changes threads takes twice as long. */
  @Test
  void theEnqueueingThreadUploadsPageLockedMemory() {
    try (Device device = open();
        DeviceBuffer buffer = device.allocate(64, BufferParams.DEVICE);
        DeviceBuffer host = device.allocate(64, BufferParams.HOST);
        DeviceBuffer.Mapping mapping = host.map(DeviceBuffer.MapMode.READ);
        TimelineSemaphore uploaded = device.createSemaphore(0)) {
      long before = sim.calls(COPY_TO_DEVICE);
      for (int i = 1; i <= 20; i++) {
        device.queue(0).upload(Fence.NONE, uploaded.at(i), mapping.bytes(), buffer, 0);
        assertEquals(before + i, sim.calls(COPY_TO_DEVICE), "calls when upload returns");
        awaitReached(uploaded, i);
      }
    }
  }

  @Test
  void foreignPageLockedMemoryIsUsedAtItsAddress() {
    try (Device device = open();
        DeviceBuffer buffer = device.allocate(64, BufferParams.DEVICE);
        DeviceBuffer host = device.allocate(64, BufferParams.HOST);
        DeviceBuffer.Mapping mapping = host.map(DeviceBuffer.MapMode.WRITE)) {
      Range locked = new Range(mapping.bytes(), true);
      mapping.bytes().put(filled(64, 5));
      move(device, HostMemory.of(locked), buffer);
      assertBytes(filled(64, 5), read(device, buffer), "the bytes uploaded from the address");
      assertEquals(0, locked.copied.get(), "bytes copied by the host");

      Range pageable = new Range(ByteBuffer.allocateDirect(64).put(filled(64, 9)).flip(), false);
      move(device, HostMemory.of(pageable), buffer);
      assertBytes(filled(64, 9), read(device, buffer), "the bytes uploaded by copying");
      assertEquals(64, pageable.copied.get(), "bytes copied by the host");
    }
  }

  private static void move(Device device, HostMemory source, DeviceBuffer target) {
    try (TimelineSemaphore done = device.createSemaphore()) {
      device.queue(0).upload(Fence.NONE, done.at(1), source, target, 0);
      awaitReached(done, 1);
    }
  }

  /** Counts the bytes that are copied out of it. */
  private record Range(ByteBuffer bytes, boolean isWritable, AtomicLong copied)
      implements HostRange {
    Range(ByteBuffer bytes, boolean isWritable) {
      this(bytes.duplicate(), isWritable, new AtomicLong());
    }

    @Override
    public long size() {
      return bytes.capacity();
    }

    @Override
    public boolean isOnHeap() {
      return false;
    }

    @Override
    public long address() {
      return Pointer.nativeValue(Native.getDirectBufferPointer(bytes));
    }

    @Override
    public void read(long offset, ByteBuffer target) {
      copied.addAndGet(target.remaining());
      target.duplicate().put(bytes.duplicate().slice((int) offset, target.remaining()));
    }

    @Override
    public void write(long offset, ByteBuffer source) {
      throw new AssertionError("a source is not written");
    }
  }

  /** Checks that the native call failed on another thread, by its stack trace. */
  private static void assertNotOnThisThread(HalException failure) {
    Throwable origin = Objects.requireNonNull(failure.getCause());
    for (StackTraceElement frame : origin.getStackTrace()) {
      assertNotEquals(GpuTransferTest.class.getName(), frame.getClassName(), origin::toString);
    }
  }
}
