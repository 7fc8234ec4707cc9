// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.run.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.RandomAccessFile;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import org.jhal.Capability;
import org.jhal.cts.Need;
import org.jhal.cts.run.CtsRun;
import org.jhal.cts.run.plan.CtsPlan;
import org.jhal.cts.run.plan.SkipReasons;
import org.jhal.cts.run.report.CtsReport.Ending;
import org.jhal.cts.run.report.CtsReport.Entry;
import org.jhal.cts.run.report.CtsReport.Outcome;
import org.jhal.cts.run.tool.CtsTool;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code hal cts verify} accepts a good report and refuses each altered one. */
class VerifyTests {
  /** A test without invocations and without needs. */
  private static final String CONTROLLED = "QueueOrderTest.aNewOperationDoesNotOvertakeAReadyOne";

  private static final String PLAIN = "SemaphoreTest.aSignalMaySkipValues";

  /** A test with several invocations. */
  private static final String REPEATED = "SemaphoreTest.aWaitEndsAtItsDeadline";

  @TempDir Path folder;
  private final StringWriter out = new StringWriter();

  private void write(CtsReport report) throws IOException {
    Files.writeString(folder.resolve("report.json"), report.toJson());
    Files.writeString(folder.resolve("report.html"), CtsPage.of(report));
    Files.writeString(folder.resolve("report.xml"), report.toJunitXml());
  }

  /** Prints all discrepancies. */
  private int verify(Path path) throws BadReportException {
    return verify(path, true);
  }

  private int verify(Path path, boolean all) throws BadReportException {
    out.getBuffer().setLength(0);
    return CtsVerify.run(path, all, GoodReport.SUITE, GoodReport.PLAN, new PrintWriter(out, true));
  }

  /** Without the page and the XML, which take longer to make than everything else. */
  private int verify(GoodReport report) throws Exception {
    return verify(Files.writeString(folder.resolve("report.json"), report.report().toJson()));
  }

  /** Expects these discrepancies, in this order, and no other. */
  private void assertRefused(GoodReport report, String... lines) throws Exception {
    assertEquals(4, verify(report), out::toString);
    assertLines(lines);
  }

  private void assertLines(String... lines) {
    assertEquals(List.of(lines), details(), out::toString);
    String verdict = verdict();
    assertTrue(verdict.startsWith("no proof of conformance: "), verdict);
    assertTrue(verdict.endsWith("discrepancies: " + lines.length), verdict);
  }

  /** The last line, which is also the first one. */
  private String verdict() {
    List<String> lines = out.toString().lines().toList();
    String verdict = lines.get(lines.size() - 1);
    assertEquals(verdict, lines.get(0), "the first line");
    return verdict;
  }

  /** The lines between the two of the verdict. */
  private List<String> details() {
    List<String> lines = out.toString().lines().toList();
    return lines.size() < 2 ? List.of() : lines.subList(1, lines.size() - 1);
  }

  private void assertFirstDetail(String start) {
    List<String> details = details();
    assertTrue(!details.isEmpty() && details.get(0).startsWith(start), out::toString);
  }

  private void assertUnreadable(String message, Path path) {
    BadReportException thrown = assertThrows(BadReportException.class, () -> verify(path));
    assertTrue(String.valueOf(thrown.getMessage()).contains(message), thrown::getMessage);
    assertEquals("", out.toString());
  }

  private void assertUnreadable(String message, String json) throws IOException {
    assertUnreadable(message, Files.writeString(folder.resolve("report.json"), json));
  }

  @Test
  void aGoodReportConforms() throws Exception {
    GoodReport good = new GoodReport();
    write(good.report());
    assertEquals(0, verify(folder), out::toString);
    assertEquals(
        "conforms: Fake device with JHAL 1; "
            + good.entries.size()
            + " passed, 0 skipped for reasons of the suite",
        out.toString().strip());
  }

