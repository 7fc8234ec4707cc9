// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.stress;

import static org.jhal.cts.support.TestData.assertHal;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.jhal.cts.support.Waits.awaitTrue;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.jhal.DeviceQueue;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.Waits;
import org.junit.jupiter.api.Test;

/**
 * Long chains of dependent operations, released and failed on a stack of the default size. A link
 * must cost neither a stack frame nor a scan of all other links (rules K1 and K2). The system
 * property {@code jhal.cts.chain} sets the length of the longest chains.
 */
@CtsSuite(deadlineSeconds = 600)
class ChainTest {
  private static final int MANY = Integer.getInteger("jhal.cts.chain", 200_000);

  /** Enough to overflow a stack, for chains that resemble a longer one. */
  private static final int SOME = MANY / 20;

  /**
   * The limit for a whole chain. A driver that scans all links for each link takes several times as
   * long for the default length, and days for a million links.
   */
  private static final Duration LIMIT = Duration.ofSeconds(MANY <= 200_000 ? 60 : 240);

  private static final HalException FAILURE = new HalException(Status.DATA_LOSS, "at the start");

  /** A chain on one timeline: link i waits for i and signals i + 1. */
  private static void enqueueTimeline(Cts cts, TimelineSemaphore timeline) {
    int queues = cts.device().queueCount();
    for (int i = 1; i <= SOME; i++) {
      cts.queue(i % queues).barrier(timeline.at(i), timeline.at(i + 1));
    }
  }

  @Test
  @Rule({"K1", "K2", "S2"})
  void aLongChainOnOneTimelineCompletes(Cts cts) {
    TimelineSemaphore timeline = cts.semaphore();
    enqueueTimeline(cts, timeline);
    timeline.signal(1);
    awaitReached(timeline.at(SOME + 1L), LIMIT);
    assertEquals(SOME + 1L, timeline.value());
    awaitIdle(cts);
  }

  @Test
  @Rule({"K1", "K2", "Q6"})
  void aLongChainOnOneTimelineFails(Cts cts) {
    TimelineSemaphore timeline = cts.semaphore();
    enqueueTimeline(cts, timeline);
    timeline.fail(FAILURE);
    assertHal(Status.DATA_LOSS, timeline::value, "at the start");
    awaitIdle(cts);
  }

  private static void awaitIdle(Cts cts) {
    awaitTrue(
        "all operations to retire", LIMIT, () -> cts.device().statistics().openOperations() == 0);
  }

  /** A chain with a separate semaphore for each link. */
  private static TimelineSemaphore[] enqueueChain(Cts cts, int links) {
    TimelineSemaphore[] chain = new TimelineSemaphore[links + 1];
    DeviceQueue queue = cts.queue();
    chain[0] = cts.device().createSemaphore(0);
    for (int i = 0; i < links; i++) {
      chain[i + 1] = cts.device().createSemaphore(0);
      queue.barrier(chain[i].at(1), chain[i + 1].at(1));
    }
    return chain;
  }

  private static void close(TimelineSemaphore[] chain) {
    for (TimelineSemaphore semaphore : chain) {
      semaphore.close();
    }
  }

  @Test
  @Rule({"K1", "Q9"})
  void aLongChainOfSemaphoresCompletes(Cts cts) {
    TimelineSemaphore[] chain = enqueueChain(cts, MANY);
    chain[0].signal(1);
    awaitReached(chain[MANY].at(1), LIMIT);
    for (TimelineSemaphore semaphore : chain) {
      assertEquals(1, semaphore.value());
    }
    awaitIdle(cts);
    close(chain);
  }

  @Test
  @Rule({"K1", "Q6"})
  void aChainOfSemaphoresFails(Cts cts) {
    TimelineSemaphore[] chain = enqueueChain(cts, MANY);
    chain[0].fail(FAILURE);
    HalException last = failureOf(chain[MANY]);
    assertHal(Status.DATA_LOSS, last, "at the start");
    awaitIdle(cts);
    close(chain);
  }

  @Test
  @Rule({"K1", "S8"})
  void aChainOfSemaphoresIsCancelled(Cts cts) {
    TimelineSemaphore[] chain = enqueueChain(cts, SOME);
    chain[0].close();
    assertHal(Status.CANCELLED, failureOf(chain[SOME]));
    awaitIdle(cts);
    close(chain);
  }

  private static HalException failureOf(TimelineSemaphore semaphore) {
    awaitTrue("the last link to fail", LIMIT, () -> semaphore.failure() != null);
    return Waits.awaitFailure(semaphore, 1);
  }

  @Test
  @Rule({"K2", "S7"})
  void aChainOfCallbacksRuns(Cts cts) {
    TimelineSemaphore[] chain = callbackChain(cts);
    chain[0].signal(1);
    assertEquals(1, chain[SOME].value());
    close(chain);
  }

  @Test
  @Rule({"K2", "S7"})
  void aChainOfCallbacksFails(Cts cts) {
    TimelineSemaphore[] chain = callbackChain(cts);
    chain[0].fail(FAILURE);
    assertHal(Status.DATA_LOSS, chain[SOME]::value, "at the start");
    close(chain);
  }

  private static TimelineSemaphore[] callbackChain(Cts cts) {
    TimelineSemaphore[] chain = new TimelineSemaphore[SOME + 1];
    chain[0] = cts.device().createSemaphore(0);
    for (int i = 0; i < SOME; i++) {
      TimelineSemaphore next = cts.device().createSemaphore(0);
      chain[i + 1] = next;
      chain[i].onReach(
          1,
          failure -> {
            if (failure == null) {
              next.signal(1);
            } else {
              next.fail(failure);
            }
          });
    }
    return chain;
  }

  @Test
  @Rule({"K2", "S2"})
  void oneSignalReleasesManyCallbacks(Cts cts) {
    TimelineSemaphore semaphore = cts.semaphore();
    AtomicInteger calls = new AtomicInteger();
    for (int i = 0; i < MANY; i++) {
      semaphore.onReach(1 + i % 7, failure -> calls.incrementAndGet());
    }
    semaphore.signal(7);
    assertEquals(MANY, calls.get());
  }
}
