package org.jhal.spark;

import org.apache.spark.TaskContext;
import org.apache.spark.TaskKilledException;
import org.jhal.HalException;
import org.jhal.Status;

/**
 * What a Spark task has of JHAL.
 *
 * <pre>{@code
 * rdd.mapPartitions(elements -> {
 *   TaskDevice task = HalTask.device();
 *   try (TimelineSemaphore timeline = task.createTimeline()) {
 *     task.queue().upload(Fence.NONE, timeline.at(1), HostMemory.of(array), buffer, 0);
 *     task.await(timeline.at(1));
 *     ...
 *   }
 * });
 * }</pre>
 *
 * <p>Thread-safe.
 */
public final class HalTask {
  private HalTask() {}

  /**
   * The device whose address Spark gave to the calling task, with a queue that this attempt of the
   * task has alone. The first call of an attempt waits while other attempts have all queues of the
   * device; {@code spark.jhal.concurrentTasks} says how many those are. All further calls of the
   * attempt return the same object, on any thread that has its {@link TaskContext}.
   *
   * <p>The device and its queue need no close: they go back when the attempt is over, and its
   * timelines are closed then. Buffers, executables and whatever else the attempt makes are its own
   * to close, also if it fails; otherwise they keep memory of the device that other tasks need.
   *
   * @throws HalException FAILED_PRECONDITION outside of a task, in a task that is over or has no
   *     such resource, or if the executor does not run {@link HalPlugin}; INVALID_ARGUMENT if the
   *     task has several addresses, or one that is no URI of a device; UNAVAILABLE if the device is
   *     lost; CANCELLED if the thread is interrupted, or the executor stops; why the executor could
   *     not open the device. The message says what to set
   * @throws TaskKilledException if the task is killed while it waits
   */
  public static TaskDevice device() {
    TaskContext context = TaskContext.get();
    if (context == null) {
      throw new HalException(
          Status.FAILED_PRECONDITION,
          "there is no Spark task on this thread: call HalTask.device() in the function that Spark"
              + " runs for a partition, and hand what it returns to threads of your own");
    }
    ExecutorDevices devices = ExecutorDevices.current();
    if (devices == null) {
      throw new HalException(
          Status.FAILED_PRECONDITION,
          "this executor has no devices of JHAL: set spark.plugins="
              + HalPlugin.class.getName()
              + " before the application starts");
    }
    return devices.device(context);
  }
}
