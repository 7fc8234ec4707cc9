package org.jhal.bench.cases.bulk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
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
    try (Device device = Hal.openDevice(URI);
        Shared shared = new Shared()) {
      CudaRaw unused = shared.get("raw", CudaRaw.class, () -> fake.raw(null, Map.of()));
      Bench bench = new Bench(URI, device, 3, shared);
      List<Row> rows = Rounds.measure(benchCase, bench, Duration.ZERO, 2);
      assertEquals(
          List.of("3 KiB, float[]", "3 KiB, direct"),
          rows.stream().map(Row::label).distinct().toList());
      for (Row row : rows) {
        assertNull(row.absence(), row::toString);
        assertTrue(Spread.of(row.jhal()).min() > 0, row::toString);
        assertEquals(
            List.of("C ring", "C, one call"),
            row.baselines().stream().map(Row.Baseline::name).toList());
        for (Row.Baseline baseline : row.baselines()) {
          assertNull(baseline.absence(), baseline::toString);
          assertTrue(Spread.of(baseline.samples()).min() > 0, row::toString);
        }
      }
    }
  }

  @Test
  void aimsCompareSmallReadbacksWithASlotAndLargeTransfersWithTheRing() throws Exception {
    Aim ring = Aim.atLeast("GB/s", "C ring", 0.8);
    Aim plain = Aim.atLeast("GB/s", "C, one call", 0.9);
    Aim faster = Aim.atLeast("GB/s", "C, one call", 1);
    try (Device device = Hal.openDevice(URI);
        Shared shared = new Shared()) {
      List<BenchCase> cases = PageableCases.all(bench -> true);
      assertTrue(cases.get(0).metrics().contains("GB/s"));
      Bench bench = new Bench(URI, device, 1_000_000, shared);
      List<List<Aim>> none = Collections.nCopies(6, List.of());
      List<List<Aim>> both = Collections.nCopies(6, List.of(ring, faster));
      List<List<Aim>> large = List.of(List.of(plain), List.of(plain), List.of(ring), List.of(ring));
      assertEquals(all(none, large), aims(cases.get(0), bench), "uploads");
      assertEquals(all(both, large), aims(cases.get(1), bench), "readbacks");
      assertEquals(12, aims(cases.get(0), new Bench(URI, device, 1 << 20, shared)).size());
    }
  }

  private static List<List<Aim>> all(List<List<Aim>> small, List<List<Aim>> large) {
    return Stream.concat(small.stream(), large.stream()).toList();
  }

  private static List<List<Aim>> aims(BenchCase benchCase, Bench bench) throws Exception {
    List<Series> all = benchCase.maker().make(bench);
    all.forEach(Series::close);
    return all.stream().map(Series::aims).toList();
  }
}
