// SPDX-License-Identifier: Apache-2.0
package org.jhal.spark;

import static org.jhal.spark.Tasks.RESOURCE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.codahale.metrics.Gauge;
import com.codahale.metrics.MetricRegistry;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.apache.spark.SparkConf;
import org.apache.spark.TaskContextImpl;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.package$;
import org.apache.spark.resource.ResourceInformation;
import org.jhal.Device;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The two parts of the plugin, without a Spark that runs them. */
class HalPluginTest {
  private static final String ONE = "mock://0?devices=2";
  private static final String OTHER = "mock://1?devices=2";

  private static final String EXECUTOR_AMOUNT = "spark.executor.resource.accelerator.amount";
  private static final String TASK_AMOUNT = "spark.task.resource.accelerator.amount";
  private static final String CONCURRENT = "spark.jhal.concurrentTasks";

  private final MetricRegistry metrics = new MetricRegistry();
  private final ExecutorPlugin executor = new HalPlugin().executorPlugin();

  @AfterEach
  void shutdown() {
    executor.shutdown();
    assertNull(ExecutorDevices.current());
  }

  private static SparkConf conf() {
    return new SparkConf(false).set("spark.jhal.resource", RESOURCE);
  }

  private static SparkConf conf(String executorAmount, String taskAmount) {
    return conf().set(EXECUTOR_AMOUNT, executorAmount).set(TASK_AMOUNT, taskAmount);
  }

  /** What Spark passes to a plugin. */
  private PluginContext context(SparkConf conf, String... addresses) {
    return context("0", conf, addresses);
  }

  private PluginContext context(String executorId, SparkConf conf, String... addresses) {
    Map<String, ResourceInformation> resources =
        addresses.length == 0
            ? Map.of()
            : Map.of(RESOURCE, new ResourceInformation(RESOURCE, addresses));
    return new PluginContext() {
      @Override
      public MetricRegistry metricRegistry() {
        return metrics;
      }

      @Override
      public SparkConf conf() {
        return conf;
      }

      @Override
      public String executorID() {
        return executorId;
      }

      @Override
      public String hostname() {
        return "localhost";
      }

      @Override
      public Map<String, ResourceInformation> resources() {
        return resources;
      }

      @Override
      public void send(Object message) {
        throw new AssertionError("nothing is sent");
      }

      @Override
      public Object ask(Object message) {
        throw new AssertionError("nothing is asked");
      }
    };
  }

  @Test
  void refusesAnotherMajorVersionOfSpark() {
    for (String version : new String[] {"3.5.8", "5.0.0", "40.1.0", "2.4", "?"}) {
      IllegalStateException refused =
          assertThrows(IllegalStateException.class, () -> SparkVersion.check(version));
      assertTrue(
          refused.toString().contains("Spark " + version + ",")
              && refused.toString().contains("Spark 4.x"),
          refused::toString);
    }
    for (String version : new String[] {"4", "4.0.0", "4.99.1-SNAPSHOT"}) {
      SparkVersion.check(version);
    }
    assertTrue(package$.MODULE$.SPARK_VERSION().startsWith("4."));
  }

  @SuppressWarnings("NullAway") // this part makes no use of the application's context
  private static Map<String, String> init(DriverPlugin driver, PluginContext context) {
    return driver.init(null, context);
  }

  @Test
  void theDriverRefusesWrongSettings() {
    DriverPlugin driver = new HalPlugin().driverPlugin();
    SparkConf wrong = conf().set(CONCURRENT, "65");
    HalException refused = assertThrows(HalException.class, () -> init(driver, context(wrong)));
    assertEquals(Status.OUT_OF_RANGE, refused.status());
    assertEquals("spark.jhal.concurrentTasks is 65: must be 1 to 64", refused.getMessage());
    assertEquals(Map.of(), init(driver, context(conf())));
  }

  /** Spark starts such an application, and then schedules nothing. */
  @Test
  void theDriverRefusesAMasterThatSchedulesNoResources() {
    DriverPlugin driver = new HalPlugin().driverPlugin();
    for (String master : new String[] {"local", "local[2]", "local[*]"}) {
      SparkConf wrong = conf().set("spark.master", master).set(TASK_AMOUNT, "1");
      HalException refused =
          assertThrows(HalException.class, () -> init(driver, context(wrong)), master);
      assertEquals(Status.FAILED_PRECONDITION, refused.status());
      assertTrue(refused.getMessage().contains("leave it out"), refused::toString);
    }
    for (String master : new String[] {"local-cluster[1,2,1024]", "spark://host:7077", "yarn"}) {
      SparkConf right = conf().set("spark.master", master).set(TASK_AMOUNT, "1");
      assertEquals(Map.of(), init(driver, context(right)));
    }
    assertEquals(Map.of(), init(driver, context(conf().set("spark.master", "local[2]"))));
  }

  /** Spark also starts such an application, and assigns nothing to its tasks. */
  @Test
  void theDriverRefusesDevicesOfExecutorsThatNoTaskGets() {
    DriverPlugin driver = new HalPlugin().driverPlugin();
    for (SparkConf wrong :
        List.of(conf().set(EXECUTOR_AMOUNT, "1"), conf(" 2 ", "0").set(CONCURRENT, "4"))) {
      HalException refused = assertThrows(HalException.class, () -> init(driver, context(wrong)));
      assertEquals(Status.FAILED_PRECONDITION, refused.status());
      String advice = wrong.contains(CONCURRENT) ? "0.25" : "0.5";
      String text = "set " + TASK_AMOUNT + ", to " + advice;
      assertTrue(refused.getMessage().contains(text), refused::toString);
    }
    SparkConf other = conf().set("spark.executor.resource.fpga.amount", "1");
    for (SparkConf right : List.of(conf("1", "1"), conf().set(EXECUTOR_AMOUNT, "0"), other)) {
      assertEquals(Map.of(), init(driver, context(right)));
    }
  }

