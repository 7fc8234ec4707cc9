// SPDX-License-Identifier: Apache-2.0
package org.jhal.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkExecutorInfo;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.metrics.sink.CsvSink;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerExecutorRemoved;
import org.jhal.DriverRegistry;
import scala.Tuple2;

/**
 * An application on this machine, whose executors are separate processes: by default on a cluster
 * of workers in this process, each with two cores and two mock devices.
 */
final class LocalSpark implements AutoCloseable {
  /** The limit of a wait for something that takes seconds. */
  private static final Duration LIMIT = Duration.ofSeconds(100);

  /** The limit of the whole test. */
  private static final Duration ALL = Duration.ofMinutes(5);

  private static final String DEVICES = "mock://?devices=2";
  private static final String METRICS = "metrics";

  private final long began = System.nanoTime();
  private final Path home;
  private final int executors;
  private final JavaSparkContext context;
  private final Set<Long> others = childProcesses(); // which are not of this application
  private final List<String> removed = new CopyOnWriteArrayList<>();

  /** Executors with JHAL and the tests on their class path. */
  static LocalSpark withClassPath(int executors) throws Exception {
    Path home = emptyHome();
    List<Path> folders = install(home, classPath());
    SparkConf conf =
        new SparkConf(false)
            .set("spark.resources.discoveryPlugin", HalResourceDiscovery.class.getName())
            .set("spark.jhal.drivers", DEVICES)
            .set("spark.executor.extraClassPath", join(folders, File.pathSeparator));
    return new LocalSpark(home, executors, conf);
  }

  /** Executors to which the driver sends JHAL and the tests; they have nothing but Spark. */
  static LocalSpark withJars(int executors) throws Exception {
    Path home = emptyHome();
    List<Path> jars = new ArrayList<>();
    List<Path> others = new ArrayList<>();
    for (Path path : classPath()) {
      if (Files.isDirectory(path)) {
        jars.add(jar(path, home.resolve("own-" + jars.size() + ".jar")));
      } else if (isOfJhal(path)) {
        jars.add(path);
      } else {
        others.add(path);
      }
    }
    List<Path> unused = install(home, others);
    Path script = home.resolve("devices.sh");
    String addresses =
        DriverRegistry.load().addresses(DEVICES, LIMIT).uris().stream()
            .map(uri -> "\"" + uri + "\"")
            .collect(Collectors.joining(",", "[", "]"));
    String answer = "{\"name\":\"" + Tasks.RESOURCE + "\",\"addresses\":" + addresses + "}";
    script = Files.writeString(script, "#!/bin/sh\necho '" + answer + "'\n");
    if (!script.toFile().setExecutable(true)) {
      throw new AssertionError(script + " cannot be made executable");
    }
    SparkConf conf =
        new SparkConf(false)
            .set("spark.worker.resource.accelerator.discoveryScript", script.toString())
            .set("spark.jars", join(jars, ","));
    return new LocalSpark(home, executors, conf);
  }

  private static boolean isOfJhal(Path jar) throws IOException {
    try (JarFile file = new JarFile(jar.toFile())) {
      return file.stream().anyMatch(entry -> entry.getName().startsWith("org/jhal/"));
    }
  }

