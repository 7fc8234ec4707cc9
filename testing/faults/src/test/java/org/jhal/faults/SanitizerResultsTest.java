// SPDX-License-Identifier: Apache-2.0
package org.jhal.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jhal.faults.Corpus.KernelFault;
import org.jhal.faults.SanitizerResults.Document;
import org.jhal.faults.SanitizerResults.Entry;
import org.jhal.faults.SanitizerResults.Finding;
import org.junit.jupiter.api.Test;

/** What the tools of compute-sanitizer print becomes data, and the README has its table. */
class SanitizerResultsTest {
  private static final String FINE = "ms 0.0200 0.0100 11111111 11111111";

  /** Lines of runs without a finding, and the given ones instead of some of them. */
  private static Document document(Map<String, List<String>> runs) {
    List<String> lines =
        new ArrayList<>(
            List.of(
                "# sanitizer 2025.3.1.0",
                "# options --print-limit 200",
                "# gpu NVIDIA H200, driver 580.159.04",
                "# compiler nvcc 13.0.88"));
    for (KernelFault fault : Corpus.kernels()) {
      for (Twin twin : Twin.values()) {
        lines.addAll(
            runs.getOrDefault(
                fault.name() + " " + twin.folder() + " none",
                List.of("@ " + fault.name() + " " + twin.folder() + " none 0 300", FINE, "")));
        for (String tool : SanitizerResults.TOOLS) {
          String key = fault.name() + " " + twin.folder() + " " + tool;
          lines.addAll(
              runs.getOrDefault(
                  key,
                  run(
                      key + " 0 2000",
                      "ms 2.0000 0.0100 11111111 11111111",
                      tool.equals("racecheck")
                          ? "========= RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)"
                          : "========= ERROR SUMMARY: 0 errors")));
        }
      }
    }
    return SanitizerResults.read(lines);
  }

  private static List<String> run(String head, String... output) {
    List<String> lines = new ArrayList<>(List.of("@ " + head, "========= COMPUTE-SANITIZER"));
    lines.addAll(List.of(output));
    lines.add("");
    return lines;
  }

  private static Entry entry(Document document, String name) {
    return document.kernels().stream().filter(k -> k.name().equals(name)).findFirst().orElseThrow();
  }

  private static Finding finding(Integer errors, String kind, Integer... lines) {
    return new Finding(errors, Map.of(kind, new TreeSet<>(List.of(lines))), null);
  }

  @Test
  void aLineOfWhereIsFoundByTheToolThatNamesIt() {
    Document document =
        document(
            Map.of(
                "axpby-last faulty memcheck",
                run(
                    "axpby-last faulty memcheck 1 2100",
                    "failed kernel cudaErrorLaunchFailure",
                    "========= Invalid __global__ write of size 4 bytes",
                    "=========     at axpby(float, const float *, float *, int)+0xf0 in axpby.cu:6",
                    "=========     by thread (136,0,0) in block (3,0,0)",
                    "=========     Access to 0x7f7fcdc04e20 is out of bounds",
                    "=========     and is 1 bytes after the nearest allocation at 0x7f of size 20,000 bytes",
                    "=========",
                    "========= ERROR SUMMARY: 1 error")));
    Entry entry = entry(document, "axpby-last");
    assertEquals("line", entry.found());
    assertEquals(List.of("memcheck"), entry.by());
    assertEquals(
        Map.of("memcheck", finding(1, "Invalid __global__ write of size 4 bytes", 6)),
        entry.faulty());
    assertNull(entry.sound());
    assertEquals("same results", entry.unchecked());
    assertEquals(
        Map.of(
            "events",
            0.01,
            "none",
            0.02,
            "memcheck",
            2.0,
            "racecheck",
            2.0,
            "initcheck",
            2.0,
            "synccheck",
            2.0),
        entry.ms());
  }

