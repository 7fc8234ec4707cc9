// SPDX-License-Identifier: Apache-2.0
package org.jhal.spark;

import org.apache.spark.TaskContext;
import org.apache.spark.TaskKilledException;
import org.jhal.HalException;
import org.jhal.Status;

/**
 * Gives a Spark task its device.
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
   * Returns the device whose address Spark has assigned to the calling task, or, with the master
   * {@code local[n]}, one of the driver's, with a queue that no other attempt of a task uses. The
   * first call of an attempt waits while other attempts use all queues of the device; {@code
   * spark.jhal.concurrentTasks} is their number. All further calls of the attempt return the same
   * object, on any thread that has its {@link TaskContext}.
   *
   * <p>The device and its queue need not be closed: they are returned when the attempt is over, and
   * its timelines are closed then. The attempt itself closes its buffers, executables and all other
   * objects that it creates, even if it fails; otherwise they keep memory of the device that other
   * tasks need.
   *
   * @throws HalException FAILED_PRECONDITION outside of a task, in a task that is over or has no
   *     such resource, or if the executor does not run {@link HalPlugin}; INVALID_ARGUMENT if the
   *     task has several addresses, or one that is no URI of a device; UNAVAILABLE if the device is
   *     lost; NOT_FOUND if the driver has no device; CANCELLED if the thread is interrupted, or the
   *     executor stops; the failure with which the executor could not open the device. The message
   *     names the settings to change.
   * @throws TaskKilledException if the task is killed while it waits
   */
  public static TaskDevice device() {
    TaskContext context = TaskContext.get();
    if (context == null) {
      throw new HalException(
          Status.FAILED_PRECONDITION,
          "there is no Spark task on this thread: call HalTask.device() in the function that Spark"
              + " runs for a partition, and pass the result to threads of your own");
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
