// SPDX-License-Identifier: Apache-2.0
package org.jhal.spark;

import static org.apache.spark.sql.types.DataTypes.IntegerType;
import static org.apache.spark.sql.types.DataTypes.LongType;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.apache.spark.SparkException;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaFutureAction;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.resource.ResourceProfile;
import org.apache.spark.resource.ResourceProfileBuilder;
import org.apache.spark.resource.TaskResourceRequests;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.StructType;
import org.jhal.DeviceStatistics;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;

/**
 * Tasks of one application on two executors, each a process with two devices. The order is such
 * that executors end last.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@Timeout(300)
class SparkIntegrationTest {
  private static final int PARTITIONS = 8;
  private static final int EXECUTORS = 2;

  @SuppressWarnings("NullAway.Init") // by start()
  private LocalSpark spark;

  @BeforeAll
  void start() throws Exception {
    spark = LocalSpark.withClassPath(EXECUTORS);
    spark.awaitProcesses(
        () ->
            run("a job for all executors", data(PARTITIONS), new Scaling()).stream()
                .map(Scaling.Result::process)
                .toList());
  }

  @AfterAll
  void stop() throws Exception {
    if (spark != null) {
      spark.close();
    }
  }

  private JavaRDD<float[]> data(int partitions) {
    return Scaling.data(spark.context(), partitions);
  }

  private List<Scaling.Result> run(String what, JavaRDD<float[]> data, Scaling scaling)
      throws Exception {
    return spark.run(what, () -> data.mapPartitions(scaling).collect());
  }

  // Ordinary work.

  @Test
  @Order(1)
  void tasksComputeTheResultsOnTheirAssignedDevices() throws Exception {
    List<Scaling.Result> results = run("a plain job", data(PARTITIONS), new Scaling());
    Scaling.check(results, PARTITIONS);
    results.forEach(result -> assertEquals(0, result.attempt()));
    JavaRDD<float[]> empty = spark.context().<float[]>parallelize(List.of(), 3);
    for (Scaling.Result result : run("a job without data", empty, new Scaling())) {
      assertEquals(List.of(), result.arrays());
    }
  }

  /** Waits until the other task of the process has reached the same point. */
  private static void meet(CyclicBarrier both, TaskDevice task) {
    try {
      int unused = both.await(50, TimeUnit.SECONDS);
    } catch (Exception e) {
      throw new IllegalStateException(task + " was alone", e);
    }
  }

  /** Waits for the other task of its process before it continues. */
  private static final class Meeting extends Scaling {
    private static final long serialVersionUID = 1L;
    private static final CyclicBarrier BOTH = new CyclicBarrier(2);

    @Override
    void before(TaskContext context, TaskDevice task) {
      meet(BOTH, task);
    }
  }

  @Test
  @Order(2)
  void twoTasksOfOneProcessRunAtOnceOnTwoDevices() throws Exception {
    int tasks = 2 * EXECUTORS;
    List<Scaling.Result> results = run("tasks that meet", data(tasks), new Meeting());
    Scaling.check(results, tasks);
    Map<Long, Set<String>> devices =
        results.stream()
            .collect(
                Collectors.groupingBy(
                    Scaling.Result::process,
                    Collectors.mapping(Scaling.Result::uuid, Collectors.toSet())));
    assertEquals(EXECUTORS, devices.size(), devices::toString);
    devices.values().forEach(some -> assertEquals(2, some.size(), devices::toString));
  }

  @Test
  @Order(3)
  void tasksWithHalfADeviceShareOne() throws Exception {
    ResourceProfile half =
        new ResourceProfileBuilder()
            .require(new TaskResourceRequests().cpus(1).resource(Tasks.RESOURCE, 0.5))
            .build();
    List<Scaling.Result> results =
        run("tasks with half a device", data(PARTITIONS).withResources(half), new Scaling());
    Scaling.check(results, PARTITIONS);
  }

  // Failures of tasks.

  /** Fails in the kernel, the first time. */
  private static final class BadKernel extends Scaling {
    private static final long serialVersionUID = 1L;

    @Override
    float[] prepare(TaskContext context, float[] array) {
      return context.partitionId() == 2 && context.attemptNumber() == 0
          ? new float[] {1, BAD}
          : array;
    }
  }

  @Test
  @Order(4)
  void onlyTheTaskOfAFailedKernelIsRepeated() throws Exception {
    List<Scaling.Result> results =
        run("a job with a bad kernel", data(PARTITIONS), new BadKernel());
    Scaling.check(results, PARTITIONS);
    for (Scaling.Result result : results) {
      assertEquals(result.partition() == 2 ? 1 : 0, result.attempt(), result::toString);
    }
    assertEquals(List.of(), spark.removed());
  }

  /** Fails in the kernel, always. */
  private static final class WorseKernel extends Scaling {
    private static final long serialVersionUID = 1L;

    @Override
    float[] prepare(TaskContext context, float[] array) {
      return new float[] {BAD};
    }
  }

  @Test
  @Order(5)
  void aFailureReachesTheDriverWithStatusAndMessage() throws Exception {
    SparkException failed =
        assertThrows(
            SparkException.class, () -> run("a job that fails", data(1), new WorseKernel()));
    HalException cause = assertInstanceOf(HalException.class, failed.getCause());
    assertEquals(Status.ABORTED, cause.status());
    assertTrue(cause.getMessage().contains("scale"), cause::toString);
    assertEquals("a bad value", causeOf(cause).getMessage());
  }

  private static Throwable causeOf(Throwable failure) {
    Throwable cause = failure.getCause();
    return cause == null ? failure : cause;
  }

  /** Leaves files for the test. */
  private abstract static class Telling extends Scaling {
    private static final long serialVersionUID = 1L;

    private final String folder;

    Telling(Path folder) {
      this.folder = folder.toString();
    }

    void leave(String name, String text) {
      leave(Path.of(folder), name, text);
    }
  }

  /** Waits for an event that never comes, with work in flight and work that waits. */
  private static final class Endless extends Telling {
    private static final long serialVersionUID = 1L;

    Endless(Path folder) {
      super(folder);
    }

    @Override
    void before(TaskContext context, TaskDevice task) {
      TimelineSemaphore timeline = task.createTimeline();
      for (int i = 0; i < 10; i++) {
        task.queue().barrier(i == 0 ? Fence.NONE : timeline.at(i), timeline.at(i + 1));
      }
      task.queue().barrier(timeline.at(50), timeline.at(51));
      leave("started-" + context.partitionId(), "");
      task.await(timeline.at(51));
    }
  }

  /** Waits until the device of the task has only the resources of this task. */
  private static final class Inspection extends Scaling {
    private static final long serialVersionUID = 1L;
    private static final CyclicBarrier BOTH = new CyclicBarrier(2);

    @Override
    void before(TaskContext context, TaskDevice task) {
      Tasks.await(
          "everything to be given back",
          () -> {
            DeviceStatistics now = task.device().statistics();
            return now.openOperations() == 0 && now.liveResources() == 0;
          },
          task + ", " + task.device().statistics());
      try { // each task of a process has another device
        int unused = BOTH.await(10, TimeUnit.SECONDS);
      } catch (BrokenBarrierException | TimeoutException e) {
        return; // Spark saw the slot of a killed task as busy still, and gave this process one task
      } catch (InterruptedException e) {
        throw new IllegalStateException(task + " was interrupted", e);
      }
    }
  }

  @Test
  @Order(6)
  void killedTasksReleaseEverything() throws Exception {
    int tasks = 2 * EXECUTORS;
    spark.awaitExecutors();
    Path folder = spark.folder("endless");
    JavaFutureAction<List<Scaling.Result>> job =
        data(tasks).mapPartitions(new Endless(folder)).collectAsync();
    for (int i = 0; i < tasks; i++) {
      Path started = folder.resolve("started-" + i);
      spark.await("task " + i + " to start", () -> Files.exists(started));
    }
    boolean unused = job.cancel(true);
    spark.awaitIdle(); // or one process could have two tasks of the next job before another has one
    Scaling.check(run("a job after a cancelled one", data(tasks), new Inspection()), tasks);
    assertEquals(List.of(), spark.removed());
  }

  // Partitions through kernels.

  @Test
  @Order(6)
  void mapsPartitionsOfArrays() throws Exception {
    HalPartitions<float[], double[]> half =
        Scaling.HALVES.withBatchBytes(1000); // several batches, which split some arrays
    List<double[]> results =
        spark.run("arrays", () -> data(PARTITIONS).mapPartitions(half).collect());
    Scaling.checkHalves(results, PARTITIONS);
    spark.await(
        "metric batches of the executors",
        () -> spark.metric("batches").stream().mapToLong(Long::longValue).sum() > PARTITIONS);
  }

  /** Two mappings in a row, between which Spark passes the rows unchanged. */
  @Test
  @Order(6)
  void mapsPartitionsOfRows() throws Exception {
    int count = 10_000;
    StructType once = new StructType().add("id", LongType).add("y", IntegerType);
    StructType twice = new StructType().add("y", IntegerType).add("id", LongType);
    HalPartitions<Row, Row> next =
        HalPartitions.rows(MappedPartition.KERNELS, "next_i32", once).withBatchBytes(4000);
    Dataset<Row> rows =
        SparkSession.builder()
            .sparkContext(spark.context().sc())
            .getOrCreate()
            .range(0, count, 1, PARTITIONS)
            .selectExpr("id", "cast(3 * id as int) as x")
            .mapPartitions(next, Encoders.row(once))
            .withColumnRenamed("y", "x")
            .mapPartitions(
                HalPartitions.rows(MappedPartition.KERNELS, "next_i32", twice),
                Encoders.row(twice));
    List<Row> results = spark.run("rows", rows::collectAsList);
    assertEquals(count, results.size());
    for (int i = 0; i < count; i++) {
      assertEquals(RowFactory.create(3 * i + 2, (long) i), results.get(i));
    }
  }

  /** Each array was uploaded, scaled and read back, which are three operations. */
  @Test
  @Order(7)
  void metricsOfSparkIncludeThoseOfThePlugin() throws Exception {
    Scaling.check(run("a job that is counted", data(PARTITIONS), new Scaling()), PARTITIONS);
    for (String name : new String[] {"operations.enqueued", "operations.retired"}) {
      spark.await(
          "metric " + name + " of the executors",
          () -> {
            List<Long> values = spark.metric(name);
            long sum = values.stream().mapToLong(Long::longValue).sum();
            return values.size() == EXECUTORS && sum >= 3 * PARTITIONS * Scaling.ARRAYS;
          });
    }
    spark.await(
        "metric devices.lost of the executors",
        () -> spark.metric("devices.lost").equals(List.of(0L, 0L)));
  }

  // Executors that end.

  /** Reports its process, and waits to be killed with it, the first time. */
  private static final class Victim extends Telling {
    private static final long serialVersionUID = 1L;

    Victim(Path folder) {
      super(folder);
    }

    @Override
    void before(TaskContext context, TaskDevice task) {
      if (context.partitionId() == 3 && context.attemptNumber() == 0) {
        leave("process", String.valueOf(ProcessHandle.current().pid()));
        task.await(task.createTimeline().at(1));
      }
    }
  }

  @Test
  @Order(8)
  void aKilledExecutorLosesNoResults() throws Exception {
    Path folder = spark.folder("victim");
    Path file = folder.resolve("process");
    Scaling victim = new Victim(folder);
    Thread killer =
        new Thread(
            () -> {
              spark.await("a task that waits for its end", () -> Files.exists(file));
              boolean unused = ProcessHandle.of(pid(file)).orElseThrow().destroyForcibly();
            },
            "killer");
    killer.setDaemon(true);
    spark.awaitExecutors();
    killer.start();
    List<Scaling.Result> results =
        run("a job one of whose executors is killed", data(PARTITIONS), victim);
    Scaling.check(results, PARTITIONS);
    Scaling.Result repeated = results.get(3);
    assertNotEquals(0, repeated.attempt());
    assertNotEquals(pid(file), repeated.process());
    spark.await("Spark to report the end", () -> spark.removed().size() == 1);
  }

  private static long pid(Path file) {
    try {
      return Long.parseLong(Files.readString(file));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /**
   * Loses its device, the first time, in a process that takes long to end. Spark offers the task to
   * the same executor again meanwhile.
   */
  private static final class Loss extends Scaling {
    private static final long serialVersionUID = 1L;

    private static void linger() {
      try {
        Thread.sleep(3000); // simulates a process that takes this long to end
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }

    @Override
    void before(TaskContext context, TaskDevice task) {
      if (context.partitionId() == 1 && context.attemptNumber() == 0) {
        Runtime.getRuntime().addShutdownHook(new Thread(Loss::linger));
        Tasks.lose(task.device());
      }
    }
  }

  @Test
  @Order(9)
  void aLostDeviceEndsItsExecutorAndTheJobSucceedsElsewhere() throws Exception {
    Set<String> before = new HashSet<>(spark.removed());
    List<Scaling.Result> results =
        run("a job one of whose devices is lost", data(PARTITIONS), new Loss());
    Scaling.check(results, PARTITIONS);
    assertNotEquals(0, results.get(1).attempt());
    spark.await("Spark to report the end", () -> spark.removed().size() == before.size() + 1);
    List<String> ends = new ArrayList<>(spark.removed());
    ends.removeAll(before);
    assertTrue(
        ends.get(0).endsWith("exited with code " + HalPlugin.EXIT_DEVICE_LOST), ends::toString);
    Scaling.check(run("a job after the loss", data(PARTITIONS), new Scaling()), PARTITIONS);
  }
}
