// SPDX-License-Identifier: Apache-2.0
package org.example.tiny;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.jhal.driver.support.EngineThread;
import org.jspecify.annotations.Nullable;

/**
 * A native queue like Vulkan's: one call submits what to wait for, the work, and what to signal.
 */
final class TimelineQueue {
  /** A number that grows, and threads that wait for its values. */
  static final class Timeline {
    private long value;
    private final List<Waiter> waiters = new ArrayList<>();

    private record Waiter(long value, CountDownLatch reached) {}

    synchronized long value() {
      return value;
    }

    private synchronized void set(long next) {
      value = next;
      waiters.stream().filter(one -> one.value <= next).forEach(one -> one.reached.countDown());
      waiters.removeIf(one -> one.value <= next);
    }

    private synchronized CountDownLatch reached(long wanted) {
      CountDownLatch reached = new CountDownLatch(wanted <= value ? 0 : 1);
      waiters.add(new Waiter(wanted, reached));
      return reached;
    }

    void await(long wanted) {
      TinyStream.await(reached(wanted));
    }
  }

  /** A value of a timeline. */
  record Point(Timeline timeline, long value) {}

  private record Batch(List<Point> waits, List<Runnable> work, @Nullable Point signal) {}

  private final BlockingQueue<Batch> batches = new LinkedBlockingQueue<>();
  private final AtomicLong open = new AtomicLong(); // submitted and not over
  private boolean isClosed; // of the thread

  TimelineQueue(String name) {
    new EngineThread(name, this::run).start();
  }

  private void run() {
    while (!isClosed) {
      try {
        Batch batch = batches.take();
        batch.waits.forEach(point -> point.timeline.await(point.value));
        batch.work.forEach(Runnable::run);
        if (batch.signal != null) {
          batch.signal.timeline.set(batch.signal.value);
        }
        open.decrementAndGet();
      } catch (InterruptedException e) {
        // no code interrupts this thread
      }
    }
  }

  void submit(List<Point> waits, List<Runnable> work, @Nullable Point signal) {
    open.incrementAndGet();
    batches.add(new Batch(waits, work, signal));
  }

  boolean isIdle() {
    return open.get() == 0;
  }

  /** Ends the thread of the idle queue. */
  void close() {
    submit(List.of(), List.of(() -> isClosed = true), null);
  }
}
