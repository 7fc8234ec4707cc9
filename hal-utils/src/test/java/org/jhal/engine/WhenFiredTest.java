// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.jhal.BufferParams;
import org.jhal.DeviceBuffer;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.driver.Submission;
import org.jhal.engine.queue.FakeStream;
import org.jhal.engine.queue.FakeStream.Event;
import org.jhal.engine.queue.Quiet;
import org.jhal.engine.queue.Threads;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Release actions of a driver run once, after the native work, on a thread of the device. */
@Timeout(60)
class WhenFiredTest {
  private static final Duration LONG = Duration.ofSeconds(30);

  private final FakeBackend backend = new FakeBackend();
  private final Quiet log = new Quiet();

  /** The threads on which the actions of {@link #notice} have run. */
  private final List<String> ran = new CopyOnWriteArrayList<>();

  private volatile boolean mayRun; // whether the native work is complete
  private @Nullable EngineDevice<Event> device;

  @AfterEach
  void stopListening() {
    backend.device.setHeld(false);
    finishStream();
    if (device != null) {
      device.close();
    }
    log.close();
    assertEquals(List.of(), backend.device.violations());
  }

  /** A device with one queue, whose stream passes submissions to {@code onIssue}. */
  private EngineDevice<Event> open(Duration closeTimeout, Consumer<Submission> onIssue) {
    EngineDevice<Event> opened = backend.open(1, closeTimeout);
    device = opened;
    stream().setOnIssue((commands, submission) -> onIssue.accept(submission));
    return opened;
  }

  private void finishStream() {
    stream().advanceAll();
  }

  private FakeStream stream() {
    return backend.streams.get(0);
  }

  private void notice(Submission submission) {
    submission.whenFired(
        () -> {
          assertTrue(mayRun, "too early");
          assertTrue(FakeBackend.isBound(), "the device is not bound");
          ran.add(Thread.currentThread().getName());
        });
  }

  private static void fill(
      EngineDevice<Event> device, DeviceBuffer buffer, TimelineSemaphore done, long value) {
    device.queue(0).fill(Fence.NONE, done.at(value), buffer, 0, 16, FillPattern.ZERO);
  }

  private static Status failure(TimelineSemaphore done) {
    return assertThrows(HalException.class, () -> done.await(1, LONG)).status();
  }

  private void awaitRun(int count) {
    Threads.await("the release actions to run", () -> ran.size() >= count);
  }

  @Test
  void theActionRunsBehindTheEventWithoutDelayingTheSignals() throws Exception {
    CountDownLatch isReached = new CountDownLatch(1);
    mayRun = true;
    try (EngineDevice<Event> device =
            open(
                LONG,
                submission -> {
                  submission.whenFired(
                      () -> Threads.await("the signal", () -> isReached.getCount() == 0));
                  notice(submission);
                });
        DeviceBuffer buffer = device.allocate(16, BufferParams.DEVICE);
        TimelineSemaphore done = device.createSemaphore(0)) {
      fill(device, buffer, done, 1);
      done.await(1, LONG);
      isReached.countDown();
      awaitRun(1);
    }
    assertEquals(List.of("fake-0-q0-completion"), ran);
    assertEquals(List.of(), log.lines());
  }

  /** The work behind it may take any time, so another thread runs the action. */
  @Test
  void theActionRunsWhileTheCompletionThreadSleepsForLaterWork() throws Exception {
    CountDownLatch mayEnd = new CountDownLatch(1);
    mayRun = true;
    EngineDevice<Event> device =
        open(
            LONG,
            submission -> {
              if (mayEnd.getCount() > 0) {
                notice(submission);
                submission.afterwards(context -> mayEnd.await());
              }
            });
    try (DeviceBuffer buffer = device.allocate(16, BufferParams.DEVICE);
        TimelineSemaphore done = device.createSemaphore(0);
        TimelineSemaphore late = device.createSemaphore(0)) {
      fill(device, buffer, done, 1);
      Threads.await("the native work to end", () -> backend.device.calls("synchronizeEvent") == 1);
      backend.device.setHeld(true);
      device.queue(0).barrier(Fence.NONE, late.at(1));
      Threads.await(
          "the completion thread to sleep", () -> backend.device.calls("synchronizeEvent") == 2);
      mayEnd.countDown();
      awaitRun(1);
      assertEquals(0, late.value());
      assertEquals(List.of("fake-0-aside-0"), ran);
      backend.device.setHeld(false);
      late.await(1, LONG);
    }
    assertEquals(1, ran.size());
  }

  @Test
  void theActionWaitsForTheEventAfterAFailedIssue() throws Exception {
    backend.device.setHeld(true);
    try (EngineDevice<Event> device =
            open(
                LONG,
                submission -> {
                  notice(submission);
                  throw new HalException(Status.INTERNAL, "after part of it was issued");
                });
        DeviceBuffer buffer = device.allocate(16, BufferParams.DEVICE);
        TimelineSemaphore done = device.createSemaphore(0)) {
      fill(device, buffer, done, 1);
      mayRun = true; // now only the stream delays it
      backend.device.setHeld(false);
      assertEquals(Status.INTERNAL, failure(done));
      awaitRun(1);
    }
    assertEquals(List.of("fake-0-q0-completion"), ran);
  }

