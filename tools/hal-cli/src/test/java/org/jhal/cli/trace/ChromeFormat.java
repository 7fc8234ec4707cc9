// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** A trace in the JSON format of Chrome, checked for everything that its readers need. */
final class ChromeFormat {
  private static final double STEP = 0.001; // times are whole nanoseconds
  private static final double NANOS_PER_MICRO = 1e3;

  /** A slice, with the error that is stated for its ends; all times in microseconds. */
  record Slice(String track, String name, double begin, double end, double error) {
    boolean contains(Point point) {
      return track.equals(point.track)
          && begin <= point.time + STEP / 2
          && point.time <= end + STEP / 2;
    }
  }

  record Point(String track, String name, double time) {}

  final List<Slice> slices = new ArrayList<>();
  final Map<Long, Point> signals = new HashMap<>();
  final Map<Long, Point> waits = new HashMap<>();
  final Map<String, String> trackNames = new HashMap<>();
  private final Map<Point, Double> errors = new HashMap<>(); // of the ends of arrows
  private final Set<Integer> processes = new HashSet<>();

  private ChromeFormat() {}

  static ChromeFormat check(Path file) throws IOException {
    JsonObject root = JsonParser.parseString(Files.readString(file)).getAsJsonObject();
    ChromeFormat checked = new ChromeFormat();
    for (JsonElement event : root.getAsJsonArray("traceEvents")) {
      checked.event(event.getAsJsonObject());
    }
    checked.slicesNest();
    checked.arrowsJoinSlices();
    return checked;
  }

  private void event(JsonObject event) {
    String phase = event.get("ph").getAsString();
    String name = event.get("name").getAsString();
    assertTrue(!name.isEmpty(), event::toString);
    int process = event.get("pid").getAsInt();
    String track = process + "/" + event.get("tid").getAsInt();
    if (phase.equals("M")) {
      if (name.equals("process_name")) {
        assertTrue(processes.add(process), event::toString);
      } else if (name.equals("thread_name")) {
        String title = event.getAsJsonObject("args").get("name").getAsString();
        assertEquals(null, trackNames.put(track, title), event::toString);
      }
      return;
    }
    assertTrue(processes.contains(process), () -> "unannounced process: " + event);
    assertTrue(trackNames.containsKey(track), () -> "unannounced track: " + event);
    double time = event.get("ts").getAsDouble();
    assertTrue(time >= 0, event::toString);
    switch (phase) {
      case "X" -> {
        double duration = event.get("dur").getAsDouble();
        assertTrue(duration >= 0, event::toString);
        JsonObject details = event.getAsJsonObject("args");
        JsonElement error = details == null ? null : details.get("error ns");
        slices.add(
            new Slice(
                track,
                name,
                time,
                time + duration,
                error == null ? 0 : error.getAsDouble() / NANOS_PER_MICRO));
      }
      case "s" -> flow(signals, event, new Point(track, name, time));
      case "f" -> {
        assertEquals("e", event.get("bp").getAsString(), event::toString);
        flow(waits, event, new Point(track, name, time));
      }
      case "i" -> assertEquals("t", event.get("s").getAsString(), event::toString);
      case "C" -> assertEquals(1, event.getAsJsonObject("args").size(), event::toString);
      default -> throw new AssertionError("unknown phase: " + event);
    }
  }

  private static void flow(Map<Long, Point> ends, JsonObject event, Point point) {
    assertEquals("timeline", event.get("cat").getAsString(), event::toString);
    assertEquals(null, ends.put(event.get("id").getAsLong(), point), event::toString);
  }

  private void slicesNest() {
    slices.sort(
        Comparator.comparing(Slice::track)
            .thenComparing(Slice::begin)
            .thenComparing(Slice::end, Comparator.reverseOrder()));
    Deque<Slice> around = new ArrayDeque<>();
    for (Slice slice : slices) {
      while (!around.isEmpty()
          && (!around.peek().track().equals(slice.track())
              || around.peek().end() <= slice.begin() + STEP / 2)) {
        around.pop();
      }
      Slice outer = around.peek();
      assertTrue(
          outer == null || slice.end() <= outer.end() + STEP / 2,
          () -> slice + " overlaps " + outer + " on " + trackNames.get(slice.track()));
      around.push(slice);
    }
  }

  private void arrowsJoinSlices() {
    assertEquals(signals.keySet(), waits.keySet());
    Map<String, List<Slice>> byTrack = new HashMap<>();
    slices.forEach(
        slice -> byTrack.computeIfAbsent(slice.track(), track -> new ArrayList<>()).add(slice));
    for (Map<Long, Point> ends : List.of(signals, waits)) {
      for (Point end : ends.values()) {
        errors.put(
            end,
            byTrack.getOrDefault(end.track(), List.of()).stream()
                .filter(slice -> slice.contains(end))
                .mapToDouble(Slice::error)
                .max()
                .orElseThrow(() -> new AssertionError("no slice around " + end)));
      }
    }
  }

  /**
   * The longest time by which a wait ends before its signal, beyond what the errors of both
   * explain, in microseconds; 0 if none does.
   */
  double worstInversion() {
    double worst = 0;
    for (Map.Entry<Long, Point> entry : signals.entrySet()) {
      Point signal = entry.getValue();
      Point wait = Objects.requireNonNull(waits.get(entry.getKey()));
      double explained =
          Objects.requireNonNull(errors.get(signal)) + Objects.requireNonNull(errors.get(wait));
      worst = Math.max(worst, signal.time() - wait.time() - explained);
    }
    return worst;
  }
}
