// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.semaphore;

import static org.jhal.cts.support.Waits.awaitReached;
import static org.jhal.cts.support.Waits.awaitTrue;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.LongConsumer;
import org.jhal.DeviceBuffer;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.HostMemory;
import org.jhal.TimelineSemaphore;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Cts;
import org.junit.jupiter.api.Test;

/**
 * A thread that waits for a value runs no callback, whosever it is: it may hold locks that the
 * callback needs, and has a deadline of its own.
 */
@CtsSuite
class CallbackThreadTest {
  /** A thread that polls sees the end of an operation first in many of so many rounds. */
  private static final int ROUNDS = 200;

  private final Queue<Thread> ran = new ConcurrentLinkedQueue<>(); // those of the callbacks

  private void note() {
    ran.add(Thread.currentThread());
  }

  private void check(int callbacks) {
    awaitTrue(callbacks + " callbacks", () -> ran.size() >= callbacks);
    assertEquals(callbacks, ran.size(), "callbacks");
    ran.removeIf(thread -> thread != Thread.currentThread());
    assertEquals(0, ran.size(), "callbacks on the thread that waits");
  }

  /** Waits for one fill after the other, each of which somebody observes. */
  private static void fillAndWait(Cts cts, TimelineSemaphore done, LongConsumer observe) {
    DeviceBuffer buffer = cts.buffer(16);
    for (int i = 1; i <= ROUNDS; i++) {
      observe.accept(i);
      cts.queue().fill(Fence.NONE, done.at(i), buffer, 0, 16, FillPattern.ZERO);
      awaitReached(done, i);
    }
  }

  @Test
  @Rule("S7")
  void aCallback(Cts cts) {
    TimelineSemaphore done = cts.semaphore();
    fillAndWait(cts, done, value -> done.onReach(value, failure -> note()));
    check(ROUNDS);
  }

  @Test
  @Rule("S7")
  void aStageOfAFuture(Cts cts) {
    TimelineSemaphore done = cts.semaphore();
    List<CompletableFuture<?>> stages = new ArrayList<>();
    fillAndWait(cts, done, value -> stages.add(done.whenReached(value).thenRun(this::note)));
    check(ROUNDS);
    stages.forEach(CompletableFuture::join);
  }

  /** Several callbacks of one signal, in their order. */
  @Test
  @Rule({"S2", "S7"})
  void callbacksOfOneSignal(Cts cts) {
    TimelineSemaphore done = cts.semaphore();
    Queue<Long> order = new ConcurrentLinkedQueue<>();
    List<Long> expected = new ArrayList<>();
    DeviceBuffer buffer = cts.buffer(16);
    for (long i = 0; i < ROUNDS; i += 4) {
      for (long value = i + 4; value > i; value--) {
        long observed = value;
        done.onReach(
            observed,
            failure -> {
              order.add(observed);
              note();
            });
      }
      for (long value = i + 1; value <= i + 4; value++) {
        expected.add(value);
      }
      cts.queue().fill(Fence.NONE, done.at(i + 4), buffer, 0, 16, FillPattern.ZERO);
      awaitReached(done, i + 4);
      int count = expected.size();
      awaitTrue("the callbacks of value " + (i + 4), () -> ran.size() >= count);
    }
    check(ROUNDS);
    assertEquals(expected, List.copyOf(order));
  }

  @Test
  @Rule({"S7", "Q2"})
  void aCallbackOfMemoryThatWasBorrowed(Cts cts) {
    TimelineSemaphore gate = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    DeviceBuffer buffer = cts.buffer(new byte[16]);
    for (int i = 1; i <= ROUNDS; i++) {
      HostMemory memory = HostMemory.of(ByteBuffer.allocate(16));
      cts.queue().readback(gate.at(i), done.at(i), buffer, 0, memory);
      memory.onFree(this::note);
      gate.signal(i);
      awaitReached(done, i);
    }
    check(ROUNDS);
  }
}
