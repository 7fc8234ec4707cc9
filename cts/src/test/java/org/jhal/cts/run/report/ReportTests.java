// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.run.report;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import org.jhal.cts.run.report.CtsReport.Entry;
import org.jhal.cts.run.report.CtsReport.Outcome;
import org.junit.jupiter.api.Test;

/** The content of a report in both of its forms. */
class ReportTests {
  private static final CtsReport REPORT =
      new CtsReport(
          Map.of("device", "fake://\"0\"", "capabilities", "[A, B]"),
          List.of(
              entry("A.passes", Outcome.PASSED, ""),
              entry("A.fails", Outcome.FAILED, "expected <1>\n\tat line & column"),
              entry("B.never", Outcome.UNSUPPORTED, "the \"device\" has no such thing"),
              entry("B.later", Outcome.EXPECTED_FAILURE, "a defect; the fix: mend it")),
          CtsReport.Ending.COMPLETE);

  private static Entry entry(String test, Outcome outcome, String detail) {
    return new Entry(test, test.substring(2) + " [1]", List.of("S1", "Q2"), outcome, detail, 0.5);
  }

  private static void assertHas(String text, String... parts) {
    for (String part : parts) {
      assertTrue(text.contains(part), () -> part + " is not in " + text);
    }
  }

  @Test
  void theXmlHasEachOutcome() {
    assertHas(
        REPORT.toJunitXml(),
        "<testsuite name=\"conformance of fake://&quot;0&quot;\" tests=\"4\" failures=\"1\""
            + " errors=\"0\" skipped=\"2\" time=\"2.000\">",
        "<property name=\"capabilities\" value=\"[A, B]\"/>",
        "<testcase classname=\"A\" name=\"passes [1]\" time=\"0.500\"></testcase>",
        "<failure message=\"expected &lt;1&gt;\">expected &lt;1&gt;\n\tat line &amp; column</failure>",
        "<skipped message=\"unsupported: the &quot;device&quot; has no such thing\"/>",
        "<skipped message=\"expected failure: a defect; the fix: mend it\"/>");
  }

  @Test
  void theJsonHasEachOutcome() {
    assertHas(
        REPORT.toJson(),
        "\"device\": \"fake://\\\"0\\\"\",",
        "\"capabilities\": \"[A, B]\",",
        "{\"passed\": 1, \"failed\": 1, \"unsupported\": 1, \"expected failure\": 1}",
        "\"test\": \"A.fails\", \"display\": \"fails [1]\", \"rules\": [\"S1\", \"Q2\"],"
            + " \"outcome\": \"failed\", \"seconds\": 0.500,"
            + " \"detail\": \"expected <1>\\n\\tat line & column\"",
        "\"outcome\": \"unsupported\", \"seconds\": 0.500,"
            + " \"detail\": \"the \\\"device\\\" has no such thing\"",
        "\"outcome\": \"expected failure\"");
  }
}
