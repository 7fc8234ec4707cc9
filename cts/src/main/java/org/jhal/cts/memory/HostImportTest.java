// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.memory;

import static org.jhal.cts.support.TestData.assertBytes;
import static org.jhal.cts.support.TestData.assertHal;
import static org.jhal.cts.support.TestData.bytes;
import static org.jhal.cts.support.TestData.direct;
import static org.jhal.cts.support.TestData.filled;
import static org.jhal.cts.support.Waits.assertStaysPending;
import static org.jhal.cts.support.Waits.awaitFailure;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.jhal.cts.support.Waits.awaitTrue;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jhal.Args;
import org.jhal.BufferParams;
import org.jhal.Capability;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.DeviceStatistics;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.Kernel;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.Workgroups;
import org.jhal.cts.FreshDevice;
import org.jhal.cts.Needs;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Blocker;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.TestData;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Buffers over host memory, on devices that offer them. */
@CtsSuite
class HostImportTest {
  private static byte[] all(ByteBuffer memory) {
    byte[] content = new byte[memory.capacity()];
    memory.duplicate().clear().get(content);
    return content;
  }

  private static DeviceBuffer importHost(Cts cts, ByteBuffer memory, AtomicInteger releases) {
    return cts.closing(
        cts.device().allocator().importHost(memory, BufferParams.HOST, releases::incrementAndGet));
  }

  @Test
  @Rule("M7")
  @Needs(capabilities = Capability.HOST_IMPORT)
  void anImportedBufferSharesTheHostMemory(Cts cts) {
    ByteBuffer memory = direct(bytes(4096));
    AtomicInteger releases = new AtomicInteger();
    DeviceBuffer buffer = importHost(cts, memory, releases);
    assertEquals(4096, buffer.size());
    assertBytes(bytes(4096), cts.read(buffer), "an imported buffer");
    DeviceBuffer copy = cts.buffer(4096);
    TimelineSemaphore done = cts.semaphore();
    cts.queue().copy(Fence.NONE, done.at(1), buffer, 0, copy, 0, 4096);
    cts.queue().fill(done.at(1), done.at(2), buffer, 64, 128, FillPattern.of8(0x6B));
    awaitReached(done, 2);
    assertBytes(bytes(4096), cts.read(copy), "a copy of an imported buffer");
    buffer.close();
    awaitTrue("the memory to be released", () -> releases.get() > 0);
    assertBytes(
        TestData.with(bytes(4096), 64, filled(128, 0x6B)), all(memory), "the host's memory");
  }

  @Test
  @Rule({"M7", "M8"})
  @Needs(capabilities = Capability.HOST_IMPORT)
  void kernelsReadImportedMemory(Cts cts) {
    ByteBuffer memory = direct(TestData.ints(64, i -> i));
    DeviceBuffer x = importHost(cts, memory, new AtomicInteger());
    DeviceBuffer y = cts.buffer(256);
    TimelineSemaphore done = cts.semaphore();
    cts.queue()
        .dispatch(Fence.NONE, done.at(1), cts.kernel("twice"), Workgroups.of(64), Args.of(x, y));
    awaitReached(done, 1);
    assertBytes(TestData.ints(64, i -> 2 * i), cts.read(y), "doubled");
  }

  @Test
  @Rule("M7")
  @Needs(capabilities = Capability.HOST_IMPORT)
  void theRangeFromPositionToLimitIsImported(Cts cts) {
    ByteBuffer memory = ByteBuffer.allocateDirect(3 * 4096);
    memory.position(4096).limit(2 * 4096);
    DeviceBuffer buffer = importHost(cts, memory, new AtomicInteger());
    assertEquals(4096, buffer.size());
    assertEquals(4096, memory.position(), "the position of the imported buffer");
    memory.clear();
    TimelineSemaphore done = cts.semaphore();
    cts.queue().fill(Fence.NONE, done.at(1), buffer, 0, 4096, FillPattern.of8(1));
    awaitReached(done, 1);
    buffer.close();
    assertBytes(
        TestData.with(new byte[3 * 4096], 4096, filled(4096, 1)), all(memory), "the memory");
  }

