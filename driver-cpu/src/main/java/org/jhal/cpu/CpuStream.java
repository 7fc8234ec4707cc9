// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.locks.LockSupport;
import org.jhal.BufferParams;
import org.jhal.HalException;
import org.jhal.driver.CommandList;
import org.jhal.driver.DeviceMemory;
import org.jhal.driver.StepwiseStream;
import org.jhal.driver.Submission;
import org.jhal.driver.support.Attempt;
import org.jhal.driver.support.EngineThread;
import org.jhal.driver.support.HostEvent;
import org.jhal.driver.support.Liveness;
import org.jspecify.annotations.Nullable;

/**
 * A thread that carries out batches of work, one after the other. It copies itself, and has the
 * device's threads run kernels.
 *
 * <p>Thread-safe as {@link org.jhal.driver.NativeStream} requires.
 */
final class CpuStream extends StepwiseStream<HostEvent> {
  /** How long the thread looks for work before it sleeps. */
  private static final long SPIN_NANOS = 20_000;

  private final CpuDevice device;
  private final Liveness liveness; // of the device
  private final Thread thread;
  private final CpuExecution execution;
  private final Runnable onClose;

  // The batch that is being issued. Used by the issuing thread.
  private Queue<CpuTask> current = new ArrayDeque<>();

  // What is left of the batch that the stream's thread runs; null when the stream is closed.
  private @Nullable Queue<CpuTask> running = new ArrayDeque<>();

  private final Object lock = new Object();

  @GuardedBy("lock")
  private final Queue<Queue<CpuTask>> work = new ArrayDeque<>();

  @GuardedBy("lock")
  private boolean isClosed;

  @GuardedBy("lock")
  private boolean isBusy; // the thread has taken a batch that it has not ended

  private volatile boolean isAsleep; // the thread has to be woken
  private volatile boolean hasWork; // a hint for the thread while it spins

  /**
   * A stream whose thread runs.
   *
   * @param onClose called when it has ended
   */
  CpuStream(CpuDevice device, CpuExecution execution, String name, Runnable onClose) {
    this.device = device;
    this.liveness = device.liveness();
    this.execution = execution;
    this.onClose = onClose;
    this.thread = new EngineThread(name, this::loop);
    thread.start();
  }

  // Issuing: one thread at a time.

  @Override
  protected void waitEvent(HostEvent event) {
    current.add(waiting(event));
  }

  /** Holds the stream until the latest recording of an event fires. */
  CpuTask waiting(HostEvent event) {
    long recording = event.latest();
    return () -> event.await(recording, liveness);
  }

  @Override
  protected void issue(CommandList commands, Submission submission) {
    boolean isTimed = submission.isTimed();
    if (isTimed) {
      current.add(CpuTask.of(execution::begin));
    }
    execution.prepare(commands, submission, current);
    if (isTimed) {
      current.add(CpuTask.of(() -> execution.end(submission)));
    }
  }

  @Override
  protected DeviceMemory allocAsync(long bytes, BufferParams params, Submission submission) {
    return device.allocate(bytes, params);
  }

  @Override
  protected void freeAsync(DeviceMemory memory) {
    CpuMemory freed = (CpuMemory) memory;
    current.add(CpuTask.releasing(freed::releaseOwner));
    freed.endAccount(); // so that allocations after this can use the bytes
  }

  @Override
  protected void recordEvent(HostEvent event) {
    long recording = event.record();
    current.add(CpuTask.of(() -> event.fire(recording)));
    Queue<CpuTask> batch = current;
    current = new ArrayDeque<>();
    add(batch);
  }

  /** Hands a batch to the thread. */
  void add(Queue<CpuTask> batch) {
    synchronized (lock) {
      work.add(batch);
    }
    hasWork = true; // before the look: the thread does the reverse
    if (isAsleep) {
      LockSupport.unpark(thread);
    }
  }

  // Events: any thread.

  @Override
  public HostEvent createEvent() {
    return new HostEvent(liveness);
  }

  @Override
  public void destroyEvent(HostEvent event) {}

  @Override
  public boolean queryEvent(HostEvent event) {
    boolean hasFired = event.hasFired(event.latest());
    if (!hasFired) {
      liveness.checkAlive();
    }
    return hasFired;
  }

  @Override
  public void synchronizeEvent(HostEvent event) {
    event.await(event.latest(), liveness);
  }

  @Override
  public int timingWeight(boolean isRecorded) {
    return isRecorded ? 0 : -1;
  }

  @Override
  public int commandTimingWeight() {
    return 0;
  }

  @Override
  public boolean isIdle() {
    synchronized (lock) {
      return !isBusy && work.isEmpty();
    }
  }

  @Override
  public void close() {
    synchronized (lock) {
      isClosed = true;
    }
    hasWork = true;
    LockSupport.unpark(thread);
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    current.forEach(CpuTask::drop); // a step of their batch has failed
    execution.close();
    onClose.run();
  }

  // The stream's thread.

  private void loop() {
    Throwable thrown = null;
    while (true) {
      try {
        if (thrown != null) {
          liveness.lose(loss(thrown));
          thrown = null;
        }
        runAll();
        return;
      } catch (Throwable t) { // no other thread goes on with this stream, so the device is lost
        thrown = t;
      }
    }
  }

  /**
   * That of an error in a step. Its status is not UNAVAILABLE, as other streams of the device may
   * still run kernels, whose resources the engine must not free.
   */
  private HalException loss(Throwable thrown) {
    return Attempt.aborted("an error has interrupted thread " + thread.getName() + ": ", thrown);
  }

  /** Runs batches until the stream is closed; begins with the rest of one that was interrupted. */
  private void runAll() {
    while (running != null) {
      for (CpuTask task = running.poll(); task != null; task = running.poll()) {
        if (liveness.isLost()) {
          task.drop();
        } else {
          task.run();
        }
      }
      running = next();
    }
  }

  private @Nullable Queue<CpuTask> next() {
    long start = System.nanoTime();
    while (true) {
      hasWork = false; // before the look: what comes later sets it again
      synchronized (lock) {
        Queue<CpuTask> batch = work.poll();
        isBusy = batch != null;
        if (batch != null || isClosed) {
          return batch;
        }
      }
      while (!hasWork && System.nanoTime() - start < SPIN_NANOS) {
        Thread.onSpinWait();
      }
      if (!hasWork) {
        isAsleep = true; // before the last look: a thread that adds work looks at it afterwards
        if (!hasWork) {
          LockSupport.park(this);
        }
        isAsleep = false;
        Thread.interrupted(); // it would keep the thread from parking
        start = System.nanoTime();
      }
    }
  }
}
