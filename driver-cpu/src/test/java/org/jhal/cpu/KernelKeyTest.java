// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu;

import static org.jhal.ElementType.I32;
import static org.jhal.Parameter.out;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jhal.BundleBuilder;
import org.jhal.Device;
import org.jhal.ExecutableSource;
import org.jhal.Hal;
import org.jhal.cpu.compile.CpuFeatures;
import org.jhal.cpu.compile.HostCompiler;
import org.jhal.cpu.runtime.Resources;
import org.jhal.kernels.cache.KernelKey;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What was compiled for one processor, or by one compiler, is never taken for another. */
class KernelKeyTest {
  private static final CpuFeatures CPU =
      new CpuFeatures("x86_64", "A", "x86_64\nmodel: 1\nflags: avx2 fma", Set.of("avx2", "fma"));

  @TempDir private Path folder;
  private Path compiler;

  @BeforeEach
  void makeACompiler() throws Exception {
    compiler = Files.writeString(folder.resolve("c++"), "#!/bin/sh\n");
    compiler.toFile().setExecutable(true);
    Files.setLastModifiedTime(compiler, FileTime.fromMillis(1_000_000));
  }

  private KernelKey key(CpuFeatures cpu, String... depends) {
    return key(compiler, cpu, "translator", depends);
  }

  private static KernelKey key(
      Path compiler, CpuFeatures cpu, String translator, String... depends) {
    return KernelCompiler.key(
        HostCompiler.at(compiler.toString()), cpu, translator, List.of(depends));
  }

  private static CpuFeatures cpu(String text) {
    return new CpuFeatures("x86_64", "A", text, CPU.flags());
  }

  @Test
  void isTheSameForTheSame() {
    assertEquals(key(CPU, "source"), key(cpu(CPU.text()), "source"));
  }

  @Test
  void differsByProcessor() {
    assertNotEquals(key(CPU, "source"), key(cpu(CPU.text() + " avx512f"), "source"));
    assertNotEquals(key(CPU, "source"), key(cpu(CPU.text().replace("fma", "fma4")), "source"));
    assertNotEquals(
        key(CPU, "source"), key(cpu(CPU.text().replace("model: 1", "model: 2")), "source"));
  }

  @Test
  void differsBySource() {
    assertNotEquals(key(CPU, "source"), key(CPU, "another"));
  }

  @Test
  void differsByCompiler() throws Exception {
    KernelKey before = key(CPU, "source");
    Files.setLastModifiedTime(compiler, FileTime.fromMillis(2_000_000)); // another version
    KernelKey newer = key(CPU, "source");
    assertNotEquals(before, newer);
    Files.writeString(compiler, "#!/bin/sh\n: another\n");
    Files.setLastModifiedTime(compiler, FileTime.fromMillis(2_000_000));
    assertNotEquals(newer, key(CPU, "source"));
    Files.setLastModifiedTime(compiler, FileTime.fromMillis(1_000_000));
    Path other = Files.copy(compiler, folder.resolve("g++"));
    other.toFile().setExecutable(true);
    Files.setLastModifiedTime(other, FileTime.fromMillis(1_000_000));
    assertNotEquals(key(CPU, "source"), key(other, CPU, "translator", "source"));
  }

  /** As with ccache, whose links are called as the compilers that it stands for. */
  @Test
  void differsByTheNameOfALink() throws Exception {
    Path one = Files.createSymbolicLink(folder.resolve("one-c++"), compiler);
    Path two = Files.createSymbolicLink(folder.resolve("two-c++"), compiler);
    assertNotEquals(key(one, CPU, "translator", "source"), key(two, CPU, "translator", "source"));
  }

  /** As with c++, which the alternatives of a system point to another compiler. */
  @Test
  void differsByTheTargetOfALink() throws Exception {
    Path other = Files.copy(compiler, folder.resolve("other"));
    other.toFile().setExecutable(true);
    Files.setLastModifiedTime(other, Files.getLastModifiedTime(compiler));
    Path link = Files.createSymbolicLink(folder.resolve("link"), compiler);
    KernelKey before = key(link, CPU, "translator", "source");
    Files.delete(link);
    Files.createSymbolicLink(link, other);
    assertNotEquals(before, key(link, CPU, "translator", "source"));
  }

  /** As with a script, which stays the same when the compiler that it calls changes. */
  @Test
  void namesTheVersionThatAScriptReports() throws Exception {
    Files.writeString(compiler, "#!/bin/sh\necho some compiler, version 12\n");
    String identity = HostCompiler.at(compiler.toString()).identity();
    assertTrue(identity.contains("some compiler, version 12"), identity);
  }

  @Test
  void differsByTheTranslator() {
    assertNotEquals(
        key(compiler, CPU, "translator", "source"), key(compiler, CPU, "another", "source"));
    assertNotNull(Resources.translator(), "the build writes it");
  }

  private static BundleBuilder bundle(String source, String... options) {
    return ExecutableSource.builder("keys")
        .kernel("k", 4, out("x", I32))
        .cpp(source)
        .compilerOptions("cpu", options);
  }

  private static final String SOURCE =
      "#include \"own.h\"\nextern \"C\" __global__ void k(int* x) { *x = A; }\n";

  private int entries(BundleBuilder bundle, String deviceOptions) throws IOException {
    Path cache = Files.createDirectories(folder.resolve("cache"));
    try (Device device = Hal.openDevice("cpu://?threads=1&cache=" + cache + deviceOptions)) {
      for (int i = 0; i < 2; i++) { // compiled, and then found
        device.loadExecutable(bundle.build()).close();
      }
    }
    try (Stream<Path> files = Files.list(cache)) {
      return (int) files.count();
    }
  }

  @Test
  @Tag("long")
  void eachBundleAndEachSettingHasAnEntryOfItsOwn() throws Exception {
    assumeTrue(HostCompiler.find().isPresent(), HostCompiler.absence());
    int others = entries(bundle(SOURCE, "-DA=0").file("own.h", ""), ""); // such as the runtime
    List<BundleBuilder> bundles =
        List.of(
            bundle(SOURCE, "-DA=1").file("own.h", ""),
            bundle(SOURCE, "-DA=1", "-O1").file("own.h", ""),
            bundle(SOURCE, "-DA=1", "-std=c++20").file("own.h", ""),
            bundle(SOURCE).file("own.h", "#define A 1\n"),
            bundle("// other\n" + SOURCE, "-DA=1").file("own.h", ""));
    for (int i = 0; i < bundles.size(); i++) {
      assertEquals(others + i + 1, entries(bundles.get(i), ""), "bundle " + i);
    }
    int plain = others + bundles.size();
    assertEquals(plain + 1, entries(bundles.get(0), "&barriers=fiber"));
    assertEquals(plain + 1, entries(bundles.get(0), ""), "that is kept");
  }
}
