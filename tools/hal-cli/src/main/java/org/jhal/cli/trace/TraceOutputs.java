// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli.trace;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import jdk.jfr.Recording;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.cli.data.DataFiles;
import org.jhal.cli.data.DataSink;
import org.jhal.cli.trace.TraceFiles.Form;
import org.jspecify.annotations.Nullable;

/**
 * Files for a recording and its traces. All are opened at once, before there is anything to write,
 * so that no run is lost to a wrong name. Each replaces an existing file when it is complete; if it
 * is not, {@link #close} leaves the existing file.
 *
 * <p>Used by one thread.
 */
public final class TraceOutputs implements AutoCloseable {
  /** The least width of a picture in pixels. */
  public static final int LEAST_WIDTH = 320;

  private record Output(Path path, DataSink sink) {}

  private final Map<Form, Output> traces = new EnumMap<>(Form.class);
  private final List<Output> all = new ArrayList<>();
  private @Nullable Output recording;

  /**
   * Opens the files.
   *
   * @param traces by form
   * @param recording where to keep the recording, or null
   * @param input a file that none of them may be, or null
   * @throws HalException INVALID_ARGUMENT if two of them, or one and {@code input}, are the same
   *     file; otherwise as {@link DataFiles#createPlain}
   */
  public TraceOutputs(Map<Form, Path> traces, @Nullable Path recording, @Nullable Path input) {
    try {
      if (recording != null) {
        this.recording = open(recording, input);
      }
      traces.forEach((form, path) -> this.traces.put(form, open(path, input)));
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  private Output open(Path path, @Nullable Path input) {
    if (input != null && DataFiles.isSame(path, input)) {
      throw new HalException(
          Status.INVALID_ARGUMENT,
          "the trace would be written over its recording, '" + input + "'");
    }
    for (Output other : all) {
      if (DataFiles.isSame(path, other.path)) {
        throw new HalException(
            Status.INVALID_ARGUMENT, "two outputs are written to '" + path + "'");
      }
    }
    Output output = new Output(path, DataFiles.createPlain(path));
    all.add(output);
    return output;
  }

  /**
   * Writes what was recorded to the file for it, which is then complete.
   *
   * @throws HalException RESOURCE_EXHAUSTED if the disk is full; DATA_LOSS or another status if
   *     writing fails
   * @throws IllegalStateException if there is no such file
   */
  public void save(Recording recorded) {
    if (recording == null) {
      throw new IllegalStateException("no file for the recording");
    }
    try (InputStream in = recorded.getStream(null, null)) {
      if (in != null) {
        long unused = in.transferTo(new SinkStream(recording.sink));
      }
      recording.sink.commit();
    } catch (IOException e) {
      throw DataFiles.failure("cannot write '" + recording.path + "'", e);
    }
  }

  /**
   * Makes the traces of a recording, and sums it up. The recording is read once for each of them.
   *
   * @param width of pictures in pixels, at least {@value #LEAST_WIDTH}
   * @return one line on each, and then the summary
   * @throws BadRecordingException if it cannot be made into a trace; then nothing is written
   * @throws HalException RESOURCE_EXHAUSTED if the disk is full; NOT_FOUND or another status if a
   *     file cannot be read or written
   */
  public List<String> convert(Path recorded, int width) throws BadRecordingException {
    List<String> lines = new ArrayList<>();
    SummarySink summary = new SummarySink(TraceReader.WINDOW);
    for (Map.Entry<Form, Output> trace : traces.entrySet()) {
      // The first one is read into the summary as well.
      lines.add(
          convert(recorded, trace.getKey(), trace.getValue(), width, summary, lines.isEmpty()));
    }
    TraceSummary found = lines.isEmpty() ? TraceFiles.summary(recorded) : summary.summary();
    if (!lines.isEmpty()) {
      lines.add("");
    }
    lines.addAll(SummaryText.lines(found));
    return lines;
  }

  private static String convert(
      Path recorded, Form form, Output output, int width, SummarySink summary, boolean isFirst)
      throws BadRecordingException {
    try {
      Writer writer =
          new BufferedWriter(
              new OutputStreamWriter(new SinkStream(output.sink), StandardCharsets.UTF_8), 1 << 16);
      TraceSink sink = sink(form, writer, width, summary);
      TraceReader.Summary found =
          TraceReader.read(recorded, isFirst ? new Tee(summary, sink) : sink);
      writer.flush();
      output.sink.commit();
      return line(output.path, found);
    } catch (BadRecordingException e) {
      throw e;
    } catch (IOException e) {
      throw DataFiles.failure("cannot write '" + output.path + "'", e);
    }
  }

  private static TraceSink sink(Form form, Writer writer, int width, SummarySink summary)
      throws IOException {
    return switch (form) {
      case JSON -> new ChromeTrace(writer);
      case HTML ->
          new PictureTrace(writer, PictureTrace.WIDTH, () -> SummaryText.lines(summary.summary()));
      case SVG -> new PictureTrace(writer, width, null);
    };
  }

  private static String line(Path path, TraceReader.Summary found) {
    List<String> parts = new ArrayList<>();
    parts.add(
        found.operations()
            + " operations"
            + (found.operations() > 0 ? "" : " (recorded only with hal trace settings)"));
    parts.add(found.arrows() + " arrows");
    if (found.unfinished() > 0) {
      parts.add(found.unfinished() + " operations of which a part is not in the recording");
    }
    if (found.withoutArrow() > 0) {
      parts.add(found.withoutArrow() + " waits whose signal is not in the recording");
    }
    return path + ": " + String.join(", ", parts);
  }

  /** Closes the files. Those that are not complete are removed. */
  @Override
  public void close() {
    for (Output output : all) {
      try {
        output.sink.close();
      } catch (IOException e) {
        // The file has been written completely.
      }
    }
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
