// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.natives;

import static org.jhal.gpu.natives.LaunchGate.returning;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jhal.driver.support.PlatformThreads;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

/** Which callers the gate admits together. */
class LaunchGateTest {
  private static final long PATIENCE = TimeUnit.MILLISECONDS.toNanos(400);

  private static final long LONG = PATIENCE / 2;

  /** Longer than any test. */
  private static final long NEVER = TimeUnit.SECONDS.toNanos(60);

  /** The same in a line in which time passes fast. */
  private static final long DAY = TimeUnit.DAYS.toNanos(1);

  /** A thread that is inside until {@code isOver}. */
  private static Threads inside(Consumer<Runnable> enter, String until, BooleanSupplier isOver) {
    AtomicBoolean isInside = new AtomicBoolean();
    Threads thread =
        Threads.start(
            "inside",
            () ->
                enter.accept(
                    () -> {
                      isInside.set(true);
                      Threads.await(until, isOver);
                    }));
    Threads.await("a call to be inside", isInside::get);
    return thread;
  }

  private static void awaitNanos(long nanos) {
    long start = System.nanoTime();
    Threads.await("time to pass", () -> System.nanoTime() - start > nanos);
  }

  /** The time for which it has waited for a call does not count as a hang. */
  @Test
  void aLaunchThatHasWaitedLongStillBlocksCalls() {
    long patience = TimeUnit.SECONDS.toNanos(4);
    LaunchGate gate = new LaunchGate();
    AtomicLong released = new AtomicLong();
    AtomicBoolean mayLaunch = new AtomicBoolean();
    AtomicBoolean hasCalled = new AtomicBoolean();
    Threads call = inside(gate::run, "the launch to wait long", mayLaunch::get);
    Threads launch =
        Threads.start(
            "launch",
            () ->
                gate.launch(
                    patience,
                    () -> {
                      Threads next =
                          Threads.start("next call", () -> gate.run(() -> hasCalled.set(true)));
                      awaitNanos(patience / 2);
                      boolean isBeside = hasCalled.get();
                      // A machine that has stood still may have used up the patience.
                      boolean isLate = System.nanoTime() - released.get() >= patience;
                      assertTrue(!isBeside || isLate, "a call beside the launch");
                      return next;
                    }));
    awaitNanos(patience / 4 * 3);
    released.set(System.nanoTime());
    mayLaunch.set(true);
    call.join();
    launch.join();
    Threads.await("the next call", hasCalled::get);
  }

  /** A line in which time passes a thousand times as fast. */
  private static final class FastLine extends Semaphore {
    private static final long serialVersionUID = 1;
    private static final int SPEED = 1000;

    FastLine() {
      super(LaunchGate.ALL, true);
    }

    @Override
    public boolean tryAcquire(int permits, long timeout, TimeUnit unit)
        throws InterruptedException {
      return super.tryAcquire(permits, unit.toNanos(timeout) / SPEED, TimeUnit.NANOSECONDS);
    }
  }

  /** If a launch gave up its place after a while, the next call would overtake it. */
  @Test
  void overlappingCallsDoNotStarveALaunch() {
    LaunchGate gate = new LaunchGate(new FastLine());
    List<String> order = new CopyOnWriteArrayList<>();
    AtomicBoolean mayEnd = new AtomicBoolean();
    Threads call = inside(gate::run, "minutes to pass in the line", mayEnd::get);
    Thread launch =
        inTheLine("launch", () -> gate.launch(DAY, returning(() -> order.add("launch"))));
    Thread next = inTheLine("next call", () -> gate.run(() -> order.add("next call")));
    awaitNanos(LONG);
    assertEquals(List.of(), order, "beside the first call");
    mayEnd.set(true);
    call.join();
    awaitEnd(launch);
    awaitEnd(next);
    assertEquals(List.of("launch", "next call"), order);
  }

  @Test
  void aHangingLaunchBlocksCallsOnlyForItsPatience() {
    LaunchGate gate = new LaunchGate();
    AtomicBoolean mayEnd = new AtomicBoolean();
    Threads launch =
        inside(body -> gate.launch(PATIENCE, returning(body)), "the call beside it", mayEnd::get);
    gate.run(() -> mayEnd.set(true));
    launch.join();
  }

