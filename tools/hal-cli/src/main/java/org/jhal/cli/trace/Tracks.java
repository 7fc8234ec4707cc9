// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli.trace;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The tracks of a trace, created on first use. Slices that overlap on a track go to further tracks
 * of the same name.
 */
final class Tracks {
  /** The group of the tracks of threads. */
  static final String HOST = "host";

  /** The most tracks of one name; a slice that still overlaps is shown as beginning later. */
  private static final int MOST = 16;

  /** A name with its tracks, and when the last slice on each of them ends. */
  private final class Lanes {
    final String group;
    final String name;
    final List<TraceSink.Track> tracks = new ArrayList<>();
    final List<Long> ends = new ArrayList<>();

    Lanes(String group, String name) {
      this.group = group;
      this.name = name;
    }

    TraceSink.Track get(int index) throws IOException {
      if (index == tracks.size()) {
        TraceSink.Track made =
            new TraceSink.Track(
                ++count, group, index == 0 ? name : name + " (" + (index + 1) + ")");
        tracks.add(made);
        ends.add(Long.MIN_VALUE);
        sink.track(made);
      }
      return tracks.get(index);
    }

    /** The fullest track that is free from {@code begin} on, otherwise the one that ends first. */
    int free(long begin) {
      int best = -1;
      int first = 0;
      for (int i = 0; i < ends.size(); i++) {
        if (ends.get(i) <= begin && (best < 0 || ends.get(i) > ends.get(best))) {
          best = i;
        }
        if (ends.get(i) < ends.get(first)) {
          first = i;
        }
      }
      return best >= 0 ? best : ends.size() < MOST ? ends.size() : first;
    }
  }

  private final TraceSink sink;
  private final Map<String, Lanes> byName = new HashMap<>();
  private int count;

  Tracks(TraceSink sink) {
    this.sink = sink;
  }

  /** The track for slices that are known to nest, such as those of one thread. */
  TraceSink.Track of(String group, String name) throws IOException {
    return lanes(group, name).get(0);
  }

  private Lanes lanes(String group, String name) {
    return byName.computeIfAbsent(group + "\n" + name, both -> new Lanes(group, name));
  }

  /** Puts a slice on a track where it overlaps nothing, and returns the point where it begins. */
  TraceSink.Point slice(
      String group,
      String name,
      String title,
      String kind,
      long begin,
      long end,
      Map<String, Object> details)
      throws IOException {
    Lanes lanes = lanes(group, name);
    int index = lanes.free(begin);
    TraceSink.Track track = lanes.get(index);
    long shown = Math.min(end, Math.max(begin, lanes.ends.get(index)));
    lanes.ends.set(index, Math.max(end, lanes.ends.get(index)));
    sink.slice(track, title, kind, shown, end, details);
    return new TraceSink.Point(track, shown);
  }

  /** Puts a slice on the track of a thread, and returns the point where it begins. */
  TraceSink.Point onHost(
      String thread, String title, String kind, long begin, long end, Map<String, Object> details)
      throws IOException {
    if (TraceNames.isShared(thread)) {
      return slice(HOST, thread, title, kind, begin, end, details);
    }
    TraceSink.Track track = of(HOST, thread);
    sink.slice(track, title, kind, begin, end, details);
    return new TraceSink.Point(track, begin);
  }

  /** The last point inside the slice that begins at {@code begin}. */
  static TraceSink.Point last(TraceSink.Point begin, long end) {
    return new TraceSink.Point(begin.track(), Math.max(begin.time(), end - 1));
  }

  /** As {@link #last}, for what happened in the slice, and not after its end. */
  static TraceSink.Point lastOf(TraceSink.Point begin, long end, long error) {
    long last = Math.max(begin.time(), end - 1);
    return new TraceSink.Point(begin.track(), last, begin.time(), last, error);
  }
}
