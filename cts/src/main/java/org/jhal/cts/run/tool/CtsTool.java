// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.run.tool;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jhal.ExecutableSource;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.cts.CtsBackend;
import org.jhal.cts.html.ReportFile;
import org.jhal.cts.run.CtsRun;
import org.jhal.cts.run.CtsSession;
import org.jhal.cts.run.plan.CtsCatalog;
import org.jhal.cts.run.report.BadReportException;
import org.jhal.cts.run.report.CtsPage;
import org.jhal.cts.run.report.CtsReport;
import org.jhal.cts.run.report.CtsVerify;
import org.jhal.spi.HostFailures;
import org.jhal.spi.Suggestion;
import org.jspecify.annotations.Nullable;

/**
 * The suite as a command; {@code hal cts} runs it. {@code --help} describes it.
 *
 * <p>Thread-safe.
 */
public final class CtsTool implements ToolProvider {
  private static final int OK = 0;
  private static final int NO_REPORT = 1;
  private static final int USAGE = 2;
  private static final int NO_DEVICE = 3;
  private static final int FAILED = 4;
  private static final int TIMED_OUT = 5;
  private static final int INTERRUPTED = 130;

  private static final String HELP =
      """
      Runs the conformance suite against a device of any driver on the class path.

      Usage: hal cts [options]
             hal cts verify [--all] DIR|FILE

        --device URI                the device, as `hal devices` lists it; see `hal --help` for the default
        --variants FOLDER           further variants of the suite's kernels, which are tried first
        --tests PATTERN             only these tests: Class or Class.method, * matches anything; repeatable
        --repeat N                  run everything N times
        --seed N                    the seed of tests that draw random numbers
        --report DIR                write report.json, report.html and report.xml (JUnit's format) there
        --fail-fast                 start no further test after a failure
        --timeout SECONDS           stop the whole run after this time; the test under way then fails, and
                                    the report has the stacks of the threads; by default there is no limit
        --verify-expected-failures  also run tests that are expected to fail, and fail if one passes
        --list                      list the tests, with the rules that they check, and run nothing
        --help                      print this

      Exit codes: 0 all passed, 1 the report cannot be written, 2 wrong usage, 3 the device cannot be
      opened, 4 a test failed, 5 the run was stopped at its deadline, 130 interrupted.

      "verify" checks a report: that it is from a complete run of this very suite in which nothing
      failed, that it agrees with itself, and, given a folder, that report.html and report.xml are
      what report.json makes. The first line and the last one are the verdict. Between them, each
      discrepancy has a line: the first 20, or with --all all of them.

      Exit codes of "verify": 0 the report proves conformance, in the rules that were checked, 1 the
      report cannot be read, 2 wrong usage, 4 there are discrepancies, 6 there are none, but the report
      is from another suite.
      """;

  /** The options of the command line. */
  private static final class Options {
    @Nullable String device;
    @Nullable Path report;
    @Nullable String variants;
    @Nullable Long seed;
    final List<String> tests = new ArrayList<>();
    int repeat = 1;
    @Nullable Duration timeout;
    boolean failFast;
    boolean verify;
    boolean list;
    boolean help;
  }

  /** Wrong usage of the command line. */
  private static final class UsageException extends Exception {
    private static final long serialVersionUID = 1L;

    UsageException(String message) {
      super(message);
    }
  }

  @Override
  public String name() {
    return "hal-cts";
  }

  /** One line for {@code hal --help}; from Java 19 on ToolProvider declares it. */
  public Optional<String> description() {
    return Optional.of("Runs the conformance suite on a device.");
  }

