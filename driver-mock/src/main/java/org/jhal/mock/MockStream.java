// SPDX-License-Identifier: Apache-2.0
package org.jhal.mock;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jhal.BufferParams;
import org.jhal.HalException;
import org.jhal.QueueRequest;
import org.jhal.Status;
import org.jhal.driver.Command;
import org.jhal.driver.CommandList;
import org.jhal.driver.DeviceMemory;
import org.jhal.driver.NativeStream;
import org.jhal.driver.StepwiseStream;
import org.jhal.driver.StreamBatch;
import org.jhal.driver.Submission;
import org.jhal.driver.TransferPath;
import org.jhal.driver.support.ComputeShares;
import org.jhal.driver.support.EngineThread;
import org.jspecify.annotations.Nullable;

/**
 * A stream: a thread with a queue of batches. It is in order unless the device has a seed; then it
 * takes a random runnable batch.
 *
 * <p>As a native stream, it blocks the issuing thread while it is full.
 *
 * <p>Thread-safe as {@link NativeStream} requires.
 */
final class MockStream extends StepwiseStream<MockEvent> {
  /** How long the close waits for a kernel, which may go on on a lost device and need never end. */
  private static final long JOIN_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final int CAPACITY = 1000;

  /** How often a thread that waits for room checks whether events of other streams have fired. */
  private static final long LOOK_MILLIS = 1;

  private final MockDevice device;
  private final int index;
  private final QueueRequest.Priority priority;
  private final ComputeShares.@Nullable Share share; // of the device, that its close gives back
  private final Thread thread;
  private final MockExecution execution;
  private final @Nullable Random random; // null if in order; used by the issuing thread
  private final @Nullable Random choice; // used by the stream's thread

  private MockBatch current = new MockBatch(); // being issued; used by the issuing thread

  private final Object lock = new Object();

  @GuardedBy("lock")
  private final Deque<MockBatch> fifo = new ArrayDeque<>(); // without a seed

  @GuardedBy("lock")
  private final List<MockBatch> pending = new ArrayList<>(); // with a seed

  @GuardedBy("lock")
  private @Nullable MockBatch freeBatch;

  @GuardedBy("lock")
  private @Nullable MockTask freeTask;

  @GuardedBy("lock")
  private boolean isIdle; // the stream's thread waits on lock

  @GuardedBy("lock")
  private boolean isPaused;

  @GuardedBy("lock")
  private boolean isClosed;

  @GuardedBy("lock")
  private @Nullable MockBatch taken; // waits for events or for its turn, or runs

  @GuardedBy("lock")
  private boolean isTakenRunning;

  private volatile boolean isExecuting; // the stream's thread runs a task

  @GuardedBy("lock")
  private int held; // the weight of the work that has not run

  MockStream(
      MockDevice device,
      int index,
      QueueRequest.Priority priority,
      ComputeShares.@Nullable Share share) {
    this.device = device;
    this.index = index;
    this.priority = priority;
    this.share = share;
    this.execution = new MockExecution(device);
    this.random = device.seed() == 0 ? null : new Random(device.seed() + index);
    this.choice = device.seed() == 0 ? null : new Random(~device.seed() + index);
    this.thread = new EngineThread(device.name() + "-stream" + index, this::loop);
    thread.start();
  }

  int index() {
    return index;
  }

  QueueRequest.Priority priority() {
    return priority;
  }

  ComputeShares.@Nullable Share share() {
    return share;
  }

  @Override
  public long bindToThread() {
    return device.bindToThread();
  }

  @Override
  public void unbindFromThread(long token) {
    device.unbindFromThread(token);
  }

  // Issuing: one thread at a time.

  @Override
  public @Nullable Throwable submit(StreamBatch<MockEvent> batch) {
    device.enter("submit"); // if this fails, nothing reaches the stream
    return super.submit(batch);
  }

  @Override
  protected void waitEvent(MockEvent event) {
    device.enter("waitEvent");
    if (event.device() != device) {
      device.awaitFrom(event.device()); // first, so that no firing goes unnoticed
    }
    synchronized (lock) {
      awaitRoom();
    }
    current.addWait(event);
  }

  @Override
  public int capacity() {
    return CAPACITY;
  }

