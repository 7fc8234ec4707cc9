// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jhal.BufferParams;
import org.jhal.engine.queue.Threads;

/** Virtual threads, and their throwables. */
public final class VirtualThreads {
  private static final Duration DEADLINE = Duration.ofSeconds(20);

  /** More than the limit of concurrent calls of virtual threads. */
  public static final int TOO_MANY = 4 * Runtime.getRuntime().availableProcessors() + 1;

  private final List<Thread> threads = new ArrayList<>();
  private final ConcurrentLinkedQueue<Throwable> thrown = new ConcurrentLinkedQueue<>();

  private VirtualThreads() {}

  /** A step of a test that may be interrupted. */
  public interface Step {
    void run() throws Exception;
  }

  private void start(Step step) throws ReflectiveOperationException {
    Thread thread =
        Threads.virtual()
            .newThread(
                () -> {
                  try {
                    step.run();
                  } catch (Throwable t) {
                    thrown.add(t);
                  }
                });
    threads.add(thread);
    thread.start();
  }

  private boolean allRun() {
    return threads.stream().allMatch(Thread::isAlive);
  }

  private void join() throws InterruptedException {
    for (Thread thread : threads) {
      thread.join(DEADLINE.toMillis());
      assertEquals(Thread.State.TERMINATED, thread.getState(), () -> thread + " does not end");
    }
    assertEquals(List.of(), List.copyOf(thrown));
  }

  /** Runs a step on each of so many virtual threads. */
  public static void run(int count, Step step) throws Exception {
    VirtualThreads threads = new VirtualThreads();
    for (int i = 0; i < count; i++) {
      threads.start(step);
    }
    threads.join();
  }

  /** Waits as a blocking call does. */
  public static void await(CountDownLatch go, String what) {
    try {
      assertTrue(go.await(1, TimeUnit.MINUTES), () -> "waited a minute for " + what);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /**
   * Makes blocking calls on virtual threads until {@code go}, and checks that another call is not
   * delayed.
   *
   * @param calls {@link #TOO_MANY}
   * @param awaitAll waits until all of them wait
   */
  public static void assertOthersGoOn(List<Step> calls, Step awaitAll, CountDownLatch go)
      throws Exception {
    assertEquals(TOO_MANY, calls.size());
    VirtualThreads threads = new VirtualThreads();
    InstantBackend backend = new InstantBackend();
    try (EngineDevice<Object> other = backend.open(1)) {
      try {
        for (Step call : calls) {
          threads.start(call);
        }
        awaitAll.run();
        run(1, () -> other.allocate(64, BufferParams.DEVICE).close());
        assertTrue(threads.allRun(), "the calls wait");
      } finally {
        go.countDown();
      }
      threads.join();
    }
    assertEquals(List.of(), List.copyOf(backend.misuses));
  }
}