  /** A report without this many tests. */
  private Path lacking(int tests) throws IOException {
    GoodReport report = new GoodReport();
    List<Entry> plain = // of a test that is one invocation, each of which is a discrepancy
        report.entries.stream()
            .filter(entry -> entry.test().endsWith("." + entry.display()))
            .limit(tests)
            .toList();
    assertEquals(tests, plain.size());
    report.entries.removeAll(plain);
    return Files.writeString(folder.resolve("report.json"), report.report().toJson());
  }

  @Test
  void theFirstDiscrepanciesStandBetweenTwoVerdicts() throws Exception {
    String verdict = "no proof of conformance: Fake device with JHAL 1; discrepancies: ";
    for (int more : List.of(1, 23)) {
      int count = CtsVerify.MOST + more;
      Path report = lacking(count);
      assertEquals(4, verify(report, true));
      assertEquals(verdict + count, verdict());
      List<String> every = details();
      assertEquals(count, every.size(), out::toString);
      assertEquals(4, verify(report, false));
      assertEquals(verdict + count, verdict());
      List<String> first = details();
      assertEquals(every.subList(0, CtsVerify.MOST), first.subList(0, CtsVerify.MOST));
      assertEquals(
          List.of("and " + more + " more, which --all prints"),
          first.subList(CtsVerify.MOST, first.size()));
    }
  }

  @Test
  void asManyDiscrepanciesAsArePrintedAreAll() throws Exception {
    assertEquals(4, verify(lacking(CtsVerify.MOST), false));
    assertEquals(CtsVerify.MOST, details().size(), out::toString);
    assertTrue(details().stream().allMatch(line -> line.endsWith(" expected once")), out::toString);
    assertTrue(verdict().endsWith("discrepancies: " + CtsVerify.MOST), out::toString);
  }

  @Test
  void theFileAloneConformsWithoutItsPage() throws Exception {
    write(new GoodReport().report());
    Files.delete(folder.resolve("report.html"));
    assertEquals(0, verify(folder.resolve("report.json")), out::toString);
    assertTrue(out.toString().contains("; no page was checked"), out::toString);
    assertUnreadable("there is no " + folder.resolve("report.html"), folder);
  }

  @Test
  void aRequestedRepetitionConforms() throws Exception {
    GoodReport twice = new GoodReport();
    twice.facts.put(RunFacts.REPEAT, "2");
    twice.entries.addAll(List.copyOf(twice.entries));
    assertEquals(0, verify(twice), out::toString);
    twice.entries.remove(twice.indexOf(PLAIN));
    assertRefused(twice, PLAIN + ": is there once, expected 2 times");
  }

  @Test
  void aMissingTestIsRefused() throws Exception {
    GoodReport report = new GoodReport();
    report.entries.remove(report.indexOf(PLAIN));
    assertRefused(report, PLAIN + ": is missing, expected once");
  }

  @Test
  void aMissingInvocationIsRefused() throws Exception {
    GoodReport report = new GoodReport();
    List<String> displays = GoodReport.planned(REPEATED).displays();
    String last = displays.get(displays.size() - 1);
    assertTrue(report.entries.removeIf(entry -> entry.display().equals(last)));
    assertRefused(report, "SemaphoreTest." + last + ": is missing, expected once");
  }

  @Test
  void allMissingInvocationsAreRefused() throws Exception {
    GoodReport report = new GoodReport();
    report.entries.removeIf(entry -> entry.test().equals(REPEATED));
    int count = GoodReport.planned(REPEATED).displays().size();
    assertRefused(report, REPEATED + ": is missing, expected " + count + " invocations");
  }

  @Test
  void aDuplicateTestIsRefused() throws Exception {
    GoodReport report = new GoodReport();
    report.entries.add(report.entries.get(report.indexOf(PLAIN)));
    assertRefused(report, PLAIN + ": is there 2 times, expected once");
  }

  @Test
  void unknownTestsAreRefused() throws Exception {
    GoodReport report = new GoodReport();
    report.entries.add(new Entry("A.b", "b", List.of("S1"), Outcome.PASSED, "", 0));
    report.entries.add(new Entry(PLAIN, "jumps [9]", List.of("S1"), Outcome.PASSED, "", 0));
    assertRefused(
        report,
        "SemaphoreTest.jumps [9]: is there, expected no such invocation in this suite",
        "A.b: is there, expected no such test in this suite");
  }

