// SPDX-License-Identifier: Apache-2.0
package org.jhal.spark;

import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.StringJoiner;
import java.util.function.BooleanSupplier;
import org.apache.spark.TaskKilledException;
import org.jhal.Device;
import org.jhal.DeviceQueue;
import org.jhal.HalException;
import org.jhal.Status;
import org.jspecify.annotations.Nullable;

/**
 * The queues of one device. Each is lent to one attempt of a task at a time, in the order of their
 * requests, and returns when its last operation has retired.
 *
 * <p>Thread-safe. No method calls the device or foreign code with the lock held.
 */
final class QueuePermits {
  private static final System.Logger LOG = System.getLogger(QueuePermits.class.getName());

  /** The interval at which a wait is logged. */
  private static final Duration LONG = Duration.ofMinutes(1);

  /**
   * The queue of an attempt.
   *
   * @param isNew whether this call has taken it, so that the caller must ensure its return
   */
  record Lent(TaskDevice task, boolean isNew) {}

  private final Device device;
  private final Counts counts;
  private final QueueDrain drain;
  private final MemoryLine memory = new MemoryLine();

  private final Object lock = new Object();
  // All guarded by lock. A queue is free, lent, or waits for its last operation in the drain.
  private final Deque<DeviceQueue> free = new ArrayDeque<>();
  private final Map<Long, TaskDevice> lent = new HashMap<>(); // by the id of the attempt
  private final Deque<Object> waiting = new ArrayDeque<>(); // one element for each thread
  private int draining;
  private boolean isClosed;

  QueuePermits(Device device, Counts counts, QueueDrain drain) {
    this.device = device;
    this.counts = counts;
    this.drain = drain;
    for (int i = 0; i < device.queueCount(); i++) {
      free.add(device.queue(i));
    }
  }

  Device device() {
    return device;
  }

  /**
   * Returns the queue of an attempt, or waits for a free one.
   *
   * @param id of the attempt
   * @param attempt its name in messages
   * @param isKilled whether the attempt is killed; polled while this waits
   * @throws HalException CANCELLED if the thread is interrupted although the task is not killed, or
   *     if {@link #close} is called
   * @throws TaskKilledException if the task is killed
   */
  Lent take(long id, String attempt, BooleanSupplier isKilled) {
    Object ticket = new Object();
    long began = System.nanoTime();
    Lent taken = null;
    boolean hasWaited = false;
    try {
      long loggedAt = began;
      while (true) {
        synchronized (lock) {
          taken = takeLocked(ticket, id, attempt, isKilled);
          if (taken != null) {
            return taken;
          }
          if (!hasWaited) {
            hasWaited = true;
            waiting.add(ticket);
          }
          lock.wait(TaskDevice.LOOK.toMillis());
        }
        if (isKilled.getAsBoolean()) {
          throw new TaskKilledException(attempt + " was killed while it waited for " + this);
        }
        if (System.nanoTime() - loggedAt > LONG.toNanos()) {
          loggedAt = System.nanoTime();
          LOG.log(Level.WARNING, attempt + " still waits for a queue of " + this);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      if (isKilled.getAsBoolean()) {
        throw new TaskKilledException(attempt + " was killed while it waited for " + this);
      }
      throw new HalException(
          Status.CANCELLED, attempt + " was interrupted while it waited for a queue of " + this);
    } finally {
      if (hasWaited) {
        leave(ticket);
        counts.waited(System.nanoTime() - began);
      }
    }
  }

  private @Nullable Lent takeLocked(
      Object ticket, long id, String attempt, BooleanSupplier isKilled) {
    if (isClosed) {
      throw new HalException(Status.CANCELLED, attempt + ": the executor stops");
    }
    TaskDevice mine = lent.get(id);
    if (mine != null) {
      return new Lent(mine, false);
    }
    boolean isNext = waiting.isEmpty() || waiting.peek() == ticket;
    DeviceQueue queue = isNext ? free.poll() : null;
    if (queue == null) {
      return null;
    }
    TaskDevice task = new TaskDevice(attempt, queue, isKilled, counts, memory);
    memory.begin(task);
    lent.put(id, task);
    return new Lent(task, true);
  }

  private void leave(Object ticket) {
    synchronized (lock) {
      waiting.remove(ticket);
      lock.notifyAll(); // the next one, and other threads of the attempt that may have a queue now
    }
  }

  /** Ends an attempt: fails its timelines, and takes the queue back once it is idle. */
  void giveBack(long id, TaskDevice task) {
    synchronized (lock) {
      if (!lent.remove(id, task)) {
        return;
      }
      draining++;
    }
    try {
      task.end();
    } finally {
      drain.whenIdle(task, () -> free(task));
    }
  }

  private void free(TaskDevice task) {
    try {
      memory.end(task); // before another attempt, which would take the memory, gets the queue
    } finally {
      synchronized (lock) {
        draining--;
        free.add(task.lentQueue());
        lock.notifyAll();
      }
    }
  }

  /** Refuses all further attempts, including those that wait. Does not close the device. */
  void close() {
    synchronized (lock) {
      isClosed = true;
      lock.notifyAll();
    }
  }

  @Override
  public String toString() {
    StringJoiner text = new StringJoiner(", ", device + " (", ")");
    synchronized (lock) {
      text.add(free.size() + " of " + device.queueCount() + " queues free");
      lent.values().forEach(task -> text.add(task.toString()));
      if (draining > 0) {
        text.add(draining + " with operations of tasks that are over");
      }
      if (!waiting.isEmpty()) {
        text.add(waiting.size() + " waiting");
      }
      if (memory.length() > 0) {
        text.add(memory.length() + " waiting for memory");
      }
    }
    return text.toString();
  }
}