  @Test
  void framesOfInlinedFunctionsAndBothSidesOfARaceCount() {
    Document document =
        document(
            Map.of(
                "bucket-hash faulty memcheck",
                run(
                    "bucket-hash faulty memcheck 1 2100",
                    "failed kernel cudaErrorLaunchFailure",
                    "========= Invalid __global__ atomic of size 4 bytes",
                    "=========     at __iAtomicAdd(int *, int)+0x90 in /usr/include/device_atomic_functions.hpp:86",
                    "=========     by thread (1,0,0) in block (0,0,0)",
                    "=========     Device Frame: count_buckets+0x90 in sources/bucket-hash.faulty/buckets.cu:10",
                    "========= ",
                    "========= ERROR SUMMARY: 96 errors"),
                "scan-one-buffer faulty racecheck",
                run(
                    "scan-one-buffer faulty racecheck 0 5100",
                    FINE,
                    "========= Error: Race reported between Read access at scan_blocks+0x210 in scan.cu:12",
                    "=========     and Write access at scan_blocks+0x2a0 in scan.cu:13 [508 hazards]",
                    "========= ",
                    "========= Warning: Race reported between Write access at scan_blocks+0x2a0 in scan.cu:13",
                    "=========     and Read access at scan_blocks+0x310 in scan.cu:17 [4 hazards]",
                    "========= ",
                    "========= RACECHECK SUMMARY: 2 hazards displayed (1 error, 1 warning)")));
    assertEquals(
        Map.of("memcheck", finding(96, "Invalid __global__ atomic of size 4 bytes", 10)),
        entry(document, "bucket-hash").faulty());
    Entry race = entry(document, "scan-one-buffer");
    assertEquals("line", race.found());
    assertEquals(List.of("racecheck"), race.by());
    assertEquals(
        new Finding(
            2,
            Map.of(
                "Error: Race reported", new TreeSet<>(List.of(12, 13)),
                "Warning: Race reported", new TreeSet<>(List.of(13, 17))),
            null),
        race.faulty().get("racecheck"));
  }

  @Test
  void otherLinesAndReportsWithoutLinesAreToldApart() {
    Document document =
        document(
            Map.of(
                "reverse-guard faulty synccheck",
                run(
                    "reverse-guard faulty synccheck 0 2100",
                    FINE,
                    "========= Barrier error detected. Divergent thread(s) in block.",
                    "=========     at reverse_chunks+0x110 in reverse.cu:11",
                    "=========     by thread (64,0,0) in block (11,0,0)",
                    "========= ERROR SUMMARY: 55 errors"),
                "upsample-last faulty initcheck",
                run(
                    "upsample-last faulty initcheck 0 2100",
                    FINE,
                    "========= Host API memory access error at host access to 0x7f00 of size 18,788 bytes",
                    "=========     Uninitialized access at 0x7f10 on access by cudaMemcpy source",
                    "========= ERROR SUMMARY: 1 error")));
    Entry other = entry(document, "reverse-guard");
    assertEquals("other line", other.found());
    assertEquals(
        finding(55, "Barrier error detected. Divergent thread(s) in block", 11),
        other.faulty().get("synccheck"));
    Entry without = entry(document, "upsample-last");
    assertEquals("without line", without.found());
    assertEquals(List.of("initcheck"), without.by());
    assertEquals(finding(1, "Host API memory access error"), without.faulty().get("initcheck"));
  }

  @Test
  void runsThatDidNotEndAsTheyShouldAreNoSilence() {
    Document document =
        document(
            Map.of(
                "warp-guard faulty none",
                List.of("@ warp-guard faulty none 124 15000", ""),
                "warp-guard faulty racecheck",
                run("warp-guard faulty racecheck 137 17000"),
                "warp-guard faulty memcheck",
                run(
                    "warp-guard faulty memcheck 6 900",
                    "========= Error: No attachable process found. compute-sanitizer timed-out."),
                "warp-guard faulty initcheck",
                run(
                    "warp-guard faulty initcheck 0 900",
                    "========= Internal Sanitizer Error: The Sanitizer encountered an error",
                    FINE,
                    "========= ERROR SUMMARY: 0 errors"),
                "difference-wrap faulty none",
                List.of(
                    "@ difference-wrap faulty none 1 300",
                    "failed kernel cudaErrorIllegalAddress",
                    ""),
                "tone-bytes faulty none",
                List.of(
                    "@ tone-bytes faulty none 0 300", "ms 0.0200 0.0100 22222222 22222222", "")));
    Entry entry = entry(document, "warp-guard");
    assertEquals("no", entry.found());
    assertEquals("hangs", entry.unchecked());
    assertEquals(
        Map.of(
            "memcheck", new Finding(null, Map.of(), "status 6"),
            "racecheck", new Finding(null, Map.of(), "took too long"),
            "initcheck", new Finding(0, Map.of(), "internal error")),
        entry.faulty());
    assertEquals("cudaErrorIllegalAddress", entry(document, "difference-wrap").unchecked());
    assertEquals("other results", entry(document, "tone-bytes").unchecked());
  }

