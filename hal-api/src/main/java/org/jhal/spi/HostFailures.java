// SPDX-License-Identifier: Apache-2.0
package org.jhal.spi;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.NonReadableChannelException;
import java.nio.channels.NonWritableChannelException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jhal.HalException;
import org.jhal.Status;
import org.jspecify.annotations.Nullable;

/**
 * Turns what the JVM or the operating system refuses into failures: files that are missing or
 * without access, and a lack of memory, threads, file handles or space. The same cause has the same
 * {@link Status} everywhere, and the text always contains the reason, which the message of a {@link
 * FileSystemException} often lacks.
 *
 * <p>Any thread may use it. Nothing here throws, except for arguments that are null.
 */
public final class HostFailures {
  private static final int MOST_CAUSES = 10;

  /**
   * What systems say when a limit is reached or a file system is full. Java has no exceptions of
   * its own for these.
   */
  private static final List<String> EXHAUSTED =
      List.of(
          "No space left on device",
          "quota exceeded",
          "not enough space on the disk",
          "Too many open files",
          "Cannot allocate memory",
          "Resource temporarily unavailable");

  private static final List<String> DENIED =
      List.of(
          "Permission denied",
          "Operation not permitted",
          "Read-only file system",
          "Access is denied");

  /** How Java reports that no process can be started, in any language of the system. */
  private static final Pattern ERROR_NUMBER =
      Pattern.compile("^Cannot run program .*\\berror[=:] ?(\\d{1,3})\\b");

  private static final boolean IS_LINUX = System.getProperty("os.name", "").equals("Linux");

  /** Numbers of Linux: EAGAIN, ENOMEM, ENFILE, EMFILE, ENOSPC. */
  private static final List<Integer> EXHAUSTED_NUMBERS = List.of(11, 12, 23, 24, 28);

  /** Numbers of Linux: EPERM, EACCES. */
  private static final List<Integer> DENIED_NUMBERS = List.of(1, 13);

  private HostFailures() {}

  /**
   * Returns the status that fits what was thrown.
   *
   * @return RESOURCE_EXHAUSTED for a lack of memory, threads, file handles, processes or space,
   *     also as the cause of another exception; PERMISSION_DENIED for a file without access, or
   *     that was not opened for this; NOT_FOUND for a file that is missing; FAILED_PRECONDITION for
   *     one that is closed or exists already; null for anything else
   */
  public static @Nullable Status status(Throwable thrown) {
    Objects.requireNonNull(thrown, "thrown");
    if (isExhausted(thrown)) {
      return Status.RESOURCE_EXHAUSTED;
    }
    if (thrown instanceof AccessDeniedException
        || thrown instanceof NonReadableChannelException
        || thrown instanceof NonWritableChannelException
        || thrown instanceof SecurityException
        || (isOfSystem(thrown) && says(thrown, DENIED, DENIED_NUMBERS))) {
      return Status.PERMISSION_DENIED;
    }
    if (thrown instanceof NoSuchFileException || thrown instanceof FileNotFoundException) {
      return Status.NOT_FOUND;
    }
    if (thrown instanceof ClosedChannelException || thrown instanceof FileAlreadyExistsException) {
      return Status.FAILED_PRECONDITION;
    }
    return null;
  }

  /**
   * Whether memory, threads, file handles, processes or space were missing; see {@link #status}.
   */
  public static boolean isExhausted(Throwable thrown) {
    Throwable next = Objects.requireNonNull(thrown, "thrown");
    for (int i = 0; next != null && i < MOST_CAUSES; i++) {
      if (next instanceof OutOfMemoryError
          || (isOfSystem(next) && (says(next, EXHAUSTED, EXHAUSTED_NUMBERS) || isFull(next)))) {
        return true;
      }
      next = next instanceof HalException ? null : next.getCause();
    }
    return false;
  }

  /**
   * Whether a message of the system, or of a program that has run in the locale {@code C}, reports
   * a lack of memory, threads, file handles, processes or space.
   */
  public static boolean isExhausted(String message) {
    return contains(Objects.requireNonNull(message, "message"), EXHAUSTED);
  }

  /**
   * Returns why something was refused, on one line as a rule, and never just the name of a file.
   */
  public static String reason(Throwable thrown) {
    Throwable found = Objects.requireNonNull(thrown, "thrown");
    for (int i = 0; i < MOST_CAUSES; i++) { // what wraps a lack of memory says less
      Throwable cause = found instanceof HalException ? null : found.getCause();
      if (cause == null || !isExhausted(cause)) {
        break;
      }
      found = cause;
    }
    if (found instanceof OutOfMemoryError) {
      String message = message(found);
      return (message.contains("thread") ? "no thread can be started" : "out of memory")
          + (message.isEmpty() ? "" : ": " + message);
    }
    if (found instanceof FileSystemException refused) {
      return files(refused) + ": " + why(refused);
    }
    if (found instanceof HalException failure) {
      return failure.status() + ": " + failure.getMessage();
    }
    String message = message(found);
    return found.getClass() == IOException.class && !message.isEmpty() ? message : text(found);
  }

