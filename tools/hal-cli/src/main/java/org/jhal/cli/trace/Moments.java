// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli.trace;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;

/**
 * Finds the signal that each wait was for: of the signals that may have come before the wait was
 * over, the one with the smallest value that is large enough. Signals and waits come in any order,
 * the signal usually first.
 *
 * <p>An operation does not wait for its own signal, nor for a signal that is later by more than the
 * errors of both times. In these cases, the true signal is not in the recording.
 *
 * <p>A number of signals and waits is remembered, so that a trace of any length needs limited
 * memory. A wait whose signal was forgotten, or may have been, has no arrow.
 */
final class Moments {
  /** How many unsuitable signals are examined for one wait. */
  private static final int MOST_LATE = 8;

  private record Signal(long timeline, long value) {}

  private record Raised(TraceSink.Origin origin, TraceSink.Point point) {}

  /** The remembered part of a timeline. It has at least one signal. */
  private static final class Timeline {
    final NavigableMap<Long, Raised> signals = new TreeMap<>();
    long highestForgotten;

    Timeline(long highestForgotten) {
      this.highestForgotten = highestForgotten;
    }

    /** The signals that a wait for {@code value} may be for, the likeliest first. */
    Map<Long, Raised> since(long value) {
      // A forgotten one may come before all but the very one.
      long last = value <= highestForgotten ? value : Long.MAX_VALUE;
      return signals.subMap(value, true, last, true);
    }
  }

  private record Wait(long timeline, long value, TraceSink.Origin origin, TraceSink.Point point) {
    boolean mayBeFor(Raised signal) {
      boolean isItself = origin.equals(signal.origin) && !origin.equals(TraceSink.HOST);
      return !isItself && lateness(signal.point, point) <= signal.point.error() + point.error();
    }
  }

  private final TraceSink sink;
  private final int most;
  private final Map<Long, Timeline> timelines = new HashMap<>();
  private final Deque<Signal> signalsInOrder = new ArrayDeque<>();
  private final Deque<Wait> waits = new ArrayDeque<>();
  private long lastForgotten; // the highest number of a timeline that is not remembered any more
  private long arrows;
  private long missing;

  /** Remembers at most {@code most} signals, and half as many waits. */
  Moments(TraceSink sink, int most) {
    this.sink = sink;
    this.most = most;
  }

  void signal(long timeline, long value, TraceSink.Origin origin, TraceSink.Point point) {
    Timeline raised =
        timelines.computeIfAbsent(
            timeline, number -> new Timeline(number <= lastForgotten ? value - 1 : 0));
    if (raised.signals.putIfAbsent(value, new Raised(origin, point)) != null) {
      return; // the first one counts
    }
    signalsInOrder.add(new Signal(timeline, value));
    if (signalsInOrder.size() > most) {
      forget(signalsInOrder.remove());
    }
  }

  private void forget(Signal signal) {
    Timeline timeline = Objects.requireNonNull(timelines.get(signal.timeline()));
    timeline.signals.remove(signal.value());
    timeline.highestForgotten = Math.max(timeline.highestForgotten, signal.value());
    if (timeline.signals.isEmpty()) {
      timelines.remove(signal.timeline());
      lastForgotten = Math.max(lastForgotten, signal.timeline());
    }
  }

  void waited(long timeline, long value, TraceSink.Origin origin, TraceSink.Point point)
      throws IOException {
    Wait wait = new Wait(timeline, value, origin, point);
    Timeline raised = timelines.get(timeline);
    Raised exact = raised == null ? null : raised.signals.get(value);
    if (exact != null && wait.mayBeFor(exact)) {
      arrow(exact, value, wait);
      return;
    }
    waits.add(wait); // its signal may still come
    if (waits.size() > most / 2) {
      resolve(waits.remove());
    }
  }

  private void resolve(Wait wait) throws IOException {
    Timeline raised = timelines.get(wait.timeline());
    if (raised != null) {
      int looks = 0;
      for (Map.Entry<Long, Raised> found : raised.since(wait.value()).entrySet()) {
        if (wait.mayBeFor(found.getValue())) {
          arrow(found.getValue(), found.getKey(), wait);
          return;
        }
        if (++looks > MOST_LATE) {
          break;
        }
      }
    }
    missing++;
  }

  /** How much later a signal is than a wait, both moved within their slices to be in order. */
  private static long lateness(TraceSink.Point signal, TraceSink.Point wait) {
    return signal.earliest() - Math.max(wait.time(), wait.latest());
  }

  private void arrow(Raised signal, long value, Wait wait) throws IOException {
    arrows++;
    TraceSink.Point to = wait.point().notBefore(signal.point().time());
    sink.arrow(
        signal.origin(),
        signal.point().notAfter(to.time()),
        wait.origin(),
        to,
        TraceNames.timeline(wait.timeline()) + " = " + value);
  }

  /** Ends the input. */
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
