// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.cases.peer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jhal.Device;
import org.jhal.Hal;
import org.jhal.bench.baselines.CudaRaw;
import org.jhal.bench.baselines.FakeCuda;
import org.jhal.bench.cases.Transfers;
import org.jhal.bench.measure.Absence;
import org.jhal.bench.measure.Bench;
import org.jhal.bench.measure.BenchCase;
import org.jhal.bench.measure.Rounds;
import org.jhal.bench.measure.Row;
import org.jhal.bench.measure.Shared;
import org.jhal.bench.measure.Spread;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The cases with two devices: JHAL's side on the mock, the program in C on a fake driver. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class PeerCasesTest {
  private static final int MAX = 3; // MiB, too

  private static List<Row> measure(String uri, Function<Bench, @Nullable CudaRaw> raw, String name)
      throws Exception {
    BenchCase benchCase =
        PeerCases.all(raw).stream()
            .filter(one -> one.name().equals(name))
            .findFirst()
            .orElseThrow();
    try (Device device = Hal.openDevice(uri);
        Shared shared = new Shared()) {
      assertTrue(benchCase.fits(device));
      return Rounds.measure(benchCase, new Bench(uri, device, MAX, shared), Duration.ZERO, 2);
    }
  }

  private static void assertMeasured(List<Row> rows, int baselines) {
    assertFalse(rows.isEmpty());
    for (Row row : rows) {
      assertNull(row.absence(), row::toString);
      assertTrue(Spread.of(row.jhal()).min() > 0, row::toString);
      assertEquals(baselines, row.baselines().size(), row::toString);
      for (Row.Baseline baseline : row.baselines()) {
        assertNull(baseline.absence(), row::toString);
        assertTrue(Spread.of(baseline.samples()).min() > 0, row::toString);
      }
    }
  }

  @TestFactory
  Stream<DynamicTest> bothSidesDoTheWork(@TempDir Path folder) throws Exception {
    FakeCuda fake = FakeCuda.build(folder);
    return Stream.of("peer-copy", "peer-both", "peer-hop")
        .map(
            name ->
                DynamicTest.dynamicTest(
                    name,
                    () -> {
                      Function<Bench, @Nullable CudaRaw> raw =
                          bench ->
                              bench
                                  .shared()
                                  .get(
                                      "raw-peers",
                                      CudaRaw.class,
                                      () -> fake.raw(null, "0000:04:00.0", Map.of()));
                      assertMeasured(measure("mock://1?devices=2", raw, name), 1);
                    }));
  }

  @Test
  void otherDriversAreMeasuredAlone() throws Exception {
    for (BenchCase benchCase : PeerCases.all().subList(0, 3)) {
      try (Device device = Hal.openDevice("mock://0?devices=2");
          Shared shared = new Shared()) {
        Bench bench = new Bench("mock://0?devices=2", device, MAX, shared);
        assertMeasured(Rounds.measure(benchCase, bench, Duration.ZERO, 1), 0);
      }
    }
  }

  @Test
  void copiesToAnotherDriverAndBack() throws Exception {
    List<Row> rows = measure("mock", bench -> null, "peer-elsewhere");
    assertMeasured(rows, 2);
    Row throughput = rows.get(rows.size() - 1);
    assertEquals(Transfers.THROUGHPUT, throughput.metric());
    assertEquals(1, throughput.aims().size());
    assertNotNull(throughput.aims().get(0).isMet(throughput), "whether an aim is met");
  }

  @Test
  void reportsAMissingSecondDevice() throws Exception {
    for (String name : List.of("peer-copy", "peer-both", "peer-hop")) {
      for (Row row : measure("mock", bench -> null, name)) {
        assertEquals(
            new Absence("two devices are needed, and driver mock has one here", false),
            row.absence());
      }
    }
  }

  @Test
  void doesNotMeasureDevicesThatShareNoMemory() throws Exception {
    for (Row row : measure("mock://0?devices=2&peers=events", bench -> null, "peer-copy")) {
      assertEquals(
          new Absence(
              "mock://0 and mock://1 cannot use each other's memory, so that copies go through the"
                  + " host",
              false),
          row.absence());
    }
  }

  @Test
  void measuresHopsOfDevicesThatShareNoMemory() throws Exception {
    assertMeasured(measure("mock://0?devices=2&peers=events", bench -> null, "peer-hop"), 0);
  }
}
