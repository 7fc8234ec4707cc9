// SPDX-License-Identifier: Apache-2.0
package org.jhal.recording.replay;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jhal.HalException;
import org.jhal.Kernel;
import org.jhal.Status;
import org.jhal.recording.compare.Comparison;
import org.jhal.recording.compare.Elements;
import org.jhal.recording.compare.Finding;
import org.jhal.recording.compare.Noise;
import org.jhal.recording.format.Action;
import org.jhal.recording.format.Range;
import org.jhal.recording.format.Recording;
import org.jhal.recording.format.Step;
import org.jspecify.annotations.Nullable;

/** What {@code hal replay} does. */
public final class ReplayTool {
  /** The exit code if nothing differs. */
  public static final int SAME = 0;

  /** The exit code if something differs. */
  public static final int DIFFERENT = 6;

  private static final int MOST_LISTED = 10;
  private static final byte ZERO = 0; // in fresh memory: as an index, it leads nowhere far

  /**
   * What to replay, and how.
   *
   * @param file the recording
   * @param device the URI of the device that replays it
   * @param compare the URI of a device to compare with, or null
   * @param repeat how often to replay it; with {@code compare}, once
   * @param from the number of the first operation whose dispatches are compared, from 0
   * @param to the number of the first one after the last of them
   * @param ulps how many units in the last place floating-point numbers may be apart
   * @param absolute the difference of floating-point numbers up to which they count as equal
   * @param isScaled whether units in the last place are those of the largest number of a buffer
   * @param goesOn whether a comparison goes on behind a dispatch whose results part
   * @param hasNoise whether to learn first, from two runs of the device, in what it differs from
   *     itself
   * @param substitutes the folders of bundles to try in the places of recorded ones, by the names
   *     of these: on the device, or, with {@code compare}, on that one
   * @param page the file for a page of HTML about a comparison, or null
   * @param out the folder for the dispatch whose results part, or null
   * @param launcher what runs {@code hal} from the current folder, a path or a name on the PATH,
   *     for the commands that are printed
   */
  public record Options(
      Path file,
      String device,
      @Nullable String compare,
      int repeat,
      int from,
      int to,
      long ulps,
      double absolute,
      boolean isScaled,
      boolean goesOn,
      boolean hasNoise,
      Map<String, Path> substitutes,
      @Nullable Path page,
      @Nullable Path out,
      String launcher) {
    /**
     * Checks the ranges.
     *
     * @throws HalException OUT_OF_RANGE or INVALID_ARGUMENT, with the name of the option
     */
    public Options {
      Objects.requireNonNull(file, "file");
      Objects.requireNonNull(device, "device");
      Objects.requireNonNull(launcher, "launcher");
      substitutes = Map.copyOf(substitutes);
      check(repeat >= 1, "--repeat: at least 1, not " + repeat);
      check(ulps >= 0, "--ulps: at least 0, not " + ulps);
      check(absolute >= 0, "--absolute: at least 0, not " + absolute);
      check(from >= 0 && from < to, "--scope: A..B with 0 <= A < B, not " + from + ".." + to);
      if (compare != null && repeat > 1) {
        throw new HalException(
            Status.INVALID_ARGUMENT, "--repeat: a comparison replays the recording once");
      }
      if (compare == null && hasNoise) {
        throw new HalException(
            Status.INVALID_ARGUMENT, "--noise: only a comparison needs it; add --compare URI");
      }
      if (compare == null && goesOn) {
        throw new HalException(
            Status.INVALID_ARGUMENT, "--all: only a comparison ends early; add --compare URI");
      }
      if (compare == null && page != null) {
        throw new HalException(
            Status.INVALID_ARGUMENT, "--html: only a comparison has a page; add --compare URI");
      }
      if (compare == null && out != null) {
        throw new HalException(
            Status.INVALID_ARGUMENT,
            "--out: only a comparison finds a dispatch; add --compare URI");
      }
    }

    private static void check(boolean holds, String otherwise) {
      if (!holds) {
        throw new HalException(Status.OUT_OF_RANGE, otherwise);
      }
    }
  }

  private final Options options;
  private final Recording recording;
  private Runnable progress = () -> {};

  private ReplayTool(Options options, Recording recording) {
    this.options = options;
    this.recording = recording;
  }

  /**
   * Reads a recording.
   *
   * @throws HalException NOT_FOUND, PERMISSION_DENIED, INVALID_ARGUMENT or DATA_LOSS if it cannot
   *     be read
   */
  public static ReplayTool of(Options options) {
    return new ReplayTool(options, Recording.read(options.file));
  }

  /**
   * Returns how many operations {@link #run} goes through, all replays together; it may end before
   * the last one. At least 1.
   */
  public int steps() {
    int replays = options.compare == null ? options.repeat : options.hasNoise ? 2 : 1;
    return (int) Math.max(1, Math.min(Integer.MAX_VALUE, (long) replays * recording.operations()));
  }

