// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.RandomAccessFile;
import java.io.StringReader;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.bench.BenchTool;
import org.jhal.bench.measure.Absence;
import org.jhal.bench.measure.Aim;
import org.jhal.bench.measure.BenchCase;
import org.jhal.bench.measure.Row;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

/** Results as a page, and malformed files of results. */
class PageTest {
  /** Text that breaks a page without escaping. */
  private static final String NASTY = "</p><script>x</script>\"'&\u0001";

  private static final double[] NONE = {Double.NaN, Double.NaN};

  @TempDir Path folder;

  /**
   * Results with one case; its ratio to the first baseline is {@code ratio}, with a spread of half.
   */
  private static String json(String caseName, double ratio) {
    Map<String, String> facts = new LinkedHashMap<>();
    facts.put("device", "mock://0, Mock " + NASTY);
    facts.put("jvm", "17 " + ratio);
    Report report = new Report(facts);
    BenchCase one =
        new BenchCase(
            caseName,
            "what is done " + NASTY,
            "ns",
            List.of("time", "heap"),
            false,
            bench -> List.of());
    Row time =
        new Row(
            "1000",
            "time",
            new double[] {ratio * 50, ratio * 150, ratio * 100},
            null,
            null,
            List.of(
                new Row.Baseline("peer " + NASTY, new double[] {100, 100, 100}, null),
                new Row.Baseline(
                    "broken",
                    new double[] {Double.NaN, Double.NaN, Double.NaN},
                    new Absence("no " + NASTY, true))),
            List.of(Aim.atMost("time", "peer " + NASTY, 1.25)));
    Row heap =
        new Row(
            "1000",
            "heap",
            new double[] {10, 20, 30},
            null,
            null,
            List.of(),
            List.of(Aim.atMost("heap", 64)));
    Row missing =
        new Row("1", "none", NONE, new Absence("not here", false), null, List.of(), List.of());
    report.add(one, List.of(time, heap, missing), "0.1", "0.2");
    return report.toJson();
  }

  private static Document parse(String page) throws Exception {
    assertFalse(page.contains("<script"), page);
    assertFalse(page.contains("src="), page);
    assertFalse(page.contains("href="), page);
    return DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(new InputSource(new StringReader(page)));
  }

  private static List<Element> all(Document page, String name, String style) {
    List<Element> found = new ArrayList<>();
    NodeList elements = page.getElementsByTagName(name);
    for (int i = 0; i < elements.getLength(); i++) {
      Element element = (Element) elements.item(i);
      if (element.getAttribute("class").equals(style)) {
        found.add(element);
      }
    }
    return found;
  }

  private static double at(Element element, String attribute) {
    return Double.parseDouble(element.getAttribute(attribute));
  }

  @Test
  void aRatioIsABarWithItsSpreadAndItsAim() throws Exception {
    Document page = parse(Page.of("r.json", Results.parse(json("case", 2))));
    List<Element> bars = all(page, "rect", "a");
    assertEquals(2, bars.size()); // the ratio; the heap, which has an aim
    double unit = at(bars.get(0), "width") / 2;
    Element spread = all(page, "line", "spread").get(0);
    assertEquals(unit * 1, at(spread, "x1"), 0.2);
    assertEquals(unit * 3, at(spread, "x2"), 0.2);
    assertEquals(unit * 1.25, at(all(page, "line", "aim").get(0), "x1"), 0.2);
    assertEquals(unit, at(all(page, "line", "one").get(0), "x1"), 0.2);
    assertEquals(1, all(page, "line", "one").size());
    Element svg = (Element) bars.get(0).getParentNode();
    assertEquals("JHAL / peer 2.00 (1.00..3.00), aim 1.25", svg.getAttribute("aria-label"));
    assertEquals("at most 1.25: missed", all(page, "span", "bad").get(0).getTextContent());
    assertEquals("value at most 64: met", all(page, "span", "good").get(0).getTextContent());
    assertEquals(unit(bars.get(1), 20), unit(all(page, "line", "aim").get(1), 64), 0.1);
    assertEquals(
        "mock://0", page.getElementsByTagName("h1").item(0).getTextContent().substring(14));
    String text = page.getDocumentElement().getTextContent();
    assertTrue(text.contains("broken failed: no </p><script>"), text);
    assertTrue(text.contains("JHAL was not measured: not here"), text);
  }

  /** Pixels for one. */
  private static double unit(Element barOrLine, double value) {
    return at(barOrLine, barOrLine.getTagName().equals("rect") ? "width" : "x1") / value;
  }

  @Test
  void barsStayInTheirColumnForAnySpread() throws Exception {
    String json = json("case", 1).replace("150.0", "1e9");
    Document page = parse(Page.of("r.json", Results.parse(json)));
    Element bar = all(page, "rect", "a").get(0);
    assertTrue(at(bar, "width") > 80, () -> bar.getAttribute("width"));
    assertEquals(260, at(all(page, "line", "spread").get(0), "x2"), 0.1);
  }

