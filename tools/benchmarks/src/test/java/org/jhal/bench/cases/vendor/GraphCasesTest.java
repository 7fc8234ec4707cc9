// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.cases.vendor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jhal.Device;
import org.jhal.Hal;
import org.jhal.bench.baselines.CudaRaw;
import org.jhal.bench.baselines.FakeCuda;
import org.jhal.bench.cases.vendor.GraphWork.Plan;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The cases with reusable command buffers: JHAL's side runs on the mock, which has no graphs, and
 * that in C on a fake driver.
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class GraphCasesTest {
  private static final String URI = "mock";
  private static final int MAX = 20;

  @TestFactory
  Stream<DynamicTest> bothSidesDoTheWork(@TempDir Path folder) throws Exception {
    FakeCuda fake = FakeCuda.build(folder);
    return GraphCases.all(bench -> true).stream()
        .map(benchCase -> DynamicTest.dynamicTest(benchCase.name(), () -> check(benchCase, fake)));
  }

  private static void check(BenchCase benchCase, FakeCuda fake) throws Exception {
    try (Device device = Hal.openDevice(URI);
        Shared shared = new Shared()) {
      CudaRaw unused = shared.get("raw", CudaRaw.class, () -> fake.raw(null, Map.of()));
      List<Row> rows =
          Rounds.measure(benchCase, new Bench(URI, device, MAX, shared), Duration.ZERO, 2);
      assertFalse(rows.isEmpty());
      for (Row row : rows) {
        assertNull(row.absence(), row::toString);
        assertTrue(Spread.of(row.jhal()).min() > 0, row::toString);
        assertFalse(row.baselines().isEmpty());
        for (Row.Baseline baseline : row.baselines()) {
          assertNull(baseline.absence(), baseline::toString);
          assertTrue(Spread.of(baseline.samples()).min() > 0, row::toString);
        }
      }
    }
  }

  @Test
  void everyAimNamesAnExistingBaselineAndMetric() throws Exception {
    try (Device device = Hal.openDevice(URI);
        Shared shared = new Shared()) {
      Bench bench = new Bench(URI, device, 10_000, shared);
      for (BenchCase benchCase : GraphCases.all(any -> true)) {
        for (Series series : benchCase.maker().make(bench)) {
          for (Aim aim : series.aims()) {
            assertTrue(benchCase.metrics().contains(aim.metric()), aim::toString);
            assertTrue(
                series.baselines().stream()
                    .anyMatch(baseline -> baseline.name().equals(aim.baseline())),
                aim::toString);
          }
          // A long one in a row has an aim only beside the device without graphs.
          boolean hasNone =
              benchCase.name().equals("graph-lengths")
                  && !List.of("1", "2", "3").contains(series.label());
          assertEquals(hasNone, series.aims().isEmpty(), series.label());
          series.close();
        }
      }
    }
  }

  @Test
  void everyWaitAimsAtTheSpeedOfAGraph() throws Exception {
    try (Device device = Hal.openDevice(URI);
        Shared shared = new Shared()) {
      Bench bench = new Bench(URI, device, 1_000, shared);
      BenchCase waits =
          GraphCases.all(any -> true).stream()
              .filter(benchCase -> benchCase.name().equals("graph-wait"))
              .findFirst()
              .orElseThrow();
      List<Series> all = waits.maker().make(bench);
      assertEquals(List.of("1", "10", "100"), all.stream().map(Series::label).toList());
      assertEquals(List.of(Aim.atMost("median", "C graph", 1.15)), all.get(0).aims());
      assertEquals(List.of(Aim.atMost("median", "C graph", 1.15)), all.get(1).aims());
      assertEquals(List.of(Aim.atMost("median", "C graph", 1.15)), all.get(2).aims());
      all.forEach(Series::close);
    }
  }

  @ParameterizedTest
  @EnumSource(Plan.Order.class)
  void writesToTheBufferOfEachTable(Plan.Order order) throws Exception {
    try (Device device = Hal.openDevice(URI)) {
      for (Plan.Waits waits : Plan.Waits.values()) {
        Plan plan = new Plan(3, order, 2, 5, waits);
        try (GraphWork work = new GraphWork(Subject.JHAL, device, null, plan)) {
          work.prepare();
          double[] sample = work.sample(); // checks what was written
          assertEquals(waits == Plan.Waits.FOR_EACH ? 3 : 1, sample.length);
          assertTrue(sample[0] > 0);
        }
      }
    }
  }
}
