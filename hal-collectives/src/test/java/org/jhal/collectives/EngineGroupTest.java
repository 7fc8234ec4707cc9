// SPDX-License-Identifier: Apache-2.0
package org.jhal.collectives;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jhal.BufferParams;
import org.jhal.CollectiveGroup;
import org.jhal.CollectiveGroup.Options;
import org.jhal.CollectiveGroup.Rank;
import org.jhal.DeviceBuffer;
import org.jhal.ElementType;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.Reduction;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.engine.EngineDevice;
import org.jhal.engine.FakeBackend;
import org.jhal.engine.Inside;
import org.jhal.engine.InstantBackend;
import org.jhal.engine.queue.FakeStream.Event;
import org.jhal.engine.queue.Quiet;
import org.jhal.engine.queue.Threads;
import org.jhal.engine.timeline.EngineSemaphore;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Groups over backends that fail on purpose, and on threads that run out of stack. */
@Timeout(120)
class EngineGroupTest {
  private static final Duration LONG = Duration.ofMinutes(5);
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final int STACK = 160_000; // enough for the first calls

  /** How many frames there are between two calls. They take up less stack than a call does. */
  private static final int FRAMES = 16;

  private static final HalException FAULT = new HalException(Status.INTERNAL, "fault");

  private final Quiet log = new Quiet();

  @AfterEach
  void stopListening() {
    log.close();
  }

  /** Two devices whose work completes at once, and a buffer on each. */
  private static final class Pair implements AutoCloseable {
    final List<InstantBackend> backends = List.of(new InstantBackend(), new InstantBackend());
    final List<EngineDevice<Object>> devices = new ArrayList<>();
    final List<DeviceBuffer> buffers = new ArrayList<>();
    final CollectiveGroup group;

    Pair() {
      for (InstantBackend backend : backends) {
        EngineDevice<Object> device = backend.open(1);
        devices.add(device);
        buffers.add(device.allocate(64, BufferParams.DEVICE));
      }
      group = CollectiveGroup.of(devices, Options.DEFAULT);
    }

    void sum(Fence signals) {
      sum(group, Fence.NONE, signals);
    }

    void sum(CollectiveGroup group, Fence waits, Fence signals) {
      group.allReduce(
          Reduction.SUM,
          ElementType.I32,
          List.of(
              new Rank(waits, signals, buffers.get(0), buffers.get(0)),
              new Rank(Fence.NONE, Fence.NONE, buffers.get(1), buffers.get(1))));
    }

    @Override
    public void close() {
      group.close();
      buffers.forEach(DeviceBuffer::close);
      devices.forEach(EngineDevice::close);
    }
  }

  private static TimelineSemaphore semaphore() {
    return new EngineSemaphore(0, () -> {});
  }

  /** Waits until a value is reached or has failed. Returns the failure, or null. */
  private static @Nullable HalException end(String what, TimelineSemaphore semaphore, long value)
      throws InterruptedException {
    try {
      semaphore.await(value, LIMIT);
      return null;
    } catch (HalException e) {
      if (e.status() == Status.DEADLINE_EXCEEDED && semaphore.failure() == null) {
        fail(what + " was lost: " + semaphore.explain(value), e);
      }
      return e;
    }
  }

  @Test
  void theHiddenQueueIsMadeOnceByTheFirstGroup() {
    FakeBackend backend = new FakeBackend();
    try (EngineDevice<Event> device = backend.open(1, LONG)) {
      assertEquals(1, backend.streams.size());
      try (CollectiveGroup first = CollectiveGroup.of(device);
          CollectiveGroup second = CollectiveGroup.of(device)) {
        assertEquals(2, backend.streams.size());
        assertEquals(1, device.queueCount());
        assertEquals(first.devices(), second.devices());
      }
    }
    assertTrue(backend.streams.stream().allMatch(stream -> stream.isClosed()));
    assertTrue(backend.isClosed);
    assertEquals(List.of(), backend.device.violations());
    assertEquals(List.of(), log.lines());
  }

  @Test
  void aHiddenQueueThatCannotBeMadeLeavesNothing() {
    FakeBackend backend = new FakeBackend();
    InstantBackend other = new InstantBackend();
    try (EngineDevice<Object> first = other.open(1);
        EngineDevice<Event> second = backend.open(1, LONG)) {
      backend.failsAtStream = FAULT;
      HalException refused =
          assertThrows(HalException.class, () -> CollectiveGroup.of(first, second));
      assertSame(FAULT, refused);
      assertEquals(0, Groups.of(first).size());
      assertEquals(0, Groups.of(second).size());
      backend.failsAtStream = null;
      try (CollectiveGroup group = CollectiveGroup.of(first, second)) {
        assertEquals(2, group.size());
        assertEquals(1, Groups.of(first).size());
      }
      assertEquals(0, Groups.of(first).size());
    }
    assertTrue(backend.isClosed);
    assertEquals(List.of(), log.lines());
  }

