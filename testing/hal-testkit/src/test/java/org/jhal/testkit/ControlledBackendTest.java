// SPDX-License-Identifier: Apache-2.0
package org.jhal.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.util.concurrent.Uninterruptibles;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jhal.BufferParams;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.DeviceBackend;
import org.jhal.driver.DeviceMemory;
import org.jhal.driver.HostCompletion;
import org.jhal.driver.NativeGroup;
import org.jhal.driver.NativeStream;
import org.jhal.driver.StreamBatch;
import org.jhal.driver.StreamSteps;
import org.jhal.driver.Submission;
import org.jhal.engine.FakeBackend;
import org.jhal.engine.queue.FakeStream.Event;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Injected failures of a driver's calls, and injected losses of its device. */
@Timeout(60)
class ControlledBackendTest {
  private static final HalException FAULT = new HalException(Status.INTERNAL, "on purpose");
  private final HalException lost = new HalException(Status.UNAVAILABLE, "lost on purpose");

  private final FakeBackend real = new FakeBackend();
  private final ControlledBackend<Event> backend = new ControlledBackend<>(real);
  private final NativeStream<Event> stream = backend.createStream(0);

  private void assertLost(Runnable call) {
    HalException thrown = assertThrows(HalException.class, call::run);
    assertEquals(Status.UNAVAILABLE, thrown.status());
    assertEquals("lost on purpose", thrown.getMessage());
  }

  /** A default method that is not forwarded would hide the driver's answer. */
  @Test
  void everyCallIsForwarded() {
    assertEquals(List.of(), notForwarded(DeviceBackend.class, ControlledBackend.class));
    assertEquals(List.of(), notForwarded(NativeStream.class, ControlledStream.class));
    assertEquals(List.of(), notForwarded(StreamBatch.class, ControlledBatch.class));
    assertEquals(List.of(), notForwarded(Submission.class, ControlledSubmission.class));
    assertEquals(List.of(), notForwarded(NativeGroup.class, ControlledGroup.class));
    assertEquals(
        List.of(), notForwarded(HostCompletion.class, ControlledSubmission.Completion.class));
  }

  private static List<String> notForwarded(Class<?> face, Class<?> wrapper) {
    List<String> own = calls(wrapper.getDeclaredMethods());
    return calls(face.getMethods()).stream().filter(call -> !own.contains(call)).toList();
  }

  private static List<String> calls(Method[] methods) {
    return Arrays.stream(methods)
        .map(method -> method.getName() + Arrays.toString(method.getParameterTypes()))
        .toList();
  }

  @Test
  void theNthUseFailsWithoutReachingTheDriver() {
    backend.faults().failNth("allocate", 2, FAULT);
    DeviceMemory first = backend.allocate(4, BufferParams.DEVICE);
    HalException thrown =
        assertThrows(HalException.class, () -> backend.allocate(4, BufferParams.DEVICE));
    assertEquals("on purpose", thrown.getMessage());
    assertEquals(1, real.liveMemory.get());
    DeviceMemory third = backend.allocate(4, BufferParams.DEVICE);
    first.free();
    third.free();
    assertEquals(0, real.liveMemory.get());
  }

  /** Each recording is asked about once, whether or not its outcome is replaced. */
  @Test
  void theNthOutcomeFailsAndTheDriverIsStillAsked() {
    FakeBackend asked = new FakeBackend();
    asked.device.reportOnlyIfAsked();
    ControlledBackend<Event> controlled = new ControlledBackend<>(asked);
    assertTrue(controlled.outcomesCanFail());
    NativeStream<Event> failing = controlled.createStream(0);
    Event event = failing.createEvent();
    controlled.faults().failNth("outcome", 2, FAULT);
    for (int nth = 1; nth <= 3; nth++) {
      new StreamSteps<>(failing).recordEvent(event);
      failing.synchronizeEvent(event);
      HalException outcome = failing.outcome(event);
      assertEquals(nth == 2 ? "on purpose" : null, outcome == null ? null : outcome.getMessage());
      assertEquals(nth, asked.device.calls("outcome"));
    }
    controlled.faults().failNth("outcome", 1, lost);
    new StreamSteps<>(failing).recordEvent(event);
    failing.synchronizeEvent(event);
    assertEquals(Status.UNAVAILABLE, Objects.requireNonNull(failing.outcome(event)).status());
    assertLost(() -> new StreamSteps<>(failing).recordEvent(event));
    assertEquals(List.of(), asked.device.violations());
    assertFalse(backend.faults().calls().contains("outcome"), "this driver is never asked");
  }

  @Test
  void aStickyFailureLosesTheDeviceButReleasesStillWork() {
    AtomicInteger drained = new AtomicInteger();
    backend.setDrain(drained::incrementAndGet);
    Event event = stream.createEvent();
    backend.faults().failNth("recordEvent", 1, lost);
    assertLost(() -> new StreamSteps<>(stream).recordEvent(event));
    assertLost(() -> backend.allocate(4, BufferParams.DEVICE));
    assertLost(stream::createEvent);
    assertLost(() -> stream.synchronizeEvent(event));
    backend.lose(new HalException(Status.UNAVAILABLE, "later"));
    assertEquals(1, drained.get());
    stream.destroyEvent(event);
    stream.close();
    assertEquals(0, real.device.liveEvents());
    assertEquals(List.of(), real.device.violations());
  }

  /** A native call may block until the drain makes room in its stream. */
  @Test
  void aCallThatBlocksInAHeldStreamEndsWithTheDevice() throws InterruptedException {
    CountDownLatch isBlocked = new CountDownLatch(1);
    CountDownLatch isReleased = new CountDownLatch(1);
    backend.setDrain(isReleased::countDown);
    Thread caller =
        new Thread(
            () ->
                backend.run(
                    "issue",
                    () -> {
                      isBlocked.countDown();
                      Uninterruptibles.awaitUninterruptibly(isReleased);
                    }),
            "caller");
    caller.start();
    isBlocked.await();
    Thread loser = new Thread(() -> backend.lose(lost), "loser");
    loser.start();
    for (Thread thread : List.of(loser, caller)) {
      thread.join(10_000);
      assertFalse(thread.isAlive(), thread + " waits for the blocked call, which waits for it");
    }
    assertLost(() -> backend.allocate(4, BufferParams.DEVICE));
  }

  /** The real device may be dead, too; nothing may wait for its work then. */
  @Test
  void aFailingDrainBlocksNoCall() {
    backend.setDrain(
        () -> {
          throw FAULT;
        });
    backend.lose(lost);
    assertLost(() -> backend.allocate(4, BufferParams.DEVICE));
    assertEquals(List.of(FAULT), List.of(lost.getSuppressed()));
  }

  /** A caller that learns of the loss may free what the device's work uses. */
  @Test
  void theLossIsReportedAfterTheDrain() throws InterruptedException {
    CountDownLatch draining = new CountDownLatch(1);
    CountDownLatch mayEnd = new CountDownLatch(1);
    AtomicInteger ended = new AtomicInteger();
    backend.setDrain(
        () -> {
          draining.countDown();
          try {
            mayEnd.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
          ended.set(1);
        });
    Thread loser = new Thread(() -> backend.lose(lost), "loser");
    loser.start();
    draining.await();
    Thread teller = new Thread(mayEnd::countDown, "teller");
    teller.start();
    assertLost(() -> backend.allocate(4, BufferParams.DEVICE));
    assertTrue(ended.get() == 1, "the drain had ended");
    loser.join();
    teller.join();
  }
}
