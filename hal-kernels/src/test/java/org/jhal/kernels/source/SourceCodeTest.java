// SPDX-License-Identifier: Apache-2.0
package org.jhal.kernels.source;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jhal.ExecutableSource;
import org.jhal.HalException;
import org.jhal.Status;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which files of a bundle a source includes. */
@Timeout(60)
class SourceCodeTest {
  @TempDir private Path folder;

  private void write(String path, String text) throws IOException {
    Path file = folder.resolve(path);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }

  private SourceCode read(String text) {
    return SourceCode.read(
        ExecutableSource.of(folder), "k.cpp", text.getBytes(StandardCharsets.UTF_8), "k");
  }

  private HalException refused(String text) {
    HalException refused = assertThrows(HalException.class, () -> read(text));
    assertEquals(Status.INVALID_ARGUMENT, refused.status());
    return refused;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "#include \"a.h\"",
        "  #\tinclude  \"a.h\" // again",
        "\uFEFF#include \"a.h\"",
        "/* first */ #include \"a.h\"",
        "/* first\n  second */ # /* third */ include /* fourth */ \"a.h\"",
        "# \\\n include \\\r\n \"a.h\"",
        "x\r#include\"a.h\"",
        "#if 0\n#include \"a.h\"\n#endif",
        "/*\n#include \"a.h\"\n*/",
      })
  void findsIncludesOfFilesOfTheBundle(String text) throws IOException {
    write("a.h", "int a;");
    SourceCode source = read(text);
    assertEquals(Map.of("a.h", "int a;"), source.headers());
    assertEquals(List.of(), source.missing());
    assertTrue(source.isSelfContained(List.of()), "not self-contained with a known include");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "x #include \"a.h\"",
        "// #include \"a.h\"",
        "#include <a.h>",
        "#include a.h",
        "#include \"a.h",
        "#include \"\"",
        "#include \"a.h\n\"",
        "#included \"a.h\"",
        "#",
        "#include",
        "#include /* never ends",
        "include \"a.h\"",
      })
  void ignoresOtherText(String text) throws IOException {
    write("a.h", "int a;");
    assertEquals(Map.of(), read(text).headers());
    assertEquals(List.of(), read(text).missing());
  }

  @Test
  void namesAMissingFileOnce() throws IOException {
    write("lib/a.h", "#include \"gone.h\"\n");
    SourceCode source =
        read("#include \"gone.h\"\n#include \"lib/a.h\"\n#include \"../x.h\"\n#include \"gone.h\"");
    assertEquals(List.of("gone.h", "../x.h"), source.missing());
    assertFalse(source.isSelfContained(List.of()));
  }

  @Test
  void readsEachFileOnceAndInLinearTime() throws IOException {
    StringBuilder all = new StringBuilder();
    for (int i = 0; i < 2000; i++) {
      all.append("#include \"lib/h").append(i).append(".h\"\n");
      all.append("#include \"gone").append(i).append(".h\"\n");
    }
    for (int i = 0; i < 2000; i++) {
      write("lib/h" + i + ".h", i % 100 == 0 ? all.toString() : "int x" + i + ";");
    }
    SourceCode source = read(all.toString());
    assertEquals(2000, source.headers().size());
    assertEquals(2000, source.missing().size());
  }

  @ParameterizedTest
  @ValueSource(strings = {"#/*", "# ", "/*\n", "*/ #", "#/**/", "# /* */ include ", "\n#", "\\\n"})
  void readsAnyTextInLinearTime(String repeated) {
    assertEquals(Map.of(), read("include" + repeated.repeat(1 << 20)).headers());
  }

  @Test
  void refusesTooLargeSources() throws IOException {
    List<String> includes = new ArrayList<>();
    String large = " ".repeat(SourceCode.MAX_BYTES / 4);
    for (int i = 0; i < 4; i++) {
      write("h" + i, large);
      includes.add("#include \"h" + i + "\"");
    }
    assertEquals(3, read(String.join("\n", includes.subList(0, 3))).headers().size());
    String message = refused(String.join("\n", includes)).getMessage();
    assertTrue(message.contains("'h3'") && message.contains("more than"), message);
    message = refused(large.repeat(4) + " ").getMessage();
    assertTrue(message.contains("k.cpp has 67108865 bytes; it may have 67108864"), message);
  }

  @Test
  void takesFilesOfJhalThatTheBundleLacks() throws IOException {
    write("own.h", "#include <two.h>");
    write("three.h", "int own;");
    Map<String, String> files =
        Map.of("one.h", "__DATE__", "two.h", "2", "three.h", "3", "four.h", "4");
    SourceCode before =
        read("#include \"one.h\"\n#include \"own.h\"\n#include \"three.h\"\n#include <three.h>");
    assertFalse(before.isSelfContained(List.of()));
    SourceCode source = before.with(files);
    assertEquals(
        Map.of(
            "one.h", "__DATE__", "two.h", "2", "three.h", "int own;", "own.h", "#include <two.h>"),
        source.headers());
    assertEquals(java.util.Set.of("one.h", "two.h"), source.provided());
    assertEquals(List.of(), source.missing());
    assertFalse(source.isSelfContained(List.of()), "<three.h> may be another file");
    assertTrue(
        read("#include \"one.h\"\n#include <two.h>\n").with(files).isSelfContained(List.of()));
    assertFalse(read("#include <two.h>\n#include <x.h>").with(files).isSelfContained(List.of()));
    assertEquals(before, before.with(Map.of("four.h", "4")));
  }
}
