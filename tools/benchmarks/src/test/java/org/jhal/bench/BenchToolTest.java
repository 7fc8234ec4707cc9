// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
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
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jhal.ExecutableSource;
import org.jhal.Hal;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.bench.cases.host.ParkedMemory;
import org.jhal.bench.kernel.Touch;
import org.jhal.bench.measure.BenchCase;
import org.jhal.bench.measure.Subject;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The command, with hardly any work: every case runs and measures something. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class BenchToolTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(BenchGiven given) throws InterruptedException {
    return BenchTool.run(given.options(), new PrintWriter(out), new PrintWriter(err));
  }

  private List<String> list(String... cases) {
    BenchTool.list(new BenchGiven(cases).options(), new PrintWriter(out));
    return out.toString().lines().toList();
  }

  private static void assertRefused(Status status, String message, Executable options) {
    HalException thrown = assertThrows(HalException.class, options, message);
    assertEquals(message, thrown.getMessage());
    assertEquals(status, thrown.status());
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
  private static BenchGiven onTiny() {
    return new BenchGiven("heap", "dispatch-*").device("tiny").max(200).rounds(2);
  }

  @Test
  void reportsAKernelThatCannotBeLoadedAndMeasuresTheRest() throws InterruptedException {
    assertEquals(0, run(onTiny()), err.toString());
    assertEquals("", err.toString());
    List<String> absences =
        out.toString().lines().filter(line -> line.startsWith("JHAL was not measured: ")).toList();
    assertEquals(4, absences.size(), out.toString()); // below each table
    assertEquals(1, Set.copyOf(absences).size(), absences.toString());
    assertTrue(
        absences
            .get(0)
            .contains(
                "cuda-ptx: tiny-0 loads [tiny]; vulkan-spirv: tiny-0 loads [tiny]; gpu-c++: tiny-0"),
        absences.get(0));
    assertTrue(absences.get(0).contains("--kernels takes a bundle"), absences.get(0));
    assertTrue(
        out.toString().lines().anyMatch(line -> line.matches("fill +heap +[0-9.]+ \\(.*")),
        out.toString());
  }

  @Test
  void reportsARefusedCaseByStatusAndMessage() throws InterruptedException {
    BenchGiven heap = new BenchGiven("heap").device("mock://?memory=0").max(200).rounds(2);
    assertEquals(1, run(heap), err.toString());
    assertTrue(err.toString().contains(" failed: RESOURCE_EXHAUSTED: "), err.toString());
    assertFalse(err.toString().contains("Exception"), err.toString());
  }

  @Test
  void measuresAKernelInTheFormatOfTheDevice(@TempDir Path folder) throws Exception {
    String manifest = new String(Touch.file("manifest.json"), StandardCharsets.UTF_8);
    Files.writeString(
        folder.resolve("manifest.json"),
        manifest.substring(0, manifest.indexOf("\"variants\""))
            + "\"variants\": [{\"format\": \"tiny\", \"file\": \"kernels.txt\"}]}");
    Files.writeString(folder.resolve("kernels.txt"), TinyTouch.class.getName());
    assertEquals(0, run(onTiny().kernels(ExecutableSource.of(folder))), err.toString());
    assertFalse(out.toString().contains("was not measured"), out.toString());
    assertTrue(
        out.toString().lines().anyMatch(line -> line.matches("dispatch +heap +[0-9.]+ \\(.*")),
        out.toString());
  }

  @Test
  void measuresAVariantInTheFormatOfTheDevice(@TempDir Path folder) throws Exception {
    Files.writeString(
        folder.resolve("manifest.json"),
        "{\"version\": 1, \"bundle\": \"touch\", \"variants\":"
            + " [{\"format\": \"tiny\", \"file\": \"kernels.txt\"}]}");
    Files.writeString(folder.resolve("kernels.txt"), TinyTouch.class.getName());
    assertEquals(0, run(onTiny().kernels(BenchCases.withVariants(null, folder))), err.toString());
    assertFalse(out.toString().contains("was not measured"), out.toString());
    assertTrue(
        out.toString().lines().anyMatch(line -> line.matches("dispatch +heap +[0-9.]+ \\(.*")),
        out.toString());
  }

  private void measures(BenchCase benchCase, Path folder) throws Exception {
    Path file = folder.resolve(benchCase.name() + ".json");
    boolean isLarge = benchCase.needsTwo() || benchCase.name().startsWith("peer-"); // MiB
    int exitCode =
        run(
            new BenchGiven(benchCase.name())
                .device(benchCase.needsTwo() ? "mock://0?devices=2" : "mock")
                .max(isLarge ? 20 : 200)
                .rounds(2)
                .json(file));
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
                  "copy-chain",
                  "alloca",
                  "transfer-",
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
  void measuresAPeerBesideTheDevice(String name, @TempDir Path folder) throws Exception {
    Path file = folder.resolve("results.json");
    String peer = "mock://1?devices=2";
    assertEquals(0, run(new BenchGiven(name).peer(peer).json(file)), err.toString());
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
  void comparesSmallWorkOfTwoDevices(String name, @TempDir Path folder) throws Exception {
    Path file = folder.resolve("results.json");
    BenchGiven two = new BenchGiven(name).peer("mock://1?devices=2").json(file);
    assertEquals(0, run(two), err.toString());
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
  void resultsContainTheFormatAndTheCommit(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("results.json");
    BenchGiven given = new BenchGiven("round-trip").json(file).commit("1c9757110");
    assertEquals(0, run(given), err.toString());
    JsonObject root = JsonParser.parseString(Files.readString(file)).getAsJsonObject();
    assertEquals("jhal-bench-1", root.get("format").getAsString());
    assertEquals("1c9757110", root.get("commit").getAsString());
  }

  @Test
  void usesTheDefaultDeviceOfTheOtherCommands() throws InterruptedException {
    String before = System.setProperty(Hal.DEVICE_PROPERTY, "mock://0?queues=3");
    try {
      assertEquals(0, run(new BenchGiven("round-trip").device(null)), err.toString());
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
  void reportsAMissingPeer() throws InterruptedException {
    assertEquals(3, run(new BenchGiven("dispatch-chain").peer("nosuch")));
    assertTrue(err.toString().startsWith("hal: NOT_FOUND"), err.toString());
    assertEquals("", out.toString());
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
    Set<String> listed =
        list("parked-*", "chain").stream()
            .map(line -> line.split(" ", 2)[0])
            .collect(Collectors.toSet());
    assertEquals(Set.of("parked-one-by-one", "parked-all-at-once", "chain"), listed);
  }

  @Test
  void bulkCasesRunOnAllDevices() {
    assertEquals(10, list("load", "graph-*", "pageable-*", "file-*").size(), out.toString());
    assertFalse(out.toString().contains("(only "), out.toString());
  }

  @Test
  void reportsACaseForAnotherDriver() throws InterruptedException {
    assertEquals(2, run(new BenchGiven("cuda-chain")));
    assertEquals(
        "hal: UNIMPLEMENTED: case cuda-chain is for devices of the driver cuda;"
            + " mock is one of the driver mock",
        err.toString().strip());
    assertEquals("", out.toString());
  }

  @Test
  void runsTheRestBesideCasesForAnotherDriver() throws InterruptedException {
    assertEquals(0, run(new BenchGiven("cuda-copy", "ping-pong")), err.toString());
    assertTrue(err.toString().contains("case cuda-copy is for devices of"), err.toString());
    assertTrue(out.toString().contains("ping-pong"), out.toString());
  }

  @Test
  void listShowsTheDriverOfACase() {
    List<String> listed = list("cuda-*");
    assertEquals(11, listed.size(), out.toString());
    assertTrue(listed.stream().allMatch(line -> line.contains(" (only cuda) ")), out.toString());
  }

  @Test
  void listShowsWhichCasesNeedTwoDevices() {
    Set<String> forTwo =
        list().stream()
            .filter(line -> line.contains(" (two devices of the driver) "))
            .map(line -> line.split(" ", 2)[0])
            .collect(Collectors.toSet());
    assertEquals(
        Set.of("peer-copy", "peer-both", "peer-hop", "all-reduce", "all-reduce-chain", "split"),
        forTwo);
  }

  @Test
  void refusesWrongOptions(@TempDir Path folder) {
    assertRefused(
        Status.INVALID_ARGUMENT,
        "case none matches no case; hal bench --list shows them",
        () -> new BenchGiven("heap", "none").options());
    assertRefused(
        Status.OUT_OF_RANGE, "max 0 is not from 1 to 10000000", new BenchGiven().max(0)::options);
    assertRefused(
        Status.OUT_OF_RANGE,
        "rounds 10001 is not from 1 to 10000",
        new BenchGiven().rounds(10_001)::options);
    assertRefused(
        Status.OUT_OF_RANGE,
        "warm-up 600001 is not from 0 to 600000",
        () -> options(Duration.ofMillis(600_001)));
    assertRefused(
        Status.INVALID_ARGUMENT,
        "commit needs --json",
        new BenchGiven().commit("1234567")::options);
    assertRefused(
        Status.INVALID_ARGUMENT,
        "commit main: 7 to 40 hexadecimal digits are needed",
        new BenchGiven().json(folder.resolve("x")).commit("main")::options);
    assertRefused(
        Status.INVALID_ARGUMENT,
        "cannot be read: '" + folder + "': Is a directory",
        () -> new BenchGiven().compare(folder));
  }

  private static BenchTool.Options options(Duration warmUp) {
    return new BenchTool.Options(null, null, null, List.of(), 1, 1, warmUp, null, null, null, null);
  }

  @Test
  void reportsAMissingDevice() throws InterruptedException {
    assertEquals(3, run(new BenchGiven().device("nosuch")));
    assertTrue(err.toString().startsWith("hal: NOT_FOUND"), err.toString());
  }

  /** Before anything is measured, and before the device is opened. */
  @ParameterizedTest
  @ValueSource(strings = {"results", "page"})
  void reportsAnUnwritableFileBeforeMeasuring(String what, @TempDir Path folder)
      throws InterruptedException {
    Path file = folder.resolve("no/such/folder");
    BenchGiven given = new BenchGiven("ping-pong").device("nosuch");
    assertEquals(1, run(what.equals("page") ? given.page(file) : given.json(file)));
    assertTrue(
        err.toString()
            .startsWith(
                "hal: NOT_FOUND: the " + what + " cannot be written: '" + file + "': no such"),
        err.toString());
    assertEquals("", out.toString());
  }

  /** The file is taken away while the case is measured, as a full disk would be. */
  @Test
  void writesThePageIfTheResultsCannotBeWritten(@TempDir Path folder) throws Exception {
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
    BenchTool.Options options = new BenchGiven("ping-pong").json(json).page(page).options();
    int exitCode = BenchTool.run(options, new PrintWriter(taking), new PrintWriter(err));
    assertEquals(1, exitCode, err.toString());
    assertTrue(err.toString().contains("the results cannot be written"), err.toString());
    assertTrue(Files.readString(page).contains("ping-pong"), page.toString());
  }

  @Test
  void refusesAnOutputOverAnInput(@TempDir Path folder) throws Exception {
    Path results = folder.resolve("s.json");
    assertEquals(0, run(new BenchGiven("ping-pong").json(results)), err.toString());
    String content = Files.readString(results);
    Files.createDirectory(folder.resolve("x"));
    Path other = folder.resolve("x/../s.json");
    Path fresh = folder.resolve("fresh");
    assertSameFile("page and --compare", new BenchGiven().compare(results).page(results));
    assertSameFile("page and --compare", new BenchGiven().compare(results).page(other));
    assertSameFile("json and --compare", new BenchGiven().compare(results).page(fresh).json(other));
    assertSameFile(
        "page and --json", new BenchGiven().page(fresh).json(folder.resolve("x/../fresh")));
    assertEquals(content, Files.readString(results));
  }

  private static void assertSameFile(String options, BenchGiven given) {
    HalException thrown = assertThrows(HalException.class, given::options, options);
    assertEquals(Status.INVALID_ARGUMENT, thrown.status());
    assertTrue(
        String.valueOf(thrown.getMessage()).startsWith(options + " name the same file: "),
        thrown::toString);
  }
}
