// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.report;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import com.google.gson.Strictness;
import com.google.gson.stream.JsonReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jhal.cts.html.ReportFile;
import org.jspecify.annotations.Nullable;

/**
 * What {@link Report#toJson} writes, read again.
 *
 * @param facts what the results depend on, by name
 * @param cases what was measured
 */
public record Results(Map<String, String> facts, List<Case> cases) {
  /** The largest file that is read, in bytes. */
  static final long MAX_BYTES = 64L << 20;

  /**
   * A case.
   *
   * @param name of the case
   * @param description one line for people, or empty
   * @param unit of its metrics
   * @param rows by series, then by metric
   */
  record Case(String name, String description, String unit, List<Row> rows) {}

  /**
   * A row of a case.
   *
   * @param label of the series
   * @param metric what was measured
   * @param jhal the side that is compared
   * @param baselines what it is compared with
   * @param aims of this row
   */
  record Row(String label, String metric, Side jhal, List<Side> baselines, List<Aim> aims) {}

  /**
   * A side of a row.
   *
   * @param name of a baseline, or {@code JHAL}
   * @param samples by round; not numbers where there are none
   * @param absence why there are none, or null
   */
  record Side(String name, double[] samples, @Nullable String absence) {}

  /**
   * An aim.
   *
   * @param of {@code value}, {@code ratio}, {@code lowest} or {@code growth}
   * @param baseline whom it is about, or null
   * @param isLeast whether the limit is the least that is wanted
   * @param limit in the unit of what is compared
   * @param measured what is compared with the limit; NaN if it was not measured
   * @param isMet whether it is met, or null if it was not measured
   */
  record Aim(
      String of,
      @Nullable String baseline,
      boolean isLeast,
      double limit,
      double measured,
      @Nullable Boolean isMet) {}

  /**
   * The results in a file.
   *
   * @throws BadResultsException if it cannot be read, or has no results
   */
  public static Results read(Path file) throws BadResultsException {
    byte[] bytes;
    try (InputStream in = Files.newInputStream(file)) {
      bytes = in.readNBytes((int) MAX_BYTES + 1);
    } catch (IOException e) {
      throw new BadResultsException("cannot be read: " + ReportFile.reason(file, e));
    }
    if (bytes.length > MAX_BYTES) {
      throw new BadResultsException("has more than " + MAX_BYTES + " bytes");
    }
    return parse(new String(bytes, StandardCharsets.UTF_8));
  }

  /**
   * The results that {@code json} has.
   *
   * @throws BadResultsException if it has none
   */
  public static Results parse(String json) throws BadResultsException {
    JsonElement root;
    try (JsonReader reader = new JsonReader(new StringReader(json))) {
      reader.setStrictness(Strictness.STRICT);
      root = JsonParser.parseReader(reader);
    } catch (JsonParseException | IOException e) {
      throw new BadResultsException("is not JSON: " + e.getMessage());
    }
    JsonObject object = object("the file", root);
    Map<String, String> facts = new LinkedHashMap<>();
    List<Case> cases = new ArrayList<>();
    for (JsonElement one : array("the file", object, "cases")) {
      String where = "cases[" + cases.size() + "]";
      cases.add(oneCase(where, object(where, one)));
    }
    for (Map.Entry<String, JsonElement> fact : object.entrySet()) {
      switch (fact.getKey()) {
        case "cases" -> {}
        case "format" -> checkFormat(string("the file", object, "format"));
        case "notes" -> facts.put("notes", notes(array("the file", object, "notes")));
        default -> facts.put(fact.getKey(), string("the file", object, fact.getKey()));
      }
    }
    return new Results(facts, cases);
  }

  private static void checkFormat(String format) throws BadResultsException {
    if (!format.equals(Report.FORMAT)) {
      throw new BadResultsException(
          "the file.format: is \"" + format + "\", expected \"" + Report.FORMAT + '"');
    }
  }

  private static String notes(Iterable<JsonElement> notes) throws BadResultsException {
    List<String> all = new ArrayList<>();
    for (JsonElement note : notes) {
      if (!(note instanceof JsonPrimitive primitive && primitive.isString())) {
        throw wrong("the file.notes[" + all.size() + "]", note, "a string");
      }
      all.add(note.getAsString());
    }
    return String.join(" ", all);
  }

  private static Case oneCase(String where, JsonObject json) throws BadResultsException {
    List<Row> rows = new ArrayList<>();
    for (JsonElement row : array(where, json, "rows")) {
      String place = where + ".rows[" + rows.size() + "]";
      rows.add(row(place, object(place, row)));
    }
    return new Case(
        string(where, json, "name"),
        json.has("description") ? string(where, json, "description") : "",
        string(where, json, "unit"),
        rows);
  }

