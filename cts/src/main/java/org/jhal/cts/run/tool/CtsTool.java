// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.run.tool;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jhal.ExecutableSource;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.cts.CtsBackend;
import org.jhal.cts.html.ReportFile;
import org.jhal.cts.kernels.CtsKernels;
import org.jhal.cts.run.CtsRun;
import org.jhal.cts.run.CtsSession;
import org.jhal.cts.run.plan.CtsCatalog;
import org.jhal.cts.run.report.BadReportException;
import org.jhal.cts.run.report.CtsPage;
import org.jhal.cts.run.report.CtsReport;
import org.jhal.cts.run.report.CtsVerify;
import org.jhal.spi.HostFailures;
import org.jspecify.annotations.Nullable;

/**
 * The suite as a command; {@code hal cts} runs it, and so may any program.
 *
 * <p>Thread-safe, but runs at the same time share the system property {@link
 * CtsBackend#VARIANTS_PROPERTY}.
 */
public final class CtsTool {
  private static final int OK = 0;
  private static final int NO_REPORT = 1;
  private static final int USAGE = 2;
  private static final int NO_DEVICE = 3;
  private static final int FAILED = 4;
  private static final int TIMED_OUT = 5;
  private static final int INTERRUPTED = 130;

  private static final int MOST_REPEATS = 1_000_000;
  private static final Duration LONGEST = Duration.ofSeconds(10_000_000);

  private CtsTool() {}

  /**
   * A run of the suite.
   *
   * @param device the URI of the device, or null for that of {@link org.jhal.Hal#openDevice()}
   * @param tests the only tests, {@code Class} or {@code Class.method}, where {@code *} matches
   *     anything; empty for all
   * @param repeat how often everything is run, from 1 to 1000000
   * @param seed that of tests that draw random numbers, or null for a new one
   * @param variants a folder of further variants of the suite's kernels, which are tried first, or
   *     null
   * @param report the folder that gets {@code report.json}, {@code report.html} and {@code
   *     report.xml}, and is made if needed; or null
   * @param failFast whether no further test starts after a failure
   * @param timeout after which the whole run is stopped, from 1 s to 10000000 s; the test under way
   *     then fails. Null for no limit
   * @param verifyExpectedFailures whether tests that are expected to fail run too, and fail if they
   *     pass
   */
  public record Options(
      @Nullable String device,
      List<String> tests,
      int repeat,
      @Nullable Long seed,
      @Nullable Path variants,
      @Nullable Path report,
      boolean failFast,
      @Nullable Duration timeout,
      boolean verifyExpectedFailures) {
    /**
     * Checks the ranges, the tests and the folder of variants.
     *
     * @throws HalException OUT_OF_RANGE for {@code repeat} or {@code timeout}; INVALID_ARGUMENT if
     *     a pattern matches no test, or the folder has no variants
     */
    public Options {
      tests = List.copyOf(tests);
      if (repeat < 1 || repeat > MOST_REPEATS) {
        throw new HalException(
            Status.OUT_OF_RANGE, "repeat " + repeat + " is not from 1 to " + MOST_REPEATS);
      }
      if (timeout != null
          && (timeout.compareTo(Duration.ofSeconds(1)) < 0 || timeout.compareTo(LONGEST) > 0)) {
        throw new HalException(
            Status.OUT_OF_RANGE,
            "timeout "
                + timeout.toSeconds()
                + " is not from 1 to "
                + LONGEST.toSeconds()
                + " seconds");
      }
      for (String pattern : tests) {
        if (CtsCatalog.tests().stream().noneMatch(entry -> entry.name().matches(pattern))) {
          throw invalid("tests '" + pattern + "' matches no test");
        }
      }
      if (variants != null) {
        try {
          ExecutableSource unused = CtsKernels.bundle().withVariants(variants);
        } catch (HalException e) {
          throw invalid("variants " + variants + ": " + e.getMessage());
        }
      }
    }
  }

  private static HalException invalid(String message) {
    return new HalException(Status.INVALID_ARGUMENT, message);
  }

  /** Prints the tests, each with the rules that it checks, and runs nothing. */
  public static void list(Options options, PrintWriter out) {
    for (CtsCatalog.Entry entry : selected(options)) {
      out.println(entry.name() + (entry.rules().isEmpty() ? "" : "  " + entry.rules()));
    }
    out.flush();
  }

  /**
   * Runs the suite.
   *
   * @param out gets failed tests and a summary
   * @param err gets a failure of the run itself, as {@code hal: STATUS: message}, and the progress
   *     if it is on a terminal
   * @return 0 if all passed, 1 if the report cannot be written, 2 if the URI of the device is
   *     malformed, 3 if the device cannot be opened, 4 if a test failed, 5 if the run was stopped
   *     at its deadline, 130 if this thread was interrupted
   */
  public static int run(Options options, PrintWriter out, PrintWriter err) {
    try {
      return runWithVariants(options, out, err);
    } catch (IOException e) {
      Path report = Objects.requireNonNull(options.report, "report");
      Status known = HostFailures.status(e);
      err.println(
          "hal: "
              + (known == null ? Status.DATA_LOSS : known)
              + ": the report cannot be written: "
              + ReportFile.reason(report, e));
      return NO_REPORT;
    } catch (HalException e) { // of the device; those of tests are in the report
      err.println("hal: " + e.status() + ": " + e.getMessage());
      return e.status() == Status.INVALID_ARGUMENT || e.status() == Status.OUT_OF_RANGE
          ? USAGE
          : NO_DEVICE;
    } finally {
      out.flush();
      err.flush();
    }
  }

