// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.device;

import static org.jhal.cts.support.TestData.assertHal;
import static org.jhal.cts.support.Waits.LIMIT;
import static org.jhal.cts.support.Waits.assertPending;
import static org.jhal.cts.support.Waits.assertStaysPending;
import static org.jhal.cts.support.Waits.awaitFailure;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.jhal.cts.support.Waits.awaitSet;
import static org.jhal.cts.support.Waits.awaitTrue;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jhal.BufferParams;
import org.jhal.CommandBuffer;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.Executable;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.HalException;
import org.jhal.HostCall.Mode;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.cts.FreshDevice;
import org.jhal.cts.Need;
import org.jhal.cts.Needs;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Blocker;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.HeldOperation;
import org.jhal.cts.support.OperationKind;
import org.jhal.cts.support.Task;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** Closing a device (rule Q8). */
@CtsSuite
@FreshDevice
@Order(Integer.MAX_VALUE)
class DeviceCloseTest {
  @Test
  @Rule("Q8")
  void closingTwiceIsHarmless(Cts cts) {
    Device device = cts.device();
    assertEquals(false, device.isClosed());
    device.close();
    assertTrue(device.isClosed());
    device.close();
    assertTrue(device.isClosed());
  }

  @Test
  @Rule("Q8")
  void aClosedDeviceRejectsNewWork(Cts cts) {
    Device device = cts.device();
    DeviceQueue queue = cts.queue();
    TimelineSemaphore done = cts.semaphore();
    DeviceBuffer buffer = cts.buffer(16);
    CommandBuffer commands = cts.closing(device.createCommandBuffer(CommandBuffer.Mode.REUSABLE));
    commands.end();
    List<OperationKind> kinds = OperationKind.of(cts, device);
    device.close();
    for (OperationKind kind : kinds) {
      if (!kind.runsKernel()) { // its kernel cannot be looked up any more
        assertHal(
            Status.FAILED_PRECONDITION,
            () -> kind.enqueue(cts, queue, Fence.NONE, done.at(1), buffer));
      }
    }
    assertHal(Status.FAILED_PRECONDITION, () -> queue.execute(Fence.NONE, done.at(1), commands));
    assertHal(Status.FAILED_PRECONDITION, () -> device.allocate(16, BufferParams.DEVICE));
    assertHal(
        Status.FAILED_PRECONDITION, () -> device.createCommandBuffer(CommandBuffer.Mode.ONE_SHOT));
    assertHal(
        Status.FAILED_PRECONDITION, () -> device.loadExecutable(cts.backend().kernels().get(0)));
    assertHal(Status.FAILED_PRECONDITION, () -> device.createSemaphore(0));
    assertPending(done, 1);
  }

  @Test
  @Rule({"Q8", "Q10"})
  void parkedWorkIsCancelled(Cts cts) {
    Device device = cts.device();
    TimelineSemaphore go = cts.semaphore();
    DeviceBuffer buffer = cts.buffer(16);
    List<TimelineSemaphore> done = new ArrayList<>();
    for (OperationKind kind : OperationKind.of(cts, device)) {
      TimelineSemaphore one = cts.semaphore();
      kind.enqueue(cts, cts.queue(), go.at(1), one.at(1), buffer);
      done.add(one);
    }
    TimelineSemaphore behind = cts.semaphore();
    cts.queue().barrier(done.get(0).at(1), behind.at(1));
    device.close();
    done.forEach(one -> awaitFailure(one, 1, Status.CANCELLED));
    awaitFailure(behind, 1, Status.CANCELLED);
    assertEquals(0, device.statistics().openOperations());
    go.signal(1);
    assertEquals(1, go.value());
  }

  /** Nor is a failure that follows from it. A warning would fail the test. */
  @Test
  @Rule({"Q7b", "Q8"})
  void cancelledWorkWithoutASignalIsNotLogged(Cts cts) {
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    DeviceBuffer buffer = cts.buffer(16);
    for (OperationKind kind : OperationKind.of(cts, cts.device())) {
      kind.enqueue(cts, cts.queue(), go.at(1), Fence.NONE, buffer);
    }
    cts.queue().barrier(go.at(1), done.at(1));
    cts.queue().barrier(done.at(1), Fence.NONE);
    cts.device().close();
    awaitFailure(done, 1, Status.CANCELLED);
  }

  @Test
  @Rule("Q8")
  @Needs(Need.SECOND_DEVICE)
  void cancelledWorkLeavesNothingRegistered(Cts cts) {
    TimelineSemaphore survivor = cts.semaphore(cts.second(), 0);
    WeakReference<Device> device = parkAndClose(cts, survivor);
    awaitTrue(
        "a closed device to become unreachable, whose work waited for " + survivor,
        () -> {
          System.gc();
          return device.get() == null;
        });
    survivor.signal(1);
  }

