// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench;

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
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jhal.Hal;
import org.jhal.bench.cases.host.ParkedMemory;
import org.jhal.bench.kernel.Touch;
import org.jhal.bench.measure.BenchCase;
import org.jhal.bench.measure.Subject;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The command, with hardly any work: every case runs and measures something. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class BenchToolTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... args) {
    ToolProvider tool = ToolProvider.findFirst("hal-bench").orElseThrow();
    return tool.run(new PrintWriter(out), new PrintWriter(err), args);
  }

  @TestFactory
  Stream<DynamicTest> everyCaseMeasuresSomething(@TempDir Path folder) {
    return BenchCases.all().stream()
        .filter(benchCase -> benchCase.driver() == null) // those of a driver: CudaCasesTest
        .map(
            benchCase ->
                DynamicTest.dynamicTest(
                    benchCase.name(), () -> new BenchToolTest().measures(benchCase, folder)));
  }

  /** On a device that loads none of the formats of the kernel. */
  private int runOnTiny(String... more) {
    List<String> args =
        new ArrayList<>(
            List.of("--device", "tiny", "--max", "200", "--rounds", "2", "--warm-up", "0"));
    args.addAll(List.of("--case", "heap", "--case", "dispatch-*"));
    args.addAll(List.of(more));
    return run(args.toArray(new String[0]));
  }

  @Test
  void reportsAKernelThatCannotBeLoadedAndMeasuresTheRest() {
    assertEquals(0, runOnTiny(), err.toString());
    assertEquals("", err.toString());
    List<String> absences =
        out.toString().lines().filter(line -> line.startsWith("JHAL was not measured: ")).toList();
    assertEquals(3, absences.size(), out.toString()); // below each table
    assertEquals(1, Set.copyOf(absences).size(), absences.toString());
    assertTrue(
        absences
            .get(0)
            .contains("cuda-ptx: tiny-0 loads [tiny]; gpu-c++: tiny-0 loads [tiny]; java: "),
        absences.get(0));
    assertTrue(absences.get(0).contains("--kernels takes a bundle"), absences.get(0));
    assertTrue(
        out.toString().lines().anyMatch(line -> line.matches("fill +heap +[0-9.]+ \\(.*")),
        out.toString());
  }

  @Test
  void reportsARefusedCaseByStatusAndMessage() {
    String line = "--device mock://?memory=0 --max 200 --rounds 2 --warm-up 0 --case heap";
    assertEquals(1, run(line.split(" ", -1)), err.toString());
    assertTrue(err.toString().contains(" failed: RESOURCE_EXHAUSTED: "), err.toString());
    assertFalse(err.toString().contains("Exception"), err.toString());
  }

  @Test
  void measuresAKernelInTheFormatOfTheDevice(@TempDir Path folder) throws IOException {
    String manifest = new String(Touch.file("manifest.json"), StandardCharsets.UTF_8);
    Files.writeString(
        folder.resolve("manifest.json"),
        manifest.substring(0, manifest.indexOf("\"variants\""))
            + "\"variants\": [{\"format\": \"tiny\", \"file\": \"kernels.txt\"}]}");
    Files.writeString(folder.resolve("kernels.txt"), TinyTouch.class.getName());
    assertEquals(0, runOnTiny("--kernels", folder.toString()), err.toString());
    assertFalse(out.toString().contains("was not measured"), out.toString());
    assertTrue(
        out.toString().lines().anyMatch(line -> line.matches("dispatch +heap +[0-9.]+ \\(.*")),
        out.toString());
  }

  @Test
  void measuresAVariantInTheFormatOfTheDevice(@TempDir Path folder) throws IOException {
    Files.writeString(
        folder.resolve("manifest.json"),
        "{\"version\": 1, \"bundle\": \"touch\", \"variants\":"
            + " [{\"format\": \"tiny\", \"file\": \"kernels.txt\"}]}");
    Files.writeString(folder.resolve("kernels.txt"), TinyTouch.class.getName());
    assertEquals(0, runOnTiny("--variants", folder.toString()), err.toString());
    assertFalse(out.toString().contains("was not measured"), out.toString());
    assertTrue(
        out.toString().lines().anyMatch(line -> line.matches("dispatch +heap +[0-9.]+ \\(.*")),
        out.toString());
    Path nothing = folder.resolve("nothing");
    assertEquals(2, run("--variants", nothing.toString()));
    assertTrue(
        err.toString().contains("--variants " + nothing + ": no variants in"), err.toString());
  }

  private void measures(BenchCase benchCase, Path folder) throws IOException {
    Path file = folder.resolve(benchCase.name() + ".json");
    int exitCode =
        run(
            "--device",
            benchCase.needsTwo() ? "mock://0?devices=2" : "mock",
            "--case",
            benchCase.name(),
            "--max",
            benchCase.needsTwo() || benchCase.name().startsWith("peer-") ? "20" : "200", // MiB
            "--rounds",
            "2",
            "--warm-up",
            "0",
            "--json",
            file.toString());
    assertEquals(0, exitCode, err.toString());

    JsonObject root = JsonParser.parseString(Files.readString(file)).getAsJsonObject();
    assertTrue(root.get("cores").getAsInt() > 0);
    JsonArray cases = root.getAsJsonArray("cases");
    assertEquals(1, cases.size());
    JsonArray rows = cases.get(0).getAsJsonObject().getAsJsonArray("rows");
    assertFalse(rows.isEmpty());
    for (JsonElement element : rows) {
      JsonObject row = element.getAsJsonObject();
      String metric = row.get("metric").getAsString();
      assertTrue(benchCase.metrics().contains(metric), metric);
      check(metric, row.getAsJsonObject("jhal"));
      // There is no --peer, and the mock has neither graphs nor a cache.
      boolean isAlone =
          Stream.of(
                  "dispatch-",
                  "graph-",
                  "pageable-",
                  "load",
                  "marks",
                  "peer-copy",
                  "peer-both",
                  "peer-hop",
                  "all-reduce")
              .anyMatch(benchCase.name()::startsWith);
      assertEquals(isAlone, row.getAsJsonArray("peers").isEmpty());
      if (benchCase.name().equals("heap")) {
        assertEquals(512, aim(row).get("atMost").getAsDouble());
      }
      for (JsonElement peer : row.getAsJsonArray("peers")) {
        check(metric, peer.getAsJsonObject());
        assertTrue(out.toString().contains(peer.getAsJsonObject().get("name").getAsString()));
      }
      assertTrue(out.toString().contains(row.get("label").getAsString()), out.toString());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"dispatch-round-trip", "dispatch-chain"})
  void measuresAPeerBesideTheDevice(String name, @TempDir Path folder) throws IOException {
    Path file = folder.resolve("results.json");
    String peer = "mock://1?devices=2";
    List<String> arguments = new ArrayList<>(List.of(few()));
    arguments.addAll(List.of("--case", name, "--peer", peer, "--json", file.toString()));
    assertEquals(0, run(arguments.toArray(String[]::new)), err.toString());
    assertTrue(out.toString().contains("peer     " + peer + ", "), out.toString());

    JsonObject root = JsonParser.parseString(Files.readString(file)).getAsJsonObject();
    assertTrue(root.get("peer").getAsString().startsWith(peer), root::toString);
    JsonObject row =
        root.getAsJsonArray("cases")
            .get(0)
            .getAsJsonObject()
            .getAsJsonArray("rows")
            .get(0)
            .getAsJsonObject();
    JsonArray peers = row.getAsJsonArray("peers");
    assertEquals(1, peers.size());
    JsonObject beside = peers.get(0).getAsJsonObject();
    assertEquals(peer, beside.get("name").getAsString());
    assertTrue(beside.get("median").getAsDouble() > 0, beside::toString);
    assertTrue(row.getAsJsonObject("jhal").get("median").getAsDouble() > 0, row::toString);
    assertEquals(peer, aim(row).get("peer").getAsString());
    assertEquals(1.15, aim(row).get("atMost").getAsDouble());
    assertEquals(beside.get("ratio"), aim(row).get("measured"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"marks", "graph-lengths", "pageable-readback"})
  void comparesSmallWorkOfTwoDevices(String name, @TempDir Path folder) throws IOException {
    Path file = folder.resolve("results.json");
    List<String> arguments = new ArrayList<>(List.of(few()));
    arguments.addAll(List.of("--case", name, "--peer", "mock://1?devices=2"));
    arguments.addAll(List.of("--json", file.toString()));
    assertEquals(0, run(arguments.toArray(String[]::new)), err.toString());
    JsonArray cases =
        JsonParser.parseString(Files.readString(file)).getAsJsonObject().getAsJsonArray("cases");
    for (JsonElement row : cases.get(0).getAsJsonObject().getAsJsonArray("rows")) {
      JsonArray peers = row.getAsJsonObject().getAsJsonArray("peers");
      assertEquals(1, peers.size(), row::toString);
      JsonObject beside = peers.get(0).getAsJsonObject();
      assertEquals("mock://1?devices=2", beside.get("name").getAsString());
      assertTrue(beside.get("median").getAsDouble() > 0, beside::toString);
    }
  }

  @Test
  void resultsContainTheFormatAndTheCommit(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("results.json");
    List<String> arguments = new ArrayList<>(List.of(few()));
    arguments.addAll(
        List.of("--case", "round-trip", "--json", file.toString(), "--commit", "1c9757110"));
    assertEquals(0, run(arguments.toArray(String[]::new)), err.toString());
    JsonObject root = JsonParser.parseString(Files.readString(file)).getAsJsonObject();
    assertEquals("jhal-bench-1", root.get("format").getAsString());
    assertEquals("1c9757110", root.get("commit").getAsString());
  }

  @Test
  void usesTheDefaultDeviceOfTheOtherCommands() {
    String before = System.setProperty(Hal.DEVICE_PROPERTY, "mock://0?queues=3");
    try {
      assertEquals(
          0,
          run("--max", "10", "--rounds", "1", "--warm-up", "0", "--case", "round-trip"),
          err.toString());
    } finally {
      if (before == null) {
        System.clearProperty(Hal.DEVICE_PROPERTY);
      } else {
        System.setProperty(Hal.DEVICE_PROPERTY, before);
      }
    }
    assertTrue(out.toString().startsWith("device   mock://0?queues=3, "), out.toString());
  }

  @Test
  void reportsAMissingPeer() {
    assertEquals(3, run("--device", "mock", "--case", "dispatch-chain", "--peer", "nosuch"));
    assertTrue(err.toString().startsWith("hal: NOT_FOUND"), err.toString());
    assertEquals("", out.toString());
  }

  private static String[] few() {
    return new String[] {"--device", "mock", "--max", "10", "--rounds", "1", "--warm-up", "0"};
  }

  private static JsonObject aim(JsonObject row) {
    return row.getAsJsonArray("aims").get(0).getAsJsonObject();
  }

  private static void check(String metric, JsonObject side) {
    JsonArray samples = side.getAsJsonArray("samples");
    assertEquals(2, samples.size());
    // The collector need not run during so little work, a process may shrink meanwhile, and the
    // heap that one submission takes may round to nothing.
    if (Set.of("whole", "park", "release", "time", "load", "open", "GB/s", "Mpixel/s")
        .contains(metric)) {
      for (JsonElement sample : samples) {
        assertTrue(sample.getAsDouble() > 0, side.toString());
      }
    }
  }

  @Test
  void parkedWorkHoldsHeap() throws Exception {
    // So much that nothing else on the heap of a fresh JVM counts.
    for (String name : new String[] {Subject.JHAL, "CompletableFuture"}) {
      double live = new ParkedMemory(name, "mock", 20_000).sample()[0];
      assertTrue(live > 16, name + ": " + live + " bytes");
    }
  }

  @Test
  void aPatternSelectsCases() {
    assertEquals(0, run("--list", "--case", "parked-*", "--case", "chain"));
    Set<String> listed =
        out.toString().lines().map(line -> line.split(" ", 2)[0]).collect(Collectors.toSet());
    assertEquals(Set.of("parked-one-by-one", "parked-all-at-once", "chain"), listed);
  }

  @Test
  void bulkCasesRunOnAllDevices() {
    List<String> arguments = new ArrayList<>(List.of("--list", "--case", "load"));
    for (String pattern : List.of("graph-*", "pageable-*", "file-*")) {
      arguments.addAll(List.of("--case", pattern));
    }
    assertEquals(0, run(arguments.toArray(String[]::new)));
    assertEquals(10, out.toString().lines().count(), out.toString());
    assertFalse(out.toString().contains("(only "), out.toString());
  }

  @Test
  void reportsACaseForAnotherDriver() {
    assertEquals(2, run("--device", "mock", "--case", "cuda-chain"));
    assertEquals(
        "hal: UNIMPLEMENTED: case cuda-chain is for devices of the driver cuda;"
            + " mock is one of the driver mock",
        err.toString().strip());
    assertEquals("", out.toString());
  }

  @Test
  void runsTheRestBesideCasesForAnotherDriver() {
    List<String> arguments = new ArrayList<>(List.of("--case", "cuda-copy", "--case", "ping-pong"));
    arguments.addAll(List.of(few()));
    assertEquals(0, run(arguments.toArray(String[]::new)), err.toString());
    assertTrue(err.toString().contains("case cuda-copy is for devices of"), err.toString());
    assertTrue(out.toString().contains("ping-pong"), out.toString());
  }

  @Test
  void listShowsTheDriverOfACase() {
    assertEquals(0, run("--list", "--case", "cuda-*"));
    assertEquals(10, out.toString().lines().count(), out.toString());
    assertTrue(
        out.toString().lines().allMatch(line -> line.contains(" (only cuda) ")), out.toString());
  }

  @Test
  void listShowsWhichCasesNeedTwoDevices() {
    assertEquals(0, run("--list"));
    Set<String> forTwo =
        out.toString()
            .lines()
            .filter(line -> line.contains(" (two devices of the driver) "))
            .map(line -> line.split(" ", 2)[0])
            .collect(Collectors.toSet());
    assertEquals(
        Set.of("peer-copy", "peer-both", "peer-hop", "all-reduce", "all-reduce-chain", "split"),
        forTwo);
  }

  @Test
  void helpDescribesEveryOption() {
    assertEquals(0, run("--help"));
    for (String option :
        new String[] {
          "--device",
          "--peer",
          "--case",
          "--max",
          "--rounds",
          "--warm-up",
          "--json",
          "--commit",
          "--page",
          "--compare",
          "--from",
          "--list",
          "--help"
        }) {
      assertTrue(out.toString().contains("  " + option + " "), option);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--nonsense|unknown argument '--nonsense'",
        "--lst|unknown argument '--lst', did you mean '--list'?",
        "--case none|--case none matches no case; hal bench --list shows them",
        "--max 0|--max 0: a number from 1 to 10000000 is needed",
        "--rounds many|--rounds many: a number from 1 to 10000 is needed",
        "--json|--json needs a value",
        "--commit 1234567|--commit needs --json",
        "--json x --commit main|--commit main: 7 to 40 hexadecimal digits are needed",
        "--compare nowhere|--compare nowhere: cannot be read: 'nowhere': no such file or folder",
        "--compare .|--compare .: cannot be read: '.': Is a directory",
        "--kernels nowhere|--kernels nowhere: no bundle at nowhere: neither a folder nor a file"
      })
  void reportsWrongUsage(String arguments, String message) {
    assertEquals(2, run(arguments.split(" ")));
    assertEquals(
        "hal: INVALID_ARGUMENT: " + message + " (see hal bench --help)", err.toString().strip());
  }

  @ParameterizedTest
  @ValueSource(strings = {"--json", "--page", "--compare", "--from", "--kernels", "--variants"})
  void anEmptyPathIsWrongUsage(String option) {
    assertEquals(2, run(option, ""));
    assertTrue(err.toString().contains(option + " '' names no file or folder"), err.toString());
  }

  @Test
  void reportsAMissingDevice() {
    assertEquals(3, run("--device", "nosuch"));
    assertTrue(err.toString().startsWith("hal: NOT_FOUND"), err.toString());
  }

  /** Before anything is measured, and before the device is opened. */
  @ParameterizedTest
  @CsvSource({"--json, results", "--page, page"})
  void reportsAnUnwritableFileBeforeMeasuring(String option, String what, @TempDir Path folder) {
    String file = folder.resolve("no/such/folder").toString();
    assertEquals(1, run("--case", "ping-pong", "--device", "nosuch", option, file));
    assertTrue(
        err.toString()
            .startsWith(
                "hal: NOT_FOUND: the " + what + " cannot be written: '" + file + "': no such"),
        err.toString());
    assertEquals("", out.toString());
  }

  /** The file is taken away while the case is measured, as a full disk would be. */
  @Test
  void writesThePageIfTheResultsCannotBeWritten(@TempDir Path folder) throws IOException {
    Path json = folder.resolve("results.json");
    Path page = folder.resolve("page.html");
    StringWriter taking =
        new StringWriter() {
          @Override
          public void write(String text, int offset, int length) {
            super.write(text, offset, length);
            try {
              Files.createDirectories(json);
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          }
        };
    List<String> arguments = new ArrayList<>(List.of("--case", "ping-pong"));
    arguments.addAll(List.of("--json", json.toString(), "--page", page.toString()));
    arguments.addAll(List.of(few()));
    ToolProvider tool = ToolProvider.findFirst("hal-bench").orElseThrow();
    int exitCode =
        tool.run(new PrintWriter(taking), new PrintWriter(err), arguments.toArray(String[]::new));
    assertEquals(1, exitCode, err.toString());
    assertTrue(err.toString().contains("the results cannot be written"), err.toString());
    assertTrue(Files.readString(page).contains("ping-pong"), page.toString());
  }

  @Test
  void refusesAnOutputOverAnInput(@TempDir Path folder) throws IOException {
    Path results = folder.resolve("s.json");
    List<String> arguments = new ArrayList<>(List.of("--case", "ping-pong"));
    arguments.addAll(List.of("--json", results.toString()));
    arguments.addAll(List.of(few()));
    assertEquals(0, run(arguments.toArray(String[]::new)), err.toString());
    String content = Files.readString(results);
    String name = results.toString();
    String other = folder.resolve("x/../s.json").toString();
    Files.createDirectory(folder.resolve("x"));
    String fresh = folder.resolve("fresh").toString();
    for (List<String> wrong :
        List.of(
            List.of("--from", name, "--page", name),
            List.of("--from", name, "--page", other),
            List.of("--compare", name, "--page", other),
            List.of("--compare", name, "--page", fresh, "--json", other),
            List.of("--page", fresh, "--json", folder.resolve("x/../fresh").toString()))) {
      err.getBuffer().setLength(0);
      assertEquals(2, run(wrong.toArray(String[]::new)), wrong.toString());
      assertTrue(err.toString().contains(" name the same file: "), err.toString());
    }
    assertEquals(content, Files.readString(results));
  }
}
