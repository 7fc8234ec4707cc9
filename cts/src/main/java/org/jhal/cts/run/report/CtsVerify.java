// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.run.report;

import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
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

  /** How many discrepancies are printed unless all are requested. */
  static final int MOST = 20;

  private static final int CONFORMS = 0;
  private static final int DIFFERS = 4;
  private static final int OTHER_SUITE = 6;

  private CtsVerify() {}

  /**
   * Checks the report in a folder, with its page, or in a file alone, and prints the result. The
   * first line and the last one are the verdict.
   *
   * @param all whether to print all discrepancies, and not just the first ones
   * @return the exit code
   * @throws BadReportException if there is no report, or a file cannot be read
   */
  public static int run(Path folderOrFile, boolean all, PrintWriter out) throws BadReportException {
    return run(folderOrFile, all, CodeHash.of(CtsVerify.class), CtsPlan.ofSuite(), out);
  }

  /** Like {@link #run(Path, boolean, PrintWriter)}, but for any suite. For tests. */
  static int run(
      Path folderOrFile,
      boolean all,
      CodeHash suite,
      Map<String, CtsPlan.Test> plan,
      PrintWriter out)
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
    String verdict = verdict(verifier, isFolder);
    List<String> details = details(verifier, all);
    out.println(verdict);
    details.forEach(out::println);
    if (!details.isEmpty()) {
      out.println(verdict);
    }
    return !verifier.discrepancies().isEmpty()
        ? DIFFERS
        : verifier.isOfThisSuite() ? CONFORMS : OTHER_SUITE;
  }

  private static String verdict(CtsVerifier verifier, boolean isFolder) {
    CtsReport report = verifier.report();
    String what =
        Printable.of(
            report.facts().getOrDefault("name", "the device")
                + " with JHAL "
                + report.facts().getOrDefault(RunFacts.VERSION, "of an unknown version"));
    int discrepancies = verifier.discrepancies().size();
    if (discrepancies > 0) {
      return "no proof of conformance: " + what + "; discrepancies: " + discrepancies;
    }
    if (!verifier.isOfThisSuite()) {
      return "cannot be verified: " + what + "; the report agrees with itself";
    }
    List<String> unchecked = verifier.uncheckedRules();
    return (unchecked.isEmpty() ? "conforms: " : "conforms in what was checked: ")
        + what
        + "; "
        + report.entries(CtsReport.Outcome.PASSED).size()
        + " passed, "
        + report.entries(CtsReport.Outcome.UNSUPPORTED).size()
        + " skipped for reasons of the suite"
        + (unchecked.isEmpty()
            ? ""
            : Printable.of("; rules that were not checked: " + unchecked.size() + ", " + unchecked))
        + (isFolder ? "" : "; no page was checked");
  }

  /** The lines between the two of the verdict. */
  private static List<String> details(CtsVerifier verifier, boolean all) {
    List<String> discrepancies = verifier.discrepancies();
    int printed = all ? discrepancies.size() : Math.min(MOST, discrepancies.size());
    List<String> lines = new ArrayList<>(discrepancies.subList(0, printed));
    if (printed < discrepancies.size()) {
      lines.add("and " + (discrepancies.size() - printed) + " more, which --all prints");
    }
    List<String> unchecked = verifier.uncheckedRules();
    if (!unchecked.isEmpty()) {
      lines.add(Printable.of("not checked, as all their tests were skipped: " + unchecked));
    }
    if (!verifier.isOfThisSuite()) {
      lines.add(verifier.otherSuite());
    }
    return lines;
  }
}
