// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.run.report;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jhal.Status;
import org.jhal.spi.HostFailures;
import org.jspecify.annotations.Nullable;

/** Reads what {@link CtsReport#toJson} writes. */
final class ReportReader {
  /** The largest file that is read, in bytes. Reports have a few hundred thousand. */
  static final long MAX_BYTES = 64L << 20;

  private static final List<String> TEST_KEYS =
      List.of("test", "display", "rules", "outcome", "seconds", "detail");

  /**
   * A report, with what it states about itself.
   *
   * @param report with the tests
   * @param summary how many tests ended in which way, as the file states it
   */
  record Claimed(CtsReport report, Map<String, Double> summary) {}

  private ReportReader() {}

  /**
   * The content of a text file.
   *
   * @throws BadReportException if it is missing, too large, or not UTF-8
   */
  static String text(Path file) throws BadReportException {
    if (!Files.exists(file)) {
      throw new BadReportException("there is no " + file);
    }
    if (!Files.isRegularFile(file)) {
      throw new BadReportException(file + " is not a file");
    }
    byte[] bytes;
    try (InputStream in = Files.newInputStream(file)) {
      bytes = in.readNBytes((int) MAX_BYTES + 1); // the size may change meanwhile
    } catch (IOException e) {
      throw new BadReportException(
          HostFailures.of(Status.DATA_LOSS, file + " cannot be read", e).getMessage());
    }
    if (bytes.length > MAX_BYTES) {
      throw new BadReportException(file + " has more than " + MAX_BYTES + " bytes");
    }
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      throw new BadReportException(file + " is not a text in UTF-8");
    }
  }

  /**
   * The report in {@code json}.
   *
   * @throws BadReportException if it is not a report; the message states where and why
   */
  static Claimed read(String json) throws BadReportException {
    Map<String, Object> root = object("the file", Json.parse(json));
    Object format = root.remove("format");
    if (!CtsReport.FORMAT.equals(format)) {
      throw new BadReportException(
          "format: is " + show(format) + ", expected \"" + CtsReport.FORMAT + "\"");
    }
    CtsReport.Ending ending =
        label("ending", root.remove("ending"), CtsReport.Ending.values(), CtsReport::label);
    Map<String, Double> summary = new LinkedHashMap<>();
    for (Map.Entry<String, Object> count : object("summary", root.remove("summary")).entrySet()) {
      summary.put(count.getKey(), number("summary." + count.getKey(), count.getValue()));
    }
    List<CtsReport.Entry> entries = new ArrayList<>();
    for (Object test : array("tests", root.remove("tests"))) {
      String where = "tests[" + entries.size() + "]";
      entries.add(entry(where, object(where, test)));
    }
    Map<String, String> facts = new LinkedHashMap<>();
    for (Map.Entry<String, Object> fact : root.entrySet()) {
      facts.put(fact.getKey(), string(fact.getKey(), fact.getValue()));
    }
    return new Claimed(new CtsReport(facts, entries, ending), summary);
  }

  private static CtsReport.Entry entry(String where, Map<String, Object> test)
      throws BadReportException {
    for (String key : test.keySet()) {
      if (!TEST_KEYS.contains(key)) {
        throw new BadReportException(
            where + ": has the key " + show(key) + ", expected only " + TEST_KEYS);
      }
    }
    List<String> rules = new ArrayList<>();
    for (Object rule : array(where + ".rules", test.get("rules"))) {
      rules.add(string(where + ".rules[" + rules.size() + "]", rule));
    }
    double seconds = number(where + ".seconds", test.get("seconds"));
    if (seconds < 0) {
      throw new BadReportException(where + ".seconds: is " + seconds + ", expected at least 0");
    }
    return new CtsReport.Entry(
        string(where + ".test", test.get("test")),
        string(where + ".display", test.get("display")),
        rules,
        label(
            where + ".outcome", test.get("outcome"), CtsReport.Outcome.values(), CtsReport::label),
        string(where + ".detail", test.get("detail")),
        seconds);
  }

  private static <E extends Enum<E>> E label(
      String where, @Nullable Object value, E[] values, Function<E, String> label)
      throws BadReportException {
    List<String> labels = new ArrayList<>();
    for (E one : values) {
      if (label.apply(one).equals(value)) {
        return one;
      }
      labels.add(label.apply(one));
    }
    throw new BadReportException(where + ": is " + show(value) + ", expected one of " + labels);
  }

  private static Map<String, Object> object(String where, @Nullable Object value)
      throws BadReportException {
    if (!(value instanceof Map<?, ?> map)) {
      throw wrong(where, value, "an object");
    }
    Map<String, Object> object = new LinkedHashMap<>();
    map.forEach((key, one) -> object.put(String.valueOf(key), one));
    return object;
  }

  private static List<?> array(String where, @Nullable Object value) throws BadReportException {
    if (!(value instanceof List<?> list)) {
      throw wrong(where, value, "an array");
    }
    return list;
  }

  private static String string(String where, @Nullable Object value) throws BadReportException {
    if (!(value instanceof String string)) {
      throw wrong(where, value, "a string");
    }
    return string;
  }

  private static double number(String where, @Nullable Object value) throws BadReportException {
    if (!(value instanceof Double number) || !Double.isFinite(number)) {
      throw wrong(where, value, "a number");
    }
    return number;
  }

  private static BadReportException wrong(String where, @Nullable Object value, String expected) {
    return new BadReportException(
        Printable.of(where) + ": is " + show(value) + ", expected " + expected);
  }

  private static String show(@Nullable Object value) {
    if (value == null) {
      return "missing";
    }
    if (value instanceof Map || value instanceof List) {
      return value instanceof Map ? "an object" : "an array";
    }
    return Printable.of(value instanceof String text ? Json.quote(text) : value.toString());
  }
}
