// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.external;

import static org.jhal.cts.support.TestData.assertBytes;
import static org.jhal.cts.support.TestData.assertHal;
import static org.jhal.cts.support.TestData.filled;
import static org.jhal.cts.support.TestData.ints;
import static org.jhal.cts.support.Waits.assertStaysPending;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.jhal.cts.support.Waits.awaitTrue;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jhal.Allocator;
import org.jhal.Args;
import org.jhal.BufferParams;
import org.jhal.Capability;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.Workgroups;
import org.jhal.cts.Need;
import org.jhal.cts.Needs;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Blocker;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.ExternalCommands;
import org.jhal.cts.support.Waits;
import org.jhal.spi.NativeCalls;
import org.junit.jupiter.api.Test;

/** Memory, events and streams of the native runtime, used alongside JHAL. */
@CtsSuite
class NativeImportTest {
  /** Memory of the native runtime, freed at the end of the test. */
  private static long allocate(Cts cts, NativeCalls calls, long bytes) {
    long address = calls.allocate(bytes);
    AutoCloseable freed = () -> calls.free(address);
    AutoCloseable unused = cts.closing(freed);
    return address;
  }

  @Test
  @Rule({"M7", "Q11"})
  @Needs(capabilities = Capability.NATIVE_ACCESS)
  void importedMemoryIsABuffer(Cts cts) {
    NativeCalls calls = ExternalCommands.nativeCalls(cts.device());
    AtomicInteger releases = new AtomicInteger();
    long address = allocate(cts, calls, 4096);
    DeviceBuffer buffer =
        cts.device()
            .allocator()
            .importDevice(address + 256, 256, BufferParams.DEVICE, releases::incrementAndGet);
    cts.closing(buffer);
    assertEquals(256, buffer.size());
    TimelineSemaphore done = cts.semaphore();
    DeviceBuffer input = cts.buffer(ints(64, i -> i));
    DeviceBuffer copy = cts.buffer(256);
    cts.queue()
        .dispatch(
            Fence.NONE, done.at(1), cts.kernel("twice"), Workgroups.of(64), Args.of(input, buffer));
    cts.queue().copy(done.at(1), done.at(2), buffer, 0, copy, 0, 256);
    awaitReached(done, 2);
    assertBytes(ints(64, i -> 2 * i), cts.read(copy), "a copy of imported memory");
    assertEquals(0, releases.get(), "releases while the buffer is open");
    TimelineSemaphore go = cts.semaphore();
    cts.queue().fill(go.at(1), done.at(3), buffer, 0, 256, FillPattern.of8(1));
    buffer.close();
    assertEquals(0, releases.get(), "releases while an operation needs the memory");
    go.signal(1);
    awaitReached(done, 3);
    awaitTrue("the memory to be released", () -> releases.get() == 1);
  }

  @Test
  @Rule({"M5", "M7"})
  @Needs(capabilities = Capability.NATIVE_ACCESS, value = Need.FOREIGN_MEMORY)
  void addressesThatAreNotDeviceMemoryAreRejected(Cts cts) {
    NativeCalls calls = ExternalCommands.nativeCalls(cts.device());
    Allocator allocator = cts.device().allocator();
    long freed = calls.allocate(1 << 20);
    calls.free(freed);
    AtomicInteger releases = new AtomicInteger();
    BufferParams params = BufferParams.DEVICE;
    assertHal(
        Status.INVALID_ARGUMENT,
        () -> allocator.importDevice(4096, 16, params, releases::incrementAndGet),
        "0x1000");
    assertHal(Status.INVALID_ARGUMENT, () -> allocator.importDevice(freed, 1 << 20, params, null));
    assertEquals(0, releases.get(), "releases of refused memory");
  }

  /**
   * If the backend states that the runtime does not recognize foreign memory, the import is
   * accepted.
   */
  @Test
  @Rule("M7")
  @Needs(capabilities = Capability.NATIVE_ACCESS)
  void foreignMemoryIsAcceptedWhereTheRuntimeCannotRecognizeIt(Cts cts) {
    if (cts.backend().reportsForeignMemory()) {
      throw Cts.unsupported("the native runtime recognizes foreign memory");
    }
    AtomicInteger releases = new AtomicInteger();
    // The memory is never accessed, and the engine has no reason to reject the range.
    cts.device()
        .allocator()
        .importDevice(1 << 20, 16, BufferParams.DEVICE, releases::incrementAndGet)
        .close();
    awaitTrue("the memory to be released", () -> releases.get() == 1);
  }

