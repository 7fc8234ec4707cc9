// SPDX-License-Identifier: Apache-2.0
package org.jhal.spirv;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.Workgroups;
import org.jhal.kernels.bundle.KernelSpec;
import org.jhal.kernels.bundle.Variant;
import org.jhal.kernels.cache.KernelKey;
import org.jhal.kernels.source.SourceCode;
import org.jspecify.annotations.Nullable;
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

  private static final EntryPoints NO_EXPRESSIONS = new EntryPoints(List.of(), Map.of());

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
      return SpirvCompiler.find(System.getProperty("jhal.spirv.clang", ""));
    } catch (HalException e) {
      assertEquals(Status.UNIMPLEMENTED, e.status(), e.getMessage());
      return abort(e.getMessage());
    }
  }

  private static SourceCode source(String text) {
    return new SourceCode(text, "code.cpp", Map.of(), List.of());
  }

  private static byte[] compile(SpirvCompiler compiler, String text, String... options) {
    return compiler.compile(source(text), List.of(options), NO_EXPRESSIONS, "code.cpp of a bundle");
  }

  @ParameterizedTest
  @MethodSource("sources")
  void compilesTheKernelsOfTheProject(Path file) throws IOException {
    SpirvCompiler compiler = compiler();
    byte[] module = compile(compiler, Files.readString(ROOT.resolve(file)));
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
                compile(compiler, "\nextern \"C\" __global__ void k(int* a) { a[0] = missing; }"));
    assertEquals(Status.INVALID_ARGUMENT, failure.status());
    String message = String.valueOf(failure.getMessage());
    assertTrue(
        message.startsWith("cannot compile code.cpp of a bundle with ")
            && message.contains("code.cpp:2:")
            && message.contains("'missing'"),
        message);
  }

  @Test
  void namesWhatVulkanLacks() {
    SpirvCompiler compiler = compiler();
    HalException failure =
        assertThrows(
            HalException.class,
            () ->
                compile(
                    compiler, "extern \"C\" __global__ void k(int* a) { printf(\"%d\", a[0]); }"));
    assertEquals(Status.UNIMPLEMENTED, failure.status());
    assertEquals("function 'k' has a call of printf, which Vulkan lacks", failure.getMessage());
  }

  @Test
  void fusesNoProductsWhateverTheOptions() throws IOException {
    SpirvCompiler compiler = compiler();
    String text = "extern \"C\" __global__ void k(float* a) { a[0] = a[1] * a[2] + a[3]; }";
    byte[] plain = compile(compiler, text);
    assertArrayEquals(plain, compile(compiler, text, "-ffp-contract=fast"));
    Kernels.assertValid(plain);
  }

  private static @Nullable KernelKey key(
      SourceCode code, List<String> options, String translator, String compiler) {
    return SpirvCompiler.key(code, options, List.of(), translator, List.of(compiler));
  }

  @Test
  void keysDifferIfTheCodeMay() {
    SourceCode code = source("#include <cstdint>\nextern \"C\" __global__ void k(int* a) {}");
    SourceCode withHeader = new SourceCode(code.text(), code.name(), Map.of("a.h", ""), List.of());
    Set<@Nullable KernelKey> keys = new HashSet<>();
    keys.add(key(code, List.of(), "jar 1", "clang 1"));
    keys.add(key(code, List.of("-DA=1"), "jar 1", "clang 1"));
    keys.add(key(source(code.text() + " "), List.of(), "jar 1", "clang 1"));
    keys.add(key(withHeader, List.of(), "jar 1", "clang 1"));
    keys.add(key(code, List.of(), "jar 2", "clang 1"));
    keys.add(key(code, List.of(), "jar 1", "clang 2"));
    assertEquals(6, keys.size());
    assertFalse(keys.contains(null));
    assertTrue(keys.contains(key(code, List.of(), "jar 1", "clang 1")));
  }

  @Test
  void thereIsNoKeyForASourceThatReadsOtherFiles() {
    SourceCode code = new SourceCode("#include \"/a.h\"\n", "code.cpp", Map.of(), List.of("/a.h"));
    assertNull(key(code, List.of(), "jar", "clang"));
  }

  @Test
  void theStateOfThisLibraryChangesWithItsJar(@TempDir Path folder) throws IOException {
    assertNull(OwnJar.state(folder));
    Path jar = Files.writeString(folder.resolve("a.jar"), "1");
    String before = OwnJar.state(jar);
    assertEquals(before, OwnJar.state(jar));
    Files.writeString(jar, "12");
    assertNotEquals(before, OwnJar.state(jar));
  }

  @Test
  void leavesOptimizationToTheDriverAndRefusesOptionsThatNameFiles() {
    assertEquals(
        List.of("-DA=1", "-std=c++20"),
        SpirvCompiler.options(variant("-DA=1", "-O3", "-std=c++20"), "code.cpp"));
    HalException failure =
        assertThrows(
            HalException.class, () -> SpirvCompiler.options(variant("-fplugin=a.so"), "code.cpp"));
    assertEquals(Status.INVALID_ARGUMENT, failure.status());
    String message = String.valueOf(failure.getMessage());
    assertTrue(message.contains("'-fplugin=a.so' is not allowed on Vulkan devices"), message);
  }

  private static Variant variant(String... options) {
    return variant(Map.of(), options);
  }

  private static Variant variant(Map<String, String> entries, String... options) {
    return new Variant(
        Variant.CPP,
        "code.cpp",
        null,
        "",
        null,
        entries,
        Map.of(SpirvCompiler.NAME, List.of(options)),
        Map.of(),
        false);
  }

  @Test
  void namesInstancesOfTemplates() throws IOException {
    SpirvCompiler compiler = compiler();
    String text =
        """
        template <class T, int N> __global__ void fill(T* a) { a[threadIdx.x] = N; }
        namespace inner { __global__ void clear(int* a) { a[threadIdx.x] = 0; } }
        extern "C" __global__ void last(int* a) { a[0] = 9; }
        """;
    EntryPoints entries =
        EntryPoints.of(
            variant(Map.of("a", "fill<float, 4>", "b", "inner::clear", "c", "last")),
            List.of(kernel("a"), kernel("b"), kernel("c"), kernel("last")));
    byte[] module = compiler.compile(source(text), List.of(), entries, "code.cpp");
    assertEquals(
        Set.of(entries.name("a"), entries.name("b"), "last"), Set.copyOf(Kernels.entries(module)));
    assertEquals("last", entries.name("c"));
    assertEquals("last", entries.name("last"));
    Kernels.assertValid(module);
  }

  @Test
  void refusesExpressionsThatNameNothing() {
    SpirvCompiler compiler = compiler();
    EntryPoints entries = EntryPoints.of(variant(Map.of("a", "no<3>")), List.of(kernel("a")));
    HalException failure =
        assertThrows(
            HalException.class,
            () -> compiler.compile(source("int unused;"), List.of(), entries, "code.cpp"));
    assertEquals(Status.INVALID_ARGUMENT, failure.status());
    assertTrue(String.valueOf(failure.getMessage()).contains("'no'"), failure.getMessage());
  }

  private static KernelSpec kernel(String name) {
    return new KernelSpec(name, List.of(), Workgroups.of(1), 0);
  }

  @Test
  void namesACompilerThatIsMissing() {
    HalException failure = assertThrows(HalException.class, () -> SpirvCompiler.find("/no/clang"));
    assertEquals(Status.INVALID_ARGUMENT, failure.status());
    assertEquals(
        "the compiler '/no/clang' is not a Clang that can be executed, with an llc beside it",
        failure.getMessage());
  }

  @Test
  void doesWithoutACompiler() {
    HalException failure = assertThrows(HalException.class, () -> SpirvCompiler.find("none"));
    assertEquals(Status.UNIMPLEMENTED, failure.status());
    assertEquals("the option compiler is none", failure.getMessage());
  }
}
