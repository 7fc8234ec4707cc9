// SPDX-License-Identifier: Apache-2.0
package org.jhal.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.jhal.DeviceStatistics;
import org.jhal.ElementType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;

/**
 * Tasks and executors that are killed, and executors that come and go, on a standalone cluster
 * whose master, worker and executors are processes. The worker has a mock device and the processors
 * of this machine, and each executor has one of them.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@Timeout(200)
class SparkStandaloneTest {
  private static final int EXECUTORS = 2;
  private static final int ROWS = 100; // of a partition
  private static final int BATCH = 10; // rows

  /** For a kernel of a batch that takes about a second, and one that takes longer than a test. */
  private static final long SECONDS = 20_000_000;

  private static final long MINUTES = 300 * SECONDS;

  @SuppressWarnings("NullAway.Init") // by start()
  private StandaloneCluster cluster;

  @SuppressWarnings("NullAway.Init") // by start()
  private LocalSpark spark;

  @BeforeAll
  void start() throws Exception {
    cluster = new StandaloneCluster("mock,cpu", EXECUTORS);
    spark = LocalSpark.on(cluster, EXECUTORS, settings("witness-1"));
  }

  @AfterAll
  void stop() throws Exception {
    try {
      if (spark != null) {
        spark.close();
      }
    } finally {
      if (cluster != null) {
        cluster.close();
      }
    }
  }

  /** Executors with one core and one device. */
  private Map<String, String> settings(String witness) throws IOException {
    Path folder = Files.createDirectories(cluster.home().resolve(witness));
    Map<String, String> settings = new HashMap<>();
    settings.put("spark.executor.cores", "1");
    settings.put("spark.executor.memory", "512m");
    settings.put("spark.executor.resource.accelerator.amount", "1");
    settings.put("spark.plugins", HalPlugin.class.getName() + "," + Witness.class.getName());
    settings.put(Witness.FOLDER, folder.toString());
    settings.put("spark.executorEnv.XDG_CACHE_HOME", cluster.home().resolve("cache").toString());
    settings.put(
        "spark.executor.extraJavaOptions",
        "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC \"-Djava.io.tmpdir=" + cluster.temporary() + '"');
    return settings;
  }

  /** Columns that a kernel copies slowly. */
  private static HalColumns copying(long rounds) {
    return HalColumns.of(SparkBundle.ofResources(TestKernels.class, "columns"), "spin")
        .input("x")
        .output("y", ElementType.F32)
        .withConstant("rounds", rounds)
        .withBatchBytes(4 * BATCH);
  }

  /** Rows of a column x, in as many partitions as there are executors. */
  private static Dataset<Row> rows(LocalSpark spark) {
    return SparkSession.builder()
        .sparkContext(spark.context().sc())
        .getOrCreate()
        .range(0, (long) ROWS * EXECUTORS, 1, EXECUTORS)
        .selectExpr("cast(id as float) as x");
  }

  private static void check(List<Row> results) {
    assertEquals(ROWS * EXECUTORS, results.size());
    for (int i = 0; i < results.size(); i++) {
      assertEquals(RowFactory.create((float) i, (float) i), results.get(i));
    }
  }

  /** Leaves a file with its process once two batches of a partition are on their way. */
  private static class Announcing implements MapPartitionsFunction<Row, Row> {
    private static final long serialVersionUID = 1L;

    private final String folder;

    Announcing(Path folder) {
      this.folder = folder.toString();
    }

    /** Called behind the file. */
    void then(TaskContext context) {}

    @Override
    public Iterator<Row> call(Iterator<Row> rows) {
      TaskContext context = TaskContext.get();
      return new Iterator<>() {
        private int taken;

        @Override
        public boolean hasNext() {
          return rows.hasNext();
        }

        @Override
        public Row next() {
          if (taken++ == 2 * BATCH + 1) {
            String name = "started-" + context.partitionId() + "-" + context.attemptNumber();
            Scaling.leave(Path.of(folder), name, String.valueOf(ProcessHandle.current().pid()));
            then(context);
          }
          return rows.next();
        }
      };
    }

    Dataset<Row> over(Dataset<Row> rows) {
      return rows.mapPartitions(this, Encoders.row(rows.schema()));
    }
  }

  /** Starts a job whose kernels take long, and cancels it once they run in all executors. */
  private void cancelJob(String name, long rounds) throws Exception {
    Path folder = spark.folder(name);
    Dataset<Row> slow = copying(rounds).apply(new Announcing(folder).over(rows(spark)));
    spark.awaitExecutors();
    CompletableFuture<List<Row>> job =
        Tasks.start(
            name,
            () -> {
              spark.context().setJobGroup(name, "slow kernels", true); // interrupts on cancel
              return slow.collectAsList();
            });
    for (int i = 0; i < EXECUTORS; i++) {
      Path started = folder.resolve("started-" + i + "-0");
      spark.await("kernels of partition " + i + " to start", () -> Files.exists(started));
    }
    spark.context().cancelJobGroup(name);
    Throwable failure = Tasks.failure("the cancelled job", job, spark);
    assertTrue(failure.toString().contains("cancelled"), failure::toString);
    spark.awaitIdle();
  }

  /** Waits until an executor has nothing of other tasks; returns its process. */
  private static final class Inspection implements FlatMapFunction<Iterator<Integer>, Long> {
    private static final long serialVersionUID = 1L;

    /** Threads that run code of this module, other than this one. */
    private static List<String> threads() {
      List<String> found = new ArrayList<>();
      Thread.getAllStackTraces()
          .forEach(
              (thread, stack) -> {
                boolean isOurs =
                    Stream.of(stack)
                        .anyMatch(frame -> frame.getClassName().startsWith("org.jhal.spark."));
                if (isOurs && thread != Thread.currentThread()) {
                  found.add(thread + " " + List.of(stack));
                }
              });
      return found;
    }

    @Override
    public Iterator<Long> call(Iterator<Integer> numbers) {
      TaskDevice task = HalTask.device();
      Tasks.await(
          "the end of what killed tasks have left",
          () -> {
            DeviceStatistics now = task.device().statistics();
            return now.openOperations() == 0 && now.liveResources() == 0 && threads().isEmpty();
          },
          new Object() {
            @Override
            public String toString() {
              return task + ", " + task.device().statistics() + ", " + threads();
            }
          });
      return List.of(ProcessHandle.current().pid()).iterator();
    }
  }

  /** All executors have nothing of other tasks. */
  private void inspect() throws Exception {
    spark.awaitProcesses(
        () ->
            spark.run(
                "inspections",
                () ->
                    spark
                        .context()
                        .parallelize(List.of(0, 1), EXECUTORS)
                        .mapPartitions(new Inspection())
                        .collect()));
    assertEquals(List.of(), cluster.leftovers());
    assertEquals(List.of(), cluster.leaks());
  }

  @Test
  @Order(1)
  void cancelledTasksLeaveNothingForTheNextOnes() throws Exception {
    check(spark.run("rows", () -> copying(1).apply(rows(spark)).collectAsList()));
    for (int i = 0; i < 2; i++) {
      cancelJob("cancelled-" + i, SECONDS);
      inspect();
    }
    check(spark.run("rows afterwards", () -> copying(1).apply(rows(spark)).collectAsList()));
    assertEquals(List.of(), spark.removed());
  }

  /** Stops in the first attempt of one partition, for ever. */
  private static final class Victim extends Announcing {
    private static final long serialVersionUID = 1L;

    Victim(Path folder) {
      super(folder);
    }

    @Override
    void then(TaskContext context) {
      while (context.partitionId() == 1 && context.attemptNumber() == 0) {
        LockSupport.park(this);
      }
    }
  }

  @Test
  @Order(2)
  void aKilledExecutorLosesNoRowsAndLeavesNothing() throws Exception {
    Path folder = spark.folder("victim");
    Path started = folder.resolve("started-1-0");
    CompletableFuture<Boolean> killer =
        Tasks.start(
            "killer",
            () -> {
              spark.await("a task that waits for its end", () -> Files.exists(started));
              return ProcessHandle.of(pid(started)).orElseThrow().destroyForcibly();
            });
    Dataset<Row> rows = copying(SECONDS / 20).apply(new Victim(folder).over(rows(spark)));
    check(spark.run("a job one of whose executors is killed", rows::collectAsList));
    assertTrue(Tasks.get("the killer", killer, spark));
    assertNotEquals(pid(started), pid(folder.resolve("started-1-1")));
    spark.await("Spark to report the end", () -> spark.removed().size() == 1);
    inspect();
  }

  private static long pid(Path file) {
    try {
      return Long.parseLong(Files.readString(file));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The names of files with which executors say that they have opened or closed their devices. */
  private Set<String> witnesses(String folder, String prefix) {
    try (Stream<Path> files = Files.list(cluster.home().resolve(folder))) {
      Set<String> names = new HashSet<>();
      files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.startsWith(prefix + "-") && !name.endsWith(".tmp"))
          .forEach(name -> names.add(name.substring(prefix.length() + 1)));
      return names;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Waits for executors to end by themselves, which is soon enough that nobody kills them. */
  private void awaitEnds(LocalSpark application, List<String> before, int number) {
    application.await(
        () -> number + " executors to end; " + cluster,
        () -> cluster.executors() == 0 && cluster.ends().size() == before.size() + number);
    checkEnds(before);
  }

  private void checkEnds(List<String> before) {
    List<String> ends = new ArrayList<>(cluster.ends());
    ends.subList(0, before.size()).clear();
    ends.forEach(end -> assertTrue(!end.endsWith(" 137"), cluster::toString));
  }

  @Test
  @Order(3)
  void executorsEndAlthoughKernelsRun() throws Exception {
    cancelJob("endless", MINUTES);
    List<String> before = cluster.ends();
    spark.close();
    awaitEnds(spark, before, EXECUTORS);
    assertEquals(List.of(), cluster.leftovers());
    assertEquals(List.of(), cluster.leaks());
  }

  @Test
  @Order(4)
  void executorsOfDynamicAllocationComeAndGo() throws Exception {
    Map<String, String> settings = settings("witness-2");
    settings.put("spark.dynamicAllocation.enabled", "true");
    settings.put("spark.dynamicAllocation.shuffleTracking.enabled", "true");
    settings.put("spark.dynamicAllocation.minExecutors", "0");
    settings.put("spark.dynamicAllocation.maxExecutors", String.valueOf(EXECUTORS));
    settings.put("spark.dynamicAllocation.executorIdleTimeout", "3s");
    settings.put("spark.dynamicAllocation.schedulerBacklogTimeout", "1s");
    settings.put("spark.scheduler.minRegisteredResourcesRatio", "0");
    try (LocalSpark dynamic = LocalSpark.on(cluster, 0, settings)) {
      Set<String> opened = new HashSet<>();
      for (int round = 0; round < 2; round++) {
        List<String> before = cluster.ends();
        check(
            dynamic.within(
                "rows", () -> copying(SECONDS / 10).apply(rows(dynamic)).collectAsList()));
        // An executor that Spark asked for late may open its devices when the job has ended.
        Set<String> earlier = opened;
        dynamic.await(
            () -> "executors to open their devices, close them and end; " + cluster,
            () -> {
              Set<String> now = witnesses("witness-2", "opened");
              int news = now.size() - earlier.size();
              return news >= 1
                  && now.equals(witnesses("witness-2", "closed"))
                  && cluster.executors() == 0
                  && cluster.ends().size() >= before.size() + news;
            });
        opened = witnesses("witness-2", "opened");
        assertTrue(opened.size() - earlier.size() <= EXECUTORS, opened::toString);
        checkEnds(before);
      }
    }
    for (String id : witnesses("witness-2", "closed")) {
      assertEquals(
          "0 operations, devices: null",
          Files.readString(cluster.home().resolve("witness-2").resolve("closed-" + id)));
    }
    assertEquals(List.of(), cluster.leftovers());
    assertEquals(List.of(), cluster.leaks());
  }
}
