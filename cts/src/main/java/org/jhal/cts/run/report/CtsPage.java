// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.run.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jhal.cts.CtsBackend;
import org.jhal.cts.html.Html;
import org.jhal.cts.run.plan.CtsCatalog;
import org.jhal.cts.run.plan.TestName;

/**
 * A report as a page for people. A report always produces the same page.
 *
 * <p>Used by one thread.
 */
public final class CtsPage {
  private static final String STYLE = "li { overflow-wrap: anywhere; }\n";

  /** How the names of facts start that have separate tables. */
  private static final String SETTING = "setting.";

  private static final String PROPERTY = "property.";
  private static final String HASH = "sha256.";
  private static final String FILE = "file.";
  private static final String OF_RUN = "run.";

  /** Labels for people. The names of all other facts explain themselves. */
  private static final Map<String, String> LABELS =
      Map.of(
          "device",
          "device, by URI",
          "name",
          "device, by name",
          "uuid",
          "device, by UUID",
          "pci",
          "PCI address",
          RunFacts.VERSION,
          "JHAL",
          "java",
          "Java",
          "system",
          "operating system",
          "time",
          "date",
          "driver.version",
          "driver and its runtime",
          "driver.location",
          "driver came from");

  private final CtsReport report;
  private final Map<String, String> facts;
  private final Html page;

  private CtsPage(CtsReport report) {
    this.report = report;
    this.facts = report.facts();
    this.page = new Html("Conformance of " + device(), STYLE);
  }

  /** The page of {@code report}. */
  public static String of(CtsReport report) {
    return new CtsPage(report).write();
  }

  private String device() {
    return facts.getOrDefault("name", facts.getOrDefault("device", "no device"));
  }

  private String write() {
    page.element("h1", "Conformance of " + device());
    verdict();
    counts();
    page.element("h2", "What was tested");
    factTable();
    prefixed("Settings", SETTING, "value", "from");
    prefixed("The run", OF_RUN, "value");
    prefixed("Java's system properties", PROPERTY, "value");
    hashes();
    matrix();
    failures();
    skipped();
    return page.end();
  }

  private void verdict() {
    List<String> shortcomings = report.shortcomings();
    if (shortcomings.isEmpty()) {
      page.element("p", "A complete run, in which nothing failed.", "class", "verdict good");
    } else {
      page.open("div", "class", "verdict bad");
      page.element("p", "This is no proof of conformance:").open("ul");
      shortcomings.forEach(one -> page.element("li", one));
      page.close().close();
    }
    page.open("p").text("The command ").element("code", "hal cts verify");
    page.text(" checks this page and the report that it was made from.").close();
  }

  private void counts() {
    page.openTable("Tests ended as", "how many");
    for (CtsReport.Outcome outcome : CtsReport.Outcome.values()) {
      page.open("tr").element("th", CtsReport.label(outcome), "scope", "row");
      number(report.entries(outcome).size()).close();
    }
    page.closeTable();
    page.element(
        "p",
        "A test that is run with several arguments counts once for each. "
            + "What is unsupported or expected to fail was not passed.");
  }

  private Html number(long count) {
    return page.element("td", String.valueOf(count), "class", count == 0 ? "number dim" : "number");
  }

  /** The facts that have no separate table. */
  private void factTable() {
    page.openTable("What", "value");
    facts.forEach(
        (name, value) -> {
          boolean isElsewhere =
              List.of(SETTING, PROPERTY, HASH, FILE, OF_RUN).stream().anyMatch(name::startsWith);
          if (!isElsewhere) {
            page.row(LABELS.getOrDefault(name, name.replaceFirst("^device\\.", "")), value);
          }
        });
    page.closeTable();
  }

  /** With two columns, the second one shows what a value has in brackets at its end. */
  private void prefixed(String title, String prefix, String... columns) {
    Map<String, String> rows = new LinkedHashMap<>();
    facts.forEach(
        (name, value) -> {
          if (name.startsWith(prefix)) {
            rows.put(name.substring(prefix.length()), value);
          }
        });
    if (!rows.isEmpty()) {
      List<String> all = new ArrayList<>(List.of("Name"));
      all.addAll(List.of(columns));
      page.element("h3", title).openTable(all.toArray(String[]::new));
      rows.forEach(
          (name, value) -> {
            int bracket = columns.length > 1 && value.endsWith(")") ? value.lastIndexOf(" (") : -1;
            if (bracket < 0) {
              page.row(name, value);
            } else {
              String origin = value.substring(bracket + 2, value.length() - 1);
              page.row(name, value.substring(0, bracket), origin);
            }
          });
      page.closeTable();
    }
  }

  private void hashes() {
    page.element("h3", "Hashes").openTable("Code of the", "SHA-256", "of what");
    facts.forEach(
        (name, value) -> {
          if (name.startsWith(HASH)) {
            String role = name.substring(HASH.length());
            page.open("tr").element("th", role, "scope", "row");
            page.open("td").element("code", value).close();
            page.element("td", facts.getOrDefault(FILE + role, "unknown")).close();
          }
        });
    page.closeTable();
    page.element(
        "p",
        "A folder of classes is hashed over its files, sorted by path: for each the length of the "
            + "path, the path, the length of the content and the content.");
  }

  /** How many tests of a rule ended in each way. */
  private static final class Counts {
    int passed;
    int failed;
    int skipped;
    final Map<String, Counts> tests = new TreeMap<>();

