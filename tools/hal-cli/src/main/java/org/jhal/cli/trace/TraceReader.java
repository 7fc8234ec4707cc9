// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli.trace;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import jdk.jfr.consumer.RecordedEvent;
import org.jhal.cli.trace.TracedOperation.CommandRun;
import org.jhal.cli.trace.TracedOperation.Edge;
import org.jhal.cli.trace.TracedOperation.Span;

/**
 * Reads a recording once, from beginning to end, and makes a trace of it.
 *
 * <p>A recording has the events of each thread in pieces, so the events of one operation are near
 * each other but in no order. Operations are put together in a window of {@value #WINDOW}. So a
 * recording of any length needs limited memory.
 *
 * <p>Used by one thread.
 */
final class TraceReader {
  /** About the number of operations whose events fit into a chunk of a recording, of 12 MB. */
  static final int WINDOW = 1 << 17;

  private static final long HOUR = TimeUnit.HOURS.toNanos(1);

  /** The numbers of what was found. */
  record Summary(long operations, long unfinished, long arrows, long withoutArrow) {}

  private record Key(long queue, long number) {}

  private final TraceSink sink;
  private final int window;
  private final Tracks tracks;
  private final Moments moments;
  private final Map<Key, TracedOperation> open = new LinkedHashMap<>();
  private final Map<Key, TracedOperation> whole = new LinkedHashMap<>();
  private final TraceNames names;
  private final OperationWriter writer;
  private final List<RecordedEvent> unnamed = new ArrayList<>(); // of devices without a name yet
  private long origin = Long.MIN_VALUE;
  private long lastTime = Long.MIN_VALUE; // when the last event ends
  private long operations;
  private long unfinished;
  private long events;

  TraceReader(TraceSink sink, int window) {
    this.sink = sink;
    this.window = window;
    this.names = new TraceNames(window);
    this.tracks = new Tracks(sink);
    this.moments = new Moments(sink, window);
    this.writer = new OperationWriter(sink, tracks, names, moments);
  }

  /**
   * Reads a recording into {@code sink}.
   *
   * @throws BadRecordingException if it is damaged, or has no event of JHAL
   * @throws IOException if it cannot be read, or the sink cannot be written
   */
  static Summary read(Path recording, TraceSink sink) throws IOException {
    return new TraceReader(sink, WINDOW).read(recording);
  }

  Summary read(Path recording) throws IOException {
    try (EventFile in = new EventFile(recording)) {
      for (RecordedEvent event = in.next(); event != null; event = in.next()) {
        in.use(event, this::accept);
      }
      if (events == 0) {
        throw new BadRecordingException(
            recording
                + " has no event of JHAL; hal trace run records them, and hal trace settings prints"
                + " the settings with which the recorder of the JDK does",
            null);
      }
      drain(whole, 0);
      unfinished += open.size();
      drain(open, 0);
      for (RecordedEvent event : unnamed) {
        in.use(event, this::ofDevice);
      }
    }
    moments.end();
    sink.end();
    return new Summary(operations, unfinished, moments.arrows(), moments.missing());
  }

  // Times.

  private static long nanos(Instant time) {
    return TimeUnit.SECONDS.toNanos(time.getEpochSecond()) + time.getNano();
  }

  /** The time in the trace. It is far from 0, since an event may begin before the first one. */
  private long at(long time) {
    return Math.max(0, time - origin);
  }

  // Events.

  private void accept(RecordedEvent event) throws IOException {
    lastTime = Math.max(lastTime, nanos(event.getEndTime()));
    if (event.getEventType().getName().startsWith(TraceSettings.PREFIX)) {
      events++;
      take(event);
    }
  }

