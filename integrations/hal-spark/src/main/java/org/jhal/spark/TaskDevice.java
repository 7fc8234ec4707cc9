// SPDX-License-Identifier: Apache-2.0
package org.jhal.spark;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.apache.spark.TaskKilledException;
import org.jhal.Device;
import org.jhal.DeviceQueue;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;

/**
 * The device of a Spark task, for one attempt of the task. The tasks of the executor share the
 * device; the queue belongs to the attempt alone.
 *
 * <p>When the attempt is over, however it ends, its timelines fail with CANCELLED, and the queue
 * goes to another task once the last operation has retired. An operation that waits for a foreign
 * timeline keeps the queue until that is reached.
 *
 * <p>Thread-safe; a task may use threads of its own. Once the attempt is over, this object returns
 * neither the queue nor the device. Threads must not enqueue anything on a queue that they got
 * before: it may belong to another attempt.
 */
public final class TaskDevice {
  /** How often a wait checks whether its task is killed: a kill need not interrupt the thread. */
  static final Duration LOOK = Duration.ofMillis(100);

  /** The number of timelines from which on those that are over are removed. */
  private static final int MANY = 64;

  private final String attempt;
  private final DeviceQueue queue;
  private final BooleanSupplier isKilled;
  private final Counts counts;
  private final MemoryLine memory;

  private final Object lock = new Object();
  private final List<TimelineSemaphore> timelines = new ArrayList<>(); // guarded by lock
  private int sweepAt = MANY; // guarded by lock
  private boolean isOver; // guarded by lock

  TaskDevice(DeviceQueue queue, BooleanSupplier isKilled) {
    this("a task", queue, isKilled, new Counts(), new MemoryLine());
  }

  /**
   * Creates the device of an attempt.
   *
   * @param attempt the name of the attempt in messages
   * @param isKilled whether the attempt is killed
   * @param memory the line of the device
   */
  TaskDevice(
      String attempt,
      DeviceQueue queue,
      BooleanSupplier isKilled,
      Counts counts,
      MemoryLine memory) {
    this.attempt = attempt;
    this.queue = queue;
    this.isKilled = isKilled;
    this.counts = counts;
    this.memory = memory;
  }

  /**
   * Returns the device. It belongs to the executor, and must not be closed.
   *
   * @throws HalException CANCELLED if the attempt is over
   */
  public Device device() {
    return queue().device();
  }

  /**
   * Returns the queue of this attempt alone.
   *
   * @throws HalException CANCELLED if the attempt is over
   */
  public DeviceQueue queue() {
    if (isOver()) {
      throw over();
    }
    return queue;
  }

  /** The queue, even once the attempt is over, to wait until it is idle. */
  DeviceQueue lentQueue() {
    return queue;
  }

  /**
   * Creates a timeline at 0, which fails with CANCELLED when the attempt is over. It may be closed
   * before.
   *
   * @throws HalException CANCELLED if the attempt is over; FAILED_PRECONDITION if the device is
   *     closed
   */
  public TimelineSemaphore createTimeline() {
    TimelineSemaphore timeline = device().createSemaphore();
    synchronized (lock) { // the attempt may have ended meanwhile
      if (!isOver) {
        if (timelines.size() >= sweepAt) {
          timelines.removeIf(TaskDevice::needsNoEnd);
          sweepAt = Math.max(MANY, 2 * timelines.size());
        }
        timelines.add(timeline);
        return timeline;
      }
    }
    timeline.close();
    throw over();
  }

  /** Whether a timeline has failed or is closed. */
  private static boolean needsNoEnd(TimelineSemaphore timeline) {
    try {
      var unused = timeline.value();
      return false;
    } catch (HalException e) {
      return true;
    }
  }

  private HalException over() {
    return new HalException(Status.CANCELLED, attempt + " is over");
  }

  /**
   * Blocks until all timepoints of {@code fence} are reached, or the task is killed.
   *
   * @throws HalException the failure of a timeline; UNAVAILABLE if the device is lost meanwhile,
   *     even if the timepoints do not depend on it; CANCELLED if the thread is interrupted although
   *     the task is not killed
   * @throws TaskKilledException if the task is killed
   */
  public void await(Fence fence) {
    if (isKilled.getAsBoolean()) { // each wait may be short
      throw killed("waited for " + fence);
    }
    try {
      while (!fence.tryAwaitAll(LOOK)) {
        checkGoesOn("waited for " + fence);
      }
    } catch (InterruptedException e) {
      throw interrupted("waited for " + fence);
    }
  }

  /**
   * Throws, as {@link #await} does, if the thread should stop waiting.
   *
   * @param activity the activity of the thread, such as {@code waited for ...}
   */
  void checkGoesOn(String activity) {
    if (isKilled.getAsBoolean()) {
      throw killed(activity);
    }
    if (Thread.currentThread().isInterrupted()) {
      throw interrupted(activity);
    }
    HalException lost = queue.device().lostCause();
    if (lost != null) {
      throw lost.again();
    }
  }

  private TaskKilledException killed(String activity) {
    return new TaskKilledException(attempt + " was killed while it " + activity);
  }

  /**
   * The exception for an interrupted thread, which is interrupted again.
   *
   * @param activity its activity, such as {@code waited for ...}
   */
  RuntimeException interrupted(String activity) {
    Thread.currentThread().interrupt();
    // Spark runs a task again whenever it says that it was killed, so only a kill may say that.
    return isKilled.getAsBoolean()
        ? new TaskKilledException(attempt + " was killed while it " + activity)
        : new HalException(
            Status.CANCELLED, attempt + " was interrupted while a thread of it " + activity);
  }

  /** The line in which a mapping without memory waits. */
  MemoryLine memory() {
    return memory;
  }

  /** Counts the work of this attempt. */
  Counts counts() {
    return counts;
  }

  /** Fails the timelines. Called once, when the attempt is over; their callbacks run. */
  void end() {
    List<TimelineSemaphore> left;
    synchronized (lock) {
      isOver = true;
      left = List.copyOf(timelines);
    }
    left.forEach(timeline -> timeline.fail(over()));
  }

  /** Closes the timelines; to be called once the queue is idle. */
  void close() {
    List<TimelineSemaphore> left;
    synchronized (lock) {
      left = List.copyOf(timelines);
      timelines.clear();
    }
    left.forEach(TimelineSemaphore::close);
  }

  /** How many timelines are kept for the end. */
  int kept() {
    synchronized (lock) {
      return timelines.size();
    }
  }

  /** Whether {@link #end} was called. */
  boolean isOver() {
    synchronized (lock) {
      return isOver;
    }
  }

  @Override
  public String toString() {
    return queue + " of " + attempt;
  }
}
