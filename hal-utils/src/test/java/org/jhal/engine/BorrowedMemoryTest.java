// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jhal.BufferParams;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.HostMemory;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.engine.queue.FakeStream;
import org.jhal.engine.queue.FakeStream.Event;
import org.jhal.engine.queue.Quiet;
import org.jhal.engine.queue.Threads;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rule Q2: host memory stays borrowed until nothing accesses it, whatever fails. */
@Timeout(60)
class BorrowedMemoryTest {
  private static final Duration LONG = Duration.ofSeconds(30);
  private static final HalException FAILURE = new HalException(Status.ABORTED, "another one's");

  private final FakeBackend backend = new FakeBackend();
  private final HostMemory memory = HostMemory.of(new byte[64]);
  private final AtomicInteger freed = new AtomicInteger();

  private interface Body {
    void run(EngineDevice<Event> device, TimelineSemaphore timeline) throws Exception;
  }

  /** Runs {@code body} while a readback into {@link #memory} is in flight. */
  private void inFlight(Body body) throws Exception {
    backend.device.setHeld(true);
    EngineDevice<Event> device = backend.open(2, Duration.ofMillis(50));
    TimelineSemaphore timeline = device.createSemaphore(0);
    DeviceBuffer buffer = device.allocate(64, BufferParams.DEVICE);
    device.queue(0).readback(Fence.NONE, timeline.at(1), buffer, 0, memory);
    assertTrue(memory.isBorrowed());
    memory.onFree(freed::incrementAndGet);
    try (Quiet log = new Quiet()) {
      body.run(device, timeline);
      assertTrue(memory.isBorrowed(), "the stream has not run the readback");
      assertEquals(0, freed.get());
      HalException late =
          assertThrows(HalException.class, () -> memory.awaitFree(Duration.ofMillis(1)));
      assertEquals(Status.DEADLINE_EXCEEDED, late.status());
      backend.device.setHeld(false);
      memory.awaitFree(LONG);
      Threads.await("the callback on the memory to run", () -> freed.get() == 1);
      assertFalse(memory.isBorrowed());
      device.close();
    }
  }

  @Test
  void successEndsTheBorrowBeforeTheSignalIsVisible() throws Exception {
    try (EngineDevice<Event> device = backend.open(1, LONG);
        TimelineSemaphore timeline = device.createSemaphore(0);
        DeviceBuffer buffer = device.allocate(64, BufferParams.DEVICE)) {
      DeviceQueue queue = device.queue(0);
      for (int i = 1; i <= 1000; i++) {
        queue.upload(Fence.NONE, timeline.at(i), memory, buffer, 0);
        timeline.await(i, LONG);
        assertFalse(memory.isBorrowed(), "although signal " + i + " is reached");
      }
    }
  }

  @Test
  void theBorrowOutlivesAFailureOfTheTimelineByAnotherOperation() throws Exception {
    inFlight(
        (device, timeline) -> {
          TimelineSemaphore failed = device.createSemaphore(0);
          failed.fail(FAILURE);
          device.queue(1).barrier(failed.at(1), timeline.at(2));
          assertThrows(HalException.class, () -> timeline.await(1, LONG));
        });
  }

  @Test
  void theBorrowOutlivesAFailureOfTheTimelineByTheUser() throws Exception {
    inFlight((device, timeline) -> timeline.fail(FAILURE));
  }

  @Test
  void theBorrowOutlivesTheCloseOfTheTimeline() throws Exception {
    inFlight((device, timeline) -> timeline.close());
  }

  @Test
  void theBorrowOutlivesACloseOfTheDevicePastItsDeadline() throws Exception {
    inFlight(
        (device, timeline) -> {
          device.close();
          HalException late = assertThrows(HalException.class, () -> timeline.await(1, LONG));
          assertEquals(Status.DEADLINE_EXCEEDED, late.status());
        });
  }

  @Test
  void theBorrowOutlivesALossWhileTheStreamRuns() throws Exception {
    inFlight(
        (device, timeline) -> {
          device.lose(new HalException(Status.UNAVAILABLE, "gone"));
          assertThrows(HalException.class, () -> timeline.await(1, LONG));
        });
  }

