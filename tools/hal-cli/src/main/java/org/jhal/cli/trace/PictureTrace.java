// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli.trace;

import java.io.IOException;
import java.io.InputStream;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Draws a trace as SVG, alone or in a page that can be zoomed without a network. It shows the
 * earliest {@value #MOST} slices, and says how many there are.
 */
final class PictureTrace implements TraceSink {
  static final int MOST = 3_000;

  /** The default width of a picture. */
  static final int WIDTH = 1_230;

  private static final int RIGHT = 20;
  private static final double LETTER = 6.2; // the width of one, on average
  private static final int TOP = 34;
  private static final int ROW = 22;
  private static final int BAR = 16;
  private static final int GAP = 24; // above a group, for its name

  private static final Map<String, String> COLOURS =
      Map.ofEntries(
          Map.entry("dispatch", "#4c78a8"),
          Map.entry("indirect dispatch", "#4c78a8"),
          Map.entry("execute", "#4c78a8"),
          Map.entry("external", "#4c78a8"),
          Map.entry("upload", "#59a14f"),
          Map.entry("readback", "#8cd17d"),
          Map.entry("copy", "#86bcb6"),
          Map.entry("device copy", "#499894"),
          Map.entry("host call", "#b07aa1"),
          Map.entry("failed", "#e15759"),
          Map.entry("unfinished", "#f28e2b"),
          Map.entry("barrier", "#d8c3a5"),
          Map.entry("wait", "#d7d7d7"),
          Map.entry("signal", "#333333"));
  private static final String OTHER = "#edc948";

  /** The kinds whose colours need dark text. */
  private static final Set<String> LIGHT = Set.of("barrier", "copy", "readback", "wait");

  private static final Set<String> LOADING = Set.of("load", "compilation");

  private record Slice(
      Track track, String name, String kind, long begin, long end, Map<String, Object> details) {}

  private record Arrow(Point from, Point to, String name) {}

  private final Writer out;
  private final int left; // where the part with slices begins
  private final int width; // of that part
  private final boolean isPage;
  private final Supplier<List<String>> summary;
  private final PriorityQueue<Slice> slices =
      new PriorityQueue<>(Comparator.comparingLong(Slice::begin).reversed());
  private final PriorityQueue<Arrow> arrows =
      new PriorityQueue<>(Comparator.comparingLong((Arrow it) -> it.to().time()).reversed());
  private long sliceCount;
  private long from = Long.MAX_VALUE; // what is drawn, in the time of the trace
  private long to = Long.MIN_VALUE;
  private Span firstView = new Span(0, 0);

  /**
   * Draws on {@code out}.
   *
   * @param width of the picture in pixels, at least {@link TraceOutputs#LEAST_WIDTH}
   * @param summary for a page of HTML, the lines of its summary, called when the trace ends; null
   *     for SVG alone
   */
  PictureTrace(Writer out, int width, @Nullable Supplier<List<String>> summary) {
    this.out = out;
    this.left = Math.min(210, width / 4);
    this.width = width - left - RIGHT;
    this.isPage = summary != null;
    this.summary = summary == null ? List::of : summary;
  }

  @Override
  public void track(Track track) {}

  @Override
  public void slice(
      Track track, String name, String kind, long begin, long end, Map<String, Object> details) {
    sliceCount++;
    slices.add(new Slice(track, name, kind, begin, end, Map.copyOf(details)));
    if (slices.size() > MOST) {
      slices.remove(); // the latest one
    }
  }

  @Override
  public void instant(Track track, String name, long time, Map<String, Object> details) {}

  @Override
  public void arrow(Origin from, Point signal, Origin to, Point wait, String name) {
    arrows.add(new Arrow(signal, wait, name));
    if (arrows.size() > MOST) {
      arrows.remove();
    }
  }

  @Override
  public void counter(Track track, String name, long time, long value) {}

  @Override
  public void end() throws IOException {
    List<Slice> shown = new ArrayList<>(slices);
    shown.sort(
        Comparator.comparingLong(Slice::begin)
            .thenComparing(Slice::end, (a, b) -> Long.compare(b, a)));
    chooseRange(shown);
    if (isPage) {
      List<String> text = new ArrayList<>();
      summary.get().forEach(line -> text.add(Xml.escape(line)));
      String[] page = page().split("@SVG@|@SUMMARY@", 3);
      out.write(page[0]);
      out.write(String.join("\n", text));
      out.write(page[1]);
      svg(shown);
      out.write(page[2]);
    } else {
      svg(shown);
    }
    out.flush();
  }

  private static String page() throws IOException {
    try (InputStream in = PictureTrace.class.getResourceAsStream("page.html")) {
      if (in == null) {
        throw new IOException("page.html is missing in this build");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  /**
   * From the first operation to the last; without operations, everything. A page also reaches to
   * the loads and compilations around them, but begins with the operations.
   */
  private void chooseRange(List<Slice> shown) {
    widen(shown, slice -> slice.details().containsKey("operation"));
    if (from >= to) {
      widen(shown, slice -> true);
    }
    if (from >= to) {
      from = from == Long.MAX_VALUE ? 0 : from;
      to = from + 1;
    }
    firstView = new Span(from, to);
    if (isPage) {
      widen(shown, slice -> LOADING.contains(slice.kind()));
    }
  }

  private void widen(List<Slice> shown, Predicate<Slice> isWanted) {
    for (Slice slice : shown) {
      if (isWanted.test(slice)) {
        from = Math.min(from, slice.begin());
        to = Math.max(to, slice.end());
      }
    }
  }

  private double x(long time) {
    double part = (time - from) / (double) (to - from);
    return left + width * Math.max(0, Math.min(1, part));
  }

  private static String number(double value) {
    return number(value, 2);
  }

  private static String number(double value, int digits) {
    return String.format(Locale.ROOT, "%." + digits + "f", value);
  }

  private void svg(List<Slice> shown) throws IOException {
    // Devices first, then the host; tracks in the order in which they were made.
    Map<String, Map<Integer, Track>> groups =
        new TreeMap<>(
            Comparator.comparing((String name) -> name.equals("host"))
                .thenComparing(Comparator.naturalOrder()));
    for (Slice slice : shown) {
      if (slice.end() >= from && slice.begin() <= to) {
        Track track = slice.track();
        groups.computeIfAbsent(track.group(), name -> new TreeMap<>()).put(track.number(), track);
      }
    }
    Map<Integer, Integer> rows = new TreeMap<>();
    int height = TOP;
    for (Map<Integer, Track> tracks : groups.values()) {
      height += GAP;
      for (int number : tracks.keySet()) {
        rows.put(number, height);
        height += ROW;
      }
    }
    height += 30;
    out.write(
        String.format(
            Locale.ROOT,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\""
                + " height=\"%d\" font-family=\"sans-serif\" font-size=\"11\" data-left=\"%d\""
                + " data-width=\"%d\" data-range=\"%d\" data-from=\"%d\" data-to=\"%d\">%n",
            left + width + RIGHT,
            height,
            left + width + RIGHT,
            height,
            left,
            width,
            to - from,
            firstView.begin() - from,
            firstView.end() - from));
    out.write("<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n");
    out.write(
        "<defs><marker id=\"head\" viewBox=\"0 0 6 6\" refX=\"6\" refY=\"3\" markerWidth=\"6\""
            + " markerHeight=\"6\" orient=\"auto\"><path d=\"M0 0L6 3L0 6z\" fill=\"#444\"/>"
            + "</marker></defs>\n");
    axis(height);
    for (Map.Entry<String, Map<Integer, Track>> group : groups.entrySet()) {
      int top = row(rows, group.getValue().values().iterator().next());
      out.write(
          "<text x=\"4\" y=\""
              + (top - 6)
              + "\" font-weight=\"bold\">"
              + Xml.escape(group.getKey())
              + "</text>\n");
      for (Track track : group.getValue().values()) {
        int y = row(rows, track);
        out.write(
            "<text x=\"12\" y=\""
                + (y + 12)
                + "\">"
                + Xml.escape(shorten(track.name()))
                + "</text>\n");
        out.write(
            String.format(
                Locale.ROOT,
                "<line x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%d\" stroke=\"#eee\"/>%n",
                left,
                left + width,
                y + BAR + 3,
                y + BAR + 3));
      }
    }
    for (Slice slice : shown) {
      Integer y = rows.get(slice.track().number());
      if (y != null && slice.end() >= from && slice.begin() <= to) {
        slice(slice, y);
      }
    }
    long last = shown.isEmpty() ? 0 : shown.get(shown.size() - 1).begin();
    for (Arrow arrow : arrows) {
      Integer start = rows.get(arrow.from().track().number());
      Integer end = rows.get(arrow.to().track().number());
      boolean isInside =
          arrow.from().time() >= from && (sliceCount <= MOST || arrow.to().time() <= last);
      if (start != null && end != null && isInside) {
        arrow(arrow, start, end);
      }
    }
    if (sliceCount > shown.size()) {
      out.write(
          String.format(
              Locale.ROOT,
              "<text x=\"4\" y=\"%d\">the first %d of %d slices</text>%n",
              height - 8,
              shown.size(),
              sliceCount));
    }
    out.write("</svg>\n");
  }

  private static int row(Map<Integer, Integer> rows, Track track) {
    return Objects.requireNonNull(rows.get(track.number()));
  }

  /** The name of a track, as far as there is room in front of the slices. */
  private String shorten(String name) {
    int most = (int) ((left - 12) / LETTER);
    return name.length() <= most ? name : name.substring(0, most - 1) + "…";
  }

  /** A line at each round number of microseconds. */
  private void axis(int height) throws IOException {
    double micros = (to - from) / 1e3;
    double step = Math.pow(10, Math.floor(Math.log10(Math.max(micros, 1e-3))));
    step = micros / step < 2 ? step / 5 : micros / step < 5 ? step / 2 : step;
    while (micros / step > Math.max(2, width / 70)) {
      step *= 2; // there is no room for as many labels
    }
    double unit = micros > 2_000 ? 1e3 : 1;
    int digits = Math.max(0, (int) Math.ceil(-Math.log10(step / unit) - 1e-9));
    out.write("<g class=\"axis\" fill=\"#666\">\n");
    for (int i = 0; i * step <= micros; i++) {
      double at = left + width * i * step / micros;
      String label = i == 0 ? "0" : number(i * step / unit, digits) + (unit > 1 ? " ms" : " µs");
      boolean fits = at + 6 + label.length() * LETTER < left + width + RIGHT;
      out.write(
          "<line x1=\""
              + number(at)
              + "\" x2=\""
              + number(at)
              + "\" y1=\"20\" y2=\""
              + (height - 20)
              + "\" stroke=\"#ddd\"/>");
      out.write(fits ? "<text x=\"" + number(at + 2) + "\" y=\"16\">" + label + "</text>\n" : "\n");
    }
    out.write("</g>\n");
  }

  private void slice(Slice slice, int y) throws IOException {
    double begin = x(slice.begin());
    double shown = Math.max(1, x(slice.end()) - begin);
    StringBuilder title = new StringBuilder(slice.name());
    title
        .append('\n')
        .append(String.format(Locale.ROOT, "%.3f µs", (slice.end() - slice.begin()) / 1e3));
    new TreeMap<>(slice.details())
        .forEach((name, value) -> title.append('\n').append(name).append(": ").append(value));
    out.write(
        "<g class=\"slice\" data-b=\""
            + (slice.begin() - from)
            + "\" data-e=\""
            + (slice.end() - from)
            + "\" data-k=\""
            + Xml.escape(slice.kind())
            + "\" data-t=\""
            + Xml.escape(slice.track().name())
            + "\"><title>"
            + Xml.escapeLines(title.toString())
            + "</title><rect x=\""
            + number(begin)
            + "\" y=\""
            + y
            + "\" width=\""
            + number(shown)
            + "\" height=\""
            + BAR
            + "\" fill=\""
            + COLOURS.getOrDefault(slice.kind(), OTHER)
            + "\"/>");
    String label = slice.name();
    boolean fits = label.length() * LETTER < shown;
    if (fits || isPage) {
      boolean isDark =
          !LIGHT.contains(slice.kind()) && !COLOURS.getOrDefault(slice.kind(), OTHER).equals(OTHER);
      out.write(
          "<text x=\""
              + number(begin + 3)
              + "\" y=\""
              + (y + 12)
              + "\""
              + (isDark ? " fill=\"white\"" : "")
              + (fits ? "" : " visibility=\"hidden\"")
              + ">"
              + Xml.escape(label)
              + "</text>");
    }
    out.write("</g>\n");
  }

  private void arrow(Arrow arrow, int start, int end) throws IOException {
    out.write(
        String.format(
            Locale.ROOT,
            "<path class=\"arrow\" data-b=\"%d\" data-e=\"%d\" data-y=\"%d %d\" d=\"%s\""
                + " fill=\"none\" stroke=\"#444\" stroke-width=\"0.8\""
                + " marker-end=\"url(#head)\"><title>%s</title></path>%n",
            arrow.from().time() - from,
            arrow.to().time() - from,
            start + BAR / 2,
            end + BAR / 2,
            curve(x(arrow.from().time()), start + BAR / 2, x(arrow.to().time()), end + BAR / 2),
            Xml.escape(arrow.name())));
  }

  private static String curve(double x1, int y1, double x2, int y2) {
    double bend = Math.max(8, Math.min(60, (x2 - x1) / 2));
    return "M"
        + number(x1)
        + " "
        + y1
        + "C"
        + number(x1 + bend)
        + " "
        + y1
        + " "
        + number(x2 - bend)
        + " "
        + y2
        + " "
        + number(x2)
        + " "
        + y2;
  }
}