  /** As {@link #reason(Throwable)}, without the file if {@code what} has named it. */
  private static String reason(String what, Throwable thrown) {
    return thrown instanceof FileSystemException refused && names(what, files(refused))
        ? why(refused)
        : reason(thrown);
  }

  /** Whether a text has a file, and not just one that begins or ends in the same way. */
  private static boolean names(String text, String file) {
    int at = text.lastIndexOf(file);
    int end = at + file.length();
    return at >= 0
        && !file.isEmpty()
        && (at == 0 || isBoundary(text.charAt(at - 1)))
        && (end == text.length() || isBoundary(text.charAt(end)));
  }

  private static boolean isBoundary(char letter) {
    return letter == ' ' || letter == '\'' || letter == '"' || letter == ':' || letter == ',';
  }

  private static String files(FileSystemException refused) {
    String other = refused.getOtherFile();
    return refused.getFile() + (other == null ? "" : " -> " + other);
  }

  private static String why(FileSystemException refused) {
    String why = refused.getReason();
    return why == null || why.isEmpty() ? meaning(refused) : why;
  }

  private static String meaning(FileSystemException refused) {
    if (refused instanceof AccessDeniedException) {
      return "permission denied";
    }
    if (refused instanceof NoSuchFileException) {
      return "no such file or folder";
    }
    if (refused instanceof FileAlreadyExistsException) {
      return "it is in the way";
    }
    if (refused instanceof NotDirectoryException) {
      return "it is not a folder";
    }
    if (refused instanceof DirectoryNotEmptyException) {
      return "the folder is not empty";
    }
    if (refused instanceof FileSystemLoopException) {
      return "its links form a loop";
    }
    return refused.getClass().getSimpleName();
  }

  /**
   * Returns a failure whose message is {@code what}, a colon and the {@linkplain #reason reason},
   * and whose cause is {@code thrown}. A file that {@code what} names is not named again.
   *
   * @param otherwise the status if {@link #status} knows none
   */
  public static HalException of(Status otherwise, String what, Throwable thrown) {
    Status known = status(thrown);
    Status status = known == null ? Objects.requireNonNull(otherwise, "otherwise") : known;
    // One that cannot describe itself would throw again when the failure is printed.
    return new HalException(
        status, what + ": " + reason(what, thrown), toStringOf(thrown) == null ? null : thrown);
  }

  /** Whether its message may be that of the operating system. */
  private static boolean isOfSystem(Throwable thrown) {
    return thrown instanceof IOException || thrown instanceof LinkageError;
  }

  private static boolean says(Throwable thrown, List<String> texts, List<Integer> numbers) {
    String message = message(thrown);
    if (contains(message, texts)) {
      return true;
    }
    Matcher number = ERROR_NUMBER.matcher(message);
    return IS_LINUX && number.find() && numbers.contains(Integer.parseInt(number.group(1)));
  }

  private static boolean contains(String message, List<String> texts) {
    return texts.stream().anyMatch(message::contains);
  }

  private static boolean isFull(Throwable thrown) {
    return thrown.getClass() == IOException.class
        && message(thrown).equals(fullMessage(Path.of("/dev/full")));
  }

  /**
   * This system's message for a full file system, in its language; null if it is not known.
   *
   * @param always a device on which every write finds the disk full, if it exists
   */
  static @Nullable String fullMessage(Path always) {
    try (FileChannel channel = FileChannel.open(always, StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.allocate(1));
      return null;
    } catch (IOException e) { // unless the thread was interrupted, or the device cannot be opened
      return e instanceof ClosedChannelException || e instanceof FileSystemException
          ? null
          : e.getMessage();
    } catch (RuntimeException e) { // such as of a security manager
      return null;
    }
  }

  /** The message of what was thrown; empty if it has none or throws when it is asked. */
  private static String message(Throwable thrown) {
    try {
      String message = thrown.getMessage();
      return message == null ? "" : message;
    } catch (Throwable silent) { // a class of the program
      return "";
    }
  }

  private static @Nullable String toStringOf(Throwable thrown) {
    try {
      return thrown.toString();
    } catch (Throwable silent) { // a class of the program
      return null;
    }
  }

  private static String text(Throwable thrown) {
    String text = toStringOf(thrown);
    return text == null ? thrown.getClass().getName() : text;
  }
}
