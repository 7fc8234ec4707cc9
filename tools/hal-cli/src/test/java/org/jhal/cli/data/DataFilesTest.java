// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli.data;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.jhal.ElementType;
import org.jhal.HalException;
import org.jhal.Status;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DataFilesTest {
  @TempDir private Path folder;

  @Test
  void readsAnyOtherFileAsRawBytes() throws IOException {
    Path file = Files.write(folder.resolve("data.bin"), new byte[] {1, 2, 3});
    try (DataSource source = DataFiles.open(file)) {
      assertNull(source.type());
      assertNull(source.shape());
      assertEquals(3, source.bytes());
      ByteBuffer two = ByteBuffer.allocate(2);
      source.read(1, two);
      assertArrayEquals(new byte[] {2, 3}, two.array());
    }
  }

  @Test
  void refusesAnInputThatIsNoFile() {
    fails(Status.NOT_FOUND, "no such file", () -> DataFiles.open(folder.resolve("none.npy")));
    fails(Status.NOT_FOUND, "no such file", () -> DataFiles.open(folder.resolve("none.png")));
    fails(Status.NOT_FOUND, "no such file", () -> DataFiles.open(folder.resolve("none")));
    fails(Status.INVALID_ARGUMENT, "not a regular file", () -> DataFiles.open(folder));
  }

  @Test
  void anUnreadableInputIsRefused() throws IOException {
    Path file = Files.createFile(folder.resolve("secret.npy"));
    assume(
        file.toFile().setReadable(false) && !Files.isReadable(file),
        "this user may read everything (an administrator) or the file system has no permissions");
    fails(Status.PERMISSION_DENIED, "permission denied", () -> DataFiles.open(file));
  }

  @Test
  void anOutputThatCannotBeWrittenIsRefused() throws IOException {
    Path file = Files.createFile(folder.resolve("file"));
    fails(Status.INVALID_ARGUMENT, "is a folder", () -> create(folder));
    fails(Status.NOT_FOUND, "no such file or folder", () -> create(folder.resolve("no/x.bin")));
    fails(Status.DATA_LOSS, "cannot write", () -> create(file.resolve("x.bin")));
  }

  @Test
  void reportsAFullDiskAsResourceExhausted() {
    for (String reason : List.of("No space left on device", "Disk quota exceeded")) {
      for (IOException thrown :
          List.of(new IOException(reason), new FileSystemException("out", null, reason))) {
        HalException failure = DataFiles.failure("cannot write 'out'", thrown);
        assertEquals(Status.RESOURCE_EXHAUSTED, failure.status());
        assertEquals("cannot write 'out': " + reason, failure.getMessage());
      }
    }
    assertEquals(
        Status.DATA_LOSS, DataFiles.failure("x", new IOException("Input/output error")).status());
  }

  @Test
  void refusesAReadOnlyOutput() throws IOException {
    Path file = Files.createFile(folder.resolve("fixed.bin"));
    assume(
        file.toFile().setWritable(false) && !Files.isWritable(file),
        "this user may write everything (an administrator) or the file system has no permissions");
    fails(Status.PERMISSION_DENIED, "may not be written", () -> create(file));
  }

  @Test
  void refusesAnArchiveOfArrays() throws IOException {
    Path file = Files.write(folder.resolve("arrays.npz"), new byte[] {'P', 'K', 3, 4});
    String message = "'" + file + "': .npz, an archive of arrays, is not supported; use one .npy";
    fails(Status.UNIMPLEMENTED, "input " + message, () -> DataFiles.open(file));
    fails(Status.UNIMPLEMENTED, "output " + message, () -> create(file));
  }

  @Test
  void refusesAPictureOfAnotherTypeOrShape() {
    Path file = folder.resolve("a.png");
    for (ElementType type : List.of(ElementType.F32, ElementType.I8)) {
      fails(
          Status.INVALID_ARGUMENT,
          "elements of u8, not " + type.label(),
          () -> DataFiles.create(file, type, Shape.of(4, 4, 3)));
    }
    for (Shape shape :
        List.of(
            Shape.of(16),
            Shape.of(),
            Shape.of(4, 4, 0),
            Shape.of(4, 4, 5),
            Shape.of(0, 4, 3),
            Shape.of(1, 4, 4, 3))) {
      fails(
          Status.INVALID_ARGUMENT,
          "height,width,channels",
          () -> DataFiles.create(file, ElementType.U8, shape));
    }
    fails(
        Status.INVALID_ARGUMENT,
        "too large for a picture",
        () -> DataFiles.create(file, ElementType.U8, Shape.of(1 << 20, 1 << 20, 1)));
  }

  @Test
  void keepsAnExistingFileUntilTheOutputIsComplete() throws IOException {
    Path file = Files.write(folder.resolve("data.bin"), new byte[] {9});
    try (DataSink sink = create(file)) {
      sink.write(ByteBuffer.wrap(new byte[] {1, 2}));
      assertArrayEquals(new byte[] {9}, Files.readAllBytes(file));
    }
    assertArrayEquals(new byte[] {9}, Files.readAllBytes(file));
    assertEquals(List.of(file), files());
    try (DataSink sink = create(file)) {
      sink.write(ByteBuffer.wrap(new byte[] {1, 2}));
      sink.commit();
    }
    assertArrayEquals(new byte[] {1, 2}, Files.readAllBytes(file));
    assertEquals(List.of(file), files());
  }

  @Test
  void keepsALinkAndReplacesItsTarget() throws IOException {
    Path file = Files.write(folder.resolve("data.bin"), new byte[] {9});
    Path link = folder.resolve("link.bin");
    try {
      Files.createSymbolicLink(link, file);
    } catch (IOException | UnsupportedOperationException e) {
      Assumptions.abort("this file system has no links: " + e);
    }
    try (DataSink sink = create(link)) {
      sink.write(ByteBuffer.wrap(new byte[] {1}));
      sink.commit();
    }
    assertTrue(Files.isSymbolicLink(link));
    assertArrayEquals(new byte[] {1}, Files.readAllBytes(file));
  }

  @Test
  void writesToADeviceDirectly() throws IOException {
    Path nowhere = Path.of("/dev/null");
    assume(Files.exists(nowhere), "this system has no /dev/null");
    try (DataSink sink = create(nowhere)) {
      sink.write(ByteBuffer.wrap(new byte[] {1}));
      sink.commit();
    }
    assertTrue(Files.exists(nowhere) && !Files.isRegularFile(nowhere));
  }

  @Test
  void aNewFileHasTheUsualPermissions() throws IOException {
    Path usual = Files.createFile(folder.resolve("usual"));
    Path file = folder.resolve("data.bin");
    try (DataSink sink = create(file)) {
      sink.commit();
    }
    assume(
        Files.getFileStore(folder).supportsFileAttributeView("posix"),
        "this file system has no permissions");
    assertEquals(Files.getPosixFilePermissions(usual), Files.getPosixFilePermissions(file));
  }

  /** Skips a test and logs why, since the output of a build shows only how many were skipped. */
  private static void assume(boolean isPossible, String otherwise) {
    if (!isPossible) {
      System.getLogger(DataFilesTest.class.getName()).log(Level.INFO, "skipped: " + otherwise);
    }
    Assumptions.assumeTrue(isPossible, otherwise);
  }

  private List<Path> files() throws IOException {
    try (Stream<Path> all = Files.list(folder)) {
      return all.toList();
    }
  }

  private static DataSink create(Path file) {
    return DataFiles.create(file, ElementType.U8, Shape.of(2));
  }

  private interface Step {
    AutoCloseable run();
  }

  private static void fails(Status status, String message, Step step) {
    HalException e = assertThrows(HalException.class, () -> step.run().close());
    String text = String.valueOf(e.getMessage());
    assertEquals(status, e.status(), text);
    assertTrue(text.contains(message), text);
  }
}