  private static WeakReference<Device> parkAndClose(Cts cts, TimelineSemaphore survivor) {
    Device device = cts.backend().open(cts.uri());
    TimelineSemaphore done = device.createSemaphore(0);
    device.queue(0).barrier(survivor.at(1), done.at(1));
    device.close();
    awaitFailure(done, 1, Status.CANCELLED);
    done.close();
    return new WeakReference<>(device);
  }

  @Test
  @Rule("Q8")
  @FreshDevice("inflight=1")
  @Needs(Need.CONTROLS)
  void readyWorkIsCancelledAndIssuedWorkIsWaitedFor(Cts cts) throws Exception {
    Blocker blocker = new Blocker(cts, cts.queue());
    TimelineSemaphore issued = blocker.timepoint().semaphore();
    TimelineSemaphore ready = cts.semaphore();
    cts.queue().barrier(Fence.NONE, ready.at(1));
    assertEquals(1, cts.device().statistics().ready());
    Task<?> closer = Task.run("closer", () -> cts.device().close());
    awaitFailure(ready, 1, Status.CANCELLED);
    assertStaysPending(issued.at(1));
    assertTrue(closer.isRunning(), "close() returned while work was in flight");
    blocker.release();
    awaitReached(issued, 1);
    closer.join();
  }

  @Test
  @Rule("Q8")
  void closingWaitsForARunningHostCall(Cts cts) throws Exception {
    TimelineSemaphore done = cts.semaphore();
    TimelineSemaphore behind = cts.semaphore();
    TimelineSemaphore parked = cts.semaphore();
    TimelineSemaphore go = cts.semaphore();
    HeldOperation held = new HeldOperation(cts, cts.queue(), Fence.NONE, done.at(1));
    held.awaitRunning();
    cts.queue().barrier(done.at(1), behind.at(1));
    cts.queue().barrier(go.at(1), parked.at(1));
    Task<?> closer = Task.run("closer", () -> cts.device().close());
    awaitFailure(parked, 1, Status.CANCELLED);
    awaitFailure(behind, 1, Status.CANCELLED);
    assertStaysPending(done.at(1));
    assertTrue(closer.isRunning(), "close() returned while a host call ran");
    held.complete();
    awaitReached(done, 1);
    closer.join();
  }

  @Test
  @Rule("Q8")
  void parkedWorkIsCancelledBeforeIssuedWorkEnds(Cts cts) throws Exception {
    TimelineSemaphore go = cts.semaphore();
    DeviceBuffer buffer = cts.buffer(16);
    List<OperationKind> kinds = OperationKind.of(cts, cts.device());
    List<TimelineSemaphore> parked = new ArrayList<>();
    for (int i = 0; i < cts.device().queueCount(); i++) { // the oldest operations of each queue
      for (OperationKind kind : kinds) {
        TimelineSemaphore one = cts.semaphore();
        kind.enqueue(cts, cts.queue(i), go.at(1), one.at(1), buffer);
        parked.add(one);
      }
    }
    TimelineSemaphore done = cts.semaphore();
    HeldOperation held = new HeldOperation(cts, cts.queue(), Fence.NONE, done.at(1));
    held.awaitRunning();
    Task<?> closer = Task.run("closer", () -> cts.device().close());
    parked.forEach(one -> awaitFailure(one, 1, Status.CANCELLED));
    assertStaysPending(done.at(1));
    assertTrue(closer.isRunning(), "close() returned while a host call ran");
    held.complete();
    closer.join();
    assertEquals(1, done.value(), "the value of the held operation when close() had returned");
  }

  @Test
  @Rule("Q8")
  @FreshDevice("close-timeout=100ms")
  void workThatDoesNotEndFailsAtTheDeadline(Cts cts) {
    TimelineSemaphore done = cts.semaphore();
    HeldOperation held = new HeldOperation(cts, cts.queue(), Fence.NONE, done.at(1));
    held.awaitRunning();
    cts.allowWarnings();
    cts.allowLeftovers();
    cts.device().close();
    awaitFailure(done, 1, Status.DEADLINE_EXCEEDED);
    held.complete();
    awaitFailure(done, 1, Status.DEADLINE_EXCEEDED);
    cts.device().close();
  }

