// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.queue;

import java.util.concurrent.atomic.AtomicInteger;
import org.jetbrains.lincheck.datastructures.Validate;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.engine.timeline.EngineSemaphore;
import org.jhal.engine.timeline.Producer;
import org.jspecify.annotations.Nullable;

/**
 * The calls of {@link QueueInterleavingTest} on the two queues of a device. Steps of the engine's
 * threads are calls like any other. No call returns a result; invariants are checked at the end,
 * and by {@link #readBoth}.
 *
 * <p>There are four timelines. Some work waits for {@code gate}, which users signal. Work on queue
 * 0 signals {@code first}. Work on queue 1 waits for {@code first} and signals {@code second}. Work
 * that nothing depends on signals {@code other}. At most two operations are in a stream.
 */
public class QueueScenario {
  private static final HalException GONE = new HalException(Status.UNAVAILABLE, "gone");
  private static final HalException FAILURE = new HalException(Status.ABORTED, "failed");
  private static final HalException CLOSED = new HalException(Status.CANCELLED, "closed");

  private final QueueHarness harness = new QueueHarness(2, 2);
  final DeferredWorkQueue<FakeStream.Event> queue0 = harness.queues.get(0);
  private final DeferredWorkQueue<FakeStream.Event> queue1 = harness.queues.get(1);
  private final EngineSemaphore gate = QueueHarness.semaphore();
  private final EngineSemaphore first = QueueHarness.semaphore();
  private final EngineSemaphore second = QueueHarness.semaphore();
  private final EngineSemaphore other = QueueHarness.semaphore();
  private volatile boolean isLost;
  private volatile boolean isFirstDue; // a producer has run, or a user has signalled `first`
  private final AtomicInteger owners = new AtomicInteger(); // those that may fail `first`
  private volatile @Nullable Throwable thrown; // what a call threw although it must not

  /** For Lincheck. */
  public QueueScenario() {}

  // Users.

  private void enqueue(int queue, QueueUse use) {
    attempt(
        () -> {
          try {
            harness.enqueue(queue, use);
          } catch (HalException e) {
            boolean isExpected =
                e.status() == Status.UNAVAILABLE || e.status() == Status.FAILED_PRECONDITION;
            if (!isExpected) {
              throw e;
            }
          }
        });
  }

  /** Keeps what a call throws, which Lincheck would treat as a result. */
  final void attempt(Runnable call) {
    try {
      call.run();
    } catch (Throwable t) {
      thrown = t;
    }
  }

  private QueueUse producer(String name, Fence waits) {
    owners.incrementAndGet();
    QueueUse use = new QueueUse(name, waits, first.at(1));
    use.effect = () -> isFirstDue = true;
    return use;
  }

  /** Enqueues work on queue 0 that can start at once, and on which work on queue 1 depends. */
  public void produce() {
    enqueue(0, producer("produce", Fence.NONE));
  }

  /** Does the same behind the gate. */
  public void produceLater() {
    enqueue(0, producer("produceLater", gate.at(1)));
  }

  /** Does the same with a host completion before the signal. */
  public void produceWithHostCompletion() {
    QueueUse use = producer("produceWithHostCompletion", Fence.NONE);
    use.hostCompletion = context -> {};
    enqueue(0, use);
  }

  /** Does the same with a brief host completion, which must run once. */
  public void produceBriefly() {
    QueueUse use = producer("produceBriefly", Fence.NONE);
    AtomicInteger runs = new AtomicInteger();
    use.effect = () -> {};
    use.hostCompletion =
        new BriefCompletion(
            () -> {
              isFirstDue = true;
              if (runs.incrementAndGet() > 1 || use.retired.get() > 0) {
                thrown = new IllegalStateException(use + " ran its host completion " + runs);
              }
            });
    enqueue(0, use);
  }

  /** Does the same with work that fails in the stream. */
  public void produceFailure() {
    QueueUse use = producer("produceFailure", Fence.NONE);
    use.failsInStream = FAILURE;
    enqueue(0, use);
  }

  private QueueUse consumer(String name, Fence waits) {
    QueueUse use = new QueueUse(name, waits, second.at(1));
    use.effect =
        () -> {
          if (!isFirstDue) {
            thrown = new IllegalStateException("work ran before its wait was over");
          }
        };
    return use;
  }

  /** Enqueues work on queue 1 that depends on queue 0. */
  public void consume() {
    enqueue(1, consumer("consume", first.at(1)));
  }

  /** Does the same, with the gate as a second wait. */
  public void consumeLater() {
    enqueue(1, consumer("consumeLater", gate.at(1).and(first.at(1))));
  }

