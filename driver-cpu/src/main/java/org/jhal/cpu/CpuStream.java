package org.jhal.cpu;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.locks.LockSupport;
import org.jhal.BufferParams;
import org.jhal.driver.CommandList;
import org.jhal.driver.DeviceMemory;
import org.jhal.driver.StepwiseStream;
import org.jhal.driver.Submission;
import org.jhal.driver.support.EngineThread;
import org.jspecify.annotations.Nullable;

/**
 * A thread that carries out batches of work, one after the other. It copies itself, and has the
 * device's threads run kernels.
 *
 * <p>Thread-safe as {@link org.jhal.driver.NativeStream} requires.
 */
final class CpuStream extends StepwiseStream<CpuEvent> {
  /** How long the thread looks for work before it sleeps. */
  private static final long SPIN_NANOS = 20_000;

  private final CpuDevice device;
  private final Thread thread;
  private final CpuExecution execution;

  // The batch that is being issued. Used by the issuing thread.
  private List<CpuTask> current = new ArrayList<>();

  private final Object lock = new Object();

  @GuardedBy("lock")
  private final Queue<List<CpuTask>> work = new ArrayDeque<>();

  @GuardedBy("lock")
  private boolean isClosed;

  @GuardedBy("lock")
  private boolean isBusy; // the thread has taken a batch that it has not ended

  private volatile boolean isAsleep; // the thread has to be woken
  private volatile boolean hasWork; // a hint for the thread while it spins

  CpuStream(CpuDevice device, CpuExecution execution, String name) {
    this.device = device;
    this.execution = execution;
    this.thread = new EngineThread(name, this::loop);
    thread.start();
  }

  // Issuing: one thread at a time.

  @Override
  protected void waitEvent(CpuEvent event) {
    long recording = event.latest();
    current.add(CpuTask.of(() -> event.await(recording)));
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
    current.add(CpuTask.of(freed::release));
    freed.endAccount(); // so that allocations after this can use the bytes
  }

  @Override
  protected void recordEvent(CpuEvent event) {
    long recording = event.record();
    current.add(CpuTask.of(() -> event.fire(recording)));
    List<CpuTask> batch = current;
    current = new ArrayList<>();
    add(batch);
  }

  /** Hands a batch to the thread. */
  void add(List<CpuTask> batch) {
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
  public CpuEvent createEvent() {
    return new CpuEvent();
  }

  @Override
  public void destroyEvent(CpuEvent event) {}

  @Override
  public boolean queryEvent(CpuEvent event) {
    return event.hasFired(event.latest());
  }

  @Override
  public void synchronizeEvent(CpuEvent event) {
    event.await(event.latest());
  }

  @Override
  public int timingWeight(boolean isRecorded) {
    return isRecorded ? 0 : -1;
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
    execution.close();
  }

  // The stream's thread.

  private void loop() {
    for (List<CpuTask> batch = next(); batch != null; batch = next()) {
      for (CpuTask task : batch) {
        task.run();
      }
    }
  }

  private @Nullable List<CpuTask> next() {
    long start = System.nanoTime();
    while (true) {
      hasWork = false; // before the look: what comes later sets it again
      synchronized (lock) {
        List<CpuTask> batch = work.poll();
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
        boolean ignored = Thread.interrupted(); // it would keep the thread from parking
        start = System.nanoTime();
      }
    }
  }
}
