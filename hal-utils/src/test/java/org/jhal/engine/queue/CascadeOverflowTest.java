// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.support.EarlyClasses;
import org.jhal.engine.EngineDevice;
import org.jhal.engine.timeline.Cascade;
import org.jhal.engine.timeline.EngineSemaphore;
import org.jhal.engine.timeline.Failures;
import org.jhal.engine.timeline.WaitNode;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A thread runs out of stack while it ends a semaphore. Whatever the line, each waiter is notified
 * once, as soon as the call is repeated with enough stack.
 */
class CascadeOverflowTest {
  private static final HalException FAULT = new HalException(Status.INTERNAL, "fault");
  private static final Duration DEADLINE = Duration.ofMinutes(1);
  private static final int WAITERS = 3;

  private static final class Counted extends WaitNode {
    private volatile int count; // written by the one thread that has removed this waiter

    @Override
    public void released(Cascade cascade) {
      count++; // no call, for which there might be no stack either
    }
  }

  /** A class that is initialised while the stack runs out can never be used. */
  @BeforeAll
  static void initializeClasses() {
    EarlyClasses.initialize(EngineDevice.class);
    try (Quiet log = new Quiet()) {
      Failures.log(System.getLogger("org.jhal"), Level.DEBUG, "and those of the log", FAULT);
    }
  }

  @Test
  void everyWaiterIsNotifiedOnce() throws Exception {
    try (Quiet log = new Quiet()) {
      trial(1_000_000);
      for (int i = 0; i < 100; i++) {
        trial(64_000 + 997L * i); // with another stack, another line overflows
      }
    }
  }

  /** What a thread has left survives a garbage collection, until it goes on. */
  @Test
  void everyWaiterIsNotifiedOnceDespiteACollection() throws Exception {
    collect(1);
  }

  @Test
  @Tag("long")
  void everyWaiterIsNotifiedOnceDespiteCollections() throws Exception {
    collect(8);
  }

  private static void collect(int trials) throws Exception {
    try (Quiet log = new Quiet()) {
      for (int i = 0; i < trials; i++) {
        trial(64_000 + 997L * i, semaphore -> failDeep(semaphore, System::gc));
      }
    }
  }

  /** A thread that has run out of stack may end. */
  @Test
  void everyWaiterOfAThreadThatEndsIsNotifiedOnce() throws Exception {
    QueueHarness harness = new QueueHarness(1); // its issue thread looks for what was left
    try (Quiet log = new Quiet()) {
      for (int i = 0; i < 200; i++) {
        trial(
            64_000 + 997L * i,
            semaphore -> failOnce(semaphore),
            () -> {
              boolean unused = harness.queues.get(0).issueStep();
            });
      }
    }
    harness.finish();
  }

  private static void trial(long stackBytes) throws Exception {
    trial(stackBytes, semaphore -> failDeep(semaphore, () -> {}));
  }

  private static void trial(long stackBytes, Consumer<EngineSemaphore> body) throws Exception {
    trial(stackBytes, body, () -> {});
  }

  private static void trial(long stackBytes, Consumer<EngineSemaphore> body, Runnable then)
      throws Exception {
    EngineSemaphore semaphore = QueueHarness.semaphore();
    List<Counted> waiters = new ArrayList<>();
    for (int i = 0; i < WAITERS; i++) {
      Counted waiter = new Counted();
      semaphore.register(waiter, i + 1, null);
      waiters.add(waiter);
    }
    Thread thread = new Thread(null, () -> body.accept(semaphore), "overflow", stackBytes);
    thread.start();
    thread.join(DEADLINE.toMillis());
    assertEquals(Thread.State.TERMINATED, thread.getState(), "the thread that overflows");
    then.run();
    semaphore.fail(FAULT);
    for (Counted waiter : waiters) {
      Threads.await(
          "a waiter to be notified, with a stack of " + stackBytes + " bytes",
          () -> waiter.count == 1);
    }
  }

  @SuppressWarnings("InfiniteRecursion") // on purpose
  private static void failDeep(EngineSemaphore semaphore, Runnable before) {
    try {
      failDeep(semaphore, before);
    } catch (StackOverflowError e) {
      before.run();
      semaphore.fail(FAULT); // if this throws the error as well, the frame above tries again
    }
  }

  private static void failOnce(EngineSemaphore semaphore) {
    try {
      failFirst(semaphore);
    } catch (StackOverflowError e) {
      return; // on purpose: the thread ends
    }
  }

  /** Fails it in the deepest frames, until one attempt was interrupted after it had begun. */
  @SuppressWarnings("InfiniteRecursion") // on purpose
  private static void failFirst(EngineSemaphore semaphore) {
    try {
      failFirst(semaphore);
    } catch (StackOverflowError e) {
      if (semaphore.over() != null) {
        throw e;
      }
      semaphore.fail(FAULT);
    }
  }
}
