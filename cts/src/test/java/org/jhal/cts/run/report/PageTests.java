// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.run.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import javax.xml.parsers.DocumentBuilder;
import javax.xml.parsers.DocumentBuilderFactory;
import org.jhal.cts.run.plan.CtsCatalog;
import org.jhal.cts.run.report.CtsReport.Outcome;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;
import org.xml.sax.SAXParseException;
import org.xml.sax.helpers.DefaultHandler;

/** The content of a report's page. */
class PageTests {
  private static final String PLAIN = "SemaphoreTest.aSignalMaySkipValues";

  private static Document page(GoodReport report) throws Exception {
    return DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(new InputSource(new StringReader(CtsPage.of(report.report()))));
  }

  /** The texts of all elements of this name. */
  private static List<String> texts(Document page, String element) {
    List<String> texts = new ArrayList<>();
    NodeList all = page.getElementsByTagName(element);
    for (int i = 0; i < all.getLength(); i++) {
      texts.add(all.item(i).getTextContent().strip());
    }
    return texts;
  }

  /** The cells of the row that begins with {@code head}. */
  private static List<String> row(Document page, String head) {
    NodeList rows = page.getElementsByTagName("tr");
    for (int i = 0; i < rows.getLength(); i++) {
      Element row = (Element) rows.item(i);
      NodeList heads = row.getElementsByTagName("th");
      if (heads.getLength() == 1 && heads.item(0).getTextContent().equals(head)) {
        List<String> cells = new ArrayList<>();
        NodeList all = row.getElementsByTagName("td");
        for (int cell = 0; cell < all.getLength(); cell++) {
          cells.add(all.item(cell).getTextContent().strip());
        }
        return cells;
      }
    }
    throw new AssertionError("no row " + head);
  }

  private static String all(Document page) {
    return page.getDocumentElement().getTextContent();
  }

  @Test
  void aCompleteRunIsShownAsComplete() throws Exception {
    Document page = page(new GoodReport());
    assertTrue(texts(page, "p").contains("A complete run, in which nothing failed."));
    assertFalse(all(page).contains("no proof"));
    assertEquals(List.of("20us", "default"), row(page, "spin"));
    assertEquals(List.of("5".repeat(64), "the jar of a test"), row(page, "suite"));
    assertEquals(List.of("Fake device"), row(page, "device, by name"));
  }

  @Test
  void theMatrixHasEachRule() throws Exception {
    Document page = page(new GoodReport());
    CtsCatalog.contract()
        .forEach(
            (rule, title) -> {
              List<String> row = row(page, rule);
              assertEquals(title, row.get(0));
              assertEquals(row.get(2).equals("0") ? "not checked" : "passed", row.get(1), rule);
            });
  }

  /** Skipped tests never count as passed. */
  @Test
  void aRuleWithAllTestsSkippedIsShownAsNotChecked() throws Exception {
    GoodReport report = new GoodReport();
    List<String> tests =
        GoodReport.PLAN.values().stream()
            .filter(test -> test.rules().contains("S8"))
            .map(test -> test.name().toString())
            .toList();
    tests.forEach(test -> report.skip(test, "a reason"));
    Document page = page(report);
    List<String> row = row(page, "S8");
    assertEquals(List.of("not checked", "0", "0", String.valueOf(tests.size())), row.subList(1, 5));
    assertFalse(row.get(5).contains("passed"), row.get(5));
    assertEquals(
        String.valueOf(report.report().entries(Outcome.PASSED).size()), row(page, "passed").get(0));
    assertEquals(List.of(String.valueOf(tests.size())), row(page, "unsupported"));
    assertTrue(texts(page, "td").contains("unsupported: a reason"));
  }

  @Test
  void theRepeatCommandHasTheVariants() throws Exception {
    GoodReport report = new GoodReport();
    report.facts.put("property.jhal.cts.variants", "my folder");
    report.end(PLAIN, Outcome.FAILED, "it broke");
    assertTrue(
        texts(page(report), "code")
            .contains(
                "./hal cts --device 'fake://0' --variants 'my folder' --tests '"
                    + PLAIN
                    + "' --seed 7"));
  }

  @Test
  void aRuleWithASkippedTestIsShownAsPassedInPart() throws Exception {
    Document page = page(new GoodReport().skip(PLAIN, "a reason"));
    assertEquals("passed in part", row(page, "S1").get(1));
  }

  @Test
  void aFailureHasItsMessageAndItsRepeatCommand() throws Exception {
    GoodReport report = new GoodReport();
    report.end(PLAIN, Outcome.FAILED, "expected <1> & \"2\"\n\tat Some.where(Some.java:1)");
    String own = "./hal cts --device 'fake' --tests A.b --seed 3";
    report.end(
        "SemaphoreTest.rejectsNull", Outcome.FAILED, "it broke\n\tSuppressed: to repeat: " + own);
    Document page = page(report);
    assertTrue(texts(page, "code").contains("expected <1> & \"2\""));
    assertTrue(
        texts(page, "code")
            .contains("./hal cts --device 'fake://0' --tests '" + PLAIN + "' --seed 7"));
    assertTrue(texts(page, "code").contains(own));
    assertTrue(String.join("", texts(page, "pre")).contains("\tat Some.where(Some.java:1)"));
    assertEquals("failed", row(page, "S1").get(1));
    assertTrue(texts(page, "li").contains("2 tests failed"));
  }

  @Test
  void aPartialRunIsShownAsNoProof() throws Exception {
    GoodReport report = new GoodReport();
    report.facts.put(RunFacts.TESTS, "Semaphore*");
    report.ending = CtsReport.Ending.DEADLINE;
    report.facts.put("ended", "at the deadline of 4 s");
    Document page = page(report);
    assertEquals("This is no proof of conformance:", texts(page, "p").get(0));
    assertEquals(
        List.of(
            "the run ended early: at the deadline of 4 s",
            "only some tests were requested: Semaphore*"),
        texts(page, "li").subList(0, 2));
    assertEquals("passed in part", row(page, "S1").get(1));
  }

  @Test
  void externalTextsAreEscaped() throws Exception {
    String nasty = "</td><script>alert(1)</script>\u0001\ud800'\"&";
    GoodReport report = new GoodReport();
    report.facts.replaceAll((name, value) -> value + nasty);
    report.facts.put("device." + nasty, nasty);
    report.facts.put("setting." + nasty, nasty + " (" + nasty + ")");
    report.skip(PLAIN, nasty).end("SemaphoreTest.rejectsNull", Outcome.FAILED, nasty);
    report.entries.add(new CtsReport.Entry(nasty, nasty, List.of(nasty), Outcome.FAILED, nasty, 1));
    String text = CtsPage.of(report.report());
    assertFalse(text.contains("<script"), text);
    assertTrue(all(page(report)).contains("</td><script>alert(1)</script>"));
  }

  @Test
  void thePageNeedsNoNetwork() {
    String text = CtsPage.of(new GoodReport().report());
    assertFalse(text.contains("src="), text);
    assertFalse(text.contains("href="), text);
    assertFalse(text.contains("url("), text);
    assertFalse(text.contains("@import"), text);
  }

  @Test
  void controlTheParserRejectsMalformedPages() throws Exception {
    DocumentBuilder parser = DocumentBuilderFactory.newInstance().newDocumentBuilder();
    parser.setErrorHandler(new DefaultHandler()); // or it prints to stderr
    assertThrows(
        SAXParseException.class,
        () -> parser.parse(new InputSource(new StringReader("<p><b></p>"))));
  }
}
