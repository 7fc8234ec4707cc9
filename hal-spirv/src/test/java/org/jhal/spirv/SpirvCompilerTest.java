// SPDX-License-Identifier: Apache-2.0
package org.jhal.spirv;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.kernels.cache.KernelCache;
import org.jhal.kernels.source.SourceCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Kernels in C++ become modules for Vulkan. {@code -Djhal.spirv.clang=FILE} names the Clang;
 * without it and without one in PATH the tests that compile are skipped.
 */
class SpirvCompilerTest {
  private static final Path ROOT = root();

  /** Folders of the kernels of the suite, of examples and of benchmarks. */
  private static final List<String> FOLDERS =
      List.of(
          "cts/src/main/resources/org/jhal/cts/kernels",
          "examples",
          "integrations/hal-spark/src/test/resources",
          "tools/benchmarks/src/main/resources/org/jhal/bench/kernel");

  /** Sources that have no kernel, and those whose kernels have what Vulkan lacks. */
  private static final List<String> OTHERS = List.of("includes.cpp", "names.cpp");

  private static Path root() {
    Path folder = Path.of("").toAbsolutePath();
    while (!Files.isDirectory(folder.resolve(".mvn"))) {
      folder = folder.getParent();
      if (folder == null) {
        throw new IllegalStateException("no folder above has .mvn");
      }
    }
    return folder;
  }

  static Stream<Path> sources() throws IOException {
    Stream.Builder<Path> sources = Stream.builder();
    for (String folder : FOLDERS) {
      try (Stream<Path> files = Files.walk(ROOT.resolve(folder))) {
        files
            .filter(file -> file.toString().matches(".*\\.(cpp|cu)"))
            .filter(file -> !file.toString().contains("/target/"))
            .filter(file -> !OTHERS.contains(file.getFileName().toString()))
            .map(ROOT::relativize)
            .sorted()
            .forEach(sources);
      }
    }
    return sources.build();
  }

  private static SpirvCompiler compiler() {
    try {
      return SpirvCompiler.find(System.getProperty("jhal.spirv.clang"));
    } catch (HalException e) {
      assertEquals(Status.UNIMPLEMENTED, e.status(), e.getMessage());
      return abort(e.getMessage());
    }
  }

  private static SourceCode source(String text) {
    return new SourceCode(text, "code.cpp", Map.of(), List.of());
  }

  @ParameterizedTest
  @MethodSource("sources")
  void compilesTheKernelsOfTheProject(Path file) throws IOException {
    SpirvCompiler compiler = compiler();
    byte[] module = compiler.compile(source(Files.readString(ROOT.resolve(file))), List.of(), null);
    assertTrue(Kernels.entries(module).size() > 0, file.toString());
    Kernels.assertValid(module);
  }

  @Test
  void reportsErrorsInTheSource() {
    SpirvCompiler compiler = compiler();
    HalException failure =
        assertThrows(
            HalException.class,
            () ->
                compiler.compile(
                    source("\nextern \"C\" __global__ void k(int* a) { a[0] = missing; }"),
                    List.of(),
                    null));
    assertEquals(Status.INVALID_ARGUMENT, failure.status());
    String message = String.valueOf(failure.getMessage());
    assertTrue(message.contains("code.cpp:2:") && message.contains("'missing'"), message);
  }

  @Test
  void namesWhatVulkanLacks() {
    SpirvCompiler compiler = compiler();
    HalException failure =
        assertThrows(
            HalException.class,
            () ->
                compiler.compile(
                    source("extern \"C\" __global__ void k(int* a) { printf(\"%d\", a[0]); }"),
                    List.of(),
                    null));
    assertEquals(Status.UNIMPLEMENTED, failure.status());
    assertEquals("function 'k' has a call of printf, which Vulkan lacks", failure.getMessage());
  }

  @Test
  void keepsCodeInTheCache(@TempDir Path folder) throws IOException {
    SpirvCompiler compiler = compiler();
    SourceCode code = source("extern \"C\" __global__ void k(int* a) { a[0] = 3; }");
    KernelCache cache = KernelCache.in(folder.resolve("cache"));
    byte[] first = compiler.compile(code, List.of(), cache);
    try (Stream<Path> files = Files.list(folder.resolve("cache"))) {
      assertEquals(1, files.filter(file -> file.toString().endsWith(".kernel")).count());
    }
    assertArrayEquals(first, compiler.compile(code, List.of(), cache));
  }

  @Test
  void namesACompilerThatIsMissing() {
    HalException failure = assertThrows(HalException.class, () -> SpirvCompiler.find("/no/clang"));
    assertEquals(Status.NOT_FOUND, failure.status());
    assertEquals(
        "compiler=/no/clang: needs this Clang, and an llc beside it", failure.getMessage());
  }
}
