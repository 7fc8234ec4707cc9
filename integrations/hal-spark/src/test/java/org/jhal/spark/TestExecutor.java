// SPDX-License-Identifier: Apache-2.0
package org.jhal.spark;

import static org.jhal.spark.Tasks.RESOURCE;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jhal.DriverRegistry;
import org.jhal.HalException;

/** An executor without Spark, which is the one of this process until it is closed. */
final class TestExecutor implements AutoCloseable {
  final Counts counts = new Counts();

  /** The losses of devices that were reported. */
  final List<HalException> losses = new CopyOnWriteArrayList<>();

  final ExecutorDevices devices;

  /** Opens the devices of addresses, each with {@code concurrentTasks} queues. */
  TestExecutor(int concurrentTasks, String... addresses) {
    this(false, concurrentTasks, addresses);
  }

  TestExecutor(boolean endsWhenLost, int concurrentTasks, String... addresses) {
    DriverRegistry registry = DriverRegistry.load();
    devices =
        new ExecutorDevices(
            new SparkSettings(RESOURCE, concurrentTasks, true),
            List.of(addresses),
            false,
            uri -> registry.driver(uri.driver()).open(uri),
            counts,
            endsWhenLost,
            losses::add);
    ExecutorDevices.setCurrent(devices);
  }

  /** Waits until its description has a text. */
  void await(String what, String text) {
    Tasks.await(what, () -> devices.toString().contains(text), this);
  }

  @Override
  public void close() {
    ExecutorDevices.setCurrent(null);
    devices.close();
  }

  @Override
  public String toString() {
    return devices.toString();
  }
}
