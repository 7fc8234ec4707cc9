// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli.trace;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.jhal.HalException;
import org.jhal.Status;
import org.jspecify.annotations.Nullable;

/**
 * The events of a recording. For a damaged one, the JDK throws an exception of any kind, or an
 * error: an {@link InternalError} for an invalid name, a {@link StackOverflowError} for a type that
 * contains itself, or an {@link OutOfMemoryError} for an array that is longer than the file. Which
 * one depends on its version and on the damage. All of them are bad input.
 *
 * <p>Used by one thread.
 */
final class EventFile implements AutoCloseable {
  private interface Reading<T> {
    T read() throws IOException;
  }

  /** Reads the values that it needs from an event. */
  interface Use {
    void of(RecordedEvent event) throws IOException;
  }

  private final Path path;
  private final RecordingFile file;

  /**
   * Opens a recording.
   *
   * @throws BadRecordingException if it is damaged, or no recording
   * @throws IOException if it may not be read
   * @throws HalException RESOURCE_EXHAUSTED if it takes more memory to read than there is
   */
  EventFile(Path path) throws IOException {
    this.path = path;
    if (!Files.isReadable(path)) {
      file = new RecordingFile(path); // says why
    } else {
      file = reading(() -> new RecordingFile(path));
    }
  }

  /** The next event, or null at the end. Throws as the constructor does. */
  @Nullable RecordedEvent next() throws IOException {
    return reading(file::hasMoreEvents) ? reading(file::readEvent) : null;
  }

  /**
   * Passes an event on. The JDK decodes its values when they are read, so damage is found only
   * then.
   *
   * @throws BadRecordingException if it is damaged, or of another version of JHAL
   * @throws IOException of {@code use}
   */
  void use(RecordedEvent event, Use use) throws IOException {
    try {
      use.of(event);
    } catch (RuntimeException | InternalError | StackOverflowError e) {
      throw new BadRecordingException(
          path
              + " is damaged, or of another version of JHAL: an event "
              + event.getEventType().getName() // not all of it: that may fail in the same way
              + " cannot be read: "
              + e.getMessage(),
          e);
    }
  }

  private <T> T reading(Reading<T> reading) throws IOException {
    try {
      return reading.read();
    } catch (OutOfMemoryError e) {
      throw new HalException(
          Status.RESOURCE_EXHAUSTED,
          path + " is damaged, or takes more memory to read than Java has: " + e.getMessage(),
          e);
    } catch (LinkageError e) {
      throw e; // of this Java, not of the file
    } catch (IOException | RuntimeException | Error e) {
      throw new BadRecordingException(
          path + " is damaged, or no recording of the flight recorder: " + e.getMessage(), e);
    }
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