  @Test
  @Rule("M7")
  @Needs(capabilities = Capability.HOST_IMPORT)
  void importedMemoryIsReleasedOnceAfterItsLastUse(Cts cts) {
    AtomicInteger releases = new AtomicInteger();
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    DeviceStatistics before = cts.device().statistics();
    ByteBuffer memory = direct(bytes(4096));
    DeviceBuffer buffer = importHost(cts, memory, releases);
    DeviceBuffer slice = buffer.slice(0, 1024);
    cts.queue().fill(go.at(1), done.at(1), buffer, 0, 16, FillPattern.of8(1));
    cts.flush(cts.queue());
    slice.close();
    assertEquals(0, releases.get(), "releases while the buffer is open");
    buffer.close();
    assertEquals(0, releases.get(), "releases while work needs the memory");
    go.signal(1);
    awaitReached(done, 1);
    awaitTrue("the memory to be released", () -> releases.get() > 0);
    buffer.close();
    slice.close();
    cts.awaitIdle();
    assertEquals(1, releases.get(), "releases");
    assertEquals(before.buffers(), cts.device().statistics().buffers(), "buffers");
    assertBytes(TestData.with(bytes(4096), 0, filled(16, 1)), all(memory), "the memory");
  }

  @Test
  @Rule("M7")
  @Needs(capabilities = Capability.HOST_IMPORT)
  void releasedMemoryMayBeImportedAgain(Cts cts) {
    ByteBuffer memory = direct(filled(4096, 0));
    for (int i = 1; i <= 5; i++) {
      AtomicInteger releases = new AtomicInteger();
      DeviceBuffer buffer =
          i % 2 == 0
              ? importHost(cts, memory, releases)
              : cts.closing(cts.device().allocator().importHost(memory, BufferParams.HOST, null));
      TimelineSemaphore done = cts.semaphore();
      cts.queue().fill(Fence.NONE, done.at(1), buffer, 0, 4096, FillPattern.of8(i));
      awaitReached(done, 1);
      cts.awaitIdle();
      buffer.close();
      if (i % 2 == 0) { // otherwise, there is no callback, and the next import may have to wait
        awaitTrue("the memory to be released", () -> releases.get() > 0);
      }
      assertBytes(filled(4096, i), all(memory), "the memory after import " + i);
    }
  }

  @Test
  @Rule({"M7", "Q8"})
  @FreshDevice
  @Needs(capabilities = Capability.HOST_IMPORT)
  void importedMemoryIsReleasedOnceAfterItsDeviceWasClosed(Cts cts) {
    AtomicInteger releases = new AtomicInteger();
    Device device = cts.device();
    DeviceBuffer buffer = importHost(cts, direct(bytes(4096)), releases);
    cts.write(buffer, 0, bytes(16));
    device.close();
    buffer.close();
    buffer.close();
    awaitTrue("the memory to be released", () -> releases.get() > 0);
    assertEquals(1, releases.get(), "releases");
  }

  /** How the device writes into imported memory before the memory is uploaded. */
  enum Writer {
    /** A copy whose target is the imported buffer. */
    COPY,
    /** A readback whose target is the imported memory. */
    READBACK,
    /** A kernel that writes the imported buffer. */
    KERNEL
  }

  static Stream<Arguments> uploadsBehindWriters() {
    return Stream.of(Writer.values())
        .flatMap(
            writer ->
                IntStream.of(8 << 10, 64 << 10, 1 << 20)
                    .mapToObj(size -> Arguments.of(writer, size)));
  }

  /** A grid of {@code count} workgroups, a multiple of 256, in which no axis is long. */
  private static Workgroups groups(int count) {
    return new Workgroups(256, count / 256, 1);
  }