  @Override
  public int run(PrintWriter out, PrintWriter err, String... args) {
    try {
      if (args.length > 0 && args[0].equals("verify")) {
        return verify(out, err, args);
      }
      Options options = parse(args);
      if (options.help) {
        out.print(HELP);
        out.flush();
        return OK;
      }
      if (options.list) {
        list(options, out);
        return OK;
      }
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
      }
    } catch (UsageException e) {
      err.println("hal: INVALID_ARGUMENT: " + e.getMessage() + " (see hal cts --help)");
      return USAGE;
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

  private static Options parse(String... args) throws UsageException {
    Options options = new Options();
    for (int i = 0; i < args.length; i++) {
      switch (args[i]) {
        case "--device" -> options.device = value(args, ++i);
        case "--variants" -> options.variants = value(args, ++i);
        case "--tests" -> options.tests.add(value(args, ++i));
        case "--repeat" -> options.repeat = (int) number(args, ++i, 1, 1_000_000);
        case "--seed" -> options.seed = number(args, ++i, Long.MIN_VALUE, Long.MAX_VALUE);
        case "--report" -> options.report = path(args, ++i);
        case "--timeout" -> options.timeout = Duration.ofSeconds(number(args, ++i, 1, 10_000_000));
        case "--fail-fast" -> options.failFast = true;
        case "--verify-expected-failures" -> options.verify = true;
        case "--list" -> options.list = true;
        case "--help", "-h" -> options.help = true;
        default ->
            throw new UsageException(
                "unknown argument '" + args[i] + "'" + Suggestion.ofOption(args[i], HELP));
      }
    }
    for (String pattern : options.tests) {
      if (CtsCatalog.tests().stream().noneMatch(entry -> entry.name().matches(pattern))) {
        throw new UsageException("--tests '" + pattern + "' matches no test");
      }
    }
    return options;
  }

  private static String value(String[] args, int index) throws UsageException {
    if (index >= args.length) {
      throw new UsageException(args[index - 1] + " needs a value");
    }
    return args[index];
  }

  private static Path path(String[] args, int index) throws UsageException {
    return path(args[index - 1], value(args, index));
  }

  private static Path path(String option, String text) throws UsageException {
    if (text.isEmpty()) {
      throw new UsageException(option + " '' names no file or folder");
    }
    try {
      return Path.of(text);
    } catch (InvalidPathException e) {
      throw new UsageException(option + ": no path: " + e.getMessage());
    }
  }

  private static long number(String[] args, int index, long min, long max) throws UsageException {
    String text = value(args, index);
    try {
      long number = Long.parseLong(text);
      if (number >= min && number <= max) {
        return number;
      }
    } catch (NumberFormatException notOne) {
      // reported below, like a number out of range
    }
    throw new UsageException(
        args[index - 1] + " " + text + ": a number from " + min + " to " + max + " is needed");
  }

  private static int verify(PrintWriter out, PrintWriter err, String... args)
      throws UsageException {
    List<String> reports = new ArrayList<>();
    boolean all = false;
    for (String arg : List.of(args).subList(1, args.length)) {
      if (arg.equals("--help") || arg.equals("-h")) {
        out.print(HELP);
        return OK;
      }
      if (arg.equals("--all")) {
        all = true;
      } else if (arg.startsWith("-")) {
        throw new UsageException(
            "verify: unknown argument '" + arg + "'" + Suggestion.ofOption(arg, HELP));
      } else {
        reports.add(arg);
      }
    }
    if (reports.size() != 1) {
      throw new UsageException(
          "verify needs the folder or the file of one report, not " + reports.size());
    }
    try {
      return CtsVerify.run(path("verify", reports.get(0)), all, out);
    } catch (BadReportException e) {
      err.println("hal: DATA_LOSS: the report cannot be read: " + e.getMessage());
      return NO_REPORT;
    }
  }

  private static void list(Options options, PrintWriter out) {
    for (CtsCatalog.Entry entry : selected(options)) {
      out.println(entry.name() + (entry.rules().isEmpty() ? "" : "  " + entry.rules()));
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
      throws IOException, UsageException {
    if (options.variants == null) {
      return run(options, out, err);
    }
    String before = System.getProperty(CtsBackend.VARIANTS_PROPERTY);
    System.setProperty(CtsBackend.VARIANTS_PROPERTY, options.variants);
    try {
      checkVariants(options.variants);
      return run(options, out, err);
    } finally {
      if (before == null) {
        System.clearProperty(CtsBackend.VARIANTS_PROPERTY);
      } else {
        System.setProperty(CtsBackend.VARIANTS_PROPERTY, before);
      }
    }
  }

  private static void checkVariants(String folder) throws UsageException {
    try {
      CtsBackend plain = () -> "any";
      List<ExecutableSource> unused = plain.kernels(); // finds the variants, or throws
    } catch (InvalidPathException | HalException e) {
      throw new UsageException("--variants " + folder + ": " + e.getMessage());
    }
  }

  private static int run(Options options, PrintWriter out, PrintWriter err) throws IOException {
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
    if (options.verify) {
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