  @Test
  @Rule({"Q8", "D5"})
  void eachDeviceHasItsOwnCloseTimeout(Cts cts) throws Exception {
    Device patient = cts.open("close-timeout=1000s");
    Device hasty = cts.open("close-timeout=1ms");
    TimelineSemaphore awaited = cts.semaphore();
    TimelineSemaphore givenUp = cts.semaphore();
    HeldOperation late = new HeldOperation(cts, patient.queue(0), Fence.NONE, awaited.at(1));
    HeldOperation endless = new HeldOperation(cts, hasty.queue(0), Fence.NONE, givenUp.at(1));
    late.awaitRunning();
    endless.awaitRunning();
    cts.allowWarnings();
    cts.allowLeftovers();
    Task<?> waiting = Task.run("patient-closer", patient::close);
    awaitTrue("the patient device to be closing", patient::isClosed);
    Task.run("hasty-closer", hasty::close).join(); // returns although its work has not ended
    awaitFailure(givenUp, 1, Status.DEADLINE_EXCEEDED);
    assertStaysPending(awaited.at(1)); // with one timeout for both, it would have ended
    assertTrue(waiting.isRunning(), "close() returned long before its time while work ran");
    late.complete();
    awaitReached(awaited, 1);
    waiting.join();
    endless.complete();
  }

  @Test
  @Rule("Q8")
  @FreshDevice({"close-timeout=100ms", "inflight=64"})
  @Needs(Need.CONTROLS)
  void nativeWorkThatDoesNotEndFailsAtTheDeadlineAndIsLogged(Cts cts) {
    Blocker blocker = new Blocker(cts, cts.queue());
    TimelineSemaphore done = cts.semaphore();
    DeviceBuffer buffer = cts.buffer(16);
    cts.queue().fill(blocker.timepoint(), done.at(1), buffer, 0, 16, FillPattern.ZERO);
    cts.device().close();
    awaitFailure(blocker.timepoint().semaphore(), 1, Status.DEADLINE_EXCEEDED);
    awaitFailure(done, 1, Status.DEADLINE_EXCEEDED);
    cts.allowLeftovers();
    cts.awaitLog("");
  }

  @Test
  @Rule("Q8")
  void closingInACallbackOrHostCallIsRejected(Cts cts) {
    Device device = cts.device();
    TimelineSemaphore byHost = cts.semaphore();
    AtomicReference<@Nullable Throwable> onSignal = new AtomicReference<>();
    byHost.onReach(1, failure -> onSignal.set(thrownByClose(device)));
    byHost.signal(1);
    assertRefused(awaitSet("the callback of a host signal", onSignal));

    TimelineSemaphore byDevice = cts.semaphore();
    AtomicReference<@Nullable Throwable> onCompletion = new AtomicReference<>();
    byDevice.onReach(1, failure -> onCompletion.set(thrownByClose(device)));
    cts.queue().barrier(Fence.NONE, byDevice.at(1));
    assertRefused(awaitSet("the callback of a device signal", onCompletion));

    TimelineSemaphore called = cts.semaphore();
    AtomicReference<@Nullable Throwable> inCall = new AtomicReference<>();
    cts.queue()
        .hostCall(Fence.NONE, called.at(1), Mode.BLOCKING, c -> inCall.set(thrownByClose(device)));
    awaitReached(called, 1);
    assertRefused(awaitSet("the host call", inCall));
    assertEquals(false, device.isClosed());
    TimelineSemaphore works = cts.semaphore();
    cts.queue().barrier(Fence.NONE, works.at(1));
    awaitReached(works, 1);
  }

  private static Throwable thrownByClose(Device device) {
    try {
      device.close();
      return new AssertionError("close() returned");
    } catch (HalException e) {
      return e;
    }
  }

  private static void assertRefused(Throwable thrown) {
    assertHal(
        Status.FAILED_PRECONDITION,
        () -> {
          throw thrown;
        });
  }

  @Test
  @Rule("Q8")
  void aSecondCloseReturnsWhenTheFirstIsDone(Cts cts) throws Exception {
    TimelineSemaphore done = cts.semaphore();
    HeldOperation held = new HeldOperation(cts, cts.queue(), Fence.NONE, done.at(1));
    held.awaitRunning();
    Task<?> first = Task.run("first-closer", () -> cts.device().close());
    awaitTrue("the device to be closing", () -> cts.device().isClosed());
    AtomicBoolean isCalled = new AtomicBoolean();
    Task<Long> second =
        Task.start(
            "second-closer",
            () -> {
              isCalled.set(true);
              cts.device().close();
              return done.value();
            });
    awaitTrue("a second close to be called", isCalled::get);
    assertStaysPending(done.at(1)); // meanwhile, the second close must not return
    assertTrue(first.isRunning(), "the first close() returned while work ran");
    assertTrue(second.isRunning(), "a second close() returned before the first");
    held.complete();
    first.join();
    assertEquals(
        1, second.join(), "the value of the held operation when a second close() had returned");
  }

