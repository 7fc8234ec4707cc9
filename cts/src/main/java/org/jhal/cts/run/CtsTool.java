package org.jhal.cts.run;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
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
import org.jhal.HalException;
import org.jhal.Status;
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

        --device URI                the device, as `hal devices` lists it; see `hal --help` for the default
        --tests PATTERN             only these tests: Class or Class.method, * matches anything; repeatable
        --repeat N                  run everything N times
        --seed N                    the seed of tests that draw random numbers
        --report DIR                write report.json and report.xml (JUnit's format) there
        --fail-fast                 start no further test after a failure
        --timeout SECONDS           stop the whole run after this time; the test under way then fails, and
                                    the report has the stacks of the threads; by default there is no limit
        --verify-expected-failures  also run tests that are expected to fail, and fail if one passes
        --list                      list the tests, with the rules that they check, and run nothing
        --help                      print this

      Exit codes: 0 all passed, 1 the report cannot be written, 2 wrong usage, 3 the device cannot be
      opened, 4 a test failed, 5 the run was stopped at its deadline, 130 interrupted.
      """;

  /** What the command line asks for. */
  private static final class Options {
    @Nullable String device;
    @Nullable Path report;
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
      return run(options, out, err);
    } catch (UsageException e) {
      err.println("hal: INVALID_ARGUMENT: " + e.getMessage() + " (see hal cts --help)");
      return USAGE;
    } catch (HalException e) { // the device: tests report what they throw
      err.println("hal: " + e.status() + ": " + e.getMessage());
      return e.status() == Status.INVALID_ARGUMENT || e.status() == Status.OUT_OF_RANGE
          ? USAGE
          : NO_DEVICE;
    } catch (IOException e) {
      err.println("hal: DATA_LOSS: the report cannot be written: " + e);
      return NO_REPORT;
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
        case "--tests" -> options.tests.add(value(args, ++i));
        case "--repeat" -> options.repeat = (int) number(args, ++i, 1, 1_000_000);
        case "--seed" -> options.seed = number(args, ++i, Long.MIN_VALUE, Long.MAX_VALUE);
        case "--report" -> options.report = Path.of(value(args, ++i));
        case "--timeout" -> options.timeout = Duration.ofSeconds(number(args, ++i, 1, 10_000_000));
        case "--fail-fast" -> options.failFast = true;
        case "--verify-expected-failures" -> options.verify = true;
        case "--list" -> options.list = true;
        case "--help", "-h" -> options.help = true;
        default -> throw new UsageException("unknown argument '" + args[i] + "'");
      }
    }
    for (String pattern : options.tests) {
      if (CtsCatalog.tests().stream().noneMatch(entry -> entry.name().matches(pattern))) {
        throw new UsageException("--tests " + pattern + " matches no test");
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

  private static int run(Options options, PrintWriter out, PrintWriter err) throws IOException {
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
      if (options.report != null) {
        Files.createDirectories(options.report);
        Files.writeString(options.report.resolve("report.json"), report.toJson());
        Files.writeString(options.report.resolve("report.xml"), report.toJunitXml());
      }
      summarize(report, (System.nanoTime() - begin) / 1e9, out);
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

  /** Prints what is known of {@code name}; a run that ended early knows little. */
  private static void summarize(String name, PrintWriter out, @Nullable String... values) {
    String known = Stream.of(values).filter(Objects::nonNull).collect(Collectors.joining(", "));
    out.printf(Locale.ROOT, "%-13s %s%n", name, known.isEmpty() ? "unknown" : known);
  }
}
