// SPDX-License-Identifier: Apache-2.0
package org.jhal.recording.replay;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jhal.ElementType;
import org.jhal.Kernel;
import org.jhal.Parameter;
import org.jhal.Status;
import org.jhal.recording.compare.Comparison;
import org.jhal.recording.compare.Constants;
import org.jhal.recording.compare.Finding;
import org.jhal.spi.HostFailures;

/**
 * A comparison as a page of HTML that needs nothing else: how long each dispatch took on both
 * devices, where they part, the buffer that differs, and by how much.
 */
final class ComparisonPage {
  private static final int WIDTH = 960; // of pictures, in pixels
  private static final int MOST_BARS = 480; // of a timeline
  private static final int MOST_CELLS = 48; // of a picture, along each side
  private static final String[] COLOURS = {
    "#4c78a8", "#f58518", "#54a24b", "#b279a2", "#eeca3b", "#72b7b2", "#9d755d", "#ff9da6"
  };

  private final ReplayComparison comparison;
  private final List<String> devices;
  private final StringBuilder page = new StringBuilder();

  private ComparisonPage(ReplayComparison comparison, List<String> devices) {
    this.comparison = comparison;
    this.devices = devices;
  }

  /**
   * Writes the page.
   *
   * @param text what {@code hal replay} prints
   */
  static void write(Path file, ReplayComparison comparison, List<String> devices, String text) {
    ComparisonPage page = new ComparisonPage(comparison, devices);
    page.add(text);
    try {
      Files.writeString(file, page.page);
    } catch (IOException e) {
      throw HostFailures.of(Status.DATA_LOSS, "cannot write the page " + file, e);
    }
  }

  static String escaped(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;")
        .replace("'", "&#39;");
  }

  private void format(String format, Object... values) {
    page.append(String.format(Locale.ROOT, format, values));
  }

  private void add(String text) {
    String title = escaped(devices.get(0) + " and " + devices.get(1));
    format(
        "<!DOCTYPE html>%n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>%s</title><style>"
            + "body{font:14px sans-serif;margin:2em;max-width:%dpx;color:#222;background:#fff}"
            + "pre{background:#f4f4f4;padding:1em;overflow:auto}svg{display:block}"
            + "figure{display:inline-block;margin:0 1em 1em 0}</style></head><body>%n",
        title, WIDTH);
    format("<h1>%s</h1>%n<pre>%s</pre>%n", title, escaped(text));
    addTimelines();
    for (ReplayComparison.Found found : comparison.found()) {
      Kernel kernel = found.compared().kernel();
      for (Finding.Difference difference : found.finding().differences()) {
        addBuffer(kernel, difference);
      }
    }
    format("<h2>Units in the last place, of all elements that are not equal</h2>%n");
    addHistogram(comparison.comparison().distances());
    format("</body></html>%n");
  }

  // Timelines.

  private void addTimelines() {
    List<Comparison.Compared> all = comparison.compared();
    if (all.isEmpty()) {
      return;
    }
    format("<h2>Time of each dispatch</h2>%n");
    int perBar = (all.size() + MOST_BARS - 1) / MOST_BARS;
    List<String> kernels = new ArrayList<>(comparison.comparison().kernels().keySet());
    addTimeline(devices.get(0), all, perBar, kernels, true);
    addTimeline(devices.get(1), all, perBar, kernels, false);
    format("<p>");
    for (int i = 0; i < kernels.size(); i++) {
      format(
          "<span style=\"color:%s\">&#9632;</span> %s ",
          COLOURS[i % COLOURS.length], escaped(kernels.get(i)));
    }
    format("%s</p>%n", perBar == 1 ? "" : "(each bar is " + perBar + " dispatches)");
  }

  private void addTimeline(
      String device,
      List<Comparison.Compared> all,
      int perBar,
      List<String> kernels,
      boolean isFirst) {
    int bars = (all.size() + perBar - 1) / perBar;
    long[] nanos = new long[bars];
    long longest = 1;
    for (int i = 0; i < all.size(); i++) {
      Comparison.Compared one = all.get(i);
      nanos[i / perBar] += isFirst ? one.firstNanos() : one.secondNanos();
      longest = Math.max(longest, nanos[i / perBar]);
    }
    format(
        "<h3>%s, at most %.1f us</h3>%n<svg width=\"%d\" height=\"90\">",
        escaped(device), longest / 1e3, WIDTH);
    double width = (double) WIDTH / bars;
    for (int i = 0; i < bars; i++) {
      double height = Math.max(1, 80.0 * nanos[i] / longest);
      Comparison.Compared one = all.get(i * perBar);
      format(
          "<rect x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%.1f\" fill=\"%s\"><title>dispatch"
              + " %d, %s: %.1f us</title></rect>",
          i * width,
          85 - height,
          Math.max(0.5, width * 0.9),
          height,
          COLOURS[Math.max(0, kernels.indexOf(one.kernel().toString())) % COLOURS.length],
          one.number(),
          escaped(one.kernel().toString()),
          nanos[i] / 1e3);
    }
    for (ReplayComparison.Found found : comparison.found()) {
      int bar = all.indexOf(found.compared()) / perBar;
      format(
          "<rect x=\"%.2f\" y=\"0\" width=\"2\" height=\"90\" fill=\"red\"><title>here they"
              + " part: dispatch %d, %s</title></rect>",
          Math.min(WIDTH - 2.0, (bar + 0.5) * width),
          found.compared().number(),
          escaped(found.compared().kernel().toString()));
    }
    format("</svg>%n");
  }

