// SPDX-License-Identifier: Apache-2.0
package org.jhal.faults;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jhal.faults.Corpus.KernelFault;
import org.jspecify.annotations.Nullable;

/**
 * {@code SanitizerResults RESULTS JSON}: turns what {@code sanitizer/run.sh} has written into
 * {@code sanitizer/compute-sanitizer.json}, and prints the tables of the README.
 *
 * <p>The file begins with lines {@code # KEY VALUE}. Then there is for each run a line {@code @
 * KERNEL TWIN TOOL STATUS MILLISECONDS}, and below it what the program and the tool have printed.
 */
public final class SanitizerResults {
  /** The tools, in the order of the tables. */
  static final List<String> TOOLS = List.of("memcheck", "racecheck", "initcheck", "synccheck");

  /** The name of the runs without a tool. */
  private static final String NONE = "none";

  private static final Gson GSON = new GsonBuilder().disableHtmlEscaping().create();

  private static final Pattern LINE = Pattern.compile(" in (?:\\S*/)?([^/\\s:]+):(\\d+)(?=\\s|$)");
  private static final Pattern SUMMARY =
      Pattern.compile("(?:ERROR|RACECHECK) SUMMARY: (\\d+) (?:error|hazard)s?");

  /** What a tool prints without an indent, and is no finding. */
  private static final Pattern NO_FINDING =
      Pattern.compile(
          "COMPUTE-SANITIZER|.* SUMMARY: .*|Target application .*|Internal Sanitizer Error.*"
              + "|Program hit .*|Error: process didn't terminate.*|Error: No attachable .*"
              + "|.*were not printed.*|.*print limit.*");

  private SanitizerResults() {}

  /**
   * What one tool says of one twin.
   *
   * @param errors as it counts them, or null if it came to no end
   * @param reports for each kind the lines of the kernel's source, sorted; without any if a report
   *     names no line there
   * @param end how the run ended if not as it should, or null
   */
  record Finding(
      @Nullable Integer errors, Map<String, TreeSet<Integer>> reports, @Nullable String end) {
    boolean isReport() {
      return !reports.isEmpty();
    }

    private boolean isAt(List<Integer> lines) {
      return reports.values().stream().anyMatch(named -> lines.stream().anyMatch(named::contains));
    }

    private boolean isWorthKeeping() {
      return isReport() || end != null;
    }
  }

  /**
   * A kernel of the file.
   *
   * @param where the lines at one of which a report may point
   * @param found {@code line}, {@code other line}, {@code without line} or {@code no}
   * @param by the tools that have found it so
   * @param unchecked what the faulty twin does without a tool: {@code same results}, {@code other
   *     results}, {@code hangs}, or the name of an error
   * @param faulty what tools say of the faulty twin
   * @param sound what tools say of the sound twin, null if nothing
   * @param ms of the sound twin, from the launches to the end of the wait, without a tool and with
   *     each; {@code events}: between events, without a tool
   */
  record Entry(
      String name,
      List<Integer> where,
      String found,
      List<String> by,
      @Nullable String unchecked,
      Map<String, Finding> faulty,
      @Nullable Map<String, Finding> sound,
      Map<String, Double> ms) {
    /** How many times longer the sound twin takes with a tool, or NaN. */
    private double slowdown(String tool) {
      Double with = ms.get(tool);
      Double without = ms.get(NONE);
      return with == null || without == null ? Double.NaN : with / without;
    }
  }

  /** The file, apart from its layout. */
  record Document(String computeSanitizer, String machine, String times, List<Entry> kernels) {}

  private record Run(int status, List<String> output) {
    boolean tookTooLong() {
      return status == 124 || status == 137;
    }

    /** The words of the first line that begins with a word, or null. */
    private String @Nullable [] words(String first) {
      return output.stream()
          .filter(line -> line.startsWith(first + " "))
          .findFirst()
          .map(line -> line.split(" "))
          .orElse(null);
    }

    @Nullable Double ms(int word) {
      String[] words = words("ms");
      return words == null ? null : Double.valueOf(words[word]);
    }
  }

  /** See the class. */
  public static void main(String[] args) throws IOException {
    Document document = read(Files.readAllLines(Path.of(args[0])));
    Files.writeString(Path.of(args[1]), json(document));
    System.out.print(summary(document) + "\n\n" + table(document));
  }

