// SPDX-License-Identifier: Apache-2.0
package org.jhal.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jhal.cuda.sim.SimulatedCuda;
import org.jhal.simulator.SimulatedLibrary;
import org.jhal.simulator.kit.ProbeJvm;
import org.jhal.simulator.tests.CacheProbe;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Several versions of NVRTC on one machine, whose GPU is an sm_90. Each process uses a version
 * whose code its driver can run.
 */
@Timeout(120)
@Tag("long")
class CudaCompilerTest {
  private static final long DEADLINE_SECONDS = 60;

  @TempDir Path temporary;

  private Path folder;
  private final List<Path> installed = new ArrayList<>(); // folders

  @BeforeEach
  void prepare() throws IOException {
    for (SimulatedLibrary library : List.of(SimulatedCuda.library(), SimulatedCuda.compiler())) {
      assumeTrue(library.unavailable().isEmpty(), () -> library.unavailable().get());
    }
    folder = temporary.toRealPath();
    Files.writeString(
        folder.resolve("store.cpp"),
        "extern \"C\" __global__ void store(unsigned* out, unsigned value) { out[0] = value; }\n");
    Files.writeString(
        folder.resolve("manifest.json"),
        """
        {"version": 1, "name": "b",
         "kernels": [{"name": "store", "workgroupSize": [1], "parameters": [
           {"name": "out", "kind": "buffer", "type": "u32", "direction": "out"},
           {"name": "value", "kind": "constant", "type": "u32"}]}],
         "variants": [{"format": "gpu-c++", "file": "store.cpp"}]}
        """);
  }

  /** Installs a version in a separate folder, and returns its file. */
  private Path install(int version, String architectures, String... missing) throws IOException {
    Path built = SimulatedCuda.compiler(version, architectures, missing).path();
    Path target = Files.createDirectory(folder.resolve("toolkit" + version));
    try (Stream<Path> parts = Files.list(built.getParent())) {
      for (Path part : parts.toList()) {
        if (Files.isRegularFile(part)) {
          Files.copy(part, target.resolve(part.getFileName()));
        }
      }
    }
    installed.add(target);
    return target.resolve(built.getFileName());
  }

