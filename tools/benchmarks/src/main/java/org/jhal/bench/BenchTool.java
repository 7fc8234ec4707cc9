// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
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
import org.jspecify.annotations.Nullable;

/**
 * The benchmarks as a command; {@code hal bench} runs it.
 *
 * <p>Thread-safe, but concurrent runs disturb each other's numbers.
 */
public final class BenchTool {
  private static final int OK = 0;
  private static final int FAILED = 1;
  private static final int USAGE = 2;
  private static final int NO_DEVICE = 3;

  /** What is written, in messages. */
  private static final String RESULTS = "results";

  private static final String PAGE = "page";

  private static final Pattern COMMIT = Pattern.compile("[0-9a-f]{7,40}");

  private static final int MOST_SUBMISSIONS = 10_000_000;
  private static final int MOST_ROUNDS = 10_000;
  private static final int LONGEST_WARM_UP = 600_000;

  private BenchTool() {}

  /**
   * What is measured, and where the results go.
   *
   * @param device the URI of the device, or null for that of {@link Hal#openDevice()}
   * @param peer a second device, which those cases that can do so measure beside the first, or null
   * @param kernels a bundle with the kernel {@code touch}, or null for the one that is built in
   * @param cases the names of the only cases, where {@code *} is anything; empty for all
   * @param max the most submissions in a sample, and KiB in a transfer of pageable memory or of a
   *     file, from 1 to 10000000
   * @param rounds how many samples of each are taken, from 1 to 10000
   * @param warmUp how long each is warmed up at least, from 0 to 600000 ms
   * @param json the file that gets the results, with all samples, or null
   * @param commit the git commit that is measured, for that file, or null
   * @param page the file that gets the results as a page of HTML, or null
   * @param compare results that are shown beside them on the page, or null
   */
  public record Options(
      @Nullable String device,
      @Nullable String peer,
      @Nullable ExecutableSource kernels,
      List<String> cases,
      int max,
      int rounds,
      Duration warmUp,
      @Nullable Path json,
      @Nullable String commit,
      @Nullable Path page,
      @Nullable Earlier compare) {
    /**
     * Checks the values.
     *
     * @throws HalException OUT_OF_RANGE for a number; INVALID_ARGUMENT if a name selects no case,
     *     if {@code commit} is none or there is no file for it, if there is no page for {@code
     *     compare}, or if two of the files are the same
     */
    public Options {
      cases = List.copyOf(cases);
      cases.forEach(BenchTool::checkSelects);
      checkRange("max", max, 1, MOST_SUBMISSIONS);
      checkRange("rounds", rounds, 1, MOST_ROUNDS);
      checkRange("warm-up", warmUp.toMillis(), 0, LONGEST_WARM_UP);
      if (commit != null && !COMMIT.matcher(commit).matches()) {
        throw invalid("commit " + commit + ": 7 to 40 hexadecimal digits are needed");
      }
      if (commit != null && json == null) {
        throw invalid("commit needs --json");
      }
      if (compare != null && page == null) {
        throw invalid("compare needs --page");
      }
      checkDiffer("page", page, "--json", json);
      checkDiffer("page", page, "--compare", compare == null ? null : compare.file());
      checkDiffer("json", json, "--compare", compare == null ? null : compare.file());
    }

    private List<BenchCase> selected() {
      List<Pattern> patterns = cases.stream().map(BenchTool::pattern).toList();
      return BenchCases.all().stream()
          .filter(
              benchCase ->
                  patterns.isEmpty()
                      || patterns.stream()
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
  public record Earlier(String name, @Nullable Path file, Results results) {
    /**
     * Reads the results that a run has written.
     *
     * @throws HalException INVALID_ARGUMENT if the file cannot be read, or has no results
     */
    public static Earlier read(Path file) {
      try {
        return new Earlier(String.valueOf(file.getFileName()), file, Results.read(file));
      } catch (BadResultsException e) {
        throw new HalException(Status.INVALID_ARGUMENT, String.valueOf(e.getMessage()), e);
      }
    }
  }

  private static void checkRange(String name, long value, long min, long max) {
    if (value < min || value > max) {
      throw new HalException(
          Status.OUT_OF_RANGE, name + " " + value + " is not from " + min + " to " + max);
    }
  }

  private static void checkSelects(String name) {
    Pattern pattern = pattern(name);
    if (BenchCases.all().stream().noneMatch(known -> pattern.matcher(known.name()).matches())) {
      throw invalid("case " + name + " matches no case; hal bench --list shows them");
    }
  }

  private static Pattern pattern(String text) {
    StringBuilder regex = new StringBuilder();
    for (String part : text.split("\\*", -1)) {
      regex.append(regex.isEmpty() ? "" : ".*").append(Pattern.quote(part));
    }
    return Pattern.compile(regex.toString());
  }

  private static HalException invalid(String message) {
    return new HalException(Status.INVALID_ARGUMENT, message);
  }

  /** Prints the selected cases, and measures nothing. */
  public static void list(Options options, PrintWriter out) {
    for (BenchCase benchCase : options.selected()) {
      String only = benchCase.driver() == null ? "" : "(only " + benchCase.driver() + ") ";
      String two = benchCase.needsTwo() ? "(two devices of the driver) " : "";
      out.printf(
          Locale.ROOT, "%-20s %s%s%s%n", benchCase.name(), only, two, benchCase.description());
    }
    out.flush();
  }

  /**
   * Measures.
   *
   * @param out gets the results
   * @param err gets failures, one a line, as {@code hal: STATUS: message}
   * @return 0 if all that this device can run was measured, 1 if a case or a side of it failed or a
   *     file cannot be written, 2 if no case is for this device or its URI is malformed, 3 if the
   *     device cannot be opened
   * @throws InterruptedException if this thread was interrupted; then nothing is written
   */
  public static int run(Options options, PrintWriter out, PrintWriter err)
      throws InterruptedException {
    try {
      return canWrite(options.json, RESULTS, err) && canWrite(options.page, PAGE, err)
          ? measure(options, out, err)
          : FAILED;
    } finally {
      out.flush();
      err.flush();
    }
  }

  /**
   * Makes a page of earlier results, and measures nothing.
   *
   * @param other what is shown beside them, or null
   * @param err gets a failure, as {@code hal: STATUS: message}
   * @return 0, or 1 if the page cannot be written
   * @throws HalException INVALID_ARGUMENT if the page would replace one of the files
   */
  public static int writePage(Earlier shown, @Nullable Earlier other, Path page, PrintWriter err) {
    checkDiffer("page", page, "--from", shown.file());
    checkDiffer("page", page, "--compare", other == null ? null : other.file());
    try {
      return canWrite(page, PAGE, err) && write(shown, other, page, err) ? OK : FAILED;
    } finally {
      err.flush();
    }
  }

  /** Checks that no output replaces an input or another output. */
  private static void checkDiffer(
      String written, @Nullable Path one, String option, @Nullable Path other) {
    if (one != null && other != null && isSame(one, other)) {
      throw invalid(written + " and " + option + " name the same file: " + one);
    }
  }

  private static boolean isSame(Path one, Path other) {
    try {
      return Files.isSameFile(one, other); // also through a link
    } catch (IOException e) { // one is not there yet
      return one.toAbsolutePath().normalize().equals(other.toAbsolutePath().normalize());
    }
  }

  /** Whether the file can be written or there is none; if not, says so. */
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

  private static int measure(Options options, PrintWriter out, PrintWriter err)
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
        return write(now, options.compare, options.page, err) ? exitCode : FAILED;
      } catch (BadResultsException e) {
        throw new IllegalStateException("the results cannot be read again", e);
      }
    }
    return exitCode;
  }

  private static boolean write(Earlier shown, @Nullable Earlier other, Path file, PrintWriter err) {
    String page =
        other == null
            ? Page.of(shown.name(), shown.results())
            : Page.of(shown.name(), shown.results(), other.name(), other.results());
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
