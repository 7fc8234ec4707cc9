// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.compile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import org.jhal.gpu.compile.CompilerFiles.State;
import org.jhal.kernels.cache.KernelKey;
import org.jhal.kernels.source.SourceCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Compiled code is found again only if everything is as it was, one thing at a time. */
class CompilerFilesTest {
  private static final SourceCode SOURCE = source("code", "code.cpp", Map.of("a.h", "1"));
  private static final List<State> FILES =
      List.of(new State(Path.of("/lib/one"), 10, 20), new State(Path.of("/lib/two"), 30, 40));
  private static final CompilerFiles COMPILER =
      new CompilerFiles("compiler", FILES, Map.of("FLAGS", "x"));
  private static final List<String> OPTIONS = List.of("-DA", "-DB");
  private static final List<String> ENTRIES = List.of("k<1>", "k<2>");

  private static SourceCode source(String text, String name, Map<String, String> headers) {
    return new SourceCode(text, name, headers, List.of());
  }

  private static KernelKey key(CompilerFiles compiler) {
    return compiler.key(SOURCE, OPTIONS, ENTRIES, "sm_1");
  }

  private static KernelKey key(SourceCode source) {
    return COMPILER.key(source, OPTIONS, ENTRIES, "sm_1");
  }

  private static KernelKey key(List<String> options, List<String> entries, String architecture) {
    return COMPILER.key(SOURCE, options, entries, architecture);
  }

  @Test
  void isTheSameForTheSame() {
    assertEquals(
        key(COMPILER),
        key(new CompilerFiles("compiler", new ArrayList<>(FILES), Map.of("FLAGS", "x"))));
  }

  @Test
  void eachThingHasAKeyOfItsOwn() {
    State one = FILES.get(0);
    State two = FILES.get(1);
    List<KernelKey> keys =
        List.of(
            key(COMPILER),
            key(new CompilerFiles("other", FILES, Map.of("FLAGS", "x"))),
            key(new CompilerFiles("compiler", List.of(one), Map.of("FLAGS", "x"))),
            key(new CompilerFiles("compiler", List.of(two, one), Map.of("FLAGS", "x"))),
            key(
                new CompilerFiles(
                    "compiler",
                    List.of(one, new State(Path.of("/lib/2"), 30, 40)),
                    Map.of("FLAGS", "x"))),
            key(
                new CompilerFiles(
                    "compiler", List.of(one, new State(two.path(), 31, 40)), Map.of("FLAGS", "x"))),
            key(
                new CompilerFiles(
                    "compiler", List.of(one, new State(two.path(), 30, 41)), Map.of("FLAGS", "x"))),
            key(new CompilerFiles("compiler", FILES, Map.of())),
            key(new CompilerFiles("compiler", FILES, Map.of("FLAGS", "y"))),
            key(new CompilerFiles("compiler", FILES, Map.of("FLAG", "x"))),
            key(new CompilerFiles("compiler", FILES, Map.of("FLAGS", "x", "MORE", ""))),
            key(source("other", "code.cpp", Map.of("a.h", "1"))),
            key(source("code", "other.cpp", Map.of("a.h", "1"))),
            key(source("code", "code.cpp", Map.of())),
            key(source("code", "code.cpp", Map.of("a.h", "2"))),
            key(source("code", "code.cpp", Map.of("b.h", "1"))),
            key(source("code", "code.cpp", Map.of("a.h", "1", "b.h", "1"))),
            key(List.of("-DA"), ENTRIES, "sm_1"),
            key(List.of("-DB", "-DA"), ENTRIES, "sm_1"),
            key(List.of("-DA", "-DC"), ENTRIES, "sm_1"),
            key(List.of("-DA", "-DB", "k<1>"), List.of("k<2>"), "sm_1"),
            key(OPTIONS, List.of("k<1>"), "sm_1"),
            key(OPTIONS, List.of("k<2>", "k<1>"), "sm_1"),
            key(OPTIONS, List.of("k<1>", "k<3>"), "sm_1"),
            key(OPTIONS, ENTRIES, "sm_2"));
    assertEquals(keys.size(), new HashSet<>(keys).size(), "different keys");
  }

  @Test
  void theStateOfAFileIsThatOfItsTarget(@TempDir Path folder) throws Exception {
    Path file = Files.writeString(folder.resolve("lib.so"), "one");
    Path link = Files.createSymbolicLink(folder.resolve("link"), file);
    CompilerFiles before = CompilerFiles.now("compiler", List.of(link), List.of());
    assertEquals(before, CompilerFiles.now("compiler", List.of(file), List.of()));
    Files.writeString(file, "other");
    assertEquals(1, new HashSet<>(List.of(before, before)).size());
    CompilerFiles after = CompilerFiles.now("compiler", List.of(link), List.of());
    assertEquals(5, after == null ? 0 : after.files().get(0).bytes());
    assertNull(CompilerFiles.now("compiler", List.of(folder.resolve("none")), List.of()));
  }
}