  /**
   * Counts one more item, and blocks until there is room for it. A batch beyond the capacity needs
   * an empty, running stream, which runs the first items while others are added.
   */
  @GuardedBy("lock")
  private void awaitRoom() {
    current.weight++;
    boolean interrupted = false;
    while (held + current.weight > CAPACITY
        && (held > 0 || isPaused || !current.isRunnable(device))
        && !isClosed
        && !device.isLost()) {
      try {
        lock.wait(LOOK_MILLIS);
      } catch (InterruptedException e) {
        interrupted = true; // native calls are not interruptible
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  protected void issue(CommandList commands, Submission submission) {
    device.enter("issue");
    for (int i = 0; i < commands.size(); i++) {
      device.enter("command");
      MockTask task = takeTask();
      current.tasks.add(task);
      Command command = commands.get(i);
      task.setCommand(command, submission, device);
      task.index = i;
      if (command.kind() == Command.Kind.UPLOAD || command.kind() == Command.Kind.READBACK) {
        submission.moves(command, TransferPath.HOST);
      }
    }
  }

  @Override
  protected DeviceMemory allocAsync(long bytes, BufferParams params, Submission submission) {
    device.enter("allocAsync");
    device.budget().reserve(bytes);
    MockMemory memory = MockMemory.promised(device, bytes);
    MockTask task = takeTask();
    current.tasks.add(task);
    task.setAllocate(memory, submission);
    return memory;
  }

  @Override
  protected void freeAsync(DeviceMemory memory) {
    device.enter("freeAsync");
    MockTask task = takeTask();
    current.tasks.add(task);
    task.setFree((MockMemory) memory);
    ((MockMemory) memory).endAccount(); // so that allocations after this can use the bytes
  }

  @Override
  protected void recordEvent(MockEvent event) {
    device.enter("recordEvent");
    MockBatch batch = current;
    batch.setEvent(event);
    if (device.isLost()) { // and does not report it again
      batch.fire();
      current = new MockBatch();
      return;
    }
    if (random != null) {
      batch.shuffle(random);
    }
    synchronized (lock) {
      awaitRoom();
      held += batch.weight;
      if (random == null) {
        fifo.add(batch);
      } else {
        pending.add(batch);
      }
      MockBatch next = freeBatch;
      if (next == null) {
        next = new MockBatch();
      } else {
        freeBatch = next.nextFree;
        next.nextFree = null;
      }
      current = next;
      poke();
    }
  }

  private MockTask takeTask() {
    synchronized (lock) {
      awaitRoom();
      MockTask task = freeTask;
      if (task == null) {
        return new MockTask();
      }
      freeTask = task.nextFree;
      task.nextFree = null;
      return task;
    }
  }

  // Events: any thread.

  @Override
  public MockEvent createEvent() {
    device.enter("createEvent");
    return device.makeEvent();
  }

  @Override
  public void destroyEvent(MockEvent event) {
    device.dropEvent(event);
    device.enter("destroyEvent");
  }

  @Override
  public boolean queryEvent(MockEvent event) {
    device.enter("queryEvent");
    boolean hasFired = event.hasFired(event.latest());
    if (!hasFired) {
      device.checkAlive();
    }
    return hasFired;
  }

  @Override
  public void synchronizeEvent(MockEvent event) {
    device.enter("synchronizeEvent");
    event.await(event.latest(), device.liveness());
  }

  @Override
  public @Nullable HalException outcome(MockEvent event) {
    HalException outcome = event.takeOutcome(); // it counts as asked even if that is made to fail
    try {
      device.enter("outcome");
      return outcome;
    } catch (HalException injected) {
      return injected;
    }
  }

  /** It measures with the host's clock, without weight in the stream. */
  @Override
  public int timingWeight(boolean isRecorded) {
    return isRecorded ? 0 : -1;
  }

  @Override
  public int commandTimingWeight() {
    return 0;
  }

  @Override
  public boolean isInOrder() {
    return random == null;
  }

  // Control.

  void setPaused(boolean paused) {
    synchronized (lock) {
      isPaused = paused;
      poke();
    }
    device.turns().changed();
  }

  /** Wakes the stream's thread: there is work, an event has fired, or the device is lost. */
  void poke() {
    synchronized (lock) {
      if (isIdle) {
        isIdle = false;
        lock.notifyAll();
      }
    }
  }

  @Override
  public boolean isIdle() {
    synchronized (lock) {
      return isIdle && (device.isLost() || (fifo.isEmpty() && pending.isEmpty()));
    }
  }

  @Override
  public void close() {
    synchronized (lock) {
      isClosed = true;
      isIdle = false;
      lock.notifyAll();
    }
    long deadline = System.nanoTime() + JOIN_NANOS;
    boolean interrupted = false;
    while (thread.isAlive() && !(isExecuting && System.nanoTime() - deadline >= 0)) {
      try {
        thread.join(TimeUnit.NANOSECONDS.toMillis(JOIN_NANOS));
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    if (thread.isAlive()) {
      throw new HalException(
          Status.DEADLINE_EXCEEDED,
          thread.getName() + " still runs a kernel; its thread is left behind");
    }
    device.dropStream(this);
    device.check("closeStream");
  }

  // The stream's thread.

  private void loop() {
    for (MockBatch batch = next(); batch != null; batch = next()) {
      try {
        batch.awaitRunnable(device);
        device.turns().await(this, device::isLost);
      } catch (HalException lost) {
        continue; // next() ends or waits
      }
      synchronized (lock) {
        isTakenRunning = true;
      }
      device.turns().changed(); // external work that runs holds no other up
      delay();
      if (run(batch)) {
        recycle(batch);
      }
      device.turns().changed();
    }
  }

  private @Nullable MockBatch next() {
    synchronized (lock) {
      while (!isClosed) {
        MockBatch batch = isPaused || device.isLost() ? null : take();
        taken = batch;
        isTakenRunning = false;
        if (batch != null) {
          return batch;
        }
        isIdle = true;
        try {
          while (isIdle) {
            lock.wait();
          }
        } catch (InterruptedException e) {
          isIdle = false; // interrupts are ignored
        }
      }
      return null;
    }
  }

  @GuardedBy("lock")
  private @Nullable MockBatch take() {
    if (choice == null) {
      return fifo.poll();
    }
    int start = pending.isEmpty() ? 0 : choice.nextInt(pending.size());
    for (int i = 0; i < pending.size(); i++) {
      int at = (start + i) % pending.size();
      if (pending.get(at).isRunnable(device)) {
        return pending.remove(at);
      }
    }
    return null;
  }

  /**
   * Whether work of this stream could begin now, or runs. External work may wait for other queues
   * (rule Q11), so while it runs this is false.
   */
  boolean hasTurn() {
    synchronized (lock) {
      MockBatch first = taken != null ? taken : fifo.peek();
      if (isClosed) {
        return false;
      }
      if (isTakenRunning && taken != null) {
        return taken.tasks.stream().noneMatch(MockTask::isExternal);
      }
      if (isPaused && taken == null) {
        return false;
      }
      return first != null
          ? first.isRunnable(device)
          : pending.stream().anyMatch(batch -> batch.isRunnable(device));
    }
  }

  private void delay() {
    long nanos = device.delayNanos();
    if (nanos > 0) {
      long end = System.nanoTime() + nanos;
      for (long left = nanos; left > 0; left = end - System.nanoTime()) {
        LockSupport.parkNanos(this, left);
      }
    }
  }

  /** Runs a batch and fires its event. Returns false, without firing it, if the device was lost. */
  private boolean run(MockBatch batch) {
    Submission timed = batch.timed();
    long begin = timed == null ? 0 : System.nanoTime();
    for (int i = 0; i < batch.tasks.size(); i++) {
      if (device.isLost()) {
        return false;
      }
      MockTask task = batch.tasks.get(i);
      isExecuting = true;
      Submission owner = task.timedOwner();
      long start = owner == null ? 0 : System.nanoTime();
      HalException failure = execution.run(task);
      if (owner != null && !device.isLost()) {
        owner.commandRan(task.index, start, System.nanoTime(), 0);
      }
      isExecuting = false;
      if (failure == null) {
        continue;
      }
      if (device.outcomesCanFail() && !task.isExternal()) {
        batch.fail(failure);
      } else { // failures of the program's own function need no query
        task.submission().fail(failure);
      }
    }
    if (device.isLost()) {
      return false;
    }
    if (timed != null) {
      timed.ranOnDevice(begin, System.nanoTime(), 0);
    }
    batch.fire();
    if (choice != null) {
      device.pokeStreams();
    }
    device.pokeWaiters();
    return true;
  }

  private void recycle(MockBatch batch) {
    synchronized (lock) {
      taken = null;
      held -= batch.weight;
      for (int i = 0; i < batch.tasks.size(); i++) {
        MockTask task = Objects.requireNonNull(batch.tasks.get(i));
        task.clear();
        task.nextFree = freeTask;
        freeTask = task;
      }
      batch.clear();
      batch.nextFree = freeBatch;
      freeBatch = batch;
    }
  }
}
