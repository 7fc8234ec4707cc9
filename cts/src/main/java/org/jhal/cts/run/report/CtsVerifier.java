// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.run.report;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jhal.Capability;
import org.jhal.cts.Need;
import org.jhal.cts.run.plan.CtsCatalog;
import org.jhal.cts.run.plan.CtsPlan;
import org.jhal.cts.run.plan.SkipReasons;
import org.jspecify.annotations.Nullable;

/**
 * Checks that a report is from a complete, passing run of this very suite, and that it is
 * consistent. This cannot determine who wrote the report.
 *
 * <p>Used by one thread.
 */
final class CtsVerifier {
  /** Facts that each report of a complete run has. */
  private static final List<String> REQUIRED =
      List.of(
          "device",
          "name",
          "driver",
          "driver.version",
          RunFacts.VERSION,
          "java",
          "system",
          "time",
          "seed",
          "capabilities",
          RunFacts.CONTROLS,
          "queues",
          RunFacts.SUITE_HASH,
          "sha256.driver");

  private final String json;
  private final ReportReader.Claimed claimed;
  private final CtsReport report;
  private final Map<String, String> facts;
  private final CodeHash suite;
  private final Map<String, CtsPlan.Test> plan;
  private final List<String> discrepancies = new ArrayList<>();

  /** What shows that a need was met, cached because it may be queried for thousands of tests. */
  private final Map<Need, Optional<String>> met = new EnumMap<>(Need.class);

  private @Nullable Optional<String> externalWork; // cached too

  /**
   * Prepares a check.
   *
   * @param json the report
   * @param suite this suite
   * @param plan all tests of this suite
   * @throws BadReportException if {@code json} is not a report
   */
  CtsVerifier(String json, CodeHash suite, Map<String, CtsPlan.Test> plan)
      throws BadReportException {
    this.json = json;
    this.suite = suite;
    this.plan = plan;
    this.claimed = ReportReader.read(json);
    this.report = claimed.report();
    this.facts = report.facts();
  }

  /** The report, as it was read. */
  CtsReport report() {
    return report;
  }

  /**
   * Whether the report is from this suite. If not, its tests cannot be compared with those of this
   * one.
   */
  boolean isOfThisSuite() {
    return !suite.sha256().equals(CodeHash.UNKNOWN)
        && suite.sha256().equals(facts.get(RunFacts.SUITE_HASH));
  }

  /** How the suite of the report differs from this one, in one line. */
  String otherSuite() {
    return differs(
            "suite",
            facts.get(RunFacts.SUITE_HASH) + " of JHAL " + facts.get(RunFacts.VERSION),
            suite.sha256() + " of JHAL " + RunFacts.version())
        + "; which tests it had to run, and its page, cannot be checked with this suite";
  }

  /** What keeps the report from being a proof, one line each. */
  List<String> discrepancies() {
    return List.copyOf(discrepancies);
  }

  /** Finds all discrepancies within the report. */
  void check() {
    for (String fact : REQUIRED) {
      if (facts.getOrDefault(fact, "").isBlank()) {
        differ(fact, "missing", "a value");
      }
    }
    checkSummary();
    report.shortcomings().forEach(one -> discrepancies.add(Printable.of("run: " + one)));
    checkEnding();
    long repeat = repeat();
    checkTwice(repeat);
    for (CtsReport.Entry entry : report.entries()) {
      if (entry.outcome() == CtsReport.Outcome.FAILED
          || entry.outcome() == CtsReport.Outcome.EXPECTED_FAILURE) {
        differ(name(entry), CtsReport.label(entry.outcome()), "passed");
      } else if (CtsReport.isLeftOutByDriver(entry)) {
        differ(name(entry), entry.detail(), "passed");
      }
    }
    if (isOfThisSuite()) {
      checkTests(repeat);
      report.entries(CtsReport.Outcome.UNSUPPORTED).forEach(this::checkReason);
      checkRules();
      checkForm();
    }
  }

  private void checkSummary() {
    Map<String, Double> counted = new LinkedHashMap<>();
    for (CtsReport.Outcome outcome : CtsReport.Outcome.values()) {
      counted.put(CtsReport.label(outcome), (double) report.entries(outcome).size());
    }
    counted.forEach(
        (label, count) -> {
          Double claim = claimed.summary().get(label);
          if (!count.equals(claim)) {
            differ("summary." + label, claim == null ? "missing" : plain(claim), plain(count));
          }
        });
    for (String label : claimed.summary().keySet()) {
      if (!counted.containsKey(label)) {
        differ("summary." + label, "there", "nothing of this name");
      }
    }
  }

  private static String plain(double number) {
    return number == Math.rint(number)
        ? String.format(Locale.ROOT, "%.0f", number)
        : String.valueOf(number);
  }

  private void checkEnding() {
    boolean isComplete = report.ending() == CtsReport.Ending.COMPLETE;
    String ended = facts.getOrDefault("ended", "missing");
    if (isComplete != ended.equals("complete")) {
      differ("ended", ended, "what fits the ending '" + CtsReport.label(report.ending()) + "'");
    }
  }

