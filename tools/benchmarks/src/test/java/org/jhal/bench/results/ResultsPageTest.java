// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.results;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jhal.bench.BenchTool;
import org.jhal.bench.measure.Spread;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The files of docs/results have the format that their README describes; docs/results.md has them.
 */
class ResultsPageTest {
  /** With {@code -Djhal.results.write=true} the page is written before it is compared. */
  private static final boolean WRITES = Boolean.getBoolean("jhal.results.write");

  private static final Pattern NAME = Pattern.compile("[a-z0-9-]+-(\\d{4}-\\d{2}-\\d{2})");
  private static final Pattern COMMIT = Pattern.compile("[0-9a-f]{7,40}");
  private static final Set<String> RUN =
      Set.of(
          "format",
          "device",
          "driver",
          "jhal",
          "commit",
          "time",
          "cores",
          "system",
          "jvm",
          "heap",
          "peer",
          "transcribed",
          "notes",
          "cases");
  private static final Set<String> CASE =
      Set.of("name", "description", "unit", "loadBefore", "loadAfter", "rows");
  private static final Set<String> ROW =
      Set.of("label", "metric", "jhal", "toFirst", "peers", "aims", "note");
  private static final Set<String> SIDE =
      Set.of("median", "min", "max", "samples", "failure", "missing");
  private static final Set<String> BASELINE =
      Set.of(
          "name",
          "ratio",
          "ratioMin",
          "ratioMax",
          "median",
          "min",
          "max",
          "samples",
          "failure",
          "missing");
  private static final Set<String> AIM =
      Set.of("of", "peer", "atLeast", "atMost", "measured", "met");
  private static final List<String> AIMS = List.of("value", "ratio", "lowest", "growth");

  /** The folder of the whole repository, wherever in it the test was started. */
  private static Path root() {
    Path folder = Path.of("").toAbsolutePath();
    while (!Files.isDirectory(folder.resolve(".mvn"))) {
      folder = Objects.requireNonNull(folder.getParent(), "no folder above has .mvn");
    }
    return folder;
  }

  private static Path page() {
    return root().resolve("docs/results.md");
  }

  private static Map<String, JsonObject> runs() throws IOException {
    Map<String, JsonObject> runs = new TreeMap<>();
    try (Stream<Path> files = Files.list(root().resolve("docs/results"))) {
      for (Path file : files.filter(path -> path.toString().endsWith(".json")).toList()) {
        String name = file.getFileName().toString().replaceFirst("\\.json$", "");
        runs.put(name, JsonParser.parseString(Files.readString(file)).getAsJsonObject());
      }
    }
    return runs;
  }

  @Test
  void thePageAgreesWithTheFiles() throws IOException {
    String page = ResultsPage.of(runs());
    if (WRITES) {
      Files.writeString(page(), page);
    }
    assertEquals(
        page,
        Files.readString(page()),
        "docs/results.md does not agree with docs/results; its head has the command that writes it");
  }

  @Test
  void eachFileHasTheFormat() throws IOException {
    Map<String, JsonObject> runs = runs();
    assertFalse(runs.isEmpty(), "docs/results has no files");
    List<String> wrong = new ArrayList<>();
    runs.forEach((name, run) -> wrong.addAll(wrong(name, run)));
    assertEquals(List.of(), wrong);
  }

  /** The defects of a file. */
  private static List<String> wrong(String name, JsonObject run) {
    List<String> wrong = new ArrayList<>();
    try {
      check(name, run);
    } catch (AssertionError
        | RuntimeException e) { // also a missing element, or one of another type
      wrong.add(name + ": " + e);
    }
    return wrong;
  }

