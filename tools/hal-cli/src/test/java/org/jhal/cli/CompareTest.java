// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.util.List;
import java.util.spi.ToolProvider;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The step of {@code ./release compare} that compares two folders. */
@Timeout(120)
class CompareTest {
  private static final LocalDateTime TIME = LocalDateTime.of(2026, 1, 1, 0, 0);

  @TempDir private static Path classes;
  @TempDir private Path first;
  @TempDir private Path second;

  @BeforeAll
  static void compile() {
    ToolProvider javac = ToolProvider.findFirst("javac").orElseThrow();
    String step = "../dist/Compare.java";
    assertEquals(0, javac.run(System.out, System.err, "-d", classes.toString(), step));
  }

  @BeforeEach
  void makeTheSame() throws IOException {
    for (Path folder : List.of(first, second)) {
      Files.createDirectory(folder.resolve("org"));
      Files.writeString(folder.resolve("org/a.pom"), "<project/>");
      jar(folder, TIME, "A.class", "B.class");
    }
  }

  private static void jar(Path folder, LocalDateTime time, String... entries) throws IOException {
    try (OutputStream file = Files.newOutputStream(folder.resolve("org/a.jar"));
        ZipOutputStream zip = new ZipOutputStream(file)) {
      for (String name : entries) {
        ZipEntry entry = new ZipEntry(name.replaceAll("=.*", ""));
        entry.setTimeLocal(time);
        zip.putNextEntry(entry);
        zip.write(name.getBytes(UTF_8));
      }
    }
  }

  private Outcome compare() throws Exception {
    String[] args = {"-cp", classes.toString(), "Compare", first.toString(), second.toString()};
    // Not started in a folder that it compares: whoever attaches to a JVM may put a file there.
    return Outcome.java(classes, args);
  }

  private void finds(String... lines) throws Exception {
    Outcome outcome = compare();
    assertEquals(1, outcome.exitCode(), outcome::toString);
    List<String> found = outcome.err().lines().toList();
    assertEquals(lines.length + 1, found.size(), outcome::toString);
    for (int i = 0; i < lines.length; i++) {
      assertTrue(found.get(i).startsWith(lines[i]), outcome::toString);
    }
  }

  @Test
  void signaturesAndChecksumsAreLeftOut() throws Exception {
    Files.writeString(first.resolve("org/a.jar.asc"), "one");
    Files.writeString(second.resolve("org/a.jar.asc"), "another");
    Files.writeString(second.resolve("org/a.jar.sha1"), "12");
    assertTrue(compare().succeeded().out().startsWith("compare: 2 files are the same"));
  }

  @Test
  void aFileThatOnlyOneHasIsFound() throws Exception {
    Files.delete(second.resolve("org/a.pom"));
    finds("org/a.pom is only in " + first);
  }

  @Test
  void theByteThatDiffersIsFound() throws Exception {
    Files.writeString(second.resolve("org/a.pom"), "<projekt/>");
    finds("org/a.pom differs from byte 6 on");
  }

  @Test
  void entriesOfAJarAreFound() throws Exception {
    jar(second, TIME, "A.class=changed", "B.class");
    finds("org/a.jar differs", "  A.class: content");
    jar(second, TIME, "A.class");
    finds("org/a.jar differs", "  B.class is only in the first", "  the order of the entries");
    jar(second, TIME, "B.class", "A.class");
    finds("org/a.jar differs", "  the order of the entries");
    jar(second, TIME.plusHours(13), "A.class", "B.class");
    finds("org/a.jar differs", "  A.class: time 2026-01-01T00:00", "  B.class: time");
  }
}
