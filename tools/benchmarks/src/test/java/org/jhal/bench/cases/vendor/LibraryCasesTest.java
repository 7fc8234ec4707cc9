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
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jhal.Device;
import org.jhal.Hal;
import org.jhal.bench.baselines.CudaRaw;
import org.jhal.bench.baselines.FakeCuda;
import org.jhal.bench.measure.Bench;
import org.jhal.bench.measure.BenchCase;
import org.jhal.bench.measure.Rounds;
import org.jhal.bench.measure.Row;
import org.jhal.bench.measure.Shared;
import org.jhal.bench.measure.Spread;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Products by a library: JHAL's side on the mock; that in C needs a real one. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class LibraryCasesTest {
  private static final String URI = "mock";

  @Test
  void jhalsSideMultiplies(@TempDir Path folder) throws Exception {
    FakeCuda fake = FakeCuda.build(folder);
    BenchCase real = LibraryCases.all().get(0);
    BenchCase small =
        new BenchCase(
            real.name(),
            real.description(),
            real.unit(),
            real.metrics(),
            real.scales(),
            bench -> List.of(LibraryCases.series(bench, 24)));
    try (Device device = Hal.openDevice(URI);
        Shared shared = new Shared()) {
      assertFalse(real.fits(device));
      CudaRaw unused = shared.get("raw", CudaRaw.class, () -> fake.raw(null, Map.of()));
      List<Row> rows = Rounds.measure(small, new Bench(URI, device, 20, shared), Duration.ZERO, 2);
      assertEquals(1, rows.size());
      Row row = rows.get(0);
      assertNull(row.absence(), row::toString);
      assertTrue(Spread.of(row.jhal()).min() > 0, row::toString);
      Row.Baseline baseline = row.baselines().get(0);
      assertTrue(
          Objects.requireNonNull(baseline.absence(), "the fake driver has no cuBLAS")
              .why()
              .contains("cublas"),
          row::toString);
    }
  }
}