  /** Only the idle stream shows then that it is past the work, and only a close checks it. */
  @ParameterizedTest
  @ValueSource(strings = {"queryEvent", "synchronizeEvent"})
  void theBorrowLastsUntilTheStreamIsIdleIfNoEventCanBeQueried(String call) throws Exception {
    try (Quiet log = new Quiet()) {
      EngineDevice<Event> device = backend.open(1, LONG);
      TimelineSemaphore timeline = device.createSemaphore(0);
      DeviceBuffer buffer = device.allocate(64, BufferParams.DEVICE);
      backend.device.failNth(call, 1, new HalException(Status.INTERNAL, "on purpose"));
      device.queue(0).readback(Fence.NONE, timeline.at(1), buffer, 0, memory);
      buffer.close(); // the readback has the last reference to its memory
      Threads.await("the device to be lost", () -> device.lostCause() != null);
      HalException failure = assertThrows(HalException.class, () -> timeline.await(1, LONG));
      assertEquals(Status.UNAVAILABLE, failure.status());
      Threads closing = Threads.start("closing", device::close);
      Threads.await(
          "the close to check the stream, when the device's threads have ended",
          () -> backend.device.calls("isIdle") > 0);
      assertTrue(memory.isBorrowed(), "the stream has not run the readback");
      assertEquals(1, backend.liveMemory.get(), "buffers that the stream may still read");
      FakeStream stream = backend.streams.get(0);
      stream.advanceAll();
      closing.join();
      assertFalse(memory.isBorrowed());
      assertEquals(0, backend.liveMemory.get());
      assertEquals(List.of(), backend.device.violations());
    }
  }

  @Test
  void anUnissuedOperationEndsTheBorrowWhenItFails() throws Exception {
    try (EngineDevice<Event> device = backend.open(1, LONG);
        TimelineSemaphore gate = device.createSemaphore(0);
        TimelineSemaphore timeline = device.createSemaphore(0);
        DeviceBuffer buffer = device.allocate(64, BufferParams.DEVICE)) {
      device.queue(0).readback(gate.at(1), timeline.at(1), buffer, 0, memory);
      assertTrue(memory.isBorrowed());
      gate.fail(FAILURE);
      assertThrows(HalException.class, () -> timeline.await(1, LONG));
      assertFalse(memory.isBorrowed());
    }
  }

  @Test
  void aRejectedCallBorrowsNothing() {
    try (EngineDevice<Event> device = backend.open(1, LONG);
        TimelineSemaphore timeline = device.createSemaphore(0);
        DeviceBuffer buffer = device.allocate(63, BufferParams.DEVICE);
        DeviceBuffer closed = device.allocate(64, BufferParams.DEVICE)) {
      DeviceQueue queue = device.queue(0);
      assertThrows(
          HalException.class, () -> queue.readback(Fence.NONE, timeline.at(1), buffer, 0, memory));
      closed.close();
      assertThrows(
          HalException.class, () -> queue.readback(Fence.NONE, timeline.at(1), closed, 0, memory));
      assertFalse(memory.isBorrowed());
    }
  }

  @Test
  void eachOperationBorrowsForItself() throws Exception {
    try (EngineDevice<Event> device = backend.open(1, LONG);
        TimelineSemaphore gate = device.createSemaphore(0);
        TimelineSemaphore timeline = device.createSemaphore(0);
        DeviceBuffer buffer = device.allocate(64, BufferParams.DEVICE)) {
      device.queue(0).upload(gate.at(1), timeline.at(1), memory, buffer, 0);
      device.queue(0).upload(gate.at(2), timeline.at(2), memory, buffer, 0);
      memory.onFree(freed::incrementAndGet);
      gate.signal(1);
      timeline.await(1, LONG);
      assertTrue(memory.isBorrowed());
      assertEquals(0, freed.get());
      gate.signal(2);
      timeline.await(2, LONG);
      assertFalse(memory.isBorrowed());
      Threads.await("the callback to run", () -> freed.get() == 1);
    }
  }
}
