package org.jhal.engine;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.NonReadableChannelException;
import java.nio.channels.NonWritableChannelException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.jhal.HalException;
import org.jhal.Status;
import org.jspecify.annotations.Nullable;

/** Turns what a file channel throws into failures. */
final class FileFailures {
  /**
   * What operating systems say when a file system, or the share of a user, is full. Java has no
   * exception of its own for that.
   */
  private static final List<String> FULL =
      List.of("No space left on device", "quota exceeded", "not enough space on the disk");

  private FileFailures() {}

  /** A failure whose message begins with {@code what} and whose cause is {@code thrown}. */
  static HalException of(String what, Exception thrown) {
    return new HalException(status(thrown), what + ": " + thrown, thrown);
  }

  private static Status status(Exception thrown) {
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
    return thrown instanceof IOException && isFull(String.valueOf(thrown.getMessage()))
        ? Status.RESOURCE_EXHAUSTED
        : Status.ABORTED;
  }

  private static boolean isFull(String message) {
    return message.equals(Local.FULL) || FULL.stream().anyMatch(message::contains);
  }

  /** What this system says, in its language. Looked up when it is first needed. */
  private static final class Local {
    static final @Nullable String FULL = full();

    private static @Nullable String full() {
      try (FileChannel always = FileChannel.open(Path.of("/dev/full"), StandardOpenOption.WRITE)) {
        int ignored = always.write(ByteBuffer.allocate(1));
        return null;
      } catch (IOException e) {
        // Where there is no such file, the message is its name, which no full disk reports.
        return e instanceof NoSuchFileException ? null : e.getMessage();
      }
    }
  }
}
