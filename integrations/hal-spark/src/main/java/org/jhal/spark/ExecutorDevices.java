// SPDX-License-Identifier: Apache-2.0
package org.jhal.spark;

import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.apache.spark.TaskContext;
import org.apache.spark.TaskKilledException;
import org.apache.spark.resource.ResourceInformation;
import org.apache.spark.util.TaskCompletionListener;
import org.jhal.Device;
import org.jhal.DeviceStatistics;
import org.jhal.DeviceUri;
import org.jhal.HalException;
import org.jhal.Status;
import org.jspecify.annotations.Nullable;

/**
 * The devices of an executor: each address of the resource is opened once, with a queue for each
 * task that may use it at the same time.
 *
 * <p>Thread-safe.
 */
final class ExecutorDevices implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(ExecutorDevices.class.getName());

  /** Longer than the exit of a process takes; see {@link ProcessExit}. */
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private static final Executor CLOSER = work -> new Thread(work, "jhal-spark-close").start();

  /** The devices of this process, which is one executor. Set and cleared by the plugin. */
  private static volatile @Nullable ExecutorDevices current;

  private final String resource;
  private final List<String> addresses;
  private final boolean assignsInTurn;
  private final Counts counts;
  private final boolean endsWhenLost;
  private final Consumer<HalException> onLost;
  private final QueueDrain drain = new QueueDrain();
  private final Map<String, QueuePermits> devices = new LinkedHashMap<>(); // by address
  private final Map<String, HalException> failures = new LinkedHashMap<>(); // by address
  private final Set<Device> lost = ConcurrentHashMap.newKeySet();

  /**
   * Opens the devices. If one cannot be opened, this logs the reason, with which its tasks fail.
   *
   * @param assignsInTurn whether tasks get the devices in turn, rather than from Spark
   * @param opener opens the device of a URI
   * @param endsWhenLost whether the process ends soon after {@code onLost} was called
   * @param onLost called once for each device that is found lost, on the thread of a task
   */
  ExecutorDevices(
      SparkSettings settings,
      List<String> addresses,
      boolean assignsInTurn,
      Function<DeviceUri, Device> opener,
      Counts counts,
      boolean endsWhenLost,
      Consumer<HalException> onLost) {
    this.resource = settings.resource();
    this.addresses = List.copyOf(new LinkedHashSet<>(addresses));
    this.assignsInTurn = assignsInTurn;
    this.counts = counts;
    this.endsWhenLost = endsWhenLost;
    this.onLost = onLost;
    for (String address : this.addresses) {
      try {
        Device device = opener.apply(settings.uri(address));
        devices.put(address, new QueuePermits(device, counts, drain));
        LOG.log(Level.INFO, "opened " + device + " for address " + address);
      } catch (RuntimeException | LinkageError e) {
        Status status = e instanceof HalException own ? own.status() : Status.UNAVAILABLE;
        String text = e instanceof HalException own ? own.getMessage() : e.toString();
        HalException failure =
            new HalException(
                status,
                "address '"
                    + address
                    + "' of resource '"
                    + resource
                    + "' on this executor: "
                    + text,
                e);
        failures.put(address, failure);
        LOG.log(Level.ERROR, "tasks with this address will fail", failure);
      }
    }
  }

  /** The devices of this process, or null if no plugin has opened any. */
  static @Nullable ExecutorDevices current() {
    return current;
  }

  /** Sets the devices of the process; null for none. */
  static void setCurrent(@Nullable ExecutorDevices devices) {
    current = devices;
  }

  /** See {@link HalTask#device()}. */
  TaskDevice device(TaskContext context) {
    QueuePermits permits = permits(context);
    HalException cause = permits.device().lostCause();
    long id = context.taskAttemptId();
    String attempt = name(context);
    if (cause != null) {
      noteLost(permits.device());
      if (endsWhenLost) {
        awaitEnd(attempt, context);
      }
      throw cause.again();
    }
    if (context.isCompleted()) {
      throw new HalException(Status.FAILED_PRECONDITION, attempt + " is over");
    }
    QueuePermits.Lent lent = permits.take(id, attempt, context::isInterrupted);
    TaskDevice task = lent.task();
    if (lent.isNew()) {
      boolean isToEnd = false;
      try {
        TaskCompletionListener atEnd = ended -> end(permits, id, task);
        TaskContext unused = context.addTaskCompletionListener(atEnd);
        isToEnd = true;
      } finally {
        if (!isToEnd) {
          end(permits, id, task);
        }
      }
    }
    if (task.isOver()) { // a thread of the task has outlived it
      throw new HalException(Status.FAILED_PRECONDITION, attempt + " is over");
    }
    return task;
  }

  /**
   * Waits for the end of this process. Spark offers a task that has failed to the same executor
   * again at once; if it failed again and again until the process is gone, it would soon have used
   * up its attempts.
   *
   * @throws TaskKilledException if the task is killed
   */
  private static void awaitEnd(String attempt, TaskContext context) {
    long end = System.nanoTime() + PATIENCE.toNanos();
    try {
      while (System.nanoTime() - end < 0 && !context.isInterrupted()) {
        // Polls, since versions of Spark before 4.2 do not notify of a kill.
        Thread.sleep(TaskDevice.LOOK.toMillis());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (context.isInterrupted()) {
      throw new TaskKilledException(attempt + " was killed while the executor ended");
    }
  }

  private static String name(TaskContext context) {
    return "attempt "
        + context.attemptNumber()
        + " of partition "
        + context.partitionId()
        + " of stage "
        + context.stageId()
        + " (task "
        + context.taskAttemptId()
        + ")";
  }

  private void end(QueuePermits permits, long id, TaskDevice task) {
    try {
      permits.giveBack(id, task);
    } finally {
      noteIfLost(permits.device());
    }
  }

  private QueuePermits permits(TaskContext context) {
    String address = address(context);
    QueuePermits permits = devices.get(address);
    if (permits != null) {
      return permits;
    }
    HalException failure = failures.get(address);
    if (failure != null) {
      throw failure.again();
    }
    throw new HalException(
        Status.NOT_FOUND,
        "address '"
            + address
            + "' of resource '"
            + resource
            + "' is none of those that this executor started with: "
            + devices.keySet());
  }

  private String address(TaskContext context) {
    return assignsInTurn ? addressInTurn(context.taskAttemptId()) : assigned(context);
  }

  /** The address for an attempt, the same at each call. */
  private String addressInTurn(long id) {
    if (addresses.isEmpty()) {
      throw new HalException(
          Status.NOT_FOUND,
          "this machine has no device that "
              + SparkSettings.DRIVERS
              + " selects; set it to cpu or mock to compute on the host");
    }
    return addresses.get((int) (id % addresses.size()));
  }

  private String assigned(TaskContext context) {
    Map<String, ResourceInformation> resources = context.resourcesJMap();
    ResourceInformation mine = resources.get(resource);
    if (mine == null) {
      throw new HalException(
          Status.FAILED_PRECONDITION,
          "the task has no resource '"
              + resource
              + "'; it has "
              + resources.keySet()
              + ". Set spark.executor.resource."
              + resource
              + ".amount and spark.task.resource."
              + resource
              + ".amount, or spark.jhal.resource to the name of another one");
    }
    String[] addresses = mine.addresses();
    if (addresses.length != 1) {
      throw new HalException(
          Status.INVALID_ARGUMENT,
          "the task has "
              + addresses.length
              + " addresses of resource '"
              + resource
              + "', "
              + Arrays.toString(addresses)
              + "; a task uses one: set spark.task.resource."
              + resource
              + ".amount to 1 or less");
    }
    return addresses[0];
  }

  private void noteIfLost(Device device) {
    if (device.lostCause() != null) {
      noteLost(device);
    }
  }

  private void noteLost(Device device) {
    HalException cause = device.lostCause();
    if (cause != null && lost.add(device)) {
      counts.lost();
      onLost.accept(cause);
    }
  }

  /** Checks whether a device is lost. */
  void look() {
    devices.values().forEach(permits -> noteIfLost(permits.device()));
  }

  /** The sum of a number over all devices. */
  long sum(ToLongFunction<DeviceStatistics> number) {
    return devices.values().stream()
        .mapToLong(permits -> number.applyAsLong(permits.device().statistics()))
        .sum();
  }

  /**
   * Closes the devices, at the same time, since each may have to wait for its work. Tasks that wait
   * for a queue get CANCELLED.
   */
  @Override
  public void close() {
    devices.values().forEach(QueuePermits::close);
    List<CompletableFuture<Void>> closing =
        devices.values().stream()
            .map(permits -> CompletableFuture.runAsync(() -> close(permits), CLOSER))
            .toList();
    closing.forEach(CompletableFuture::join);
  }

  private static void close(QueuePermits permits) {
    try {
      permits.device().close();
    } catch (RuntimeException e) {
      LOG.log(Level.WARNING, "cannot close " + permits.device(), e);
    }
  }

  @Override
  public String toString() {
    return "devices of resource '" + resource + "': " + devices.values() + ", not " + failures;
  }
}
