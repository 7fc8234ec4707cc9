// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.natives;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.jna.Platform;
import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The predicted and the actual files of libraries. */
class LibraryFilesTest {
  @TempDir private Path folder;

  @BeforeEach
  void onLinux() {
    assumeTrue(Platform.isLinux(), "files of libraries are found on Linux only");
  }

  /** The C library's own mathematics: each process can load it, by its name alone. */
  @Test
  void predictsTheFileThatIsLoaded() {
    String name = "libm.so.6";
    Path forecast = LibraryFiles.locate(name);
    assertNotNull(forecast, "a system with glibc has " + name);
    SharedLibrary library = SharedLibrary.open(name);
    assertEquals(forecast, library.file("cos"));
    assertNull(library.file("no_such_function"));
  }

  @Test
  void anAbsolutePathNamesThatFileOrNothing() throws IOException {
    Path libm = LibraryFiles.locate("libm.so.6");
    Path link = Files.createSymbolicLink(folder.resolve("linked.so"), assertThere(libm));
    assertEquals(libm, LibraryFiles.locate(link.toString()));
    assertNull(LibraryFiles.locate(folder.resolve("missing.so").toString()));
    assertNull(LibraryFiles.locate(folder.toString()));
    assertNull(LibraryFiles.locate("no-such-library.so.1"));
  }

  private static Path assertThere(@org.jspecify.annotations.Nullable Path path) {
    assertNotNull(path);
    return path;
  }

  /** JNA searches these folders first. */
  @Test
  void searchesTheFoldersOfJnaFirst() throws IOException {
    Path mine =
        Files.copy(assertThere(LibraryFiles.locate("libm.so.6")), folder.resolve("libm.so.6"));
    String before = System.getProperty("jna.library.path");
    System.setProperty("jna.library.path", "/nowhere:" + folder);
    try {
      assertEquals(mine.toRealPath(), LibraryFiles.locate("libm.so.6"));
    } finally {
      if (before == null) {
        System.clearProperty("jna.library.path");
      } else {
        System.setProperty("jna.library.path", before);
      }
    }
  }

  @Test
  void skipsALibraryForAnotherMachine() throws IOException {
    byte[] elf = new byte[64];
    ByteBuffer.wrap(elf).putInt(0x7F454C46).put((byte) 1); // of 32 bits
    Path other = Files.write(folder.resolve("other.so"), elf);
    assertNull(LibraryFiles.locate(other.toString()));
  }

  @Test
  void returnsNothingForADeletedFile() throws IOException {
    Path copy =
        Files.copy(assertThere(LibraryFiles.locate("libm.so.6")), folder.resolve("libcopy.so"));
    SharedLibrary library = SharedLibrary.open(copy.toString());
    assertEquals(copy.toRealPath(), library.file("cos"));
    Files.delete(copy);
    assertNull(library.file("cos"));
  }

  /** The form of the loader's list, as glibc writes it. */
  private static byte[] list(String... namesAndFiles) {
    ByteBuffer out = ByteBuffer.allocate(1000).order(ByteOrder.nativeOrder());
    out.put("glibc-ld.so.cache1.1".getBytes(StandardCharsets.US_ASCII));
    out.putInt(namesAndFiles.length / 2).position(48);
    int text = 48 + 24 * namesAndFiles.length / 2;
    for (int i = 0; i < namesAndFiles.length; i += 2) {
      out.putInt(0x303);
      for (int j = 0; j < 2; j++) {
        byte[] bytes = (namesAndFiles[i + j] + "\0").getBytes(StandardCharsets.UTF_8);
        out.putInt(text);
        System.arraycopy(bytes, 0, out.array(), text, bytes.length);
        text += bytes.length;
      }
      out.putInt(0).putLong(0);
    }
    return Arrays.copyOf(out.array(), text);
  }

  @Test
  void readsTheListOfTheLoader() {
    byte[] list = list("liba.so.1", "/a/liba.so.1", "libb.so", "/b/libb.so", "liba.so.1", "/c/x");
    assertEquals(
        List.of(new File("/a/liba.so.1"), new File("/c/x")),
        LibraryFiles.inLoaderCache(list, "liba.so.1"));
    assertEquals(List.of(new File("/b/libb.so")), LibraryFiles.inLoaderCache(list, "libb.so"));
    assertEquals(List.of(), LibraryFiles.inLoaderCache(list, "liba.so"));
  }

  @Test
  void readsNothingFromADamagedList() {
    byte[] list = list("liba.so.1", "/a/liba.so.1");
    for (int length = 0; length < list.length; length++) {
      assertEquals(List.of(), LibraryFiles.inLoaderCache(Arrays.copyOf(list, length), "liba.so.1"));
    }
    for (int at : new int[] {20, 52, 56}) { // the count, and where the texts are
      for (int value : new int[] {-1, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
        byte[] damaged = list.clone();
        ByteBuffer.wrap(damaged).order(ByteOrder.nativeOrder()).putInt(at, value);
        List<File> found = LibraryFiles.inLoaderCache(damaged, "liba.so.1");
        assertEquals(List.of(), found, at + ": " + value);
      }
    }
    assertEquals(
        List.of(),
        LibraryFiles.inLoaderCache("ld.so-1.7.0".getBytes(StandardCharsets.US_ASCII), "a"));
  }
}