    void add(CtsReport.Outcome outcome) {
      switch (outcome) {
        case PASSED -> passed++;
        case FAILED -> failed++;
        case UNSUPPORTED, EXPECTED_FAILURE -> skipped++;
      }
    }

    /** How a rule ended. If {@code isPartial}, some of its tests may not have run. */
    String result(boolean isPartial) {
      if (failed > 0) {
        return "failed";
      }
      if (passed == 0) {
        return "not checked";
      }
      return skipped > 0 || isPartial ? "passed in part" : "passed";
    }
  }

  private void matrix() {
    Map<String, Counts> byRule = new LinkedHashMap<>();
    Map<String, String> contract = CtsCatalog.contract();
    contract.keySet().forEach(rule -> byRule.put(rule, new Counts()));
    for (CtsReport.Entry entry : report.entries()) {
      for (String rule : entry.rules()) {
        Counts counts = byRule.computeIfAbsent(rule, unknown -> new Counts());
        counts.add(entry.outcome());
        counts.tests.computeIfAbsent(entry.test(), test -> new Counts()).add(entry.outcome());
      }
    }
    page.element("h2", "Rules");
    page.element(
        "p",
        "The rules of the contract, and how the tests ended that check them. "
            + "A test may check several. A rule of which no test passed or failed was not checked; "
            + "one of which a test was skipped, or not run, was passed in part at best. "
            + "Rules without tests are about costs.");
    page.openTable("Rule", "", "result", "passed", "failed", "skipped", "tests");
    byRule.forEach(
        (rule, counts) -> {
          String result = counts.result(report.isPartial());
          String style = result.equals("passed") ? "good" : counts.failed > 0 ? "bad" : "dim";
          page.open("tr").element("th", rule, "scope", "row");
          page.element("td", contract.getOrDefault(rule, "not in this contract"));
          page.element("td", result, "class", style);
          number(counts.passed);
          number(counts.failed);
          number(counts.skipped);
          page.open("td");
          tests(counts.tests);
          page.close().close();
        });
    page.closeTable();
  }

  private void tests(Map<String, Counts> tests) {
    if (tests.isEmpty()) {
      page.text("none");
      return;
    }
    page.open("details").element("summary", String.valueOf(tests.size())).open("ul");
    tests.forEach(
        (test, counts) -> {
          List<String> parts = new ArrayList<>();
          part(parts, counts.passed, "passed");
          part(parts, counts.failed, "failed");
          part(parts, counts.skipped, "skipped");
          page.element("li", test + ": " + String.join(", ", parts));
        });
    page.close().close();
  }

  private static void part(List<String> parts, int count, String word) {
    if (count > 0) {
      parts.add(count == 1 ? word : count + " " + word);
    }
  }

  private void failures() {
    page.element("h2", "Failures");
    List<CtsReport.Entry> failed = report.entries(CtsReport.Outcome.FAILED);
    if (failed.isEmpty()) {
      page.element("p", "None.");
    }
    for (CtsReport.Entry entry : failed) {
      page.element("h3", title(entry));
      String rules = entry.rules().isEmpty() ? "" : ", checks " + String.join(", ", entry.rules());
      page.element("p", String.format(Locale.ROOT, "After %.3f s%s.", entry.seconds(), rules));
      page.open("p").element("code", entry.detail().lines().findFirst().orElse(""), "class", "bad");
      page.close();
      page.open("p").text("To repeat: ").element("code", command(entry)).close();
      page.open("details").element("summary", "Everything that it said");
      page.element("pre", entry.detail()).close();
    }
  }

  /**
   * The command that repeats a test: the one in its failure, if there is one, or else one with the
   * run's seed.
   */
  private String command(CtsReport.Entry entry) {
    return entry
        .detail()
        .lines()
        .map(line -> line.replaceFirst("^.*\\bto repeat: ", ""))
        .filter(line -> line.startsWith("./hal cts "))
        .findFirst()
        .orElse(
            "./hal cts --device '"
                + facts.getOrDefault("device", "")
                + "'"
                + TestName.variantsOption(facts.get(PROPERTY + CtsBackend.VARIANTS_PROPERTY))
                + " --tests '"
                + entry.test()
                + "' --seed "
                + facts.getOrDefault("seed", "0"));
  }

  private void skipped() {
    page.element("h2", "Skipped");
    Map<String, List<String>> byReason = new LinkedHashMap<>();
    for (CtsReport.Entry entry : report.entries()) {
      if (entry.outcome() == CtsReport.Outcome.UNSUPPORTED
          || entry.outcome() == CtsReport.Outcome.EXPECTED_FAILURE) {
        String reason = CtsReport.label(entry.outcome()) + ": " + entry.detail();
        byReason.computeIfAbsent(reason, none -> new ArrayList<>()).add(title(entry));
      }
    }
    if (byReason.isEmpty()) {
      page.element("p", "Nothing.");
      return;
    }
    page.element("p", "These tests were not passed. What they check was not checked by them.");
    page.openTable("Reason", "tests");
    byReason.forEach(
        (reason, tests) -> {
          page.open("tr").element("td", reason).open("td").open("ul");
          tests.forEach(test -> page.element("li", test));
          page.close().close().close();
        });
    page.closeTable();
  }

  /** The class, and the display name. */
  private static String title(CtsReport.Entry entry) {
    return entry.test().split("\\.", 2)[0] + "." + entry.display();
  }
}
