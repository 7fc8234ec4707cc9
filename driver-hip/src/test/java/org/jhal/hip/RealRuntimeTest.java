// SPDX-License-Identifier: Apache-2.0
package org.jhal.hip;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jhal.ExecutableSource;
import org.jhal.kernels.bundle.KernelSpec;
import org.jhal.kernels.bundle.Manifest;
import org.jhal.kernels.dialect.Dialect;
import org.jhal.simulator.kit.DialectSources;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The real HIP runtime and compiler of this machine, if there are any; no device is needed. Rule
 * M8: a launch passes the arguments that the compiler's metadata describes.
 */
@Timeout(600) // compilers take minutes on a busy machine
class RealRuntimeTest {
  private static final List<String> ARCHITECTURES = List.of("gfx90a", "gfx1030");
  private static final int EM_AMDGPU = 224;

  @TempDir private Path folder;
  private String library = "";
  private String loaded = "";

  /** Names the library, since without a device one that wants executable stacks is not loaded. */
  @BeforeEach
  void lookForTheRuntime() throws Exception {
    library = ChildJvm.run(folder, Map.of(), List.of(), "locate").lines().findFirst().orElse("");
    assumeFalse(
        library.equals("null"),
        "there is no HIP runtime on this machine; Debian and Ubuntu have it in the packages"
            + " libamdhip64-5 and libhiprtc-builtins5");
    loaded = run("load");
  }

  private String run(String... arguments) throws Exception {
    return ChildJvm.run(
        folder, Map.of(), List.of("-D" + HipDriver.WANTED.property() + "=" + library), arguments);
  }

  private static void assertContains(String text, String... parts) {
    for (String part : parts) {
      assertTrue(text.contains(part), () -> "'" + part + "' in:\n" + text);
    }
  }

  @Test
  void hasAllFunctionsAndReportsWhetherThereIsADevice() {
    boolean isKnown =
        loaded
            .lines()
            .anyMatch(
                line ->
                    line.matches(
                        "load: (UNAVAILABLE: HIP [5-9]\\.\\d+\\.\\d+ \\(.*\\) finds no device("
                            + " \\[code \\d+ \\w+\\])?|version [5-9]\\.\\d+\\.\\d+, devices"
                            + " [1-9].*)"));
    assertTrue(isKnown, loaded);
    assertContains(loaded, "again: the same");
  }

  /**
   * Without a device, looking for one must not make the stacks of all threads executable, of which
   * the JVM warns.
   */
  @Test
  void aLibraryThatWantsExecutableStacksIsNotLoadedWithoutADevice() throws Exception {
    assumeTrue(loaded.contains("might have disabled stack guard"), library + " wants none");
    assumeFalse(HipDriver.absence().isEmpty(), "there may be a device");
    String searched = ChildJvm.run(folder, Map.of(), List.of(), "load");
    assertContains(
        searched,
        "load: UNAVAILABLE: the HIP runtime cannot be loaded; ",
        " (not loaded, since it wants executable stacks and there is no AMD device: neither"
            + " /dev/kfd nor /dev/dxg exists)");
    assertFalse(searched.contains("stack guard"), searched);
  }

  @Test
  void codesHaveNames() throws Exception {
    assertContains(
        run("load", "--", "errors", "0", "1", "100", "209", "719", "999", "12345"),
        "error: 0 hipSuccess",
        "error: 1 hipErrorInvalidValue",
        "error: 100 hipErrorNoDevice",
        "error: 209 hipErrorNoBinaryForGpu",
        "error: 719 hipErrorLaunchFailure",
        "error: 999 hipErrorUnknown",
        "error: 12345, which has no known name");
  }

  /** All sources of bundles of the examples and of the suite, compiled as for any device. */
  @Test
  @Tag("long")
  void compiledSourcesHaveTheArgumentsOfTheirManifests() throws Exception {
    List<Compiled> all = new ArrayList<>();
    List<String> words = new ArrayList<>();
    for (Path source : sources()) {
      for (String architecture : ARCHITECTURES) {
        Path result = folder.resolve(source.getFileName() + "." + architecture);
        words.addAll(List.of("save", architecture, source.toString(), result.toString(), "--"));
        all.add(new Compiled(source, architecture, result));
      }
    }
    assertTrue(all.size() >= 12, () -> "only " + all);
    assertContains(run(words.subList(0, words.size() - 1).toArray(new String[0])), "end");
    for (Compiled one : all) {
      byte[] bytes = Files.readAllBytes(one.result());
      check(CodeObject.read(bytes, one.toString()), one);
      CodeObjectTest.checkDamaged(bytes);
    }
  }

  private record Compiled(Path source, String architecture, Path result) {}

  private static void check(CodeObject code, Compiled one) {
    assertEquals(one.architecture(), code.architecture(), one::toString);
    Manifest manifest = Manifest.read(ExecutableSource.of(one.source().resolveSibling("")));
    Set<String> names =
        manifest.kernels().stream().map(KernelSpec::name).collect(Collectors.toSet());
    assertEquals(names, code.kernels().keySet(), one::toString);
    for (KernelSpec function : manifest.kernels()) {
      code.checkArguments(function.name(), function, function.name() + " of " + one);
    }
  }

