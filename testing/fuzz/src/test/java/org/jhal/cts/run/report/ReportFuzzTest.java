// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.run.report;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.jhal.cts.run.plan.CtsPlan;
import org.jhal.cts.run.report.CtsReport.Entry;
import org.jhal.cts.run.report.CtsReport.Outcome;
import org.jhal.fuzz.Fuzz;
import org.junit.jupiter.api.Test;

/** Reports of conformance, which come from others. */
class ReportFuzzTest {
  @Test
  void reports() throws Exception {
    CodeHash suite = new CodeHash("5".repeat(64), "the jar of a test");
    Map<String, CtsPlan.Test> plan = CtsPlan.ofSuite();
    CtsPlan.Test test = plan.values().iterator().next();
    CtsReport report =
        new CtsReport(
            Map.of(
                "device",
                "fake://0",
                RunFacts.SUITE_HASH,
                suite.sha256(),
                "queues",
                "2",
                RunFacts.REPEAT,
                "1",
                RunFacts.CONTROLS,
                "yes",
                "capabilities",
                "[HOST_IMPORT]"),
            List.of(
                new Entry(
                    test.name().toString(),
                    test.displays().iterator().next(),
                    test.rules(),
                    Outcome.PASSED,
                    "",
                    0.25),
                new Entry("a.B.c", "c(\u00e9)", List.of("M1"), Outcome.UNSUPPORTED, "why", 1e-3)),
            CtsReport.Ending.COMPLETE);
    new Fuzz(
            "report",
            Fuzz.texts(report.toJson()),
            List.of(
                "{",
                "}",
                "[",
                "]",
                ",",
                ":",
                "\"",
                "null",
                "true",
                "1e999",
                "-1",
                "\\u00",
                "\\ud800",
                "[[",
                "{\"\":",
                RunFacts.REPEAT,
                RunFacts.SUITE_HASH,
                "\"passed\""))
        .documented(BadReportException.class)
        .run(
            1_000,
            input -> {
              String json = new String(input, StandardCharsets.UTF_8);
              CtsVerifier verifier = new CtsVerifier(json, suite, plan);
              verifier.check();
              var unused = verifier.uncheckedRules();
            });
  }
}
