package org.jhal.cli.trace;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * Finds the signal that each wait was for: the one with the smallest value that is not below. Both
 * come in any order, the signal usually first.
 *
 * <p>A number of signals and waits is remembered, so that a trace of any length needs limited
 * memory. A wait whose signal was forgotten, or is not in the recording, has no arrow.
 */
final class Moments {
  private record Signal(long timeline, long value) {}

  private record Wait(long timeline, long value, TraceSink.Point point) {}

  private final TraceSink sink;
  private final int most;
  private final Map<Long, TreeMap<Long, TraceSink.Point>> signals = new HashMap<>();
  private final Deque<Signal> signalsInOrder = new ArrayDeque<>();
  private final Deque<Wait> waits = new ArrayDeque<>();
  private long arrows;
  private long missing;

  /** Remembers at most {@code most} signals, and half as many waits. */
  Moments(TraceSink sink, int most) {
    this.sink = sink;
    this.most = most;
  }

  void signal(long timeline, long value, TraceSink.Point point) {
    TreeMap<Long, TraceSink.Point> values =
        signals.computeIfAbsent(timeline, number -> new TreeMap<>());
    if (values.putIfAbsent(value, point) != null) {
      return; // the first one counts
    }
    signalsInOrder.add(new Signal(timeline, value));
    if (signalsInOrder.size() > most) {
      Signal oldest = signalsInOrder.remove();
      TreeMap<Long, TraceSink.Point> old = signals.get(oldest.timeline());
      if (old != null) {
        old.remove(oldest.value());
        if (old.isEmpty()) {
          signals.remove(oldest.timeline());
        }
      }
    }
  }

  void waited(long timeline, long value, TraceSink.Point point) throws IOException {
    TreeMap<Long, TraceSink.Point> values = signals.get(timeline);
    TraceSink.Point exact = values == null ? null : values.get(value);
    if (exact != null) {
      arrow(exact, timeline, value, point);
      return;
    }
    waits.add(new Wait(timeline, value, point)); // its signal may still come
    if (waits.size() > most / 2) {
      resolve(waits.remove());
    }
  }

  private void resolve(Wait wait) throws IOException {
    TreeMap<Long, TraceSink.Point> values = signals.get(wait.timeline());
    Map.Entry<Long, TraceSink.Point> found =
        values == null ? null : values.ceilingEntry(wait.value());
    if (found == null) {
      missing++;
    } else {
      arrow(found.getValue(), wait.timeline(), found.getKey(), wait.point());
    }
  }

  private void arrow(TraceSink.Point from, long timeline, long value, TraceSink.Point to)
      throws IOException {
    arrows++;
    sink.arrow(from, to.notBefore(from.time()), TraceNames.timeline(timeline) + " = " + value);
  }

  /** Nothing more comes. */
  void end() throws IOException {
    for (Wait wait : waits) {
      resolve(wait);
    }
    waits.clear();
  }

  long arrows() {
    return arrows;
  }

  /** How many waits have no arrow. */
  long missing() {
    return missing;
  }
}
