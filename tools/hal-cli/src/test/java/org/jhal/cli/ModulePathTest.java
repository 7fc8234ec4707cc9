// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.spi.ToolProvider;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A program that is a module, in a separate JVM with JHAL and a driver on its module path. */
@Timeout(120)
class ModulePathTest {
  /** One class of each module that a program needs at run time, directly or indirectly. */
  private static final List<String> MODULES =
      List.of(
          "org.jhal.Hal",
          "org.jhal.kernels.bundle.Manifest",
          "org.jhal.engine.EngineDevice",
          "org.jhal.mock.MockDriverProvider",
          "com.google.common.collect.ImmutableList",
          "com.google.common.util.concurrent.internal.InternalFutures",
          "com.google.gson.Gson");

  private static final String MAIN =
      """
      package demo;

      public class Main {
        public static void main(String[] args) throws Exception {
          byte[] result = new byte[3];
          try (org.jhal.Device device = org.jhal.Hal.openDevice("mock");
              org.jhal.Executable kernels =
                  device.loadExecutable(
                      org.jhal.ExecutableSource.ofResources(Main.class, args[0]));
              org.jhal.DeviceBuffer data =
                  device.allocate(3, org.jhal.BufferParams.DEVICE);
              org.jhal.TimelineSemaphore timeline = device.createSemaphore(0)) {
            device.queue(0).dispatch(
                org.jhal.Fence.NONE,
                timeline.at(1),
                kernels.kernel("fill"),
                new org.jhal.Workgroups(1, 1, 1),
                org.jhal.Args.of(data));
            device.queue(0).readback(
                timeline.at(1), timeline.at(2), data, 0, org.jhal.HostMemory.of(result));
            timeline.await(2, java.time.Duration.ofSeconds(30));
            System.out.println(java.util.Arrays.toString(result));
          } catch (org.jhal.HalException e) {
            System.out.println(e);
          }
        }
      }
      """;

  private static final String COLLECTIVES = "org.jhal.collectives.EngineCollectives";
  private static final String RECORDING = "org.jhal.recording.capture.FileJournals";

  /** Sums what two devices have, without kernels. */
  private static final String GROUP =
      """
      package demo;

      import java.util.*;
      import org.jhal.*;

      public class Group {
        public static void main(String[] args) throws Exception {
          byte[] result = new byte[4];
          try (Device one = Hal.openDevice("mock://0?devices=2");
              Device two = Hal.openDevice("mock://1?devices=2");
              DeviceBuffer here = one.allocate(4, BufferParams.DEVICE);
              DeviceBuffer there = two.allocate(4, BufferParams.DEVICE);
              TimelineSemaphore timeline = one.createSemaphore(0);
              CollectiveGroup group = CollectiveGroup.of(one, two)) {
            one.queue(0).fill(Fence.NONE, timeline.at(1), here, 0, 4, FillPattern.of8(3));
            two.queue(0).fill(timeline.at(1), timeline.at(2), there, 0, 4, FillPattern.of8(4));
            Fence filled = timeline.at(2);
            group.allReduce(
                Reduction.SUM,
                ElementType.I8,
                List.of(
                    new CollectiveGroup.Rank(filled, timeline.at(3), here, here),
                    new CollectiveGroup.Rank(filled, Fence.NONE, there, there)));
            one.queue(0).readback(timeline.at(3), timeline.at(4), here, 0, HostMemory.of(result));
            timeline.await(4, java.time.Duration.ofSeconds(30));
            System.out.println(Arrays.toString(result));
          } catch (HalException e) {
            System.out.println(e);
          }
        }
      }
      """;

  private static final String KERNELS =
      """
      package demo.kernels;

      public class Kernels {
        public static void fill(org.jhal.kernel.Workgroup group) {
          for (long i = 0; i < group.memory(0).size(); i++) {
            group.memory(0).putByte(i, (byte) (i + 7));
          }
        }
      }
      """;

  private static final String MANIFEST =
      """
      {"version": 1, "name": "demo",
       "kernels": [{"name": "fill", "workgroupSize": [1],
                    "parameters": [{"name": "data", "kind": "buffer", "type": "u8",
                                    "direction": "out"}]}],
       "variants": [{"format": "java", "class": "demo.kernels.Kernels"}]}
      """;

  @TempDir private Path folder;
  private Path sources;
  private String modulePath;
  private final Map<String, String> environment = new HashMap<>(); // of the program

