// SPDX-License-Identifier: Apache-2.0
package org.jhal.cuda;

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
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jhal.cuda.sim.SimulatedCuda;
import org.jhal.gpu.natives.BindingOption;
import org.jhal.simulator.SimulatedLibrary;
import org.jhal.simulator.kit.ProbeJvm;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The driver's verdict with different libraries, in one process each. */
@Timeout(120)
@Tag("long")
class ProbeTest {
  private static final long DEADLINE_SECONDS = 40;

  /** The name that {@code pom.xml} writes into the jar. */
  private static final String MANIFEST = "Automatic-Module-Name: org.jhal.cuda\n";

  /** One class of each module that the driver runs with. */
  private static final List<String> NEIGHBOURS =
      List.of(
          "org.jhal.Hal",
          "org.jhal.kernels.bundle.Manifest",
          "org.jhal.engine.EngineDevice",
          "org.jhal.gpu.GpuDriver",
          "com.google.common.collect.ImmutableList",
          "com.google.common.util.concurrent.internal.InternalFutures",
          "com.google.gson.Gson",
          "com.sun.jna.Native",
          "jcuda.driver.JCudaDriver");

  /** The same of the modules for the binding {@code ffm}. */
  private static final List<String> FFM =
      List.of("org.jhal.gpu.ffm.FfmBinding", "org.objectweb.asm.ClassWriter");

  @TempDir Path folder;
  private Path temporary;

  @BeforeEach
  void prepare() throws IOException {
    for (SimulatedLibrary library : List.of(SimulatedCuda.library(), SimulatedCuda.compiler())) {
      assumeTrue(library.unavailable().isEmpty(), () -> library.unavailable().get());
    }
    temporary = Files.createDirectory(folder.resolve("tmp"));
  }

  /** A process that runs {@link ProbeMain}, and its output. */
  private final class Run {
    private final Process process;
    private final Path output;

    Run(String name, String library, Map<String, String> variables, String... more)
        throws IOException {
      output = folder.resolve(name + ".out");
      // As loose as it can be: no mode of a file may depend on the user's umask.
      List<String> command =
          new ArrayList<>(List.of("/bin/sh", "-c", "umask 000; exec \"$@\"", "sh"));
      command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
      command.addAll(ProbeJvm.SHORT_LIVED);
      command.add("-Djava.io.tmpdir=" + temporary);
      command.add("-Djna.tmpdir=" + Files.createDirectories(folder.resolve("jna")));
      command.add("-Djhal.cuda.cache=off");
      command.add("-Djhal.cuda.library=" + library);
      List.of(more).stream().filter(word -> word.startsWith("-")).forEach(command::add);
      if (List.of(more).stream().noneMatch(word -> word.startsWith("--module="))) {
        command.addAll(List.of("-cp", absolute(System.getProperty("java.class.path"))));
        command.add(ProbeMain.class.getName());
      }
      List.of(more).stream().filter(word -> !word.startsWith("-")).forEach(command::add);
      ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
      builder.environment().putAll(variables);
      process = builder.redirectOutput(output.toFile()).directory(folder.toFile()).start();
    }