  @Test
  void aCallThatMayHangBlocksLaunchesOnlyForItsPatience() {
    LaunchGate gate = new LaunchGate();
    AtomicBoolean mayEnd = new AtomicBoolean();
    Threads call =
        inside(body -> gate.runAtMost(PATIENCE, body), "the launch beside it", mayEnd::get);
    gate.launch(NEVER, returning(() -> mayEnd.set(true)));
    call.join();
  }

  // Calls that overtake a launch in the line.

  /** A thread in the line. */
  private static Thread inTheLine(String name, Runnable body) {
    Thread thread = new Thread(body, name);
    thread.setDaemon(true);
    thread.start();
    Threads.await(name + " in the line", () -> thread.getState() == Thread.State.TIMED_WAITING);
    return thread;
  }

  private static void awaitEnd(Thread thread) {
    Threads.await("the end of " + thread.getName(), () -> !thread.isAlive());
  }

  /** A free waits for an idle device, and so for the abort; the launch waits for the free. */
  @Test
  void anAbortOvertakesALaunchInTheLine() {
    LaunchGate gate = new LaunchGate();
    AtomicBoolean isAborted = new AtomicBoolean();
    AtomicInteger launched = new AtomicInteger();
    Threads free = inside(gate::run, "the abort", isAborted::get);
    Thread launch =
        inTheLine("launch", () -> gate.launch(NEVER, returning(launched::incrementAndGet)));
    gate.runAhead(NEVER, () -> isAborted.set(true));
    free.join();
    awaitEnd(launch);
    assertEquals(1, launched.get());
  }

  @Test
  void anAbortRunsBesideAHangingLaunchAndLeavesItsPermits() {
    LaunchGate gate = new LaunchGate();
    AtomicBoolean mayEnd = new AtomicBoolean();
    Threads launch =
        inside(
            body -> gate.launch(NEVER, returning(body)),
            "the abort, and who is refused",
            mayEnd::get);
    gate.runAhead(PATIENCE, () -> {});
    assertFalse(gate.across(false, () -> {}), "beside the launch");
    mayEnd.set(true);
    launch.join();
    assertTrue(gate.launch(PATIENCE, () -> true), "another launch");
  }

  /** External work may wait for another thread of the program, which page-locks or frees. */
  @Test
  void callsBesideExternalWorkOvertakeALaunchInTheLine() {
    LaunchGate gate = new LaunchGate();
    AtomicInteger called = new AtomicInteger();
    AtomicInteger launched = new AtomicInteger();
    Threads external =
        inside(body -> gate.callUsers(returning(body)), "its workers", () -> called.get() == 3);
    Thread launch =
        inTheLine("launch", () -> gate.launch(NEVER, returning(launched::incrementAndGet)));
    AtomicInteger before = new AtomicInteger(-1);
    Thread other =
        inTheLine(
            "other external work",
            () -> gate.callUsers(returning(() -> before.set(launched.get()))));
    assertEquals(0, launched.get());
    Threads worker =
        Threads.start(
            "worker",
            () -> {
              gate.run(called::incrementAndGet);
              assertTrue(gate.across(false, called::incrementAndGet));
              gate.runAtMost(PATIENCE, called::incrementAndGet);
            });
    worker.join();
    external.join();
    awaitEnd(launch);
    awaitEnd(other);
    assertEquals(1, before.get(), "other external work keeps its place behind the launch");
  }

  /** A thread inside may wait for a stream whose work needs a call of another thread. */
  @Test
  void callsBesideAWaitForWorkOvertakeALaunchInTheLine() {
    LaunchGate gate = new LaunchGate();
    AtomicBoolean isCalled = new AtomicBoolean();
    AtomicInteger launched = new AtomicInteger();
    Threads waiting =
        inside(
            body -> assertTrue(gate.across(true, () -> gate.awaitWork(body))),
            "the work",
            isCalled::get);
    Thread launch =
        inTheLine("launch", () -> gate.launch(NEVER, returning(launched::incrementAndGet)));
    Threads worker = Threads.start("worker", () -> gate.run(() -> isCalled.set(true)));
    worker.join();
    waiting.join();
    awaitEnd(launch);
    assertEquals(1, launched.get());
  }

