// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.HostCompletion;
import org.jhal.driver.support.BackOff;
import org.jhal.engine.concurrent.RefCounted;
import org.jhal.engine.timeline.EngineSemaphore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * While the completion thread sleeps in the native runtime, what other threads have settled retires
 * by another one (rules Q3, Q10).
 */
class DeputyTest {
  private final QueueHarness harness = new QueueHarness(1);
  private final EngineSemaphore timeline = QueueHarness.semaphore();
  private final EngineSemaphore gate = QueueHarness.semaphore();
  private final Resource resource = new Resource();

  /** What an operation holds. */
  private static final class Resource extends RefCounted {
    volatile boolean isFreed;

    @Override
    protected void destroy() {
      isFreed = true;
    }
  }

  private QueueUse holding(String name, Fence waits, Fence signals) {
    QueueUse use = new QueueUse(name, waits, signals);
    use.resource = resource;
    return use;
  }

  /** Has the completion thread sleep for the event of an operation that does not end. */
  private Thread sleepFor(String name) {
    harness.device.setHeld(true);
    harness.enqueue(0, name, Fence.NONE, Fence.NONE);
    Completer<FakeStream.Event> completer = harness.queues.get(0).completer;
    Thread sleeper = new Thread(completer::step, "sleeper");
    sleeper.setDaemon(true);
    sleeper.start();
    awaitTrue("the completion thread to sleep", () -> harness.device.calls("synchronizeEvent") > 0);
    assertTrue(completer.isAsleep());
    return sleeper;
  }

  private static void awaitTrue(String what, BooleanSupplier condition) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    assertTrue(BackOff.await(DeputyTest.class, end, condition), "waited 20 s for " + what);
  }

  private void wake(Thread sleeper) throws InterruptedException {
    harness.device.setHeld(false);
    sleeper.join(20_000);
    assertFalse(sleeper.isAlive(), "waited 20 s for the completion thread to wake up");
    assertFalse(harness.queues.get(0).completer.isAsleep());
  }

  @AfterEach
  void letGo() {
    harness.device.setHeld(false);
  }

  private void assertRetired(QueueUse use) {
    assertTrue(harness.asideStep(), "the deputy was not called");
    assertEquals(1, use.retired.get());
    assertTrue(resource.isFreed, "what it held is still held");
    assertEquals(1, harness.open());
  }

  /** Whether the signals wait for the host completion. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aHostCompletionEndsMeanwhile(boolean beforeSignals) throws Exception {
    QueueUse use = holding("with a host completion", Fence.NONE, timeline.at(1));
    HostCompletion completion = context -> {};
    use.hostCompletion = completion;
    use.signalsAfterHostCompletion = beforeSignals;
    harness.enqueue(0, use);
    harness.streams.get(0).advanceAll();
    harness.queues.get(0).completer.step();
    Thread sleeper = sleepFor("long");
    assertFalse(resource.isFreed);
    assertTrue(harness.hostStep());
    assertRetired(use);
    assertEquals(1, timeline.currentValue());
    wake(sleeper);
    harness.finish();
  }

  @Test
  void aParkedOperationFailsMeanwhile() throws Exception {
    QueueUse use = harness.enqueue(0, holding("parked", gate.at(1), timeline.at(1)));
    Thread sleeper = sleepFor("long");
    gate.fail(new HalException(Status.ABORTED, "on purpose"));
    assertRetired(use);
    wake(sleeper);
    harness.finish();
  }

  @Test
  void aCallIsRefusedMeanwhile() throws Exception {
    Thread sleeper = sleepFor("long");
    gate.fail(new HalException(Status.ABORTED, "on purpose"));
    QueueUse use = harness.enqueue(0, holding("failed at once", gate.at(1), timeline.at(1)));
    assertRetired(use);
    wake(sleeper);
    harness.finish();
  }

  /** What was settled before it falls asleep is released first. */
  @Test
  void itDoesNotSleepOnWhatItHasRetired() throws Exception {
    QueueUse use = harness.enqueue(0, holding("parked", gate.at(1), timeline.at(1)));
    gate.fail(new HalException(Status.ABORTED, "on purpose"));
    harness.device.setHeld(true);
    harness.enqueue(0, "long", Fence.NONE, Fence.NONE);
    Thread sleeper = new Thread(() -> harness.queues.get(0).completer.step(), "sleeper");
    sleeper.setDaemon(true);
    sleeper.start();
    awaitTrue("the operation to be released", () -> resource.isFreed);
    assertEquals(1, use.retired.get());
    wake(sleeper);
    harness.finish();
  }

  /** An awake completion thread does it itself. */
  @Test
  void itIsNotCalledWithoutNeed() {
    harness.enqueue(0, "parked", gate.at(1), timeline.at(1));
    gate.fail(new HalException(Status.ABORTED, "on purpose"));
    assertFalse(harness.asideStep());
    harness.finish();
  }
}
