package org.jhal.cts.run;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;

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
    /** It cannot pass on this driver, device or machine, for the reason given. */
    UNSUPPORTED,
    /** It is known not to pass yet, for the reason given. */
    EXPECTED_FAILURE
  }

  /** Why a run ended. */
  public enum Ending {
    /** Everything was run. */
    COMPLETE,
    /** A test failed, and the run was to stop then. */
    FIRST_FAILURE,
    /** The run reached its deadline; the test that was under way counts as failed. */
    DEADLINE,
    /** The thread that waited for the run was interrupted. */
    INTERRUPTED
  }

  /**
   * One test, or one invocation of a test that is run with several arguments.
   *
   * @param test {@code Class.method}
   * @param display the name for people, with the invocation's arguments
   * @param rules that it checks
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
      double seconds) {}

  private final Map<String, String> facts;
  private final List<Entry> entries;
  private final Ending ending;

  CtsReport(Map<String, String> facts, List<Entry> entries, Ending ending) {
    this.facts = Collections.unmodifiableMap(facts);
    this.entries = List.copyOf(entries);
    this.ending = ending;
  }

  /**
   * The context of the run: the device, its capabilities and settings; the versions of the driver,
   * of JHAL, of Java and of the system; the seed; how the run ended. By name, in this order.
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

  /** The report as JSON. */
  public String toJson() {
    StringBuilder json = new StringBuilder("{\n");
    facts.forEach(
        (name, value) ->
            json.append("  ").append(quote(name)).append(": ").append(quote(value)).append(",\n"));
    json.append("  \"summary\": {");
    List<String> counts = new ArrayList<>();
    for (Outcome outcome : Outcome.values()) {
      counts.add(quote(label(outcome)) + ": " + entries(outcome).size());
    }
    json.append(String.join(", ", counts)).append("},\n  \"tests\": [");
    String separator = "\n";
    for (Entry entry : entries) {
      json.append(separator)
          .append("    {\"test\": ")
          .append(quote(entry.test()))
          .append(", \"display\": ")
          .append(quote(entry.display()))
          .append(", \"rules\": [")
          .append(String.join(", ", entry.rules().stream().map(CtsReport::quote).toList()))
          .append("], \"outcome\": ")
          .append(quote(label(entry.outcome())))
          .append(", \"seconds\": ")
          .append(format(entry.seconds()))
          .append(", \"detail\": ")
          .append(quote(entry.detail()))
          .append('}');
      separator = ",\n";
    }
    return json.append("\n  ]\n}\n").toString();
  }

  /** The report in the XML form that build servers read. */
  public String toJunitXml() {
    StringBuilder xml = new StringBuilder("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    xml.append("<testsuite name=\"")
        .append(escape("conformance of " + facts.getOrDefault("device", "no device")))
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
                .append(escape(name))
                .append("\" value=\"")
                .append(escape(value))
                .append("\"/>\n"));
    xml.append("  </properties>\n");
    for (Entry entry : entries) {
      String testClass = entry.test().substring(0, entry.test().indexOf('.'));
      xml.append("  <testcase classname=\"")
          .append(escape(testClass))
          .append("\" name=\"")
          .append(escape(entry.display()))
          .append("\" time=\"")
          .append(format(entry.seconds()))
          .append("\">");
      if (entry.outcome() == Outcome.FAILED) {
        xml.append("<failure message=\"")
            .append(escape(entry.detail().lines().findFirst().orElse("")))
            .append("\">")
            .append(escape(entry.detail()))
            .append("</failure>");
      } else if (entry.outcome() != Outcome.PASSED) {
        xml.append("<skipped message=\"")
            .append(escape(label(entry.outcome()) + ": " + entry.detail()))
            .append("\"/>");
      }
      xml.append("</testcase>\n");
    }
    return xml.append("</testsuite>\n").toString();
  }

  /** An outcome as reports write it. */
  static String label(Outcome outcome) {
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

  private static String quote(String text) {
    StringBuilder quoted = new StringBuilder("\"");
    for (char c : text.toCharArray()) {
      switch (c) {
        case '"' -> quoted.append("\\\"");
        case '\\' -> quoted.append("\\\\");
        case '\n' -> quoted.append("\\n");
        case '\t' -> quoted.append("\\t");
        default -> {
          if (c < 0x20) {
            quoted.append(String.format("\\u%04x", (int) c));
          } else {
            quoted.append(c);
          }
        }
      }
    }
    return quoted.append('"').toString();
  }

  private static String escape(String text) {
    StringBuilder escaped = new StringBuilder();
    for (char c : text.toCharArray()) {
      switch (c) {
        case '<' -> escaped.append("&lt;");
        case '>' -> escaped.append("&gt;");
        case '&' -> escaped.append("&amp;");
        case '"' -> escaped.append("&quot;");
        case '\n', '\t' -> escaped.append(c);
        default -> escaped.append(c < 0x20 || c >= 0xFFFE ? '?' : c);
      }
    }
    return escaped.toString();
  }
}
