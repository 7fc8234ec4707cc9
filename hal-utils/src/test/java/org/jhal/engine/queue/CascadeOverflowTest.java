package org.jhal.engine.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jhal.HalException;
import org.jhal.Status;
import org.junit.jupiter.api.Test;

/**
 * A thread runs out of stack while it ends a semaphore. Whatever the line, each waiter is told
 * once, as soon as the call is repeated with enough stack.
 */
class CascadeOverflowTest {
  private static final HalException FAULT = new HalException(Status.INTERNAL, "fault");
  private static final Duration DEADLINE = Duration.ofSeconds(20);
  private static final int WAITERS = 3;

  private static final class Counted extends WaitNode {
    private volatile int count; // written by the one thread that has removed this waiter

    @Override
    void released(Cascade cascade) {
      cascade.beginning = null;
      count++; // no call, for which there might be no stack either
    }
  }

  @Test
  void everyWaiterIsToldOnce() throws Exception {
    try (Quiet log = new Quiet()) {
      // A class that is initialised while the stack runs out can never be used.
      Failures.log(System.getLogger("org.jhal"), Level.DEBUG, "initialised", FAULT);
      trial(1_000_000);
      for (int i = 0; i < 400; i++) {
        trial(64_000 + 997L * i); // with another stack, another line overflows
      }
    }
  }

  private static void trial(long stackBytes) throws Exception {
    EngineSemaphore semaphore = QueueHarness.semaphore();
    List<Counted> waiters = new ArrayList<>();
    for (int i = 0; i < WAITERS; i++) {
      Counted waiter = new Counted();
      semaphore.register(waiter, i + 1, null);
      waiters.add(waiter);
    }
    Thread thread = new Thread(null, () -> failDeep(semaphore), "overflow", stackBytes);
    thread.start();
    thread.join(DEADLINE.toMillis());
    assertEquals(Thread.State.TERMINATED, thread.getState(), "the thread that overflows");
    semaphore.fail(FAULT);
    for (Counted waiter : waiters) {
      Threads.await(
          "a waiter to be told, with a stack of " + stackBytes + " bytes", () -> waiter.count == 1);
    }
  }

  @SuppressWarnings("InfiniteRecursion") // on purpose
  private static void failDeep(EngineSemaphore semaphore) {
    try {
      failDeep(semaphore);
    } catch (StackOverflowError e) {
      semaphore.fail(FAULT); // if this throws the error as well, the frame above tries again
    }
  }
}