  /** As {@link #run(PrintWriter, Runnable)}. */
  public int run(PrintWriter out) throws InterruptedException {
    return run(out, () -> {});
  }

  /**
   * Replays the recording and prints what came of it. Call it once.
   *
   * @param step called on this thread after each operation
   * @return {@link #SAME} or {@link #DIFFERENT}
   * @throws HalException what opening a device, loading a bundle or a dispatch throws
   */
  public int run(PrintWriter out, Runnable step) throws InterruptedException {
    progress = Objects.requireNonNull(step, "step");
    describe(out);
    try (BundleFolders bundles = new BundleFolders(recording, options.substitutes)) {
      return options.compare == null
          ? replay(bundles, out)
          : compare(bundles, options.compare, out);
    } finally {
      out.flush();
    }
  }

  private void describe(PrintWriter out) {
    out.printf(
        Locale.ROOT,
        "%s: %d operations of %s%n",
        options.file,
        recording.operations(),
        String.join(", ", names()));
    String cut = recording.cut();
    if (cut != null) {
      out.println("the recording is " + cut + "; what is before that is replayed");
    }
    hazards().forEach(out::println);
    recording.bundles().stream()
        .flatMap(bundle -> bundle.missing().stream().map(part -> bundle.name() + " lacks " + part))
        .distinct()
        .forEach(lack -> out.println("not hermetic: bundle " + lack));
    out.flush();
  }

  /** Whatever a replay shows of a program that is not ordered may come from that. */
  private List<String> hazards() {
    List<String> found = recording.hazards();
    if (found.isEmpty()) {
      return List.of();
    }
    List<String> lines = new ArrayList<>();
    lines.add(
        "not ordered: the program may compute something else in another order, or on another"
            + " device; hazards that were found when it was recorded: "
            + found.size());
    found.stream().limit(MOST_LISTED).forEach(text -> lines.add("  " + text));
    return lines;
  }

  private List<String> names() {
    return recording.devices().stream().map(Recording.Device::name).distinct().toList();
  }

  /** The names that the program has given to the buffers of a dispatch, by parameter. */
  private Map<Integer, String> names(Action.Dispatch dispatch) {
    Map<Integer, String> names = new HashMap<>();
    for (int i = 0; i < dispatch.buffers().size(); i++) {
      Range range = dispatch.buffers().get(i);
      String name = range == null ? null : recording.name(range.memory());
      if (name != null) {
        names.put(i, name);
      }
    }
    return names;
  }

  // One device.

  /** How long dispatches of a kernel took. */
  private static final class Times {
    int count;
    long total;
    long least = Long.MAX_VALUE;
  }

  private int replay(BundleFolders bundles, PrintWriter out) throws InterruptedException {
    Map<String, Times> times = new LinkedHashMap<>();
    Replay last = null;
    for (int i = 0; i < options.repeat; i++) {
      try (Replica replica = new Replica(recording, bundles, options.device, true, ZERO)) {
        last = new Replay(recording, List.of(replica), timed(replica, times), progress);
        last.run();
      }
    }
    Replay ended = Objects.requireNonNull(last);
    bundles.notes().forEach(out::println);
    ended.notes().forEach(out::println);
    out.printf(Locale.ROOT, "dispatches on %s: %d%n", options.device, ended.dispatches());
    printTimes(times, out);
    int others = ended.otherReadbacks().size();
    out.printf(
        Locale.ROOT,
        "readbacks: %d, %s%n",
        ended.readbacks(),
        others == 0 ? "all with the bytes that were recorded" : others + " with other bytes:");
    if (ended.unknownReadbacks() > 0) {
      out.printf(
          Locale.ROOT,
          "not compared: %d readbacks of memory that nothing in the recording has written, or that"
              + " is not known for another reason%n",
          ended.unknownReadbacks());
    }
    ended.otherReadbacks().stream().limit(MOST_LISTED).forEach(text -> out.println("  " + text));
    return others == 0 ? SAME : DIFFERENT;
  }

  private static Replay.Dispatcher timed(Replica replica, Map<String, Times> times) {
    return (operation, number, dispatch, label) -> {
      Kernel kernel = replica.side().kernel(dispatch);
      long took = replica.side().time(dispatch);
      Times of =
          times.computeIfAbsent(
              (label.isEmpty() ? "" : label + ": ") + kernel, name -> new Times());
      of.count++;
      of.total += took;
      of.least = Math.min(of.least, took);
      return true;
    };
  }

  private static void printTimes(Map<String, Times> times, PrintWriter out) {
    times.forEach(
        (kernel, of) ->
            out.printf(
                Locale.ROOT,
                "  %-30s %7d dispatches, %10.1f us each, %10.1f us at least%n",
                kernel,
                of.count,
                of.total / 1e3 / of.count,
                of.least / 1e3));
  }

