// SPDX-License-Identifier: Apache-2.0
package org.jhal.simulator.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jhal.simulator.fixture.SimulatedDevices;
import org.jhal.simulator.fixture.SimulatedGpu;
import org.jhal.simulator.kit.ProbeJvm;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * An application that depends on a driver, with the jars that Maven resolves for it, in one folder,
 * and without any option of the JVM: on the module path and on the class path, on this JDK and on
 * the newest one beside it.
 */
@Timeout(240)
class GpuApplicationTest {
  private static final long DEADLINE_SECONDS = 60;

  private static final String MODULE = "module com.example.app { requires org.jhal; }\n";
  private static final String MAIN =
      """
      package com.example;
      import org.jhal.*;
      public class Main {
        public static void main(String[] uri) {
          System.out.println("modular: " + Main.class.getModule().isNamed());
          try (Device device = Hal.openDevice(uri[0]);
              DeviceBuffer buffer = device.allocate(64, BufferParams.DEVICE);
              CollectiveGroup group = CollectiveGroup.of(device)) {
            System.out.println("opened: " + device.info().name() + ", " + buffer.size());
            System.out.println("ranks: " + group.size());
          }
        }
      }
      """;

  private static final Pattern VERSION = Pattern.compile("JAVA_VERSION=\"([^\"]+)\"");

  private final SimulatedGpu gpu = SimulatedGpu.ofProcess();

  /** The name of the driver's module, which {@code pom.xml} writes into its jar. */
  private final String module = gpu.driver().getClass().getPackageName();

  /** The folder in which the application is built. */
  @TempDir Path folder;

  /** A way to start an application. */
  record Way(Path java, boolean isModular) {
    @Override
    public String toString() {
      return (isModular ? "module path of " : "class path of ") + java;
    }
  }

  static Stream<Way> ways() {
    return javas().stream().flatMap(java -> Stream.of(new Way(java, true), new Way(java, false)));
  }

  /** The folder of this JDK, and that of the newest one beside it, if that is newer. */
  private static List<Path> javas() {
    Path own = Path.of(System.getProperty("java.home"));
    Path newest = own;
    int version = Runtime.version().feature();
    File[] others = own.resolveSibling(".").toFile().listFiles();
    for (File other : others == null ? new File[0] : others) {
      if (feature(other.toPath()) > version) {
        newest = other.toPath().normalize();
        version = feature(newest);
      }
    }
    return newest.equals(own) ? List.of(own) : List.of(own, newest);
  }

  /** The version of a JDK; 0 if the folder has none. */
  private static int feature(Path home) {
    try {
      Matcher version = VERSION.matcher(Files.readString(home.resolve("release")));
      return version.find() && Files.isExecutable(home.resolve("bin/java"))
          ? Runtime.Version.parse(version.group(1)).feature()
          : 0;
    } catch (IOException | IllegalArgumentException e) {
      return 0;
    }
  }

  private static void tool(String name, String... arguments) {
    StringWriter said = new StringWriter();
    PrintWriter writer = new PrintWriter(said);
    int result = ToolProvider.findFirst(name).orElseThrow().run(writer, writer, arguments);
    assertEquals(0, result, () -> name + " said " + said);
  }

  /** The driver's jar, which Maven makes only after the tests. */
  private Path driver(Path in) throws Exception {
    Path classes =
        Path.of(
            gpu.driver().getClass().getProtectionDomain().getCodeSource().getLocation().toURI());
    Path manifest = folder.resolve("manifest");
    Files.writeString(manifest, "Automatic-Module-Name: " + module + "\n");
    Path jar = in.resolve("driver.jar");
    tool("jar", "--create", "--file=" + jar, "--manifest=" + manifest, "-C", classes + "", ".");
    return jar;
  }

  @ParameterizedTest
  @MethodSource("ways")
  void anApplicationOpensADevice(Way way) throws Exception {
    SimulatedDevices.assumeThere(gpu);
    String runtime = System.getProperty("jhal.test.runtime", "");
    assumeTrue(!runtime.isEmpty(), "only Maven knows the dependencies of an application");
    Path jars = Files.createDirectory(folder.resolve("jars"));
    List<Path> path = new ArrayList<>(List.of(driver(jars)));
    for (String entry : runtime.split(File.pathSeparator)) {
      Path target = Path.of(entry);
      if (Files.isDirectory(target)) { // a module whose jar Maven has not created yet
        Path jar = jars.resolve("module" + path.size() + ".jar");
        tool("jar", "--create", "--file=" + jar, "-C", entry, ".");
        path.add(jar);
      } else {
        path.add(Files.copy(target, jars.resolve(target.getFileName())));
      }
    }
    Path source = Files.createDirectories(folder.resolve("source"));
    Files.writeString(source.resolve("module-info.java"), MODULE);
    Files.writeString(source.resolve("Main.java"), MAIN);
    Path classes = folder.resolve("classes");
    tool(
        "javac",
        "--release=17",
        "--module-path=" + jars,
        "-d",
        classes.toString(),
        source.resolve("module-info.java").toString(),
        source.resolve("Main.java").toString());
    path.add(classes);
    String classPath =
        path.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
    String text = start(way, way.isModular ? jars + File.pathSeparator + classes : classPath);
    assertTrue(text.contains("modular: " + way.isModular), text);
    assertTrue(text.contains("opened: Simulated GPU 0, 64"), text);
    assertTrue(text.contains("ranks: 1"), text);
  }

  /** Returns the output of the application, once it has ended successfully. */
  private String start(Way way, String path) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(way.java.resolve("bin/java").toString());
    command.addAll(ProbeJvm.SHORT_LIVED);
    System.getProperties()
        .forEach(
            (key, value) -> {
              if (key.toString().matches("(jhal|gpusim)\\..*")) {
                command.add("-D" + key + "=" + value);
              }
            });
    command.addAll(way.isModular ? List.of("--module-path", path) : List.of("-cp", path));
    command.addAll(
        way.isModular
            ? List.of("-m", "com.example.app/com.example.Main")
            : List.of("com.example.Main"));
    command.add(gpu.driver().name());
    Path output = Files.createTempFile(folder, "application", ".out");
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .directory(folder.toFile())
            .start();
    try {
      boolean ended = process.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS);
      String text = Files.readString(output);
      assertTrue(ended, () -> "no end after " + DEADLINE_SECONDS + " s; it printed " + text);
      assertEquals(0, process.exitValue(), text);
      return text;
    } finally {
      process.destroyForcibly();
    }
  }
}
