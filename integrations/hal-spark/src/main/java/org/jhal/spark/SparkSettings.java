// SPDX-License-Identifier: Apache-2.0
package org.jhal.spark;

import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.spark.SparkConf;
import org.jhal.DeviceUri;
import org.jhal.HalException;
import org.jhal.Status;
import org.jspecify.annotations.Nullable;

/**
 * The settings of an application.
 *
 * @param resource the name of the resource whose addresses are devices
 * @param concurrentTasks how many tasks use a device at once
 * @param exitOnLost whether an executor ends when it has lost a device
 */
record SparkSettings(String resource, int concurrentTasks, boolean exitOnLost) {
  private static final String PREFIX = "spark.jhal.";
  static final String RESOURCE = PREFIX + "resource";
  static final String CONCURRENT_TASKS = PREFIX + "concurrentTasks";
  static final String EXIT_ON_LOST = PREFIX + "exitOnLost";
  static final String DRIVERS = PREFIX + "drivers";

  private static final int MOST_TASKS = 64; // as many queues as a device has at most
  private static final String QUEUES = "queues"; // the option of drivers

  /**
   * Reads the settings.
   *
   * @throws HalException INVALID_ARGUMENT or OUT_OF_RANGE, with the name and the value of the wrong
   *     setting
   */
  static SparkSettings of(SparkConf conf) {
    return new SparkSettings(resource(conf), concurrentTasks(conf), exitOnLost(conf));
  }

  /** The name of the resource, the only setting that a worker needs. */
  static String resource(SparkConf conf) {
    return conf.get(RESOURCE, "gpu");
  }

  private static boolean exitOnLost(SparkConf conf) {
    String text = conf.get(EXIT_ON_LOST, "true").strip();
    if (!text.equals("true") && !text.equals("false")) {
      throw new HalException(
          Status.INVALID_ARGUMENT, EXIT_ON_LOST + " is '" + text + "': must be true or false");
    }
    return text.equals("true");
  }

  private static int concurrentTasks(SparkConf conf) {
    String text = conf.get(CONCURRENT_TASKS, "2");
    int value;
    try {
      value = Integer.parseInt(text.strip());
    } catch (NumberFormatException e) {
      throw new HalException(
          Status.INVALID_ARGUMENT, CONCURRENT_TASKS + " is '" + text + "', which is no number", e);
    }
    if (value < 1 || value > MOST_TASKS) {
      throw new HalException(
          Status.OUT_OF_RANGE, CONCURRENT_TASKS + " is " + value + ": must be 1 to " + MOST_TASKS);
    }
    return value;
  }

  /**
   * Refuses a master with which every job would wait forever.
   *
   * @throws HalException FAILED_PRECONDITION if tasks want the resource and get none
   */
  void checkMaster(SparkConf conf) {
    String master = conf.get("spark.master", "");
    String amount = taskAmount();
    if ((master.equals("local") || master.startsWith("local[")) && conf.contains(amount)) {
      throw new HalException(
          Status.FAILED_PRECONDITION,
          "the master "
              + master
              + " assigns no resources to tasks, so with "
              + amount
              + " every job would wait forever: leave it out, and tasks use the devices of this"
              + " machine in turn; or use the master local-cluster[1,2,1024]");
    }
  }

  /**
   * Refuses devices that no task would get.
   *
   * @throws HalException FAILED_PRECONDITION if executors have the resource and tasks do not
   */
  void checkAmounts(SparkConf conf) {
    String amount = "spark.executor.resource." + resource + ".amount";
    if (amount(conf, amount) > 0 && amount(conf, taskAmount()) == 0) {
      throw new HalException(
          Status.FAILED_PRECONDITION,
          amount
              + " is "
              + conf.get(amount).strip()
              + ", but tasks get none of it: set "
              + taskAmount()
              + ", to "
              + 1.0 / concurrentTasks
              + " for as many tasks at a time as "
              + CONCURRENT_TASKS
              + " allows");
    }
  }

  /** A warning if more tasks at a time are assigned to a device than can use it, or null. */
  @Nullable String tooManyTasks(SparkConf conf) {
    double amount = amount(conf, taskAmount());
    long tasks = amount > 0 ? (long) (1 / amount) : 0;
    return tasks <= concurrentTasks
        ? null
        : taskAmount()
            + " is "
            + amount
            + ", so "
            + tasks
            + " tasks at a time have the same device, but "
            + CONCURRENT_TASKS
            + " is "
            + concurrentTasks
            + ": the others hold a core while they wait";
  }

  private String taskAmount() {
    return "spark.task.resource." + resource + ".amount";
  }

  /** An amount; 0 if there is none, which is the same for Spark; NaN if it is no number. */
  private static double amount(SparkConf conf, String key) {
    try {
      return Double.parseDouble(conf.get(key, "0").strip());
    } catch (NumberFormatException e) {
      return Double.NaN; // Spark refuses it
    }
  }

  /**
   * The URI that opens the device of an address with as many queues as there may be tasks.
   *
   * @throws HalException INVALID_ARGUMENT if the address is no URI, or asks for another number of
   *     queues
   */
  DeviceUri uri(String address) {
    DeviceUri uri;
    try {
      uri = DeviceUri.parse(address);
    } catch (HalException e) {
      throw new HalException(
          e.status(),
          e.getMessage()
              + ". The discovery of the resource must return URIs of devices, as "
              + HalResourceDiscovery.class.getName()
              + " and the command 'hal devices --spark "
              + resource
              + "' do",
          e);
    }
    String wanted = String.valueOf(concurrentTasks);
    String given = uri.options().getOrDefault(QUEUES, wanted);
    if (!given.equals(wanted)) {
      throw new HalException(
          Status.INVALID_ARGUMENT,
          "it asks for "
              + given
              + " queues, but "
              + CONCURRENT_TASKS
              + " is "
              + wanted
              + ": leave the option queues out");
    }
    Map<String, String> options = new LinkedHashMap<>(uri.options());
    options.put(QUEUES, wanted);
    return new DeviceUri(uri.driver(), uri.selector(), options);
  }
}