  /** The first half of the memory is imported, and all of it is uploaded. */
  @ParameterizedTest
  @MethodSource("uploadsBehindWriters")
  @Rule({"Q9", "Q5"})
  @Needs(capabilities = Capability.HOST_IMPORT)
  void anUploadSeesDeviceWritesToAnImportedPart(Writer writer, int size, Cts cts) {
    int half = size / 2;
    byte[] before = TestData.ints(size / 4, i -> i);
    byte[] written = TestData.ints(half / 4, i -> -2 * i);
    ByteBuffer memory = direct(before);
    DeviceBuffer imported = importHost(cts, memory.slice(0, half), new AtomicInteger());
    DeviceBuffer source =
        cts.buffer(writer == Writer.KERNEL ? TestData.ints(half / 4, i -> -i) : written);
    DeviceBuffer target = cts.buffer(size);
    Kernel twice = cts.kernel("twice");
    DeviceQueue queue = cts.queue();
    TimelineSemaphore timeline = cts.semaphore();
    Blocker blocker = new Blocker(cts, queue);
    Fence go = Fence.of(blocker.timepoint());
    switch (writer) {
      case COPY -> queue.copy(go, timeline.at(1), source, 0, imported, 0, half);
      case READBACK -> queue.readback(go, timeline.at(1), source, 0, memory.slice(0, half));
      case KERNEL ->
          queue.dispatch(go, timeline.at(1), twice, groups(half / 4), Args.of(source, imported));
    }
    queue.upload(timeline.at(1), timeline.at(2), memory, target, 0);
    assertStaysPending(timeline.at(2)); // long enough to issue all that can be issued
    blocker.release();
    awaitReached(timeline, 2);
    assertBytes(
        TestData.with(before, 0, written), cts.read(target), "the bytes that were uploaded");
  }

  @Test
  @Rule({"M7", "Q8"})
  @FreshDevice("close-timeout=100ms")
  @Needs(capabilities = Capability.HOST_IMPORT)
  void importedMemoryIsKeptForWorkThatOutlastsTheClose(Cts cts) {
    ByteBuffer memory = direct(filled(4096, 0));
    TimelineSemaphore released = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    DeviceBuffer buffer =
        cts.closing(
            cts.device()
                .allocator()
                .importHost(memory, BufferParams.HOST, () -> released.signal(1)));
    Blocker blocker = new Blocker(cts, cts.queue());
    cts.queue().fill(blocker.timepoint(), done.at(1), buffer, 0, 4096, FillPattern.of8(0x6B));
    cts.allowWarnings();
    cts.device().close();
    awaitFailure(done, 1, Status.DEADLINE_EXCEEDED);
    buffer.close();
    assertStaysPending(released.at(1)); // the stream has not passed the fill
    blocker.release();
    awaitReached("the end of the work releases the memory", released.at(1));
    assertBytes(filled(4096, 0x6B), all(memory), "the host's memory");
  }

  @Test
  @Rule("M5")
  void memoryThatCannotBeImportedIsRejected(Cts cts) {
    AtomicInteger releases = new AtomicInteger();
    DeviceStatistics before = cts.device().statistics();
    if (!cts.device().capabilities().contains(Capability.HOST_IMPORT)) {
      assertHal(
          Status.UNIMPLEMENTED,
          () -> importHost(cts, ByteBuffer.allocateDirect(64), releases),
          "import");
      return;
    }
    assertHal(
        Status.INVALID_ARGUMENT,
        () -> importHost(cts, ByteBuffer.allocate(64), releases),
        "memory",
        "heap");
    assertHal(
        Status.INVALID_ARGUMENT,
        () -> importHost(cts, ByteBuffer.allocateDirect(64).asReadOnlyBuffer(), releases),
        "memory",
        "read-only");
    assertEquals(0, releases.get(), "releases of memory that was never imported");
    assertEquals(before.buffers(), cts.device().statistics().buffers(), "buffers");
  }
}
