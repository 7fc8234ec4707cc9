// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.engine.queue.FakeStream.Event;
import org.jhal.engine.queue.FakeStream.FakeDevice;
import org.jhal.engine.queue.Operation.State;
import org.jhal.engine.queue.QueueUse.TestWork;
import org.jhal.engine.timeline.EngineSemaphore;
import org.jhal.engine.timeline.Failures;
import org.jspecify.annotations.Nullable;

/**
 * The queues of one device, or of several that share events, over {@link FakeStream}s. Their
 * threads are never started: a test runs the steps of the issue thread, the completion thread and
 * the threads of host completions itself, on any threads.
 *
 * <p>Thread-safe.
 */
public final class QueueHarness {
  final FakeDevice device = new FakeDevice();
  final List<FakeStream> streams = new ArrayList<>();
  final List<DeferredWorkQueue<Event>> queues = new ArrayList<>();
  final List<QueueUse> uses = new ArrayList<>(); // guarded by itself
  private final List<Operation<Event>> operations = new ArrayList<>(); // guarded by itself
  private final Deque<Runnable> hostWork = new ArrayDeque<>(); // guarded by itself
  private final Deque<Runnable> leftAside = new ArrayDeque<>(); // guarded by itself
  private final List<Loss> losses = new ArrayList<>(); // by device
  private volatile boolean spreadsLoss = true;
  private volatile boolean isPatient;

  /** Thrown when the loss of the device is noted next, as on a thread that has no stack left. */
  final AtomicReference<@Nullable Error> failsNextNote = new AtomicReference<>();

  /** Runs once, when a thread next asks whether the device is lost. */
  final AtomicReference<@Nullable Runnable> atNextLook = new AtomicReference<>();

  QueueHarness(int queueCount) {
    this(queueCount, 512);
  }

  QueueHarness(int queueCount, int maxInFlight) {
    this(queueCount, maxInFlight, Integer.MAX_VALUE);
  }

  QueueHarness(int queueCount, int maxInFlight, int capacity) {
    this(1, queueCount, maxInFlight, capacity, false, 0, 0);
  }

  /**
   * The queues of a device whose completion threads never sleep in the native runtime, and query no
   * event of their own accord for {@code quietNanos}.
   */
  static QueueHarness thatIsQuiet(int queueCount, int maxInFlight, long quietNanos) {
    return new QueueHarness(
        1, queueCount, maxInFlight, Integer.MAX_VALUE, false, Long.MAX_VALUE, quietNanos);
  }

  /** The same, on a device that reports how work has ended only if it is asked. */
  static QueueHarness thatIsQuietAndAsked(int queueCount, long quietNanos) {
    return new QueueHarness(
        1, queueCount, 512, Integer.MAX_VALUE, true, Long.MAX_VALUE, quietNanos);
  }

  /** The queue of a device whose completion thread polls for so long before it sleeps. */
  static QueueHarness thatSpins(long spinNanos) {
    return new QueueHarness(1, 1, 512, Integer.MAX_VALUE, false, spinNanos, 0);
  }

  /** The queues of several devices that share events, those of the first device first. */
  static QueueHarness ofDevices(int count, int queuesOfEach) {
    return new QueueHarness(count, queuesOfEach, 512, Integer.MAX_VALUE, false, 0, 0);
  }

  /** The same, on devices that report how work has ended only if they are asked. */
  static QueueHarness thatIsAsked(int count, int queuesOfEach) {
    return new QueueHarness(count, queuesOfEach, 512, Integer.MAX_VALUE, true, 0, 0);
  }

