// SPDX-License-Identifier: Apache-2.0
package org.jhal.kernels.dialect;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The headers are there, may be included repeatedly and in any order, and are valid C++. */
class DialectTest {
  private static final List<String> OWN = List.of("builtins.h", "item.h", "uses.h");

  @TempDir private Path folder;

  @Test
  void eachFileHasAGuard() {
    for (String file : Dialect.files()) {
      String guard = file.toUpperCase(java.util.Locale.ROOT).replace('.', '_');
      assertTrue(Dialect.text(file).contains("#define " + guard + "\n"), file);
    }
    assertThrows(IllegalArgumentException.class, () -> Dialect.text("other.h"));
  }

  /** Headers include each other by name alone, so that their texts can be put in place. */
  @Test
  void whatIncludeFilesStandForIsThere() {
    Map<String, String> includes = Dialect.includes();
    assertTrue(includes.size() > 30, includes::toString);
    assertEquals("hal_half.h", includes.get("cuda_fp16.h"));
    assertEquals("", includes.get("hip/hip_bf16.h"));
    includes.forEach((name, file) -> assertTrue(file.isEmpty() || isThere(file), name));
    for (String file : Dialect.files()) {
      Dialect.text(file)
          .lines()
          .filter(line -> line.startsWith("#include"))
          .forEach(line -> assertTrue(isThere(line.replaceAll("#include \"(.*)\"", "$1")), line));
    }
    assertEquals(includes.keySet(), Dialect.stubs().keySet());
  }

  private static boolean isThere(String file) {
    return Dialect.files().contains(file);
  }

  @ParameterizedTest
  @ValueSource(strings = {"c++", "g++", "clang++"})
  void aHostCompilesAllHeadersInBothOrders(String compiler) throws Exception {
    List<String> first = List.of("hal_math.h", "item.h");
    assertCompilesInBothOrders(compiler, first, Dialect.files(), "-D__device__=");
  }

  /** The compiler of a host, with the built-in functions of one for GPUs declared. */
  @ParameterizedTest
  @ValueSource(strings = {"c++", "g++", "clang++"})
  void aGpuCompilesAllHeadersInBothOrders(String compiler) throws Exception {
    TreeSet<String> headers = new TreeSet<>(Dialect.includes().values());
    headers.remove(""); // of include files that stand for nothing
    List<String> first = List.of("builtins.h", "hal_compiler.h", "item.h");
    assertCompilesInBothOrders(compiler, first, headers, "-D__CUDACC_RTC__");
  }

  private void assertCompilesInBothOrders(
      String compiler, List<String> first, Iterable<String> headers, String option)
      throws Exception {
    assumeTrue(isOnThePath(compiler), () -> "no " + compiler + " is on the PATH");
    for (String file : Dialect.files()) {
      Files.writeString(folder.resolve(file), Dialect.text(file));
    }
    for (String file : OWN) {
      try (InputStream in = Objects.requireNonNull(DialectTest.class.getResourceAsStream(file))) {
        Files.write(folder.resolve(file), in.readAllBytes());
      }
    }
    List<String> order = new ArrayList<>();
    headers.forEach(order::add);
    for (int i = 0; i < 2; i++) {
      StringBuilder source = new StringBuilder();
      first.forEach(file -> include(source, file));
      order.forEach(file -> include(source, file));
      include(source, "uses.h");
      assertEquals("", messages(compiler, option, source.toString()), source::toString);
      Collections.reverse(order);
    }
  }

  private static void include(StringBuilder source, String file) {
    source.append("#include \"").append(file).append("\"\n");
  }

  private static boolean isOnThePath(String program) {
    for (String path : System.getenv().getOrDefault("PATH", "").split(File.pathSeparator)) {
      if (Files.isExecutable(Path.of(path, program))) {
        return true;
      }
    }
    return false;
  }

  /** What the compiler prints about a source, including its exit code unless that is 0. */
  private String messages(String compiler, String option, String source) throws Exception {
    Files.writeString(folder.resolve("source.cpp"), source);
    Path log = folder.resolve("log");
    Process process =
        new ProcessBuilder(
                List.of(
                    compiler,
                    "-std=c++17",
                    "-nostdinc",
                    "-fsyntax-only",
                    "-w",
                    option,
                    "source.cpp"))
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    boolean ended = process.waitFor(60, TimeUnit.SECONDS);
    if (!ended) {
      process.destroyForcibly().waitFor();
    }
    String text = Files.readString(log, UTF_8);
    if (!ended) {
      return text + compiler + " does not end within 60 s";
    }
    return process.exitValue() == 0 ? text : text + "exit code " + process.exitValue();
  }
}