  private static void check(String name, JsonObject run) {
    checkKeys("the file", run, RUN);
    assertEquals("jhal-bench-1", run.get("format").getAsString(), "format");
    assertFalse(run.get("device").getAsString().isBlank(), "device");
    String commit = run.get("commit").getAsString();
    assertTrue(COMMIT.matcher(commit).matches(), () -> "commit " + commit);
    var parts = NAME.matcher(name);
    assertTrue(parts.matches(), "the name is not DEVICE-YYYY-MM-DD.json");
    assertTrue(run.get("time").getAsString().startsWith(parts.group(1)), "time and name differ");
    for (JsonElement one : run.getAsJsonArray("cases")) {
      checkKeys("a case", one.getAsJsonObject(), CASE);
      String title = one.getAsJsonObject().get("name").getAsString();
      assertFalse(one.getAsJsonObject().get("unit").getAsString().isBlank(), title);
      for (JsonElement row : one.getAsJsonObject().getAsJsonArray("rows")) {
        check(title, row.getAsJsonObject(), run.has("transcribed"));
      }
    }
  }

  private static void check(String title, JsonObject row, boolean isTranscribed) {
    String where = title + ", " + row.get("label").getAsString();
    checkKeys(where, row, ROW);
    JsonObject jhal = row.getAsJsonObject("jhal");
    checkKeys(where, jhal, SIDE);
    if (!isTranscribed) {
      checkSamples(where, jhal);
    }
    for (JsonElement element : row.getAsJsonArray("peers")) {
      JsonObject baseline = element.getAsJsonObject();
      checkKeys(where, baseline, BASELINE);
      assertFalse(baseline.get("name").getAsString().isBlank(), where);
      if (!isTranscribed) {
        checkSamples(where, baseline);
        Spread ratio = Spread.ofRatios(samples(jhal), samples(baseline));
        checkNumber(where, ratio.median(), baseline.get("ratio"));
        checkNumber(where, ratio.min(), baseline.get("ratioMin"));
        checkNumber(where, ratio.max(), baseline.get("ratioMax"));
      }
    }
    if (row.has("aims")) {
      for (JsonElement aim : row.getAsJsonArray("aims")) {
        checkAim(where, aim.getAsJsonObject());
      }
    }
  }

  private static void checkAim(String where, JsonObject aim) {
    checkKeys(where, aim, AIM);
    assertTrue(AIMS.contains(aim.get("of").getAsString()), () -> where + ": " + aim);
    assertTrue(aim.has("atLeast") != aim.has("atMost"), () -> where + ": " + aim);
    JsonElement measured = aim.get("measured");
    if (measured == null || measured.isJsonNull()) {
      return;
    }
    boolean isLeast = aim.has("atLeast");
    double limit = aim.get(isLeast ? "atLeast" : "atMost").getAsDouble();
    boolean isMet = isLeast ? measured.getAsDouble() >= limit : measured.getAsDouble() <= limit;
    assertEquals(isMet, aim.get("met").getAsBoolean(), () -> where + ": " + aim);
  }

  private static void checkSamples(String where, JsonObject side) {
    Spread spread = Spread.of(samples(side));
    checkNumber(where, spread.median(), side.get("median"));
    checkNumber(where, spread.min(), side.get("min"));
    checkNumber(where, spread.max(), side.get("max"));
  }