  @Test
  void aFailedTestIsRefused() throws Exception {
    assertRefused(
        new GoodReport().end(PLAIN, Outcome.FAILED, "it broke"),
        "run: 1 test failed",
        PLAIN + ": is failed, expected passed");
  }

  @Test
  void anExpectedFailureIsRefused() throws Exception {
    assertRefused(
        new GoodReport().end(PLAIN, Outcome.EXPECTED_FAILURE, "a defect"),
        "run: 1 test is expected to fail",
        PLAIN + ": is expected failure, expected passed");
  }

  @Test
  void aTestLeftOutByTheDriverIsRefused() throws Exception {
    assertRefused(
        new GoodReport().skip(PLAIN, SkipReasons.BY_DRIVER + "too hard"),
        "run: 1 test was left out by the driver",
        PLAIN + ": is left out by the driver: too hard, expected passed");
  }

  @Test
  void anUnknownReasonIsRefused() throws Exception {
    assertRefused(
        new GoodReport().end(PLAIN, Outcome.UNSUPPORTED, "the device has no memory of type X"),
        PLAIN
            + ": is skipped: the device has no memory of type X, expected to be run: the suite has"
            + " no such reason");
  }

  @Test
  void aReasonOfTheSuiteIsAccepted() throws Exception {
    GoodReport report =
        new GoodReport()
            .skip(
                "VirtualThreadTest.virtualThreadsOpenLoadAndCloseDevices",
                "virtual threads came with Java 21");
    assertEquals(0, verify(report), out::toString);
    assertTrue(out.toString().contains(", 1 skipped for reasons of the suite"), out::toString);
  }

  @Test
  void uncheckedRulesAreListed() throws Exception {
    GoodReport report = new GoodReport();
    GoodReport.PLAN.values().stream()
        .filter(test -> test.rules().contains("S8"))
        .forEach(test -> report.skip(test.name().toString(), Need.OTHER_DRIVER.absence()));
    verify(report);
    assertTrue(
        out.toString().contains("not checked, as all their tests were skipped: [S8"),
        out::toString);
  }

  /** A complete run that skips almost everything for one reason proves nothing. */
  @Test
  void aReasonOfSomeTestsDoesNotExcuseAll() throws Exception {
    GoodReport report = new GoodReport();
    for (CtsPlan.Test test : GoodReport.PLAN.values()) {
      if (!test.name().toString().equals(PLAIN)) {
        report.skip(test.name().toString(), SkipReasons.NO_EXTERNAL_WORK);
      }
    }
    assertEquals(4, verify(report), out::toString);
    assertTrue(
        out.toString()
            .contains(
                REPEATED
                    + ": is skipped: "
                    + SkipReasons.NO_EXTERNAL_WORK
                    + ", expected to be run: the suite has no such reason"),
        out::toString);
  }

  /** Even with a reason that any test may find by itself. */
  @Test
  void aRuleWithoutNeedsMustBeChecked() throws Exception {
    GoodReport report = new GoodReport();
    GoodReport.PLAN.values().stream()
        .filter(test -> test.rules().contains("S8") || test.needs().contains(Need.OTHER_DRIVER))
        .forEach(test -> report.skip(test.name().toString(), Need.OTHER_DRIVER.absence()));
    assertEquals(4, verify(report), out::toString);
    assertTrue(
        out.toString().contains("rule S8: is not checked, expected at least one test that passed"),
        out::toString);
  }

  @Test
  void aSkipForMissingExternalWorkIsRefusedIfItPassedElsewhere() throws Exception {
    String skipped = "ExternalFailureTest.anExceptionInExternalWorkFailsItsSignals";
    GoodReport report = new GoodReport().skip(skipped, SkipReasons.NO_EXTERNAL_WORK);
    assertEquals(4, verify(report), out::toString);
    String line = details().get(0);
    assertTrue(line.startsWith(skipped + ": is skipped: " + SkipReasons.NO_EXTERNAL_WORK), line);
    assertTrue(line.endsWith(" is of external work and passed"), line);
  }

