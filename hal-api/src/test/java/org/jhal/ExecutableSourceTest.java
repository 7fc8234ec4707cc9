// SPDX-License-Identifier: Apache-2.0
package org.jhal;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What can be read from a bundle, and that nothing outside it can. */
class ExecutableSourceTest {
  @TempDir Path folder;

  private Path bundle = Path.of("");
  private Path archive = Path.of("");

  @BeforeEach
  void makeBundles() throws IOException {
    bundle = Files.createDirectories(folder.resolve("bundle"));
    archive = folder.resolve("bundle.zip");
    Files.writeString(folder.resolve("secret"), "secret");
    Files.createDirectory(bundle.resolve("sub"));
    Files.writeString(bundle.resolve("top"), "top file");
    Files.writeString(bundle.resolve("sub/file"), "file in sub");
    zip(archive, "top", "top file", "sub/", null, "sub/file", "file in sub");
  }

  private static void zip(Path archive, @Nullable String... namesAndTexts) throws IOException {
    try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(archive))) {
      for (int i = 0; i < namesAndTexts.length; i += 2) {
        out.putNextEntry(new ZipEntry(String.valueOf(namesAndTexts[i])));
        String text = namesAndTexts[i + 1];
        if (text != null) {
          out.write(text.getBytes(UTF_8));
        }
      }
    }
  }

  @Test
  void readsFoldersAndArchives() {
    for (Path path : new Path[] {bundle, archive}) {
      ExecutableSource source = ExecutableSource.of(path);

      assertArrayEquals("top file".getBytes(UTF_8), source.read("top"));
      assertArrayEquals("file in sub".getBytes(UTF_8), source.read("sub/file"));
      assertNull(source.read("none"), "a file that is not there");
      assertNull(source.read("sub"), "a folder");
      assertNull(source.read("sub/none"), "a file that is not there in a folder");
      assertNull(source.read("top/none"), "a file in a file");
      assertEquals(path.toString(), source.name());
      assertEquals(path.toString(), source.toString());
      assertSame(ExecutableSource.class.getClassLoader(), source.classLoader());
    }
  }

  @Test
  void readsTheOnlyFolderWithAManifestInAnArchiveAsTheBundle() throws IOException {
    for (String[] entries :
        new String[][] {
          {"a/", null, "a/manifest.json", "", "a/top", "top file", "a/sub/file", "file in sub"},
          {"a/sub/file", "file in sub", "a/top", "top file", "a/manifest.json", ""},
          { // as macOS makes it
            "a/top", "top file", "a/sub/file", "file in sub", "a/manifest.json", "",
            "__MACOSX/._a", "x", "__MACOSX/a/._manifest.json", "x", "__MACOSX/a/top", "x"
          },
          {
            "README",
            "x",
            "LICENSE",
            "x",
            "a/manifest.json",
            "",
            "a/top",
            "top file",
            "a/sub/file",
            "file in sub",
            "a/sub/manifest.json",
            "x",
            "docs/top",
            "x"
          }
        }) {
      zip(archive, entries);
      ExecutableSource source = ExecutableSource.of(archive);

      assertArrayEquals("top file".getBytes(UTF_8), source.read("top"));
      assertArrayEquals("file in sub".getBytes(UTF_8), source.read("sub/file"));
      assertNull(source.read("none"));
    }
    zip(archive, "manifest.json", "", "a/manifest.json", "", "a/top", "top file");
    assertNull(ExecutableSource.of(archive).read("top"), "the archive itself is the bundle");
    zip(archive, "a/top", "top file");
    assertNull(ExecutableSource.of(archive).read("manifest.json"), "there is none anywhere");
  }

  @Test
  void saysWhyAnArchiveWithManifestsIsNoBundle() throws IOException {
    for (String[] entries :
        new String[][] {
          {"b/manifest.json", "", "a/manifest.json", ""}, {"a/b/manifest.json", "", "README", ""}
        }) {
      zip(archive, entries);
      HalException refused =
          assertThrows(
              HalException.class, () -> ExecutableSource.of(archive).read("manifest.json"));
      assertEquals(Status.NOT_FOUND, refused.status());
      String found =
          entries.length == 4 && entries[0].startsWith("b") ? "a/manifest.json, b/" : "a/b/";
      assertEquals(
          "no bundle in "
              + archive
              + ": it has no manifest.json, and neither has exactly one of the folders at its top;"
              + " it has "
              + found
              + "manifest.json",
          refused.getMessage());
    }
  }

  @Test
  void readsResources() {
    ExecutableSource source = ExecutableSource.ofResources(ExecutableSourceTest.class, "resources");

    assertArrayEquals("a resource\n".getBytes(UTF_8), source.read("sub/resource.txt"));
    assertNull(source.read("none"));
    assertThrows(HalException.class, () -> source.read("../resources/sub/resource.txt"));
    assertEquals("org.jhal.ExecutableSourceTest:resources", source.name());
    assertSame(ExecutableSourceTest.class.getClassLoader(), source.classLoader());
  }

  @Test
  void refusesAManifestAsABundle() throws IOException {
    Path manifest = Files.writeString(folder.resolve("manifest.json"), "{}");

    HalException refused = assertThrows(HalException.class, () -> ExecutableSource.of(manifest));

    assertEquals(Status.INVALID_ARGUMENT, refused.status());
    assertEquals(
        "'" + manifest + "' is the manifest of a bundle; name its folder, '" + folder + "'",
        refused.getMessage());
  }

  @Test
  void refusesAPathThatDoesNotExist() {
    Path none = folder.resolve("none");

    HalException refused = assertThrows(HalException.class, () -> ExecutableSource.of(none));

    assertEquals(Status.NOT_FOUND, refused.status());
    assertEquals("no bundle at " + none + ": neither a folder nor a file", refused.getMessage());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "../secret",
        "..",
        "sub/../../secret",
        "sub/..",
        "/etc/passwd",
        "/",
        "..\\secret",
        "sub\\file",
        "C:/secret",
        "C:secret",
        "file:///etc/passwd",
        "top\0",
      })
  void refusesPathsThatLeadOut(String path) {
    for (ExecutableSource source :
        new ExecutableSource[] {
          ExecutableSource.of(bundle),
          ExecutableSource.of(archive),
          ExecutableSource.ofResources(ExecutableSourceTest.class, "resources")
        }) {
      HalException refused = assertThrows(HalException.class, () -> source.read(path));

      assertEquals(Status.INVALID_ARGUMENT, refused.status());
      assertEquals(
          "path '" + path + "' in bundle " + source + " points outside the bundle",
          refused.getMessage());
    }
  }

  @Test
  void refusesAnEmptyPath() {
    assertThrows(HalException.class, () -> ExecutableSource.of(bundle).read(""));
  }

  @Test
  void refusesLinksThatLeadOut() throws IOException {
    Files.createSymbolicLink(bundle.resolve("link"), folder.resolve("secret"));
    Files.createSymbolicLink(bundle.resolve("up"), folder);
    ExecutableSource source = ExecutableSource.of(bundle);

    for (String path : new String[] {"link", "up/secret", "up/bundle.zip"}) {
      HalException refused = assertThrows(HalException.class, () -> source.read(path));

      assertEquals(Status.INVALID_ARGUMENT, refused.status());
      assertTrue(refused.getMessage().endsWith("points outside the bundle"), refused::getMessage);
    }
  }

  @Test
  void followsLinksWithinTheBundleAndToIt() throws IOException {
    Files.createSymbolicLink(bundle.resolve("link"), bundle.resolve("sub"));
    Path other = folder.resolve("other");
    Files.createSymbolicLink(other, bundle);

    assertArrayEquals("file in sub".getBytes(UTF_8), ExecutableSource.of(bundle).read("link/file"));
    assertArrayEquals("top file".getBytes(UTF_8), ExecutableSource.of(other).read("top"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"../evil", "sub/../../evil", "/evil", "..\\evil", "x\\..\\..\\evil"})
  void refusesAnArchiveWithAnEntryThatPointsOutside(String entry) throws IOException {
    Path evil = folder.resolve("evil.zip");
    zip(evil, "top", "top file", entry, "evil");

    HalException refused =
        assertThrows(HalException.class, () -> ExecutableSource.of(evil).read("top"));

    assertEquals(Status.INVALID_ARGUMENT, refused.status());
    assertEquals(
        "path '" + entry + "' in bundle " + evil + " points outside the bundle",
        refused.getMessage());
  }

  @Test
  void readsNoMoreThanTheLimit() {
    for (Path path : new Path[] {bundle, archive}) {
      ExecutableSource source = ExecutableSource.of(path);

      assertArrayEquals("top file".getBytes(UTF_8), source.read("top", 8));
      HalException refused = assertThrows(HalException.class, () -> source.read("top", 7));

      assertEquals(Status.INVALID_ARGUMENT, refused.status());
      assertEquals("'top' of bundle " + path + " has more than 7 bytes", refused.getMessage());
      assertThrows(HalException.class, () -> source.read("top", 0));
    }
  }

  @Test
  void readsADamagedArchiveOrFailsWithDataLoss() throws IOException {
    byte[] good = Files.readAllBytes(archive);
    for (int length = 0; length < good.length; length++) {
      Files.write(archive, Arrays.copyOf(good, length));
      HalException lost =
          assertThrows(HalException.class, () -> ExecutableSource.of(archive).read("top"));
      assertEquals(Status.DATA_LOSS, lost.status());
      assertTrue(
          lost.getMessage().startsWith("cannot read 'top' of bundle " + archive + ": "),
          lost::getMessage);
    }
    for (int i = 0; i < good.length; i++) {
      byte[] changed = good.clone();
      changed[i] ^= 0x55;
      Files.write(archive, changed);
      try {
        ExecutableSource.of(archive).read("top");
      } catch (HalException e) {
        assertTrue(
            e.status() == Status.DATA_LOSS || e.status() == Status.INVALID_ARGUMENT,
            () -> "unexpected " + e);
      }
    }
  }

  @Test
  void readsAnArchiveThatWasReplaced() throws IOException {
    ExecutableSource source = ExecutableSource.of(archive);
    source.read("top");
    zip(archive, "top", "another text");

    assertArrayEquals("another text".getBytes(UTF_8), source.read("top"));
  }

  /** As any name that is not ASCII is in the locale C. No file system can encode this one. */
  @Test
  void refusesANameThatTheLocaleCannotEncode() throws IOException {
    HalException refused =
        assertThrows(HalException.class, () -> ExecutableSource.of(folder).read("a/\uD800.cpp"));
    assertEquals(Status.INVALID_ARGUMENT, refused.status());
    assertTrue(
        refused.getMessage().contains("\uD800.cpp' of bundle " + folder), refused::getMessage);
    assertTrue(
        refused.getMessage().contains(System.getProperty("sun.jnu.encoding")), refused::getMessage);
  }
}