  @Test
  void aWaitForWorkOutsideHoldsUpNoLaunch() {
    LaunchGate gate = new LaunchGate();
    AtomicBoolean mayEnd = new AtomicBoolean();
    Threads waiting = inside(gate::awaitWork, "the launch", mayEnd::get);
    assertTrue(gate.launch(PATIENCE, () -> true));
    mayEnd.set(true);
    waiting.join();
  }

  /**
   * A launch waits for a call that may take as long as the work of a device. Calls that wait behind
   * it do not count towards the limit of concurrent calls of virtual threads.
   */
  @Test
  @EnabledForJreRange(min = JRE.JAVA_21, disabledReason = "virtual threads came with Java 21")
  void callsInTheLineDoNotBlockOtherVirtualThreads() throws Exception {
    LaunchGate gate = new LaunchGate();
    AtomicBoolean mayEnd = new AtomicBoolean();
    Threads free = inside(gate::run, "the other call", mayEnd::get);
    Thread launch = inTheLine("launch", () -> gate.launch(NEVER, returning(() -> {})));
    List<Thread> callers = new ArrayList<>();
    AtomicInteger begun = new AtomicInteger();
    for (int i = 0; i < 4 * Runtime.getRuntime().availableProcessors() + 1; i++) {
      Thread caller =
          Threads.virtual()
              .newThread(
                  () ->
                      PlatformThreads.call(
                          "gated",
                          () -> {
                            begun.incrementAndGet();
                            return gate.call(() -> true);
                          }));
      callers.add(caller);
      caller.start();
    }
    Threads.await("all calls to begin", () -> begun.get() == callers.size());
    Thread other =
        Threads.virtual().newThread(() -> PlatformThreads.call("other", returning(() -> {})));
    other.start();
    awaitEnd(other);
    mayEnd.set(true);
    free.join();
    awaitEnd(launch);
    callers.forEach(LaunchGateTest::awaitEnd);
  }

  // Work across devices.

  @Test
  void refusesWorkAcrossDevicesBesideALaunch() {
    LaunchGate gate = new LaunchGate();
    AtomicInteger called = new AtomicInteger();
    AtomicBoolean mayLaunch = new AtomicBoolean();
    AtomicBoolean isLaunching = new AtomicBoolean();
    AtomicBoolean mayEnd = new AtomicBoolean();
    Threads call = inside(gate::run, "the launch to be in the line", mayLaunch::get);
    assertTrue(gate.across(false, called::incrementAndGet), "beside a call");
    Threads launch =
        Threads.start(
            "launch",
            () ->
                gate.launch(
                    NEVER,
                    returning(
                        () -> {
                          isLaunching.set(true);
                          Threads.await("the others to be refused", mayEnd::get);
                        })));
    Threads.await("a launch in the line", () -> !gate.across(false, () -> {}));
    mayLaunch.set(true);
    Threads.await("the launch to be inside", isLaunching::get);
    assertFalse(gate.across(false, called::incrementAndGet));
    assertEquals(1, called.get());
    Threads waiting = Threads.start("waiting", () -> gate.across(true, called::incrementAndGet));
    mayEnd.set(true);
    launch.join();
    call.join();
    waiting.join();
    assertEquals(2, called.get());
  }

  @Test
  void throwingWorkAcrossDevicesDoesNotBlockLaunches() {
    LaunchGate gate = new LaunchGate();
    for (boolean mayBlock : new boolean[] {false, true}) {
      Runnable failing =
          () -> {
            throw new StackOverflowError("on purpose");
          };
      assertThrows(StackOverflowError.class, () -> gate.across(mayBlock, failing));
      assertThrows(
          StackOverflowError.class,
          () -> gate.across(mayBlock, () -> gate.across(mayBlock, failing)));
    }
    assertTrue(gate.launch(PATIENCE, () -> true));
    assertTrue(gate.across(false, () -> gate.run(() -> {})), "a call within it");
    assertTrue(gate.launch(PATIENCE, () -> true));
  }
}
