// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli.trace;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jhal.cli.trace.TracedOperation.CommandRun;
import org.jhal.cli.trace.TracedOperation.Edge;
import org.jhal.cli.trace.TracedOperation.Span;

/**
 * Makes the pieces of a trace that show one operation.
 *
 * <p>Used by one thread.
 */
final class OperationWriter {
  /** The kind of the slices of commands. */
  static final String COMMAND = "command";

  private final TraceSink sink;
  private final Tracks tracks;
  private final TraceNames names;
  private final Moments moments;

  OperationWriter(TraceSink sink, Tracks tracks, TraceNames names, Moments moments) {
    this.sink = sink;
    this.tracks = tracks;
    this.names = names;
    this.moments = moments;
  }

  /**
   * Writes an operation.
   *
   * @param origin of the times in the trace
   * @param lastTime when the recording ends, as far as it has been read
   */
  void write(TracedOperation operation, long origin, long lastTime) throws IOException {
    String title = operation.kind;
    if (operation.kernel != 0) {
      title = names.kernel(operation.kernel);
    } else if (operation.commands > 1) {
      title += " of " + operation.commands + " commands";
    }
    String name = title;
    Map<String, Object> details = new LinkedHashMap<>();
    details.put("operation", operation.number);
    if (operation.failure != null) {
      details.put("failure", operation.failure);
    }
    Span known = operation.known;
    if (operation.thread != null) {
      TraceSink.Track track = tracks.of(Tracks.HOST, operation.thread);
      sink.instant(track, "enqueue " + title, at(origin, operation.enqueued), details);
    }
    Span onDevice = operation.onDevice;
    TraceSink.Span onQueue = null;
    TraceSink.Point begin = null;
    TraceSink.Point end = null;
    String kind = operation.failure == null ? operation.kind : "failed";
    Span onHost = operation.onHost;
    // Its signals did not wait for the following work of the host.
    boolean signalsBefore = onHost != null && known != null && known.end() <= onHost.begin();
    if (onDevice != null || onHost == null || signalsBefore) {
      Span shown = onDevice != null ? onDevice : known;
      if (shown == null) {
        if (operation.thread == null) {
          return; // it began before the recording and goes on behind it
        }
        // The event that shows that it was issued is recorded only when it is over.
        shown = new Span(operation.enqueued, Math.max(operation.enqueued, lastTime));
        title += ", unfinished";
        kind = "unfinished";
      }
      if (onDevice != null) {
        details.put("error ns", operation.error);
        if (known != null) {
          details.put("issued ns before", onDevice.begin() - known.begin());
          details.put("known ns after", known.end() - onDevice.end());
        }
      } else {
        details.put("time", "as the host saw it");
      }
      onQueue = new TraceSink.Span(at(origin, shown.begin()), at(origin, shown.end()));
      begin =
          tracks.slice(
              names.groupOfQueue(operation.queue),
              names.queue(operation.queue),
              title,
              kind,
              at(origin, shown.begin()),
              at(origin, shown.end()),
              details);
      writeCommands(operation, begin, origin, at(origin, shown.end()));
      if (onDevice == null) {
        end = Tracks.lastOf(begin, at(origin, shown.end()), 0);
        // It was issued before its producers were known to be over, and began between the two
        // times.
        begin = new TraceSink.Point(begin.track(), begin.time(), begin.time(), end.time(), 0);
      } else {
        long last = Tracks.last(begin, at(origin, shown.end())).time();
        end = new TraceSink.Point(begin.track(), last, last, last, operation.error);
        begin =
            new TraceSink.Point(
                begin.track(), begin.time(), begin.time(), begin.time(), operation.error);
      }
    }
    if (onHost != null && operation.hostThread != null) {
      TraceSink.Point onThread =
          tracks.onHost(
              operation.hostThread,
              title,
              kind,
              at(origin, onHost.begin()),
              at(origin, onHost.end()),
              details);
      if (!signalsBefore) {
        end = Tracks.lastOf(onThread, at(origin, onHost.end()), 0);
      }
      begin = begin == null ? onThread : begin;
    }
    if (begin == null || end == null) {
      return;
    }
    TraceSink.Origin source = new TraceSink.Origin(operation.queue, operation.number);
    sink.operation(
        new TraceSink.Operation(
            source,
            names.groupOfQueue(operation.queue),
            names.queue(operation.queue),
            name,
            operation.kind,
            operation.bytes,
            operation.thread,
            operation.thread == null ? begin.time() : at(origin, operation.enqueued),
            onQueue,
            onHost == null
                ? null
                : new TraceSink.Span(at(origin, onHost.begin()), at(origin, onHost.end())),
            onDevice != null,
            end.time() + 1,
            outcome(operation, kind)));
    if (operation.failure == null) { // a failed one raises nothing
      for (Edge signal : operation.signals) {
        moments.signal(signal.timeline(), signal.value(), source, end);
      }
    }
    for (Edge wait : operation.waits) {
      moments.waited(wait.timeline(), wait.value(), source, begin);
    }
  }

  /** Writes the commands of a command buffer within its slice, one behind the other. */
  private void writeCommands(
      TracedOperation operation, TraceSink.Point begin, long origin, long end) throws IOException {
    List<CommandRun> runs = new ArrayList<>(operation.commandRuns);
    runs.sort(Comparator.comparingLong(run -> run.ran().begin()));
    long free = begin.time();
    for (CommandRun run : runs) {
      String title = run.kernel() != 0 ? names.kernel(run.kernel()) : run.kind();
      Map<String, Object> details = new LinkedHashMap<>();
      details.put("command", run.number());
      details.put("took ns", run.ran().end() - run.ran().begin());
      details.put("error ns", run.error());
      long from = Math.min(end, Math.max(free, at(origin, run.ran().begin())));
      free = Math.min(end, Math.max(from, at(origin, run.ran().end())));
      String name = run.label() == null ? title : run.label() + ": " + title;
      sink.slice(begin.track(), name, COMMAND, from, free, details);
    }
  }

  private static TraceSink.Outcome outcome(TracedOperation operation, String kind) {
    if (operation.failure != null) {
      return TraceSink.Outcome.FAILED;
    }
    return kind.equals("unfinished") ? TraceSink.Outcome.UNFINISHED : TraceSink.Outcome.FINISHED;
  }

  /** The time in the trace, which no event precedes. */
  private static long at(long origin, long time) {
    return Math.max(0, time - origin);
  }
}