  /** What a device lends to external work. */
  private static final List<Capability> FOR_EXTERNAL_WORK =
      List.of(Capability.NATIVE_ACCESS, Capability.HOST_ADDRESSES);

  /** The report of a driver that runs no external work, as the suite writes it. */
  private static GoodReport withoutExternalWork() {
    GoodReport report = new GoodReport();
    report.entries.replaceAll(
        entry -> {
          CtsPlan.Test test = GoodReport.planned(entry.test());
          return SkipReasons.isListed(test.name(), entry.display(), SkipReasons.NO_EXTERNAL_WORK)
              ? new Entry(
                  entry.test(),
                  entry.display(),
                  entry.rules(),
                  Outcome.UNSUPPORTED,
                  SkipReasons.NO_EXTERNAL_WORK,
                  0)
              : entry;
        });
    for (Capability capability : FOR_EXTERNAL_WORK) {
      GoodReport.PLAN.values().stream()
          .filter(test -> test.capabilities().contains(capability))
          .filter(
              test ->
                  test.displays().stream()
                      .noneMatch(
                          display ->
                              SkipReasons.isListed(
                                  test.name(), display, SkipReasons.NO_EXTERNAL_WORK)))
          .forEach(test -> report.skip(test.name().toString(), SkipReasons.absence(capability)));
    }
    return report;
  }

  @Test
  void aDriverWithoutExternalWorkConformsInTheOtherRules() throws Exception {
    GoodReport report = withoutExternalWork();
    assertEquals(0, verify(report), out::toString);
    String verdict = verdict();
    assertTrue(verdict.startsWith("conforms in what was checked: Fake device"), verdict);
    assertTrue(verdict.contains("; rules that were not checked: 1, [Q11]"), verdict);
  }

  @Test
  void hostAddressesRequireExternalWork() throws Exception {
    assertExternalWorkIsExpected("HOST_ADDRESSES", "[HOST_ADDRESSES, HOST_IMPORT, SHARED_MEMORY]");
  }

  private void assertExternalWorkIsExpected(String because, String capabilities) throws Exception {
    GoodReport report = withoutExternalWork();
    report.facts.put("capabilities", capabilities);
    assertEquals(4, verify(report), out::toString);
    assertTrue(
        out.toString()
            .contains(
                "is skipped: "
                    + SkipReasons.NO_EXTERNAL_WORK
                    + ", expected to be run: the device offers "
                    + because),
        out::toString);
  }

  /** A device that lends its native runtime runs external work and has native calls. */
  @Test
  void nativeAccessRequiresExternalWorkAndNativeCalls() throws Exception {
    assertExternalWorkIsExpected("NATIVE_ACCESS", "[HOST_IMPORT, NATIVE_ACCESS, SHARED_MEMORY]");
    assertRefused(
        new GoodReport().skip(PLAIN, "the driver offers no NativeCalls"),
        PLAIN
            + ": is skipped: the driver offers no NativeCalls, expected to be run: the suite has no"
            + " such reason");
  }

  /** Skips all tests with a need, or one of them while the others pass. */
  @ParameterizedTest
  @EnumSource
  void aSkipForAMetNeedIsRefused(Need need) throws Exception {
    GoodReport report = new GoodReport();
    report.facts.put(RunFacts.CONTROLS, "no");
    report.facts.put("queues", "1");
    report.facts.put(RunFacts.LACKS, RunFacts.DECLARED.toString());
    List<String> users =
        GoodReport.PLAN.values().stream()
            .filter(test -> test.needs().contains(need))
            .map(test -> test.name().toString())
            .toList();
    assertFalse(users.isEmpty());
    report.skipAll(need);
    assertEquals(0, verify(report), out::toString);

    if (users.size() == 1) {
      return; // no other test shows it
    }
    GoodReport mixed = new GoodReport();
    mixed.facts.put(RunFacts.CONTROLS, "no");
    mixed.facts.put("queues", "1");
    mixed.facts.put(RunFacts.LACKS, RunFacts.DECLARED.toString());
    mixed.skip(users.get(0), need.absence());
    assertEquals(4, verify(mixed), out::toString);
    assertTrue(out.toString().contains(" needs the same and passed"), out::toString);
  }

