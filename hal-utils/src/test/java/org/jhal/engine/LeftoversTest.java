// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.jhal.BindingTable;
import org.jhal.BufferParams;
import org.jhal.CommandBuffer;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.HalException;
import org.jhal.HostMemory;
import org.jhal.Slot;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.driver.Command;
import org.jhal.driver.NativeAccess;
import org.jhal.driver.options.EngineConfig;
import org.jhal.engine.queue.FakeStream.Event;
import org.jhal.engine.queue.Quiet;
import org.jhal.engine.queue.Threads;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** An ended operation keeps nothing, however it ended, and a wait observes its timeout. */
@Timeout(60)
class LeftoversTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final HalException FAULT = new HalException(Status.INTERNAL, "on purpose");

  private final FakeBackend backend = new FakeBackend();

  /** How an operation fails. */
  enum Culprit {
    WAIT,
    ISSUE,
    EVENT,
    CLOSE
  }

  /** Its buffers, which were closed, are freed when it retires. */
  @ParameterizedTest
  @EnumSource
  void anOperationThatFailsKeepsNothing(Culprit culprit) throws Exception {
    try (Quiet log = new Quiet()) {
      int count = culprit == Culprit.EVENT ? 1 : 3; // the next operation may use the first's event
      for (int nth = 1; nth <= count; nth++) {
        fail(culprit, nth);
      }
    }
  }

  private static void fail(Culprit culprit, int nth) throws Exception {
    FakeBackend backend = new FakeBackend();
    try (EngineDevice<Event> device = backend.open(1, LIMIT);
        TimelineSemaphore gate = device.createSemaphore();
        TimelineSemaphore copied = device.createSemaphore();
        TimelineSemaphore uploaded = device.createSemaphore();
        TimelineSemaphore executed = device.createSemaphore()) {
      DeviceQueue queue = device.queue(0);
      HostMemory memory = HostMemory.of(new byte[16]);
      DeviceBuffer source = device.allocate(16, BufferParams.DEVICE);
      DeviceBuffer target = device.allocate(16, BufferParams.DEVICE);
      DeviceBuffer bound = device.allocate(16, BufferParams.DEVICE);
      CommandBuffer commands = device.createCommandBuffer(CommandBuffer.Mode.REUSABLE);
      commands.fill(Slot.of(0), 0, 16, FillPattern.ZERO);
      commands.end();
      switch (culprit) {
        case ISSUE -> backend.device.failNth("issue", nth, FAULT);
        case EVENT -> backend.device.failNth("createEvent", nth, FAULT);
        default -> {}
      }
      queue.copy(gate.at(1), copied.at(1), source, 0, target, 0, 16);
      queue.upload(gate.at(1), uploaded.at(1), memory, target, 0);
      queue.execute(gate.at(1), executed.at(1), commands, BindingTable.of(bound));
      source.close();
      target.close();
      bound.close();
      commands.close();
      assertEquals(3, backend.liveMemory.get());
      switch (culprit) {
        case WAIT -> gate.fail(FAULT);
        case CLOSE -> gate.close();
        default -> gate.signal(1);
      }
      Status expected = culprit == Culprit.CLOSE ? Status.CANCELLED : Status.INTERNAL;
      int failures = 0;
      for (TimelineSemaphore done : List.of(copied, uploaded, executed)) {
        try {
          done.await(1, LIMIT);
        } catch (HalException failure) {
          assertEquals(expected, failure.status());
          failures++;
        }
      }
      assertEquals(culprit == Culprit.WAIT || culprit == Culprit.CLOSE ? 3 : 1, failures);
      Threads.await("all to retire", () -> queue.openOperations() == 0);
      Threads.await("the memory to be freed", () -> backend.liveMemory.get() == 0);
      assertEquals(0, device.statistics().bytes());
      memory.awaitFree(LIMIT);
    }
    assertEquals(List.of(), backend.device.violations());
  }

  @Test
  void aBoundBufferIsCollectableAfterItsOperationRetires() throws Exception {
    try (EngineDevice<Event> device = backend.open(1, LIMIT);
        TimelineSemaphore done = device.createSemaphore();
        CommandBuffer commands = device.createCommandBuffer(CommandBuffer.Mode.REUSABLE)) {
      commands.fill(Slot.of(0), 0, 16, FillPattern.ZERO);
      commands.fill(Slot.of(1), 0, 16, FillPattern.ZERO);
      commands.end();
      List<WeakReference<DeviceBuffer>> bound = executeOnce(device, commands, done);
      Threads.await("it to retire", () -> device.queue(0).openOperations() == 0);
      for (WeakReference<DeviceBuffer> buffer : bound) {
        Threads.await(
            "the bound buffer to be collected",
            () -> {
              System.gc();
              return buffer.get() == null;
            });
      }
    }
  }

  private static List<WeakReference<DeviceBuffer>> executeOnce(
      EngineDevice<Event> device, CommandBuffer commands, TimelineSemaphore done)
      throws InterruptedException {
    DeviceBuffer first = device.allocate(16, BufferParams.DEVICE);
    DeviceBuffer second = device.allocate(16, BufferParams.DEVICE);
    device.queue(0).execute(Fence.NONE, done.at(1), commands, BindingTable.of(first, second));
    done.await(1, LIMIT);
    first.close();
    second.close();
    return List.of(new WeakReference<>(first), new WeakReference<>(second));
  }

  /** Both run on the issue thread, one right after the other. */
  @Test
  void anInterruptOfExternalWorkDoesNotReachTheNext() throws Exception {
    backend.commands = EnumSet.allOf(Command.Kind.class);
    try (EngineDevice<Event> device = backend.open(1, LIMIT);
        TimelineSemaphore gate = device.createSemaphore();
        TimelineSemaphore done = device.createSemaphore()) {
      backend
          .streams
          .get(0)
          .setOnIssue(
              (commands, submission) -> {
                HalException failed = commands.get(0).external().run(new NativeAccess() {});
                if (failed != null) {
                  throw failed;
                }
              });
      List<Boolean> seen = new CopyOnWriteArrayList<>();
      for (int i = 1; i <= 3; i++) {
        device
            .queue(0)
            .external(
                gate.at(1),
                done.at(i),
                List.of(),
                context -> {
                  seen.add(Thread.currentThread().isInterrupted());
                  Thread.currentThread().interrupt();
                });
      }
      gate.signal(1);
      done.await(3, LIMIT);
      assertEquals(List.of(false, false, false), seen);
    }
  }

  /** A device whose waiters may poll for an hour: the timeout of the wait ends that. */
  @Test
  void aWaitPollsNoLongerThanItsTimeout() throws Exception {
    EngineConfig config =
        new EngineConfig(
            1, 64, Duration.ofHours(1).toNanos(), 0, LIMIT, LIMIT, 2, 2, true, true, false);
    try (EngineDevice<Event> device = new EngineDevice<>(backend, config, List.of());
        TimelineSemaphore done = device.createSemaphore()) {
      backend.device.setHeld(true);
      device.queue(0).barrier(Fence.NONE, done.at(1));
      Threads waiter =
          Threads.start(
              "waiter",
              () -> {
                HalException late =
                    assertThrows(HalException.class, () -> done.await(1, Duration.ofMillis(1)));
                assertEquals(Status.DEADLINE_EXCEEDED, late.status());
              });
      try {
        waiter.join();
      } finally {
        backend.device.setHeld(false);
      }
      // Not by a poll, which would last an hour: only the completion thread runs the fake's work.
      done.whenReached(1).get(LIMIT.toSeconds(), TimeUnit.SECONDS);
    }
  }
}
