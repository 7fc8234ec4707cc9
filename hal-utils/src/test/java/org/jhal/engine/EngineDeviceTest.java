// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jhal.BufferParams;
import org.jhal.DeviceBuffer;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.HalException;
import org.jhal.HostCall;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.engine.queue.FakeStream.Event;
import org.jhal.engine.queue.Quiet;
import org.jhal.engine.queue.Threads;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Opening and closing a device with its threads, over a backend that fails on purpose. */
@Timeout(60)
class EngineDeviceTest {
  private static final Duration LONG = Duration.ofMinutes(5);
  private static final HalException FAULT = new HalException(Status.INTERNAL, "fault");

  private final FakeBackend backend = new FakeBackend();
  private final Quiet log = new Quiet();
  private final List<DeviceBuffer> kept =
      new ArrayList<>(); // an unreachable one would be reclaimed

  @AfterEach
  void stopListening() {
    backend.device.setHeld(false);
    log.close();
    assertEquals(List.of(), backend.device.violations());
  }

  private static Status failure(TimelineSemaphore semaphore) throws InterruptedException {
    return assertThrows(HalException.class, () -> semaphore.await(1, Duration.ofSeconds(30)))
        .status();
  }

  private void assertFreed() {
    assertTrue(backend.isClosed, "the backend is closed");
    assertEquals(0, backend.device.liveEvents());
    assertEquals(0, backend.liveMemory.get());
    backend.streams.forEach(stream -> assertTrue(stream.isClosed()));
    Threads.await("the device's threads to end", () -> threads() == 0);
  }