  private void take(RecordedEvent event) throws IOException {
    long start = nanos(event.getStartTime());
    long end = nanos(event.getEndTime());
    if (origin == Long.MIN_VALUE) {
      origin = start - HOUR;
    }
    String kind = event.getEventType().getName().substring(TraceSettings.PREFIX.length());
    switch (kind) {
      case "Name" -> {
        String name = event.getString("name");
        if (name != null) { // as it may be in a damaged recording
          names.add(event.getLong("number"), name, event.getLong("owner"));
        }
      }
      case "Submission" -> {
        TracedOperation operation = operation(event);
        operation.kind = event.getString("kind");
        operation.kernel = event.getLong("kernel");
        operation.commands = event.getInt("commands");
        operation.thread = names.thread(event);
        operation.enqueued = start;
        operation.edgesToCome += event.getInt("waits") + event.getInt("signals");
        taken(operation);
      }
      case "TimelineEdge" -> edge(event, start, end);
      case "Operation" -> {
        TracedOperation operation = operation(event);
        operation.known = new Span(start, end);
        operation.failure = event.getString("failure");
        taken(operation);
      }
      case "Execution" -> {
        TracedOperation operation = operation(event);
        long begin = start - event.getDuration("beganAgo").toNanos();
        Duration took = event.getDuration("took");
        operation.onDevice = new Span(begin, begin + took.toNanos());
        operation.error = event.getDuration("error").toNanos();
        taken(operation);
      }
      case "CommandExecution" -> {
        long begin = start - event.getDuration("beganAgo").toNanos();
        TracedOperation operation = operation(event);
        operation.commandRuns.add(
            new CommandRun(
                event.getInt("command"),
                String.valueOf(event.getString("kind")),
                event.getLong("kernel"),
                event.getString("label"),
                new Span(begin, begin + event.getDuration("took").toNanos()),
                event.getDuration("error").toNanos()));
        taken(operation);
      }
      case "HostCompletion" -> {
        TracedOperation operation = operation(event);
        operation.onHost = new Span(start, end);
        operation.hostThread = names.thread(event);
        taken(operation);
      }
      case "HostWait" -> hostWait(event, start, end);
      case "Transfer" -> {
        operation(event).bytes = event.getLong("bytes");
        onThread(
            event,
            start,
            event.getLong("bytes") + " bytes " + event.getString("direction"),
            Map.of("path", event.getString("path"), "operation", event.getLong("operation")));
      }
      case "ExecutableLoad" ->
          onThread(event, start, end, "load " + event.getString("bundle"), "load");
      case "Compilation" ->
          onThread(
              event,
              start,
              end,
              String.valueOf(event.getString("outcome")) + ": " + event.getString("source"),
              "compilation");
      case "Graph" -> {
        String refusal = event.getString("refusal");
        onThread(
            event,
            start,
            end,
            refusal == null ? "graph of " + event.getInt("commands") : "no graph: " + refusal,
            "graph");
      }
      case "Allocation", "Deallocation", "DeviceLost" -> {
        if (names.has(event.getLong("device")) || unnamed.size() >= window) {
          ofDevice(event);
        } else {
          unnamed.add(event); // the name may be further down in the file
        }
      }
      default -> {} // of a later version
    }
  }

  private TracedOperation operation(RecordedEvent event) {
    Key key = new Key(event.getLong("queue"), event.getLong("operation"));
    TracedOperation found = whole.get(key);
    return found != null
        ? found
        : open.computeIfAbsent(key, made -> new TracedOperation(made.queue(), made.number()));
  }

  /** Finishes an operation when it is complete, and the oldest ones when the window is full. */
  private void taken(TracedOperation operation) throws IOException {
    if (operation.isWhole()) {
      Key key = new Key(operation.queue, operation.number);
      if (open.remove(key) != null) {
        whole.put(key, operation);
        drain(whole, window);
      }
    }
    if (open.size() > window) {
      unfinished++;
      drain(open, window);
    }
  }

  private void drain(Map<Key, TracedOperation> from, int most) throws IOException {
    Iterator<TracedOperation> oldest = from.values().iterator();
    while (from.size() > most) {
      TracedOperation operation = oldest.next();
      oldest.remove();
      operations++;
      writer.write(operation, origin, lastTime);
    }
  }

  private void edge(RecordedEvent event, long start, long end) throws IOException {
    long timeline = event.getLong("timeline");
    long value = event.getLong("value");
    boolean isSignal = event.getBoolean("isSignal");
    if (event.getLong("queue") != 0) {
      TracedOperation operation = operation(event);
      (isSignal ? operation.signals : operation.waits).add(new Edge(timeline, value));
      operation.edgesToCome--;
      taken(operation);
      return;
    }
    // It needs some length to be visible, and to be the end of an arrow.
    long begin = at(Math.min(start, end - 1));
    TraceSink.Point point =
        tracks.onHost(
            names.thread(event),
            "signal " + TraceNames.timeline(timeline) + " = " + value,
            "signal",
            begin,
            at(end),
            Map.of());
    moments.signal(timeline, value, TraceSink.HOST, Tracks.lastOf(point, at(end), 0));
  }

  private void hostWait(RecordedEvent event, long start, long end) throws IOException {
    long timeline = event.getLong("timeline");
    long value = event.getLong("value");
    String outcome = String.valueOf(event.getString("outcome"));
    TraceSink.Point begin =
        tracks.onHost(
            names.thread(event),
            "wait for " + TraceNames.timeline(timeline) + " = " + value,
            "wait",
            at(start),
            at(end),
            Map.of("outcome", outcome));
    if (outcome.equals("reached")) {
      moments.waited(timeline, value, TraceSink.HOST, Tracks.last(begin, at(end)));
    }
  }

  private void onThread(RecordedEvent event, long time, String name, Map<String, Object> details)
      throws IOException {
    sink.instant(tracks.of(Tracks.HOST, names.thread(event)), name, at(time), details);
  }

  private void onThread(RecordedEvent event, long begin, long end, String name, String kind)
      throws IOException {
    TraceSink.Point unused =
        tracks.onHost(names.thread(event), name, kind, at(begin), at(end), Map.of());
  }

  private void ofDevice(RecordedEvent event) throws IOException {
    TraceSink.Track track = tracks.of(names.group(event.getLong("device")), "memory");
    long time = at(nanos(event.getStartTime()));
    if (event.getEventType().getName().endsWith("DeviceLost")) {
      sink.instant(
          track, "device lost", time, Map.of("cause", String.valueOf(event.getString("cause"))));
    } else {
      sink.counter(track, "allocated bytes", time, event.getLong("total"));
    }
  }
}
