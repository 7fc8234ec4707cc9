// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.cases.vendor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jhal.Device;
import org.jhal.Hal;
import org.jhal.bench.baselines.CudaRaw;
import org.jhal.bench.baselines.FakeCuda;
import org.jhal.bench.cases.Transfers;
import org.jhal.bench.measure.Aim;
import org.jhal.bench.measure.Bench;
import org.jhal.bench.measure.BenchCase;
import org.jhal.bench.measure.Rounds;
import org.jhal.bench.measure.Row;
import org.jhal.bench.measure.Series;
import org.jhal.bench.measure.Shared;
import org.jhal.bench.measure.Spread;
import org.jhal.bench.measure.Subject;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The cases for CUDA devices, without one: JHAL's side runs on the mock, the raw program on a fake
 * driver, and the baselines on JCuda report that they cannot run.
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class CudaCasesTest {
  private static final String URI = "mock";
  private static final String PEER = "mock://0?queues=3";
  private static final int MAX = 20;

  @TestFactory
  Stream<DynamicTest> bothSidesDoTheWork(@TempDir Path folder) throws Exception {
    FakeCuda fake = FakeCuda.build(folder);
    List<BenchCase> cases = new ArrayList<>();
    for (BenchCase benchCase : CudaCases.all()) {
      if (!benchCase.metrics().contains(Transfers.THROUGHPUT)) {
        cases.add(benchCase);
      }
    }
    for (Transfers.Kind kind : Transfers.Kind.values()) { // of small sizes
      cases.add(
          new BenchCase(
              "cuda-" + kind,
              "",
              "ns",
              Transfers.METRICS,
              false,
              bench -> CudaCases.transfers(bench, kind, 4, 1 << 20)));
    }
    assertEquals(CudaCases.all().size(), cases.size());
    return cases.stream()
        .map(benchCase -> DynamicTest.dynamicTest(benchCase.name(), () -> check(benchCase, fake)));
  }

  private static void check(BenchCase benchCase, FakeCuda fake) throws Exception {
    try (Device device = Hal.openDevice(URI);
        Shared shared = new Shared()) {
      CudaRaw unused = shared.get("raw", CudaRaw.class, () -> fake.raw(null, Map.of()));
      Bench bench = new Bench(URI, device, MAX, shared);
      List<Row> rows = Rounds.measure(benchCase, bench, Duration.ZERO, 2);
      assertFalse(rows.isEmpty());
      for (Row row : rows) {
        assertNull(row.absence());
        assertTrue(Spread.of(row.jhal()).min() > 0, row::toString);
        Row.Baseline raw = row.baselines().get(0);
        assertEquals(CudaRaw.NAME, raw.name());
        assertNull(raw.absence());
        assertTrue(Spread.of(raw.samples()).min() > 0, row::toString);
        for (Row.Baseline baseline : row.baselines().subList(1, row.baselines().size())) {
          if (baseline.absence() == null) { // a machine with such a device
            assertTrue(Spread.of(baseline.samples()).min() > 0, row::toString);
          } else {
            assertTrue(Double.isNaN(Spread.of(baseline.samples()).median()), row::toString);
            assertTrue(baseline.absence().why().contains("cuda"), row::toString);
          }
        }
      }
    }
  }

  @Test
  void smallWorkIsAlsoComparedWithTheSecondDevice() throws Exception {
    Set<String> withPeer = new TreeSet<>();
    try (Device device = Hal.openDevice(URI);
        Shared shared = new Shared()) {
      Bench alone = new Bench(URI, device, MAX, shared);
      Bench both = new Bench(URI, device, null, MAX, shared, new Bench(PEER, device, MAX, shared));
      for (BenchCase benchCase : CudaCases.all()) {
        if (benchCase.metrics().contains(Transfers.THROUGHPUT)) {
          continue; // the memory of the large ones
        }
        List<Series> expected = benchCase.maker().make(alone);
        List<Series> all = benchCase.maker().make(both);
        for (int i = 0; i < all.size(); i++) {
          List<Subject> baselines = all.get(i).baselines();
          Subject last = baselines.get(baselines.size() - 1);
          if (last.name().equals(PEER)) {
            withPeer.add(benchCase.name());
            last.prepare();
            assertTrue(last.sample()[0] > 0, benchCase.name());
          }
          assertEquals(
              expected.get(i).baselines().size() + (last.name().equals(PEER) ? 1 : 0),
              baselines.size());
        }
        expected.forEach(Series::close);
        all.forEach(Series::close);
      }
    }
    assertEquals(
        Set.of(
            "cuda-round-trip",
            "cuda-chain",
            "cuda-hop",
            "cuda-indirect",
            "cuda-copy-chain",
            "cuda-alloca"),
        withPeer);
  }

  @Test
  void casesAreForCudaDevicesOnly() {
    try (Device device = Hal.openDevice(URI)) {
      for (BenchCase benchCase : CudaCases.all()) {
        assertFalse(benchCase.fits(device), benchCase.name());
        assertTrue(benchCase.name().startsWith("cuda-"), benchCase.name());
      }
    }
  }

  @Test
  void everyAimNamesAnExistingBaselineAndMetric() throws Exception {
    try (Device device = Hal.openDevice(URI);
        Shared shared = new Shared()) {
      Bench bench = new Bench(URI, device, MAX, shared);
      for (BenchCase benchCase : CudaCases.all()) {
        if (benchCase.metrics().contains(Transfers.THROUGHPUT)) {
          continue; // the memory of the large ones; see below
        }
        for (Series series : benchCase.maker().make(bench)) {
          assertAimsFit(benchCase, series);
          assertFalse(series.aims().isEmpty());
          series.close();
        }
      }
    }
  }

  @Test
  void transfersAimAtThroughputFrom64MiBOn() throws Exception {
    try (Device device = Hal.openDevice(URI);
        Shared shared = new Shared()) {
      Bench bench = new Bench(URI, device, MAX, shared);
      List<Series> all = CudaCases.transfers(bench, Transfers.Kind.FILL, 32 << 20, 64 << 20);
      assertEquals(List.of("32 MiB", "64 MiB"), all.stream().map(Series::label).toList());
      assertEquals(List.of(), all.get(0).aims());
      assertEquals(1, all.get(1).aims().size());
      for (Series series : all) {
        assertAimsFit(CudaCases.all().get(CudaCases.all().size() - 1), series);
        series.close();
      }
    }
  }

  private static void assertAimsFit(BenchCase benchCase, Series series) {
    for (Aim aim : series.aims()) {
      assertTrue(benchCase.metrics().contains(aim.metric()), aim::toString);
      assertNotNull(aim.baseline());
      assertTrue(
          series.baselines().stream().anyMatch(baseline -> baseline.name().equals(aim.baseline())),
          aim::toString);
    }
  }
}
