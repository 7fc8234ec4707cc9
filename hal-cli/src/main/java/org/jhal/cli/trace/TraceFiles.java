package org.jhal.cli.trace;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.cli.data.DataFiles;
import org.jhal.cli.data.DataSink;

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
   * A recording of all events of JHAL, which is kept on disk, and not started yet. Of what is more
   * than {@code maxBytes}, about, it keeps the latest part.
   */
  public static Recording newRecording(long maxBytes) {
    Recording recording = new Recording();
    recording.setName("hal trace");
    recording.setToDisk(true);
    recording.setMaxSize(maxBytes);
    TraceSettings.EVENTS.forEach(recording::enable);
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
   * Writes what was recorded, as a file that other programs read.
   *
   * @throws HalException as {@link DataFiles#createPlain}; RESOURCE_EXHAUSTED if the disk is full
   */
  public static void save(Recording recording, Path path) {
    try (DataSink sink = DataFiles.createPlain(path);
        InputStream in = recording.getStream(null, null)) {
      if (in != null) {
        long unused = in.transferTo(new SinkStream(sink));
      }
      sink.commit();
    } catch (IOException e) {
      throw DataFiles.failure("cannot write '" + path + "'", e);
    }
  }

  /**
   * Makes traces of a recording.
   *
   * @param outputs the files to write, by form
   * @return one line on each
   * @throws BadRecordingException if it cannot be made into a trace; then nothing is written
   * @throws HalException NOT_FOUND or another status if a file cannot be read or written;
   *     RESOURCE_EXHAUSTED if a disk is full
   */
  public static List<String> convert(Path recording, Map<Form, Path> outputs)
      throws BadRecordingException {
    List<String> lines = new ArrayList<>();
    for (Map.Entry<Form, Path> output : new TreeMap<>(outputs).entrySet()) {
      lines.add(convert(recording, output.getKey(), output.getValue()));
    }
    return lines;
  }

  private static String convert(Path recording, Form form, Path path) throws BadRecordingException {
    if (!Files.isReadable(recording) || Files.isDirectory(recording)) {
      throw new HalException(
          Files.exists(recording) ? Status.PERMISSION_DENIED : Status.NOT_FOUND,
          "cannot read '" + recording + "'");
    }
    try (DataSink sink = DataFiles.createPlain(path)) {
      Writer writer =
          new BufferedWriter(
              new OutputStreamWriter(new SinkStream(sink), StandardCharsets.UTF_8), 1 << 16);
      TraceReader.Summary found = TraceReader.read(recording, sink(form, writer));
      writer.flush();
      sink.commit();
      return line(path, found);
    } catch (BadRecordingException e) {
      throw e;
    } catch (IOException e) {
      throw DataFiles.failure("cannot write '" + path + "'", e);
    }
  }

  private static TraceSink sink(Form form, Writer writer) throws IOException {
    return form == Form.JSON
        ? new ChromeTrace(writer)
        : new PictureTrace(writer, form == Form.HTML);
  }

  private static String line(Path path, TraceReader.Summary found) {
    List<String> parts = new ArrayList<>();
    parts.add(found.operations() + " operations");
    parts.add(found.arrows() + " arrows");
    if (found.unfinished() > 0) {
      parts.add(found.unfinished() + " operations of which a part is not in the recording");
    }
    if (found.withoutArrow() > 0) {
      parts.add(found.withoutArrow() + " waits whose signal is not in the recording");
    }
    return path + ": " + String.join(", ", parts);
  }

  /** A sink as a stream. */
  private static final class SinkStream extends OutputStream {
    private final DataSink sink;

    SinkStream(DataSink sink) {
      this.sink = sink;
    }

    @Override
    public void write(int one) throws IOException {
      sink.write(ByteBuffer.wrap(new byte[] {(byte) one}));
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      sink.write(ByteBuffer.wrap(bytes, offset, length));
    }
  }
}