  @Test
  @Rule({"M5", "M7"})
  @Needs(capabilities = Capability.NATIVE_ACCESS)
  void invalidRangesAreRejected(Cts cts) {
    NativeCalls calls = ExternalCommands.nativeCalls(cts.device());
    Allocator allocator = cts.device().allocator();
    long address = allocate(cts, calls, 4096);
    AtomicInteger releases = new AtomicInteger();
    BufferParams params = BufferParams.DEVICE;
    assertHal(
        Status.INVALID_ARGUMENT,
        () -> allocator.importDevice(0, 16, params, releases::incrementAndGet));
    assertHal(
        Status.INVALID_ARGUMENT,
        () -> allocator.importDevice(address, Long.MAX_VALUE, params, null),
        "ends after");
    assertHal(
        Status.OUT_OF_RANGE, () -> allocator.importDevice(address, 0, params, null), "at least 1");
    assertHal(Status.OUT_OF_RANGE, () -> allocator.importDevice(address, -5, params, null), "-5");
    assertHal(
        Status.INVALID_ARGUMENT,
        () -> allocator.importDevice(address, 16, BufferParams.HOST, null),
        "HOST");
    assertEquals(0, releases.get(), "releases of refused memory");
  }

  @Test
  @Rule("M5")
  void importsAreUnimplementedWithoutNativeAccess(Cts cts) {
    if (cts.device().capabilities().contains(Capability.NATIVE_ACCESS)) {
      throw Cts.unsupported("the device offers NATIVE_ACCESS");
    }
    TimelineSemaphore done = cts.semaphore();
    if (!cts.device().capabilities().contains(Capability.HOST_ADDRESSES)) {
      assertHal(
          Status.UNIMPLEMENTED,
          () -> cts.device().allocator().importDevice(4096, 16, BufferParams.DEVICE, null));
    }
    assertHal(Status.UNIMPLEMENTED, () -> cts.queue().importEvent(done.at(1), 1, null));
  }

  /** The event marks the end of work in a stream that the program has created. */
  @Test
  @Rule({"Q5", "Q11"})
  @Needs(capabilities = Capability.NATIVE_ACCESS)
  void anEventBecomesATimepoint(Cts cts) {
    NativeCalls calls = ExternalCommands.nativeCalls(cts.device());
    TimelineSemaphore timeline = cts.semaphore();
    long address = allocate(cts, calls, 4096);
    DeviceBuffer buffer =
        cts.closing(
            cts.device().allocator().importDevice(address, 4096, BufferParams.DEVICE, null));
    DeviceBuffer copy = cts.buffer(4096);
    long stream = calls.createStream();
    long event = calls.createEvent();
    DeviceQueue other = cts.queue(cts.device().queueCount() - 1);
    calls.fill(stream, address, (byte) 0x5A, 4096);
    calls.record(event, stream);
    cts.queue().importEvent(timeline.at(1), event, null);
    other.copy(timeline.at(1), timeline.at(2), buffer, 0, copy, 0, 4096);
    awaitReached(timeline, 2);
    assertBytes(filled(4096, 0x5A), cts.read(copy), "filled by a stream of the program");
    cts.awaitIdle();
    calls.destroyEvent(event);
    calls.destroyStream(stream);
  }

  /** The signal waits for the event. The queue continues afterwards. */
  @Test
  @Rule({"Q4", "Q11"})
  @Needs(capabilities = Capability.NATIVE_ACCESS, value = Need.TWO_QUEUES)
  void theSignalWaitsForTheEvent(Cts cts) {
    NativeCalls calls = ExternalCommands.nativeCalls(cts.device());
    TimelineSemaphore imported = cts.semaphore();
    TimelineSemaphore recorded = cts.semaphore();
    TimelineSemaphore free = cts.semaphore();
    AtomicBoolean isRecorded = new AtomicBoolean();
    long event = calls.createEvent();
    // The event is recorded in the native stream of a held queue.
    Blocker blocker = new Blocker(cts, cts.queue(0));
    cts.queue(0)
        .external(
            blocker.timepoint(),
            recorded.at(1),
            List.of(),
            context -> {
              calls.record(event, context.stream());
              isRecorded.set(true);
            });
    awaitTrue("the event to be recorded", isRecorded::get);
    cts.queue(1).importEvent(imported.at(1), event, null);
    assertStaysPending(imported.at(1));
    blocker.release();
    awaitReached(imported.at(1).and(recorded.at(1)));
    cts.queue(1).barrier(Fence.NONE, free.at(1));
    awaitReached(free, 1);
    cts.awaitIdle();
    calls.destroyEvent(event);
  }

  @Test
  @Rule({"M5", "Q11"})
  @Needs(capabilities = Capability.NATIVE_ACCESS)
  void eventZeroIsRejected(Cts cts) {
    TimelineSemaphore done = cts.semaphore();
    AtomicInteger released = new AtomicInteger();
    assertHal(
        Status.INVALID_ARGUMENT,
        () -> cts.queue().importEvent(done.at(1), 0, released::incrementAndGet),
        "event 0");
    assertEquals(0, released.get(), "releases of an event that was refused");
  }

