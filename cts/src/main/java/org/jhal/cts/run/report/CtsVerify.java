// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.run.report;

import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jhal.cts.run.plan.CtsPlan;

/**
 * {@code hal cts verify}: checks whether a report proves that a device conforms to this very suite.
 */
public final class CtsVerify {
  /** The files of a report. */
  public static final String REPORT = "report.json";

  public static final String PAGE = "report.html";
  public static final String XML = "report.xml";

  private static final int CONFORMS = 0;
  private static final int DIFFERS = 4;
  private static final int OTHER_SUITE = 6;

  private CtsVerify() {}

  /**
   * Checks the report in a folder, with its page, or in a file alone, and prints the result.
   *
   * @return the exit code
   * @throws BadReportException if there is no report, or a file cannot be read
   */
  public static int run(Path folderOrFile, PrintWriter out) throws BadReportException {
    return run(folderOrFile, CodeHash.of(CtsVerify.class), CtsPlan.ofSuite(), out);
  }

  /** Like {@link #run(Path, PrintWriter)}, but for any suite. For tests. */
  static int run(Path folderOrFile, CodeHash suite, Map<String, CtsPlan.Test> plan, PrintWriter out)
      throws BadReportException {
    boolean isFolder = Files.isDirectory(folderOrFile);
    Path file = isFolder ? folderOrFile.resolve(REPORT) : folderOrFile;
    String json = ReportReader.text(file);
    CtsVerifier verifier;
    try {
      verifier = new CtsVerifier(json, suite, plan);
    } catch (BadReportException e) {
      throw new BadReportException(file + ": " + e.getMessage());
    }
    CtsReport report = verifier.report();
    verifier.check();
    if (isFolder && verifier.isOfThisSuite()) {
      verifier.compare(PAGE, ReportReader.text(folderOrFile.resolve(PAGE)), CtsPage.of(report));
      verifier.compare(XML, ReportReader.text(folderOrFile.resolve(XML)), report.toJunitXml());
    }
    List<String> discrepancies = verifier.discrepancies();
    discrepancies.forEach(out::println);
    List<String> unchecked = verifier.uncheckedRules();
    if (!unchecked.isEmpty()) {
      out.println(Printable.of("not checked, as all their tests were skipped: " + unchecked));
    }
    if (!verifier.isOfThisSuite()) {
      out.println(verifier.otherSuite());
    }
    String what =
        Printable.of(
            report.facts().getOrDefault("name", "the device")
                + " with JHAL "
                + report.facts().getOrDefault(RunFacts.VERSION, "of an unknown version"));
    if (!discrepancies.isEmpty()) {
      out.println("no proof of conformance: " + what + "; discrepancies: " + discrepancies.size());
      return DIFFERS;
    }
    if (!verifier.isOfThisSuite()) {
      out.println("cannot be verified: " + what + "; the report agrees with itself");
      return OTHER_SUITE;
    }
    out.println(
        (unchecked.isEmpty() ? "conforms: " : "conforms in what was checked: ")
            + what
            + "; "
            + report.entries(CtsReport.Outcome.PASSED).size()
            + " passed, "
            + report.entries(CtsReport.Outcome.UNSUPPORTED).size()
            + " skipped for reasons of the suite"
            + (unchecked.isEmpty()
                ? ""
                : Printable.of(
                    "; rules that were not checked: " + unchecked.size() + ", " + unchecked))
            + (isFolder ? "" : "; no page was checked"));
    return CONFORMS;
  }
}
