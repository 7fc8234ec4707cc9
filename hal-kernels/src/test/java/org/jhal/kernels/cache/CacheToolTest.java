// SPDX-License-Identifier: Apache-2.0
package org.jhal.kernels.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.kernels.cache.CacheTool.Action;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code hal cache}. */
class CacheToolTest {
  @TempDir private Path temporary;
  private Path folder;

  private record Outcome(int code, String out, String err) {
    void assertSays(int expected, String... parts) {
      assertEquals(expected, code, this::toString);
      for (String part : parts) {
        assertTrue((code == 0 ? out : out + err).contains(part), () -> part + " in " + this);
      }
    }
  }

  @BeforeEach
  void choose() {
    String system = System.getProperty("os.name", "");
    assumeTrue(system.equals("Linux"), () -> "kernels are kept on Linux only, this is " + system);
    folder = temporary.resolve("jhal");
  }

  private static Outcome run(Action action, @Nullable Path folder) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int code =
        CacheTool.run(
            new CacheTool.Options(action, folder), new PrintWriter(out), new PrintWriter(err));
    return new Outcome(code, out.toString(), err.toString());
  }

  private Outcome runHere(Action action) {
    return run(action, folder);
  }

  private void keep(String key, String label) {
    KernelCache.in(folder).keep(KernelKey.of(List.of(key)), label, new byte[5000]);
  }

  private Path file(String key) {
    return folder.resolve(KernelKey.of(List.of(key)).hash() + ".kernel");
  }

  @Test
  void entriesAreShownTheLastUsedFirst() throws IOException {
    keep("a", "a.cpp of bundle first for sm_90");
    keep("b", "b.cpp of bundle second for gfx90a");
    Files.setLastModifiedTime(
        file("a"), FileTime.from(Instant.now().minus(Duration.ofDays(3)).minusSeconds(60)));
    Outcome shown = runHere(Action.SHOW);
    shown.assertSays(0, "2 entries, 10 KiB, in " + folder);
    List<String> lines = shown.out().lines().toList();
    assertTrue(
        lines.get(0).matches("0 min ago +5 KiB  b.cpp of bundle second for gfx90a"),
        lines::toString);
    assertTrue(
        lines.get(1).matches("3 days ago +5 KiB  a.cpp of bundle first for sm_90"),
        lines::toString);
    runHere(Action.VERIFY).assertSays(0, "2 entries in " + folder + ", all of them sound");
  }

  @Test
  void verifyRefusesAFolderThatIsNoCache() throws IOException {
    Files.createDirectory(folder);
    runHere(Action.VERIFY).assertSays(0, "0 entries in " + folder);
    Files.writeString(folder.resolve("letter.txt"), "Dear");
    runHere(Action.VERIFY)
        .assertSays(1, "FAILED_PRECONDITION", folder + " is no folder of kept kernels");
    assertTrue(Files.exists(folder.resolve("letter.txt")));
    keep("a", "a");
    runHere(Action.VERIFY).assertSays(0, "1 entry in " + folder);
    run(Action.VERIFY, folder.resolve("letter.txt")).assertSays(1, "letter.txt", "not a folder");
  }

  @Test
  void unusableEntriesAreReported() throws IOException {
    keep("a", "a");
    keep("b", "b");
    keep("c", "c");
    Files.write(file("a"), new byte[10]);
    Files.delete(file("b"));
    Files.createSymbolicLink(file("b"), file("c"));
    Outcome verified = runHere(Action.VERIFY);
    verified.assertSays(
        1,
        file("a").getFileName() + ": it does not begin like an entry",
        "symbolic link",
        "3 entries in " + folder + ", 2 of no use");
    assertFalse(verified.out().contains(file("c").getFileName() + ": "), verified::toString);
    runHere(Action.SHOW).assertSays(0, "of no use: it does not begin like an entry");
  }

  @Test
  void anEntryThatOthersCanWriteIsShownWithItsAgeAndSize() throws IOException {
    keep("a", "a");
    Files.setPosixFilePermissions(file("a"), PosixFilePermissions.fromString("rw-rw-rw-"));
    List<String> lines = runHere(Action.SHOW).out().lines().toList();
    assertTrue(
        lines
            .get(0)
            .matches(
                "0 min ago +5 KiB  "
                    + file("a").getFileName()
                    + ", of no use: it can be written by others; its mode is rw-rw-rw-"),
        lines::toString);
    assertEquals("1 entry, 5 KiB, in " + folder, lines.get(1));
  }

  /** Without --folder, the folders in drivers' settings are searched besides the default. */
  @Test
  void foldersThatSettingsNameAreFound() {
    Map<String, String> environment =
        Map.of(
            "JHAL_ONE_CACHE", "/one",
            "JHAL_TWO_CACHE", "/overridden",
            "JHAL_THREE_WORDS_CACHE", "/one",
            "JHAL_OFF_CACHE", "off",
            "JHAL_WRONG_CACHE", "relative",
            "JHAL_ONE_CACHES", "/no",
            "JHAL_CACHE", "/no");
    Map<String, String> properties =
        Map.of("jhal.two.cache", "/two", "jhal.three-words.cache", "", "jhal.cache", "/no");
    assertEquals(
        Map.of(
            Path.of("/one"), "environment JHAL_ONE_CACHE",
            Path.of("/two"), "property jhal.two.cache"),
        CacheTool.named(environment, properties));
  }

  @Test
  void aFolderThatASettingNamesIsShownAndNotEmptiedByAccident() {
    keep("a", "a");
    System.setProperty("jhal.cache-test.cache", folder.toString());
    try {
      Outcome shown = run(Action.SHOW, null);
      assertTrue(shown.out().contains("1 entry, 5 KiB, in " + folder), shown::toString);
      HalException several =
          assertThrows(HalException.class, () -> run(Action.EMPTY, null), "which folder?");
      assertEquals(Status.INVALID_ARGUMENT, several.status());
      String choices = String.valueOf(several.getMessage());
      for (String part : List.of("--folder", folder + " (property jhal.cache-test.cache)")) {
        assertTrue(choices.contains(part), choices);
      }
      assertTrue(Files.exists(file("a")));
      runHere(Action.EMPTY).assertSays(0, "removed 1 entry from " + folder);
    } finally {
      System.clearProperty("jhal.cache-test.cache");
    }
  }

  @Test
  void emptyingLeavesTheFolderAndOtherFiles() throws IOException {
    keep("a", "a");
    Files.createFile(folder.resolve("mine"));
    runHere(Action.EMPTY).assertSays(0, "removed 1 entry from " + folder);
    try (Stream<Path> files = Files.list(folder)) {
      assertEquals(List.of(folder.resolve("mine")), files.toList());
    }
    runHere(Action.SHOW).assertSays(0, "0 entries");
  }

  @Test
  void controlCharactersInLabelsAreReplaced() {
    keep("a", "\u001b[2J\u009b31m\nx\u202e");
    assertTrue(
        runHere(Action.SHOW).out().contains("?[2J?31m?x?\n"), () -> runHere(Action.SHOW).out());
  }

  @Test
  void aMissingFolderIsEmpty() {
    for (Action action : Action.values()) {
      runHere(action).assertSays(0, "no kernels are kept: there is no folder " + folder);
    }
    assertFalse(Files.exists(folder));
  }

  @Test
  void aFolderThatOthersCanWriteIsNotTouched() throws IOException {
    keep("a", "a");
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));
    for (Action action : Action.values()) {
      runHere(action)
          .assertSays(
              1, "hal: FAILED_PRECONDITION: ", folder.toString(), "can be written by others");
    }
    assertTrue(Files.exists(file("a")));
  }
}