  /** The program fails the signals before the stream has waited for the event. */
  @Test
  @Rule({"Q2", "Q11"})
  @Needs(capabilities = Capability.NATIVE_ACCESS)
  void anEventIsReleasedOnceAfterTheStreamHasWaitedForIt(Cts cts) throws Exception {
    NativeCalls calls = ExternalCommands.nativeCalls(cts.device());
    TimelineSemaphore held = cts.semaphore();
    TimelineSemaphore imported = cts.semaphore();
    AtomicInteger released = new AtomicInteger();
    CountDownLatch isHeld = new CountDownLatch(1);
    CountDownLatch mayGoOn = new CountDownLatch(1);
    long stream = calls.createStream();
    long event = calls.createEvent();
    calls.record(event, stream);
    cts.queue()
        .external(
            Fence.NONE,
            held.at(1),
            List.of(),
            context -> {
              isHeld.countDown();
              boolean unused = mayGoOn.await(Waits.LIMIT.toSeconds(), TimeUnit.SECONDS);
            });
    assertTrue(isHeld.await(Waits.LIMIT.toSeconds(), TimeUnit.SECONDS), "the queue is not held");
    cts.queue()
        .importEvent(
            imported.at(1),
            event,
            () -> {
              calls.destroyEvent(event);
              released.incrementAndGet();
            });
    imported.fail(new HalException(Status.ABORTED, "by the program"));
    assertEquals(0, released.get(), "releases while the operation was not issued");
    mayGoOn.countDown();
    awaitReached(held, 1);
    awaitTrue("the event to be released", () -> released.get() > 0);
    cts.awaitIdle();
    assertEquals(1, released.get());
    calls.destroyStream(stream);
  }

  /** External work forks work to another stream, and joins it. */
  @Test
  @Rule("Q11")
  @Needs(capabilities = Capability.NATIVE_ACCESS)
  void externalWorkMayForkAndJoinStreams(Cts cts) {
    NativeCalls calls = ExternalCommands.nativeCalls(cts.device());
    TimelineSemaphore done = cts.semaphore();
    DeviceBuffer first = cts.buffer(1 << 16);
    DeviceBuffer second = cts.buffer(1 << 16);
    long side = calls.createStream();
    long fork = calls.createEvent();
    long join = calls.createEvent();
    cts.queue().fill(Fence.NONE, done.at(1), first, 0, 1 << 16, FillPattern.of8(3));
    cts.queue()
        .external(
            done.at(1),
            done.at(2),
            List.of(first, second),
            context -> {
              calls.record(fork, context.stream());
              calls.await(side, fork);
              calls.copy(side, context.address(second), context.address(first), 1 << 16);
              calls.record(join, side);
              calls.await(context.stream(), join);
            });
    awaitReached(done, 2);
    assertBytes(filled(1 << 16, 3), cts.read(second), "copied by a forked stream");
    calls.destroyEvent(fork);
    calls.destroyEvent(join);
    calls.destroyStream(side);
  }

  @Test
  @Rule("Q11")
  @Needs(capabilities = Capability.NATIVE_ACCESS)
  void externalWorkMaySynchronizeItsStream(Cts cts) {
    NativeCalls calls = ExternalCommands.nativeCalls(cts.device());
    ExternalCommands external = new ExternalCommands(cts, cts.device());
    TimelineSemaphore done = cts.semaphore();
    DeviceBuffer buffer = cts.buffer(4096);
    cts.queue()
        .external(
            Fence.NONE,
            done.at(1),
            List.of(buffer),
            context -> {
              external.fill(context, buffer, 6);
              calls.synchronize(context.stream());
            });
    awaitReached(done, 1);
    assertBytes(filled(4096, 6), cts.read(buffer), "filled, with a wait for the stream");
  }

  /**
   * The device is current while the work runs. If the work leaves none current, JHAL restores it.
   */
  @Test
  @Rule("Q11")
  @Needs(capabilities = Capability.NATIVE_ACCESS)
  void theDeviceIsCurrentInTheWorkAndRestoredAfterwards(Cts cts) {
    NativeCalls calls = ExternalCommands.nativeCalls(cts.device());
    TimelineSemaphore timeline = cts.semaphore();
    DeviceBuffer buffer = cts.buffer(64);
    AtomicInteger current = new AtomicInteger();
    for (int i = 0; i < 5; i++) {
      cts.queue()
          .external(
              timeline.at(2L * i),
              timeline.at(2L * i + 1),
              List.of(),
              context -> {
                current.addAndGet(calls.isCurrent() ? 1 : 0);
                var unused = calls.makeNoneCurrent();
              });
      cts.queue()
          .fill(
              timeline.at(2L * i + 1), timeline.at(2L * i + 2), buffer, 0, 64, FillPattern.of8(i));
    }
    awaitReached(timeline, 10);
    assertEquals(5, current.get(), "times that the device was current");
    assertBytes(filled(64, 4), cts.read(buffer), "filled behind careless work");
    assertNull(cts.device().lostCause(), "the device is lost");
  }

  @Test
  @Rule({"M5", "D2"})
  void unwrappingAnUnknownTypeIsRejected(Cts cts) {
    assertHal(Status.INVALID_ARGUMENT, () -> cts.device().unwrap(Thread.class), "java.lang.Thread");
  }
}