  @Test
  void aSkipForANeedThatTheReportShowsIsRefused() throws Exception {
    String test =
        GoodReport.PLAN.values().stream()
            .filter(one -> one.needs().contains(Need.TWO_QUEUES))
            .findFirst()
            .orElseThrow()
            .name()
            .toString();
    GoodReport report = new GoodReport().skip(test, Need.TWO_QUEUES.absence());
    assertRefused(
        report,
        test
            + ": is skipped: the device has one queue, expected to be run: the device has 2 queues");
    report = new GoodReport().skip(CONTROLLED, Need.CONTROLS.absence());
    assertRefused(
        report,
        CONTROLLED
            + ": is skipped: "
            + Need.CONTROLS.absence()
            + ", expected to be run: there are controls");
  }

  /** All tests with the need are skipped, but the device does not declare the lack. */
  @ParameterizedTest
  @EnumSource(
      value = Need.class,
      names = {"THREE_QUEUES", "KERNEL_FAILURES", "FOREIGN_MEMORY"})
  void anUndeclaredLackIsNoReason(Need need) throws Exception {
    GoodReport report = new GoodReport();
    report.skipAll(need);
    assertEquals(4, verify(report), out::toString);
    assertTrue(
        out.toString()
            .contains(
                "is skipped: "
                    + need.absence()
                    + ", expected to be run: the device does not say that it lacks it"),
        out::toString);
    report.facts.put(RunFacts.LACKS, "[" + need + "]");
    assertEquals(0, verify(report), out::toString);
    assertTrue(out.toString().contains("conforms"), out::toString);
  }

  /** Even if only one invocation of a test needs it. */
  @Test
  void aMissingCapabilityExcusesOnlyInvocationsThatNeedIt() throws Exception {
    String test = "NoWaitTest.blockingCallsAreRejected";
    String display =
        GoodReport.planned(test).displays().stream()
            .filter(one -> one.endsWith("place=RELEASE_OF_IMPORTED_MEMORY"))
            .findFirst()
            .orElseThrow();
    String absent = SkipReasons.absence(Capability.HOST_IMPORT);
    GoodReport report = new GoodReport();
    report.entries.replaceAll(
        entry ->
            entry.display().equals(display)
                ? new Entry(test, display, entry.rules(), Outcome.UNSUPPORTED, absent, 0)
                : entry);
    String skipped = "NoWaitTest." + display + ": is skipped: " + absent + ", expected to be run: ";
    assertRefused(report, skipped + "the device offers it");
    report.facts.put("capabilities", "[]");
    assertEquals(0, verify(report), out::toString);
    report.skip(PLAIN, absent);
    assertRefused(
        report,
        PLAIN + ": is skipped: " + absent + ", expected to be run: the suite has no such reason");
  }

  /** Otherwise a report could skip any test for a reason of some. */
  @ParameterizedTest
  @EnumSource
  void aMissingNeedExcusesOnlyTestsThatHaveIt(Need need) throws Exception {
    GoodReport report = new GoodReport();
    report.facts.put(RunFacts.CONTROLS, "no");
    report.facts.put("queues", "1");
    report.facts.put(RunFacts.LACKS, RunFacts.DECLARED.toString());
    report.skipAll(need).skip(PLAIN, need.absence());
    assertEquals(4, verify(report), out::toString);
    List<String> found = details().stream().filter(l -> !l.startsWith("not checked")).toList();
    assertEquals(
        PLAIN
            + ": is skipped: "
            + need.absence()
            + ", expected to be run: the suite has no such reason for this test",
        found.get(0));
    assertEquals(1, found.size(), "lines, except for the rules left unchecked");
  }

