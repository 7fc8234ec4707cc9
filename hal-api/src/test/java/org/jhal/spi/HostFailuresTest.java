// SPDX-License-Identifier: Apache-2.0
package org.jhal.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NonWritableChannelException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.Stream;
import org.jhal.HalException;
import org.jhal.Status;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The status and the text of what the JVM and the system refuse. */
class HostFailuresTest {
  private static final String THREAD =
      "unable to create native thread: possibly out of memory or process/resource limits reached";

  private static HalException of(Throwable thrown) {
    return HostFailures.of(Status.ABORTED, "a file", thrown);
  }

  static Stream<Arguments> refusals() {
    return Stream.of(
        Arguments.of(
            new OutOfMemoryError(THREAD),
            Status.RESOURCE_EXHAUSTED,
            "no thread can be started: " + THREAD),
        Arguments.of(
            new OutOfMemoryError("Java heap space"),
            Status.RESOURCE_EXHAUSTED,
            "out of memory: Java heap space"),
        Arguments.of(
            new IOException("Map failed", new OutOfMemoryError("Map failed")),
            Status.RESOURCE_EXHAUSTED,
            "out of memory: Map failed"),
        Arguments.of(
            new RejectedExecutionException("no", new OutOfMemoryError(THREAD)),
            Status.RESOURCE_EXHAUSTED,
            "no thread can be started: " + THREAD),
        Arguments.of(
            new CompletionException(
                new UncheckedIOException(new IOException("Too many open files"))),
            Status.RESOURCE_EXHAUSTED,
            "Too many open files"),
        Arguments.of(
            new FileSystemException("/a", null, "Too many open files"),
            Status.RESOURCE_EXHAUSTED,
            "/a: Too many open files"),
        Arguments.of(
            new FileNotFoundException("/a (Too many open files)"),
            Status.RESOURCE_EXHAUSTED,
            "java.io.FileNotFoundException: /a (Too many open files)"),
        Arguments.of(
            new UnsatisfiedLinkError(
                "liba.so: cannot open shared object file: Too many open files"),
            Status.RESOURCE_EXHAUSTED,
            "java.lang.UnsatisfiedLinkError: liba.so: cannot open shared object file: Too many open"
                + " files"),
        Arguments.of(
            new IOException("No space left on device"),
            Status.RESOURCE_EXHAUSTED,
            "No space left on device"),
        Arguments.of(
            new AccessDeniedException("/a"), Status.PERMISSION_DENIED, "/a: permission denied"),
        Arguments.of(
            new FileSystemException("/a", "/b", "Operation not permitted"),
            Status.PERMISSION_DENIED,
            "/a -> /b: Operation not permitted"),
        Arguments.of(
            new FileNotFoundException("/a (Permission denied)"),
            Status.PERMISSION_DENIED,
            "java.io.FileNotFoundException: /a (Permission denied)"),
        Arguments.of(
            new NonWritableChannelException(),
            Status.PERMISSION_DENIED,
            "java.nio.channels.NonWritableChannelException"),
        Arguments.of(new NoSuchFileException("/a"), Status.NOT_FOUND, "/a: no such file or folder"),
        Arguments.of(
            new FileAlreadyExistsException("/a"),
            Status.FAILED_PRECONDITION,
            "/a: it is in the way"),
        Arguments.of(
            new ClosedChannelException(),
            Status.FAILED_PRECONDITION,
            "java.nio.channels.ClosedChannelException"),
        Arguments.of(new NotDirectoryException("/a"), Status.ABORTED, "/a: it is not a folder"),
        Arguments.of(
            new DirectoryNotEmptyException("/a"), Status.ABORTED, "/a: the folder is not empty"),
        Arguments.of(
            new FileSystemLoopException("/a"), Status.ABORTED, "/a: its links form a loop"),
        Arguments.of(new IOException("no space suit"), Status.ABORTED, "no space suit"),
        Arguments.of(new IOException(), Status.ABORTED, "java.io.IOException"),
        Arguments.of(
            new IllegalStateException("broken"),
            Status.ABORTED,
            "java.lang.IllegalStateException: broken"));
  }