  private static double[] samples(JsonObject side) {
    JsonArray samples = side.getAsJsonArray("samples");
    double[] numbers = new double[samples.size()];
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] = samples.get(i).isJsonNull() ? Double.NaN : samples.get(i).getAsDouble();
    }
    return numbers;
  }

  private static void checkNumber(String where, double expected, @Nullable JsonElement number) {
    double actual = number == null || number.isJsonNull() ? Double.NaN : number.getAsDouble();
    assertEquals(Double.isFinite(expected) ? expected : Double.NaN, actual, 0, where);
  }

  private static void checkKeys(String where, JsonObject json, Set<String> known) {
    for (String key : json.keySet()) {
      assertTrue(known.contains(key), () -> where + ": unknown key " + key);
    }
  }

  private static final String SAMPLE =
      """
      {'format': 'jhal-bench-1', 'device': 'cuda://0, A | B', 'commit': '0123456', 'time': '2026-01-02T03:04:05Z',
       'notes': ['It was calm.'],
       'cases': [{'name': 'chain', 'unit': 'ns', 'rows': [
         {'label': '1000', 'metric': 'time',
          'jhal': {'median': 1500, 'min': 1000, 'max': 4000, 'samples': [1000, 4000, 1500]},
          'peers': [{'name': 'C', 'median': 1000, 'min': 500, 'max': 2000, 'samples': [500, 2000, 1000],
                     'ratio': 2, 'ratioMin': 1.5, 'ratioMax': 2}],
          'aims': [{'of': 'ratio', 'peer': 'C', 'atMost': 1.25, 'measured': 2, 'met': false}]},
         {'label': '1000', 'metric': 'GB/s', 'jhal': {'median': 27, 'min': 27, 'max': 27, 'samples': [27]},
          'peers': [], 'aims': [{'of': 'value', 'atLeast': 20, 'measured': 27, 'met': true}],
          'note': 'Noted.'}]}]}
      """;

  private static JsonObject sample() {
    return JsonParser.parseString(SAMPLE.replace('\'', '"')).getAsJsonObject();
  }

  @Test
  void aRunHasTheFormat(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("run.json");
    StringWriter output = new StringWriter();
    PrintWriter out = new PrintWriter(output);
    List<String> cases =
        List.of("round-trip", "parked-one-by-one", "heap", "dispatch-chain", "graph-lengths");
    BenchTool.Options options =
        new BenchTool.Options(
            "mock", null, null, cases, 16, 3, Duration.ZERO, file, "0123456", null, null);
    assertEquals(0, BenchTool.run(options, out, out), output::toString);
    JsonObject run = JsonParser.parseString(Files.readString(file)).getAsJsonObject();
    String date = run.get("time").getAsString().substring(0, 10);
    assertEquals(List.of(), wrong("mock-" + date, run));
  }

  @Test
  void controlAMeasuredFileIsARowOfEachBaseline() {
    assertEquals(List.of(), wrong("cuda-2026-01-02", sample()));
    String page = ResultsPage.of(Map.of("cuda-2026-01-02", sample()));
    assertEquals(
        """

        ## cuda-2026-01-02

        - device: cuda://0, A \\| B
        - commit: 0123456
        - time: 2026-01-02T03:04:05Z
        - note: It was calm.

        | case | row | metric | JHAL | peer | of the peer | JHAL / peer | aim, note |
        |---|---|---|---|---|---|---|---|
        | `chain` | 1000 | time | 1.5 us (1 us to 4 us) | C | 1 us (500 ns to 2 us) | 2.00 (1.50 to 2.00) | at most 1.25: missed |
        | | 1000 | GB/s | 27 GB/s (27 GB/s to 27 GB/s) | | | | at least 20 GB/s: met; Noted. |
        """,
        page.substring(page.indexOf("\n## ")));
  }

  @Test
  void theNewestRunComesFirst() {
    JsonObject newer = sample();
    newer.addProperty("time", "2026-01-02T12:00:00Z");
    JsonObject older = sample();
    older.addProperty("time", "2025-12-31");
    Map<String, JsonObject> runs =
        new TreeMap<>(
            Map.of("a-2025-12-31", older, "b-2026-01-02", sample(), "c-2026-01-02", newer));
    List<String> names =
        ResultsPage.of(runs).lines().filter(line -> line.startsWith("## ")).toList();
    assertEquals(List.of("## c-2026-01-02", "## b-2026-01-02", "## a-2025-12-31"), names);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '"',
      value = {
        "jhal-bench-1; jhal-bench-2; format",
        "0123456; main; commit main",
        "'2026-01-02; '2026-01-03; time and name differ",
        "'notes'; 'nodes'; unknown key nodes",
        "'median': 1500; 'median': 1400; chain, 1000",
        "'ratioMax': 2; 'ratioMax': 3; chain, 1000",
        "'met': false; 'met': true; chain, 1000",
        "'samples': [27]; 'missing': 'why'; NullPointerException"
      })
  void controlAnInconsistentFileIsFound(String old, String altered, String message) {
    assertTrue(SAMPLE.contains(old), old);
    String json = SAMPLE.replace(old, altered).replace('\'', '"');
    List<String> wrong = wrong("cuda-2026-01-02", JsonParser.parseString(json).getAsJsonObject());
    assertEquals(1, wrong.size(), old);
    assertTrue(wrong.get(0).contains(message), wrong.get(0));
  }
}
