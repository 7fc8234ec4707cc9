// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.NonReadableChannelException;
import java.nio.channels.NonWritableChannelException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.engine.queue.Failures;
import org.jspecify.annotations.Nullable;

/** Turns exceptions of file channels into failures. */
final class FileFailures {
  /**
   * Messages of operating systems for a full file system or quota. Java has no exception of its own
   * for these.
   */
  private static final List<String> FULL =
      List.of("No space left on device", "quota exceeded", "not enough space on the disk");

  private FileFailures() {}

  /** A failure whose message begins with {@code what} and whose cause is {@code thrown}. */
  static HalException of(String what, Throwable thrown) {
    return Failures.caused(status(thrown), what + ": ", thrown);
  }

  private static Status status(Throwable thrown) {
    if (thrown instanceof NoSuchFileException) {
      return Status.NOT_FOUND;
    }
    if (thrown instanceof AccessDeniedException
        || thrown instanceof NonReadableChannelException
        || thrown instanceof NonWritableChannelException
        || thrown instanceof SecurityException) {
      return Status.PERMISSION_DENIED;
    }
    if (thrown instanceof ClosedChannelException || thrown instanceof FileAlreadyExistsException) {
      return Status.FAILED_PRECONDITION;
    }
    if (thrown instanceof UnsupportedOperationException) {
      return Status.UNIMPLEMENTED;
    }
    if (thrown instanceof IllegalArgumentException) {
      return Status.INVALID_ARGUMENT;
    }
    return thrown instanceof IOException && isFull(Failures.message(thrown))
        ? Status.RESOURCE_EXHAUSTED
        : Status.ABORTED;
  }

  private static boolean isFull(String message) {
    return FULL.stream().anyMatch(message::contains)
        || message.equals(fullMessage(Path.of("/dev/full")));
  }

  /**
   * This system's message for a full file system, in its language; null if it is not known. Throws
   * nothing.
   *
   * @param always a device on which every write finds the disk full, if it exists
   */
  static @Nullable String fullMessage(Path always) {
    try (FileChannel channel = FileChannel.open(always, StandardOpenOption.WRITE)) {
      int ignored = channel.write(ByteBuffer.allocate(1));
      return null;
    } catch (IOException e) { // unless the thread was interrupted, or the device cannot be opened
      return e instanceof ClosedChannelException || e instanceof FileSystemException
          ? null
          : e.getMessage();
    } catch (RuntimeException e) { // such as of a security manager
      return null;
    }
  }
}
