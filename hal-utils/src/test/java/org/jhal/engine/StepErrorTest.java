// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jhal.BufferParams;
import org.jhal.DeviceBuffer;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.engine.queue.Quiet;
import org.jhal.engine.queue.Threads;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What a step of a {@code StepwiseStream} throws that hands work to the stream: an exception, or a
 * lack of memory, fails the operation alone; any other error may have left the driver's state half
 * changed, and loses the device.
 */
@Timeout(60)
class StepErrorTest {
  private static final Duration LONG = Duration.ofSeconds(30);

  private final InstantBackend backend = new InstantBackend();
  private final List<String> calls = new ArrayList<>(); // since the error; guarded by itself
  private final Quiet log = new Quiet();

  @AfterEach
  void stopListening() {
    log.close();
  }

  private static List<Arguments> steps(Object[]... outcomes) {
    List<Arguments> all = new ArrayList<>();
    for (Object[] outcome : outcomes) {
      for (String step : List.of("issue", "allocAsync", "freeAsync")) {
        List<Object> both = new ArrayList<>(List.of(step));
        both.addAll(List.of(outcome));
        all.add(Arguments.of(both.toArray()));
      }
    }
    return all;
  }

  static List<Arguments> failures() {
    return steps(
        new Object[] {new OutOfMemoryError("on purpose"), Status.RESOURCE_EXHAUSTED},
        new Object[] {new UnsatisfiedLinkError("on purpose"), Status.INTERNAL},
        new Object[] {new IllegalStateException("on purpose"), Status.INTERNAL});
  }

  static List<Arguments> errors() {
    return steps(
        new Object[] {new StackOverflowError("on purpose")},
        new Object[] {new AssertionError("on purpose")},
        new Object[] {new InternalError("on purpose")});
  }

  private void throwAt(String step, Throwable thrown) {
    boolean[] hasThrown = new boolean[1];
    backend.atCall =
        call -> {
          synchronized (calls) {
            if (!hasThrown[0] && call.equals(step)) {
              hasThrown[0] = true;
              if (thrown instanceof Error e) {
                throw e;
              }
              throw (RuntimeException) thrown;
            }
            if (hasThrown[0]) {
              calls.add(call);
            }
          }
        };
  }

  /** Enqueues an operation whose step throws, for the issue thread, which the test cannot be. */
  private static void enqueue(
      EngineDevice<Object> device, String step, TimelineSemaphore done, DeviceBuffer buffer) {
    TimelineSemaphore start = device.createSemaphore();
    Fence waits = start.at(1);
    switch (step) {
      case "issue" -> device.queue(0).fill(waits, done.at(1), buffer, 0, 16, FillPattern.ZERO);
      case "allocAsync" ->
          device.queue(0).alloca(waits, done.at(1), 16, BufferParams.DEVICE).close();
      default -> device.queue(0).dealloca(waits, done.at(1), buffer);
    }
    Threads.start(
            "signal",
            () -> {
              try {
                start.signal(1);
              } catch (Error e) {
                return; // the thread that issues meets it
              }
            })
        .join();
    start.close();
  }

  /** Memory that the stream can free. */
  private static DeviceBuffer transientBuffer(EngineDevice<Object> device) throws Exception {
    try (TimelineSemaphore allocated = device.createSemaphore()) {
      DeviceBuffer buffer =
          device.queue(0).alloca(Fence.NONE, allocated.at(1), 16, BufferParams.DEVICE);
      allocated.await(1, LONG);
      return buffer;
    }
  }

  @ParameterizedTest
  @MethodSource("failures")
  void aFailureFailsTheOperationAlone(String step, Throwable thrown, Status status)
      throws Exception {
    EngineDevice<Object> device = backend.open(1);
    DeviceBuffer buffer = transientBuffer(device);
    TimelineSemaphore done = device.createSemaphore();
    throwAt(step, thrown);
    enqueue(device, step, done, buffer);
    HalException failure = assertThrows(HalException.class, () -> done.await(1, LONG));
    assertEquals(status, failure.status(), failure.getMessage());
    assertSame(thrown, failure.getCause());
    assertNull(device.lostCause());
    synchronized (calls) {
      assertTrue(calls.contains("recordEvent"), () -> "an event covers what was handed over");
    }
    TimelineSemaphore next = device.createSemaphore();
    device.queue(0).barrier(Fence.NONE, next.at(1));
    next.await(1, LONG);
    buffer.close();
    device.close();
    done.close();
    next.close();
    assertTrue(backend.misuses.isEmpty(), () -> "" + backend.misuses);
  }

  @ParameterizedTest
  @MethodSource("errors")
  void anyOtherErrorLosesTheDevice(String step, Error thrown) throws Exception {
    EngineDevice<Object> device = backend.open(1);
    DeviceBuffer buffer = transientBuffer(device);
    TimelineSemaphore done = device.createSemaphore();
    throwAt(step, thrown);
    enqueue(device, step, done, buffer);
    HalException failure = assertThrows(HalException.class, () -> done.await(1, LONG));
    assertEquals(Status.UNAVAILABLE, failure.status(), failure.getMessage());
    HalException lost = Objects.requireNonNull(device.lostCause());
    assertNotNull(lost.getMessage());
    assertTrue(lost.getMessage().contains("on purpose"), lost.getMessage());
    synchronized (calls) {
      assertFalse(calls.contains("recordEvent"), "nothing more is handed to the stream");
    }
    buffer.close();
    device.close();
    done.close();
  }
}
