// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jhal.bench.measure.Spread;
import org.jhal.cts.html.Html;
import org.jspecify.annotations.Nullable;

/**
 * Results as a page for people: ratios as bars with their spread, and two runs side by side.
 *
 * <p>Used by one thread.
 */
public final class Page {
  private static final String STYLE =
      """
      body { max-width: 110rem; } p { max-width: 72rem; }
      svg rect.a { fill: #3b82c4; } svg rect.b { fill: #c98a2b; }
      svg line { stroke: var(--ink); stroke-width: 1.5; }
      svg line.one { stroke: var(--dim); stroke-dasharray: 2 2; stroke-width: 1; }
      svg line.aim { stroke: var(--bad); stroke-width: 2; }
      .key { font-weight: 600; } .a.key { color: #3b82c4; } .b.key { color: #c98a2b; }
      """;

  private static final int WIDTH = 260;
  private static final int HEIGHT = 16;

  /** How much wider than the widest median a bar's scale is at most; spreads beyond are cut. */
  private static final double ROOM = 2.5;

  /**
   * A run on the page.
   *
   * @param key a letter that stands for it, also the class of its bars
   * @param name for people
   * @param results of the run
   */
  private record Run(String key, String name, Results results) {}

  private final List<Run> runs = new ArrayList<>(); // one or two
  private final Html page;

  private Page(String name, Results results, @Nullable String otherName, @Nullable Results other) {
    runs.add(new Run("a", name, results));
    if (other != null) {
      runs.add(new Run("b", String.valueOf(otherName), other));
    }
    page = new Html("Benchmarks of " + device(results), STYLE);
  }

  /** The page of one run, called {@code name}. */
  public static String of(String name, Results results) {
    return new Page(name, results, null, null).write();
  }

  /** The page of two runs side by side. */
  public static String of(String name, Results results, String otherName, Results other) {
    return new Page(name, results, otherName, other).write();
  }

  private static String device(Results results) {
    return results.facts().getOrDefault("device", "no device").split(", ", 2)[0];
  }

  private String write() {
    page.element(
        "h1",
        "Benchmarks of "
            + runs.stream()
                .map(run -> device(run.results()))
                .distinct()
                .collect(Collectors.joining(" and ")));
    machines();
    page.element("h2", "How to read it");
    page.element(
        "p",
        "Each number is the median over the rounds, with the smallest and the largest in brackets. "
            + "A bar is the median of the ratios JHAL / peer, taken round by round; the line "
            + "across its end reaches from the smallest ratio to the largest. The dashed line is "
            + "1: as much as the peer. The thick line is the aim, where there is one. Whether less "
            + "is better depends on the metric: times and bytes are to be low, GB/s high. An aim "
            + "that is not about a ratio has a bar of what it is about.");
    Map<String, List<Run>> byCase = new LinkedHashMap<>();
    for (Run run : runs) {
      for (Results.Case one : run.results().cases()) {
        byCase.computeIfAbsent(one.name(), none -> new ArrayList<>()).add(run);
      }
    }
    if (byCase.isEmpty()) {
      page.element("p", "Nothing was measured.");
    }
    byCase.keySet().forEach(this::oneCase);
    return page.end();
  }

  private void machines() {
    page.element("h2", "What was measured, and where");
    List<String> columns = new ArrayList<>(List.of(""));
    runs.forEach(run -> columns.add(runs.size() == 1 ? run.name() : run.key() + ": " + run.name()));
    page.openTable(columns.toArray(String[]::new));
    Set<String> names = new LinkedHashSet<>();
    runs.forEach(run -> names.addAll(run.results().facts().keySet()));
    for (String name : names) {
      page.row(
          name,
          runs.stream()
              .map(run -> run.results().facts().getOrDefault(name, "-"))
              .toArray(String[]::new));
    }
    page.closeTable();
    if (runs.size() > 1) {
      page.element(
          "p",
          "Ratios can be compared between machines, other numbers only between runs on the same.");
    }
  }

  /** What identifies a line in both runs. */
  private record Key(String label, String metric, @Nullable String baseline) {
    /** What identifies the row, whatever is measured beside it. */
    Key ofRow() {
      return new Key(label, metric, null);
    }
  }

  /** A line of a run: a row, and one of its baselines if it has any. */
  private record Line(Run run, Results.Row row, Results.@Nullable Side baseline, boolean isFirst) {
    Spread ratio() {
      return baseline == null
          ? new Spread(Double.NaN, Double.NaN, Double.NaN)
          : Spread.ofRatios(row.jhal().samples(), baseline.samples());
    }