  @Test
  void callsOfAllThreadsBindTheDevice() throws Exception {
    try (Pair pair = new Pair()) {
      for (int i = 0; i < 50; i++) {
        TimelineSemaphore done = semaphore();
        pair.sum(done.at(1));
        assertNull(end("a collective", done, 1));
      }
      for (InstantBackend backend : pair.backends) {
        assertEquals(List.of(), List.copyOf(backend.misuses));
      }
    }
  }

  @Test
  void anUnclosedGroupIsReportedAndCollected() throws Exception {
    InstantBackend backend = new InstantBackend(1);
    try (EngineDevice<Object> device = backend.open(1)) {
      forget(device);
      Threads.await(
          "the group to be reported",
          () -> {
            System.gc();
            return log.count("a group of [instant-1] was never closed") == 1;
          });
      Threads.await(
          "the device to forget the group",
          () ->
              Groups.of(device).size() == 0 && Inside.core(device).resources().groups.size() == 0);
    }
  }

  private static void forget(EngineDevice<?> device) {
    CollectiveGroup forgotten = CollectiveGroup.of(device);
    assertEquals(1, forgotten.size());
  }

  /** Its collectives still end, and a device that closes still cancels them. */
  @Test
  void aForgottenGroupsCollectivesGoOn() throws Exception {
    InstantBackend backend = new InstantBackend(2);
    TimelineSemaphore start = semaphore();
    TimelineSemaphore done = semaphore();
    TimelineSemaphore cancelled = semaphore();
    try (EngineDevice<Object> device = backend.open(1)) {
      park(device, start.at(1), done.at(1));
      park(device, start.at(2), cancelled.at(1));
      Threads.await(
          "the groups to be reported",
          () -> {
            System.gc();
            return log.count("a group of [instant-2] was never closed") == 2;
          });
      start.signal(1);
      assertNull(end("a collective", done, 1));
    }
    HalException failure = end("a collective", cancelled, 1);
    assertTrue(failure != null && failure.status() == Status.CANCELLED, () -> "got " + failure);
  }

  private static void park(EngineDevice<?> device, Fence waits, Fence signals) {
    try (DeviceBuffer buffer = device.allocate(16, BufferParams.DEVICE)) {
      CollectiveGroup.of(device)
          .allReduce(
              Reduction.SUM, ElementType.I32, List.of(new Rank(waits, signals, buffer, buffer)));
    }
  }

  /** Whatever call of either device runs out of memory, every collective ends. */
  @Test
  void noCallThatRunsOutOfMemoryLosesACollective() throws Exception {
    int[] uses = {0, 0};
    for (int device = 0; device < 2; device++) {
      for (int nth = 1; nth <= 14; nth++) {
        try (Pair pair = new Pair()) {
          AtomicInteger left = new AtomicInteger(nth);
          pair.backends.get(device).atCall =
              call -> {
                if (left.decrementAndGet() == 0) {
                  throw new OutOfMemoryError("on purpose, in " + call);
                }
              };
          List<TimelineSemaphore> ends = new ArrayList<>();
          for (int i = 0; i < 3; i++) {
            TimelineSemaphore done = semaphore();
            try {
              pair.sum(done.at(1));
              ends.add(done);
            } catch (OutOfMemoryError | HalException refused) {
              break; // the call has failed, so there is nothing to wait for
            }
          }
          for (TimelineSemaphore done : ends) {
            HalException failure = end("call " + nth + " of device " + device, done, 1);
            uses[device] += failure == null ? 0 : 1;
          }
          pair.backends.get(device).atCall = call -> {};
        }
      }
    }
    assertTrue(uses[0] > 0 && uses[1] > 0, "no call has failed a collective");
  }

  @Test
  void noLineThatRunsOutOfStackLosesACollective() throws Exception {
    overflows(10, 14_961);
  }

  @Test
  @Tag("exhaustive")
  void noLineOfManyThatRunsOutOfStackLosesACollective() throws Exception {
    overflows(600, 499);
  }

  private static void overflows(int count, int step) throws Exception {
    for (int i = 0; i < count; i++) {
      try (Pair pair = new Pair()) {
        List<TimelineSemaphore> accepted = new ArrayList<>();
        Thread thread =
            new Thread(null, () -> overflow(pair, accepted), "overflow", STACK + (long) step * i);
        thread.start();
        thread.join(LIMIT.toMillis());
        assertEquals(Thread.State.TERMINATED, thread.getState(), "the thread that overflows");
        for (TimelineSemaphore done : accepted) {
          end("a collective, with stack " + (STACK + step * i), done, 1);
        }
      }
    }
  }

