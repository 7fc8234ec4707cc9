// SPDX-License-Identifier: Apache-2.0
package org.jhal.spark;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.IntStream;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.expressions.GenericRowWithSchema;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.jhal.Args;
import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.DeviceUri;
import org.jhal.DriverRegistry;
import org.jhal.Executable;
import org.jhal.Hal;
import org.jhal.HostMemory;
import org.jhal.Kernel;
import org.jhal.Sequence;

/**
 * Measures what Spark and {@link HalPartitions} add to a program on plain threads: {@code
 * SparkCosts [ROUNDS [scaling]]}. Without a property {@code spark.master} it needs no Spark that
 * runs; {@code spark.jhal.drivers} selects the device, the first that it finds. With the properties
 * and variables of {@code examples/spark/run}, and the test classes in the folder of jars, it
 * compares within Spark; {@code scaling} shows how long the same work takes there. Give Spark two
 * tasks at a time: plain threads are two.
 */
public final class SparkCosts {
  private static final int ELEMENTS = 4 << 20; // floats of a batch, so 16 MiB
  private static final int BATCHES = 32; // of a partition
  private static final int PARTITIONS = 8;
  private static final int TASKS = 400;
  private static final String DRIVERS = "spark.jhal.drivers";
  private static final String MOCK = "mock://?devices=2&delay=";
  private static final SparkBundle KERNELS = SparkBundle.ofResources(SparkCosts.class, "costs");
  private static final StructType COLUMN = new StructType().add("x", DataTypes.FloatType);
  private static final StructType RESULT = new StructType().add("y", DataTypes.FloatType);

  private SparkCosts() {}

  /** Measures and prints. */
  public static void main(String[] args) throws Exception {
    int rounds = args.length > 0 ? Integer.parseInt(args[0]) : 5;
    System.out.println("Medians of " + rounds + " rounds and more.");
    if (System.getProperty("spark.master") == null) {
      withoutSpark(rounds);
    } else if (args.length > 1) {
      scaling(rounds);
    } else {
      withSpark(rounds);
    }
  }

  private static void withoutSpark(int rounds) throws Exception {
    String given = System.getProperty(DRIVERS, "");
    List<String> all = given.isEmpty() ? List.of(MOCK + "0ns", MOCK + "10ms") : List.of(given);
    long start = System.nanoTime();
    open(all.get(0), 2).close();
    System.out.printf(
        Locale.ROOT,
        "the first device of a process: %.0f ms%n%n",
        (System.nanoTime() - start) / 1e6);
    for (String drivers : all) {
      try (Devices devices = open(drivers, 2)) {
        List<float[]> partition = Collections.nCopies(BATCHES, new float[ELEMENTS]);
        List<float[]> small = Collections.nCopies(BATCHES * 256, new float[ELEMENTS / 256]);
        DeviceQueue queue = devices.queues.get(0);
        compare(
            rounds,
            new Case(
                drivers + ": " + BATCHES + " batches by hand",
                () -> byHand(queue, partition.iterator())),
            new Case("by HalPartitions", () -> mapped(queue, partition.iterator())),
            new Case("in arrays of 64 KiB", () -> mapped(queue, small.iterator())));
      }
    }
    try (Devices devices = open(all.get(0), 1)) {
      DeviceQueue queue = devices.queues.get(0);
      List<float[]> one = List.of(new float[1]);
      compare(
          100 * rounds,
          new Case("an array of one element by hand", () -> byHand(queue, one.iterator())),
          new Case("by HalPartitions", () -> mapped(queue, one.iterator())));
      int count = 1 << 20;
      List<float[]> arrays = Collections.nCopies(16, new float[count / 16]);
      List<Row> rows =
          Collections.nCopies(count, new GenericRowWithSchema(new Object[] {1f}, COLUMN));
      compare(
          rounds,
          new Case("2^20 elements in arrays of 2^16", () -> mapped(queue, arrays.iterator())),
          new Case("in rows", () -> rows(queue, rows.iterator())));
    }
  }