  /** Reads the lines of a file of results. */
  static Document read(List<String> lines) {
    Map<String, String> header = new HashMap<>();
    Map<String, Run> runs = new HashMap<>();
    List<String> output = new ArrayList<>();
    for (String line : lines) {
      String[] words = line.split(" ");
      if (runs.isEmpty() && line.startsWith("# ")) {
        header.put(words[1], line.substring(3 + words[1].length()).strip());
      } else if (words.length == 6 && words[0].equals("@")) {
        output = new ArrayList<>();
        runs.put(key(words[1], words[2], words[3]), new Run(Integer.parseInt(words[4]), output));
      } else {
        output.add(line);
      }
    }
    return new Document(
        header.get("sanitizer") + ", " + header.get("options"),
        header.get("gpu") + ", " + header.get("compiler") + " -arch=sm_90 -lineinfo",
        "milliseconds of the sound twin, all of its kernels, from the launch to the end of the wait;"
            + " least of 29 runs without a tool (none; events: between events), of 5 with one",
        Corpus.kernels().stream().map(fault -> entry(fault, runs)).toList());
  }

  private static String key(String kernel, String twin, String tool) {
    return kernel + " " + twin + " " + tool;
  }

  private static Entry entry(KernelFault fault, Map<String, Run> runs) {
    List<Integer> where = fault.where().stream().map(Corpus.Line::line).toList();
    Map<String, Finding> faulty = findings(fault, Twin.FAULTY, runs);
    Map<String, Finding> sound = findings(fault, Twin.SOUND, runs);
    sound.values().removeIf(finding -> !finding.isWorthKeeping());

    String found = "no";
    List<String> by = tools(faulty, finding -> finding.isAt(where));
    if (!by.isEmpty()) {
      found = "line";
    } else {
      by =
          tools(faulty, finding -> finding.reports().values().stream().anyMatch(l -> !l.isEmpty()));
      if (!by.isEmpty()) {
        found = "other line";
      } else {
        by = tools(faulty, Finding::isReport);
        found = by.isEmpty() ? "no" : "without line";
      }
    }
    faulty.values().removeIf(finding -> !finding.isWorthKeeping());

    Map<String, Double> ms = new LinkedHashMap<>();
    put(ms, "events", runs.get(key(fault.name(), "sound", NONE)), 2);
    put(ms, NONE, runs.get(key(fault.name(), "sound", NONE)), 1);
    TOOLS.forEach(tool -> put(ms, tool, runs.get(key(fault.name(), "sound", tool)), 1));
    return new Entry(
        fault.name(),
        where,
        found,
        by,
        unchecked(
            runs.get(key(fault.name(), "faulty", NONE)),
            runs.get(key(fault.name(), "sound", NONE))),
        faulty,
        sound.isEmpty() ? null : sound,
        ms);
  }

  private static List<String> tools(Map<String, Finding> findings, Predicate<Finding> which) {
    return findings.entrySet().stream()
        .filter(entry -> which.test(entry.getValue()))
        .map(Map.Entry::getKey)
        .toList();
  }

  private static void put(Map<String, Double> ms, String key, @Nullable Run run, int word) {
    Double value = run == null ? null : run.ms(word);
    if (value != null) {
      ms.put(key, value);
    }
  }

  /** Null if it was not run, or if even the sound twin has other results in each run. */
  private static @Nullable String unchecked(@Nullable Run faulty, @Nullable Run sound) {
    if (faulty == null) {
      return null;
    }
    String[] failed = faulty.words("failed");
    if (failed != null) {
      return failed[failed.length - 1];
    }
    if (faulty.tookTooLong()) {
      return "hangs";
    }
    String[] is = faulty.words("ms");
    String[] should = sound == null ? null : sound.words("ms");
    if (is == null || should == null || !should[3].equals(should[4])) {
      return null;
    }
    return is[3].equals(should[3]) ? "same results" : "other results";
  }

  private static Map<String, Finding> findings(
      KernelFault fault, Twin twin, Map<String, Run> runs) {
    Map<String, Finding> findings = new LinkedHashMap<>();
    for (String tool : TOOLS) {
      Run run = runs.get(key(fault.name(), twin.folder(), tool));
      findings.put(
          tool,
          run == null
              ? new Finding(null, Map.of(), "not run")
              : finding(run, fault.where().get(0).file()));
    }
    return findings;
  }

  /** What a tool has printed: a line without an indent begins a report. */
  private static Finding finding(Run run, String file) {
    Integer errors = null;
    boolean isAlive = false;
    String internal = null;
    Map<String, TreeSet<Integer>> reports = new TreeMap<>();
    TreeSet<Integer> named = new TreeSet<>();
    for (String line : run.output()) {
      if (!line.startsWith("=========")) {
        isAlive |= line.startsWith("ms ") || line.startsWith("failed ");
        continue;
      }
      String text = line.substring(9);
      Matcher summary = SUMMARY.matcher(text);
      if (summary.find()) {
        errors = Integer.valueOf(summary.group(1));
      }
      boolean isHeading = text.startsWith(" ") && !text.isBlank() && text.charAt(1) != ' ';
      if (isHeading && text.contains("Internal Sanitizer Error")) {
        internal = "internal error";
      }
      if (isHeading && NO_FINDING.matcher(text.strip()).matches()) {
        named = new TreeSet<>();
        continue;
      }
      if (isHeading) {
        named = reports.computeIfAbsent(kind(text.strip()), kind -> new TreeSet<>());
      }
      Matcher at = LINE.matcher(text);
      while (at.find()) {
        if (at.group(1).equals(file)) {
          named.add(Integer.valueOf(at.group(2)));
        }
      }
    }
    String end = internal;
    if (run.tookTooLong()) {
      end = "took too long";
    } else if (end == null && (errors == null || !isAlive)) {
      end = "status " + run.status();
    }
    return new Finding(errors, reports, end);
  }

