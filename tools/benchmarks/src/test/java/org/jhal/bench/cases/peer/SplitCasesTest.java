// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.cases.peer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jhal.Device;
import org.jhal.Hal;
import org.jhal.bench.measure.Absence;
import org.jhal.bench.measure.Bench;
import org.jhal.bench.measure.Rounds;
import org.jhal.bench.measure.Row;
import org.jhal.bench.measure.Shared;
import org.jhal.bench.measure.Spread;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A picture by two devices, beside one of them. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class SplitCasesTest {
  private static final int COLUMNS = 50; // several bands, of which the last is smaller

  private static List<Row> measure(String uri) throws Exception {
    try (Device device = Hal.openDevice(uri);
        Shared shared = new Shared()) {
      Bench bench = new Bench(uri, device, COLUMNS, shared);
      List<Row> rows = Rounds.measure(SplitCases.all().get(0), bench, Duration.ZERO, 2);
      assertEquals(2, rows.size(), rows::toString);
      for (Row row : rows) {
        assertEquals("50 columns", row.label());
        assertEquals(1, row.baselines().size(), row::toString);
        Row.Baseline alone = row.baselines().get(0);
        assertNull(alone.absence(), row::toString);
        assertTrue(Spread.of(alone.samples()).min() > 0, row::toString);
      }
      return rows;
    }
  }

  @Test
  void oneDeviceAndTwoComputeThePicture() throws Exception {
    for (Row row : measure("mock://0?devices=2")) {
      assertNull(row.absence(), row::toString);
      assertTrue(Spread.of(row.jhal()).min() > 0, row::toString);
    }
  }

  @Test
  void measuresOneDeviceWithoutASecondOne() throws Exception {
    for (Row row : measure("mock")) {
      assertEquals(
          new Absence("two devices are needed, and driver mock has one here", false),
          row.absence());
    }
  }
}