  /**
   * Runs the bundle in a separate process, and returns its output.
   *
   * @param driver the version of CUDA that the driver is for
   * @param mapped a file; the process prints whether it has loaded it
   */
  private String run(int driver, Path mapped) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(ProbeJvm.SHORT_LIVED);
    command.add("--enable-native-access=ALL-UNNAMED");
    command.add("-Djhal.cuda.library=" + SimulatedCuda.library().path());
    command.add("-Djna.library.path=" + joined(installed.stream().map(Path::toString)));
    Stream<String> classPath =
        Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1));
    command.addAll(
        List.of("-cp", joined(classPath.map(entry -> new File(entry).getAbsolutePath()))));
    command.addAll(List.of(CacheProbe.class.getName(), "cuda://0?cache=" + folder.resolve("kept")));
    command.addAll(List.of(mapped.toString(), folder.toString()));
    Path output = Files.createTempFile(folder, "probe", ".out");
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put("GPUSIM_DRIVER_VERSION", String.valueOf(driver));
    builder.environment().remove(Nvrtc.WANTED.variable());
    Process process = builder.redirectOutput(output.toFile()).start();
    try {
      boolean ended = process.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS);
      String text = Files.readString(output);
      assertTrue(ended, () -> "no end after " + DEADLINE_SECONDS + " s; it printed " + text);
      return text;
    } finally {
      process.destroyForcibly();
    }
  }

  private static String joined(Stream<String> paths) {
    return paths.collect(Collectors.joining(File.pathSeparator));
  }

  private static void assertContains(String text, String... parts) {
    for (String part : parts) {
      assertTrue(text.contains(part), () -> "'" + part + "' in:\n" + text);
    }
  }

  @Test
  void usesTheNewestVersionSilentlyIfItsCodeRuns() throws Exception {
    Path newer = install(13000, "75, 90, 120");
    Path older = install(12080, "50, 90");
    String text = run(13000, older);
    assertContains(text, "stored: 5", "compiler: not loaded");
    assertFalse(text.contains("NVRTC"), text);
    assertContains(run(13010, newer), "stored: 5", "compiler: loaded");
  }

  @Test
  void skipsAVersionWithoutCodeForTheGpu() throws Exception {
    Path newer = install(13000, "100, 120");
    Path older = install(12080, "50, 75, 90");
    assertContains(
        run(13000, older),
        "stored: 5",
        "sources for sm_90 are compiled by NVRTC 12.8 ("
            + older
            + ") as cubin, for a driver of CUDA 13.0",
        "looked at NVRTC 13.0 (" + newer + ") for sm_100 to sm_120, NVRTC 12.8 (",
        "compiler: loaded");
  }

  @Test
  void skipsAVersionWhoseCodeTheDriverRefuses() throws Exception {
    install(13000, "75, 90");
    Path older = install(12040, "75, 90");
    assertContains(
        run(12020, older),
        "stored: 5",
        "sources for sm_90 are compiled by NVRTC 12.4 ("
            + older
            + ") as cubin, for a driver of CUDA 12.2",
        "compiler: loaded");
  }

  /** Within a major version, drivers accept cubins of newer toolkits, but not their PTX. */
  @Test
  void prefersPtxOfAnOlderVersion() throws Exception {
    install(13000, "75, 90");
    Path older = install(12080, "75, 89");
    assertContains(
        run(12090, older),
        "stored: 5",
        "by NVRTC 12.8 (" + older + ") as PTX, for a driver of CUDA 12.9");
  }

  @Test
  void usesPtxOfAVersionOlderThanTheGpu() throws Exception {
    Path only = install(12000, "75, 89");
    assertContains(run(13000, only), "stored: 5", "by NVRTC 12.0 (" + only + ") as PTX");
  }

  @Test
  void namesTheCompilerOfCodeThatTheDriverRefuses() throws Exception {
    Path only = install(13000, "75, 90");
    assertContains(
        run(12020, only),
        "by NVRTC 13.0 (" + only + ") as PTX, for a driver of CUDA 12.2",
        "cannot load store.cpp of bundle ",
        " for sm_90, compiled by NVRTC 13.0 (" + only + ")",
        "cuModuleLoadDataEx returned 222");
  }

  @Test
  void namesEachVersionIfNoneHasCodeForTheGpu() throws Exception {
    Path newer = install(13000, "100, 120");
    Path older = install(12080, "100");
    assertContains(
        run(13000, newer),
        "no NVRTC makes code for sm_90; it comes with the CUDA toolkit, from 11.2 on; looked at"
            + (" NVRTC 13.0 (" + newer + ") for sm_100 to sm_120")
            + (", NVRTC 12.8 (" + older + ") for sm_100 to sm_100"));
  }

  @Test
  void skipsAVersionThatLacksAFunction() throws Exception {
    Path newer = install(13000, "75, 90", "nvrtcGetCUBIN");
    Path older = install(12080, "75, 90");
    assertContains(
        run(13000, older),
        "stored: 5",
        "by NVRTC 12.8 (" + older + ") as cubin",
        "looked at " + newer + " (" + newer + " lacks nvrtcGetCUBIN; ");
  }

  /** An older driver cannot use code that was kept for a newer one. */
  @Test
  void keepsCodeSeparatelyForEachDriver() throws Exception {
    Path newer = install(13000, "75, 90");
    Path older = install(12040, "75, 90");
    assertContains(run(13000, newer), "stored: 5", "compiler: loaded");
    assertContains(run(13000, newer), "stored: 5", "compiler: not loaded");
    assertContains(run(12020, older), "stored: 5", "compiler: loaded");
    assertContains(run(12020, older), "stored: 5", "compiler: not loaded");
    assertContains(run(12020, newer), "stored: 5", "compiler: not loaded");
    try (Stream<Path> kept = Files.list(folder.resolve("kept"))) {
      assertEquals(2, kept.count(), "entries");
    }
  }
}