  @Test
  void anOfferedCapabilityIsNoReason() throws Exception {
    String test =
        GoodReport.PLAN.values().stream()
            .filter(
                one -> one.capabilities().stream().anyMatch(c -> c.name().equals("HOST_IMPORT")))
            .findFirst()
            .orElseThrow()
            .name()
            .toString();
    String reason = "the device does not offer HOST_IMPORT";
    GoodReport report = new GoodReport().skip(test, reason);
    assertRefused(
        report, test + ": is skipped: " + reason + ", expected to be run: the device offers it");
    report.facts.put("capabilities", "[SHARED_MEMORY, SHARED_MEMORY]");
    assertEquals(0, verify(report), out::toString);
    assertRefused(
        new GoodReport().skip(PLAIN, reason),
        PLAIN + ": is skipped: " + reason + ", expected to be run: the suite has no such reason");
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "COMPLETE")
  void aRunThatEndedEarlyIsRefused(Ending ending) throws Exception {
    GoodReport report = new GoodReport();
    report.ending = ending;
    report.facts.put("ended", "early");
    assertRefused(report, "run: the run ended early: early");
    report.facts.put("ended", "complete");
    assertRefused(
        report,
        "run: the run ended early: complete",
        "ended: is complete, expected what fits the ending '" + CtsReport.label(ending) + "'");
  }

  @Test
  void aPartialRunIsRefused() throws Exception {
    GoodReport report = new GoodReport();
    report.facts.put(RunFacts.TESTS, "Semaphore*");
    assertRefused(report, "run: only some tests were requested: Semaphore*");
    report = new GoodReport();
    report.facts.put("property.jhal.cts.chain", "10");
    assertRefused(report, "run: the length of chains was changed: 10");
  }

  @Test
  void anEmptyReportIsRefused() throws Exception {
    GoodReport report = new GoodReport();
    report.entries.clear();
    assertEquals(4, verify(report));
    assertFirstDetail("run: no test passed");
    assertTrue(out.toString().contains(PLAIN + ": is missing, expected once"), out::toString);
  }

  @ParameterizedTest
  @ValueSource(strings = {"device", "driver.version", "sha256.driver", "time", "controls"})
  void aMissingFactIsRefused(String fact) throws Exception {
    GoodReport report = new GoodReport();
    report.facts.remove(fact);
    assertRefused(report, fact + ": is missing, expected a value");
  }

  @Test
  void otherRulesAreRefused() throws Exception {
    GoodReport report = new GoodReport();
    int index = report.indexOf(PLAIN);
    Entry old = report.entries.get(index);
    report.entries.set(
        index, new Entry(PLAIN, old.display(), List.of("S1", "Q1"), Outcome.PASSED, "", 0));
    assertRefused(report, PLAIN + ".rules: is [S1, Q1], expected [S1]");
  }

  /** Verifies altered JSON. */
  private int verify(String old, String altered) throws Exception {
    String json = new GoodReport().report().toJson();
    assertTrue(json.contains(old), old);
    return verify(Files.writeString(folder.resolve("report.json"), json.replace(old, altered)));
  }

  @Test
  void forgedCountsAreRefused() throws Exception {
    int count = new GoodReport().entries.size();
    assertEquals(4, verify("\"passed\": " + count, "\"passed\": " + (count + 1)));
    assertLines("summary.passed: is " + (count + 1) + ", expected " + count);
    assertEquals(4, verify("\"passed\": " + count + ", ", ""));
    assertLines("summary.passed: is missing, expected " + count);
    assertEquals(4, verify("\"failed\": 0", "\"failed\": 0, \"perfect\": 9"));
    assertLines("summary.perfect: is there, expected nothing of this name");
  }

  @Test
  void aReformattedReportIsRefused() throws Exception {
    assertEquals(4, verify("  \"name\": ", "  \"name\" : "));
    assertTrue(
        details().get(0).matches("report.json: is different from line [0-9]+ on, expected.*"),
        out::toString);
  }