    /** The aims that belong here: those about this baseline, and the first line has the rest. */
    List<Results.Aim> aims() {
      return row.aims().stream()
          .filter(
              aim ->
                  aim.of().equals("lowest")
                      ? baseline != null && baseline.equals(lowest(row))
                      : aim.baseline() == null
                          ? isFirst
                          : baseline != null && aim.baseline().equals(baseline.name()))
          .toList();
    }
  }

  private static Results.@Nullable Side lowest(Results.Row row) {
    Results.Side lowest = null;
    for (Results.Side baseline : row.baselines()) {
      double median = Spread.of(baseline.samples()).median();
      if (lowest == null || median < Spread.of(lowest.samples()).median()) {
        lowest = baseline;
      }
    }
    return lowest;
  }

  private static boolean isOfRatio(Results.Aim aim) {
    return aim.of().equals("ratio") || aim.of().equals("lowest");
  }

  private void oneCase(String name) {
    Map<Key, List<Line>> lines = new LinkedHashMap<>();
    Set<String> notes = new LinkedHashSet<>();
    String title = "";
    String unit = "";
    for (Run run : runs) {
      for (Results.Case one : run.results().cases()) {
        if (one.name().equals(name)) {
          title = title.isEmpty() ? one.description() : title;
          unit = one.unit();
          one.rows().forEach(row -> addLines(lines, notes, run, row));
        }
      }
    }
    page.element("h2", name);
    page.element("p", title + (title.isEmpty() ? "" : "; ") + unit + " each");
    List<String> columns = new ArrayList<>(List.of("Series", "metric"));
    if (runs.size() > 1) {
      columns.add("run");
    }
    columns.addAll(List.of("JHAL", "peer", "its number", "JHAL / peer", "", "aim"));
    if (runs.size() > 1) {
      columns.add("JHAL a / b");
    }
    page.openTable(columns.toArray(String[]::new));
    double scale = scale(lines);
    Map<Key, List<Line>> byRow = new LinkedHashMap<>(); // one line of each run that has it
    lines.forEach(
        (key, both) ->
            both.stream().filter(Line::isFirst).forEach(line -> add(byRow, key.ofRow(), line)));
    Set<Key> seen = new LinkedHashSet<>();
    lines.forEach(
        (key, both) -> {
          boolean isRepeated = !seen.add(key.ofRow()); // the change is shown once for all baselines
          rows(
              key,
              both,
              scale,
              isRepeated ? "" : change(byRow.getOrDefault(key.ofRow(), List.of())));
        });
    page.closeTable();
    notes.forEach(note -> page.element("p", note, "class", "bad"));
  }

  private void addLines(Map<Key, List<Line>> lines, Set<String> notes, Run run, Results.Row row) {
    String where = runs.size() == 1 ? "" : run.key() + ": ";
    if (row.jhal().absence() != null) {
      notes.add(where + "JHAL " + row.jhal().absence());
    }
    if (row.baselines().isEmpty()) {
      add(lines, new Key(row.label(), row.metric(), null), new Line(run, row, null, true));
    }
    for (int i = 0; i < row.baselines().size(); i++) {
      Results.Side baseline = row.baselines().get(i);
      Key key = new Key(row.label(), row.metric(), baseline.name());
      add(lines, key, new Line(run, row, baseline, i == 0));
      if (baseline.absence() != null) {
        notes.add(where + baseline.name() + " " + baseline.absence());
      }
    }
  }

  private static void add(Map<Key, List<Line>> lines, Key key, Line line) {
    lines.computeIfAbsent(key, none -> new ArrayList<>()).add(line);
  }

  /** The ratio at the right end of all bars of a case. */
  private static double scale(Map<Key, List<Line>> lines) {
    double widest = 1;
    double end = 1;
    for (List<Line> both : lines.values()) {
      for (Line line : both) {
        Spread ratio = line.ratio();
        if (isShown(ratio)) {
          widest = Math.max(widest, ratio.median());
          end = Math.max(end, ratio.max());
        }
        for (Results.Aim aim : line.aims()) {
          widest = isOfRatio(aim) ? Math.max(widest, aim.limit()) : widest;
        }
      }
    }
    return Math.max(widest * 1.05, Math.min(end * 1.02, widest * ROOM));
  }

  private static boolean isShown(Spread spread) {
    return Double.isFinite(spread.median()) && Double.isFinite(spread.max()) && spread.min() >= 0;
  }