  /**
   * Checks a report: that it is from a complete run of this very suite in which nothing failed,
   * that it agrees with itself, and, given a folder, that {@code report.html} and {@code
   * report.xml} are what {@code report.json} makes.
   *
   * @param report the folder, or {@code report.json}
   * @param all whether each discrepancy gets a line, and not only the first 20
   * @param out gets the verdict, the discrepancies, and once more the verdict
   * @param err gets the reason why the report cannot be read, as {@code hal: STATUS: message}
   * @return 0 if the report proves conformance in the rules that were checked, 1 if it cannot be
   *     read, 4 if there are discrepancies, 6 if there are none, but the report is from another
   *     suite
   */
  public static int verify(Path report, boolean all, PrintWriter out, PrintWriter err) {
    try {
      return CtsVerify.run(report, all, out);
    } catch (BadReportException e) {
      err.println("hal: DATA_LOSS: the report cannot be read: " + e.getMessage());
      return NO_REPORT;
    } finally {
      out.flush();
      err.flush();
    }
  }

  private static List<CtsCatalog.Entry> selected(Options options) {
    return CtsCatalog.tests().stream()
        .filter(
            entry ->
                options.tests.isEmpty() || options.tests.stream().anyMatch(entry.name()::matches))
        .toList();
  }

  /**
   * The suite, and the processes that it starts, get the folder of variants from a system property.
   */
  private static int runWithVariants(Options options, PrintWriter out, PrintWriter err)
      throws IOException {
    if (options.variants == null) {
      return runSuite(options, out, err);
    }
    String before = System.getProperty(CtsBackend.VARIANTS_PROPERTY);
    System.setProperty(CtsBackend.VARIANTS_PROPERTY, options.variants.toString());
    try {
      return runSuite(options, out, err);
    } finally {
      if (before == null) {
        System.clearProperty(CtsBackend.VARIANTS_PROPERTY);
      } else {
        System.setProperty(CtsBackend.VARIANTS_PROPERTY, before);
      }
    }
  }

  private static int runSuite(Options options, PrintWriter out, PrintWriter err)
      throws IOException {
    if (options.report != null) {
      Files.createDirectories(options.report);
      for (String file : List.of(CtsVerify.REPORT, CtsVerify.PAGE, CtsVerify.XML)) {
        ReportFile.checkWritable(options.report.resolve(file));
      }
    }
    long begin = System.nanoTime();
    CtsProgress progress =
        CtsProgress.isOnTerminal()
            ? new CtsProgress(err, selected(options).size() * options.repeat)
            : null;
    CtsRun run =
        (options.device == null
                ? new CtsRun()
                : new CtsRun(CtsSession.findBackend(options.device)).device(options.device))
            .tests(options.tests.toArray(new String[0]))
            .repeat(options.repeat)
            .listen(
                entry -> {
                  if (progress != null) {
                    progress.wipe();
                  }
                  if (entry.outcome() == CtsReport.Outcome.FAILED) {
                    out.println("FAILED " + entry.test() + " (" + entry.display() + ")");
                    out.println(entry.detail().indent(4).stripTrailing());
                    out.flush();
                  }
                  if (progress != null) {
                    progress.ended(entry);
                  }
                });
    if (options.seed != null) {
      run.seed(options.seed);
    }
    if (options.timeout != null) {
      run.timeout(options.timeout);
    }
    if (options.failFast) {
      run.failFast();
    }
    if (options.verifyExpectedFailures) {
      run.verifyExpectedFailures();
    }
    CtsReport report = run.run();
    boolean isInterrupted = Thread.interrupted(); // an interrupt would make writing files fail
    try {
      if (progress != null) {
        progress.wipe();
      }
      summarize(report, (System.nanoTime() - begin) / 1e9, out);
      if (options.report != null) {
        Files.writeString(options.report.resolve(CtsVerify.REPORT), report.toJson());
        Files.writeString(options.report.resolve(CtsVerify.PAGE), CtsPage.of(report));
        Files.writeString(options.report.resolve(CtsVerify.XML), report.toJunitXml());
      }
    } finally {
      if (isInterrupted) {
        Thread.currentThread().interrupt();
      }
    }
    return switch (report.ending()) {
      case DEADLINE -> TIMED_OUT;
      case INTERRUPTED -> INTERRUPTED;
      default -> report.isSuccess() ? OK : FAILED;
    };
  }

  private static void summarize(CtsReport report, double seconds, PrintWriter out) {
    Map<String, String> facts = report.facts();
    out.println();
    summarize("device", out, facts.get("device"), facts.get("name"));
    summarize("capabilities", out, facts.get("capabilities"));
    summarize("seed", out, facts.get("seed"));
    summarize("ended", out, facts.get("ended"));
    out.printf(Locale.ROOT, "%-13s %.1f s%n", "time", seconds);
    for (CtsReport.Outcome outcome : CtsReport.Outcome.values()) {
      List<CtsReport.Entry> entries = report.entries(outcome);
      out.printf(Locale.ROOT, "%-13s %d%n", CtsReport.label(outcome), entries.size());
      if (outcome != CtsReport.Outcome.PASSED) {
        for (CtsReport.Entry entry : entries) {
          String reason =
              outcome == CtsReport.Outcome.FAILED
                  ? ""
                  : ": " + entry.detail().lines().findFirst().orElse("");
          out.println("    " + entry.test() + reason);
        }
      }
    }
  }

  /** Prints the known values of {@code name}. A run that ended early may have none. */
  private static void summarize(String name, PrintWriter out, @Nullable String... values) {
    String known = Stream.of(values).filter(Objects::nonNull).collect(Collectors.joining(", "));
    out.printf(Locale.ROOT, "%-13s %s%n", name, known.isEmpty() ? "unknown" : known);
  }
}