  @BeforeEach
  void write() throws Exception {
    List<String> path = new ArrayList<>();
    for (String module : MODULES) {
      path.add(place(module));
    }
    modulePath = String.join(File.pathSeparator, path);
    sources = folder.resolve("source");
    Files.createDirectories(sources.resolve("demo/kernels"));
    Files.writeString(sources.resolve("demo/Main.java"), MAIN);
    Files.writeString(sources.resolve("demo/Group.java"), GROUP);
    Files.writeString(sources.resolve("demo/kernels/Kernels.java"), KERNELS);
  }

  /** The jar or folder with a class. */
  private static String place(String type) throws Exception {
    return Path.of(
            Class.forName(type, false, ModulePathTest.class.getClassLoader())
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI())
        .toString();
  }

  /** Compiles the program as a module with {@code exports}, and runs it. */
  private String run(String exports, String bundle) throws Exception {
    return start("demo.Main", exports, bundle);
  }

  private String start(String main, String exports, String... arguments) throws Exception {
    Files.writeString(
        sources.resolve("module-info.java"), "module demo { requires org.jhal; " + exports + " }");
    Path classes = folder.resolve("classes");
    StringWriter said = new StringWriter();
    PrintWriter writer = new PrintWriter(said);
    int failed =
        ToolProvider.findFirst("javac")
            .orElseThrow()
            .run(
                writer,
                writer,
                "--module-path",
                modulePath,
                "-d",
                classes.toString(),
                sources.resolve("module-info.java").toString(),
                sources.resolve("demo/Main.java").toString(),
                sources.resolve("demo/Group.java").toString(),
                sources.resolve("demo/kernels/Kernels.java").toString());
    assertEquals(0, failed, said::toString);
    for (String place : List.of("demo/bundle", "demo/not-a-package", "top")) {
      Files.createDirectories(classes.resolve(place));
      Files.writeString(classes.resolve(place + "/manifest.json"), MANIFEST);
    }
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "--module-path",
                modulePath + File.pathSeparator + classes,
                "--module",
                "demo/" + main));
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().putAll(environment);
    return Outcome.of(builder.directory(folder.toFile())).succeeded().out().strip();
  }

  @Test
  void readsABundleFromAPackageThatIsNotOpen() throws Exception {
    for (String bundle : List.of("bundle", "not-a-package", "/top", "/demo/bundle")) {
      assertEquals("[7, 8, 9]", run("exports demo.kernels;", bundle), bundle);
    }
  }

  @Test
  void loadsKernelsThatAreExportedToTheirLoaderAlone() throws Exception {
    assertEquals("[7, 8, 9]", run("exports demo.kernels to org.jhal.kernels;", "bundle"));
  }

  @Test
  void refusesKernelsThatAreNotExportedAndPrintsTheMissingLine() throws Exception {
    assertEquals(
        "org.jhal.HalException: INVALID_ARGUMENT: bundle demo.Main:bundle, class"
            + " demo.kernels.Kernels is in module demo, which does not export its package; add to"
            + " its module-info.java: exports demo.kernels to org.jhal.kernels;",
        run("", "bundle"));
  }

  @Test
  void reportsAMissingBundle() throws Exception {
    assertEquals(
        "org.jhal.HalException: NOT_FOUND: bundle demo.Main:none has no manifest.json at its root",
        run("exports demo.kernels;", "none"));
  }

  /** No module requires org.jhal.collectives: the engine finds it as a service. */
  @Test
  void groupsOfDevicesNeedOneMoreJar() throws Exception {
    assertEquals(
        "org.jhal.HalException: UNAVAILABLE: the jar hal-collectives, which groups of devices need,"
            + " is missing: add org.jhal:hal-collectives to the class path or the module path",
        start("demo.Group", ""));
    modulePath += File.pathSeparator + place(COLLECTIVES);
    assertEquals("[7, 7, 7, 7]", start("demo.Group", ""));
  }

  /** Nor org.jhal.recording. */
  @Test
  void recordingsNeedOneMoreJar() throws Exception {
    Path recording = folder.resolve("run.jrec");
    environment.put("JHAL_RECORD", recording.toString());
    assertEquals(
        "org.jhal.HalException: UNAVAILABLE: the jar hal-recording, which the option record needs,"
            + " is missing: add org.jhal:hal-recording to the class path or the module path",
        run("exports demo.kernels;", "bundle"));
    modulePath += File.pathSeparator + place(RECORDING);
    assertEquals("[7, 8, 9]", run("exports demo.kernels;", "bundle"));
    assertTrue(Files.size(recording) > 500, "the recording");
  }
}