  @Test
  void theDriverWarnsOfMoreTasksThanQueues() {
    DriverPlugin driver = new HalPlugin().driverPlugin();
    List<String> warnings = new CopyOnWriteArrayList<>();
    Handler handler =
        new Handler() {
          @Override
          public void publish(LogRecord record) {
            warnings.add(record.getLevel() + " " + record.getMessage());
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    Logger logger = Logger.getLogger(HalPlugin.class.getName());
    logger.addHandler(handler);
    try {
      for (String amount : new String[] {"2", "1", "0.5", "0.4", "no number"}) {
        assertEquals(Map.of(), init(driver, context(conf("1", amount))));
      }
      assertEquals(Map.of(), init(driver, context(conf("1", "0.1").set(CONCURRENT, "10"))));
      assertEquals(List.of(), warnings);
      assertEquals(Map.of(), init(driver, context(conf("1", "0.3"))));
      assertEquals(1, warnings.size(), warnings::toString);
      assertEquals(
          "WARNING "
              + TASK_AMOUNT
              + " is 0.3, so 3 tasks at a time have the same device, but spark.jhal.concurrentTasks"
              + " is 2: the others hold a core while they wait",
          warnings.get(0));
    } finally {
      logger.removeHandler(handler);
    }
  }

  @Test
  void anExecutorOpensItsDevicesAndClosesThem() {
    executor.init(context(conf().set(CONCURRENT, "3"), ONE, OTHER), Map.of());
    TaskContextImpl task = Tasks.of(RESOURCE, OTHER);
    TaskDevice mine = Tasks.in(task, HalTask::device);
    Device device = mine.device();
    assertEquals(1, device.info().index());
    assertEquals(3, device.queueCount());
    assertFalse(device.isClosed());
    executor.shutdown();
    assertTrue(device.isClosed());
    assertNull(ExecutorDevices.current());
  }

  /** With the master {@code local[n]}. */
  @Test
  void theExecutorOfTheDriverFindsDevicesAndAssignsThemInTurn() {
    SparkConf local = conf().set(SparkSettings.DRIVERS, "mock://?devices=3");
    executor.init(context("driver", local), Map.of());
    List<Device> devices = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      TaskContextImpl task = Tasks.withoutResources();
      TaskDevice mine = Tasks.in(task, HalTask::device);
      assertSame(mine, Tasks.in(task, HalTask::device));
      devices.add(mine.device());
      Tasks.end(task);
    }
    assertEquals(3, new HashSet<>(devices).size());
    assertEquals(devices.subList(0, 3), devices.subList(3, 6));
    executor.shutdown();
    devices.forEach(device -> assertTrue(device.isClosed()));
  }

  @Test
  void tasksOfADriverWithoutDevicesFailWithTheReason() {
    executor.init(context("driver", conf().set(SparkSettings.DRIVERS, "")), Map.of());
    if (String.valueOf(ExecutorDevices.current()).contains("queues")) {
      return; // this machine has accelerators
    }
    HalException refused =
        assertThrows(HalException.class, () -> Tasks.in(Tasks.withoutResources(), HalTask::device));
    assertEquals(Status.NOT_FOUND, refused.status());
    assertTrue(refused.getMessage().contains("set it to cpu or mock"), refused::toString);
  }

  private long metric(String name) {
    Gauge<?> gauge = metrics.getGauges().get(name);
    if (gauge == null) {
      throw new AssertionError("no metric " + name + " among " + metrics.getNames());
    }
    return (Long) gauge.getValue();
  }

  @Test
  void metricsCountTheWorkOfTasks() {
    executor.init(context(conf(), ONE, OTHER), Map.of());
    for (String address : new String[] {ONE, OTHER}) {
      TaskContextImpl context = Tasks.of(RESOURCE, address);
      TaskDevice task = Tasks.in(context, HalTask::device);
      TimelineSemaphore timeline = task.createTimeline();
      task.queue().barrier(Fence.NONE, timeline.at(1));
      task.queue().barrier(timeline.at(1), timeline.at(2));
      task.await(timeline.at(2));
      task.counts().batch(100, 50);
      task.counts().halved();
      Tasks.end(context);
    }
    assertEquals(4, metric("operations.enqueued"));
    Tasks.await("operations to retire", () -> metric("operations.retired") == 4, metrics);
    assertEquals(2, metric("batches"));
    assertEquals(200, metric("bytes.toDevice"));
    assertEquals(100, metric("bytes.fromDevice"));
    assertEquals(2, metric("outOfMemory"));
    assertEquals(0, metric("permit.waits"));
    assertEquals(0, metric("permit.waitNanos"));
    assertEquals(0, metric("devices.lost"));
    executor.shutdown();
    assertEquals(4, metric("operations.retired"));
  }

  @Test
  void tasksOfAnExecutorWithoutTheResourceFailWithTheReason() {
    executor.init(context(conf()), Map.of());
    HalException refused =
        assertThrows(HalException.class, () -> Tasks.in(Tasks.withoutResources(), HalTask::device));
    assertTrue(refused.getMessage().contains("no resource 'accelerator'"), refused::toString);
  }
}