  /** Enqueues work on queue 0 on which nothing depends. */
  public void work() {
    enqueue(0, new QueueUse("work", Fence.NONE, other.at(1)));
  }

  /** Opens the gate. */
  public void signalGate() {
    attempt(() -> gate.signalAtLeast(1));
  }

  /** Fails the operations that wait at the gate. */
  public void failGate() {
    attempt(() -> gate.fail(FAILURE));
  }

  /** Cancels the operations that wait at the gate. */
  public void closeGate() {
    attempt(gate::close);
  }

  /** Signals instead of the producer. */
  public void signalFirst() {
    isFirstDue = true;
    attempt(() -> first.signalAtLeast(1));
  }

  /** Fails the producer's timeline. */
  public void failFirst() {
    owners.incrementAndGet();
    attempt(() -> first.fail(FAILURE));
  }

  /** Polls once, like a host thread that waits for the producer. */
  public void pollFirst() {
    attempt(() -> poll(first));
  }

  /** Polls once, like a host thread that waits for the consumer. */
  public void pollSecond() {
    attempt(() -> poll(second));
  }

  private static void poll(EngineSemaphore semaphore) {
    Producer operation = semaphore.covering(1);
    if (operation != null) {
      boolean isSettled = operation.settleWhenFired(System.nanoTime(), () -> true);
      if (isSettled && semaphore.currentValue() < 1 && semaphore.over() == null) {
        throw new IllegalStateException(
            "the operation is settled, but its signal is neither reached nor failed");
      }
    }
  }

  /**
   * Checks rule Q9. The later value is read first, since values only grow. If something else fails
   * the earlier timeline, the consumer continues with the outcome of its own producer.
   */
  public void readBoth() {
    attempt(
        () -> {
          boolean isSecond = second.currentValue() >= 1;
          boolean mayHaveFailed = owners.get() > 1 && first.over() != null;
          if (isSecond && first.currentValue() < 1 && !mayHaveFailed) {
            throw new IllegalStateException("a value is visible before one that it depends on");
          }
          if (first.currentValue() >= 1 && !isFirstDue) {
            throw new IllegalStateException("a value is visible before the work is done");
          }
        });
  }

  // The device.

  /** Runs the issue thread of queue 0. */
  public void issue0() {
    attempt(queue0.issueRole::takeStepsIfWoken);
  }

  /** Runs the completion thread of queue 0. Must not run twice at once. */
  public void complete0() {
    attempt(queue0.completionRole::takeStepsIfWoken);
  }

  /** Runs the completion thread of queue 1. Must not run twice at once. */
  public void complete1() {
    attempt(queue1.completionRole::takeStepsIfWoken);
  }

  /** Ends a wait of the first operation that is still open, which is a bug on purpose. */
  final void forgetWait() {
    Operation<FakeStream.Event> operation = harness.uses.get(0).operation;
    if (operation != null) {
      operation.countDown();
    }
  }

  /** Runs a thread of host completions. */
  public void host() {
    attempt(harness::hostStep);
  }

  /** Runs what was left to the thread for that. */
  public void aside() {
    attempt(harness::asideStep);
  }

  /** The device runs all its work. The engine has not seen the events fire yet. */
  public void run() {
    attempt(
        () -> {
          while (harness.streams.get(0).advance() || harness.streams.get(1).advance()) {
            continue;
          }
        });
  }

  /** The device is lost, and the engine learns it at once. */
  public void lose() {
    attempt(
        () -> {
          isLost = true;
          harness.device.lose(GONE);
          harness.lose(GONE);
        });
  }

  /** The device is lost, and the engine learns it from the next native call. */
  public void loseStream() {
    attempt(
        () -> {
          isLost = true;
          harness.device.lose(GONE);
        });
  }

  /** Closes the device, up to where it would wait for its threads. At most once. */
  public void close() {
    attempt(
        () -> {
          harness.queues.forEach(queue -> queue.shutdown().shut(System.nanoTime()));
          harness.queues.forEach(queue -> queue.shutdown().cancelAll(CLOSED));
        });
  }

  /**
   * Checks that every operation settles and retires exactly once, and that nothing is left over.
   */
  @Validate
  public void check() throws Throwable {
    readBoth();
    harness.finish();
    readBoth();
    Throwable problem = thrown;
    if (problem != null) {
      throw problem;
    }
    HalException lost = harness.lost();
    if (lost != null && !isLost) {
      throw new IllegalStateException(
          "the engine lost the device without a fault: " + lost.getMessage());
    }
  }
}
