// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.run.report;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jhal.cts.html.Html;
import org.jhal.cts.run.plan.SkipReasons;

/**
 * The result of a run of the suite.
 *
 * <p>Immutable.
 */
public final class CtsReport {
  /** How a test ended. */
  public enum Outcome {
    /** It passed. */
    PASSED,
    /** It failed. */
    FAILED,
    /** It cannot pass on this driver, device or machine, for the stated reason. */
    UNSUPPORTED,
    /** It is known not to pass yet, for the stated reason. */
    EXPECTED_FAILURE
  }

  /** Why a run ended. */
  public enum Ending {
    /** Everything was run. */
    COMPLETE,
    /** A test failed, and the run was configured to stop then. */
    FIRST_FAILURE,
    /** The run reached its deadline. The test that was running counts as failed. */
    DEADLINE,
    /** The thread that waited for the run was interrupted. */
    INTERRUPTED
  }

  /**
   * One test, or one invocation of a test that is run with several arguments.
   *
   * @param test {@code Class.method}
   * @param display the name for people, with the invocation's arguments
   * @param rules the rules that it checks
   * @param outcome how it ended
   * @param detail the failure with its stack trace, or the reason; empty if it passed
   * @param seconds how long it took
   */
  public record Entry(
      String test,
      String display,
      List<String> rules,
      Outcome outcome,
      String detail,
      double seconds) {
    /** Rounds to milliseconds, so that writing and reading the report does not change it. */
    public Entry {
      rules = List.copyOf(rules);
      seconds = Math.rint(seconds * 1000) / 1000;
    }
  }

  /** The format that {@link #toJson} writes. It is the first key of the JSON. */
  static final String FORMAT = "jhal-conformance-1";

  private final Map<String, String> facts;
  private final List<Entry> entries;
  private final Ending ending;

  /**
   * A report.
   *
   * @param facts the context of the run, in order; not copied
   * @param entries all tests, in the order in which they ran
   * @param ending why the run ended
   */
  public CtsReport(Map<String, String> facts, List<Entry> entries, Ending ending) {
    this.facts = Collections.unmodifiableMap(facts);
    this.entries = List.copyOf(entries);
    this.ending = ending;
  }

  /**
   * The context of the run, as values by name, in this order: the device, its capabilities and
   * settings; the versions of the driver, of JHAL, of Java and of the system; the seed; how the run
   * ended.
   */
  public Map<String, String> facts() {
    return facts;
  }

  /** All tests, in the order in which they ran. */
  public List<Entry> entries() {
    return entries;
  }

  /** The tests that ended in this way. */
  public List<Entry> entries(Outcome outcome) {
    return entries.stream().filter(entry -> entry.outcome() == outcome).toList();
  }

  /** Why the run ended. */
  public Ending ending() {
    return ending;
  }

  /** Whether nothing failed, something ran, and nothing was left out. */
  public boolean isSuccess() {
    return entries(Outcome.FAILED).isEmpty() && !entries.isEmpty() && ending == Ending.COMPLETE;
  }

  /**
   * Why this run proves nothing: it was not complete, or not everything passed. Empty if it was
   * complete and nothing failed. Tests that were skipped for reasons of the suite itself are not
   * included.
   */
  public List<String> shortcomings() {
    List<String> shortcomings = new ArrayList<>();
    if (ending != Ending.COMPLETE) {
      shortcomings.add("the run ended early: " + facts.getOrDefault("ended", "unknown"));
    }
    if (!RunFacts.ALL.equals(facts.get(RunFacts.TESTS))) {
      shortcomings.add(
          "only some tests were requested: " + facts.getOrDefault(RunFacts.TESTS, "unknown"));
    }
    String chain = facts.get("property." + RunFacts.CHAIN_PROPERTY);
    if (chain != null) {
      shortcomings.add("the length of chains was changed: " + chain);
    }
    int failed = entries(Outcome.FAILED).size();
    if (failed > 0) {
      shortcomings.add(failed + (failed == 1 ? " test" : " tests") + " failed");
    }
    int expected = entries(Outcome.EXPECTED_FAILURE).size();
    if (expected > 0) {
      shortcomings.add(
          expected + (expected == 1 ? " test is" : " tests are") + " expected to fail");
    }
    long leftOut = entries.stream().filter(CtsReport::isLeftOutByDriver).count();
    if (leftOut > 0) {
      shortcomings.add(
          leftOut + (leftOut == 1 ? " test was" : " tests were") + " left out by the driver");
    }
    if (entries(Outcome.PASSED).isEmpty()) {
      shortcomings.add("no test passed");
    }
    return shortcomings;
  }