  // Two devices.

  private int compare(BundleFolders bundles, String other, PrintWriter out)
      throws InterruptedException {
    Noise noise = new Noise();
    if (options.hasNoise) {
      learn(noise, bundles);
      noise.texts().forEach(out::println);
    }
    try (Replica first = new Replica(recording, bundles, options.device, false, Elements.FRESH[0]);
        Replica second = new Replica(recording, bundles, other, true, Elements.FRESH[1])) {
      ReplayComparison comparison = comparison(first, second, noise, false);
      Replay replay = new Replay(recording, List.of(first, second), comparison, progress);
      replay.run();
      StringWriter text = new StringWriter(); // of what is found now
      PrintWriter lines = new PrintWriter(text);
      bundles.notes().forEach(lines::println);
      replay.notes().forEach(lines::println);
      List<ReplayComparison.Found> found = comparison.found();
      for (int i = 0; i < found.size(); i++) {
        print(found.get(i), i == 0, bundles, other, lines);
      }
      if (found.isEmpty() || options.goesOn) {
        printSummary(comparison.comparison(), replay, other, lines);
      }
      lines.flush();
      out.print(text);
      if (options.page != null) {
        ComparisonPage.write(
            options.page, comparison, List.of(options.device, other), pageText(text));
      }
      return found.isEmpty() ? SAME : DIFFERENT;
    }
  }

  /** The text of a page: what was known before, and what is found now. */
  private String pageText(StringWriter found) {
    StringBuilder text = new StringBuilder();
    hazards().forEach(line -> text.append(line).append(System.lineSeparator()));
    return text.append(found).toString();
  }

  private void printSummary(Comparison comparison, Replay replay, String other, PrintWriter out) {
    if (replay.dispatches() == 0) {
      out.println("no dispatch was compared");
      return;
    }
    Map<String, Comparison.KernelStatistics> kernels = comparison.kernels();
    long parted = kernels.values().stream().mapToLong(of -> of.parted()).sum();
    out.printf(
        Locale.ROOT,
        "%s %d dispatches %s on %s and %s%n",
        parted == 0 ? "all" : parted + " of",
        replay.dispatches(),
        parted == 0 ? "agree" : "differ",
        options.device,
        other);
    kernels.forEach(
        (kernel, of) ->
            out.printf(
                Locale.ROOT,
                "  %-30s %7d dispatches, %12d elements, %d not equal bit by bit%s%s%n",
                kernel,
                of.dispatches(),
                of.elements(),
                of.different() + of.partedElements(),
                of.parted() == 0
                    ? ""
                    : ", "
                        + of.partedElements()
                        + " of them in "
                        + of.parted()
                        + " dispatches that differ",
                of.different() == 0
                    ? ""
                    : (of.parted() == 0 ? ", at most " : ", the others at most ")
                        + of.farthest()
                        + " ulps apart"));
  }

  private void learn(Noise noise, BundleFolders bundles) throws InterruptedException {
    try (Replica first = new Replica(recording, bundles, options.device, false, Elements.FRESH[0]);
        Replica again = new Replica(recording, bundles, options.device, false, Elements.FRESH[1])) {
      ReplayComparison learning = comparison(first, again, noise, true);
      new Replay(recording, List.of(first, again), learning, progress).run();
    }
  }

  private ReplayComparison comparison(
      Replica first, Replica second, Noise noise, boolean isLearning) {
    return new ReplayComparison(
        first,
        second,
        new Elements.Tolerance(options.ulps, options.absolute, options.isScaled),
        options.from,
        options.to,
        options.goesOn,
        noise,
        isLearning);
  }

  private void print(
      ReplayComparison.Found found,
      boolean isFirst,
      BundleFolders bundles,
      String other,
      PrintWriter out) {
    Finding finding = found.finding();
    Kernel kernel = found.compared().kernel();
    Step.Operation operation = found.operation();
    out.printf(
        Locale.ROOT,
        "dispatch %d, %s, differs on %s (%s) and %s (%s)%n",
        finding.number(),
        kernel,
        options.device,
        finding.firstFormat(),
        other,
        finding.secondFormat());
    out.printf(
        Locale.ROOT,
        "  operation %d of the recording: %s operation %d (%s)%n",
        operation.index(),
        recording.queue(operation.queue()).name(),
        operation.number(),
        operation.kind());
    finding.lines(kernel, names(finding.dispatch())).forEach(line -> out.println("  " + line));
    if (options.out != null && isFirst) {
      String command =
          FindingFolder.write(
              options.out,
              finding,
              kernel,
              bundles,
              List.of(options.device, other),
              options.launcher);
      out.printf(Locale.ROOT, "  to run it alone: %s%n", command);
    }
  }
}
