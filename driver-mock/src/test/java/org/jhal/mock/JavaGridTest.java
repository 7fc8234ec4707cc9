// SPDX-License-Identifier: Apache-2.0
package org.jhal.mock;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jhal.Args;
import org.jhal.Device;
import org.jhal.Executable;
import org.jhal.ExecutableSource;
import org.jhal.Fence;
import org.jhal.Hal;
import org.jhal.TimelineSemaphore;
import org.jhal.Workgroups;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Grids of kernels in Java, on queues that share the threads of a device. */
@Timeout(60)
class JavaGridTest {
  private static final Duration LIMIT = Duration.ofSeconds(20);

  /** Longer than a stream's thread runs a grid without help. */
  private static final long ALONE_NANOS = 1_000_000;

  private final CountDownLatch occupied = new CountDownLatch(2);
  private final CountDownLatch go = new CountDownLatch(1);
  private final AtomicInteger ran = new AtomicInteger();

  private final ExecutableSource source =
      ExecutableSource.builder("grids")
          .kernel("wait", Workgroups.of(1), 0)
          .kernel("count", Workgroups.of(1), 0)
          .java(
              "wait",
              group -> {
                if (group.groupX() == 0) {
                  spin();
                } else {
                  occupied.countDown();
                  await(go);
                }
              })
          .java(
              "count",
              group -> {
                if (group.groupX() == 0) {
                  spin();
                }
                ran.incrementAndGet();
              })
          .build();

  private static void spin() {
    long end = System.nanoTime() + ALONE_NANOS;
    while (System.nanoTime() - end < 0) {
      Thread.onSpinWait();
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      if (!latch.await(LIMIT.toSeconds(), TimeUnit.SECONDS)) {
        throw new IllegalStateException("the test did not let the kernel go on");
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** All threads that could help are busy with the grid of the other queue. */
  @Test
  void aGridEndsWhileThatOfAnotherQueueHoldsAllHelpers() throws Exception {
    try (Device device = Hal.openDevice("mock://?threads=2&queues=2");
        Executable kernels = device.loadExecutable(source);
        TimelineSemaphore held = device.createSemaphore();
        TimelineSemaphore done = device.createSemaphore()) {
      device
          .queue(0)
          .dispatch(Fence.NONE, held.at(1), kernels.kernel("wait"), Workgroups.of(3), Args.of());
      await(occupied);
      device
          .queue(1)
          .dispatch(Fence.NONE, done.at(1), kernels.kernel("count"), Workgroups.of(8), Args.of());
      try {
        done.await(1, LIMIT.dividedBy(2));
      } finally {
        go.countDown();
      }
      assertEquals(8, ran.get());
      held.await(1, LIMIT);
    }
  }
}