  // The buffer that differs.

  private void addBuffer(Kernel kernel, Finding.Difference difference) {
    Parameter parameter = kernel.parameters().get(difference.parameter());
    ElementType type = parameter.type();
    byte[] first = difference.firstOutput();
    byte[] second = difference.secondOutput();
    int count = first.length / type.bytes();
    double[] a = new double[count];
    double[] b = new double[count];
    double[] error = new double[count];
    for (int i = 0; i < count; i++) {
      a[i] = Constants.number(type, first, i * type.bytes()).doubleValue();
      b[i] = Constants.number(type, second, i * type.bytes()).doubleValue();
      double apart = Math.abs(a[i] - b[i]);
      error[i] =
          Double.isNaN(apart) && !(Double.isNaN(a[i]) && Double.isNaN(b[i]))
              ? Double.POSITIVE_INFINITY
              : Double.isNaN(apart) ? 0 : apart;
    }
    format(
        "<h2>%s of %s, row by row</h2>%n", escaped(parameter.name()), escaped(kernel.toString()));
    addPicture(devices.get(0), a, "#000000", "#ffffff");
    addPicture(devices.get(1), b, "#000000", "#ffffff");
    addPicture("the difference", error, "#ffffff", "#d00000");
  }

  /** Draws elements as a square; a cell has the largest of those that fall into it. */
  private void addPicture(String caption, double[] values, String low, String high) {
    int side = Math.max(1, (int) Math.ceil(Math.sqrt(values.length)));
    int perCell = (side + MOST_CELLS - 1) / MOST_CELLS;
    int cells = (side + perCell - 1) / perCell;
    double[] largest = new double[cells * cells];
    Arrays.fill(largest, Double.NaN);
    double least = Double.POSITIVE_INFINITY;
    double most = Double.NEGATIVE_INFINITY;
    for (int i = 0; i < values.length; i++) {
      int cell = i / side / perCell * cells + i % side / perCell;
      double value = values[i];
      if (Double.isNaN(largest[cell]) || value > largest[cell]) {
        largest[cell] = value;
      }
      if (Double.isFinite(value)) {
        least = Math.min(least, value);
        most = Math.max(most, value);
      }
    }
    int pixels = 288 / cells;
    format("<figure><svg width=\"%1$d\" height=\"%1$d\">", pixels * cells);
    for (int cell = 0; cell < largest.length; cell++) {
      double value = largest[cell];
      if (!Double.isNaN(value)) {
        double share = value > most ? 1 : most > least ? (value - least) / (most - least) : 0;
        format(
            "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"%s\"/>",
            cell % cells * pixels,
            cell / cells * pixels,
            pixels,
            pixels,
            mixed(low, high, Math.max(0, share)));
      }
    }
    format(
        "</svg><figcaption>%s<br>%s to %s</figcaption></figure>%n",
        escaped(caption), least > most ? "-" : least, least > most ? "-" : most);
  }

  private static String mixed(String low, String high, double share) {
    StringBuilder colour = new StringBuilder("#");
    for (int i = 1; i < 7; i += 2) {
      int from = Integer.parseInt(low.substring(i, i + 2), 16);
      int to = Integer.parseInt(high.substring(i, i + 2), 16);
      colour.append(String.format(Locale.ROOT, "%02x", Math.round(from + share * (to - from))));
    }
    return colour.toString();
  }

  // The histogram.

  private void addHistogram(long[] counts) {
    long most = 0;
    int last = -1;
    for (int i = 0; i < counts.length; i++) {
      most = Math.max(most, counts[i]);
      last = counts[i] > 0 ? i : last;
    }
    if (most == 0) {
      format("<p>All are equal.</p>%n");
      return;
    }
    format("<svg width=\"%d\" height=\"%d\">", WIDTH, 20 * (last + 1));
    for (int i = 0; i <= last; i++) {
      format(
          "<text x=\"0\" y=\"%d\" font-size=\"12\">%s</text><rect x=\"200\" y=\"%d\" width=\"%.1f\""
              + " height=\"14\" fill=\"#4c78a8\"/><text x=\"%.1f\" y=\"%d\" font-size=\"12\">%d</text>",
          20 * i + 14,
          i == 0 ? "0" : i >= 63 ? "more" : (1L << i - 1) + " to " + ((1L << i) - 1),
          20 * i + 3,
          600.0 * counts[i] / most,
          206 + 600.0 * counts[i] / most,
          20 * i + 14,
          counts[i]);
    }
    format("</svg>%n");
  }
}
