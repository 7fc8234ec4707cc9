// SPDX-License-Identifier: Apache-2.0
package org.jhal.spark;

import java.nio.file.Path;
import java.util.Map;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.api.plugin.SparkPlugin;
import org.jhal.DeviceStatistics;
import org.jspecify.annotations.Nullable;

/**
 * A plugin that follows {@link HalPlugin} in the list: it leaves a file when an executor has opened
 * its devices, {@code opened-ID}, and one when it has closed them, {@code closed-ID}.
 */
public final class Witness implements SparkPlugin {
  /** The folder of the files. */
  static final String FOLDER = "spark.jhal.test.folder";

  @Override
  public DriverPlugin driverPlugin() {
    return new DriverPlugin() {};
  }

  @Override
  public ExecutorPlugin executorPlugin() {
    return new ExecutorPlugin() {
      private @Nullable ExecutorDevices devices;
      private String name = "";
      private Path folder = Path.of("");

      @Override
      public void init(PluginContext context, Map<String, String> ignored) {
        devices = ExecutorDevices.current();
        name = context.executorID();
        folder = Path.of(context.conf().get(FOLDER));
        Scaling.leave(folder, "opened-" + name, String.valueOf(devices));
      }

      @Override
      public void shutdown() {
        ExecutorDevices closed = devices;
        long open = closed == null ? -1 : closed.sum(DeviceStatistics::openOperations);
        ExecutorDevices current = ExecutorDevices.current();
        Scaling.leave(folder, "closed-" + name, open + " operations, devices: " + current);
      }
    };
  }
}
