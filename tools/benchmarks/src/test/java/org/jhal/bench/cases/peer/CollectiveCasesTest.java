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
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jhal.Device;
import org.jhal.Hal;
import org.jhal.bench.baselines.CudaRaw;
import org.jhal.bench.baselines.FakeCuda;
import org.jhal.bench.measure.Absence;
import org.jhal.bench.measure.Bench;
import org.jhal.bench.measure.BenchCase;
import org.jhal.bench.measure.Rounds;
import org.jhal.bench.measure.Row;
import org.jhal.bench.measure.Shared;
import org.jhal.bench.measure.Spread;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Sums over two devices: JHAL's side on the mock, the program in C on a fake driver. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class CollectiveCasesTest {
  private static final int MAX = 3; // MiB, too

  private static List<Row> measure(String uri, Function<Bench, @Nullable CudaRaw> raw, int index)
      throws Exception {
    BenchCase benchCase = CollectiveCases.all(raw).get(index);
    try (Device device = Hal.openDevice(uri);
        Shared shared = new Shared()) {
      assertTrue(benchCase.fits(device));
      List<Row> rows =
          Rounds.measure(benchCase, new Bench(uri, device, MAX, shared), Duration.ZERO, 2);
      assertFalse(rows.isEmpty());
      return rows;
    }
  }

  private static Function<Bench, @Nullable CudaRaw> on(FakeCuda fake) {
    return bench ->
        bench
            .shared()
            .get("raw-peers", CudaRaw.class, () -> fake.raw(null, "0000:04:00.0", Map.of()));
  }

  private static void assertMeasured(Row row) {
    assertNull(row.absence(), row::toString);
    assertTrue(Spread.of(row.jhal()).min() > 0, row::toString);
    assertTrue(row.label().endsWith(", host"), row::toString);
  }

  @Test
  void bothSidesAddUp(@TempDir Path folder) throws Exception {
    FakeCuda fake = FakeCuda.build(folder).withNccl();
    for (int index = 0; index < 2; index++) {
      for (Row row : measure("mock://1?devices=2", on(fake), index)) {
        assertMeasured(row);
        assertEquals(1, row.baselines().size(), row::toString);
        for (Row.Baseline baseline : row.baselines()) {
          assertNull(baseline.absence(), row::toString);
          assertTrue(Spread.of(baseline.samples()).min() > 0, row::toString);
        }
      }
    }
  }

  @Test
  void smallSumsHaveAnAim(@TempDir Path folder) throws Exception {
    FakeCuda fake = FakeCuda.build(folder).withNccl();
    Row few = measure("mock://0?devices=2", on(fake), 0).get(0);
    assertEquals("8 B, host", few.label());
    assertEquals(1, few.aims().size(), few::toString);
    assertNotNull(few.aims().get(0).isMet(few), "whether an aim is met");
  }

  @Test
  void baselinesReportAMissingLibrary(@TempDir Path folder) throws Exception {
    FakeCuda fake = FakeCuda.build(folder);
    for (Row row : measure("mock://0?devices=2", on(fake), 1)) {
      assertMeasured(row);
      assertEquals(1, row.baselines().size(), row::toString);
      for (Row.Baseline baseline : row.baselines()) {
        Absence absence = Objects.requireNonNull(baseline.absence(), row::toString);
        assertFalse(absence.isFailure(), row::toString);
        assertTrue(absence.why().startsWith("no NCCL: "), row::toString);
      }
    }
  }

  @Test
  void otherDriversAreMeasuredAlone() throws Exception {
    for (int index = 0; index < 2; index++) {
      for (Row row : measure("mock://0?devices=2", PeerCases::raw, index)) {
        assertMeasured(row);
        assertEquals(List.of(), row.baselines(), row::toString);
        assertEquals(List.of(), row.aims(), row::toString);
      }
    }
  }

  @Test
  void reportsAMissingSecondDevice() throws Exception {
    for (int index = 0; index < 2; index++) {
      for (Row row : measure("mock", bench -> null, index)) {
        assertEquals(
            new Absence("two devices are needed, and driver mock has one here", false),
            row.absence());
      }
    }
  }
}
