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
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
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
import org.junit.jupiter.params.provider.Arguments;
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
  private static final List<String> OTHERS = List.of("includes.cpp", "allocated.cpp", "solver.cpp");

  private static final int TYPE_FLOAT = 22;
  private static final int TYPE_VECTOR = 23;
  private static final int F_CONVERT = 115;
  private static final int F_DIV = 136;

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

  /** Vulkan's own division of these may be off, so it is that of doubles. */
  @Test
  void dividesOnlyDoubles() {
    int[] words =
        Kernels.words(
            compile(
                compiler(),
                """
                #include <cuda_fp16.h>
                typedef float four __attribute__((ext_vector_type(4)));
                extern "C" __global__ void k(float* x, __half* h, four* v) {
                  x[0] = x[1] / x[2] + __frcp_rn(x[3]);
                  h[0] = h[1] / h[2];
                  v[0] = v[1] / v[2];
                }
                """));
    Set<Integer> doubles = new HashSet<>();
    int divisions = 0;
    for (int at = 5; at < words.length; at += words[at] >>> 16) {
      int opcode = words[at] & 0xFFFF;
      if (opcode == TYPE_FLOAT && words[at + 2] == 64) {
        doubles.add(words[at + 1]);
      }
      if (opcode == F_DIV) {
        divisions++;
        assertTrue(doubles.contains(words[at + 1]), "the type of a division");
      }
    }
    assertTrue(divisions > 0, "divisions");
  }

  /** Since a driver of NVIDIA leaves out the conversion of a number that is converted back. */
  @Test
  void convertsNoFloatsToHalves() {
    int[] words =
        Kernels.words(
            compile(
                compiler(),
                """
                #include <cuda_fp16.h>
                typedef float four __attribute__((ext_vector_type(4)));
                typedef __fp16 halves __attribute__((ext_vector_type(4)));
                extern "C" __global__ void k(float* x, __half* h, four* v, halves* w) {
                  x[0] = __half2float(__float2half(x[1]));
                  h[0] = h[1] / h[2];
                  w[0] = __builtin_convertvector(v[0], halves);
                }
                """));
    Set<Integer> halves = new HashSet<>(); // types, of numbers and vectors
    int conversions = 0;
    for (int at = 5; at < words.length; at += words[at] >>> 16) {
      int opcode = words[at] & 0xFFFF;
      if ((opcode == TYPE_FLOAT && words[at + 2] == 16)
          || (opcode == TYPE_VECTOR && halves.contains(words[at + 2]))) {
        halves.add(words[at + 1]);
      }
      if (opcode == F_CONVERT) {
        conversions++;
        assertFalse(halves.contains(words[at + 1]), "the type of a conversion");
      }
    }
    assertTrue(conversions > 0, "conversions of halves");
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

  /** Code, and what is said about it. */
  static Stream<Arguments> refused() {
    String again = "__device__ int again(int a) { return a > 0 ? table[a & 1](a - 1) : 0; }\n";
    return Stream.of(
        arguments(
            "__global__ void k(int* a) { printf(\"%d\", a[0]); }",
            "kernel 'k' has a call of printf, which Vulkan lacks; store what it should print in a"
                + " buffer, or run the kernel on the device cpu"),
        arguments(
            "__device__ __noinline__ void show(int a) { printf(\"%d\", a); }\n"
                + "__global__ void other(int* a) {}\n"
                + "__global__ void k(int* a) { show(a[0]); show(a[1]); }",
            "function '_Z4showi' of kernel 'k' has a call of printf, which Vulkan lacks; "),
        arguments(
            "__global__ void k(int* a) { int* b = new int[a[0]]; a[1] = (int)(long)b; }",
            "kernel 'k' has a call of new, which Vulkan lacks; pass a buffer, or use an array of"
                + " fixed size"),
        arguments(
            "__device__ __noinline__ int f(int n) { return n < 2 ? n : f(n - 1) + f(n - 2); }\n"
                + "__global__ void k(int* a) { a[0] = f(a[1]); }",
            "kernel 'k' has functions that call themselves ('_Z1fi'), which Vulkan lacks; use a"
                + " loop instead"),
        arguments(
            "__device__ int again(int a);\n"
                + "__device__ int same(int a) { return a; }\n"
                + "__device__ int (*table[2])(int) = {again, same};\n"
                + again
                + "__global__ void k(int* a) { a[0] = table[a[1] & 1](a[2]); }",
            "kernel 'k' has functions that may call themselves by pointer ('_Z5againi'), which"
                + " Vulkan lacks; a call by pointer may call each function of its type to which"
                + " there is a pointer"),
        arguments(
            "__global__ void k(int (*f)(int), int* a) { a[0] = f(a[1]); }",
            "kernel 'k' has a call by pointer of functions of which it knows none, which Vulkan"
                + " lacks; kernels of the same source must take the addresses of all functions that"
                + " it may call"),
        arguments(
            "__device__ int (*show)(const char*, ...) = printf;\n"
                + "__global__ void k(int* a) { a[0] = show(\"\"); }",
            "it crashed at function "));
  }

  @ParameterizedTest
  @MethodSource("refused")
  void namesWhatVulkanLacks(String code, String message) {
    SpirvCompiler compiler = compiler();
    HalException failure =
        assertThrows(
            HalException.class,
            () -> compile(compiler, code.replace("__global__", "extern \"C\" __global__")));
    assertEquals(Status.UNIMPLEMENTED, failure.status());
    String found = String.valueOf(failure.getMessage());
    assertTrue(found.contains(message), found);
  }

  /** Of those that are called by pointer, only what kernels use must be possible. */
  @Test
  void functionsThatNoKernelHasPointersToMayHaveAnything() throws IOException {
    SpirvCompiler compiler = compiler();
    String text =
        """
        __device__ int twice(int a) { return a * 2; }
        __device__ int shown(int a) { printf("%d", a); return a; }
        __device__ int (*table[1])(int) = {twice};
        __device__ int (*unused[1])(int) = {shown};
        extern "C" __global__ void k(int* a) { a[0] = table[a[1]](a[2]); }
        """;
    byte[] module = compile(compiler, text);
    Kernels.assertValid(module);
    String notes = new String(module, StandardCharsets.ISO_8859_1);
    assertTrue(notes.contains("jhal-bytes 0 EA=="), "the number 16 of the only function");
  }

  @Test
  void placesVariablesOutsideFunctions() throws IOException {
    SpirvCompiler compiler = compiler();
    String text =
        """
        namespace inner { __device__ float rate = 2; }
        __device__ int all[3] = {1, 2, 3};
        __device__ int* last = all;
        __device__ unsigned char large[100000] = {1};
        static __device__ int hidden;
        extern "C" __global__ void k(int* a) { a[0] = *last + hidden++ + (int)inner::rate; }
        """;
    byte[] module = compile(compiler, text);
    Kernels.assertValid(module);
    String notes = new String(module, StandardCharsets.ISO_8859_1);
    for (String note :
        List.of(
            "jhal-variable \\d+ 4 _ZN5inner4rateE",
            "jhal-variable \\d+ 12 all",
            "jhal-variable \\d+ 8 last",
            "jhal-variable \\d+ 100000 large",
            "jhal-pointer \\d+ \\d+",
            "jhal-bytes \\d+ AAAAQA==",
            "jhal-bytes \\d+ AQAAAAIAAAAD",
            "jhal-bytes \\d+ AQ==")) {
      assertEquals(2, notes.split(note + "\0", -1).length, note);
    }
    assertTrue(notes.contains("jhal-memory 100"), "the size, without what no kernel uses");
    assertEquals(5, notes.split("jhal-bytes|jhal-pointer", -1).length);
    assertFalse(notes.contains("hidden"));
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