  @Test
  void theActionRunsForWorkThatFailsInTheStream() throws Exception {
    mayRun = true;
    try (EngineDevice<Event> device =
            open(
                LONG,
                submission -> {
                  notice(submission);
                  submission.fail(new HalException(Status.ABORTED, "a kernel gave up"));
                });
        DeviceBuffer buffer = device.allocate(16, BufferParams.DEVICE);
        TimelineSemaphore done = device.createSemaphore(0)) {
      fill(device, buffer, done, 1);
      assertEquals(Status.ABORTED, failure(done));
      awaitRun(1);
    }
    assertEquals(1, ran.size());
  }

  @Test
  void aThrowingActionIsLoggedAndStopsNothing() throws Exception {
    mayRun = true;
    try (EngineDevice<Event> device =
            open(
                LONG,
                submission -> {
                  submission.whenFired(
                      () -> {
                        throw new IllegalStateException("cannot be given back");
                      });
                  notice(submission);
                });
        DeviceBuffer buffer = device.allocate(16, BufferParams.DEVICE);
        TimelineSemaphore done = device.createSemaphore(0)) {
      for (int i = 1; i <= 3; i++) {
        fill(device, buffer, done, i);
      }
      done.await(3, LONG);
      awaitRun(3);
    }
    assertEquals(3, ran.size());
    assertEquals(3, log.count("fake-0: releasing an operation's resources failed"));
  }

  @Test
  void theActionRunsOnADeviceThatReportsItsLoss() throws Exception {
    mayRun = true;
    backend.device.setHeld(true);
    EngineDevice<Event> device = open(LONG, this::notice);
    DeviceBuffer buffer = device.allocate(16, BufferParams.DEVICE);
    TimelineSemaphore done = device.createSemaphore(0);
    HalException gone = new HalException(Status.UNAVAILABLE, "the device is gone");
    backend.device.failNth("queryEvent", 1, gone);
    backend.device.failNth("synchronizeEvent", 1, gone);
    fill(device, buffer, done, 1);
    assertEquals(Status.UNAVAILABLE, failure(done));
    awaitRun(1);
    buffer.close();
    backend.device.setHeld(false);
    finishStream();
    device.close();
    assertEquals(1, ran.size());
  }

  /** The stream may use the resource until it is idle. */
  @Test
  void theActionWaitsForTheIdleStreamIfThereIsNoEvent() throws Exception {
    EngineDevice<Event> device = open(LONG, this::notice);
    DeviceBuffer buffer = device.allocate(16, BufferParams.DEVICE);
    TimelineSemaphore done = device.createSemaphore(0);
    backend.device.failNth("recordEvent", 1, new HalException(Status.INTERNAL, "no record"));
    fill(device, buffer, done, 1);
    assertEquals(Status.UNAVAILABLE, failure(done));
    finishStream(); // runs what was issued before the failed recordEvent
    stream().atIsIdle = () -> mayRun = true;
    buffer.close();
    assertEquals(List.of(), ran);
    device.close();
    assertEquals(List.of("fake-0-close"), ran);
  }

  @Test
  void theActionWaitsForWorkPastTheCloseTimeout() throws Exception {
    backend.device.setHeld(true);
    EngineDevice<Event> device = open(Duration.ofMillis(50), this::notice);
    DeviceBuffer buffer = device.allocate(16, BufferParams.DEVICE);
    TimelineSemaphore done = device.createSemaphore(0);
    fill(device, buffer, done, 1);
    device.close();
    assertEquals(Status.DEADLINE_EXCEEDED, failure(done));
    assertEquals(List.of(), ran);
    assertFalse(backend.isClosed);
    mayRun = true;
    backend.device.setHeld(false);
    Threads.await("the device to be given back", () -> backend.isClosed);
    assertEquals(1, ran.size());
    buffer.close();
  }

  /** A thread that enqueues never runs a driver's release action. */
  @Test
  void anEnqueuingThreadNeverRunsTheAction() throws Exception {
    mayRun = true;
    int count = 200;
    try (EngineDevice<Event> device = open(LONG, this::notice);
        DeviceBuffer buffer = device.allocate(16, BufferParams.DEVICE);
        TimelineSemaphore done = device.createSemaphore(0)) {
      for (int i = 1; i <= count; i++) {
        fill(device, buffer, done, i);
        stream().advance();
      }
      done.await(count, LONG);
      awaitRun(count);
    }
    assertEquals(count, ran.size());
    assertEquals(List.of("fake-0-q0-completion"), ran.stream().distinct().toList());
  }

  /** Also beside the host completion of a submission, of which there is one at most. */
  @Test
  void aSubmissionTakesOneHostCompletion() throws Exception {
    mayRun = true;
    try (EngineDevice<Event> device =
            open(
                LONG,
                submission -> {
                  notice(submission);
                  submission.afterwards(context -> ran.add("the host completion"));
                  submission.afterwards(context -> ran.add("another one"));
                });
        DeviceBuffer buffer = device.allocate(16, BufferParams.DEVICE);
        TimelineSemaphore done = device.createSemaphore(0)) {
      fill(device, buffer, done, 1);
      assertEquals(Status.FAILED_PRECONDITION, failure(done));
      awaitRun(1);
    }
    assertEquals(List.of("fake-0-q0-completion"), ran);
  }
}
