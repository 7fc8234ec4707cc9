// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.timeline;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jetbrains.lincheck.datastructures.Validate;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.engine.queue.QueueHarness;

/**
 * The calls of {@link SemaphoreInterleavingTest} on a semaphore: signals of the host and of
 * operations, published events, failure, closing, and waits of the host and of a device. The
 * results of the calls must be those of the {@link Model} for some order of the calls. At the end
 * each waiter must have been notified exactly once, or still have a reason to wait.
 */
public class SemaphoreScenario {
  // The results of calls, apart from values.
  static final int DONE = -1;
  static final int WAITS = -2;
  static final int REACHED = -3;
  static final int COVERED = -4;
  static final int FAILED = -5;
  static final int CLOSED = -6; // closed before the call, or while it waits
  static final int REFUSED = -7;

  private static final HalException FAILURE = new HalException(Status.ABORTED, "failed");
  private static final String DEVICE = "device";

  /** A waiter that counts how often it is notified. */
  static final class Waiter extends WaitNode {
    final long wanted;
    final boolean isOfDevice;
    boolean isRegistered;
    int notified;

    Waiter(long wanted, boolean isOfDevice) {
      super(null);
      this.wanted = wanted;
      this.isOfDevice = isOfDevice;
    }

    @Override
    public void released(Cascade cascade) {
      notified++;
    }
  }

  final EngineSemaphore semaphore = QueueHarness.semaphore();
  private final Producer producer = new NoProducer();
  private final List<Waiter> waiters = new ArrayList<>(); // guarded by itself
  private volatile boolean isPublished;

  private int signal(long value) {
    try {
      semaphore.signal(value);
      return DONE;
    } catch (HalException e) {
      return refusal(e);
    }
  }

  private static int refusal(HalException e) {
    return switch (e.status()) {
      case ABORTED -> FAILED;
      case CANCELLED, FAILED_PRECONDITION -> CLOSED;
      default -> REFUSED;
    };
  }

  /** A signal of the host. */
  public int signalOne() {
    return signal(1);
  }

  /** A signal of the host that skips a value. */
  public int signalTwo() {
    return signal(2);
  }

  /** The signal of an operation. */
  public void signalAtLeastTwo() {
    semaphore.signalAtLeast(2);
  }

  /** The event of an operation. */
  public void publishTwo() {
    Cascade cascade = Cascade.current();
    semaphore.publish(producer, 2, DEVICE, cascade);
    cascade.run();
    isPublished = true;
  }

  /** Fails the semaphore. */
  public void fail() {
    semaphore.fail(FAILURE);
  }

  /** Closes the semaphore. */
  public void close() {
    semaphore.close();
  }

  /** Reads the value. */
  public int value() {
    try {
      return (int) semaphore.value();
    } catch (HalException e) {
      return refusal(e);
    }
  }

  /** A host thread starts to wait for 1. */
  public int waitOfHost() {
    return start(new Waiter(1, false));
  }

  /** An operation starts to wait for 2. */
  public int waitOfDevice() {
    return start(new Waiter(2, true));
  }

  private int start(Waiter waiter) {
    try {
      semaphore.checkOpen();
    } catch (HalException e) {
      return refusal(e);
    }
    synchronized (waiters) {
      waiters.add(waiter);
    }
    if (register(waiter)) {
      waiter.isRegistered = true;
      return WAITS;
    }
    HalException failure = waiter.failure;
    return failure != null ? refusal(failure) : waiter.producer != null ? COVERED : REACHED;
  }

  /** Registers a waiter. A subclass does it wrongly on purpose. */
  boolean register(Waiter waiter) {
    return semaphore.register(waiter, waiter.wanted, waiter.isOfDevice ? DEVICE : null);
  }

  /** A host thread starts to wait for 2 and gives up. */
  public void waitAndTakeBack() {
    Waiter waiter = new Waiter(2, false);
    start(waiter);
    if (semaphore.deregister(waiter)) {
      waiter.isRegistered = false;
    }
  }

  /** A host thread waits for 1 with a timeout of zero. */
  public int awaitNothing() throws InterruptedException {
    try {
      semaphore.await(1, Duration.ZERO);
      return REACHED;
    } catch (HalException e) {
      return e.status() == Status.DEADLINE_EXCEEDED ? WAITS : refusal(e);
    }
  }

  /** Checks that no waiter was forgotten or notified twice, and that no operation is kept. */
  @Validate
  public void check() {
    for (Waiter waiter : waiters) {
      boolean isDue =
          waiter.isRegistered
              && (semaphore.over() != null
                  || semaphore.currentValue() >= waiter.wanted
                  || (waiter.isOfDevice && isPublished));
      if (waiter.notified != (isDue ? 1 : 0)) {
        throw new IllegalStateException(
            "waiter for " + waiter.wanted + " was notified " + waiter.notified + " times");
      }
    }
    semaphore.close();
    if (semaphore.covering(0) != null) {
      throw new IllegalStateException("the semaphore still refers to the published operation");
    }
  }

  /** The sequential specification of a semaphore. */
  public static class Model {
    private int value;
    private boolean isFailed;
    private boolean isClosed;
    private boolean isPublished;

    /** For Lincheck. */
    public Model() {}

    private int end() {
      return isClosed ? CLOSED : isFailed ? FAILED : DONE;
    }

    private int signal(int newValue) {
      if (end() != DONE) {
        return end();
      }
      if (newValue <= value) {
        return REFUSED;
      }
      value = newValue;
      return DONE;
    }

    /** As in the scenario. */
    public int signalOne() {
      return signal(1);
    }

    /** As in the scenario. */
    public int signalTwo() {
      return signal(2);
    }

    /** As in the scenario. */
    public void signalAtLeastTwo() {
      if (end() == DONE) {
        value = Math.max(value, 2);
      }
    }

    /** As in the scenario. */
    public void publishTwo() {
      isPublished = true;
    }

    /** As in the scenario. */
    public void fail() {
      isFailed |= !isClosed;
    }

    /** As in the scenario. */
    public void close() {
      isClosed = true;
    }

    /** As in the scenario. */
    public int value() {
      return end() == DONE ? value : end();
    }

    /** As in the scenario. */
    public int waitOfHost() {
      return end() != DONE ? end() : value >= 1 ? REACHED : WAITS;
    }

    /** As in the scenario. */
    public int waitOfDevice() {
      return end() != DONE ? end() : value >= 2 ? REACHED : isPublished ? COVERED : WAITS;
    }

    /** As in the scenario. */
    public void waitAndTakeBack() {}

    /** As in the scenario. */
    public int awaitNothing() {
      return waitOfHost();
    }
  }
}
