// SPDX-License-Identifier: Apache-2.0
package org.jhal.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.io.File;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.jhal.DeviceStatistics;
import org.jhal.ElementType;
import org.jhal.HalException;
import org.jhal.Status;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Columns of data sets through kernels, with the master {@code local[2]}, whose tasks get the
 * devices of this process in turn. After each test, no task has a queue, and the devices have no
 * resources of tasks.
 */
@ParameterizedClass
@ValueSource(strings = {"mock://?devices=2", "cpu"})
@Timeout(100)
class HalColumnsTest {
  private static final SparkBundle COLUMNS = SparkBundle.ofResources(TestKernels.class, "columns");

  /** {@code y = 3 * x}. */
  private static final HalColumns TRIPLE =
      HalColumns.of(COLUMNS, "times")
          .input("x")
          .output("y", ElementType.F32)
          .withConstant("factor", 3f);

  private static final StructType NAMED =
      new StructType().add("name", DataTypes.StringType).add("x", DataTypes.FloatType);

  @SuppressWarnings("NullAway.Init") // by start()
  private static SparkSession spark;

  @SuppressWarnings("NullAway.Init") // by start()
  private static Leaks leaks;

  @BeforeParameterizedClassInvocation
  static void start(String drivers) {
    leaks = new Leaks();
    spark =
        SparkSession.builder()
            .master("local[2]")
            .appName("columns")
            .config("spark.ui.enabled", false)
            .config("spark.driver.host", "127.0.0.1")
            .config("spark.driver.bindAddress", "127.0.0.1")
            .config("spark.local.dir", new File("target/local").getAbsolutePath())
            .config("spark.sql.shuffle.partitions", 2)
            .config("spark.plugins", HalPlugin.class.getName())
            .config("spark.jhal.drivers", drivers)
            .getOrCreate();
  }

  @AfterParameterizedClassInvocation
  static void stop() {
    spark.stop();
    leaks.close();
    assertNull(ExecutorDevices.current());
  }

  HalColumnsTest(String drivers) {}

  @AfterEach
  void everythingIsGivenBack() {
    ExecutorDevices devices = ExecutorDevices.current();
    if (devices == null) {
      throw new AssertionError("the plugin has not started");
    }
    Tasks.await(
        "the end of all tasks",
        () -> {
          long open =
              devices.sum(DeviceStatistics::openOperations)
                  + devices.sum(DeviceStatistics::liveResources);
          return open == 0 && !devices.toString().matches(".*[01] of 2 queues free.*");
        },
        devices);
    assertTrue(devices.toString().contains("2 of 2 queues free"), devices::toString);
    assertEquals(List.of(), leaks.reports());
  }

  /** Rows whose column x is the number of the row, in four partitions. */
  private static Dataset<Row> numbers(int count) {
    return spark
        .range(0, count, 1, 4)
        .selectExpr("concat('row ', id) as name", "cast(id as float) as x");
  }

  private static void checkTriples(Dataset<Row> rows, int count) {
    List<Row> results = rows.collectAsList();
    assertEquals(count, results.size());
    for (int i = 0; i < count; i++) {
      assertEquals(RowFactory.create("row " + i, (float) i, 3f * i), results.get(i));
    }
  }

  /** Batches of 1 row, of some of a partition's 25, and of all. */
  @ParameterizedTest
  @ValueSource(longs = {1, 40, 100, 1 << 20})
  void addsAColumn(long batchBytes) {
    Dataset<Row> results = TRIPLE.withBatchBytes(batchBytes).apply(numbers(100));
    assertEquals(NAMED.add("y", DataTypes.FloatType, false).toDDL(), ddl(results));
    checkTriples(results, 100);
  }

  /** The schema, in which only the output is not nullable. */
  private static String ddl(Dataset<Row> rows) {
    StructType schema = rows.schema();
    assertEquals(false, schema.fields()[schema.fieldIndex("y")].nullable());
    return new StructType()
        .add("name", DataTypes.StringType)
        .add("x", DataTypes.FloatType)
        .add(schema.fields()[2])
        .toDDL();
  }