  @Test
  void twoRunsStandSideBySide() throws Exception {
    Document page =
        parse(
            Page.of(
                "new.json",
                Results.parse(json("case", 2)),
                "old.json",
                Results.parse(json("case", 1))));
    Element first = all(page, "rect", "a").get(0);
    Element second = all(page, "rect", "b").get(0);
    assertEquals(at(first, "width"), 2 * at(second, "width"), 0.2); // on one scale
    String text = page.getDocumentElement().getTextContent();
    assertTrue(text.contains("17 2.017 1.0"), text); // the machines, in one row
    List<Element> rows = new ArrayList<>();
    NodeList all = page.getElementsByTagName("tr");
    for (int i = 0; i < all.getLength(); i++) {
      rows.add((Element) all.item(i));
    }
    assertTrue(rows.stream().anyMatch(row -> row.getTextContent().endsWith("missed 2.00")), text);
  }

  /** JHAL's own numbers are compared whatever the baselines are. */
  @Test
  void comparesRunsEvenIfOneHasNoBaseline() throws Exception {
    Results with = Results.parse(json("case", 2));
    JsonObject alone = JsonParser.parseString(json("case", 1)).getAsJsonObject();
    alone
        .getAsJsonArray("cases")
        .get(0)
        .getAsJsonObject()
        .getAsJsonArray("rows")
        .forEach(row -> row.getAsJsonObject().add("peers", new JsonArray()));
    Results without = Results.parse(alone.toString());
    assertEquals(List.of("2.00", "1.00"), changes(Page.of("a", with, "b", without)));
    assertEquals(List.of("0.50", "1.00"), changes(Page.of("a", without, "b", with)));
  }

  /** The numbers in the last column. */
  private static List<String> changes(String page) throws Exception {
    List<String> changes = new ArrayList<>();
    NodeList all = parse(page).getElementsByTagName("tr");
    for (int i = 0; i < all.getLength(); i++) {
      NodeList cells = ((Element) all.item(i)).getElementsByTagName("td");
      String last =
          cells.getLength() == 0 ? "" : cells.item(cells.getLength() - 1).getTextContent();
      if (last.matches("[0-9]+\\.[0-9]+")) {
        changes.add(last);
      }
    }
    return changes;
  }

  @Test
  void showsARowThatOnlyOneRunHas() throws Exception {
    Document page =
        parse(Page.of("x", Results.parse(json("one", 1)), "y", Results.parse(json("other", 1))));
    NodeList cases = page.getElementsByTagName("h2");
    List<String> titles = new ArrayList<>();
    for (int i = 2; i < cases.getLength(); i++) {
      titles.add(cases.item(i).getTextContent());
    }
    assertEquals(List.of("one", "other"), titles);
  }

  @Test
  void writesAPageForARunWithoutResults() throws Exception {
    Document page = parse(Page.of("x", Results.parse("{\"device\": \"mock\", \"cases\": []}")));
    String text = page.getDocumentElement().getTextContent();
    assertTrue(text.contains("Nothing was measured."), text);
  }

  private final StringWriter out = new StringWriter();

  private final PrintWriter writer = new PrintWriter(out, true);

  private BenchTool.Earlier write(String name, String json) throws IOException {
    return BenchTool.Earlier.read(Files.writeString(folder.resolve(name), json));
  }

  @Test
  void writesAPageFromEarlierResults() throws Exception {
    BenchTool.Earlier now = write("now.json", json("case", 2));
    BenchTool.Earlier then = write("then.json", json("case", 1));
    Path file = folder.resolve("page.html");
    assertEquals(0, BenchTool.writePage(now, null, file, writer), out.toString());
    assertEquals(Page.of("now.json", Results.parse(json("case", 2))), Files.readString(file));
    assertEquals(0, BenchTool.writePage(now, then, file, writer), out.toString());
    assertTrue(Files.readString(file).contains("b: then.json"));
    assertEquals("", out.toString());
  }

  @Test
  void aRunWritesItsPage() throws Exception {
    BenchTool.Earlier then = write("then.json", json("ping-pong", 1));
    Path file = folder.resolve("page.html");
    BenchTool.Options options =
        new BenchTool.Options(
            "mock", null, null, List.of("ping-pong"), 10, 2, Duration.ZERO, null, null, file, then);
    assertEquals(0, BenchTool.run(options, writer, writer), out.toString());
    Document page = parse(Files.readString(file));
    assertFalse(all(page, "rect", "a").isEmpty());
    assertFalse(all(page, "rect", "b").isEmpty());
    String text = page.getDocumentElement().getTextContent();
    assertTrue(text.contains("a: this run") && text.contains("SynchronousQueue"), text);
  }

  @Test
  void reportsAPageThatCannotBeWritten() throws Exception {
    BenchTool.Earlier now = write("now.json", json("case", 2));
    Path file = folder.resolve("no/such/file");
    assertEquals(1, BenchTool.writePage(now, null, file, writer));
    assertTrue(
        out.toString().startsWith("hal: NOT_FOUND: the page cannot be written"), out::toString);
  }

