// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli.trace;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jhal.cli.text.Table;
import org.jhal.cli.text.Units;
import org.jhal.cli.trace.TraceSummary.Path;
import org.jhal.cli.trace.TraceSummary.Place;
import org.jhal.cli.trace.TraceSummary.Segment;
import org.jhal.cli.trace.TraceSummary.Wait;
import org.jhal.cli.trace.TraceSummary.Work;

/** A summary as text for people. */
final class SummaryText {
  /** How many rows a table has; the JSON has all. */
  private static final int MOST = 20;

  private final StringWriter text = new StringWriter();
  private final PrintWriter out = new PrintWriter(text);
  private final TraceSummary summary;

  private SummaryText(TraceSummary summary) {
    this.summary = summary;
  }

  static List<String> lines(TraceSummary summary) {
    SummaryText made = new SummaryText(summary);
    made.write();
    return made.text.toString().lines().toList();
  }

  private void write() {
    List<String> parts = new ArrayList<>();
    parts.add(summary.operations() + " operations in " + Units.nanos(summary.span()));
    if (summary.failed() > 0) {
      parts.add(summary.failed() + " failed");
    }
    if (summary.unfinished() > 0) {
      parts.add(summary.unfinished() + " unfinished");
    }
    out.println(String.join(", ", parts));
    if (summary.hostTimed() > 0) {
      out.println(
          summary.hostTimed()
              + " of them have no times of the device: theirs are as the host saw them");
    }
    work("Work", summary.work());
    work("Commands", summary.commands());
    work("Loading", summary.loading());
    places();
    waits();
    path(summary.path());
    summary.limits().forEach(limit -> out.println("Incomplete: " + limit));
    out.flush();
  }

  private void work(String title, List<Work> rows) {
    if (rows.isEmpty()) {
      return;
    }
    out.println();
    Table table = new Table();
    table.row(title, "count", "total", "mean", "longest", "");
    for (Work row : rows.subList(0, Math.min(MOST, rows.size()))) {
      List<String> remarks = new ArrayList<>();
      if (row.bytes() >= 0) {
        remarks.add(Units.bytes(row.bytes()));
      }
      if (row.failed() > 0) {
        remarks.add(row.failed() + " failed");
      }
      if (row.unfinished() > 0) {
        remarks.add(row.unfinished() + " unfinished");
      }
      table.row(
          row.name(),
          String.valueOf(row.count()),
          Units.nanos(row.total()),
          Units.nanos(row.mean()),
          Units.nanos(row.longest()),
          String.join(", ", remarks));
    }
    table.print(out);
    more(rows.size());
  }

  private void more(int rows) {
    if (rows > MOST) {
      out.println("and " + (rows - MOST) + " more");
    }
  }

  private void places() {
    if (summary.places().isEmpty()) {
      return;
    }
    out.println();
    Table table = new Table();
    table.row("Device", "queue", "operations", "busy", "", "idle");
    List<Place> places = summary.places();
    for (Place place : places.subList(0, Math.min(MOST, places.size()))) {
      table.row(
          place.device(),
          place.queue().isEmpty() ? "all" : place.queue(),
          String.valueOf(place.operations()),
          Units.nanos(place.busy()),
          percent(place.busy(), summary.span()),
          Units.nanos(place.idle()));
    }
    table.print(out);
    more(places.size());
  }

  private void waits() {
    if (summary.waits().isEmpty()) {
      return;
    }
    out.println();
    Table table = new Table();
    table.row("Longest waits", "of", "took", "for");
    for (Wait wait : summary.waits()) {
      String outcome = wait.outcome().equals("reached") ? "" : " (" + wait.outcome() + ")";
      table.row(wait.who(), wait.where(), Units.nanos(wait.took()), wait.forWhom() + outcome);
    }
    table.print(out);
  }

  private void path(Path path) {
    if (path.segments().isEmpty()) {
      return;
    }
    out.println();
    out.printf(
        Locale.ROOT,
        "Critical path: %s; operations %s, host %s, between them %s%n",
        Units.nanos(path.took()),
        percent(path.ran(), path.took()),
        percent(path.onHost(), path.took()),
        percent(path.between(), path.took()));
    if (!path.isWhole()) {
      out.println("It begins with something that is not in the recording, or not remembered");
    }
    Table table = new Table();
    boolean isLong = path.segments().size() > MOST;
    if (isLong) {
      table.row("by share", "of", "count", "took", "", "after waiting");
      List<Segment> shares = shares(path);
      for (Segment share : shares.subList(0, Math.min(MOST, shares.size()))) {
        table.row(segment(share, path));
      }
      table.print(out);
      more(shares.size());
      return;
    }
    table.row("in order", "of", "count", "took", "", "after waiting");
    path.segments().forEach(segment -> table.row(segment(segment, path)));
    table.print(out);
  }

  private static String[] segment(Segment segment, Path path) {
    return new String[] {
      segment.name(),
      segment.where(),
      String.valueOf(segment.count()),
      Units.nanos(segment.ran()),
      percent(segment.ran(), path.took()),
      segment.before() == 0 ? "" : Units.nanos(segment.before())
    };
  }

  /** The segments of a long path by kind, those that took longest first. */
  private static List<Segment> shares(Path path) {
    Map<List<String>, Segment> shares = new LinkedHashMap<>();
    for (Segment segment : path.segments()) {
      shares.merge(
          List.of(segment.name(), segment.where()),
          segment,
          (a, b) ->
              new Segment(
                  a.name(),
                  a.where(),
                  a.begin(),
                  a.count() + b.count(),
                  a.ran() + b.ran(),
                  a.before() + b.before()));
    }
    return shares.values().stream()
        .sorted(Comparator.comparingLong((Segment it) -> it.ran() + it.before()).reversed())
        .toList();
  }

  private static String percent(long part, long whole) {
    return whole <= 0 ? "0 %" : String.format(Locale.ROOT, "%.0f %%", 100.0 * part / whole);
  }
}
