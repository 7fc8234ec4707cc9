// SPDX-License-Identifier: Apache-2.0
package org.jhal.kernels.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Programs are run only where this user alone can have written them. */
class UnpackedProgramsTest {
  private static final List<String> FILES = List.of("clang", "libclang.so");

  @TempDir private Path temporary;
  private Path parent;
  private Path folder;

  @BeforeEach
  void choose() {
    String system = System.getProperty("os.name", "");
    assumeTrue(system.equals("Linux"), () -> "programs are unpacked on Linux, this is " + system);
    parent = temporary.resolve("cache/programs");
    folder = parent.resolve("version-1");
  }

  private static InputStream open(String file) {
    return new ByteArrayInputStream(("of " + file).getBytes(StandardCharsets.UTF_8));
  }

  private void unpack() throws IOException {
    UnpackedPrograms.unpack(folder, FILES, UnpackedProgramsTest::open);
  }

  private void assertRefused(Path path, String reason) {
    IOException failure = assertThrows(IOException.class, this::unpack);
    assertEquals(path + " cannot be trusted: " + reason + "; delete it", failure.getMessage());
  }

  private static void chmod(Path path, String mode) throws IOException {
    Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(mode));
  }

  private static String mode(Path path) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }

  @Test
  void unpacksOnceForThisUserAlone() throws IOException {
    unpack();
    assertEquals("of clang", Files.readString(folder.resolve("clang")));
    for (Path path : List.of(parent, folder, folder.resolve("clang"))) {
      assertEquals("rwx------", mode(path), path.toString());
    }
    UnpackedPrograms.unpack(folder, FILES, file -> fail(file + " is unpacked again"));
    try (Stream<Path> left = Files.list(parent)) {
      assertEquals(List.of(folder), left.toList());
    }
  }

  @Test
  void leavesNothingBehindWhereItFails() throws IOException {
    assertThrows(
        IOException.class,
        () ->
            UnpackedPrograms.unpack(
                folder,
                FILES,
                file -> {
                  if (file.equals("libclang.so")) {
                    throw new IOException("no space");
                  }
                  return open(file);
                }));
    try (Stream<Path> left = Files.list(parent)) {
      assertEquals(List.of(), left.toList());
    }
  }

  @Test
  void refusesFilesThatOthersCanWrite() throws IOException {
    unpack();
    chmod(folder.resolve("clang"), "rwxrwx---");
    assertRefused(folder.resolve("clang"), "it can be written by others; its mode is rwxrwx---");
    chmod(folder.resolve("clang"), "rwx------");
    unpack();
    chmod(folder, "rwxrwxrwx");
    assertRefused(folder, "it can be written by others; its mode is rwxrwxrwx");
    chmod(folder, "rwx------");
    chmod(parent, "rwxrwxrwx");
    assertRefused(parent, "it can be written by others; its mode is rwxrwxrwx");
  }

  @Test
  void refusesLinks() throws IOException {
    unpack();
    Path elsewhere = Files.move(folder, temporary.resolve("elsewhere"));
    Files.createSymbolicLink(folder, elsewhere);
    assertRefused(folder, "it is a symbolic link");
    Files.delete(folder);
    Files.createDirectory(folder);
    chmod(folder, "rwx------");
    Files.createSymbolicLink(folder.resolve("clang"), elsewhere.resolve("clang"));
    assertRefused(folder.resolve("clang"), "it is a symbolic link");
  }

  @Test
  void refusesFilesOfOtherUsers() throws IOException {
    unpack();
    UserPrincipal other =
        temporary.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName("nobody");
    IOException failure =
        assertThrows(
            IOException.class,
            () ->
                UnpackedPrograms.unpack(
                    folder,
                    FILES,
                    UnpackedProgramsTest::open,
                    new PrivateFolder.Access(other, null)));
    String message = String.valueOf(failure.getMessage());
    assertTrue(
        message.startsWith(parent + " cannot be trusted: it belongs to ")
            && message.contains(", not to nobody"),
        message);
  }

  @Test
  void namesAFileThatIsMissing() throws IOException {
    unpack();
    Files.delete(folder.resolve("clang"));
    IOException failure = assertThrows(IOException.class, this::unpack);
    assertEquals(
        folder.resolve("clang") + " is missing; delete the folder " + folder, failure.getMessage());
  }
}
