// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.cases.bulk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jhal.Device;
import org.jhal.Hal;
import org.jhal.bench.baselines.CudaRaw;
import org.jhal.bench.baselines.FakeCuda;
import org.jhal.bench.measure.Aim;
import org.jhal.bench.measure.Bench;
import org.jhal.bench.measure.BenchCase;
import org.jhal.bench.measure.Rounds;
import org.jhal.bench.measure.Row;
import org.jhal.bench.measure.Series;
import org.jhal.bench.measure.Shared;
import org.jhal.bench.measure.Spread;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Transfers of ordinary memory: JHAL's side on the mock, that in C on a fake driver. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class PageableCasesTest {
  private static final String URI = "mock";

  @TestFactory
  Stream<DynamicTest> bothSidesDoTheWork(@TempDir Path folder) throws Exception {
    FakeCuda fake = FakeCuda.build(folder);
    return PageableCases.all(bench -> true).stream()
        .map(benchCase -> DynamicTest.dynamicTest(benchCase.name(), () -> check(benchCase, fake)));
  }

  private static void check(BenchCase benchCase, FakeCuda fake) throws Exception {
    boolean isUpload = benchCase.name().equals("pageable-upload");
    try (Device device = Hal.openDevice(URI);
        Shared shared = new Shared()) {
      CudaRaw unused = shared.get("raw", CudaRaw.class, () -> fake.raw(null, Map.of()));
      Bench bench = new Bench(URI, device, 300, shared); // KiB
      List<Row> rows = Rounds.measure(benchCase, bench, Duration.ZERO, 2);
      List<String> sizes = isUpload ? List.of("256 KiB") : List.of("4 KiB", "64 KiB", "256 KiB");
      assertEquals(
          sizes.stream().flatMap(size -> Stream.of(size + ", float[]", size + ", direct")).toList(),
          rows.stream().map(Row::label).distinct().toList());
      for (Row row : rows) {
        assertNull(row.absence(), row::toString);
        assertTrue(Spread.of(row.jhal()).min() > 0, row::toString);
        assertEquals(
            row.label().startsWith("256 ")
                ? List.of("C slot", "C ring", "C, one call")
                : List.of("C slot", "C, one call"),
            row.baselines().stream().map(Row.Baseline::name).toList());
        for (Row.Baseline baseline : row.baselines()) {
          assertNull(baseline.absence(), baseline::toString);
          assertTrue(Spread.of(baseline.samples()).min() > 0, row::toString);
        }
      }
    }
  }

  @Test
  void uploadsAimAtTheRingOrAtOneCall() throws Exception {
    Aim small = Aim.atMost("median", "C ring", 1.1);
    Aim plain = Aim.atLeast("GB/s", "C, one call", 0.9);
    Aim ring = Aim.atLeast("GB/s", "C ring", 0.8);
    assertEquals(
        List.of(List.of(small), List.of(plain), List.of(ring), List.of(ring)),
        aims("pageable-upload", 1 << 20));
    assertEquals(
        List.of(List.of(small), List.of(plain), List.of(ring)), aims("pageable-upload", 1_000_000));
  }

  @Test
  void readbacksAimAtTheSlotThenAtTheRing() throws Exception {
    List<Aim> small =
        List.of(Aim.atMost("median", "C slot", 1.25), Aim.atMost("median", "C, one call", 1));
    List<Aim> mib =
        List.of(Aim.atMost("median", "C ring", 1.2), Aim.atLeast("GB/s", "C, one call", 0.9));
    List<Aim> large =
        List.of(
            Aim.atLeast("GB/s", "C ring", 0.95), Aim.atLeast("GB/s", "C ring, streaming", 0.95));
    assertEquals(
        List.of(small, small, small, mib, large, large), aims("pageable-readback", 1 << 20));
  }

  /** The aims of each size, for the array; those for the direct buffer are the same. */
  private static List<List<Aim>> aims(String name, int max) throws Exception {
    try (Device device = Hal.openDevice(URI);
        Shared shared = new Shared()) {
      BenchCase found =
          PageableCases.all(bench -> true).stream()
              .filter(benchCase -> benchCase.name().equals(name))
              .findFirst()
              .orElseThrow();
      List<List<Aim>> aims = new ArrayList<>();
      for (Series series : found.maker().make(new Bench(URI, device, max, shared))) {
        for (Aim aim : series.aims()) {
          assertTrue(found.metrics().contains(aim.metric()), aim::toString);
          assertTrue(
              series.baselines().stream().anyMatch(side -> side.name().equals(aim.baseline())),
              aim::toString);
        }
        if (series.label().endsWith("float[]")) {
          aims.add(series.aims());
        } else {
          assertEquals(aims.get(aims.size() - 1), series.aims(), series.label());
        }
        series.close();
      }
      return aims;
    }
  }
}