  @ParameterizedTest
  @MethodSource("refusals")
  void aRefusalHasItsStatusAndItsReason(Throwable thrown, Status status, String reason) {
    HalException failure = of(thrown);
    assertEquals(status, failure.status());
    assertEquals("a file: " + reason, failure.getMessage());
    assertSame(thrown, failure.getCause());
  }

  @Test
  void aFileIsNamedOnce() {
    IOException denied = new AccessDeniedException("/a/b");
    assertEquals(
        "cannot read '/a/b': permission denied",
        HostFailures.of(Status.ABORTED, "cannot read '/a/b'", denied).getMessage());
    assertEquals(
        "cannot write '/a/b/c': /a/b: permission denied",
        HostFailures.of(Status.ABORTED, "cannot write '/a/b/c'", denied).getMessage());
  }

  /** In any language, and as older and newer versions of Java write it. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "Cannot run program \"c++\" (in directory \"/tmp\"): error=11, Die Ressource ist nicht da",
        "Cannot run program \"c++\": Exec failed, error: 24 (Zu viele offene Dateien)"
      })
  void aProcessThatCannotBeStartedIsKnownByItsNumber(String message) {
    assumeTrue(System.getProperty("os.name").equals("Linux"), "the numbers are those of Linux");
    assertEquals(Status.RESOURCE_EXHAUSTED, of(new IOException(message)).status());
    assertEquals(
        Status.PERMISSION_DENIED,
        of(new IOException(message.replaceAll("1[1]|24", "13"))).status());
    assertEquals(Status.ABORTED, of(new IOException(message.replaceAll("1[1]|24", "2"))).status());
  }

  /** One that is not known by its class is known by its own failure. */
  @Test
  void aRealFileWithoutAccessIsDenied(@TempDir Path folder) throws IOException {
    Path file = Files.writeString(folder.resolve("file"), "text");
    assumeTrue(file.toFile().setReadable(false) && !Files.isReadable(file), "root reads all files");
    IOException thrown = readFailure(file);
    assertEquals(Status.PERMISSION_DENIED, of(thrown).status());
    assertTrue(of(thrown).getMessage().endsWith("permission denied"), of(thrown).getMessage());
  }

  private static IOException readFailure(Path file) {
    try {
      byte[] unused = Files.readAllBytes(file);
      throw new AssertionError(file + " can be read");
    } catch (IOException e) {
      return e;
    }
  }

  @Test
  void anExceptionThatCannotDescribeItselfIsNamed() {
    class Mute extends RuntimeException {
      private static final long serialVersionUID = 1L;

      @Override
      public String getMessage() {
        throw new IllegalStateException("on purpose");
      }
    }
    HalException failure = of(new Mute());
    assertEquals("a file: " + Mute.class.getName(), failure.getMessage());
    assertNull(failure.getCause(), "it would throw again when the failure is printed");
  }

  @Test
  void causesThatFormACycleEnd() {
    IOException first = new IOException("first");
    IOException second = new IOException("second", first);
    first.initCause(second);
    assertEquals(Status.ABORTED, of(second).status());
  }

  @Test
  void anInterruptDoesNotHideForEverWhatAFullDiskSays() throws IOException {
    Path always = Path.of("/dev/full");
    assumeTrue(Files.exists(always), "there is no /dev/full");
    Thread.currentThread().interrupt();
    try {
      assertNull(HostFailures.fullMessage(always));
    } finally {
      Thread.interrupted();
    }
    assertNotNull(HostFailures.fullMessage(always));
  }

  @Test
  void aFileThatIsMissingOrTakesTheWriteSaysNothing(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("file");
    assertNull(HostFailures.fullMessage(file));
    Files.createFile(file);
    assertNull(HostFailures.fullMessage(file));
  }
}