  private static List<Path> sources() throws IOException {
    List<Path> sources = new ArrayList<>();
    for (String module : List.of("../examples", "../cts/src/main")) {
      try (Stream<Path> files = Files.walk(Path.of("").toAbsolutePath().resolve(module))) {
        files
            .map(Path::normalize)
            .filter(file -> file.toString().endsWith(".cpp") && !file.toString().contains("target"))
            .filter(file -> Files.exists(file.resolveSibling("manifest.json")))
            .sorted()
            .forEach(sources::add);
      }
    }
    return sources;
  }

  /** All headers that the compiler gets from JHAL, in both orders, with 32 and with 64 lanes. */
  @Test
  @Tag("long")
  void compilesWhatIncludesTheDialect() throws Exception {
    List<String> headers = new ArrayList<>();
    Dialect.includes()
        .forEach(
            (name, file) -> {
              if (!file.isEmpty()) {
                headers.add("#include <" + name + ">\n");
              }
            });
    assertTrue(headers.size() > 20, headers::toString);
    for (String order : List.of("forward", "backward")) {
      Path source =
          Files.writeString(
              folder.resolve(order + ".cpp"),
              String.join("", headers)
                  + """
                  namespace cg = cooperative_groups;
                  extern "C" __global__ void all(float* x, __half* h, __nv_bfloat16* b, uint64_t* n) {
                    cg::thread_block block = cg::this_thread_block();
                    auto tile = cg::tiled_partition<16>(block);
                    const unsigned i = block.group_index().x * block.size() + block.thread_rank();
                    assert(x[i] < INFINITY && NULL == n);
                    x[i] = cg::reduce(tile, x[i], cg::plus<float>()) + (float)M_PI;
                    if (tile.any(x[i] > FLT_MAX)) x[i] = tile.shfl_down(x[i], 1);
                    n[i] = tile.ballot(x[i] > 0) + INT64_MAX;
                    tile.sync();
                    block.sync();
                    h[i] = __float2half(x[i]) * h[i];
                    b[i] = __hmul(__float2bfloat16(x[i]), b[i]) + b[i];
                  }
                  """);
      for (String architecture : List.of("gfx90a", "gfx1030")) {
        assertContains(
            run("compile", architecture, source.toString()), "ELF for machine " + EM_AMDGPU);
      }
      Collections.reverse(headers);
    }
  }

  /** Each function of the suite's list, and what else kernels use, with 32 and with 64 lanes. */
  @Test
  void compilesEachNameOfTheDialect() throws Exception {
    Map<String, String> sources = new HashMap<>(DialectSources.functions());
    sources.put("names.cpp", DialectSources.names());
    for (Map.Entry<String, String> source : sources.entrySet()) {
      Path file = Files.writeString(folder.resolve(source.getKey()), source.getValue());
      for (String architecture : ARCHITECTURES) {
        assertContains(
            run("compile", architecture, file.toString()), "ELF for machine " + EM_AMDGPU);
      }
    }
    Path names = folder.resolve("names.cpp");
    assertContains(
        run("compile", "gfx90a", names.toString(), "-std=c++20"), "ELF for machine " + EM_AMDGPU);
  }

  @Test
  void refusesAWrongSourceWithTheLog() throws Exception {
    Path wrong = Files.writeString(folder.resolve("wrong.cpp"), "\n\nint x = y;\n");
    assertContains(
        run("compile", "gfx90a", wrong.toString()),
        "compiled: INVALID_ARGUMENT: cannot compile wrong.cpp for gfx90a: HIPRTC_ERROR_COMPILATION",
        "wrong.cpp:3:9: error: use of undeclared identifier 'y'");
  }

  /** The headers that the compiler puts in front of each source have these names, too. */
  @Test
  void optionsDefineNamesThatTheCompilersOwnHeadersHave() throws Exception {
    for (String name : List.of("T", "x", "type", "value")) {
      Path source =
          Files.writeString(
              folder.resolve(name + ".cpp"),
              "extern \"C\" __global__ void k(" + name + "* out) { *out = 1; }\n");
      assertContains(
          run("compile", "gfx90a", source.toString(), "-D" + name + "=float"),
          "ELF for machine " + EM_AMDGPU);
    }
  }

  /** As on other devices: HIPRTC itself names a temporary file. */
  @Test
  void namesTheFilesOfTheBundle() throws Exception {
    Path wrong = Files.writeString(folder.resolve("a \"b\".cpp"), "\nint x = y;\n");
    assertContains(
        run("compile", "gfx90a", wrong.toString()), "\na \"b\".cpp:2:9: error: use of undeclared");
  }

  /** The compiler of ROCm 5.2.3 ends the process if it gets one of these. */
  @Test
  void refusesAnUnknownArchitectureBeforeCallingTheCompiler() throws Exception {
    Path source =
        Files.writeString(folder.resolve("fine.cpp"), "extern \"C\" __global__ void a() {}\n");
    for (String architecture : List.of("gfx1", "gfx90a:fast+", "gfx1030:xnack+", "sm_90")) {
      assertContains(
          run("compile", architecture, source.toString()),
          "compiled: UNIMPLEMENTED: cannot compile fine.cpp for " + architecture,
          "makes no code for " + architecture + ", only for ",
          "gfx90a",
          "end");
    }
    assertContains(
        run("compile", "gfx90a", source.toString(), "--offload-arch=gfx1"),
        "compiled: INVALID_ARGUMENT: ",
        "the option --offload-arch=gfx1 chooses an architecture");
    assertContains(
        run("compile", "gfx90a:sramecc+:xnack-", source.toString()),
        "ELF for machine " + EM_AMDGPU);
  }
}