  /** The heading of a report without what differs from one to the next. */
  private static String kind(String heading) {
    return heading
        .replaceFirst("Race reported between .*", "Race reported")
        .replaceFirst(" at (?:host access|__shared__|0x).*", "")
        .replaceFirst(" detected at .*", " detected")
        .replaceFirst("\\.$", "");
  }

  /** The document as text, one line for each kernel. */
  static String json(Document document) {
    Map<String, String> head = new LinkedHashMap<>();
    head.put("computeSanitizer", document.computeSanitizer());
    head.put("machine", document.machine());
    head.put("times", document.times());
    return head.entrySet().stream()
            .map(entry -> "  " + GSON.toJson(entry.getKey()) + ": " + GSON.toJson(entry.getValue()))
            .collect(Collectors.joining(",\n", "{\n", ",\n  \"kernels\": [\n"))
        + document.kernels().stream()
            .map(entry -> "    " + GSON.toJson(entry))
            .collect(Collectors.joining(",\n"))
        + "\n  ]\n}\n";
  }

  /** Reads the text of {@link #json}. */
  static Document document(String json) {
    return GSON.fromJson(json, Document.class);
  }

  /** The row of compute-sanitizer in the README's table of tools. */
  static String summary(Document document) {
    List<Entry> kernels = document.kernels();
    return "| kernels: compute-sanitizer %s on %s, all four tools ([data](sanitizer/compute-sanitizer.json)) | %s | %s | %s |"
        .formatted(
            document.computeSanitizer().replaceFirst(",.*", ""),
            document.machine().replaceFirst(",.*", ""),
            kernels.size(),
            count(kernels, entry -> entry.found().equals("line")),
            count(kernels, entry -> TOOLS.stream().anyMatch(t -> isReported(entry.sound(), t))));
  }

  /** The README's table of the four tools. */
  static String table(Document document) {
    StringBuilder text =
        new StringBuilder(
            "| | faults meant for it | found at one of their lines | reported otherwise | reports on sound twins"
                + " | times slower: median | most |\n|---|---|---|---|---|---|---|\n");
    for (String tool : TOOLS) {
      List<Entry> kernels = document.kernels();
      text.append(
          "| `%s` | %s | %s | %s | %s | %s | %s |\n"
              .formatted(
                  tool,
                  count(kernels, entry -> meantFor(entry.name()).equals(tool)),
                  count(kernels, entry -> isAtLine(entry, tool)),
                  count(
                      kernels, entry -> isReported(entry.faulty(), tool) && !isAtLine(entry, tool)),
                  count(kernels, entry -> isReported(entry.sound(), tool)),
                  times(document, tool, 0.5),
                  times(document, tool, 1)));
    }
    return text.toString();
  }

  private static String meantFor(String kernel) {
    return Corpus.kernels().stream()
        .filter(fault -> fault.name().equals(kernel))
        .findFirst()
        .orElseThrow()
        .sanitizer();
  }

  private static int count(List<Entry> kernels, Predicate<Entry> which) {
    return (int) kernels.stream().filter(which).count();
  }

  private static boolean isAtLine(Entry entry, String tool) {
    return entry.found().equals("line") && entry.by().contains(tool);
  }

  private static boolean isReported(@Nullable Map<String, Finding> findings, String tool) {
    Finding finding = findings == null ? null : findings.get(tool);
    return finding != null && finding.isReport();
  }

  /** A quantile of the slowdowns, with two digits. */
  private static String times(Document document, String tool, double quantile) {
    double[] slowdowns =
        document.kernels().stream()
            .mapToDouble(entry -> entry.slowdown(tool))
            .filter(value -> !Double.isNaN(value))
            .sorted()
            .toArray();
    if (slowdowns.length == 0) {
      return "-";
    }
    double value = slowdowns[(int) Math.round(quantile * (slowdowns.length - 1))];
    if (value < 10) {
      return String.format(Locale.ROOT, "%.1f", value);
    }
    double unit = Math.pow(10, Math.floor(Math.log10(value)) - 1);
    return String.format(Locale.ROOT, "%,.0f", Math.rint(value / unit) * unit);
  }
}