  @Test
  void theTablesCountWhatTheFileHas() {
    Document document =
        document(
            Map.of(
                "product-accumulates faulty initcheck",
                run(
                    "product-accumulates faulty initcheck 0 2100",
                    FINE,
                    "========= Uninitialized __global__ memory read of size 4 bytes",
                    "=========     at gemm+0x350 in gemm.cu:15",
                    "========= ERROR SUMMARY: 4200 errors"),
                "padding-read sound initcheck",
                run(
                    "padding-read sound initcheck 0 2100",
                    "ms 20.0000 0.0100 11111111 11111111",
                    "========= Uninitialized __global__ memory read of size 16 bytes",
                    "=========     at row_sums+0x350 in pipeline.cu:15",
                    "========= ERROR SUMMARY: 7 errors")));
    Document again = SanitizerResults.document(SanitizerResults.json(document));
    assertEquals(document, again);
    assertEquals(
        "| kernels: compute-sanitizer 2025.3.1.0 on NVIDIA H200, all four tools"
            + " ([data](sanitizer/compute-sanitizer.json)) | 48 | 1 | 1 |",
        SanitizerResults.summary(again));
    assertTrue(
        SanitizerResults.table(again)
            .endsWith(
                "| `memcheck` | 13 | 0 | 0 | 0 | 100 | 100 |\n"
                    + "| `racecheck` | 8 | 0 | 0 | 0 | 100 | 100 |\n"
                    + "| `initcheck` | 4 | 1 | 0 | 1 | 100 | 1,000 |\n"
                    + "| `synccheck` | 4 | 0 | 0 | 0 | 100 | 100 |\n"),
        SanitizerResults.table(again));
  }

  @Test
  void theHostProgramGetsWhatTheManifestAndTheCorpusSay() {
    assertEquals(
        List.of(
            "buffer x 14002 scale-half2.x.bin",
            "kernel scale_half 28 1 1 128 1 1 0",
            "memory x",
            "bytes 0038",
            "bytes 591b0000",
            "read x"),
        SanitizerRuns.run(fault("scale-half2"), Twin.SOUND));
    List<String> struct = SanitizerRuns.run(fault("matvec-columns"), Twin.FAULTY);
    assertEquals("bytes f40100007b0000007b000000", struct.get(4));
    assertTrue(
        SanitizerRuns.run(fault("moments-dynamic"), Twin.FAULTY)
            .contains("kernel moments 40 1 1 256 1 1 2048"));
    List<String> pipeline = SanitizerRuns.run(fault("padding-read"), Twin.SOUND);
    assertEquals(
        List.of("read sums"), pipeline.stream().filter(line -> line.startsWith("read")).toList());
    assertTrue(SanitizerRuns.run(fault("centered-in"), Twin.FAULTY).contains("read x"));
  }

  private static KernelFault fault(String name) {
    return Corpus.kernels().stream().filter(f -> f.name().equals(name)).findFirst().orElseThrow();
  }

  @Test
  void theReadmeHasTheTablesOfTheData() throws IOException {
    Path data = Path.of("sanitizer", "compute-sanitizer.json");
    assumeTrue(Files.exists(data), "compute-sanitizer has not been run yet");
    Document document = SanitizerResults.document(Files.readString(data));
    List<String> names = document.kernels().stream().map(Entry::name).toList();
    assertEquals( // the last ones may have come after the run
        Corpus.kernels().stream().limit(names.size()).map(KernelFault::name).toList(), names);
    for (Entry entry : document.kernels()) {
      assertEquals(
          fault(entry.name()).where().stream().map(Corpus.Line::line).toList(), entry.where());
    }
    String readme = Files.readString(Path.of("README.md"));
    assertTrue(
        readme.contains(SanitizerResults.summary(document) + "\n"),
        SanitizerResults.summary(document));
    assertTrue(readme.contains(SanitizerResults.table(document)), SanitizerResults.table(document));
  }
}