  /** How often everything was run; 1 if the report does not state that. */
  private long repeat() {
    String repeat = facts.getOrDefault(RunFacts.REPEAT, "missing");
    if (repeat.matches("[1-9][0-9]{0,6}")) {
      return Long.parseLong(repeat);
    }
    differ(RunFacts.REPEAT, repeat, "a number from 1");
    return 1;
  }

  private void checkTwice(long repeat) {
    counts()
        .forEach(
            (invocation, count) -> {
              if (count > repeat) {
                differ(invocation, "there " + times(count), times(repeat));
              }
            });
  }

  private Map<String, Long> counts() {
    Map<String, Long> counts = new LinkedHashMap<>();
    report.entries().forEach(entry -> counts.merge(name(entry), 1L, Long::sum));
    return counts;
  }

  private static String times(long count) {
    return count == 1 ? "once" : count + " times";
  }

  /** Checks that each test of the suite ran, and no other. */
  private void checkTests(long repeat) {
    Map<String, List<CtsReport.Entry>> byTest = new TreeMap<>();
    for (CtsReport.Entry entry : report.entries()) {
      byTest.computeIfAbsent(entry.test(), none -> new ArrayList<>()).add(entry);
    }
    plan.forEach(
        (name, test) -> checkInvocations(test, byTest.getOrDefault(name, List.of()), repeat));
    byTest.forEach(
        (name, entries) -> {
          CtsPlan.Test test = plan.get(name);
          if (test == null) {
            differ(name, "there", "no such test in this suite");
            return;
          }
          for (CtsReport.Entry entry : entries) {
            if (!entry.rules().equals(test.rules())) {
              differ(name(entry) + ".rules", entry.rules().toString(), test.rules().toString());
            }
          }
        });
  }

  private void checkInvocations(CtsPlan.Test test, List<CtsReport.Entry> entries, long repeat) {
    String method = test.name().method();
    Map<String, Long> found = new LinkedHashMap<>();
    entries.forEach(entry -> found.merge(entry.display(), 1L, Long::sum));
    // A test that is skipped as a whole has one entry instead of one for each invocation.
    long skipped =
        entries.stream()
            .filter(entry -> entry.display().equals(method))
            .filter(entry -> entry.outcome() != CtsReport.Outcome.PASSED)
            .count();
    boolean isWhole = skipped > 0 && !test.displays().contains(method);
    if (isWhole) {
      found.remove(method);
    }
    if (entries.isEmpty() && test.displays().size() > 1) {
      differ(test.name().toString(), "missing", test.displays().size() + " invocations");
      return;
    }
    for (String display : test.displays()) {
      long count =
          (found.containsKey(display) ? found.remove(display) : 0L) + (isWhole ? skipped : 0);
      if (count < repeat) {
        differ(
            test.name().testClass() + "." + display,
            count == 0 ? "missing" : "there " + times(count),
            times(repeat));
      }
    }
    for (String display : found.keySet()) {
      differ(test.name().testClass() + "." + display, "there", "no such invocation in this suite");
    }
  }

  /**
   * Checks that the suite has this reason for the test, and that the report does not contradict it.
   */
  private void checkReason(CtsReport.Entry entry) {
    CtsPlan.Test test = plan.get(entry.test());
    if (test == null || CtsReport.isLeftOutByDriver(entry)) {
      return; // reported elsewhere
    }
    Need need = SkipReasons.need(entry.detail());
    if (need != null) {
      String contradiction =
          needs(test, entry, need)
              ? met.computeIfAbsent(need, this::contradiction).orElse(null)
              : "the suite has no such reason for this test";
      if (contradiction != null) {
        differ(name(entry), "skipped: " + entry.detail(), "to be run: " + contradiction);
      }
      return;
    }
    for (Capability capability : Capability.values()) {
      if (entry.detail().equals(SkipReasons.absence(capability))) {
        boolean isReason =
            test.capabilities().contains(capability)
                || SkipReasons.isListed(test.name(), entry.display(), entry.detail());
        if (!isReason) {
          differ(
              name(entry), "skipped: " + entry.detail(), "to be run: the suite has no such reason");
        } else if (capabilities().contains(capability.toString())) {
          differ(name(entry), "skipped: " + entry.detail(), "to be run: the device offers it");
        }
        return;
      }
    }
    String wrong =
        !SkipReasons.isListed(test.name(), entry.display(), entry.detail())
            ? "the suite has no such reason"
            : entry.detail().equals(SkipReasons.NO_EXTERNAL_WORK)
                ? externalWork().orElse(null)
                : null;
    if (wrong != null) {
      differ(name(entry), "skipped: " + entry.detail(), "to be run: " + wrong);
    }
  }