  @ParameterizedTest
  @ValueSource(strings = {"report.html", "report.xml"})
  void aFileThatDiffersFromTheReportIsRefused(String name) throws Exception {
    write(new GoodReport().report());
    Path file = folder.resolve(name);
    String content = Files.readString(file);
    Files.writeString(file, content.replaceFirst("Fake device|fake://0", "Other one"));
    assertEquals(4, verify(folder));
    assertTrue(out.toString().contains(name + ": is different from line "), out::toString);
    Files.writeString(file, content + " ");
    assertEquals(4, verify(folder));
    Files.writeString(file, content.substring(0, content.length() - 1));
    assertEquals(4, verify(folder));
    Files.writeString(file, content);
    assertEquals(0, verify(folder), out::toString);
  }

  @Test
  void anotherSuitesReportIsReportedButNotVerified() throws Exception {
    GoodReport report = new GoodReport();
    report.facts.put(RunFacts.SUITE_HASH, "7".repeat(64));
    report.facts.put(RunFacts.VERSION, "0.9");
    report.entries.remove(report.indexOf(PLAIN)); // which the other suite may not have
    assertEquals(6, verify(report), out::toString);
    assertFirstDetail("suite: is " + "7".repeat(64) + " of JHAL 0.9, expected ");
    assertTrue(verdict().startsWith("cannot be verified: "), out::toString);
    assertFalse(out.toString().contains("conforms"), out::toString);

    report.end(REPEATED, Outcome.FAILED, "it broke");
    assertEquals(4, verify(report), out::toString);
    assertFirstDetail("run: 1 test failed");
    assertTrue(out.toString().contains("suite: is 777"), out::toString);
  }

  @Test
  void aSuiteWhoseHashIsUnknownProvesNothing() throws Exception {
    GoodReport report = new GoodReport();
    report.facts.put(RunFacts.SUITE_HASH, CodeHash.UNKNOWN);
    write(report.report());
    CodeHash unknown = new CodeHash(CodeHash.UNKNOWN, "");
    assertEquals(
        6, CtsVerify.run(folder, true, unknown, GoodReport.PLAN, new PrintWriter(out, true)));
  }

  @Test
  void textsOfAReportCannotBreakALine() throws Exception {
    GoodReport report = new GoodReport();
    report.facts.put(RunFacts.TESTS, "a\u001b[2J\nconforms: \u202eall");
    assertRefused(report, "run: only some tests were requested: a?[2J?conforms: ?all");
  }

  @Test
  void aMissingReportIsReported() {
    assertUnreadable("there is no " + folder.resolve("none"), folder.resolve("none"));
    assertUnreadable("there is no " + folder.resolve("report.json"), folder);
  }

  @Test
  void aHugeFileIsNotRead() throws Exception {
    Path file = folder.resolve("report.json");
    try (RandomAccessFile huge = new RandomAccessFile(file.toFile(), "rw")) {
      huge.setLength(ReportReader.MAX_BYTES + 1); // sparse
    }
    assertUnreadable("has more than 67108864 bytes", file);
  }

  @Test
  void aTruncatedReportIsReported() throws Exception {
    String json = new GoodReport().report().toJson();
    for (int length = 0; length < json.length() - 2; length += 48_017) {
      assertUnreadable("the file ends here, in the middle of the JSON", json.substring(0, length));
    }
  }