  private static void overflow(Pair pair, List<TimelineSemaphore> accepted) {
    try {
      recurse(pair, accepted, 0);
    } catch (StackOverflowError | HalException e) {
      return; // on purpose; a caller may catch the error and go on, until a device is lost
    }
  }

  @SuppressWarnings("InfiniteRecursion") // on purpose
  private static void recurse(Pair pair, List<TimelineSemaphore> accepted, int depth) {
    if (depth % FRAMES == 0) {
      TimelineSemaphore done = semaphore();
      pair.sum(done.at(1));
      accepted.add(done);
    }
    recurse(pair, accepted, depth + 1);
  }

  @Test
  void theTimerEndsWhenNothingWaits() throws Exception {
    try (Pair pair = new Pair()) {
      TimelineSemaphore done = semaphore();
      pair.sum(done.at(1));
      assertNull(end("a collective", done, 1));
      Threads.await(
          "the timer's thread to end",
          () ->
              Thread.getAllStackTraces().keySet().stream()
                  .noneMatch(thread -> thread.getName().equals("jhal-deadline")));
    }
  }

  /** A collective without waits has begun, as far as the program knows. */
  @Test
  void aCloseAwaitsWhatIsAboutToBegin() throws Exception {
    try (Pair pair = new Pair()) {
      for (int i = 0; i < 100; i++) {
        try (CollectiveGroup group = CollectiveGroup.of(pair.devices, Options.DEFAULT)) {
          TimelineSemaphore done = semaphore();
          pair.sum(group, Fence.NONE, done.at(1));
          group.close();
          assertEquals(1, done.value(), "a collective that had nothing to wait for");
        }
      }
    }
  }

  /** The caller loses the device again where there is enough stack, as a program may do. */
  @Test
  void aLossThatRunsOutOfStackReachesTheGroups() throws Exception {
    try (Pair pair = new Pair()) {
      TimelineSemaphore start = semaphore();
      TimelineSemaphore done = semaphore();
      pair.sum(pair.group, start.at(1), done.at(1));
      EngineDevice<Object> device = pair.devices.get(1);
      HalException gone = new HalException(Status.UNAVAILABLE, "gone");
      Thread thread = new Thread(null, () -> loseDeep(device, gone, 0), "overflow", 160_000);
      thread.start();
      thread.join(LIMIT.toMillis());
      assertEquals(Thread.State.TERMINATED, thread.getState(), "the thread that overflows");
      HalException failure = end("a parked collective", done, 1);
      assertEquals(Status.UNAVAILABLE, Objects.requireNonNull(failure).status());
      Threads.await("the group to end", () -> pair.group.failure() == gone);
    }
  }

  @SuppressWarnings("InfiniteRecursion") // on purpose
  private static void loseDeep(EngineDevice<?> device, HalException cause, int depth) {
    try {
      loseDeep(device, cause, depth + 1);
    } catch (StackOverflowError e) {
      if (depth % FRAMES != 0) {
        throw e;
      }
      device.lose(cause); // if this throws the error as well, a frame above tries
    }
  }

  /** A callback of one group's failure does not hold up the deadline of another one. */
  @Test
  void deadlinesDoNotWaitForCallbacks() throws Exception {
    Options soon = Options.DEFAULT.withDeadline(Duration.ofMillis(100));
    CountDownLatch isOver = new CountDownLatch(1);
    List<TimelineSemaphore> ends = List.of(semaphore(), semaphore());
    CountDownLatch isCalled = new CountDownLatch(1);
    var registration =
        ends.get(0)
            .onReach(
                1,
                failure -> {
                  isCalled.countDown();
                  Threads.await("the test to be over", () -> isOver.getCount() == 0);
                });
    try (Pair first = new Pair();
        Pair second = new Pair()) {
      for (InstantBackend backend : List.of(first.backends.get(0), second.backends.get(0))) {
        backend.atCall =
            call -> {
              if (call.equals("issue")) {
                Threads.await("the test to be over", () -> isOver.getCount() == 0);
              }
            };
      }
      CollectiveGroup one = CollectiveGroup.of(first.devices, soon);
      first.sum(one, Fence.NONE, ends.get(0).at(1));
      Threads.await("the callback to run", () -> isCalled.getCount() == 0);
      CollectiveGroup two = CollectiveGroup.of(second.devices, soon);
      second.sum(two, Fence.NONE, ends.get(1).at(1));
      HalException failure = end("a collective with a deadline", ends.get(1), 1);
      assertEquals(Status.DEADLINE_EXCEEDED, Objects.requireNonNull(failure).status());
      isOver.countDown();
      one.close();
      two.close();
    } finally {
      isOver.countDown();
      registration.cancel();
    }
  }
}
