// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import org.jhal.Device;
import org.jhal.ExecutableSource;
import org.jhal.Hal;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.bench.measure.Absence;
import org.jhal.bench.measure.Bench;
import org.jhal.bench.measure.BenchCase;
import org.jhal.bench.measure.Rounds;
import org.jhal.bench.measure.Row;
import org.jhal.bench.measure.Shared;
import org.jhal.bench.report.BadResultsException;
import org.jhal.bench.report.Machine;
import org.jhal.bench.report.Page;
import org.jhal.bench.report.Report;
import org.jhal.bench.report.Results;
import org.jhal.cts.html.ReportFile;
import org.jhal.spi.HostFailures;
import org.jhal.spi.Suggestion;
import org.jspecify.annotations.Nullable;

/**
 * The benchmarks as a command; {@code hal bench} runs it. {@code --help} describes it.
 *
 * <p>Thread-safe, but concurrent runs disturb each other's numbers.
 */
public final class BenchTool implements ToolProvider {
  private static final int OK = 0;
  private static final int FAILED = 1;
  private static final int USAGE = 2;
  private static final int NO_DEVICE = 3;
  private static final int INTERRUPTED = 130;

  /** What is written, in messages. */
  private static final String RESULTS = "results";

  private static final String PAGE = "page";

  private static final Pattern COMMIT = Pattern.compile("[0-9a-f]{7,40}");

  private static final String HELP =
      """
      Measures what submissions and waits cost, beside what the JDK takes for the like.

      Usage: hal bench [options]

        --device URI    the device, as `hal devices` lists it; default as `hal --help` says
        --peer URI      a second device, which those cases that can do so measure beside the first
        --kernels PATH  a bundle with the kernel 'touch' instead of the one that is built in, for a
                        device that loads none of its formats
        --variants FOLDER
                        further variants of that kernel, which are tried first
        --case PATTERN  only these cases; * is anything; repeatable
        --max N         at most N submissions in a sample, and N KiB in a transfer of pageable memory
                        or of a file; default 1000000
        --rounds N      how many samples of each; default 7
        --warm-up MS    how many milliseconds each is warmed up at least; default 1000
        --json FILE     write the results there as well, with all samples
        --commit ID     the git commit that is measured, for that file
        --page FILE     write the results as a page of HTML there, with bars
        --compare FILE  show results that --json wrote earlier beside them on the page
        --from FILE     measure nothing: make the page from results that --json wrote earlier
        --list          list the cases and run nothing
        --help          print this

      Each number is the median over the rounds (smallest..largest). docs/benchmarks.md explains how
      to read them.

      A case, or a row of it, whose kernel the device cannot load has no numbers; the formats that it
      would need are listed below its table.

      Exit codes: 0 all that this device can run was measured, 1 a case or a side of it failed or
      a file cannot be written, 2 wrong usage, such as no case for this device, or a file of --compare
      or --from that has no results, 3 the device cannot be opened.
      """;

  /** The options of the command line. */
  private static final class Options {
    @Nullable String device;
    @Nullable String peer;
    @Nullable ExecutableSource kernels;
    @Nullable Path variants;
    @Nullable Path json;
    @Nullable String commit;
    @Nullable Path page;
    @Nullable Earlier compare;
    @Nullable Earlier from;
    final List<Pattern> cases = new ArrayList<>();
    int max = 1_000_000;
    int rounds = 7;
    Duration warmUp = Duration.ofSeconds(1);
    boolean list;
    boolean help;

    List<BenchCase> selected() {
      return BenchCases.all().stream()
          .filter(
              benchCase ->
                  cases.isEmpty()
                      || cases.stream()
                          .anyMatch(pattern -> pattern.matcher(benchCase.name()).matches()))
          .toList();
    }
  }

  /**
   * Results of an earlier run.
   *
   * @param name of their file, for people
   * @param file that they were read from, or null if they are of this run
   * @param results that it has
   */
  private record Earlier(String name, @Nullable Path file, Results results) {}

