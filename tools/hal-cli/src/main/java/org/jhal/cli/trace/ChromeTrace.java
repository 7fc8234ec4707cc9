// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli.trace;

import com.google.gson.stream.JsonWriter;
import java.io.IOException;
import java.io.Writer;
import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Writes a trace in the JSON format of Chrome, which Perfetto reads: devices are processes, tracks
 * are threads, arrows are flows. Each piece is written at once and forgotten.
 */
final class ChromeTrace implements TraceSink {
  private final JsonWriter json;
  private final Map<String, Integer> processes = new LinkedHashMap<>();
  private long flows;

  ChromeTrace(Writer writer) throws IOException {
    json = new JsonWriter(writer);
    json.beginObject();
    json.name("displayTimeUnit").value("ns");
    json.name("traceEvents").beginArray();
  }

  private void begin(String phase, String name, Track track) throws IOException {
    json.beginObject();
    json.name("ph").value(phase);
    json.name("name").value(name);
    json.name("pid").value(processes.get(track.group()));
    json.name("tid").value(track.number());
  }

  private void end(Map<String, Object> details) throws IOException {
    if (!details.isEmpty()) {
      json.name("args").beginObject();
      for (Map.Entry<String, Object> detail : details.entrySet()) {
        json.name(detail.getKey());
        if (detail.getValue() instanceof Number number) {
          json.value(number);
        } else {
          json.value(String.valueOf(detail.getValue()));
        }
      }
      json.endObject();
    }
    json.endObject();
    json.setIndent(""); // one event after the other, on one line
  }

  /** The format counts microseconds; it takes fractions. */
  private static BigDecimal micros(long nanos) {
    return BigDecimal.valueOf(nanos, 3);
  }

  @Override
  public void track(Track track) throws IOException {
    if (!processes.containsKey(track.group())) {
      processes.put(track.group(), processes.size() + 1);
      begin("M", "process_name", track);
      end(Map.of("name", track.group()));
    }
    begin("M", "thread_name", track);
    end(Map.of("name", track.name()));
    begin("M", "thread_sort_index", track);
    end(Map.of("sort_index", track.number()));
  }

  @Override
  public void slice(
      Track track, String name, String kind, long begin, long end, Map<String, Object> details)
      throws IOException {
    begin("X", name, track);
    json.name("cat").value(kind);
    json.name("ts").value(micros(begin));
    json.name("dur").value(micros(end - begin));
    end(details);
  }

  @Override
  public void instant(Track track, String name, long time, Map<String, Object> details)
      throws IOException {
    begin("i", name, track);
    json.name("s").value("t");
    json.name("ts").value(micros(time));
    end(details);
  }

  @Override
  public void arrow(Origin from, Point signal, Origin to, Point wait, String name)
      throws IOException {
    flows++;
    begin("s", name, signal.track());
    json.name("cat").value("timeline");
    json.name("id").value(flows);
    json.name("ts").value(micros(signal.time()));
    end(Map.of());
    begin("f", name, wait.track());
    json.name("cat").value("timeline");
    json.name("bp").value("e"); // the slice around the point, not the next one
    json.name("id").value(flows);
    json.name("ts").value(micros(wait.time()));
    end(Map.of());
  }

  @Override
  public void counter(Track track, String name, long time, long value) throws IOException {
    begin("C", name, track);
    json.name("ts").value(micros(time));
    end(Map.of(name, value));
  }

  @Override
  public void end() throws IOException {
    json.endArray();
    json.endObject();
    json.flush();
  }
}
