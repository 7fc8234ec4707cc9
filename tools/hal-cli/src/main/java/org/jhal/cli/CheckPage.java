// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jhal.KernelFinding;
import org.jhal.cli.trace.Xml;
import org.jhal.kernels.check.CheckReport;
import org.jhal.kernels.check.CheckReport.Element;
import org.jspecify.annotations.Nullable;

/**
 * A page with what is wrong with kernels: the lines of the source, and the elements around the one
 * that was accessed, in the colours of the work items that have accessed them. It consists of one
 * file, and needs no script.
 */
final class CheckPage {
  private static final int AROUND = 6; // lines before and behind the one that is meant
  private static final int MOST_NAMED = 12; // work items in a legend
  private static final int GOLDEN = 137; // degrees between the colours of two items
  private static final String LF = "\n";

  private static final String STYLE =
      """
      body { font: 15px/1.45 system-ui, sans-serif; margin: 2em auto; max-width: 72em; padding: 0 1em; color: #1b1b1b; background: #fff }
      section { border-top: 1px solid #bbb; margin-top: 2em }
      h2 { font-size: 1.1em }
      .benign h2 { font-weight: normal }
      pre { background: #f5f5f5; padding: .6em; overflow-x: auto; line-height: 1.35 }
      pre .at { background: #ffe2a8 }
      pre mark { background: #f66; color: #000 }
      .strip { display: flex; flex-wrap: wrap; max-width: 62em; font: 11px monospace }
      .strip span { width: 5.2em; padding: .35em 0; margin: 1px; text-align: center; border: 1px solid #ccc; color: #000 }
      .strip .outside { background: repeating-linear-gradient(45deg, #ddd 0 4px, #fff 4px 8px) }
      .strip .marked { outline: 3px solid #c00 }
      .legend span { display: inline-block; width: 1em; height: 1em; border: 1px solid #888; vertical-align: middle }
      .legend li { display: inline-block; margin-right: 1.2em }
      .legend ul { padding: 0 }
      """;

  private final StringBuilder page = new StringBuilder();

  private CheckPage() {}

  /** The page. */
  static String of(String bundle, List<CheckReport> reports) {
    CheckPage made = new CheckPage();
    made.write(bundle, reports);
    return made.page.toString();
  }

  private void write(String bundle, List<CheckReport> reports) {
    String title = Xml.escape("hal check " + bundle);
    line("<!DOCTYPE html>");
    line("<html lang=\"en\"><head><meta charset=\"utf-8\"><title>" + title + "</title>");
    line("<style>" + LF + STYLE + "</style></head><body>");
    line("<h1>" + title + "</h1>");
    line(
        reports.isEmpty()
            ? "<p>Nothing is wrong, as far as this run shows.</p>"
            : "<p>Findings: " + reports.size() + "</p>");
    reports.forEach(this::writeReport);
    line("</body></html>");
  }

  private void writeReport(CheckReport report) {
    KernelFinding finding = report.finding();
    line(finding.isBenign() ? "<section class=\"benign\">" : "<section>");
    line("<h2>" + Xml.escape(finding.check() + ": " + finding.message()) + "</h2>");
    if (finding.count() > 1) {
      line("<p>" + finding.count() + " times</p>");
    }
    CheckReport.Strip strip = report.strip();
    if (strip != null) {
      writeStrip(strip);
    }
    writePlace(finding.item(), finding.place(), report.source());
    if (!finding.otherItem().isEmpty()) {
      KernelFinding.Place place = finding.place();
      KernelFinding.Place other = finding.otherPlace();
      boolean isInFile = place != null && other != null && place.file().equals(other.file());
      writePlace(finding.otherItem(), other, isInFile ? report.source() : List.of());
    }
    line("</section>");
  }

  private void writePlace(String item, KernelFinding.@Nullable Place place, List<String> source) {
    if (place == null) {
      line("<p>" + Xml.escape(item) + "</p>");
      return;
    }
    line("<p>" + Xml.escape(item) + ", " + Xml.escape(place.file()) + ":" + place.line() + "</p>");
    page.append("<pre>");
    int first = source.isEmpty() ? place.line() : Math.max(1, place.line() - AROUND);
    int last = source.isEmpty() ? place.line() : Math.min(source.size(), place.line() + AROUND);
    for (int number = first; number <= last; number++) {
      String text = source.isEmpty() ? place.text() : source.get(number - 1);
      String shown = number == place.line() ? marked(text, place) : code(text);
      String row = "%5s  ".formatted(number) + shown;
      line(number == place.line() ? "<span class=\"at\">" + row + "</span>" : row);
    }
    line("</pre>");
  }

  /** A line of a source, in which tabs stay. */
  private static String code(String text) {
    return Xml.escape(text.replace("\t", "    "));
  }

  /** The line with what is meant in it; the text of a place begins behind the spaces. */
  private static String marked(String text, KernelFinding.Place place) {
    int begin = text.indexOf(place.text()) + place.column();
    int end = begin + place.length();
    if (begin < place.column() || end > text.length()) {
      return code(text);
    }
    return code(text.substring(0, begin))
        + "<mark>"
        + code(text.substring(begin, end))
        + "</mark>"
        + code(text.substring(end));
  }

  private void writeStrip(CheckReport.Strip strip) {
    line("<p>" + Xml.escape("Elements of " + strip.parameter() + " (" + strip.type() + ")"));
    line("with the work items that have written them last, or else read them:</p>");
    line("<div class=\"strip\">");
    Map<Long, String> named = new TreeMap<>();
    long number = strip.first();
    for (Element element : strip.elements()) {
      boolean isMarked = number == strip.marked();
      String of = element.isInside() ? "" : "outside";
      long item = item(element);
      if (item >= 0) {
        named.put(item, element.writerNumber() >= 0 ? element.writer() : element.reader());
      }
      line(
          "<span class=\"%s%s\"%s title=\"%s\">%s</span>"
              .formatted(
                  of,
                  isMarked ? " marked" : "",
                  item < 0 ? "" : " style=\"background:" + colour(item) + "\"",
                  Xml.escape(describe(number, element)),
                  number));
      number++;
    }
    line("</div>");
    if (!named.isEmpty()) {
      writeLegend(named);
    }
  }

  private void writeLegend(Map<Long, String> named) {
    line("<div class=\"legend\"><ul>");
    named.entrySet().stream()
        .limit(MOST_NAMED)
        .forEach(
            each ->
                line(
                    "<li><span style=\"background:%s\"></span> %s</li>"
                        .formatted(colour(each.getKey()), Xml.escape(each.getValue()))));
    if (named.size() > MOST_NAMED) {
      line("<li>and " + (named.size() - MOST_NAMED) + " more</li>");
    }
    line("</ul></div>");
  }

  private static long item(Element element) {
    return element.writerNumber() >= 0 ? element.writerNumber() : element.readerNumber();
  }

  private static String colour(long item) {
    return "hsl(" + item % 360 * GOLDEN % 360 + ",70%,80%)";
  }

  private static String describe(long number, Element element) {
    if (!element.isInside()) {
      return "element " + number + " is outside the buffer";
    }
    return "element "
        + number
        + (element.writer().isEmpty() ? "" : ", written last by " + element.writer())
        + (element.reader().isEmpty() ? "" : ", read by " + element.reader());
  }

  private void line(String text) {
    page.append(text).append(LF);
  }
}