  /** Wrong usage of the command line. */
  private static final class UsageException extends Exception {
    private static final long serialVersionUID = 1L;

    UsageException(String message) {
      super(message);
    }
  }

  @Override
  public String name() {
    return "hal-bench";
  }

  /** One line for {@code hal --help}; from Java 19 on ToolProvider declares it. */
  public Optional<String> description() {
    return Optional.of("Measures what submissions and waits cost.");
  }

  @Override
  public int run(PrintWriter out, PrintWriter err, String... args) {
    try {
      Options options = parse(args);
      if (options.help) {
        out.print(HELP);
        return OK;
      }
      if (options.list) {
        for (BenchCase benchCase : options.selected()) {
          String only = benchCase.driver() == null ? "" : "(only " + benchCase.driver() + ") ";
          String two = benchCase.needsTwo() ? "(two devices of the driver) " : "";
          out.printf(
              Locale.ROOT, "%-20s %s%s%s%n", benchCase.name(), only, two, benchCase.description());
        }
        return OK;
      }
      if (!canWrite(options, err)) {
        return FAILED;
      }
      if (options.from != null) {
        return writePage(options, options.from, err) ? OK : FAILED;
      }
      return run(options, out, err);
    } catch (UsageException e) {
      err.println("hal: INVALID_ARGUMENT: " + e.getMessage() + " (see hal bench --help)");
      return USAGE;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      err.println("hal: CANCELLED: interrupted");
      return INTERRUPTED;
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
        case "--peer" -> options.peer = value(args, ++i);
        case "--kernels" -> options.kernels = bundle(path(args, ++i));
        case "--variants" -> options.variants = path(args, ++i);
        case "--case" -> options.cases.add(pattern(value(args, ++i)));
        case "--max" -> options.max = number(args, ++i, 1, 10_000_000);
        case "--rounds" -> options.rounds = number(args, ++i, 1, 10_000);
        case "--warm-up" -> options.warmUp = Duration.ofMillis(number(args, ++i, 0, 600_000));
        case "--json" -> options.json = path(args, ++i);
        case "--commit" -> options.commit = commit(args, ++i);
        case "--page" -> options.page = path(args, ++i);
        case "--compare" -> options.compare = earlier(args, ++i);
        case "--from" -> options.from = earlier(args, ++i);
        case "--list" -> options.list = true;
        case "--help", "-h" -> options.help = true;
        default -> throw new UsageException(unknown(args[i]));
      }
    }
    if (options.variants != null) {
      options.kernels = varied(options.kernels, options.variants);
    }
    if (options.commit != null && options.json == null) {
      throw new UsageException("--commit needs --json");
    }
    if (options.page == null && (options.compare != null || options.from != null)) {
      throw new UsageException("--compare and --from need --page");
    }
    if (options.from != null
        && (options.device != null || options.peer != null || options.json != null)) {
      throw new UsageException(
          "--from measures nothing, so --device, --peer and --json are useless");
    }
    Path compared = options.compare == null ? null : options.compare.file();
    Path shown = options.from == null ? null : options.from.file();
    checkDiffer("--page", options.page, "--json", options.json);
    checkDiffer("--page", options.page, "--compare", compared);
    checkDiffer("--page", options.page, "--from", shown);
    checkDiffer("--json", options.json, "--compare", compared);
    return options;
  }

  private static String unknown(String argument) {
    return "unknown argument '" + argument + "'" + Suggestion.ofOption(argument, HELP);
  }

  /** Checks that no output replaces an input or another output. */
  private static void checkDiffer(
      String written, @Nullable Path one, String option, @Nullable Path other)
      throws UsageException {
    if (one != null && other != null && isSame(one, other)) {
      throw new UsageException(written + " and " + option + " name the same file: " + one);
    }
  }

  private static boolean isSame(Path one, Path other) {
    try {
      return Files.isSameFile(one, other); // also through a link
    } catch (IOException e) { // one is not there yet
      return one.toAbsolutePath().normalize().equals(other.toAbsolutePath().normalize());
    }
  }

  /** Whether all results can be written; if not, says which cannot. */
  private static boolean canWrite(Options options, PrintWriter err) {
    return canWrite(options.json, RESULTS, err) && canWrite(options.page, PAGE, err);
  }

  private static boolean canWrite(@Nullable Path file, String what, PrintWriter err) {
    if (file == null) {
      return true;
    }
    try {
      ReportFile.checkWritable(file);
      return true;
    } catch (IOException e) {
      err.println(unwritten(what, file, e));
      return false;
    }
  }

  private static String unwritten(String what, Path file, IOException cause) {
    Status known = HostFailures.status(cause);
    return "hal: "
        + (known == null ? Status.DATA_LOSS : known)
        + ": the "
        + what
        + " cannot be written: "
        + ReportFile.reason(file, cause);
  }

  private static Path path(String[] args, int index) throws UsageException {
    String text = value(args, index);
    if (text.isEmpty()) {
      throw new UsageException(args[index - 1] + " '' names no file or folder");
    }
    try {
      return Path.of(text);
    } catch (InvalidPathException e) {
      throw new UsageException(args[index - 1] + " " + text + ": " + e.getMessage());
    }
  }

  private static String commit(String[] args, int index) throws UsageException {
    String text = value(args, index);
    if (!COMMIT.matcher(text).matches()) {
      throw new UsageException("--commit " + text + ": 7 to 40 hexadecimal digits are needed");
    }
    return text;
  }

  /** Read before anything is measured, so that a wrong file costs no time. */
  private static Earlier earlier(String[] args, int index) throws UsageException {
    Path file = path(args, index);
    try {
      return new Earlier(String.valueOf(file.getFileName()), file, Results.read(file));
    } catch (BadResultsException e) {
      throw new UsageException(args[index - 1] + " " + file + ": " + e.getMessage());
    }
  }

  private static Pattern pattern(String text) throws UsageException {
    StringBuilder regex = new StringBuilder();
    for (String part : text.split("\\*", -1)) {
      regex.append(regex.isEmpty() ? "" : ".*").append(Pattern.quote(part));
    }
    Pattern pattern = Pattern.compile(regex.toString());
    if (BenchCases.all().stream().noneMatch(known -> pattern.matcher(known.name()).matches())) {
      throw new UsageException("--case " + text + " matches no case; hal bench --list shows them");
    }
    return pattern;
  }

  private static ExecutableSource bundle(Path path) throws UsageException {
    try {
      return ExecutableSource.of(path);
    } catch (HalException e) {
      throw new UsageException("--kernels " + path + ": " + e.getMessage());
    }
  }

  private static ExecutableSource varied(@Nullable ExecutableSource kernels, Path variants)
      throws UsageException {
    try {
      return BenchCases.withVariants(kernels, variants);
    } catch (HalException e) {
      throw new UsageException("--variants " + variants + ": " + e.getMessage());
    }
  }

  private static String value(String[] args, int index) throws UsageException {
    if (index >= args.length) {
      throw new UsageException(args[index - 1] + " needs a value");
    }
    return args[index];
  }

  private static int number(String[] args, int index, int min, int max) throws UsageException {
    String text = value(args, index);
    try {
      int number = Integer.parseInt(text);
      if (number >= min && number <= max) {
        return number;
      }
    } catch (NumberFormatException notOne) {
      // reported below, like a number out of range
    }
    throw new UsageException(
        args[index - 1] + " " + text + ": a number from " + min + " to " + max + " is needed");
  }

  /** The selected cases that are for this device. Reports each of the others that was named. */
  private static List<BenchCase> fitting(
      Options options, String uri, Device device, PrintWriter err) {
    List<BenchCase> fitting = new ArrayList<>();
    for (BenchCase benchCase : options.selected()) {
      if (benchCase.fits(device)) {
        fitting.add(benchCase);
      } else if (!options.cases.isEmpty()) {
        err.println(
            "hal: UNIMPLEMENTED: case "
                + benchCase.name()
                + " is for devices of the driver "
                + benchCase.driver()
                + "; "
                + uri
                + " is one of the driver "
                + device.info().driver());
      }
    }
    return fitting;
  }

  private static int run(Options options, PrintWriter out, PrintWriter err)
      throws InterruptedException {
    int exitCode;
    Report report;
    try (Device device =
            options.device == null ? Hal.openDevice() : Hal.openDevice(options.device);
        Device peer = options.peer == null ? null : Hal.openDevice(options.peer)) {
      String uri =
          options.device == null
              ? Hal.configuredDevice().orElse(device.info().uri())
              : options.device;
      List<BenchCase> selected = fitting(options, uri, device, err);
      if (selected.isEmpty()) {
        return USAGE;
      }
      var facts = Machine.facts(uri, device);
      if (options.commit != null) {
        facts.put("commit", options.commit);
      }
      if (peer != null) {
        facts.put("peer", Machine.fact(String.valueOf(options.peer), peer));
      }
      facts.forEach((key, value) -> out.printf(Locale.ROOT, "%-8s %s%n", key, value));
      report = new Report(facts);
      exitCode = measure(options, uri, device, peer, selected, report, out, err);
    } catch (HalException e) {
      err.println("hal: " + e.status() + ": " + e.getMessage());
      return e.status() == Status.INVALID_ARGUMENT ? USAGE : NO_DEVICE;
    }
    if (options.json != null) {
      try {
        Files.writeString(options.json, report.toJson());
      } catch (IOException e) {
        err.println(unwritten(RESULTS, options.json, e));
        exitCode = FAILED; // the page may still be written
      }
    }
    if (options.page != null) {
      try {
        Earlier now = new Earlier("this run", null, Results.parse(report.toJson()));
        return writePage(options, now, err) ? exitCode : FAILED;
      } catch (BadResultsException e) {
        throw new IllegalStateException("the results cannot be read again", e);
      }
    }
    return exitCode;
  }

  private static boolean writePage(Options options, Earlier shown, PrintWriter err) {
    Earlier other = options.compare;
    String page =
        other == null
            ? Page.of(shown.name(), shown.results())
            : Page.of(shown.name(), shown.results(), other.name(), other.results());
    Path file = Objects.requireNonNull(options.page, "page");
    try {
      Files.writeString(file, page);
      return true;
    } catch (IOException e) {
      err.println(unwritten(PAGE, file, e));
      return false;
    }
  }

  private static int measure(
      Options options,
      String uri,
      Device device,
      @Nullable Device peer,
      List<BenchCase> selected,
      Report report,
      PrintWriter out,
      PrintWriter err)
      throws InterruptedException {
    int exitCode = OK;
    try (Shared shared = new Shared()) {
      Bench beside =
          peer == null
              ? null
              : new Bench(
                  String.valueOf(options.peer), peer, options.kernels, options.max, shared, null);
      Bench bench = new Bench(uri, device, options.kernels, options.max, shared, beside);
      for (BenchCase benchCase : selected) {
        out.flush();
        try {
          String loadBefore = Machine.load();
          List<Row> rows = Rounds.measure(benchCase, bench, options.warmUp, options.rounds);
          out.print(report.add(benchCase, rows, loadBefore, Machine.load()));
          if (rows.stream().anyMatch(Row::hasFailure)) {
            err.println("hal: ABORTED: case " + benchCase.name() + ": a side of it failed");
            exitCode = FAILED;
          }
        } catch (InterruptedException e) {
          throw e;
        } catch (Exception e) { // the other cases may still work
          err.println("hal: ABORTED: case " + benchCase.name() + " failed: " + Absence.why(e));
          err.flush();
          exitCode = FAILED;
        }
      }
    } catch (InterruptedException e) {
      throw e;
    } catch (Exception e) {
      err.println("hal: INTERNAL: what the cases share cannot be closed: " + Absence.why(e));
      exitCode = FAILED;
    }
    return exitCode;
  }
}
