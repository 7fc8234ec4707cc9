// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.run.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jhal.cts.Need;
import org.jhal.cts.run.plan.CtsPlan;
import org.jhal.cts.run.plan.SkipReasons;
import org.jhal.cts.run.report.CtsReport.Entry;
import org.jhal.cts.run.report.CtsReport.Outcome;

/** The report of a complete run of this suite in which everything passed; tests alter it. */
public final class GoodReport {
  public static final Map<String, CtsPlan.Test> PLAN = CtsPlan.ofSuite();
  static final CodeHash SUITE = new CodeHash("5".repeat(64), "the jar of a test");

  final Map<String, String> facts = new LinkedHashMap<>();
  final List<Entry> entries = new ArrayList<>();
  CtsReport.Ending ending = CtsReport.Ending.COMPLETE;

  GoodReport() {
    facts.put("device", "fake://0");
    facts.put(RunFacts.VERSION, "1");
    facts.put("java", "17");
    facts.put("system", "Linux");
    facts.put("time", "2026-01-01T00:00:00Z");
    facts.put("seed", "7");
    facts.put(RunFacts.TESTS, RunFacts.ALL);
    facts.put(RunFacts.REPEAT, "1");
    facts.put(RunFacts.SUITE_HASH, SUITE.sha256());
    facts.put("file.suite", SUITE.what());
    facts.put("driver", "fake");
    facts.put("driver.version", "1");
    facts.put("sha256.driver", "6".repeat(64));
    facts.put("name", "Fake device");
    facts.put("capabilities", "[HOST_IMPORT, SHARED_MEMORY]");
    facts.put("queues", "2");
    facts.put(RunFacts.LACKS, "[]");
    facts.put(RunFacts.CONTROLS, "yes");
    facts.put("setting.spin", "20us (default)");
    facts.put("ended", "complete");
    for (CtsPlan.Test test : PLAN.values()) {
      for (String display : test.displays()) {
        entries.add(
            new Entry(test.name().toString(), display, test.rules(), Outcome.PASSED, "", 0.25));
      }
    }
  }

  CtsReport report() {
    return new CtsReport(facts, entries, ending);
  }

  /** The suite's entries of this test. */
  public static CtsPlan.Test planned(String test) {
    return Objects.requireNonNull(PLAN.get(test), test);
  }

  /** The first entry of this test. */
  int indexOf(String test) {
    for (int i = 0; i < entries.size(); i++) {
      if (entries.get(i).test().equals(test)) {
        return i;
      }
    }
    throw new IllegalArgumentException("the suite has no test " + test);
  }

  /** Changes the outcome of the first entry of this test. */
  GoodReport end(String test, Outcome outcome, String detail) {
    int index = indexOf(test);
    Entry old = entries.get(index);
    entries.set(index, new Entry(test, old.display(), old.rules(), outcome, detail, 0.25));
    return this;
  }

  /** Skips a test with all its invocations. */
  GoodReport skip(String test, String detail) {
    int index = indexOf(test);
    entries.removeIf(entry -> entry.test().equals(test));
    CtsPlan.Test planned = planned(test);
    String display = planned.name().method();
    entries.add(index, new Entry(test, display, planned.rules(), Outcome.UNSUPPORTED, detail, 0));
    return this;
  }

  /** Skips all tests and invocations with a need. */
  GoodReport skipAll(Need need) {
    PLAN.values().stream()
        .filter(test -> test.needs().contains(need))
        .forEach(test -> skip(test.name().toString(), need.absence()));
    entries.replaceAll(
        entry ->
            SkipReasons.isListed(planned(entry.test()).name(), entry.display(), need.absence())
                ? new Entry(
                    entry.test(),
                    entry.display(),
                    entry.rules(),
                    Outcome.UNSUPPORTED,
                    need.absence(),
                    0)
                : entry);
    return this;
  }
}
