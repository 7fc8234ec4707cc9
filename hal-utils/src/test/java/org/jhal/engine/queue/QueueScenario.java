package org.jhal.engine.queue;

import java.util.concurrent.atomic.AtomicInteger;
import org.jetbrains.lincheck.datastructures.Validate;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.Status;
import org.jspecify.annotations.Nullable;

/**
 * What {@link QueueInterleavingTest} does with the two queues of a device. What the engine's
 * threads do is a call like any other. No call returns anything: what must hold is checked at the
 * end, and when somebody looks.
 *
 * <p>Timelines: some work waits for {@code gate}, which users signal. Work on queue 0 signals
 * {@code first}, work on queue 1 waits for that and signals {@code second}. At most two operations
 * are in a stream.
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
  private volatile boolean isClosed;
  private volatile boolean isLost;
  private volatile boolean isFirstDue; // a producer has run, or a user has signalled for it
  private final AtomicInteger owners = new AtomicInteger(); // producers and users who fail first
  private volatile @Nullable Throwable thrown; // what a call threw, and should not have

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

  /** Lincheck would take what a call throws for a result. */
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

  /** Work on queue 0 that can start at once, and that work on queue 1 depends on. */
  public void produce() {
    enqueue(0, producer("produce", Fence.NONE));
  }

  /** The same behind the gate. */
  public void produceLater() {
    enqueue(0, producer("produceLater", gate.at(1)));
  }

  /** The same with a host completion before the signal. */
  public void produceWithHostCompletion() {
    QueueUse use = producer("produceWithHostCompletion", Fence.NONE);
    use.hostCompletion = () -> {};
    enqueue(0, use);
  }

  /** The same, failing in the stream. */
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
            thrown = new IllegalStateException("work runs before what it waits for");
          }
        };
    return use;
  }

  /** Work on queue 1 that depends on queue 0. */
  public void consume() {
    enqueue(1, consumer("consume", first.at(1)));
  }

  /** The same, behind the gate too. */
  public void consumeLater() {
    enqueue(1, consumer("consumeLater", gate.at(1).and(first.at(1))));
  }

  /** Work on queue 0 that nobody depends on. */
  public void work() {
    enqueue(0, new QueueUse("work", Fence.NONE, other.at(1)));
  }

  /** Opens the gate. */
  public void signalGate() {
    attempt(() -> gate.signalAtLeast(1));
  }

  /** Fails who waits at the gate. */
  public void failGate() {
    attempt(() -> gate.fail(FAILURE));
  }

  /** Cancels who waits at the gate. */
  public void closeGate() {
    attempt(gate::close);
  }

  /** Signals in place of the producer. */
  public void signalFirst() {
    isFirstDue = true;
    attempt(() -> first.signalAtLeast(1));
  }

  /** Fails the producer's timeline. */
  public void failFirst() {
    owners.incrementAndGet();
    attempt(() -> first.fail(FAILURE));
  }

  /** A host thread that waits for the producer polls once. */
  public void pollFirst() {
    attempt(() -> poll(first));
  }

  /** A host thread that waits for the consumer polls once. */
  public void pollSecond() {
    attempt(() -> poll(second));
  }

  private static void poll(EngineSemaphore semaphore) {
    Operation<?> operation = semaphore.retainCovering(1);
    if (operation != null) {
      boolean isSettled = operation.settleWhenFired(System.nanoTime(), () -> true);
      if (isSettled && semaphore.currentValue() < 1 && semaphore.over() == null) {
        throw new IllegalStateException("settled, and its signal is neither reached nor failed");
      }
      operation.release();
    }
  }

  /**
   * Rule Q9; the later value is read first, as values only grow. Where somebody else fails the
   * earlier timeline, the consumer goes on with what its own producer did.
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

  /** The issue thread of queue 0. */
  public void issue0() {
    attempt(queue0.issueRole::takeStepsIfWoken);
  }

  /** The completion thread of queue 0; not twice at once. */
  public void complete0() {
    attempt(queue0.completionRole::takeStepsIfWoken);
  }

  /** The completion thread of queue 1; not twice at once. */
  public void complete1() {
    attempt(queue1.completionRole::takeStepsIfWoken);
  }

  /** What nobody may do. */
  final void dropFirst() {
    Operation<FakeStream.Event> operation = harness.uses.get(0).operation;
    if (operation != null) {
      operation.release();
    }
  }

  /** A thread of host completions. */
  public void host() {
    attempt(harness::hostStep);
  }

  /** The device runs what it has, and nobody has noticed yet. */
  public void run() {
    attempt(
        () -> {
          while (harness.streams.get(0).advance() || harness.streams.get(1).advance()) {
            continue;
          }
        });
  }

  /** The device is lost, and the engine is told. */
  public void lose() {
    attempt(
        () -> {
          isLost = true;
          harness.device.lose(GONE);
          harness.lose(GONE);
        });
  }

  /** The device is lost, which the next native call tells. */
  public void loseStream() {
    attempt(
        () -> {
          isLost = true;
          harness.device.lose(GONE);
        });
  }

  /** The device closes, up to where it waits for its threads; once. */
  public void close() {
    attempt(
        () -> {
          isClosed = true;
          harness.queues.forEach(queue -> queue.shutdown().shut(System.nanoTime()));
          harness.queues.forEach(queue -> queue.shutdown().cancelAll(CLOSED));
        });
  }

  /** Whatever happened: all settles and retires once, nobody is forgotten, and nothing is left. */
  @Validate
  public void check() throws Throwable {
    readBoth();
    // An operation that is enqueued while the queue gives up waiting for its thread stays in the
    // heap of a queue that nobody will use again.
    harness.finish(!isClosed);
    readBoth();
    Throwable problem = thrown;
    if (problem != null) {
      throw problem;
    }
    HalException lost = harness.lost();
    if (lost != null && !isLost) {
      throw new IllegalStateException("the engine has failed by itself: " + lost.getMessage());
    }
  }
}