  /** Makes a jar of a folder of classes. */
  private static Path jar(Path classes, Path jar) throws IOException {
    try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar));
        Stream<Path> files = Files.walk(classes)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        String name = classes.relativize(file).toString().replace(File.separatorChar, '/');
        out.putNextEntry(new JarEntry(name));
        long unused = Files.copy(file, out);
        out.closeEntry();
      }
    }
    return jar;
  }

  /**
   * An application on a cluster of processes.
   *
   * @param executors how many executors are there from the start
   * @param more settings that replace the usual ones
   */
  static LocalSpark on(StandaloneCluster cluster, int executors, Map<String, String> more)
      throws Exception {
    SparkConf conf =
        new SparkConf(false)
            .setMaster(cluster.master())
            .set("spark.executor.extraClassPath", cluster.extraClassPath());
    more.forEach(conf::set);
    return new LocalSpark(cluster.home(), executors, conf);
  }

  private LocalSpark(Path home, int executors, SparkConf more) throws Exception {
    this.home = home;
    this.executors = executors;
    SparkConf conf =
        new SparkConf(false)
            .setMaster("local-cluster[" + executors + ",2,1024]")
            .setAppName("hal-spark")
            .set("spark.ui.enabled", "false")
            .set("spark.driver.host", "127.0.0.1")
            .set("spark.driver.bindAddress", "127.0.0.1")
            .set("spark.local.dir", home.resolve("local").toString())
            .set("spark.executor.extraJavaOptions", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
            .set("spark.scheduler.minRegisteredResourcesRatio", "1.0")
            .set("spark.worker.resource.accelerator.amount", "2")
            .set("spark.executor.resource.accelerator.amount", "2")
            .set("spark.task.resource.accelerator.amount", "1")
            .set("spark.plugins", HalPlugin.class.getName())
            .set("spark.metrics.conf.executor.sink.csv.class", CsvSink.class.getName())
            .set("spark.metrics.conf.executor.sink.csv.period", "1")
            .set("spark.metrics.conf.executor.sink.csv.unit", "seconds")
            .set("spark.metrics.conf.executor.sink.csv.directory", folder(METRICS).toString())
            .set("spark.jhal.resource", Tasks.RESOURCE);
    for (Tuple2<String, String> setting : more.getAll()) {
      conf.set(setting._1(), setting._2());
    }
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

  /** An empty folder, from which executors are started: Spark takes its own from there. */
  static Path emptyHome() throws IOException {
    Path home = Path.of(System.getenv("SPARK_HOME"));
    delete(home);
    return Files.createDirectories(home);
  }

  static List<Path> classPath() {
    return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
        .map(entry -> Path.of(entry).toAbsolutePath())
        .filter(Files::exists)
        .toList();
  }

  static String join(List<Path> paths, String separator) {
    return paths.stream().map(Path::toString).collect(Collectors.joining(separator));
  }

  /**
   * Makes a folder look like an installation of Spark, by the jars of a class path.
   *
   * @return the rest of the class path
   */
  static List<Path> install(Path home, List<Path> classPath) throws IOException {
    Path jars = Files.createDirectories(home.resolve("jars"));
    List<Path> folders = new ArrayList<>();
    int number = 0;
    for (Path path : classPath) {
      if (Files.isDirectory(path)) {
        folders.add(path);
      } else {
        Path link = jars.resolve(number++ + "-" + path.getFileName());
        Path unused = Files.createSymbolicLink(link, path);
      }
    }
    return folders;
  }

  /** Deletes a folder, of which a worker of the application before may delete a part meanwhile. */
  private static void delete(Path folder) throws IOException {
    if (Files.exists(folder)) {
      Path unused =
          Files.walkFileTree(
              folder,
              new SimpleFileVisitor<>() { // which does not follow links
                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                    throws IOException {
                  Files.deleteIfExists(file);
                  return FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult visitFileFailed(Path gone, IOException failure)
                    throws IOException {
                  if (!(failure instanceof NoSuchFileException)) {
                    throw failure;
                  }
                  return FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult postVisitDirectory(Path visited, IOException failure)
                    throws IOException {
                  Files.deleteIfExists(visited);
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

  /** The last value of a metric of the plugin, one for each executor that has reported any. */
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

  /** Waits until all executors are there. */
  void awaitExecutors() {
    await(executors + " executors", () -> context.sc().getExecutorIds().size() == executors);
  }

  /**
   * Runs a job, which returns the processes of its tasks, until it has had some in all executors.
   * One that has registered may still open its devices, while another one runs all tasks.
   */
  void awaitProcesses(Callable<? extends Collection<Long>> job) throws Exception {
    long end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
    Set<Long> seen = new HashSet<>();
    while (seen.size() < executors) {
      if (System.nanoTime() - end > 0) {
        throw new AssertionError(
            "the test waits for tasks in all executors, and had some in " + seen + "; " + state());
      }
      seen.addAll(job.call());
    }
    assertEquals(executors, seen.size(), seen::toString);
  }

  /** Waits until the executors run no task. Then tasks that need all of them run at once. */
  void awaitIdle() {
    await(
        "executors that run nothing",
        () ->
            Arrays.stream(context.sc().statusTracker().getExecutorInfos())
                .allMatch(info -> info.numRunningTasks() == 0));
  }

  /** The limit of a wait that begins now. */
  private long nanosLeft() {
    long left = ALL.toNanos() - (System.nanoTime() - began);
    return Math.max(0, Math.min(left, LIMIT.toNanos()));
  }

  /** Waits until a condition holds. */
  void await(String what, BooleanSupplier condition) {
    await(() -> what, condition);
  }

  /** Waits until a condition holds; what it waits for is asked for when that took too long. */
  void await(Supplier<String> what, BooleanSupplier condition) {
    long end = System.nanoTime() + nanosLeft();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - end > 0) {
        throw new AssertionError("the test waits for " + what.get() + "; " + state());
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

  /** The same for a job that needs no executor yet. */
  <T> T within(String what, Callable<T> work) throws Exception {
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

  /** The state of Spark, and the logs of executors. */
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
    await( // they use the folder, which the next application empties
        "the executors to end", () -> others.containsAll(childProcesses()));
  }

  private static Set<Long> childProcesses() {
    return ProcessHandle.current().children().map(ProcessHandle::pid).collect(Collectors.toSet());
  }
}