  @Test
  void refusesAPageOverItsResults() throws Exception {
    BenchTool.Earlier now = write("now.json", json("case", 2));
    BenchTool.Earlier then = write("then.json", json("case", 1));
    Files.createDirectory(folder.resolve("x"));
    for (String name : List.of("now.json", "x/../now.json", "then.json")) {
      Path page = folder.resolve(name);
      HalException thrown =
          assertThrows(
              HalException.class, () -> BenchTool.writePage(now, then, page, writer), name);
      assertEquals(Status.INVALID_ARGUMENT, thrown.status());
      String option = name.equals("then.json") ? "--compare" : "--from";
      assertEquals(
          "page and " + option + " name the same file: " + page, thrown.getMessage(), name);
    }
    assertEquals(json("case", 2), Files.readString(folder.resolve("now.json")));
  }

  @Test
  void anAimThatWasNotMeasuredIsReadAgain() throws Exception {
    Report report = new Report(Map.of("device", "mock"));
    BenchCase one = new BenchCase("case", "", "ns", List.of("time"), false, bench -> List.of());
    Row row =
        new Row(
            "1",
            "time",
            new double[] {1, 2},
            null,
            null,
            List.of(new Row.Baseline("absent", NONE, new Absence("no compiler", false))),
            List.of(Aim.atMost("time", "absent", 1)));
    report.add(one, List.of(row), "0.1", "0.2");
    Results.Row read = Results.parse(report.toJson()).cases().get(0).rows().get(0);
    assertNull(read.aims().get(0).isMet());
    assertTrue(Double.isNaN(read.aims().get(0).measured()));
    assertTrue(Double.isNaN(read.baselines().get(0).samples()[0]));
  }

  @Test
  void notesAreShownAsOneFact() throws Exception {
    String json = json("case", 2).replace("\"jvm\"", "\"notes\": [\"It was\", \"calm.\"], \"jvm\"");
    assertEquals("It was calm.", Results.parse(json).facts().get("notes"));
  }

  private void assertBad(String json, String message) {
    BadResultsException thrown = assertThrows(BadResultsException.class, () -> Results.parse(json));
    assertTrue(String.valueOf(thrown.getMessage()).contains(message), thrown.getMessage());
  }

  @Test
  void reportsTruncatedResults() {
    String json = json("case", 2);
    for (int length = 0; length < json.length(); length += 37) {
      assertBad(json.substring(0, length), "");
    }
  }

  @Test
  void aHugeFileIsNotRead() throws Exception {
    Path file = folder.resolve("huge.json");
    try (RandomAccessFile huge = new RandomAccessFile(file.toFile(), "rw")) {
      huge.setLength(Results.MAX_BYTES + 1); // sparse
    }
    BadResultsException thrown = assertThrows(BadResultsException.class, () -> Results.read(file));
    assertEquals("has more than 67108864 bytes", thrown.getMessage());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{|x{|is not JSON: ",
        "\"cases\": [|\"cases\": 1, \"x\": [|the file.cases: is 1, expected an array",
        "\"jvm\": \"17 2.0\"|\"jvm\": 17|the file.jvm: is 17, expected a string",
        "bench-1\"|bench-2\"|the file.format: is \"jhal-bench-2\", expected \"jhal-bench-1\"",
        "\"jvm\": \"17 2.0\"|\"notes\": 1|the file.notes: is 1, expected an array",
        "\"jvm\": \"17 2.0\"|\"notes\": [1]|the file.notes[0]: is 1, expected a string",
        "\"unit\": \"ns\"|\"unit\": null|cases[0].unit: is null, expected a string",
        "\"label\"|\"lab\"|cases[0].rows[0].label: is missing, expected a string",
        "\"jhal\": {|\"jhal\": 1, \"x\": {|cases[0].rows[0].jhal: is 1, expected an object",
        "100.0,|\"fast\",|samples[0]: is \"fast\", expected a number",
        "300.0,|1e999,|samples[1]: is 1e999, expected a number",
        "300.0,||peers[0].samples: are 3, expected 2, as many as of JHAL",
        "\"atMost\": 1.25|\"atMost\": null|aims[0].atMost: is null, expected a number",
        "\"met\": false|\"met\": \"yes\"|aims[0].met: is \"yes\", expected true, false or null"
      })
  void reportsWrongTypes(String old, String altered, String message) {
    String json = json("case", 2);
    int place = json.contains("\"samples\"") && old.endsWith(",") ? json.indexOf("\"samples\"") : 0;
    int at = json.indexOf(old, place);
    assertTrue(at >= 0, json);
    String replaced =
        json.substring(0, at)
            + (altered == null ? "" : altered)
            + json.substring(at + old.length());
    assertBad(replaced, message);
  }
}