  private void rows(Key key, List<Line> both, double scale, String change) {
    String span = String.valueOf(both.size());
    boolean isFirst = true;
    for (Line line : both) {
      page.open("tr");
      if (isFirst) {
        page.element("th", key.label(), "scope", "row", "rowspan", span);
        page.element("td", key.metric(), "rowspan", span);
      }
      if (runs.size() > 1) {
        page.open("td").element("span", line.run().key(), "class", line.run().key() + " key");
        page.close();
      }
      cells(line, scale);
      if (runs.size() > 1 && isFirst) {
        page.element("td", change, "class", "number", "rowspan", span);
      }
      page.close();
      isFirst = false;
    }
  }

  private void cells(Line line, double scale) {
    Spread ratio = line.ratio();
    page.element("td", Report.text(Spread.of(line.row().jhal().samples())), "class", "number");
    page.element("td", line.baseline() == null ? "" : line.baseline().name());
    page.element(
        "td",
        line.baseline() == null ? "" : Report.text(Spread.of(line.baseline().samples())),
        "class",
        "number");
    page.element("td", line.baseline() == null ? "" : Report.text(ratio), "class", "number");
    page.open("td");
    if (isShown(ratio)) {
      Double limit = null;
      for (Results.Aim aim : line.aims()) {
        limit = isOfRatio(aim) ? Double.valueOf(aim.limit()) : limit;
      }
      bar(line.run(), "JHAL / peer", ratio, limit, scale, true);
    }
    for (Results.Aim aim : line.aims()) {
      if (!isOfRatio(aim) && Double.isFinite(aim.measured()) && aim.measured() >= 0) {
        Spread value =
            aim.of().equals("value")
                ? Spread.of(line.row().jhal().samples())
                : new Spread(aim.measured(), aim.measured(), aim.measured());
        double end = Math.max(aim.limit(), isShown(value) ? value.max() : aim.measured()) * 1.05;
        bar(line.run(), aim.of(), value, aim.limit(), end, false);
      }
    }
    page.close().open("td");
    for (Results.Aim aim : line.aims()) {
      Boolean isMet = aim.isMet();
      page.element("span", text(aim), "class", isMet == null ? "dim" : isMet ? "good" : "bad");
      page.text(" ");
    }
    page.close();
  }

  private static String text(Results.Aim aim) {
    Boolean isMet = aim.isMet();
    return (isOfRatio(aim) ? "" : aim.of() + " ")
        + (aim.isLeast() ? "at least " : "at most ")
        + limit(aim)
        + (isMet == null ? ": not measured" : isMet ? ": met" : ": missed");
  }

  private static String limit(Results.Aim aim) {
    boolean isWhole = aim.limit() == Math.rint(aim.limit());
    return isWhole ? String.format(Locale.ROOT, "%.0f", aim.limit()) : Report.text(aim.limit());
  }

  /** JHAL's own number in one run by that in the other, if there are both. */
  private static String change(List<Line> both) {
    if (both.size() < 2) {
      return "-";
    }
    double a = Spread.of(both.get(0).row().jhal().samples()).median();
    double b = Spread.of(both.get(1).row().jhal().samples()).median();
    double change = a / b;
    return Double.isFinite(change) ? Report.text(change) : "-";
  }

  /**
   * A horizontal bar with its spread.
   *
   * @param what it shows, for those who cannot see it
   * @param limit where the aim is, or null
   * @param end the value at the right end
   * @param isRatio whether to mark 1
   */
  private void bar(
      Run run, String what, Spread spread, @Nullable Double limit, double end, boolean isRatio) {
    String label =
        what + " " + Report.text(spread) + (limit == null ? "" : ", aim " + Report.text(limit));
    page.open(
        "svg",
        "xmlns",
        "http://www.w3.org/2000/svg",
        "width",
        String.valueOf(WIDTH),
        "height",
        String.valueOf(HEIGHT),
        "role",
        "img",
        "aria-label",
        label);
    page.open(
            "rect",
            "class",
            run.key(),
            "x",
            "0",
            "y",
            "3",
            "height",
            String.valueOf(HEIGHT - 6),
            "width",
            place(spread.median(), end))
        .close();
    String middle = String.valueOf(HEIGHT / 2);
    line("spread", place(spread.min(), end), middle, place(spread.max(), end), middle);
    if (isRatio) {
      upright("one", place(1, end));
    }
    if (limit != null) {
      upright("aim", place(limit, end));
    }
    page.close();
  }

  private void upright(String style, String x) {
    line(style, x, "0", x, String.valueOf(HEIGHT));
  }

  private void line(String style, String x1, String y1, String x2, String y2) {
    page.open("line", "class", style, "x1", x1, "y1", y1, "x2", x2, "y2", y2).close();
  }

  private static String place(double value, double end) {
    double place = end > 0 ? Math.min(1, value / end) * WIDTH : 0;
    return String.format(Locale.ROOT, "%.1f", place);
  }
}
