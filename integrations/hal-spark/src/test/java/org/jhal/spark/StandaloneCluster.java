// SPDX-License-Identifier: Apache-2.0
package org.jhal.spark;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.spark.deploy.master.Master;
import org.apache.spark.deploy.worker.Worker;

/** A standalone cluster: a master and a worker with two cores, each a process of its own. */
final class StandaloneCluster implements AutoCloseable {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final Pattern MASTER = Pattern.compile("spark://[0-9.]+:[0-9]+");
  private static final Pattern END =
      Pattern.compile("Executor (\\S+) finished with state (\\w+).* exitStatus (\\d+)");

  private final Path home = LocalSpark.emptyHome();
  private final String extraClassPath;
  private final List<Process> daemons = new ArrayList<>();
  private final Process worker;
  private final String master;

  /**
   * Starts it.
   *
   * @param drivers whose devices the worker has
   * @param devices their number
   */
  StandaloneCluster(String drivers, int devices) throws Exception {
    extraClassPath =
        LocalSpark.join(LocalSpark.install(home, LocalSpark.classPath()), File.pathSeparator);
    Path unused = Files.createDirectories(temporary());
    boolean isStarted = false;
    try {
      var unusedMaster =
          start(
              "master",
              List.of(),
              Master.class,
              List.of("--host", "127.0.0.1", "--port", "0", "--webui-port", "0"));
      master = find("master", MASTER).group();
      worker =
          start(
              "worker",
              List.of(
                  "-Dspark.worker.resource." + Tasks.RESOURCE + ".amount=" + devices,
                  "-Dspark.resources.discoveryPlugin=" + HalResourceDiscovery.class.getName(),
                  "-Dspark.jhal.resource=" + Tasks.RESOURCE,
                  "-Dspark.jhal.drivers=" + drivers),
              Worker.class,
              List.of(
                  "--host",
                  "127.0.0.1",
                  "--webui-port",
                  "0",
                  "--cores",
                  "2",
                  "--memory",
                  "4g",
                  "--work-dir",
                  home.resolve("work").toString(),
                  master));
      Matcher unusedLine = find("worker", Pattern.compile("Successfully registered with master"));
      isStarted = true;
    } finally {
      if (!isStarted) {
        close();
      }
    }
  }

  private Process start(String name, List<String> options, Class<?> main, List<String> arguments)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx256m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
    for (String own : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
      if (own.startsWith("--") || own.startsWith("-XX:+Ignore") || own.startsWith("-Dio.netty")) {
        command.add(own); // what Spark needs of the JDK
      }
    }
    command.add("-Djhal.test.deploy=info");
    command.add("-Djhal.test.log=" + log(name));
    command.addAll(options);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    command.addAll(arguments);
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(home.resolve(name + ".out").toFile())
            .start();
    daemons.add(process);
    return process;
  }

  private Path log(String name) {
    return home.resolve(name + ".log");
  }

  private static String read(Path file) {
    try {
      return Files.exists(file) ? Files.readString(file) : "";
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Waits for a text in a log. */
  private Matcher find(String name, Pattern text) throws InterruptedException {
    long end = System.nanoTime() + LIMIT.toNanos();
    while (true) {
      Matcher matcher = text.matcher(read(log(name)));
      if (matcher.find()) {
        return matcher;
      }
      if (System.nanoTime() - end > 0 || !daemons.stream().allMatch(Process::isAlive)) {
        throw new AssertionError(
            "the test waits for '"
                + text
                + "' in the log of the "
                + name
                + ":\n"
                + read(log(name))
                + read(home.resolve(name + ".out")));
      }
      Thread.sleep(5); // between two looks at another process
    }
  }

  String master() {
    return master;
  }

  Path home() {
    return home;
  }

  /** What executors need on their class path, in addition to the jars of the home. */
  String extraClassPath() {
    return extraClassPath;
  }

  /** The folder for temporary files of executors. */
  Path temporary() {
    return home.resolve("tmp");
  }

  /** What is in it of JHAL. */
  List<String> leftovers() {
    try (Stream<Path> files = Files.list(temporary())) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.startsWith("jhal"))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** What devices of executors report as never closed, when their garbage collectors find it. */
  List<String> leaks() {
    try (Stream<Path> files = Files.walk(home.resolve("work"))) {
      return files
          .filter(file -> file.endsWith("executor.log"))
          .flatMap(file -> read(file).lines())
          .filter(line -> line.contains("never closed"))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** How many processes of executors there are. */
  long executors() {
    return worker.descendants().count();
  }

  /**
   * How executors have ended, such as {@code app-1/0 KILLED 143}: 143 if they ended when they were
   * asked, and 137 if they did not within 10 seconds, or were killed otherwise.
   */
  List<String> ends() {
    return END.matcher(read(log("worker")))
        .results()
        .map(end -> end.group(1) + " " + end.group(2) + " " + end.group(3))
        .toList();
  }

  /** The last lines of the worker's log. */
  @Override
  public String toString() {
    String all = read(log("worker"));
    return "executors " + ends() + "\n" + all.substring(Math.max(0, all.length() - 3000));
  }

  @Override
  public void close() throws InterruptedException {
    for (int i = daemons.size() - 1; i >= 0; i--) {
      Process process = daemons.get(i);
      List<ProcessHandle> executors = process.descendants().toList();
      process.destroy();
      if (!process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)) {
        var unused = process.destroyForcibly();
      }
      executors.forEach(ProcessHandle::destroyForcibly);
    }
  }
}
