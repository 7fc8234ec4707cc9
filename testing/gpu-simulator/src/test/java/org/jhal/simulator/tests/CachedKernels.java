// SPDX-License-Identifier: Apache-2.0
package org.jhal.simulator.tests;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jhal.simulator.fixture.SimulatedDevices;
import org.jhal.simulator.kit.ProbeJvm;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * The fixture of tests of the cache: a folder for it, bundles with a kernel {@code store}, and
 * processes that load them.
 */
@Timeout(240)
@Tag("long")
public abstract class CachedKernels {
  /** The kernel in C++; it needs the macro {@code MORE}. */
  static final String SOURCE =
      "extern \"C\" __global__ void store(unsigned* out, unsigned value)"
          + " { out[0] = value + MORE; }\n";

  /** The devices. */
  @RegisterExtension final SimulatedDevices sim = new SimulatedDevices();

  /** The folder of the test. */
  @TempDir Path temporary;

  /** The folder in which kernels are kept. */
  Path folder;

  @BeforeEach
  final void choose() throws IOException {
    folder = temporary.toRealPath().resolve("kept");
  }

  private String compilerProperty() {
    return sim.gpu().property(sim.gpu().compiler());
  }

  /** The file of the compiler; empty if the compiler has no separate file. */
  final String compilerFile() {
    return System.getProperty(compilerProperty(), "");
  }

  /** A bundle whose kernel stores its argument plus {@code more}. */
  protected final Path bundle(int more) throws IOException {
    return bundle("bundle" + more, "#define MORE " + more + "\n" + SOURCE, "");
  }

  final Path bundle(String folderName, String source, String options) throws IOException {
    return bundle(folderName, source, options, "");
  }

  final Path bundle(String folderName, String source, String options, String entries)
      throws IOException {
    Path bundle = Files.createDirectories(temporary.resolve(folderName));
    Files.writeString(bundle.resolve("store.cpp"), source);
    Files.writeString(
        bundle.resolve("manifest.json"),
        "{\"version\": 1, \"name\": \""
            + folderName
            + "\", \"kernels\": [{\"name\": \"store\", \"parameters\": ["
            + StoreKernels.PARAMETERS
            + "], \"workgroupSize\": [1]}], \"variants\": [{\"format\": \"gpu-c++\", \"file\":"
            + " \"store.cpp\""
            + (options.isEmpty() ? "" : ", \"options\": [\"" + options + "\"]")
            + entries
            + "}]}");
    return bundle;
  }

  final ProbeJvm probe(Map<String, String> variables, String compiler, Path... bundles)
      throws IOException {
    List<String> arguments =
        new ArrayList<>(List.of(sim.driver().name() + "://0?cache=" + folder, compiler));
    Arrays.stream(bundles).map(Path::toString).forEach(arguments::add);
    return new ProbeJvm(
        temporary,
        variables,
        Map.of(compilerProperty(), compiler),
        CacheProbe.class,
        arguments.toArray(String[]::new));
  }

  /** The file of the compiler; the test is skipped if the compiler has no separate file. */
  protected final String compiler() {
    String compiler = compilerFile();
    assumeTrue(!compiler.isEmpty(), "the compiler is a part of the runtime here, which is loaded");
    return compiler;
  }

  /** Runs the bundle in a separate process, and checks whether that has loaded the compiler. */
  protected final void assertProbe(
      boolean loadsCompiler, Map<String, String> variables, String compiler, int more)
      throws Exception {
    List<String> lines = probe(variables, compiler, bundle(more)).lines();
    assertTrue(lines.contains("stored: " + (5 + more)), lines::toString);
    String expected = loadsCompiler ? "compiler: loaded" : "compiler: not loaded";
    assertTrue(lines.contains(expected), () -> expected + " in " + lines);
  }
}