  @Test
  @Rule({"Q8", "Q10"})
  void closingRacesWithSubmitters(Cts cts) throws Exception {
    for (int round = 0; round < 20; round++) {
      Device device = cts.open();
      List<Task<List<TimelineSemaphore>>> submitters = new ArrayList<>();
      for (int t = 0; t < 3; t++) {
        int queue = t % device.queueCount();
        submitters.add(Task.start("submitter", () -> submitUntilRefused(device, queue)));
      }
      awaitTrue("submissions", () -> device.statistics().enqueued() > 50);
      device.close();
      for (Task<List<TimelineSemaphore>> submitter : submitters) {
        for (TimelineSemaphore done : submitter.join()) {
          assertOver(done);
          done.close();
        }
      }
      assertEquals(device.statistics().enqueued(), device.statistics().retired());
    }
  }

  private static List<TimelineSemaphore> submitUntilRefused(Device device, int queue) {
    List<TimelineSemaphore> signals = new ArrayList<>();
    while (true) {
      if (signals.size() >= 10_000) { // else they may take up all memory of a slow machine
        awaitTrue("the device to be closing", device::isClosed);
      }
      TimelineSemaphore done;
      try {
        done = device.createSemaphore(0);
      } catch (HalException e) {
        assertHal(Status.FAILED_PRECONDITION, e);
        return signals;
      }
      try {
        device.queue(queue).barrier(Fence.NONE, done.at(1));
        signals.add(done);
      } catch (HalException e) {
        assertHal(Status.FAILED_PRECONDITION, e);
        done.close();
        return signals;
      }
    }
  }

  /** Checks that an accepted operation has succeeded or was cancelled when close() had returned. */
  private static void assertOver(TimelineSemaphore done) {
    HalException failure = done.failure();
    if (failure != null) {
      assertHal(Status.CANCELLED, failure);
    } else {
      assertEquals(1, done.value(), "neither reached nor failed when close() had returned");
    }
  }

  @Test
  @Rule("Q8")
  void objectsMayBeClosedAfterTheirDevice(Cts cts) throws Exception {
    Device device = cts.device();
    DeviceBuffer buffer = device.allocate(16, BufferParams.DEVICE);
    CommandBuffer commands = device.createCommandBuffer(CommandBuffer.Mode.REUSABLE);
    Executable executable = device.loadExecutable(cts.backend().kernels().get(0));
    TimelineSemaphore semaphore = device.createSemaphore(0);
    TimelineSemaphore allocated = device.createSemaphore(0);
    DeviceBuffer scratch = cts.queue().alloca(Fence.NONE, allocated.at(1), 64, BufferParams.DEVICE);
    allocated.await(1, LIMIT);
    device.close();
    for (AutoCloseable one :
        List.of(buffer, commands, executable, semaphore, allocated, scratch, buffer, scratch)) {
      one.close();
    }
    assertEquals(0, device.statistics().liveResources(), device.statistics()::toString);
    assertEquals(0, device.statistics().bytes());
  }

  @Test
  @Rule({"Q8", "K4"})
  void noThreadOutlivesItsDevice(Cts cts) {
    Set<Thread> before = new HashSet<>(Thread.getAllStackTraces().keySet());
    Device device = cts.open();
    for (int i = 0; i < device.queueCount(); i++) {
      TimelineSemaphore done = cts.semaphore(device, 0);
      device.queue(i).hostCall(Fence.NONE, done.at(1), Mode.BLOCKING, context -> {});
      awaitReached(done, 1);
    }
    List<Thread> started = new ArrayList<>(Thread.getAllStackTraces().keySet());
    started.removeAll(before);
    started.removeIf(thread -> thread.getThreadGroup() == null || isOfTheJvm(thread));
    int limit = 16 + 8 * device.queueCount();
    assertTrue(started.size() <= limit, () -> started.size() + " threads: " + started);
    device.close();
    awaitTrue(
        "the threads of a closed device to end: " + started,
        () -> started.stream().noneMatch(Thread::isAlive));
  }

  private static boolean isOfTheJvm(Thread thread) {
    String group = thread.getThreadGroup() == null ? "" : thread.getThreadGroup().getName();
    return group.equals("system") || thread.getName().startsWith("ForkJoinPool");
  }

  @Test
  @Rule("Q8")
  void devicesOpenAndCloseManyTimes(Cts cts) {
    for (int i = 0; i < 50; i++) {
      try (Device device = cts.backend().open(cts.uri());
          TimelineSemaphore done = device.createSemaphore(0)) {
        if (i % 3 != 0) {
          device.queue(0).barrier(Fence.NONE, done.at(1));
        }
        if (i % 3 == 2) {
          awaitReached(done, 1);
        }
      }
    }
  }
}
