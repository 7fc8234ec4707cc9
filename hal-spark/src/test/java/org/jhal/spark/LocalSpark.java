package org.jhal.spark;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkExecutorInfo;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.metrics.sink.CsvSink;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerExecutorRemoved;

/**
 * A cluster of two workers on this machine, each with two cores and two mock devices. Its executors
 * are processes of their own.
 */
final class LocalSpark implements AutoCloseable {
  /** How long something may take that takes seconds. */
  private static final Duration LIMIT = Duration.ofSeconds(100);

  /** How long all of it may take. */
  private static final Duration ALL = Duration.ofMinutes(5);

  /** How many executors there are. */
  static final int EXECUTORS = 2;

  private static final String METRICS = "metrics";
  private static final String MASTER = "local-cluster[" + EXECUTORS + ",2,1024]";

  private final long began = System.nanoTime();
  private final Path home;
  private final JavaSparkContext context;
  private final List<String> removed = new CopyOnWriteArrayList<>();

  LocalSpark() throws Exception {
    home = Path.of(System.getenv("SPARK_HOME"));
    String folders = makeHome(home);
    SparkConf conf =
        new SparkConf(false)
            .setMaster(MASTER)
            .setAppName("hal-spark")
            .set("spark.ui.enabled", "false")
            .set("spark.driver.host", "127.0.0.1")
            .set("spark.driver.bindAddress", "127.0.0.1")
            .set("spark.local.dir", home.resolve("local").toString())
            .set("spark.executor.extraClassPath", folders)
            .set("spark.executor.extraJavaOptions", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
            .set("spark.scheduler.minRegisteredResourcesRatio", "1.0")
            .set("spark.resources.discoveryPlugin", HalResourceDiscovery.class.getName())
            .set("spark.worker.resource.accelerator.amount", "2")
            .set("spark.executor.resource.accelerator.amount", "2")
            .set("spark.task.resource.accelerator.amount", "1")
            .set("spark.plugins", HalPlugin.class.getName())
            .set("spark.metrics.conf.executor.sink.csv.class", CsvSink.class.getName())
            .set("spark.metrics.conf.executor.sink.csv.period", "1")
            .set("spark.metrics.conf.executor.sink.csv.unit", "seconds")
            .set("spark.metrics.conf.executor.sink.csv.directory", folder(METRICS).toString())
            .set("spark.jhal.resource", Tasks.RESOURCE)
            .set("spark.jhal.drivers", "mock://?devices=2");
    context = within("the application to start", () -> new JavaSparkContext(conf));
    context
        .sc()
        .addSparkListener(
            new SparkListener() {
              @Override
              public void onExecutorRemoved(SparkListenerExecutorRemoved event) {
                removed.add(event.executorId() + ": " + event.reason());
              }
            });
  }

  /**
   * Makes a folder that looks like an installation of Spark, of the jars of this class path.
   *
   * @return the rest of the class path
   */
  private static String makeHome(Path home) {
    try {
      delete(home);
      Path jars = Files.createDirectories(home.resolve("jars"));
      List<String> folders = new ArrayList<>();
      int number = 0;
      for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
        Path path = Path.of(entry).toAbsolutePath();
        if (Files.isDirectory(path)) {
          folders.add(path.toString());
        } else if (Files.exists(path)) {
          Path link = jars.resolve(number++ + "-" + path.getFileName());
          Path unused = Files.createSymbolicLink(link, path);
        }
      }
      return String.join(File.pathSeparator, folders);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void delete(Path folder) throws IOException {
    if (Files.exists(folder)) {
      Path unused =
          Files.walkFileTree(
              folder,
              new SimpleFileVisitor<>() { // which does not follow links
                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                    throws IOException {
                  Files.delete(file);
                  return FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult postVisitDirectory(Path visited, IOException failure)
                    throws IOException {
                  Files.delete(visited);
                  return FileVisitResult.CONTINUE;
                }
              });
    }
  }

  JavaSparkContext context() {
    return context;
  }

  /** Which executors ended so far, and why. */
  List<String> removed() {
    return removed;
  }

  /** A new folder in which processes leave files for each other. */
  Path folder(String name) {
    try {
      return Files.createDirectories(home.resolve("exchange").resolve(name));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The last value of a metric of the plugin, one for each executor that has told any. */
  List<Long> metric(String name) {
    String end = "plugin." + HalPlugin.class.getName() + "." + name + ".csv";
    List<Long> values = new ArrayList<>();
    try (Stream<Path> files = Files.list(folder(METRICS))) {
      for (Path file : files.filter(one -> one.toString().endsWith(end)).toList()) {
        String all = Files.readString(file);
        int line = all.lastIndexOf('\n', all.length() - 2);
        String last = all.substring(line + 1);
        if (line > 0 && last.endsWith("\n")) { // the first line has the names of columns
          values.add(Long.parseLong(last.substring(last.indexOf(',') + 1).strip()));
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return values;
  }

  /** Waits until both executors are there. */
  void awaitExecutors() {
    await(EXECUTORS + " executors", () -> context.sc().getExecutorIds().size() == EXECUTORS);
  }

  /** How long a wait may take that begins now. */
  private long nanosLeft() {
    long left = ALL.toNanos() - (System.nanoTime() - began);
    return Math.max(0, Math.min(left, LIMIT.toNanos()));
  }

  /** Waits until something holds. */
  void await(String what, BooleanSupplier condition) {
    long end = System.nanoTime() + nanosLeft();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - end > 0) {
        throw new AssertionError("the test waits for " + what + "; " + state());
      }
      pause();
    }
  }

  private static void pause() {
    try {
      Thread.sleep(5); // between two looks at other processes
    } catch (InterruptedException e) {
      throw new AssertionError("the test was interrupted", e);
    }
  }

  /** The result of a job, or of something else that takes seconds. */
  <T> T run(String what, Callable<T> job) throws Exception {
    awaitExecutors();
    return within(what, job);
  }

  private <T> T within(String what, Callable<T> work) throws Exception {
    FutureTask<T> task = new FutureTask<>(work);
    Thread thread = new Thread(task, what);
    thread.setDaemon(true);
    thread.start();
    try {
      return task.get(nanosLeft(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      StringBuilder where = new StringBuilder();
      for (StackTraceElement element : thread.getStackTrace()) {
        where.append("\n  at ").append(element);
      }
      throw new AssertionError("the test waits for " + what + where + "\n" + state(), e);
    } catch (InterruptedException e) {
      throw new AssertionError("interrupted while the test waits for " + what, e);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof Exception failure) {
        throw failure;
      }
      throw new AssertionError(what + " failed", e.getCause());
    }
  }

  /** What Spark is doing, and what executors have said. */
  @SuppressWarnings("NullAway") // there is no context yet while it starts
  private String state() {
    StringBuilder text = new StringBuilder("executors that ended: " + removed);
    if (context != null) {
      text.append("\nexecutors:");
      for (SparkExecutorInfo info : context.sc().statusTracker().getExecutorInfos()) {
        text.append(' ')
            .append(info.host())
            .append(':')
            .append(info.port())
            .append(" runs ")
            .append(info.numRunningTasks())
            .append(" tasks;");
      }
    }
    try (Stream<Path> files = Files.walk(home.resolve("work"))) {
      for (Path log : files.filter(LocalSpark::isLog).toList()) {
        text.append("\n--- ").append(log).append('\n').append(tail(log));
      }
    } catch (IOException e) {
      text.append("\nno logs of executors: ").append(e);
    }
    return text.toString();
  }

  private static boolean isLog(Path file) {
    return file.endsWith("stderr") || file.endsWith("executor.log");
  }

  private static String tail(Path file) throws IOException {
    String all = Files.readString(file);
    return all.substring(Math.max(0, all.length() - 3000));
  }

  @Override
  public void close() throws Exception {
    boolean unused =
        within(
            "the application to stop",
            () -> {
              context.close();
              return true;
            });
  }
}