  /** Whether some tests were not requested, or not reached. */
  boolean isPartial() {
    return ending != Ending.COMPLETE || !RunFacts.ALL.equals(facts.get(RunFacts.TESTS));
  }

  /** Whether the driver's backend, not the suite, states that this test cannot pass. */
  static boolean isLeftOutByDriver(Entry entry) {
    return entry.outcome() == Outcome.UNSUPPORTED
        && entry.detail().startsWith(SkipReasons.BY_DRIVER);
  }

  /** The report as JSON, with everything that the other forms are generated from. */
  public String toJson() {
    StringBuilder json = new StringBuilder("{\n");
    json.append("  \"format\": ").append(Json.quote(FORMAT)).append(",\n");
    facts.forEach(
        (name, value) ->
            json.append("  ")
                .append(Json.quote(name))
                .append(": ")
                .append(Json.quote(value))
                .append(",\n"));
    json.append("  \"ending\": ").append(Json.quote(label(ending))).append(",\n");
    json.append("  \"summary\": {");
    List<String> counts = new ArrayList<>();
    for (Outcome outcome : Outcome.values()) {
      counts.add(Json.quote(label(outcome)) + ": " + entries(outcome).size());
    }
    json.append(String.join(", ", counts)).append("},\n  \"tests\": [");
    String separator = "\n";
    for (Entry entry : entries) {
      json.append(separator)
          .append("    {\"test\": ")
          .append(Json.quote(entry.test()))
          .append(", \"display\": ")
          .append(Json.quote(entry.display()))
          .append(", \"rules\": [")
          .append(String.join(", ", entry.rules().stream().map(Json::quote).toList()))
          .append("], \"outcome\": ")
          .append(Json.quote(label(entry.outcome())))
          .append(", \"seconds\": ")
          .append(format(entry.seconds()))
          .append(", \"detail\": ")
          .append(Json.quote(entry.detail()))
          .append('}');
      separator = ",\n";
    }
    return json.append("\n  ]\n}\n").toString();
  }

  /** The report in the XML form that build servers read. */
  public String toJunitXml() {
    StringBuilder xml = new StringBuilder("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    xml.append("<testsuite name=\"")
        .append(Html.escape("conformance of " + facts.getOrDefault("device", "no device")))
        .append("\" tests=\"")
        .append(entries.size())
        .append("\" failures=\"")
        .append(entries(Outcome.FAILED).size())
        .append("\" errors=\"0\" skipped=\"")
        .append(entries(Outcome.UNSUPPORTED).size() + entries(Outcome.EXPECTED_FAILURE).size())
        .append("\" time=\"")
        .append(format(entries.stream().mapToDouble(Entry::seconds).sum()))
        .append("\">\n  <properties>\n");
    facts.forEach(
        (name, value) ->
            xml.append("    <property name=\"")
                .append(Html.escape(name))
                .append("\" value=\"")
                .append(Html.escape(value))
                .append("\"/>\n"));
    xml.append("  </properties>\n");
    for (Entry entry : entries) {
      String testClass = entry.test().split("\\.", 2)[0];
      xml.append("  <testcase classname=\"")
          .append(Html.escape(testClass))
          .append("\" name=\"")
          .append(Html.escape(entry.display()))
          .append("\" time=\"")
          .append(format(entry.seconds()))
          .append("\">");
      if (entry.outcome() == Outcome.FAILED) {
        xml.append("<failure message=\"")
            .append(Html.escape(entry.detail().lines().findFirst().orElse("")))
            .append("\">")
            .append(Html.escape(entry.detail()))
            .append("</failure>");
      } else if (entry.outcome() != Outcome.PASSED) {
        xml.append("<skipped message=\"")
            .append(Html.escape(label(entry.outcome()) + ": " + entry.detail()))
            .append("\"/>");
      }
      xml.append("</testcase>\n");
    }
    return xml.append("</testsuite>\n").toString();
  }

  /** An ending as reports write it. */
  static String label(Ending ending) {
    return switch (ending) {
      case COMPLETE -> "complete";
      case FIRST_FAILURE -> "first failure";
      case DEADLINE -> "deadline";
      case INTERRUPTED -> "interrupted";
    };
  }

  /** An outcome as reports write it. */
  public static String label(Outcome outcome) {
    return switch (outcome) {
      case PASSED -> "passed";
      case FAILED -> "failed";
      case UNSUPPORTED -> "unsupported";
      case EXPECTED_FAILURE -> "expected failure";
    };
  }

  private static String format(double seconds) {
    return String.format(Locale.ROOT, "%.3f", seconds);
  }
}
