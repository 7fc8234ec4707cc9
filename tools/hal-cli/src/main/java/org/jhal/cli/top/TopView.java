// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli.top;

import com.google.gson.stream.JsonWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import org.jhal.cli.text.Table;
import org.jhal.cli.text.Units;
import org.jspecify.annotations.Nullable;

/** Takes samples of a process, and prints each one with what has changed since the last. */
public final class TopView {
  /** How samples are printed. */
  public enum Form {
    /** As a table below the last one. */
    LINES,
    /** As a table in place of the last one, on a terminal. */
    SCREEN,
    /** As a JSON object in one line. */
    JSON
  }

  private static final String RETIRED = "retiredCount";
  private static final String UPLOADED = "uploadedBytes";
  private static final String READ_BACK = "readbackBytes";

  // Control sequences of terminals. Long lines are cut off rather than wrapped, so that a sample
  // has as many lines on the screen as in the text.
  private static final String ESCAPE = "\u001b[";
  private static final String CLEAR = ESCAPE + "2J";
  private static final String BEGIN = ESCAPE + "H" + ESCAPE + "?7l";
  private static final String END_OF_LINE = ESCAPE + "K";
  private static final String END = ESCAPE + "J" + ESCAPE + "?7h";

  private final WatchedProcess process;
  private final Form form;
  private @Nullable Sample last;

  /** Creates a view that has printed nothing yet. */
  public TopView(WatchedProcess process, Form form) {
    this.process = process;
    this.form = form;
  }

  /** Takes a sample and prints it. */
  public void print(PrintWriter out) {
    Sample sample = process.sample();
    switch (form) {
      case JSON -> out.println(json(sample));
      case LINES -> out.print((last == null ? "" : System.lineSeparator()) + text(sample));
      case SCREEN -> {
        String lines =
            text(sample).replace(System.lineSeparator(), END_OF_LINE + System.lineSeparator());
        out.print((last == null ? CLEAR : "") + BEGIN + lines + END);
      }
    }
    out.flush();
    last = sample;
  }

  private String text(Sample sample) {
    StringWriter text = new StringWriter();
    PrintWriter out = new PrintWriter(text);
    int count = sample.devices().size();
    out.println(
        process.description()
            + " at "
            + sample.time().truncatedTo(ChronoUnit.SECONDS)
            + ": "
            + (count == 0 ? "no" : String.valueOf(count))
            + (count == 1 ? " open device" : " open devices"));
    Table table = new Table();
    if (count > 0) {
      table.row(
          "DEVICE",
          "MEMORY",
          "OF",
          "OPEN",
          "OPS/S",
          "FAILED",
          "UP/S",
          "BACK/S",
          "GRAPHS/S",
          "OLDEST");
    }
    double seconds = sample.secondsSince(last);
    for (DeviceSample device : sample.devices()) {
      DeviceSample before = Sample.find(last, device.key());
      table.row(
          device.name(),
          Units.bytes(device.number("memoryBytes")),
          Units.bytes(device.number("memoryLimitBytes")),
          String.valueOf(device.number("openOperations")),
          count(device.rate(RETIRED, before, seconds)),
          String.valueOf(device.number("failedCount")),
          bytes(device.rate(UPLOADED, before, seconds)),
          bytes(device.rate(READ_BACK, before, seconds)),
          count(device.rate("graphLaunchCount", before, seconds)),
          oldest(device));
    }
    table.print(out);
    return text.toString();
  }

  private static String oldest(DeviceSample device) {
    if (!device.text("lostCause").isEmpty()) {
      return "lost: " + device.text("lostCause");
    }
    String oldest = device.text("oldestOperation");
    return oldest.isEmpty() ? "-" : device.number("oldestAgeMillis") / 1000 + " s: " + oldest;
  }

  private static String count(@Nullable Double rate) {
    return rate == null
        ? "-"
        : String.format(Locale.ROOT, rate > 0 && rate < 10 ? "%.1f" : "%.0f", rate);
  }

  private static String bytes(@Nullable Double rate) {
    return rate == null ? "-" : Units.bytes(Math.round(rate));
  }

  private String json(Sample sample) {
    StringWriter text = new StringWriter();
    try (JsonWriter json = new JsonWriter(text)) {
      json.setSerializeNulls(true);
      json.beginObject().name("time").value(sample.time().toString());
      json.name("process");
      if (process.pid() > 0) {
        json.value(process.pid());
      } else {
        json.value(process.description());
      }
      json.name("devices").beginArray();
      for (DeviceSample device : sample.devices()) {
        write(device, sample, json);
      }
      json.endArray().endObject();
    } catch (IOException e) {
      throw new AssertionError("a string cannot fail", e);
    }
    return text.toString();
  }

  /** Writes all items that the process reports, and the rates. */
  private void write(DeviceSample device, Sample sample, JsonWriter json) throws IOException {
    json.beginObject();
    for (String item : device.data().getCompositeType().keySet()) {
      Object value = device.data().get(item);
      json.name(item);
      if (value instanceof Number number) {
        json.value(number);
      } else {
        json.value(value == null ? null : value.toString());
      }
    }
    DeviceSample before = Sample.find(last, device.key());
    double seconds = sample.secondsSince(last);
    json.name("operationsPerSecond").value(device.rate(RETIRED, before, seconds));
    json.name("uploadedBytesPerSecond").value(device.rate(UPLOADED, before, seconds));
    json.name("readbackBytesPerSecond").value(device.rate(READ_BACK, before, seconds));
    json.endObject();
  }
}