  @Test
  void aBinaryFileIsReported() throws Exception {
    Path file = Files.write(folder.resolve("report.json"), new byte[] {'{', (byte) 0xFF, '}'});
    assertUnreadable("is not a text in UTF-8", file);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "[]|the file: is an array, expected an object",
        "{}|format: is missing, expected \"jhal-conformance-1\"",
        "{\"format\": 1}|format: is 1.0, expected \"jhal-conformance-1\"",
        "{\"a\": 1, \"a\": 1}|column 13: the key \"a\" is there twice",
        "{\"a\": 1} x|something follows the end of the JSON",
        "{a: 1}|column 2: a key in quotes is needed",
        "{\"a\" 1}|column 6: ':' is needed",
        "[1 2]|column 4: ',' or ']' is needed",
        "[nul]|column 2: a value is needed",
        "[01]|column 2: a value is needed",
        "[\"\\x\"]|an unknown escape",
        "[\"\\u12g4\"]|four hexadecimal digits are needed",
        "[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]|nested deeper than 20"
      })
  void malformedJsonIsReported(String json, String message) throws Exception {
    assertUnreadable(message, json);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "\"ending\": \"complete\"|\"ending\": \"fine\"|ending: is \"fine\", expected one of [complete,",
        "\"ending\": \"complete\"|\"ending\": true|ending: is true, expected one of",
        "\"queues\": \"2\"|\"queues\": 2|queues: is 2.0, expected a string",
        "\"queues\": \"2\"|\"queues\": null|queues: is null, expected a string",
        "\"summary\": {|\"summary\": [], \"s\": {|summary: is an array, expected an object",
        "\"failed\": 0|\"failed\": \"0\"|summary.failed: is \"0\", expected a number",
        "\"tests\": [|\"tests\": 1, \"t\": [|tests: is 1.0, expected an array",
        "\"tests\": [|\"tests\": [7, |tests[0]: is 7.0, expected an object",
        "\"rules\": [\"|\"rules\": [1, \"|rules[0]: is 1.0, expected a string",
        "\"seconds\": 0.250|\"seconds\": -1|tests[0].seconds: is -1.0, expected at least 0",
        "\"seconds\": 0.250|\"seconds\": 1e999|tests[0].seconds: is Infinity, expected a number",
        "\"seconds\": 0.250|\"second\": 0.250|tests[0]: has the key \"second\", expected only [test,",
        "\"outcome\": \"passed\"|\"outcome\": \"skipped\"|tests[0].outcome: is \"skipped\", expected one of",
        ", \"detail\": \"\"||tests[0].detail: is missing, expected a string"
      })
  void wrongTypesAreReported(String old, String altered, String message) throws Exception {
    String json = new GoodReport().report().toJson();
    assertTrue(json.contains(old), old);
    assertUnreadable(message, json.replace(old, altered == null ? "" : altered));
  }

  /** Through the command, with this very suite. */
  @Test
  void theCommandVerifies() throws Exception {
    Consumer<CtsReport> write =
        report -> {
          try {
            write(report);
          } catch (IOException e) {
            throw new AssertionError(e);
          }
        };
    GoodReport report = new GoodReport();
    report.facts.put(RunFacts.SUITE_HASH, CodeHash.of(CtsRun.class).sha256());
    write.accept(report.report());
    assertEquals(0, tool(folder), out::toString);
    report.entries.remove(report.indexOf(PLAIN));
    write.accept(report.report());
    assertEquals(4, tool(folder), out::toString);
    assertEquals(1, tool(folder.resolve("none")));
    assertTrue(
        out.toString().startsWith("hal: DATA_LOSS: the report cannot be read: there is no "),
        out::toString);
    report.entries.clear();
    write.accept(report.report());
    assertEquals(4, tool(folder));
    int some = details().size();
    assertTrue(some < 2 * CtsVerify.MOST, out::toString);
    assertEquals(4, tool(folder, true));
    assertTrue(details().size() > 10 * some, out::toString);
  }

  private int tool(Path report) {
    return tool(report, false);
  }

  private int tool(Path report, boolean all) {
    out.getBuffer().setLength(0);
    PrintWriter writer = new PrintWriter(out, true);
    return CtsTool.verify(report, all, writer, writer);
  }

  @Test
  void aWrittenReportIsReadUnchanged() throws Exception {
    GoodReport report = new GoodReport();
    report.facts.put("odd", "\u0000\u001f \"\\\" \n\r\t \ud800 \u2028 \ud83d\ude00 </script>");
    report.end(PLAIN, Outcome.FAILED, "\ud83d\n\tat x");
    String json = report.report().toJson();
    byte[] bytes = json.getBytes(StandardCharsets.UTF_8);
    CtsReport read = ReportReader.read(new String(bytes, StandardCharsets.UTF_8)).report();
    assertEquals(report.facts, read.facts());
    assertEquals(report.entries, read.entries());
    assertEquals(json, read.toJson());
    assertEquals(CtsPage.of(report.report()), CtsPage.of(read));
    assertEquals(report.report().toJunitXml(), read.toJunitXml());
  }
}