  @Test
  void mapsPartitionsOfWhichSomeAreEmpty() {
    Dataset<Row> few = numbers(100).filter("x < 30"); // all of the first partition, a few more
    checkTriples(TRIPLE.apply(few), 30);
    checkTriples(TRIPLE.apply(numbers(100).filter("x < 0")), 0);
  }

  @Test
  void mapsColumnsOfEachType() {
    Dataset<Row> rows =
        spark
            .range(0, 50, 1, 3)
            .selectExpr(
                "cast(id as double) as c6",
                "cast(id as float) as c5",
                "id as c4",
                "cast(id as int) as c3",
                "cast(id as smallint) as c2",
                "cast(id as tinyint) as c1");
    HalColumns next = HalColumns.of(COLUMNS, "all_columns");
    for (int i = 1; i <= 6; i++) {
      next = next.input("c" + i);
    }
    next =
        next.output("o1", ElementType.I8)
            .output("o2", ElementType.I16)
            .output("o3", ElementType.I32)
            .output("o4", ElementType.I64)
            .output("o5", ElementType.F32)
            .output("o6", ElementType.F64);
    List<Row> results = next.apply(rows).select("o1", "o2", "o3", "o4", "o5", "o6").collectAsList();
    assertEquals(50, results.size());
    for (int i = 0; i < 50; i++) {
      Row expected =
          RowFactory.create(
              (byte) (i + 1), (short) (i + 1), i + 1, i + 1L, (float) (i + 1), (double) (i + 1));
      assertEquals(expected, results.get(i));
    }
  }

  /** A second kernel in the same tasks, and one behind a shuffle. */
  @Test
  void readsWhatAnotherKernelWrote() {
    HalColumns again =
        HalColumns.of(COLUMNS, "times")
            .input("y")
            .output("z", ElementType.F32)
            .withConstant("factor", -1f);
    Dataset<Row> both = again.apply(TRIPLE.apply(numbers(40)));
    List<Row> results = both.orderBy("z").collectAsList();
    for (int i = 0; i < 40; i++) {
      int x = 39 - i;
      assertEquals(RowFactory.create("row " + x, (float) x, 3f * x, -3f * x), results.get(i));
    }
    Dataset<Row> sums = both.groupBy("name").sum("z").withColumnRenamed("sum(z)", "d");
    HalColumns half =
        HalColumns.of(MappedPartition.KERNELS, "next_f64").input("d").output("e", ElementType.F64);
    Row last = half.apply(sums).orderBy("e").first();
    assertEquals(RowFactory.create("row 39", -117.0, -116.0), last);
  }

  // Tasks that end early.

  @Test
  void aLimitEndsTasksBeforeTheirPartitions() {
    HalColumns small = TRIPLE.withBatchBytes(400);
    Dataset<Row> many = small.apply(numbers(1_000_000));
    checkTriples(many.limit(5), 5);
    checkTriples(many.limit(1000), 1000); // some batches
    assertEquals(7, ((Row[]) many.take(7)).length);
    assertEquals(0f, (float) many.first().getAs("y"));
  }

  /** While tasks start, load the kernel, compute, or end. */
  @Test
  void jobsThatAreCancelledAtAnyTimeLeaveNothing() {
    JavaSparkContext context = JavaSparkContext.fromSparkContext(spark.sparkContext());
    HalColumns small = TRIPLE.withBatchBytes(40);
    for (int i = 0; i < 25; i++) {
      String group = "cancelled-" + i;
      CompletableFuture<Long> job =
          Tasks.start(
              group,
              () -> {
                context.setJobGroup(group, "a job that is cancelled", true);
                return small.apply(numbers(400_000)).filter("y < 0").count();
              });
      long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(20L * i);
      while (System.nanoTime() - end < 0 && !job.isDone()) {
        LockSupport.parkNanos(100_000);
      }
      end = System.nanoTime() + Tasks.LIMIT.toNanos();
      while (!job.isDone()) {
        if (System.nanoTime() - end > 0) {
          fail("the test waits for the end of " + group + "; " + ExecutorDevices.current());
        }
        context.cancelJobGroup(group); // again, since a job is in its group only when it begins
        LockSupport.parkNanos(1_000_000);
      }
    }
    checkTriples(TRIPLE.apply(numbers(100)), 100);
  }