  /** What in the report shows that the driver runs external work. */
  private Optional<String> externalWork() {
    if (externalWork == null) {
      externalWork = findExternalWork();
    }
    return externalWork;
  }

  private Optional<String> findExternalWork() {
    for (Capability capability : List.of(Capability.NATIVE_ACCESS, Capability.HOST_ADDRESSES)) {
      if (capabilities().contains(capability.toString())) {
        return Optional.of("the device offers " + capability);
      }
    }
    for (CtsReport.Entry entry : report.entries(CtsReport.Outcome.PASSED)) {
      CtsPlan.Test test = plan.get(entry.test());
      if (test != null
          && SkipReasons.isListed(test.name(), entry.display(), SkipReasons.NO_EXTERNAL_WORK)) {
        return Optional.of(name(entry) + " is of external work and passed");
      }
    }
    return Optional.empty();
  }

  /** The rules of which no test passed or failed, in the order of the contract. */
  List<String> uncheckedRules() {
    Map<String, Boolean> isChecked = new LinkedHashMap<>();
    for (CtsReport.Entry entry : report.entries()) {
      boolean has =
          entry.outcome() == CtsReport.Outcome.PASSED
              || entry.outcome() == CtsReport.Outcome.FAILED;
      entry.rules().forEach(rule -> isChecked.merge(rule, has, Boolean::logicalOr));
    }
    return isChecked.entrySet().stream()
        .filter(rule -> !rule.getValue())
        .map(Map.Entry::getKey)
        .sorted(CtsCatalog.ruleOrder())
        .toList();
  }

  /** Checks that a rule was checked if the suite has a test of it that runs on every device. */
  private void checkRules() {
    for (String rule : uncheckedRules()) {
      if (plan.values().stream().anyMatch(t -> t.rules().contains(rule) && runsEverywhere(t))) {
        differ("rule " + rule, "not checked", "at least one test that passed");
      }
    }
  }

  private static boolean runsEverywhere(CtsPlan.Test test) {
    return test.needs().isEmpty()
        && test.capabilities().isEmpty()
        && test.displays().stream()
            .anyMatch(display -> !SkipReasons.isListed(test.name(), display));
  }

  private List<String> capabilities() {
    return list("capabilities");
  }

  private List<String> list(String fact) {
    return List.of(facts.getOrDefault(fact, "[]").replaceAll("[\\[\\] ]", "").split(","));
  }

  /** Whether a test, or this invocation of it, has a need. */
  private static boolean needs(CtsPlan.Test test, CtsReport.Entry entry, Need need) {
    return test.needs().contains(need)
        || SkipReasons.isListed(test.name(), entry.display(), need.absence());
  }

  /** What in the report shows that {@code need} was met. */
  private Optional<String> contradiction(Need need) {
    if (need == Need.CONTROLS && "yes".equals(facts.get(RunFacts.CONTROLS))) {
      return Optional.of("there are controls");
    }
    if (need == Need.TWO_QUEUES && !"1".equals(facts.get("queues"))) {
      return Optional.of("the device has " + facts.get("queues") + " queues");
    }
    if (RunFacts.DECLARED.contains(need) && !list(RunFacts.LACKS).contains(need.name())) {
      return Optional.of("the device does not say that it lacks it");
    }
    for (CtsReport.Entry entry : report.entries(CtsReport.Outcome.PASSED)) {
      CtsPlan.Test test = plan.get(entry.test());
      if (test != null && needs(test, entry, need)) {
        return Optional.of(name(entry) + " needs the same and passed");
      }
    }
    return Optional.empty();
  }

  /** Checks that the file is, to the last byte, what a run writes. */
  private void checkForm() {
    int line = firstDifference(json, report.toJson());
    if (line > 0 && discrepancies.stream().noneMatch(one -> one.startsWith("summary."))) {
      differ("report.json", "different from line " + line + " on", "what a run writes");
    }
  }

  /**
   * Checks that a file next to the report is what the report generates.
   *
   * @param name the file's name
   */
  void compare(String name, String content, String expected) {
    int line = firstDifference(content, expected);
    if (line > 0) {
      differ(name, "different from line " + line + " on", "what the report makes");
    }
  }

  /** The first line that differs, counted from 1, or 0 if none does. */
  private static int firstDifference(String one, String other) {
    if (one.equals(other)) {
      return 0;
    }
    int line = 1;
    for (int i = 0; i < one.length() && i < other.length(); i++) {
      if (one.charAt(i) != other.charAt(i)) {
        return line;
      }
      line += one.charAt(i) == '\n' ? 1 : 0;
    }
    return line;
  }

  private static String name(CtsReport.Entry entry) {
    return entry.test().split("\\.", 2)[0] + "." + entry.display();
  }

  private void differ(String what, String value, String expected) {
    discrepancies.add(differs(what, value, expected));
  }

  private static String differs(String what, String value, String expected) {
    return Printable.of(what)
        + ": is "
        + Printable.of(value)
        + ", expected "
        + Printable.of(expected);
  }
}