  private static Row row(String where, JsonObject json) throws BadResultsException {
    String place = where + ".jhal";
    Side jhal = side(place, object(place, json.get("jhal")), "JHAL");
    List<Side> baselines = new ArrayList<>();
    for (JsonElement baseline : array(where, json, "peers")) {
      place = where + ".peers[" + baselines.size() + "]";
      JsonObject object = object(place, baseline);
      Side side = side(place, object, string(place, object, "name"));
      if (side.samples().length != jhal.samples().length) {
        throw new BadResultsException(
            place
                + ".samples: are "
                + side.samples().length
                + ", expected "
                + jhal.samples().length
                + ", as many as of JHAL");
      }
      baselines.add(side);
    }
    List<Aim> aims = new ArrayList<>();
    if (json.has("aims")) {
      for (JsonElement aim : array(where, json, "aims")) {
        place = where + ".aims[" + aims.size() + "]";
        aims.add(aim(place, object(place, aim)));
      }
    }
    return new Row(
        string(where, json, "label"), string(where, json, "metric"), jhal, baselines, aims);
  }

  private static Side side(String where, JsonObject json, String name) throws BadResultsException {
    List<Double> samples = new ArrayList<>();
    for (JsonElement sample : array(where, json, "samples")) {
      samples.add(number(where + ".samples[" + samples.size() + "]", sample));
    }
    if (samples.isEmpty()) {
      throw new BadResultsException(where + ".samples: are none, expected one for each round");
    }
    String absence = null;
    if (json.has("failure")) {
      absence = "failed: " + string(where, json, "failure");
    } else if (json.has("missing")) {
      absence = "was not measured: " + string(where, json, "missing");
    }
    return new Side(name, samples.stream().mapToDouble(one -> one).toArray(), absence);
  }

  private static Aim aim(String where, JsonObject json) throws BadResultsException {
    boolean isLeast = json.has("atLeast");
    String limit = isLeast ? "atLeast" : "atMost";
    double wanted = number(where + "." + limit, json.get(limit));
    if (Double.isNaN(wanted)) {
      throw wrong(where + "." + limit, json.get(limit), "a number");
    }
    JsonElement met = json.get("met"); // missing, or null, if it was not measured
    boolean hasVerdict = met != null && !met.isJsonNull();
    if (hasVerdict && !isBoolean(met)) {
      throw wrong(where + ".met", met, "true, false or null");
    }
    return new Aim(
        string(where, json, "of"),
        json.has("peer") ? string(where, json, "peer") : null,
        isLeast,
        wanted,
        json.has("measured") ? number(where + ".measured", json.get("measured")) : Double.NaN,
        hasVerdict ? met.getAsBoolean() : null);
  }

  private static boolean isBoolean(JsonElement value) {
    return value instanceof JsonPrimitive primitive && primitive.isBoolean();
  }

  private static JsonObject object(String where, @Nullable JsonElement value)
      throws BadResultsException {
    if (value instanceof JsonObject object) {
      return object;
    }
    throw wrong(where, value, "an object");
  }

  private static Iterable<JsonElement> array(String where, JsonObject json, String key)
      throws BadResultsException {
    JsonElement value = json.get(key);
    if (value != null && value.isJsonArray()) {
      return value.getAsJsonArray();
    }
    throw wrong(where + "." + key, value, "an array");
  }

  private static String string(String where, JsonObject json, String key)
      throws BadResultsException {
    if (json.get(key) instanceof JsonPrimitive primitive && primitive.isString()) {
      return primitive.getAsString();
    }
    throw wrong(where + "." + key, json.get(key), "a string");
  }

  /** Null stands for what is not a number. */
  private static double number(String where, @Nullable JsonElement value)
      throws BadResultsException {
    if (value != null && value.isJsonNull()) {
      return Double.NaN;
    }
    if (value instanceof JsonPrimitive primitive
        && primitive.isNumber()
        && Double.isFinite(primitive.getAsDouble())) {
      return primitive.getAsDouble();
    }
    throw wrong(where, value, "a number");
  }

  private static BadResultsException wrong(
      String where, @Nullable JsonElement value, String expected) {
    String found = value == null ? "missing" : value.toString();
    String shown = found.length() > 60 ? found.substring(0, 60) + "..." : found;
    return new BadResultsException(where + ": is " + shown + ", expected " + expected);
  }
}
