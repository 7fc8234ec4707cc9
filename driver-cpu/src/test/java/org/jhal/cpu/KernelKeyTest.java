package org.jhal.cpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Set;
import org.jhal.cpu.compile.CpuFeatures;
import org.jhal.cpu.compile.HostCompiler;
import org.jhal.driver.cache.KernelKey;
import org.junit.jupiter.api.BeforeEach;
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
    return KernelCompiler.key(HostCompiler.at(compiler.toString()), cpu, List.of(depends));
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
    Files.writeString(compiler, "#!/bin/sh\nexit 1\n");
    Files.setLastModifiedTime(compiler, FileTime.fromMillis(2_000_000));
    assertNotEquals(newer, key(CPU, "source"));
    Files.setLastModifiedTime(compiler, FileTime.fromMillis(1_000_000));
    Path other = Files.copy(compiler, folder.resolve("g++"));
    other.toFile().setExecutable(true);
    Files.setLastModifiedTime(other, FileTime.fromMillis(1_000_000));
    assertNotEquals(
        key(CPU, "source"),
        KernelCompiler.key(HostCompiler.at(other.toString()), CPU, List.of("source")));
  }
}
