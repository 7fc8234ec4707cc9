// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.report;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jhal.bench.measure.Absence;
import org.jhal.bench.measure.Aim;
import org.jhal.bench.measure.BenchCase;
import org.jhal.bench.measure.Row;
import org.jhal.bench.measure.Spread;
import org.jhal.bench.measure.Subject;
import org.jspecify.annotations.Nullable;

/** Writes results: as tables for people, case by case, and all of them as JSON. */
public final class Report {
  /** The format of {@link #toJson}; docs/results/README.md describes it. */
  static final String FORMAT = "jhal-bench-1";

  private static final Gson GSON = new GsonBuilder().setPrettyPrinting().create();
  private static final String LINE = "%-22s %-10s %26s   %-24s %26s %22s %22s  %s%n";

  /** Printed for a row without a baseline. */
  private static final Row.Baseline NONE = new Row.Baseline("", new double[0], null);

  private final JsonObject root = new JsonObject();
  private final JsonArray cases = new JsonArray();

  /**
   * Without results yet.
   *
   * @param facts what results depend on, by name
   */
  public Report(Map<String, String> facts) {
    root.addProperty("format", FORMAT);
    facts.forEach(root::addProperty);
    root.add("cases", cases);
  }

  /** Adds the rows of a case; returns its table. */
  public String add(BenchCase benchCase, List<Row> rows, String loadBefore, String loadAfter) {
    JsonObject json = new JsonObject();
    json.addProperty("name", benchCase.name());
    json.addProperty("description", benchCase.description());
    json.addProperty("unit", benchCase.unit());
    json.addProperty("loadBefore", loadBefore);
    json.addProperty("loadAfter", loadAfter);
    JsonArray jsonRows = new JsonArray();
    json.add("rows", jsonRows);
    cases.add(json);

    StringBuilder table = new StringBuilder();
    table.append(
        String.format(
            Locale.ROOT,
            "%n%s: %s%n(%s each; load %s, then %s)%n",
            benchCase.name(),
            benchCase.description(),
            benchCase.unit(),
            loadBefore,
            loadAfter));
    String toFirst = benchCase.scales() ? "to " + rows.get(0).label() : "";
    table.append(line("", "", "JHAL", "peer", "", "JHAL / peer", toFirst, "aim"));
    Set<String> notes = new LinkedHashSet<>();
    for (Row row : rows) {
      note(notes, Subject.JHAL, row.absence());
      jsonRows.add(json(row));
      for (int i = 0; i < Math.max(1, row.baselines().size()); i++) {
        Row.Baseline baseline = i < row.baselines().size() ? row.baselines().get(i) : NONE;
        boolean isFirst = i == 0;
        note(notes, baseline.name(), baseline.absence());
        table.append(
            line(
                isFirst ? row.label() : "",
                isFirst ? row.metric() : "",
                isFirst ? text(Spread.of(row.jhal())) : "",
                baseline.name(),
                baseline == NONE ? "" : text(Spread.of(baseline.samples())),
                baseline == NONE ? "" : text(Spread.ofRatios(row.jhal(), baseline.samples())),
                isFirst && row.smallest() != null
                    ? text(Spread.ofRatios(row.jhal(), row.smallest()))
                    : "",
                aims(row, baseline.name(), isFirst)));
      }
    }
    notes.forEach(note -> table.append(note).append(System.lineSeparator()));
    return table.toString();
  }

  private static void note(Set<String> notes, String name, @Nullable Absence absence) {
    if (absence != null) {
      notes.add(name + (absence.isFailure() ? " failed: " : " was not measured: ") + absence.why());
    }
  }

  /**
   * The aims in the line of {@code baseline}: its own; the first line also has those of no
   * baseline.
   */
  private static String aims(Row row, String baseline, boolean isFirst) {
    return row.aims().stream()
        .filter(aim -> aim.baseline() == null ? isFirst : aim.baseline().equals(baseline))
        .map(aim -> aim.text(row))
        .collect(Collectors.joining(", "));
  }

  /** Everything that was added, with the samples. */
  public String toJson() {
    return GSON.toJson(root);
  }

  private static String line(Object... cells) {
    return String.format(Locale.ROOT, LINE, cells).replaceAll(" +(\\R)$", "$1");
  }

  private static JsonObject json(Row row) {
    JsonObject json = new JsonObject();
    json.addProperty("label", row.label());
    json.addProperty("metric", row.metric());
    json.add("jhal", json(row.jhal(), row.absence()));
    if (row.smallest() != null) {
      json.add("toFirst", number(Spread.ofRatios(row.jhal(), row.smallest()).median()));
    }
    JsonArray baselines = new JsonArray();
    for (Row.Baseline baseline : row.baselines()) {
      JsonObject jsonBaseline = json(baseline.samples(), baseline.absence());
      jsonBaseline.addProperty("name", baseline.name());
      Spread ratio = Spread.ofRatios(row.jhal(), baseline.samples());
      jsonBaseline.add("ratio", number(ratio.median()));
      jsonBaseline.add("ratioMin", number(ratio.min()));
      jsonBaseline.add("ratioMax", number(ratio.max()));
      baselines.add(jsonBaseline);
    }
    json.add("peers", baselines);
    if (!row.aims().isEmpty()) {
      JsonArray aims = new JsonArray();
      row.aims().forEach(aim -> aims.add(json(aim, row)));
      json.add("aims", aims);
    }
    return json;
  }

  private static JsonObject json(Aim aim, Row row) {
    JsonObject json = new JsonObject();
    json.addProperty("of", aim.of().name().toLowerCase(Locale.ROOT));
    if (aim.baseline() != null) {
      json.addProperty("peer", aim.baseline());
    }
    json.addProperty(aim.isLeast() ? "atLeast" : "atMost", aim.limit());
    json.add("measured", number(aim.measured(row)));
    Boolean isMet = aim.isMet(row);
    json.add("met", isMet == null ? JsonNull.INSTANCE : new JsonPrimitive(isMet));
    return json;
  }

  private static JsonObject json(double[] samples, @Nullable Absence absence) {
    Spread spread = Spread.of(samples);
    JsonObject json = new JsonObject();
    if (absence != null) {
      json.addProperty(absence.isFailure() ? "failure" : "missing", absence.why());
    }
    json.add("median", number(spread.median()));
    json.add("min", number(spread.min()));
    json.add("max", number(spread.max()));
    JsonArray all = new JsonArray();
    for (double sample : samples) {
      all.add(number(sample));
    }
    json.add("samples", all);
    return json;
  }

  /** A number as JSON; null for NaN, which JSON cannot express. */
  private static JsonElement number(double value) {
    return Double.isFinite(value) ? new JsonPrimitive(value) : JsonNull.INSTANCE;
  }

  static String text(Spread spread) {
    return Double.isFinite(spread.median())
        ? text(spread.median()) + " (" + text(spread.min()) + ".." + text(spread.max()) + ")"
        : "-";
  }

  /** Three digits, or all before the point. */
  static String text(double value) {
    double size = Math.abs(value);
    int digits = size >= 100 ? 0 : size >= 10 ? 1 : 2;
    return String.format(Locale.ROOT, "%." + digits + "f", value);
  }
}