  private QueueHarness(
      int deviceCount,
      int queueCount,
      int maxInFlight,
      int capacity,
      boolean reportsOnlyIfAsked,
      long completionSpinNanos,
      long quietNanos) {
    Object events = new Object();
    if (reportsOnlyIfAsked) {
      device.reportOnlyIfAsked();
    }
    for (int i = 0; i < deviceCount * queueCount; i++) {
      if (i % queueCount == 0) {
        losses.add(new Loss());
      }
      Loss loss = losses.get(i / queueCount);
      FakeStream stream = new FakeStream(device, capacity);
      streams.add(stream);
      DeferredWorkQueue<Event> queue =
          new DeferredWorkQueue<>(
              new QueueSettings(
                  "fake-q" + i,
                  i + 1,
                  loss.end,
                  events,
                  reportsOnlyIfAsked,
                  maxInFlight,
                  0,
                  0,
                  completionSpinNanos,
                  quietNanos,
                  Duration.ZERO),
              stream,
              loss,
              this::aside);
      queues.add(queue);
      loss.queues.add(queue);
    }
    if (deviceCount > 1) {
      queues.forEach(queue -> DeviceEnd.addWaker(queue.waker)); // by which they find each other
    }
    FakeStream.join(streams);
  }

  /** Begins an operation that does what {@code use} says. */
  Operation<Event> begin(int queue, QueueUse use) {
    TestWork work = new TestWork(this::hostCompletion);
    work.use = use;
    Operation<Event> operation = queues.get(queue).enqueuer().begin(work, false);
    synchronized (operations) {
      operations.add(operation);
    }
    return operation;
  }

  private void hostCompletion(Runnable hostCompletion) {
    synchronized (hostWork) {
      hostWork.add(hostCompletion);
    }
  }

  private void aside(Runnable task) {
    synchronized (leftAside) {
      leftAside.add(task);
    }
  }

  /** Runs one thing that was left to the thread for that. Returns false if there is none. */
  boolean asideStep() {
    Runnable task;
    synchronized (leftAside) {
      task = leftAside.poll();
    }
    if (task == null) {
      return false;
    }
    task.run();
    return true;
  }

  /** Does what a device does: keeps the first cause, and propagates it to all its queues. */
  private final class Loss implements DeviceLoss {
    final List<DeferredWorkQueue<Event>> queues = new ArrayList<>();
    final AtomicReference<@Nullable HalException> lost = new AtomicReference<>();
    final DeviceEnd end = new DeviceEnd();
    private final AtomicBoolean isPropagated = new AtomicBoolean();

    @Override
    public @Nullable HalException cause() {
      Runnable look = atNextLook.getAndSet(null);
      if (look != null) {
        look.run();
      }
      return lost.get();
    }

    @Override
    public HalException note(HalException failure) {
      Error fails = failsNextNote.getAndSet(null);
      if (fails != null) {
        throw fails;
      }
      if (lost.compareAndSet(null, failure) && losses.size() > 1) {
        end.begin(System.nanoTime() + (isPatient ? TimeUnit.HOURS.toNanos(1) : 0));
      }
      return Objects.requireNonNull(lost.get());
    }

    @Override
    public void propagate() {
      if (spreadsLoss && isPropagated.compareAndSet(false, true)) {
        spread();
      }
    }

    void spread() {
      queues.forEach(DeferredWorkQueue::lose);
    }
  }

  /** From now on, no stream waits for too long for a device that is lost. */
  void bePatient() {
    isPatient = true;
  }

  /** Loses the device. */
  void lose(HalException cause) {
    lose(0, cause);
  }

  /** Loses a device, while its streams go on. */
  void lose(int deviceIndex, HalException cause) {
    losses.get(deviceIndex).note(cause);
    losses.get(deviceIndex).propagate();
  }

  /** Why the device is lost, or null. */
  @Nullable HalException lost() {
    return lost(0);
  }

  @Nullable HalException lost(int deviceIndex) {
    return losses.get(deviceIndex).lost.get();
  }

  /**
   * Makes a thread that loses the device stop right before it propagates that, until {@link
   * #spreadLoss} is called.
   */
  void holdLoss() {
    spreadsLoss = false;
  }

  void spreadLoss() {
    losses.get(0).spread();
  }

  public static EngineSemaphore semaphore() {
    return new EngineSemaphore(0, () -> {});
  }

  QueueUse enqueue(int queue, String name, Fence waits, Fence signals) {
    return enqueue(queue, new QueueUse(name, waits, signals));
  }

