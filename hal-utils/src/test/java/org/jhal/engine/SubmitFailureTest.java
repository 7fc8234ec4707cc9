// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jhal.BufferParams;
import org.jhal.DeviceBuffer;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.HalException;
import org.jhal.HostMemory;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.driver.Command;
import org.jhal.driver.UncoveredWorkException;
import org.jhal.engine.queue.FakeStream;
import org.jhal.engine.queue.FakeStream.Event;
import org.jhal.engine.queue.Quiet;
import org.jhal.engine.queue.Threads;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The three kinds of failures of {@code NativeStream.submit}: what ends, when, and what goes on.
 */
@Timeout(60)
class SubmitFailureTest {
  private static final Duration LONG = Duration.ofSeconds(30);
  private static final int COUNT = 3; // of operations

  private final FakeBackend backend = new FakeBackend();
  private final Quiet log = new Quiet();
  private final HostMemory[] sources = new HostMemory[COUNT];
  private EngineDevice<Event> device;
  private TimelineSemaphore timeline;
  private DeviceBuffer buffer;

  @BeforeEach
  void open() {
    backend.commands = Set.of(Command.Kind.UPLOAD, Command.Kind.FILL, Command.Kind.BARRIER);
    backend.device.setHeld(true);
    device = backend.open(2, LONG);
    timeline = device.createSemaphore(0);
    buffer = device.allocate(16, BufferParams.DEVICE);
  }

  @AfterEach
  void close() {
    release();
    buffer.close();
    timeline.close();
    device.close();
    log.close();
    assertEquals(List.of(), backend.device.violations());
    assertEquals(0, backend.liveMemory.get());
    assertEquals(0, backend.device.liveEvents());
  }

  private void release() {
    backend.device.setHeld(false);
    for (FakeStream stream : backend.streams) {
      stream.advanceAll();
    }
  }

  /** Each operation signals a timeline of its own; if they are {@code chained}, on two queues. */
  private TimelineSemaphore[] upload(boolean areChained) {
    TimelineSemaphore[] done = new TimelineSemaphore[COUNT];
    for (int i = 0; i < COUNT; i++) {
      done[i] = device.createSemaphore(0);
      sources[i] = HostMemory.of(ByteBuffer.allocateDirect(16));
      Fence waits = areChained && i > 0 ? done[i - 1].at(1) : Fence.NONE;
      device.queue(areChained ? i % 2 : 0).upload(waits, done[i].at(1), sources[i], buffer, 0);
    }
    return done;
  }

  private static Status failure(TimelineSemaphore done) {
    return assertThrows(HalException.class, () -> done.await(1, LONG)).status();
  }

  private static HalException fault(Status status) {
    return new HalException(status, "on purpose");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void anOperationOfWhichNothingReachedTheStreamFailsAtOnce(int nth) throws Exception {
    backend.device.failNth("submit", nth, fault(Status.RESOURCE_EXHAUSTED));
    TimelineSemaphore[] done = upload(false);
    assertEquals(Status.RESOURCE_EXHAUSTED, failure(done[nth - 1]), "while the stream is held");
    assertFalse(sources[nth - 1].isBorrowed());
    release();
    for (int i = 0; i < COUNT; i++) {
      if (i != nth - 1) {
        done[i].await(1, LONG);
      }
      done[i].close();
    }
    assertNull(device.lostCause());
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void anOperationThatItsEventCoversFailsWhenThatFires(int nth) throws Exception {
    backend.device.failNth("returned", nth, fault(Status.ABORTED));
    TimelineSemaphore[] done = upload(false);
    assertNull(done[nth - 1].failure(), "its work may be in the stream, which is held");
    assertTrue(sources[nth - 1].isBorrowed());
    release();
    assertEquals(Status.ABORTED, failure(done[nth - 1]));
    Threads.await("the borrow to end", () -> !sources[nth - 1].isBorrowed());
    for (int i = 0; i < COUNT; i++) {
      if (i != nth - 1) {
        done[i].await(1, LONG);
      }
      done[i].close();
    }
    assertNull(device.lostCause());
  }

  /**
   * The device is lost while a thread is in a native call, which then reports a loss of its own:
   * that is no reason for anything.
   */
  @Test
  void aCallThatReportsALossLaterReportsTheFirstOne() {
    HalException first = fault(Status.UNAVAILABLE);
    backend.device.atCall =
        call -> {
          if (call.equals("submit")) {
            backend.device.atCall = other -> {};
            device.lose(first);
            throw new HalException(Status.UNAVAILABLE, "later");
          }
        };
    List<TimelineSemaphore> ends = new ArrayList<>();
    for (int i = 0; i < COUNT; i++) {
      TimelineSemaphore done = device.createSemaphore(0);
      ends.add(done);
      device.queue(0).fill(timeline.at(1), done.at(1), buffer, 0, 16, FillPattern.ZERO);
    }
    timeline.signal(1);
    release();
    for (TimelineSemaphore done : ends) {
      HalException failure = assertThrows(HalException.class, () -> done.await(1, LONG));
      assertEquals(first.getMessage(), failure.getMessage());
      done.close();
    }
    assertSame(first, device.lostCause());
    assertSame(first, device.lose(new HalException(Status.UNAVAILABLE, "even later")));
  }

  /** What of two failures reaches the consumers: that of the first producer. */
  @ParameterizedTest
  @ValueSource(strings = {"submit", "returned"})
  void consumersFailWithTheirProducer(String kind) {
    backend.device.failNth(kind, 1, fault(Status.ABORTED));
    TimelineSemaphore[] done = upload(true);
    release();
    for (TimelineSemaphore semaphore : done) {
      assertEquals(Status.ABORTED, failure(semaphore));
      semaphore.close();
    }
    assertNull(device.lostCause());
  }

  enum Unknown {
    UNCOVERED(new UncoveredWorkException("recordEvent", fault(Status.INTERNAL))),
    BUG(new IllegalStateException("on purpose"));

    final RuntimeException thrown;

    Unknown(RuntimeException thrown) {
      this.thrown = thrown;
    }
  }

  @ParameterizedTest
  @EnumSource(Unknown.class)
  void anOperationThatNoEventCoversLosesTheDeviceAndKeepsItsMemory(Unknown unknown) {
    backend.device.failNth("submitted", COUNT, unknown.thrown);
    TimelineSemaphore[] done = upload(false);
    buffer.close();
    for (TimelineSemaphore semaphore : done) {
      assertEquals(Status.UNAVAILABLE, failure(semaphore));
      semaphore.close();
    }
    assertNotNull(device.lostCause());
    assertEquals(1, backend.liveMemory.get(), "the stream, which is held, may use the buffer");
    release();
    device.close();
    assertEquals(0, backend.liveMemory.get());
  }

  /** The runtime says that nothing runs any more, so there is nothing to wait for. */
  @ParameterizedTest
  @ValueSource(strings = {"submit", "submitted"})
  void aLossThatTheRuntimeReportsEndsTheOperation(String call) {
    HalException gone = fault(Status.UNAVAILABLE);
    backend.device.failNth(
        call, 1, call.equals("submit") ? gone : new UncoveredWorkException("recordEvent", gone));
    TimelineSemaphore done = device.createSemaphore(0);
    HostMemory source = HostMemory.of(ByteBuffer.allocateDirect(16));
    device.queue(0).upload(Fence.NONE, done.at(1), source, buffer, 0);
    assertEquals(Status.UNAVAILABLE, failure(done));
    Threads.await("the borrow to end", () -> !source.isBorrowed());
    assertNotNull(device.lostCause());
    done.close();
  }
}