  private static long threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("fake-0-"))
        .count();
  }

  @Test
  void closeFreesAllRemainingResources() throws Exception {
    EngineDevice<Event> device = backend.open(2, LONG);
    kept.add(device.allocate(16, BufferParams.DEVICE));
    TimelineSemaphore done = device.createSemaphore(0);
    for (int i = 1; i <= 100; i++) {
      device.queue(i % 2).barrier(Fence.NONE, done.at(i));
    }
    done.await(100, Duration.ofSeconds(30));
    device.close();
    device.close();
    assertFreed();
    assertEquals(List.of(), log.lines());
  }

  @Test
  void aBufferOfAnotherOpeningOfTheDeviceIsRefusedWithThatReason() {
    FakeBackend second = new FakeBackend();
    try (EngineDevice<Event> device = backend.open(1, LONG);
        EngineDevice<Event> reopened = second.open(1, LONG);
        DeviceBuffer foreign = reopened.allocate(16, BufferParams.DEVICE);
        TimelineSemaphore done = device.createSemaphore(0)) {
      HalException refused =
          assertThrows(
              HalException.class,
              () ->
                  device.queue(0).fill(Fence.NONE, done.at(1), foreign, 0, 16, FillPattern.of8(1)));
      assertEquals(
          "target: buffer of 16 bytes of fake-0 belongs to another device, not fake-0; it was opened"
              + " more than once, and each opening is a separate device",
          refused.getMessage());
    }
  }

  @Test
  void refusesMemoryOfAMissingType() {
    backend.hasSharedMemory = false;
    try (EngineDevice<Event> device = backend.open(1, LONG);
        TimelineSemaphore done = device.createSemaphore(0)) {
      for (org.junit.jupiter.api.function.Executable call :
          List.<org.junit.jupiter.api.function.Executable>of(
              () -> device.allocate(16, BufferParams.SHARED),
              () -> device.queue(0).alloca(Fence.NONE, done.at(1), 16, BufferParams.SHARED))) {
        HalException refused = assertThrows(HalException.class, call);
        assertEquals(Status.UNIMPLEMENTED, refused.status());
        assertEquals("fake-0 has no memory of type SHARED", refused.getMessage());
      }
      assertEquals(0, device.statistics().enqueued());
      assertEquals(0, backend.liveMemory.get());
    }
  }

  @Test
  void mappingDeviceMemoryIsRefusedWithTheMappableTypes() {
    try (EngineDevice<Event> device = backend.open(1, LONG);
        DeviceBuffer buffer = device.allocate(16, BufferParams.DEVICE)) {
      HalException refused =
          assertThrows(HalException.class, () -> buffer.map(DeviceBuffer.MapMode.READ));
      assertEquals(Status.PERMISSION_DENIED, refused.status());
      assertTrue(
          refused
              .getMessage()
              .endsWith("; the host can map SHARED and HOST memory, not DEVICE memory"),
          refused::getMessage);
    }
  }

  @Test
  void aFailedOpenFreesEverything() {
    backend.failsAtStream = FAULT;
    assertSame(FAULT, assertThrows(HalException.class, () -> backend.open(2, LONG)));
    assertFreed();
  }

  @Test
  void aStreamThatFailsToCloseKeepsNothingElseOpen() {
    EngineDevice<Event> device = backend.open(3, LONG);
    backend.device.failNth("close", 2, FAULT);
    device.close();
    assertTrue(backend.isClosed);
    assertTrue(backend.streams.get(0).isClosed());
    assertFalse(backend.streams.get(1).isClosed());
    assertTrue(backend.streams.get(2).isClosed());
    Threads.await("the device's threads to end", () -> threads() == 0);
    assertEquals(1, log.count("cannot close the stream of fake-0-q1"));
  }

  /** Its last reference is dropped after frees are refused and before closing frees it. */
  @Test
  void aBufferThatIsClosedWhileItsDeviceClosesIsFreed() {
    EngineDevice<Event> device = backend.open(1, LONG);
    DeviceBuffer buffer = device.allocate(16, BufferParams.DEVICE);
    backend.streams.get(0).whileClosing = buffer::close;
    device.close();
    assertFreed();
    assertEquals(0, device.statistics().buffers());
    assertEquals(List.of(), log.lines());
  }

  /** Rule M7, with a native runtime that keeps using the memory for a while. */
  @Test
  void theReleaseCallbackWaitsForTheNativeRuntime() {
    EngineDevice<Event> device = backend.open(1, LONG);
    AtomicInteger releases = new AtomicInteger();
    ByteBuffer memory = ByteBuffer.allocateDirect(16);
    DeviceBuffer first =
        device.allocator().importHost(memory, BufferParams.HOST, releases::incrementAndGet);
    DeviceBuffer second =
        device.allocator().importHost(memory, BufferParams.HOST, releases::incrementAndGet);
    first.close();
    assertEquals(0, releases.get(), "the native runtime still uses the memory");
    assertEquals(1, device.statistics().buffers());
    assertEquals(16, device.statistics().bytes());
    backend.givingBack.remove().run();
    assertEquals(1, releases.get());

    device.close();
    backend.givingBack.remove().run();
    assertEquals(1, releases.get(), "its owner has not closed the buffer");
    second.close();
    assertEquals(2, releases.get());
    assertEquals(0, device.statistics().buffers());
    assertFreed();
  }

  /**
   * The runtime releases the memory after the free but before the freeing thread continues, so both
   * see the end. Rule M7.
   */
  @Test
  void theReleaseCallbackRunsOnceIfTheRuntimeReleasesDuringTheFree() {
    EngineDevice<Event> device = backend.open(1, LONG);
    AtomicInteger releases = new AtomicInteger();
    backend.atUnbind =
        () -> {
          Runnable end = backend.givingBack.poll();
          if (end != null) {
            end.run();
          }
        };
    device
        .allocator()
        .importHost(ByteBuffer.allocateDirect(16), BufferParams.HOST, releases::incrementAndGet)
        .close();
    assertEquals(0, backend.givingBack.size(), "unreleased memory");
    assertEquals(1, releases.get());
    device.close();
    assertEquals(1, releases.get(), "after the device was closed");
    assertFreed();
  }

  @Test
  void aThreadThatCannotBindLosesTheDevice() throws Exception {
    backend.device.failNth("bindToThread", 1, FAULT); // only completion threads run yet
    EngineDevice<Event> device = backend.open(1, LONG);
    Threads.await("the device to be lost", () -> device.lostCause() != null);
    HalException cause = Objects.requireNonNull(device.lostCause());
    assertEquals(Status.UNAVAILABLE, cause.status());
    assertTrue(cause.getMessage().contains("bindToThread failed: INTERNAL: fault"));
    device.close();
    assertFreed();
  }

  @Test
  void releasesSucceedOnADeviceThatCannotBeBound() {
    EngineDevice<Event> device = backend.open(1, LONG);
    DeviceBuffer buffer = device.allocate(16, BufferParams.DEVICE);
    backend.device.failNth("bindDevice", 1, FAULT);
    buffer.close();
    assertEquals(0, backend.liveMemory.get());
    assertEquals(0, device.statistics().bytes());
    HalException cause = Objects.requireNonNull(device.lostCause());
    assertEquals(Status.UNAVAILABLE, cause.status());
    backend.device.failNth("bindDevice", 1, FAULT);
    device.close();
    assertFreed();
  }

  @Test
  void aCallSucceedsAlthoughItsThreadCannotBeUnbound() {
    EngineDevice<Event> device = backend.open(1, LONG);
    backend.device.failNth("unbindDevice", 1, FAULT);
    DeviceBuffer buffer = device.allocate(16, BufferParams.DEVICE);
    HalException cause = Objects.requireNonNull(device.lostCause());
    assertTrue(cause.getMessage().endsWith("unbindFromThread failed: INTERNAL: fault"));
    assertThrows(HalException.class, () -> device.allocate(16, BufferParams.DEVICE));
    buffer.close();
    assertEquals(0, backend.liveMemory.get());
    device.close();
    assertFreed();
  }

  @Test
  void workPastTheCloseTimeoutFailsAndIsFreedAtItsEnd() throws Exception {
    EngineDevice<Event> device = backend.open(2, Duration.ofMillis(20));
    kept.add(device.allocate(16, BufferParams.DEVICE));
    backend.device.setHeld(true);
    TimelineSemaphore issued = device.createSemaphore(0);
    TimelineSemaphore parked = device.createSemaphore(0);
    TimelineSemaphore never = device.createSemaphore(0);
    device.queue(0).barrier(Fence.NONE, issued.at(1));
    device.queue(1).barrier(never.at(1), parked.at(1));
    device.close();
    assertEquals(Status.DEADLINE_EXCEEDED, failure(issued));
    assertEquals(Status.CANCELLED, failure(parked));
    assertFalse(backend.isClosed, "resources that may be in use are leaked");
    assertEquals(1, backend.liveMemory.get());
    assertEquals(1, log.count("closing fake-0: 1 operation did not end within 0.02 s"));
    device.close();
    backend.device.setHeld(false);
    Threads.await("NAME-close to close the backend", () -> backend.isClosed);
    assertFreed();
    assertEquals(0, device.statistics().openOperations());
  }

  /** An abandoned host call still uses the device. */
  @Test
  void aRunningHostCallKeepsTheDevicePastTheCloseTimeout() throws Exception {
    EngineDevice<Event> device = backend.open(1, Duration.ofMillis(20));
    kept.add(device.allocate(16, BufferParams.DEVICE));
    TimelineSemaphore called = device.createSemaphore(0);
    CountDownLatch runs = new CountDownLatch(1);
    CountDownLatch end = new CountDownLatch(1);
    device
        .queue(0)
        .hostCall(
            Fence.NONE,
            called.at(1),
            HostCall.Mode.BLOCKING,
            context -> {
              runs.countDown();
              end.await();
            });
    assertTrue(runs.await(30, TimeUnit.SECONDS), "the host call begins");
    device.close();
    assertEquals(Status.DEADLINE_EXCEEDED, failure(called));
    assertFalse(backend.isClosed, "a host call runs");
    end.countDown();
    Threads.await("NAME-close to close the backend", () -> backend.isClosed);
    assertFreed();
    assertEquals(0, device.statistics().openOperations());
  }

  /** Issues work whose event cannot be recorded, which loses the device. */
  private EngineDevice<Event> withUnrecordedWork(Duration closeTimeout) throws Exception {
    EngineDevice<Event> device = backend.open(1, closeTimeout);
    kept.add(device.allocate(16, BufferParams.DEVICE));
    backend.streams.get(0).add(() -> {});
    backend.device.failNth("recordEvent", 1, FAULT);
    TimelineSemaphore done = device.createSemaphore(0);
    device.queue(0).barrier(Fence.NONE, done.at(1));
    assertEquals(Status.UNAVAILABLE, failure(done));
    return device;
  }

  @Test
  void closeWaitsForWorkWithoutAnEvent() throws Exception {
    EngineDevice<Event> device = withUnrecordedWork(LONG);
    backend.device.failNth("isIdle", 1, FAULT); // the close must ask again
    Threads closing = Threads.start("closing", device::close);
    Threads.await("closing to call isIdle twice", () -> backend.device.calls("isIdle") > 1);
    assertFalse(backend.isClosed);
    assertEquals(1, backend.liveMemory.get());
    assertTrue(backend.streams.get(0).advance());
    closing.join();
    assertFreed();
    assertEquals(0, log.count("closing fake-0"));
  }

  @Test
  void workWithoutAnEventKeepsTheDevicePastTheCloseTimeout() throws Exception {
    EngineDevice<Event> device = withUnrecordedWork(Duration.ofMillis(20));
    device.close();
    assertFalse(backend.isClosed, "resources that may be in use are leaked");
    assertEquals(1, backend.liveMemory.get());
    assertEquals(1, log.count("closing fake-0: its native resources are leaked"));
    assertTrue(backend.streams.get(0).advance());
    Threads.await("NAME-close to close the backend", () -> backend.isClosed);
    assertFreed();
  }

  @Test
  void closeWithAZeroTimeoutCancelsConcurrentWork() {
    for (int round = 0; round < 200; round++) {
      EngineDevice<Event> device = new FakeBackend().open(1, Duration.ZERO);
      TimelineSemaphore never = device.createSemaphore(0);
      TimelineSemaphore done = device.createSemaphore(0);
      int[] accepted = new int[1];
      Threads.together(
          () -> {
            try {
              while (true) {
                device.queue(0).barrier(never.at(1), done.at(accepted[0] + 1));
                if (++accepted[0] >= 10_000) { // else it may take up all memory of a slow machine
                  Threads.await("the device to be closing", device::isClosed);
                }
              }
            } catch (HalException closed) {
              assertEquals(Status.FAILED_PRECONDITION, closed.status());
            }
          },
          device::close);
      if (accepted[0] > 0) {
        assertThrows(HalException.class, () -> done.await(1, Duration.ofSeconds(30)));
        assertEquals(
            Status.CANCELLED, Objects.requireNonNull(done.failure(), "never settled").status());
      }
    }
  }

  @Test
  void aDeviceIsNotClosedFromItsOwnThreadsOrFromCallbacks() throws Exception {
    EngineDevice<Event> device = backend.open(1, LONG);
    TimelineSemaphore done = device.createSemaphore(0);
    device
        .queue(0)
        .hostCall(Fence.NONE, done.at(1), HostCall.Mode.BLOCKING, context -> device.close());
    assertEquals(Status.FAILED_PRECONDITION, failure(done));

    TimelineSemaphore reached = device.createSemaphore(1);
    Status[] inCallback = new Status[1];
    reached.onReach(
        1,
        failed -> {
          try {
            device.close();
          } catch (HalException e) {
            inCallback[0] = e.status();
          }
        });
    assertEquals(Status.FAILED_PRECONDITION, inCallback[0]);
    assertFalse(device.isClosed());
    device.close();
    assertFreed();
  }

  @Test
  void concurrentClosesReturnOnceTheDeviceIsClosed() {
    EngineDevice<Event> device = backend.open(2, LONG);
    Threads.Body close =
        () -> {
          device.close();
          assertTrue(backend.isClosed);
        };
    Threads.together(close, close, close);
    assertFreed();
  }

  /** Rule Q8: the shutdown hook gives the program the time that it has asked for. */
  @Test
  void atExitTheProgramMayCloseTheDeviceItself() throws Exception {
    EngineDevice<Event> device = backend.open(1, LONG);
    device.setExitPatience(Duration.ofDays(1));
    Thread hook = new Thread(device.shutdown::closeAtExit, "exit");
    hook.start();
    Threads.await("the hook to wait", () -> LockSupport.getBlocker(hook) == device.shutdown);
    assertFalse(device.isClosed());
    device.close();
    hook.join(30_000);
    assertFalse(hook.isAlive(), "the hook waits although the device is closed");
    assertFreed();
  }

  @Test
  void atExitADeviceIsClosedThatTheProgramLeavesOpen() {
    EngineDevice<Event> device = backend.open(1, LONG);
    for (Duration wrong : List.of(Duration.ofNanos(-1), Duration.ofDays(1).plusNanos(1))) {
      HalException refused = assertThrows(HalException.class, () -> device.setExitPatience(wrong));
      assertSame(Status.OUT_OF_RANGE, refused.status());
    }
    device.setExitPatience(Duration.ofMillis(10));
    device.shutdown.closeAtExit();
    assertTrue(device.isClosed());
    Threads.await("NAME-close to close the backend", () -> backend.isClosed); // it has 2 s at exit
    assertFreed();
  }
}
