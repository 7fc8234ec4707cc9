// SPDX-License-Identifier: Apache-2.0
package org.jhal.spark;

import com.codahale.metrics.Gauge;
import com.codahale.metrics.MetricRegistry;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.TaskFailedReason;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.api.plugin.SparkPlugin;
import org.apache.spark.resource.ResourceInformation;
import org.jhal.DeviceStatistics;
import org.jhal.DeviceUri;
import org.jhal.DriverRegistry;
import org.jhal.HalException;
import org.jspecify.annotations.Nullable;

/**
 * Gives the executors of an application their devices: {@code
 * spark.plugins=org.jhal.spark.HalPlugin}.
 *
 * <p>Each executor opens the devices that Spark has assigned to it once, and closes them at its
 * end. {@link HalTask#device()} then returns the one that is assigned to the task. The settings are
 *
 * <ul>
 *   <li>{@code spark.jhal.resource}, {@code gpu} by default: the name of the resource whose
 *       addresses are URIs of devices;
 *   <li>{@code spark.jhal.concurrentTasks}, 2 by default, 1 to 64: how many tasks use a device at
 *       the same time, each with a queue of its own. Further tasks wait in {@link
 *       HalTask#device()};
 *   <li>{@code spark.jhal.exitOnLost}, true by default: whether an executor ends when it has lost a
 *       device. A native runtime usually cannot recover in the same process, while a new executor
 *       can use the device again. The exit code is {@link #EXIT_DEVICE_LOST}.
 * </ul>
 *
 * <p>With the master {@code local[n]}, which assigns no resources, the driver opens all devices
 * that {@link HalResourceDiscovery} finds, and tasks get them in turn.
 *
 * <p>Among the metrics of the plugin are the operations that were enqueued and that have retired,
 * the bytes and batches that {@code HalPartitions} has moved, how often it ran out of memory, and
 * how often and how long tasks have waited for a queue.
 */
public final class HalPlugin implements SparkPlugin {
  /** The exit code of an executor that has lost a device. */
  public static final int EXIT_DEVICE_LOST = 86;

  private static final System.Logger LOG = System.getLogger(HalPlugin.class.getName());

  /** For Spark. */
  public HalPlugin() {}

  /**
   * The part in the driver, which refuses wrong settings before anything starts.
   *
   * @throws IllegalStateException if JHAL does not support the major version of this Spark
   */
  @Override
  public DriverPlugin driverPlugin() {
    SparkVersion.check();
    return new DriverPlugin() {
      @Override
      public Map<String, String> init(SparkContext context, PluginContext plugin) {
        SparkConf conf = plugin.conf();
        SparkSettings settings = SparkSettings.of(conf);
        settings.checkMaster(conf);
        settings.checkAmounts(conf);
        String warning = settings.tooManyTasks(conf);
        if (warning != null) {
          LOG.log(Level.WARNING, warning);
        }
        return Map.of();
      }
    };
  }

  /**
   * The part in an executor.
   *
   * @throws IllegalStateException as {@link #driverPlugin}
   */
  @Override
  public ExecutorPlugin executorPlugin() {
    SparkVersion.check();
    return new Executor();
  }

  private static final class Executor implements ExecutorPlugin {
    private volatile @Nullable ExecutorDevices devices;

    @Override
    public void init(PluginContext context, Map<String, String> ignored) {
      SparkSettings settings = SparkSettings.of(context.conf());
      ResourceInformation resource = context.resources().get(settings.resource());
      boolean isOfDriver = context.executorID().equals("driver"); // the master is local[n]
      if (resource == null && !isOfDriver) {
        LOG.log(
            Level.WARNING,
            "executor "
                + context.executorID()
                + " has no resource '"
                + settings.resource()
                + "', so no device; it has "
                + context.resources().keySet());
      }
      DriverRegistry registry = DriverRegistry.load(HalPlugin.class.getClassLoader());
      boolean endsWhenLost = settings.exitOnLost() && !isOfDriver; // a process of its own
      Counts counts = new Counts();
      ExecutorDevices opened =
          new ExecutorDevices(
              settings,
              isOfDriver
                  ? ofThisMachine(context.conf())
                  : resource == null ? List.of() : List.of(resource.addresses()),
              isOfDriver,
              uri -> registry.driver(uri.driver()).open(uri),
              counts,
              endsWhenLost,
              cause -> lost(cause, endsWhenLost));
      devices = opened;
      ExecutorDevices.setCurrent(opened);
      register(context.metricRegistry(), opened, counts);
    }

    /** Spark assigns no resources to the driver's own executor, so it finds them itself. */
    private static List<String> ofThisMachine(SparkConf conf) {
      DriverRegistry.Addresses found = HalResourceDiscovery.find(conf);
      if (found.uris().isEmpty()) {
        LOG.log(
            Level.WARNING,
            "no device for tasks of the master local[n], so they will fail: "
                + found.reasons()
                + "; "
                + SparkSettings.DRIVERS
                + " selects the drivers, such as cpu or mock");
      }
      return found.uris().stream().map(DeviceUri::toString).toList();
    }

    private static void lost(HalException cause, boolean isToExit) {
      if (isToExit) {
        LOG.log(
            Level.ERROR,
            "the executor ends with code "
                + EXIT_DEVICE_LOST
                + ", since it has lost a device; set "
                + SparkSettings.EXIT_ON_LOST
                + "=false to let it go on",
            cause);
        ProcessExit.begin(EXIT_DEVICE_LOST);
      } else {
        LOG.log(Level.ERROR, "the executor has lost a device, whose tasks will fail", cause);
      }
    }

    private static void register(MetricRegistry metrics, ExecutorDevices devices, Counts counts) {
      gauge(metrics, "operations.enqueued", () -> devices.sum(DeviceStatistics::enqueued));
      gauge(metrics, "operations.retired", () -> devices.sum(DeviceStatistics::retired));
      gauge(metrics, "batches", counts::batches);
      gauge(metrics, "bytes.toDevice", counts::bytesToDevice);
      gauge(metrics, "bytes.fromDevice", counts::bytesFromDevice);
      gauge(metrics, "outOfMemory", counts::halvings);
      gauge(metrics, "permit.waits", counts::permitWaits);
      gauge(metrics, "permit.waitNanos", counts::permitWaitNanos);
      gauge(metrics, "devices.lost", counts::devicesLost);
    }

    private static void gauge(MetricRegistry metrics, String name, LongSupplier value) {
      Gauge<Long> unused = metrics.register(name, (Gauge<Long>) value::getAsLong);
    }

    @Override
    public void onTaskFailed(TaskFailedReason reason) {
      ExecutorDevices opened = devices;
      if (opened != null) {
        opened.look();
      }
    }

    @Override
    public void shutdown() {
      ExecutorDevices opened = devices;
      if (opened != null) {
        opened.close(); // waiting tasks fail because the executor stops
        if (ExecutorDevices.current() == opened) {
          ExecutorDevices.setCurrent(null);
        }
      }
    }
  }
}