    String await() throws IOException, InterruptedException {
      try {
        boolean ended = process.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS);
        String text = Files.readString(output);
        assertTrue(ended, () -> "no end after " + DEADLINE_SECONDS + " s; it printed " + text);
        assertEquals(0, process.exitValue(), text);
        assertTrue(text.contains("again: the same"), text);
        return text;
      } finally {
        process.destroyForcibly();
      }
    }
  }

  private static String absolute(String classPath) {
    return Stream.of(classPath.split(File.pathSeparator))
        .map(entry -> new File(entry).getAbsolutePath())
        .reduce((a, b) -> a + File.pathSeparator + b)
        .orElseThrow();
  }

  private static String simulated() {
    return SimulatedCuda.library().path().toString();
  }

  private static void assertContains(String text, String... parts) {
    for (String part : parts) {
      assertTrue(text.contains(part), () -> "'" + part + "' in:\n" + text);
    }
  }

  @Test
  void namesThePlacesOfAMissingLibrary() throws Exception {
    String missing = folder.resolve("no/libcuda.so.1").toString();
    assertContains(
        new Run("missing", missing, Map.of()).await(),
        "probe: unavailable: ",
        missing,
        "which the system property jhal.cuda.library names",
        "failed: UNAVAILABLE");
    assertContains(
        new Run("variable", "", Map.of("JHAL_CUDA_LIBRARY", missing)).await(),
        "probe: unavailable: there is no file '"
            + missing
            + "', which the variable"
            + " JHAL_CUDA_LIBRARY names",
        "failed: UNAVAILABLE");
    Path noLibrary = Files.writeString(folder.resolve("text.so"), "no library");
    assertContains(
        new Run("text", noLibrary.toString(), Map.of()).await(),
        "probe: unavailable: ",
        "cannot be loaded; it comes with the NVIDIA driver, and the system property"
            + " jhal.cuda.library names its file; tried "
            + noLibrary
            + " (",
        "file too short)",
        "failed: UNAVAILABLE");
  }

  /** Instances of one GPU share its uuid, and each also has its own. */
  @Test
  void findsInstancesOfAGpuByTheirUuids() throws Exception {
    String own = "MIG-4a48414c-2d73-696d-756c-6174656400";
    Map<String, String> instances = Map.of("GPUSIM_DEVICES", "2", "GPUSIM_MIG", "1");
    for (int i = 0; i < 2; i++) {
      String uri = "cuda://" + own + "0" + (i + 1);
      assertContains(
          new Run("instance" + i, simulated(), instances, "-Dprobe.uri=" + uri).await(),
          "open: Simulated GPU " + i + ", " + own + "0" + (i + 1));
    }
    String gpu = own.replace("MIG", "GPU") + "7f";
    assertContains(
        new Run("whole", simulated(), instances, "-Dprobe.uri=cuda://" + gpu).await(),
        "failed: NOT_FOUND: ",
        own + "01",
        own + "02");
    String old = SimulatedCuda.driver("cuDeviceGetUuid_v2").path().toString();
    assertContains(
        new Run("old", old, instances, "-Dprobe.uri=cuda://" + gpu).await(),
        "open: Simulated GPU 0, " + gpu);
    assertContains(
        new Run("plain", simulated(), Map.of()).await(),
        "open: Simulated GPU 0, " + own.replace("MIG", "GPU") + "01");
  }

  /** A call of a missing function would end the process. */
  @Test
  void namesTheMissingFunctionsOfALibrary() throws Exception {
    SimulatedLibrary old = SimulatedCuda.driver("cuMemPoolCreate", "cuMemAllocFromPoolAsync");
    assertContains(
        new Run("lacks", old.path().toString(), Map.of()).await(),
        "probe: unavailable: ",
        "lacks cuMemAllocFromPoolAsync, cuMemPoolCreate",
        "too old");
  }

  @Test
  void reportsADriverThatIsTooOld() throws Exception {
    assertContains(
        new Run("old", simulated(), Map.of("GPUSIM_DRIVER_VERSION", "11010")).await(),
        "probe: unavailable: the NVIDIA driver supports CUDA 11.1; JHAL needs 11.2 or newer",
        "failed: UNAVAILABLE");
  }

  @Test
  void reportsAMachineWithoutADevice() throws Exception {
    assertContains(
        new Run("none", simulated(), Map.of("GPUSIM_DEVICES", "0")).await(),
        "probe: unavailable: ",
        "device",
        "failed: UNAVAILABLE",
        "code: 100 CUDA_ERROR_NO_DEVICE");
  }

  /**
   * JCuda by itself unpacks to one file, which processes that start together would load half
   * written.
   */
  @Test
  void processesThatStartTogetherDoNotDisturbEachOther() throws Exception {
    List<Run> runs = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      runs.add(new Run("run" + i, simulated(), Map.of()));
    }
    for (Run run : runs) {
      assertContains(
          run.await(),
          "probe: available: CUDA 13.0 with 1 device",
          "open: ",
          "changes of the temporary folder: []");
    }
    try (Stream<Path> left = Files.list(temporary)) {
      List<String> names =
          left.map(path -> path.getFileName().toString())
              .filter(name -> !name.startsWith("hsperfdata_"))
              .toList();
      assertEquals(List.of(), names, "left in the temporary folder");
    }
  }

  /** Whoever can write to its folder before it is loaded decides what runs in this process. */
  @Test
  void onlyTheUserCanReachJCudasLibrary() throws Exception {
    assertContains(
        new Run("modes", simulated(), Map.of(), "-Djhal.cuda.binding=jcuda", "-Dprobe.modes=true")
            .await(),
        "a file as any other: rw-rw-rw-",
        "the folder of JCuda: rwx------",
        "files in it: 1");
  }

  @Test
  void namesThePlacesOfAMissingCompiler() throws Exception {
    Path bundle = Files.createDirectory(folder.resolve("bundle"));
    Files.writeString(
        bundle.resolve("a.cpp"), "extern \"C\" __global__ void a(unsigned* out) { out[0] = 1; }\n");
    Files.writeString(
        bundle.resolve("manifest.json"),
        "{\"version\": 1, \"name\": \"a\", \"kernels\": [{\"name\": \"a\", \"parameters\":"
            + " [{\"name\": \"out\", \"kind\": \"buffer\", \"type\": \"u32\", \"direction\":"
            + " \"out\"}], \"workgroupSize\": [1]}], \"variants\": [{\"format\": \"gpu-c++\","
            + " \"file\": \"a.cpp\"}]}");
    String missing = folder.resolve("no/libnvrtc.so").toString();
    assertContains(
        new Run("nvrtc", simulated(), Map.of(), "-Djhal.cuda.nvrtc=" + missing, bundle.toString())
            .await(),
        "open: ",
        "failed: ",
        "there is no file '" + missing + "', which the system property jhal.cuda.nvrtc names");
    assertContains(
        new Run(
                "compiler",
                simulated(),
                Map.of(),
                "-Djhal.cuda.nvrtc=" + SimulatedCuda.compiler().path(),
                bundle.toString())
            .await(),
        "load: [");
  }

  /**
   * Runs {@link ProbeMain} as a class of the driver's module, which is an automatic one, with a jar
   * that has only classes.
   *
   * @param nativeAccess the modules that may call native functions, or newer JDKs print warnings
   * @param others classes of further modules
   */
  private Run withoutNatives(String name, String nativeAccess, List<String> others)
      throws Exception {
    Path driver = folder.resolve(name + ".jar");
    Path manifest = Files.writeString(folder.resolve("manifest"), MANIFEST);
    StringWriter said = new StringWriter();
    PrintWriter writer = new PrintWriter(said);
    int failed =
        ToolProvider.findFirst("jar")
            .orElseThrow()
            .run(
                writer,
                writer,
                "--create",
                "--file=" + driver,
                "--manifest=" + manifest,
                "-C",
                place("org.jhal.cuda.CudaDriver").toString(),
                "org");
    assertEquals(0, failed, said::toString);
    List<Path> path = new ArrayList<>();
    path.add(driver);
    for (String neighbour : NEIGHBOURS) {
      path.add(place(neighbour));
    }
    for (String other : others) {
      path.add(place(other));
    }
    return new Run(
        name,
        simulated(),
        Map.of(),
        "--module-path="
            + path.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator)),
        "--add-modules=org.jhal.utils",
        "--enable-native-access=" + nativeAccess,
        "--patch-module=org.jhal.cuda=" + place(ProbeMain.class.getName()),
        "--module=org.jhal.cuda/" + ProbeMain.class.getName());
  }

  /** The folder or jar that a class comes from. */
  private static Path place(String className) throws Exception {
    return Path.of(
        Class.forName(className, false, ProbeTest.class.getClassLoader())
            .getProtectionDomain()
            .getCodeSource()
            .getLocation()
            .toURI());
  }

  @Test
  void namesThePlaceOfJCudasMissingLibrary() throws Exception {
    String text = withoutNatives("unnatural", "jcuda,com.sun.jna", List.of()).await();
    assertContains(
        text,
        "probe: unavailable: JCuda's native library ",
        " is nowhere: it belongs to the jar of this driver, as lib/",
        ", or into a folder of java.library.path",
        "failed: ");
    assertEquals(4, text.lines().count(), text);
  }

  /** Its module implements an interface of the driver's, which is an automatic one. */
  @Test
  void theOtherBindingDoesWithoutJCudasLibrary() throws Exception {
    assumeTrue(BindingOption.auto() != null, "there is no other binding");
    String text = withoutNatives("ffm", "org.jhal.gpu.ffm,com.sun.jna", FFM).await();
    assertContains(
        text,
        "probe: available: CUDA 13.0 with 1 device",
        "open: ",
        "changes of the temporary folder: []");
    assertEquals(4, text.lines().count(), text);
  }
}