  @Test
  void aFailedKernelFailsTheJobWithStatusAndMessage() {
    HalColumns failing =
        HalColumns.of(MappedPartition.KERNELS, "failing")
            .input("x")
            .output("y", ElementType.I32)
            .withConstant("at", 77)
            .withBatchBytes(40);
    Dataset<Row> rows = spark.range(0, 100, 1, 4).selectExpr("cast(id as int) as x");
    HalException failure = failure(failing.apply(rows));
    assertEquals(Status.ABORTED, failure.status());
    assertTrue(failure.getMessage().contains("kernel failing"), failure::toString);
  }

  /** The cause of the failure of a job. */
  private static HalException failure(Dataset<Row> rows) {
    Throwable failure = assertThrows(Throwable.class, rows::collectAsList);
    while (!(failure instanceof HalException) && failure.getCause() != null) {
      failure = failure.getCause();
    }
    return assertInstanceOf(HalException.class, failure);
  }

  @Test
  void aFailedInputFailsTheJob() {
    Dataset<Row> rows =
        numbers(100).selectExpr("name", "if(x = 60, cast(raise_error('bad row') as float), x) x");
    Throwable failure = assertThrows(Throwable.class, () -> TRIPLE.apply(rows).collectAsList());
    StringBuilder messages = new StringBuilder();
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      messages.append(cause.getMessage());
    }
    assertTrue(messages.toString().contains("bad row"), messages::toString);
  }

  // Nulls.

  /** Rows in two partitions, with nulls for x = 4 and x = 11. */
  private static Dataset<Row> withNulls() {
    return spark
        .range(0, 12, 1, 2)
        .selectExpr(
            "concat('row ', id) as name", "if(id in (4, 11), null, cast(id as float)) as x");
  }

  @Test
  void aNullFailsTheTaskByDefault() {
    HalException failure = failure(TRIPLE.apply(withNulls().filter("name <> 'row 4'")));
    assertEquals(Status.INVALID_ARGUMENT, failure.status());
    assertTrue(
        failure.getMessage().startsWith("row 5 of the partition, counted from 0, has a null in")
            && failure.getMessage().contains("column 'x'")
            && failure.getMessage().contains("keepNulls"),
        failure::toString);
  }

  private static void checkNulls(HalColumns columns, @Nullable Object expected) {
    Dataset<Row> rows = columns.apply(withNulls());
    assertEquals(expected == null, rows.schema().fields()[2].nullable());
    List<Row> results = rows.collectAsList();
    assertEquals(12, results.size());
    for (int i = 0; i < 12; i++) {
      boolean isNull = i == 4 || i == 11;
      assertEquals(
          RowFactory.create("row " + i, isNull ? null : (float) i, isNull ? expected : 3f * i),
          results.get(i));
    }
  }

  private static HalColumns tripleOr(Number ifNull) {
    return HalColumns.of(COLUMNS, "times")
        .input("x", ifNull)
        .output("y", ElementType.F32)
        .withConstant("factor", 3f);
  }

  @Test
  void theKernelReadsAValueForNulls() {
    checkNulls(tripleOr(-2), -6f);
    checkNulls(tripleOr(0.5), 1.5f);
    checkNulls(tripleOr(Float.NaN), Float.NaN);
  }

  @Test
  void nullsStayNulls() {
    checkNulls(TRIPLE.keepNulls(), null);
    checkNulls(tripleOr(7).keepNulls().withBatchBytes(8), null);
  }

  /** What a kernel reads for a null whose result is dropped. */
  @Test
  void theKernelReadsTheGivenValueForNullsThatStay() {
    Dataset<Row> rows = spark.range(3).selectExpr("if(id = 1, null, cast(id as int)) as x");
    HalColumns failing =
        HalColumns.of(MappedPartition.KERNELS, "failing").output("y", ElementType.I32).keepNulls();
    List<Row> results =
        failing.input("x", 5).withConstant("at", 1).apply(rows).select("y").collectAsList();
    assertEquals(RowFactory.create((Object) null), results.get(1));
    HalException read5 = failure(failing.input("x", 5).withConstant("at", 5).apply(rows));
    assertEquals(Status.ABORTED, read5.status());
    HalException read0 =
        failure(failing.input("x").withConstant("at", 0).apply(rows.filter("x is null")));
    assertEquals(Status.ABORTED, read0.status());
  }

  // Errors when the columns are applied.

  private static void refused(HalColumns columns, Dataset<?> rows, String... says) {
    HalException refused = assertThrows(HalException.class, () -> columns.apply(rows));
    assertEquals(Status.INVALID_ARGUMENT, refused.status());
    for (String part : says) {
      assertTrue(refused.getMessage().contains(part), () -> "no '" + part + "' in: " + refused);
    }
  }

  @Test
  void refusesColumnsThatDoNotFit() {
    Dataset<Row> rows = numbers(1);
    String schema = "struct<name:string,x:float>";
    refused(TRIPLE.input("z"), rows, "kernel times", "there is no column 'z' in " + schema);
    refused(TRIPLE.input("name"), rows, "the column 'name' is of type string", "cast it to");
    refused(
        TRIPLE.output("name", ElementType.I64),
        rows,
        "the output 'name' has the name of another column of struct<name:string,x:float,y:float>");
    refused(TRIPLE.output("y", ElementType.F32), rows, "the output 'y' has the name");
    refused(TRIPLE, rows.withColumn("y", rows.col("x")), "the output 'y' has the name");
    refused(TRIPLE, rows.select(rows.col("x"), rows.col("x")), "there are several columns 'x' in");
    refused(HalColumns.of(COLUMNS, "times").input("x"), rows, "it has no output");
  }

  @Test
  void refusesValuesForNullsThatAColumnDoesNotHave() {
    Dataset<Row> rows =
        spark
            .range(1)
            .selectExpr(
                "id as l",
                "cast(id as int) as i",
                "cast(id as smallint) as s",
                "cast(id as tinyint) as b");
    HalColumns none = HalColumns.of(COLUMNS, "times").output("y", ElementType.F32);
    refused(none.input("b", 128), rows, "'b' of type tinyint", "does not have the value 128");
    refused(none.input("s", -32769), rows, "'s' of type smallint");
    refused(none.input("i", 1L << 31), rows, "'i' of type int", "2147483648");
    refused(none.input("l", 0.0), rows, "'l' of type bigint", "0.0");
    assertEquals(5, none.input("b", -128L).input("l", 1).apply(rows).schema().size());
  }

  @Test
  void comparesNamesAsSparkDoes() {
    Dataset<Row> upper = numbers(10).toDF("name", "X");
    checkTriples(TRIPLE.apply(upper), 10);
    refused(TRIPLE.output("Name", ElementType.F32), upper, "the output 'Name' has the name");
    spark.conf().set("spark.sql.caseSensitive", true);
    try {
      refused(TRIPLE, upper, "there is no column 'x'");
      HalColumns distinct =
          HalColumns.of(COLUMNS, "times")
              .input("X")
              .output("x", ElementType.F32)
              .withConstant("factor", 2f);
      assertEquals(18f, distinct.apply(upper).select("x").collectAsList().get(9).getFloat(0));
    } finally {
      spark.conf().unset("spark.sql.caseSensitive");
    }
  }

  // Errors in tasks, which know the kernel.

  @Test
  void refusesKernelsThatDoNotFit() {
    Dataset<Row> rows = spark.range(3).selectExpr("cast(id as float) as x", "id as l");
    HalColumns none = HalColumns.of(COLUMNS, "times").withConstant("factor", 1f);
    HalColumns[] wrong = {
      none.input("x").input("x").output("y", ElementType.F32),
      none.input("x").output("y", ElementType.F32).output("z", ElementType.F32),
      none.input("l").output("y", ElementType.F32),
      none.input("x").output("y", ElementType.I32),
    };
    String[] texts = {
      "it has 1 buffers that are in, but input() was called 2 times",
      "it has 1 buffers that are out, but output() was called 2 times",
      "the column 'l' is of type bigint, but f32 needs float",
      "its buffer 'out' writes f32, but output 0, counted from 0, is declared as i32",
    };
    IntStream.range(0, wrong.length)
        .forEach(
            i -> {
              HalException failure = failure(wrong[i].apply(rows));
              assertEquals(Status.INVALID_ARGUMENT, failure.status());
              assertTrue(failure.getMessage().endsWith(texts[i]), failure::toString);
            });
  }
}