  private static float threads(String drivers) throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(2);
    try (Devices devices = open(drivers, 2)) {
      BlockingQueue<DeviceQueue> free = new LinkedBlockingQueue<>(devices.queues);
      Callable<Float> task =
          () -> {
            DeviceQueue queue = free.take();
            try {
              return byHand(queue, generated());
            } finally {
              free.put(queue);
            }
          };
      float sum = 0;
      for (Future<Float> done : pool.invokeAll(Collections.nCopies(PARTITIONS, task))) {
        sum += done.get();
      }
      return sum;
    } finally {
      pool.shutdown();
    }
  }

  /** Opened devices, and queues of theirs for so many threads. */
  private record Devices(List<Device> all, List<DeviceQueue> queues) implements AutoCloseable {
    @Override
    public void close() {
      all.forEach(Device::close);
    }
  }

  /** The devices that {@code spark.jhal.drivers} stands for: two at most for two threads. */
  private static Devices open(String drivers, int threads) throws InterruptedException {
    List<DeviceUri> uris =
        DriverRegistry.load().addresses(drivers, Duration.ofSeconds(30)).uris().stream()
            .limit(threads)
            .toList();
    int queues = (threads + uris.size() - 1) / uris.size();
    Devices opened = new Devices(new ArrayList<>(), new ArrayList<>());
    for (DeviceUri uri : uris) {
      Map<String, String> options = new LinkedHashMap<>(uri.options());
      options.put("queues", String.valueOf(queues));
      Device device =
          Hal.openDevice(new DeviceUri(uri.driver(), uri.selector(), options).toString());
      opened.all.add(device);
      IntStream.range(0, queues).forEach(i -> opened.queues.add(device.queue(i)));
    }
    return opened;
  }

  /** The elements of a partition: an array for each batch. */
  private static Iterator<float[]> generated() {
    return IntStream.range(0, BATCHES).mapToObj(i -> new float[ELEMENTS]).iterator();
  }

  private static float mapped(DeviceQueue queue, Iterator<float[]> input) {
    TaskDevice task = new TaskDevice(queue, () -> false);
    Iterator<float[]> results = next().map(input, () -> task, end -> {});
    float sum = 0;
    while (results.hasNext()) {
      sum += results.next()[0];
    }
    return sum;
  }

  private static HalPartitions<float[], float[]> next() {
    return HalPartitions.arrays(KERNELS, "next_f32", float[].class, float[].class);
  }

  private static float rows(DeviceQueue queue, Iterator<Row> input) {
    TaskDevice task = new TaskDevice(queue, () -> false);
    Iterator<Row> results =
        HalPartitions.rows(KERNELS, "next_f32", RESULT).map(input, () -> task, end -> {});
    float sum = 0;
    while (results.hasNext()) {
      sum += results.next().getFloat(0);
    }
    return sum;
  }

  /** The same without {@link HalPartitions}: three batches in flight, each on its own sequence. */
  private static float byHand(DeviceQueue queue, Iterator<float[]> input) throws Exception {
    Device device = queue.device();
    Sequence[] steps = new Sequence[3];
    DeviceBuffer[] x = new DeviceBuffer[3];
    DeviceBuffer[] y = new DeviceBuffer[3];
    float[][] results = new float[3][];
    float sum = 0;
    try (Executable kernels = device.loadExecutable(KERNELS.source())) {
      Kernel kernel = kernels.kernel("next_f32");
      int count = 0;
      for (; input.hasNext(); count++) {
        int slot = count % 3;
        float[] values = input.next();
        if (count < 3) {
          steps[slot] = device.createSequence();
          x[slot] = device.allocate(4L * values.length, BufferParams.DEVICE);
          y[slot] = device.allocate(4L * values.length, BufferParams.DEVICE);
        } else {
          steps[slot].await();
          sum += results[slot][0];
        }
        float[] result = new float[values.length];
        results[slot] = result;
        DeviceBuffer in = x[slot];
        DeviceBuffer out = y[slot];
        Args args = Args.of(values.length, in, out);
        steps[slot].step((w, s) -> queue.upload(w, s, HostMemory.of(values), in, 0));
        steps[slot].step(
            (w, s) -> queue.dispatch(w, s, kernel, kernel.covering(values.length), args));
        steps[slot].step((w, s) -> queue.readback(w, s, out, 0, HostMemory.of(result)));
      }
      for (int slot = 0; slot < Math.min(3, count); slot++) {
        steps[slot].await();
        sum += results[slot][0];
        steps[slot].close();
        x[slot].close();
        y[slot].close();
      }
    }
    return sum;
  }

  private static void withSpark(int rounds) throws Exception {
    try (JavaSparkContext spark = new JavaSparkContext(new SparkConf().setAppName("costs"))) {
      List<Integer> numbers = IntStream.range(0, TASKS).boxed().toList();
      JavaRDD<Integer> tasks = spark.parallelize(numbers, TASKS).cache();
      compare(
          rounds,
          new Case(TASKS + " tasks that do nothing", tasks::count),
          new Case(
              "ask for their device",
              () ->
                  tasks
                      .mapPartitions(
                          all -> {
                            TaskDevice unused = HalTask.device();
                            return all;
                          })
                      .count()),
          new Case(
              "map an array of one element",
              () -> tasks.map(i -> new float[1]).mapPartitions(next()).count()));
      JavaRDD<Integer> few = spark.parallelize(numbers.subList(0, PARTITIONS), PARTITIONS);
      String drivers = spark.getConf().get(DRIVERS);
      compare(
          rounds,
          new Case(
              "two plain threads of an executor, " + drivers,
              () -> spark.parallelize(List.of(0), 1).map(i -> threads(drivers)).collect()),
          new Case(
              "HalPartitions in tasks",
              () ->
                  few.flatMap(i -> generated())
                      .mapPartitions(next())
                      .map(array -> array[0])
                      .reduce(Float::sum)));
      withRows(SparkSession.builder().sparkContext(spark.sc()).getOrCreate(), rounds);
    }
  }

  /** A program and its name. */
  private record Case(String name, Callable<?> work) {}

  /** Runs all in turns, so that other load of the machine affects each of them. */
  private static void compare(int rounds, Case... cases) throws Exception {
    double[][] times = new double[cases.length][rounds];
    double[][] ratios = new double[cases.length][rounds];
    for (int round = -2; round < rounds; round++) { // two to warm up
      for (int i = 0; i < cases.length; i++) {
        long start = System.nanoTime();
        Object unused = cases[i].work().call();
        if (round >= 0) {
          times[i][round] = (System.nanoTime() - start) / 1e6;
          ratios[i][round] = times[i][round] / times[0][round];
        }
      }
    }
    for (int i = 0; i < cases.length; i++) {
      Arrays.sort(times[i]);
      Arrays.sort(ratios[i]);
      System.out.printf(
          Locale.ROOT,
          "%-60s %10.3f ms   %6.3f times the first%n",
          cases[i].name(),
          times[i][rounds / 2],
          ratios[i][rounds / 2]);
    }
    System.out.println();
  }

  /** Work that takes a set time on the devices and next to nothing on the processors. */
  private static void scaling(int rounds) throws Exception {
    try (JavaSparkContext spark = new JavaSparkContext(new SparkConf().setAppName("scaling"))) {
      List<Integer> numbers = IntStream.range(0, 64).boxed().toList();
      HalPartitions<float[], float[]> batches = next().withBatchBytes(4);
      compare(
          rounds,
          new Case(
              "64 partitions of 16 batches, "
                  + spark.master()
                  + ", "
                  + spark.getConf().get(DRIVERS),
              () ->
                  spark
                      .parallelize(numbers, 64)
                      .flatMap(i -> Collections.nCopies(16, new float[1]).iterator())
                      .mapPartitions(batches)
                      .count()));
    }
  }

  private static void withRows(SparkSession session, int rounds) throws Exception {
    Dataset<Row> rows = session.range(0, 1 << 22, 1, 2).selectExpr("cast(id as float) as x");
    MapPartitionsFunction<Row, Row> same = all -> all;
    Dataset<Row> boxed = rows.mapPartitions(same, Encoders.row(COLUMN));
    Dataset<Row> mapped =
        rows.mapPartitions(HalPartitions.rows(KERNELS, "next_f32", RESULT), Encoders.row(RESULT));
    compare(
        rounds,
        new Case("2^22 rows, summed up", () -> sum(rows, "x")),
        new Case("as Row objects in between", () -> sum(boxed, "x")),
        new Case("by HalPartitions in between", () -> sum(mapped, "y")));
  }

  private static Row sum(Dataset<Row> rows, String column) {
    return rows.agg(Map.of(column, "sum")).first();
  }
}
