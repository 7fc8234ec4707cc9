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
 * The device of a Spark task, as one attempt of the task may use it: the device itself is shared by
 * the tasks of the executor, the queue is the attempt's own.
 *
 * <p>When the attempt is over, however it ends, its timelines fail with CANCELLED, and the queue
 * goes to another task once the last operation has retired. An operation that waits for a timeline
 * from elsewhere keeps the queue until that is reached.
 *
 * <p>Thread-safe; a task may use threads of its own. Once the attempt is over, they get neither the
 * queue nor the device from here. They must not enqueue anything on one that they got before: the
 * queue may be another attempt's.
 */
public final class TaskDevice {
  /** How soon a wait notices that its task is killed: a kill need not interrupt the thread. */
  static final Duration LOOK = Duration.ofMillis(100);

  /** How many timelines are kept at least before those that are over are looked for. */
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
   * @param attempt what the attempt is called in messages
   * @param isKilled whether the attempt is to end
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
   * The device. It belongs to the executor, and must not be closed.
   *
   * @throws HalException CANCELLED if the attempt is over
   */
  public Device device() {
    return queue().device();
  }

  /**
   * The queue of this attempt alone.
   *
   * @throws HalException CANCELLED if the attempt is over
   */
  public DeviceQueue queue() {
    if (isOver()) {
      throw over();
    }
    return queue;
  }

  /** The queue, also once the attempt is over: for who waits until it is idle. */
  DeviceQueue lentQueue() {
    return queue;
  }

  /**
   * A new timeline at 0, which fails with CANCELLED when the attempt is over. It may be closed
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
   *     whatever would reach the timepoints; CANCELLED if the thread is interrupted although the
   *     task is not killed
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
   * Throws, as {@link #await} does, if there is nothing to wait for any more.
   *
   * @param activity what the thread does, such as {@code waited for ...}
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
   * What to throw when the thread was interrupted. It is interrupted again.
   *
   * @param activity what it did, such as {@code waited for ...}
   */
  RuntimeException interrupted(String activity) {
    Thread.currentThread().interrupt();
    // Spark runs a task that says it was killed again and again, so only a kill may look like one.
    return isKilled.getAsBoolean()
        ? new TaskKilledException(attempt + " was killed while it " + activity)
        : new HalException(
            Status.CANCELLED, attempt + " was interrupted while a thread of it " + activity);
  }

  /** Where a mapping without memory waits. */
  MemoryLine memory() {
    return memory;
  }

  /** Counts what this attempt does. */
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