  QueueUse enqueue(int queue, QueueUse use) {
    Operation<Event> operation = begin(queue, use);
    use.operation = operation;
    synchronized (uses) {
      uses.add(use);
    }
    try {
      queues.get(queue).enqueuer().submit(operation, use.waits, use.signals);
    } finally {
      queues.get(queue).enqueuer().endEnqueue();
    }
    return use;
  }

  /** Runs one host completion. Returns false if there is none. */
  boolean hostStep() {
    Runnable hostCompletion;
    synchronized (hostWork) {
      hostCompletion = hostWork.poll();
    }
    if (hostCompletion == null) {
      return false;
    }
    hostCompletion.run();
    return true;
  }

  /** Runs the steps of all threads until none of them is woken and nothing is left to do. */
  void run() {
    boolean hasDone = true;
    while (hasDone) {
      hasDone = false;
      for (DeferredWorkQueue<Event> queue : queues) {
        hasDone |= queue.issueRole.takeStepsIfWoken();
        hasDone |= queue.completionRole.takeStepsIfWoken();
      }
      hasDone |= hostStep();
      hasDone |= asideStep();
    }
  }

  /** Does what each issue thread does once a second without being woken, and then the rest. */
  void issueSteps() {
    queues.forEach(DeferredWorkQueue::issueStep);
    run();
  }

  int open() {
    int[] count = new int[1];
    queues.forEach(
        queue -> {
          long[] states = new long[State.values().length];
          queue.count(states);
          for (long state : states) {
            count[0] += (int) state;
          }
        });
    return count[0];
  }

  /**
   * Checks an operation while there is nothing left to do. If it is open, one of its waits must be
   * open, or, on a lost device, it must be kept until the stream is closed.
   */
  private static void checkIsWaiting(QueueUse use) {
    Operation<Event> operation = use.operation;
    boolean isKept =
        operation != null
            && operation.state() == State.ISSUED
            && operation.hasOutcome()
            && operation.queue.lost() != null;
    if (use.retired.get() > 0 || isKept) {
      return;
    }
    for (int i = 0; i < use.waits.size(); i++) {
      EngineSemaphore semaphore = EngineSemaphore.of(use.waits.semaphore(i));
      if (semaphore.currentValue() < use.waits.value(i) && semaphore.over() == null) {
        return;
      }
    }
    throw new AssertionError(use + " stays open although all its waits have ended");
  }

  /**
   * Runs everything, closes the queues, and checks what must hold at the end of every history: each
   * operation was issued at most once and retired exactly once, each signal is reached or failed,
   * and no operation or event is still referenced.
   */
  void finish() {
    run();
    uses.forEach(QueueHarness::checkIsWaiting);
    HalException reason = Failures.internal("the test is over");
    queues.forEach(queue -> queue.shutdown().shut(System.nanoTime()));
    queues.forEach(queue -> queue.shutdown().cancelAll(reason));
    run();
    streams.forEach(FakeStream::advanceAll); // what the engine abandoned with a lost device
    queues.forEach(queue -> queue.shutdown().stop(System.nanoTime()));
    queues.forEach(queue -> queue.shutdown().closeStream());
    assertEquals(0, open(), "operations that are open although nothing is left to do");
    for (QueueUse use : uses) {
      assertEquals(1, use.retired.get(), use.name + " must retire once");
      if (use.issued.get() > 1 || use.executed.get() > use.issued.get()) {
        throw new AssertionError(use + " must be issued at most once");
      }
      for (int i = 0; i < use.signals.size(); i++) {
        EngineSemaphore signal = EngineSemaphore.of(use.signals.semaphore(i));
        if (signal.currentValue() < use.signals.value(i) && signal.over() == null) {
          throw new AssertionError(use + " has retired and did not settle " + use.signals);
        }
      }
    }
    assertEquals(0, device.liveEvents(), "events that were not returned to the pool");
    assertEquals(List.of(), device.violations());
    for (Operation<Event> operation : operations) {
      for (OperationWait<Event> wait : operation.waits()) {
        assertNull(wait.producer, "a retired operation keeps one that it waited for");
      }
    }
  }
}
