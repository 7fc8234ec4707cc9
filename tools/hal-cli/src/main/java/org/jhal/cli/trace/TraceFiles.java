// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli.trace;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.cli.data.DataFiles;

/**
 * The files that {@code hal trace} reads and writes. An output replaces an existing file when it is
 * complete, and not before.
 */
public final class TraceFiles {
  /** The forms of a trace. */
  public enum Form {
    /** For Perfetto and Chrome. */
    JSON,
    /** A page for any browser. */
    HTML,
    /** A picture. */
    SVG
  }

  private TraceFiles() {}

  /**
   * A recording of all events of JHAL, which is kept on disk, and not started yet. It keeps about
   * the latest {@code maxBytes}.
   *
   * @param hasCommands whether the times of commands within command buffers are recorded, too
   */
  public static Recording newRecording(long maxBytes, boolean hasCommands) {
    Recording recording = new Recording();
    recording.setName("hal trace");
    recording.setToDisk(true);
    recording.setMaxSize(maxBytes);
    TraceSettings.EVENTS.forEach(recording::enable);
    if (hasCommands) {
      recording.enable(TraceSettings.COMMANDS);
    }
    return recording;
  }

  /** Settings for the recorder of the JDK that enable all events of JHAL. */
  public static String settings() {
    StringBuilder text = new StringBuilder();
    text.append("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    text.append("<configuration version=\"2.0\" label=\"JHAL\" provider=\"JHAL\">\n");
    for (String event : TraceSettings.EVENTS) {
      text.append("  <event name=\"").append(event).append("\">\n");
      text.append("    <setting name=\"enabled\">true</setting>\n");
      text.append("  </event>\n");
    }
    return text.append("</configuration>\n").toString();
  }

  /**
   * Sums a recording up.
   *
   * @throws BadRecordingException if it is damaged, or has no event of JHAL
   * @throws HalException as {@link #checkReadable}, or if reading fails
   */
  public static TraceSummary summary(Path recording) throws BadRecordingException {
    checkReadable(recording);
    SummarySink sink = new SummarySink(TraceReader.WINDOW);
    try {
      TraceReader.Summary unused = TraceReader.read(recording, sink);
    } catch (BadRecordingException e) {
      throw e;
    } catch (IOException e) {
      throw DataFiles.failure("cannot read '" + recording + "'", e);
    }
    return sink.summary();
  }

  /** The lines that show a summary to people. */
  public static List<String> lines(TraceSummary summary) {
    return SummaryText.lines(summary);
  }

  /** A summary as one JSON object. */
  public static String json(TraceSummary summary) {
    return SummaryJson.of(summary);
  }

  /** Whether a recording has any event of JHAL, as far as it can be read. */
  public static boolean hasEvents(Path recording) {
    try (EventFile file = new EventFile(recording)) {
      for (RecordedEvent event = file.next(); event != null; event = file.next()) {
        if (event.getEventType().getName().startsWith(TraceSettings.PREFIX)) {
          return true;
        }
      }
    } catch (IOException | HalException e) {
      return false;
    }
    return false;
  }

  /**
   * Checks that there is a recording.
   *
   * @throws HalException NOT_FOUND if there is no such file; INVALID_ARGUMENT if it is a folder;
   *     PERMISSION_DENIED if it may not be read
   */
  public static void checkReadable(Path recording) {
    if (!Files.exists(recording)) {
      throw unreadable(Status.NOT_FOUND, recording, "no such file");
    }
    if (Files.isDirectory(recording)) {
      throw unreadable(Status.INVALID_ARGUMENT, recording, "it is a folder");
    }
    if (!Files.isReadable(recording)) {
      throw unreadable(Status.PERMISSION_DENIED, recording, "permission denied");
    }
  }

  private static HalException unreadable(Status status, Path recording, String problem) {
    return new HalException(status, "cannot read '" + recording + "': " + problem);
  }
}
